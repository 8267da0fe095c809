// Loads, and reloads, that no order avoids: what LRAM cannot carry over a cut.
//
// A *cut* is the begin of a program X. What X needs is over then, what needs X has not begun. A
// transfer that is neither may come before or after; but one that fills a buffer for a program that
// needs X leaves that buffer in LRAM at the cut if it comes before, and one that empties a buffer
// of a program that X needs has it in LRAM if it comes after. So all of them that lie on the other
// side take bytes beside what X holds, and no more cycles of transfers are carried over the cut
// than the best buffers make of the bytes that are left: a knapsack, here with parts of buffers.
//
// Between two cuts X and Y, of which X comes first, the stream does the transfers that belong
// there, except those carried over either cut. That, the longest path from X to Y, and the compute
// of the programs between the two divided by the slices, each bound the time from X to Y. A chain
// of cuts, from the begin of the stream to its end, adds these up; the longest chain is the bound.
//
// With swaps a buffer that was filled before the cut need not be in LRAM there, but then it is
// loaded again before it is read, and that is no less than the smaller of the two loads. Only loads
// count then, and only from the last cut to the end of the stream, since the next reader may come
// after a next cut. What is emptied may have been swapped out long before; it is left out.
//
// Cost: cuts * (jobs * log(jobs) + needs + uses) + cuts^2 * jobs, and a look at each pair of which
// one comes first; as many cuts and pairs as the work allows, the best of each stretch of the input
// order.
#ifndef TORQSCHED_SRC_BOUNDS_CUTS_H_
#define TORQSCHED_SRC_BOUNDS_CUTS_H_

#include <cstdint>

#include "src/bounds/heads_tails.h"
#include "src/bounds/part.h"
#include "src/bounds/precedence.h"
#include "src/bounds/sharing.h"
#include "src/bounds/work.h"

namespace torqsched::bounds {

uint64_t CutsBound(const Part& part, const Precedence& precedence, const Sharing& sharing,
                   const HeadsAndTails& times, Work* work);

}  // namespace torqsched::bounds

#endif  // TORQSCHED_SRC_BOUNDS_CUTS_H_
