// Which part of LRAM each tile loop of a function may use, and how its contractions are cut.
#ifndef TORQSCHED_SRC_TILING_PLAN_TILES_H_
#define TORQSCHED_SRC_TILING_PLAN_TILES_H_

#include "absl/status/statusor.h"
#include "src/tiling/tiling.h"

namespace torqsched {

// The budget of every loop by the rules of docs/tiling.md. INVALID_ARGUMENT with the field
// ("loops[3].shape.k", "loop_percent", "hardware.granule") and a message that names the loop, where
// a number is out of range or a sum does not fit 64 bits. Loops may share a name. Cost: linear in
// the loops, times the logarithm of a shape's dimensions.
absl::StatusOr<TilePlan> PlanTiles(const TilingRequest& request);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_TILING_PLAN_TILES_H_
