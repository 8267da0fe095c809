// Every kind of constraint in scenes small enough to work out by hand.
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/allocation/scene.h"
#include "tests/reference/allocation.h"

namespace torqsched {
namespace {

constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();

// What the comments work out, and what the reference finds: both have to be the answer.
std::vector<uint64_t> ExpectWorkedOut(const AllocationProblem& problem, uint64_t height) {
  EXPECT_EQ(reference::LeastHeight(problem), height);
  return ExpectLeast(problem, height);
}

using Offsets = std::vector<uint64_t>;

TEST(ConstraintsTest, NoBuffersHaveHeightZero) {
  const AllocationAnswer answer = Solve(Within(0, {}), Objective::kFit);
  EXPECT_EQ(answer.verdict, AllocationVerdict::kPlaced);
  EXPECT_EQ(answer.height, 0u);
  ExpectWorkedOut({}, 0);
}

TEST(ConstraintsTest, OneBufferLiesAtZero) {
  EXPECT_EQ(ExpectWorkedOut(Scene({Live(3, 4, 7)}), 7), Offsets({0}));
  ExpectConflict(Within(6, Scene({Live(3, 4, 7)})), {0});
  // The times are any 64-bit numbers.
  EXPECT_EQ(ExpectWorkedOut(Scene({Live(0, kMost, 7)}), 7), Offsets({0}));
}

TEST(ConstraintsTest, WhoEndsWhenAnotherBeginsMaySharesItsBytes) {
  ExpectWorkedOut(Scene({Live(0, 2, 5), Live(2, 4, 5), Live(4, 6, 5)}), 5);
  ExpectWorkedOut(Scene({Live(0, 3, 5), Live(2, 4, 5), Live(4, 6, 5)}), 10);
}

// Four bytes live at every time do not fit four bytes: see the reference's test for the reason.
TEST(ConstraintsTest, EightBuffersNeedOneByteMoreThanTheirLiveSum) {
  const AllocationProblem problem =
      Scene({Live(0, 2, 2), Live(3, 6, 2), Live(4, 6, 2), Live(2, 4, 1), Live(1, 3, 1),
             Live(1, 4, 1), Live(2, 3, 1), Live(0, 1, 2)});
  EXPECT_EQ(reference::LiveBound(problem), 4u);
  ExpectWorkedOut(problem, 5);
  // Buffer 6 fills the fourth byte at 2 and takes no part in the reason.
  ExpectConflict(Within(4, problem), {0, 1, 2, 3, 4, 5, 7});
}

TEST(ConstraintsTest, TheLargerAlignmentCounts) {
  // At 0, 2 and 4, the one that needs 4 at 0 or 4: the last ends at 5.
  AllocationProblem problem = Scene({Live(0, 1, 1), Aligned(4, Live(0, 1, 1)), Live(0, 1, 1)});
  problem.alignment = 2;
  ExpectWorkedOut(problem, 5);
  problem.alignment = 8;  // 0, 8, 16, whatever the buffer asks for
  ExpectWorkedOut(problem, 17);
}

TEST(ConstraintsTest, AlignmentsThatAreNoPowersOfTwo) {
  // Multiples of 3 and of 5, 2 bytes each: 0 and 3 are taken by the threes, so the five takes 5.
  ExpectWorkedOut(
      Scene({Aligned(3, Live(0, 1, 2)), Aligned(3, Live(0, 1, 2)), Aligned(5, Live(0, 1, 2))}), 7);
}

TEST(ConstraintsTest, TheTopmostBufferNeedsNoPadding) {
  // 1 and 5 bytes at alignment 4: the five on top of the one's four, 9; the other way round also 9.
  AllocationProblem problem = Scene({Live(0, 1, 1), Live(0, 1, 5)});
  problem.alignment = 4;
  ExpectWorkedOut(problem, 9);
  problem.buffers.push_back(Live(0, 1, 2));  // 4 + 4 + 5, or 4 + 8 + 2, or 4 + 8 + 1
  ExpectWorkedOut(problem, 13);
}

TEST(ConstraintsTest, FixedBuffersStayWhateverTheirAlignment) {
  // [3, 5) and [6, 8) are taken: 3 bytes fit below, 4 bytes only above; at alignment 4 from 8 on.
  AllocationProblem problem =
      Scene({Fixed(3, Live(0, 9, 2)), Fixed(6, Live(0, 9, 2)), Live(1, 2, 3), Live(2, 3, 4)});
  problem.alignment = 4;
  const Offsets offsets = ExpectWorkedOut(problem, 12);
  EXPECT_EQ(offsets[0], 3u);
  EXPECT_EQ(offsets[3], 8u);
}

TEST(ConstraintsTest, FixedBuffersThatMeetAreTheConflict) {
  const AllocationProblem problem =
      Scene({Live(0, 9, 1), Fixed(10, Live(0, 5, 4)), Live(0, 9, 1), Fixed(13, Live(4, 9, 4))});
  ExpectConflict(problem, {1, 3});  // byte 13 at time 4, even without a capacity
  AllocationProblem apart = problem;
  apart.buffers[3].live.lower = 5;
  ExpectWorkedOut(apart, 17);
}

TEST(ConstraintsTest, AFixedBufferBeyondTheCapacityIsTheConflict) {
  ExpectConflict(Within(16, Scene({Live(0, 9, 1), Fixed(13, Live(4, 9, 4))})), {1});
}

TEST(ConstraintsTest, ReservedBytesAreNobodys) {
  AllocationProblem problem = Scene({Live(0, 1, 3), Live(0, 1, 2), Live(5, 6, 4)});
  problem.reserved = {{8, 8}, {4, 5}, {3, 4}};  // together [3, 5); the empty range reserves nothing
  // At 0 the 3 bytes below and the 2 above, [5, 7); at 5 the 4 bytes fit above only, [5, 9).
  ExpectWorkedOut(problem, 9);
  problem.reserved.push_back({0, 100});
  ExpectWorkedOut(problem, 105);
  // Above 100, the 3 bytes are too much alone, and the 4 bytes, too.
  const AllocationAnswer answer = Solve(Within(102, problem), Objective::kFit);
  EXPECT_TRUE(answer.conflict == std::vector<uint32_t>({0}) ||
              answer.conflict == std::vector<uint32_t>({2}));
  EXPECT_TRUE(answer.conflict_minimal);
}

TEST(ConstraintsTest, AFixedBufferOnReservedBytesIsTheConflict) {
  AllocationProblem problem = Scene({Live(0, 1, 3), Fixed(6, Live(0, 1, 3))});
  problem.reserved = {{8, 20}};
  ExpectConflict(problem, {1});
  problem.reserved = {{9, 20}};
  ExpectWorkedOut(problem, 9);
}

TEST(ConstraintsTest, NobodyStraddlesABoundary) {
  // Regions [0, 5), [5, 10) and the rest: two of 3 bytes do not share one.
  AllocationProblem problem = Scene({Live(0, 1, 3), Live(0, 1, 3), Live(0, 1, 2)});
  problem.boundaries = {10, 5};
  ExpectWorkedOut(problem, 8);  // 3 + 2 below, 3 above
  problem.buffers.push_back(Live(0, 1, 4));
  // 3 + 2, then 4 with 1 byte left, then 3: from 10 on. 5 + 4 + 3 would be 12.
  ExpectWorkedOut(problem, 13);
  problem.buffers[3].size = 6;  // larger than a region: beyond the last boundary, 10 to 16
  ExpectWorkedOut(problem, 16);
}

TEST(ConstraintsTest, AGapIsRoomForOthers) {
  // The first is out in [3, 5), where the second lies in its place; the third meets the first
  // again.
  AllocationProblem problem =
      Scene({Without({{4, 5}, {3, 4}}, Live(0, 9, 4)), Live(3, 5, 4), Live(5, 6, 1)});
  ExpectWorkedOut(problem, 5);
  problem.buffers[1].live.upper = 6;
  ExpectWorkedOut(problem, 9);  // at 5 all three
  ExpectConflict(Within(8, problem), {0, 1, 2});
}

TEST(ConstraintsTest, ItComesBackToTheSameOffset) {
  // Two that take turns with a long one, which must not move in between: [0, 3) the first, then the
  // second; both 2 bytes, the long one 2 bytes with a gap while a third takes 4.
  const AllocationProblem problem =
      Scene({Without({{2, 4}}, Live(0, 6, 2)), Live(0, 2, 2), Live(2, 4, 4), Live(4, 6, 2)});
  ExpectWorkedOut(problem, 4);
}

// Five that meet in a ring (each the next, by gaps): two at a time, but three levels.
TEST(ConstraintsTest, GapsMakeARingOfFiveThatNeedsThreeLevels) {
  const AllocationProblem problem = Scene({Without({{1, 4}}, Live(0, 5, 1)), Live(0, 2, 1),
                                           Live(1, 3, 1), Live(2, 4, 1), Live(3, 5, 1)});
  EXPECT_EQ(reference::LiveBound(problem), 2u);
  ExpectWorkedOut(problem, 3);
  ExpectConflict(Within(2, problem), {0, 1, 2, 3, 4});
}

TEST(ConstraintsTest, GapsThatAreAllOfTheLiveRangeLeaveNothing) {
  ExpectWorkedOut(Scene({Without({{0, 2}, {2, 4}}, Live(0, 4, 3)), Live(0, 4, 2)}), 2);
}

TEST(ConstraintsTest, AViewKeepsItsRootLive) {
  // The root's 4 bytes stay until 4 for the view of 2; the third, from 3 on, lies above.
  AllocationProblem problem = Scene({Live(0, 2, 4), Live(1, 4, 2), Live(3, 5, 4)});
  problem.aliases = {{1, 0, 2}};
  const Offsets offsets = ExpectWorkedOut(problem, 8);
  EXPECT_EQ(offsets[1], offsets[0] + 2);
  ExpectConflict(Within(7, problem), {0, 1, 2});
  problem.buffers[2].live.lower = 4;
  ExpectWorkedOut(problem, 4);
}

TEST(ConstraintsTest, AViewIsInItsRootsGapToo) {
  // Out in [2, 6) but for the view's [3, 4): the third meets the root there.
  AllocationProblem problem =
      Scene({Without({{2, 6}}, Live(0, 9, 3)), Live(3, 4, 1), Live(2, 6, 3)});
  ExpectWorkedOut(problem, 4);  // not a view: 3 + 1
  problem.aliases = {{1, 0, 0}};
  ExpectWorkedOut(problem, 6);
}

TEST(ConstraintsTest, ViewsOfViewsLieInTheRoot) {
  // Byte 1 of what begins at byte 4 of buffer 1: byte 5. The root is live in [0, 6) with it.
  AllocationProblem problem = Scene({Live(2, 6, 1), Live(0, 3, 8), Live(1, 3, 4), Live(5, 7, 8)});
  problem.aliases = {{0, 2, 1}, {2, 1, 4}};
  const Offsets offsets = ExpectWorkedOut(problem, 16);
  EXPECT_EQ(offsets[0], offsets[1] + 5);
  EXPECT_EQ(offsets[2], offsets[1] + 4);
}

TEST(ConstraintsTest, AFixedViewFixesItsRoot) {
  AllocationProblem problem = Scene({Live(0, 2, 8), Fixed(13, Live(1, 4, 1)), Live(0, 4, 6)});
  problem.aliases = {{1, 0, 5}};
  EXPECT_EQ(ExpectWorkedOut(problem, 16)[0], 8u);
}

TEST(ConstraintsTest, AViewsOwnAlignmentBindsNothing) {
  AllocationProblem problem = Scene({Live(0, 2, 8), Aligned(16, Live(1, 4, 1))});
  problem.aliases = {{1, 0, 5}};
  EXPECT_EQ(ExpectWorkedOut(problem, 8), Offsets({0, 5}));
}

TEST(ConstraintsTest, SameOffsetsShareBytesAndKeepOthersOff) {
  // 2 bytes in [0, 4) and 5 in [2, 6) at one offset, though they meet. The third, 3 bytes in [0,
  // 2), lies right above the 2; the fourth, at 4, above the 5.
  AllocationProblem problem = Scene({Live(0, 4, 2), Live(2, 6, 5), Live(0, 2, 3), Live(4, 5, 1)});
  problem.same_offset = {{0, 1}};
  const Offsets offsets = ExpectWorkedOut(problem, 6);
  EXPECT_EQ(offsets[0], offsets[1]);
  ExpectConflict(Within(5, problem), {1, 3});
}

TEST(ConstraintsTest, SameOffsetsPassOn) {
  // 0 = 1 and 1 = 2, so all three share one byte, although 0 and 2 meet.
  AllocationProblem problem = Scene({Live(0, 4, 1), Live(5, 6, 1), Live(0, 4, 1)});
  problem.same_offset = {{0, 1}, {2, 1}, {1, 1}};
  ExpectWorkedOut(problem, 1);
}

TEST(ConstraintsTest, SameOffsetsKeepBothAlignments) {
  // A multiple of 2 and of 3 clear of byte 0: 6.
  AllocationProblem problem = Scene({Aligned(2, Live(0, 1, 1)), Aligned(3, Live(4, 5, 2))});
  problem.same_offset = {{0, 1}};
  problem.reserved = {{0, 1}};
  EXPECT_EQ(ExpectWorkedOut(problem, 8), Offsets({6, 6}));
}

TEST(ConstraintsTest, SeparateBuffersShareNoByteThoughTheyNeverMeet) {
  AllocationProblem problem = Scene({Live(0, 1, 2), Live(7, 8, 3), Live(3, 4, 5)});
  ExpectWorkedOut(problem, 5);
  problem.separate = {{0, 1}, {1, 0}};
  ExpectWorkedOut(problem, 5);
  problem.separate.push_back({2, 1});
  ExpectWorkedOut(problem, 8);
  ExpectConflict(Within(7, problem), {1, 2});
}

// Five in a ring by pairs alone, none ever live with another: three levels.
TEST(ConstraintsTest, ARingOfFiveSeparationsNeedsThreeLevels) {
  AllocationProblem problem =
      Scene({Live(0, 1, 2), Live(1, 2, 2), Live(2, 3, 2), Live(3, 4, 2), Live(4, 5, 2)});
  problem.separate = {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 0}};
  ExpectWorkedOut(problem, 6);
  ExpectConflict(Within(5, problem), {0, 1, 2, 3, 4});
}

TEST(ConstraintsTest, AViewsSeparationKeepsItsRootAway) {
  AllocationProblem problem = Scene({Live(0, 2, 4), Live(0, 2, 1), Live(5, 6, 3)});
  problem.aliases = {{1, 0, 3}};
  problem.separate = {{1, 2}};
  ExpectWorkedOut(problem, 7);
}

TEST(ConstraintsTest, WhatTakesNoRoomIsInNobodysWay) {
  // No bytes; never live; away all the time. The 3 bytes have the capacity for themselves.
  AllocationProblem problem =
      Scene({Live(0, 4, 3), Live(0, 4, 0), Live(2, 2, 2), Without({{0, 4}}, Live(0, 4, 1))});
  EXPECT_EQ(ExpectWorkedOut(problem, 3).size(), 4u);
  problem.separate = {{0, 1}, {0, 2}, {0, 3}};
  ExpectWorkedOut(problem, 3);
}

TEST(ConstraintsTest, OnlyWhatTakesNoRoomHasHeightZero) {
  ExpectWorkedOut(Scene({Live(0, 4, 0), Live(2, 2, 9)}), 0);
}

TEST(ConstraintsTest, HintsBindNothing) {
  AllocationProblem problem = Scene({Live(0, 1, 2), Live(0, 1, 3), Live(0, 1, 4)});
  for (const uint64_t hint : {uint64_t{0}, uint64_t{1}, uint64_t{5}, kMost}) {
    for (AllocationBuffer& buffer : problem.buffers) buffer.hint = hint;
    ExpectWorkedOut(problem, 9);
  }
}

TEST(ConstraintsTest, HintsThatAreAPlacementAreTaken) {
  AllocationProblem problem = Within(9, Scene({Live(0, 1, 2), Live(0, 1, 3), Live(0, 1, 4)}));
  problem.buffers[0].hint = 4;
  problem.buffers[1].hint = 6;
  problem.buffers[2].hint = 0;
  EXPECT_EQ(Solve(problem, Objective::kFit).offsets, Offsets({4, 6, 0}));
  problem.buffers[0].hint = 3;
  problem.buffers[1].hint = 0;
  problem.buffers[2].hint = 5;
  EXPECT_EQ(Solve(problem, Objective::kFit).offsets, Offsets({3, 0, 5}));
}

// Two buffers of three bytes, each of which lies on the other before it would lie on a large one:
// what proves the least height must not count in bytes.
TEST(FewBuffersTest, WhoLiftsOneAnotherByAFewBytesIsProvenAtAnyScale) {
  const auto scene = [](uint64_t unit) {
    AllocationProblem problem =
        Scene({Live(4, 5, 4 * unit + 2), Live(1, 5, 3), Live(0, 2, 2 * unit + 3),
               Live(1, 4, 2 * unit + 1), Live(3, 5, 3), Live(3, 5, unit + 4)});
    problem.separate = {{5, 0}, {3, 0}};
    return problem;
  };
  EXPECT_EQ(reference::LeastHeight(scene(10)), 83u);
  ExpectLeast(scene(10), 83);
  for (const uint64_t unit : {uint64_t{1000}, uint64_t{1000000}, uint64_t{1} << 40}) {
    ExpectLeast(scene(unit), 7 * unit + 13);
  }
}

// Five buffers of 2^62 bytes have no placement that can be handled; that is no proof that one of
// them has none.
TEST(FewBuffersTest, WithoutACapacityTooManyBytesAreAnErrorAndNoProof) {
  const uint64_t size = uint64_t{1} << 62;
  std::vector<AllocationBuffer> buffers(5, Live(0, 1, size));
  const auto answer = Allocate(Scene(buffers), {});
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.status().code(), absl::StatusCode::kResourceExhausted);
  buffers.resize(1);
  ExpectLeast(Scene(buffers), size);
}

}  // namespace
}  // namespace torqsched
