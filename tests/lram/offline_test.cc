// The OFFLINE oracle in scenes of a few ops, worked out by hand.
//
// LRAM has 100 bytes, a swap costs a cycle a byte, a start 1 cycle, and a transfer of the stream 10
// cycles, unless the scene says otherwise. Every placement goes through the checker.
#include "src/lram/offline.h"

#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "src/graph/problem.h"
#include "src/schedule/input_schedule.h"
#include "tests/lram/violations.h"
#include "tests/stream/stream_maker.h"

namespace torqsched {
namespace {

using Lines = std::vector<std::string>;

// "1: store 0": entry 1 of the placed stream stores buffer 0.
Lines Swaps(const Placement& placement) {
  Lines swaps;
  for (const SwapTransfer& s : placement.swap_transfers) {
    swaps.push_back(std::to_string(s.entry) + (s.is_store ? ": store " : ": load ") +
                    std::to_string(s.buffer.value()));
  }
  return swaps;
}

// "2: 0 out": before entry 2 of the placed stream buffer 0 leaves. Births are left out.
Lines Evictions(const Placement& placement) {
  Lines evictions;
  for (const Move& m : placement.moves) {
    if (m.in) continue;
    evictions.push_back(std::to_string(m.entry) + ": " + std::to_string(m.buffer.value()) + " out");
  }
  return evictions;
}

class Offline : public testing::Test {
 protected:
  Offline() {
    hardware_.lram_bytes = 100;
    hardware_.slices = 2;
    hardware_.start_cycles = 1;
  }

  OfflinePlacement Place(bool swaps_allowed = true) {
    stream_ = maker_.Build();
    const auto problem = ScheduleProblem::Make(stream_, hardware_);
    EXPECT_TRUE(problem.ok()) << problem.status();
    if (!problem.ok()) return OfflinePlacement();
    const Schedule input = InputSchedule(stream_);
    OfflinePlacement answer = PlaceOffline(**problem, input.order, input.slice, swaps_allowed);
    ExpectHolds(input, answer.placement);
    return answer;
  }

  void ExpectHolds(const Schedule& schedule, const Placement& placement) {
    EXPECT_EQ(Violations(stream_, hardware_, schedule, placement), "");
  }

  void Load(uint32_t buffer) { maker_.Load(10, {Writes(buffer)}); }
  void Store(uint32_t buffer) { maker_.Store(10, {Reads(buffer)}); }
  uint32_t Constant(uint64_t size) {
    Buffer buffer = XramBuffer(size);
    buffer.constant = true;
    return maker_.Add(buffer);
  }

  StreamMaker maker_;
  Hardware hardware_;
  Stream stream_;
};

// ---- no swaps ----------------------------------------------------------------------------------

TEST_F(Offline, WhatSequentialPlacesWithoutSwapsIsItsAnswer) {
  maker_.Lram(60);
  maker_.Lram(40);
  Load(0);
  Load(1);
  Store(0);
  Store(1);
  const OfflinePlacement p = Place();
  EXPECT_TRUE(p.placement.placed);
  EXPECT_EQ(p.placement.swaps, 0u);
  EXPECT_EQ(p.placement.makespan, 40u);
  ASSERT_EQ(p.placement.moves.size(), p.sequential.moves.size());
  for (size_t m = 0; m < p.placement.moves.size(); ++m) {
    EXPECT_EQ(p.placement.moves[m].offset, p.sequential.moves[m].offset);
  }
}

// 0 takes [70, 100), 1 [40, 70); once 0 is gone, 70 bytes are free, but 40 and 30 apart: SEQUENTIAL
// has no range for the 60 of 2. With 1 at either end there is one.
class Fragmented : public Offline {
 protected:
  Fragmented() {
    maker_.Lram(30);
    maker_.Lram(30);
    maker_.Lram(60);
    maker_.Lram(50);
    Load(0);
    Load(1);
    Store(0);
    Load(2);
  }
};

TEST_F(Fragmented, AnOrderThatSequentialCannotPlaceWithoutSwapsIsPlacedWithoutSwaps) {
  Store(1);
  Store(2);
  const OfflinePlacement p = Place(/*swaps_allowed=*/false);
  EXPECT_FALSE(p.sequential.placed);
  EXPECT_EQ(p.sequential.failure.reason, FailureReason::kFragmentation);
  EXPECT_TRUE(p.placement.placed);
  EXPECT_EQ(p.placement.swaps, 0u);
  EXPECT_EQ(p.placement.peak, 90u);
  EXPECT_EQ(p.placement.makespan, 60u);
}

TEST_F(Fragmented, NoSwapIsTakenWhereSwapsAreAllowedButNotNeeded) {
  Store(1);
  Store(2);
  const OfflinePlacement p = Place();
  EXPECT_EQ(p.sequential.swap_bytes, 60u);  // 1 goes out and comes back
  EXPECT_EQ(p.placement.swaps, 0u);
  EXPECT_EQ(p.placement.swap_bytes, 0u);
  EXPECT_EQ(p.placement.makespan, 60u);
}

// Then 30 + 60 bytes are live, and 50 more are wanted: no layout of the past would help.
TEST_F(Fragmented, WhereLiveBytesExceedLramTheReasonIsCapacityThere) {
  Load(3);
  for (const uint32_t b : {1, 2, 3}) Store(b);
  const OfflinePlacement p = Place(/*swaps_allowed=*/false);
  EXPECT_EQ(p.sequential.failure.reason, FailureReason::kFragmentation);
  EXPECT_EQ(p.sequential.failure.op, OpIndex(3));
  EXPECT_FALSE(p.placement.placed);
  EXPECT_EQ(p.placement.failure.reason, FailureReason::kCapacity);
  EXPECT_EQ(p.placement.failure.op, OpIndex(4));
  EXPECT_EQ(p.placement.failure.buffers, Buffers({3}));
  EXPECT_EQ(p.placement.failure.pinned_bytes, 0u);
  EXPECT_EQ(p.placement.failure.free_bytes, 10u);
}

// [0, 40) and [60, 100) are free beside the fixed one, 80 bytes; no range holds 50.
TEST_F(Offline, WhereLiveBytesWouldFitTheReasonIsFragmentation) {
  maker_.Add(FixedAt(40, LramBuffer(20)));
  maker_.Lram(50);
  Load(0);
  Load(1);
  Store(0);
  Store(1);
  for (const bool swaps_allowed : {false, true}) {
    const OfflinePlacement p = Place(swaps_allowed);
    EXPECT_FALSE(p.placement.placed);
    EXPECT_EQ(p.placement.failure.reason, FailureReason::kFragmentation);
    EXPECT_EQ(p.placement.failure.op, OpIndex(1));
    EXPECT_EQ(p.placement.failure.free_bytes, 80u);
    EXPECT_EQ(p.placement.failure.largest_range, 40u);
    maker_ = StreamMaker();
    maker_.Add(FixedAt(40, LramBuffer(20)));
    maker_.Lram(50);
    Load(0);
    Load(1);
    Store(0);
    Store(1);
  }
}

// As in Fragmented, but what is live fills LRAM to the last byte.
TEST_F(Offline, AnOrderThatFillsLramIsPlacedWithoutSwaps) {
  for (const uint64_t size : {30, 30, 70}) maker_.Lram(size);
  Load(0);
  Load(1);
  Store(0);
  Load(2);
  Store(1);
  Store(2);
  const OfflinePlacement p = Place(/*swaps_allowed=*/false);
  EXPECT_FALSE(p.sequential.placed);
  EXPECT_TRUE(p.placement.placed);
  EXPECT_EQ(p.placement.peak, 100u);
}

// SEQUENTIAL gives 0 its place at the alloc, 20 bytes too early beside 1; live ranges begin at the
// first use.
TEST_F(Offline, ABufferIsBornAtItsFirstUserNotAtItsAlloc) {
  maker_.Lram(60);
  maker_.Lram(60);
  maker_.Alloc(0);
  Load(1);
  Store(1);
  Load(0);
  const OfflinePlacement p = Place(/*swaps_allowed=*/false);
  EXPECT_FALSE(p.sequential.placed);
  EXPECT_TRUE(p.placement.placed);
  EXPECT_EQ(p.placement.peak, 60u);
}

// ---- what an eviction costs --------------------------------------------------------------------

// 0 has to go out while 1 is in; SEQUENTIAL stores it and loads it back.
class OneMustGo : public Offline {
 protected:
  OneMustGo() {
    maker_.Lram(60);
    maker_.Lram(60);
    constant_ = Constant(60);
    variable_ = maker_.Xram(60);
  }
  OfflinePlacement PlaceWith(const std::vector<AccessSpec>& filled_by) {
    maker_.Load(10, filled_by);
    Load(1);
    Store(1);
    Store(0);
    return Place();
  }
  uint32_t constant_;
  uint32_t variable_;
};

TEST_F(OneMustGo, AConstantIsDroppedFreeAndLoadedAgain) {
  const OfflinePlacement p = PlaceWith({Reads(constant_), Writes(0)});
  EXPECT_EQ(Swaps(p.placement), Lines{"3: load 0"});
  EXPECT_EQ(Evictions(p.placement), Lines{"1: 0 out"});
  EXPECT_EQ(p.placement.swap_bytes, 60u);
  EXPECT_EQ(p.placement.makespan, 100u);  // 4 ops of 10, a load of 60
  EXPECT_EQ(p.sequential.swap_bytes, 120u);
  EXPECT_EQ(p.sequential.makespan, 160u);
}

TEST_F(OneMustGo, WhatCameFromElsewhereIsStored) {
  const OfflinePlacement p = PlaceWith({Reads(variable_), Writes(0)});
  EXPECT_EQ(Swaps(p.placement), (Lines{"1: store 0", "4: load 0"}));
}

TEST_F(OneMustGo, WhatCameFromAConstantAndElsewhereIsStored) {
  const OfflinePlacement p = PlaceWith({Reads(constant_), Reads(variable_), Writes(0)});
  EXPECT_EQ(Swaps(p.placement), (Lines{"1: store 0", "4: load 0"}));
}

TEST_F(OneMustGo, AConstantThatWasChangedIsStored) {
  maker_.Load(10, {Reads(constant_), Writes(0)});
  maker_.Barrier(10, {Writes(0, 7, 1)});
  Load(1);
  Store(1);
  Store(0);
  EXPECT_EQ(Swaps(Place().placement), (Lines{"2: store 0", "5: load 0"}));
}

// Two loads of constants, a half each: no one load brings both halves back.
TEST_F(OneMustGo, AConstantInTwoPartsIsStored) {
  maker_.Load(10, {Reads(constant_, 0, 30), Writes(0, 0, 30)});
  maker_.Load(10, {Reads(constant_, 30, 30), Writes(0, 30, 30)});
  Load(1);
  Store(1);
  Store(0);
  EXPECT_EQ(Swaps(Place().placement), (Lines{"2: store 0", "5: load 0"}));
}

TEST_F(Offline, ACleanCopyIsNotStoredTwice) {
  maker_.Lram(60);
  maker_.Lram(60);
  Load(0);
  Load(1);
  Store(0);
  Store(1);
  Store(0);
  const Placement p = Place().placement;
  EXPECT_EQ(Swaps(p), (Lines{"1: store 0", "3: store 1", "4: load 0", "6: load 1", "8: load 0"}));
  EXPECT_EQ(p.swaps, 3u);
  EXPECT_EQ(p.swap_bytes, 300u);
  EXPECT_EQ(p.makespan, 350u);  // 5 ops of 10, 5 swaps of 60
}

TEST_F(Offline, AFullyOverwrittenBufferCostsNothing) {
  maker_.Lram(60);
  maker_.Lram(60);
  Load(0);
  Load(1);
  Store(1);
  Load(0);
  Store(0);
  const Placement p = Place().placement;
  EXPECT_EQ(Swaps(p), Lines());
  EXPECT_EQ(Evictions(p), Lines{"1: 0 out"});
  EXPECT_EQ(p.makespan, 50u);
}

// SEQUENTIAL loads it for the write that covers a part; but nobody reads the rest.
TEST_F(Offline, ABufferThatNobodyReadsAnyMoreCostsNothing) {
  maker_.Lram(60);
  maker_.Lram(60);
  Load(0);
  Load(1);
  Store(1);
  maker_.Barrier(7, {Writes(0, 0, 30)});
  const OfflinePlacement p = Place();
  EXPECT_EQ(Swaps(p.placement), Lines());
  EXPECT_EQ(p.placement.swaps, 1u);
  EXPECT_EQ(p.placement.makespan, 37u);
  EXPECT_EQ(p.sequential.swap_bytes, 60u);
}

// 0 is out, in for a view that touches none of its bytes, out again, and then read.
TEST_F(Offline, AReturnForAMereViewLoadsNothing) {
  maker_.Lram(60);
  maker_.Lram(60);
  const uint32_t alloc = maker_.Alloc(0);
  Load(0);
  Load(1);
  maker_.Barrier(7, {}, {alloc});
  Store(1);
  Store(0);
  const Placement p = Place().placement;
  // Entries: 0 alloc, 1 load, 2 store of 0, 3 load, 4 store of 1, 5 barrier, ...
  EXPECT_EQ(Swaps(p), (Lines{"2: store 0", "4: store 1", "6: load 1", "8: load 0"}));
  EXPECT_EQ(p.makespan, 10u + 60 + 10 + 60 + 7 + 60 + 10 + 60 + 10);
}

// ---- who goes ----------------------------------------------------------------------------------

// For the 40 of 2 either goes: 0 for a store and a load, 1 for a load. SEQUENTIAL takes 0, which
// came in first.
TEST_F(Offline, WhoCostsLessGoes) {
  maker_.Lram(40);
  maker_.Lram(40);
  maker_.Lram(40);
  const uint32_t constant = Constant(40);
  Load(0);
  maker_.Load(10, {Reads(constant), Writes(1)});
  Load(2);
  for (const uint32_t b : {2, 1, 0}) Store(b);
  const OfflinePlacement p = Place();
  EXPECT_EQ(p.sequential.swap_bytes, 80u);
  EXPECT_EQ(p.placement.swap_bytes, 40u);
  EXPECT_EQ(Evictions(p.placement), Lines{"2: 1 out"});
}

// 10 bytes are missing: the 20 of 1 do, and are cheaper than the 60 of 0.
TEST_F(Offline, TheSmallOneGoesWhereItIsEnough) {
  maker_.Lram(60);
  maker_.Lram(20);
  maker_.Lram(30);
  Load(0);
  Load(1);
  Load(2);
  for (const uint32_t b : {2, 1, 0}) Store(b);
  const OfflinePlacement p = Place();
  EXPECT_EQ(p.sequential.swap_bytes, 120u);
  EXPECT_EQ(p.placement.swap_bytes, 40u);
}

// Each of 2 and 3 needs 40 bytes for a while. 1 is used in between, so it would go twice.
TEST_F(Offline, WhoIsNeededLastGoes) {
  for (int i = 0; i < 4; ++i) maker_.Lram(40);
  Load(0);
  Load(1);
  Load(2);
  Store(2);
  Store(1);
  Load(3);
  Store(3);
  Store(1);
  Store(0);
  const OfflinePlacement p = Place();
  EXPECT_EQ(p.placement.swap_bytes, 80u);
  EXPECT_EQ(Evictions(p.placement), Lines{"3: 0 out"});  // after its store
}

TEST_F(Offline, FixedLiveInAndLiveOutBuffersNeverGo) {
  for (const Buffer& stays : {FixedAt(40, LramBuffer(60)), LiveIn(LramBuffer(60)),
                              LiveOut(LramBuffer(60)), LramBuffer(60)}) {
    maker_ = StreamMaker();
    maker_.Add(stays);
    maker_.Lram(60);
    Load(0);
    Load(1);
    Store(0);
    const OfflinePlacement p = Place();
    const bool may_go = !stays.has_fixed_offset && !stays.live_in && !stays.live_out;
    EXPECT_EQ(p.placement.placed, may_go);
    if (may_go) continue;
    EXPECT_EQ(p.placement.failure.reason, FailureReason::kCapacity);
    EXPECT_EQ(p.placement.failure.op, OpIndex(1));
    EXPECT_EQ(p.placement.failure.buffers, Buffers({1}));
    EXPECT_EQ(p.placement.failure.free_bytes, 40u);
  }
}

TEST_F(Offline, WhatARunningProgramUsesNeverGoes) {
  maker_.Lram(60);
  maker_.Lram(60);
  const uint32_t start = maker_.Start(10, {Reads(0)});
  Load(1);
  maker_.Wait(start);
  Store(1);
  Store(0);
  const OfflinePlacement p = Place();
  EXPECT_FALSE(p.placement.placed);
  EXPECT_EQ(p.placement.failure.reason, FailureReason::kCapacity);
  EXPECT_EQ(p.placement.failure.op, OpIndex(1));
  EXPECT_EQ(p.placement.failure.pinned_bytes, 60u);
}

// ---- when
// -----------------------------------------------------------------------------------------

// 0 is out while 1 is in. The program that runs afterwards leaves 99 cycles at its wait, and 60
// bytes beside its 40: the load back goes there. SEQUENTIAL loads after the wait.
TEST_F(Offline, ALoadHidesUnderAProgram) {
  maker_.Lram(60);
  maker_.Lram(60);
  maker_.Lram(40);
  Load(0);
  Load(1);
  Store(1);
  maker_.Program(100, {Writes(2)});
  Store(0);
  const OfflinePlacement p = Place();
  EXPECT_EQ(Swaps(p.placement), (Lines{"1: store 0", "5: load 0"}));
  // 10, store 60: 70, 80, 90; start: 91, until 190; load: 151; wait: 190; 200
  EXPECT_EQ(p.placement.makespan, 200u);
  EXPECT_EQ(p.placement.peak, 100u);
  EXPECT_EQ(p.sequential.makespan, 260u);
  EXPECT_EQ(p.placement.swap_bytes, p.sequential.swap_bytes);
}

// The same, but the program needs 41 bytes: the room is not there, and nothing moves.
TEST_F(Offline, ALoadThatHasNoRoomUnderAProgramComesAfterIt) {
  maker_.Lram(60);
  maker_.Lram(60);
  maker_.Lram(41);
  Load(0);
  Load(1);
  Store(1);
  maker_.Program(100, {Writes(2)});
  Store(0);
  const OfflinePlacement p = Place();
  EXPECT_EQ(Swaps(p.placement), (Lines{"1: store 0", "6: load 0"}));
  EXPECT_EQ(p.placement.makespan, 260u);
}

// The program comes first: the store waits for it to run. SEQUENTIAL stores when 1 needs the room.
TEST_F(Offline, AStoreIsPushedBackUnderAProgram) {
  maker_.Lram(60);
  maker_.Lram(60);
  maker_.Lram(40);
  Load(0);
  maker_.Program(100, {Writes(2)});
  Load(1);
  Store(1);
  Store(0);
  const OfflinePlacement p = Place();
  EXPECT_EQ(Swaps(p.placement), (Lines{"2: store 0", "6: load 0"}));
  // 10; start: 11, until 110; store: 71; wait: 110; 120; 130; load: 190; 200
  EXPECT_EQ(p.placement.makespan, 200u);
  EXPECT_EQ(p.sequential.makespan, 260u);
}

// The same, but the program needs 41 bytes: 0 is gone before it starts.
TEST_F(Offline, AStoreThatHasNoRoomUnderAProgramComesBeforeIt) {
  maker_.Lram(60);
  maker_.Lram(60);
  maker_.Lram(41);
  Load(0);
  maker_.Program(100, {Writes(2)});
  Load(1);
  Store(1);
  Store(0);
  const OfflinePlacement p = Place();
  EXPECT_EQ(Swaps(p.placement), (Lines{"1: store 0", "6: load 0"}));
  EXPECT_EQ(p.placement.makespan, 260u);
}

// ---- never worse
// ------------------------------------------------------------------------------------

// Before the 8th op comes a block transfer of 900 cycles. SEQUENTIAL's store makes the wait the 8th
// op, and its program hides the block. Without that store the barrier is, and nothing hides it:
// 60 bytes fewer, but 840 cycles more.
TEST_F(OneMustGo, WhereFewerBytesTakeLongerTheAnswerIsSequentials) {
  hardware_.block_ops = 8;
  hardware_.block_bytes = 900;
  maker_.Load(10, {Reads(constant_), Writes(0)});
  Load(1);
  Store(1);
  Store(0);
  maker_.Program(1000, {});
  maker_.Barrier(1);
  const OfflinePlacement p = Place();
  EXPECT_EQ(p.sequential.makespan, 10u + 60 + 10 + 10 + 60 + 10 + 1000 + 1);
  EXPECT_EQ(p.placement.makespan, p.sequential.makespan);
  EXPECT_EQ(Swaps(p.placement), (Lines{"1: store 0", "4: load 0"}));
}

TEST_F(Offline, SwapsBeyond64BitsAreNoPlacement) {
  hardware_.dma_cycles = uint64_t{1} << 63;
  maker_.Lram(60);
  maker_.Lram(60);
  Load(0);
  Load(1);
  Store(0);
  Store(1);
  const OfflinePlacement p = Place();
  EXPECT_FALSE(p.placement.placed);
  EXPECT_EQ(p.placement.failure.reason, FailureReason::kOverflow);
  EXPECT_EQ(p.placement.failure.op, OpIndex(1));
}

TEST_F(Fragmented, SwapsBeyond64BitsDoNotMatterWhereNoneIsNeeded) {
  hardware_.dma_cycles = uint64_t{1} << 63;
  Store(1);
  Store(2);
  const OfflinePlacement p = Place();
  EXPECT_EQ(p.sequential.failure.reason, FailureReason::kOverflow);
  EXPECT_TRUE(p.placement.placed);
  EXPECT_EQ(p.placement.makespan, 60u);
}

// Sums of sizes that leave 64 bits: no plan of our own, SEQUENTIAL's evictions all the same.
TEST_F(Offline, SizesWhoseSumDoesNotFitAreSwappedAsSequentialDoes) {
  const uint64_t huge = uint64_t{3} << 62;
  hardware_.lram_bytes = huge;
  hardware_.dma_bytes = uint64_t{1} << 60;
  maker_.Lram(huge);
  maker_.Lram(huge);
  Load(0);
  Load(1);
  Store(1);
  Store(0);
  const Placement p = Place().placement;
  EXPECT_TRUE(p.placed);
  EXPECT_EQ(p.swaps, 1u);
  EXPECT_EQ(p.makespan, 40u + 2 * 12);
}

TEST_F(Offline, AStreamWithoutOpsIsPlaced) {
  maker_.Add(LiveOut(LiveIn(LramBuffer(60))));
  const Placement p = Place().placement;
  EXPECT_TRUE(p.placed);
  EXPECT_EQ(p.moves.size(), 1u);
  EXPECT_EQ(p.peak, 60u);
}

TEST_F(Offline, BuffersOfNoBytesTakeNoPart) {
  maker_.Lram(60);
  maker_.Lram(60);
  maker_.Lram(0);
  maker_.Load(10, {Writes(0), Writes(2)});
  Load(1);
  Store(1);
  maker_.Store(10, {Reads(0), Reads(2)});
  const Placement p = Place().placement;
  EXPECT_TRUE(p.placed);
  EXPECT_EQ(Swaps(p), (Lines{"1: store 0", "4: load 0"}));
}

TEST_F(Offline, LiveInBuffersThatDoNotFitTogetherNameNoOp) {
  maker_.Add(LiveIn(LramBuffer(60)));
  maker_.Add(LiveIn(LramBuffer(60)));
  Store(0);
  Store(1);
  const OfflinePlacement p = Place();
  EXPECT_FALSE(p.placement.placed);
  EXPECT_EQ(p.placement.failure.reason, FailureReason::kCapacity);
  EXPECT_FALSE(p.placement.failure.op.present());
  EXPECT_EQ(p.placement.failure.buffers, Buffers({0, 1}));
}

}  // namespace
}  // namespace torqsched
