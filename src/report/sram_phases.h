// What the two pictures of SRAM over the phases share: which there are, what is in them, and which
// phases stand where.
//
// A panel is one program on one chip. From below, it has layers that stay throughout (the program's
// buffers and own tables, the carried states of all programs), then bands: activations that come
// and go, those on chip first, then those that were spilled. Sums are 128 bits wide, so that they
// are exact whatever the sizes.
#ifndef TORQSCHED_SRC_REPORT_SRAM_PHASES_H_
#define TORQSCHED_SRC_REPORT_SRAM_PHASES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/strings/string_view.h"
#include "src/report/residency.h"

namespace torqsched {
namespace report {

// An activation that one chip holds, or would.
struct SramBand {
  uint32_t tensor = 0;
  bool spilled = false;
  uint64_t bytes = 0;
  uint64_t first_phase = 0;
  uint64_t last_phase = 0;  // inclusive
};

struct SramPanel {
  uint32_t program = 0;
  uint32_t chip = 0;
  uint64_t buffer_bytes = 0;
  uint64_t table_bytes = 0;  // on chip
  uint64_t carried_bytes = 0;
  std::vector<SramBand> bands;  // as they are stacked: those on chip, then the spilled ones
  size_t spilled = 0;           // how many
  absl::uint128 fullest = 0;    // the most bytes in SRAM in a phase
  absl::uint128 tallest = 0;    // and with what was spilled

  absl::uint128 Layers() const { return absl::uint128(buffer_bytes) + table_bytes + carried_bytes; }
};

struct SramPanels {
  std::vector<SramPanel> panels;  // the tallest first
  size_t left_out = 0;            // how many more there would be
  std::vector<std::vector<uint64_t>>
      phases;  // by program: in which it accesses a tensor, ascending
};

// Panels in which there is a byte, at most so many. Where tensors cannot live on chip, none.
// Cost: O(n log n).
SramPanels FindSramPanels(const ResidencyCase& residency, size_t most);

// Phases in columns: one each, or where they are too many several in one, which then shows the
// phase in which most bytes are live, spilled ones included.
struct SramColumns {
  struct Range {
    size_t begin = 0;
    size_t end = 0;
  };
  std::vector<Range> bands;  // by position in the panel's: columns in which it is live
  size_t count = 1;
  size_t phases = 0;

  bool several() const { return phases > count; }
  size_t ColumnOf(size_t phase) const;  // by its position
};

// At most `most` columns, which is at least 1. Cost: O(n log n).
SramColumns FindSramColumns(const SramPanel& panel, const std::vector<uint64_t>& phases,
                            size_t most);

// Which phases to label, by position: at most so many of round numbers, or where their numbers have
// gaps, as far apart as each other.
std::vector<size_t> PhaseTicks(const std::vector<uint64_t>& phases, uint64_t most);

// "64 KiB", "1.25 MiB", "1,000 B"; rounded to two decimals.
std::string SizeText(absl::uint128 bytes);

// "program 'decode' on chip 0: at most 48 KiB of 64 KiB held (75.0 %); 2 activations spilled".
std::string SramPanelTitle(const ResidencyCase& residency, const SramPanel& panel);

// What is said instead of pictures where there are none.
absl::string_view NoSramPanels(const ResidencyCase& residency);

// "12 pictures of programs on chips that need less are left out"; empty where there are none.
std::string LeftOutText(const SramPanels& panels);

}  // namespace report
}  // namespace torqsched

#endif  // TORQSCHED_SRC_REPORT_SRAM_PHASES_H_
