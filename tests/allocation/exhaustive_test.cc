// All problems of a few small buffers against the reference's exhaustive search: the least height,
// a placement at it, and a proof that there is none one byte below.
//
// With alignments 1, 2 and 4 each, that is three times the count in enumeration.h. Run are
//
//   n = 3:     37,820 x 3, all
//   n = 4:    297,990 x 3, all but those that are another one with time running backward
//   n = 5:     20,000 x 3 of 7,624,512
//   n = 6:     10,000 x 3 of 82,598,880, both drawn by a fixed seed; scripts/allocation_soak.sh
//   runs more
//
// At alignment 1 none of these needs more than the bytes live at once (the smallest known that does
// has seven buffers); at alignments 2 and 4 many do, though few more than that rounded up. So there
// are problems on top that need more than any bound at a single time shows: drawn, and kept where
// the reference says so.
#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/allocation/enumeration.h"
#include "tests/allocation/expect_answer.h"
#include "tests/allocation/random_problems.h"
#include "tests/reference/allocation.h"
#include "tests/reference/random_streams.h"

namespace torqsched {
namespace {

using reference::LeastHeight;
using reference::LiveBound;
using reference::SplitMix64;

// The most bytes live at once, not rounded.
uint64_t LiveSum(AllocationProblem problem) {
  problem.alignment = 1;
  return LiveBound(problem);
}

// Compares many problems, and reports the first few that differ only.
class Comparison {
 public:
  void Compare(const AllocationProblem& problem, std::optional<uint64_t> least,
               const std::string& name) {
    ++compared_;
    if (*least > LiveSum(problem)) ++above_live_sum_;
    if (*least > LiveBound(problem)) ++above_bound_;
    const std::string differences = DifferencesFromReference(problem, least);
    if (!differences.empty() && ++failed_ <= 3) ADD_FAILURE() << name << "\n" << differences;
  }
  uint64_t compared() const { return compared_; }
  uint64_t above_live_sum() const { return above_live_sum_; }
  uint64_t above_bound() const { return above_bound_; }
  bool failed() const { return failed_ >= 3; }

 private:
  uint64_t compared_ = 0;
  uint64_t above_live_sum_ = 0;
  uint64_t above_bound_ = 0;
  uint64_t failed_ = 0;
};

class SmallProblemsTest : public ::testing::TestWithParam<uint64_t> {
 protected:
  void Compare(size_t buffers, uint64_t number) {
    AllocationProblem problem = ProblemOfNumber(buffers, number);
    problem.alignment = GetParam();
    comparison_.Compare(problem, LeastHeight(problem),
                        absl::StrCat(buffers, " buffers, problem ", number));
  }
  void CompareDrawn(size_t buffers, uint64_t count) {
    SplitMix64 random(buffers);
    for (uint64_t i = 0; i < count && !comparison_.failed(); ++i) {
      Compare(buffers, random.Below(ProblemCount(buffers)));
    }
    EXPECT_EQ(comparison_.compared(), count);
  }
  // A good share is not decided by the bytes live at once.
  void ExpectAboveLiveSum(uint64_t percent_at_2, uint64_t percent_at_4) {
    if (GetParam() == 1) {
      EXPECT_EQ(comparison_.above_live_sum(), 0u);
      return;
    }
    EXPECT_GE(comparison_.above_live_sum() * 100 / comparison_.compared(),
              GetParam() == 2 ? percent_at_2 : percent_at_4);
  }
  Comparison comparison_;
};

TEST_P(SmallProblemsTest, AllOfThreeBuffersHaveTheLeastHeight) {
  ASSERT_EQ(ProblemCount(3), 37820u);
  for (uint64_t number = 0; number < 37820 && !comparison_.failed(); ++number) Compare(3, number);
  EXPECT_EQ(comparison_.compared(), 37820u);
  ExpectAboveLiveSum(25, 50);
}

TEST_P(SmallProblemsTest, AllOfFourBuffersHaveTheLeastHeight) {
  ASSERT_EQ(ProblemCount(4), 595665u);
  for (uint64_t number = 0; number < 595665 && !comparison_.failed(); ++number) {
    if (IsKept(ProblemOfNumber(4, number))) Compare(4, number);
  }
  // A multiset of four that is its own mirror: of the 12 kinds that are theirs (3 ranges of 15),
  // and of the 24 pairs of kinds that are each other's: 4 own 1,365, 2 own and a pair 78 x 24, 2
  // pairs 300, together 3,537. Of the others half is kept.
  EXPECT_EQ(comparison_.compared(), (595665u - 3537u) / 2 + 3537u);
  ExpectAboveLiveSum(40, 70);
}

TEST_P(SmallProblemsTest, SomeOfFiveBuffersHaveTheLeastHeight) {
  ASSERT_EQ(ProblemCount(5), 7624512u);
  CompareDrawn(5, 20000);
  ExpectAboveLiveSum(50, 80);
}

TEST_P(SmallProblemsTest, SomeOfSixBuffersHaveTheLeastHeight) {
  ASSERT_EQ(ProblemCount(6), 82598880u);
  CompareDrawn(6, 10000);
  ExpectAboveLiveSum(60, 85);
}

INSTANTIATE_TEST_SUITE_P(Alignment, SmallProblemsTest, ::testing::Values(1, 2, 4));

// Alignment 1, eight to eleven buffers that fill some height at every time: some 35 of 20,000 need
// a byte more, which the reference finds by trying to place them in the height.
TEST(AboveTheBoundTest, FilledHeightsThatNeedMoreAreRefused) {
  Comparison comparison;
  for (uint64_t seed = 0; comparison.compared() < 100 && !comparison.failed(); ++seed) {
    ASSERT_LT(seed, 1000000u);
    AllocationProblem problem =
        Saturated(4 + seed % 3, 6 + seed / 3 % 3 * 2, 2 + seed / 9 % 2, seed);
    if (problem.buffers.size() > 11) continue;
    const uint64_t bound = LiveBound(problem);
    problem.capacity = bound;
    if (LeastHeight(problem).has_value()) continue;
    problem.capacity = bound + 2;
    const std::optional<uint64_t> least = LeastHeight(problem);
    ASSERT_TRUE(least.has_value()) << seed;
    comparison.Compare(problem, least, absl::StrCat("seed ", seed));
  }
  EXPECT_EQ(comparison.above_bound(), 100u);
}

// Five to eight buffers that are away for a while: one in six needs more than its largest live sum.
TEST(AboveTheBoundTest, GapsMakeProblemsThatNeedMoreThanTheirLiveSum) {
  Comparison comparison;
  for (uint64_t seed = 0; seed < 4000 && !comparison.failed(); ++seed) {
    const AllocationProblem problem = RandomGapped(5 + seed % 4, seed);
    comparison.Compare(problem, LeastHeight(problem), absl::StrCat("seed ", seed));
  }
  EXPECT_GE(comparison.above_bound(), 600u);
}

// Five to eight buffers, alignments 2 and 4: few need more than their sizes rounded up, so of the
// others, which the bound settles, none is compared.
TEST(AboveTheBoundTest, AlignmentMakesProblemsThatNeedMoreThanTheirRoundedSizes) {
  Comparison comparison;
  for (uint64_t seed = 0; seed < 30000 && !comparison.failed(); ++seed) {
    const AllocationProblem problem = RandomPlain(5 + seed % 3, seed);
    if (problem.alignment == 1) continue;
    const std::optional<uint64_t> least = LeastHeight(problem);
    if (*least == LiveBound(problem)) continue;
    comparison.Compare(problem, least, absl::StrCat("seed ", seed));
  }
  EXPECT_GE(comparison.above_bound(), 20u);
}

}  // namespace
}  // namespace torqsched
