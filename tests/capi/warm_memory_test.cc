// The estimates of torqsched.h for a plan of warms and for a judgement, against what calls take.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/capi/calls.h"
#include "tests/capi/counting_heap.h"
#include "tests/capi/warm_requests.h"

namespace torqsched {
namespace testing {
namespace {

// ---- What torqsched.h says ----

uint64_t Count(int items) { return static_cast<uint64_t>(items); }

// The lesser of most and base ^ exponent.
uint64_t Power(uint64_t base, uint64_t exponent, uint64_t most) {
  uint64_t power = 1;
  for (; exponent > 0 && power < most; --exponent) power *= base;
  return std::min(power, most);
}

uint64_t Estimate(const v1::PlanWarmRequest& request, size_t request_size) {
  const v1::WarmTimeline& timeline = request.timeline();
  const v1::WarmOptions& options = request.options();
  const uint64_t exact = options.has_exact_combinations() ? options.exact_combinations() : 4096;
  const uint64_t most = options.has_most_alternatives() ? options.most_alternatives() : 256;
  uint64_t bytes =
      4 * request_size + 1024 * Count(timeline.regions_size()) + 512 * Count(timeline.runs_size());
  for (const v1::WarmRegion& region : timeline.regions()) bytes += 32 * Count(region.shape_size());
  std::vector<uint64_t> layers(Count(timeline.kinds_size()), timeline.runs_size() == 0 ? 1 : 0);
  for (const v1::WarmRun& run : timeline.runs()) {
    bytes += 32 * Count(run.kinds_size());
    const uint64_t repeats = run.has_repeats() ? run.repeats() : 1;
    for (const uint32_t kind : run.kinds()) layers[kind] += std::min<uint64_t>(repeats, 3);
  }
  uint64_t searched = 0;
  for (int k = 0; k < timeline.kinds_size(); ++k) {
    const v1::WarmLayerKind& kind = timeline.kinds(k);
    const uint64_t stages = Count(kind.stages_size());
    uint64_t anchors = kind.input().empty() ? 0 : 1;
    uint64_t reads = 0;
    uint64_t readers = 0;
    std::map<uint32_t, uint64_t> reads_of;  // a region
    for (const v1::WarmStage& stage : kind.stages()) {
      anchors += stage.has_task_id() || !stage.writes().empty() ? 1 : 0;
      reads += Count(stage.reads_size());
      readers += stage.reads_size() > 0 ? 1 : 0;
      bytes += 32 * Count(stage.after().stages_size());
      for (const v1::WarmRead& read : stage.reads()) ++reads_of[read.region()];
    }
    uint64_t meetings = 0;
    for (const auto& [region, times] : reads_of) meetings += times * std::min<uint64_t>(times, 64);
    bytes += 2048 * (stages + 1) + 1024 * reads;
    if (options.traces()) bytes += 1024 * stages + 2048 * reads + 384 * meetings;
    bytes += layers[Count(k)] * (192 + 32 * stages + 384 * reads);
    const uint64_t sets = options.single_regions() ? reads : readers;
    const uint64_t several = std::min<uint64_t>(sets, 13);
    if (options.flips()) bytes += 4096 + 4096 * several;
    const uint64_t split = std::min(sets, reads - sets);
    const uint64_t at_most = exact + 2048;
    const uint64_t whole = Power(anchors + 1, sets - split, at_most);
    const uint64_t choices =
        stages > 256 ? 1
                     : std::min(at_most, whole * Power(2 * anchors + 1, split, at_most) +
                                             16 * anchors * sets);
    searched = std::max(searched, choices * (128 + 16 * reads + 40 * several));
    bytes += std::min(choices, most) * (128 + 16 * reads + 48 * several);
  }
  return bytes + searched;
}

uint64_t Estimate(const v1::JudgeWarmRequest& request, size_t request_size) {
  uint64_t rounds = Count(request.warm_durations_size());
  for (const v1::RoundSeries& series : request.series()) rounds += Count(series.times_size());
  const uint64_t resamples =
      request.options().has_resamples() ? request.options().resamples() : 2000;
  const uint64_t series = Count(request.series_size());
  return 4 * request_size + 48 * rounds + 1024 * series + 160 * resamples;
}

// items: what there is most of, to print bytes for each of.
template <typename Request>
void ExpectWithinEstimate(const char* scene, const Call& call, int items, const Request& request) {
  const std::string bytes = request.SerializeAsString();
  const uint64_t estimate = Estimate(request, bytes.size());
  const uint64_t peak = Peak(call, bytes);
  std::printf(
      "%s: %llu bytes of an estimated %llu (%llu %%); %llu each, %llu of them of the request\n",
      scene, static_cast<unsigned long long>(peak), static_cast<unsigned long long>(estimate),
      static_cast<unsigned long long>(100 * estimate / peak),
      static_cast<unsigned long long>(peak / Count(items)),
      static_cast<unsigned long long>(4 * bytes.size() / Count(items)));
  EXPECT_LE(peak, estimate) << scene;
  // A large call that is refused should be one that would have been large.
  if (peak > 10000000) {
    EXPECT_LT(estimate, 10 * peak) << scene;
  }
}

// ---- Plans ----

v1::WarmStage* AddStage(v1::WarmLayerKind* kind, uint64_t ns) {
  v1::WarmStage* const stage = kind->add_stages();
  stage->set_duration_ns(ns);
  return stage;
}

// So many regions of so many bytes.
void AddRegions(int regions, uint64_t bytes, v1::WarmTimeline* timeline) {
  for (int r = 0; r < regions; ++r) {
    v1::WarmRegion* const region = timeline->add_regions();
    region->set_name(std::to_string(r));
    region->set_bytes(bytes);
  }
}

// A kind of which every `every`th stage reads a region of its own, and the others are anchors.
v1::PlanWarmRequest Long(int stages, int every) {
  v1::PlanWarmRequest request;
  v1::WarmTimeline* const timeline = request.mutable_timeline();
  AddRegions(stages / every, 2000000, timeline);
  v1::WarmLayerKind* const kind = timeline->add_kinds();
  for (int s = 0; s < stages; ++s) {
    v1::WarmStage* const stage = AddStage(kind, 10000);
    stage->set_has_task_id(s % every == 0);
    if (s % every == every - 1) {
      stage->add_reads()->set_region(static_cast<uint32_t>(s / every));
    }
  }
  request.mutable_hardware()->set_l2_bytes(10000000);
  request.mutable_hardware()->set_issue_ns(100);
  return request;
}

void ExpectPlanWithinEstimate(const char* scene, int items, v1::PlanWarmRequest request) {
  ExpectWithinEstimate(scene, kPlanWarm, items, request);
  request.mutable_options()->set_traces(true);
  request.mutable_options()->set_flips(true);
  ExpectWithinEstimate((std::string(scene) + ", in detail").c_str(), kPlanWarm, items, request);
}

TEST(WarmMemory, Stages) {
  ExpectPlanWithinEstimate("stages of nothing", 50000, Long(50000, 100000));
  ExpectPlanWithinEstimate("stages, one in two reads", 20000, Long(20000, 2));
  ExpectPlanWithinEstimate("stages, one in ten reads", 20000, Long(20000, 10));
  v1::PlanWarmRequest waits;
  v1::WarmLayerKind* const kind = waits.mutable_timeline()->add_kinds();
  waits.mutable_timeline()->set_parallel_stages(16);
  for (uint32_t s = 0; s < 500; ++s) {
    v1::WarmStage* const stage = AddStage(kind, 5);
    for (uint32_t earlier = 0; earlier < s; ++earlier) stage->mutable_after()->add_stages(earlier);
  }
  ExpectPlanWithinEstimate("stages that wait for all before them", 125000, waits);
}

TEST(WarmMemory, RegionsAndReads) {
  v1::PlanWarmRequest regions;
  AddRegions(100000, 1, regions.mutable_timeline());
  AddStage(regions.mutable_timeline()->add_kinds(), 1);
  ExpectPlanWithinEstimate("regions that nobody reads", 100000, regions);
  v1::PlanWarmRequest shapes;
  AddRegions(1000, 1, shapes.mutable_timeline());
  AddStage(shapes.mutable_timeline()->add_kinds(), 1);
  for (v1::WarmRegion& region : *shapes.mutable_timeline()->mutable_regions()) {
    for (int i = 0; i < 500; ++i) region.add_shape(1);
  }
  ExpectPlanWithinEstimate("dimensions", 500000, shapes);
  v1::PlanWarmRequest reads;
  AddRegions(20000, 100000, reads.mutable_timeline());
  v1::WarmLayerKind* const kind = reads.mutable_timeline()->add_kinds();
  AddStage(kind, 1000)->set_has_task_id(true);
  v1::WarmStage* const stage = AddStage(kind, 1000000000);
  for (uint32_t r = 0; r < 20000; ++r) stage->add_reads()->set_region(r);
  ExpectPlanWithinEstimate("reads of one stage", 20000, reads);
  reads.mutable_timeline()->mutable_regions()->DeleteSubrange(1000, 19000);
  kind->mutable_stages(1)->mutable_reads()->DeleteSubrange(1000, 19000);
  reads.mutable_options()->set_single_regions(true);
  reads.mutable_options()->set_search_stages(200);
  ExpectPlanWithinEstimate("reads of one stage, each by itself", 1000, reads);
  kind->mutable_stages(0)->set_has_task_id(false);
  ExpectPlanWithinEstimate("reads without an anchor", 1000, reads);
}

// Many stages read the same regions.
TEST(WarmMemory, RegionsThatAreReadOften) {
  v1::PlanWarmRequest request;
  AddRegions(20, 3000000, request.mutable_timeline());
  v1::WarmLayerKind* const kind = request.mutable_timeline()->add_kinds();
  for (uint32_t s = 0; s < 2000; ++s) {
    v1::WarmStage* const stage = AddStage(kind, 100000);
    stage->set_has_task_id(true);
    for (uint32_t r = 0; r < 20; ++r) {
      v1::WarmRead* const read = stage->add_reads();
      read->set_region((r + s) % 20);
      read->set_bytes(1 + (s * 7919 + r * 104729) % 3000000);
      read->set_beside_previous(r % 3 == 0);
    }
  }
  request.mutable_hardware()->set_l2_bytes(20000000);
  ExpectPlanWithinEstimate("regions that are read often", 40000, request);
}

TEST(WarmMemory, KindsAndRuns) {
  v1::PlanWarmRequest kinds;
  v1::WarmTimeline* const timeline = kinds.mutable_timeline();
  AddRegions(3, 1000000, timeline);
  for (int k = 0; k < 300; ++k) {
    v1::WarmLayerKind* const kind = timeline->add_kinds();
    AddStage(kind, 10000)->set_has_task_id(true);
    for (uint32_t r = 0; r < 3; ++r) {
      v1::WarmStage* const stage = AddStage(kind, 10000);
      stage->set_resident_ns(1000);
      stage->set_other_bytes(1000000);
      stage->add_reads()->set_region(r);
    }
  }
  kinds.mutable_hardware()->set_l2_bytes(5000000);
  kinds.mutable_hardware()->set_issue_ns(1);
  ExpectPlanWithinEstimate("kinds", 300, kinds);
  kinds.mutable_options()->set_single_regions(true);
  ExpectPlanWithinEstimate("kinds, each region by itself", 300, kinds);
  v1::PlanWarmRequest runs;
  AddStage(runs.mutable_timeline()->add_kinds(), 1);
  for (int i = 0; i < 50000; ++i) runs.mutable_timeline()->add_runs()->add_kinds(0);
  ExpectPlanWithinEstimate("runs", 50000, runs);
  v1::PlanWarmRequest stages;
  for (int i = 0; i < 20000; ++i) AddStage(stages.mutable_timeline()->add_kinds(), 1);
  ExpectWithinEstimate("kinds of a stage", kPlanWarm, 20000, stages);
}

// A byte of the request for each layer.
TEST(WarmMemory, LayersOfARun) {
  v1::PlanWarmRequest request = Long(20, 4);
  v1::WarmRun* const run = request.mutable_timeline()->add_runs();
  for (int i = 0; i < 3000; ++i) run->add_kinds(0);
  run->set_repeats(9);
  ExpectPlanWithinEstimate("layers of a run", 9000, request);
  request.mutable_timeline()->mutable_kinds(0)->clear_stages();
  for (int s = 0; s < 400; ++s) AddStage(request.mutable_timeline()->mutable_kinds(0), 1);
  ExpectPlanWithinEstimate("layers of many stages", 9000, request);
  request.mutable_timeline()->mutable_kinds(0)->clear_stages();
  AddStage(request.mutable_timeline()->mutable_kinds(0), 1);
  ExpectPlanWithinEstimate("layers of a stage", 9000, request);
}

// `sets` regions which stages read that do not follow each other, each after an anchor of its own.
v1::PlanWarmRequest Sets(int sets, int anchors) {
  v1::PlanWarmRequest request;
  v1::WarmTimeline* const timeline = request.mutable_timeline();
  AddRegions(sets, 1000000, timeline);
  v1::WarmLayerKind* const kind = timeline->add_kinds();
  for (int a = 0; a < anchors; ++a) AddStage(kind, 10000)->set_has_task_id(true);
  for (int r = 0; r < sets; ++r) {
    AddStage(kind, 5000)->add_reads()->set_region(static_cast<uint32_t>(r));
    AddStage(kind, 3000)->set_other_bytes(2000000);
  }
  request.mutable_hardware()->set_l2_bytes(Count(sets) * 1500000);
  request.mutable_hardware()->set_issue_ns(100);
  return request;
}

TEST(WarmMemory, Combinations) {
  ExpectPlanWithinEstimate("4096 combinations", 4096, Sets(12, 1));
  v1::PlanWarmRequest request = Sets(10, 2);  // 3 ^ 10
  request.mutable_options()->set_exact_combinations(60000);
  ExpectPlanWithinEstimate("59049 combinations", 59049, request);
  request.mutable_options()->set_most_alternatives(UINT32_MAX);
  ExpectPlanWithinEstimate("59049 alternatives", 59049, request);
  request = Sets(15, 1);
  request.mutable_options()->set_exact_combinations(65536);
  request.mutable_options()->set_most_alternatives(UINT32_MAX);
  ExpectPlanWithinEstimate("32768 alternatives of many sets", 32768, request);
}

// As many scopes as there can be: an anchor before each set, or two scopes of each set.
TEST(WarmMemory, CombinationsOfManyScopes) {
  v1::PlanWarmRequest anchors = Sets(7, 1);  // 8!
  v1::WarmLayerKind* const kind = anchors.mutable_timeline()->mutable_kinds(0);
  for (int s = 2; s < kind->stages_size(); s += 2) {
    kind->mutable_stages(s)->set_has_task_id(s + 1 < kind->stages_size());
  }
  anchors.mutable_options()->set_exact_combinations(50000);
  anchors.mutable_options()->set_most_alternatives(UINT32_MAX);
  ExpectPlanWithinEstimate("anchors of their own", 40320, anchors);
  v1::PlanWarmRequest split = Sets(9, 1);  // 3 ^ 9
  AddRegions(9, 400000, split.mutable_timeline());
  for (int r = 9; r < 18; ++r) {
    split.mutable_timeline()->mutable_regions(r)->set_name(std::to_string(r));
    split.mutable_timeline()
        ->mutable_kinds(0)
        ->mutable_stages(2 * (r - 9) + 1)
        ->add_reads()
        ->set_region(static_cast<uint32_t>(r));
  }
  split.mutable_options()->set_exact_combinations(65536);
  split.mutable_options()->set_most_alternatives(UINT32_MAX);
  ExpectPlanWithinEstimate("two scopes of each set", 19683, split);
}

// Regions that no anchor precedes are sets, too.
TEST(WarmMemory, CombinationsBesideManySets) {
  v1::PlanWarmRequest request = Sets(12, 1);
  AddRegions(500, 1, request.mutable_timeline());
  v1::WarmLayerKind* const kind = request.mutable_timeline()->mutable_kinds(0);
  v1::WarmStage* const first = kind->mutable_stages(0);
  for (int r = 12; r < 512; ++r) {
    request.mutable_timeline()->mutable_regions(r)->set_name("n" + std::to_string(r));
    first->add_reads()->set_region(static_cast<uint32_t>(r));
  }
  request.mutable_options()->set_single_regions(true);
  ExpectPlanWithinEstimate("4096 combinations beside 500 sets", 4096, request);
}

TEST(WarmMemory, RandomTimelines) {
  for (uint64_t seed = 1; seed < 40; ++seed) {
    ExpectPlanWithinEstimate("random", 1, RandomWarm(seed, 30));
  }
}

// ---- Judgements ----

v1::JudgeWarmRequest Rounds(int cards, int rounds) {
  v1::JudgeWarmRequest request;
  for (int i = 0; i < 2 * cards; ++i) {
    v1::RoundSeries* const series = request.add_series();
    series->set_card(static_cast<uint32_t>(i / 2));
    series->set_warmed(i % 2 == 0);
    for (int r = 0; r < rounds; ++r) {
      series->add_times(1 + (Count(r) * 7919 + Count(i) * 104729) % 120);
    }
  }
  return request;
}

void ExpectJudgementWithinEstimate(const char* scene, int items,
                                   const v1::JudgeWarmRequest& request) {
  ExpectWithinEstimate(scene, kJudgeWarm, items, request);
}

TEST(JudgeMemory, RoundsAndSeries) {
  ExpectJudgementWithinEstimate("rounds", 1000000, Rounds(1, 500000));
  ExpectJudgementWithinEstimate("rounds of eight cards", 800000, Rounds(8, 50000));
  ExpectJudgementWithinEstimate("series of a round", 20000, Rounds(10000, 1));
  ExpectJudgementWithinEstimate("series of sixty rounds", 600000, Rounds(5000, 60));
}

TEST(JudgeMemory, Resamples) {
  v1::JudgeWarmRequest request = Rounds(2, 100);
  request.mutable_options()->set_resamples(100000);
  ExpectJudgementWithinEstimate("resamples", 100000, request);
  request = Rounds(100, 50);
  request.mutable_options()->set_resamples(100000);  // of which 20971 are made
  ExpectJudgementWithinEstimate("resamples of many series", 100000, request);
}

TEST(JudgeMemory, Durations) {
  v1::JudgeWarmRequest request = Rounds(1, 10);
  request.set_warm_bytes(1);
  for (int i = 0; i < 1000000; ++i) request.add_warm_durations(Count(1 + i % 100));
  ExpectJudgementWithinEstimate("durations", 1000000, request);
}

}  // namespace
}  // namespace testing
}  // namespace torqsched
