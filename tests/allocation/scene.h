// Short words for problems that a test writes down by hand.
#ifndef TORQSCHED_TESTS_ALLOCATION_SCENE_H_
#define TORQSCHED_TESTS_ALLOCATION_SCENE_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "src/allocation/allocate.h"
#include "tests/allocation/expect_answer.h"

namespace torqsched {

inline AllocationBuffer Live(uint64_t lower, uint64_t upper, uint64_t size) {
  AllocationBuffer buffer;
  buffer.live = {lower, upper};
  buffer.size = size;
  return buffer;
}
inline AllocationBuffer Aligned(uint64_t alignment, AllocationBuffer buffer) {
  buffer.alignment = alignment;
  return buffer;
}
inline AllocationBuffer Fixed(uint64_t offset, AllocationBuffer buffer) {
  buffer.fixed_offset = offset;
  return buffer;
}
inline AllocationBuffer Without(std::vector<TimeRange> gaps, AllocationBuffer buffer) {
  buffer.gaps = std::move(gaps);
  return buffer;
}

inline AllocationProblem Scene(std::vector<AllocationBuffer> buffers) {
  AllocationProblem problem;
  problem.buffers = std::move(buffers);
  return problem;
}
inline AllocationProblem Within(uint64_t capacity, AllocationProblem problem) {
  problem.capacity = capacity;
  return problem;
}

// The answer, of which everything holds that holds for all answers.
inline AllocationAnswer Solve(const AllocationProblem& problem, Objective objective) {
  AllocationOptions options;
  options.objective = objective;
  const auto answer = Allocate(problem, options);
  EXPECT_TRUE(answer.ok()) << answer.status();
  if (!answer.ok()) return {};
  EXPECT_EQ(AnswerFaults(problem, *answer), "");
  return *answer;
}

// The least height is this, proven; within it there is a placement, below it a proof that there is
// none. Gives back the placement of the least height.
inline std::vector<uint64_t> ExpectLeast(AllocationProblem problem, uint64_t height) {
  problem.capacity.reset();
  const AllocationAnswer least = Solve(problem, Objective::kLeast);
  EXPECT_EQ(least.verdict, AllocationVerdict::kPlaced);
  EXPECT_EQ(least.height, height);
  EXPECT_TRUE(least.proven_least);
  problem.capacity = height;
  EXPECT_EQ(Solve(problem, Objective::kFit).verdict, AllocationVerdict::kPlaced);
  if (height > 0) {
    problem.capacity = height - 1;
    EXPECT_EQ(Solve(problem, Objective::kFit).verdict, AllocationVerdict::kInfeasible);
    EXPECT_EQ(Solve(problem, Objective::kLeast).verdict, AllocationVerdict::kInfeasible);
  }
  return least.offsets;
}

// There is no placement, and exactly these buffers are the reason; none of them can be left out.
inline void ExpectConflict(const AllocationProblem& problem,
                           const std::vector<uint32_t>& conflict) {
  const AllocationAnswer answer = Solve(problem, Objective::kFit);
  EXPECT_EQ(answer.verdict, AllocationVerdict::kInfeasible);
  EXPECT_EQ(answer.conflict, conflict);
  EXPECT_TRUE(answer.conflict_minimal);
}

}  // namespace torqsched

#endif  // TORQSCHED_TESTS_ALLOCATION_SCENE_H_
