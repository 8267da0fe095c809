// The fast check against the literal one, on placements that are right and on ones with a fault.
#include "tests/allocation/plain_check.h"

#include "gtest/gtest.h"
#include "tests/allocation/generators.h"
#include "tests/reference/allocation.h"
#include "tests/reference/random_streams.h"

namespace torqsched {
namespace {

TEST(PlainCheckTest, SaysWhatTheLiteralCheckSays) {
  int right = 0;
  int wrong = 0;
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    reference::SplitMix64 random(seed);
    PlantedProblem planted = CutRectangle(12, 30, 20, seed);
    planted.problem.capacity = 30;
    if (random.Percent(20)) planted.problem.alignment = 2;
    // One or no buffer is moved, grows, or lives longer.
    AllocationBuffer& buffer = planted.problem.buffers[random.Below(12)];
    if (random.Percent(20)) planted.offsets[random.Below(12)] = random.Below(30);
    if (random.Percent(20)) buffer.size += random.Below(3);
    if (random.Percent(20)) buffer.live.upper += random.Below(3);
    if (random.Percent(10)) buffer.size = 0;
    const bool literal = reference::CheckOffsets(planted.problem, planted.offsets).empty();
    EXPECT_EQ(PlainFault(planted.problem, planted.offsets).empty(), literal) << seed;
    EXPECT_EQ(HeightOf(planted.problem, planted.offsets),
              reference::HighestEnd(planted.problem, planted.offsets));
    planted.problem.alignment = 1;
    EXPECT_EQ(LargestLiveSum(planted.problem), reference::LiveBound(planted.problem));
    ++(literal ? right : wrong);
  }
  EXPECT_GE(right, 500);
  EXPECT_GE(wrong, 500);
}

}  // namespace
}  // namespace torqsched
