// The least makespan of a few actions, by a search that looks at everything.
//
// The problem: up to 64 actions, a clock, slices, and LRAM as bytes (no offsets): which order is
// the fastest whose live bytes fit? Also: on which slice each program starts (a busy one queues
// it), and where the waits go.
//
// The idea: an order of loads, stores, starts and barriers tells where the waits go, since each is
// best emitted at the earliest time at which what it needs is out and its buffers fit. So a partial
// answer is a set of actions that are out, a clock, and when slices and programs end; of two with
// the same set, the one whose times are no later is as good in all that follows, and the other is
// dropped. Sets are visited by their size, so each is expanded with its best times only. Lower
// bounds (exact_bound.h) drop what cannot beat the best order known. Early passes look at a few
// states of each size only, for good orders; the search is complete when a pass has dropped nothing
// but what bounds and dominance allow.
//
// With swaps, a partial answer also knows which buffers are out of LRAM and whose copies in XRAM
// are valid, and what is found may be less than any oracle can do, never more: where it equals the
// least makespan without swaps, no order with swaps is shorter either.
//
// What it leaves out: offsets (fragmentation, fixed ranges, regions); and, answered as not
// searched, chips whose transfers do not block the stream or that have several DMA engines, and
// swaps where there are block transfers, more than 64 buffers, or returns of 2^50 cycles.
//
// Cost: within node_limit, a node being a partial answer that was made or a set whose room was
// looked at (exact_room.h); each costs some hundred operations, and memory for two sizes of sets
// and a step of each state. Whatever the limit, there are at most 4,000,000 nodes, and 128 MB of
// states at a time. Nothing recurses deeper than there are actions. No hash order, no time: the
// same question has the same answer, unless `stop` ends it.
//
// Source: the order of actions that waits follow from, and dominance of partial schedules:
// Demeulemeester and Herroelen, "A branch-and-bound procedure for the multiple
// resource-constrained project scheduling problem" (1992).
#ifndef TORQSCHED_SRC_SEARCH_EXACT_H_
#define TORQSCHED_SRC_SEARCH_EXACT_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "src/graph/action_graph.h"
#include "src/graph/problem.h"

namespace torqsched {

constexpr size_t kMostExactActions = 64;

struct ExactOptions {
  uint64_t node_limit = 1000000;        // beyond 4,000,000 it is that
  std::optional<uint64_t> upper_bound;  // only what is below is looked for
  bool swaps = false;
  // Asked every 2,048 nodes, with their number; true: stop, with what is found so far.
  std::function<bool(uint64_t nodes)> stop;
};

struct ExactEntry {
  ActionIndex action;
  bool wait = false;  // the wait of that program
  uint8_t slice = 0;  // of a start
};

struct ExactAnswer {
  // Everything was searched: without a makespan there is no order (below the upper bound, if there
  // is one), with one there is none below it. False where it was stopped.
  bool complete = false;
  std::optional<uint64_t> makespan;
  // All actions but joints, and all waits, in the order that takes this long; with swaps they are
  // not told.
  std::vector<ExactEntry> entries;
  uint64_t nodes = 0;
};

ExactAnswer SolveExactly(const ScheduleProblem& problem, const ActionGraph& graph,
                         const ExactOptions& options);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_SEARCH_EXACT_H_
