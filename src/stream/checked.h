// Sums and products of cycles and bytes that cannot wrap: all quantities are unsigned 64-bit.
#ifndef TORQSCHED_SRC_STREAM_CHECKED_H_
#define TORQSCHED_SRC_STREAM_CHECKED_H_

#include <cstdint>
#include <limits>

namespace torqsched {

// Adds b to *a; false, with *a left as it was, where the sum would not fit 64 bits.
inline bool CheckedAdd(uint64_t* a, uint64_t b) {
  uint64_t sum;
  if (__builtin_add_overflow(*a, b, &sum)) return false;
  *a = sum;
  return true;
}

// The sum, or the largest value where it would not fit: for comparisons "a + b <= limit" whose
// limit is below that, and for clocks whose total was checked before.
inline uint64_t SaturatingAdd(uint64_t a, uint64_t b) {
  uint64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<uint64_t>::max() : sum;
}

// The product, or the largest value where it would not fit.
inline uint64_t SaturatingMultiply(uint64_t a, uint64_t b) {
  uint64_t product;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<uint64_t>::max() : product;
}

// a + b <= limit, exactly.
inline bool SumFits(uint64_t a, uint64_t b, uint64_t limit) { return a <= limit && b <= limit - a; }

// The least multiple of alignment (at least 1) that is not below value; false if none fits 64 bits.
inline bool CheckedAlignUp(uint64_t value, uint64_t alignment, uint64_t* aligned) {
  const uint64_t rest = value % alignment;
  *aligned = value;
  return rest == 0 || CheckedAdd(aligned, alignment - rest);
}

inline uint64_t AlignDown(uint64_t value, uint64_t alignment) { return value - value % alignment; }

}  // namespace torqsched

#endif  // TORQSCHED_SRC_STREAM_CHECKED_H_
