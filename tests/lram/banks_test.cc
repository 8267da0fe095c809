// Banks: what counts as a conflict, and what OFFLINE does about them, in scenes worked out by hand;
// and the search by itself on random items, against plain loops.
//
// LRAM has 100 bytes in two banks of 50, and every buffer goes to the highest free range, unless
// the scene says otherwise. All placements go through the checker, which counts for itself.
#include "src/lram/banks.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "src/graph/problem.h"
#include "src/lram/bank_spread.h"
#include "src/lram/offline.h"
#include "src/schedule/input_schedule.h"
#include "src/verify/verify.h"
#include "tests/reference/random_streams.h"
#include "tests/stream/stream_maker.h"

namespace torqsched {
namespace {

using reference::SplitMix64;

class Banks : public testing::Test {
 protected:
  Banks() {
    hardware_.lram_bytes = 100;
    hardware_.bank_bytes = 50;
  }

  OfflinePlacement Place() {
    stream_ = maker_.Build();
    const auto problem = ScheduleProblem::Make(stream_, hardware_);
    EXPECT_TRUE(problem.ok()) << problem.status();
    if (!problem.ok()) return OfflinePlacement();
    const Schedule input = InputSchedule(stream_);
    OfflinePlacement answer =
        PlaceOffline(**problem, input.order, input.slice, /*swaps_allowed=*/true);
    ExpectHolds(input, answer.placement);
    ExpectHolds(input, answer.sequential);
    return answer;
  }

  void ExpectHolds(const Schedule& schedule, const Placement& placement) {
    ASSERT_TRUE(placement.placed);
    Claim claim;
    claim.order = schedule.order;
    for (uint32_t i = 0; i < stream_.op_count(); ++i) {
      if (stream_.op(OpIndex(i)).kind == OpKind::kStart) claim.slices.push_back({OpIndex(i), 0});
    }
    claim.placement = &placement;
    claim.allocated_makespan = placement.makespan;
    for (const Violation& v : Verify(stream_, hardware_, claim).violations) {
      ADD_FAILURE() << v.message;
    }
  }

  // Where it came in last.
  static uint64_t OffsetOf(const Placement& placement, uint32_t buffer) {
    uint64_t offset = UINT64_MAX;
    for (const Move& move : placement.moves) {
      if (move.in && move.buffer == BufferIndex(buffer)) offset = move.offset;
    }
    return offset;
  }

  // Adds a buffer that is filled by a load; all before the first op.
  uint32_t Filled(const Buffer& buffer) {
    filled_.push_back(maker_.Add(buffer));
    return filled_.back();
  }
  void Fill() {
    for (const uint32_t buffer : filled_) maker_.Load(10, {Writes(buffer)});
  }
  void Read(const std::vector<uint32_t>& buffers) {
    std::vector<AccessSpec> reads;
    for (const uint32_t buffer : buffers) reads.push_back(Reads(buffer));
    maker_.Program(10, reads);
  }

  StreamMaker maker_;
  Hardware hardware_;
  Stream stream_;
  std::vector<uint32_t> filled_;
};

// SEQUENTIAL puts a at [80, 100) and b at [60, 80), both in bank 1. a, the first of two with one
// conflict each, goes to the lowest free offset of bank 0.
TEST_F(Banks, BuffersThatOneOpReadsGoToDifferentBanks) {
  const uint32_t a = Filled(LramBuffer(20));
  const uint32_t b = Filled(LramBuffer(20));
  Fill();
  Read({a, b});
  const OfflinePlacement answer = Place();
  EXPECT_EQ(answer.sequential.bank_conflicts, 1u);
  EXPECT_EQ(OffsetOf(answer.sequential, a), 80u);
  EXPECT_EQ(OffsetOf(answer.sequential, b), 60u);
  EXPECT_EQ(answer.placement.bank_conflicts, 0u);
  EXPECT_EQ(OffsetOf(answer.placement, a), 0u);
  EXPECT_EQ(OffsetOf(answer.placement, b), 60u);
  EXPECT_EQ(answer.placement.makespan, answer.sequential.makespan);
}

TEST_F(Banks, WithoutThemNothingIsSaid) {
  hardware_.bank_bytes = 0;
  const uint32_t a = Filled(LramBuffer(20));
  const uint32_t b = Filled(LramBuffer(20));
  Fill();
  Read({a, b});
  const OfflinePlacement answer = Place();
  EXPECT_EQ(answer.sequential.bank_conflicts, std::nullopt);
  EXPECT_EQ(answer.placement.bank_conflicts, std::nullopt);
  EXPECT_EQ(OffsetOf(answer.placement, a), 80u);
}

// Of five buffers in one bank that one op reads, 5 * 4 / 2 pairs meet; an op that reads one of them
// twice, or writes it, or reads none of its bytes, adds none.
TEST_F(Banks, ConflictsArePairsOfBuffersThatAnOpReads) {
  hardware_.bank_bytes = 1000;
  std::vector<uint32_t> all;
  for (int i = 0; i < 5; ++i) all.push_back(Filled(LramBuffer(10)));
  const uint32_t empty = Filled(LramBuffer(0));
  Fill();
  Read(all);
  maker_.Program(10, {Reads(all[0], 0, 5), Reads(all[0], 5, 5), Writes(all[1])});
  maker_.Program(10, {Reads(all[0]), Reads(all[1], 3, 0), Reads(empty)});
  const OfflinePlacement answer = Place();
  EXPECT_EQ(answer.sequential.bank_conflicts, 10u);
  EXPECT_EQ(answer.placement.bank_conflicts, 10u);
}

// With 30 reserved bytes, offset 19 is byte 49, the last of bank 0, and offset 20 the first of 1.
TEST_F(Banks, BanksAreCountedFromTheStartOfLram) {
  hardware_.lram_bytes = 130;
  hardware_.lram_reserved_bytes = 30;
  const uint32_t a = Filled(FixedAt(0, LramBuffer(1)));
  const uint32_t b = Filled(FixedAt(19, LramBuffer(1)));
  const uint32_t c = Filled(FixedAt(20, LramBuffer(1)));
  Fill();
  Read({a, b, c});
  EXPECT_EQ(Place().placement.bank_conflicts, 1u);  // a and b
}

// a is fixed in bank 0, b in bank 1; c, at first at [90, 100), is read twice with b and once with
// a. It goes to the lowest free offset of bank 0, and one conflict is left.
TEST_F(Banks, TheBankWithTheFewestConflictsIsTaken) {
  const uint32_t a = Filled(FixedAt(0, LramBuffer(10)));
  const uint32_t b = Filled(FixedAt(50, LramBuffer(10)));
  const uint32_t c = Filled(LramBuffer(10));
  Fill();
  Read({b, c});
  Read({a, c});
  Read({b, c});
  const OfflinePlacement answer = Place();
  EXPECT_EQ(OffsetOf(answer.sequential, c), 90u);
  EXPECT_EQ(answer.sequential.bank_conflicts, 2u);
  EXPECT_EQ(OffsetOf(answer.placement, c), 10u);
  EXPECT_EQ(answer.placement.bank_conflicts, 1u);
}

// The same with a and b exchanged: where it lies, it has the fewest.
TEST_F(Banks, NothingMovesForNothing) {
  const uint32_t a = Filled(FixedAt(0, LramBuffer(10)));
  const uint32_t b = Filled(FixedAt(50, LramBuffer(10)));
  const uint32_t c = Filled(LramBuffer(10));
  Fill();
  Read({a, c});
  Read({b, c});
  Read({a, c});
  const OfflinePlacement answer = Place();
  EXPECT_EQ(OffsetOf(answer.placement, c), 90u);
  EXPECT_EQ(answer.placement.bank_conflicts, 1u);
}

// d takes all of bank 0 for a while, in which a and b are live, so neither can begin there.
TEST_F(Banks, APlaceIsFreeAllTheTimeOrItIsNone) {
  const uint32_t a = Filled(LramBuffer(10));
  const uint32_t b = Filled(LramBuffer(10));
  const uint32_t d = maker_.Add(FixedAt(0, LramBuffer(50)));
  Fill();
  maker_.Load(10, {Writes(d)});
  Read({d});
  Read({a, b});
  const OfflinePlacement answer = Place();
  EXPECT_EQ(answer.placement.bank_conflicts, 1u);
  EXPECT_EQ(OffsetOf(answer.placement, a), 90u);
  EXPECT_EQ(OffsetOf(answer.placement, b), 80u);
}

// The same, but d is gone when b comes, which goes then.
TEST_F(Banks, WhatDiedBeforeIsNotInTheWay) {
  const uint32_t a = Filled(LramBuffer(10));
  const uint32_t d = maker_.Add(FixedAt(0, LramBuffer(50)));
  const uint32_t b = maker_.Add(LramBuffer(10));
  Fill();
  maker_.Load(10, {Writes(d)});
  Read({d});
  maker_.Load(10, {Writes(b)});
  Read({a, b});
  const OfflinePlacement answer = Place();
  EXPECT_EQ(answer.sequential.bank_conflicts, 1u);
  EXPECT_EQ(answer.placement.bank_conflicts, 0u);
  EXPECT_EQ(OffsetOf(answer.placement, a), 90u);
  EXPECT_EQ(OffsetOf(answer.placement, b), 0u);
}

// Bank 0 has [41, 50) left. The 10 bytes of a may begin there, unless a region ends at 50.
TEST_F(Banks, NoBufferCrossesARegionForThem) {
  for (const bool regions : {false, true}) {
    maker_ = StreamMaker();
    filled_.clear();
    if (regions) hardware_.region_bytes = {50, 50};
    Filled(FixedAt(0, LiveOut(LramBuffer(41))));
    const uint32_t a = Filled(LramBuffer(10));
    const uint32_t b = Filled(LramBuffer(10));
    Fill();
    Read({a, b});
    const OfflinePlacement answer = Place();
    EXPECT_EQ(answer.placement.bank_conflicts, regions ? 1u : 0u);
    EXPECT_EQ(OffsetOf(answer.placement, a), regions ? 90u : 41u);
  }
}

// Alignment 64 leaves offset 0 alone in bank 0, which the fixed buffer has; alignment 32 also
// offset 32.
TEST_F(Banks, OffsetsKeepTheirAlignment) {
  for (const uint64_t alignment : {32, 64}) {
    maker_ = StreamMaker();
    filled_.clear();
    Filled(FixedAt(0, LiveOut(LramBuffer(1))));
    const uint32_t a = Filled(FixedAt(90, LramBuffer(10)));
    Buffer aligned = LramBuffer(10);
    aligned.alignment = alignment;
    const uint32_t b = Filled(aligned);
    Fill();
    Read({a, b});
    const OfflinePlacement answer = Place();
    EXPECT_EQ(OffsetOf(answer.sequential, b), 64u);
    EXPECT_EQ(OffsetOf(answer.placement, b), alignment);
    EXPECT_EQ(answer.placement.bank_conflicts, alignment == 32 ? 0u : 1u);
  }
}

// Offsets near 2^64, banks of one byte.
TEST_F(Banks, HugeNumbersDoNotWrap) {
  hardware_.lram_bytes = UINT64_MAX;
  for (const uint64_t bank_bytes : {uint64_t{1}, uint64_t{1} << 63, UINT64_MAX}) {
    maker_ = StreamMaker();
    filled_.clear();
    hardware_.bank_bytes = bank_bytes;
    const uint32_t a = Filled(LramBuffer(20));
    const uint32_t b = Filled(LramBuffer(20));
    Fill();
    Read({a, b});
    EXPECT_EQ(Place().placement.bank_conflicts, bank_bytes == UINT64_MAX ? 1u : 0u);
  }
}

// ---- the search by itself ----------------------------------------------------------------------

bool Meet(const BankItem& a, const BankItem& b) {
  return a.begin < b.end && b.begin < a.end && a.offset < b.offset + b.size &&
         b.offset < a.offset + a.size;
}

bool Crosses(const BankProblem& problem, const BankItem& item) {
  for (const uint64_t boundary : problem.boundaries) {
    if (item.offset < boundary && boundary < item.offset + item.size) return true;
  }
  return item.offset + item.size > problem.capacity;
}

// Whether the item could lie where it lies.
bool Holds(const BankProblem& problem, size_t i) {
  const BankItem& item = problem.items[i];
  if (Crosses(problem, item) || item.offset % item.alignment != 0) return false;
  for (size_t other = 0; other < problem.items.size(); ++other) {
    if (other != i && Meet(item, problem.items[other])) return false;
  }
  return true;
}

uint64_t CountPlainly(const BankProblem& problem) {
  const auto bank = [&](uint32_t item) {
    return (problem.first_byte + problem.items[item].offset) / problem.bank_bytes;
  };
  uint64_t conflicts = 0;
  for (size_t row = 0; row < problem.reads.row_count(); ++row) {
    const Run<uint32_t> reads = problem.reads[row];
    for (size_t a = 0; a < reads.size(); ++a) {
      for (size_t b = a + 1; b < reads.size(); ++b) conflicts += bank(reads[a]) == bank(reads[b]);
    }
  }
  return conflicts;
}

BankProblem RandomProblem(SplitMix64* random) {
  BankProblem problem;
  problem.capacity = random->Between(20, 120);
  problem.bank_bytes = random->Between(1, 60);
  problem.first_byte = random->Below(50);
  for (uint64_t at = random->Below(80); at != 0 && at < problem.capacity;
       at += random->Between(1, 60)) {
    problem.boundaries.push_back(at);
  }
  const uint64_t times = random->Between(1, 12);
  for (uint64_t begin = 0; begin < times; ++begin) {
    for (uint64_t tries = random->Below(5); tries > 0; --tries) {
      BankItem item;
      item.begin = static_cast<uint32_t>(begin);
      item.end = static_cast<uint32_t>(random->Between(begin + 1, times));
      item.size = random->Between(1, 20);
      item.alignment = random->Between(1, 4);
      item.offset = random->Below(problem.capacity);
      item.offset -= item.offset % item.alignment;
      item.movable = random->Percent(80);
      problem.items.push_back(item);
      if (!Holds(problem, problem.items.size() - 1)) problem.items.pop_back();
    }
  }
  for (uint64_t rows = random->Below(15); rows > 0; --rows) {
    for (uint32_t i = 0; i < problem.items.size(); ++i) {
      if (random->Percent(30)) problem.reads.Add(i);
    }
    problem.reads.EndRow();
  }
  return problem;
}

// Whether one movable item could go somewhere for fewer conflicts.
bool CouldImprove(BankProblem problem) {
  const uint64_t conflicts = CountPlainly(problem);
  for (size_t i = 0; i < problem.items.size(); ++i) {
    BankItem& item = problem.items[i];
    const uint64_t offset = item.offset;
    for (item.offset = 0; item.movable && item.offset < problem.capacity; ++item.offset) {
      if (Holds(problem, i) && CountPlainly(problem) < conflicts) return true;
    }
    item.offset = offset;
  }
  return false;
}

TEST(SpreadOverBanks, KeepsWhatHoldsAndEndsWhereNoSingleMoveHelps) {
  int improved = 0;
  int unfinished = 0;  // the number of rounds is limited
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    SplitMix64 random(seed);
    const BankProblem before = RandomProblem(&random);
    BankProblem after = before;
    SpreadOverBanks(&after);
    for (size_t i = 0; i < after.items.size(); ++i) {
      ASSERT_TRUE(Holds(after, i)) << "item " << i;
      if (!after.items[i].movable) {
        ASSERT_EQ(after.items[i].offset, before.items[i].offset);
      }
    }
    ASSERT_EQ(CountBankConflicts(before), CountPlainly(before));
    ASSERT_EQ(CountBankConflicts(after), CountPlainly(after));
    ASSERT_LE(CountPlainly(after), CountPlainly(before));
    improved += CountPlainly(after) < CountPlainly(before);
    unfinished += CouldImprove(after);
    BankProblem again = before;
    SpreadOverBanks(&again);
    for (size_t i = 0; i < after.items.size(); ++i) {
      ASSERT_EQ(again.items[i].offset, after.items[i].offset);
    }
  }
  EXPECT_GT(improved, 1000);
  EXPECT_LT(unfinished, 3);
}

// All of bank 0 is taken. The bank after the one that a is in would begin at 2^64 + 20, which is no
// free offset 20.
TEST(SpreadOverBanks, NoBankBeginsBeyond2To64) {
  constexpr uint64_t kHalf = uint64_t{1} << 63;
  BankProblem problem;
  problem.capacity = UINT64_MAX;
  problem.bank_bytes = kHalf + 10;
  problem.items = {{0, 1, kHalf + 50, 0, 1, false},
                   {0, 1, 10, kHalf + 100, 1, true},
                   {0, 1, 10, kHalf + 200, 1, true}};
  problem.reads.Add(1);
  problem.reads.Add(2);
  problem.reads.EndRow();
  SpreadOverBanks(&problem);
  EXPECT_EQ(problem.items[1].offset, kHalf + 100);
  EXPECT_EQ(problem.items[2].offset, kHalf + 200);
}

// 100,000 items that one op reads all together, and all live at once: pairs of them are beyond any
// time, so what is looked at must be limited.
TEST(SpreadOverBanks, AnOpThatReadsVeryManyEndsSoon) {
  constexpr uint32_t kItems = 100000;
  BankProblem problem;
  problem.capacity = uint64_t{kItems} * 64;
  problem.bank_bytes = problem.capacity / 4;
  for (uint32_t i = 0; i < kItems; ++i) {
    BankItem item;
    item.begin = i;
    item.end = kItems;
    item.size = 16;
    item.offset = uint64_t{i} * 16;
    problem.items.push_back(item);
    problem.reads.Add(i);
  }
  problem.reads.EndRow();
  const uint64_t before = CountBankConflicts(problem);
  EXPECT_EQ(before, uint64_t{kItems} * (kItems - 1) / 2);  // all in the first quarter
  SpreadOverBanks(&problem);
  EXPECT_LE(CountBankConflicts(problem), before);
}

}  // namespace
}  // namespace torqsched
