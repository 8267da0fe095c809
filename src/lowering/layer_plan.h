// What is decided about the layers of a lowering before a single op is written: where their outputs
// are, and how each is cut.
#ifndef TORQSCHED_SRC_LOWERING_LAYER_PLAN_H_
#define TORQSCHED_SRC_LOWERING_LAYER_PLAN_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "src/hardware/hardware.h"
#include "src/lowering/layer_tile.h"
#include "src/lowering/lowering.h"
#include "src/network/network.h"

namespace torqsched::lowering {

struct LayerPlan {
  uint32_t layer = 0;  // position in the network's
  Placing placing;
  LayerTile tile;
  uint64_t tile_bytes = 0;
  uint64_t budget_bytes = 0;
  uint64_t own_room = 0;  // LRAM without what is resident beside it and not its own
  BudgetReason reason = BudgetReason::kConstantsFit;
  bool own_budget = false;
};

struct NetworkPlan {
  uint32_t first_layer = 0;
  uint32_t end_layer = 0;
  std::vector<LayerPlan> layers;  // first_layer and on
  uint64_t constant_bytes = 0;
  bool convolutions = false;
};

// By layer of the network, the last layer within [first, end) that reads its output; 0 if none does
// (a layer is not its own reader). leaves: a layer beyond reads it, or none at all.
struct Readers {
  std::vector<uint32_t> last;
  std::vector<char> leaves;
};
Readers ReadersOf(const Network& network, uint32_t first, uint32_t end);

absl::StatusOr<NetworkPlan> PlanLayers(const Network& network,
                                       const std::vector<LayerShape>& shapes,
                                       const Hardware& hardware, const LoweringNumbers& numbers,
                                       const LoweringOptions& options);

}  // namespace torqsched::lowering

#endif  // TORQSCHED_SRC_LOWERING_LAYER_PLAN_H_
