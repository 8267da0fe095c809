// Tile budgets for people: a row a loop, and what a contraction's cut would have been otherwise.
#ifndef TORQSCHED_SRC_REPORT_TILING_H_
#define TORQSCHED_SRC_REPORT_TILING_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"
#include "src/tiling/tiling.h"

namespace torqsched {
namespace report {

// LRAM, constants, and a row a loop: its budget and why; of a contraction with a shape how it is
// cut, how many programs that takes, what they load; below it, where there is one, the cut by its
// percent alone, and the largest that double-buffers. At most most_rows loops.
std::string TilingTable(absl::string_view title, const TilingRequest& request, const TilePlan& plan,
                        size_t most_rows);

// Why, in a few words: "40 % of LRAM", "all: constants fit".
std::string BudgetReasonText(BudgetReason reason);

}  // namespace report
}  // namespace torqsched

#endif  // TORQSCHED_SRC_REPORT_TILING_H_
