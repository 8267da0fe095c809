#include "src/warm/layer_clock.h"

#include <algorithm>

namespace torqsched::warm {

std::vector<KindUse> UseOfKinds(const WarmTimeline& timeline) {
  std::vector<KindUse> uses(timeline.kinds.size());
  for (size_t i = 0; i < timeline.runs.size(); ++i) {
    const WarmRun& run = timeline.runs[i];
    for (size_t j = 0; j < run.kinds.size(); ++j) {
      KindUse& use = uses[run.kinds[j]];
      if (use.layers == 0) {
        const WarmRun& after = timeline.runs[(i + 1) % timeline.runs.size()];
        use.next = j + 1 < run.kinds.size() ? run.kinds[j + 1]
                   : run.repeats > 1        ? run.kinds[0]
                                            : after.kinds[0];
      }
      use.layers += run.repeats;
    }
  }
  return uses;
}

const SimulationResult& LayerClock::Simulate(const std::vector<WarmScope>& scopes,
                                             SimulationTrace* trace) {
  layers_.resize(2);
  layers_[0] = {kind_, 0, StagesOf(kind_), scopes};
  layers_[1] = {next_kind_, 0, NextStages(), {}};
  simulated_stages_ += whole_stages();
  return simulator_.Run(layers_, trace);
}

int64_t LayerClock::Change(const std::vector<WarmScope>& scopes) {
  if (!without_.has_value()) {
    const SimulationResult& result = Simulate({}, nullptr);
    without_ = result.finished ? result.end : kMostTicks;
  }
  if (scopes.empty()) return 0;
  const SimulationResult& result = Simulate(scopes, nullptr);
  return result.finished ? result.end - *without_ : kMostTicks;
}

const SimulationResult& LayerClock::SimulatePart(uint32_t first, uint32_t end,
                                                 const std::vector<WarmScope>& scopes) {
  layers_.resize(1);
  layers_[0] = {kind_, first, end, scopes};
  simulated_stages_ += end - first;
  return simulator_.Run(layers_, nullptr);
}

}  // namespace torqsched::warm
