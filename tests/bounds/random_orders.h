// Orders and slices drawn at random from all that keep the dependences.
#ifndef TORQSCHED_TESTS_BOUNDS_RANDOM_ORDERS_H_
#define TORQSCHED_TESTS_BOUNDS_RANDOM_ORDERS_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "src/graph/problem.h"
#include "src/schedule/answer.h"
#include "tests/reference/random_streams.h"

namespace torqsched {

// Half of the orders start as many programs as they can before they wait.
inline Schedule RandomOrder(const ScheduleProblem& problem, uint64_t seed) {
  reference::SplitMix64 numbers(seed);
  const Stream& stream = problem.stream;
  const bool waits_late = numbers.Percent(50);
  std::vector<uint32_t> missing = problem.graph.predecessor_counts();
  std::vector<uint32_t> ready;
  Schedule schedule;
  schedule.slice.assign(stream.op_count(), 0);
  for (uint32_t node = 0; node < missing.size(); ++node) {
    if (missing[node] == 0) ready.push_back(node);
  }
  while (!ready.empty()) {
    size_t pick = numbers.Below(ready.size());
    for (int tries = 0; waits_late && tries < 4; ++tries) {
      const uint32_t node = ready[pick];
      if (node >= stream.op_count() || stream.op(OpIndex(node)).kind != OpKind::kWait) break;
      pick = numbers.Below(ready.size());
    }
    const uint32_t node = ready[pick];
    ready.erase(ready.begin() + static_cast<std::ptrdiff_t>(pick));
    if (node < stream.op_count()) {
      const OpIndex op(node);
      schedule.order.push_back(op);
      if (stream.op(op).kind == OpKind::kStart) {
        schedule.slice[op] = static_cast<uint8_t>(numbers.Below(problem.hardware.slices));
      }
    }
    for (const uint32_t next : problem.graph.successors(node)) {
      if (--missing[next] == 0) ready.push_back(next);
    }
  }
  return schedule;
}

}  // namespace torqsched

#endif  // TORQSCHED_TESTS_BOUNDS_RANDOM_ORDERS_H_
