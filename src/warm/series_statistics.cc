#include "src/warm/series_statistics.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace torqsched {
namespace {

constexpr size_t kNoteEvery = 64;

// The correlation of neighbours in a series, as products / squares.
struct Correlation {
  WideInt products = 0;
  WideInt squares = 0;
};

// n * n * n * largest count * largest count fits 127 bits.
template <typename Count>
Correlation CorrelationOf(const std::vector<Count>& counts) {
  int64_t sum = 0;
  for (const Count count : counts) sum += count;
  const int64_t n = static_cast<int64_t>(counts.size());
  Correlation correlation;
  for (int64_t i = 0; i < n; ++i) {
    const WideInt here = WideInt{counts[i]} * n - sum;
    correlation.squares += here * here;
    if (i + 1 < n) correlation.products += here * (WideInt{counts[i + 1]} * n - sum);
  }
  return correlation;
}

// Too short for how correlated the rounds are: below four times (1 + r) / (1 - r), the number of
// rounds that tell as much as one independent round, where correlation r fades geometrically.
bool TooShort(size_t length, const Correlation& of_rounds) {
  const WideInt most = of_rounds.squares + of_rounds.products;
  const WideInt least = of_rounds.squares - of_rounds.products;
  return static_cast<int64_t>(length) * least < 4 * most;
}

// Neighbouring blocks are alike: their counts' correlation is above a quarter. Of 32 blocks of
// independent rounds that happens in one case of twenty.
bool Alike(const std::vector<int64_t>& counts) {
  const Correlation correlation = CorrelationOf(counts);
  return correlation.products * 4 > correlation.squares;
}

}  // namespace

SeriesBlocks::SeriesBlocks(const uint64_t* values, size_t n)
    : finest_(static_cast<uint32_t>(std::min<size_t>(n, kMostBlocks))), blocks_(finest_) {
  std::vector<std::pair<uint64_t, uint8_t>> pairs(n);
  for (size_t i = 0; i < n; ++i) {
    const uint8_t block = BlockOf(i, n);
    pairs[i] = {values[i], block};
    ++sizes_[block];
    sums_[block] += values[i];
  }
  std::sort(pairs.begin(), pairs.end());
  sorted_.resize(n);
  block_.resize(n);
  for (size_t i = 0; i < n; ++i) {
    sorted_[i] = pairs[i].first;
    block_[i] = pairs[i].second;
  }
  Note();
  BlockCopies once = {};
  std::fill_n(once.begin(), finest_, 1);
  statistics_ = Resample(once);
  ChooseBlocks(values);
}

void SeriesBlocks::Note() {
  BlockCopies seen = {};
  for (size_t i = 0; i < block_.size(); ++i) {
    if (i % kNoteEvery == 0) before_.push_back(seen);
    ++seen[block_[i]];
  }
}

// By which of the rounds, how many of a block's, are above the median: no tail disturbs that.
void SeriesBlocks::ChooseBlocks(const uint64_t* values) {
  if (finest_ < kMostBlocks) return;
  const size_t n = sorted_.size();
  std::vector<uint8_t> above(n);
  std::vector<int64_t> counts(finest_, 0);
  for (size_t i = 0; i < n; ++i) {
    above[i] = values[i] > statistics_.median;
    counts[BlockOf(i, n)] += above[i];
  }
  const Correlation of_rounds = CorrelationOf(above);
  while (blocks_ > 8 && (TooShort(n / blocks_, of_rounds) || Alike(counts))) {
    blocks_ /= 2;
    for (uint32_t b = 0; b < blocks_; ++b) counts[b] = counts[2 * b] + counts[2 * b + 1];
    counts.resize(blocks_);
  }
}

void SeriesBlocks::Draw(SplitMix* random, uint32_t count, BlockCopies* copies) const {
  const uint32_t joined = finest_ / count;  // 1 where the finest are drawn
  copies->fill(0);
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t first = random->Below(count) * joined;
    for (uint32_t b = first; b < first + joined; ++b) ++(*copies)[b];
  }
}

SeriesStatistics SeriesBlocks::Resample(const BlockCopies& copies) const {
  uint64_t total = 0;
  WideUint sum = 0;
  for (uint32_t b = 0; b < finest_; ++b) {
    total += uint64_t{copies[b]} * sizes_[b];
    sum += copies[b] * sums_[b];
  }
  SeriesStatistics statistics;
  statistics.mean = static_cast<uint64_t>(sum / total);
  statistics.median = WeightedQuantile(copies, total, 50);
  statistics.p90 = WeightedQuantile(copies, total, 90);
  return statistics;
}

uint64_t SeriesBlocks::CopiesBefore(const BlockCopies& copies, size_t note) const {
  const BlockCopies& before = before_[note];
  uint64_t sum = 0;
  for (uint32_t b = 0; b < kMostBlocks; ++b) sum += uint64_t{copies[b]} * before[b];
  return sum;
}

uint64_t SeriesBlocks::WeightedQuantile(const BlockCopies& copies, uint64_t total,
                                        uint32_t percent) const {
  const uint64_t place = QuantilePlace(total, percent);
  // Of the notes with at most `place` copies before them, the last.
  size_t low = 0;
  size_t high = before_.size();
  while (high - low > 1) {
    const size_t middle = low + (high - low) / 2;
    (CopiesBefore(copies, middle) <= place ? low : high) = middle;
  }
  uint64_t seen = CopiesBefore(copies, low);
  for (size_t i = low * kNoteEvery;; ++i) {
    seen += copies[block_[i]];
    if (seen > place) return sorted_[i];
  }
}

size_t LowPlace(size_t resamples, uint32_t confidence_percent) {
  return resamples * (100 - confidence_percent) / 200;
}

uint64_t WidenFor(uint32_t blocks, uint32_t confidence_percent, uint64_t distance) {
  // The square of the normal distribution's two-sided quantile, times 1000, at the next of these.
  constexpr std::pair<uint32_t, uint64_t> kSquares[] = {{50, 455},  {80, 1642}, {90, 2706},
                                                        {95, 3841}, {98, 5412}, {99, 6635}};
  uint64_t square = 0;
  for (const auto& [percent, value] : kSquares) {
    square = value;
    if (percent >= confidence_percent) break;
  }
  const uint64_t freedom = std::max<uint32_t>(blocks, 2) - 1;
  // (1 + 1 / 2f) (1 + (z^2 + 1) / 4f)
  const WideUint numerator = WideUint{2 * freedom + 1} * (4000 * freedom + square + 1000);
  const WideUint wide = distance * numerator / (WideUint{2 * freedom} * 4000 * freedom);
  return static_cast<uint64_t>(std::min<WideUint>(wide, std::numeric_limits<uint64_t>::max()));
}

}  // namespace torqsched
