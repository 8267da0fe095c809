// Claims and streams that try to crash the checker, to make it slow, or to fill memory.
#include <cstdint>
#include <limits>
#include <random>

#include "gtest/gtest.h"
#include "tests/verify/scene.h"

namespace torqsched {
namespace {

constexpr uint64_t kHuge = std::numeric_limits<uint64_t>::max();

TEST(Hostile, EmptyStreamAndEmptyClaimHold) {
  Scene scene;
  const Stream stream = scene.Build();
  Claim claim;
  claim.predicted_makespan = 0;
  claim.peak_live_bytes = 0;
  Placement placement;
  placement.placed = true;
  claim.placement = &placement;
  ExpectHolds(Verify(stream, SmallChip(), claim));
}

TEST(Hostile, HardwareOfZerosIsNoReasonToCrash) {
  Scene scene;
  const uint32_t a = scene.Lram("a", 10);
  scene.Start(1, {Writes(a)});
  scene.Wait(0);
  scene.Barrier(1, {Reads(a)});
  const Stream stream = scene.Build();
  Hardware zeros;
  zeros.alignment = 0;
  zeros.slices = 0;
  zeros.dma_bytes = 0;
  zeros.lram_reserved_bytes = 1;
  zeros.block_ops = 1;
  zeros.block_bytes = 1;
  Answer answer(stream);
  answer.In(a, 0).RunAll({0, 1}).StoreOut(a).LoadBack(a, 0).Run(2);
  EXPECT_FALSE(answer.Check(zeros).violations.empty());
}

TEST(Hostile, MoreViolationsThanAreListedAreCounted) {
  Scene scene;
  for (int i = 0; i < 3000; ++i) scene.View({});
  const Stream stream = scene.Build();
  const Verification verification = Verify(stream, SmallChip(), Claim());
  ASSERT_EQ(verification.violations.size(), kMostViolations + 1);
  EXPECT_EQ(verification.violations.back().message, "and 2000 more");
  EXPECT_EQ(verification.violations.back().kind, ViolationKind::kNotAPermutation);
}

TEST(Hostile, RandomPlacementsOnlyGiveViolations) {
  Scene scene;
  for (int i = 0; i < 6; ++i) {
    Buffer buffer = Scene::Sized(i == 5 ? 0 : 100 * i);
    buffer.live_in = i == 2;
    buffer.live_out = i == 2 || i == 3;
    buffer.has_fixed_offset = i == 4;
    scene.Add("b", buffer);
  }
  const uint32_t x = scene.Xram("x", 100);
  const uint32_t alloc = scene.Alloc(1);
  for (uint32_t i = 0; i < 4; ++i) {
    const uint32_t start = scene.Start(10, {Reads(i), Writes(i + 1)}, {alloc});
    scene.Load(3, {Reads(x), Writes(5)});
    scene.Wait(start);
  }
  const Stream stream = scene.Build();
  std::mt19937 random(1);
  const auto below = [&random](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  const auto offset = [&] { return below(4) == 0 ? kHuge - below(300) : below(130) * 8; };
  for (int round = 0; round < 5000; ++round) {
    Claim claim = InputOrder(stream);
    for (int swaps = below(4); swaps > 0; --swaps) {
      std::swap(claim.order[below(13)], claim.order[below(13)]);
    }
    if (below(16) == 0) claim.order[below(13)] = OpIndex(below(20));
    if (below(16) == 0) claim.slices[below(4)] = {OpIndex(below(20)), below(4)};
    Placement placement;
    placement.placed = true;
    const uint32_t buffers = below(8) == 0 ? 9 : 6;
    uint64_t entry = 0;
    for (int transfers = below(5); transfers > 0; --transfers) {
      placement.swap_transfers.push_back(
          {entry += below(3), below(2) == 0, BufferIndex(below(buffers)), offset()});
    }
    if (below(16) == 0 && entry > 0) placement.swap_transfers.back().entry = kHuge;
    entry = 0;
    for (int moves = below(30); moves > 0; --moves) {
      entry += below(4) == 0 ? 1 : 0;
      placement.moves.push_back({entry, below(3) != 0, BufferIndex(below(buffers)), offset()});
    }
    if (below(16) == 0 && entry > 0) placement.moves.back().entry = kHuge;
    claim.placement = &placement;
    claim.predicted_makespan = 1;
    claim.allocated_makespan = 1;
    EXPECT_FALSE(Verify(stream, SmallChip(), claim).violations.empty());
  }
}

// What follows would take minutes to hours if anything were quadratic.

TEST(Scale, OneBufferReadByVeryManyProgramsThenOverwritten) {
  constexpr uint32_t kCount = 20000;
  Scene scene;
  const uint32_t a = scene.Lram("a", 64);
  const uint32_t x = scene.Xram("x", 64);
  for (uint32_t round = 0; round < 2; ++round) {
    scene.Load(1, {Reads(x), Writes(a)});
    for (uint32_t i = 0; i < kCount; ++i) {
      const uint32_t start = scene.Start(1, {Reads(a)});
      scene.Wait(start);
    }
  }
  const Stream stream = scene.Build();
  ExpectHolds(Verify(stream, SmallChip(), InputOrder(stream)));
}

TEST(Scale, ManyPartialWritersThenManyWholeReadersWithSwaps) {
  constexpr uint32_t kCount = 20000;
  Scene scene;
  const uint32_t a = scene.Lram("a", 2 * kCount);
  scene.Xram("x", 64);
  for (uint32_t i = 0; i < kCount; ++i) scene.Barrier(0, {Writes(a, 2 * i, 1)});
  for (uint32_t i = 0; i < kCount; ++i) scene.Store(0, {Reads(a)});
  for (uint32_t i = 0; i < kCount; ++i) scene.Barrier(0, {Writes(a, 2 * i, 2)});
  const Stream stream = scene.Build();
  Hardware hardware = SmallChip();
  hardware.lram_bytes = 2 * kCount;
  ExpectHolds(Verify(stream, hardware, InputOrder(stream)));

  Answer answer(stream);
  answer.In(a, 0);
  for (uint32_t i = 0; i < kCount; ++i) answer.Run(i);
  for (uint32_t i = 0; i < kCount; ++i) answer.StoreOut(a).LoadBack(a, 0).Run(kCount + i);
  for (uint32_t i = 0; i < kCount; ++i) answer.Run(2 * kCount + i);
  ExpectHolds(answer.CheckWithoutNumbers(hardware));
}

TEST(Scale, ManyOverlappingRangesOverOnePlace) {
  constexpr uint32_t kCount = 20000;
  Scene scene;
  for (uint32_t b = 0; b < kCount; ++b) scene.Lram("b", 8);
  for (uint32_t b = 0; b < kCount; ++b) scene.Barrier(0, {Writes(b)});
  for (uint32_t b = 0; b < kCount; ++b) scene.Barrier(0, {Reads(b)});
  const Stream stream = scene.Build();
  Answer answer(stream);
  for (uint32_t b = 0; b < kCount; ++b) answer.In(b, 0).Run(b);
  for (uint32_t b = 0; b < kCount; ++b) answer.Run(kCount + b);
  const Verification verification = answer.CheckWithoutNumbers(SmallChip());
  ASSERT_EQ(verification.violations.size(), kMostViolations + 1);
}

TEST(Scale, ChainOfViewsAsDeepAsTheStream) {
  constexpr uint32_t kCount = 200000;
  Scene scene;
  const uint32_t a = scene.Lram("a", 64);
  scene.Alloc(a);
  for (uint32_t i = 0; i < kCount; ++i) scene.View({i});
  scene.Barrier(0, {}, {kCount});
  scene.Barrier(0, {}, {kCount});
  const Stream stream = scene.Build();
  Answer answer(stream);
  for (uint32_t i = 0; i <= kCount; ++i) answer.Run(i);
  answer.In(a, 0).Run(kCount + 1).Out(a).In(a, 0).Run(kCount + 2);
  ExpectHolds(answer.CheckWithoutNumbers(SmallChip()));
}

TEST(Scale, ChainOfAllocsUnderManyUsersWithoutEvictions) {
  constexpr uint32_t kCount = 50000;
  Scene scene;
  for (uint32_t b = 0; b < kCount; ++b) scene.Lram("b", 8);
  scene.Alloc(0);
  for (uint32_t b = 1; b < kCount; ++b) scene.Alloc(b, {b - 1});
  for (uint32_t i = 0; i < kCount; ++i) scene.Barrier(0, {}, {kCount - 1});
  const Stream stream = scene.Build();
  Hardware hardware = SmallChip();
  hardware.lram_bytes = 8 * kCount;
  Answer answer(stream);
  for (uint32_t b = 0; b < kCount; ++b) answer.In(b, 8 * b).Run(b);
  for (uint32_t i = 0; i < kCount; ++i) answer.Run(kCount + i);
  answer.claim.peak_live_bytes = 8 * kCount;
  ExpectHolds(answer.Peak(8 * kCount).Check(hardware));
}

}  // namespace
}  // namespace torqsched
