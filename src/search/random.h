// Random numbers that are the same on every machine, and thresholds for annealing in integers.
#ifndef TORQSCHED_SRC_SEARCH_RANDOM_H_
#define TORQSCHED_SRC_SEARCH_RANDOM_H_

#include <cstdint>

#include "src/stream/split_mix.h"

namespace torqsched::search {

using torqsched::Mix;

class Random : public SplitMix {
 public:
  using SplitMix::SplitMix;

  bool OneIn(uint32_t n) { return Below(n) == 0; }

  // Exponentially distributed with about this mean (up to 2^40): mean * -ln(u), where the
  // logarithm's fraction is interpolated linearly.
  int64_t Threshold(int64_t mean) {
    const uint64_t u = Next() | 1;
    const int zeros = __builtin_clzll(u);
    // -log2(u / 2^64) = zeros + 1 - log2(1.fraction), in 1/1024.
    const uint64_t fraction = zeros == 63 ? 0 : ((u << (zeros + 1)) >> 54);
    const int64_t log2 = int64_t{zeros + 1} * 1024 - static_cast<int64_t>(fraction);
    return mean * log2 / 1477;  // 1024 / ln 2
  }
};

}  // namespace torqsched::search

#endif  // TORQSCHED_SRC_SEARCH_RANDOM_H_
