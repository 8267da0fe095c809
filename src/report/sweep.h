// A sweep's points, as a table and as a picture.
//
// A point is one network lowered and scheduled in one way on a chip with so much LRAM. Its inputs
// are words and numbers as the table shows them; its results are absent as far as it did not get.
#ifndef TORQSCHED_SRC_REPORT_SWEEP_H_
#define TORQSCHED_SRC_REPORT_SWEEP_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace torqsched {
namespace report {

struct SweepPoint {
  std::string digest;  // of all that the point is made from
  // What it is.
  std::string table;
  std::string hardware;
  std::string layers;    // "0:20" or "all"
  std::string budgets;   // "50:40:40" or "tuned"
  std::string strategy;  // "none", "stream_schedule" or "optimize"
  std::string oracle;    // "sequential" or "offline"
  std::optional<uint64_t> lram_bytes;
  std::optional<uint64_t> work_limit;  // of the search; absent: the default, or no search
  std::optional<uint64_t> trials;      // of tuning, at most; likewise
  // What came of it.
  std::optional<uint64_t> loop_percent;  // where tuned: what was found
  std::optional<uint64_t> contraction_percent;
  std::optional<uint64_t> resident_percent;
  std::optional<uint64_t> own_budgets;  // layers that tuning gave a share of their own
  std::optional<uint64_t> ops;
  std::optional<uint64_t> programs;
  std::optional<uint64_t> loaded_bytes;
  std::optional<uint64_t> stored_bytes;
  std::optional<uint64_t> again_bytes;     // of those loaded: more than once
  std::optional<uint64_t> input_makespan;  // of the input order, without swaps
  std::optional<uint64_t> makespan;        // after allocation; absent: not placed
  std::optional<bool> placed;
  std::optional<uint64_t> swaps;
  std::optional<uint64_t> lower_bound;
  std::optional<uint64_t> gap_cycles;    // makespan beyond the lower bound
  std::optional<uint64_t> gap_permille;  // of the lower bound, rounded half up
  std::string error;                     // why there is no makespan; empty: there is one
};

// A header and a line a point, as RFC 4180 has it but for lines that end in LF. What is absent is
// empty; placed is true or false.
std::string SweepCsv(const std::vector<SweepPoint>& points);

// {"points": [...]}, a line a point; what is absent is null.
std::string SweepJson(const std::vector<SweepPoint>& points);

// One point as JSON, for a file of its own.
std::string SweepPointJson(const SweepPoint& point);

// The point that these bytes are SweepPointJson of; absent where they are anything else.
std::optional<SweepPoint> ParseSweepPoint(absl::string_view json);

// A row a point, at most so many, with what one compares; the rest as "and 1,234 more".
std::string SweepTable(const std::vector<SweepPoint>& points, size_t most_rows);

// The makespan against the size of LRAM as an SVG document: a panel a network, in it a line for
// each way to lower and schedule it. Colours tell budgets, dashes tell strategies; a point that was
// not placed is a cross on the axis. The same points give the same bytes.
std::string SweepSvg(const std::vector<SweepPoint>& points);

}  // namespace report
}  // namespace torqsched

#endif  // TORQSCHED_SRC_REPORT_SWEEP_H_
