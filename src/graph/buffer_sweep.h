// One buffer's memory dependences, by a sweep over its accesses in input order.
//
// The buffer's bytes are cut where any access begins or ends; over these pieces stands a binary
// tree. A tree node keeps what holds for all of its bytes: who wrote them last, and who has read
// them since.
//
//   - A read of a range needs the last writers of its bytes. Where they are many, the tree node
//     makes a helper for them once and keeps it until a write below changes it.
//   - A write of a range needs all that stands in it, and then clears it: what it collects it
//     collects for the last time.
//   - A write of a part of what a node's readers have read hands these readers down to both halves,
//     bundled into one helper where they are several.
//
// So an access costs O(log pieces) amortized, in time, helpers and edges.
//
// While it collects, it looks for races: a program that has not been waited for yet and holds bytes
// that the new access conflicts with.
#ifndef TORQSCHED_SRC_GRAPH_BUFFER_SWEEP_H_
#define TORQSCHED_SRC_GRAPH_BUFFER_SWEEP_H_

#include <cstdint>
#include <vector>

#include "src/stream/stream.h"

namespace torqsched {

struct Edge {
  uint32_t from;
  uint32_t to;
};

// An access, and the op that makes it.
struct OpAccess {
  OpIndex op;
  const Access* access;
};

// An op that conflicts with a program that is still running in the input order.
struct Race {
  OpIndex op;
  OpIndex program;  // its start
  BufferIndex buffer;
};

class BufferSweep {
 public:
  // Appends to edges; helper nodes are numbered from stream.op_count() on.
  BufferSweep(const Stream& stream, std::vector<Edge>* edges);

  // Accesses of one buffer in input order; empty ones (no bytes) may be among them.
  void Run(BufferIndex buffer, const OpAccess* begin, const OpAccess* end);

  uint32_t node_count() const { return node_count_; }
  // Whether nodes or list cells could not be numbered in 32 bits; edges are incomplete then.
  bool too_large() const { return too_large_; }
  // The race whose op is the oldest (of those, the one found in the lowest buffer).
  const Race& race() const { return race_; }

 private:
  static constexpr uint32_t kNone = 0xffffffff;     // no graph node
  static constexpr uint32_t kUnknown = 0xfffffffe;  // to be worked out

  struct TreeNode {
    bool split = false;             // the children tell the writers; else `writer` wrote all
    uint32_t writer = kNone;        // graph node
    uint32_t aggregate = kUnknown;  // of a split node: graph node that stands for all last writers
    uint32_t readers = kNone;       // list cells: who has read all of this since it was written
  };
  struct Pieces {  // [first, last)
    uint32_t first;
    uint32_t last;
  };
  struct ReaderCell {
    uint32_t graph_node;
    uint32_t next;
  };

  uint32_t PieceOf(uint64_t byte) const;
  uint32_t EndNode(OpIndex op) const;
  // The op among those that this graph node stands for which ends last in the input order.
  OpIndex LatestOf(uint32_t graph_node) const;

  void SweepOp();
  static void MakeDisjoint(std::vector<Pieces>* ranges);
  void QueryRead(uint32_t v, uint32_t lo, uint32_t hi);
  void QueryWrite(uint32_t v, uint32_t lo, uint32_t hi);
  void CollectAll(uint32_t v);
  void ApplyRead(uint32_t v, uint32_t lo, uint32_t hi);
  void ApplyWrite(uint32_t v, uint32_t lo, uint32_t hi);
  uint32_t Aggregate(uint32_t v);
  void Split(uint32_t v);
  void HandReadersDown(uint32_t v);
  void AddReader(uint32_t v, uint32_t graph_node);
  void Need(uint32_t graph_node);
  uint32_t NewHelper();
  void AddToHelper(uint32_t helper, uint32_t member);

  const Stream& stream_;
  std::vector<Edge>* const edges_;
  uint32_t node_count_;
  bool too_large_ = false;
  std::vector<OpIndex> helper_latest_;  // by helper
  Race race_;

  // Of the buffer that is being swept.
  BufferIndex buffer_;
  std::vector<uint64_t> cuts_;  // piece i is [cuts_[i], cuts_[i + 1])
  std::vector<TreeNode> tree_;
  std::vector<ReaderCell> cells_;
  // Of the op that is being swept.
  OpIndex op_;
  std::vector<Pieces> reads_;
  std::vector<Pieces> writes_;
  Pieces range_ = {0, 0};  // the one that Query and Apply look at
  uint32_t last_needed_ = kNone;
};

}  // namespace torqsched

#endif  // TORQSCHED_SRC_GRAPH_BUFFER_SWEEP_H_
