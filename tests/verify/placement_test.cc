// Replaying a placed stream: ranges, births, deaths, evictions and their transfers; one valid
// answer, and every way to break it by one change.
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tests/verify/scene.h"

namespace torqsched {
namespace {

constexpr ViolationKind kPlacement = ViolationKind::kPlacement;
constexpr ViolationKind kOverlap = ViolationKind::kOverlap;
constexpr ViolationKind kSwap = ViolationKind::kSwap;

// LRAM of 1,000 bytes: w (400) is read by P1 and again by P3; P2 in between needs 700 for itself.
class MakeRoom : public testing::Test {
 protected:
  MakeRoom() {
    x_ = scene_.Xram("x", 400);
    w_ = scene_.Lram("w", 400);
    o_ = scene_.Lram("o", 700);
    scene_.Load(100, {Reads(x_), Writes(w_)});  // 0
    scene_.Start(20, {Reads(w_)});              // 1
    scene_.Wait(1);                             // 2
    scene_.Start(20, {Writes(o_)});             // 3
    scene_.Wait(3);                             // 4
    scene_.Start(20, {Reads(w_)});              // 5
    scene_.Wait(5);                             // 6
    stream_ = scene_.Build();
  }
  // Entries: 0 L, 1 P1, 2 wait, 3 store w, 4 P2, 5 wait, 6 load w, 7 P3, 8 wait.
  Answer Valid() {
    Answer answer(stream_);
    answer.In(w_, 600).RunAll({0, 1, 2}).StoreOut(w_).In(o_, 0).RunAll({3, 4});
    answer.LoadBack(w_, 8).RunAll({5, 6}).Peak(704).Makespan(360);
    return answer;
  }
  Verification Check(Answer answer) { return answer.Check(hardware_); }

  Scene scene_;
  Stream stream_;
  Hardware hardware_ = SmallChip();
  uint32_t x_, w_, o_;
};

TEST_F(MakeRoom, StoreOutAndLoadBackHolds) {
  Answer answer = Valid();
  answer.claim.predicted_makespan = 160;
  answer.claim.allocated_makespan = 360;
  answer.claim.peak_live_bytes = 1100;
  ExpectHolds(answer.Check(hardware_));
}

TEST_F(MakeRoom, UnplacedAnswerIsNotReplayed) {
  Claim claim = InputOrder(stream_);
  Placement nothing;
  nothing.failure.reason = FailureReason::kCapacity;
  claim.placement = &nothing;
  ExpectHolds(Verify(stream_, hardware_, claim));
}

std::vector<ViolationKind> Kinds(const Verification& verification) {
  std::vector<ViolationKind> kinds;
  for (const Violation& violation : verification.violations) kinds.push_back(violation.kind);
  return kinds;
}

TEST_F(MakeRoom, APlacementThatIsNoneAndHasOneAllTheSameContradictsItself) {
  Claim claim = InputOrder(stream_);
  Placement placement;
  placement.failure.reason = FailureReason::kCapacity;
  placement.moves = {{0, true, BufferIndex(w_), 600}};
  claim.placement = &placement;
  EXPECT_EQ(Kinds(Verify(stream_, hardware_, claim)), std::vector<ViolationKind>{kSwap});
  placement.moves.clear();
  placement.swaps = 1;
  EXPECT_EQ(Kinds(Verify(stream_, hardware_, claim)), std::vector<ViolationKind>{kSwap});
  placement.swaps = 0;
  claim.allocated_makespan = 360;
  EXPECT_EQ(Kinds(Verify(stream_, hardware_, claim)),
            std::vector<ViolationKind>{ViolationKind::kPrice});
}

TEST_F(MakeRoom, OffsetsThatNobodyKnowsAreNotListed) {
  Claim claim = InputOrder(stream_);
  Placement host;
  host.placed = true;
  host.has_detail = false;
  host.moves = {{0, true, BufferIndex(w_), 600}};
  claim.placement = &host;
  EXPECT_EQ(Kinds(Verify(stream_, hardware_, claim)), std::vector<ViolationKind>{kSwap});
  host.moves.clear();
  host.failure.reason = FailureReason::kHost;
  EXPECT_EQ(Kinds(Verify(stream_, hardware_, claim)), std::vector<ViolationKind>{kPlacement});
}

TEST_F(MakeRoom, HostOracleWithoutDetailIsTakenAtItsWord) {
  Claim claim = InputOrder(stream_);
  Placement host;
  host.placed = true;
  host.has_detail = false;
  host.swaps = 7;
  host.makespan = 12345;
  claim.placement = &host;
  claim.allocated_makespan = 12345;
  claim.predicted_makespan = 160;
  ExpectHolds(Verify(stream_, hardware_, claim));
  claim.predicted_makespan = 161;
  ExpectOnly(Verify(stream_, hardware_, claim), ViolationKind::kPrice, {}, {});
}

TEST_F(MakeRoom, RangeThatEndsBeyondLramIsAPlacementViolation) {
  Answer answer = Valid();
  answer.placement.moves[0].offset = 608;
  answer.placement.moves[1].offset = 608;
  answer.placement.swap_transfers[0].offset = 608;
  ExpectOnly(Check(answer), kPlacement, 0, w_);
}

TEST_F(MakeRoom, ReservedBytesAreNotUsable) {
  hardware_.lram_reserved_bytes = 8;
  ExpectOnly(Check(Valid()), kPlacement, 0, w_);
}

TEST_F(MakeRoom, OffsetOffTheHardwaresAlignmentIsAPlacementViolation) {
  Answer answer = Valid();
  answer.placement.moves[3].offset = 12;
  answer.placement.swap_transfers[1].offset = 12;
  ExpectOnly(Check(answer), kPlacement, 5, w_);
}

TEST_F(MakeRoom, EvictionWithoutItsMoveOverlapsWhatComesNext) {
  Answer answer(stream_);
  answer.In(w_, 600).RunAll({0, 1, 2}).In(o_, 0).RunAll({3, 4, 5, 6}).Peak(1104).Makespan(160);
  ExpectOnly(Check(answer), kOverlap, 3, o_);
}

TEST_F(MakeRoom, OneSharedByteIsAnOverlap) {
  hardware_.alignment = 1;
  Answer answer(stream_);
  answer.In(w_, 600).RunAll({0, 1, 2}).StoreOut(w_).In(o_, 0).Run(3);
  // P2 runs and o is taken until its wait; w comes back at its last byte.
  answer.LoadBack(w_, 600).RunAll({4, 5, 6}).Peak(1100).Makespan(360);
  ExpectOnly(answer.CheckWithoutNumbers(hardware_), kOverlap, 4, w_);
}

TEST_F(MakeRoom, BufferThatNeverComesInIsReportedAtItsFirstUser) {
  Answer answer = Valid();
  answer.placement.moves.erase(answer.placement.moves.begin() + 2);
  ExpectOnly(answer.CheckWithoutNumbers(hardware_), kPlacement, 3, o_);
}

TEST_F(MakeRoom, BufferThatDoesNotComeBackIsReportedAtItsNextUser) {
  Answer answer(stream_);
  answer.In(w_, 600).RunAll({0, 1, 2}).StoreOut(w_).In(o_, 0).RunAll({3, 4, 5, 6});
  ExpectOnly(answer.CheckWithoutNumbers(hardware_), kPlacement, 5, w_);
}

TEST_F(MakeRoom, BufferThatComesInLateIsReportedOnce) {
  Answer answer(stream_);
  answer.In(w_, 600).RunAll({0, 1, 2}).StoreOut(w_).Run(3).In(o_, 0).Run(4);
  answer.LoadBack(w_, 8).RunAll({5, 6});
  ExpectOnly(answer.CheckWithoutNumbers(hardware_), kPlacement, 3, o_);
}

TEST_F(MakeRoom, BufferThatComesInEarlyIsASwapViolation) {
  // There is room for o beside w, but P1 does not use it.
  hardware_.lram_bytes = 1104;
  Answer answer(stream_);
  answer.In(w_, 704).Run(0).In(o_, 0).RunAll({1, 2, 3, 4, 5, 6});
  ExpectOnly(answer.CheckWithoutNumbers(hardware_), kSwap, 1, o_);
}

TEST_F(MakeRoom, EvictionUnderARunningProgramIsASwapViolation) {
  Answer answer(stream_);
  answer.In(w_, 600).RunAll({0, 1}).StoreOut(w_).Run(2).In(o_, 0).RunAll({3, 4});
  answer.LoadBack(w_, 8).RunAll({5, 6});
  ExpectOnly(answer.CheckWithoutNumbers(hardware_), kSwap, 2, w_);
}

TEST_F(MakeRoom, SecondComingInIsASwapViolation) {
  Answer answer(stream_);
  answer.In(w_, 600).Run(0).In(w_, 600).RunAll({1, 2}).StoreOut(w_).In(o_, 0).RunAll({3, 4});
  answer.LoadBack(w_, 8).RunAll({5, 6}).Peak(704).Makespan(360);
  ExpectOnly(Check(answer), kSwap, 1, w_);
}

TEST_F(MakeRoom, EvictionOfWhatIsNotInIsASwapViolation) {
  Answer answer = Valid();
  answer.placement.moves.insert(answer.placement.moves.begin(), {0, false, BufferIndex(w_), 600});
  ++answer.placement.swaps;
  ExpectOnly(Check(answer), kSwap, 0, w_);
}

TEST_F(MakeRoom, EvictionAfterTheLastUserIsASwapViolation) {
  Answer answer = Valid();
  answer.placement.moves.push_back({9, false, BufferIndex(w_), 8});
  ++answer.placement.swaps;
  ExpectOnly(Check(answer), kSwap, {}, w_);
}

TEST_F(MakeRoom, ComingInAfterTheLastUserIsASwapViolation) {
  Answer answer = Valid();
  answer.placement.moves.push_back({9, true, BufferIndex(w_), 8});
  ExpectOnly(Check(answer), kSwap, {}, w_);
}

TEST_F(MakeRoom, EvictionFromAnotherOffsetIsASwapViolation) {
  Answer answer = Valid();
  answer.placement.moves[1].offset = 0;
  ExpectOnly(Check(answer), kSwap, 3, w_);
}

TEST_F(MakeRoom, TransferAtAnotherOffsetIsASwapViolation) {
  Answer answer = Valid();
  answer.placement.swap_transfers[0].offset = 592;
  ExpectOnly(Check(answer), kSwap, 3, w_);
  answer = Valid();
  answer.placement.swap_transfers[1].offset = 600;
  ExpectOnly(Check(answer), kSwap, 5, w_);
}

TEST_F(MakeRoom, StoreWithoutItsEvictionIsASwapViolation) {
  Answer answer(stream_);
  answer.In(w_, 600).Run(0).SwapStore(w_).RunAll({1, 2}).StoreOut(w_).In(o_, 0).RunAll({3, 4});
  answer.LoadBack(w_, 8).RunAll({5, 6});
  ExpectOnly(answer.CheckWithoutNumbers(hardware_), kSwap, 1, w_);
}

TEST_F(MakeRoom, LoadWithoutItsComingBackIsASwapViolation) {
  Answer twice(stream_);
  twice.In(w_, 600).RunAll({0, 1, 2}).StoreOut(w_).In(o_, 0).RunAll({3, 4});
  twice.LoadBack(w_, 8).SwapLoad(w_).RunAll({5, 6});
  ExpectOnly(twice.CheckWithoutNumbers(hardware_), kSwap, 5, w_);
}

TEST_F(MakeRoom, LoadOfWhatIsOutIsASwapViolation) {
  Answer answer(stream_);
  answer.In(w_, 600).RunAll({0, 1, 2}).StoreOut(w_).SwapLoad(w_).In(o_, 0).RunAll({3, 4});
  answer.LoadBack(w_, 8).RunAll({5, 6});
  ExpectOnly(answer.CheckWithoutNumbers(hardware_), kSwap, 3, w_);
}

TEST_F(MakeRoom, EveryCountIsCompared) {
  Answer answer = Valid();
  ++answer.placement.swaps;
  ExpectOnly(Check(answer), kSwap, {}, {});
  answer = Valid();
  ++answer.placement.stores;
  ExpectOnly(Check(answer), kSwap, {}, {});
  answer = Valid();
  --answer.placement.loads;
  ExpectOnly(Check(answer), kSwap, {}, {});
  answer = Valid();
  answer.placement.swap_bytes += 8;
  ExpectOnly(Check(answer), kSwap, {}, {});
}

TEST_F(MakeRoom, EntriesOutOfOrderAreSwapViolations) {
  Answer answer = Valid();
  std::swap(answer.placement.moves[0], answer.placement.moves[1]);
  ExpectOnly(Check(answer), kSwap, {}, w_);
  answer = Valid();
  answer.placement.swap_transfers[1].entry = 3;
  ExpectOnly(Check(answer), kSwap, {}, w_);
}

TEST_F(MakeRoom, EntriesBeyondThePlacedStreamAreSwapViolations) {
  Answer answer = Valid();
  answer.placement.moves[3].entry = 10;
  ExpectOnly(Check(answer), kSwap, {}, w_);
  answer = Valid();
  answer.placement.swap_transfers[1].entry = 9;
  ExpectOnly(Check(answer), kSwap, {}, w_);
}

TEST_F(MakeRoom, BuffersThatHaveNoPlaceInLramAreSwapViolations) {
  Answer answer = Valid();
  answer.placement.moves[0].buffer = BufferIndex(x_);
  ExpectOnly(Check(answer), kSwap, {}, x_);
  answer.placement.moves[0].buffer = BufferIndex(3);
  ExpectOnly(Check(answer), kSwap, {}, {});
}

// One LRAM buffer with the flags of the test; a program updates it twice.
class OneBuffer : public testing::Test {
 protected:
  void Make(const Buffer& buffer) {
    scene_.Add("b", buffer);
    scene_.Start(10, {Updates(0)});  // 0
    scene_.Wait(0);                  // 1
    scene_.Start(10, {Updates(0)});  // 2
    scene_.Wait(2);                  // 3
    stream_ = scene_.Build();
  }
  Verification Whole(uint64_t offset) {
    Answer answer(stream_);
    return answer.In(0, offset).RunAll({0, 1, 2, 3}).CheckWithoutNumbers(hardware_);
  }
  Verification Swapped() {
    Answer answer(stream_);
    answer.In(0, 0).RunAll({0, 1}).StoreOut(0).LoadBack(0, 0).RunAll({2, 3});
    return answer.CheckWithoutNumbers(hardware_);
  }

  Scene scene_;
  Stream stream_;
  Hardware hardware_ = SmallChip();
};

TEST_F(OneBuffer, OrdinaryOneMayBeSwapped) {
  Make(Scene::Sized(100));
  ExpectHolds(Swapped());
}

TEST_F(OneBuffer, FixedOneMustLieAtItsOffsetWhateverTheAlignment) {
  Buffer buffer = Scene::Sized(100);
  buffer.has_fixed_offset = true;
  buffer.fixed_offset = 4;
  Make(buffer);
  ExpectHolds(Whole(4));
  ExpectOnly(Whole(8), kPlacement, 0, 0);
}

TEST_F(OneBuffer, FixedOneIsNeverEvicted) {
  Buffer buffer = Scene::Sized(100);
  buffer.has_fixed_offset = true;
  Make(buffer);
  ExpectOnly(Swapped(), kSwap, 2, 0);
}

TEST_F(OneBuffer, LiveInOneIsNeverEvicted) {
  Buffer buffer = Scene::Sized(100);
  buffer.live_in = true;
  Make(buffer);
  ExpectHolds(Whole(0));
  ExpectOnly(Swapped(), kSwap, 2, 0);
}

TEST_F(OneBuffer, LiveOutOneIsNeverEvicted) {
  Buffer buffer = Scene::Sized(100);
  buffer.live_out = true;
  Make(buffer);
  ExpectHolds(Whole(0));
  ExpectOnly(Swapped(), kSwap, 2, 0);
}

TEST_F(OneBuffer, OwnAlignmentCountsBesideTheHardwares) {
  Buffer buffer = Scene::Sized(100);
  buffer.alignment = 64;
  Make(buffer);
  ExpectHolds(Whole(128));
  ExpectOnly(Whole(8), kPlacement, 0, 0);
}

TEST_F(OneBuffer, WithoutBytesNeedsNoMove) {
  Make(Scene::Sized(0));
  Answer answer(stream_);
  ExpectHolds(answer.RunAll({0, 1, 2, 3}).Makespan(20).Check(hardware_));
  ExpectHolds(Whole(5000));
}

TEST_F(OneBuffer, LargerThanLramIsAPlacementViolation) {
  Make(Scene::Sized(1001));
  ExpectOnly(Whole(0), kPlacement, 0, 0);
}

TEST_F(OneBuffer, ThatNeverComesInIsReportedAtItsFirstUserOnly) {
  Make(Scene::Sized(100));
  Answer answer(stream_);
  ExpectOnly(answer.RunAll({0, 1, 2, 3}).Makespan(20).Check(hardware_), kPlacement, 0, 0);
}

TEST(LiveIn, ComesInBeforeTheFirstOpAndStaysToItsLastUser) {
  Scene scene;
  Buffer buffer = Scene::Sized(600);
  buffer.live_in = true;
  const uint32_t a = scene.Add("a", buffer);
  const uint32_t b = scene.Lram("b", 600);
  scene.Barrier(1);             // 0
  scene.Store(10, {Reads(a)});  // 1
  scene.Store(10, {Reads(b)});  // 2: undefined bytes
  const Stream stream = scene.Build();
  Answer answer(stream);
  answer.In(a, 0).RunAll({0, 1}).In(b, 0).Run(2).Peak(600).Makespan(21);
  answer.claim.peak_live_bytes = 600;
  ExpectHolds(answer.Check(SmallChip()));

  Answer late(stream);
  late.Run(0).In(a, 0).Run(1).In(b, 0).Run(2);
  ExpectOnly(late.CheckWithoutNumbers(SmallChip()), kPlacement, {}, a);
}

TEST(LiveOut, StaysInAfterItsLastUser) {
  Scene scene;
  Buffer buffer = Scene::Sized(600);
  buffer.live_out = true;
  const uint32_t a = scene.Add("a", buffer);
  const uint32_t b = scene.Lram("b", 600);
  scene.Start(10, {Writes(a)});  // 0
  scene.Wait(0);                 // 1
  scene.Start(10, {Writes(b)});  // 2
  scene.Wait(2);                 // 3
  const Stream stream = scene.Build();
  Answer answer(stream);
  answer.In(a, 0).RunAll({0, 1}).In(b, 400).RunAll({2, 3}).Peak(1200).Makespan(20);
  answer.claim.peak_live_bytes = 1200;
  ExpectOnly(answer.Check(SmallChip()), kOverlap, 2, b);
}

TEST(LiveInAndOut, WithoutUsersIsThereThroughout) {
  Scene scene;
  Buffer buffer = Scene::Sized(100);
  buffer.live_in = true;
  buffer.live_out = true;
  const uint32_t kept = scene.Add("kept", buffer);
  buffer.live_out = false;
  const uint32_t never = scene.Add("never", buffer);
  scene.Barrier(1);
  const Stream stream = scene.Build();
  Answer answer(stream);
  answer.In(kept, 0).Run(0).Peak(104).Makespan(1);
  answer.claim.peak_live_bytes = 100;
  ExpectHolds(answer.Check(SmallChip()));
  Answer without(stream);
  ExpectOnly(without.Run(0).Makespan(1).Check(SmallChip()), kPlacement, {}, kept);
  Answer both(stream);
  both.In(kept, 0).In(never, 104).Run(0).Peak(104).Makespan(1);
  ExpectOnly(both.Check(SmallChip()), kSwap, 0, never);
}

TEST(Deaths, RangeIsFreeAfterTheEntryOfTheLastUserNotBefore) {
  Scene scene;
  const uint32_t a = scene.Lram("a", 600);
  const uint32_t b = scene.Lram("b", 600);
  scene.Barrier(1, {Writes(a)});  // 0
  scene.Barrier(1, {Reads(a)});   // 1
  scene.Barrier(1, {Writes(b)});  // 2
  const Stream stream = scene.Build();
  Answer answer(stream);
  answer.In(a, 0).RunAll({0, 1}).In(b, 0).Run(2).Peak(600).Makespan(3);
  answer.claim.peak_live_bytes = 600;
  ExpectHolds(answer.Check(SmallChip()));
}

TEST(Views, UserThroughViewsKeepsTheBufferAlive) {
  Scene scene;
  const uint32_t a = scene.Lram("a", 600);
  const uint32_t b = scene.Lram("b", 600);
  scene.Alloc(a);                // 0
  scene.View({0});               // 1
  scene.View({1});               // 2
  scene.Start(10, {}, {2});      // 3: uses a through both views
  scene.Start(10, {Writes(b)});  // 4
  scene.Wait(3);                 // 5
  scene.Wait(4);                 // 6
  const Stream stream = scene.Build();
  Answer answer(stream);
  answer.RunAll({0, 1, 2}).In(a, 0).RunAll({3, 5}).In(b, 0).RunAll({4, 6}).Peak(600);
  ExpectHolds(answer.Makespan(20).Check(SmallChip()));

  Answer beside(stream);
  beside.RunAll({0, 1, 2}).In(a, 0).Run(3).In(b, 400).RunAll({4, 5, 6});
  ExpectOnly(beside.CheckWithoutNumbers(SmallChip()), kOverlap, 4, b);

  Answer evicted(stream);
  evicted.RunAll({0, 1, 2}).In(a, 0).Run(3).Out(a).In(b, 0).RunAll({4, 5, 6});
  ExpectOnly(evicted.CheckWithoutNumbers(SmallChip()), kSwap, 4, a);

  Answer missing(stream);
  missing.RunAll({0, 1, 2}).In(a, 0).Out(a).RunAll({3, 5}).In(b, 0).RunAll({4, 6});
  ExpectOnly(missing.CheckWithoutNumbers(SmallChip()), kPlacement, 3, a);
}

TEST(Views, OpThatJoinsTwoAllocsUsesBoth) {
  Scene scene;
  const uint32_t a = scene.Lram("a", 100);
  const uint32_t b = scene.Lram("b", 100);
  scene.Alloc(a);                // 0
  scene.Alloc(b);                // 1
  scene.View({0, 1});            // 2
  scene.Barrier(1, {}, {2, 0});  // 3
  scene.Barrier(1, {}, {2});     // 4
  const Stream stream = scene.Build();
  Answer answer(stream);
  answer.RunAll({0, 1, 2}).In(a, 0).In(b, 104).Run(3).Out(a).Out(b).Run(4);
  const Verification verification = answer.CheckWithoutNumbers(SmallChip());
  ASSERT_EQ(verification.violations.size(), 2) << Listed(verification);
  EXPECT_TRUE(verification.violations[0].op == OpIndex(4));
  EXPECT_TRUE(verification.violations[1].op == OpIndex(4));
}

TEST(Allocs, BufferMayComeInAtItsAllocOrAtItsFirstUser) {
  Scene scene;
  const uint32_t a = scene.Lram("a", 100);
  const uint32_t b = scene.Lram("b", 200);
  scene.Alloc(a);                      // 0
  scene.Barrier(1, {Writes(b)});       // 1
  scene.Barrier(1, {Writes(a)}, {0});  // 2
  const Stream stream = scene.Build();
  Answer at_alloc(stream);
  at_alloc.In(a, 0).Run(0).In(b, 104).RunAll({1}).Run(2).Peak(304).Makespan(2);
  at_alloc.claim.peak_live_bytes = 200;  // in the prediction a is born at its first user
  ExpectHolds(at_alloc.Check(SmallChip()));
  Answer at_user(stream);
  at_user.Run(0).In(b, 104).Run(1).In(a, 0).Run(2).Peak(200).Makespan(2);
  ExpectHolds(at_user.Check(SmallChip()));
  Answer between(stream);
  between.Run(0).In(b, 104).In(a, 0).RunAll({1, 2}).Peak(304).Makespan(2);
  ExpectOnly(between.Check(SmallChip()), kSwap, 1, a);
}

TEST(Allocs, AllocAfterTheLastUserBringsNothingIn) {
  Scene scene;
  const uint32_t a = scene.Lram("a", 100);
  scene.Barrier(1, {Writes(a)});  // 0: does not list the alloc
  scene.Alloc(a);                 // 1
  const Stream stream = scene.Build();
  Answer answer(stream);
  answer.In(a, 0).Run(0).In(a, 0).Run(1).Peak(104).Makespan(1);
  ExpectOnly(answer.Check(SmallChip()), kSwap, 1, a);
}

TEST(Allocs, SwapsInFrontOfTheFirstUserBelongToIt) {
  Scene scene;
  const uint32_t a = scene.Lram("a", 400);
  const uint32_t b = scene.Lram("b", 400);
  const uint32_t c = scene.Lram("c", 400);
  scene.Barrier(1, {Writes(a)});             // 0
  scene.Barrier(1, {Writes(b), Writes(c)});  // 1
  scene.Barrier(1, {Reads(a)});              // 2
  const Stream stream = scene.Build();
  Answer answer(stream);
  answer.In(a, 0).Run(0).In(b, 400).StoreOut(a).In(c, 0).Run(1).LoadBack(a, 0).Run(2);
  ExpectHolds(answer.Peak(800).Makespan(203).Check(SmallChip()));
}

TEST(Overlaps, RangeIsStillSeenAfterItWasOverlaidBefore) {
  // b lies over a and dies; c over a is another overlap.
  Scene scene;
  const uint32_t a = scene.Lram("a", 100);
  const uint32_t b = scene.Lram("b", 100);
  const uint32_t c = scene.Lram("c", 100);
  scene.Barrier(1, {Writes(a)});
  scene.Barrier(1, {Writes(b)});
  scene.Barrier(1, {Writes(c)});
  scene.Barrier(1, {Reads(a)});
  const Stream stream = scene.Build();
  Answer answer(stream);
  answer.In(a, 0).Run(0).In(b, 0).Run(1).In(c, 96).RunAll({2, 3});
  const Verification verification = answer.CheckWithoutNumbers(SmallChip());
  ASSERT_EQ(verification.violations.size(), 2) << Listed(verification);
  EXPECT_TRUE(verification.violations[0].buffer == BufferIndex(b));
  EXPECT_TRUE(verification.violations[1].buffer == BufferIndex(c));
}

}  // namespace
}  // namespace torqsched
