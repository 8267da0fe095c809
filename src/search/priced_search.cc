#include "src/search/priced_search.h"

#include <algorithm>

#include "src/graph/pure_ops.h"
#include "src/stream/checked.h"

namespace torqsched::search {
namespace {

constexpr uint32_t kLongestReach = 160;  // positions that a move spans
// Ops around the one that found no room, where most moves are made while an order is not placed.
constexpr uint32_t kNearFailure = 200;

}  // namespace

PricedSearch::PricedSearch(const ScheduleProblem& problem, const ActionGraph& graph,
                           const PriceFunction& price, uint64_t seed)
    : problem_(problem), graph_(graph), price_(price), random_(seed), mark_(2 * graph.size(), 0) {
  FillNeeds();
}

PricedSearch::EntryIndex PricedSearch::EntryOf(Need need) const {
  const bool waits = need.end() && graph_.action(need.action()).kind == ActionKind::kProgram;
  return waits ? WaitOf(need.action()) : BeginOf(need.action());
}

void PricedSearch::FillNeeds() {
  for (uint32_t i = 0; i < graph_.size(); ++i) {
    const ActionIndex a(i);
    for (const Need need : graph_.needs(a)) needs_.Add(EntryOf(need));
    needs_.EndRow();
    if (graph_.action(a).kind == ActionKind::kProgram) {
      needs_.Add(BeginOf(a));
      for (const Need need : graph_.wait_needs(a)) needs_.Add(EntryOf(need));
    }
    needs_.EndRow();
  }
}

bool PricedSearch::Begin(const std::vector<OpIndex>& ops) {
  IndexVector<OpIndex, EntryIndex> entry_of(problem_.stream.op_count());
  for (uint32_t i = 0; i < graph_.size(); ++i) {
    const ActionIndex a(i);
    const OpIndex op = graph_.action(a).op;
    if (!op.present()) continue;
    entry_of[op] = BeginOf(a);
    if (graph_.action(a).kind == ActionKind::kProgram) {
      entry_of[problem_.stream.op(op).partner] = WaitOf(a);
    }
  }
  order_.clear();
  ++mark_epoch_;
  // A joint comes just before who needs it.
  std::vector<EntryIndex> stack;
  const auto add = [&](EntryIndex entry) {
    stack.assign(1, entry);
    while (!stack.empty()) {
      const EntryIndex e = stack.back();
      const size_t depth = stack.size();
      for (const EntryIndex needed : needs_[e.value()]) {
        const bool joint =
            graph_.action(ActionIndex(needed.value() / 2)).kind == ActionKind::kJoint;
        if (joint && mark_[needed] != mark_epoch_) stack.push_back(needed);
      }
      if (stack.size() != depth) continue;
      stack.pop_back();
      if (mark_[e] == mark_epoch_) continue;
      mark_[e] = mark_epoch_;
      order_.push_back(e);
    }
  };
  for (const OpIndex op : ops) {
    if (entry_of[op].present()) add(entry_of[op]);
  }
  for (uint32_t i = 0; i < graph_.size(); ++i) {
    if (graph_.action(ActionIndex(i)).kind == ActionKind::kJoint) add(BeginOf(ActionIndex(i)));
  }
  if (!Price(&current_price_)) return false;
  best_price_ = current_price_;
  return true;
}

bool PricedSearch::Better(const OrderPrice& a, const OrderPrice& b) const {
  if (a.placed != b.placed) return a.placed;
  return a.cycles != b.cycles ? a.cycles < b.cycles : a.second < b.second;
}

// Writes the order down as ops and slices, and has it priced. Of an order that is not placed the
// cycles become the number of ops from the failure on.
bool PricedSearch::Price(OrderPrice* price) {
  const Stream& stream = problem_.stream;
  current_.order.clear();
  current_.slices.assign(stream.op_count(), 0);
  PureOps pure(stream);
  std::vector<uint64_t> slice_ends(problem_.hardware.slices, 0);
  IndexVector<OpIndex, uint64_t> program_end(stream.op_count(), 0);
  uint64_t now = 0;
  for (const EntryIndex e : order_) {
    const Action& action = graph_.action(ActionIndex(e.value() / 2));
    if (!action.op.present()) continue;
    const bool wait = e.value() % 2 != 0;
    const OpIndex op = wait ? stream.op(action.op).partner : action.op;
    pure.AppendNeeded(op, &current_.order);
    current_.order.push_back(op);
    if (wait) {
      now = std::max(now, program_end[action.op]);
    } else if (action.kind == ActionKind::kProgram) {
      const auto slice = std::min_element(slice_ends.begin(), slice_ends.end());
      *slice = std::max(now, *slice) + action.cycles;
      program_end[op] = *slice;
      current_.slices[op] = static_cast<uint8_t>(slice - slice_ends.begin());
      now += problem_.hardware.start_cycles;
    } else {
      now += action.cycles;
    }
  }
  pure.AppendRemaining(&current_.order);
  const std::optional<OrderPrice> priced = price_(current_);
  if (!priced.has_value()) return false;
  nodes_ += priced->nodes;
  *price = *priced;
  if (!price->placed) {
    const auto at = std::find(current_.order.begin(), current_.order.end(), price->failed);
    price->cycles = static_cast<uint64_t>(current_.order.end() - at);
  }
  return true;
}

bool PricedSearch::Improve(uint64_t nodes, int64_t warm) {
  const uint64_t limit = nodes_ + nodes;
  if (order_.size() < 2) return false;
  while (nodes_ < limit) {
    ++moves_;
    ++nodes_;
    if (!Propose()) continue;
    OrderPrice price;
    if (!Price(&price)) {
      Undo();
      return false;
    }
    const uint64_t threshold =
        current_price_.placed ? static_cast<uint64_t>(random_.Threshold(warm)) : random_.Below(3);
    if (price.placed < current_price_.placed ||
        (price.placed == current_price_.placed &&
         price.cycles > SaturatingAdd(current_price_.cycles, threshold))) {
      Undo();
      continue;
    }
    current_price_ = price;
    if (!Better(price, best_price_)) continue;
    best_price_ = price;
    ++improvements_;
  }
  return true;
}

bool PricedSearch::Propose() {
  const Position size = static_cast<Position>(order_.size());
  Position at = random_.Below(size);
  if (!current_price_.placed && current_price_.cycles != 0 && !random_.OneIn(8)) {
    // The order of ops has pure ops, too: near enough.
    const uint64_t from_end = current_price_.cycles + kNearFailure / 4;
    const Position first = from_end < size ? size - static_cast<Position>(from_end) : 0;
    at = std::min<Position>(size - 1, first + random_.Below(kNearFailure / 2));
  }
  const uint32_t distance = 1 + random_.Below(std::min(4u << random_.Below(7), kLongestReach));
  if (random_.OneIn(2)) return PullForward(at, at > distance ? at - distance : 0);
  return PutOff(at, std::min<Position>(size - 1, at + distance));
}

bool PricedSearch::IsBarrier(EntryIndex e) const {
  return graph_.action(ActionIndex(e.value() / 2)).kind == ActionKind::kBarrier;
}

bool PricedSearch::PullForward(Position from, Position to) {
  if (IsBarrier(order_[from])) return false;
  ++mark_epoch_;
  mark_[order_[from]] = mark_epoch_;
  for (Position p = from + 1; p-- > to;) {
    if (IsBarrier(order_[p])) {
      to = p + 1;
      break;
    }
    if (mark_[order_[p]] != mark_epoch_) continue;
    for (const EntryIndex needed : needs_[order_[p].value()]) mark_[needed] = mark_epoch_;
  }
  return to < from && Reorder(to, from, /*marked_first=*/true);
}

bool PricedSearch::PutOff(Position from, Position to) {
  if (IsBarrier(order_[from])) return false;
  ++mark_epoch_;
  mark_[order_[from]] = mark_epoch_;
  for (Position p = from + 1; p <= to; ++p) {
    if (IsBarrier(order_[p])) {
      to = p - 1;
      break;
    }
    for (const EntryIndex needed : needs_[order_[p].value()]) {
      if (mark_[needed] == mark_epoch_) mark_[order_[p]] = mark_epoch_;
    }
  }
  return from < to && Reorder(from, to, /*marked_first=*/false);
}

bool PricedSearch::Reorder(Position low, Position high, bool marked_first) {
  saved_.assign(order_.begin() + low, order_.begin() + high + 1);
  low_ = low;
  std::stable_partition(order_.begin() + low, order_.begin() + high + 1,
                        [&](EntryIndex e) { return (mark_[e] == mark_epoch_) == marked_first; });
  return !std::equal(saved_.begin(), saved_.end(), order_.begin() + low);
}

void PricedSearch::Undo() { std::copy(saved_.begin(), saved_.end(), order_.begin() + low_); }

}  // namespace torqsched::search
