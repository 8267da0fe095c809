#include "src/allocation/complete_search.h"

#include "src/allocation/order_search.h"
#include "src/allocation/valley_search.h"

namespace torqsched {

SearchResult SearchCompletely(const Packing& packing, uint64_t capacity, const SearchRules& rules,
                              Budget* budget, std::vector<uint64_t>* offsets) {
  ValleySearch search(packing, capacity, rules);
  const SearchResult result = search.Run(budget);
  budget->CloseSlice();
  if (result == SearchResult::kStopped && !budget->spent() && CanBeOrdered(packing)) {
    return SearchOrders(packing, capacity, budget, offsets);
  }
  if (result == SearchResult::kFound) *offsets = search.offsets();
  return result;
}

}  // namespace torqsched
