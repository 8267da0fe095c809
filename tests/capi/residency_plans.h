// Plain deployments as requests of torqsched_plan_residency, and its responses as plain plans, so
// that the reference can be asked about both.
#ifndef TORQSCHED_TESTS_CAPI_RESIDENCY_PLANS_H_
#define TORQSCHED_TESTS_CAPI_RESIDENCY_PLANS_H_

#include <cstdint>
#include <string>

#include "src/residency/deployment.h"
#include "src/residency/plan.h"
#include "torqsched/v1/residency.pb.h"

namespace torqsched {
namespace testing {

v1::PlanResidencyRequest ToRequest(const Deployment& deployment);

// The test fails where the response has a tier that is none.
ResidencyPlan PlanOf(const v1::PlanResidencyResponse& response);

// Bytes that all tensors move in a step in all instances, by tier, summed up from the deployment
// and the response's tiers and classes.
TierTraffic TrafficIn(const Deployment& deployment, const v1::PlanResidencyResponse& response);

// What the explanations say that cannot be so; empty: all is well.
std::string WrongWithExplanations(const v1::PlanResidencyRequest& request,
                                  const v1::PlanResidencyResponse& response);

}  // namespace testing
}  // namespace torqsched

#endif  // TORQSCHED_TESTS_CAPI_RESIDENCY_PLANS_H_
