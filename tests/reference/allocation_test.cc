// The reference for offset allocation on scenes small enough to work out by hand: one that is wrong
// itself would hold the library to the wrong answer.
#include "tests/reference/allocation.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace torqsched::reference {
namespace {

AllocationBuffer Live(uint64_t lower, uint64_t upper, uint64_t size) {
  AllocationBuffer buffer;
  buffer.live = {lower, upper};
  buffer.size = size;
  return buffer;
}

AllocationProblem Problem(std::vector<AllocationBuffer> buffers) {
  AllocationProblem problem;
  problem.buffers = std::move(buffers);
  return problem;
}

TEST(ReferenceAllocationTest, NothingHasHeightZero) {
  EXPECT_EQ(LeastHeight({}), 0u);
  EXPECT_EQ(CheckOffsets({}, {}), "");
}

TEST(ReferenceAllocationTest, WhoMeetsStacksAndWhoTouchesShares) {
  // [0, 2) and [1, 3) meet at 1; [2, 4) begins where the first ends, and lies in its place.
  const AllocationProblem problem = Problem({Live(0, 2, 3), Live(1, 3, 2), Live(2, 4, 3)});
  EXPECT_EQ(LeastHeight(problem), 5u);
  EXPECT_EQ(CheckOffsets(problem, {0, 3, 0}), "");
  EXPECT_EQ(HighestEnd(problem, {0, 3, 0}), 5u);
  EXPECT_EQ(CheckOffsets(problem, {0, 2, 0}),
            "buffer 0 at 0 shares bytes with buffer 1 at 2\n"
            "buffer 1 at 2 shares bytes with buffer 2 at 0\n");
  EXPECT_EQ(CheckOffsets(problem, {0, 3}), "2 offsets for 3 buffers\n");
}

// Four bytes are live at each of the times 0 to 5, yet four bytes do not do. At 0, two buffers of 2
// bytes are live, so buffer 0 fills one half; at 1, buffers 4 and 5 fill the other. At 4, buffer 1
// fills one half; at 3, buffers 3 and 5 fill the other. So 3, 4 and 5 lie in one half of 2 bytes,
// though all are live at 2.
TEST(ReferenceAllocationTest, TheLeastHeightMayExceedTheLiveSum) {
  AllocationProblem problem = Problem({Live(0, 2, 2), Live(3, 6, 2), Live(4, 6, 2), Live(2, 4, 1),
                                       Live(1, 3, 1), Live(1, 4, 1), Live(2, 3, 1), Live(0, 1, 2)});
  EXPECT_EQ(LiveBound(problem), 4u);
  EXPECT_EQ(LeastHeight(problem), 5u);
  EXPECT_EQ(CheckOffsets(problem, {0, 0, 2, 4, 3, 2, 0, 2}), "");
  problem.capacity = 4;
  EXPECT_EQ(LeastHeight(problem), std::nullopt);
}

TEST(ReferenceAllocationTest, TheBoundRoundsAllSizesButTheTopmost) {
  AllocationProblem problem = Problem({Live(0, 2, 3), Live(1, 3, 2), Live(1, 3, 5)});
  problem.alignment = 4;
  // At 1: 4 + 4 + 8, less the padding of the topmost, at most the 3 bytes behind the 5.
  EXPECT_EQ(LiveBound(problem), 13u);
  EXPECT_EQ(LeastHeight(problem), 13u);
  EXPECT_EQ(CheckOffsets(problem, {0, 4, 8}), "");
}

TEST(ReferenceAllocationTest, OffsetsAreMultiplesOfTheLargerAlignment) {
  AllocationProblem problem = Problem({Live(0, 1, 1), Live(0, 1, 1), Live(0, 1, 1)});
  problem.alignment = 2;
  problem.buffers[1].alignment = 4;
  // 4 aligns to 0 or 4 and the others to 0, 2, 4: 0, 2 and 4 are taken, and the last ends at 5.
  EXPECT_EQ(LeastHeight(problem), 5u);
  EXPECT_EQ(CheckOffsets(problem, {2, 0, 4}), "");
  EXPECT_EQ(CheckOffsets(problem, {0, 2, 4}), "buffer 1 at 2 is not aligned to 4\n");
  EXPECT_EQ(CheckOffsets(problem, {3, 0, 4}), "buffer 0 at 3 is not aligned to 2\n");
}

TEST(ReferenceAllocationTest, TheCapacityIsWhereTheLastByteEnds) {
  AllocationProblem problem = Problem({Live(0, 1, 3), Live(0, 1, 4)});
  problem.capacity = 7;
  EXPECT_EQ(LeastHeight(problem), 7u);
  EXPECT_EQ(CheckOffsets(problem, {0, 3}), "");
  EXPECT_EQ(CheckOffsets(problem, {0, 4}), "buffer 1 at 4 ends above the capacity\n");
  problem.capacity = 6;
  EXPECT_EQ(LeastHeight(problem), std::nullopt);
}

TEST(ReferenceAllocationTest, FixedOffsetsHoldWhateverTheAlignment) {
  AllocationProblem problem = Problem({Live(0, 1, 2), Live(0, 1, 2)});
  problem.alignment = 4;
  problem.buffers[0].fixed_offset = 3;
  // [3, 5) is taken; the other aligns to 0, where it ends at 2.
  EXPECT_EQ(LeastHeight(problem), 5u);
  EXPECT_EQ(CheckOffsets(problem, {3, 0}), "");
  EXPECT_EQ(CheckOffsets(problem, {4, 0}), "buffer 0 at 4 is not where it is fixed\n");
  problem.buffers[1].fixed_offset = 4;
  EXPECT_EQ(LeastHeight(problem), std::nullopt);  // [3, 5) and [4, 6)
}

TEST(ReferenceAllocationTest, ReservedBytesAreNobodys) {
  AllocationProblem problem = Problem({Live(0, 1, 2), Live(5, 6, 3)});
  problem.reserved = {{2, 4}, {9, 9}};  // the second is empty and reserves nothing
  // Both are alone: the first below the reserved bytes, the second (3 bytes) above, [4, 7).
  EXPECT_EQ(LeastHeight(problem), 7u);
  EXPECT_EQ(CheckOffsets(problem, {0, 4}), "");
  EXPECT_EQ(CheckOffsets(problem, {3, 8}), "buffer 0 at 3 is on reserved bytes from 2\n");
}

TEST(ReferenceAllocationTest, NobodyStraddlesABoundary) {
  AllocationProblem problem = Problem({Live(0, 1, 2), Live(0, 1, 2)});
  problem.boundaries = {3};
  // [0, 2) and then [3, 5): [1, 3) and [2, 4) would leave no room for the other, or straddle.
  EXPECT_EQ(LeastHeight(problem), 5u);
  EXPECT_EQ(CheckOffsets(problem, {1, 3}), "");
  EXPECT_EQ(CheckOffsets(problem, {0, 2}), "buffer 1 at 2 straddles 3\n");
}

TEST(ReferenceAllocationTest, AGapIsRoomForOthers) {
  AllocationProblem problem = Problem({Live(0, 9, 4), Live(3, 5, 4), Live(5, 6, 1)});
  problem.buffers[0].gaps = {{4, 5}, {3, 4}};
  // The second lies in the hole [3, 5); the third comes when the first is back.
  EXPECT_EQ(LeastHeight(problem), 5u);
  EXPECT_EQ(CheckOffsets(problem, {0, 0, 4}), "");
  EXPECT_EQ(LiveBound(problem), 5u);
  problem.buffers[0].gaps = {{3, 4}};
  EXPECT_EQ(LeastHeight(problem), 8u);  // they meet at 4
  EXPECT_EQ(LiveBound(problem), 8u);
}

TEST(ReferenceAllocationTest, AViewKeepsItsRootLive) {
  AllocationProblem problem = Problem({Live(0, 2, 4), Live(1, 4, 2), Live(3, 5, 4)});
  problem.aliases = {{1, 0, 2}};
  // The root is live in [0, 4) with its view, and meets the third at 3.
  EXPECT_EQ(LeastHeight(problem), 8u);
  EXPECT_EQ(CheckOffsets(problem, {0, 2, 4}), "");
  EXPECT_EQ(CheckOffsets(problem, {0, 2, 0}), "buffer 0 at 0 shares bytes with buffer 2 at 0\n");
  EXPECT_EQ(CheckOffsets(problem, {0, 1, 4}), "buffer 1 at 1 is not in its root\n");
}

TEST(ReferenceAllocationTest, AViewOfAViewIsAViewOfTheRoot) {
  AllocationProblem problem = Problem({Live(2, 6, 1), Live(0, 3, 8), Live(1, 3, 4), Live(5, 7, 8)});
  problem.aliases = {{0, 2, 1}, {2, 1, 4}};
  // Byte 1 of what begins at byte 4: the root, [0, 6) with it, meets the last at 5.
  EXPECT_EQ(CheckOffsets(problem, {5, 0, 4, 8}), "");
  EXPECT_EQ(LeastHeight(problem), 16u);
  problem.buffers[0].fixed_offset = 13;  // the root at 8 then, the last below
  EXPECT_EQ(CheckOffsets(problem, {13, 8, 12, 0}), "");
  EXPECT_EQ(LeastHeight(problem), 16u);
}

TEST(ReferenceAllocationTest, SameOffsetsShareBytesAndKeepOthersOff) {
  AllocationProblem problem = Problem({Live(0, 4, 2), Live(2, 6, 5), Live(0, 2, 3), Live(4, 5, 1)});
  problem.same_offset = {{0, 1}};
  // At 0 with the third above the first, 3 bytes from 2 on; the fourth above the second's 5 bytes.
  EXPECT_EQ(LeastHeight(problem), 6u);
  EXPECT_EQ(CheckOffsets(problem, {0, 0, 2, 5}), "");
  EXPECT_EQ(CheckOffsets(problem, {1, 0, 3, 5}), "buffer 0 at 1 has not the offset of buffer 1\n");
  // Offsets are multiples of both alignments: with 2 and 3, of 6.
  problem.buffers[0].alignment = 2;
  problem.buffers[1].alignment = 3;
  problem.reserved = {{0, 1}};
  EXPECT_EQ(LeastHeight(problem), 11u);  // [6, 11); the others below
}

TEST(ReferenceAllocationTest, SeparateBuffersShareNoByteThoughTheyNeverMeet) {
  AllocationProblem problem = Problem({Live(0, 1, 2), Live(7, 8, 3)});
  EXPECT_EQ(LeastHeight(problem), 3u);
  problem.separate = {{0, 1}};
  EXPECT_EQ(LeastHeight(problem), 5u);
  EXPECT_EQ(CheckOffsets(problem, {0, 0}), "buffer 0 at 0 shares bytes with buffer 1 at 0\n");
}

TEST(ReferenceAllocationTest, WhatTakesNoRoomIsInNobodysWay) {
  AllocationProblem problem = Problem({Live(0, 4, 3), Live(0, 4, 0), Live(2, 2, 9), Live(0, 4, 1)});
  problem.buffers[3].gaps = {{0, 4}};  // out all the time
  problem.capacity = 3;
  EXPECT_EQ(LeastHeight(problem), 3u);
  EXPECT_EQ(CheckOffsets(problem, {0, 1, 0, 2}), "");
  EXPECT_EQ(HighestEnd(problem, {0, 1, 0, 2}), 3u);
}

TEST(ReferenceAllocationTest, HugeNumbersDoNotWrap) {
  constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();
  const AllocationProblem problem = Problem({Live(0, 1, kMost), Live(0, 1, 2)});
  EXPECT_EQ(LiveBound(problem), kMost);
  // Their ends are 2^64 - 1 and 2^64: the second does not wrap to 0.
  EXPECT_NE(CheckOffsets(problem, {0, kMost - 1}), "");
  EXPECT_NE(CheckOffsets(problem, {2, 0}), "");
}

TEST(ReferenceAllocationTest, AloneKeepsWhatTiesTheChosen) {
  AllocationProblem problem = Problem({Live(0, 1, 1), Live(0, 1, 2), Live(0, 1, 3)});
  problem.aliases = {{0, 2, 1}};
  problem.same_offset = {{1, 2}};
  problem.separate = {{0, 1}};
  const AllocationProblem alone = Alone(problem, {0, 2});
  ASSERT_EQ(alone.buffers.size(), 2u);
  EXPECT_EQ(alone.buffers[1].size, 3u);
  ASSERT_EQ(alone.aliases.size(), 1u);
  EXPECT_EQ(alone.aliases[0].buffer, 0u);
  EXPECT_EQ(alone.aliases[0].of, 1u);
  EXPECT_EQ(alone.aliases[0].offset, 1u);
  EXPECT_TRUE(alone.same_offset.empty());
  EXPECT_TRUE(alone.separate.empty());
}

}  // namespace
}  // namespace torqsched::reference
