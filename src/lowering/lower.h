// Lowers a network's table to a control stream.
//
//   1. shapes of all layers (layer_shapes.h), the table checked as residency planning checks it
//   2. which activations stay in LRAM: the residency planner, with a share of LRAM as SRAM
//   3. budgets (tiling/plan_tiles.h), then tiles (layer_tile.h); activations whose layers would not
//      fit beside them leave LRAM, the largest first
//   4. ops, layer by layer, tile by tile (layer_writer.h)
//
// Cost: near-linear in layers and programs; see LoweringOptions::most_programs. Deterministic.
#ifndef TORQSCHED_SRC_LOWERING_LOWER_H_
#define TORQSCHED_SRC_LOWERING_LOWER_H_

#include "absl/status/statusor.h"
#include "src/hardware/hardware.h"
#include "src/lowering/lowering.h"
#include "src/network/network.h"

namespace torqsched {

// INVALID_ARGUMENT as DeployNetwork, CheckHardware and shapes demand; where options or numbers
// ("numbers.granule") are out of range; where the smallest tile of a layer does not fit LRAM, or
// tiles are too many: with a message that names the layer, at kMostProgramsField for the last.
absl::StatusOr<LoweredNetwork> LowerNetwork(const Network& network, const Hardware& hardware,
                                            const LoweringNumbers& numbers,
                                            const LoweringOptions& options);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_LOWERING_LOWER_H_
