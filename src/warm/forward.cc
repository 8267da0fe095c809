#include "src/warm/forward.h"

#include <algorithm>
#include <string>

#include "src/stream/checked.h"
#include "src/stream/error.h"
#include "src/warm/simulator.h"

namespace torqsched::warm {
namespace {

absl::Status TooLong() {
  return ErrorAt(absl::StatusCode::kInvalidArgument,
                 "timeline.runs: a simulated forward lasts longer than a clock holds",
                 {"timeline.runs", OpIndex(), BufferIndex()});
}

}  // namespace

absl::StatusOr<uint64_t> ForwardNs(const PreparedTimeline& prepared,
                                   const std::vector<std::vector<WarmScope>>& scopes) {
  const WarmTimeline& timeline = *prepared.timeline;
  std::vector<SimulatedLayer> layers;
  struct LeftOut {
    size_t first = 0;  // layers of the last repeat that is simulated
    size_t end = 0;
    uint64_t repeats = 0;
  };
  std::vector<LeftOut> left_out;
  for (const WarmRun& run : timeline.runs) {
    const uint64_t simulated = std::min(run.repeats, kSimulatedRepeats);
    for (uint64_t i = 0; i < simulated; ++i) {
      for (const uint32_t kind : run.kinds) {
        const uint32_t stages = static_cast<uint32_t>(prepared.kinds[kind].stages.size());
        layers.push_back({kind, 0, stages, scopes[kind]});
      }
    }
    left_out.push_back({layers.size() - run.kinds.size(), layers.size(), run.repeats - simulated});
  }
  Simulator simulator(prepared);
  const SimulationResult& result = simulator.Run(layers, nullptr);
  if (!result.finished) return TooLong();
  // A layer begins when the one before it ends.
  std::vector<int64_t> ends = {0};
  size_t stage = 0;
  for (const SimulatedLayer& layer : layers) {
    int64_t end = ends.back();
    for (uint32_t s = 0; s < layer.end_stage; ++s) end = std::max(end, result.stages[stage++].end);
    ends.push_back(end);
  }
  uint64_t ticks = static_cast<uint64_t>(result.end);
  for (const LeftOut& left : left_out) {
    const uint64_t once = static_cast<uint64_t>(ends[left.end] - ends[left.first]);
    ticks = SaturatingAdd(ticks, SaturatingMultiply(once, left.repeats));
  }
  if (ticks > static_cast<uint64_t>(kMostTicks)) return TooLong();
  return Whole(static_cast<int64_t>(ticks));
}

}  // namespace torqsched::warm
