// Fast checks of plain problems: those with sizes, live ranges, alignments and a capacity only. For
// sets of many thousand buffers, where reference::CheckOffsets, which compares all pairs, is too
// slow. A sweep over time: O(n log n).
#ifndef TORQSCHED_TESTS_ALLOCATION_PLAIN_CHECK_H_
#define TORQSCHED_TESTS_ALLOCATION_PLAIN_CHECK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "src/allocation/allocation.h"

namespace torqsched {

// The most bytes that are live at once; the largest value where that does not fit.
uint64_t LargestLiveSum(const AllocationProblem& problem);

// The first thing that is wrong with the offsets, in words; empty: nothing.
std::string PlainFault(const AllocationProblem& problem, const std::vector<uint64_t>& offsets);

// Where the highest buffer ends.
uint64_t HeightOf(const AllocationProblem& problem, const std::vector<uint64_t>& offsets);

}  // namespace torqsched

#endif  // TORQSCHED_TESTS_ALLOCATION_PLAIN_CHECK_H_
