// What the two pictures of a warmed layer share: which rows there are, and how time is cut.
//
// A panel is one kind of layer. From above: its stages without warms, its stages with them (in
// several rows where several run at once), a bar a warm from its issue until it is read, and the
// bytes in L2 that warms have brought and nobody has read yet.
#ifndef TORQSCHED_SRC_REPORT_WARM_PANEL_H_
#define TORQSCHED_SRC_REPORT_WARM_PANEL_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/report/warm.h"

namespace torqsched {
namespace report {

struct WarmBar {
  uint32_t region = 0;
  uint64_t bytes = 0;
  uint64_t issued_ns = 0;
  std::optional<uint64_t> landed_ns;
  std::optional<uint64_t> read_ns;
  std::vector<std::pair<uint64_t, uint64_t>> landing;  // ns, bytes; straight between them
};

struct WarmPanel {
  const WarmKindPlan* plan = nullptr;
  uint64_t scale_ns = 1;                         // the whole width
  std::vector<std::vector<uint32_t>> cold_rows;  // stages that follow each other
  std::vector<std::vector<uint32_t>> warm_rows;
  std::vector<WarmBar> bars;  // in the order of the plan; at most so many as were asked for
  size_t left_out = 0;        // how many more there would be
};

// Kinds that have both traces, those with warms first, at most so many.
std::vector<WarmPanel> WarmPanels(const WarmCase& warm, size_t most, size_t most_bars);

// at / scale_ns of so many cells, at most cells.
uint64_t CellAt(const WarmPanel& panel, uint64_t ns, uint64_t cells);

// Bytes that wait in L2 for their reader, the most within each of so many cells.
std::vector<uint64_t> WaitingBytes(const WarmPanel& panel, size_t cells);

}  // namespace report
}  // namespace torqsched

#endif  // TORQSCHED_SRC_REPORT_WARM_PANEL_H_
