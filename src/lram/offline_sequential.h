// What SEQUENTIAL did, as a plan with offsets: the same stays at the same places, but transfers
// only where contents need them.
//
// It is a candidate that needs no allocation of its own. A buffer that SEQUENTIAL gave its place at
// an alloc comes in at its first user here; if it went out again in between, nothing of that is
// left.
#ifndef TORQSCHED_SRC_LRAM_OFFLINE_SEQUENTIAL_H_
#define TORQSCHED_SRC_LRAM_OFFLINE_SEQUENTIAL_H_

#include <cstdint>
#include <vector>

#include "src/lram/offline_plan.h"
#include "src/stream/placement.h"

namespace torqsched {
namespace offline {

struct PlacedPlan {
  Plan plan;                      // settled
  std::vector<uint64_t> offsets;  // of its stays
};

// sequential: a placement of the residency's order.
PlacedPlan PlanOfSequential(const Residency& residency, const Placement& sequential);

}  // namespace offline
}  // namespace torqsched

#endif  // TORQSCHED_SRC_LRAM_OFFLINE_SEQUENTIAL_H_
