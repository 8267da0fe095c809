// torqsched_plan_tiles: loops in, budgets out.
#ifndef TORQSCHED_SRC_WIRE_TILING_WIRE_H_
#define TORQSCHED_SRC_WIRE_TILING_WIRE_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "src/hardware/hardware.h"
#include "src/lowering/lowering.h"
#include "src/tiling/tiling.h"
#include "torqsched/v1/tiling.pb.h"

namespace torqsched {

// What lowering and tiling need to know of a chip beside Hardware. INVALID_ARGUMENT with a field
// such as "hardware.granule" where a number is out of range.
absl::StatusOr<LoweringNumbers> LoweringNumbersFromProto(const v1::Hardware& message);

// INVALID_ARGUMENT where all of LRAM is reserved: there is nothing to cut tiles for.
absl::Status CheckUsableLram(const Hardware& hardware);

// INVALID_ARGUMENT with the field where the strategy is not known or a percent is out of range.
// path: "options.".
absl::Status TilingOptionsFromProto(const v1::TilingOptions& message, absl::string_view path,
                                    TilingStrategy* strategy, uint32_t* loop_percent,
                                    uint32_t* contraction_percent);

// Names in it are views into the message. Loops are checked by the planner.
absl::StatusOr<TilingRequest> TilingFromProto(const v1::PlanTilesRequest& message);

v1::BudgetReason BudgetReasonToProto(BudgetReason reason);

// Fills an empty response.
void TilePlanToProto(const TilePlan& plan, v1::PlanTilesResponse* message);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_WIRE_TILING_WIRE_H_
