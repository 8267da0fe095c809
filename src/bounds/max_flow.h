// The largest flow from a source to a sink, and a least cut: Dinic's algorithm.
//
// Cost: O(nodes^2 * edges) at worst, usually a few walks over the edges; a step is an edge that is
// looked at, and where the work ends the flow is not finished. Source: Dinic (1970).
#ifndef TORQSCHED_SRC_BOUNDS_MAX_FLOW_H_
#define TORQSCHED_SRC_BOUNDS_MAX_FLOW_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "src/bounds/work.h"

namespace torqsched::bounds {

class MaxFlow {
 public:
  explicit MaxFlow(uint32_t nodes) : first_(nodes, kNone) {}

  void AddEdge(uint32_t from, uint32_t to, uint64_t capacity);
  // Once. Capacities of the source's edges must sum to less than 2^64. Absent: work ended.
  std::optional<uint64_t> Run(uint32_t source, uint32_t sink, Work* work);
  // After a finished run: whether the node is on the source's side of a least cut.
  bool OnSourceSide(uint32_t node) const { return level_[node] != kNone; }

 private:
  static constexpr uint32_t kNone = 0xffffffff;

  struct Edge {
    uint32_t to = 0;
    uint32_t next = kNone;
    uint64_t left = 0;
  };

  bool FindLevels(uint32_t source, uint32_t sink);
  uint64_t Augment(uint32_t source, uint32_t sink);

  std::vector<Edge> edges_;  // an edge and its reverse are neighbours
  std::vector<uint32_t> first_;
  std::vector<uint32_t> current_;
  std::vector<uint32_t> level_;
  std::vector<uint32_t> queue_;
  std::vector<uint32_t> path_;  // edges
  uint64_t looked_at_ = 0;      // since the work was charged for it
};

}  // namespace torqsched::bounds

#endif  // TORQSCHED_SRC_BOUNDS_MAX_FLOW_H_
