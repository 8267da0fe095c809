// Strategy DENSITY: what the specification says, class for class.
#ifndef TORQSCHED_SRC_RESIDENCY_DENSITY_H_
#define TORQSCHED_SRC_RESIDENCY_DENSITY_H_

#include <vector>

#include "absl/status/statusor.h"
#include "src/residency/activation_sweep.h"
#include "src/residency/deployment.h"
#include "src/residency/facts.h"
#include "src/residency/plan.h"

namespace torqsched {

// Activations that spill where their live bytes exceed the room, own tables that go on chip all or
// none, carried states by density into what is left, the rest by density into HBM, else DRAM.
//
// INVALID_ARGUMENT, with a field such as "programs[2].tensors[5].bytes", where the deployment is
// malformed (see CheckProgram), or where a sum does not fit 64 bits: a buffer footprint, live
// bytes, a program's tables on a chip, alone or with its footprint, a class in all of its
// instances. Cost: O(n log n). Memory: linear.
absl::StatusOr<ResidencyPlan> PlanByDensity(const Deployment& deployment);

// The same with another rule for spills, where the facts are known.
absl::StatusOr<ResidencyPlan> PlanByDensityWith(const Deployment& deployment,
                                                const std::vector<ProgramFacts>& facts,
                                                SpillRule rule);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_RESIDENCY_DENSITY_H_
