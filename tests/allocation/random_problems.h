// Small random problems with every kind of constraint, for comparison with the reference.
#ifndef TORQSCHED_TESTS_ALLOCATION_RANDOM_PROBLEMS_H_
#define TORQSCHED_TESTS_ALLOCATION_RANDOM_PROBLEMS_H_

#include <cstddef>
#include <cstdint>

#include "src/allocation/allocation.h"

namespace torqsched {

// Up to `most_buffers` buffers, at least one, of up to 5 bytes, zero sizes and empty live ranges
// among them. Each kind of constraint (alignments, gaps, fixed offsets, hints, reserved ranges,
// boundaries, views, same offsets, separations) is in about every third problem. Well formed;
// without capacity; a placement may not exist, where fixed offsets clash.
AllocationProblem RandomConstrained(size_t most_buffers, uint64_t seed);

// Live ranges, sizes from 1 to 4 and one alignment of 1, 2 or 4 only.
AllocationProblem RandomPlain(size_t buffers, uint64_t seed);

// Alignment 1, sizes from 1 to 2, and a gap in most live ranges: more is often needed than what is
// live at any time.
AllocationProblem RandomGapped(size_t buffers, uint64_t seed);

// A plain problem that fills `height` bytes at every one of `times` times with buffers of up to
// `largest_size` bytes: some of these need more than the height, though none shows at any one time.
AllocationProblem Saturated(uint64_t height, uint64_t times, uint64_t largest_size, uint64_t seed);

}  // namespace torqsched

#endif  // TORQSCHED_TESTS_ALLOCATION_RANDOM_PROBLEMS_H_
