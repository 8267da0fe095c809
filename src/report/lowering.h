// What lowering made of a network, for people.
#ifndef TORQSCHED_SRC_REPORT_LOWERING_H_
#define TORQSCHED_SRC_REPORT_LOWERING_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "src/lowering/lowering.h"
#include "src/network/network.h"

namespace torqsched {
namespace report {

// Budgets that were tried.
struct TuningFacts {
  std::optional<uint64_t> default_makespan;  // absent: not placed
  std::optional<uint64_t> makespan;
  uint64_t trials = 0;
  uint64_t groups = 0;
  bool limit_reached = false;
};

// Layers, programs, what they load and store, what is loaded again; the warning where convolutions
// have small tiles; what tuning found.
std::string LoweringSummary(absl::string_view title, const LoweredNetwork& lowered,
                            const std::optional<TuningFacts>& tuning);

// A row a layer, at most so many: how it is cut, its budget and why, what it moves.
std::string LoweringTable(const Network& network, const LoweredNetwork& lowered, size_t most_rows);

}  // namespace report
}  // namespace torqsched

#endif  // TORQSCHED_SRC_REPORT_LOWERING_H_
