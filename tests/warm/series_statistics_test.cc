// Statistics and start-up phases against slow literal references, and intervals against the truth.
#include "src/warm/series_statistics.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <vector>

#include "gtest/gtest.h"
#include "src/warm/judge.h"
#include "src/warm/steady_phase.h"
#include "tests/warm/synthetic_series.h"

namespace torqsched {
namespace {

using Values = std::vector<uint64_t>;

// The least value that at least `percent` percent do not exceed: by counting.
uint64_t CountedQuantile(const Values& values, uint64_t percent) {
  uint64_t best = ~uint64_t{0};
  for (const uint64_t candidate : values) {
    const uint64_t count = std::count_if(values.begin(), values.end(),
                                         [candidate](uint64_t v) { return v <= candidate; });
    if (count * 100 >= percent * values.size()) best = std::min(best, candidate);
  }
  return best;
}

void ExpectLiteral(const SeriesStatistics& statistics, const Values& values) {
  EXPECT_EQ(statistics.median, CountedQuantile(values, 50));
  EXPECT_EQ(statistics.p90, CountedQuantile(values, 90));
  const WideUint sum = std::accumulate(values.begin(), values.end(), WideUint{0});
  EXPECT_EQ(statistics.mean, static_cast<uint64_t>(sum / values.size()));
}

Values RandomValues(SplitMix* random, size_t n) {
  const uint32_t range = random->Below(2) == 0 ? 10 : 1000000;  // many equal ones, or few
  Values values(n);
  for (uint64_t& value : values) value = 1 + random->Below(range);
  return values;
}

TEST(SeriesBlocksTest, MedianMeanAndP90AreThoseOfSortingAndCounting) {
  SplitMix random(1);
  for (size_t n = 1; n <= 200; ++n) {
    const Values values = RandomValues(&random, n);
    ExpectLiteral(SeriesBlocks(values.data(), n).statistics(), values);
  }
}

TEST(SeriesBlocksTest, ResampleIsThatOfTheBlocksWrittenOut) {
  SplitMix random(2);
  for (const size_t n : {1, 2, 5, 31, 32, 33, 63, 64, 65, 100, 300, 777}) {
    const Values values = RandomValues(&random, n);
    const SeriesBlocks blocks(values.data(), n);
    const size_t finest = std::min<size_t>(n, 32);
    for (int repeat = 0; repeat < 20; ++repeat) {
      BlockCopies copies;
      blocks.Draw(&random, blocks.blocks(), &copies);
      Values written;
      for (size_t i = 0; i < n; ++i)
        written.insert(written.end(), copies[i * finest / n], values[i]);
      ExpectLiteral(blocks.Resample(copies), written);
    }
  }
}

TEST(SeriesBlocksTest, DrawTakesWholeBlocksAndAsManyAsThereAre) {
  const Values values(320, 7);
  const SeriesBlocks blocks(values.data(), values.size());
  SplitMix random(3);
  for (const uint32_t count : {32u, 16u, 8u}) {
    BlockCopies copies;
    blocks.Draw(&random, count, &copies);
    EXPECT_EQ(std::accumulate(copies.begin(), copies.end(), 0u), 32u);
    const uint32_t joined = 32 / count;
    for (uint32_t b = 0; b < 32; ++b) EXPECT_EQ(copies[b], copies[b - b % joined]);
  }
}

TEST(SeriesBlocksTest, LargestTimesDoNotWrap) {
  const Values values(1000, (uint64_t{1} << 60) - 1);
  const SeriesBlocks blocks(values.data(), values.size());
  EXPECT_EQ(blocks.statistics().mean, values[0]);
  EXPECT_EQ(blocks.statistics().median, values[0]);
}

TEST(SeriesBlocksTest, CorrelatedRoundsAreDrawnInFewerBlocks) {
  Scene scene;
  scene.rounds = 200;
  const auto mean_blocks = [&scene] {
    uint32_t sum = 0;
    for (uint64_t seed = 0; seed < 50; ++seed) {
      const Values times = MakeMeasurement(scene, seed).series[0].times;
      sum += SeriesBlocks(times.data(), times.size()).blocks();
    }
    return sum / 50;
  };
  EXPECT_GE(mean_blocks(), 27u);
  scene.correlation = 0.8;
  EXPECT_LE(mean_blocks(), 13u);
}

TEST(WidenForTest, IsStudentsFactorForFewBlocks) {
  // t / z * sqrt(blocks / (blocks - 1)): 2.040 / 1.960 * 1.016; 2.365 / 1.960 * 1.069.
  EXPECT_NEAR(static_cast<double>(WidenFor(32, 95, 1000000)), 1.058e6, 0.005e6);
  EXPECT_NEAR(static_cast<double>(WidenFor(8, 95, 1000000)), 1.29e6, 0.04e6);
  EXPECT_GT(WidenFor(1, 99, 100), 100u);
  EXPECT_EQ(WidenFor(32, 95, 0), 0u);
}

// In how many of 500 seeds the truth is inside: the least over median, mean and p90.
struct Coverage {
  int series = 500;  // without the warm
  int change = 500;
};

Coverage LeastCoverage(const Scene& scene) {
  const double factors[] = {1, std::exp(scene.noise * scene.noise / 2),
                            std::exp(scene.noise * 1.2815515655)};
  int inside[3] = {};
  int change_inside[3] = {};
  for (uint64_t seed = 1000; seed < 1500; ++seed) {
    JudgeOptions options;
    options.resamples = 1000;
    const WarmJudgement judgement = *JudgeWarm(MakeMeasurement(scene, seed), options);
    const SeriesJudgement& series = judgement.series[0];
    const CardJudgement& card = judgement.cards[0];
    const Estimate estimates[] = {series.median, series.mean, series.p90};
    const Change changes[] = {card.median, card.mean, card.p90};
    for (int i = 0; i < 3; ++i) {
      const double value = TrueBase(scene, seed) * factors[i];
      const double change = scene.effect * value;
      inside[i] += estimates[i].low <= value && value <= estimates[i].high;
      change_inside[i] += changes[i].low <= change && change <= changes[i].high;
    }
  }
  return {*std::min_element(std::begin(inside), std::end(inside)),
          *std::min_element(std::begin(change_inside), std::end(change_inside))};
}

Scene OnePercentNoise(double correlation, uint64_t rounds) {
  Scene scene;
  scene.noise = 0.01;
  scene.effect = -0.02;
  scene.correlation = correlation;
  scene.rounds = rounds;
  scene.timed_rounds = 0;
  return scene;
}

TEST(IntervalTest, TruthIsInsideInAtLeast93PercentOf500Seeds) {
  for (const uint64_t rounds : {200, 400, 1000}) {
    const Coverage coverage = LeastCoverage(OnePercentNoise(0, rounds));
    EXPECT_GE(coverage.series, 465) << rounds;
    EXPECT_GE(coverage.change, 465) << rounds;
  }
}

// Blocks make up for correlation where they are long enough: a p90 of 150 rounds has 15 beyond it.
TEST(IntervalTest, TruthIsInsideWhereRoundsAreCorrelatedToo) {
  const Coverage many = LeastCoverage(OnePercentNoise(0.5, 1000));
  EXPECT_GE(many.series, 465);
  EXPECT_GE(many.change, 465);
  const Coverage few = LeastCoverage(OnePercentNoise(0.5, 150));
  EXPECT_GE(few.series, 430);
  EXPECT_GE(few.change, 450);
}

Values Noisy(uint64_t seed, size_t rounds, double noise) {
  Scene scene;
  scene.rounds = rounds;
  scene.noise = noise;
  return MakeMeasurement(scene, seed).series[0].times;
}

TEST(SteadyPhaseTest, StepIsCutWhereItEnds) {
  for (const size_t end : {20, 50, 100, 245}) {
    for (const int sign : {1, -1}) {
      Values times = Noisy(end, 500, 0.002);
      for (size_t i = 0; i < end; ++i) times[i] += sign * 500000;
      const SteadyPhase phase = FindSteadyPhase(times, 5000);
      EXPECT_GE(phase.first, end);
      EXPECT_LE(phase.first, end + 20);
      EXPECT_TRUE(phase.steady);
    }
  }
}

TEST(SteadyPhaseTest, StartUpOfTheSourceLeavesNoneOfItInside) {
  // 2.3 % of 86 issues a round block for 250 us: 1.4 % of a round at first, gone by round 150.
  double left = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Scene scene;
    scene.rounds = 500;
    scene.noise = 0.003;
    scene.start_up = {0.023, 4000, 0, Arms::kWith};
    const SteadyPhase phase = FindSteadyPhase(MakeMeasurement(scene, seed).series[1].times, 5000);
    EXPECT_TRUE(phase.steady);
    EXPECT_GE(phase.first, 40u);
    // What the rest's mean still has of it, as a share of a round: the integral of what fades.
    const double fade = 4000.0 / 86;
    const double rest = 500.0 - static_cast<double>(phase.first);
    left =
        std::max(left, 0.0144 * fade * std::exp(-static_cast<double>(phase.first) / fade) / rest);
  }
  EXPECT_LT(left, 0.001);
}

TEST(SteadyPhaseTest, SteadySeriesKeepMostOfTheirRounds) {
  int cut_much = 0;
  size_t cut = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Scene scene;
    scene.rounds = 400;
    scene.correlation = 0.5;
    scene.drift = 0.001;
    scene.tail_without = {0.05, 0.3};
    const SteadyPhase phase = FindSteadyPhase(MakeMeasurement(scene, seed).series[0].times, 5000);
    cut += phase.first;
    cut_much += phase.first > 100;
    EXPECT_TRUE(phase.steady);
  }
  EXPECT_LE(cut / 200, 5u);
  EXPECT_LE(cut_much, 2);
}

TEST(SteadyPhaseTest, LevelThatNeverRestsIsSaidToMoveAndHowFar) {
  Values times = Noisy(1, 600, 0.003);
  for (size_t i = 0; i < times.size(); ++i) times[i] += (times.size() - i) * 5000;  // 3 ms to 0
  const SteadyPhase falling = FindSteadyPhase(times, 5000);
  EXPECT_FALSE(falling.steady);
  EXPECT_LE(falling.first, 300u);
  // Two thirds of what the rest falls.
  const double falls = 5000.0 * static_cast<double>(600 - falling.first);
  EXPECT_NEAR(static_cast<double>(falling.level_change), -falls * 2 / 3, falls / 10);
  EXPECT_TRUE(FindSteadyPhase(times, 100000).steady);
}

TEST(SteadyPhaseTest, FlatShortAndHugeSeriesHaveNone) {
  EXPECT_EQ(FindSteadyPhase({5}, 0).first, 0u);
  EXPECT_EQ(FindSteadyPhase(Values(19, 3), 0).first, 0u);
  const SteadyPhase flat = FindSteadyPhase(Values(1000, (uint64_t{1} << 60) - 1), 0);
  EXPECT_EQ(flat.first, 0u);
  EXPECT_TRUE(flat.steady);
  Values extremes(5000);
  for (size_t i = 0; i < extremes.size(); ++i) {
    extremes[i] = i % 2 == 0 ? 1 : (uint64_t{1} << 60) - 1;
  }
  EXPECT_TRUE(FindSteadyPhase(extremes, 0).steady);
}

}  // namespace
}  // namespace torqsched
