// The SEQUENTIAL oracle in scenes of a few ops, worked out by hand.
//
// LRAM has 100 bytes, every buffer goes to the highest range, a swap costs a cycle a byte, and a
// transfer of the stream 10 cycles, unless the scene says otherwise.
#include "src/lram/sequential.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "src/graph/problem.h"
#include "src/schedule/input_schedule.h"
#include "tests/stream/expect_error.h"
#include "tests/stream/stream_maker.h"

namespace torqsched {
namespace {

constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();

// "2: 0 out of 40": before entry 2 of the placed stream buffer 0 leaves offset 40.
std::vector<std::string> Moves(const Placement& placement) {
  std::vector<std::string> moves;
  for (const Move& m : placement.moves) {
    moves.push_back(std::to_string(m.entry) + ": " + std::to_string(m.buffer.value()) +
                    (m.in ? " in at " : " out of ") + std::to_string(m.offset));
  }
  return moves;
}

// "1: store 0 at 40": entry 1 of the placed stream stores buffer 0.
std::vector<std::string> Swaps(const Placement& placement) {
  std::vector<std::string> swaps;
  for (const SwapTransfer& s : placement.swap_transfers) {
    swaps.push_back(std::to_string(s.entry) + (s.is_store ? ": store " : ": load ") +
                    std::to_string(s.buffer.value()) + " at " + std::to_string(s.offset));
  }
  return swaps;
}

using Lines = std::vector<std::string>;

class Sequential : public testing::Test {
 protected:
  Sequential() {
    hardware_.lram_bytes = 100;
    hardware_.slices = 2;
    hardware_.start_cycles = 1;
  }

  absl::StatusOr<Placement> TryPlace(bool swaps_allowed = true) {
    stream_ = maker_.Build();
    const auto problem = ScheduleProblem::Make(stream_, hardware_);
    if (!problem.ok()) return problem.status();
    const Schedule input = InputSchedule(stream_);
    return PlaceSequentially(**problem, input.order, input.slice, swaps_allowed);
  }
  Placement Place(bool swaps_allowed = true) {
    absl::StatusOr<Placement> placement = TryPlace(swaps_allowed);
    EXPECT_TRUE(placement.ok()) << placement.status();
    return placement.ok() ? *std::move(placement) : Placement();
  }

  void Load(uint32_t buffer) { maker_.Load(10, {Writes(buffer)}); }
  void Store(uint32_t buffer) { maker_.Store(10, {Reads(buffer)}); }

  // Nothing of what was done up to the failure is told.
  static void ExpectFailure(const Placement& placement, FailureReason reason, OpIndex op,
                            const std::vector<uint32_t>& buffers, uint64_t pinned, uint64_t free,
                            uint64_t largest) {
    EXPECT_FALSE(placement.placed);
    EXPECT_EQ(placement.failure.reason, reason);
    EXPECT_EQ(placement.failure.op, op);
    EXPECT_EQ(placement.failure.buffers, Buffers(buffers));
    EXPECT_EQ(placement.failure.pinned_bytes, pinned);
    EXPECT_EQ(placement.failure.free_bytes, free);
    EXPECT_EQ(placement.failure.largest_range, largest);
    EXPECT_EQ(placement.swaps, 0u);
    EXPECT_EQ(placement.makespan, 0u);
    EXPECT_TRUE(placement.moves.empty());
    EXPECT_TRUE(placement.swap_transfers.empty());
  }

  StreamMaker maker_;
  Hardware hardware_;
  Stream stream_;
};

// ---- what a swap costs ----------------------------------------------------------------------

TEST_F(Sequential, ACleanVictimGoesFreeTheSecondTime) {
  maker_.Lram(60);
  maker_.Lram(60);
  Load(0);
  Load(1);
  Store(0);
  Store(1);
  Store(0);
  const Placement p = Place();
  EXPECT_TRUE(p.placed);
  EXPECT_EQ(Swaps(p), (Lines{"1: store 0 at 40", "3: store 1 at 40", "4: load 0 at 40",
                             "6: load 1 at 40", "8: load 0 at 40"}));
  EXPECT_EQ(Moves(p), (Lines{"0: 0 in at 40", "2: 0 out of 40", "2: 1 in at 40", "4: 1 out of 40",
                             "4: 0 in at 40", "6: 0 out of 40", "6: 1 in at 40", "8: 0 in at 40"}));
  EXPECT_EQ(p.swaps, 3u);
  EXPECT_EQ(p.stores, 2u);
  EXPECT_EQ(p.loads, 3u);
  EXPECT_EQ(p.swap_bytes, 300u);
  EXPECT_EQ(p.peak, 60u);
  EXPECT_EQ(p.makespan, 350u);  // 5 ops of 10, 5 swaps of 60
}

TEST_F(Sequential, AVictimThatWasWrittenSinceIsStoredAgain) {
  for (const bool by_program : {false, true}) {
    SCOPED_TRACE(by_program);
    maker_ = StreamMaker();
    maker_.Lram(60);
    maker_.Lram(60);
    Load(0);
    Load(1);  // 0 goes out
    if (by_program) {
      maker_.Program(10, {Updates(0, 0, 1)});  // 1 goes out, 0 comes back and is written
    } else {
      maker_.Barrier(10, {Updates(0, 0, 1)});
    }
    Store(1);  // 0 goes out again
    Store(0);
    const Placement p = Place();
    EXPECT_EQ(p.swaps, 3u);
    EXPECT_EQ(p.stores, 3u);
    EXPECT_EQ(p.loads, 3u);
    EXPECT_EQ(p.makespan, 410u);
  }
}

// 0 goes out before it is loaded anew by `accesses`, which follow.
class Overwritten : public Sequential {
 protected:
  Placement PlaceWith(const std::vector<AccessSpec>& accesses) {
    maker_ = StreamMaker();
    maker_.Lram(60);
    maker_.Lram(60);
    Load(0);
    Load(1);
    Store(1);
    maker_.Load(10, accesses);
    Store(0);
    return Place();
  }
};

TEST_F(Overwritten, WhatIsOverwrittenIsNeitherStoredNorLoaded) {
  const Placement p = PlaceWith({Writes(0)});
  EXPECT_EQ(p.swaps, 1u);
  EXPECT_EQ(p.stores, 0u);
  EXPECT_EQ(p.loads, 0u);
  EXPECT_EQ(p.swap_bytes, 0u);
  EXPECT_EQ(Moves(p), (Lines{"0: 0 in at 40", "1: 0 out of 40", "1: 1 in at 40", "3: 0 in at 40"}));
  EXPECT_EQ(p.makespan, 50u);
}

TEST_F(Overwritten, AnEmptyReadDoesNotSaveIt) {
  EXPECT_EQ(PlaceWith({Reads(0, 5, 0), Writes(0)}).stores, 0u);
}

TEST_F(Overwritten, AllOfItMustBeOverwrittenByOneAccessOfAnOpThatReadsNothing) {
  const std::vector<std::vector<AccessSpec>> keep = {
      {Writes(0, 0, 59)},           {Writes(0, 1)}, {Writes(0, 0, 30), Writes(0, 30)},
      {Writes(0), Reads(0, 59, 1)}, {Updates(0)},
  };
  for (const std::vector<AccessSpec>& accesses : keep) {
    const Placement p = PlaceWith(accesses);
    EXPECT_EQ(Swaps(p), (Lines{"1: store 0 at 40", "4: load 0 at 40"}));
    EXPECT_EQ(p.makespan, 170u);
  }
}

TEST_F(Sequential, WhatIsOnlyViewedFromHereOnComesBackEmpty) {
  maker_.Lram(60);
  maker_.Lram(60);
  const uint32_t alloc = maker_.Alloc(0);
  Load(0);
  Load(1);
  Store(1);
  maker_.Barrier(7, {}, {alloc});
  const Placement p = Place();
  EXPECT_EQ(p.swaps, 1u);
  EXPECT_EQ(Swaps(p), Lines());
  EXPECT_EQ(Moves(p), (Lines{"0: 0 in at 40", "2: 0 out of 40", "2: 1 in at 40", "4: 0 in at 40"}));
  EXPECT_EQ(p.makespan, 37u);
}

// A store of the whole rounded buffer would be 64 bytes.
TEST_F(Sequential, SwapsMoveTheUnroundedSize) {
  hardware_.alignment = 8;
  hardware_.dma_bytes = 7;
  maker_.Lram(61);
  maker_.Lram(50);
  Load(0);
  Load(1);
  Store(1);
  Store(0);
  const Placement p = Place();
  EXPECT_EQ(p.swap_bytes, 122u);
  EXPECT_EQ(p.peak, 64u);
  EXPECT_EQ(p.makespan, 58u);  // 4 ops of 10, 2 swaps of ceil(61 / 7)
}

TEST_F(Sequential, SwapTransfersCountForBlocks) {
  hardware_.block_ops = 2;
  hardware_.block_bytes = 7;
  maker_.Lram(60);
  maker_.Lram(60);
  Load(0);   // 10
  Load(1);   // swap store: block 17, 77; load 87
  Store(1);  // block 94, 104
  Store(0);  // swap load 164; block 171, 181
  EXPECT_EQ(Place().makespan, 181u);
}

TEST_F(Sequential, SwapCyclesThatDoNotFitNameTheOpThatNeedsThem) {
  hardware_.dma_cycles = uint64_t{1} << 63;
  maker_.Lram(60);
  maker_.Lram(60);
  Load(0);
  Load(1);
  Store(0);
  Store(1);
  ExpectError(TryPlace().status(), absl::StatusCode::kOutOfRange,
              "op 1: up to here the cycles of the stream and of the swaps that it needs do not fit "
              "64 bits",
              {"stream.ops[1]", OpIndex(1), BufferIndex()});
}

// ---- who goes, and who comes in which order --------------------------------------------------

TEST_F(Sequential, WhoCameInFirstGoesFirstAndAReturnComesInLast) {
  for (int i = 0; i < 3; ++i) maker_.Lram(40);
  Load(0);
  Load(1);
  Load(2);   // 0 goes
  Store(0);  // 1 goes: it came before 2; 0 is back
  Store(1);  // 2 goes: it came before the return of 0
  Store(2);
  Store(0);
  const Placement p = Place();
  std::vector<uint32_t> victims;
  for (const Move& m : p.moves) {
    if (!m.in) victims.push_back(m.buffer.value());
  }
  EXPECT_EQ(victims, (std::vector<uint32_t>{0, 1, 2}));
  EXPECT_EQ(p.peak, 80u);
}

TEST_F(Sequential, ReturnsComeBeforeNewOnesEachByIndex) {
  for (const uint64_t size : {30, 30, 30, 100}) maker_.Lram(size);
  maker_.Barrier(10, {Writes(2), Writes(1)});
  Load(3);
  Store(3);
  maker_.Barrier(10, {Reads(2), Writes(0), Reads(1)});
  const Placement p = Place();
  EXPECT_EQ(Moves(p), (Lines{"0: 1 in at 70", "0: 2 in at 40", "2: 1 out of 70", "3: 2 out of 40",
                             "3: 3 in at 0", "5: 1 in at 70", "6: 2 in at 40", "7: 0 in at 10"}));
  EXPECT_EQ(Swaps(p),
            (Lines{"1: store 1 at 70", "2: store 2 at 40", "5: load 1 at 70", "6: load 2 at 40"}));
}

TEST_F(Sequential, AFixedBufferDrivesOutWhoStandsInItsRange) {
  maker_.Lram(50);
  maker_.Add(FixedAt(40, LramBuffer(20)));
  Load(0);
  Load(1);
  Store(1);
  Store(0);
  const Placement p = Place();
  EXPECT_EQ(Moves(p), (Lines{"0: 0 in at 50", "2: 0 out of 50", "2: 1 in at 40", "4: 0 in at 50"}));
  EXPECT_EQ(p.swaps, 1u);
}

TEST_F(Sequential, FixedLiveInAndLiveOutBuffersAreNeverVictims) {
  const std::vector<Buffer> stay = {FixedAt(40, LramBuffer(60)), LiveIn(LramBuffer(60)),
                                    LiveOut(LramBuffer(60))};
  for (size_t i = 0; i <= stay.size(); ++i) {
    SCOPED_TRACE(i);
    maker_ = StreamMaker();
    maker_.Add(i < stay.size() ? stay[i] : LramBuffer(60));
    maker_.Lram(60);
    Load(0);
    Load(1);
    Store(0);
    const Placement p = Place();
    if (i == stay.size()) {
      EXPECT_EQ(p.swaps, 1u);  // an ordinary one is
    } else {
      ExpectFailure(p, FailureReason::kCapacity, OpIndex(1), {1}, 0, 40, 40);
    }
  }
}

TEST_F(Sequential, AProgramPinsUntilItsWait) {
  maker_.Lram(50);
  maker_.Lram(40);
  maker_.Lram(40);
  Load(1);
  const uint32_t start = maker_.Start(100, {Writes(0)});
  Load(2);  // 1 goes, though it is needed again: 0 is pinned
  maker_.Wait(start);
  Store(1);  // now 0 goes: it came in first
  Store(2);
  Store(0);
  const Placement p = Place();
  std::vector<uint32_t> victims;
  for (const Move& m : p.moves) {
    if (!m.in) victims.push_back(m.buffer.value());
  }
  EXPECT_EQ(victims, (std::vector<uint32_t>{1, 0}));
}

TEST_F(Sequential, TwoProgramsPinUntilTheSecondWait) {
  for (const bool waited : {false, true}) {
    SCOPED_TRACE(waited);
    maker_ = StreamMaker();
    maker_.Lram(60);
    maker_.Lram(60);
    const uint32_t p = maker_.Start(10, {Reads(0)});
    const uint32_t q = maker_.Start(10, {Reads(0)});
    maker_.Wait(p);
    if (waited) maker_.Wait(q);
    Load(1);
    if (!waited) maker_.Wait(q);
    Store(0);
    const Placement placement = Place();
    if (waited) {
      EXPECT_EQ(placement.swaps, 1u);
    } else {
      ExpectFailure(placement, FailureReason::kCapacity, OpIndex(3), {1}, 60, 40, 40);
    }
  }
}

// ---- birth and death -------------------------------------------------------------------------

TEST_F(Sequential, ABufferIsFreedAfterItsLastUserAndALiveOutOneNever) {
  maker_.Add(LiveIn(LramBuffer(60)));
  maker_.Lram(60);
  maker_.Add(LiveOut(LramBuffer(60)));
  maker_.Lram(41);
  Store(0);
  Load(1);
  Store(1);
  Load(2);
  Load(3);
  const Placement p = Place();
  ExpectFailure(p, FailureReason::kCapacity, OpIndex(4), {3}, 0, 40, 40);
}

TEST_F(Sequential, AProgramsBuffersDieAtItsWait) {
  maker_.Lram(60);
  maker_.Lram(60);
  const uint32_t start = maker_.Start(10, {Writes(0)});
  maker_.Wait(start);
  Load(1);
  const Placement p = Place();
  EXPECT_EQ(p.swaps, 0u);
  EXPECT_EQ(Moves(p), (Lines{"0: 0 in at 40", "2: 1 in at 40"}));
}

TEST_F(Sequential, AnAllocTakesItsPlaceWhereItStandsAndPinsNothing) {
  maker_.Lram(60);
  maker_.Lram(60);
  maker_.Alloc(0);
  Load(1);  // drives 0 out, whose contents nobody reads before they are written
  Store(1);
  Load(0);
  const Placement p = Place();
  EXPECT_EQ(Moves(p), (Lines{"0: 0 in at 40", "1: 0 out of 40", "1: 1 in at 40", "3: 0 in at 40"}));
  EXPECT_EQ(Swaps(p), Lines());
  EXPECT_EQ(p.makespan, 30u);
}

TEST_F(Sequential, AnAllocThatFindsNoRoomIsTheFailure) {
  maker_.Lram(60);
  maker_.Lram(60);
  const uint32_t start = maker_.Start(10, {Reads(0)});
  maker_.Alloc(1);
  maker_.Wait(start);
  Load(1);
  ExpectFailure(Place(), FailureReason::kCapacity, OpIndex(1), {1}, 60, 40, 40);
}

TEST_F(Sequential, AllocsThatTakeNoPart) {
  maker_.Lram(60);   // nobody uses it
  maker_.Lram(0);    // takes no room
  maker_.Lram(60);   // is there already
  maker_.Xram(900);  // is not in LRAM
  for (const uint32_t b : {0, 1}) maker_.Alloc(b);
  Load(2);
  maker_.Alloc(2);
  maker_.Alloc(3);
  maker_.Store(10, {Reads(2), Reads(1), Writes(3)});
  const Placement p = Place();
  EXPECT_EQ(Moves(p), Lines{"2: 2 in at 40"});
  EXPECT_EQ(p.peak, 60u);
}

TEST_F(Sequential, LiveInBuffersArePlacedFirstByIndex) {
  hardware_.small_buffer_bytes = 30;
  hardware_.alignment = 8;
  maker_.Add(LiveIn(LramBuffer(30)));
  maker_.Add(LiveIn(LramBuffer(20)));
  maker_.Add(LiveIn(LramBuffer(30)));
  maker_.Lram(8);
  Load(3);
  for (const uint32_t b : {0, 1, 2, 3}) Store(b);
  const Placement p = Place();
  EXPECT_EQ(Moves(p), (Lines{"0: 0 in at 64", "0: 1 in at 0", "0: 2 in at 32", "0: 3 in at 24"}));
  EXPECT_EQ(p.peak, 96u);
}

// ---- failures --------------------------------------------------------------------------------

TEST_F(Sequential, CapacityTellsWhatIsPinnedAndWhatIsFree) {
  hardware_.alignment = 8;
  maker_.Lram(50);  // takes 56, at 40
  maker_.Lram(20);  // takes 24, evicted before the failure
  maker_.Lram(10);
  maker_.Lram(30);
  const uint32_t start = maker_.Start(10, {Reads(0)});
  Load(1);
  maker_.Barrier(0, {Writes(3), Writes(2)});
  maker_.Wait(start);
  Store(1);
  ExpectFailure(Place(), FailureReason::kCapacity, OpIndex(2), {2, 3}, 56, 44, 40);
}

TEST_F(Sequential, ResidentsThatTheOpUsesArePinned) {
  maker_.Lram(50);
  maker_.Lram(60);
  Load(0);
  maker_.Barrier(0, {Reads(0), Writes(1)});
  ExpectFailure(Place(), FailureReason::kCapacity, OpIndex(1), {1}, 50, 50, 50);
}

TEST_F(Sequential, FragmentationIsToldApartFromCapacity) {
  maker_.Add(FixedAt(40, LramBuffer(20)));
  maker_.Lram(50);
  Load(0);
  Load(1);
  Store(0);
  ExpectFailure(Place(), FailureReason::kFragmentation, OpIndex(1), {1}, 0, 80, 40);
}

TEST_F(Sequential, WhatHasItsPlaceAlreadyIsNotListedAndCountsAsPinned) {
  maker_.Add(FixedAt(40, LramBuffer(20)));
  maker_.Lram(30);
  maker_.Lram(45);
  Load(0);
  maker_.Barrier(0, {Writes(1), Writes(2)});  // 1 takes [70, 100)
  Store(0);
  ExpectFailure(Place(), FailureReason::kFragmentation, OpIndex(1), {2}, 30, 50, 40);
}

TEST_F(Sequential, LiveInBuffersThatDoNotFitNameNoOp) {
  maker_.Add(LiveIn(LramBuffer(60)));
  maker_.Add(LiveIn(LramBuffer(60)));
  Store(0);
  Store(1);
  ExpectFailure(Place(), FailureReason::kCapacity, OpIndex(), {0, 1}, 0, 100, 100);
}

TEST_F(Sequential, LiveInBuffersMayFindNoRange) {
  maker_.Add(LiveIn(FixedAt(40, LramBuffer(20))));
  maker_.Add(LiveIn(LramBuffer(50)));
  Store(0);
  Store(1);
  ExpectFailure(Place(), FailureReason::kFragmentation, OpIndex(), {1}, 0, 80, 40);
}

TEST_F(Sequential, WithoutSwapsTheFirstEvictionIsTheFailure) {
  maker_.Lram(60);
  maker_.Lram(60);
  Load(0);
  Load(1);
  Store(0);
  Store(1);
  ExpectFailure(Place(/*swaps_allowed=*/false), FailureReason::kCapacity, OpIndex(1), {1}, 0, 40,
                40);
}

TEST_F(Sequential, WithoutSwapsAnEvictionForARangeIsTheFailureToo) {
  maker_.Lram(50);
  maker_.Add(FixedAt(40, LramBuffer(20)));
  Load(0);
  Load(1);
  Store(1);
  Store(0);
  ExpectFailure(Place(/*swaps_allowed=*/false), FailureReason::kFragmentation, OpIndex(1), {1}, 0,
                50, 50);
}

TEST_F(Sequential, ASizeThatRoundsUpBeyond64BitsNeverFits) {
  hardware_.lram_bytes = kMost;
  hardware_.alignment = 8;
  maker_.Lram(kMost);
  Load(0);
  ExpectFailure(Place(), FailureReason::kCapacity, OpIndex(0), {0}, 0, kMost, kMost);
}

// Regions [0, 40) and [40, 100): the highest range is the upper region's; what no longer fits there
// goes to the lower one, and 20 + 40 free bytes on both sides of the boundary hold no 45.
TEST_F(Sequential, NoRangeGoesOnBeyondARegion) {
  hardware_.region_bytes = {40, 60};
  for (const uint64_t size : {30, 30, 40, 45}) maker_.Lram(size);
  for (const uint32_t b : {0, 1, 2}) Load(b);
  for (const uint32_t b : {1, 2}) Store(b);
  Load(3);
  Store(0);
  Store(3);
  // 0 takes [70, 100) and 1 [40, 70), 2 is left with [0, 40). Once 1 and 2 are gone 70 bytes are
  // free in a row, but for the boundary at 40.
  ExpectFailure(Place(/*swaps_allowed=*/false), FailureReason::kFragmentation, OpIndex(5), {3}, 0,
                70, 40);
}

// As above; with swaps 0 goes, and 3 takes the end of the upper region.
TEST_F(Sequential, ARegionIsMadeFreeByEvictions) {
  hardware_.region_bytes = {40, 60};
  maker_.Lram(30);
  maker_.Lram(45);
  Load(0);
  Load(1);
  Store(1);
  Store(0);
  const Placement p = Place();
  EXPECT_EQ(Moves(p), (Lines{"0: 0 in at 70", "2: 0 out of 70", "2: 1 in at 55", "4: 0 in at 70"}));
}

// A fixed buffer that ends at the boundary by its own bytes, but not once they are rounded up.
TEST_F(Sequential, RoundedSizesKeepToRegionsToo) {
  hardware_.alignment = 8;
  hardware_.region_bytes = {44, 56};
  maker_.Add(FixedAt(0, LramBuffer(44)));
  Load(0);
  ExpectFailure(Place(), FailureReason::kFragmentation, OpIndex(0), {0}, 0, 100, 56);
}

}  // namespace
}  // namespace torqsched
