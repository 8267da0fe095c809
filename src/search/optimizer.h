// Strategy OPTIMIZE's search as a whole: from some orders to a better one, with a placement.
//
//   1. The given orders are played as they are. Where none keeps the memory, a short search looks
//      for one that does.
//   2. Where none is found and swaps are allowed, the search goes on as SEQUENTIAL would swap. If
//      offsets and swaps are ours to choose, what that comes to, and what OFFLINE makes of the same
//      orders, becomes part of the model (splits), and is searched on.
//   3. Short searches from the best orders compete, with near moves and with far ones; the best
//   goes
//      on, annealed, for the rest of the work.
//   4. Where an order without swaps is known, swaps are tried that make it shorter: before the long
//      search where they are ours, so that it goes on with them, else after it.
//
// Deterministic for a work limit, whatever the number of threads. Cost: about the nodes that it is
// allowed, and a bounded number of oracle runs.
//
// Source: docs/search.md.
#ifndef TORQSCHED_SRC_SEARCH_OPTIMIZER_H_
#define TORQSCHED_SRC_SEARCH_OPTIMIZER_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "src/graph/action_graph.h"
#include "src/graph/problem.h"
#include "src/search/placed_order.h"

namespace torqsched::search {

struct OptimizeRequest {
  bool ours = false;  // offsets and swaps are ours to choose; else SEQUENTIAL's rules do
  bool swaps_allowed = false;
  Estimate estimate;                         // the makespans here are those of this chip
  uint64_t nodes = 0;                        // actions played at most, about
  std::vector<std::vector<OpIndex>> starts;  // orders of all ops; at least one
  uint64_t seed = 1;                         // of random numbers
  // Asked now and then with the nodes so far and the best makespan that can be placed; true: stop.
  std::function<bool(uint64_t nodes, std::optional<uint64_t> best)> stop;
  // Nothing below it can be reached.
  uint64_t lower_bound = 0;
};

struct OptimizeResult {
  // Its placement is only of use where offsets are ours, and not placed where none was found.
  PlacedOrder best;
  SearchWork work;
  bool stopped = false;
};

// Absent where the numbers are too large for a search.
std::optional<OptimizeResult> Optimize(const ScheduleProblem& problem, const ActionGraph& graph,
                                       const OptimizeRequest& request);

}  // namespace torqsched::search

#endif  // TORQSCHED_SRC_SEARCH_OPTIMIZER_H_
