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

// ---- transfers that do not block ----------------------------------------------------------------

Hardware NonBlocking(uint32_t engines = 1, uint64_t issue_cycles = 0) {
  Hardware hardware = SmallChip();
  hardware.non_blocking_transfers = true;
  hardware.dma_engines = engines;
  hardware.transfer_issue_cycles = issue_cycles;
  return hardware;
}

TEST(NonBlocking, TheStreamGoesOnAndTheEngineQueues) {
  Scene scene;
  const uint32_t a = scene.Add("a", [] {
    Buffer buffer = Scene::Sized(20);
    buffer.live_out = true;
    return buffer;
  }());
  scene.Load(30, {Writes(a, 0, 10)});
  scene.Load(40, {Writes(a, 10, 10)});
  scene.Start(50, {Reads(a, 0, 10)});  // from 30
  scene.Wait(2);
  const Stream stream = scene.Build();
  EXPECT_EQ(Predicted(stream, NonBlocking()), 80);
  EXPECT_EQ(Predicted(stream, SmallChip()), 120);
  EXPECT_EQ(Predicted(stream, NonBlocking(1, 35)), 120);  // 35, 70, then the program
  Hardware slow = NonBlocking();
  slow.start_cycles = 100;
  EXPECT_EQ(Predicted(stream, slow), 130);
}

TEST(NonBlocking, TransfersAreOverWhenTheLastOneIs) {
  Scene scene;
  const uint32_t a = scene.Lram("a", 10);
  scene.Barrier(1, {Writes(a)});
  scene.Store(30, {Reads(a)});
  const Stream stream = scene.Build();
  EXPECT_EQ(Predicted(stream, NonBlocking()), 31);
}

TEST(NonBlocking, ReadersWaitForWritersAndWritersForReaders) {
  Scene scene;
  const uint32_t a = scene.Lram("a", 10);
  const uint32_t x = scene.Xram("x", 10);
  scene.Load(10, {Reads(x), Writes(a)});  // 0 to 10
  scene.Store(20, {Reads(a)});            // 10 to 30
  scene.Store(30, {Reads(a)});            // 10 to 40
  scene.Load(5, {Writes(a)});             // 40 to 45
  scene.Store(5, {Reads(a), Writes(x)});  // 45 to 50
  const Stream stream = scene.Build();
  EXPECT_EQ(Predicted(stream, NonBlocking(4)), 50);
}

TEST(NonBlocking, OperandsHandEndsOnThroughPureOps) {
  Scene scene;
  const uint32_t a = scene.Lram("a", 10);
  scene.Load(30, {Writes(a)});
  scene.View({0});
  scene.View({1});
  scene.Start(5, {}, {2});
  scene.Wait(3);
  const Stream stream = scene.Build();
  EXPECT_EQ(Predicted(stream, NonBlocking()), 35);
}

TEST(NonBlocking, ABirthWaitsUntilNoTransferHoldsBytesOfTheDead) {
  Scene scene;
  const uint32_t a = scene.Lram("a", 10);
  const uint32_t b = scene.Lram("b", 10);
  scene.Barrier(1, {Writes(a)});
  scene.Store(30, {Reads(a)});  // 1 to 31
  scene.Start(5, {Reads(a)});   // beside it: 1 to 6
  scene.Wait(2);                // a dies, the store still reads it
  scene.Start(5, {Writes(b)});  // from 31
  scene.Wait(4);
  const Stream stream = scene.Build();
  EXPECT_EQ(Predicted(stream, NonBlocking()), 36);
}

// b goes out without a store and comes back without a load, since nothing reads it before it is
// overwritten; but a load into it is under way, and a takes its bytes.
TEST(NonBlocking, AnEvictionWaitsForAllTransfersThoughItNeedsNone) {
  Scene scene;
  const uint32_t a = scene.Lram("a", 10);
  const uint32_t b = scene.Lram("b", 10);
  scene.Load(30, {Writes(b)});    // 0 to 30
  scene.Start(100, {Writes(a)});  // 1
  scene.Wait(1);
  scene.Barrier(1, {Writes(b)});
  const Stream stream = scene.Build();
  Answer evicts(stream);
  evicts.In(b, 0).Run(0).Out(b).In(a, 0).RunAll({1, 2}).In(b, 0).Run(3).Peak(16).Makespan(131);
  evicts.claim.predicted_makespan = 101;
  ExpectHolds(evicts.Check(NonBlocking()));
  Answer stays(stream);
  stays.In(b, 0).Run(0).In(a, 16).RunAll({1, 2, 3}).Peak(32).Makespan(101);
  ExpectHolds(stays.Check(NonBlocking()));
}

TEST(NonBlocking, SwapsMovesAndBirthsInOneScene) {
  Scene scene;
  const uint32_t a = scene.Lram("a", 40);
  const uint32_t b = scene.Lram("b", 40);
  const uint32_t c = scene.Lram("c", 40);
  scene.Start(1, {Writes(a)});  // 0: 0 to 1
  scene.Wait(0);
  scene.Load(20, {Writes(b)});  // 2: 1 to 21
  scene.Start(9, {Writes(c)});  // 3
  scene.Wait(3);
  scene.Start(9, {Reads(a)});  // 5
  scene.Wait(5);
  scene.Start(9, {Reads(b)});  // 7
  scene.Wait(7);
  const Stream stream = scene.Build();
  EXPECT_EQ(Predicted(stream, NonBlocking()), 30);  // c 1 to 10, a 10 to 19, b 21 to 30
  Answer answer(stream);
  answer.In(a, 0).RunAll({0, 1}).In(b, 40).Run(2).StoreOut(a);  // 21 to 31
  answer.In(c, 0).RunAll({3, 4});                               // 31 to 40
  answer.LoadBack(a, 80).RunAll({5, 6, 7, 8});                  // 40 to 50, then 59 and 68
  answer.Peak(80).Makespan(68);
  ExpectHolds(answer.Check(NonBlocking()));
}

TEST(NonBlocking, ABlockComesBeforeTheOpWaits) {
  Scene scene;
  const uint32_t a = scene.Lram("a", 10);
  scene.Load(30, {Writes(a)});
  scene.Start(5, {Reads(a)});
  scene.Wait(1);
  const Stream stream = scene.Build();
  Hardware hardware = NonBlocking(2);
  hardware.block_ops = 2;
  hardware.block_bytes = 40;  // 10 cycles beside the load
  EXPECT_EQ(Predicted(stream, hardware), 35);
  hardware.dma_engines = 1;  // from 30 to 40
  EXPECT_EQ(Predicted(stream, hardware), 45);
  hardware.dma_engines = 64;
  hardware.block_bytes = 400;
  EXPECT_EQ(Predicted(stream, hardware), 105);
}

TEST(Shares, OfProgramsSlowTransfersDown) {
  Scene scene;
  const uint32_t a = scene.Lram("a", 10);
  scene.Start(100, {}, {}, 60);
  scene.Start(50, {}, {}, 30);
  scene.Load(14, {Writes(a)});  // 2 to 100 at 10 or 40 units
  scene.Wait(0);
  scene.Wait(1);
  const Stream stream = scene.Build();
  Claim claim = InputOrder(stream);
  claim.slices[1].second = 1;
  // 1 to 51 both: 49 cycles from 2 on do 490 of 1400 units; 22.75 more at 40.
  claim.predicted_makespan = 100;
  ExpectHolds(Verify(stream, SmallChip(), claim));
  // Without the waits, which end later.
  Scene alone;
  const uint32_t b = alone.Lram("b", 10);
  alone.Start(20, {}, {}, 60);
  alone.Load(14, {Writes(b)});  // 19 cycles at 40 units from 1 on, 6.4 at 100
  alone.Wait(0);
  const Stream short_one = alone.Build();
  EXPECT_EQ(Predicted(short_one, SmallChip()), 27);
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
