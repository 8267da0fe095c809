// What is said of each region and of each choice that was weighed.
#include <algorithm>
#include <vector>

#include "gtest/gtest.h"
#include "src/warm/planner.h"
#include "tests/warm/fixtures.h"

namespace torqsched {
namespace {

constexpr uint64_t kMb = 1000000;

WarmOptions Quick() {
  WarmOptions options;
  options.flips = false;
  options.traces = false;
  return options;
}

// An L2 of 100 MB, an engine of 500 bytes a ns, a memory of 1,000.
WarmHardware RoundHardware() {
  WarmHardware hardware;
  hardware.l2_bytes = 100 * kMb;
  hardware.memory = {1000, 1};
  hardware.engine = {{500, 1}};
  hardware.engine_hits = {2000, 1};
  hardware.issue_ns = 1000;
  return hardware;
}

class Layer {
 public:
  explicit Layer(uint64_t bytes) {
    timeline.regions.resize(1);
    timeline.regions[0].name = "w";
    timeline.regions[0].bytes = bytes;
    timeline.kinds.resize(1);
    timeline.runs = {{{0}, 10}};
  }
  WarmStage& Stage(uint64_t ns, uint64_t other_bytes = 0) {
    WarmStage& stage = timeline.kinds[0].stages.emplace_back();
    stage.duration_ns = ns;
    stage.other_bytes = other_bytes;
    return stage;
  }
  void Reader(uint64_t bytes = 0) {
    const uint64_t all = bytes != 0 ? bytes : timeline.regions[0].bytes;
    WarmStage& stage = Stage(all / 500);
    stage.resident_ns = all / 2000;
    stage.reads = {{0, bytes, false}};
  }
  WarmRegionVerdict Verdict(const WarmOptions& options = Quick()) const {
    const auto plan = PlanWarm(hardware, timeline, options);
    EXPECT_TRUE(plan.ok()) << plan.status();
    return plan.ok() ? plan->kinds[0].verdicts[0] : WarmRegionVerdict();
  }

  WarmHardware hardware = RoundHardware();
  WarmTimeline timeline;
};

TEST(WarmVerdictTest, WhatLandsAndIsEvictedBeforeItIsReadIsTooLargeNotTooLate) {
  Layer layer(10 * kMb);
  layer.Stage(1000).has_task_id = true;
  layer.Stage(400000, 300 * kMb);
  layer.Reader();
  const WarmRegionVerdict evicted = layer.Verdict();
  EXPECT_EQ(evicted.verdict, WarmVerdict::kTooLarge);
  EXPECT_TRUE(evicted.weighed);
  EXPECT_EQ(evicted.evicted_bytes, 10 * kMb);
  EXPECT_EQ(evicted.landed_bytes, 0u);
  EXPECT_EQ(evicted.hit_bytes, 0u);
  // With less in between it is found.
  layer.timeline.kinds[0].stages[1].other_bytes = 50 * kMb;
  layer.timeline.runs[0].repeats = 100;
  const WarmRegionVerdict warm = layer.Verdict();
  EXPECT_EQ(warm.verdict, WarmVerdict::kWarm);
  EXPECT_EQ(warm.evicted_bytes, 0u);
  EXPECT_EQ(warm.hit_bytes, 10 * kMb);
}

TEST(WarmVerdictTest, WhatHasNoTimeToLandIsTooLateByWhatItsReaderFinds) {
  Layer layer(10 * kMb);
  layer.Stage(300000, 300 * kMb).has_task_id = true;
  layer.Stage(1100);
  layer.Reader();
  layer.hardware.engine = {{5, 1}};
  const WarmRegionVerdict late = layer.Verdict();
  EXPECT_EQ(late.verdict, WarmVerdict::kTooLate);
  EXPECT_LT(late.hit_bytes, kMb);
  EXPECT_GT(late.hit_bytes, late.landed_bytes);
  EXPECT_EQ(late.evicted_bytes, 0u);
}

// A reader of a tenth of the region finds at most a tenth of it, and that is enough.
TEST(WarmVerdictTest, LateIsMeasuredByWhatIsRead) {
  Layer layer(50 * kMb);
  layer.Stage(300000, 300 * kMb).has_task_id = true;
  layer.Stage(150000);
  layer.Reader(4 * kMb);
  const WarmRegionVerdict verdict = layer.Verdict();
  EXPECT_EQ(verdict.verdict, WarmVerdict::kWarm);
  EXPECT_EQ(verdict.hit_bytes, 4 * kMb);
  // Where it does not gain enough, it is not for being late.
  WarmOptions options = Quick();
  options.min_gain_ns = 100000;
  EXPECT_EQ(layer.Verdict(options).verdict, WarmVerdict::kNoGain);
}

// The limit that the header states: a second read in a layer is not looked at.
TEST(WarmVerdictTest, ARegionThatIsReadTwiceIsJudgedByItsFirstRead) {
  Layer layer(10 * kMb);
  layer.timeline.regions[0].per_layer = false;
  layer.Reader();
  layer.Stage(300000, 200 * kMb).has_task_id = true;
  layer.Reader();
  const WarmRegionVerdict verdict = layer.Verdict();
  EXPECT_EQ(verdict.verdict, WarmVerdict::kResident);
  EXPECT_EQ(verdict.bytes_between, 10 * kMb);
  EXPECT_EQ(verdict.reader, 0u);
}

TEST(WarmVerdictTest, WhatIsNotWeighedTellsWhenItIsReadWithoutWarms) {
  const auto plan = PlanWarm(DocumentedHardware(), DecodeForward(), Quick());
  ASSERT_TRUE(plan.ok());
  const WarmKindPlan& swa = plan->kinds[kSwa];
  for (const WarmRegionVerdict& verdict : swa.verdicts) {
    if (verdict.region != kKv) continue;
    EXPECT_EQ(verdict.verdict, WarmVerdict::kDynamic);
    EXPECT_FALSE(verdict.weighed);
    // 30 + 6 + 26 + 36 + 48 us, and what being cold costs before it.
    EXPECT_GT(verdict.read_ns, 146000u);
    EXPECT_LT(verdict.read_ns, 156000u);
  }
}

TEST(WarmVerdictTest, AlternativesOfABoundedSearchSayWhatCouldHaveBeenChosen) {
  WarmOptions options = Quick();
  options.exact_combinations = 1;
  const auto plan = PlanWarm(TableHardware(), DecodeForward(), options);
  ASSERT_TRUE(plan.ok());
  const WarmKindPlan& hca = plan->kinds[kHca];
  EXPECT_FALSE(hca.exact);
  const auto is = [](const WarmAlternative& a, const std::vector<WarmScope>& scopes) {
    return std::equal(a.scopes.begin(), a.scopes.end(), scopes.begin(), scopes.end(),
                      [](const WarmScope& x, const WarmScope& y) {
                        return x.anchor == y.anchor && x.regions == y.regions;
                      });
  };
  struct Expected {
    std::vector<WarmScope> scopes;
    bool eligible = false;
  };
  const std::vector<Expected> all = {
      {{{kQUp, {kWoA, kWoB}}}, true},
      {{{kRmsNorm, {kWoA, kWoB}}}, true},
      {{{kRmsNorm, {kWoA}}, {kRmsNorm, {kWoB}}}, true},
      {{{kQUp, {kWoB, kWoA}}}, false},         // not in the order of their readers
      {{{kQUp, {kWoA}}}, false},               // not the whole set
      {{{kLayerEntry, {kWoA, kWoB}}}, false},  // no task id
  };
  for (const Expected& expected : all) {
    const auto found =
        std::find_if(hca.alternatives.begin(), hca.alternatives.end(),
                     [&](const WarmAlternative& a) { return is(a, expected.scopes); });
    ASSERT_NE(found, hca.alternatives.end());
    EXPECT_EQ(found->eligible, expected.eligible) << found->change_ns;
  }
}

TEST(WarmVerdictTest, AlternativesAreAtMostAsManyAsAskedForNoWarmAmongThem) {
  for (const uint32_t most : {1, 2, 10}) {
    WarmOptions options = Quick();
    options.most_alternatives = most;
    const auto plan = PlanWarm(TableHardware(), DecodeForward(), options);
    ASSERT_TRUE(plan.ok());
    const std::vector<WarmAlternative>& listed = plan->kinds[kHca].alternatives;
    EXPECT_EQ(listed.size(), most);
    EXPECT_EQ(std::count_if(listed.begin(), listed.end(),
                            [](const WarmAlternative& a) { return a.scopes.empty(); }),
              1);
  }
}

}  // namespace
}  // namespace torqsched
