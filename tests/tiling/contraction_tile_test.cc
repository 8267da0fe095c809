// The probe against hand calculations: published shapes, ragged tiles, and the ends of 64 bits.
#include "src/tiling/contraction_tile.h"

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "gtest/gtest.h"

namespace torqsched {
namespace {

constexpr uint64_t kMost = ~uint64_t{0};

Contraction Published() { return {1, 128, 3072, 768, 16, 16, 16}; }

ContractionTile Cut(const Contraction& contraction, const TilingHardware& hardware,
                    uint64_t budget) {
  const absl::StatusOr<ContractionTile> tile = CutContraction(contraction, hardware, budget);
  EXPECT_TRUE(tile.ok()) << tile.status();
  return tile.ok() ? *tile : ContractionTile();
}

// bfloat16: lhs 128 * 768 * 2 = 196,608; a column of weight 1,536, of out 256.
TEST(ContractionTileTest, PublishedSmallestWholeRows) {
  const absl::StatusOr<uint64_t> bytes = WholeRowBytes(Published(), TilingHardware());
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  EXPECT_EQ(*bytes, 196608u + 24576 + 4096 + 5120);
  EXPECT_EQ(*bytes, 230400u);
}

// (523,008 - 196,608 - 5,120) / 1,792 = 179.3, which is 11 granules.
TEST(ContractionTileTest, PublishedInAllOfLram) {
  const ContractionTile tile = Cut(Published(), TilingHardware(), 523008);
  EXPECT_EQ(tile.rows, 128u);
  EXPECT_EQ(tile.n, 176u);
  EXPECT_EQ(tile.k, 768u);
  EXPECT_EQ(tile.bytes, 196608u + 176 * 1792 + 5120);
  EXPECT_EQ(tile.row_tiles, 1u);
  EXPECT_EQ(tile.n_tiles, 18u);  // 17 of 176 and one of 80
  EXPECT_EQ(tile.k_tiles, 1u);
  EXPECT_EQ(tile.trips, 18u);
  EXPECT_EQ(tile.loaded_bytes, 196608u + 4718592 + 18 * 5120);
  EXPECT_EQ(tile.loaded_bytes, 5007360u);
  EXPECT_FALSE(tile.double_buffers);  // 517,120 + 270,336
  EXPECT_TRUE(tile.fits);
}

// A row takes 1,536 of lhs and 32 of 16 columns of out: (209,203 - 24,576 - 5,120) / 1,568 = 114.5
// rows, so two row tiles, of 64. n: (209,203 - 98,304 - 5,120) / (1,536 + 128) = 63.6.
TEST(ContractionTileTest, PublishedInItsShare) {
  const ContractionTile tile = Cut(Published(), TilingHardware(), 209203);
  EXPECT_EQ(tile.rows, 64u);
  EXPECT_EQ(tile.n, 48u);
  EXPECT_EQ(tile.k, 768u);
  EXPECT_EQ(tile.bytes, 98304u + 48 * 1664 + 5120);
  EXPECT_EQ(tile.row_tiles, 2u);
  EXPECT_EQ(tile.n_tiles, 64u);
  EXPECT_EQ(tile.trips, 128u);
  EXPECT_EQ(tile.loaded_bytes, 196608u + 2 * 4718592 + 128 * 5120);
  EXPECT_EQ(tile.loaded_bytes, 10289152u);
  EXPECT_TRUE(tile.double_buffers);
  EXPECT_TRUE(tile.fits);
  // Published: 91 % more is moved. That counts the stores as well, 128 * 3,072 * 2 bytes either
  // way.
  const uint64_t stored = 786432;
  EXPECT_EQ((tile.loaded_bytes + stored) * 100 / (5007360 + stored), 191u);
}

// (523,008 - 196,608 - 5,120) / (1,792 + 1,536) = 96.5.
TEST(ContractionTileTest, PublishedDoubleBuffered) {
  const ContractionTile whole = Cut(Published(), TilingHardware(), 523008);
  const auto next = NextDoubleBuffering(Published(), TilingHardware(), whole);
  ASSERT_TRUE(next.ok()) << next.status();
  ASSERT_TRUE(next->has_value());
  EXPECT_EQ((*next)->rows, 128u);
  EXPECT_EQ((*next)->n, 96u);
  EXPECT_EQ((*next)->k, 768u);
  EXPECT_EQ((*next)->bytes, 196608u + 96 * 1792 + 5120);
  EXPECT_EQ((*next)->trips, 32u);
  EXPECT_EQ((*next)->loaded_bytes, 196608u + 4718592 + 32 * 5120);
  EXPECT_TRUE((*next)->double_buffers);
  EXPECT_TRUE((*next)->fits);
}

// A weight of 262,144 bytes twice is 524,288, more than the 523,008 there are.
TEST(ContractionTileTest, TwoWeightsOf262144BytesDoNotFit) {
  const Contraction contraction = {1, 1, 1024, 1024, 8, 8, 8};
  ContractionTile tile;
  tile.n = 256;
  tile.k = 1024;
  const auto next = NextDoubleBuffering(contraction, TilingHardware(), tile);
  ASSERT_TRUE(next.ok()) << next.status();
  ASSERT_TRUE(next->has_value());
  // 1,024 + 5,120 + n * (1,025 + 1,024) in 523,008: 252.3.
  EXPECT_EQ((*next)->n, 240u);

  // No multiple of 256 below 256: k is cut. 256 + 5,120 + k * (1 + 2 * 256) in 523,008: 1,009.
  TilingHardware coarse;
  coarse.granule = 256;
  const auto cut_k = NextDoubleBuffering(contraction, coarse, tile);
  ASSERT_TRUE(cut_k.ok()) << cut_k.status();
  ASSERT_TRUE(cut_k->has_value());
  EXPECT_EQ((*cut_k)->n, 256u);
  EXPECT_EQ((*cut_k)->k, 768u);

  coarse.granule = 1024;
  const auto none = NextDoubleBuffering(contraction, coarse, tile);
  ASSERT_TRUE(none.ok()) << none.status();
  EXPECT_FALSE(none->has_value());
}

// One granule of n takes 480,000 bytes of weight, beside which there is no second: k is cut, to
// (523,008 - 5,120 - 16) / (1 + 2 * 16) = 15,693.1, which is 980 granules.
TEST(ContractionTileTest, WhereNoColumnsDoubleBufferSumsAreCut) {
  const Contraction contraction = {1, 1, 16000, 30000, 8, 8, 8};
  const ContractionTile tile = Cut(contraction, TilingHardware(), 523008);
  EXPECT_EQ(tile.n, 16u);
  EXPECT_EQ(tile.k, 30000u);
  EXPECT_FALSE(tile.double_buffers);
  const auto next = NextDoubleBuffering(contraction, TilingHardware(), tile);
  ASSERT_TRUE(next.ok()) << next.status();
  ASSERT_TRUE(next->has_value());
  EXPECT_EQ((*next)->rows, 1u);
  EXPECT_EQ((*next)->n, 16u);
  EXPECT_EQ((*next)->k, 15680u);
  EXPECT_EQ((*next)->bytes, 15680u + 250880 + 16 + 5120);
  EXPECT_EQ((*next)->k_tiles, 2u);
  EXPECT_EQ((*next)->trips, 2000u);
  // lhs for each of 1,000 tiles of n.
  EXPECT_EQ((*next)->loaded_bytes, 1000u * 30000 + 480000000 + 2000 * 5120);
  EXPECT_TRUE((*next)->double_buffers);
  EXPECT_TRUE((*next)->fits);
}

// Of wider tiles too, where not even one granule would do with all of k. 2 of n, k 4, a row: 4 + 8
// + 2 and the next 8 in 21; k 2: 2 + 4 + 2 and 4. n 4 with k 4 takes 24.
TEST(ContractionTileTest, SumsAreCutBesideOneGranule) {
  const Contraction contraction = {1, 1, 8, 4, 8, 8, 8};
  ContractionTile tile;
  tile.n = 4;
  tile.k = 4;
  const auto next = NextDoubleBuffering(contraction, {21, 2, 0}, tile);
  ASSERT_TRUE(next.ok()) << next.status();
  ASSERT_TRUE(next->has_value());
  EXPECT_EQ((*next)->n, 2u);
  EXPECT_EQ((*next)->k, 2u);
  // A byte more, and k need not be cut.
  const auto whole = NextDoubleBuffering(contraction, {22, 2, 0}, tile);
  ASSERT_TRUE(whole.ok() && whole->has_value());
  EXPECT_EQ((*whole)->k, 4u);
}

// Double buffering to the byte: tile 3 * 4 + 4 * 2 + 3 * 2 = 26, and the next weight 8.
TEST(ContractionTileTest, DoubleBuffersToTheByte) {
  const Contraction contraction = {1, 3, 4, 4, 8, 8, 8};
  for (const uint64_t usable : {33, 34}) {
    const TilingHardware hardware = {usable, 2, 0};
    const ContractionTile tile = Cut(contraction, hardware, 26);
    EXPECT_EQ(tile.n, 2u);
    EXPECT_EQ(tile.bytes, 26u);
    EXPECT_EQ(tile.double_buffers, usable == 34);
  }
  // One tile has no next weight to make room for: 12 + 16 + 12 bytes.
  const ContractionTile whole = Cut(contraction, {40, 2, 0}, 40);
  EXPECT_EQ(whole.trips, 1u);
  EXPECT_TRUE(whole.double_buffers);
}

// 4-bit weights of 3 x 5, n in tiles of 2, 2 and 1: 3, 3 and 2 bytes, though 15 elements take 8.
// lhs 2 x 3 of 4 bits: 3 bytes. out 2 x 2 of 16 bits: 8.
TEST(ContractionTileTest, RaggedTilesTakeWholeBytes) {
  const Contraction contraction = {1, 2, 5, 3, 4, 4, 16};
  const TilingHardware hardware = {14, 2, 0};
  const ContractionTile tile = Cut(contraction, hardware, 14);
  EXPECT_EQ(tile.n, 2u);
  EXPECT_EQ(tile.bytes, 3u + 3 + 8);
  EXPECT_EQ(tile.n_tiles, 3u);
  EXPECT_EQ(tile.loaded_bytes, 3u + 3 + 3 + 2);
}

// Rows 2 (batch 2), n 4, k 5, granule 2, all of 8 bits, code 1. Whole rows: 10 + 10 + 4 + 1 = 25.
// k 4: 8 + 8 + 4 + 1 = 21; k 2: 4 + 4 + 4 + 1 = 13.
TEST(ContractionTileTest, KIsCutWhereWholeRowsFitNowhere) {
  const Contraction contraction = {2, 1, 4, 5, 8, 8, 8};
  const ContractionTile tile = Cut(contraction, {24, 2, 1}, 24);
  EXPECT_EQ(tile.rows, 2u);
  EXPECT_EQ(tile.n, 2u);
  EXPECT_EQ(tile.k, 4u);
  EXPECT_EQ(tile.bytes, 21u);
  EXPECT_EQ(tile.row_tiles, 1u);
  EXPECT_EQ(tile.n_tiles, 2u);
  EXPECT_EQ(tile.k_tiles, 2u);  // 4 and 1
  EXPECT_EQ(tile.trips, 4u);
  // lhs, 10, for either tile of n; weight, 20, once; code.
  EXPECT_EQ(tile.loaded_bytes, 2u * 10 + 20 + 4);
  EXPECT_EQ(Cut(contraction, {20, 2, 1}, 20).k, 2u);
  EXPECT_EQ(Cut(contraction, {13, 2, 1}, 13).k, 2u);
}

// As above, one byte less than two rows and k 2 take: a row takes 2 + 4 + 2 + 1 = 9.
TEST(ContractionTileTest, RowsAreSplitLast) {
  const Contraction contraction = {2, 1, 4, 5, 8, 8, 8};
  const ContractionTile tile = Cut(contraction, {12, 2, 1}, 12);
  EXPECT_EQ(tile.rows, 1u);
  EXPECT_EQ(tile.n, 2u);
  EXPECT_EQ(tile.k, 2u);
  EXPECT_EQ(tile.bytes, 9u);
  EXPECT_EQ(tile.trips, 2u * 2 * 3);
  EXPECT_EQ(tile.loaded_bytes, 2u * 10 + 2 * 20 + 12);
  EXPECT_TRUE(tile.fits);
  EXPECT_TRUE(Cut(contraction, {9, 2, 1}, 9).fits);

  const ContractionTile none = Cut(contraction, {8, 2, 1}, 8);
  EXPECT_EQ(none.bytes, 9u);
  EXPECT_FALSE(none.fits);
  EXPECT_FALSE(Cut(contraction, {8, 2, 1}, 0).fits);
}

// The same 25 bytes in LRAM that holds them, but a budget of 24: rows are split, k stays whole.
// A row: 5 + 10 + 2 + 1 = 18.
TEST(ContractionTileTest, ABudgetAloneSplitsRows) {
  const Contraction contraction = {2, 1, 4, 5, 8, 8, 8};
  const ContractionTile tile = Cut(contraction, {25, 2, 1}, 24);
  EXPECT_EQ(tile.rows, 1u);
  EXPECT_EQ(tile.n, 2u);
  EXPECT_EQ(tile.k, 5u);
  EXPECT_EQ(tile.bytes, 18u);
  EXPECT_EQ(tile.loaded_bytes, 10u + 2 * 20 + 4);
  // Not even one row fits 17 with k whole: k is cut.
  EXPECT_EQ(Cut(contraction, {25, 2, 1}, 17).k, 2u);
  EXPECT_EQ(Cut(contraction, {25, 2, 1}, 17).rows, 2u);
}

// 10 rows, k 1, n 1: a tile of r rows takes 2 r + 1. 7 rows would fit 15, so two tiles, of 5.
TEST(ContractionTileTest, RowTilesAreEven) {
  const Contraction contraction = {1, 10, 1, 1, 8, 8, 8};
  const ContractionTile tile = Cut(contraction, {21, 16, 0}, 15);
  EXPECT_EQ(tile.rows, 5u);
  EXPECT_EQ(tile.row_tiles, 2u);
  EXPECT_EQ(tile.loaded_bytes, 10u + 2);
}

// A granule above n and k leaves nothing to cut but rows.
TEST(ContractionTileTest, DimensionsBelowAGranuleStayWhole) {
  const Contraction contraction = {1, 4, 3, 3, 8, 8, 8};
  const TilingHardware hardware = {32, 16, 0};  // 12 + 9 + 12 = 33
  EXPECT_EQ(*WholeRowBytes(contraction, hardware), 33u);
  const ContractionTile tile = Cut(contraction, hardware, 32);
  EXPECT_EQ(tile.rows, 3u);
  EXPECT_EQ(tile.n, 3u);
  EXPECT_EQ(tile.k, 3u);
  EXPECT_EQ(tile.loaded_bytes, 12u + 2 * 9);  // k is whole: lhs once
}

// lhs 2^32 rows * 2^31 = 2^63 bytes, weight 2^31, out 2^32.
TEST(ContractionTileTest, NearTheEndOf64Bits) {
  const Contraction contraction = {uint64_t{1} << 16, uint64_t{1} << 16, 1, uint64_t{1} << 31};
  const uint64_t bytes = (uint64_t{1} << 63) + (uint64_t{1} << 31) + (uint64_t{1} << 32) + 5120;
  const TilingHardware hardware = {kMost, 16, 5120};
  EXPECT_EQ(*WholeRowBytes(contraction, hardware), bytes);
  EXPECT_EQ(Cut(contraction, hardware, kMost).bytes, bytes);
  EXPECT_EQ(Cut(contraction, hardware, bytes).trips, 1u);
  // A byte less: two row tiles, of 2^31.
  const ContractionTile split = Cut(contraction, hardware, bytes - 1);
  EXPECT_EQ(split.rows, uint64_t{1} << 31);
  EXPECT_EQ(split.loaded_bytes, (uint64_t{1} << 63) + (uint64_t{1} << 32) + 2 * 5120);
}

// All of n, and of rows: 2^64 - 1 of them. Counting up to either must not wrap.
TEST(ContractionTileTest, DimensionsOf64Bits) {
  // lhs 1 and weight 2^64 - 1 bytes cannot be loaded in 64 bits together; half of it can.
  EXPECT_FALSE(CutContraction({1, 1, kMost, 1, 8, 8, 8}, TilingHardware(), 523008).ok());
  const ContractionTile tile = Cut({1, 1, kMost, 1, 8, 4, 8}, {kMost, uint64_t{1} << 62, 0}, kMost);
  // A tile of n takes 1 + ceil(n / 2) + n: two granules, 3 * 2^62 + 1, but not three.
  EXPECT_EQ(tile.n, uint64_t{1} << 63);
  EXPECT_EQ(tile.n_tiles, 2u);
  EXPECT_EQ(tile.loaded_bytes, 1u + (uint64_t{1} << 63));

  const ContractionTile rows = Cut({kMost, 1, 1, 1, 4, 8, 4}, {kMost, 16, 0}, kMost);
  // 2^63 + 1 + 2^63 for all; half of them, 2^63, fit.
  EXPECT_EQ(rows.rows, kMost - 1);
  EXPECT_EQ(rows.row_tiles, 2u);
  EXPECT_EQ(rows.loaded_bytes, (uint64_t{1} << 63) - 1 + 1 + 2);
}

}  // namespace
}  // namespace torqsched
