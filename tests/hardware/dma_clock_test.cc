// The clock of chips with several engines, transfers that do not block and programs that take
// bandwidth, rule by rule, against times worked out by hand.
#include "src/hardware/dma_clock.h"

#include <cstdint>
#include <limits>

#include "gtest/gtest.h"

namespace torqsched {
namespace {

constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();

Hardware Chip(uint32_t engines, uint32_t store_engines = 0) {
  Hardware h;
  h.slices = 2;
  h.start_cycles = 1;
  h.dma_engines = engines;
  h.store_engines = store_engines;
  return h;
}

Hardware NonBlocking(uint32_t engines, uint32_t store_engines = 0, uint64_t issue_cycles = 0) {
  Hardware h = Chip(engines, store_engines);
  h.non_blocking_transfers = true;
  h.transfer_issue_cycles = issue_cycles;
  return h;
}

void ExpectRan(const Ran& ran, uint64_t begin, uint64_t end, uint32_t engine) {
  EXPECT_EQ(ran.begin, begin);
  EXPECT_EQ(ran.end, end);
  EXPECT_EQ(ran.engine, engine);
}

TEST(Blocking, TransfersFollowEachOtherWhateverTheEngine) {
  DmaClock clock(Chip(3));
  ExpectRan(clock.Transfer(false, 30, 0), 0, 30, 0);
  ExpectRan(clock.Transfer(true, 10, 0), 30, 40, 1);
  ExpectRan(clock.Transfer(false, 5, 0), 40, 45, 2);
  ExpectRan(clock.Transfer(false, 5, 0), 45, 50, 0);  // free since 30, the others since 40 and 45
  EXPECT_EQ(clock.now(), 50u);
  EXPECT_EQ(clock.makespan(), 50u);
}

TEST(Blocking, IssuesCostNothing) {
  Hardware h = Chip(1);
  h.transfer_issue_cycles = 7;
  DmaClock clock(h);
  clock.Transfer(false, 30, 0);
  EXPECT_EQ(clock.now(), 30u);
}

TEST(Blocking, WaitsForNothingThatIsOver) {
  DmaClock clock(Chip(2));
  clock.Transfer(false, 30, 0);
  clock.Barrier(5, 20);
  EXPECT_EQ(clock.now(), 35u);
}

TEST(NonBlockingTransfers, TheStreamPaysTheIssueAndGoesOn) {
  DmaClock clock(NonBlocking(1, 0, 3));
  ExpectRan(clock.Transfer(false, 30, 0), 0, 30, 0);
  EXPECT_EQ(clock.now(), 3u);
  ExpectRan(clock.Transfer(false, 10, 0), 30, 40, 0);  // queues
  EXPECT_EQ(clock.now(), 6u);
  EXPECT_EQ(clock.EarliestFree(false), 40u);
  EXPECT_EQ(clock.makespan(), 40u);  // the last one still runs
  ExpectRan(clock.Barrier(100, 0), 6, 106, 0);
  EXPECT_EQ(clock.makespan(), 106u);
}

TEST(NonBlockingTransfers, TakeTheEngineThatIsFreeFirst) {
  DmaClock clock(NonBlocking(2));
  ExpectRan(clock.Transfer(false, 30, 0), 0, 30, 0);
  ExpectRan(clock.Transfer(true, 10, 0), 0, 10, 1);
  ExpectRan(clock.Transfer(false, 20, 0), 10, 30, 1);
  ExpectRan(clock.Transfer(false, 1, 0), 30, 31, 0);  // both are free at 30: the lower one
}

TEST(NonBlockingTransfers, StoresMayHaveEnginesOfTheirOwn) {
  DmaClock clock(NonBlocking(1, 2));
  ExpectRan(clock.Transfer(false, 30, 0), 0, 30, 0);
  ExpectRan(clock.Transfer(false, 10, 0), 30, 40, 0);
  ExpectRan(clock.Transfer(true, 5, 0), 0, 5, 1);
  ExpectRan(clock.Transfer(true, 5, 0), 0, 5, 2);
  ExpectRan(clock.Transfer(true, 5, 0), 5, 10, 1);
  EXPECT_EQ(clock.EarliestFree(false), 40u);
  EXPECT_EQ(clock.EarliestFree(true), 5u);
}

TEST(NonBlockingTransfers, AnOpWaitsUntilItIsReady) {
  DmaClock clock(NonBlocking(1, 0, 2));
  ExpectRan(clock.Transfer(false, 10, 50), 50, 60, 0);
  EXPECT_EQ(clock.now(), 52u);
  ExpectRan(clock.Start(0, 100, 0, 60), 60, 160, 0);
  EXPECT_EQ(clock.now(), 61u);
  ExpectRan(clock.WaitUntil(160, 70), 70, 160, 0);
  ExpectRan(clock.Barrier(5, 200), 200, 205, 0);
}

TEST(NonBlockingTransfers, SwapsWaitForAllTransfersAndBlock) {
  DmaClock clock(NonBlocking(2, 0, 3));
  clock.Transfer(false, 30, 0);
  clock.Transfer(false, 50, 0);  // 3 to 53
  ExpectRan(clock.Swap(true, 10), 53, 63, 0);
  EXPECT_EQ(clock.now(), 63u);  // no issue
  clock.Transfer(false, 20, 0);
  EXPECT_EQ(clock.now(), 66u);
  clock.WaitForTransfers();
  EXPECT_EQ(clock.now(), 83u);
}

TEST(NonBlockingTransfers, BlocksBlockOnTheEnginesOfLoadsBeforeTheOpWaits) {
  Hardware h = NonBlocking(1, 1);
  h.block_ops = 2;
  h.block_bytes = 7;
  DmaClock clock(h);
  clock.Transfer(false, 30, 0);
  EXPECT_EQ(clock.blocks(), 0u);
  ExpectRan(clock.Barrier(1, 33), 37, 38, 0);  // the block takes the engine at 30
  EXPECT_EQ(clock.blocks(), 1u);
  ExpectRan(clock.last_block(), 30, 37, 0);
  ExpectRan(clock.Transfer(true, 5, 0), 38, 43, 1);
  ExpectRan(clock.Barrier(1, 60), 60, 61, 0);
  ExpectRan(clock.last_block(), 38, 45, 0);
}

TEST(NonBlockingTransfers, ASwapWaitsBeforeItsBlock) {
  Hardware h = NonBlocking(2);
  h.block_ops = 2;
  h.block_bytes = 7;
  DmaClock clock(h);
  clock.Transfer(false, 30, 0);
  ExpectRan(clock.Swap(false, 5), 37, 42, 0);  // both engines are free at 30, then 1 is at 37
  ExpectRan(clock.last_block(), 30, 37, 1);
}

// ---- programs that take bandwidth ---------------------------------------------------------------

TEST(Shares, SlowDownATransferBesideTheProgram) {
  DmaClock clock(Chip(1));
  ExpectRan(clock.Start(0, 100, 50, 0), 0, 100, 0);
  ExpectRan(clock.Transfer(false, 20, 0), 1, 41, 0);
  EXPECT_EQ(clock.now(), 41u);
  // 59 cycles of 50 units, then 100 - 29.5 = 70.5 cycles' work at full speed.
  ExpectRan(clock.Transfer(false, 100, 0), 41, 171, 0);
}

TEST(Shares, AddUpAndAreCappedAt99) {
  DmaClock clock(Chip(1));
  clock.Start(0, 100, 60, 0);                        // 0 to 100
  clock.Start(1, 50, 30, 0);                         // 1 to 51
  ExpectRan(clock.Transfer(false, 4, 0), 2, 42, 0);  // 10 units a cycle
  DmaClock full(Chip(1));
  full.Start(0, 1000, 60, 0);
  full.Start(1, 1000, 60, 0);
  ExpectRan(full.Transfer(false, 4, 0), 2, 402, 0);  // one unit a cycle
}

TEST(Shares, CountWithTheTimeThatLiesAhead) {
  DmaClock clock(Chip(1));
  clock.Start(0, 10, 0, 0);
  clock.Start(0, 10, 75, 0);  // queues: 10 to 20
  // From 2: 8 cycles of 100, 10 of 25, then 950 units are left of 2000.
  ExpectRan(clock.Transfer(false, 20, 0), 2, 30, 0);
}

TEST(Shares, AreRoundedUpToAWholeCycle) {
  DmaClock clock(Chip(1));
  clock.Start(0, 100, 30, 0);
  ExpectRan(clock.Transfer(false, 2, 0), 1, 4, 0);   // 200 units at 70
  ExpectRan(clock.Transfer(false, 7, 0), 4, 14, 0);  // 700 at 70: exactly ten cycles
  ExpectRan(clock.Transfer(false, 0, 0), 14, 14, 0);
}

TEST(Shares, EndWithTheirProgramToTheCycle) {
  Hardware h = Chip(1);
  h.start_cycles = 0;
  DmaClock clock(h);
  clock.Start(0, 4, 75, 0);
  ExpectRan(clock.Transfer(false, 1, 0), 0, 4, 0);  // done as the program ends
  DmaClock longer(h);
  longer.Start(0, 4, 75, 0);
  ExpectRan(longer.Transfer(false, 2, 0), 0, 5, 0);
}

TEST(Shares, OfALaterProgramDoNotSlowDownWhatHasBeenIssued) {
  DmaClock clock(NonBlocking(1));
  ExpectRan(clock.Transfer(false, 30, 0), 0, 30, 0);
  clock.Start(0, 100, 50, 0);
  ExpectRan(clock.Transfer(false, 30, 0), 30, 90, 0);
}

TEST(Shares, EachEngineIsSlowedDownByItself) {
  DmaClock clock(NonBlocking(2));
  clock.Start(0, 100, 50, 0);
  ExpectRan(clock.Transfer(false, 10, 0), 1, 21, 0);
  ExpectRan(clock.Transfer(false, 10, 0), 1, 21, 1);
}

TEST(Shares, SlowDownSwapsAndBlocks) {
  Hardware h = Chip(1);
  h.block_ops = 2;
  h.block_bytes = 5;
  DmaClock clock(h);
  clock.Start(0, 1000, 50, 0);
  ExpectRan(clock.Swap(true, 20), 11, 51, 0);
  ExpectRan(clock.last_block(), 1, 11, 0);
}

TEST(Shares, AreExactWhereAHundredfoldDoesNotFit64Bits) {
  Hardware h = Chip(1);
  h.start_cycles = 0;
  DmaClock clock(h);
  clock.Start(0, 10, 99, 0);
  ExpectRan(clock.Transfer(false, kMost / 2, 0), 0, kMost / 2 + 10, 0);  // 9.9 more, rounded up
  EXPECT_FALSE(clock.overflowed());
  DmaClock slow(h);
  slow.Start(0, kMost, 99, 0);
  slow.Transfer(false, kMost / 100, 0);
  EXPECT_FALSE(slow.overflowed());
  EXPECT_EQ(slow.now(), kMost / 100 * 100);
  slow.Transfer(false, 1, 0);
  EXPECT_TRUE(slow.overflowed());
}

TEST(Overflow, IsToldOfEnginesAndOfTheStream) {
  DmaClock queue(NonBlocking(1));
  queue.Transfer(false, kMost, 0);
  EXPECT_FALSE(queue.overflowed());
  EXPECT_EQ(queue.makespan(), kMost);
  queue.Transfer(false, 1, 0);
  EXPECT_TRUE(queue.overflowed());
  DmaClock issues(NonBlocking(1, 0, kMost));
  issues.Transfer(false, 0, 0);
  EXPECT_FALSE(issues.overflowed());
  issues.Transfer(false, 0, 0);
  EXPECT_TRUE(issues.overflowed());
}

}  // namespace
}  // namespace torqsched
