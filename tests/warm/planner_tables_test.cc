// The source's tables, predicted against measured: what the issue demands of each, and how far the
// numbers that are ours may move without changing it.
#include "tests/warm/planner_tables.h"

#include <algorithm>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "src/warm/planner.h"
#include "tests/warm/fixtures.h"

namespace torqsched {
namespace {

// The one row whose sign the model misses (see docs and the report): splitting the transfer over
// two scopes measured +0.66 %, predicted is a smaller gain.
constexpr const char* kMissed = "two";

struct Scored {
  std::vector<int64_t> predicted;
  std::vector<int64_t> measured;
};

Scored Score(const MeasuredTable& table, const WarmHardware& hardware,
             const WarmTimeline& timeline = DecodeForward()) {
  Scored scored;
  for (const TableRow& row : table.rows) {
    scored.predicted.push_back(PredictedUs(hardware, timeline, row.scopes));
    scored.measured.push_back(row.measured_us);
  }
  return scored;
}

size_t Best(const std::vector<int64_t>& changes) {
  return static_cast<size_t>(std::min_element(changes.begin(), changes.end()) - changes.begin());
}

void ExpectBestAndSigns(const MeasuredTable& table, const WarmHardware& hardware,
                        const WarmTimeline& timeline = DecodeForward()) {
  const Scored scored = Score(table, hardware, timeline);
  EXPECT_EQ(Best(scored.predicted), Best(scored.measured)) << table.name;
  // No tie for the best.
  EXPECT_EQ(std::count(scored.predicted.begin(), scored.predicted.end(),
                       scored.predicted[Best(scored.predicted)]),
            1)
      << table.name;
  for (size_t i = 0; i < table.rows.size(); ++i) {
    if (std::abs(scored.measured[i]) <= 100 || table.rows[i].name == kMissed) continue;
    EXPECT_EQ(scored.predicted[i] < 0, scored.measured[i] < 0)
        << table.name << ", " << table.rows[i].name << ": " << scored.predicted[i];
  }
}

TEST(WarmTablesTest, TheSameBestAndTheSignOfEveryRowThatMovedMuch) {
  for (const MeasuredTable& table : MeasuredTables()) ExpectBestAndSigns(table, table.hardware);
}

TEST(WarmTablesTest, RankCorrelationIsAsStated) {
  const std::vector<MeasuredTable> tables = MeasuredTables();
  std::vector<int64_t> coefficients;
  Scored both;
  for (size_t i = 0; i < tables.size(); ++i) {
    const Scored scored = Score(tables[i], tables[i].hardware);
    coefficients.push_back(RankCorrelation(scored.predicted, scored.measured));
    if (i > 1) continue;
    both.predicted.insert(both.predicted.end(), scored.predicted.begin(), scored.predicted.end());
    both.measured.insert(both.measured.end(), scored.measured.begin(), scored.measured.end());
  }
  EXPECT_EQ(coefficients, (std::vector<int64_t>{500, 700, 1000, 1000}));
  EXPECT_EQ(RankCorrelation(both.predicted, both.measured), 902);
}

TEST(WarmTablesTest, TheRowThatIsMissedIsStillMissed) {
  const MeasuredTable table = MeasuredTables()[3];
  const Scored scored = Score(table, table.hardware);
  EXPECT_GT(scored.measured[1], 100);
  EXPECT_LT(scored.predicted[1], 0);
  EXPECT_GT(scored.predicted[1], scored.predicted[0]);
}

WarmHardware WithEngine(WarmHardware hardware, uint64_t bandwidth) {
  hardware.engine = {{bandwidth, 1}, {bandwidth * 153, 285}};
  return hardware;
}

int64_t PredictedRow(const MeasuredTable& table, size_t row, const WarmHardware& hardware,
                     const WarmTimeline& timeline = DecodeForward()) {
  return PredictedUs(hardware, timeline, table.rows[row].scopes);
}

// The free numbers of docs/warm.md, in its order. The engine's pace in the bench, 800 GB/s.
TEST(WarmTablesTest, ThePaceMayBe575To1100) {
  const std::vector<MeasuredTable> tables = MeasuredTables();
  for (const uint64_t bandwidth : {575, 600, 700, 800, 900, 1000, 1100}) {
    ExpectBestAndSigns(tables[0], WithEngine(TableHardware(), bandwidth));
    ExpectBestAndSigns(tables[1], WithEngine(TableHardware(), bandwidth));
  }
  // Not 550: the pair at rms_norm gains. Not 1200: both orders of the pair are equally good.
  EXPECT_LT(PredictedRow(tables[1], 1, WithEngine(TableHardware(), 550)), 0);
  EXPECT_EQ(PredictedRow(tables[0], 1, WithEngine(TableHardware(), 1200)),
            PredictedRow(tables[0], 3, WithEngine(TableHardware(), 1200)));
}

// The cut of 70 us before the kernel, 48 us.
TEST(WarmTablesTest, TheCutMayBe30To66ForTheTables) {
  for (const uint64_t cut : {30, 36, 40, 46, 48, 54, 60, 66}) {
    for (const MeasuredTable& table : MeasuredTables()) {
      ExpectBestAndSigns(table, table.hardware, DecodeForward(cut));
    }
  }
  // Not 20: wo_a alone is better than the pair.
  const MeasuredTable sets = MeasuredTables()[0];
  EXPECT_LT(PredictedRow(sets, 2, sets.hardware, DecodeForward(20)),
            PredictedRow(sets, 3, sets.hardware, DecodeForward(20)));
}

TEST(WarmTablesTest, TheCutIsFrom47OnForThePlanWithDocumentedDefaults) {
  WarmOptions options;
  options.flips = options.alternatives = options.traces = false;
  const auto anchor = [&options](uint64_t cut) {
    const auto plan = PlanWarm(DocumentedHardware(), DecodeForward(cut), options);
    return plan->kinds[kSwa].scopes[0].anchor;
  };
  EXPECT_EQ(anchor(40), uint32_t{kRmsNorm});
  EXPECT_EQ(anchor(46), uint32_t{kRmsNorm});
  for (const uint64_t cut : {47, 48, 50, 60}) EXPECT_EQ(anchor(cut), uint32_t{kQUp}) << cut;
}

// That the kernel needs all vector cores explains the loss right before it, and nothing else.
TEST(WarmTablesTest, TheKernelThatNeedsAllCoresExplainsOneSign) {
  WarmTimeline timeline = DecodeForward();
  for (WarmLayerKind& kind : timeline.kinds) kind.stages[kSparseAttn].all_vector_cores = false;
  const std::vector<MeasuredTable> tables = MeasuredTables();
  for (const size_t i : {0, 2, 3}) ExpectBestAndSigns(tables[i], tables[i].hardware, timeline);
  EXPECT_EQ(tables[1].rows[4].measured_us, 1186);
  EXPECT_LT(PredictedRow(tables[1], 4, tables[1].hardware, timeline), 0);
}

// The third table's own engine for the all-to-all, and its pace, which is that of an older
// toolchain by our inference.
TEST(WarmTablesTest, TheThirdTableNeedsAnEngineOfItsOwnAndTheDocumentedPace) {
  const MeasuredTable table = MeasuredTables()[2];
  for (const uint64_t bandwidth : {100, 200, 240, 285, 300}) {
    ExpectBestAndSigns(table, WithEngine(table.hardware, bandwidth));
  }
  EXPECT_EQ(Best(Score(table, WithEngine(table.hardware, 800)).predicted), 0u);
  WarmHardware shared = table.hardware;
  shared.collective_shares_engine = true;
  EXPECT_GT(PredictedRow(table, 1, shared), 0);
}

TEST(WarmTablesTest, TheFourthTableHoldsWithAnyPace) {
  const MeasuredTable table = MeasuredTables()[3];
  for (const uint64_t bandwidth : {100, 285, 500, 800, 1500}) {
    ExpectBestAndSigns(table, WithEngine(table.hardware, bandwidth));
  }
}

// The other assumption of what has not landed: alike where the engine is faster than its reader on
// a shared bus, half of the memory's pace; with the documented engine the pair loses.
TEST(WarmTablesTest, WhatLandsLateMayCompeteWithTheTablesPaceAndNotWithTheDocumentedOne) {
  const std::vector<MeasuredTable> tables = MeasuredTables();
  WarmHardware competes = TableHardware();
  competes.late = WarmLate::kCompetes;
  for (const size_t i : {0, 1}) {
    for (const uint64_t bandwidth : {760, 800, 900, 1000, 1100}) {
      ExpectBestAndSigns(tables[i], WithEngine(competes, bandwidth));
    }
    EXPECT_EQ(Score(tables[i], competes).predicted, Score(tables[i], TableHardware()).predicted);
  }
  EXPECT_GT(PredictedRow(tables[0], 1, WithEngine(competes, 750)), 0);
  for (const size_t i : {2, 3}) {
    WarmHardware hardware = tables[i].hardware;
    hardware.late = WarmLate::kCompetes;
    EXPECT_GT(PredictedRow(tables[i], 0, hardware), 0) << tables[i].name;
  }
}

// 26, 35 and 20 MB in one layer of a GPU: a gain whatever its idle time, as was measured (+7 %).
TEST(WarmTablesTest, ThreeWindowsOfALayerGain) {
  for (const uint64_t idle_us : {5, 10, 20, 40, 80}) {
    const auto windows =
        PredictWarm(ThreeWindowsHardware(), ThreeWindows(idle_us), 0, PublishedWindows());
    ASSERT_TRUE(windows.ok());
    EXPECT_TRUE(windows->fits);
    EXPECT_LT(windows->change_ns, 0) << idle_us;
  }
}

TEST(WarmTablesTest, APlanMayHaveThreeWindowsInALayer) {
  WarmOptions options;
  options.whole_sets = false;
  options.read_anchors = true;
  const auto plan = PlanWarm(ThreeWindowsHardware(), ThreeWindows(10), options);
  ASSERT_TRUE(plan.ok());
  const WarmKindPlan& layer = plan->kinds[0];
  ASSERT_EQ(layer.scopes.size(), 3u);
  EXPECT_EQ(layer.scopes[0].anchor, kLayerEntry);
  EXPECT_EQ(layer.scopes[0].regions[0].region, uint32_t{kOProj});
  EXPECT_LT(layer.scopes[0].regions.size() + layer.scopes[1].regions.size(), 4u);
  const auto published =
      PredictWarm(ThreeWindowsHardware(), ThreeWindows(10), 0, PublishedWindows());
  ASSERT_TRUE(published.ok());
  EXPECT_LT(layer.change_ns, published->change_ns);
  EXPECT_EQ(layer.flips.size(), 11u);
}

TEST(WarmTablesTest, TheWeightsOfTheBusDoNotMatter) {
  for (const MeasuredTable& table : MeasuredTables()) {
    for (const uint32_t weight : {1, 2, 3}) {
      WarmHardware hardware = table.hardware;
      hardware.engine_weight = weight;
      ExpectBestAndSigns(table, hardware);
    }
  }
}

// ffn 365.9 -> 327.7 us, combine 40.5 -> 115.4 us: a gain for one, a larger loss for the other.
TEST(WarmTablesTest, RoutedW1SpeedsFfnUpAndSlowsTheAllToAllDownByMore) {
  const auto cold = PredictWarm(DocumentedHardware(), DecodeForward(), kCsa, {});
  const auto warm =
      PredictWarm(DocumentedHardware(), DecodeForward(), kCsa, {{kHcPost, {kRoutedW1}}});
  ASSERT_TRUE(cold.ok() && warm.ok());
  const auto gained = [&](uint32_t stage) {
    const auto length = [stage](const WarmPrediction& p) {
      return static_cast<int64_t>(p.trace.stages[stage].end_ns - p.trace.stages[stage].begin_ns);
    };
    return length(*cold) - length(*warm);
  };
  EXPECT_GT(gained(kFfn), 10000);
  const int64_t all_to_all = gained(kDispatch) + gained(kCombine);
  EXPECT_LT(all_to_all, -50000);
  EXPECT_GT(warm->change_ns, 0);
}

// The page: ~300 us worse where the compressor's weights are added to all others.
TEST(WarmTablesTest, AddingTheCompressorsWeightsLoses) {
  std::vector<uint32_t> nine = {kWqA,        kWkv, kIdxWqB, kWeightsProj, kInnerWkv,
                                kInnerWgate, kWqB, kWoA,    kWoB};
  std::vector<uint32_t> eleven = nine;
  eleven.insert(eleven.begin() + 2, {kCsaCmpWkv, kCsaCmpWgate});
  for (const WarmHardware& hardware : {TableHardware(), BenchHardware(), DocumentedHardware()}) {
    const auto a = PredictWarm(hardware, DecodeForward(), kCsa, {{kRmsNorm, nine}});
    const auto b = PredictWarm(hardware, DecodeForward(), kCsa, {{kRmsNorm, eleven}});
    ASSERT_TRUE(a.ok() && b.ok());
    EXPECT_GT(b->change_ns, a->change_ns + 5000);
  }
}

TEST(RankCorrelationTest, IsSpearmans) {
  EXPECT_EQ(RankCorrelation({1, 2, 3}, {10, 20, 30}), 1000);
  EXPECT_EQ(RankCorrelation({1, 2, 3}, {3, 2, 1}), -1000);
  // 1 - 6 * 2 / (4 * 15).
  EXPECT_EQ(RankCorrelation({1, 2, 3, 4}, {1, 2, 4, 3}), 800);
  EXPECT_EQ(RankCorrelation({1, 1}, {1, 2}), 0);
}

}  // namespace
}  // namespace torqsched
