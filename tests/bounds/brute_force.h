// The shortest order of a tiny stream: all orders that keep the dependences, on all slices.
//
// LRAM is counted in bytes only, so what is found may have no offsets: it is at most what any
// placed order takes. With swaps a buffer that is in the way may be stored and loaded back, each at
// its full price and just before the op that needs the room or the buffer; that is legal, so no
// bound may be above it, though a cleverer use of swaps may be shorter still.
//
// Shares plain types and TransferCycles with the library; dependences and uses are the reference's.
#ifndef TORQSCHED_TESTS_BOUNDS_BRUTE_FORCE_H_
#define TORQSCHED_TESTS_BOUNDS_BRUTE_FORCE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "src/hardware/hardware.h"
#include "src/stream/stream.h"

namespace torqsched {

struct Shortest {
  bool finished = false;             // false: too many orders
  std::optional<uint64_t> makespan;  // absent: no order fits
  std::vector<OpIndex> order;        // its ops that are not pure
  uint64_t steps = 0;
};

// Gives up after so many steps.
Shortest ShortestOrder(const Stream& stream, const Hardware& hardware, bool swaps_allowed,
                       uint64_t most_steps);

}  // namespace torqsched

#endif  // TORQSCHED_TESTS_BOUNDS_BRUTE_FORCE_H_
