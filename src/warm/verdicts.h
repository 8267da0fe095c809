// Why each region of a kind is warmed, or is not, with its numbers.
#ifndef TORQSCHED_SRC_WARM_VERDICTS_H_
#define TORQSCHED_SRC_WARM_VERDICTS_H_

#include <vector>

#include "src/warm/choice_search.h"

namespace torqsched::warm {

// The whole layer without warms and with what is chosen.
struct SimulatedPlan {
  std::vector<StageTimes> cold;
  std::vector<StageTimes> warm;
  std::vector<WarmOutcome> outcomes;
};

// For every region that the kind reads, in the order of their first reads. What a set that stays
// cold would do is simulated at each of its anchors, beside what is chosen. Where the search looks
// at windows, only what is near a set, and so many of its anchors as so many simulated stages
// suffice for; none, and the set is not weighed, if need be.
std::vector<WarmRegionVerdict> VerdictsOf(const PreparedTimeline& prepared, uint32_t kind,
                                          const KindSets& sets, const WarmOptions& options,
                                          const ChosenScopes& chosen, const SimulatedPlan& plan,
                                          uint64_t stages, ChoiceSearch* search, LayerClock* clock);

}  // namespace torqsched::warm

#endif  // TORQSCHED_SRC_WARM_VERDICTS_H_
