// The clock of the in-order control stream: what each emitted op costs (simulate).
//
//     transfer  t = max(t, dma_free) + cycles; dma_free = t
//     start     slice_end = max(t, slice_end) + compute; t += start_cycles
//     wait      t = max(t, end of that program)
//     barrier   t += cycles
//
// With the hardware's block_ops = n, the stream pays one block transfer before every n-th op that
// is not pure (number n, 2n, 3n and so on, the first op being number 1); swap transfers count as
// ops.
//
// CheckStreamFits has shown that no clock overflows that runs a stream's own ops; who adds swaps
// asks overflowed().
//
// Source: docs/semantics.md, section 3.
#ifndef TORQSCHED_SRC_HARDWARE_CLOCK_H_
#define TORQSCHED_SRC_HARDWARE_CLOCK_H_

#include <algorithm>
#include <array>
#include <cstdint>

#include "src/hardware/hardware.h"
#include "src/stream/checked.h"

namespace torqsched {

class Clock {
 public:
  explicit Clock(const Hardware& hardware)
      : start_cycles_(hardware.start_cycles),
        block_ops_(hardware.block_ops),
        block_cycles_(hardware.block_ops == 0 ? 0
                                              : TransferCycles(hardware, hardware.block_bytes)) {}

  uint64_t now() const { return now_; }
  uint64_t dma_free() const { return dma_free_; }
  uint64_t slice_end(uint32_t slice) const { return slice_end_[slice]; }
  uint64_t makespan() const { return std::max(now_, dma_free_); }
  // How many block transfers there were, what one takes, and when the last one ended.
  uint64_t blocks() const { return blocks_; }
  uint64_t block_cycles() const { return block_cycles_; }
  uint64_t last_block_end() const { return last_block_end_; }
  // Whether a sum did not fit 64 bits; times are of no use then.
  bool overflowed() const { return overflowed_; }

  void Transfer(uint64_t cycles) {
    CountOp();
    Move(cycles);
  }
  // Returns when the program ends.
  uint64_t Start(uint32_t slice, uint64_t compute) {
    CountOp();
    uint64_t& end = slice_end_[slice];
    end = Add(std::max(now_, end), compute);
    now_ = Add(now_, start_cycles_);
    return end;
  }
  void WaitUntil(uint64_t program_end) {
    CountOp();
    now_ = std::max(now_, program_end);
  }
  void Barrier(uint64_t cycles) {
    CountOp();
    now_ = Add(now_, cycles);
  }

 private:
  uint64_t Add(uint64_t a, uint64_t b) {
    overflowed_ |= !CheckedAdd(&a, b);
    return a;
  }
  void Move(uint64_t cycles) {
    now_ = Add(std::max(now_, dma_free_), cycles);
    dma_free_ = now_;
  }
  void CountOp() {
    if (block_ops_ != 0 && ++ops_since_block_ == block_ops_) {
      ops_since_block_ = 0;
      Move(block_cycles_);
      last_block_end_ = now_;
      ++blocks_;
    }
  }

  const uint64_t start_cycles_;
  const uint64_t block_ops_;
  const uint64_t block_cycles_;
  uint64_t ops_since_block_ = 0;
  uint64_t blocks_ = 0;
  uint64_t last_block_end_ = 0;
  bool overflowed_ = false;
  uint64_t now_ = 0;
  uint64_t dma_free_ = 0;
  std::array<uint64_t, kMostSlices> slice_end_{};
};

}  // namespace torqsched

#endif  // TORQSCHED_SRC_HARDWARE_CLOCK_H_
