// The price of an order, and the most bytes that live at once while it runs.
#include "tests/reference/simulate.h"

#include <algorithm>
#include <set>

#include "tests/reference/facts.h"
#include "tests/reference/reference.h"

namespace torqsched::reference {

void SimpleClock::CountOp() {
  ++ops_not_pure;
  if (hardware.block_ops == 0 || ops_not_pure % hardware.block_ops != 0) return;
  t = Sum(std::max(t, dma_free), CyclesOfTransfer(hardware, hardware.block_bytes));
  dma_free = t;
}

void SimpleClock::Transfer(uint64_t cycles) {
  CountOp();
  // "load, store   t = max(t, dma_free) + cycles; dma_free = t"
  t = Sum(std::max(t, dma_free), cycles);
  dma_free = t;
}

void SimpleClock::Run(OpIndex index, uint32_t slice) {
  const Op& op = stream.op(index);
  switch (op.kind) {
    case OpKind::kPure:  // "nothing"
      break;
    case OpKind::kLoad:
    case OpKind::kStore:
      Transfer(op.cycles);
      break;
    case OpKind::kStart:
      CountOp();
      // "slice_end[s] = max(t, slice_end[s]) + compute; t += start_cycles"
      slice_end[slice] = Sum(std::max(t, slice_end[slice]), op.cycles);
      program_end[index] = slice_end[slice];
      t = Sum(t, hardware.start_cycles);
      break;
    case OpKind::kWait:
      CountOp();
      // "t = max(t, end of that program)"
      t = std::max(t, program_end[op.partner]);
      break;
    case OpKind::kBarrier:
      CountOp();
      // "t += cycles"
      t = Sum(t, op.cycles);
      break;
  }
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
