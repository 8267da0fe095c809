#include "src/graph/problem.h"

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

}  // namespace torqsched
