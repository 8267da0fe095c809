// Where pure ops go in an order of actions: just before the first action that needs them, oldest
// first; those that nobody needs at the end, in input order.
//
// Cost: each pure op and each operand is looked at once for all actions together.
//
// Source: docs/semantics.md, section 4.
#ifndef TORQSCHED_SRC_GRAPH_PURE_OPS_H_
#define TORQSCHED_SRC_GRAPH_PURE_OPS_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "src/stream/stream.h"

namespace torqsched {

class PureOps {
 public:
  explicit PureOps(const Stream& stream) : stream_(stream), out_(stream.op_count(), false) {}

  // Appends the pure ops that the action needs and that are not out yet, oldest first.
  void AppendNeeded(OpIndex action, std::vector<OpIndex>* order) {
    const size_t first = order->size();
    size_t looked_at = first;
    for (OpIndex at = action;; at = (*order)[looked_at++]) {
      for (const OpIndex operand : stream_.operands(at)) {
        if (stream_.op(operand).kind != OpKind::kPure || out_[operand.value()]) continue;
        out_[operand.value()] = true;
        order->push_back(operand);
      }
      if (looked_at == order->size()) break;
    }
    if (order->size() - first > 1) std::sort(order->begin() + first, order->end());
  }

  // Appends the pure ops that nobody needed, in input order.
  void AppendRemaining(std::vector<OpIndex>* order) const {
    for (uint32_t i = 0; i < stream_.op_count(); ++i) {
      if (stream_.op(OpIndex(i)).kind == OpKind::kPure && !out_[i]) order->push_back(OpIndex(i));
    }
  }

 private:
  const Stream& stream_;
  std::vector<bool> out_;
};

}  // namespace torqsched

#endif  // TORQSCHED_SRC_GRAPH_PURE_OPS_H_
