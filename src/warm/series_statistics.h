// Median, mean and p90 of a series of rounds, and of resamples of it: a block bootstrap that never
// sorts twice.
//
// Neighbouring rounds are alike: clocks and temperatures drift. So not rounds are drawn but whole
// blocks of neighbours: up to 32 of equal length, drawn 32 times with replacement (Carlstein 1986).
// Where that makes them too short for how alike neighbouring rounds are, or where neighbouring
// blocks are alike, too, they are joined to 16, then to 8. What is assumed: the blocks know nothing
// of each other. A bootstrap of few blocks gives intervals that
// are too narrow; WidenFor makes up for it as Student's t does.
//
// A resample is how many copies it has of each block. Its mean comes from the blocks' sums. Its
// quantiles: of the series, sorted once, every 64th place notes how many values of each block lie
// before it; a binary search over these notes, then at most 64 steps, weighted by the copies.
// Exact. Cost: n log n once, then blocks * log n + 64 a resample, whatever n. Memory: linear.
//
// Integers only. Quantiles are order statistics: that of q percent is the least value that at least
// q percent of all do not exceed.
#ifndef TORQSCHED_SRC_WARM_SERIES_STATISTICS_H_
#define TORQSCHED_SRC_WARM_SERIES_STATISTICS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/stream/split_mix.h"

namespace torqsched {

__extension__ using WideInt = __int128;
__extension__ using WideUint = unsigned __int128;

// Which place, from 0, the quantile of `percent` (1 to 100) has among n (at least 1) sorted values.
inline size_t QuantilePlace(size_t n, uint32_t percent) {
  return static_cast<size_t>((WideUint{n} * percent + 99) / 100) - 1;
}

struct SeriesStatistics {
  uint64_t median = 0;
  uint64_t mean = 0;  // rounded down
  uint64_t p90 = 0;
};

constexpr uint32_t kMostBlocks = 32;
using BlockCopies = std::array<uint32_t, kMostBlocks>;  // by finest block; the rest is 0

class SeriesBlocks {
 public:
  // values: at least 1, fewer than 2^31, each below 2^60. Kept: a sorted copy.
  SeriesBlocks(const uint64_t* values, size_t n);

  // How many blocks to draw of: 32, 16 or 8; n where that is below 32.
  uint32_t blocks() const { return blocks_; }
  uint64_t largest() const { return sorted_.back(); }
  const SeriesStatistics& statistics() const { return statistics_; }

  // blocks() of `count` blocks (finest, 16 or 8), each drawn with the same chance.
  void Draw(SplitMix* random, uint32_t count, BlockCopies* copies) const;
  SeriesStatistics Resample(const BlockCopies& copies) const;

 private:
  uint8_t BlockOf(size_t i, size_t n) const {
    return static_cast<uint8_t>(uint64_t{i} * finest_ / n);
  }
  void ChooseBlocks(const uint64_t* values);
  void Note();
  uint64_t WeightedQuantile(const BlockCopies& copies, uint64_t total, uint32_t percent) const;
  uint64_t CopiesBefore(const BlockCopies& copies, size_t note) const;

  uint32_t finest_;                  // blocks that the notes tell apart
  uint32_t blocks_;                  // blocks that are drawn
  std::vector<uint64_t> sorted_;     // values
  std::vector<uint8_t> block_;       // of each sorted value
  std::vector<BlockCopies> before_;  // of each 64th place: values of each block before it
  BlockCopies sizes_ = {};
  std::array<WideUint, kMostBlocks> sums_ = {};
  SeriesStatistics statistics_;
};

// The interval's ends among resampled values, which are sorted: as many lie beyond each end.
size_t LowPlace(size_t resamples, uint32_t confidence_percent);

// A distance from a value to an end of its interval, made wider for as few blocks as this: by
// sqrt(blocks / (blocks - 1)) for the bootstrap, and by t over z at this confidence, both to the
// first order in 1 / blocks.
uint64_t WidenFor(uint32_t blocks, uint32_t confidence_percent, uint64_t distance);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_WARM_SERIES_STATISTICS_H_
