#include "src/schedule/lower_bound.h"

#include <algorithm>

namespace torqsched {
namespace {

uint64_t Shared(uint64_t cycles, uint64_t by) { return cycles / by + (cycles % by != 0 ? 1 : 0); }

// What each of the three does, in any order. CheckStreamFits has shown that all of it fits 64 bits.
struct Work {
  uint64_t loads = 0;  // block transfers among them
  uint64_t stores = 0;
  uint64_t stream = 0;  // what keeps the stream and is no transfer
  uint64_t compute = 0;
};

Work WorkOf(const Stream& stream, const Hardware& hardware) {
  Work work;
  uint64_t control_ops = 0;
  for (uint32_t i = 0; i < stream.op_count(); ++i) {
    const Op& op = stream.op(OpIndex(i));
    if (op.kind != OpKind::kPure) ++control_ops;
    if (op.kind == OpKind::kLoad) work.loads += op.cycles;
    if (op.kind == OpKind::kStore) work.stores += op.cycles;
    if (op.kind == OpKind::kBarrier) work.stream += op.cycles;
    if (op.kind == OpKind::kStart) {
      work.compute += op.cycles;
      work.stream += hardware.start_cycles;
    }
    if (hardware.non_blocking_transfers &&
        (op.kind == OpKind::kLoad || op.kind == OpKind::kStore)) {
      work.stream += hardware.transfer_issue_cycles;
    }
  }
  if (hardware.block_ops != 0) {
    const uint64_t blocks =
        control_ops / hardware.block_ops * TransferCycles(hardware, hardware.block_bytes);
    work.loads += blocks;
    if (hardware.non_blocking_transfers) work.stream += blocks;  // which block all the same
  }
  return work;
}

// Of the stream or, where it does not wait for transfers, of the engines.
uint64_t StreamCycles(const Work& work, const Hardware& hardware) {
  if (!hardware.non_blocking_transfers) return work.stream + work.loads + work.stores;
  const uint64_t engines = hardware.dma_engines;
  if (hardware.store_engines == 0) {
    return std::max(work.stream, Shared(work.loads + work.stores, engines));
  }
  return std::max(
      {work.stream, Shared(work.loads, engines), Shared(work.stores, hardware.store_engines)});
}

}  // namespace

LowerBound SimpleLowerBound(const Stream& stream, const Hardware& hardware) {
  const Work work = WorkOf(stream, hardware);
  return LargestOf({{BoundKind::kStream, StreamCycles(work, hardware)},
                    {BoundKind::kSlices, Shared(work.compute, hardware.slices)}});
}

}  // namespace torqsched
