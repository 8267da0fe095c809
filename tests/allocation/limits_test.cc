// Numbers at the ends of their ranges, malformed problems, limits, and the same answer twice.
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "src/stream/error.h"
#include "tests/allocation/generators.h"
#include "tests/allocation/random_problems.h"
#include "tests/allocation/scene.h"
#include "tests/reference/allocation.h"

namespace torqsched {
namespace {

constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();
constexpr uint64_t kGiB = uint64_t{1} << 30;

TEST(LargeNumbersTest, SizesAboveFourGigabytesKeepTheirUpperBits) {
  // Live sums: 5 + 6 GiB at 1, 6 + 7 at 2. In 32 bits the sizes would be 1, 2 and 3 GiB.
  ExpectLeast(Scene({Live(0, 2, 5 * kGiB), Live(1, 3, 6 * kGiB), Live(2, 4, 7 * kGiB)}), 13 * kGiB);
}

TEST(LargeNumbersTest, SumsAboveTwoToTheFortyAreExactToTheByte) {
  std::vector<AllocationBuffer> buffers;
  uint64_t sum = 0;
  for (uint64_t i = 0; i < 300; ++i) {
    buffers.push_back(Live(0, 1, 5 * kGiB + i));
    sum += buffers.back().size;
  }
  ASSERT_GT(sum, uint64_t{1} << 40);
  ExpectLeast(Scene(buffers), sum);
}

// Sums at 2^63 and near 2^64, where a signed or wrapping number goes wrong. The comment of
// kMostBytes allows a placement to be limited to 2^62 bytes and up; whatever is placed must be
// right.
TEST(LargeNumbersTest, SumsBeyondWhatFitsAreNeverPlaced) {
  const uint64_t half = uint64_t{1} << 63;
  // 2^63 + 2^63 = 2^64 wraps to 0, 2^64 - 1 + 2 to 1, 3 x (2^64 / 3 + 1) to 2.
  for (const std::vector<AllocationBuffer>& buffers :
       {std::vector<AllocationBuffer>{Live(0, 2, half), Live(1, 3, half)},
        {Live(0, 2, kMost), Live(1, 3, 2)},
        {Live(0, 9, kMost / 3 + 1), Live(0, 9, kMost / 3 + 1), Live(0, 9, kMost / 3 + 1)}}) {
    const AllocationAnswer answer = Solve(Within(kMost, Scene(buffers)), Objective::kFit);
    EXPECT_EQ(answer.verdict, AllocationVerdict::kInfeasible);
    EXPECT_EQ(answer.lower_bound, kMost);
    EXPECT_EQ(answer.conflict.size(), buffers.size());
  }
}

// Up to 2^62 bytes are placed; whoever asks for more is told that it cannot be handled, or has a
// right answer.
TEST(LargeNumbersTest, OneHugeBufferIsPlacedOrRefusedInWords) {
  ExpectLeast(Scene({Live(0, 1, uint64_t{1} << 62), Live(1, 2, uint64_t{1} << 62)}),
              uint64_t{1} << 62);
  for (const uint64_t size : {(uint64_t{1} << 62) + 1, uint64_t{1} << 63, kMost}) {
    const AllocationProblem problem = Scene({Live(0, 1, size), Live(1, 2, size)});
    const auto answer = Allocate(problem, {});
    if (!answer.ok()) {
      EXPECT_EQ(answer.status().code(), absl::StatusCode::kResourceExhausted);
      EXPECT_EQ(PlaceOf(answer.status()).field, "buffers");
      continue;
    }
    EXPECT_EQ(AnswerFaults(problem, *answer), "");
    EXPECT_EQ(answer->verdict, AllocationVerdict::kPlaced);
    EXPECT_EQ(answer->height, size);
  }
}

TEST(LargeNumbersTest, TwoToTheSixtyTwoBytesArePlaced) {
  const uint64_t quarter = uint64_t{1} << 60;
  ExpectLeast(Scene({Live(0, 2, quarter), Live(1, 3, 2 * quarter + 1), Live(2, 4, quarter)}),
              3 * quarter + 1);
}

TEST(LargeNumbersTest, TimesMayBeAsLargeAsTheyCome) {
  ExpectLeast(Scene({Live(0, kMost, 2), Live(kMost - 1, kMost, 3), Live(kMost, kMost, 9)}), 5);
}

TEST(LargeNumbersTest, AHugeAlignmentLeavesOneOffset) {
  // Multiples of 2^63: 0 and 2^63; the second is no use below a capacity of 1,000.
  const AllocationProblem problem =
      Scene({Aligned(uint64_t{1} << 63, Live(0, 1, 3)), Aligned(uint64_t{1} << 63, Live(1, 2, 4)),
             Live(0, 2, 5)});
  ExpectLeast(problem, 9);
  AllocationProblem both = Within(1000, problem);
  both.buffers[1].live = {0, 1};
  ExpectConflict(both, {0, 1});
}

TEST(LargeNumbersTest, AHugeAlignmentOfAllDoesNotRoundTheTopmost) {
  AllocationProblem problem = Scene({Live(0, 1, 3), Live(1, 2, 4)});
  problem.alignment = uint64_t{1} << 63;
  ExpectLeast(problem, 4);
}

// Malformed problems, each with the field at fault.
class Malformed {
 public:
  struct One {
    const char* field;
    AllocationProblem problem;
  };

  std::vector<One> all() {
    AddBuffers();
    AddIndices();
    AddContradictions();
    return std::move(all_);
  }

 private:
  // Three buffers of 8 bytes, live in [0, 4), to be spoiled.
  AllocationProblem& Add(const char* field) {
    all_.push_back({field, Scene({Live(0, 4, 8), Live(0, 4, 8), Live(0, 4, 8)})});
    return all_.back().problem;
  }

  void AddBuffers() {
    Add("alignment").alignment = 0;
    Add("buffers[1].alignment").buffers[1].alignment = 0;
    Add("buffers[2].upper").buffers[2].live = {5, 4};
    Add("buffers[0].gaps[1]").buffers[0].gaps = {{1, 2}, {3, 2}};
    Add("buffers[0].gaps[0]").buffers[0].gaps = {{3, 5}};
    Add("buffers[1].gaps[0]").buffers[1] = Without({{1, 3}}, Live(2, 4, 8));
    // Rounded up, 2^64.
    Add("buffers[1].size").buffers[1] = Aligned(64, Live(0, 4, kMost - 62));
    AllocationProblem& wraps = Add("buffers[2].size");
    wraps.alignment = 4096;
    wraps.buffers[2].size = kMost;
    Add("buffers[1].fixed_offset").buffers[1].fixed_offset = kMost - 6;  // ends at 2^64 + 1
    Add("reserved[1].end").reserved = {{1, 2}, {4, 3}};
  }

  void AddIndices() {
    Add("aliases[0].buffer").aliases = {{3, 0, 0}};
    Add("aliases[0].of").aliases = {{0, 3, 0}};
    Add("same_offset[0].first").same_offset = {{3, 0}};
    Add("same_offset[1].second").same_offset = {{0, 1}, {0, 4}};
    Add("separate[0].second").separate = {{0, 3}};
  }

  void AddContradictions() {
    Add("aliases[1].offset").aliases = {{1, 0, 0}, {2, 0, 1}};  // 8 bytes at byte 1 of 8
    Add("aliases[0].offset").aliases = {{1, 0, kMost}};         // 2^64 + 7 wraps to 7
    Add("aliases[1].buffer").aliases = {{1, 0, 0}, {1, 2, 0}};  // a view of two
    AllocationProblem& inside = Add("same_offset[0]");
    inside.buffers[1].size = 4;
    inside.aliases = {{1, 0, 4}};
    inside.same_offset = {{1, 2}};
    AllocationProblem& before = Add("buffers[1].fixed_offset");
    before.buffers[1] = Fixed(3, Live(0, 4, 4));  // so that its root begins before 0
    before.aliases = {{1, 0, 4}};
    AllocationProblem& twice = Add("buffers[1].fixed_offset");
    twice.same_offset = {{0, 1}};
    twice.buffers[0].fixed_offset = 16;
    twice.buffers[1].fixed_offset = 24;
    AllocationProblem& torn = Add("separate[0]");
    torn.same_offset = {{0, 1}};
    torn.separate = {{1, 0}};
  }

  std::vector<One> all_;
};

TEST(MalformedTest, EachIsRefusedWithTheFieldAtFault) {
  for (const Malformed::One& malformed : Malformed().all()) {
    const auto answer = Allocate(malformed.problem, {});
    ASSERT_FALSE(answer.ok()) << malformed.field;
    EXPECT_EQ(answer.status().code(), absl::StatusCode::kInvalidArgument) << answer.status();
    EXPECT_EQ(PlaceOf(answer.status()).field, malformed.field) << answer.status();
  }
}

TEST(MalformedTest, ACycleOfViewsIsRefused) {
  AllocationProblem problem = Scene({Live(0, 4, 8), Live(0, 4, 8), Live(0, 4, 8)});
  for (const std::vector<AllocationAlias>& aliases : {std::vector<AllocationAlias>{{1, 1, 0}},
                                                      {{0, 1, 0}, {1, 0, 0}},
                                                      {{2, 1, 0}, {0, 2, 0}, {1, 0, 0}}}) {
    problem.aliases = aliases;
    const auto answer = Allocate(problem, {});
    ASSERT_FALSE(answer.ok());
    EXPECT_EQ(answer.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(PlaceOf(answer.status()).field.substr(0, 8), "aliases[") << answer.status();
  }
}

TEST(MalformedTest, ALongChainOfViewsIsNone) {
  AllocationProblem problem = Scene(std::vector<AllocationBuffer>(50000, Live(0, 4, 8)));
  for (uint32_t i = 1; i < 50000; ++i) problem.aliases.push_back({i - 1, i, 0});
  const auto answer = Allocate(problem, {});
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->height, 8u);
}

// Everything of an answer, to be compared.
std::string Print(const AllocationAnswer& a) {
  return absl::StrCat(static_cast<int>(a.verdict), " ", a.height, " ", a.lower_bound, " ",
                      a.proven_least, a.conflict_minimal, a.limit_hit, a.time_limit_hit,
                      a.cancelled, " ", a.statistics.decodes, " ", a.statistics.nodes, " ",
                      a.statistics.searches, " ", absl::StrJoin(a.offsets, ","), " ",
                      absl::StrJoin(a.conflict, ","));
}

TEST(DeterminismTest, TheSameProblemHasTheSameAnswerTwice) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    AllocationProblem problem = seed % 4 == 0   ? NetworkLike(200, seed)
                                : seed % 4 == 1 ? Saturated(12, 30, 5, seed)
                                                : RandomConstrained(7, seed);
    if (seed % 3 == 0) problem.capacity = seed % 2 == 0 ? 12 : 16;
    AllocationOptions options;
    options.objective = seed % 2 == 0 ? Objective::kLeast : Objective::kFit;
    options.node_limit = 20000;
    const auto once = Allocate(problem, options);
    const auto twice = Allocate(problem, options);
    ASSERT_TRUE(once.ok() && twice.ok()) << seed;
    EXPECT_EQ(Print(*once), Print(*twice)) << seed;
  }
}

// Filled rectangles are hard where few nodes are allowed; the capacity is reachable.
TEST(LimitsTest, WhateverTheNodeLimitTheAnswerIsValid) {
  uint64_t undecided = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const PlantedProblem planted = CutRectangle(60, 1000, 100, seed);
    const AllocationProblem problem = Within(1000, planted.problem);
    ASSERT_EQ(reference::CheckOffsets(problem, planted.offsets), "") << seed;
    for (const uint64_t limit : {0, 1, 2, 10, 100, 1000}) {
      AllocationOptions options;
      options.node_limit = limit;
      const auto answer = Allocate(problem, options);
      ASSERT_TRUE(answer.ok()) << answer.status();
      EXPECT_EQ(AnswerFaults(problem, *answer), "") << seed << ", limit " << limit;
      EXPECT_NE(answer->verdict, AllocationVerdict::kInfeasible) << seed << ", limit " << limit;
      EXPECT_LE(answer->statistics.nodes, limit);
      if (answer->verdict == AllocationVerdict::kUndecided) {
        ++undecided;
        EXPECT_EQ(answer->offsets.size(), problem.buffers.size());
      }
    }
  }
  EXPECT_GE(undecided, 20u);
}

TEST(LimitsTest, ACallThatIsStoppedKeepsWhatThereIs) {
  const AllocationProblem problem = Within(1000000, CutRectangle(1000, 1000000, 5000, 1).problem);
  uint64_t asked = 0;
  const auto answer = Allocate(problem, {}, [&asked] { return ++asked > 0; });
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(AnswerFaults(problem, *answer), "");
  EXPECT_GE(asked, 1u);
  EXPECT_TRUE(answer->cancelled);
}

TEST(LimitsTest, NoTimeAtAllStillHasAValidAnswer) {
  const AllocationProblem problem = Within(1000, CutRectangle(60, 1000, 100, 1).problem);
  AllocationOptions options;
  options.time_limit_ms = 0;
  const auto answer = Allocate(problem, options);
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(AnswerFaults(problem, *answer), "");
}

}  // namespace
}  // namespace torqsched
