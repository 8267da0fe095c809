#include "tests/capi/warm_requests.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/capi/streams.h"

namespace torqsched {
namespace testing {
namespace {

bool OneIn(Random* random, uint64_t n) { return random->Below(n) == 0; }

uint32_t Small(Random* random, uint64_t limit) {
  return static_cast<uint32_t>(random->Below(limit));
}

// ---- Warms ----

void AddRegion(Random* random, v1::WarmTimeline* timeline) {
  v1::WarmRegion* const region = timeline->add_regions();
  region->set_name("r" + std::to_string(timeline->regions_size()));
  region->set_bytes(100000 + random->Below(12000000));
  region->set_dynamic(OneIn(random, 8));
  region->set_shared_by_layers(OneIn(random, 4));
  if (OneIn(random, 6)) region->set_flat(OneIn(random, 2));
  if (OneIn(random, 3)) {
    region->add_shape(OneIn(random, 4) ? 2 : 1);
    region->add_shape(region->bytes());
  }
  if (OneIn(random, 3)) region->set_address(random->Next());
}

// Of the regions in *unread; takes what it reads out of it.
void AddReads(Random* random, const v1::WarmTimeline& timeline, std::vector<uint32_t>* unread,
              v1::WarmStage* stage) {
  for (uint64_t reads = random->Below(4); reads > 0 && !unread->empty(); --reads) {
    const size_t which = random->Below(unread->size());
    v1::WarmRead* const read = stage->add_reads();
    read->set_region((*unread)[which]);
    read->set_beside_previous(OneIn(random, 3));
    const uint64_t bytes = timeline.regions(static_cast<int>(read->region())).bytes();
    if (OneIn(random, 5)) read->set_bytes(1 + random->Below(bytes));
    stage->set_duration_ns(stage->duration_ns() + bytes / 700);
    unread->erase(unread->begin() + static_cast<int64_t>(which));
  }
}

void AddStage(Random* random, const v1::WarmTimeline& timeline, std::vector<uint32_t>* unread,
              v1::WarmLayerKind* kind) {
  const uint32_t position = static_cast<uint32_t>(kind->stages_size());
  v1::WarmStage* const stage = kind->add_stages();
  stage->set_name("s" + std::to_string(position));
  if (!OneIn(random, 8)) stage->set_duration_ns(random->Below(60000));
  AddReads(random, timeline, unread, stage);
  if (OneIn(random, 3)) {
    stage->set_resident_ns(stage->duration_ns() * (40 + random->Below(61)) / 100);
  }
  if (OneIn(random, 3)) stage->set_other_bytes(random->Below(8000000));
  stage->set_collective(OneIn(random, 6));
  stage->set_all_vector_cores(OneIn(random, 4));
  stage->set_has_task_id(!OneIn(random, 3));
  if (OneIn(random, 2)) stage->set_writes("t" + std::to_string(position));
  if (timeline.parallel_stages() <= 1 || OneIn(random, 2)) return;
  v1::WarmStageList* const after = stage->mutable_after();
  for (uint32_t s = 0; s < position; ++s) {
    if (OneIn(random, 3)) after->add_stages(s);
  }
}

void AddStages(Random* random, uint64_t count, const v1::WarmTimeline& timeline,
               v1::WarmLayerKind* kind) {
  std::vector<uint32_t> all;
  for (int r = 0; r < timeline.regions_size(); ++r) all.push_back(static_cast<uint32_t>(r));
  for (; count > 0; --count) {
    std::vector<uint32_t> unread = all;
    AddStage(random, timeline, &unread, kind);
  }
}

void AddRuns(Random* random, v1::WarmTimeline* timeline) {
  for (uint64_t runs = random->Below(3); runs > 0; --runs) {
    v1::WarmRun* const run = timeline->add_runs();
    for (uint64_t kinds = 1 + random->Below(3); kinds > 0; --kinds) {
      run->add_kinds(Small(random, static_cast<uint64_t>(timeline->kinds_size())));
    }
    if (OneIn(random, 2)) run->set_repeats(1 + random->Below(6));
  }
}

void Set(uint64_t bytes, uint64_t ns, v1::WarmBandwidth* bandwidth) {
  bandwidth->set_bytes(bytes);
  bandwidth->set_ns(ns);
}

void SetHardware(Random* random, v1::WarmHardware* hardware) {
  hardware->set_l2_bytes(4000000 + random->Below(40000000));
  if (OneIn(random, 3)) hardware->set_l2_fill_percent(Small(random, 101));
  hardware->set_exactly_full_fits(OneIn(random, 2));
  Set(800 + random->Below(1000), 1, hardware->mutable_memory());
  if (OneIn(random, 2)) hardware->set_hit_saving_ns(random->Below(80));
  for (uint64_t streams = random->Below(4); streams > 0; --streams) {
    Set(1000 + random->Below(20000), 10, hardware->add_engine());
  }
  if (OneIn(random, 2)) Set(2000 + random->Below(2000), 1, hardware->mutable_engine_hits());
  hardware->set_issue_ns(random->Below(30000));
  if (OneIn(random, 4)) {
    hardware->set_startup(v1::WARM_STARTUP_EVERY_FORWARD);
    hardware->set_startup_ns(random->Below(30000));
  }
  hardware->set_stage_weight(1 + Small(random, 3));
  hardware->set_engine_weight(1 + Small(random, 3));
  hardware->set_collective_has_own_engine(OneIn(random, 3));
  if (OneIn(random, 4)) hardware->set_landing(v1::WARM_LANDING_FULL);
}

// ---- Rounds ----

// Around this level, with noise of a few parts in a thousand.
void AddTimes(Random* random, uint64_t level, uint32_t rounds, v1::RoundSeries* series) {
  const uint64_t noise = 1 + level / (50 + random->Below(500));
  const bool starts_up = OneIn(random, 3);
  const bool has_tail = OneIn(random, 3);
  const uint64_t drift = OneIn(random, 4) ? level / 40 : 0;
  for (uint32_t i = 0; i < rounds; ++i) {
    uint64_t time = level + random->Below(noise) + random->Below(noise) + drift * i / rounds;
    if (starts_up && i < rounds / 5) time += level / 4;
    if (has_tail && OneIn(random, 12)) time += level / 8;
    series->add_times(std::max<uint64_t>(1, time));
  }
}

void SetOptions(Random* random, v1::JudgeOptions* options) {
  options->set_resamples(200 + Small(random, 300));
  if (OneIn(random, 2)) options->set_confidence_percent(50 + Small(random, 50));
  if (OneIn(random, 3)) options->set_seed(random->Next());
  if (OneIn(random, 3)) options->set_least_gain_ppm(Small(random, 30000));
  if (OneIn(random, 3)) options->set_most_drift_ppm(Small(random, 30000));
  if (OneIn(random, 3)) options->set_least_rounds(2 + Small(random, 100));
  if (OneIn(random, 2)) options->set_memory_bandwidth(1 + random->Below(3000000000000));
  if (OneIn(random, 4)) options->set_units_per_second(1 + random->Below(2000000000));
  if (OneIn(random, 4)) options->set_most_leftover_ppm(Small(random, 1000001));
  if (OneIn(random, 4)) options->set_tail_keeps_ppm(Small(random, 1000001));
  if (OneIn(random, 4)) options->set_slow_card_ppm(Small(random, 100000));
}

}  // namespace

v1::PlanWarmRequest RandomWarm(uint64_t seed, uint32_t stages) {
  Random random(seed);
  v1::PlanWarmRequest request;
  v1::WarmTimeline* const timeline = request.mutable_timeline();
  timeline->set_name("seed " + std::to_string(seed));
  if (seed % 3 == 0) timeline->set_parallel_stages(1 + Small(&random, 4));
  for (uint64_t regions = 1 + random.Below(7); regions > 0; --regions) {
    AddRegion(&random, timeline);
  }
  for (uint64_t kinds = 1 + random.Below(3); kinds > 0; --kinds) {
    v1::WarmLayerKind* const kind = timeline->add_kinds();
    kind->set_name("k" + std::to_string(timeline->kinds_size()));
    if (OneIn(&random, 2)) kind->set_input("x");
    AddStages(&random, 1 + random.Below(stages), *timeline, kind);
  }
  AddRuns(&random, timeline);
  if (seed % 7 != 0) SetHardware(&random, request.mutable_hardware());
  v1::WarmOptions* const options = request.mutable_options();
  options->set_exact_combinations(seed % 5 == 0 ? 1 : 100);
  if (OneIn(&random, 2)) options->set_min_gain_ns(random.Below(3) * 400);
  options->set_single_regions(OneIn(&random, 2));
  options->set_read_anchors(OneIn(&random, 3));
  options->set_no_split_scopes(OneIn(&random, 3));
  if (OneIn(&random, 4)) options->set_late_percent(Small(&random, 101));
  if (OneIn(&random, 3)) options->set_anchors_per_set(Small(&random, 4));
  options->set_search_stages(OneIn(&random, 4) ? random.Below(200) : 5000);
  if (OneIn(&random, 2)) options->set_most_alternatives(Small(&random, 20));
  options->set_flips(seed % 4 == 0);
  options->set_traces(seed % 2 == 0);
  return request;
}

v1::JudgeWarmRequest RandomJudgement(uint64_t seed, uint32_t rounds) {
  Random random(seed);
  v1::JudgeWarmRequest request;
  const bool interleaved = seed % 4 == 0;
  for (uint32_t card = 1 + Small(&random, 3); card > 0; --card) {
    const uint64_t level = 100000 + random.Below(1000000);
    const uint64_t percent = 90 + random.Below(15);  // with the warm
    const uint32_t number = card * 7 % 5;
    uint32_t own_rounds = 1 + Small(&random, rounds);
    for (const bool warmed : {true, false}) {
      v1::RoundSeries* const series = request.add_series();
      series->set_card(number);
      series->set_warmed(warmed);
      AddTimes(&random, warmed ? level * percent / 100 : level, own_rounds, series);
      if (!interleaved) own_rounds = 1 + Small(&random, rounds);
    }
  }
  if (OneIn(&random, 2)) {
    request.set_warm_bytes(1 + random.Below(100000000));
    for (uint64_t issues = random.Below(50); issues > 0; --issues) {
      request.add_warm_durations(20000 + random.Below(400000));
    }
    if (OneIn(&random, 2)) request.set_issues_per_round(random.Below(4));
  }
  if (OneIn(&random, 3)) request.set_standalone_bound(random.Below(100000));
  SetOptions(&random, request.mutable_options());
  request.mutable_options()->set_interleaved(interleaved);
  return request;
}

}  // namespace testing
}  // namespace torqsched
