// Orders, slices: every rule kept, and broken by one change.
#include <vector>

#include "gtest/gtest.h"
#include "tests/verify/scene.h"

namespace torqsched {
namespace {

constexpr ViolationKind kDependence = ViolationKind::kDependence;

// A load and two programs that follow each other through buffers, then a host call and a store.
class Chain : public testing::Test {
 protected:
  Chain() {
    x_ = scene_.Xram("x", 64);
    a_ = scene_.Lram("a", 64);
    b_ = scene_.Lram("b", 64);
    c_ = scene_.Lram("c", 64);
    scene_.Load(10, {Reads(x_), Writes(a_)});   // 0
    scene_.Start(50, {Reads(a_), Writes(b_)});  // 1
    scene_.Wait(1);                             // 2
    scene_.Load(10, {Reads(x_), Writes(c_)});   // 3
    scene_.Start(50, {Reads(c_)});              // 4
    scene_.Wait(4);                             // 5
    scene_.Barrier(5);                          // 6
    scene_.Store(10, {Reads(b_), Writes(x_)});  // 7
    stream_ = scene_.Build();
  }
  Verification Check(const std::vector<uint32_t>& order) {
    return Verify(stream_, hardware_, Order(stream_, order));
  }

  Scene scene_;
  Stream stream_;
  Hardware hardware_ = SmallChip();
  uint32_t x_, a_, b_, c_;
};

TEST_F(Chain, InputOrderHolds) { ExpectHolds(Verify(stream_, hardware_, InputOrder(stream_))); }

TEST_F(Chain, IndependentLoadBeforeTheProgramHolds) {
  ExpectHolds(Check({3, 0, 4, 1, 5, 2, 6, 7}));
}

TEST_F(Chain, MissingOpIsNamed) {
  Claim claim = InputOrder(stream_);
  claim.order.erase(claim.order.begin() + 3);
  ExpectOnly(Verify(stream_, hardware_, claim), ViolationKind::kNotAPermutation, 3, {});
}

TEST_F(Chain, RepeatedOpIsNamed) {
  Claim claim = InputOrder(stream_);
  claim.order.push_back(OpIndex(2));
  ExpectOnly(Verify(stream_, hardware_, claim), ViolationKind::kNotAPermutation, 2, {});
}

TEST_F(Chain, OpOutOfRangeIsAViolationWithoutAnOp) {
  Claim claim = InputOrder(stream_);
  claim.order.push_back(OpIndex(8));
  ExpectOnly(Verify(stream_, hardware_, claim), ViolationKind::kNotAPermutation, {}, {});
}

TEST_F(Chain, EveryFaultOfThePermutationIsListed) {
  Claim claim = InputOrder(stream_);
  claim.order[0] = OpIndex(1);
  claim.order[3] = OpIndex();
  EXPECT_EQ(Verify(stream_, hardware_, claim).violations.size(), 4);
}

TEST_F(Chain, ProgramBeforeTheLoadOfItsInputIsADependenceViolation) {
  ExpectOnly(Check({1, 0, 2, 3, 4, 5, 6, 7}), kDependence, 1, a_);
}

TEST_F(Chain, WaitBeforeItsStartIsADependenceViolation) {
  ExpectOnly(Check({0, 2, 1, 3, 4, 5, 6, 7}), kDependence, 2, {});
}

TEST_F(Chain, OpThatLeavesItsSideOfABarrierIsADependenceViolation) {
  ExpectOnly(Check({0, 1, 2, 3, 4, 6, 5, 7}), kDependence, 5, {});
  ExpectOnly(Check({0, 1, 2, 3, 4, 5, 7, 6}), kDependence, 7, {});
}

TEST_F(Chain, StartWithoutASliceIsASliceViolation) {
  Claim claim = InputOrder(stream_);
  claim.slices.pop_back();
  ExpectOnly(Verify(stream_, hardware_, claim), ViolationKind::kSlice, 4, {});
}

TEST_F(Chain, SliceThatTheHardwareLacksIsASliceViolation) {
  Claim claim = InputOrder(stream_);
  claim.slices[0].second = 2;
  ExpectOnly(Verify(stream_, hardware_, claim), ViolationKind::kSlice, 1, {});
}

TEST_F(Chain, SecondSliceForAStartIsASliceViolation) {
  Claim claim = InputOrder(stream_);
  claim.slices.push_back({OpIndex(4), 1});
  ExpectOnly(Verify(stream_, hardware_, claim), ViolationKind::kSlice, 4, {});
}

TEST_F(Chain, SliceForWhatIsNoStartIsASliceViolation) {
  Claim claim = InputOrder(stream_);
  claim.slices.push_back({OpIndex(5), 0});
  ExpectOnly(Verify(stream_, hardware_, claim), ViolationKind::kSlice, 5, {});
  claim.slices.back().first = OpIndex(99);
  ExpectOnly(Verify(stream_, hardware_, claim), ViolationKind::kSlice, {}, {});
}

TEST(Barrier, ProgramMayRunThroughAHostCall) {
  Scene scene;
  scene.Start(50, {});  // 0
  scene.Barrier(5);     // 1
  scene.Wait(0);        // 2
  const Stream stream = scene.Build();
  ExpectHolds(Verify(stream, SmallChip(), InputOrder(stream)));
}

TEST(Barrier, TwoHostCallsThatChangePlacesAreOneViolation) {
  Scene scene;
  scene.Barrier(5);
  scene.Barrier(5);
  const Stream stream = scene.Build();
  ExpectOnly(Verify(stream, SmallChip(), Order(stream, {1, 0})), kDependence, 1, {});
}

TEST(Barrier, StartWithoutAWaitKeepsItsPlaceAndHasNoSlice) {
  Scene scene;
  const uint32_t a = scene.Lram("a", 8);
  const uint32_t x = scene.Xram("x", 8);
  scene.Start(50, {});                    // 0: nothing waits for it
  scene.Load(10, {Reads(x), Writes(a)});  // 1
  const Stream stream = scene.Build();
  Claim claim = InputOrder(stream);
  EXPECT_TRUE(claim.slices.empty());
  claim.predicted_makespan = 60;
  ExpectHolds(Verify(stream, SmallChip(), claim));
  ExpectOnly(Verify(stream, SmallChip(), Order(stream, {1, 0})), kDependence, 1, {});
  claim.slices.push_back({OpIndex(0), 0});
  ExpectOnly(Verify(stream, SmallChip(), claim), ViolationKind::kSlice, 0, {});
}

TEST(Barrier, PureOpsMayCrossAHostCall) {
  Scene scene;
  scene.View({});
  scene.Barrier(5);
  const Stream stream = scene.Build();
  ExpectHolds(Verify(stream, SmallChip(), Order(stream, {1, 0})));
}

TEST(Operands, UseBeforeItsOperandIsADependenceViolationOnce) {
  Scene scene;
  scene.Start(10, {});          // 0
  scene.Wait(0);                // 1
  scene.Start(10, {}, {1, 1});  // 2: says it twice
  scene.Wait(2);                // 3
  const Stream stream = scene.Build();
  ExpectOnly(Verify(stream, SmallChip(), Order(stream, {0, 2, 1, 3})), kDependence, 2, {});
}

TEST(Operands, DependenceThroughAViewIsCheckedOnEitherSideOfIt) {
  Scene scene;
  scene.Start(10, {});       // 0
  scene.Wait(0);             // 1
  scene.View({1});           // 2
  scene.Start(10, {}, {2});  // 3
  scene.Wait(3);             // 4
  const Stream stream = scene.Build();
  ExpectHolds(Verify(stream, SmallChip(), InputOrder(stream)));
  // With its view in front of it the start has it; the view lacks what it is a view of.
  ExpectOnly(Verify(stream, SmallChip(), Order(stream, {0, 2, 3, 1, 4})), kDependence, 2, {});
  ExpectOnly(Verify(stream, SmallChip(), Order(stream, {0, 1, 3, 2, 4})), kDependence, 3, {});
}

TEST(Operands, WaitThatListsItsStartIsOneViolation) {
  Scene scene;
  scene.Start(10, {});
  scene.Wait(0, {0});
  const Stream stream = scene.Build();
  ExpectOnly(Verify(stream, SmallChip(), Order(stream, {1, 0})), kDependence, 1, {});
}

// Two ops on one buffer, in both orders.
class Pair : public testing::Test {
 protected:
  Verification Swapped(const AccessSpec& older, const AccessSpec& younger) {
    Scene scene;
    scene.Lram("a", 64);
    scene.Xram("x", 64);
    scene.Barrier(0);
    scene.Start(10, {older});    // 1
    scene.Wait(1);               // 2
    scene.Start(10, {younger});  // 3
    scene.Wait(3);               // 4
    const Stream stream = scene.Build();
    ExpectHolds(Verify(stream, SmallChip(), InputOrder(stream)));
    return Verify(stream, SmallChip(), Order(stream, {0, 3, 4, 1, 2}));
  }
};

TEST_F(Pair, ReadAfterWriteKeepsItsOrder) {
  ExpectOnly(Swapped(Writes(0), Reads(0)), kDependence, 3, 0);
}
TEST_F(Pair, WriteAfterReadKeepsItsOrder) {
  ExpectOnly(Swapped(Reads(0), Writes(0)), kDependence, 3, 0);
}
TEST_F(Pair, WriteAfterWriteKeepsItsOrder) {
  ExpectOnly(Swapped(Writes(0), Writes(0)), kDependence, 3, 0);
}
TEST_F(Pair, TwoReadsMayChangePlaces) { ExpectHolds(Swapped(Reads(0), Reads(0))); }
TEST_F(Pair, XramCountsAsLramDoes) { ExpectOnly(Swapped(Writes(1), Reads(1)), kDependence, 3, 1); }
TEST_F(Pair, NeighbouringBytesMayChangePlaces) {
  ExpectHolds(Swapped(Writes(0, 0, 32), Writes(0, 32, 32)));
}
TEST_F(Pair, OneSharedByteKeepsTheOrder) {
  ExpectOnly(Swapped(Writes(0, 0, 33), Writes(0, 32, 32)), kDependence, 3, 0);
}
TEST_F(Pair, EmptyAccessesConflictWithNothing) { ExpectHolds(Swapped(Writes(0, 8, 0), Writes(0))); }

TEST(Memory, OpThatUpdatesABufferDoesNotWaitForItself) {
  Scene scene;
  const uint32_t a = scene.Lram("a", 64);
  scene.Start(10, {Updates(a), Reads(a), Writes(a, 8, 8)});
  scene.Wait(0);
  const Stream stream = scene.Build();
  ExpectHolds(Verify(stream, SmallChip(), InputOrder(stream)));
}

TEST(Memory, LoadOverBytesThatARunningProgramReadsIsADependenceViolation) {
  Scene scene;
  const uint32_t a = scene.Lram("a", 64);
  const uint32_t x = scene.Xram("x", 64);
  scene.Start(10, {Reads(a)});            // 0
  scene.Wait(0);                          // 1
  scene.Load(10, {Reads(x), Writes(a)});  // 2
  const Stream stream = scene.Build();
  ExpectOnly(Verify(stream, SmallChip(), Order(stream, {0, 2, 1})), kDependence, 2, a);
}

TEST(Memory, LastOfManyReadersIsTheOneNamed) {
  Scene scene;
  const uint32_t a = scene.Lram("a", 64);
  const uint32_t x = scene.Xram("x", 64);
  for (uint32_t i = 0; i < 4; ++i) {
    scene.Start(10, {Reads(a)});
    scene.Wait(2 * i);
  }
  scene.Load(10, {Reads(x), Writes(a)});  // 8
  const Stream stream = scene.Build();
  const Verification verification =
      Verify(stream, SmallChip(), Order(stream, {0, 1, 4, 5, 6, 7, 8, 2, 3}));
  ExpectOnly(verification, kDependence, 8, a);
  EXPECT_NE(FirstMessage(verification).find("op 2"), std::string::npos);
}

TEST(Memory, EveryPairOfRangesIsComparedWhateverElseCutsTheBuffer) {
  constexpr uint32_t kPieces = 9;
  for (uint32_t a = 0; a < kPieces * kPieces; ++a) {
    for (uint32_t b = 0; b < kPieces * kPieces; ++b) {
      const uint32_t a_begin = a / kPieces, a_end = a % kPieces + 1;
      const uint32_t b_begin = b / kPieces, b_end = b % kPieces + 1;
      if (a_begin >= a_end || b_begin >= b_end) continue;
      Scene scene;
      const uint32_t buffer = scene.Lram("a", kPieces);
      std::vector<AccessSpec> pieces;
      for (uint32_t i = 0; i < kPieces; ++i) pieces.push_back(Reads(buffer, i, 1));
      scene.Start(1, {Writes(buffer, a_begin, a_end - a_begin)});  // 0
      scene.Wait(0);                                               // 1
      scene.Start(1, {Reads(buffer, b_begin, b_end - b_begin)});   // 2
      scene.Wait(2);                                               // 3
      scene.Start(1, pieces);                                      // 4
      scene.Wait(4);                                               // 5
      const Stream stream = scene.Build();
      const Verification verification =
          Verify(stream, SmallChip(), Order(stream, {2, 3, 0, 1, 4, 5}));
      if (a_begin < b_end && b_begin < a_end) {
        ExpectOnly(verification, kDependence, 2, buffer);
      } else {
        ExpectHolds(verification);
      }
    }
  }
}

TEST(Memory, OverwrittenWriterIsStillComparedWithLaterReaders) {
  // The first writer comes last: both the second writer and the reader begin too early.
  Scene scene;
  const uint32_t a = scene.Lram("a", 64);
  const uint32_t x = scene.Xram("x", 64);
  scene.Load(1, {Reads(x), Writes(a)});
  scene.Load(1, {Reads(x), Writes(a)});
  scene.Store(1, {Reads(a)});
  const Stream stream = scene.Build();
  const Verification verification = Verify(stream, SmallChip(), Order(stream, {1, 2, 0}));
  ASSERT_EQ(verification.violations.size(), 2) << Listed(verification);
  EXPECT_TRUE(verification.violations[0].op == OpIndex(1));
  EXPECT_TRUE(verification.violations[1].op == OpIndex(2));
}

}  // namespace
}  // namespace torqsched
