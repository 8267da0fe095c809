// Lower bounds of a stream's makespan: no order of its ops, on any slices, with any waits, takes
// fewer cycles, with the swaps that the caller allows or forbids.
#ifndef TORQSCHED_SRC_BOUNDS_BOUNDS_H_
#define TORQSCHED_SRC_BOUNDS_BOUNDS_H_

#include <cstdint>
#include <vector>

#include "src/bounds/bound.h"
#include "src/graph/action_graph.h"
#include "src/graph/problem.h"

namespace torqsched::bounds {

struct BoundLimits {
  uint64_t work = 100'000'000;
};

struct Bounds {
  std::vector<Bound> all;  // by kind, each kind at most once
  LowerBound best;         // the largest, of equals the first
};

Bounds ComputeBounds(const ScheduleProblem& problem, const ActionGraph& graph, bool swaps_allowed,
                     const BoundLimits& limits);

}  // namespace torqsched::bounds

#endif  // TORQSCHED_SRC_BOUNDS_BOUNDS_H_
