// The price of an order, and the most bytes that live at once while it runs.
#include "tests/reference/simulate.h"

#include <algorithm>
#include <set>

#include "tests/reference/facts.h"
#include "tests/reference/reference.h"

namespace torqsched::reference {

SimpleClock::SimpleClock(const Stream& s, const Hardware& h)
    : stream(s),
      hardware(h),
      free(h.dma_engines + h.store_engines, 0),
      slice_end(h.slices, 0),
      out_(s.op_count(), false) {
  if (!h.non_blocking_transfers) return;
  needs_ = ReferenceNeeds(s);
  users_ = UsersOfBuffers(s);
  for (OpIndex op : AllOps(s)) uses_.push_back(ReferenceUses(s, op));
}

uint64_t SimpleClock::makespan() const {
  return std::max(t, *std::max_element(free.begin(), free.end()));
}

// "e = the engine of its class that is free first (tie: lowest)"; "with store_engines the stores
// have engines of their own"
uint32_t SimpleClock::FirstFree(bool is_store) const {
  const bool apart = hardware.store_engines != 0;
  uint32_t first = apart && is_store ? hardware.dma_engines : 0;
  const size_t end = apart && !is_store ? hardware.dma_engines : free.size();
  for (uint32_t e = first; e < end; ++e) {
    if (free[e] < free[first]) first = e;
  }
  return first;
}

// "A transfer of c cycles is 100 c units of work. In a cycle in which programs of s percent compute
// it does 100 - min(s, 99) of them."
uint64_t SimpleClock::TransferEnd(uint64_t begin, uint64_t cycles) const {
  uint64_t last = 0;  // from here on no program computes that is known
  for (const Share& share : shares_) last = std::max(last, share.end);
  Wide work = Wide(cycles) * 100;
  uint64_t cycle = begin;
  for (; work != 0 && cycle < last; ++cycle) {
    uint64_t percent = 0;
    for (const Share& share : shares_) {
      if (share.begin <= cycle && cycle < share.end) percent += share.percent;
    }
    const Wide done = 100 - std::min<uint64_t>(percent, 99);
    work = work > done ? work - done : Wide(0);
  }
  return Narrow(Wide(cycle) + (work + 99) / 100);
}

uint64_t SimpleClock::Occupy(bool is_store, uint64_t cycles) {
  const uint32_t e = FirstFree(is_store);
  free[e] = TransferEnd(std::max(t, free[e]), cycles);
  return free[e];
}

void SimpleClock::CountOp() {
  ++ops_not_pure;
  if (hardware.block_ops == 0 || ops_not_pure % hardware.block_ops != 0) return;
  t = Occupy(/*is_store=*/false, CyclesOfTransfer(hardware, hardware.block_bytes));
}

void SimpleClock::WaitForAll() {
  for (const uint64_t end : free) t = std::max(t, end);
}

// "A swap transfer waits for all transfers first, then blocks."
void SimpleClock::Swap(bool is_store, uint64_t cycles) {
  WaitForAll();
  CountOp();
  t = Occupy(is_store, cycles);
}

bool SimpleClock::GivesBirth(OpIndex op) const {
  for (BufferIndex buffer : uses_[op.value()]) {
    const std::set<OpIndex>& users = users_[buffer.value()];
    if (stream.buffer(buffer).size == 0 || IsBornAtTheStart(stream, buffer, users)) continue;
    if (std::none_of(users.begin(), users.end(), [&](OpIndex u) { return out_[u.value()]; })) {
      return true;
    }
  }
  return false;
}

bool SimpleClock::HasDied(BufferIndex buffer) const {
  return stream.buffer(buffer).size != 0 && !stream.buffer(buffer).live_out &&
         AllUsersAreOut(stream, users_[buffer.value()], out_);
}

// "Before an op: t = max(t, the ends of the transfers that it needs; and, if a buffer is born with
// it, of all transfers that use a buffer that has died)".
uint64_t SimpleClock::WaitsFor(OpIndex op) const {
  uint64_t until = 0;
  if (!hardware.non_blocking_transfers) return until;
  const bool gives_birth = GivesBirth(op);
  for (const auto& [transfer, end] : transfer_end_) {
    bool waits = needs_[op.value()][transfer.value()];
    for (BufferIndex buffer : uses_[transfer.value()]) waits |= gives_birth && HasDied(buffer);
    if (waits) until = std::max(until, end);
  }
  return until;
}

uint64_t SimpleClock::TransferBegin(OpIndex op) const {
  const uint64_t first = free[FirstFree(stream.op(op).kind == OpKind::kStore)];
  return std::max({t, WaitsFor(op), first});
}

void SimpleClock::Run(OpIndex index, uint32_t slice) {
  const Op& op = stream.op(index);
  if (op.kind == OpKind::kPure) return;  // "nothing"
  const uint64_t until = WaitsFor(index);
  CountOp();
  t = std::max(t, until);
  switch (op.kind) {
    case OpKind::kPure:
      break;
    case OpKind::kLoad:
    case OpKind::kStore: {
      const uint64_t end = Occupy(op.kind == OpKind::kStore, op.cycles);
      if (hardware.non_blocking_transfers) {
        // "free[e] = max(t, free[e]) + cycles; t += transfer_issue_cycles"
        transfer_end_[index] = end;
        t = Sum(t, hardware.transfer_issue_cycles);
      } else {
        // "t = max(t, free[e]) + cycles; free[e] = t"
        t = end;
      }
      break;
    }
    case OpKind::kStart: {
      // "slice_end[s] = max(t, slice_end[s]) + compute; t += start_cycles"
      const uint64_t begin = std::max(t, slice_end[slice]);
      slice_end[slice] = Sum(begin, op.cycles);
      program_end[index] = slice_end[slice];
      shares_.push_back({begin, slice_end[slice], op.dma_share});
      t = Sum(t, hardware.start_cycles);
      break;
    }
    case OpKind::kWait:
      // "t = max(t, end of that program)"
      t = std::max(t, program_end[op.partner]);
      break;
    case OpKind::kBarrier:
      // "t += cycles"
      t = Sum(t, op.cycles);
      break;
  }
  out_[index.value()] = true;
}

std::vector<OpIndex> InputOrder(const Stream& stream) {
  std::vector<OpIndex> order;
  for (OpIndex op : AllOps(stream)) order.push_back(op);
  return order;
}

IndexVector<OpIndex, uint8_t> InputSlices(const Stream& stream) {
  IndexVector<OpIndex, uint8_t> slices(stream.op_count(), 0);
  for (OpIndex op : AllOps(stream)) {
    if (IsProgram(stream, op)) slices[op] = static_cast<uint8_t>(stream.op(op).slice);
  }
  return slices;
}

Priced ReferenceSimulate(const Stream& stream, const Hardware& hardware,
                         const std::vector<OpIndex>& order,
                         const IndexVector<OpIndex, uint8_t>& slices) {
  SimpleClock clock(stream, hardware);
  for (OpIndex op : order) clock.Run(op, slices[op]);

  // Section 2's lifetimes in this order.
  const std::vector<std::set<OpIndex>> users = UsersOfBuffers(stream);
  std::set<BufferIndex> live;
  std::vector<bool> out(stream.op_count(), false);
  Wide peak = 0;
  const auto measure = [&] {
    Wide bytes = 0;
    for (BufferIndex buffer : live) bytes += stream.buffer(buffer).size;
    peak = std::max(peak, bytes);
  };
  for (BufferIndex buffer : AllBuffers(stream)) {
    if (IsBornAtTheStart(stream, buffer, users[buffer.value()])) live.insert(buffer);
  }
  measure();
  for (OpIndex op : order) {
    for (BufferIndex buffer : ReferenceUses(stream, op)) live.insert(buffer);
    measure();
    out[op.value()] = true;
    for (BufferIndex buffer : AllBuffers(stream)) {
      if (!stream.buffer(buffer).live_out && AllUsersAreOut(stream, users[buffer.value()], out)) {
        live.erase(buffer);
      }
    }
  }
  return {clock.makespan(), Narrow(peak)};
}

}  // namespace torqsched::reference
