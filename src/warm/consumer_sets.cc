#include "src/warm/consumer_sets.h"

#include <algorithm>
#include <utility>

#include "src/stream/checked.h"

namespace torqsched::warm {
namespace {

WarmVerdict RuleFor(const PreparedTimeline& prepared, const PreparedKind& kind, size_t local) {
  const WarmRegion& region = prepared.timeline->regions[kind.regions[local]];
  if (!region.is_static) return WarmVerdict::kDynamic;
  if (!IsFlat(region)) return WarmVerdict::kNotFlat;
  if (kind.gaps[local].has_value() && *kind.gaps[local] < prepared.hardware.l2_bytes) {
    return WarmVerdict::kResident;
  }
  if (!FitsL2(prepared.hardware, region.bytes)) return WarmVerdict::kTooLarge;
  return WarmVerdict::kWarm;
}

// Adds what the stage is the first to read; whether there is something.
bool AddStage(const PreparedTimeline& prepared, const PreparedKind& kind, uint32_t s, bool open,
              const WarmOptions& options, KindSets* sets) {
  const PreparedStage& stage = kind.stages[s];
  std::vector<uint32_t> fresh;
  uint64_t bytes = 0;
  for (uint32_t g = stage.first_group; g < stage.first_group + stage.groups; ++g) {
    const PreparedGroup& group = kind.groups[g];
    for (uint32_t i = group.first_read; i < group.first_read + group.reads; ++i) {
      const uint32_t local = kind.reads[i].local;
      if (kind.first_reader[local] != s || sets->rule[local] != WarmVerdict::kWarm) continue;
      fresh.push_back(local);
      bytes += prepared.timeline->regions[kind.regions[local]].bytes;
    }
  }
  for (const uint32_t local : fresh) {
    const bool joins =
        options.whole_sets && (local != fresh.front() || open) &&
        (local != fresh.front() || FitsL2(prepared.hardware, sets->sets.back().bytes + bytes));
    if (!joins) {
      sets->sets.emplace_back();
      sets->sets.back().first_reader = s;
    }
    ConsumerSet& set = sets->sets.back();
    set.last_reader = s;
    set.regions.push_back(kind.regions[local]);
    set.bytes += prepared.timeline->regions[kind.regions[local]].bytes;
    sets->set_of[local] = static_cast<uint32_t>(sets->sets.size() - 1);
  }
  return !fresh.empty();
}

}  // namespace

bool FitsL2(const WarmHardware& hardware, uint64_t bytes) {
  const absl::uint128 filled = absl::uint128(bytes) * 100;
  const absl::uint128 most = absl::uint128(hardware.l2_bytes) * hardware.l2_fill_percent;
  return filled < most || (filled == most && hardware.exactly_full_fits);
}

uint64_t FillBytes(const WarmHardware& hardware) {
  return Scale(hardware.l2_bytes, hardware.l2_fill_percent, 100);
}

KindSets FindSets(const PreparedTimeline& prepared, uint32_t kind_index,
                  const WarmOptions& options) {
  const PreparedKind& kind = prepared.kinds[kind_index];
  KindSets sets;
  sets.set_of.assign(kind.regions.size(), kNotRead);
  for (size_t local = 0; local < kind.regions.size(); ++local) {
    sets.rule.push_back(RuleFor(prepared, kind, local));
  }
  bool open = false;
  for (uint32_t s = 0; s < kind.stages.size(); ++s) {
    open = AddStage(prepared, kind, s, open, options, &sets);
  }
  for (ConsumerSet& set : sets.sets) set.fits = FitsL2(prepared.hardware, set.bytes);
  return sets;
}

uint64_t BytesInFlight(const PreparedTimeline& prepared, uint32_t kind_index,
                       const std::vector<WarmScope>& scopes) {
  const PreparedKind& kind = prepared.kinds[kind_index];
  // (2 * stage + 1: the stage has ended; a reader's end comes before what its end begins.)
  std::vector<std::pair<uint64_t, uint64_t>> begins;
  std::vector<std::pair<uint64_t, uint64_t>> ends;
  for (const WarmScope& scope : scopes) {
    const uint64_t begin = scope.anchor == kLayerEntry ? 0 : 2 * uint64_t{scope.anchor} + 2;
    for (const uint32_t region : scope.regions) {
      const uint32_t local = LocalOf(kind, region);
      uint64_t end = 2 * kind.stages.size() + 2;
      if (local != kNotRead && 2 * uint64_t{kind.last_reader[local]} + 1 > begin) {
        end = 2 * uint64_t{kind.last_reader[local]} + 1;
      }
      const uint64_t bytes = prepared.timeline->regions[region].bytes;
      begins.emplace_back(begin, bytes);
      ends.emplace_back(end, bytes);
    }
  }
  std::sort(begins.begin(), begins.end());
  std::sort(ends.begin(), ends.end());
  uint64_t in_flight = 0;
  uint64_t most = 0;
  size_t ended = 0;
  for (const auto& [begin, bytes] : begins) {
    while (ended < ends.size() && ends[ended].first <= begin) in_flight -= ends[ended++].second;
    in_flight = SaturatingAdd(in_flight, bytes);
    most = std::max(most, in_flight);
  }
  return most;
}

}  // namespace torqsched::warm
