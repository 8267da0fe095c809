// The valley search; where it runs out of its slice of nodes and bodies are very few, the search by
// order.
#ifndef TORQSCHED_SRC_ALLOCATION_COMPLETE_SEARCH_H_
#define TORQSCHED_SRC_ALLOCATION_COMPLETE_SEARCH_H_

#include <cstdint>
#include <vector>

#include "src/allocation/allocate.h"
#include "src/allocation/budget.h"
#include "src/allocation/packing.h"
#include "src/allocation/search_result.h"

namespace torqsched {

// A placement within the capacity, by body, in *offsets after kFound. The budget's slice, if one is
// open, is for the valley search, and is closed after it.
SearchResult SearchCompletely(const Packing& packing, uint64_t capacity, const SearchRules& rules,
                              Budget* budget, std::vector<uint64_t>* offsets);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_ALLOCATION_COMPLETE_SEARCH_H_
