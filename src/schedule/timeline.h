// When everything runs: the placed stream (an order with its swap transfers) played on the clock.
#ifndef TORQSCHED_SRC_SCHEDULE_TIMELINE_H_
#define TORQSCHED_SRC_SCHEDULE_TIMELINE_H_

#include <vector>

#include "src/graph/problem.h"
#include "src/schedule/answer.h"
#include "src/stream/placement.h"

namespace torqsched {

// Fills the times of statistics, and appends the spans to timeline unless it is null: by begin,
// what takes no time left out. placement: of the order; one that is none, or that has no detail:
// without swaps. Returns the makespan. The order must be a permutation with starts before their
// waits, and keep the dependences where transfers do not block. Cost: O(n log n).
uint64_t PlayTimeline(const ScheduleProblem& problem, const Schedule& schedule,
                      const Placement& placement, Statistics* statistics,
                      std::vector<Span>* timeline);

// The most bytes of LRAM buffers that are live at once in this order, sizes not rounded; the
// largest value where the sum does not fit.
uint64_t PeakLiveBytes(const Stream& stream, const Lifetimes& lifetimes,
                       const std::vector<OpIndex>& order);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_SCHEDULE_TIMELINE_H_
