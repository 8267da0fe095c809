#include "src/graph/order_clock.h"

namespace torqsched {

OrderClock::OrderClock(const ScheduleProblem& problem, const Hardware& hardware)
    : stream_(problem.stream), plain_(problem.stream, hardware) {
  if (PlainOrderClock::Suffices(problem.stream, hardware)) return;
  other_.reset(new Other{DmaClock(hardware), std::nullopt,
                         IndexVector<OpIndex, uint64_t>(problem.stream.op_count(), 0)});
  if (hardware.non_blocking_transfers) other_->in_flight.emplace(problem);
}

uint64_t OrderClock::OtherTransferBegin(OpIndex transfer) const {
  const bool is_store = stream_.op(transfer).kind == OpKind::kStore;
  const uint64_t begin = std::max(other_->dma.now(), other_->dma.EarliestFree(is_store));
  return other_->in_flight.has_value() ? std::max(begin, other_->in_flight->ReadyAt(transfer))
                                       : begin;
}

Ran OrderClock::RunOther(OpIndex index, uint32_t slice, uint64_t cycles) {
  const Op& op = stream_.op(index);
  DmaClock& dma = other_->dma;
  const uint64_t ready = other_->in_flight.has_value() ? other_->in_flight->ReadyAt(index) : 0;
  Ran ran;
  uint64_t transfer_end = 0;
  switch (op.kind) {
    case OpKind::kPure:
      break;
    case OpKind::kLoad:
    case OpKind::kStore:
      ran = dma.Transfer(op.kind == OpKind::kStore, cycles, ready);
      transfer_end = ran.end;
      break;
    case OpKind::kStart:
      ran = dma.Start(slice, cycles, op.dma_share, ready);
      other_->program_end[index] = ran.end;
      break;
    case OpKind::kWait:
      ran = dma.WaitUntil(other_->program_end[op.partner], ready);
      break;
    case OpKind::kBarrier:
      ran = dma.Barrier(cycles, ready);
      break;
  }
  if (other_->in_flight.has_value()) other_->in_flight->Out(index, transfer_end);
  return ran;
}

}  // namespace torqsched
