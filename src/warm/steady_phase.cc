#include "src/warm/steady_phase.h"

#include <algorithm>

#include "src/warm/series_statistics.h"

namespace torqsched {
namespace {

constexpr size_t kFewestToCut = 20;
constexpr size_t kFewestToTest = 48;
constexpr size_t kLeastBatch = 5;
constexpr size_t kMostBatches = 4096;
constexpr uint32_t kClippedBits = 20;  // with 4096 batches all products below fit 128 bits
constexpr size_t kSegments = 24;       // of the rest: 8 in each third

// Times relative to `low`, clipped, in steps of 2^shift.
struct ClippedSeries {
  std::vector<uint32_t> values;
  uint32_t shift = 0;
  uint64_t median = 0;  // time, of the last half
};

ClippedSeries Clip(const std::vector<uint64_t>& times) {
  std::vector<uint64_t> half(times.begin() + times.size() / 2, times.end());
  const auto quantile = [&half](uint32_t percent) {
    const auto place = half.begin() + QuantilePlace(half.size(), percent);
    std::nth_element(half.begin(), place, half.end());
    return *place;
  };
  ClippedSeries clipped;
  const uint64_t lower = quantile(25);
  const uint64_t upper = quantile(75);
  clipped.median = quantile(50);
  // Where the clock is coarse the quartiles coincide; a thousandth of a round is a level still.
  const uint64_t reach = 3 * std::max({upper - lower, clipped.median / 1000, uint64_t{1}});
  const uint64_t low = lower - std::min(lower, reach);
  const uint64_t high = upper + reach;
  while ((high - low) >> clipped.shift >= uint64_t{1} << kClippedBits) ++clipped.shift;
  clipped.values.reserve(times.size());
  for (const uint64_t time : times) {
    const uint64_t above = std::clamp(time, low, high) - low;
    clipped.values.push_back(static_cast<uint32_t>(above >> clipped.shift));
  }
  return clipped;
}

std::vector<uint32_t> BatchMeans(const std::vector<uint32_t>& values, size_t batch) {
  std::vector<uint32_t> means;
  for (size_t first = 0; first + batch <= values.size(); first += batch) {
    uint64_t sum = 0;
    for (size_t i = first; i < first + batch; ++i) sum += values[i];
    means.push_back(static_cast<uint32_t>(sum / batch));
  }
  return means;
}

// How many batches to cut: the least (count * squares - sum^2) / count^3 of the rest; the fewest
// among equals.
size_t LeastErrorCut(const std::vector<uint32_t>& means) {
  WideUint sum = 0;
  WideUint squares = 0;
  WideUint best_spread = 0;
  WideUint best_cube = 0;
  size_t best = 0;
  for (size_t cut = means.size(); cut-- > 0;) {
    sum += means[cut];
    squares += WideUint{means[cut]} * means[cut];
    if (cut > means.size() / 2) continue;
    const WideUint count = means.size() - cut;
    const WideUint spread = count * squares - sum * sum;
    const WideUint cube = count * count * count;
    if (best_cube != 0 && spread * best_cube > best_spread * cube) continue;
    best = cut;
    best_spread = spread;
    best_cube = cube;
  }
  return best;
}

// The cut batches' level is off the rest's by more than three standard errors of their mean, judged
// by the rest's spread: otherwise what was cut is chance.
bool ShowsStartUp(const std::vector<uint32_t>& means, size_t cut) {
  WideInt head = 0;
  WideInt rest = 0;
  WideInt squares = 0;
  for (size_t i = 0; i < means.size(); ++i) {
    (i < cut ? head : rest) += means[i];
    if (i >= cut) squares += WideInt{means[i]} * means[i];
  }
  const WideInt few = static_cast<int64_t>(cut);
  const WideInt many = static_cast<int64_t>(means.size() - cut);
  const WideInt distance = head * many - rest * few;    // few * many times that of the levels
  const WideInt spread = many * squares - rest * rest;  // many^2 times the variance
  return distance * distance > 9 * few * spread;
}

// Of the segments [first, first + 8), of which each has `length` values: the sum of their sums, and
// 8 times the sum of their squared distances from their mean.
struct ThirdLevel {
  WideInt sum = 0;
  WideInt spread = 0;
};

ThirdLevel LevelOfThird(const uint32_t* values, size_t length) {
  constexpr size_t kCount = kSegments / 3;
  ThirdLevel level;
  WideInt squares = 0;
  for (size_t s = 0; s < kCount; ++s) {
    WideInt sum = 0;
    for (size_t i = s * length; i < (s + 1) * length; ++i) sum += values[i];
    level.sum += sum;
    squares += sum * sum;
  }
  level.spread = WideInt{kCount} * squares - level.sum * level.sum;
  return level;
}

void TestRest(const ClippedSeries& clipped, uint32_t most_drift_ppm, SteadyPhase* phase) {
  const size_t rest = clipped.values.size() - phase->first;
  if (rest < kFewestToTest) return;
  const size_t length = rest / kSegments;
  const size_t third = length * (kSegments / 3);
  const ThirdLevel head = LevelOfThird(&clipped.values[phase->first], length);
  const ThirdLevel tail = LevelOfThird(&clipped.values[clipped.values.size() - third], length);
  const WideInt change = tail.sum - head.sum;
  // The variance of a third's sum: 8 * (spread / 8) / 7.
  if (change * change * 7 <= 16 * (head.spread + tail.spread)) return;
  const WideInt units = change * (WideInt{1} << clipped.shift) / static_cast<int64_t>(third);
  const WideInt distance = units < 0 ? -units : units;
  if (distance * 1000000 <= WideInt{clipped.median} * most_drift_ppm) return;
  phase->steady = false;
  phase->level_change = static_cast<int64_t>(units);
}

}  // namespace

SteadyPhase FindSteadyPhase(const std::vector<uint64_t>& times, uint32_t most_drift_ppm) {
  SteadyPhase phase;
  if (times.size() < kFewestToCut) return phase;
  const ClippedSeries clipped = Clip(times);
  const size_t batch = std::max(kLeastBatch, (times.size() + kMostBatches - 1) / kMostBatches);
  const std::vector<uint32_t> means = BatchMeans(clipped.values, batch);
  const size_t cut = LeastErrorCut(means);
  if (ShowsStartUp(means, cut)) phase.first = cut * batch;
  TestRest(clipped, most_drift_ppm, &phase);
  return phase;
}

}  // namespace torqsched
