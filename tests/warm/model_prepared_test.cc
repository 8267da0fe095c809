// What is known before anything is simulated: gaps between reads, resident durations, sets, bytes
// in flight.
#include "gtest/gtest.h"
#include "src/warm/consumer_sets.h"
#include "src/warm/layer_clock.h"
#include "src/warm/prepared.h"
#include "tests/warm/fixtures.h"

namespace torqsched::warm {
namespace {

WarmRegion Region(const char* name, uint64_t bytes, bool per_layer) {
  WarmRegion region;
  region.name = name;
  region.bytes = bytes;
  region.per_layer = per_layer;
  return region;
}

WarmStage Reader(uint32_t region) {
  WarmStage stage;
  stage.name = "read";
  stage.duration_ns = 1000;
  stage.reads = {{region, 0, false}};
  return stage;
}

// Two kinds: A reads the table (100) and its own weights (10), B its own weights (1000).
WarmTimeline TwoKinds(std::vector<WarmRun> runs) {
  WarmTimeline timeline;
  timeline.regions = {Region("table", 100, false), Region("wa", 10, true),
                      Region("wb", 1000, true)};
  timeline.kinds.resize(2);
  timeline.kinds[0].stages = {Reader(0), Reader(1)};
  timeline.kinds[1].stages = {Reader(2)};
  timeline.runs = std::move(runs);
  return timeline;
}

TEST(GapTest, AWeightOfEachLayerIsReadAgainOneForwardLater) {
  const WarmTimeline timeline = TwoKinds({{{0, 1}, 5}});
  const PreparedTimeline prepared = Prepare(WarmHardware(), timeline);
  EXPECT_EQ(prepared.forward_bytes, 5u * 1110);
  EXPECT_EQ(prepared.kinds[0].gaps[1], 5u * 1110);
  EXPECT_EQ(prepared.kinds[1].gaps[0], 5u * 1110);
}

TEST(GapTest, WhatAllLayersShareIsReadAgainInTheNextOneThatReadsIt) {
  const WarmTimeline timeline = TwoKinds({{{0, 1}, 5}});
  EXPECT_EQ(Prepare(WarmHardware(), timeline).kinds[0].gaps[0], 100u + 10 + 1000);
}

TEST(GapTest, TheLongestGapOfAllLayersCounts) {
  const WarmTimeline last = TwoKinds({{{0}, 7}, {{1}, 1000}, {{0}, 1}});
  EXPECT_EQ(Prepare(WarmHardware(), last).kinds[0].gaps[0], 100u + 10 + 1000 * 1000);
  const WarmTimeline first = TwoKinds({{{0}, 1}, {{1}, 1000}, {{0}, 7}});
  EXPECT_EQ(Prepare(WarmHardware(), first).kinds[0].gaps[0], 100u + 10 + 1000 * 1000);
}

TEST(GapTest, TheForwardBeforeCounts) {
  const WarmTimeline timeline = TwoKinds({{{0}, 1}, {{1}, 30}});
  EXPECT_EQ(Prepare(WarmHardware(), timeline).kinds[0].gaps[0], 100u + 10 + 30 * 1000);
}

TEST(PreparedTest, ResidentDurationIsTheHardwaresSavingWhereNoneIsGiven) {
  WarmTimeline timeline;
  timeline.regions = {Region("w", 1000000, true)};
  WarmStage stage = Reader(0);
  stage.duration_ns = 1000;
  // 0.17 us a MB.
  EXPECT_EQ(ResidentNs(WarmHardware(), timeline, stage), 830u);
  stage.resident_ns = 400;
  EXPECT_EQ(ResidentNs(WarmHardware(), timeline, stage), 400u);
  stage.resident_ns.reset();
  stage.duration_ns = 100;
  EXPECT_EQ(ResidentNs(WarmHardware(), timeline, stage), 0u);
}

TEST(PreparedTest, ARegionIsFlatWhereAllDimensionsButTheLastAreOne) {
  WarmRegion region;
  EXPECT_TRUE(IsFlat(region));
  region.flat = false;
  EXPECT_FALSE(IsFlat(region));
  region.shape = {1, 1, 512};
  EXPECT_TRUE(IsFlat(region));
  region.shape = {512};
  EXPECT_TRUE(IsFlat(region));
  region.shape = {2, 256};
  EXPECT_FALSE(IsFlat(region));
}

TEST(PreparedTest, TheEngineOfMoreStreamsThanAreListedSharesTheLast) {
  const WarmTimeline timeline = TwoKinds({{{0}, 1}});
  WarmHardware hardware;
  hardware.engine = {{300, 1}, {120, 1}};
  const PreparedTimeline prepared = Prepare(hardware, timeline);
  EXPECT_EQ(prepared.StreamRate(1), 300 * kOne);
  EXPECT_EQ(prepared.StreamRate(2), 60 * kOne);
  EXPECT_EQ(prepared.StreamRate(4), 30 * kOne);
}

TEST(UseOfKindsTest, TheNextKindIsThatOfTheFirstLayersSuccessor) {
  const WarmTimeline timeline = DecodeForward();
  const std::vector<KindUse> uses = UseOfKinds(timeline);
  EXPECT_EQ(uses[kSwa].layers, 2u);
  EXPECT_EQ(uses[kHca].layers, 20u);
  EXPECT_EQ(uses[kCsa].layers, 21u);
  EXPECT_EQ(uses[kCsa].next, kHca);
  EXPECT_EQ(uses[kHca].next, kCsa);
}

TEST(ConsumerSetsTest, RegionsOfStagesThatFollowEachOtherAreOneSet) {
  const WarmTimeline timeline = DecodeForward();
  const PreparedTimeline prepared = Prepare(WarmHardware(), timeline);
  const KindSets sets = FindSets(prepared, kSwa, WarmOptions());
  ASSERT_EQ(sets.sets.size(), 3u);
  EXPECT_EQ(sets.sets[0].regions, (std::vector<uint32_t>{kWqA, kWkv, kWqB}));
  EXPECT_EQ(sets.sets[1].regions, (std::vector<uint32_t>{kWoA, kWoB}));
  EXPECT_EQ(sets.sets[2].bytes, 427819008u);
  EXPECT_FALSE(sets.sets[2].fits);
  WarmOptions single;
  single.whole_sets = false;
  EXPECT_EQ(FindSets(prepared, kSwa, single).sets.size(), 11u);
}

TEST(ConsumerSetsTest, ASetEndsWhereTheNextStageWouldNotFit) {
  WarmTimeline timeline;
  timeline.regions = {Region("a", 60, true), Region("b", 30, true), Region("c", 20, true)};
  timeline.kinds.resize(1);
  timeline.kinds[0].stages = {Reader(0), Reader(1), Reader(2)};
  timeline.runs = {{{0}, 100}};
  WarmHardware hardware;
  hardware.l2_bytes = 100;
  const KindSets sets = FindSets(Prepare(hardware, timeline), 0, WarmOptions());
  ASSERT_EQ(sets.sets.size(), 2u);
  EXPECT_EQ(sets.sets[0].bytes, 90u);
  EXPECT_EQ(sets.sets[1].bytes, 20u);
}

TEST(InFlightTest, LifetimesThatDoNotOverlapDoNotAddUp) {
  const WarmTimeline timeline = DecodeForward();
  const PreparedTimeline prepared = Prepare(WarmHardware(), timeline);
  const WarmScope pair{kQUp, {kWoA, kWoB}};
  EXPECT_EQ(BytesInFlight(prepared, kSwa, {pair}), 100663296u);
  EXPECT_EQ(BytesInFlight(prepared, kSwa, {pair, {kProjB, {kRoutedW1}}}), 134217728u);
  // One stage earlier proj_b still reads.
  EXPECT_EQ(BytesInFlight(prepared, kSwa, {pair, {kProjA, {kRoutedW1}}}), 134217728u + 33554432);
  EXPECT_EQ(BytesInFlight(prepared, kSwa, {pair, {kRmsNorm, {kRoutedW1}}}), 134217728u + 100663296);
}

TEST(InFlightTest, ExactlyFullFitsOnlyWhereTheHardwareSaysSo) {
  WarmHardware hardware;
  EXPECT_FALSE(FitsL2(hardware, hardware.l2_bytes));
  EXPECT_TRUE(FitsL2(hardware, hardware.l2_bytes - 1));
  hardware.exactly_full_fits = true;
  EXPECT_TRUE(FitsL2(hardware, hardware.l2_bytes));
  EXPECT_FALSE(FitsL2(hardware, hardware.l2_bytes + 1));
  hardware.l2_fill_percent = 50;
  EXPECT_TRUE(FitsL2(hardware, hardware.l2_bytes / 2));
  EXPECT_FALSE(FitsL2(hardware, hardware.l2_bytes / 2 + 1));
}

}  // namespace
}  // namespace torqsched::warm
