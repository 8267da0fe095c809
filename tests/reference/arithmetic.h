// Numbers of the reference: sums that cannot wrap, and what a transfer costs.
//
// Wherever a sum or a product could leave 64 bits it is made in 128; what is handed out saturates,
// as inputs whose own cycles overflow are invalid anyway.
#ifndef TORQSCHED_TESTS_REFERENCE_ARITHMETIC_H_
#define TORQSCHED_TESTS_REFERENCE_ARITHMETIC_H_

#include <cstdint>

#include "absl/numeric/int128.h"
#include "src/hardware/hardware.h"

namespace torqsched::reference {

using Wide = absl::uint128;

inline uint64_t Narrow(Wide value) {
  return absl::Uint128High64(value) != 0 ? UINT64_MAX : absl::Uint128Low64(value);
}

inline uint64_t Sum(uint64_t a, uint64_t b) { return Narrow(Wide(a) + b); }

// "cycles = ceil(bytes / T)", T the exact ratio dma_bytes / dma_cycles.
inline uint64_t CyclesOfTransfer(const Hardware& hardware, uint64_t bytes) {
  const Wide scaled = Wide(bytes) * hardware.dma_cycles;
  return Narrow(scaled / hardware.dma_bytes + (scaled % hardware.dma_bytes == 0 ? 0 : 1));
}

}  // namespace torqsched::reference

#endif  // TORQSCHED_TESTS_REFERENCE_ARITHMETIC_H_
