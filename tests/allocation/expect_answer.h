// What every answer must keep, whatever the problem, and comparison with the reference.
#ifndef TORQSCHED_TESTS_ALLOCATION_EXPECT_ANSWER_H_
#define TORQSCHED_TESTS_ALLOCATION_EXPECT_ANSWER_H_

#include <cstdint>
#include <optional>
#include <string>

#include "src/allocation/allocate.h"

namespace torqsched {

// Whatever contradicts the comments of allocation.h in an answer, a line each; empty: nothing.
// Held against the reference's quadratic check, and against verify, which shares code with neither.
std::string AnswerFaults(const AllocationProblem& problem, const AllocationAnswer& answer);

// The same, and that a conflict cannot be placed alone, and, where it is said to be minimal, can be
// without any one of its members, by the reference's exhaustive search. For small problems.
std::string AnswerFaultsInDepth(const AllocationProblem& problem, const AllocationAnswer& answer);

// Asks for the least height, and for a placement within the least height, one byte less, and
// `extra` bytes, and holds the answers against the reference's. Empty: all as it should be;
// otherwise what differs, with the problem. `least` is what the reference says to the problem
// without its capacity.
std::string DifferencesFromReference(AllocationProblem problem, std::optional<uint64_t> least,
                                     const SearchRules& rules = {}, uint64_t extra = 0);

}  // namespace torqsched

#endif  // TORQSCHED_TESTS_ALLOCATION_EXPECT_ANSWER_H_
