// Random numbers that are the same on every machine, and thresholds for annealing in integers.
#ifndef TORQSCHED_SRC_SEARCH_RANDOM_H_
#define TORQSCHED_SRC_SEARCH_RANDOM_H_

#include <cstdint>

namespace torqsched::search {

// Spreads 64 bits: what splitmix64 makes of this state.
inline uint64_t Mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  // splitmix64.
  uint64_t Next() {
    const uint64_t next = Mix(state_);
    state_ += 0x9e3779b97f4a7c15;
    return next;
  }
  // Below n, which is at least 1 and at most 2^32.
  uint32_t Below(uint64_t n) { return static_cast<uint32_t>(((Next() >> 32) * n) >> 32); }
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

 private:
  uint64_t state_;
};

}  // namespace torqsched::search

#endif  // TORQSCHED_SRC_SEARCH_RANDOM_H_
