#include "src/graph/action_graph.h"

#include <algorithm>
#include <utility>

namespace torqsched {
namespace {

// A node is contracted where that makes at most so many needs for each edge that goes.
constexpr size_t kGrowth = 8;
// All that is contracted makes at most so many needs for each node and edge of the graph.
constexpr size_t kMostNeeds = 16;
// Pure ops behind one action that are looked at for allocs.
constexpr size_t kMostPure = 256;
constexpr uint32_t kNoAlloc = 0xffffffff;

// The items of a relation by the other side, in the order in which they come.
template <typename Item>
Rows<Item> Gather(size_t rows, const std::vector<std::pair<uint32_t, Item>>& pairs) {
  std::vector<uint32_t> begins(rows + 1, 0);
  for (const auto& pair : pairs) ++begins[pair.first];
  uint32_t total = 0;
  for (uint32_t& begin : begins) total += std::exchange(begin, total);
  std::vector<Item> items(pairs.size());
  std::vector<uint32_t> fill(begins.begin(), begins.end() - 1);
  for (const auto& pair : pairs) items[fill[pair.first]++] = pair.second;
  Rows<Item> gathered;
  gathered.Adopt(std::move(begins), std::move(items));
  return gathered;
}

}  // namespace

// Walks the graph in input order; a node that is no op comes as soon as all that it needs is there.
class ActionGraph::Maker {
 public:
  Maker(const ScheduleProblem& problem, ActionGraph* graph)
      : stream_(problem.stream),
        problem_(problem),
        graph_(*graph),
        waiting_for_(problem.graph.predecessor_counts()),
        predecessors_(Predecessors(problem.graph)),
        sources_(problem.graph.node_count()),
        budget_(kMostNeeds * (problem.graph.node_count() + problem.graph.edge_count())) {}

  void Make() {
    // A pure op that needs nothing is known from the beginning; others follow what they need.
    for (uint32_t i = 0; i < stream_.op_count(); ++i) {
      if (stream_.op(OpIndex(i)).kind != OpKind::kPure) {
        AddOp(OpIndex(i));
      } else if (predecessors_[i].empty()) {
        PassOn(i);
      }
    }
    FillWaitNeeds();
    FillSuccessors();
    FillUses();
  }

 private:
  // Where a contracted node's sources stand.
  struct Range {
    uint32_t first = 0;
    uint32_t last = 0;
  };

  static Rows<uint32_t> Predecessors(const DependenceGraph& graph) {
    std::vector<uint32_t> begins(graph.node_count() + 1, 0);
    uint32_t total = 0;
    for (size_t node = 0; node < graph.node_count(); ++node) {
      begins[node] = total;
      total += graph.predecessor_counts()[node];
    }
    begins[graph.node_count()] = total;
    std::vector<uint32_t> items(total);
    std::vector<uint32_t> fill(begins.begin(), begins.end() - 1);
    for (uint32_t node = 0; node < graph.node_count(); ++node) {
      for (const uint32_t next : graph.successors(node)) items[fill[next]++] = node;
    }
    Rows<uint32_t> predecessors;
    predecessors.Adopt(std::move(begins), std::move(items));
    return predecessors;
  }

  ActionIndex NewAction(const Action& action) {
    const ActionIndex index(graph_.actions_.size());
    graph_.actions_.push_back(action);
    for (const Need need : collected_) graph_.needs_.Add(need);
    graph_.needs_.EndRow();
    return index;
  }

  // What stands behind the node's predecessors, into collected_: sorted, each action once.
  void Collect(uint32_t node) {
    collected_.clear();
    for (const uint32_t p : predecessors_[node]) {
      collected_.insert(collected_.end(), pool_.begin() + sources_[p].first,
                        pool_.begin() + sources_[p].last);
    }
    std::sort(collected_.begin(), collected_.end());
    // Of a start and its wait the wait, which sorts last, implies the other.
    size_t kept = 0;
    for (const Need need : collected_) {
      if (kept != 0 && collected_[kept - 1].action() == need.action()) --kept;
      collected_[kept++] = need;
    }
    collected_.erase(collected_.begin() + kept, collected_.end());
  }

  void SetSource(uint32_t node, Need need) {
    sources_[node].first = static_cast<uint32_t>(pool_.size());
    pool_.push_back(need);
    sources_[node].last = static_cast<uint32_t>(pool_.size());
  }

  void AddOp(OpIndex index) {
    const Op& op = stream_.op(index);
    Collect(index.value());
    if (op.kind == OpKind::kWait) {
      const ActionIndex program = program_[op.partner];
      for (const Need need : collected_) {
        if (need.action() == program || NeededToBegin(program, need)) continue;
        waits_.push_back({program.value(), need});
      }
      SetSource(index.value(), Need(program, true));
    } else {
      const ActionIndex action = NewAction({KindOf(op.kind), index, op.cycles});
      if (op.kind == OpKind::kStart) program_[index] = action;
      SetSource(index.value(), Need(action, false));
    }
    PassOn(index.value());
  }

  bool NeededToBegin(ActionIndex action, Need need) const {
    const Run<Need> needs = graph_.needs(action);
    return std::binary_search(needs.begin(), needs.end(), need);
  }

  static ActionKind KindOf(OpKind kind) {
    switch (kind) {
      case OpKind::kLoad:
        return ActionKind::kLoad;
      case OpKind::kStore:
        return ActionKind::kStore;
      case OpKind::kStart:
        return ActionKind::kProgram;
      default:
        return ActionKind::kBarrier;
    }
  }

  // The node is there: so are the nodes that waited for it alone and are no actions.
  void PassOn(uint32_t node) {
    nodes_.push_back(node);
    while (!nodes_.empty()) {
      const uint32_t at = nodes_.back();
      nodes_.pop_back();
      for (const uint32_t next : problem_.graph.successors(at)) {
        if (--waiting_for_[next] != 0) continue;
        if (next < stream_.op_count() && stream_.op(OpIndex(next)).kind != OpKind::kPure) continue;
        Contract(next);
        nodes_.push_back(next);
      }
    }
  }

  void Contract(uint32_t node) {
    Collect(node);
    const size_t in = collected_.size();
    const size_t out = problem_.graph.successors(node).size();
    if (out == 0) return;
    const bool within_budget = in * out <= budget_;
    if (in >= 2 && (!within_budget || in * out > kGrowth * (in + out))) {
      SetSource(node, Need(NewAction({ActionKind::kJoint, OpIndex(), 0}), false));
      return;
    }
    if (within_budget) budget_ -= in * out;
    sources_[node].first = static_cast<uint32_t>(pool_.size());
    pool_.insert(pool_.end(), collected_.begin(), collected_.end());
    sources_[node].last = static_cast<uint32_t>(pool_.size());
  }

  void FillWaitNeeds() {
    std::stable_sort(waits_.begin(), waits_.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    size_t next = 0;
    for (uint32_t i = 0; i < graph_.actions_.size(); ++i) {
      for (; next < waits_.size() && waits_[next].first == i; ++next) {
        graph_.wait_needs_.Add(waits_[next].second);
      }
      graph_.wait_needs_.EndRow();
    }
  }

  void FillSuccessors() {
    std::vector<std::pair<uint32_t, ActionIndex>> pairs;
    std::vector<Need> all;
    for (uint32_t i = 0; i < graph_.actions_.size(); ++i) {
      const ActionIndex action(i);
      all.assign(graph_.needs(action).begin(), graph_.needs(action).end());
      for (const Need need : graph_.wait_needs(action)) all.push_back(need);
      std::sort(all.begin(), all.end());
      for (size_t k = 0; k < all.size(); ++k) {
        if (k != 0 && all[k].action() == all[k - 1].action()) continue;
        pairs.push_back({all[k].action().value(), action});
      }
    }
    graph_.successors_ = Gather(graph_.actions_.size(), pairs);
  }

  void FillUses() {
    alloc_.assign(stream_.buffer_count(), kNoAlloc);
    seen_.assign(stream_.op_count(), 0);
    std::vector<std::pair<uint32_t, ActionIndex>> pairs;
    std::vector<BufferIndex> uses;
    for (uint32_t i = 0; i < graph_.actions_.size(); ++i) {
      CollectUses(ActionIndex(i), &uses);
      CollectAllocs(ActionIndex(i));
      std::sort(uses.begin(), uses.end(), [&](BufferIndex a, BufferIndex b) {
        return std::make_pair(alloc_[a], a) < std::make_pair(alloc_[b], b);
      });
      uses.erase(std::unique(uses.begin(), uses.end()), uses.end());
      uint32_t by_alloc = 0;
      for (const BufferIndex b : uses) {
        graph_.uses_.Add(b);
        pairs.push_back({b.value(), ActionIndex(i)});
        if (alloc_[b] != kNoAlloc) ++by_alloc;
      }
      graph_.uses_.EndRow();
      graph_.alloc_counts_.push_back(by_alloc);
      for (const BufferIndex b : allocs_) alloc_[b] = kNoAlloc;
    }
    graph_.users_ = Gather(stream_.buffer_count(), pairs);
  }

  // alloc_: of the buffers whose allocs the action needs, the first such alloc.
  void CollectAllocs(ActionIndex action) {
    allocs_.clear();
    const OpIndex op = graph_.action(action).op;
    if (!op.present()) return;
    pure_.assign(1, op);
    if (graph_.action(action).kind == ActionKind::kProgram) pure_.push_back(stream_.op(op).partner);
    for (size_t at = 0; at < pure_.size() && at < kMostPure; ++at) {
      for (const OpIndex operand : stream_.operands(pure_[at])) {
        if (stream_.op(operand).kind != OpKind::kPure) continue;
        if (seen_[operand] == action.value() + 1) continue;
        seen_[operand] = action.value() + 1;
        pure_.push_back(operand);
        const BufferIndex b = stream_.op(operand).alloc;
        if (!b.present()) continue;
        alloc_[b] = std::min(alloc_[b], operand.value());
        allocs_.push_back(b);
      }
    }
  }

  void CollectUses(ActionIndex action, std::vector<BufferIndex>* uses) const {
    uses->clear();
    const OpIndex op = graph_.action(action).op;
    if (!op.present()) return;
    for (const BufferIndex b : problem_.lifetimes.uses(op)) {
      if (stream_.buffer(b).size != 0) uses->push_back(b);
    }
    if (graph_.action(action).kind != ActionKind::kProgram) return;
    for (const BufferIndex b : problem_.lifetimes.uses(stream_.op(op).partner)) {
      if (stream_.buffer(b).size != 0) uses->push_back(b);
    }
  }

  const Stream& stream_;
  const ScheduleProblem& problem_;
  ActionGraph& graph_;
  std::vector<uint32_t> waiting_for_;  // predecessors that are not there, by graph node
  const Rows<uint32_t> predecessors_;  // by graph node
  std::vector<Range> sources_;         // by graph node, of pool_
  std::vector<Need> pool_;
  size_t budget_;                                 // needs that contraction may still make
  std::vector<std::pair<uint32_t, Need>> waits_;  // a program, and what its wait needs
  IndexVector<OpIndex, ActionIndex> program_{stream_.op_count()};
  IndexVector<BufferIndex, uint32_t> alloc_;
  std::vector<BufferIndex> allocs_;  // that the action needs
  IndexVector<OpIndex, uint32_t> seen_;
  std::vector<OpIndex> pure_;
  std::vector<Need> collected_;
  std::vector<uint32_t> nodes_;
};

ActionGraph::ActionGraph(const ScheduleProblem& problem) { Maker(problem, this).Make(); }

}  // namespace torqsched
