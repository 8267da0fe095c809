// Small random timelines, hardware and scopes, the same on every machine.
#ifndef TORQSCHED_TESTS_WARM_PLANNER_RANDOM_H_
#define TORQSCHED_TESTS_WARM_PLANNER_RANDOM_H_

#include <cstdint>
#include <vector>

#include "src/warm/timeline.h"

namespace torqsched {

// One layer, up to 8 stages and 5 regions; some read side by side, some by several stages.
WarmTimeline RandomTimeline(uint64_t seed);
// L2 that holds a few of the regions, an engine from slower than the memory to faster than it.
WarmHardware RandomHardware(uint64_t seed);
// Each region is in at most one scope.
std::vector<WarmScope> RandomScopes(const WarmTimeline& timeline, uint64_t seed);

// One kind of so many stages, half of which read one region each of so many, all with task ids.
WarmTimeline LongForward(uint32_t stages, uint32_t regions);

// A forward of so many kinds, a layer each; every kind has so many stages and regions of its own.
WarmTimeline ManyKinds(uint32_t kinds, uint32_t stages, uint32_t regions);

}  // namespace torqsched

#endif  // TORQSCHED_TESTS_WARM_PLANNER_RANDOM_H_
