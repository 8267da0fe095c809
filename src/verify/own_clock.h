// The checker's own clock: what an in-order control stream costs, op by op.
//
// Times are 128-bit, so they are exact however large the cycles are; whether the result fits the
// 64 bits of an answer is asked once, at the end. (A transfer's cost is cut at 2^64, which does not
// fit either; fewer than 2^34 ops of at most 2^64 cycles each stay far below 2^128.)
//
// Block transfers: before every block_ops-th op that is not pure, swap transfers included, the
// stream pays one DMA transfer of block_bytes.
//
// Source: docs/semantics.md, section 3.
#ifndef TORQSCHED_SRC_VERIFY_OWN_CLOCK_H_
#define TORQSCHED_SRC_VERIFY_OWN_CLOCK_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/numeric/int128.h"
#include "src/hardware/hardware.h"

namespace torqsched::verify {

using Cycles = absl::uint128;

class OwnClock {
 public:
  // slices: how many there are, at least one more than the highest that starts name.
  OwnClock(const Hardware& hardware, uint32_t slices)
      : hardware_(hardware), slice_free_(slices, 0) {}

  Cycles makespan() const { return std::max(stream_, dma_); }

  void Dma(uint64_t cycles) {
    BeginOp();
    Occupy(cycles);
  }
  void SwapDma(uint64_t bytes) {
    BeginOp();
    Occupy(CostOf(bytes));
  }
  // When the program that starts now ends: it queues behind what its slice still has to do.
  Cycles Start(uint32_t slice, uint64_t compute) {
    BeginOp();
    Cycles& free = slice_free_[slice];
    free = std::max(free, stream_) + compute;
    stream_ += hardware_.start_cycles;
    return free;
  }
  void Wait(Cycles program_end) {
    BeginOp();
    stream_ = std::max(stream_, program_end);
  }
  void Barrier(uint64_t cycles) {
    BeginOp();
    stream_ += cycles;
  }

 private:
  // ceil(bytes * dma_cycles / dma_bytes)
  Cycles CostOf(uint64_t bytes) const {
    const Cycles too_long = absl::MakeUint128(1, 0);
    if (bytes == 0 || hardware_.dma_cycles == 0) return 0;
    if (hardware_.dma_bytes == 0) return too_long;
    const Cycles work = Cycles(bytes) * hardware_.dma_cycles - 1;
    return std::min(work / hardware_.dma_bytes + 1, too_long);
  }
  void Occupy(Cycles cycles) {
    stream_ = std::max(stream_, dma_) + cycles;
    dma_ = stream_;
  }
  void BeginOp() {
    ++ops_;
    if (hardware_.block_ops != 0 && ops_ % hardware_.block_ops == 0) {
      Occupy(CostOf(hardware_.block_bytes));
    }
  }

  const Hardware& hardware_;
  uint64_t ops_ = 0;
  Cycles stream_ = 0;               // when the stream takes up its next op
  Cycles dma_ = 0;                  // when the DMA engine is free
  std::vector<Cycles> slice_free_;  // when each slice has done what was started on it
};

}  // namespace torqsched::verify

#endif  // TORQSCHED_SRC_VERIFY_OWN_CLOCK_H_
