// Strategy OPTIMAL: the fewest bytes off chip.
//
// What is minimised: the bytes that all tensors off chip (HBM or DRAM) move in a step, in all
// instances: the sum of moved bytes times instances. What may be chosen: which accessed activations
// stay on chip; for each program, whether its own tables do, all or none; for each carried state
// whether it does, whole, or, where instances may be split, in how many instances. What must hold
// is what the specification says of a plan: on every chip, at every phase of every program, buffers
// + live on-chip activations + on-chip tables + carried states held fit SRAM (where the buffers
// alone exceed it, nothing but zero bytes is held). DENSITY's plan is such a plan, and so is the
// one that spills who moves least; the search starts from the better, so the answer never moves
// more.
//
// Exact where `proven` is set: the search, over activations, tables and carried states of all
// programs at once, came to its end. Else lower_bound says what no plan can go below. Where chips
// and phases are so many that they cannot be listed (kMostUses), activations and tables stay as
// that plan has them, and carried states alone are searched, as a knapsack a chip; the bound then
// comes from each chip's carried states beside nothing but buffers.
//
// After that, off chip: HBM holds whole classes (of a split one, the rest) that move the most bytes
// together, a knapsack a chip; exact where hbm_proven is set.
//
// Given bandwidths, it is time that is minimised: each tier's moved bytes by its pace, one after
// the other. A third search, over SRAM and HBM together, begins at the quicker of DENSITY's plan
// and the one above; what it finds never takes longer than DENSITY's plan, but may move more bytes
// off chip. moved_off_chip, lower_bound and `proven` still speak of bytes. Where instances are
// split, or too much would have to be listed, there is no third search.
#ifndef TORQSCHED_SRC_RESIDENCY_OPTIMAL_H_
#define TORQSCHED_SRC_RESIDENCY_OPTIMAL_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "src/residency/deployment.h"
#include "src/residency/facts.h"
#include "src/residency/options.h"
#include "src/residency/plan.h"

namespace torqsched {

// The same deployment and options give the same answer. INVALID_ARGUMENT as PlanByDensity, and
// where the bytes that all tensors move in all instances do not fit 64 bits, or a class's do not
// that DENSITY has on chip. Cost: O(n log n), and the nodes.
absl::StatusOr<OptimalResidency> PlanOptimally(const Deployment& deployment,
                                               const OptimalOptions& options);

// The same where the facts are known.
absl::StatusOr<OptimalResidency> PlanOptimallyWith(const Deployment& deployment,
                                                   const std::vector<ProgramFacts>& facts,
                                                   const OptimalOptions& options);

// Bytes that a plan moves off chip in a step. Cost: linear.
uint64_t MovedOffChip(const Deployment& deployment, const ResidencyPlan& plan);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_RESIDENCY_OPTIMAL_H_
