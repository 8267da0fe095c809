// The actions whose predecessors are all out, oldest first, by the rule that picks them.
//
// Invariants: a node leaves `waiting_for_` 0 exactly once; an action that is out is in no set.
#ifndef TORQSCHED_SRC_SCHEDULE_READY_ACTIONS_H_
#define TORQSCHED_SRC_SCHEDULE_READY_ACTIONS_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "src/graph/problem.h"
#include "src/stream/ordered_index_set.h"

namespace torqsched {

class ReadyActions {
 public:
  explicit ReadyActions(const ScheduleProblem& problem)
      : stream_(problem.stream),
        graph_(problem.graph),
        waiting_for_(problem.graph.predecessor_counts()),
        starts_(problem.stream.op_count()),
        transfers_(problem.stream.op_count()),
        barriers_(problem.stream.op_count()) {
    for (uint32_t i = 0; i < stream_.op_count(); ++i) {
      if (waiting_for_[i] == 0 && stream_.op(OpIndex(i)).kind != OpKind::kPure) BecomeReady(i);
    }
  }

  const OrderedIndexSet& starts() const { return starts_; }
  const OrderedIndexSet& transfers() const { return transfers_; }  // loads and stores
  const OrderedIndexSet& barriers() const { return barriers_; }
  // Waits that became ready since the last call, in no particular order.
  std::vector<OpIndex>& new_waits() { return new_waits_; }

  // The action is out: takes it from its set, and makes ready what waited for it alone.
  void Out(OpIndex action) {
    switch (stream_.op(action).kind) {
      case OpKind::kStart:
        starts_.Erase(action.value());
        break;
      case OpKind::kLoad:
      case OpKind::kStore:
        transfers_.Erase(action.value());
        break;
      case OpKind::kBarrier:
        barriers_.Erase(action.value());
        break;
      case OpKind::kWait:
      case OpKind::kPure:
        break;
    }
    nodes_.push_back(action.value());
    while (!nodes_.empty()) {
      const uint32_t node = nodes_.back();
      nodes_.pop_back();
      for (const uint32_t next : graph_.successors(node)) {
        if (--waiting_for_[next] != 0) continue;
        if (next < stream_.op_count() && stream_.op(OpIndex(next)).kind != OpKind::kPure) {
          BecomeReady(next);
        } else {
          nodes_.push_back(next);  // a helper or a pure op costs nothing and passes on at once
        }
      }
    }
  }

 private:
  void BecomeReady(uint32_t op) {
    switch (stream_.op(OpIndex(op)).kind) {
      case OpKind::kStart:
        return starts_.Insert(op);
      case OpKind::kLoad:
      case OpKind::kStore:
        return transfers_.Insert(op);
      case OpKind::kBarrier:
        return barriers_.Insert(op);
      case OpKind::kWait:
        return new_waits_.push_back(OpIndex(op));
      case OpKind::kPure:
        return;
    }
  }

  const Stream& stream_;
  const DependenceGraph& graph_;
  std::vector<uint32_t> waiting_for_;  // predecessors that are not out, by graph node
  OrderedIndexSet starts_;
  OrderedIndexSet transfers_;
  OrderedIndexSet barriers_;
  std::vector<OpIndex> new_waits_;
  std::vector<uint32_t> nodes_;
};

}  // namespace torqsched

#endif  // TORQSCHED_SRC_SCHEDULE_READY_ACTIONS_H_
