// Parts of a stream that are alike: tiles of the same size, columns of the same product.
//
// Where two programs, with what they alone use and who else uses that, can change places without
// any difference (same kinds, cycles, sizes, contents, and what they need is the same or changes
// places with them), it does not matter which of them comes first. So the one that does may be
// chosen: the first action of each part gets a need on the first one of the part before. That loses
// no best makespan, and there are fewer orders to search.
//
// Sound: each exchange of two neighbours is checked on the whole model, and parts share no action.
//
// Source: symmetry breaking by a chosen order, as in Crawford et al., "Symmetry-breaking predicates
// for search problems" (1996).
#ifndef TORQSCHED_SRC_SEARCH_EXACT_ALIKE_H_
#define TORQSCHED_SRC_SEARCH_EXACT_ALIKE_H_

#include "src/search/exact_model.h"

namespace torqsched {

// Before anything is derived from the needs.
void OrderAlikeParts(ExactModel* model);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_SEARCH_EXACT_ALIKE_H_
