// The dependences of a stream: "A is emitted before B", for every pair that must keep its order.
//
// Nodes 0 .. op_count-1 are the ops; nodes from there on are helpers that cost nothing and are no
// ops: a helper stands for a group ("all that wrote these bytes last"), so that many accesses that
// conflict with many cost O((n + m) log n) nodes and edges instead of n * m. A program's memory
// edges leave from its wait and arrive at its start. Edges that others imply may be left out; so
// may those from pure ops that need no action (they are out as soon as someone asks for them).
//
// Invariants: successors of a node are newer than what stands behind it, so the graph has no cycle;
// every op that is not pure and has predecessor_count 0 is ready at once.
//
// Cost: O((ops + operands + accesses) log accesses), one sweep over an interval tree a buffer.
// Source: docs/semantics.md, section 2.
#ifndef TORQSCHED_SRC_GRAPH_DEPENDENCE_GRAPH_H_
#define TORQSCHED_SRC_GRAPH_DEPENDENCE_GRAPH_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "src/stream/stream.h"

namespace torqsched {

class DependenceGraph {
 public:
  // INVALID_ARGUMENT, naming op and buffer, if two conflicting accesses are in flight at once in
  // the input order itself: an op between a program's start and its wait touches bytes that the
  // program holds, one of the two writing them.
  static absl::StatusOr<DependenceGraph> Build(const Stream& stream);

  size_t node_count() const { return predecessor_counts_.size(); }
  Run<uint32_t> successors(uint32_t node) const {
    return {successors_.data() + begins_[node], successors_.data() + begins_[node + 1]};
  }
  const std::vector<uint32_t>& predecessor_counts() const { return predecessor_counts_; }
  size_t edge_count() const { return successors_.size(); }

 private:
  std::vector<uint32_t> begins_;  // node_count + 1
  std::vector<uint32_t> successors_;
  std::vector<uint32_t> predecessor_counts_;
};

}  // namespace torqsched

#endif  // TORQSCHED_SRC_GRAPH_DEPENDENCE_GRAPH_H_
