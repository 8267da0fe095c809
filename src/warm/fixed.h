// Fixed-point quantities of the warm model: no floating point, so that all machines agree.
//
//   Ticks   time, 2^-16 ns
//   Grains  bytes, 2^-16 byte
//   Rate    bytes a nanosecond, times 2^32
//   Cost    nanoseconds a byte, times 2^32
//
// Products are taken in 128 bits. What does not fit is cut at kMostTicks or kMostRate: checks of
// the input keep everything that means something far below.
#ifndef TORQSCHED_SRC_WARM_FIXED_H_
#define TORQSCHED_SRC_WARM_FIXED_H_

#include <algorithm>
#include <cstdint>

#include "absl/numeric/int128.h"

namespace torqsched::warm {

constexpr int kUnitBits = 16;
constexpr int kRatioBits = 32;
constexpr uint64_t kOne = uint64_t{1} << kRatioBits;  // the ratio 1
constexpr int64_t kMostTicks = int64_t{1} << 62;
constexpr uint64_t kMostRatio = uint64_t{1} << 62;

inline uint64_t Cut(absl::uint128 value, uint64_t most) {
  return value > most ? most : absl::Uint128Low64(value);
}

// a * b / c, rounded down; c at least 1.
inline uint64_t Scale(uint64_t a, uint64_t b, uint64_t c, uint64_t most = kMostRatio) {
  return Cut(absl::uint128(a) * b / c, most);
}

// A ratio times a quantity, rounded down.
inline uint64_t Times(uint64_t ratio, uint64_t quantity) {
  return Cut((absl::uint128(ratio) * quantity) >> kRatioBits, kMostRatio);
}

inline int64_t TicksOf(uint64_t ns) { return static_cast<int64_t>(ns << kUnitBits); }
inline int64_t GrainsOf(uint64_t bytes) { return static_cast<int64_t>(bytes << kUnitBits); }
// Rounded to the nearest nanosecond, or byte.
inline uint64_t Whole(int64_t units) {
  return static_cast<uint64_t>(units + (int64_t{1} << (kUnitBits - 1))) >> kUnitBits;
}

// The same of a difference.
inline int64_t RoundedNs(int64_t ticks) {
  return ticks >= 0 ? static_cast<int64_t>(Whole(ticks)) : -static_cast<int64_t>(Whole(-ticks));
}

// How long so many grains take at this cost, rounded up.
inline int64_t TicksAtCost(int64_t grains, uint64_t cost) {
  const absl::uint128 product = absl::uint128(static_cast<uint64_t>(grains)) * cost + (kOne - 1);
  return static_cast<int64_t>(Cut(product >> kRatioBits, kMostTicks));
}

// How long so many grains take at this rate (at least 1), rounded up.
inline int64_t TicksAtRate(int64_t grains, uint64_t rate) {
  const absl::uint128 scaled = absl::uint128(static_cast<uint64_t>(grains)) << kRatioBits;
  return static_cast<int64_t>(Cut((scaled + (rate - 1)) / rate, kMostTicks));
}

inline int64_t GrainsAtRate(int64_t ticks, uint64_t rate) {
  return static_cast<int64_t>(
      Cut((absl::uint128(static_cast<uint64_t>(ticks)) * rate) >> kRatioBits, kMostTicks));
}

// 1 / value of a rate as a cost, or of a cost as a rate; value at least 1.
inline uint64_t Inverse(uint64_t value) {
  return Cut((absl::uint128(1) << (2 * kRatioBits)) / value, kMostRatio);
}

}  // namespace torqsched::warm

#endif  // TORQSCHED_SRC_WARM_FIXED_H_
