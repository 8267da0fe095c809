// Orders of ops as orders of actions, and placements with swaps as splits of the model.
#ifndef TORQSCHED_SRC_SEARCH_ACTION_ORDER_H_
#define TORQSCHED_SRC_SEARCH_ACTION_ORDER_H_

#include <vector>

#include "src/graph/action_graph.h"
#include "src/search/model.h"
#include "src/stream/placement.h"

namespace torqsched::search {

// The actions in the order in which they begin in an order of all ops, which keeps the dependences;
// each joint just before the first action that needs it. Linear.
std::vector<ActionIndex> ActionOrder(const ScheduleProblem& problem, const ActionGraph& graph,
                                     const std::vector<OpIndex>& ops);

struct SplitOrder {
  std::vector<Split> splits;
  std::vector<ActionIndex> order;  // the actions of the model that these splits make
};

// What the order of ops and its placement are in a model with splits for the placement's evictions.
// Near-linear.
SplitOrder OrderWithSplits(const ScheduleProblem& problem, const ActionGraph& graph,
                           const std::vector<OpIndex>& ops, const Placement& placement);

}  // namespace torqsched::search

#endif  // TORQSCHED_SRC_SEARCH_ACTION_ORDER_H_
