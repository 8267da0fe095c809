// A solution as an order of ops, slices and a placement.
#ifndef TORQSCHED_SRC_SEARCH_PLACED_ORDER_H_
#define TORQSCHED_SRC_SEARCH_PLACED_ORDER_H_

#include <vector>

#include "src/search/local_search.h"
#include "src/search/model.h"
#include "src/stream/placement.h"

namespace torqsched::search {

struct PlacedOrder {
  std::vector<OpIndex> order;
  IndexVector<OpIndex, uint8_t> slices;  // of starts that have a wait; 0 elsewhere
  Placement placement;                   // placed exactly where the solution has no violations
};

// Plays the solution once more and writes down what happens. Near-linear.
PlacedOrder PlaceSolution(const Model& model, Placing placing, const Solution& solution);

}  // namespace torqsched::search

#endif  // TORQSCHED_SRC_SEARCH_PLACED_ORDER_H_
