#include "src/hardware/dma_clock.h"

#include <limits>
#include <optional>

#include "src/stream/checked.h"

namespace torqsched {

DmaClock::DmaClock(const Hardware& hardware)
    : start_cycles_(hardware.start_cycles),
      non_blocking_(hardware.non_blocking_transfers),
      issue_cycles_(hardware.transfer_issue_cycles),
      block_ops_(hardware.block_ops),
      block_cycles_(hardware.block_ops == 0 ? 0 : TransferCycles(hardware, hardware.block_bytes)),
      first_store_engine_(hardware.store_engines == 0 ? 0 : hardware.dma_engines),
      free_(hardware.dma_engines + hardware.store_engines, 0),
      slice_end_(hardware.slices, 0) {}

Ran DmaClock::Transfer(bool is_store, uint64_t cycles, uint64_t ready) {
  CountOp(ready);
  const Ran ran = Occupy(is_store, cycles);
  now_ = non_blocking_ ? Add(now_, issue_cycles_) : ran.end;
  return ran;
}

Ran DmaClock::Swap(bool is_store, uint64_t cycles) {
  WaitForTransfers();
  CountOp(0);
  const Ran ran = Occupy(is_store, cycles);
  now_ = ran.end;
  return ran;
}

Ran DmaClock::Start(uint32_t slice, uint64_t compute, uint32_t percent, uint64_t ready) {
  CountOp(ready);
  const uint64_t begin = std::max(now_, slice_end_[slice]);
  const uint64_t end = Add(begin, compute);
  slice_end_[slice] = end;
  shares_.Add(begin, end, percent);
  now_ = Add(now_, start_cycles_);
  return {begin, end, 0};
}

Ran DmaClock::WaitUntil(uint64_t program_end, uint64_t ready) {
  CountOp(ready);
  const uint64_t begin = now_;
  now_ = std::max(now_, program_end);
  return {begin, now_, 0};
}

Ran DmaClock::Barrier(uint64_t cycles, uint64_t ready) {
  CountOp(ready);
  const uint64_t begin = now_;
  now_ = Add(now_, cycles);
  return {begin, now_, 0};
}

uint64_t DmaClock::Add(uint64_t a, uint64_t b) {
  overflowed_ |= !CheckedAdd(&a, b);
  return a;
}

uint32_t DmaClock::FirstFree(bool is_store) const {
  const auto stores = free_.begin() + first_store_engine_;
  const bool apart = first_store_engine_ != 0;
  const auto begin = apart && is_store ? stores : free_.begin();
  const auto end = apart && !is_store ? stores : free_.end();
  return static_cast<uint32_t>(std::min_element(begin, end) - free_.begin());
}

Ran DmaClock::Occupy(bool is_store, uint64_t cycles) {
  const uint32_t engine = FirstFree(is_store);
  const uint64_t begin = std::max(now_, free_[engine]);
  const std::optional<uint64_t> end = shares_.EndOf(begin, cycles);
  overflowed_ |= !end.has_value();
  free_[engine] = end.value_or(std::numeric_limits<uint64_t>::max());
  last_end_ = std::max(last_end_, free_[engine]);
  return {begin, free_[engine], engine};
}

// The block of the stream that the op is in has to be there before the op can wait for anything.
void DmaClock::CountOp(uint64_t ready) {
  if (block_ops_ != 0 && ++ops_since_block_ == block_ops_) {
    ops_since_block_ = 0;
    last_block_ = Occupy(/*is_store=*/false, block_cycles_);
    now_ = last_block_.end;
    ++blocks_;
  }
  now_ = std::max(now_, ready);
}

}  // namespace torqsched
