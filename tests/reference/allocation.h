// A second implementation of offset allocation, to hold the first one against: slow and literal.
//
// The comments of src/allocation/allocation.h written down one by one. A placement is checked by
// comparing all pairs; the least height is found by trying every offset for one buffer after the
// other. It shares the plain types with the library, and no code. Problems are well formed.
//
// Where several are tied together (a root with its views, buffers of the same offset) and one of
// them is fixed, all lie where that puts them, whatever their alignment.
#ifndef TORQSCHED_TESTS_REFERENCE_ALLOCATION_H_
#define TORQSCHED_TESTS_REFERENCE_ALLOCATION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/allocation/allocation.h"

namespace torqsched::reference {

// Everything that is wrong with the offsets, a line each; empty: nothing. Any sizes; quadratic.
std::string CheckOffsets(const AllocationProblem& problem, const std::vector<uint64_t>& offsets);

// Where the highest buffer ends that takes room.
uint64_t HighestEnd(const AllocationProblem& problem, const std::vector<uint64_t>& offsets);

// The least height over all placements within the capacity; absent: there is none. Only for small
// problems: the cost is exponential in the buffers, with the height as base.
std::optional<uint64_t> LeastHeight(const AllocationProblem& problem);

// No placement ends below, where the problem's alignment holds for all buffers and nothing but live
// ranges, gaps and capacity binds them: all that is live at one time, rounded up, but for the
// padding of the topmost, which may be the one with most. With alignment 1 this is the largest live
// sum; in any case the largest value if that is less. Any sizes; quadratic.
uint64_t LiveBound(const AllocationProblem& problem);

// The problem of these buffers alone, in this order, with what ties two of them.
AllocationProblem Alone(const AllocationProblem& problem, const std::vector<uint32_t>& buffers);

// The problem as text, to be read where a test fails.
std::string Describe(const AllocationProblem& problem);

}  // namespace torqsched::reference

#endif  // TORQSCHED_TESTS_REFERENCE_ALLOCATION_H_
