#include "src/schedule/input_schedule.h"

namespace torqsched {

Schedule InputSchedule(const Stream& stream) {
  Schedule schedule;
  schedule.order.reserve(stream.op_count());
  schedule.slice.assign(stream.op_count(), 0);
  for (uint32_t i = 0; i < stream.op_count(); ++i) {
    const OpIndex op(i);
    schedule.order.push_back(op);
    if (stream.op(op).kind == OpKind::kStart) {
      schedule.slice[op] = static_cast<uint8_t>(stream.op(op).slice);
    }
  }
  return schedule;
}

}  // namespace torqsched
