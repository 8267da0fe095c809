// Filled rectangles: placed to the last byte, and each placement checked literally; what is not
// quite one gets no placement, or a legal one.
#include "src/allocation/dissection.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "src/allocation/allocate.h"
#include "src/allocation/bodies.h"
#include "tests/allocation/generators.h"
#include "tests/allocation/scene.h"
#include "tests/reference/allocation.h"
#include "tests/reference/random_streams.h"

namespace torqsched {
namespace {

using reference::CheckOffsets;
using reference::HighestEnd;
using reference::SplitMix64;

constexpr uint64_t kLarge = (uint64_t{3} << 40) + 12345;

// Placed to the last byte. A placement that is not legal fails the test.
bool IsPlaced(const AllocationProblem& problem, uint64_t height) {
  const auto bodies = MakeBodies(problem);
  EXPECT_TRUE(bodies.ok()) << bodies.status();
  if (!bodies.ok()) return false;
  const std::optional<std::vector<uint64_t>> placed = PlaceFilled(bodies->packing, height);
  if (!placed.has_value()) return false;
  const std::vector<uint64_t> offsets = bodies->BufferOffsets(*placed);
  EXPECT_EQ(CheckOffsets(problem, offsets), "");
  EXPECT_LE(HighestEnd(problem, offsets), height);
  return true;
}

TEST(DissectionTest, AWindmillIsPlaced) {
  // No straight cut goes through all of it.
  EXPECT_TRUE(IsPlaced(
      Scene({Live(0, 2, 100), Live(2, 3, 230), Live(1, 3, 70), Live(0, 1, 200), Live(1, 2, 130)}),
      300));
}

TEST(DissectionTest, SmallRectanglesWithCoarseTimesAreMostlyPlaced) {
  for (const uint64_t length : {6, 12, 40}) {
    uint32_t placed = 0;
    for (uint64_t seed = 0; seed < 400; ++seed) {
      const PlantedProblem planted = CutRectangle(10 + seed % 50, kLarge, length, seed);
      placed += IsPlaced(planted.problem, kLarge) ? 1 : 0;
    }
    EXPECT_GE(placed, 390u) << "length " << length;
  }
}

TEST(DissectionTest, RectanglesWithTimesThatCoincideNowAndThenAreAllPlaced) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const size_t buffers = 100 * (1 + seed);
    const PlantedProblem planted = CutRectangle(buffers, kLarge, 20 * buffers, seed, seed % 3 * 40);
    ASSERT_TRUE(IsPlaced(planted.problem, kLarge)) << "seed " << seed;
  }
}

TEST(DissectionTest, LargeRectanglesAreAllPlaced) {
  for (uint64_t seed = 0; seed < 6; ++seed) {
    const PlantedProblem planted = CutRectangle(5000, kLarge, 100000, seed, 10 << seed);
    ASSERT_TRUE(IsPlaced(planted.problem, kLarge)) << "seed " << seed;
  }
}

TEST(DissectionTest, SmallSizesAreMostlyPlaced) {
  uint32_t placed = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    placed += IsPlaced(CutRectangle(1000, 1 << 20, 50000, seed).problem, 1 << 20) ? 1 : 0;
  }
  EXPECT_GE(placed, 85u);
}

// Few sizes and few times: everything is equal by chance.
TEST(DissectionTest, BytesAndTimesOfAFewUnitsAreHarmless) {
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    SplitMix64 random(seed);
    const uint64_t height = random.Between(3, 40);
    IsPlaced(CutRectangle(random.Between(2, 80), height, random.Between(3, 20), seed).problem,
             height);
  }
}

TEST(DissectionTest, OneByteMoreOrOneTimeLessIsNotFilled) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    SplitMix64 random(seed);
    const PlantedProblem planted = CutRectangle(200, kLarge, 5000, seed);
    AllocationProblem problem = planted.problem;
    AllocationBuffer& changed = problem.buffers[random.Below(problem.buffers.size())];
    if (seed % 2 == 0) {
      ++changed.size;
      EXPECT_FALSE(IsPlaced(problem, kLarge)) << "seed " << seed;
    } else {
      if (changed.live.upper - changed.live.lower > 1) --changed.live.upper;
      IsPlaced(problem, kLarge);
    }
  }
}

// Sums stay equal at all times, but what is filled need not be a rectangle any more.
TEST(DissectionTest, BytesMovedFromOneToAnotherOfTheSameTimesAreHarmless) {
  uint32_t refused = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    SplitMix64 random(seed);
    AllocationProblem problem = CutRectangle(60, 1 << 20, 12, seed).problem;
    std::vector<AllocationBuffer>& buffers = problem.buffers;
    for (size_t i = 0; i < buffers.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        if (buffers[i].live.lower != buffers[j].live.lower) continue;
        if (buffers[i].live.upper != buffers[j].live.upper || buffers[i].size < 2) continue;
        const uint64_t moved = random.Between(1, buffers[i].size - 1);
        buffers[i].size -= moved;
        buffers[j].size += moved;
      }
    }
    refused += IsPlaced(problem, 1 << 20) ? 0 : 1;
  }
  RecordProperty("refused", static_cast<int>(refused));
}

TEST(DissectionTest, WhateverElseBindsBuffersIsLeftAlone) {
  const PlantedProblem planted = CutRectangle(100, kLarge, 5000, 1);
  ASSERT_TRUE(IsPlaced(planted.problem, kLarge));
  EXPECT_FALSE(IsPlaced(planted.problem, kLarge - 1));
  AllocationProblem problem = planted.problem;
  problem.buffers[0].fixed_offset = planted.offsets[0];
  EXPECT_FALSE(IsPlaced(problem, kLarge));
  problem = planted.problem;
  problem.buffers[0].alignment = 2;
  EXPECT_FALSE(IsPlaced(problem, kLarge));
  problem = planted.problem;
  problem.reserved.push_back({kLarge, kLarge + 1});
  EXPECT_FALSE(IsPlaced(problem, kLarge));
  problem = planted.problem;
  problem.boundaries.push_back(kLarge);
  EXPECT_FALSE(IsPlaced(problem, kLarge));
  problem = planted.problem;
  problem.buffers.pop_back();
  EXPECT_FALSE(IsPlaced(problem, kLarge));
}

// Sizes are rounded up to the alignment, and only the topmost keeps its own end.
TEST(DissectionTest, OneAlignmentForAllIsFine) {
  PlantedProblem planted = CutRectangle(300, uint64_t{1} << 30, 5000, 1);
  for (AllocationBuffer& buffer : planted.problem.buffers) buffer.size = buffer.size * 64 - 3;
  planted.problem.alignment = 64;
  EXPECT_TRUE(IsPlaced(planted.problem, uint64_t{64} << 30));
  EXPECT_TRUE(IsPlaced(planted.problem, (uint64_t{64} << 30) - 3));
  EXPECT_FALSE(IsPlaced(planted.problem, (uint64_t{64} << 30) - 4));
}

TEST(DissectionTest, HugeSizesDoNotWrap) {
  const uint64_t half = uint64_t{1} << 61;
  EXPECT_TRUE(IsPlaced(Scene({Live(0, 2, half), Live(0, 1, half), Live(1, 2, half)}), 2 * half));
  // At 0 the sum is 2^64 + 1, at 1 it is 1.
  IsPlaced(Scene({Live(0, 2, 1), Live(0, 1, 2 * half), Live(0, 1, 2 * half), Live(0, 1, 2 * half),
                  Live(0, 1, 2 * half)}),
           2 * half);
}

TEST(DissectionTest, TheSameProblemHasTheSamePlacement) {
  const auto bodies = MakeBodies(CutRectangle(2000, kLarge, 3000, 5).problem);
  ASSERT_TRUE(bodies.ok());
  const auto placed = PlaceFilled(bodies->packing, kLarge);
  ASSERT_TRUE(placed.has_value());
  EXPECT_EQ(placed, PlaceFilled(bodies->packing, kLarge));
}

TEST(DissectionTest, ItStopsWhenToldTo) {
  const auto bodies = MakeBodies(CutRectangle(2000, kLarge, 3000, 5).problem);
  ASSERT_TRUE(bodies.ok());
  EXPECT_FALSE(PlaceFilled(bodies->packing, kLarge, [] { return true; }).has_value());
  uint32_t asked = 0;
  EXPECT_FALSE(PlaceFilled(bodies->packing, kLarge, [&] { return ++asked > 2; }).has_value());
  EXPECT_EQ(asked, 3u);
  EXPECT_TRUE(PlaceFilled(bodies->packing, kLarge, [] { return false; }).has_value());
}

TEST(DissectionTest, AllocateHasThemAtTheBound) {
  const PlantedProblem planted = CutRectangle(3000, kLarge, 100000, 2);
  AllocationOptions options;
  options.objective = Objective::kLeast;
  const auto answer = Allocate(planted.problem, options, {});
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->height, kLarge);
  EXPECT_TRUE(answer->proven_least);
  EXPECT_EQ(CheckOffsets(planted.problem, answer->offsets), "");
}

}  // namespace
}  // namespace torqsched
