#include "src/residency/transfer_time.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <string>

#include "absl/strings/str_cat.h"
#include "src/stream/checked.h"
#include "src/stream/error.h"

namespace torqsched {
namespace {

absl::Status InvalidBandwidth(const char* tier, absl::string_view message) {
  const std::string field = absl::StrCat("options.bandwidths", tier[0] == '\0' ? "" : ".", tier);
  return FieldError(field, message);
}

// False where the product does not fit 64 bits.
bool Multiply(uint64_t* a, uint64_t b) { return !__builtin_mul_overflow(*a, b, a); }

}  // namespace

TierTraffic TrafficOf(const Deployment& deployment, const std::vector<ProgramFacts>& facts,
                      const ResidencyPlan& plan) {
  TierTraffic traffic;
  const auto add = [&](size_t p, size_t t, uint64_t instances, uint64_t* sum) {
    *sum = SaturatingAdd(*sum, SaturatingMultiply(facts[p].moved_bytes[t], instances));
  };
  size_t next = 0;  // in classes, which are by program, then by tensor
  for (size_t p = 0; p < facts.size(); ++p) {
    const uint64_t instances = deployment.programs[p].instances;
    for (size_t t = 0; t < facts[p].moved_bytes.size(); ++t) {
      uint64_t on_chip = instances;
      if (next < plan.classes.size() && plan.classes[next].program == p &&
          plan.classes[next].tensor == t) {
        const ResidencyClass& c = plan.classes[next++];
        on_chip = c.instances_on_chip;
        add(p, t, instances - on_chip, c.tier == Tier::kHbm ? &traffic.hbm : &traffic.dram);
      }
      add(p, t, on_chip, &traffic.sram);
    }
  }
  return traffic;
}

absl::StatusOr<TierWeights> WeightsOf(const TierBandwidths& bandwidths, uint64_t all_moved) {
  constexpr const char* kNames[] = {"sram", "hbm", "dram"};
  std::array<Bandwidth, 3> tiers = {bandwidths.sram, bandwidths.hbm, bandwidths.dram};
  for (size_t i = 0; i < tiers.size(); ++i) {
    if (tiers[i].bytes == 0) return InvalidBandwidth(kNames[i], "0 bytes; expected at least 1");
    const uint64_t common = std::gcd(tiers[i].bytes, tiers[i].time);
    tiers[i].bytes /= common;
    tiers[i].time /= common;
    if (i > 0 && absl::uint128(tiers[i].time) * tiers[i - 1].bytes <
                     absl::uint128(tiers[i - 1].time) * tiers[i].bytes) {
      return InvalidBandwidth(kNames[i], "faster than the tier above it; expected at most as fast");
    }
  }
  const absl::Status too_fine = InvalidBandwidth(
      "",
      "times of all transfers, in a fraction of which all bandwidths are multiples, do not fit "
      "64 bits; expected rounder numbers");
  // The least number of bytes that all tiers move in whole units of time.
  uint64_t bytes = tiers[0].bytes;
  for (size_t i = 1; i < tiers.size(); ++i) {
    if (!Multiply(&bytes, tiers[i].bytes / std::gcd(bytes, tiers[i].bytes))) return too_fine;
  }
  std::array<uint64_t, 3> weights;
  uint64_t common = 0;
  for (size_t i = 0; i < tiers.size(); ++i) {
    weights[i] = tiers[i].time;
    if (!Multiply(&weights[i], bytes / tiers[i].bytes)) return too_fine;
    common = std::gcd(common, weights[i]);
  }
  common = std::max<uint64_t>(common, 1);
  TierWeights result{weights[0] / common, weights[1] / common, weights[2] / common, common, bytes};
  uint64_t most = result.dram;
  if (!Multiply(&most, all_moved) || !Multiply(&most, 2)) return too_fine;
  return result;
}

uint64_t PartsOf(const TierTraffic& traffic, const TierWeights& weights) {
  return traffic.sram * weights.sram + traffic.hbm * weights.hbm + traffic.dram * weights.dram;
}

uint64_t TimeOf(uint64_t parts, const TierWeights& weights) {
  const absl::uint128 scaled = parts * weights.units;
  const absl::uint128 time = scaled / weights.per_unit + (scaled % weights.per_unit == 0 ? 0 : 1);
  return absl::Uint128High64(time) != 0 ? std::numeric_limits<uint64_t>::max()
                                        : absl::Uint128Low64(time);
}

}  // namespace torqsched
