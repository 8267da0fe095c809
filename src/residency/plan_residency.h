// A deployment, options and streams in, an answer out: what the call and the command line share.
#ifndef TORQSCHED_SRC_RESIDENCY_PLAN_RESIDENCY_H_
#define TORQSCHED_SRC_RESIDENCY_PLAN_RESIDENCY_H_

#include <vector>

#include "absl/status/statusor.h"
#include "src/residency/answer.h"
#include "src/residency/bound_stream.h"
#include "src/residency/deployment.h"
#include "src/residency/options.h"

namespace torqsched {

// INVALID_ARGUMENT as PlanByDensity, PlanOptimally and BindStreams. Cost: that of the strategy,
// ExplainOffChip and BindStreams together.
absl::StatusOr<ResidencyAnswer> PlanResidency(const Deployment& deployment,
                                              const ResidencyOptions& options,
                                              const std::vector<StreamOfProgram>& streams);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_RESIDENCY_PLAN_RESIDENCY_H_
