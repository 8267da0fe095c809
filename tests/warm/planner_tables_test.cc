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

Scored Score(const MeasuredTable& table, const WarmHardware& hardware) {
  Scored scored;
  for (const TableRow& row : table.rows) {
    scored.predicted.push_back(PredictedUs(hardware, row.scopes));
    scored.measured.push_back(row.measured_us);
  }
  return scored;
}

size_t Best(const std::vector<int64_t>& changes) {
  return static_cast<size_t>(std::min_element(changes.begin(), changes.end()) - changes.begin());
}

void ExpectBestAndSigns(const MeasuredTable& table, const WarmHardware& hardware) {
  const Scored scored = Score(table, hardware);
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

// The engine's bandwidth in the bench is the one free number.
TEST(WarmTablesTest, TheFreeNumberMayMoveByAQuarter) {
  const std::vector<MeasuredTable> tables = MeasuredTables();
  for (const uint64_t bandwidth : {600, 700, 800, 900, 1000}) {
    WarmHardware hardware = TableHardware();
    hardware.engine = {{bandwidth, 1}, {bandwidth * 153, 285}};
    ExpectBestAndSigns(tables[0], hardware);
    ExpectBestAndSigns(tables[1], hardware);
  }
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

TEST(WarmTablesTest, BytesInFlightHoldForDocumentedBandwidths) {
  const MeasuredTable table = MeasuredTables()[2];
  for (const uint64_t bandwidth : {240, 260, 285, 300}) {
    WarmHardware hardware = table.hardware;
    hardware.engine = {{bandwidth, 1}, {bandwidth * 153, 285}};
    ExpectBestAndSigns(table, hardware);
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
