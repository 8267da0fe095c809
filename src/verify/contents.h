// What the bytes of swapped buffers hold while a placed stream runs: is what an op reads still what
// was written?
//
// An order that keeps every memory dependence gives each read the very writes that it sees in the
// input order (that is what the dependences are for, and dependences.h checks them apart). Relative
// to that, only swaps can change what a buffer holds. So instead of versions of bytes it is enough
// to know, of every cell of a buffer, whether its LRAM bytes and its bytes in the buffer's XRAM
// copy are what was written there last: five states, and all that can happen is a function on them:
//
//                          never    both are  only LRAM  only XRAM  neither is
//                          written  right     is         is         right
//     a write              ->       LRAM      LRAM       LRAM       LRAM        (its cells)
//     a store of the whole same     both      both       neither    neither     (XRAM := LRAM)
//     a load of the whole  same     both      neither    both       neither     (LRAM := XRAM)
//     an eviction          same     XRAM      neither    XRAM       neither     (LRAM is lost)
//
// What was never written is undefined before and after: reading it is no fault of a swap. A buffer
// that is live in holds something from the first op on.
//
// A buffer that one load filled from constants can be dropped and loaded again from there: while
// nothing else has written it, a load back makes LRAM right whatever the copy holds.
//
// Cells are the leaves of a tree; a node knows which of the states occur below it and which
// function its children have yet to apply. So what happens to a whole buffer costs O(1), a read or
// write O(log m); only buffers that are evicted at all have a tree.
//
// Source: docs/semantics.md, section 6 (no store where, no load where) and
// OFFLINE (constants).
#ifndef TORQSCHED_SRC_VERIFY_CONTENTS_H_
#define TORQSCHED_SRC_VERIFY_CONTENTS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "src/stream/index.h"
#include "src/stream/stream.h"
#include "src/verify/cells.h"

namespace torqsched::verify {

// The cells of one buffer.
class ContentsTree {
 public:
  // A function on the five states: three bits for what becomes of each.
  using Change = uint16_t;

  explicit ContentsTree(size_t cells);

  void ChangeAll(Change change) { Apply(1, change); }
  void Write(CellRange cells);
  // The first of these cells whose LRAM bytes are wrong.
  std::optional<uint32_t> FirstLost(CellRange cells);

 private:
  struct Node {
    uint8_t states = 1;  // bit s: state s occurs below
    Change pending;      // what the children have yet to apply
  };

  void Apply(size_t node, Change change);
  void PushDown(size_t node);
  void WriteBelow(size_t node, size_t first, size_t width, CellRange cells);
  std::optional<uint32_t> LostBelow(size_t node, size_t first, size_t width, CellRange cells);

  size_t width_ = 1;  // leaves, a power of two
  std::vector<Node> nodes_;
};

class Contents {
 public:
  Contents(const Stream& stream, const Cells& cells) : stream_(stream), cells_(cells) {
    tree_of_.assign(stream.buffer_count(), kNoTree);
  }

  // Watches this buffer from now on, before anything has touched it.
  void Watch(BufferIndex buffer);
  bool watches(BufferIndex buffer) const { return tree_of_[buffer] != kNoTree; }

  // All accesses of an op write what they write; buffers that are not watched are left out.
  void Write(OpIndex op);
  // The offset of the first byte that this access reads and that does not hold what was written.
  std::optional<uint64_t> FirstLost(const Access& access);

  // Of a watched buffer as a whole.
  void Store(BufferIndex buffer);
  void Load(BufferIndex buffer);
  void Evict(BufferIndex buffer);

 private:
  struct Watched {
    ContentsTree tree;
    // Hull of what has been written, and the load from constants that wrote all of it, if any.
    uint64_t written_begin = 0;
    uint64_t written_end = 0;
    OpIndex refill;
  };
  static constexpr uint32_t kNoTree = 0xffffffff;

  Watched& Of(BufferIndex buffer) { return watched_[tree_of_[buffer]]; }
  bool LoadsConstants(OpIndex op) const;

  const Stream& stream_;
  const Cells& cells_;
  IndexVector<BufferIndex, uint32_t> tree_of_;
  std::vector<Watched> watched_;
};

}  // namespace torqsched::verify

#endif  // TORQSCHED_SRC_VERIFY_CONTENTS_H_
