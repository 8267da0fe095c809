// All that is derived from a stream once, before any order is tried: checks against the chip,
// lifetimes, dependences, consumers.
#ifndef TORQSCHED_SRC_GRAPH_PROBLEM_H_
#define TORQSCHED_SRC_GRAPH_PROBLEM_H_

#include <memory>

#include "absl/status/statusor.h"
#include "src/graph/dependence_graph.h"
#include "src/graph/lifetimes.h"
#include "src/graph/load_consumers.h"
#include "src/hardware/hardware.h"
#include "src/stream/stream.h"

namespace torqsched {

// The stream and the hardware outlive it.
struct ScheduleProblem {
  const Stream& stream;
  const Hardware& hardware;
  const Lifetimes lifetimes;
  const DependenceGraph graph;
  const LoadConsumers consumers;

  // INVALID_ARGUMENT, naming op and buffer, where the stream cannot run on this chip or its input
  // order races; RESOURCE_EXHAUSTED where views multiply (see Lifetimes). Near-linear.
  static absl::StatusOr<std::unique_ptr<const ScheduleProblem>> Make(const Stream& stream,
                                                                     const Hardware& hardware);
};

}  // namespace torqsched

#endif  // TORQSCHED_SRC_GRAPH_PROBLEM_H_
