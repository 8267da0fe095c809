// The worked examples of docs/semantics.md, as answers that hold; then every number in them
// changed by one.
#include <vector>

#include "gtest/gtest.h"
#include "tests/verify/scene.h"

namespace torqsched {
namespace {

Hardware ExampleChip(uint64_t lram_bytes) {
  Hardware hardware;
  hardware.lram_bytes = lram_bytes;
  hardware.slices = 2;
  hardware.start_cycles = 1;
  hardware.dma_bytes = 832;
  hardware.dma_cycles = 175;
  return hardware;
}

// P1 (w1), P2 (w2), P3 (w3 and P1's output): loads 30 cycles, compute 100, store 20.
class WorkedExample1 : public testing::Test {
 protected:
  WorkedExample1() {
    x_ = scene_.Xram("x", 100);
    y_ = scene_.Xram("y", 100);
    w1_ = scene_.Lram("w1", 100);
    w2_ = scene_.Lram("w2", 100);
    w3_ = scene_.Lram("w3", 100);
    o1_ = scene_.Lram("o1", 100);
    o2_ = scene_.Lram("o2", 100);
    o3_ = scene_.Lram("o3", 100);
    scene_.Load(30, {Reads(x_), Writes(w1_)});                 // 0
    scene_.Start(100, {Reads(w1_), Writes(o1_)});              // 1
    scene_.Wait(1);                                            // 2
    scene_.Load(30, {Reads(x_), Writes(w2_)});                 // 3
    scene_.Start(100, {Reads(w2_), Writes(o2_)});              // 4
    scene_.Wait(4);                                            // 5
    scene_.Load(30, {Reads(x_), Writes(w3_)});                 // 6
    scene_.Start(100, {Reads(w3_), Reads(o1_), Writes(o3_)});  // 7
    scene_.Wait(7);                                            // 8
    scene_.Store(20, {Reads(o3_), Writes(y_)});                // 9
    stream_ = scene_.Build();
  }

  // L1, start P1 (slice 0), L2, start P2 (slice 1), L3, wait P1, start P3 (slice 0), waits, S3.
  Answer Best() {
    Answer answer(stream_);
    answer.In(w1_, 0).Run(0).In(o1_, 100).Run(1).In(w2_, 200).Run(3).In(o2_, 300).Run(4);
    answer.In(w3_, 400).RunAll({6, 2}).In(o3_, 0).RunAll({7, 5, 8, 9}).Peak(500).Makespan(250);
    answer.claim.slices = {{OpIndex(1), 0}, {OpIndex(4), 1}, {OpIndex(7), 0}};
    answer.claim.predicted_makespan = 250;
    answer.claim.allocated_makespan = 250;
    answer.claim.peak_live_bytes = 500;
    return answer;
  }

  Scene scene_;
  Stream stream_;
  Hardware hardware_ = ExampleChip(1000);
  uint32_t x_, y_, w1_, w2_, w3_, o1_, o2_, o3_;
};

TEST_F(WorkedExample1, InputOrderHoldsAndCosts410) {
  Claim claim = InputOrder(stream_);
  claim.predicted_makespan = 410;
  claim.peak_live_bytes = 300;
  const Verification verification = Verify(stream_, hardware_, claim);
  ExpectHolds(verification);
  EXPECT_EQ(verification.predicted_makespan, 410);
  EXPECT_EQ(verification.peak_live_bytes, 300);
  EXPECT_EQ(verification.allocated_makespan, 0);
}

TEST_F(WorkedExample1, OverlappedOrderHoldsPlacedAndCosts250) {
  const Verification verification = Best().Check(hardware_);
  ExpectHolds(verification);
  EXPECT_EQ(verification.predicted_makespan, 250);
  EXPECT_EQ(verification.allocated_makespan, 250);
  EXPECT_EQ(verification.peak_live_bytes, 500);
}

TEST_F(WorkedExample1, OneCycleLessThanPredictedIsAPriceViolation) {
  Answer answer = Best();
  answer.claim.predicted_makespan = 249;
  ExpectOnly(answer.Check(hardware_), ViolationKind::kPrice, {}, {});
}

TEST_F(WorkedExample1, OneCycleLessThanAllocatedIsAPriceViolation) {
  Answer answer = Best();
  answer.claim.allocated_makespan = 249;
  ExpectOnly(answer.Check(hardware_), ViolationKind::kPrice, {}, {});
}

TEST_F(WorkedExample1, OneCycleMoreInThePlacementIsAPriceViolation) {
  ExpectOnly(Best().Makespan(251).Check(hardware_), ViolationKind::kPrice, {}, {});
}

TEST_F(WorkedExample1, OneByteMoreAtThePeakIsAPeakViolation) {
  Answer answer = Best();
  answer.claim.peak_live_bytes = 501;
  ExpectOnly(answer.Check(hardware_), ViolationKind::kPeak, {}, {});
  ExpectOnly(Best().Peak(499).Check(hardware_), ViolationKind::kPeak, {}, {});
}

TEST_F(WorkedExample1, StartsOfP1AndP2OnOneSliceCostMore) {
  Answer answer = Best();
  answer.claim.slices[1].second = 0;
  const Verification verification = answer.Check(hardware_);
  // P2 queues behind P1 (ends at 230), P3 behind P2 (330), then the store.
  EXPECT_EQ(verification.predicted_makespan, 350);
  EXPECT_EQ(verification.violations.size(), 3) << Listed(verification);
}

TEST_F(WorkedExample1, OutputReadBeforeItsWaitIsADependenceViolation) {
  // P3 starts before wait P1, but reads o1.
  Claim claim = Order(stream_, {0, 1, 3, 4, 6, 7, 2, 5, 8, 9});
  ExpectOnly(Verify(stream_, hardware_, claim), ViolationKind::kDependence, 7, o1_);
}

TEST(WorkedExample2, FarLoadBehindTheWaitHoldsWithinTheCap) {
  Scene scene;
  const uint32_t x = scene.Xram("x", 30000);
  const uint32_t w1 = scene.Lram("w1", 30000);
  const uint32_t w2 = scene.Lram("w2", 30000);
  const uint32_t o2 = scene.Lram("o2", 30000);
  const uint32_t w3 = scene.Lram("w3", 30000);
  const uint32_t o3 = scene.Lram("o3", 30000);
  scene.Load(30, {Reads(x), Writes(w1)});                     // 0
  scene.Start(100, {Reads(w1)});                              // 1
  scene.Wait(1);                                              // 2
  scene.Load(30, {Reads(x), Writes(w2)});                     // 3
  scene.Start(100, {Reads(w2), Writes(o2)}, {2});             // 4
  scene.Wait(4);                                              // 5
  scene.Load(30, {Reads(x), Writes(w3)});                     // 6
  scene.Start(100, {Reads(w3), Reads(o2), Writes(o3)}, {5});  // 7
  scene.Wait(7);                                              // 8
  const Stream stream = scene.Build();
  const Hardware hardware = ExampleChip(100000);

  Answer answer(stream);
  answer.In(w1, 70000).RunAll({0, 1}).In(w2, 40000).RunAll({3, 2}).In(o2, 70000).Run(4);
  answer.In(w3, 10000).RunAll({6, 5}).In(o3, 40000).RunAll({7, 8}).Peak(90000).Makespan(330);
  answer.claim.predicted_makespan = 330;
  answer.claim.allocated_makespan = 330;
  answer.claim.peak_live_bytes = 90000;
  ExpectHolds(answer.Check(hardware));
}

}  // namespace
}  // namespace torqsched
