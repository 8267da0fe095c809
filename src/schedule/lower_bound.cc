#include "src/schedule/lower_bound.h"

namespace torqsched {

LowerBound SimpleLowerBound(const Stream& stream, const Hardware& hardware) {
  // CheckStreamFits has shown that all of this fits 64 bits.
  uint64_t stream_cycles = 0;
  uint64_t compute_cycles = 0;
  uint64_t control_ops = 0;
  for (uint32_t i = 0; i < stream.op_count(); ++i) {
    const Op& op = stream.op(OpIndex(i));
    if (op.kind != OpKind::kPure) ++control_ops;
    if (op.kind == OpKind::kStart) {
      compute_cycles += op.cycles;
      stream_cycles += hardware.start_cycles;
    } else {
      stream_cycles += op.cycles;
    }
  }
  if (hardware.block_ops != 0) {
    stream_cycles +=
        control_ops / hardware.block_ops * TransferCycles(hardware, hardware.block_bytes);
  }
  const uint64_t slices = hardware.slices;
  const uint64_t per_slice = compute_cycles / slices + (compute_cycles % slices != 0 ? 1 : 0);
  if (per_slice > stream_cycles) return {per_slice, Resource::kSlices};
  return {stream_cycles, Resource::kStream};
}

}  // namespace torqsched
