#include <vector>

#include "gtest/gtest.h"
#include "src/search/random.h"
#include "src/warm/contents.h"

namespace torqsched::warm {
namespace {

TEST(ContentsTest, NothingTouchedIsNowhereInL2) {
  RegionContents contents;
  EXPECT_EQ(contents.At(0), nullptr);
  EXPECT_EQ(contents.NextBegin(0, 100), 100);
}

TEST(ContentsTest, ClockBetweenTheEndsOfAPieceIsLinear) {
  const TouchedPiece piece{100, 200, 1000, 3000, false};
  EXPECT_EQ(RegionContents::ClockAt(piece, 100), 1000);
  EXPECT_EQ(RegionContents::ClockAt(piece, 150), 2000);
  EXPECT_EQ(RegionContents::ClockAt(piece, 200), 3000);
}

TEST(ContentsTest, TouchingTheMiddleLeavesBothSidesAsTheyWere) {
  RegionContents contents;
  contents.Touch({0, 100, 0, 100, true});
  contents.Touch({40, 60, 500, 520, false});
  ASSERT_EQ(contents.pieces().size(), 3u);
  EXPECT_EQ(contents.At(39)->end, 40);
  EXPECT_EQ(RegionContents::ClockAt(*contents.At(39), 39), 39);
  EXPECT_EQ(RegionContents::ClockAt(*contents.At(50), 50), 510);
  EXPECT_EQ(RegionContents::ClockAt(*contents.At(60), 60), 60);
  EXPECT_TRUE(contents.At(60)->by_engine);
  EXPECT_FALSE(contents.At(40)->by_engine);
}

TEST(ContentsTest, TheNextPieceBeginsAfterAGap) {
  RegionContents contents;
  contents.Touch({50, 60, 1, 2, true});
  contents.Touch({10, 20, 3, 4, true});
  EXPECT_EQ(contents.NextBegin(0, 100), 10);
  EXPECT_EQ(contents.NextBegin(20, 100), 50);
  EXPECT_EQ(contents.NextBegin(60, 100), 100);
  EXPECT_EQ(contents.At(20), nullptr);
}

// Pieces of one touch each keep the exact clock of every byte, whatever the order of touches.
TEST(ContentsTest, RandomTouchesAgreeWithAClockForEachByte) {
  constexpr int64_t kBytes = 200;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    search::Random random(seed);
    RegionContents contents;
    std::vector<int64_t> clock(kBytes, -1);
    for (int64_t i = 0; i < 20; ++i) {
      const int64_t begin = random.Below(kBytes);
      const int64_t end = begin + 1 + random.Below(static_cast<uint64_t>(kBytes - begin));
      contents.Touch({begin, end, 1000 * i, 1000 * i + (end - begin), false});
      for (int64_t b = begin; b < end; ++b) clock[static_cast<size_t>(b)] = 1000 * i + b - begin;
    }
    for (int64_t b = 0; b < kBytes; ++b) {
      const TouchedPiece* piece = contents.At(b);
      const int64_t known = piece == nullptr ? -1 : RegionContents::ClockAt(*piece, b);
      ASSERT_EQ(known, clock[static_cast<size_t>(b)]) << "seed " << seed << " byte " << b;
    }
  }
}

TEST(ContentsTest, TooManyPiecesAreJoinedWithoutLosingBytes) {
  RegionContents contents;
  for (int64_t i = 0; i < 1000; ++i) contents.Touch({i * 10, i * 10 + 10, i, i + 1, true});
  EXPECT_LE(contents.pieces().size(), RegionContents::kMostPieces);
  for (int64_t b = 0; b < 10000; b += 7) {
    ASSERT_NE(contents.At(b), nullptr);
    EXPECT_NEAR(static_cast<double>(RegionContents::ClockAt(*contents.At(b), b)),
                static_cast<double>(b) / 10, 30);
  }
}

}  // namespace
}  // namespace torqsched::warm
