// Which weights to pull into L2 before they are read: verdicts, a plan, and what it rests on.
//
// The steps, for each kind of layer that a forward has:
//   1. Rules: what is resident anyway, dynamic, not flat or too large is out (consumer_sets.h).
//   2. The rest, in sets that are warmed all or none, with the anchors before their readers. A
//      region that a layer reads several times is judged by its first read alone.
//   3. Combinations of sets, anchors and scopes are simulated (simulator.h), the best is kept: all
//      combinations, or where the budget does not suffice a bounded part of them
//      (choice_search.h).
//   4. Verdicts with numbers, alternatives, and the assumptions that would flip the choice.
// Then a whole forward with all plans, without and with.
//
// Layers of a kind share a plan, and are planned once. What a plan does to a layer is simulated
// with the layer that follows it, which has no warms then; the forward is simulated with all.
//
// Cost: n log n in stages and reads, and at most options.search_stages simulated stages for the
// whole request, shared out among the kinds by their stages; with flips kFlipShares (flips.h) times
// as many more. A kind's share is for its choice, its verdicts and its alternatives, in this order.
// Nothing grows with the square of the input. Deterministic; integers only.
#ifndef TORQSCHED_SRC_WARM_PLANNER_H_
#define TORQSCHED_SRC_WARM_PLANNER_H_

#include <vector>

#include "absl/status/statusor.h"
#include "src/warm/timeline.h"
#include "src/warm/warm_plan.h"

namespace torqsched {

// INVALID_ARGUMENT as CheckWarmHardware and CheckWarmTimeline, and where a simulated forward lasts
// longer than a clock holds.
absl::StatusOr<WarmPlan> PlanWarm(const WarmHardware& hardware, const WarmTimeline& timeline,
                                  const WarmOptions& options);

// What a layer of this kind does with these scopes, whether or not a plan would have them.
struct WarmPrediction {
  int64_t change_ns = 0;  // of the layer and the one that follows it
  std::vector<PlannedScope> scopes;
  uint64_t bytes_in_flight = 0;
  bool fits = true;
  WarmTrace trace;
};
// INVALID_ARGUMENT as PlanWarm and CheckWarmScopes, and where there is no such kind in a forward.
absl::StatusOr<WarmPrediction> PredictWarm(const WarmHardware& hardware,
                                           const WarmTimeline& timeline, uint32_t kind,
                                           const std::vector<WarmScope>& scopes);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_WARM_PLANNER_H_
