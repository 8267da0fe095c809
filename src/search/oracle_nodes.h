// What a run of an oracle counts while it is part of a search, in nodes of the work limit.
#ifndef TORQSCHED_SRC_SEARCH_ORACLE_NODES_H_
#define TORQSCHED_SRC_SEARCH_ORACLE_NODES_H_

#include <cstdint>

#include "src/graph/problem.h"

namespace torqsched::search {

// One for an op and for each of its accesses.
inline uint64_t NodesOfSequential(const ScheduleProblem& problem) {
  return problem.stream.op_count() + problem.stream.access_count();
}

// As SEQUENTIAL, where that places the order without swaps; else more, since looking for swaps
// costs OFFLINE a dozen times that and more, as measured. sequential: a Placement of SEQUENTIAL, or
// its figures.
template <typename Sequential>
uint64_t NodesOfOffline(const ScheduleProblem& problem, const Sequential& sequential) {
  const bool plain = sequential.placed && sequential.swaps == 0;
  return NodesOfSequential(problem) * (plain ? 1 : 16);
}

}  // namespace torqsched::search

#endif  // TORQSCHED_SRC_SEARCH_ORACLE_NODES_H_
