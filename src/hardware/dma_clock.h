// The clock of a chip whose DMA is more than one engine that blocks the stream: several engines,
// transfers that run while the stream goes on, programs that take a part of the bandwidth.
//
//     transfer  e = the engine of its class that is free first (tie: lowest)
//               blocking:      t = max(t, free[e]) + what it takes; free[e] = t
//               non-blocking:  free[e] = max(t, free[e]) + what it takes; t +=
//               transfer_issue_cycles
//     swap      t = max(t, all free[e]); then as a blocking transfer
//
// All else is as in clock.h, whose numbers these are on a plain chip; that one is for the many
// streams that need no more. What an op has to wait for (`ready`: when that has ended) is told by
// the caller, who knows the dependences: graph/order_clock.h.
//
// A transfer, a swap too, looks at all engines of its class, at most 64. overflowed() as in
// clock.h.
//
// Source: docs/semantics.md, section 3.
#ifndef TORQSCHED_SRC_HARDWARE_DMA_CLOCK_H_
#define TORQSCHED_SRC_HARDWARE_DMA_CLOCK_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "src/hardware/dma_shares.h"
#include "src/hardware/hardware.h"

namespace torqsched {

// When an op is at work: a transfer on its engine, a program on its slice, a wait or a barrier on
// the stream.
struct Ran {
  uint64_t begin = 0;
  uint64_t end = 0;
  uint32_t engine = 0;  // of a transfer; those of stores follow those of loads, if they are others
};

class DmaClock {
 public:
  explicit DmaClock(const Hardware& hardware);

  uint64_t now() const { return now_; }
  uint64_t makespan() const { return std::max(now_, last_end_); }
  uint64_t slice_end(uint32_t slice) const { return slice_end_[slice]; }
  bool overflowed() const { return overflowed_; }
  // When the first engine of the class is free.
  uint64_t EarliestFree(bool is_store) const { return free_[FirstFree(is_store)]; }

  Ran Transfer(bool is_store, uint64_t cycles, uint64_t ready);
  Ran Swap(bool is_store, uint64_t cycles);
  // A program that takes `percent` of the bandwidth.
  Ran Start(uint32_t slice, uint64_t compute, uint32_t percent, uint64_t ready);
  Ran WaitUntil(uint64_t program_end, uint64_t ready);
  Ran Barrier(uint64_t cycles, uint64_t ready);
  // The stream goes on when no transfer runs any more.
  void WaitForTransfers() { now_ = std::max(now_, last_end_); }

  // How many block transfers there were, and when the last one ran.
  uint64_t blocks() const { return blocks_; }
  const Ran& last_block() const { return last_block_; }

 private:
  uint64_t Add(uint64_t a, uint64_t b);
  uint32_t FirstFree(bool is_store) const;
  // On the engine that is free first; the stream does not move.
  Ran Occupy(bool is_store, uint64_t cycles);
  void CountOp(uint64_t ready);

  const uint64_t start_cycles_;
  const bool non_blocking_;
  const uint64_t issue_cycles_;
  const uint64_t block_ops_;
  const uint64_t block_cycles_;
  const uint32_t first_store_engine_;
  uint64_t now_ = 0;
  std::vector<uint64_t> free_;  // by engine
  uint64_t last_end_ = 0;       // of all transfers so far
  std::vector<uint64_t> slice_end_;
  DmaShares shares_;
  uint64_t ops_since_block_ = 0;
  uint64_t blocks_ = 0;
  Ran last_block_;
  bool overflowed_ = false;
};

}  // namespace torqsched

#endif  // TORQSCHED_SRC_HARDWARE_DMA_CLOCK_H_
