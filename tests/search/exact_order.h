// An answer of the exact search as an order of all ops.
#ifndef TORQSCHED_TESTS_SEARCH_EXACT_ORDER_H_
#define TORQSCHED_TESTS_SEARCH_EXACT_ORDER_H_

#include <vector>

#include "gtest/gtest.h"
#include "src/graph/action_graph.h"
#include "src/search/exact.h"
#include "tests/reference/reference.h"

namespace torqsched {

struct ExactOrder {
  std::vector<OpIndex> order;
  IndexVector<OpIndex, uint8_t> slices;
};

// Pure ops come just before the first op that needs them. Fails where another op is missing or
// comes before one that it needs.
inline ExactOrder OrderOf(const Stream& stream, const ActionGraph& graph,
                          const std::vector<ExactEntry>& entries) {
  ExactOrder made;
  made.slices.assign(stream.op_count(), 0);
  const std::vector<std::vector<bool>> needs = reference::ReferenceNeeds(stream);
  std::vector<bool> out(stream.op_count(), false);
  const auto emit = [&](OpIndex op) {
    EXPECT_FALSE(out[op.value()]) << stream.Describe(op) << " comes twice";
    out[op.value()] = true;
    made.order.push_back(op);
  };
  for (const ExactEntry& entry : entries) {
    OpIndex op = graph.action(entry.action).op;
    if (entry.wait) {
      op = stream.op(op).partner;
    } else {
      made.slices[op] = entry.slice;
    }
    for (uint32_t i = 0; i < stream.op_count(); ++i) {
      if (out[i] || !needs[op.value()][i]) continue;
      EXPECT_EQ(stream.op(OpIndex(i)).kind, OpKind::kPure)
          << stream.Describe(op) << " needs " << stream.Describe(OpIndex(i));
      emit(OpIndex(i));
    }
    emit(op);
  }
  for (uint32_t i = 0; i < stream.op_count(); ++i) {
    if (out[i]) continue;
    EXPECT_EQ(stream.op(OpIndex(i)).kind, OpKind::kPure) << stream.Describe(OpIndex(i));
    emit(OpIndex(i));
  }
  return made;
}

}  // namespace torqsched

#endif  // TORQSCHED_TESTS_SEARCH_EXACT_ORDER_H_
