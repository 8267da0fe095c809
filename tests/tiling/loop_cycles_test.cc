// What loops take, by hand: published shapes, each thing that has room beside a program or has
// none, and the ends of 64 bits.
#include "src/tiling/loop_cycles.h"

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "src/tiling/contraction_tile.h"

namespace torqsched {
namespace {

constexpr uint64_t kMost = ~uint64_t{0};

ContractionTile Cut(const Contraction& contraction, const TilingHardware& hardware,
                    uint64_t budget) {
  const absl::StatusOr<ContractionTile> tile = CutContraction(contraction, hardware, budget);
  EXPECT_TRUE(tile.ok()) << tile.status();
  return tile.ok() ? *tile : ContractionTile();
}

ContractionTile Next(const Contraction& contraction, const TilingHardware& hardware,
                     const ContractionTile& tile) {
  const auto next = NextDoubleBuffering(contraction, hardware, tile);
  EXPECT_TRUE(next.ok() && next->has_value()) << next.status();
  return next.ok() ? next->value_or(ContractionTile()) : ContractionTile();
}

// ---- Published shapes, on sl2610: 832 bytes take 175 cycles, code 1,077 ----

// 1 x 128 x 768 x 3072 in bf16: lhs 196,608 bytes are 41,353.8 cycles.
Contraction Published() { return {1, 128, 3072, 768, 16, 16, 16}; }

// 17 tiles of 176 columns: weight 56,861.5 cycles, out 9,476.9, program 128 * 176 * 768 / 128; one
// of 80: 25,846.2, 4,307.7 and 61,440. All take turns: 517,120 + 270,336 bytes are too many.
TEST(LoopCyclesTest, PublishedInAllOfLramTakesTurns) {
  EXPECT_EQ(Cut(Published(), TilingHardware(), 523008).cycles,
            41354u + 17 * (56862 + 135168 + 9477) + (25847 + 61440 + 4308) + 18 * 1077);
  // What docs/lowering.md has for these tiles, transfers and programs together.
  EXPECT_EQ(Cut(Published(), TilingHardware(), 523008).cycles, 3577954u);
}

// 32 tiles of 96 columns: weight 31,015.4, program 73,728, out 5,169.2. 373,760 bytes and the next
// weight, 147,456, leave 1,792 of LRAM: not enough for the next code.
TEST(LoopCyclesTest, PublishedDoubleBufferedLoadsCodeInTurn) {
  const TilingHardware hardware;
  const ContractionTile tile = Next(Published(), hardware, Cut(Published(), hardware, 523008));
  EXPECT_EQ(tile.n, 96u);
  EXPECT_EQ(tile.cycles, 41354u + 31016 + 32 * (1077 + 73728 + 5170));
  EXPECT_EQ(tile.cycles, 2631570u);
  // 5,120 bytes less 1,792 more, and code goes beside the program: but for the first.
  TilingHardware larger;
  larger.usable_bytes += 5120 - 1792;
  EXPECT_EQ(Next(Published(), larger, Cut(Published(), hardware, 523008)).cycles,
            2631570u - 31 * 1077);
}

// 2 x 64 tiles of 64 rows and 48 columns: lhs 20,676.9, weight 15,507.7, out 1,292.3, program
// 18,432. There is room for all. The second run of rows begins with its lhs: 20,677 + 15,508 +
// 1,077 are more than the program.
TEST(LoopCyclesTest, PublishedInItsShareLoadsAllBeside) {
  const uint64_t loads = 20677 + 15508 + 1077;
  EXPECT_EQ(Cut(Published(), TilingHardware(), 209203).cycles,
            loads + 126 * 18432 + loads + 18432 + 128 * 1293);
}

// 1 x 1 x 4096 x 4096 in int8, where loads and programs take about as long: lhs 861.5 cycles.
constexpr Contraction kDecode = {1, 1, 4096, 4096, 8, 8, 8};

TilingHardware SlowChip() {
  TilingHardware hardware;
  hardware.int8_macs_per_cycle = 5;
  return hardware;
}

// 52 % of LRAM: 271,964 bytes, (271,964 - 5,120 - 4,096) / 4,097 = 64.1 columns. Weight 262,144
// bytes, 55,138.5 cycles; program 4,096 * 64 / 5 = 52,428.8; out 13.5.
TEST(LoopCyclesTest, TwoWeightsOf262144BytesTakeTurns) {
  const ContractionTile tile = Cut(kDecode, SlowChip(), 271964);
  EXPECT_EQ(tile.n, 64u);
  EXPECT_EQ(tile.cycles, 862u + 64 * (55139 + 1077 + 52429 + 14));
  EXPECT_EQ(tile.cycles, 6955038u);
}

// The next smaller: 85 tiles of 48 columns, weight 196,608 bytes, 41,353.8 cycles, with code more
// than the program, 39,321.6; out 10.1. The last has 16: weight 13,784.6, program 13,107.2,
// out 3.4.
TEST(LoopCyclesTest, TheNextSmallerLoadsBesideItsPrograms) {
  const ContractionTile tile = Next(kDecode, SlowChip(), Cut(kDecode, SlowChip(), 271964));
  EXPECT_EQ(tile.n, 48u);
  EXPECT_EQ(tile.trips, 86u);
  const uint64_t loads = 41354 + 1077;
  // The first loads, 84 loads of a whole tile, the program that covers the last loads, the last.
  EXPECT_EQ(tile.cycles, 862 + loads + 84 * loads + 39322 + 13108 + 85 * 11 + 4);
  EXPECT_EQ(tile.cycles, 3660866u);
}

// ---- What has room beside a program ----

// A byte a cycle, code 1. 2 rows, 4 columns in two tiles, k 5 in tiles of 4 and 1: lhs 8 and 2
// bytes, weight 8 and 2, out 4; programs of 16 macs, 4 cycles, and 4, at least 3.
constexpr Contraction kSmall = {2, 1, 4, 5, 8, 8, 8};

TilingHardware SmallChip(uint64_t usable) { return {usable, 2, 1, 1, 1, 4, 4, 3}; }

ContractionTile KCut(bool double_buffers) {
  ContractionTile tile;
  tile.rows = 2;
  tile.n = 2;
  tile.k = 4;
  tile.bytes = 8 + 8 + 4 + 1;
  tile.trips = 4;
  tile.double_buffers = double_buffers;
  return tile;
}

TEST(LoopCyclesTest, KIsCutAndAllTakesTurns) {
  EXPECT_EQ(LoopCycles(kSmall, SmallChip(28), KCut(false)), 2u * (17 + 4 + 5 + 3 + 4));
  // However much room there is.
  EXPECT_EQ(LoopCycles(kSmall, SmallChip(1000), KCut(false)), 66u);
}

TEST(LoopCyclesTest, KIsCutAndTheWeightAloneHasRoom) {
  EXPECT_EQ(LoopCycles(kSmall, SmallChip(21 + 8), KCut(true)),
            17u                    // loads
                + 4 + (1 + 2)      // the program covers 2 of weight; code and lhs
                + 8 + 4 + (1 + 8)  // 8 of weight cover the program; store, code, lhs
                + 4 + (1 + 2)      // as the first
                + 3 + 4);
}

TEST(LoopCyclesTest, KIsCutAndCodeHasRoomToo) {
  EXPECT_EQ(LoopCycles(kSmall, SmallChip(21 + 8 + 1), KCut(true)),
            17u + 4 + 2 + 9 + 4 + 8 + 4 + 2 + 3 + 4);
}

TEST(LoopCyclesTest, KIsCutAndLhsHasRoomToo) {
  EXPECT_EQ(LoopCycles(kSmall, SmallChip(21 + 8 + 1 + 8), KCut(true)),
            17u + 5 + 17 + 4 + 5 + 3 + 4);
}

// A row, all of k: lhs 5 bytes, weight 10, out 2; programs of 13 cycles. Only the third trip, the
// first of the second row, loads lhs.
TEST(LoopCyclesTest, RowsAreCut) {
  ContractionTile tile;
  tile.rows = 1;
  tile.n = 2;
  tile.k = 5;
  tile.bytes = 5 + 10 + 2 + 1;
  tile.trips = 4;
  tile.double_buffers = true;
  TilingHardware hardware = SmallChip(18 + 10 + 1 + 5);
  hardware.least_program_cycles = 13;
  EXPECT_EQ(LoopCycles(kSmall, hardware, tile), 16u + 13 + 2 + 16 + 2 + 13 + 2 + 13 + 2);
  hardware.usable_bytes -= 1;
  EXPECT_EQ(LoopCycles(kSmall, hardware, tile), 16u + 13 + 2 + 13 + 2 + 5 + 13 + 2 + 13 + 2);
}

TEST(LoopCyclesTest, OneTrip) {
  // lhs 10, weight 20, out 8, code 1; 40 macs.
  const ContractionTile tile = Cut(kSmall, SmallChip(39), 39);
  EXPECT_EQ(tile.trips, 1u);
  EXPECT_EQ(tile.cycles, 31u + 10 + 8);
}

// ---- Rates ----

// 64 macs: a rate of 9 for lhs of up to 8 bits, 7 for wider.
TEST(LoopCyclesTest, MacsGoByTheElementsOfLhs) {
  TilingHardware hardware;
  hardware.dma_cycles = 0;
  hardware.int8_macs_per_cycle = 9;
  hardware.bf16_macs_per_cycle = 7;
  hardware.least_program_cycles = 0;
  for (const uint32_t bits : {4u, 8u, 16u, 32u}) {
    for (const uint32_t others : {4u, 32u}) {
      const Contraction contraction = {1, 4, 4, 4, bits, others, others};
      EXPECT_EQ(Cut(contraction, hardware, 523008).cycles, bits <= 8 ? 8u : 10u) << bits;
    }
  }
}

// Each transfer rounds up by itself: 3 bytes of lhs, of weight, 1 of out and 1 of code, 2 a cycle.
TEST(LoopCyclesTest, EachTransferRoundsUp) {
  const Contraction contraction = {1, 1, 1, 3, 8, 8, 8};
  EXPECT_EQ(Cut(contraction, {100, 1, 1, 2, 1, 1, 1, 0}, 100).cycles, 2u + 2 + 1 + 1 + 3);
}

// ---- The ends of 64 bits ----

// 2^40 trips of one column each: as fast to count as one.
TEST(LoopCyclesTest, ManyTrips) {
  const uint64_t n = uint64_t{1} << 40;
  const Contraction contraction = {1, 1, n, 1, 8, 8, 8};
  EXPECT_EQ(Cut(contraction, {3, 1, 0, 1, 1, 1, 1, 0}, 3).cycles, 1 + 3 * n);
  // A byte more holds the next weight: it and the program take a cycle at once.
  EXPECT_EQ(Cut(contraction, {4, 1, 0, 1, 1, 1, 1, 0}, 3).cycles, 1 + 1 + (n - 1) + 1 + n);
}

TEST(LoopCyclesTest, WhatDoesNotFitIsTheLargestValueAndNoError) {
  // 2^93 macs.
  const uint64_t side = uint64_t{1} << 31;
  EXPECT_EQ(Cut({1, side, side, side, 8, 8, 8}, {kMost, 16, 0}, kMost).cycles, kMost);
  // (2^32 - 1) * 2^32 macs are exact; with a cycle a byte they are too many.
  const Contraction thin = {1, 2 * side - 1, 2 * side, 1, 8, 8, 4};
  TilingHardware hardware = {kMost, 16, 0, 1, 0, 1, 1, 0};
  EXPECT_EQ(Cut(thin, hardware, kMost).cycles, (2 * side - 1) * (2 * side));
  hardware.dma_cycles = 1;
  EXPECT_EQ(Cut(thin, hardware, kMost).cycles, kMost);
}

}  // namespace
}  // namespace torqsched
