// What a layer of a kind takes with a choice of scopes: the simulator behind one question.
//
// A layer is simulated whole, with the layer that follows it (no warms there), so that what a warm
// does to its successor counts; or in windows of its own stages.
#ifndef TORQSCHED_SRC_WARM_LAYER_CLOCK_H_
#define TORQSCHED_SRC_WARM_LAYER_CLOCK_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "src/warm/prepared.h"
#include "src/warm/simulator.h"

namespace torqsched::warm {

// Kinds of more stages are searched in windows.
constexpr uint32_t kWholeStages = 256;
constexpr uint32_t kNextStages = 64;  // of a long kind, as a successor

// For each kind of a forward: the kind of the layer after its first one there, and how many layers
// of it there are. Cost: linear in the runs.
struct KindUse {
  uint64_t layers = 0;
  uint32_t next = 0;
};
std::vector<KindUse> UseOfKinds(const WarmTimeline& timeline);

class LayerClock {
 public:
  // The prepared timeline may be repriced between questions, after Forget. The simulator is of the
  // same one; clocks that share it take turns.
  LayerClock(const PreparedTimeline& prepared, uint32_t kind, uint32_t next_kind,
             Simulator* simulator)
      : kind_(kind), next_kind_(next_kind), prepared_(prepared), simulator_(*simulator) {}

  bool is_short() const { return StagesOf(kind_) <= kWholeStages; }
  // That a simulation of the whole layer counts.
  uint64_t whole_stages() const { return uint64_t{StagesOf(kind_)} + NextStages(); }

  // Ticks that the layer and its successor take with these scopes less what they take without; the
  // most there is where it would not end.
  int64_t Change(const std::vector<WarmScope>& scopes);

  // The whole layer, and its successor if it is short, in detail; trace may be null.
  const SimulationResult& Simulate(const std::vector<WarmScope>& scopes, SimulationTrace* trace);

  // Stages [first, end) of the layer alone.
  const SimulationResult& SimulatePart(uint32_t first, uint32_t end,
                                       const std::vector<WarmScope>& scopes);
  // Of the last simulation.
  const SimulationResult& result() const { return simulator_.result(); }

  void Forget() { without_.reset(); }
  uint64_t simulated_stages() const { return simulated_stages_; }

 private:
  uint32_t StagesOf(uint32_t kind) const {
    return static_cast<uint32_t>(prepared_.kinds[kind].stages.size());
  }
  uint32_t NextStages() const {
    return StagesOf(next_kind_) <= kWholeStages ? StagesOf(next_kind_) : kNextStages;
  }

  const uint32_t kind_;
  const uint32_t next_kind_;
  const PreparedTimeline& prepared_;
  Simulator& simulator_;
  std::vector<SimulatedLayer> layers_;
  std::optional<int64_t> without_;  // the whole layer
  uint64_t simulated_stages_ = 0;
};

}  // namespace torqsched::warm

#endif  // TORQSCHED_SRC_WARM_LAYER_CLOCK_H_
