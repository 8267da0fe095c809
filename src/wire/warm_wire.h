// torqsched_plan_warm: the stages of a forward in, a plan of warms out.
#ifndef TORQSCHED_SRC_WIRE_WARM_WIRE_H_
#define TORQSCHED_SRC_WIRE_WARM_WIRE_H_

#include "absl/status/statusor.h"
#include "src/warm/timeline.h"
#include "src/warm/warm_plan.h"
#include "torqsched/v1/warm.pb.h"

namespace torqsched {

// Names in it are views into the message.
struct ParsedWarm {
  WarmTimeline timeline;
  WarmHardware hardware;
  WarmOptions options;
};

// What is asked; what its numbers mean is checked by the planner. INVALID_ARGUMENT with a path such
// as "hardware.startup", where an enum is not known or an option is out of its range. Linear.
absl::StatusOr<ParsedWarm> WarmFromProto(const v1::PlanWarmRequest& message);

// Fills an empty response.
void WarmPlanToProto(const WarmPlan& plan, v1::PlanWarmResponse* message);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_WIRE_WARM_WIRE_H_
