// Regions and banks of LRAM: a placement that keeps to them, and every way to break it by one
// change.
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tests/verify/scene.h"

namespace torqsched {
namespace {

constexpr ViolationKind kPlacement = ViolationKind::kPlacement;
constexpr ViolationKind kBanks = ViolationKind::kBanks;

// LRAM of 1,000 bytes in regions of 300, 300 and 400; P reads a, b and c together.
class ReadTogether : public testing::Test {
 protected:
  ReadTogether() {
    hardware_.region_bytes = {300, 300, 400};
    hardware_.bank_bytes = 256;  // offsets 0, 256, 512 and 768 begin one
    for (const char* name : {"a", "b", "c"}) scene_.Lram(name, 200);
    for (uint32_t b = 0; b < 3; ++b) scene_.Load(10, {Writes(b)});
    scene_.Start(20, {Reads(0), Reads(1, 0, 10), Reads(1), Reads(2), Reads(2, 5, 0)});  // 3
    scene_.Wait(3);
    scene_.Store(10, {Reads(0)});
    stream_ = scene_.Build();
  }
  Answer At(uint64_t a, uint64_t b, uint64_t c) {
    Answer answer(stream_);
    answer.In(0, a).Run(0).In(1, b).Run(1).In(2, c).RunAll({2, 3, 4, 5});
    answer.Peak(600).Makespan(60);
    return answer;
  }

  Scene scene_;
  Stream stream_;
  Hardware hardware_ = SmallChip();
};

TEST_F(ReadTogether, EachInARegionHolds) {
  for (const uint64_t c : {600, 800}) ExpectHolds(At(96, 304, c).Check(hardware_));
}

TEST_F(ReadTogether, RangeInTwoRegionsIsAPlacementViolation) {
  ExpectOnly(At(104, 304, 600).Check(hardware_), kPlacement, 0, 0);
  ExpectOnly(At(0, 296, 600).Check(hardware_), kPlacement, 1, 1);
  ExpectOnly(At(0, 304, 592).Check(hardware_), kPlacement, 2, 2);
  hardware_.region_bytes.clear();
  ExpectHolds(At(104, 304, 592).Check(hardware_));
}

TEST_F(ReadTogether, RangeBeyondLramIsSaidOnce) {
  ExpectOnly(At(96, 304, 808).Check(hardware_), kPlacement, 2, 2);
  ExpectOnly(At(96, 304, UINT64_MAX - 7).Check(hardware_), kPlacement, 2, 2);
}

// Banks 0, 1, 2: none; 0, 0 (offset 208 is below 256), 2: one pair; 0, 0, 0: three.
TEST_F(ReadTogether, BankConflictsAreCounted) {
  hardware_.region_bytes.clear();
  const auto check = [&](uint64_t b, uint64_t c, uint64_t claimed) {
    Answer answer = At(0, b, c);
    answer.placement.bank_conflicts = claimed;
    return answer.Check(hardware_);
  };
  ExpectHolds(check(256, 512, 0));
  ExpectOnly(check(256, 512, 1), kBanks, {}, {});
  ExpectHolds(check(208, 512, 1));
  ExpectOnly(check(208, 512, 0), kBanks, {}, {});
  ExpectHolds(check(304, 504, 1));  // offset 504 is in bank 1
  hardware_.bank_bytes = 1000;
  ExpectHolds(check(208, 512, 3));
  ExpectOnly(check(208, 512, 2), kBanks, {}, {});
}

TEST_F(ReadTogether, BanksAreCountedFromTheStartOfLram) {
  hardware_.region_bytes.clear();
  hardware_.lram_reserved_bytes = 56;  // the first bank ends at offset 200
  Answer answer = At(0, 200, 456);
  answer.placement.bank_conflicts = 0;
  ExpectHolds(answer.Check(hardware_));
  answer = At(0, 200, 400);
  answer.placement.bank_conflicts = 1;
  ExpectHolds(answer.Check(hardware_));
}

TEST_F(ReadTogether, NoClaimIsNotCompared) { ExpectHolds(At(0, 304, 600).Check(hardware_)); }

TEST_F(ReadTogether, WithoutBanksThereAreNoConflicts) {
  hardware_.bank_bytes = 0;
  Answer answer = At(0, 304, 600);
  answer.placement.bank_conflicts = 1;
  ExpectOnly(answer.Check(hardware_), kBanks, {}, {});
}

// What never comes in is one fault, whatever its banks would be.
TEST_F(ReadTogether, WhereABufferIsMissingConflictsAreNotCompared) {
  Answer answer(stream_);
  answer.In(0, 0).Run(0).In(1, 304).RunAll({1, 2, 3, 4, 5}).Peak(400).Makespan(60);
  answer.placement.bank_conflicts = 7;
  ExpectOnly(answer.Check(hardware_), kPlacement, 2, 2);
}

// An eviction between two reads: the buffer counts where it is at each of them.
TEST(Banks, CountWhereABufferIsThen) {
  Scene scene;
  const uint32_t a = scene.Lram("a", 100);
  const uint32_t b = scene.Lram("b", 100);
  scene.Load(10, {Writes(a)});
  scene.Load(10, {Writes(b)});
  scene.Barrier(1, {Reads(a), Reads(b)});  // both in bank 0
  scene.Barrier(1, {Reads(a)});
  scene.Barrier(1, {Reads(a), Reads(b)});  // b came back in bank 1
  const Stream stream = scene.Build();
  Hardware hardware = SmallChip();
  hardware.bank_bytes = 500;
  Answer answer(stream);
  answer.In(a, 0).Run(0).In(b, 104).RunAll({1, 2}).StoreOut(b).Run(3).LoadBack(b, 504).Run(4);
  answer.placement.bank_conflicts = 1;
  ExpectHolds(answer.CheckWithoutNumbers(hardware));
  answer.placement.bank_conflicts = 2;
  ExpectOnly(answer.CheckWithoutNumbers(hardware), kBanks, {}, {});
}

// Numbers that CheckHardware would refuse.
TEST(Regions, SumsThatWrapAreNoTrouble) {
  Scene scene;
  scene.Lram("a", 100);
  scene.Load(10, {Writes(0)});
  const Stream stream = scene.Build();
  Hardware hardware = SmallChip();
  hardware.region_bytes = {UINT64_MAX, UINT64_MAX, 0, 5};
  hardware.bank_bytes = UINT64_MAX;
  Answer answer(stream);
  answer.In(0, 904).Run(0).Peak(104).Makespan(10);
  answer.placement.bank_conflicts = 0;
  ExpectOnly(answer.Check(hardware), kPlacement, 0, 0);  // ends beyond 1,000
}

}  // namespace
}  // namespace torqsched
