#include "src/lowering/lower.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "src/lowering/layer_plan.h"
#include "src/lowering/layer_shapes.h"
#include "src/lowering/layer_writer.h"
#include "src/lowering/stream_writer.h"
#include "src/network/network_deployment.h"
#include "src/stream/error.h"

namespace torqsched {
namespace {

absl::Status CheckNumbers(const LoweringNumbers& numbers) {
  constexpr uint64_t kMost = uint64_t{1} << 40;
  const struct {
    const char* field;
    uint64_t least;
    uint64_t value;
  } checks[] = {{"granule", 1, numbers.granule},
                {"int8_macs_per_cycle", 1, numbers.int8_macs_per_cycle},
                {"bf16_macs_per_cycle", 1, numbers.bf16_macs_per_cycle},
                {"elementwise_bytes_per_cycle", 1, numbers.elementwise_bytes_per_cycle},
                {"least_program_cycles", 0, numbers.least_program_cycles},
                {"code_buffer_bytes", 0, numbers.code_buffer_bytes}};
  for (const auto& check : checks) {
    if (check.value >= check.least && check.value <= kMost) continue;
    return FieldError(absl::StrCat("numbers.", check.field),
                      absl::StrCat(check.value, "; expected ", check.least, " to ", kMost));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<LoweredNetwork> LowerNetwork(const Network& network, const Hardware& hardware,
                                            const LoweringNumbers& numbers,
                                            const LoweringOptions& options) {
  if (absl::Status status = CheckHardware(hardware); !status.ok()) return status;
  if (absl::Status status = CheckNumbers(numbers); !status.ok()) return status;
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
