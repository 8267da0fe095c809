#include "tests/warm/planner_random.h"

#include <algorithm>
#include <string>

#include "src/search/random.h"

namespace torqsched {
namespace {

constexpr const char* kNames[] = {"a", "b", "c", "d", "e", "f", "g", "h"};

}  // namespace

WarmTimeline RandomTimeline(uint64_t seed) {
  search::Random random(seed);
  WarmTimeline timeline;
  const uint32_t regions = 2 + random.Below(4);
  for (uint32_t r = 0; r < regions; ++r) {
    WarmRegion region;
    region.name = kNames[r];
    region.bytes = 1000000 + random.Below(12) * 1000000;
    timeline.regions.push_back(region);
  }
  WarmLayerKind kind;
  kind.name = "layer";
  const uint32_t stages = 4 + random.Below(5);
  for (uint32_t s = 0; s < stages; ++s) {
    WarmStage stage;
    stage.name = kNames[s];
    stage.has_task_id = true;
    stage.duration_ns = 3000 + random.Below(40) * 1000;
    for (uint32_t reads = random.Below(3); reads > 0; --reads) {
      const uint32_t region = random.Below(regions);
      const bool beside = random.OneIn(2);
      if (std::any_of(stage.reads.begin(), stage.reads.end(),
                      [region](const WarmRead& read) { return read.region == region; })) {
        continue;
      }
      stage.reads.push_back({region, 0, beside});
      stage.duration_ns += timeline.regions[region].bytes / 600;
    }
    if (random.OneIn(3)) {
      stage.other_bytes = random.Below(6) * 1000000;
      stage.duration_ns += stage.other_bytes / 900;
    }
    if (!stage.reads.empty() && random.OneIn(2)) {
      stage.resident_ns = stage.duration_ns * (50 + random.Below(50)) / 100;
    }
    stage.collective = stage.reads.empty() && random.OneIn(4);
    stage.all_vector_cores = random.OneIn(4);
    kind.stages.push_back(stage);
  }
  timeline.kinds.push_back(kind);
  timeline.runs = {{{0}, 1}};
  return timeline;
}

WarmHardware RandomHardware(uint64_t seed) {
  search::Random random(seed ^ 0x5eed);
  WarmHardware hardware;
  // Not a sum of regions: whether what is just as large as L2 is in it is a matter of rounding.
  hardware.l2_bytes = 6437123 + random.Below(30) * 1000000;
  hardware.memory = {900 + random.Below(600), 1};
  hardware.engine = {{100 + random.Below(2000), 1}, {80 + random.Below(900), 1}};
  hardware.engine_hits = {2500, 1};
  hardware.issue_ns = random.Below(8) * 1000;
  hardware.engine_weight = 1 + random.Below(3);
  if (random.OneIn(4)) hardware.landing = WarmLanding::kFull;
  if (random.OneIn(5)) {
    hardware.startup = WarmStartup::kEveryForward;
    hardware.startup_ns = random.Below(20) * 1000;
  }
  return hardware;
}

std::vector<WarmScope> RandomScopes(const WarmTimeline& timeline, uint64_t seed) {
  search::Random random(seed ^ 0x5c09e);
  const uint32_t stages = static_cast<uint32_t>(timeline.kinds[0].stages.size());
  std::vector<char> warmed(timeline.regions.size(), 0);
  std::vector<WarmScope> scopes;
  for (uint32_t n = 1 + random.Below(3); n > 0; --n) {
    WarmScope scope;
    scope.anchor = random.OneIn(4) ? kLayerEntry : random.Below(stages - 1);
    for (uint32_t i = 1 + random.Below(3); i > 0; --i) {
      const uint32_t region = random.Below(timeline.regions.size());
      if (warmed[region]++ == 0) scope.regions.push_back(region);
    }
    if (!scope.regions.empty()) scopes.push_back(scope);
  }
  return scopes;
}

WarmTimeline LongForward(uint32_t stages, uint32_t regions) {
  WarmTimeline timeline;
  static std::vector<std::string>* const names = new std::vector<std::string>();
  while (names->size() < regions) names->push_back("w" + std::to_string(names->size()));
  for (uint32_t r = 0; r < regions; ++r) {
    WarmRegion region;
    region.name = (*names)[r];
    region.bytes = 4000000 + 1000000 * (r % 7);
    timeline.regions.push_back(region);
  }
  WarmLayerKind kind;
  kind.name = "forward";
  const uint32_t every = stages / regions;
  for (uint32_t s = 0; s < stages; ++s) {
    WarmStage stage;
    stage.name = "stage";
    stage.duration_ns = 4000 + 1000 * (s % 5);
    stage.has_task_id = true;
    if (s % every == every - 1 && s / every < regions) {
      stage.reads.push_back({s / every, 0, false});
      stage.duration_ns += timeline.regions[s / every].bytes / 1000;
    }
    kind.stages.push_back(stage);
  }
  timeline.kinds.push_back(kind);
  timeline.runs = {{{0}, 1}};
  return timeline;
}

WarmTimeline ManyKinds(uint32_t kinds, uint32_t stages, uint32_t regions) {
  WarmTimeline timeline;
  static std::vector<std::string>* const names = new std::vector<std::string>();
  while (names->size() < kinds * regions) names->push_back("r" + std::to_string(names->size()));
  for (uint32_t r = 0; r < kinds * regions; ++r) {
    WarmRegion region;
    region.name = (*names)[r];
    region.bytes = 4000000 + (r * 7919) % 8000000;
    timeline.regions.push_back(region);
  }
  const uint32_t every = stages / regions;
  timeline.runs.resize(1);
  for (uint32_t k = 0; k < kinds; ++k) {
    WarmLayerKind kind;
    kind.name = "kind";
    kind.input = "x";
    for (uint32_t s = 0; s < stages; ++s) {
      WarmStage stage;
      stage.name = "stage";
      stage.duration_ns = 8000 + (s * 37) % 9000;
      stage.has_task_id = true;
      stage.writes = "t";
      stage.other_bytes = 100000;
      if (s % every == every - 1 && s / every < regions) {
        stage.reads.push_back({k * regions + s / every, 0, false});
      }
      kind.stages.push_back(stage);
    }
    timeline.kinds.push_back(kind);
    timeline.runs[0].kinds.push_back(k);
  }
  return timeline;
}

}  // namespace torqsched
