#include "src/warm/judge_card.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "src/warm/series_statistics.h"
#include "src/warm/steady_phase.h"

namespace torqsched {
namespace {

using Samples = std::vector<int64_t>;

// How the ends of intervals come from resamples.
struct IntervalRule {
  size_t low_place;  // among sorted samples; the high place as far from the other end
  uint32_t confidence_percent;
  uint32_t blocks;
};

// The interval around value; sorts the samples.
Change IntervalOf(int64_t value, Samples* samples, const IntervalRule& rule) {
  const auto at = [samples](size_t place) {
    std::nth_element(samples->begin(), samples->begin() + place, samples->end());
    return (*samples)[place];
  };
  const auto widened = [&rule](int64_t distance) {
    if (distance <= 0) return WideInt{0};
    const uint64_t positive = static_cast<uint64_t>(distance);
    return WideInt{WidenFor(rule.blocks, rule.confidence_percent, positive)};
  };
  const auto clamped = [](WideInt x) {
    constexpr WideInt kMost = std::numeric_limits<int64_t>::max();
    return static_cast<int64_t>(std::clamp(x, -kMost, kMost));
  };
  Change change;
  change.value = value;
  change.low = clamped(value - widened(value - at(rule.low_place)));
  change.high = clamped(value + widened(at(samples->size() - 1 - rule.low_place) - value));
  return change;
}

Estimate EstimateOf(uint64_t value, Samples* samples, const IntervalRule& rule) {
  const Change interval = IntervalOf(static_cast<int64_t>(value), samples, rule);
  return {value, static_cast<uint64_t>(std::max<int64_t>(interval.low, 0)),
          static_cast<uint64_t>(interval.high)};
}

struct StatisticsSamples {
  Samples median;
  Samples mean;
  Samples p90;

  void Add(const SeriesStatistics& statistics) {
    median.push_back(static_cast<int64_t>(statistics.median));
    mean.push_back(static_cast<int64_t>(statistics.mean));
    p90.push_back(static_cast<int64_t>(statistics.p90));
  }
};

Samples Difference(const Samples& a, const Samples& b) {
  Samples difference(a.size());
  for (size_t i = 0; i < a.size(); ++i) difference[i] = a[i] - b[i];
  return difference;
}

StatisticsSamples Resamples(const SeriesBlocks& blocks, uint32_t count, uint64_t seed,
                            uint32_t resamples) {
  SplitMix random(seed);
  StatisticsSamples samples;
  BlockCopies copies;
  for (uint32_t r = 0; r < resamples; ++r) {
    blocks.Draw(&random, count, &copies);
    samples.Add(blocks.Resample(copies));
  }
  return samples;
}

// Of this seed, card and arm, wherever the series stands in the list.
uint64_t SeedFor(uint64_t seed, uint32_t card, bool warmed) {
  return SplitMix(SplitMix(seed).Next() ^ (uint64_t{card} * 2 + (warmed ? 1 : 0))).Next();
}

SeriesJudgement Describe(const RoundSeries& series, const SteadyPhase& phase) {
  SeriesJudgement judgement;
  judgement.card = series.card;
  judgement.warmed = series.warmed;
  judgement.rounds = series.times.size();
  judgement.first_steady_round = phase.first;
  judgement.rounds_used = series.times.size() - phase.first;
  judgement.steady = phase.steady;
  judgement.level_change = phase.level_change;
  return judgement;
}

SeriesBlocks BlocksFrom(const RoundSeries& series, size_t first) {
  return SeriesBlocks(series.times.data() + first, series.times.size() - first);
}

void EstimateSeries(const SeriesStatistics& statistics, uint32_t blocks, StatisticsSamples samples,
                    IntervalRule rule, SeriesJudgement* series) {
  rule.blocks = blocks;
  series->blocks = blocks;
  series->median = EstimateOf(statistics.median, &samples.median, rule);
  series->mean = EstimateOf(statistics.mean, &samples.mean, rule);
  series->p90 = EstimateOf(statistics.p90, &samples.p90, rule);
}

struct Arms {
  SeriesStatistics without;
  SeriesStatistics with;
  StatisticsSamples without_samples;
  StatisticsSamples with_samples;
};

void EstimateChanges(const Arms& arms, const IntervalRule& rule, CardEvidence* evidence) {
  const auto minus = [](uint64_t a, uint64_t b) {
    return static_cast<int64_t>(a) - static_cast<int64_t>(b);
  };
  const int64_t median = minus(arms.with.median, arms.without.median);
  const int64_t mean = minus(arms.with.mean, arms.without.mean);
  const int64_t p90 = minus(arms.with.p90, arms.without.p90);
  Samples medians = Difference(arms.with_samples.median, arms.without_samples.median);
  Samples means = Difference(arms.with_samples.mean, arms.without_samples.mean);
  Samples p90s = Difference(arms.with_samples.p90, arms.without_samples.p90);
  // A resample's median and mean are of the same blocks, so their difference is, too.
  Samples mean_tails = Difference(means, medians);
  Samples p90_tails = Difference(p90s, medians);
  evidence->tail_of_mean_low = IntervalOf(mean - median, &mean_tails, rule).low;
  evidence->tail_of_p90_low = IntervalOf(p90 - median, &p90_tails, rule).low;
  evidence->card.median = IntervalOf(median, &medians, rule);
  evidence->card.mean = IntervalOf(mean, &means, rule);
  evidence->card.p90 = IntervalOf(p90, &p90s, rule);
}

int64_t SaturatingSum(int64_t a, int64_t b) {
  int64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<int64_t>::max() : sum;
}

}  // namespace

CardEvidence JudgeCard(const RoundSeries& without, const RoundSeries& with,
                       const JudgeOptions& options, uint32_t resamples) {
  SteadyPhase phase_without = FindSteadyPhase(without.times, options.most_drift_ppm);
  SteadyPhase phase_with = FindSteadyPhase(with.times, options.most_drift_ppm);
  if (options.interleaved) {
    phase_without.first = phase_with.first = std::max(phase_without.first, phase_with.first);
  }
  CardEvidence evidence;
  evidence.card.card = without.card;
  evidence.without = Describe(without, phase_without);
  evidence.with = Describe(with, phase_with);
  const SeriesBlocks blocks_without = BlocksFrom(without, phase_without.first);
  const SeriesBlocks blocks_with = BlocksFrom(with, phase_with.first);
  uint32_t count_without = blocks_without.blocks();
  uint32_t count_with = blocks_with.blocks();
  const uint32_t fewer = std::min(count_without, count_with);
  // Interleaved: the same blocks of both arms, by the same numbers.
  if (options.interleaved) count_without = count_with = fewer;
  const uint64_t seed = SeedFor(options.seed, without.card, false);
  const uint64_t seed_with = options.interleaved ? seed : SeedFor(options.seed, without.card, true);
  const Arms arms = {blocks_without.statistics(), blocks_with.statistics(),
                     Resamples(blocks_without, count_without, seed, resamples),
                     Resamples(blocks_with, count_with, seed_with, resamples)};
  const IntervalRule rule = {LowPlace(resamples, options.confidence_percent),
                             options.confidence_percent, fewer};
  EstimateSeries(arms.without, count_without, arms.without_samples, rule, &evidence.without);
  EstimateSeries(arms.with, count_with, arms.with_samples, rule, &evidence.with);
  EstimateChanges(arms, rule, &evidence);
  const uint64_t slowest = blocks_with.largest() - arms.with.median;
  evidence.card.cautious_mean_high = SaturatingSum(
      evidence.card.mean.high, static_cast<int64_t>(2 * slowest / evidence.with.rounds_used));
  return evidence;
}

}  // namespace torqsched
