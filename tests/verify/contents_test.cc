// What swapped buffers hold: which evictions need a store and which comings back a load.
#include <cstdint>

#include "gtest/gtest.h"
#include "tests/verify/scene.h"

namespace torqsched {
namespace {

constexpr ViolationKind kContents = ViolationKind::kContents;

// w, 64 bytes, is written by a load from x (or from a constant), and read at the end; the test says
// what happens in between.
class Swaps : public testing::Test {
 protected:
  Swaps() {
    Buffer constant;
    constant.size = 64;
    constant.constant = true;
    x_ = scene_.Xram("x", 64);
    k_ = scene_.Add("constant", constant);
    w_ = scene_.Lram("w", 64);
  }
  Verification Check(Answer answer) { return answer.CheckWithoutNumbers(SmallChip()); }

  Scene scene_;
  uint32_t x_, k_, w_;
};

TEST_F(Swaps, EvictionWithoutAStoreLosesTheContents) {
  scene_.Load(1, {Reads(x_), Writes(w_)});
  scene_.Store(1, {Reads(w_)});
  const Stream stream = scene_.Build();
  ExpectOnly(Check(Answer(stream).In(w_, 0).Run(0).Out(w_).In(w_, 0).Run(1)), kContents, 1, w_);
  ExpectOnly(Check(Answer(stream).In(w_, 0).Run(0).Out(w_).LoadBack(w_, 0).Run(1)), kContents, 1,
             w_);
}

TEST_F(Swaps, ComingBackWithoutALoadIsGarbage) {
  scene_.Load(1, {Reads(x_), Writes(w_)});
  scene_.Store(1, {Reads(w_)});
  const Stream stream = scene_.Build();
  ExpectOnly(Check(Answer(stream).In(w_, 0).Run(0).StoreOut(w_).In(w_, 0).Run(1)), kContents, 1,
             w_);
  ExpectHolds(Check(Answer(stream).In(w_, 0).Run(0).StoreOut(w_).LoadBack(w_, 8).Run(1)));
}

TEST_F(Swaps, SecondEvictionIsFreeWhileTheCopyIsValid) {
  scene_.Load(1, {Reads(x_), Writes(w_)});
  scene_.Store(1, {Reads(w_)});
  scene_.Store(1, {Reads(w_)});
  const Stream stream = scene_.Build();
  Answer answer(stream);
  answer.In(w_, 0).Run(0).StoreOut(w_).LoadBack(w_, 0).Run(1).Out(w_).LoadBack(w_, 0).Run(2);
  ExpectHolds(Check(answer));
}

TEST_F(Swaps, WriteMakesTheCopyStale) {
  scene_.Load(1, {Reads(x_), Writes(w_)});         // 0
  scene_.Load(1, {Reads(x_), Writes(w_, 16, 8)});  // 1
  scene_.Store(1, {Reads(w_)});                    // 2
  const Stream stream = scene_.Build();
  Answer free(stream);
  free.In(w_, 0).Run(0).StoreOut(w_).LoadBack(w_, 0).Run(1).Out(w_).LoadBack(w_, 0).Run(2);
  const Verification verification = Check(free);
  ExpectOnly(verification, kContents, 2, w_);
  EXPECT_NE(FirstMessage(verification).find("from byte 16"), std::string::npos)
      << Listed(verification);
  Answer stored(stream);
  stored.In(w_, 0).Run(0).StoreOut(w_).LoadBack(w_, 0).Run(1).StoreOut(w_).LoadBack(w_, 0).Run(2);
  ExpectHolds(Check(stored));
}

TEST_F(Swaps, StaleCopyStillHasTheBytesThatWereNotWritten) {
  scene_.Load(1, {Reads(x_), Writes(w_)});        // 0
  scene_.Load(1, {Reads(x_), Writes(w_, 0, 8)});  // 1
  scene_.Store(1, {Reads(w_, 8, 56)});            // 2
  scene_.Store(1, {Reads(w_, 0, 16)});            // 3
  const Stream stream = scene_.Build();
  Answer answer(stream);
  answer.In(w_, 0).Run(0).StoreOut(w_).LoadBack(w_, 0).Run(1).Out(w_).LoadBack(w_, 0);
  ExpectOnly(Check(answer.RunAll({2, 3})), kContents, 3, w_);
}

TEST_F(Swaps, NeitherStoreNorLoadBeforeAFullOverwrite) {
  scene_.Load(1, {Reads(x_), Writes(w_)});
  scene_.Load(1, {Reads(x_), Writes(w_)});
  scene_.Store(1, {Reads(w_)});
  const Stream stream = scene_.Build();
  ExpectHolds(Check(Answer(stream).In(w_, 0).Run(0).Out(w_).In(w_, 0).RunAll({1, 2})));
}

TEST_F(Swaps, PartialOverwriteLeavesTheRestLost) {
  scene_.Load(1, {Reads(x_), Writes(w_)});
  scene_.Load(1, {Reads(x_), Writes(w_, 0, 63)});
  scene_.Store(1, {Reads(w_, 0, 63)});
  scene_.Store(1, {Reads(w_, 63, 1)});
  const Stream stream = scene_.Build();
  ExpectOnly(Check(Answer(stream).In(w_, 0).Run(0).Out(w_).In(w_, 0).RunAll({1, 2, 3})), kContents,
             3, w_);
}

TEST_F(Swaps, UpdateOfLostBytesReadsThemFirst) {
  scene_.Load(1, {Reads(x_), Writes(w_)});
  scene_.Start(1, {Updates(w_)});
  scene_.Wait(1);
  const Stream stream = scene_.Build();
  ExpectOnly(Check(Answer(stream).In(w_, 0).Run(0).Out(w_).In(w_, 0).RunAll({1, 2})), kContents, 1,
             w_);
}

TEST_F(Swaps, StoreOfLostBytesStoresNothingGood) {
  scene_.Load(1, {Reads(x_), Writes(w_)});
  scene_.Barrier(1);
  scene_.Store(1, {Reads(w_)});
  const Stream stream = scene_.Build();
  Answer answer(stream);
  answer.In(w_, 0).Run(0).Out(w_).Run(1).In(w_, 0).StoreOut(w_).LoadBack(w_, 0).Run(2);
  ExpectOnly(Check(answer), kContents, 2, w_);
}

TEST_F(Swaps, UndefinedBytesStayUndefined) {
  scene_.Load(1, {Reads(x_), Writes(w_, 0, 8)});
  scene_.Store(1, {Reads(w_, 8, 56)});
  scene_.Load(1, {Reads(x_), Writes(w_)});
  const Stream stream = scene_.Build();
  ExpectHolds(Check(Answer(stream).In(w_, 0).Run(0).Out(w_).In(w_, 0).RunAll({1, 2})));
}

TEST_F(Swaps, LiveInContentsAreLostLikeAnyOther) {
  Buffer buffer = Scene::Sized(64);
  buffer.live_in = true;
  const uint32_t in = scene_.Add("in", buffer);
  scene_.Store(1, {Reads(in)});
  const Stream stream = scene_.Build();
  const Verification verification = Check(Answer(stream).In(in, 0).Out(in).In(in, 0).Run(0));
  ASSERT_EQ(verification.violations.size(), 2) << Listed(verification);
  EXPECT_EQ(verification.violations[0].kind, ViolationKind::kSwap);
  EXPECT_EQ(verification.violations[1].kind, kContents);
}

TEST_F(Swaps, ConstantIsDroppedWithoutAStoreAndLoadedAgain) {
  scene_.Load(1, {Reads(k_), Writes(w_)});
  scene_.Store(1, {Reads(w_)});
  const Stream stream = scene_.Build();
  ExpectHolds(Check(Answer(stream).In(w_, 0).Run(0).Out(w_).LoadBack(w_, 0).Run(1)));
  ExpectOnly(Check(Answer(stream).In(w_, 0).Run(0).Out(w_).In(w_, 0).Run(1)), kContents, 1, w_);
}

TEST_F(Swaps, ConstantThatWasChangedInLramCannotBeLoadedAgain) {
  scene_.Load(1, {Reads(k_), Writes(w_)});
  scene_.Load(1, {Reads(x_), Writes(w_, 0, 8)});
  scene_.Store(1, {Reads(w_)});
  const Stream stream = scene_.Build();
  Answer answer(stream);
  ExpectOnly(Check(answer.In(w_, 0).RunAll({0, 1}).Out(w_).LoadBack(w_, 0).Run(2)), kContents, 2,
             w_);
}

TEST_F(Swaps, OneTransferCannotLoadTwoConstantsAgain) {
  scene_.Load(1, {Reads(k_), Writes(w_, 0, 32)});
  scene_.Load(1, {Reads(k_), Writes(w_, 32, 32)});
  scene_.Store(1, {Reads(w_)});
  const Stream stream = scene_.Build();
  Answer answer(stream);
  ExpectOnly(Check(answer.In(w_, 0).RunAll({0, 1}).Out(w_).LoadBack(w_, 0).Run(2)), kContents, 2,
             w_);
}

TEST_F(Swaps, XramThatIsNotConstantCannotBeLoadedAgain) {
  scene_.Load(1, {Reads(k_), Reads(x_), Writes(w_)});
  scene_.Store(1, {Reads(w_)});
  const Stream stream = scene_.Build();
  ExpectOnly(Check(Answer(stream).In(w_, 0).Run(0).Out(w_).LoadBack(w_, 0).Run(1)), kContents, 1,
             w_);
}

}  // namespace
}  // namespace torqsched
