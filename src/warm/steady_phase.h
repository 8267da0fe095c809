// Where a series of times has become steady, and whether it ever has.
//
// A fresh process blocks a few percent of its warm issues for 200 to 300 us until a few thousand
// are through. At 86 issues a round that is two blocked ones in every round: not outliers but a
// level that fades. So the level is looked at, not the single round.
//
// 1. Clip: nothing counts as further from the quartiles (of the last half, which has had most time
//    to settle) than three times their distance. A tail is then no level.
// 2. Cut: batches of 5 rounds; of all cuts up to the middle, the one whose rest has the least
//    squared standard error of its mean, sum of squares / count^2: MSER-5 (White 1997). It trades
//    the start-up that it leaves against the rounds that it takes. The cut counts only where the
//    level of what it takes is off the rest's by three standard errors: a cut that chance chose
//    would make the rest look steadier than it is.
// 3. Test: the first third's level of what is left against the last third's, each of 8 segments.
//    Not steady: they differ by more than the caller allows, and by four standard errors.
//
// What it leaves out: a disturbance in the middle (that widens the intervals), and a start-up that
// takes more than half of the rounds is not cut but found by 3. Integers only. Cost: linear (the
// quartiles by selection). Memory: linear.
#ifndef TORQSCHED_SRC_WARM_STEADY_PHASE_H_
#define TORQSCHED_SRC_WARM_STEADY_PHASE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace torqsched {

struct SteadyPhase {
  size_t first = 0;          // position of the first steady value; at most half
  bool steady = true;        // from there on
  int64_t level_change = 0;  // where not: the last third's level minus the first third's
};

// Each time below 2^60. Series of fewer than 20 are not cut, rests of fewer than 48 not tested.
SteadyPhase FindSteadyPhase(const std::vector<uint64_t>& times, uint32_t most_drift_ppm);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_WARM_STEADY_PHASE_H_
