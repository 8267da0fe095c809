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
  // Steps (src/bounds/work.h) beyond walks over the stream; so many are about a second. With fewer
  // bounds are smaller, never wrong. 0: only what some walks along needs tell.
  uint64_t work = 600'000'000;
};

struct Bounds {
  std::vector<Bound> all;  // by kind, each kind at most once
  LowerBound best;         // the largest, of equals the first
  uint64_t work = 0;       // steps that were taken; at most the limit
};

// Not to be interrupted. Cost: n log n in the stream's ops, edges and uses, and the limit of work;
// memory likewise, some bytes for each step at most. Deterministic.
Bounds ComputeBounds(const ScheduleProblem& problem, const ActionGraph& graph, bool swaps_allowed,
                     const BoundLimits& limits);

}  // namespace torqsched::bounds

#endif  // TORQSCHED_SRC_BOUNDS_BOUNDS_H_
