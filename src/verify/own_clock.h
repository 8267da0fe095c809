// The checker's own clock: what an in-order control stream costs, op by op.
//
// Times are 128-bit, so they are exact however large the cycles are; whether the result fits the
// 64 bits of an answer is asked once, at the end. (A transfer's cost is cut at 2^64, which does not
// fit either, and takes at most a hundred times as long beside programs; fewer than 2^34 ops stay
// far below 2^128.)
//
// Block transfers: before every block_ops-th op that is not pure, swap transfers included, the
// stream pays one DMA transfer of block_bytes. It comes before the op waits for anything.
//
// Programs' shares of the bandwidth are kept as one step function of time; a program adds its
// percentage to the steps that it covers. It covers steps of the other slices only, each at most
// once a slice, so that is O(slices * log n) a program, spread over all of them.
//
// Source: docs/semantics.md, section 3.
#ifndef TORQSCHED_SRC_VERIFY_OWN_CLOCK_H_
#define TORQSCHED_SRC_VERIFY_OWN_CLOCK_H_

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <vector>

#include "absl/numeric/int128.h"
#include "src/hardware/hardware.h"

namespace torqsched::verify {

using Cycles = absl::uint128;

// What part of the DMA bandwidth programs take, and when.
class BandwidthSteps {
 public:
  void Add(Cycles begin, Cycles end, uint32_t percent) {
    if (percent == 0 || begin >= end) return;
    const auto last = CutAt(end);
    for (auto step = CutAt(begin); step != last; ++step) step->second += percent;
  }

  // When a transfer that begins then has done all its work, a hundredth of a cycle's at a time.
  Cycles TransferEnd(Cycles at, Cycles cycles) const {
    Cycles work = cycles * 100;
    auto next = steps_.upper_bound(at);
    uint64_t taken = next == steps_.begin() ? 0 : std::prev(next)->second;
    for (;; ++next) {
      const uint64_t rate = taken >= 99 ? 1 : 100 - taken;
      if (next == steps_.end() || work <= (next->first - at) * rate) {
        return at + (work + rate - 1) / rate;
      }
      work -= (next->first - at) * rate;
      at = next->first;
      taken = next->second;
    }
  }

 private:
  using Steps = std::map<Cycles, uint64_t>;  // percent together, from here to the next

  Steps::iterator CutAt(Cycles at) {
    const auto [step, added] = steps_.emplace(at, 0);
    if (added && step != steps_.begin()) step->second = std::prev(step)->second;
    return step;
  }

  Steps steps_;
};

class OwnClock {
 public:
  // slices: how many there are, at least one more than the highest that starts name.
  OwnClock(const Hardware& hardware, uint32_t slices)
      : hardware_(hardware),
        loads_(std::clamp(hardware.dma_engines, uint32_t{1}, kMostEngines), 0),
        stores_(std::min(hardware.store_engines, kMostEngines), 0),
        slice_free_(slices, 0) {}

  // When no transfer runs any more.
  Cycles dma_end() const { return dma_end_; }
  Cycles makespan() const { return std::max(stream_, dma_end_); }

  // `after`: when what the op waits for is over. Returns when the transfer ends.
  Cycles Dma(bool is_store, uint64_t cycles, Cycles after) {
    BeginOp(after);
    const Cycles end = Occupy(is_store, cycles);
    stream_ = hardware_.non_blocking_transfers ? stream_ + hardware_.transfer_issue_cycles : end;
    return end;
  }
  void SwapDma(bool is_store, uint64_t bytes) {
    DrainDma();
    BeginOp(0);
    stream_ = Occupy(is_store, CostOf(bytes));
  }
  // The stream waits for all transfers.
  void DrainDma() { stream_ = std::max(stream_, dma_end_); }
  // When the program that starts now ends: it queues behind what its slice still has to do.
  Cycles Start(uint32_t slice, uint64_t compute, uint32_t dma_percent, Cycles after) {
    BeginOp(after);
    const Cycles begin = std::max(slice_free_[slice], stream_);
    const Cycles end = begin + compute;
    taken_.Add(begin, end, dma_percent);
    slice_free_[slice] = end;
    stream_ += hardware_.start_cycles;
    return end;
  }
  void Wait(Cycles program_end, Cycles after) {
    BeginOp(after);
    stream_ = std::max(stream_, program_end);
  }
  void Barrier(uint64_t cycles, Cycles after) {
    BeginOp(after);
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
  // The engine that is free first takes it; returns when it is done.
  Cycles Occupy(bool is_store, Cycles cycles) {
    std::vector<Cycles>& engines = is_store && !stores_.empty() ? stores_ : loads_;
    Cycles& free = *std::min_element(engines.begin(), engines.end());
    free = taken_.TransferEnd(std::max(stream_, free), cycles);
    dma_end_ = std::max(dma_end_, free);
    return free;
  }
  void BeginOp(Cycles after) {
    ++ops_;
    if (hardware_.block_ops != 0 && ops_ % hardware_.block_ops == 0) {
      stream_ = Occupy(/*is_store=*/false, CostOf(hardware_.block_bytes));
    }
    stream_ = std::max(stream_, after);
  }

  const Hardware& hardware_;
  uint64_t ops_ = 0;
  Cycles stream_ = 0;               // when the stream takes up its next op
  std::vector<Cycles> loads_;       // when each engine is free
  std::vector<Cycles> stores_;      // of those that only store; empty: stores take the others
  Cycles dma_end_ = 0;              // of all transfers so far
  std::vector<Cycles> slice_free_;  // when each slice has done what was started on it
  BandwidthSteps taken_;
};

}  // namespace torqsched::verify

#endif  // TORQSCHED_SRC_VERIFY_OWN_CLOCK_H_
