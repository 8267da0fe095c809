// Strategy OPTIMAL, literally: every choice of what is on chip, tried.
#ifndef TORQSCHED_TESTS_REFERENCE_RESIDENCY_RESIDENCY_EXHAUSTIVE_H_
#define TORQSCHED_TESTS_REFERENCE_RESIDENCY_RESIDENCY_EXHAUSTIVE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "src/residency/deployment.h"
#include "src/residency/plan.h"

namespace torqsched::reference {

// The fewest bytes off chip a step of any plan. The deployment must be valid, its moved bytes given
// as numbers, and sums small. Nothing where there are more than `most` choices.
std::optional<uint64_t> FewestBytesOffChip(const Deployment& deployment, bool split_instances,
                                           uint64_t most);

// What a byte costs that moves in each tier: SRAM least, DRAM most.
struct TierCosts {
  uint64_t sram = 0;
  uint64_t hbm = 0;
  uint64_t dram = 0;
};

// The least that all bytes moved in a step can cost; else likewise.
std::optional<uint64_t> LeastWeighted(const Deployment& deployment, const TierCosts& costs,
                                      uint64_t most);

// The most bytes that HBM can serve of what a plan has off chip; nothing where more than 12 classes
// of a chip are.
std::optional<uint64_t> MostBytesInHbm(const Deployment& deployment, const ResidencyPlan& plan);

// Why a plan cannot be, or says of itself what is not so; empty: all is well.
std::string WrongWith(const Deployment& deployment, const ResidencyPlan& plan,
                      bool split_instances);

}  // namespace torqsched::reference

#endif  // TORQSCHED_TESTS_REFERENCE_RESIDENCY_RESIDENCY_EXHAUSTIVE_H_
