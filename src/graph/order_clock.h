// Prices an order of a stream, op by op, on any chip: the clock and what it has to be told.
//
// PlainOrderClock is for a plain chip: one DMA engine that blocks the stream, and no program takes
// of its bandwidth. It is Clock and the ends of the programs. OrderClock is for any chip; on a
// plain one it is the other behind a branch, for those whose loop does more than to price. On the
// others DmaClock counts, and where transfers do not block, TransfersInFlight says what each op
// waits for.
//
// Whoever prices a placed stream also says where buffers are evicted or come back (BuffersMove) and
// which swap transfers there are. The order must keep the dependences where transfers do not block;
// elsewhere any order with starts before their waits has a price.
//
// Cost: of all ops together linear in the ops on a plain chip, else that of DmaClock and
// TransfersInFlight.
//
// Source: docs/semantics.md, section 3.
#ifndef TORQSCHED_SRC_GRAPH_ORDER_CLOCK_H_
#define TORQSCHED_SRC_GRAPH_ORDER_CLOCK_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>

#include "src/graph/problem.h"
#include "src/graph/transfers_in_flight.h"
#include "src/hardware/clock.h"
#include "src/hardware/dma_clock.h"
#include "src/stream/stream.h"

namespace torqsched {

class PlainOrderClock {
 public:
  static bool Suffices(const Stream& stream, const Hardware& hardware) {
    return hardware.dma_engines == 1 && hardware.store_engines == 0 &&
           !hardware.non_blocking_transfers && !stream.has_dma_shares();
  }

  // What OrderClock says of each applies.
  explicit PlainOrderClock(const ScheduleProblem& problem)
      : PlainOrderClock(problem.stream, problem.hardware) {}
  PlainOrderClock(const Stream& stream, const Hardware& hardware)
      : stream_(stream), clock_(hardware), program_end_(stream.op_count(), 0) {}

  uint64_t now() const { return clock_.now(); }
  uint64_t makespan() const { return clock_.makespan(); }
  bool overflowed() const { return clock_.overflowed(); }
  uint64_t slice_end(uint32_t slice) const { return clock_.slice_end(slice); }
  uint64_t TransferBegin() const { return std::max(clock_.now(), clock_.dma_free()); }

  Ran Transfer(OpIndex /*transfer*/, uint64_t cycles) { return Swap(false, cycles); }
  Ran Start(OpIndex start, uint32_t slice, uint64_t compute) {
    const uint64_t end = clock_.Start(slice, compute);
    program_end_[start] = end;
    return {end - compute, end, 0};
  }
  Ran Wait(OpIndex wait) {
    const uint64_t before = clock_.now();
    clock_.WaitUntil(program_end_[stream_.op(wait).partner]);
    return Since(before);
  }
  Ran Barrier(OpIndex /*barrier*/, uint64_t cycles) {
    const uint64_t before = clock_.now();
    clock_.Barrier(cycles);
    return Since(before);
  }
  Ran Swap(bool /*is_store*/, uint64_t cycles) {
    clock_.Transfer(cycles);
    return {clock_.now() - cycles, clock_.now(), 0};
  }
  void BuffersMove() {}

  uint64_t blocks() const { return clock_.blocks(); }
  Ran last_block() const {
    return {clock_.last_block_end() - clock_.block_cycles(), clock_.last_block_end(), 0};
  }

 private:
  Ran Since(uint64_t before) const {  // a block may have come first
    return {std::max(before, clock_.dma_free()), clock_.now(), 0};
  }

  const Stream& stream_;
  Clock clock_;
  IndexVector<OpIndex, uint64_t> program_end_;  // by start
};

class OrderClock {
 public:
  // The problem must outlive it.
  explicit OrderClock(const ScheduleProblem& problem) : OrderClock(problem, problem.hardware) {}
  // On another chip with as many slices; need not outlive the call.
  OrderClock(const ScheduleProblem& problem, const Hardware& hardware);

  uint64_t now() const { return other_ == nullptr ? plain_.now() : other_->dma.now(); }
  uint64_t makespan() const {
    return other_ == nullptr ? plain_.makespan() : other_->dma.makespan();
  }
  // Whether a sum did not fit 64 bits; times are of no use then.
  bool overflowed() const {
    return other_ == nullptr ? plain_.overflowed() : other_->dma.overflowed();
  }
  uint64_t slice_end(uint32_t slice) const {
    return other_ == nullptr ? plain_.slice_end(slice) : other_->dma.slice_end(slice);
  }

  // When this load or store would begin if it came next, block transfers left out.
  uint64_t TransferBegin(OpIndex transfer) const {
    return other_ == nullptr ? plain_.TransferBegin() : OtherTransferBegin(transfer);
  }

  // The op comes next: with its own cycles, or with those of the caller.
  Ran Transfer(OpIndex transfer, uint64_t cycles) {
    return other_ == nullptr ? plain_.Transfer(transfer, cycles) : RunOther(transfer, 0, cycles);
  }
  Ran Start(OpIndex start, uint32_t slice, uint64_t compute) {
    return other_ == nullptr ? plain_.Start(start, slice, compute)
                             : RunOther(start, slice, compute);
  }
  Ran Wait(OpIndex wait) { return other_ == nullptr ? plain_.Wait(wait) : RunOther(wait, 0, 0); }
  Ran Barrier(OpIndex barrier, uint64_t cycles) {
    return other_ == nullptr ? plain_.Barrier(barrier, cycles) : RunOther(barrier, 0, cycles);
  }

  // Whichever of these the op is; a pure one costs nothing. slice: of a start.
  Ran Run(OpIndex index, uint32_t slice) { return Run(index, slice, stream_.op(index).cycles); }
  Ran Run(OpIndex index, uint32_t slice, uint64_t cycles) {
    switch (stream_.op(index).kind) {
      case OpKind::kPure:
        return {};
      case OpKind::kLoad:
      case OpKind::kStore:
        return Transfer(index, cycles);
      case OpKind::kStart:
        return Start(index, slice, cycles);
      case OpKind::kWait:
        return Wait(index);
      case OpKind::kBarrier:
        return Barrier(index, cycles);
    }
    return {};
  }

  // A transfer that the placement adds.
  Ran Swap(bool is_store, uint64_t cycles) {
    return other_ == nullptr ? plain_.Swap(is_store, cycles) : other_->dma.Swap(is_store, cycles);
  }

  // The placement evicts buffers, or brings some back, before what comes next.
  void BuffersMove() {
    if (other_ != nullptr) other_->dma.WaitForTransfers();
  }

  // How many block transfers there were, and when the last one ran.
  uint64_t blocks() const { return other_ == nullptr ? plain_.blocks() : other_->dma.blocks(); }
  Ran last_block() const {
    return other_ == nullptr ? plain_.last_block() : other_->dma.last_block();
  }

 private:
  struct Other {
    DmaClock dma;
    std::optional<TransfersInFlight> in_flight;  // absent: transfers block the stream
    IndexVector<OpIndex, uint64_t> program_end;  // by start
  };

  uint64_t OtherTransferBegin(OpIndex transfer) const;
  Ran RunOther(OpIndex index, uint32_t slice, uint64_t cycles);

  const Stream& stream_;
  PlainOrderClock plain_;
  std::unique_ptr<Other> other_;  // absent: the chip is plain
};

}  // namespace torqsched

#endif  // TORQSCHED_SRC_GRAPH_ORDER_CLOCK_H_
