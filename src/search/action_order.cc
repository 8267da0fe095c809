#include "src/search/action_order.h"

#include <algorithm>
#include <utility>

namespace torqsched::search {
namespace {

IndexVector<OpIndex, ActionIndex> ActionsOfOps(const ScheduleProblem& problem,
                                               const ActionGraph& graph) {
  IndexVector<OpIndex, ActionIndex> actions(problem.stream.op_count());
  for (uint32_t i = 0; i < graph.size(); ++i) {
    const OpIndex op = graph.action(ActionIndex(i)).op;
    if (op.present()) actions[op] = ActionIndex(i);
  }
  return actions;
}

}  // namespace

std::vector<ActionIndex> ActionOrder(const ScheduleProblem& problem, const ActionGraph& graph,
                                     const std::vector<OpIndex>& ops) {
  const IndexVector<OpIndex, ActionIndex> action_of = ActionsOfOps(problem, graph);
  std::vector<ActionIndex> order;
  order.reserve(graph.size());
  IndexVector<ActionIndex, uint8_t> out(graph.size(), 0);
  std::vector<ActionIndex> stack;
  const auto add = [&](ActionIndex action) {
    stack.assign(1, action);
    while (!stack.empty()) {
      const ActionIndex a = stack.back();
      bool blocked = false;
      for (const Need need : graph.needs(a)) {
        const ActionIndex needed = need.action();
        if (out[needed] || graph.action(needed).kind != ActionKind::kJoint) continue;
        stack.push_back(needed);
        blocked = true;
      }
      if (blocked) continue;
      stack.pop_back();
      if (out[a]) continue;
      out[a] = 1;
      order.push_back(a);
    }
  };
  for (const OpIndex op : ops) {
    if (action_of[op].present()) add(action_of[op]);
  }
  // Joints that only waits, or nobody, needed.
  for (uint32_t i = 0; i < graph.size(); ++i) add(ActionIndex(i));
  return order;
}

namespace {

// Walks the entries of the placed stream.
class Splitter {
 public:
  Splitter(const ScheduleProblem& problem, const ActionGraph& graph,
           const std::vector<OpIndex>& ops, const Placement& placement)
      : graph_(graph),
        ops_(ops),
        placement_(placement),
        action_of_(ActionsOfOps(problem, graph)),
        base_(ActionOrder(problem, graph, ops)),
        entry_of_(graph.size(), 0),
        part_of_(problem.stream.buffer_count()),
        parts_(problem.stream.buffer_count()),
        actions_(graph.size()) {
    for (uint32_t b = 0; b < problem.stream.buffer_count(); ++b) {
      part_of_[BufferIndex(b)] = PartIndex(b);
    }
  }

  SplitOrder Make() {
    FindEntries();
    for (const Move& move : placement_.moves) {
      if (!move.in) AddSplit(move);
    }
    Merge();
    return std::move(result_);
  }

 private:
  struct Inserted {
    uint64_t entry;  // it stands before the actions of this entry
    ActionIndex action;
    size_t split;  // whose action it is
    bool is_store;
  };

  void FindEntries() {
    uint64_t entry = 0;
    auto swap = placement_.swap_transfers.begin();
    for (const OpIndex op : ops_) {
      for (; swap != placement_.swap_transfers.end() && swap->entry <= entry; ++swap) ++entry;
      if (action_of_[op].present()) entry_of_[action_of_[op]] = entry;
      ++entry;
    }
    // A joint's entry is that of the action that follows it.
    uint64_t next = entry;
    for (size_t i = base_.size(); i-- > 0;) {
      if (graph_.action(base_[i]).kind == ActionKind::kJoint) {
        entry_of_[base_[i]] = next;
      } else {
        next = entry_of_[base_[i]];
      }
    }
  }

  void AddSplit(const Move& eviction) {
    Split split;
    split.part = part_of_[eviction.buffer];
    const Run<ActionIndex> users = graph_.users(eviction.buffer);
    for (const ActionIndex user : users) {
      if (entry_of_[user] >= eviction.entry) split.later.push_back(user);
    }
    // Before its first use it had better not come in, after its last it is dead.
    if (split.later.empty() || split.later.size() == users.size()) return;
    uint64_t load_entry = 0;
    for (const SwapTransfer& swap : SwapsOf(eviction.buffer)) {
      if (swap.is_store && swap.entry + 1 == eviction.entry) split.store = true;
      if (!swap.is_store && swap.entry >= eviction.entry && !split.load) {
        split.load = swap.entry < NextEviction(eviction);
        load_entry = swap.entry;
      }
    }
    // What a program's wait alone uses is taken to be used since its start.
    for (const ActionIndex user : split.later) load_entry = std::min(load_entry, entry_of_[user]);
    const size_t index = result_.splits.size();
    const auto insert = [&](uint64_t entry, bool is_store) {
      inserted_.push_back({entry, ActionIndex(actions_++), index, is_store});
    };
    if (split.store) insert(eviction.entry - 1, true);
    if (split.load) insert(load_entry, false);
    if (!split.store && !split.load) insert(eviction.entry, false);
    part_of_[eviction.buffer] = PartIndex(parts_++);
    result_.splits.push_back(std::move(split));
  }

  std::vector<SwapTransfer> SwapsOf(BufferIndex buffer) const {
    std::vector<SwapTransfer> swaps;
    for (const SwapTransfer& swap : placement_.swap_transfers) {
      if (swap.buffer == buffer) swaps.push_back(swap);
    }
    return swaps;
  }

  uint64_t NextEviction(const Move& eviction) const {
    for (const Move& move : placement_.moves) {
      if (!move.in && move.buffer == eviction.buffer && move.entry > eviction.entry) {
        return move.entry;
      }
    }
    return UINT64_MAX;
  }

  void Merge() {
    std::stable_sort(inserted_.begin(), inserted_.end(),
                     [](const Inserted& a, const Inserted& b) { return a.entry < b.entry; });
    auto next = inserted_.begin();
    uint32_t barriers = 0;
    const auto insert = [&] {
      Split& split = result_.splits[next->split];
      (next->is_store ? split.barriers_before_store : split.barriers_before_load) = barriers;
      result_.order.push_back(next->action);
      ++next;
    };
    for (const ActionIndex a : base_) {
      while (next != inserted_.end() && next->entry <= entry_of_[a]) insert();
      result_.order.push_back(a);
      if (graph_.action(a).kind == ActionKind::kBarrier) ++barriers;
    }
    while (next != inserted_.end()) insert();
  }

  const ActionGraph& graph_;
  const std::vector<OpIndex>& ops_;
  const Placement& placement_;
  const IndexVector<OpIndex, ActionIndex> action_of_;
  const std::vector<ActionIndex> base_;
  IndexVector<ActionIndex, uint64_t> entry_of_;
  IndexVector<BufferIndex, PartIndex> part_of_;  // the last one so far
  size_t parts_;
  size_t actions_;
  std::vector<Inserted> inserted_;
  SplitOrder result_;
};

}  // namespace

SplitOrder OrderWithSplits(const ScheduleProblem& problem, const ActionGraph& graph,
                           const std::vector<OpIndex>& ops, const Placement& placement) {
  return Splitter(problem, graph, ops, placement).Make();
}

}  // namespace torqsched::search
