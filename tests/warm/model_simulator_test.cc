// The simulator against values by hand and against the literal reference.
#include <cmath>
#include <vector>

#include "gtest/gtest.h"
#include "src/warm/prepared.h"
#include "src/warm/simulator.h"
#include "tests/warm/planner_random.h"
#include "tests/warm/planner_reference.h"

namespace torqsched::warm {
namespace {

constexpr uint64_t kMb = 1000000;

// Round numbers: a bus of 1000 bytes a ns, an engine of 500 (two streams: 400 together), an issue
// of 10 us.
WarmHardware RoundHardware() {
  WarmHardware hardware;
  hardware.l2_bytes = 100 * kMb;
  hardware.memory = {1000, 1};
  hardware.engine = {{500, 1}, {400, 1}};
  hardware.engine_hits = {2000, 1};
  hardware.issue_ns = 10000;
  return hardware;
}

class Scene {
 public:
  uint32_t Region(const char* name, uint64_t bytes) {
    WarmRegion region;
    region.name = name;
    region.bytes = bytes;
    timeline.regions.push_back(region);
    return static_cast<uint32_t>(timeline.regions.size() - 1);
  }
  WarmStage& Stage(const char* name, uint64_t ns) {
    if (timeline.kinds.empty()) timeline.kinds.emplace_back();
    timeline.kinds[0].stages.emplace_back();
    timeline.kinds[0].stages.back().name = name;
    timeline.kinds[0].stages.back().duration_ns = ns;
    return timeline.kinds[0].stages.back();
  }
  void Reader(const char* name, uint32_t region, uint64_t cold_ns, uint64_t resident_ns) {
    WarmStage& stage = Stage(name, cold_ns);
    stage.resident_ns = resident_ns;
    stage.reads = {{region, 0, false}};
  }
  // Nothing in L2 at first, whatever the forward's repetition would leave there.
  void Run(const std::vector<WarmScope>& scopes, bool from_cold = true) {
    timeline.runs = {{{0}, 1}};
    prepared = Prepare(hardware, timeline);
    if (from_cold) {
      for (auto& gap : prepared.kinds[0].gaps) gap.reset();
    }
    Simulator simulator(prepared);
    const uint32_t stages = static_cast<uint32_t>(timeline.kinds[0].stages.size());
    layers = {{0, 0, stages, scopes}};
    result = simulator.Run(layers, nullptr);
    ASSERT_TRUE(result.finished);
  }
  uint64_t EndNs() const { return Whole(result.end); }
  uint64_t BeginNs(size_t stage) const { return Whole(result.stages[stage].begin); }
  uint64_t LengthNs(size_t stage) const {
    return Whole(result.stages[stage].end - result.stages[stage].begin);
  }

  WarmHardware hardware = RoundHardware();
  WarmTimeline timeline;
  PreparedTimeline prepared;
  std::vector<SimulatedLayer> layers;
  SimulationResult result;
};

TEST(SimulatorTest, AStageAloneTakesItsColdDuration) {
  Scene scene;
  scene.Reader("read", scene.Region("w", 10 * kMb), 20000, 12000);
  scene.Run({});
  EXPECT_EQ(scene.EndNs(), 20000u);
}

TEST(SimulatorTest, AStageWhoseRegionWasReadBeforeTakesItsResidentDuration) {
  Scene scene;
  const uint32_t w = scene.Region("w", 10 * kMb);
  scene.Reader("first", w, 20000, 12000);
  scene.Reader("second", w, 20000, 12000);
  scene.Run({});
  EXPECT_EQ(scene.LengthNs(0), 20000u);
  EXPECT_EQ(scene.LengthNs(1), 12000u);
}

TEST(SimulatorTest, ARegionThatAWholeL2CameInAfterIsCold) {
  Scene scene;
  const uint32_t w = scene.Region("w", 10 * kMb);
  scene.Reader("first", w, 20000, 12000);
  scene.Stage("others", 200000).other_bytes = 95 * kMb;
  scene.Reader("second", w, 20000, 12000);
  scene.Run({});
  EXPECT_EQ(scene.LengthNs(2), 20000u);
  // With 5 MB less in between, each byte comes 0 to 10 MB under the limit.
  scene.timeline.kinds[0].stages[1].other_bytes = 89 * kMb;
  scene.Run({});
  EXPECT_EQ(scene.LengthNs(2), 12000u);
}

// 10 us of issue, then 10 MB at 500 bytes a ns in 20 us: 30 us after the anchor.
TEST(SimulatorTest, AWarmThatLandsBeforeItsReaderSavesAllOfThePenalty) {
  Scene scene;
  scene.Stage("anchor", 5000);
  scene.Stage("other", 31000);
  scene.Reader("read", scene.Region("w", 10 * kMb), 20000, 12000);
  scene.Run({{0, {0}}});
  EXPECT_EQ(scene.EndNs(), 5000u + 31000 + 12000);
  EXPECT_EQ(Whole(scene.result.outcomes[0].landed), 35000u);
  EXPECT_EQ(Whole(scene.result.outcomes[0].hit), 10 * kMb);
  EXPECT_EQ(Whole(scene.result.outcomes[0].landed_before), 10 * kMb);
}

// The second region is issued 10 us after the first; its transfer waits for the first one's.
TEST(SimulatorTest, RegionsOfAScopeAreIssuedAndMovedInTurn) {
  Scene scene;
  scene.Region("a", 10 * kMb);
  scene.Region("b", kMb);
  scene.Stage("anchor", 5000);
  scene.Stage("other", 100000);
  scene.Run({{0, {0, 1}}});
  EXPECT_EQ(Whole(scene.result.outcomes[0].landed), 5000u + 10000 + 20000);
  EXPECT_EQ(Whole(scene.result.outcomes[1].issued), 5000u + 20000);
  EXPECT_EQ(Whole(scene.result.outcomes[1].landed), 5000u + 10000 + 20000 + 2000);
  scene.Run({{0, {1, 0}}});
  EXPECT_EQ(Whole(scene.result.outcomes[0].landed), 5000u + 10000 + 2000);
  EXPECT_EQ(Whole(scene.result.outcomes[1].landed), 5000u + 20000 + 20000);
}

// 5 MB have landed after 10 us; the stage hits these in 6 us (1.2 ns a kB) while the engine pulls 3
// MB more, and so on; where it has caught up with the engine, both read: of each ns 500 bytes cost
// a hit and the rest a cold byte, so that 10 MB take more than all hits and less than half cold.
TEST(SimulatorTest, WhatHasLandedIsSavedByTheByte) {
  Scene scene;
  scene.Stage("anchor", 5000);
  scene.Stage("other", 20000);
  scene.Reader("read", scene.Region("w", 10 * kMb), 20000, 12000);
  scene.Run({{0, {0}}});
  // Caught up where 5 MB + 500 t = t / 0.0012: t = 15 us, so all is read at the pace of hits.
  EXPECT_EQ(scene.LengthNs(2), 12000u);
  // Half of it at the beginning, and an engine of 100 bytes a ns: 5 MB of hits would be 6 us; it
  // has caught up after 5 / (1 / 1.2 - 0.1) = 6.818 us at 5.682 MB. Then 2 ns a kB cold
  // against 1.2: 0.5 + 0.1 * 0.4 = 0.54 MB a us, 4.318 MB in 7.996 us.
  scene.hardware.engine = {{100, 1}};
  scene.hardware.issue_ns = 0;
  scene.timeline.kinds[0].stages[1].duration_ns = 50000;
  scene.Run({{0, {0}}});
  EXPECT_NEAR(static_cast<double>(scene.LengthNs(2)), 6818.2 + 7996.6, 2);
}

TEST(SimulatorTest, WithFullLandingAPartSavesNothing) {
  Scene scene;
  scene.hardware.landing = WarmLanding::kFull;
  scene.Stage("anchor", 5000);
  scene.Stage("other", 29000);
  scene.Reader("read", scene.Region("w", 10 * kMb), 20000, 12000);
  scene.Run({{0, {0}}});
  // 1 us, 0.5 MB, is missing; the stage shares the bus with the engine for that long.
  EXPECT_GE(scene.LengthNs(2), 20000u);
  EXPECT_LE(scene.LengthNs(2), 20600u);
  scene.timeline.kinds[0].stages[1].duration_ns = 30000;
  scene.Run({{0, {0}}});
  EXPECT_EQ(scene.LengthNs(2), 12000u);
}

TEST(SimulatorTest, AStageThatNeedsAllCoresWaitsForTheLastIssue) {
  Scene scene;
  scene.Region("a", kMb);
  scene.Region("b", kMb);
  scene.Stage("anchor", 5000);
  scene.Stage("some cores", 4000);
  scene.Stage("all cores", 7000).all_vector_cores = true;
  scene.Run({{0, {0, 1}}});
  EXPECT_EQ(scene.BeginNs(1), 5000u);
  EXPECT_EQ(scene.BeginNs(2), 5000u + 20000);
  EXPECT_EQ(scene.EndNs(), 32000u);
}

TEST(SimulatorTest, ScopesThatOverlapIssueInTurn) {
  Scene scene;
  scene.Region("a", kMb);
  scene.Region("b", kMb);
  scene.Region("c", kMb);
  scene.Stage("anchor", 5000);
  scene.Stage("other", 100000);
  scene.Run({{0, {0, 2}}, {0, {1}}});
  EXPECT_EQ(Whole(scene.result.outcomes[0].issued), 15000u);  // a
  EXPECT_EQ(Whole(scene.result.outcomes[2].issued), 25000u);  // b
  EXPECT_EQ(Whole(scene.result.outcomes[1].issued), 35000u);  // c
}

// Two streams move 400 bytes a ns together.
TEST(SimulatorTest, TwoScopesShareAnEngineThatIsSlowerThen) {
  Scene scene;
  scene.hardware.issue_ns = 0;
  scene.Region("a", 10 * kMb);
  scene.Region("b", 10 * kMb);
  scene.Stage("anchor", 5000);
  scene.Stage("other", 200000);
  scene.Run({{0, {0}}, {0, {1}}});
  EXPECT_EQ(Whole(scene.result.outcomes[0].landed), 5000u + 50000);
  EXPECT_EQ(Whole(scene.result.outcomes[1].landed), 5000u + 50000);
  scene.Run({{0, {0, 1}}});
  EXPECT_EQ(Whole(scene.result.outcomes[1].landed), 5000u + 40000);
}

// With the engine's stream beside it, the all-to-all has 200 of the 500 bytes a ns it has alone.
TEST(SimulatorTest, AnAllToAllOnTheEngineIsSlowedWhileAWarmMoves) {
  Scene scene;
  scene.Region("a", 4 * kMb);
  scene.Stage("anchor", 5000);
  scene.Stage("exchange", 30000).collective = true;
  scene.Run({{0, {0}}});
  // 10 us alone (issue), then 4 MB at 200 bytes a ns: 20 us that do 8 us of work, then 12 us.
  EXPECT_EQ(scene.LengthNs(1), 10000u + 20000 + 12000);
  scene.hardware.collective_shares_engine = false;
  scene.Run({{0, {0}}});
  EXPECT_EQ(scene.LengthNs(1), 30000u);
}

// The stage reads as fast as the bus gives; the engine wants half of it and takes it.
TEST(SimulatorTest, AStageThatSaturatesTheBusIsSlowedByWhatTheEngineTakes) {
  Scene scene;
  scene.hardware.issue_ns = 0;
  const uint32_t own = scene.Region("own", 10 * kMb);
  scene.Region("later", 100 * kMb);
  scene.Stage("anchor", 5000);
  scene.Reader("read", own, 10000, 5000);
  scene.Run({{0, {1}}});
  EXPECT_EQ(scene.LengthNs(1), 20000u);
  // An engine of 250: it takes a quarter.
  scene.hardware.engine = {{250, 1}};
  scene.Run({{0, {1}}});
  EXPECT_NEAR(static_cast<double>(scene.LengthNs(1)), 13333, 1);
  // A faster engine is left what its weight gives: 3 of 4 parts.
  scene.hardware.engine = {{5000, 1}};
  scene.hardware.engine_weight = 3;
  scene.Run({{0, {1}}});
  EXPECT_EQ(scene.LengthNs(1), 40000u);
}

// Half of a cold byte's time is the bus: with half of the bus that half doubles.
TEST(SimulatorTest, OnlyTheBusTimeOfAStageIsStretched) {
  Scene scene;
  scene.hardware.issue_ns = 0;
  const uint32_t own = scene.Region("own", 10 * kMb);
  scene.Region("later", 100 * kMb);
  scene.Stage("anchor", 5000);
  scene.Reader("read", own, 20000, 5000);
  scene.Run({{0, {1}}});
  EXPECT_EQ(scene.LengthNs(1), 30000u);
}

TEST(SimulatorTest, AStageThatHitsIsNotSlowed) {
  Scene scene;
  scene.hardware.issue_ns = 0;
  const uint32_t own = scene.Region("own", 10 * kMb);
  scene.Region("later", 20 * kMb);
  scene.Reader("first", own, 10000, 5000);
  scene.Reader("again", own, 10000, 5000);
  scene.Run({{0, {1}}});
  EXPECT_EQ(scene.LengthNs(1), 5000u);
}

TEST(SimulatorTest, WhatIsInL2PassesAtTheEnginesHitsAndPullsNothing) {
  Scene scene;
  const uint32_t w = scene.Region("w", 10 * kMb);
  scene.Reader("read", w, 20000, 12000);
  scene.Stage("other", 50000);
  scene.Run({{0, {w}}});
  EXPECT_EQ(scene.result.pulled, 0);
  EXPECT_EQ(Whole(scene.result.outcomes[0].landed), 20000u + 10000 + 5000);
}

TEST(SimulatorTest, AWarmLargerThanL2EvictsItselfAndIsReadAgain) {
  Scene scene;
  const uint32_t w = scene.Region("w", 120 * kMb);
  scene.Stage("anchor", 5000);
  scene.Stage("other", 300000);
  scene.Reader("read", w, 200000, 100000);
  scene.Run({{0, {w}}});
  EXPECT_EQ(scene.LengthNs(2), 200000u);
  EXPECT_EQ(scene.result.outcomes[0].hit, 0);
}

// The engine begins with its reader and is 24 MB ahead at most: what is ahead was pulled last, and
// an L2 of 27 MB holds it, though 30 MB have come in since they both began.
TEST(SimulatorTest, AnEngineThatRunsAheadLosesNothingWhileL2HoldsWhatIsAhead) {
  Scene scene;
  scene.hardware.issue_ns = 0;
  scene.hardware.l2_bytes = 27 * kMb;
  const uint32_t w = scene.Region("w", 30 * kMb);
  scene.Stage("anchor", 5000);
  scene.Reader("read", w, 600000, 300000);
  scene.Run({{0, {w}}});
  EXPECT_EQ(scene.LengthNs(1), 300000u);
  EXPECT_EQ(Whole(scene.result.outcomes[0].landed), 5000u + 60000);
  // One of 20 MB does not: from the byte on that is read 20 MB behind, all is read again.
  scene.hardware.l2_bytes = 20 * kMb;
  scene.Run({{0, {w}}});
  EXPECT_NEAR(static_cast<double>(scene.result.outcomes[0].hit) / (1 << kUnitBits), 5e6, 1e5);
}

// Alone 5 ns a kB cold, 0.5 a hit. With half of the bus the engine helps it to 0.65 MB a us, of
// which 0.15 are its own; what it leaves, 0.85, makes it 0.965.
TEST(SimulatorTest, AHelperTakesWhatItsReaderLeavesOfTheBus) {
  Scene scene;
  scene.hardware.issue_ns = 0;
  scene.hardware.engine = {{2000, 1}};
  const uint32_t w = scene.Region("w", 10 * kMb);
  scene.Stage("anchor", 5000);
  scene.Reader("read", w, 50000, 5000);
  scene.Run({{0, {w}}});
  EXPECT_NEAR(static_cast<double>(scene.LengthNs(1)), 10000 / 0.965, 2);
}

// The reader takes all of the bus, 1 MB a us; an engine of 0.4 leaves it 0.6 and brings nothing.
// One of 0.6 is faster than what it leaves, so that it helps, as it does otherwise.
TEST(SimulatorTest, WhatHasNotLandedCompetesWhereSaidUnlessItIsFaster) {
  Scene scene;
  scene.hardware.issue_ns = 0;
  scene.hardware.engine = {{400, 1}};
  const uint32_t w = scene.Region("w", 10 * kMb);
  scene.Stage("anchor", 5000);
  scene.Reader("read", w, 10000, 1000);
  scene.Run({{0, {w}}});
  const uint64_t helped = scene.LengthNs(1);
  EXPECT_LT(helped, 10000u);
  EXPECT_GT(scene.result.outcomes[0].hit, 0);
  scene.hardware.late = WarmLate::kCompetes;
  scene.Run({{0, {w}}});
  EXPECT_NEAR(static_cast<double>(scene.LengthNs(1)), 10000 / 0.6, 2);
  EXPECT_EQ(scene.result.outcomes[0].hit, 0);
  EXPECT_NEAR(static_cast<double>(scene.result.outcomes[0].pulled) / (1 << kUnitBits),
              0.4 * 10e6 / 0.6, 1000);
  scene.hardware.engine = {{600, 1}};
  scene.Run({{0, {w}}});
  EXPECT_LT(scene.LengthNs(1), 10000u);
  const uint64_t faster = scene.LengthNs(1);
  scene.hardware.late = WarmLate::kHelps;
  scene.Run({{0, {w}}});
  EXPECT_EQ(scene.LengthNs(1), faster);
}

TEST(SimulatorTest, TheStartUpIsPaidInEveryForwardOnlyIfSaid) {
  Scene scene;
  scene.Region("a", kMb);
  scene.hardware.startup_ns = 250000;
  scene.Stage("anchor", 5000);
  scene.Stage("other", 400000);
  scene.Run({{0, {0}}});
  EXPECT_EQ(Whole(scene.result.outcomes[0].issued), 15000u);
  scene.hardware.startup = WarmStartup::kEveryForward;
  scene.Run({{0, {0}}});
  EXPECT_EQ(Whole(scene.result.outcomes[0].issued), 265000u);
}

TEST(SimulatorTest, RegionsSideBySideAreReadInProportion) {
  Scene scene;
  const uint32_t a = scene.Region("a", 10 * kMb);
  const uint32_t b = scene.Region("b", 30 * kMb);
  scene.Stage("anchor", 5000);
  scene.Stage("other", 200000);
  WarmStage& stage = scene.Stage("read", 80000);
  stage.resident_ns = 40000;
  stage.reads = {{a, 0, false}, {b, 0, true}};
  scene.Run({{0, {a}}});
  // A quarter of the bytes is hit: 10 MB at 1 ns a kB, 30 MB at 2.
  EXPECT_EQ(scene.LengthNs(2), 70000u);
  EXPECT_EQ(Whole(scene.result.outcomes[0].hit), 10 * kMb);
}

TEST(SimulatorTest, StagesThatWaitForTheSameRunAtOnceWhereTheyMay) {
  Scene scene;
  scene.Stage("first", 1000);
  scene.Stage("left", 5000).after = {{0}};
  scene.Stage("right", 7000).after = {{0}};
  scene.Stage("join", 1000).after = {{1, 2}};
  scene.Run({});
  EXPECT_EQ(scene.EndNs(), 14000u);
  scene.timeline.parallel_stages = 2;
  scene.Run({});
  EXPECT_EQ(scene.BeginNs(2), 1000u);
  EXPECT_EQ(scene.EndNs(), 9000u);
}

TEST(SimulatorTest, TwoStagesThatSaturateTheBusShareIt) {
  Scene scene;
  scene.timeline.parallel_stages = 2;
  scene.Reader("left", scene.Region("a", 10 * kMb), 10000, 1000);
  scene.Reader("right", scene.Region("b", 10 * kMb), 10000, 1000);
  scene.timeline.kinds[0].stages[1].after = std::vector<uint32_t>();
  scene.Run({});
  EXPECT_EQ(scene.EndNs(), 20000u);
}

TEST(SimulatorTest, WhatTheForwardBeforeLeftInL2IsThere) {
  Scene scene;
  scene.Reader("read", scene.Region("w", 10 * kMb), 20000, 12000);
  scene.Stage("others", 100000).other_bytes = 60 * kMb;
  scene.Run({}, false);
  EXPECT_EQ(scene.LengthNs(0), 12000u);
  scene.timeline.kinds[0].stages[1].other_bytes = 100 * kMb;
  scene.Run({}, false);
  EXPECT_EQ(scene.LengthNs(0), 20000u);
}

TEST(SimulatorTest, AStageOfNoTimeEndsAtOnceAndAnchorsAScope) {
  Scene scene;
  scene.Region("a", kMb);
  scene.Stage("nothing", 0);
  scene.Stage("other", 50000);
  scene.Run({{0, {0}}});
  EXPECT_EQ(scene.EndNs(), 50000u);
  EXPECT_EQ(Whole(scene.result.outcomes[0].issued), 10000u);
}

TEST(SimulatorTest, TheSameRunTwiceIsTheSame) {
  const WarmTimeline timeline = RandomTimeline(7);
  const PreparedTimeline prepared = Prepare(RandomHardware(7), timeline);
  const std::vector<SimulatedLayer> layers = {
      {0, 0, static_cast<uint32_t>(timeline.kinds[0].stages.size()), RandomScopes(timeline, 7)}};
  Simulator simulator(prepared);
  const int64_t first = simulator.Run(layers, nullptr).end;
  simulator.Run({{0, 0, 1, {}}}, nullptr);
  EXPECT_EQ(simulator.Run(layers, nullptr).end, first);
}

// Events against small steps: 400 random layers each way, ends within 1 %, bytes within 0.8 MB.
TEST(SimulatorTest, RandomLayersAgreeWithTheLiteralReference) {
  constexpr uint64_t kSeeds = 400;
  for (uint64_t i = 0; i < 2 * kSeeds; ++i) {
    const uint64_t seed = i % kSeeds;
    const WarmTimeline timeline = RandomTimeline(seed);
    WarmHardware hardware = RandomHardware(seed);
    if (i >= kSeeds) hardware.late = WarmLate::kCompetes;
    const std::vector<WarmScope> scopes = RandomScopes(timeline, seed);
    PreparedTimeline prepared = Prepare(hardware, timeline);
    for (auto& gap : prepared.kinds[0].gaps) gap.reset();
    Simulator simulator(prepared);
    const uint32_t stages = static_cast<uint32_t>(timeline.kinds[0].stages.size());
    const std::vector<SimulatedLayer> layers = {{0, 0, stages, scopes}};
    const SimulationResult& result = simulator.Run(layers, nullptr);
    ASSERT_TRUE(result.finished);
    const ReferenceOutcome reference = SimulateLiterally(hardware, timeline, scopes, 8, 8000);
    double hit = 0;
    for (const WarmOutcome& outcome : result.outcomes) hit += static_cast<double>(outcome.hit);
    const double unit = 1 << kUnitBits;
    const double end = static_cast<double>(result.end) / unit;
    const double off = std::fabs(end - reference.end_ns) / reference.end_ns;
    EXPECT_LT(off, 0.01) << "seed " << seed;
    EXPECT_NEAR(hit / unit, reference.hit_bytes, 0.8e6) << "seed " << seed;
    EXPECT_NEAR(static_cast<double>(result.pulled) / unit, reference.pulled_bytes, 0.8e6)
        << "seed " << seed;
  }
}

}  // namespace
}  // namespace torqsched::warm
