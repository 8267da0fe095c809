// The clock, rule by rule, against times worked out by hand.
#include "src/hardware/clock.h"

#include <cstdint>
#include <limits>

#include "gtest/gtest.h"

namespace torqsched {
namespace {

constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();

Hardware TwoSlices() {
  Hardware h;
  h.slices = 2;
  h.start_cycles = 1;
  return h;
}

TEST(Clock, StartsAtNought) {
  const Clock clock(TwoSlices());
  EXPECT_EQ(clock.now(), 0u);
  EXPECT_EQ(clock.dma_free(), 0u);
  EXPECT_EQ(clock.makespan(), 0u);
  EXPECT_EQ(clock.slice_end(1), 0u);
}

TEST(Clock, TransfersBlockTheStream) {
  Clock clock(TwoSlices());
  clock.Transfer(30);
  EXPECT_EQ(clock.now(), 30u);
  EXPECT_EQ(clock.dma_free(), 30u);
  clock.Barrier(10);
  EXPECT_EQ(clock.dma_free(), 30u);
  clock.Transfer(5);
  EXPECT_EQ(clock.now(), 45u);
  EXPECT_EQ(clock.dma_free(), 45u);
  EXPECT_EQ(clock.makespan(), 45u);
}

TEST(Clock, StartsLetTheStreamGoOn) {
  Hardware h = TwoSlices();
  h.start_cycles = 3;
  Clock clock(h);
  clock.Barrier(30);
  EXPECT_EQ(clock.Start(1, 100), 130u);
  EXPECT_EQ(clock.now(), 33u);
  EXPECT_EQ(clock.slice_end(1), 130u);
  EXPECT_EQ(clock.slice_end(0), 0u);
  EXPECT_EQ(clock.Start(0, 10), 43u);
  EXPECT_EQ(clock.now(), 36u);
}

TEST(Clock, ProgramsQueueOnTheirSlice) {
  Clock clock(TwoSlices());
  EXPECT_EQ(clock.Start(0, 100), 100u);
  EXPECT_EQ(clock.Start(0, 50), 150u);
  EXPECT_EQ(clock.Start(1, 50), 52u);  // from 2
  clock.WaitUntil(150);
  clock.Barrier(50);
  EXPECT_EQ(clock.Start(0, 7), 207u);  // the slice has been idle since 150
}

TEST(Clock, AWaitNeverTurnsTimeBack) {
  Clock clock(TwoSlices());
  clock.Barrier(40);
  clock.WaitUntil(130);
  EXPECT_EQ(clock.now(), 130u);
  clock.WaitUntil(100);
  EXPECT_EQ(clock.now(), 130u);
}

TEST(Clock, TheMakespanForgetsProgramsThatNobodyWaitsFor) {
  Clock clock(TwoSlices());
  clock.Start(0, 1000);
  EXPECT_EQ(clock.makespan(), 1u);
}

TEST(Clock, PaysABlockBeforeEveryOp) {
  Hardware h = TwoSlices();
  h.block_ops = 1;
  h.block_bytes = 7;
  Clock clock(h);
  clock.Transfer(10);
  EXPECT_EQ(clock.now(), 17u);
  EXPECT_EQ(clock.Start(0, 30), 54u);  // a block until 24
  EXPECT_EQ(clock.now(), 25u);
  EXPECT_EQ(clock.dma_free(), 24u);
  clock.WaitUntil(20);
  EXPECT_EQ(clock.now(), 32u);
  clock.Barrier(5);
  EXPECT_EQ(clock.now(), 44u);
  EXPECT_EQ(clock.dma_free(), 39u);
  EXPECT_EQ(clock.blocks(), 4u);
  EXPECT_EQ(clock.last_block_end(), 39u);
  EXPECT_EQ(clock.block_cycles(), 7u);
}

TEST(Clock, PaysABlockBeforeEveryFourthOp) {
  Hardware h = TwoSlices();
  h.block_ops = 4;
  h.block_bytes = 7;
  h.dma_bytes = 2;  // 4 cycles
  Clock clock(h);
  clock.Transfer(10);
  clock.Start(0, 30);
  clock.Barrier(5);
  EXPECT_EQ(clock.now(), 16u);
  EXPECT_EQ(clock.dma_free(), 10u);
  clock.WaitUntil(18);  // the fourth: a block until 20
  EXPECT_EQ(clock.now(), 20u);
  EXPECT_EQ(clock.dma_free(), 20u);
  clock.Transfer(1);
  clock.Barrier(2);
  clock.Transfer(3);
  EXPECT_EQ(clock.now(), 26u);
  EXPECT_EQ(clock.Start(1, 10), 40u);  // the eighth: a block until 30
  EXPECT_EQ(clock.now(), 31u);
  EXPECT_EQ(clock.dma_free(), 30u);
}

TEST(Clock, SaysThatASumDidNotFitAndNotThatTheLargestNumberDid) {
  Clock clock(TwoSlices());
  clock.Barrier(kMost - 1);
  clock.Barrier(1);
  EXPECT_EQ(clock.makespan(), kMost);
  EXPECT_FALSE(clock.overflowed());
  clock.Transfer(9);
  EXPECT_TRUE(clock.overflowed());
  clock.Barrier(0);
  EXPECT_TRUE(clock.overflowed());

  Clock starts(TwoSlices());  // the stream goes on, only the program ends too late
  starts.Barrier(10);
  EXPECT_EQ(starts.Start(0, kMost - 10), kMost);
  EXPECT_FALSE(starts.overflowed());
  starts.Start(0, 1);
  EXPECT_TRUE(starts.overflowed());
}

}  // namespace
}  // namespace torqsched
