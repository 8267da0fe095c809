// What ops wait for where transfers do not block, and what an order then takes, by hand.
#include "src/graph/order_clock.h"

#include <cstdint>
#include <memory>
#include <vector>

#include "gtest/gtest.h"
#include "src/graph/transfers_in_flight.h"
#include "tests/stream/stream_maker.h"

namespace torqsched {
namespace {

Hardware NonBlocking(uint32_t engines = 1) {
  Hardware h;
  h.lram_bytes = 1000;
  h.slices = 2;
  h.start_cycles = 1;
  h.dma_engines = engines;
  h.non_blocking_transfers = true;
  h.transfer_issue_cycles = 2;
  return h;
}

class Order : public testing::Test {
 protected:
  // The stream of maker_; call it once.
  void Make(const Hardware& hardware) {
    hardware_ = hardware;
    stream_ = maker_.Build();
    absl::StatusOr<std::unique_ptr<const ScheduleProblem>> problem =
        ScheduleProblem::Make(stream_, hardware_);
    ASSERT_TRUE(problem.ok()) << problem.status();
    problem_ = *std::move(problem);
    clock_ = std::make_unique<OrderClock>(*problem_);
  }
  // When the stream goes on after the op.
  uint64_t After(uint32_t op, uint32_t slice = 0) {
    clock_->Run(OpIndex(op), slice);
    return clock_->now();
  }

  StreamMaker maker_;
  Stream stream_;
  Hardware hardware_;
  std::unique_ptr<const ScheduleProblem> problem_;
  std::unique_ptr<OrderClock> clock_;
};

TEST_F(Order, AProgramWaitsForTheLoadsThatItReadsAndForNoOthers) {
  const uint32_t a = maker_.Lram(10), b = maker_.Lram(10);
  maker_.Load(30, {Writes(a)});
  maker_.Load(50, {Writes(b)});
  const uint32_t p = maker_.Program(100, {Reads(a)});
  maker_.Program(100, {Reads(b)});
  Make(NonBlocking());
  EXPECT_EQ(After(0), 2u);
  EXPECT_EQ(After(1), 4u);
  EXPECT_EQ(After(p), 31u);  // a is there at 30
  EXPECT_EQ(After(p + 2, 1), 81u);
  EXPECT_EQ(clock_->slice_end(1), 180u);
  EXPECT_EQ(After(p + 1), 130u);
  EXPECT_EQ(After(p + 3), 180u);
}

TEST_F(Order, BytesCountNotBuffers) {
  const uint32_t a = maker_.Lram(20);
  maker_.Load(30, {Writes(a, 0, 10)});
  maker_.Load(50, {Writes(a, 10, 10)});
  const uint32_t p = maker_.Program(5, {Reads(a, 0, 10)});
  Make(NonBlocking());
  After(0);
  After(1);
  EXPECT_EQ(After(p), 31u);
}

TEST_F(Order, ATransferWaitsForTransfersToo) {
  const uint32_t a = maker_.Lram(10);
  const uint32_t x = maker_.Xram(10);
  maker_.Load(30, {Writes(a)});
  maker_.Store(40, {Reads(a), Writes(x)});
  maker_.Load(5, {Reads(x), Writes(a)});
  Make(NonBlocking(3));
  EXPECT_EQ(After(0), 2u);
  EXPECT_EQ(clock_->TransferBegin(OpIndex(1)), 30u);
  EXPECT_EQ(After(1), 32u);
  EXPECT_EQ(clock_->TransferBegin(OpIndex(2)), 70u);
  EXPECT_EQ(After(2), 72u);
  EXPECT_EQ(clock_->makespan(), 75u);
}

TEST_F(Order, NeedsAreSeenThroughPureOps) {
  const uint32_t a = maker_.Lram(10);
  const uint32_t load = maker_.Load(30, {Writes(a)});
  const uint32_t view = maker_.View({load});
  const uint32_t view_of_view = maker_.View({view});
  const uint32_t p = maker_.Start(5, {}, {view_of_view});
  maker_.Wait(p);
  Make(NonBlocking());
  EXPECT_EQ(After(load), 2u);
  EXPECT_EQ(After(view), 2u);  // costs nothing, waits for nothing
  EXPECT_EQ(After(view_of_view), 2u);
  EXPECT_EQ(After(p), 31u);
}

TEST_F(Order, ABarrierWaitsForEverything) {
  const uint32_t a = maker_.Lram(10);
  maker_.Load(30, {Writes(a)});
  maker_.Barrier(4);
  Make(NonBlocking());
  After(0);
  EXPECT_EQ(After(1), 34u);
}

// ---- room ---------------------------------------------------------------------------------------

TEST_F(Order, ABirthWaitsUntilTheBytesOfTheDeadAreFree) {
  const uint32_t a = maker_.Lram(10), b = maker_.Lram(10), c = maker_.Lram(10);
  maker_.Barrier(1, {Writes(a), Writes(c)});
  maker_.Store(30, {Reads(a)});                      // a dies; its bytes are free at 31
  const uint32_t p = maker_.Program(5, {Reads(c)});  // nothing is born
  maker_.Load(7, {Writes(b)});
  Make(NonBlocking(2));
  EXPECT_EQ(After(0), 1u);
  EXPECT_EQ(After(1), 3u);
  EXPECT_EQ(After(p), 4u);
  EXPECT_EQ(After(p + 1), 8u);
  EXPECT_EQ(clock_->TransferBegin(OpIndex(p + 2)), 31u);
  EXPECT_EQ(After(p + 2), 33u);
  EXPECT_EQ(clock_->makespan(), 38u);
}

// Its last user is a program that is soon done, but a store still reads it.
TEST_F(Order, ABufferIsHeldByATransferThatIsNotItsLastUser) {
  const uint32_t a = maker_.Lram(10), b = maker_.Lram(10);
  maker_.Barrier(1, {Writes(a)});
  maker_.Store(30, {Reads(a)});
  const uint32_t p = maker_.Program(5, {Reads(a)});
  const uint32_t q = maker_.Program(5, {Writes(b)});
  Make(NonBlocking());
  After(0);
  After(1);
  After(p);
  EXPECT_EQ(After(p + 1), 8u);
  EXPECT_EQ(After(q), 32u);  // not from 8 on: the store ends at 31
}

TEST_F(Order, ABufferThatLivesOnHoldsUpNobody) {
  const uint32_t a = maker_.Lram(10), b = maker_.Lram(10), c = maker_.Add(LiveOut(LramBuffer(10)));
  maker_.Barrier(1, {Writes(a), Writes(c)});
  maker_.Store(30, {Reads(a)});
  maker_.Store(30, {Reads(c)});  // live out
  const uint32_t p = maker_.Program(5, {Writes(b)});
  maker_.Barrier(1, {Reads(a)});
  Make(NonBlocking(2));
  After(0);
  After(1);
  After(2);
  EXPECT_EQ(After(p), 6u);
}

TEST_F(Order, BuffersOfNoBytesHoldUpNobody) {
  const uint32_t a = maker_.Lram(10), none = maker_.Lram(0), b = maker_.Lram(10);
  maker_.Store(30, {Reads(none), Reads(a)}, {});
  maker_.Store(30, {Reads(none)});
  const uint32_t p = maker_.Program(5, {Reads(none), Reads(a)});
  const uint32_t q = maker_.Program(5, {Writes(b)});
  Make(NonBlocking(2));
  EXPECT_EQ(After(0), 2u);
  EXPECT_EQ(After(1), 4u);  // with it `none` dies not yet
  EXPECT_EQ(After(p), 5u);  // nothing with bytes is born
  EXPECT_EQ(After(p + 1), 9u);
  EXPECT_EQ(After(q), 31u);  // a is held by op 0; `none`, until 32 by op 1, does not matter
}

TEST_F(Order, WhatIsLiveInIsNotBorn) {
  const uint32_t a = maker_.Lram(10), b = maker_.Add(LiveIn(LramBuffer(10)));
  maker_.Barrier(1, {Writes(a)});
  maker_.Store(30, {Reads(a)});
  const uint32_t p = maker_.Program(5, {Reads(b)});
  Make(NonBlocking());
  After(0);
  After(1);
  EXPECT_EQ(After(p), 4u);
}

TEST_F(Order, AnAllocIsNotABirth) {
  const uint32_t a = maker_.Lram(10), b = maker_.Lram(10);
  maker_.Barrier(1, {Writes(a)});
  maker_.Store(30, {Reads(a)});
  const uint32_t alloc = maker_.Alloc(b);
  const uint32_t other = maker_.Program(5, {});
  const uint32_t user = maker_.Program(5, {}, {alloc});
  Make(NonBlocking());
  After(0);
  After(1);
  EXPECT_EQ(After(alloc), 3u);
  EXPECT_EQ(After(other), 4u);
  EXPECT_EQ(After(other + 1), 8u);
  EXPECT_EQ(After(user), 32u);
}

TEST_F(Order, SwapsAndMovesWaitForAllTransfers) {
  const uint32_t a = maker_.Lram(10);
  maker_.Load(30, {Writes(a)});
  maker_.Program(5, {});
  Make(NonBlocking());
  After(0);
  clock_->BuffersMove();
  EXPECT_EQ(clock_->now(), 30u);
  After(1);
  const Ran ran = clock_->Swap(/*is_store=*/true, 9);
  EXPECT_EQ(ran.begin, 31u);
  EXPECT_EQ(clock_->now(), 40u);
}

// ---- TransfersInFlight --------------------------------------------------------------------------

TEST_F(Order, KnowsAnOrderThatBreaksADependence) {
  const uint32_t a = maker_.Lram(10);
  const uint32_t load = maker_.Load(30, {Writes(a)});
  const uint32_t view = maker_.View({load});
  const uint32_t p = maker_.Start(5, {}, {view});
  const uint32_t wait = maker_.Wait(p);
  Make(NonBlocking());
  TransfersInFlight in_flight(*problem_);
  EXPECT_TRUE(in_flight.NeedsAreOut(OpIndex(load)));
  EXPECT_FALSE(in_flight.NeedsAreOut(OpIndex(p)));
  EXPECT_FALSE(in_flight.NeedsAreOut(OpIndex(wait)));
  in_flight.Out(OpIndex(load), 30);
  EXPECT_TRUE(in_flight.NeedsAreOut(OpIndex(p)));
  EXPECT_EQ(in_flight.ReadyAt(OpIndex(p)), 30u);
  in_flight.Out(OpIndex(p), 0);
  EXPECT_EQ(in_flight.ReadyAt(OpIndex(wait)), 0u);  // the start has waited for it
}

// n loads of parts, n programs that read the whole: no list of n * n.
TEST_F(Order, ManyThatNeedManyAreNoMoreThanTheEdges) {
  constexpr uint32_t kMany = 20000;
  const uint32_t a = maker_.Lram(kMany);
  for (uint32_t i = 0; i < kMany; ++i) maker_.Load(1, {Writes(a, i, 1)});
  for (uint32_t i = 0; i < kMany; ++i) maker_.Program(1, {Reads(a)});
  Hardware h = NonBlocking();
  h.lram_bytes = kMany;
  h.transfer_issue_cycles = 0;
  h.start_cycles = 0;
  Make(h);
  for (uint32_t i = 0; i < stream_.op_count(); ++i) After(i);
  EXPECT_EQ(clock_->now(), 2u * kMany);
}

// ---- chips on which transfers block -------------------------------------------------------------

TEST_F(Order, BlockingTransfersHaveOnePriceOnAnyNumberOfEngines) {
  const uint32_t a = maker_.Lram(10), b = maker_.Lram(10);
  maker_.Load(30, {Writes(a)});
  maker_.Load(20, {Writes(b)});
  const uint32_t p = maker_.Program(100, {Reads(a)});
  maker_.Store(5, {Reads(b)});
  Hardware h = NonBlocking(3);
  h.non_blocking_transfers = false;
  Make(h);
  EXPECT_EQ(After(0), 30u);
  EXPECT_EQ(clock_->TransferBegin(OpIndex(1)), 30u);
  EXPECT_EQ(After(1), 50u);
  EXPECT_EQ(After(p), 51u);
  clock_->BuffersMove();
  EXPECT_EQ(clock_->now(), 51u);
  EXPECT_EQ(After(p + 1), 150u);
  EXPECT_EQ(After(p + 2), 155u);
}

TEST_F(Order, ACallerMayScaleCycles) {
  maker_.Barrier(7);
  maker_.Program(5, {});
  Make(NonBlocking());
  EXPECT_EQ(clock_->Run(OpIndex(0), 0, 100).end, 100u);
  EXPECT_EQ(clock_->Run(OpIndex(1), 0, 200).end, 300u);
  EXPECT_EQ(After(2), 300u);
}

}  // namespace
}  // namespace torqsched
