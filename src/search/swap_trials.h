// Swaps where none is needed: at a place where the stream waits for a program only because what
// comes next has no room, it goes on without waiting, and the oracle makes the room by a swap.
//
// Which buffer leaves, when, and where it comes back is the oracle's choice: with OFFLINE the one
// that costs least, a constant for nothing. Places are tried in the order of the time waited there;
// what makes the order shorter is kept.
//
// Cost: each try is a run of the oracle, and is counted in nodes.
//
// Source: docs/search.md.
#ifndef TORQSCHED_SRC_SEARCH_SWAP_TRIALS_H_
#define TORQSCHED_SRC_SEARCH_SWAP_TRIALS_H_

#include <cstdint>
#include <functional>
#include <optional>

#include "src/graph/problem.h"
#include "src/search/placed_order.h"

namespace torqsched::search {

struct SwapTrials {
  std::optional<PlacedOrder> better;  // than the start; with swaps
  uint64_t nodes = 0;
};

// start: an order that is placed with that makespan. ours: OFFLINE places, else SEQUENTIAL. stop:
// asked with the nodes so far.
SwapTrials TrySwaps(const ScheduleProblem& problem, const PlacedOrder& start, bool ours,
                    uint64_t nodes, const std::function<bool(uint64_t nodes)>& stop);

}  // namespace torqsched::search

#endif  // TORQSCHED_SRC_SEARCH_SWAP_TRIALS_H_
