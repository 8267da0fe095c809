// The checker's own clock, and the peak of live bytes.
#include <cstdint>
#include <limits>

#include "gtest/gtest.h"
#include "tests/verify/scene.h"

namespace torqsched {
namespace {

uint64_t Predicted(const Stream& stream, const Hardware& hardware) {
  return Verify(stream, hardware, InputOrder(stream)).predicted_makespan;
}

TEST(Clock, QueuedProgramBeginsWhenItsSliceIsFree) {
  Scene scene;
  scene.Start(100, {});  // 0
  scene.Start(50, {});   // 1: the same slice
  scene.Wait(1);         // 2
  scene.Wait(0);         // 3
  const Stream stream = scene.Build();
  EXPECT_EQ(Predicted(stream, SmallChip()), 150);
}

TEST(Clock, StartCyclesComeBetweenTheStarts) {
  Scene scene;
  scene.Start(100, {});
  scene.Start(100, {});
  scene.Wait(0);
  scene.Wait(1);
  const Stream stream = scene.Build();
  Hardware hardware = SmallChip();
  hardware.start_cycles = 7;
  Claim claim = InputOrder(stream);
  claim.slices[1].second = 1;
  claim.predicted_makespan = 107;
  ExpectHolds(Verify(stream, hardware, claim));
}

TEST(Clock, SwapCostsTheWholeBufferRoundedUpToACycle) {
  Scene scene;
  const uint32_t a = scene.Lram("a", 5120);
  scene.Barrier(0, {Writes(a)});
  scene.Barrier(0, {Reads(a)});
  const Stream stream = scene.Build();
  Hardware hardware = SmallChip();
  hardware.lram_bytes = 10000;
  hardware.dma_bytes = 832;
  hardware.dma_cycles = 175;
  Answer answer(stream);
  answer.In(a, 0).Run(0).StoreOut(a).LoadBack(a, 0).Run(1).Peak(5120).Makespan(2 * 1077);
  answer.claim.predicted_makespan = 0;
  answer.claim.allocated_makespan = 2 * 1077;
  ExpectHolds(answer.Check(hardware));
  answer.claim.allocated_makespan = 2 * 1076;
  ExpectOnly(answer.Check(hardware), ViolationKind::kPrice, {}, {});
}

TEST(Clock, BlockTransferComesBeforeEveryNthOpThatIsNotPure) {
  Scene scene;
  for (int i = 0; i < 3; ++i) scene.View({});
  for (int i = 0; i < 7; ++i) scene.Barrier(1);  // before the 3rd and the 6th
  const Stream stream = scene.Build();
  Hardware hardware = SmallChip();
  hardware.block_ops = 3;
  hardware.block_bytes = 10;  // 3 cycles
  EXPECT_EQ(Predicted(stream, hardware), 7 + 2 * 3);
  hardware.block_ops = 1;
  EXPECT_EQ(Predicted(stream, hardware), 7 + 7 * 3);
  hardware.block_ops = 8;
  EXPECT_EQ(Predicted(stream, hardware), 7);
}

TEST(Clock, SwapTransfersCountAsOpsOfABlock) {
  Scene scene;
  const uint32_t a = scene.Lram("a", 40);
  scene.Barrier(1, {Writes(a)});
  scene.Barrier(1, {Reads(a)});
  const Stream stream = scene.Build();
  Hardware hardware = SmallChip();
  hardware.block_ops = 3;
  hardware.block_bytes = 400;  // 100 cycles, before the third op: the load back
  Answer answer(stream);
  answer.In(a, 0).Run(0).StoreOut(a).LoadBack(a, 0).Run(1).Peak(40).Makespan(122);
  answer.claim.predicted_makespan = 2;
  ExpectHolds(answer.Check(hardware));
}

TEST(Clock, MakespanThatDoesNotFitIsAPriceViolation) {
  Scene scene;
  scene.Barrier(std::numeric_limits<uint64_t>::max());
  scene.Barrier(1);
  const Stream stream = scene.Build();
  Claim claim = InputOrder(stream);
  ExpectHolds(Verify(stream, SmallChip(), claim));
  claim.predicted_makespan = 0;
  const Verification verification = Verify(stream, SmallChip(), claim);
  ExpectOnly(verification, ViolationKind::kPrice, {}, {});
  EXPECT_EQ(verification.predicted_makespan, std::numeric_limits<uint64_t>::max());
}

TEST(Clock, SwapOfAHugeBufferIsPricedExactly) {
  Scene scene;
  const uint64_t size = uint64_t{1} << 62;
  const uint32_t a = scene.Lram("a", size);
  scene.Barrier(0, {Writes(a)});
  scene.Barrier(0, {Reads(a)});
  const Stream stream = scene.Build();
  Hardware hardware = SmallChip();
  hardware.lram_bytes = std::numeric_limits<uint64_t>::max();
  hardware.dma_bytes = uint64_t{1} << 62;
  hardware.dma_cycles = 1000000007;
  Answer answer(stream);
  answer.In(a, 0).Run(0).StoreOut(a).LoadBack(a, 0).Run(1).Peak(size).Makespan(2000000014);
  ExpectHolds(answer.Check(hardware));
  hardware.dma_bytes = 1;
  const Verification verification = answer.Check(hardware);
  ExpectOnly(verification, ViolationKind::kPrice, {}, {});
  EXPECT_EQ(verification.allocated_makespan, std::numeric_limits<uint64_t>::max());
}

TEST(Peak, DyingBufferCountsBesideTheOneThatItsLastUserCreates) {
  Scene scene;
  const uint32_t a = scene.Lram("a", 100);
  const uint32_t b = scene.Lram("b", 30);
  scene.Barrier(1, {Writes(a)});
  scene.Barrier(1, {Reads(a), Writes(b)});
  scene.Barrier(1, {Reads(b)});
  const Stream stream = scene.Build();
  Claim claim = InputOrder(stream);
  claim.peak_live_bytes = 130;
  ExpectHolds(Verify(stream, SmallChip(), claim));
  claim.peak_live_bytes = 100;
  ExpectOnly(Verify(stream, SmallChip(), claim), ViolationKind::kPeak, {}, {});
}

TEST(Peak, ProgramHoldsItsBuffersUntilItsWait) {
  Scene scene;
  const uint32_t a = scene.Lram("a", 100);
  const uint32_t b = scene.Lram("b", 100);
  scene.Start(1, {Writes(a)});
  scene.Start(1, {Writes(b)});
  scene.Wait(0);
  scene.Wait(1);
  const Stream stream = scene.Build();
  EXPECT_EQ(Verify(stream, SmallChip(), InputOrder(stream)).peak_live_bytes, 200);
  EXPECT_EQ(Verify(stream, SmallChip(), Order(stream, {0, 2, 1, 3})).peak_live_bytes, 100);
}

TEST(Peak, SumThatDoesNotFitIsAPeakViolation) {
  Scene scene;
  const uint64_t half = uint64_t{1} << 63;
  const uint32_t a = scene.Lram("a", half);
  const uint32_t b = scene.Lram("b", half);
  scene.Barrier(1, {Writes(a), Writes(b)});
  const Stream stream = scene.Build();
  Claim claim = InputOrder(stream);
  claim.peak_live_bytes = 0;
  const Verification verification = Verify(stream, SmallChip(), claim);
  ExpectOnly(verification, ViolationKind::kPeak, {}, {});
  EXPECT_EQ(verification.peak_live_bytes, std::numeric_limits<uint64_t>::max());
}

}  // namespace
}  // namespace torqsched
