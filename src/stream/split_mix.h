// Random numbers that are the same on every machine: splitmix64 (Sebastiano Vigna, public domain).
#ifndef TORQSCHED_SRC_STREAM_SPLIT_MIX_H_
#define TORQSCHED_SRC_STREAM_SPLIT_MIX_H_

#include <cstdint>

namespace torqsched {

// Spreads 64 bits: what splitmix64 makes of this state.
inline uint64_t Mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

class SplitMix {
 public:
  explicit SplitMix(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    const uint64_t next = Mix(state_);
    state_ += 0x9e3779b97f4a7c15;
    return next;
  }
  // Below n, which is at least 1 and at most 2^32.
  uint32_t Below(uint64_t n) { return static_cast<uint32_t>(((Next() >> 32) * n) >> 32); }

 private:
  uint64_t state_;
};

}  // namespace torqsched

#endif  // TORQSCHED_SRC_STREAM_SPLIT_MIX_H_
