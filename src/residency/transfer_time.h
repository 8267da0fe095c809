// What a step's transfers take at each tier, from bandwidths given as whole numbers.
#ifndef TORQSCHED_SRC_RESIDENCY_TRANSFER_TIME_H_
#define TORQSCHED_SRC_RESIDENCY_TRANSFER_TIME_H_

#include <cstdint>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/status/statusor.h"
#include "src/residency/deployment.h"
#include "src/residency/facts.h"
#include "src/residency/options.h"
#include "src/residency/plan.h"

namespace torqsched {

// Each sum is the largest value where it would be more. Cost: linear.
TierTraffic TrafficOf(const Deployment& deployment, const std::vector<ProgramFacts>& facts,
                      const ResidencyPlan& plan);

// The time of a byte at each tier in parts so small that all are whole: time is parts / per_unit.
struct TierWeights {
  uint64_t sram = 0;
  uint64_t hbm = 0;
  uint64_t dram = 0;
  absl::uint128 units = 1;  // parts * units / per_unit is the time
  absl::uint128 per_unit = 1;
};

// INVALID_ARGUMENT with its field ("options.bandwidths.hbm") where a bandwidth has no bytes, a tier
// is faster than the one above it, or the parts in which all_moved bytes are timed do not fit 63
// bits.
absl::StatusOr<TierWeights> WeightsOf(const TierBandwidths& bandwidths, uint64_t all_moved);

// In parts; fits, where all_moved bytes did.
uint64_t PartsOf(const TierTraffic& traffic, const TierWeights& weights);

// Parts as units of time, rounded up; the largest value where it does not fit 64 bits.
uint64_t TimeOf(uint64_t parts, const TierWeights& weights);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_RESIDENCY_TRANSFER_TIME_H_
