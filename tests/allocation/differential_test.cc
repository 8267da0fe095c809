// Random small problems with every kind of constraint, mixed, against the reference: the least
// height, within it, below it, and with some bytes to spare.
#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/allocation/expect_answer.h"
#include "tests/allocation/random_problems.h"
#include "tests/reference/allocation.h"

namespace torqsched {
namespace {

using reference::LeastHeight;

// What a set of problems has to have for the comparison to mean something.
struct Seen {
  uint64_t gaps = 0, fixed = 0, reserved = 0, boundaries = 0, views = 0, same_offset = 0;
  uint64_t separate = 0, mixed_alignments = 0, zero_sizes = 0, never_live = 0, nowhere = 0;

  void Count(const AllocationProblem& problem, std::optional<uint64_t> least) {
    bool gap = false, fix = false, aligned = false, zero = false, dead = false;
    for (const AllocationBuffer& buffer : problem.buffers) {
      gap |= !buffer.gaps.empty();
      fix |= buffer.fixed_offset.has_value();
      aligned |= buffer.alignment > problem.alignment;
      zero |= buffer.size == 0;
      dead |= buffer.live.lower == buffer.live.upper;
    }
    gaps += gap;
    fixed += fix;
    mixed_alignments += aligned;
    zero_sizes += zero;
    never_live += dead;
    reserved += !problem.reserved.empty();
    boundaries += !problem.boundaries.empty();
    views += !problem.aliases.empty();
    same_offset += !problem.same_offset.empty();
    separate += !problem.separate.empty();
    nowhere += !least.has_value();
  }
};

// Every seed's problem; the first few that differ are reported, with the seed.
Seen CompareSeeds(uint64_t first, uint64_t count, size_t most_buffers) {
  Seen seen;
  int failed = 0;
  for (uint64_t seed = first; seed < first + count && failed < 3; ++seed) {
    const AllocationProblem problem = RandomConstrained(most_buffers, seed);
    const std::optional<uint64_t> least = LeastHeight(problem);
    seen.Count(problem, least);
    const std::string differences =
        DifferencesFromReference(problem, least, {}, /*extra=*/1 + seed % 4);
    if (differences.empty()) continue;
    ADD_FAILURE() << "RandomConstrained(" << most_buffers << ", " << seed << ")\n" << differences;
    ++failed;
  }
  return seen;
}

TEST(DifferentialTest, UpToFiveBuffersWithAllConstraintsMixed) {
  const Seen seen = CompareSeeds(0, 30000, 5);
  EXPECT_GE(seen.gaps, 3000u);
  EXPECT_GE(seen.fixed, 3000u);
  EXPECT_GE(seen.reserved, 3000u);
  EXPECT_GE(seen.boundaries, 3000u);
  EXPECT_GE(seen.views, 3000u);
  EXPECT_GE(seen.same_offset, 3000u);
  EXPECT_GE(seen.separate, 3000u);
  EXPECT_GE(seen.mixed_alignments, 3000u);
  EXPECT_GE(seen.zero_sizes, 1000u);
  EXPECT_GE(seen.never_live, 1000u);
  EXPECT_GE(seen.nowhere, 1000u);
}

TEST(DifferentialTest, UpToSevenBuffersWithAllConstraintsMixed) { CompareSeeds(1000000, 10000, 7); }

}  // namespace
}  // namespace torqsched
