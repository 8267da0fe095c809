// What a matrix of packed elements takes in memory.
#ifndef TORQSCHED_SRC_TILING_OPERAND_BYTES_H_
#define TORQSCHED_SRC_TILING_OPERAND_BYTES_H_

#include <cstdint>

#include "absl/numeric/int128.h"

namespace torqsched {

// The bytes of a * b elements of this many bits (4, 8, 16 or 32), rounded up to a whole byte; false
// where they do not fit 64 bits.
inline bool OperandBytes(uint64_t a, uint64_t b, uint32_t bits, uint64_t* bytes) {
  const absl::uint128 elements = absl::uint128(a) * b;
  // Too many at any width; below it, elements * bits fits 128 bits.
  if (absl::Uint128High64(elements) >= 4) return false;
  const absl::uint128 exact = (elements * bits + 7) / 8;
  *bytes = absl::Uint128Low64(exact);
  return absl::Uint128High64(exact) == 0;
}

}  // namespace torqsched

#endif  // TORQSCHED_SRC_TILING_OPERAND_BYTES_H_
