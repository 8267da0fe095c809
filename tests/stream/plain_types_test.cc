// Sums that cannot wrap, indices, and rows in one flat array.
#include <cstdint>
#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "src/stream/checked.h"
#include "src/stream/index.h"
#include "tests/stream/stream_maker.h"

namespace torqsched {
namespace {

constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();

TEST(CheckedAdd, LeavesTheSumAloneWhereItWouldWrap) {
  uint64_t sum = kMost - 5;
  EXPECT_TRUE(CheckedAdd(&sum, 5));
  EXPECT_EQ(sum, kMost);
  EXPECT_TRUE(CheckedAdd(&sum, 0));
  EXPECT_FALSE(CheckedAdd(&sum, 1));
  EXPECT_EQ(sum, kMost);
  EXPECT_FALSE(CheckedAdd(&sum, kMost));
  EXPECT_EQ(sum, kMost);
}

TEST(SaturatingAdd, StopsAtTheLargest) {
  EXPECT_EQ(SaturatingAdd(2, 3), 5u);
  EXPECT_EQ(SaturatingAdd(kMost - 1, 1), kMost);
  EXPECT_EQ(SaturatingAdd(kMost, 1), kMost);
  EXPECT_EQ(SaturatingAdd(kMost, kMost), kMost);
}

TEST(SumFits, IsExactBeyond64Bits) {
  EXPECT_TRUE(SumFits(3, 4, 7));
  EXPECT_FALSE(SumFits(3, 4, 6));
  EXPECT_FALSE(SumFits(8, 0, 7));
  EXPECT_TRUE(SumFits(7, 0, 7));
  EXPECT_TRUE(SumFits(kMost, 0, kMost));
  EXPECT_FALSE(SumFits(kMost, 1, kMost));
  EXPECT_FALSE(SumFits(2, kMost, 1));  // wraps to 1
  EXPECT_TRUE(SumFits(0, kMost, kMost));
}

TEST(CheckedAlignUp, FindsTheLeastMultipleNotBelow) {
  uint64_t aligned = 0;
  EXPECT_TRUE(CheckedAlignUp(0, 8, &aligned));
  EXPECT_EQ(aligned, 0u);
  EXPECT_TRUE(CheckedAlignUp(17, 8, &aligned));
  EXPECT_EQ(aligned, 24u);
  EXPECT_TRUE(CheckedAlignUp(25, 12, &aligned));
  EXPECT_EQ(aligned, 36u);
  EXPECT_TRUE(CheckedAlignUp(24, 12, &aligned));
  EXPECT_EQ(aligned, 24u);
  EXPECT_TRUE(CheckedAlignUp(5, 1, &aligned));
  EXPECT_EQ(aligned, 5u);
  EXPECT_TRUE(CheckedAlignUp(1, kMost, &aligned));
  EXPECT_EQ(aligned, kMost);
  EXPECT_TRUE(CheckedAlignUp(kMost, 5, &aligned));  // 2^64 - 1 is 3 * 5 * 17 * ...
  EXPECT_EQ(aligned, kMost);
  EXPECT_TRUE(CheckedAlignUp(kMost - 7, 8, &aligned));
  EXPECT_EQ(aligned, kMost - 7);
  EXPECT_FALSE(CheckedAlignUp(kMost - 6, 8, &aligned));
  EXPECT_FALSE(CheckedAlignUp(kMost, 2, &aligned));
}

TEST(AlignDown, FindsTheLargestMultipleNotAbove) {
  EXPECT_EQ(AlignDown(23, 8), 16u);
  EXPECT_EQ(AlignDown(24, 8), 24u);
  EXPECT_EQ(AlignDown(23, 12), 12u);
  EXPECT_EQ(AlignDown(7, 8), 0u);
  EXPECT_EQ(AlignDown(kMost, uint64_t{1} << 63), uint64_t{1} << 63);
}

TEST(Index, NamesNothingUntilItIsGivenAValue) {
  EXPECT_FALSE(OpIndex().present());
  EXPECT_TRUE(OpIndex(0).present());
  EXPECT_NE(OpIndex(0), OpIndex());
  EXPECT_LT(OpIndex(7), OpIndex());  // what is absent comes last
}

TEST(Rows, KeepRowsOfDifferentLengthsApart) {
  Rows<int> rows;
  EXPECT_EQ(rows.row_count(), 0u);
  rows.Add(1);
  rows.Add(2);
  rows.EndRow();
  rows.EndRow();
  rows.Add(3);
  EXPECT_EQ(rows.open_end() - rows.open_begin(), 1);
  EXPECT_EQ(*rows.open_begin(), 3);
  EXPECT_EQ(rows.row_count(), 2u);  // the open row does not count yet
  rows.EndRow();
  EXPECT_EQ(rows.row_count(), 3u);
  EXPECT_EQ(rows.item_count(), 3u);
  EXPECT_EQ(ToVector(rows[0]), (std::vector<int>{1, 2}));
  EXPECT_TRUE(rows[1].empty());
  EXPECT_EQ(ToVector(rows[2]), std::vector<int>{3});
}

TEST(Rows, TruncatingTouchesTheOpenRowOnly) {
  Rows<int> rows;
  rows.Add(1);
  rows.Add(2);
  rows.EndRow();
  for (const int item : {5, 6, 7}) rows.Add(item);
  rows.TruncateOpen(1);
  rows.Add(8);
  rows.EndRow();
  rows.TruncateOpen(0);
  rows.EndRow();
  EXPECT_EQ(ToVector(rows[0]), (std::vector<int>{1, 2}));
  EXPECT_EQ(ToVector(rows[1]), (std::vector<int>{5, 8}));
  EXPECT_TRUE(rows[2].empty());
}

TEST(Rows, AdoptWhatWasFilledElsewhere) {
  Rows<int> rows;
  rows.Add(9);
  rows.EndRow();
  rows.Adopt({0, 1, 1, 3}, {4, 5, 6});
  EXPECT_EQ(rows.row_count(), 3u);
  EXPECT_EQ(ToVector(rows[0]), std::vector<int>{4});
  EXPECT_TRUE(rows[1].empty());
  EXPECT_EQ(ToVector(rows[2]), (std::vector<int>{5, 6}));
  EXPECT_EQ(rows[2][1], 6);
}

}  // namespace
}  // namespace torqsched
