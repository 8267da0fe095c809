#include "src/wire/order_wire.h"

#include <cstddef>

namespace torqsched {

std::vector<OpIndex> OrderFromProto(const UintList& list) {
  std::vector<OpIndex> order;
  order.reserve(list.size());
  for (const uint32_t op : list) order.emplace_back(op);
  return order;
}

void ScheduleToProto(const Stream& stream, const Schedule& schedule, UintList* order,
                     UintList* starts, UintList* slices) {
  order->Reserve(order->size() + static_cast<int>(schedule.order.size()));
  for (const OpIndex op : schedule.order) order->AddAlreadyReserved(op.value());
  for (size_t i = 0; i < stream.op_count(); ++i) {
    const OpIndex op(i);
    if (stream.op(op).kind != OpKind::kStart) continue;
    starts->Add(op.value());
    slices->Add(schedule.slice[op]);
  }
}

}  // namespace torqsched
