// What an order takes on a chip that is not quite as fast as its numbers say.
//
// The same order, slices and swaps are priced with transfers (loads, stores, swaps, blocks of the
// stream) or with programs that take some percent more or fewer cycles, each rounded up to whole
// cycles. What starts, issues and barriers take stays. Nothing is scheduled or placed anew.
//
// Source: docs/semantics.md, section 5.
#ifndef TORQSCHED_SRC_SCHEDULE_SENSITIVITY_H_
#define TORQSCHED_SRC_SCHEDULE_SENSITIVITY_H_

#include <cstdint>
#include <vector>

#include "src/graph/problem.h"
#include "src/schedule/answer.h"
#include "src/stream/placement.h"

namespace torqsched {

// The makespan with both percentages off, each above -100; the largest value where it does not fit
// 64 bits. schedule and placement as for PlayTimeline, whose makespan it is with 0 and 0. Cost: one
// walk of the clock.
uint64_t MakespanOff(const ScheduleProblem& problem, const Schedule& schedule,
                     const Placement& placement, int32_t dma_percent, int32_t compute_percent);

// Eight prices: DMA off by -20, -10, 10 and 20 percent, then compute likewise.
std::vector<Sensitivity> PriceSensitivity(const ScheduleProblem& problem, const Schedule& schedule,
                                          const Placement& placement);

// The largest of the eight and of what the order takes as it is.
uint64_t WorstCase(const ScheduleProblem& problem, const Schedule& schedule,
                   const Placement& placement);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_SCHEDULE_SENSITIVITY_H_
