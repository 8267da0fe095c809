// Tile budgets for people: a row a loop, how each contraction is cut, and what other cuts would do.
#ifndef TORQSCHED_SRC_REPORT_TILING_H_
#define TORQSCHED_SRC_REPORT_TILING_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"
#include "src/tiling/tiling.h"

namespace torqsched {
namespace report {

// LRAM, constants, and a row a loop: its budget and why, and the bytes of the smallest tile with
// whole rows that was looked at. Then a row a contraction with a shape: how it is cut, how many
// programs that takes, what they load, what the loop takes ("-": more than 64 bits hold); below it,
// where there is one, the cut by its percent alone, and the largest that double-buffers, with the
// gain: how many times the cycles the chosen one takes. At most most_rows loops.
std::string TilingTable(absl::string_view title, const TilingRequest& request, const TilePlan& plan,
                        size_t most_rows);

// Why, in a few words: "contraction percent", "all: constants fit".
std::string BudgetReasonText(BudgetReason reason);

}  // namespace report
}  // namespace torqsched

#endif  // TORQSCHED_SRC_REPORT_TILING_H_
