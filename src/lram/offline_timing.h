// Moves a plan's transfers to where they cost no time: stores later, loads earlier, to just before
// a wait whose program is still running.
//
// A transfer blocks the in-order stream. What stands between it and the next wait with nothing but
// transfers in between is hidden by that wait as far as the stream would have been blocked there
// (its *slack*); elsewhere it makes all that follows later. A transfer that no slack hides where it
// stands looks for the nearest wait in its gap that has enough; moving there means that the buffer
// is in for longer, so LRAM must have the room at all positions in between. What is hidden uses
// slack up. The largest transfers choose first.
//
// The slack is that of the order without swaps: an approximation, so whoever uses the plan prices
// it. Cost: O(ops + outs log ops).
#ifndef TORQSCHED_SRC_LRAM_OFFLINE_TIMING_H_
#define TORQSCHED_SRC_LRAM_OFFLINE_TIMING_H_

#include <cstdint>
#include <vector>

#include "src/lram/offline_plan.h"

namespace torqsched {
namespace offline {

// excess: by position, LiveSums less what may be in. The plan's transfers are settled, before and
// after.
void HideTransfers(const Residency& residency, const std::vector<int64_t>& excess, Plan* plan);

}  // namespace offline
}  // namespace torqsched

#endif  // TORQSCHED_SRC_LRAM_OFFLINE_TIMING_H_
