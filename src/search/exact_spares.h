// Loads that are alike though what reads them is not: each program's own code of the same size.
//
// A *spare* is a load that needs nothing and brings one buffer in, which one program reads and
// nobody else uses; two are alike if they take the same cycles and bytes. Of two of them it does
// not matter which is whose: in any order the first that is loaded may be given to the first of the
// programs that is started, the second to the second and so on. Each program still finds its own
// loaded, since as many were loaded before it as programs were started with it; the buffers are
// born when they were, and of those that are born as many are dead as before at any time, since
// they all have the same size and die with the programs' waits. So an order with these loads
// exchanged is no other order, and a state need only know how many are loaded and not taken by a
// program.
//
// With swaps only loads from constants count that may come late, of what the program reads: such
// buffers do not leave before they are read (exact_swaps.cc). Exchanged or not, they stay from the
// load to the wait.
//
// A state's set names those of the programs with the longest tails: of the programs that are not
// out, the first in `pairs`. So the ones that are still to be loaded have the shortest tails there
// can be, and what a bound makes of them holds however they are given out.
#ifndef TORQSCHED_SRC_SEARCH_EXACT_SPARES_H_
#define TORQSCHED_SRC_SEARCH_EXACT_SPARES_H_

#include "src/search/exact_model.h"

namespace torqsched {

// Once tails are known.
void FindSpares(bool swaps, ExactModel* model);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_SEARCH_EXACT_SPARES_H_
