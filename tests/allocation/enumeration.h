// All problems of a few small buffers, by number.
//
// A kind of buffer is a size from 1 to 4 and a live range in [0, 5), of which there are 15: 60
// kinds. The order of buffers is no part of a problem, so a problem of n buffers is a multiset of n
// kinds:
//
//   n = 3: 37,820   4: 595,665   5: 7,624,512   6: 82,598,880
#ifndef TORQSCHED_TESTS_ALLOCATION_ENUMERATION_H_
#define TORQSCHED_TESTS_ALLOCATION_ENUMERATION_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "src/allocation/allocation.h"

namespace torqsched {

// How many there are.
uint64_t ProblemCount(size_t buffers);

// The one of this number, from 0 on, with its buffers in an order that the number decides, too.
AllocationProblem ProblemOfNumber(size_t buffers, uint64_t number);

// Of a problem and what it is when time runs backward, which has the same placements, only one is
// kept: whether it is this one.
bool IsKept(const AllocationProblem& problem);

}  // namespace torqsched

#endif  // TORQSCHED_TESTS_ALLOCATION_ENUMERATION_H_
