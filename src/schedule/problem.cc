#include "src/schedule/problem.h"

#include <utility>

namespace torqsched {

absl::StatusOr<std::unique_ptr<const ScheduleProblem>> ScheduleProblem::Make(
    const Stream& stream, const Hardware& hardware) {
  absl::Status status = CheckHardware(hardware);
  if (status.ok()) status = CheckStreamFits(stream, hardware);
  if (!status.ok()) return status;
  absl::StatusOr<Lifetimes> lifetimes = Lifetimes::Build(stream, hardware);
  if (!lifetimes.ok()) return lifetimes.status();
  absl::StatusOr<DependenceGraph> graph = DependenceGraph::Build(stream);
  if (!graph.ok()) return graph.status();
  LoadConsumers consumers(stream, *lifetimes);
  return std::unique_ptr<const ScheduleProblem>(new ScheduleProblem{
      stream, hardware, *std::move(lifetimes), *std::move(graph), std::move(consumers)});
}

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
