// The search against trying everything, what it lists and says of its assumptions, and its limits.
#include <algorithm>
#include <vector>

#include "gtest/gtest.h"
#include "src/warm/planner.h"
#include "tests/warm/fixtures.h"
#include "tests/warm/planner_random.h"

namespace torqsched {
namespace {

WarmOptions Quick() {
  WarmOptions options;
  options.flips = false;
  options.traces = false;
  options.alternatives = false;
  return options;
}

// The least change plus min_gain_ns a region, over every assignment of an anchor (or none) to each
// region that passes the rules: written down without the planner's search.
int64_t BestByTryingAll(const WarmHardware& hardware, const WarmTimeline& timeline,
                        const WarmPlan& plan, uint64_t min_gain_ns) {
  struct Candidate {
    uint32_t region = 0;
    uint32_t reader = 0;
  };
  std::vector<Candidate> candidates;
  for (const WarmRegionVerdict& verdict : plan.kinds[0].verdicts) {
    if (verdict.verdict == WarmVerdict::kResident) continue;
    const bool fits = verdict.bytes < hardware.l2_bytes;
    if (fits && verdict.reader > 0) candidates.push_back({verdict.region, verdict.reader});
  }
  std::vector<uint32_t> anchors(candidates.size(), 0);  // 0: none, else stage + 1
  int64_t best = 0;
  for (;;) {
    size_t i = 0;
    while (i < anchors.size() && anchors[i] == candidates[i].reader) anchors[i++] = 0;
    if (i == anchors.size()) return best;
    ++anchors[i];
    std::vector<WarmScope> scopes;
    int64_t regions = 0;
    for (uint32_t s = 0; s < timeline.kinds[0].stages.size(); ++s) {
      WarmScope scope{s, {}};
      for (size_t j = 0; j < candidates.size(); ++j) {
        if (anchors[j] == s + 1) scope.regions.push_back(candidates[j].region);
      }
      regions += static_cast<int64_t>(scope.regions.size());
      if (!scope.regions.empty()) scopes.push_back(scope);
    }
    const auto predicted = PredictWarm(hardware, timeline, 0, scopes);
    EXPECT_TRUE(predicted.ok());
    if (!predicted->fits) continue;
    best = std::min(best, predicted->change_ns + regions * static_cast<int64_t>(min_gain_ns));
  }
}

TEST(WarmChoiceTest, ThePlanIsTheBestOfAllThatThereIs) {
  WarmOptions options = Quick();
  options.whole_sets = false;
  options.split_scopes = false;
  int warmed = 0;
  for (uint64_t seed = 0; seed < 150; ++seed) {
    WarmTimeline timeline = RandomTimeline(seed);
    timeline.runs = {{{0}, 20}};
    const WarmHardware hardware = RandomHardware(seed);
    const absl::StatusOr<WarmPlan> plan = PlanWarm(hardware, timeline, options);
    ASSERT_TRUE(plan.ok()) << plan.status();
    if (!plan->kinds[0].exact) continue;
    int64_t regions = 0;
    for (const PlannedScope& scope : plan->kinds[0].scopes) {
      regions += static_cast<int64_t>(scope.regions.size());
    }
    warmed += regions > 0 ? 1 : 0;
    const int64_t found =
        plan->kinds[0].change_ns + regions * static_cast<int64_t>(options.min_gain_ns);
    EXPECT_NEAR(
        static_cast<double>(found),
        static_cast<double>(BestByTryingAll(hardware, timeline, *plan, options.min_gain_ns)), 2)
        << "seed " << seed;
  }
  EXPECT_GT(warmed, 40);
}

// Set after set is not exact; it gains at least 95 % of what all combinations gain, in sum.
TEST(WarmChoiceTest, OneSetAfterTheOtherIsAlmostAsGoodAsAll) {
  WarmOptions exact = Quick();
  exact.whole_sets = false;
  WarmOptions greedy = exact;
  greedy.exact_combinations = 1;
  int64_t with_all = 0;
  int64_t one_by_one = 0;
  for (uint64_t seed = 0; seed < 150; ++seed) {
    WarmTimeline timeline = RandomTimeline(seed);
    timeline.runs = {{{0}, 20}};
    const WarmHardware hardware = RandomHardware(seed);
    const absl::StatusOr<WarmPlan> all = PlanWarm(hardware, timeline, exact);
    const absl::StatusOr<WarmPlan> one = PlanWarm(hardware, timeline, greedy);
    ASSERT_TRUE(all.ok() && one.ok());
    if (!all->kinds[0].exact) continue;
    EXPECT_TRUE(all->kinds[0].scopes.empty() || !one->kinds[0].exact);
    EXPECT_LE(one->kinds[0].change_ns, 0);
    with_all += all->kinds[0].change_ns;
    one_by_one += one->kinds[0].change_ns;
  }
  EXPECT_LE(one_by_one * 100, with_all * 95);
}

TEST(WarmChoiceTest, NothingIsWarmedThatDoesNotGainEnough) {
  WarmOptions options = Quick();
  options.min_gain_ns = 6000;
  const auto plan = PlanWarm(DocumentedHardware(), DecodeForward(), options);
  ASSERT_TRUE(plan.ok());
  // 5.3 us a layer in SWA and HCA, 9.4 in CSA.
  EXPECT_TRUE(plan->kinds[kSwa].scopes.empty());
  EXPECT_TRUE(plan->kinds[kHca].scopes.empty());
  EXPECT_FALSE(plan->kinds[kCsa].scopes.empty());
  for (const WarmRegionVerdict& verdict : plan->kinds[kHca].verdicts) {
    if (verdict.region != kWoA) continue;
    EXPECT_EQ(verdict.verdict, WarmVerdict::kNoGain);
  }
}

TEST(WarmChoiceTest, WithoutATaskIdTheTensorOfTheStageIsTheAnchor) {
  WarmTimeline timeline = DecodeForward();
  for (WarmLayerKind& kind : timeline.kinds) {
    kind.input = "";
    for (WarmStage& stage : kind.stages) {
      stage.has_task_id = false;
      if (stage.writes != "q") stage.writes = "";
    }
  }
  const auto plan = PlanWarm(BenchHardware(), timeline, Quick());
  ASSERT_TRUE(plan.ok());
  for (const WarmKindPlan& kind : plan->kinds) {
    ASSERT_EQ(kind.scopes.size(), 1u);
    EXPECT_EQ(kind.scopes[0].anchor, kQUp);
    EXPECT_FALSE(kind.scopes[0].by_task_id);
  }
}

// What the model would do where it may hang a scope on any tensor: it warms the q weights from the
// layer's entry, which the source measured as a loss. By default it may not.
TEST(WarmChoiceTest, TensorsAreAnchorsBesideTaskIdsOnlyIfSaid) {
  WarmOptions options = Quick();
  options.read_anchors = true;
  const auto plan = PlanWarm(BenchHardware(), DecodeForward(), options);
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->kinds[kSwa].scopes.front().anchor, kLayerEntry);
  EXPECT_LT(plan->kinds[kSwa].change_ns,
            PlanWarm(BenchHardware(), DecodeForward(), Quick())->kinds[kSwa].change_ns);
}

TEST(WarmChoiceTest, AlternativesHoldEveryRowOfTheTables) {
  WarmOptions options = Quick();
  options.alternatives = true;
  const auto plan = PlanWarm(TableHardware(), DecodeForward(), options);
  ASSERT_TRUE(plan.ok());
  const std::vector<WarmAlternative>& all = plan->kinds[kHca].alternatives;
  const auto find = [&all](const std::vector<WarmScope>& scopes) {
    return std::find_if(all.begin(), all.end(), [&scopes](const WarmAlternative& a) {
      return std::equal(a.scopes.begin(), a.scopes.end(), scopes.begin(), scopes.end(),
                        [](const WarmScope& x, const WarmScope& y) {
                          return x.anchor == y.anchor && x.regions == y.regions;
                        });
    });
  };
  for (const uint32_t anchor :
       {kLayerEntry, uint32_t{kRmsNorm}, uint32_t{kQDown}, uint32_t{kQUp}, uint32_t{kAttnInputs}}) {
    EXPECT_NE(find({{anchor, {kWoA, kWoB}}}), all.end()) << anchor;
  }
  for (const std::vector<uint32_t>& set : {std::vector<uint32_t>{kWoA}, {kWoB}, {kWoB, kWoA}}) {
    const auto found = find({{kQUp, set}});
    ASSERT_NE(found, all.end());
    EXPECT_FALSE(found->eligible);
  }
  EXPECT_NE(find({{kQUp, {kWoA}}, {kQUp, {kWoB}}}), all.end());
  const auto none = find({});
  ASSERT_NE(none, all.end());
  EXPECT_EQ(none->change_ns, 0);
  const auto chosen = find({{kQUp, {kWoA, kWoB}}});
  ASSERT_NE(chosen, all.end());
  EXPECT_TRUE(chosen->eligible);
  EXPECT_EQ(chosen->change_ns, plan->kinds[kHca].change_ns);
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return a.change_ns < b.change_ns;
  }));
}

TEST(WarmChoiceTest, AnExpertSetIsListedThoughItDoesNotFit) {
  WarmOptions options = Quick();
  options.alternatives = true;
  const auto plan = PlanWarm(DocumentedHardware(), DecodeForward(), options);
  ASSERT_TRUE(plan.ok());
  const std::vector<WarmAlternative>& all = plan->kinds[kSwa].alternatives;
  EXPECT_TRUE(std::any_of(all.begin(), all.end(), [](const WarmAlternative& a) {
    return a.bytes_in_flight == 427819008 && !a.fits && !a.eligible;
  }));
}

const WarmFlip& FlipOf(const WarmKindPlan& plan, WarmParameter parameter) {
  return *std::find_if(plan.flips.begin(), plan.flips.end(),
                       [parameter](const WarmFlip& flip) { return flip.parameter == parameter; });
}

TEST(WarmFlipsTest, AFlipIsWhereTheChoiceChangesAndNotBefore) {
  WarmOptions options;
  options.traces = false;
  options.alternatives = false;
  const WarmTimeline timeline = AttentionRow();
  const auto plan = PlanWarm(DocumentedHardware(), timeline, options);
  ASSERT_TRUE(plan.ok());
  ASSERT_EQ(plan->kinds[0].flips.size(), 11u);
  options.flips = false;
  const auto anchor_with = [&](const WarmHardware& hardware) {
    const auto other = PlanWarm(hardware, timeline, options);
    EXPECT_TRUE(other.ok());
    return other->kinds[0].scopes.empty() ? kLayerEntry : other->kinds[0].scopes[0].anchor;
  };
  const WarmFlip& memory = FlipOf(plan->kinds[0], WarmParameter::kMemoryBandwidth);
  EXPECT_EQ(memory.value, 1600000u);
  ASSERT_TRUE(memory.above.has_value());
  WarmHardware hardware = DocumentedHardware();
  hardware.memory = {*memory.above, 1000};
  EXPECT_NE(anchor_with(hardware), kQUp);
  hardware.memory = {*memory.above - *memory.above / 50, 1000};
  EXPECT_EQ(anchor_with(hardware), kQUp);
  // If residency saved a tenth of what it does, nothing would be warmed or something else.
  const WarmFlip& saving = FlipOf(plan->kinds[0], WarmParameter::kHitSaving);
  EXPECT_EQ(saving.value, 100u);
  ASSERT_TRUE(saving.below.has_value());
  EXPECT_GT(*saving.below, 5u);
}

// If the start-up were paid in every forward, nothing would be worth its while from q on.
TEST(WarmFlipsTest, AStartUpInEveryForwardFlipsTheChoiceLongBefore250Us) {
  WarmOptions options = Quick();
  options.flips = true;
  const auto plan = PlanWarm(BenchHardware(), DecodeForward(), options);
  ASSERT_TRUE(plan.ok());
  for (const WarmKindPlan& kind : plan->kinds) {
    const WarmFlip& startup = FlipOf(kind, WarmParameter::kStartupNs);
    EXPECT_EQ(startup.value, 0u);
    ASSERT_TRUE(startup.above.has_value());
    EXPECT_LT(*startup.above, 100000u);
  }
  for (WarmHardware hardware : {DocumentedHardware(), TableHardware(), BenchHardware()}) {
    hardware.startup = WarmStartup::kEveryForward;
    const auto every = PlanWarm(hardware, DecodeForward(), Quick());
    ASSERT_TRUE(every.ok());
    for (const WarmKindPlan& kind : every->kinds) EXPECT_TRUE(kind.scopes.empty());
  }
}

TEST(WarmFlipsTest, LessL2ThanThePairLeavesNoPair) {
  WarmOptions options = Quick();
  options.flips = true;
  const auto plan = PlanWarm(BenchHardware(), DecodeForward(), options);
  ASSERT_TRUE(plan.ok());
  const WarmFlip& l2 = FlipOf(plan->kinds[kSwa], WarmParameter::kL2Bytes);
  ASSERT_TRUE(l2.below.has_value());
  EXPECT_NEAR(static_cast<double>(*l2.below), 100663296, 1100000);
}

TEST(WarmScaleTest, LayersThatRepeatAreNotPlannedAgain) {
  WarmTimeline timeline = DecodeForward();
  for (WarmRun& run : timeline.runs) run.repeats *= 100;
  const auto once = PlanWarm(BenchHardware(), DecodeForward(), Quick());
  const auto often = PlanWarm(BenchHardware(), timeline, Quick());
  ASSERT_TRUE(once.ok() && often.ok());
  EXPECT_EQ(once->kinds[kHca].simulated_stages, often->kinds[kHca].simulated_stages);
  EXPECT_EQ(once->kinds[kHca].change_ns, often->kinds[kHca].change_ns);
  EXPECT_NEAR(static_cast<double>(often->cold_ns), 100.0 * static_cast<double>(once->cold_ns),
              100.0);
}

TEST(WarmPlanTest, TheForwardsChangeIsThatOfItsLayers) {
  const auto plan = PlanWarm(TableHardware(), DecodeForward(), Quick());
  ASSERT_TRUE(plan.ok());
  int64_t sum = 0;
  for (const WarmKindPlan& kind : plan->kinds) {
    sum += kind.change_ns * static_cast<int64_t>(kind.layers);
  }
  EXPECT_NEAR(static_cast<double>(plan->change_ns), static_cast<double>(sum), 5000);
  EXPECT_EQ(plan->change_ns,
            static_cast<int64_t>(plan->warm_ns) - static_cast<int64_t>(plan->cold_ns));
  EXPECT_TRUE(plan->unread.empty());
}

}  // namespace
}  // namespace torqsched
