// The chip as numbers: transfer cycles, profiles, what is out of range, which streams fit.
#include "src/hardware/hardware.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/stream/expect_error.h"
#include "tests/stream/stream_maker.h"

namespace torqsched {
namespace {

constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();

Hardware Sl2610() {
  const absl::StatusOr<Hardware> hardware = ProfileNamed("sl2610");
  EXPECT_TRUE(hardware.ok()) << hardware.status();
  return hardware.value_or(Hardware());
}

Hardware WithDma(uint64_t bytes, uint64_t cycles) {
  Hardware hardware;
  hardware.dma_bytes = bytes;
  hardware.dma_cycles = cycles;
  return hardware;
}

TEST(Profile, Sl2610) {
  const Hardware h = Sl2610();
  EXPECT_EQ(h.lram_bytes, 524288u);
  EXPECT_EQ(h.usable_bytes(), 523008u);
  EXPECT_EQ(h.alignment, 8u);
  EXPECT_EQ(h.slices, 2u);
  EXPECT_EQ(h.small_buffer_bytes, 8192u);
  EXPECT_EQ(h.start_cycles, 1u);
  EXPECT_EQ(h.clock_hz, 800000000u);
  EXPECT_EQ(h.block_ops, 0u);
  EXPECT_EQ(h.block_bytes, 640u);
  EXPECT_EQ(h.dma_engines, 1u);
  EXPECT_EQ(h.store_engines, 0u);
  EXPECT_FALSE(h.non_blocking_transfers);
  EXPECT_EQ(h.transfer_issue_cycles, 0u);
  EXPECT_TRUE(CheckHardware(h).ok());
}

TEST(Profile, UnknownNameListsTheKnownOnes) {
  for (const char* name : {"", "SL2610", "sl2610 ", "sl26"}) {
    ExpectError(ProfileNamed(name).status(), absl::StatusCode::kNotFound,
                std::string("hardware.profile: no profile '") + name + "'; known: sl2610",
                {"hardware.profile", OpIndex(), BufferIndex()});
  }
}

TEST(TransferCycles, FactsOfSl2610) {
  const Hardware h = Sl2610();
  EXPECT_EQ(TransferCycles(h, 0), 0u);
  EXPECT_EQ(TransferCycles(h, 1), 1u);
  EXPECT_EQ(TransferCycles(h, 832), 175u);
  EXPECT_EQ(TransferCycles(h, 833), 176u);
  EXPECT_EQ(TransferCycles(h, 5120), 1077u);
  EXPECT_EQ(TransferCycles(h, 262144), 55139u);
  EXPECT_EQ(TransferCycles(h, 523008), 110008u);
}

TEST(TransferCycles, AreExactBeyond64BitsOnTheWay) {
  // (2^64 - 1) * (2^64 - 1) / (2^64 - 1)
  EXPECT_EQ(TransferCycles(WithDma(kMost, kMost), kMost), kMost);
  EXPECT_EQ(TransferCycles(WithDma(kMost, kMost - 1), kMost), kMost - 1);
  // 2^63 * 3 / 4 = 3 * 2^61, and one byte more costs one cycle more.
  EXPECT_EQ(TransferCycles(WithDma(4, 3), uint64_t{1} << 63), uint64_t{3} << 61);
  EXPECT_EQ(TransferCycles(WithDma(4, 3), (uint64_t{1} << 63) + 1), (uint64_t{3} << 61) + 1);
}

TEST(TransferCycles, SaturateWhereTheyDoNotFit) {
  EXPECT_EQ(TransferCycles(WithDma(1, 2), uint64_t{1} << 63), kMost);
  EXPECT_EQ(TransferCycles(WithDma(1, kMost), kMost), kMost);
  EXPECT_EQ(TransferCycles(WithDma(1, 2), (uint64_t{1} << 63) - 1), kMost - 1);
}

TEST(TransferCycles, MayBeFree) { EXPECT_EQ(TransferCycles(WithDma(1, 0), kMost), 0u); }

void ExpectHardwareRefused(const Hardware& hardware, const std::string& field,
                           const std::string& message) {
  ExpectInvalid(CheckHardware(hardware), "hardware." + field + ": " + message,
                {"hardware." + field, OpIndex(), BufferIndex()});
}

TEST(CheckHardware, NamesTheFieldThatIsOutOfRange) {
  Hardware h;
  h.lram_bytes = 100;
  h.lram_reserved_bytes = 101;
  ExpectHardwareRefused(h, "lram_reserved_bytes",
                        "101 reserved of 100 bytes of LRAM; expected no more than there are");
  h = Hardware();
  h.alignment = 0;
  ExpectHardwareRefused(h, "alignment", "0; expected at least 1");
  h = Hardware();
  h.slices = 0;
  ExpectHardwareRefused(h, "slices", "0; expected 1 to 64");
  h.slices = 65;
  ExpectHardwareRefused(h, "slices", "65; expected 1 to 64");
  ExpectHardwareRefused(WithDma(0, 1), "dma_bytes", "0; expected at least 1");
  h = Hardware();
  h.dma_engines = 0;
  ExpectHardwareRefused(h, "dma_engines", "0; expected 1 to 64");
  h.dma_engines = 65;
  ExpectHardwareRefused(h, "dma_engines", "65; expected 1 to 64");
  h = Hardware();
  h.store_engines = 65;
  ExpectHardwareRefused(h, "store_engines",
                        "65; expected at most 64, or 0 where stores share the engines of loads");
  h = WithDma(1, 2);
  h.block_bytes = uint64_t{1} << 63;
  h.block_ops = 4;
  ExpectHardwareRefused(h, "block_bytes", "a block transfer's cycles do not fit 64 bits");
}

TEST(CheckHardware, TheEdgesAreFine) {
  Hardware h;
  h.slices = 64;
  h.dma_engines = h.store_engines = 64;
  h.transfer_issue_cycles = kMost;
  h.lram_bytes = h.lram_reserved_bytes = kMost;
  h.alignment = kMost;
  EXPECT_TRUE(CheckHardware(h).ok());
  h = WithDma(1, 2);
  h.block_bytes = kMost;  // no block is ever transferred
  EXPECT_TRUE(CheckHardware(h).ok());
  h.block_bytes = (uint64_t{1} << 63) - 1;
  h.block_ops = 1;
  EXPECT_TRUE(CheckHardware(h).ok());
}

Hardware WithRegions(uint64_t usable, const std::vector<uint64_t>& regions) {
  Hardware h;
  h.lram_bytes = usable;
  h.region_bytes = regions;
  return h;
}

TEST(CheckHardware, RegionsAreAllOfUsableLram) {
  EXPECT_TRUE(CheckHardware(WithRegions(100, {})).ok());
  EXPECT_TRUE(CheckHardware(WithRegions(100, {100})).ok());
  EXPECT_TRUE(CheckHardware(WithRegions(100, {1, 98, 1})).ok());
  EXPECT_TRUE(CheckHardware(WithRegions(kMost, {kMost - 1, 1})).ok());
  Hardware h = WithRegions(107, {60, 40});
  h.lram_reserved_bytes = 7;
  EXPECT_TRUE(CheckHardware(h).ok());
  h.lram_reserved_bytes = 8;
  ExpectHardwareRefused(h, "region_bytes",
                        "the regions have 100 bytes; expected all 99 bytes of usable LRAM");
  ExpectHardwareRefused(WithRegions(100, {50, 49}), "region_bytes",
                        "the regions have 99 bytes; expected all 100 bytes of usable LRAM");
  ExpectHardwareRefused(WithRegions(100, {50, 0, 50}), "region_bytes[1]", "0; expected at least 1");
  // 2^64 + 4 is not 4.
  ExpectHardwareRefused(
      WithRegions(4, {kMost, 5}), "region_bytes",
      "the regions have more than 2^64 - 1 bytes; expected all 4 bytes of usable LRAM");
  EXPECT_TRUE(CheckHardware(WithRegions(4096, std::vector<uint64_t>(4096, 1))).ok());
  ExpectHardwareRefused(WithRegions(4097, std::vector<uint64_t>(4097, 1)), "region_bytes",
                        "4097 regions; expected at most 4096");
}

TEST(CheckHardware, BanksMayHaveAnySize) {
  Hardware h = WithRegions(100, {});
  for (const uint64_t bytes : {uint64_t{0}, uint64_t{1}, uint64_t{101}, kMost}) {
    h.bank_bytes = bytes;
    EXPECT_TRUE(CheckHardware(h).ok());
  }
}

TEST(LramRegions, HoldWhatLiesInOneOfThem) {
  const LramRegions regions(WithRegions(100, {30, 50, 20}));
  EXPECT_EQ(regions.boundaries(), (std::vector<uint64_t>{30, 80}));
  EXPECT_EQ(regions.largest(), 50u);
  EXPECT_TRUE(regions.Hold(LramBuffer(50)));
  EXPECT_FALSE(regions.Hold(LramBuffer(51)));
  EXPECT_TRUE(regions.Hold(FixedAt(0, LramBuffer(30))));
  EXPECT_FALSE(regions.Hold(FixedAt(0, LramBuffer(31))));
  EXPECT_FALSE(regions.Hold(FixedAt(29, LramBuffer(2))));
  EXPECT_TRUE(regions.Hold(FixedAt(30, LramBuffer(50))));
  EXPECT_FALSE(regions.Hold(FixedAt(30, LramBuffer(51))));
  EXPECT_TRUE(regions.Hold(FixedAt(80, LramBuffer(20))));
  EXPECT_FALSE(regions.Hold(FixedAt(80, LramBuffer(21))));
  EXPECT_TRUE(regions.Hold(FixedAt(100, LramBuffer(0))));
  EXPECT_FALSE(regions.Hold(FixedAt(101, LramBuffer(0))));
  EXPECT_FALSE(regions.Hold(FixedAt(kMost, LramBuffer(kMost))));
}

TEST(LramRegions, OneRegionIsAllOfUsableLram) {
  for (const std::vector<uint64_t>& sizes : {std::vector<uint64_t>{}, {100}}) {
    const LramRegions regions(WithRegions(100, sizes));
    EXPECT_TRUE(regions.boundaries().empty());
    EXPECT_EQ(regions.largest(), 100u);
    EXPECT_TRUE(regions.Hold(LramBuffer(100)));
    EXPECT_FALSE(regions.Hold(LramBuffer(101)));
    EXPECT_TRUE(regions.Hold(FixedAt(99, LramBuffer(1))));
    EXPECT_FALSE(regions.Hold(FixedAt(99, LramBuffer(2))));
  }
}

OpSpec StartOn(uint32_t slice) {
  OpSpec spec;
  spec.kind = OpKind::kStart;
  spec.name = "P";
  spec.slice = slice;
  return spec;
}

TEST(CheckStreamFits, RefusesASliceThatTheChipDoesNotHave) {
  StreamMaker maker;
  maker.Wait(maker.Add(StartOn(1), {}, {}));
  maker.Wait(maker.Add(StartOn(7), {}, {}));
  ExpectInvalid(CheckStreamFits(maker.Build(), Sl2610()),
                "op 2 'P': slice 7, but the hardware has 2 (counted from 0)",
                {"stream.ops[2].slice", OpIndex(2), BufferIndex()});
}

TEST(CheckStreamFits, AStartWithoutWaitIsCheckedAllTheSame) {
  StreamMaker maker;
  maker.Add(StartOn(7), {}, {});
  ExpectInvalid(CheckStreamFits(maker.Build(), Sl2610()),
                "op 0 'P': slice 7, but the hardware has 2 (counted from 0)",
                {"stream.ops[0].slice", OpIndex(0), BufferIndex()});
}

TEST(CheckStreamFits, TheLastSliceIsFine) {
  StreamMaker maker;
  maker.Wait(maker.Add(StartOn(63), {}, {}));
  maker.Add(StartOn(63), {}, {});
  Hardware h;
  h.slices = 64;
  EXPECT_TRUE(CheckStreamFits(maker.Build(), h).ok());
}

void ExpectCyclesRefusedAt(uint32_t op, const Stream& stream, const Hardware& hardware) {
  const std::string name = "op " + std::to_string(op);
  ExpectInvalid(CheckStreamFits(stream, hardware),
                name + ": the cycles of the stream up to here do not fit 64 bits",
                {"stream.ops[" + std::to_string(op) + "].cycles", OpIndex(op), BufferIndex()});
}

TEST(CheckStreamFits, NamesTheOpAtWhichTheCyclesOverflow) {
  StreamMaker maker;
  maker.Barrier(uint64_t{1} << 63);
  maker.Barrier((uint64_t{1} << 63) - 2);  // 2^64 - 2 so far
  maker.View({});
  maker.Barrier(0);
  maker.Barrier(2);
  maker.Barrier(1);
  ExpectCyclesRefusedAt(4, maker.Build(), Hardware());
}

TEST(CheckStreamFits, TheLargestNumberItselfFitsAndOneMoreDoesNot) {
  StreamMaker fits;
  fits.Barrier(kMost - 1);
  fits.Barrier(1);
  EXPECT_TRUE(CheckStreamFits(fits.Build(), Hardware()).ok());
  StreamMaker one_more;
  one_more.Barrier(kMost - 1);
  one_more.Barrier(1);
  one_more.Barrier(1);
  ExpectCyclesRefusedAt(2, one_more.Build(), Hardware());
}

TEST(CheckStreamFits, StartsPayTheirStartCycles) {
  StreamMaker maker;
  maker.Barrier(kMost - 10);
  maker.Program(4, {});
  const Stream stream = maker.Build();
  Hardware h;
  h.start_cycles = 6;
  EXPECT_TRUE(CheckStreamFits(stream, h).ok());
  h.start_cycles = 7;
  ExpectCyclesRefusedAt(1, stream, h);
}

TEST(CheckStreamFits, AStartWithoutWaitPaysNoStartCycles) {
  StreamMaker maker;
  maker.Barrier(kMost - 10);
  maker.Start(10, {});
  Hardware h;
  h.start_cycles = 1000;
  EXPECT_TRUE(CheckStreamFits(maker.Build(), h).ok());
}

TEST(CheckStreamFits, BlockTransfersCountBeforeEveryNthOpThatIsNotPure) {
  StreamMaker maker;
  maker.Barrier(kMost - 10);  // 1st
  maker.View({});
  maker.Barrier(0);  // 2nd: a block
  maker.Barrier(0);
  maker.Barrier(0);  // 4th: a block
  const Stream stream = maker.Build();
  Hardware h;
  h.block_ops = 2;
  h.block_bytes = 5;
  EXPECT_TRUE(CheckStreamFits(stream, h).ok());
  h.block_bytes = 6;
  ExpectCyclesRefusedAt(4, stream, h);
  h.block_ops = 0;
  EXPECT_TRUE(CheckStreamFits(stream, h).ok());
}

TEST(CheckStreamFits, IssuesCountWhereTransfersDoNotBlock) {
  StreamMaker maker;
  maker.Lram(8);
  maker.Load(kMost - 10, {Writes(0)});
  maker.Store(3, {Reads(0)});
  maker.Barrier(1);
  const Stream stream = maker.Build();
  Hardware h;
  h.transfer_issue_cycles = 4;
  EXPECT_TRUE(CheckStreamFits(stream, h).ok());
  h.non_blocking_transfers = true;
  ExpectCyclesRefusedAt(1, stream, h);
  h.transfer_issue_cycles = 3;
  EXPECT_TRUE(CheckStreamFits(stream, h).ok());
}

TEST(CheckStreamFits, TransfersAndBlocksCountAHundredfoldBesideProgramsThatTakeBandwidth) {
  const auto made = [](StreamMaker* maker, uint32_t share, uint64_t transfer) {
    maker->Lram(8);
    maker->Load(transfer, {Writes(0)});
    OpSpec start;
    start.kind = OpKind::kStart;
    start.cycles = 10;
    start.dma_share_percent = share;
    maker->Wait(maker->Add(start, {}, {}));
    return maker->Build();
  };
  Hardware h;
  h.start_cycles = 5;
  StreamMaker none, one;
  EXPECT_TRUE(CheckStreamFits(made(&none, 0, kMost - 15), h).ok());
  const Stream stream = made(&one, 1, (kMost - 15) / 100);  // nothing is left over
  EXPECT_TRUE(CheckStreamFits(stream, h).ok());
  h.start_cycles = 6;
  ExpectCyclesRefusedAt(1, stream, h);
  h.start_cycles = 5;
  h.block_ops = 3;  // before the wait
  h.block_bytes = 1;
  ExpectCyclesRefusedAt(2, stream, h);
  h.block_bytes = 0;
  EXPECT_TRUE(CheckStreamFits(stream, h).ok());
}

// 2^64 and more is not 0 and more.
TEST(CheckStreamFits, AHundredfoldThatDoesNotFitByItselfIsRefused) {
  StreamMaker maker;
  maker.Lram(8);
  maker.Load((uint64_t{1} << 62) / 25, {Writes(0)});  // 100 times: 2^64 - 16 cycles
  OpSpec start;
  start.kind = OpKind::kStart;
  start.dma_share_percent = 99;
  maker.Wait(maker.Add(start, {}, {}));
  maker.Load(kMost, {Writes(0)});
  ExpectCyclesRefusedAt(3, maker.Build(), Hardware());
}

}  // namespace
}  // namespace torqsched
