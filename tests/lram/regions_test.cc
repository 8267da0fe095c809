// OFFLINE in LRAM of several regions, worked out by hand. Every placement goes through the checker.
//
// LRAM has 100 bytes, and every buffer goes to the highest free range.
#include <cstdint>

#include "gtest/gtest.h"
#include "src/graph/problem.h"
#include "src/lram/offline.h"
#include "src/schedule/input_schedule.h"
#include "src/verify/verify.h"
#include "tests/stream/stream_maker.h"

namespace torqsched {
namespace {

class Regions : public testing::Test {
 protected:
  Regions() { hardware_.lram_bytes = 100; }

  OfflinePlacement Place() {
    stream_ = maker_.Build();
    const auto problem = ScheduleProblem::Make(stream_, hardware_);
    EXPECT_TRUE(problem.ok()) << problem.status();
    if (!problem.ok()) return OfflinePlacement();
    const Schedule input = InputSchedule(stream_);
    OfflinePlacement answer =
        PlaceOffline(**problem, input.order, input.slice, /*swaps_allowed=*/true);
    Claim claim;
    claim.order = input.order;
    claim.placement = &answer.placement;
    for (const Violation& v : Verify(stream_, hardware_, claim).violations) {
      ADD_FAILURE() << v.message;
    }
    return answer;
  }

  uint64_t OffsetOf(const Placement& placement, uint32_t buffer) {
    for (const Move& move : placement.moves) {
      if (move.buffer == BufferIndex(buffer)) return move.offset;
    }
    return UINT64_MAX;
  }

  void Load(uint32_t buffer) { maker_.Load(10, {Writes(buffer)}); }
  void Store(uint32_t buffer) { maker_.Store(10, {Reads(buffer)}); }

  StreamMaker maker_;
  Hardware hardware_;
  Stream stream_;
};

// SEQUENTIAL puts 0 at [70, 100) and 1 at [40, 70); once 0 is gone, 2 finds [0, 40) and [70, 100),
// and 1 has to go. With 1 in the lower region, 2 fits into the upper one after 0.
TEST_F(Regions, ArePackedWithoutASwap) {
  hardware_.region_bytes = {40, 60};
  for (const uint64_t size : {30, 30, 45}) maker_.Lram(size);
  Load(0);
  Load(1);
  Store(0);
  Load(2);
  Store(1);
  Store(2);
  const OfflinePlacement answer = Place();
  ASSERT_TRUE(answer.placement.placed);
  EXPECT_EQ(answer.sequential.swaps, 1u);
  EXPECT_EQ(answer.placement.swaps, 0u);
  EXPECT_LE(OffsetOf(answer.placement, 1), 10u);
  EXPECT_GE(OffsetOf(answer.placement, 2), 40u);
}

// Three of 40 bytes fit 120 of LRAM, but not its regions of 60: only two of them at once.
TEST_F(Regions, TakeSwapsWhereNoPackingHelps) {
  hardware_.lram_bytes = 120;
  hardware_.region_bytes = {60, 60};
  for (int i = 0; i < 3; ++i) maker_.Lram(40);
  for (const uint32_t b : {0, 1, 2}) Load(b);
  for (const uint32_t b : {0, 1, 2}) Store(b);
  const OfflinePlacement answer = Place();
  ASSERT_TRUE(answer.placement.placed);
  EXPECT_EQ(answer.placement.swaps, 1u);
  EXPECT_EQ(answer.placement.swap_bytes, 80u);  // out and back
}

// An op with three of 40 bytes is placed by nobody; the bytes would do.
TEST_F(Regions, OneOpWhoseBuffersTheyDoNotHoldIsNotPlaced) {
  hardware_.lram_bytes = 120;
  hardware_.region_bytes = {60, 60};
  for (int i = 0; i < 3; ++i) maker_.Lram(40);
  maker_.Load(10, {Writes(0), Writes(1), Writes(2)});
  const OfflinePlacement answer = Place();
  ASSERT_FALSE(answer.placement.placed);
  EXPECT_EQ(answer.placement.failure.reason, FailureReason::kFragmentation);
  EXPECT_EQ(answer.placement.failure.largest_range, 20u);
}

// At the second op 110 bytes must be in, of which 10 are in before: 90 are free, but in regions.
TEST_F(Regions, AFailureByCapacityTellsNoRangeLongerThanOneOfThem) {
  hardware_.region_bytes = {50, 50};
  for (const uint64_t size : {10, 50, 50}) maker_.Lram(size);
  Load(0);
  maker_.Load(10, {Writes(1), Writes(2), Reads(0)});
  Store(0);
  const OfflinePlacement answer = Place();
  ASSERT_FALSE(answer.placement.placed);
  EXPECT_EQ(answer.placement.failure.reason, FailureReason::kCapacity);
  EXPECT_EQ(answer.placement.failure.op, OpIndex(1));
  EXPECT_EQ(answer.placement.failure.free_bytes, 90u);
  EXPECT_EQ(answer.placement.failure.largest_range, 50u);
}

}  // namespace
}  // namespace torqsched
