// How to plan residency.
#ifndef TORQSCHED_SRC_RESIDENCY_OPTIONS_H_
#define TORQSCHED_SRC_RESIDENCY_OPTIONS_H_

#include <cstdint>
#include <optional>

namespace torqsched {

// So many bytes in so many units of time: 832 bytes in 175 cycles, or 10^12 bytes in 10^9 ns.
struct Bandwidth {
  uint64_t bytes = 1;  // at least 1
  uint64_t time = 1;   // in a unit that is the caller's, the same for all tiers
};

struct TierBandwidths {
  Bandwidth sram;
  Bandwidth hbm;   // not faster than SRAM
  Bandwidth dram;  // not faster than HBM
};

struct OptimalOptions {
  bool split_instances = false;   // a carried state may be on chip in some instances only
  uint64_t node_limit = 2000000;  // of each of the searches; a wide node counts as several
  std::optional<TierBandwidths> bandwidths;  // minimise time
};

enum class ResidencyStrategy : uint8_t { kDensity, kOptimal };

struct ResidencyOptions {
  ResidencyStrategy strategy = ResidencyStrategy::kDensity;
  OptimalOptions optimal;
  bool explain = false;  // say why each class is off chip
};

}  // namespace torqsched

#endif  // TORQSCHED_SRC_RESIDENCY_OPTIONS_H_
