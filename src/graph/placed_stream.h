// Walks a placed stream: an order with the swap transfers and moves of its placement in place.
//
// Only the moves that are swaps are told, an eviction or a return; that a buffer is born where it
// is first used concerns nobody but the allocator. Lists that are out of order are walked as they
// come. Cost: linear.
#ifndef TORQSCHED_SRC_GRAPH_PLACED_STREAM_H_
#define TORQSCHED_SRC_GRAPH_PLACED_STREAM_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "src/stream/index.h"
#include "src/stream/placement.h"

namespace torqsched {

class PlacedStream {
 public:
  // Both must outlive it. A placement without detail, or one that is none, is the order alone.
  PlacedStream(const std::vector<OpIndex>& order, const Placement& placement)
      : order_(order), placement_(placement) {}

  // Calls move() once before each entry before which buffers are evicted or come back, and swap(s)
  // or op(o) for each entry.
  template <typename OnMove, typename OnSwap, typename OnOp>
  void ForEach(OnMove move, OnSwap swap, OnOp op) && {
    const std::vector<SwapTransfer>& transfers = placement_.swap_transfers;
    size_t transfer = 0;
    uint64_t entry = 0;
    uint64_t next_move = FirstMove();
    for (const OpIndex next : order_) {
      for (; transfer < transfers.size() && transfers[transfer].entry <= entry; ++transfer) {
        if (next_move <= entry && BuffersMove(entry, &next_move)) move();
        swap(transfers[transfer]);
        ++entry;
      }
      if (next_move <= entry && BuffersMove(entry, &next_move)) move();
      op(next);
      ++entry;
    }
    for (; transfer < transfers.size(); ++transfer, ++entry) {
      if (next_move <= entry && BuffersMove(entry, &next_move)) move();
      swap(transfers[transfer]);
    }
  }

 private:
  static constexpr uint64_t kNever = std::numeric_limits<uint64_t>::max();

  // The entry that the next move stands before.
  uint64_t FirstMove() const {
    return next_ == placement_.moves.size() ? kNever : placement_.moves[next_].entry;
  }

  // Whether a buffer is evicted or comes back between the last entry and this one.
  bool BuffersMove(uint64_t entry, uint64_t* next_move) {
    bool any = false;
    for (; *next_move <= entry && *next_move != kNever; *next_move = FirstMove()) {
      any |= IsSwap(placement_.moves[next_++]);
    }
    return any;
  }

  // Else the buffer is new.
  bool IsSwap(const Move& move) {
    const uint32_t b = move.buffer.value();
    if (move.in && (b >= evicted_.size() || !evicted_[b])) return false;
    if (b >= evicted_.size()) evicted_.resize(b + 1, false);
    evicted_[b] = !move.in;
    return true;
  }

  const std::vector<OpIndex>& order_;
  const Placement& placement_;
  size_t next_ = 0;            // of the moves
  std::vector<bool> evicted_;  // by buffer; shorter: no others
};

}  // namespace torqsched

#endif  // TORQSCHED_SRC_GRAPH_PLACED_STREAM_H_
