// Local search over orders that somebody else prices: an allocator that makes swaps of its own, a
// host's callback, or a chip whose clock the decoder does not know.
//
// The order names starts and waits one by one. A move takes an entry forward with what it needs, or
// puts one off with what needs it; every move is priced from the first op to the last. So it makes
// far fewer moves than LocalSearch, and is right where that cannot go.
//
// While the order cannot be placed, one that can be placed up to a later op is better. Slices are
// given to starts as they come, the one that is free first.
//
// Whoever prices an order may keep it: the best is kept there, not here.
//
// Cost: counted in nodes, so many for each op that is priced as the caller says. Deterministic if
// the price is.
#ifndef TORQSCHED_SRC_SEARCH_PRICED_SEARCH_H_
#define TORQSCHED_SRC_SEARCH_PRICED_SEARCH_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "src/graph/action_graph.h"
#include "src/graph/problem.h"
#include "src/search/random.h"

namespace torqsched::search {

// What an order comes to.
struct OrderPrice {
  bool placed = false;
  uint64_t cycles = 0;  // placed: what is to be least, its makespan or another measure
  uint64_t second = 0;  // of equal cycles the less is better
  OpIndex failed;       // not placed: the op that found no room; absent: not known
  uint64_t nodes = 0;   // what it took to find out
};

struct PricedOrder {
  std::vector<OpIndex> order;
  IndexVector<OpIndex, uint8_t> slices;
};

// Absent: it cannot be priced any more; the search ends.
using PriceFunction = std::function<std::optional<OrderPrice>(const PricedOrder&)>;

class PricedSearch {
 public:
  PricedSearch(const ScheduleProblem& problem, const ActionGraph& graph, const PriceFunction& price,
               uint64_t seed);

  // Begins with an order of all ops that keeps the dependences. False: it cannot be priced.
  bool Begin(const std::vector<OpIndex>& ops);
  // Tries moves until so many nodes are used up; warm: the mean threshold in cycles. False: it
  // cannot go on.
  bool Improve(uint64_t nodes, int64_t warm);

  uint64_t nodes() const { return nodes_; }
  uint64_t moves() const { return moves_; }
  uint64_t improvements() const { return improvements_; }

 private:
  // An action's begin is entry 2 * action, a program's wait the one after it.
  using EntryIndex = Index<struct EntryTag>;
  using Position = uint32_t;

  static EntryIndex BeginOf(ActionIndex a) { return EntryIndex(2 * size_t{a.value()}); }
  static EntryIndex WaitOf(ActionIndex a) { return EntryIndex(2 * size_t{a.value()} + 1); }
  EntryIndex EntryOf(Need need) const;
  void FillNeeds();
  bool Propose();
  bool PullForward(Position from, Position to);
  bool PutOff(Position from, Position to);
  bool Reorder(Position low, Position high, bool marked_first);
  void Undo();
  bool Price(OrderPrice* price);
  bool Better(const OrderPrice& a, const OrderPrice& b) const;
  bool IsBarrier(EntryIndex e) const;

  const ScheduleProblem& problem_;
  const ActionGraph& graph_;
  const PriceFunction& price_;
  Random random_;
  Rows<EntryIndex> needs_;  // by entry
  std::vector<EntryIndex> order_;
  IndexVector<EntryIndex, uint32_t> mark_;
  uint32_t mark_epoch_ = 0;
  Position low_ = 0;
  std::vector<EntryIndex> saved_;
  PricedOrder current_;
  OrderPrice current_price_;
  OrderPrice best_price_;
  uint64_t nodes_ = 0;
  uint64_t moves_ = 0;
  uint64_t improvements_ = 0;
};

}  // namespace torqsched::search

#endif  // TORQSCHED_SRC_SEARCH_PRICED_SEARCH_H_
