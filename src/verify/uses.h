// Which ops use which LRAM buffers, and from when to when an order makes each of them live.
//
// A user of a buffer is an op, not a pure one, that accesses it or that needs its alloc through
// pure ops only (views). The set of users behind a chain of views can be as large as the stream, so
// it is never listed: first and last user of a buffer come from one sweep over the ops, youngest
// first, which carries only the two extremes up from users to allocs. Where one op's buffers are
// needed (who is disturbed by an eviction?) they are found by a walk over the pure ops above it, in
// which a pure op that adds nothing of its own is skipped, and which ends where few buffers are
// above.
//
// Invariants: a program uses from its start to its wait; buffers in XRAM and buffers without bytes
// have no users here, since they need no room.
// Cost: linear; ForEach: the buffers of the op, and the pure ops above it that join more than kFew.
//
// Source: docs/semantics.md, section 2.
#ifndef TORQSCHED_SRC_VERIFY_USES_H_
#define TORQSCHED_SRC_VERIFY_USES_H_

#include <cstdint>
#include <limits>
#include <vector>

#include "absl/numeric/int128.h"
#include "src/stream/index.h"
#include "src/stream/stream.h"
#include "src/verify/dependences.h"

namespace torqsched::verify {

// From the first user to the end of the last, as positions in the order; empty: no users.
struct Life {
  uint32_t first = std::numeric_limits<uint32_t>::max();
  uint32_t last = 0;

  bool used() const { return first <= last; }
  void Cover(const Life& other) {
    if (other.first < first) first = other.first;
    if (other.last > last) last = other.last;
  }
};

class Uses {
 public:
  Uses(const Stream& stream, const Positions& position);

  // Whether a buffer takes room at all: it is in LRAM and has bytes.
  bool takes_room(BufferIndex b) const {
    return stream_.buffer(b).space == Space::kLram && stream_.buffer(b).size > 0;
  }
  const Life& life(BufferIndex b) const { return lives_[b]; }
  // Whether a buffer is ever live: it has users, or is live in and live out.
  bool lives(BufferIndex b) const {
    const Buffer& buffer = stream_.buffer(b);
    return takes_room(b) && (lives_[b].used() || (buffer.live_in && buffer.live_out));
  }
  // Live-in buffers that are ever live; the buffers first used at a position, live-in ones left
  // out; the buffers that die at the end of the op at a position, live-out ones left out. By index.
  const std::vector<BufferIndex>& live_in() const { return live_in_; }
  Run<BufferIndex> born_at(uint32_t position) const { return born_[position]; }
  Run<BufferIndex> dies_at(uint32_t position) const { return dies_[position]; }

  // Calls visit(buffer) for every buffer that takes room and that this op uses, once.
  template <typename Visit>
  void ForEach(OpIndex op, Visit visit) {
    if (++stamp_ == 0) ClearStamps();
    const auto visit_once = [&](BufferIndex b) {
      if (!takes_room(b) || seen_buffer_[b] == stamp_) return;
      seen_buffer_[b] = stamp_;
      visit(b);
    };
    for (const Access& access : stream_.accesses(op)) visit_once(access.buffer);
    walk_.assign(1, op);
    while (!walk_.empty()) {
      const OpIndex below = walk_.back();
      walk_.pop_back();
      for (const OpIndex operand : stream_.operands(below)) {
        const OpIndex pure = source_[operand];
        if (!pure.present() || seen_op_[pure] == stamp_) continue;
        seen_op_[pure] = stamp_;
        if (above_[pure].length != 0) {
          for (uint32_t k = 0; k < above_[pure].length; ++k)
            visit_once(lists_[above_[pure].first + k]);
          continue;
        }
        const BufferIndex alloc = stream_.op(pure).alloc;
        if (alloc.present()) visit_once(alloc);
        walk_.push_back(pure);
      }
    }
  }

 private:
  void FindSources();
  void FindLives(const Positions& position);
  void ListByPosition();
  void ClearStamps();

  const Stream& stream_;
  // For a pure op: itself if it allocates something that takes room or joins several such ops, else
  // the one that it is a view of. Absent: nothing above it allocates, or it is not pure.
  IndexVector<OpIndex, OpIndex> source_;
  // Of a source: the buffers that it and the sources above it allocate, ascending, where they are
  // few; a run of lists_, empty where they are many.
  struct Above {
    uint32_t first = 0;
    uint32_t length = 0;
  };
  static constexpr size_t kFew = 64;
  bool ListAbove(OpIndex op);
  IndexVector<OpIndex, Above> above_;
  std::vector<BufferIndex> lists_;
  std::vector<BufferIndex> joined_;
  IndexVector<BufferIndex, Life> lives_;
  std::vector<BufferIndex> live_in_;
  Rows<BufferIndex> born_;
  Rows<BufferIndex> dies_;
  // What the walk that is under way has met.
  uint32_t stamp_ = 0;
  IndexVector<OpIndex, uint32_t> seen_op_;
  IndexVector<BufferIndex, uint32_t> seen_buffer_;
  std::vector<OpIndex> walk_;
};

// The most bytes that live buffers have at once, sizes not rounded. A buffer counts from its first
// user on, and still beside those that the same op creates when that op is its last.
absl::uint128 PeakLiveBytes(const Stream& stream, const Uses& uses);

}  // namespace torqsched::verify

#endif  // TORQSCHED_SRC_VERIFY_USES_H_
