// Residency planning, literally: each sentence of the specification a few lines, with no thought
// for time. It uses the plain types of src/residency and none of its code.
#ifndef TORQSCHED_TESTS_REFERENCE_RESIDENCY_RESIDENCY_REFERENCE_H_
#define TORQSCHED_TESTS_REFERENCE_RESIDENCY_RESIDENCY_REFERENCE_H_

#include <string>

#include "src/residency/deployment.h"
#include "src/residency/plan.h"

namespace torqsched::reference {

struct ResidencyAnswer {
  std::string error_field;  // where the deployment is wrong, such as "programs[2].instances"
  ResidencyPlan plan;       // where it is not
};

// Strategy DENSITY. Cost: quadratic and worse; every overflow searches again from the first phase.
ResidencyAnswer PlanResidency(const Deployment& deployment);

// All differences between two plans, a line each; empty: none.
std::string Differences(const ResidencyPlan& expected, const ResidencyPlan& actual);

}  // namespace torqsched::reference

#endif  // TORQSCHED_TESTS_REFERENCE_RESIDENCY_RESIDENCY_REFERENCE_H_
