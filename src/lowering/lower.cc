#include "src/lowering/lower.h"

#include <utility>
#include <vector>

#include "src/lowering/layer_plan.h"
#include "src/lowering/layer_shapes.h"
#include "src/lowering/layer_writer.h"
#include "src/lowering/stream_writer.h"
#include "src/network/network_deployment.h"

namespace torqsched {

absl::StatusOr<LoweredNetwork> LowerNetwork(const Network& network, const Hardware& hardware,
                                            const LoweringNumbers& numbers,
                                            const LoweringOptions& options) {
  if (absl::Status status = CheckHardware(hardware); !status.ok()) return status;
  if (absl::Status status = CheckNumbers(numbers, "numbers."); !status.ok()) return status;
  const absl::StatusOr<NetworkDeployment> checked = DeployNetwork(network);
  if (!checked.ok()) return checked.status();
  const absl::StatusOr<std::vector<lowering::LayerShape>> shapes =
      lowering::ShapesOf(network, numbers, hardware.usable_bytes());
  if (!shapes.ok()) return shapes.status();
  const absl::StatusOr<lowering::NetworkPlan> plan =
      lowering::PlanLayers(network, *shapes, hardware, numbers, options);
  if (!plan.ok()) return plan.status();

  LoweredNetwork lowered;
  lowered.constant_bytes = plan->constant_bytes;
  lowered.convolutions = plan->convolutions;
  lowering::StreamWriter writer(network.name, hardware);
  lowered.layers = lowering::LayerWriter(network, *shapes, *plan, numbers, &writer).WriteAll();
  absl::StatusOr<Stream> stream = std::move(writer).Build(&lowered.names);
  if (!stream.ok()) return stream.status();
  lowered.stream = *std::move(stream);
  return lowered;
}

}  // namespace torqsched
