// What an action takes on average: the measure of how warm a search begins.
#ifndef TORQSCHED_SRC_SEARCH_MEAN_CYCLES_H_
#define TORQSCHED_SRC_SEARCH_MEAN_CYCLES_H_

#include <algorithm>
#include <cstdint>

#include "src/graph/action_graph.h"
#include "src/stream/checked.h"

namespace torqsched::search {

// Of the actions that take any time; 0: none does. At most 2^40, so that it may be multiplied.
// actions: an ActionGraph or a Model.
template <typename Actions>
int64_t MeanCycles(const Actions& actions) {
  uint64_t total = 0;
  uint64_t timed = 0;
  for (uint32_t i = 0; i < actions.size(); ++i) {
    const uint64_t cycles = static_cast<uint64_t>(actions.action(ActionIndex(i)).cycles);
    total = SaturatingAdd(total, cycles);
    if (cycles != 0) ++timed;
  }
  return timed == 0 ? 0 : static_cast<int64_t>(std::min(total / timed, uint64_t{1} << 40));
}

}  // namespace torqsched::search

#endif  // TORQSCHED_SRC_SEARCH_MEAN_CYCLES_H_
