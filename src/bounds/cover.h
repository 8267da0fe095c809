// What may be at work at once: the least stall.
//
// While the stream does no work a wait blocks it, so some program runs: a *stall*. A program's
// compute cycles lie beside stream work, or in stalls, alone or beside other programs; who may meet
// whom, Sharing knows.
//
// Give each program a weight u from 0 to 1, such that u(P) + u(Q) <= 1 where P and Q may meet. Let
// m be the slices and M = max(1, m / 2). Programs that run at once have weights of at most M
// together: one has at most 1, and k >= 2 of them, by adding up all pairs, at most k / 2. Beside a
// transfer t at most c(t) programs run at once, of weight v(t) at most, the largest of those that
// may meet it. So with weight M - min(M, c(t) v(t)) for t, what is at work at any time has weight M
// at most, and
//
//   M * makespan  >=  sum of u(P) compute(P) + sum of (M - min(M, c(t) v(t))) cycles(t).
//
// Which weights are best? Without the inner min that is the dual of a flow in the double cover:
// each program and each transfer once on the left and once on the right, a program with its compute
// cycles, a transfer with c(t) times its cycles, and arcs where two may meet. A least cut gives the
// weights 0, 1/2 and 1. Since the min is what counts, the same is done with 1 for every c(t), and
// the better one taken. On one slice no two programs meet, and u is 0 or 1.
//
// Programs that are left out (weight 0) make the bound smaller, never wrong; so do transfers that
// more programs may meet than do. Starts and block transfers may meet all. What an order with swaps
// transfers beyond the stream's own work counts as stall here: it has no weight.
//
// Cost: a look at each pair of a program and another job, and two flows over at most so many arcs
// as the work allows: the programs that meet the fewest come first. Where it does not suffice for a
// question who meets, they do.
#ifndef TORQSCHED_SRC_BOUNDS_COVER_H_
#define TORQSCHED_SRC_BOUNDS_COVER_H_

#include <cstdint>

#include "src/bounds/part.h"
#include "src/bounds/sharing.h"
#include "src/bounds/work.h"

namespace torqsched::bounds {

// 0: more work than allowed.
uint64_t CoverBound(const Part& part, const Sharing& sharing, Work* work);

}  // namespace torqsched::bounds

#endif  // TORQSCHED_SRC_BOUNDS_COVER_H_
