// Why a tensor is off chip, and what it would have taken to keep it.
#ifndef TORQSCHED_SRC_RESIDENCY_EXPLAIN_H_
#define TORQSCHED_SRC_RESIDENCY_EXPLAIN_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "src/residency/deployment.h"
#include "src/residency/facts.h"
#include "src/residency/options.h"
#include "src/residency/plan.h"

namespace torqsched {

// One for each class that is not on chip in all of its instances, in their order, of a plan of this
// deployment that the strategy made. INVALID_ARGUMENT as PlanByDensity. Cost: O(n log n).
absl::StatusOr<std::vector<OffChipExplanation>> ExplainOffChip(const Deployment& deployment,
                                                               const ResidencyPlan& plan,
                                                               ResidencyStrategy strategy);

// The same where the facts are known.
std::vector<OffChipExplanation> ExplainOffChipWith(const Deployment& deployment,
                                                   const std::vector<ProgramFacts>& facts,
                                                   const ResidencyPlan& plan,
                                                   ResidencyStrategy strategy);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_RESIDENCY_EXPLAIN_H_
