// Made problems of any size. The same arguments give the same problem with every compiler and
// library: whole numbers only, from a generator of our own.
#ifndef TORQSCHED_TESTS_ALLOCATION_GENERATORS_H_
#define TORQSCHED_TESTS_ALLOCATION_GENERATORS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/allocation/allocation.h"

namespace torqsched {

struct PlantedProblem {
  AllocationProblem problem;
  std::vector<uint64_t> offsets;  // one placement; empty: none is known
};

// A filled rectangle, `height` bytes by `length` times, cut into about `buffers` buffers (at most
// three more): straight through one of them, or into five in a windmill, which no straight cuts
// make. At every time the live sum is the height, so the planted placement is a least one. The
// buffers come in random order. Fewer where the rectangle has not room for so many.
//
// Some `live` of them are live at once: few make a long file of small puzzles, many make one large
// puzzle, in which every byte counts. 0: the square root of their number.
PlantedProblem CutRectangle(size_t buffers, uint64_t height, uint64_t length, uint64_t seed,
                            uint64_t live = 0);

// As a network compiled layer by layer makes them: an activation lives until the next layer, some
// until a skip connection's end, weights come a little ahead, scratch lives for one layer, and a
// few buffers stay for good.
AllocationProblem NetworkLike(size_t buffers, uint64_t seed);

// Begin, length and size uniform; some 128 buffers live at once.
AllocationProblem UniformRandom(size_t buffers, uint64_t seed);

// Lengths from 1 to 2^16, twice as large half as frequent; sizes up to 2^30, four times as large
// half as frequent.
AllocationProblem PowerLaw(size_t buffers, uint64_t seed);

// Frames of a call stack: any two live ranges are nested or apart.
AllocationProblem Nested(size_t buffers, uint64_t seed);

// The problem with some of its buffers split in size, split in time, dropped or shrunk, how many of
// each by seed. What can place the problem can place this: the halves lie where the whole lay.
// `base` has sizes, live ranges, alignment and capacity only.
PlantedProblem Variant(const PlantedProblem& base, uint64_t seed);

}  // namespace torqsched

#endif  // TORQSCHED_TESTS_ALLOCATION_GENERATORS_H_
