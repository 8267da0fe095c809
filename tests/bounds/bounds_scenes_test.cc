// Each bound on streams small enough to work out by hand.
#include <cstdint>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "src/bounds/bounds.h"
#include "src/graph/action_graph.h"
#include "src/graph/problem.h"
#include "tests/bounds/brute_force.h"
#include "tests/stream/stream_maker.h"

namespace torqsched {
namespace {

Hardware Chip(uint64_t lram_bytes, uint32_t slices) {
  Hardware h;
  h.lram_bytes = lram_bytes;
  h.slices = slices;
  h.start_cycles = 1;
  return h;
}

class Scene {
 public:
  Scene(Stream stream, const Hardware& hardware)
      : stream_(std::move(stream)), hardware_(hardware) {}

  // 0: there is none of this kind.
  uint64_t Of(BoundKind kind, bool swaps_allowed = false,
              const bounds::BoundLimits& limits = bounds::BoundLimits()) const {
    for (const Bound& bound : Compute(swaps_allowed, limits).all) {
      if (bound.kind == kind) return bound.cycles;
    }
    return 0;
  }
  bounds::Bounds Compute(bool swaps_allowed = false,
                         const bounds::BoundLimits& limits = bounds::BoundLimits()) const {
    const auto problem = ScheduleProblem::Make(stream_, hardware_);
    EXPECT_TRUE(problem.ok()) << problem.status();
    if (!problem.ok()) return {};
    const ActionGraph graph(**problem);
    return bounds::ComputeBounds(**problem, graph, swaps_allowed, limits);
  }
  uint64_t Optimum(bool swaps_allowed = false) const {
    const Shortest shortest = ShortestOrder(stream_, hardware_, swaps_allowed, 10'000'000);
    EXPECT_TRUE(shortest.finished && shortest.makespan.has_value());
    return shortest.makespan.value_or(0);
  }

 private:
  const Stream stream_;
  const Hardware hardware_;
};

TEST(BoundsScenes, AnEmptyStreamTakesNothing) {
  StreamMaker maker;
  const bounds::Bounds found = Scene(maker.Build(), Chip(100, 2)).Compute();
  ASSERT_FALSE(found.all.empty());
  for (const Bound& bound : found.all) EXPECT_EQ(bound.cycles, 0);
}

Scene TwoTransfersAndABarrier(const Hardware& chip) {
  StreamMaker maker;
  const uint32_t a = maker.Lram(10);
  maker.Load(10, {Writes(a)});
  maker.Store(20, {Reads(a)});
  maker.Barrier(30);
  return Scene(maker.Build(), chip);
}

TEST(BoundsScenes, TransfersComeOneAfterTheOther) {
  EXPECT_EQ(TwoTransfersAndABarrier(Chip(100, 2)).Of(BoundKind::kStream), 60);
}

// Before the second op the stream pays a block transfer of 5 bytes.
TEST(BoundsScenes, BlockTransfersCount) {
  Hardware chip = Chip(100, 2);
  chip.block_ops = 2;
  chip.block_bytes = 5;
  const Scene scene = TwoTransfersAndABarrier(chip);
  EXPECT_EQ(scene.Of(BoundKind::kStream), 65);
  EXPECT_EQ(scene.Of(BoundKind::kJackson), 65);
  EXPECT_EQ(scene.Optimum(), 65);
}

TEST(BoundsScenes, AChainIsAsLongAsItsLinks) {
  StreamMaker maker;
  const uint32_t in = maker.Lram(10);
  const uint32_t out = maker.Lram(10);
  maker.Load(10, {Writes(in)});
  maker.Program(100, {Reads(in), Writes(out)});
  maker.Store(20, {Reads(out)});
  const Scene scene(maker.Build(), Chip(100, 2));
  EXPECT_EQ(scene.Of(BoundKind::kStream), 10 + 1 + 20);
  EXPECT_EQ(scene.Of(BoundKind::kPath), 130);
  EXPECT_EQ(scene.Of(BoundKind::kJackson), 130);
  EXPECT_EQ(scene.Optimum(), 130);
}

// The wait comes after the load, so what needs it does, although the program ends at 10.
TEST(BoundsScenes, AWaitBringsAlongWhatItNeeds) {
  StreamMaker maker;
  const uint32_t a = maker.Lram(10), b = maker.Lram(10);
  const uint32_t start = maker.Start(10, {});
  const uint32_t load = maker.Load(100, {Writes(a)});
  const uint32_t wait = maker.Wait(start, {load});
  maker.Load(5, {Writes(b)}, {wait});
  maker.Program(50, {}, {wait});
  const Scene scene(maker.Build(), Chip(100, 2));
  EXPECT_EQ(scene.Of(BoundKind::kPath), 150);
  EXPECT_EQ(scene.Of(BoundKind::kJackson, false, {0}), 151);  // a start, the load, and 50
}

// One slice: a load before the first program, a store after the last.
TEST(BoundsScenes, ComputeHasALeastHeadAndALeastTail) {
  StreamMaker maker;
  const uint32_t in[] = {maker.Lram(10), maker.Lram(10)};
  const uint32_t out[] = {maker.Lram(10), maker.Lram(10)};
  for (int i = 0; i < 2; ++i) {
    maker.Load(10, {Writes(in[i])});
    maker.Program(100, {Reads(in[i]), Writes(out[i])});
    maker.Store(5, {Reads(out[i])});
  }
  const Scene scene(maker.Build(), Chip(100, 1));
  EXPECT_EQ(scene.Of(BoundKind::kSlices), 10 + 200 + 5);
  EXPECT_EQ(scene.Optimum(), 215);
}

// Two slices: the smallest two heads, 10 and 20, count half each.
TEST(BoundsScenes, EachSliceHasAFirstProgram) {
  StreamMaker maker;
  const uint32_t in[] = {maker.Lram(10), maker.Lram(10)};
  maker.Load(10, {Writes(in[0])});
  maker.Program(100, {Reads(in[0])});
  maker.Load(20, {Writes(in[1])});
  maker.Program(100, {Reads(in[1])});
  const Scene scene(maker.Build(), Chip(100, 2));
  EXPECT_EQ(scene.Of(BoundKind::kSlices), (10 + 20 + 200 + 1) / 2);
}

// Two loads and two starts take 22 cycles of the stream, and after the last start its program runs
// for 50 cycles from the start's begin on.
TEST(BoundsScenes, JacksonPutsTheLongestTailFirst) {
  StreamMaker maker;
  const uint32_t in[] = {maker.Lram(10), maker.Lram(10)};
  for (int i = 0; i < 2; ++i) {
    maker.Load(10, {Writes(in[i])});
    maker.Program(50, {Reads(in[i])});
  }
  const Scene scene(maker.Build(), Chip(100, 2));
  EXPECT_EQ(scene.Of(BoundKind::kStream), 22 + 49);
  EXPECT_EQ(scene.Of(BoundKind::kPath), 60);
  EXPECT_EQ(scene.Of(BoundKind::kJackson), 22 - 1 + 50);
  EXPECT_EQ(scene.Optimum(), 71);
}

// A program that needs two loads cannot begin before both are over, one after the other.
TEST(BoundsScenes, HeadsCountWhatComesBefore) {
  StreamMaker maker;
  const uint32_t in[] = {maker.Lram(10), maker.Lram(10)};
  maker.Load(10, {Writes(in[0])});
  maker.Load(20, {Writes(in[1])});
  maker.Program(50, {Reads(in[0]), Reads(in[1])});
  const Scene scene(maker.Build(), Chip(100, 2));
  EXPECT_EQ(scene.Of(BoundKind::kPath), 70);
  EXPECT_EQ(scene.Of(BoundKind::kJackson), 80);
  EXPECT_EQ(scene.Optimum(), 80);
}

// Each program fills LRAM: beside it runs nothing but a start.
TEST(BoundsScenes, ATileThatFillsLramRunsAlone) {
  for (const uint32_t slices : {1, 2, 3, 64}) {
    StreamMaker maker;
    const uint32_t in[] = {maker.Lram(100), maker.Lram(100)};
    for (int i = 0; i < 2; ++i) {
      maker.Load(30, {Writes(in[i])});
      maker.Program(50, {Reads(in[i])});
    }
    const Scene scene(maker.Build(), Chip(100, slices));
    EXPECT_EQ(scene.Of(BoundKind::kCover, false), 160) << slices;
    EXPECT_EQ(scene.Of(BoundKind::kCover, true), 160) << slices;
    // Where nothing else can be looked at, the sizes say as much.
    EXPECT_EQ(scene.Of(BoundKind::kCover, true, {600}), 160) << slices;
    EXPECT_EQ(scene.Optimum(), 160) << slices;
  }
}

// A large program beside which nothing fits but small transfers, and many small programs: the large
// one has all the weight, and costs a transfer that may be beside it no more than its cycles.
TEST(BoundsScenes, OneLargeProgramHasAllTheWeight) {
  StreamMaker maker;
  const uint32_t large = maker.Lram(90);
  std::vector<uint32_t> small;
  for (int i = 0; i < 4; ++i) small.push_back(maker.Lram(10));
  maker.Program(1000, {Writes(large)});
  for (const uint32_t b : small) maker.Load(100, {Writes(b)});
  for (const uint32_t b : small) maker.Program(1, {Reads(b)});
  const Scene scene(maker.Build(), Chip(100, 2));
  EXPECT_EQ(scene.Of(BoundKind::kCover), 1000);
}

// Three programs of which two fit: they share their time two at a time.
TEST(BoundsScenes, ProgramsThatMeetShareTheirTime) {
  for (const uint32_t slices : {2, 3}) {
    StreamMaker maker;
    const uint32_t in[] = {maker.Lram(50), maker.Lram(50), maker.Lram(50)};
    for (const uint32_t b : in) maker.Program(40, {Writes(b)});
    const Scene scene(maker.Build(), Chip(100, slices));
    // Three starts: six cycles of programs lie beside them; the other 114 share 57.
    EXPECT_EQ(scene.Of(BoundKind::kCover), 3 + 57) << slices;
  }
}

// A stays in LRAM between its programs where swaps are forbidden, so the long load does not fit
// beside the program between them.
Scene HeldBetween() {
  StreamMaker maker;
  const uint32_t held = maker.Lram(60);
  const uint32_t other = maker.Lram(40);
  const uint32_t late = maker.Lram(30);
  maker.Load(10, {Writes(held)});
  const uint32_t first = maker.Start(20, {Reads(held)});
  const uint32_t first_wait = maker.Wait(first);
  const uint32_t second = maker.Start(50, {Writes(other)}, {first_wait});
  const uint32_t second_wait = maker.Wait(second);
  maker.Program(20, {Reads(held)}, {second_wait});
  maker.Load(80, {Writes(late)});
  return Scene(maker.Build(), Chip(100, 1));
}

TEST(BoundsScenes, WithoutSwapsBuffersStayBetweenTheirUsers) {
  const Scene scene = HeldBetween();
  // The stream's own work is 93; 40 cycles of programs lie beside the load, 3 beside starts.
  EXPECT_EQ(scene.Of(BoundKind::kCover, false), 93 + 90 - 43);
  // With swaps all 80 may.
  EXPECT_EQ(scene.Of(BoundKind::kCover, true), 93 + 90 - 83);
  EXPECT_LE(scene.Compute(false).best.cycles, scene.Optimum(false));
  EXPECT_LE(scene.Compute(true).best.cycles, scene.Optimum(true));
}

// A small program runs for long, then one that fills LRAM but for 10 bytes; what is loaded for
// those after it must come after it, but for a part of one buffer.
Scene LoadsAfterACut(uint64_t dma_cycles) {
  StreamMaker maker;
  const uint32_t small = maker.Lram(5);
  const uint32_t large = maker.Lram(90);
  std::vector<uint32_t> later;
  for (int i = 0; i < 3; ++i) later.push_back(maker.Lram(45));
  maker.Load(10, {Writes(small)});
  const uint32_t first_wait = maker.Wait(maker.Start(100, {Reads(small)}));
  const uint32_t cut_wait = maker.Wait(maker.Start(5, {Writes(large)}, {first_wait}));
  for (const uint32_t b : later) {
    maker.Load(40, {Writes(b)});
    maker.Program(5, {Reads(b)}, {cut_wait});
  }
  Hardware chip = Chip(100, 1);
  chip.dma_cycles = dma_cycles;
  return Scene(maker.Build(), chip);
}

TEST(BoundsScenes, LramCarriesFewLoadsOverACut) {
  const Scene scene = LoadsAfterACut(1);
  // The cut begins at 110. After it come four starts and 120 cycles of loads, but for 10 of 45
  // bytes of one of them: 40 * 10 / 45, rounded down, plus 1.
  EXPECT_EQ(scene.Of(BoundKind::kReloads, false), 110 + 4 + 120 - 9);
  EXPECT_EQ(scene.Of(BoundKind::kReloads, true), 110 + 4 + 120 - 9);
  EXPECT_EQ(scene.Of(BoundKind::kJackson), 10 + 2 + 3 * 41 + 4);
  EXPECT_LE(scene.Compute().best.cycles, scene.Optimum());
}

// The same, but what is loaded is for programs that do not need the cut: all of it may come before.
TEST(BoundsScenes, LoadsForOtherProgramsAreNotCarried) {
  StreamMaker maker;
  const uint32_t small = maker.Lram(5);
  const uint32_t large = maker.Lram(90);
  const uint32_t other[] = {maker.Lram(45), maker.Lram(45)};
  maker.Load(10, {Writes(small)});
  const uint32_t first_wait = maker.Wait(maker.Start(100, {Reads(small)}));
  maker.Wait(maker.Start(5, {Writes(large)}, {first_wait}));
  for (const uint32_t b : other) {
    maker.Load(40, {Writes(b)});
    maker.Program(5, {Reads(b)});
  }
  const Scene scene(maker.Build(), Chip(100, 2));
  EXPECT_EQ(scene.Of(BoundKind::kReloads), 115);
  EXPECT_EQ(scene.Optimum(), 115);
}

TEST(BoundsScenes, WhereReloadsAreFreeSoIsWhatIsCarried) {
  const Scene scene = LoadsAfterACut(0);
  EXPECT_EQ(scene.Of(BoundKind::kReloads, false), 110 + 4 + 120 - 9);
  EXPECT_LT(scene.Of(BoundKind::kReloads, true), 150);
  EXPECT_LE(scene.Compute(true).best.cycles, scene.Optimum(true));
}

// Two loads fill one buffer: LRAM carries both in its bytes.
TEST(BoundsScenes, LoadsOfOneBufferAreCarriedTogether) {
  StreamMaker maker;
  const uint32_t small = maker.Lram(5);
  const uint32_t large = maker.Lram(50);
  const uint32_t later = maker.Lram(50);
  maker.Load(10, {Writes(small)});
  const uint32_t first_wait = maker.Wait(maker.Start(100, {Reads(small)}));
  const uint32_t cut_wait = maker.Wait(maker.Start(5, {Writes(large)}, {first_wait}));
  maker.Load(20, {Writes(later, 0, 25)});
  maker.Load(20, {Writes(later, 25, 25)});
  maker.Program(5, {Reads(later)}, {cut_wait});
  const Scene scene(maker.Build(), Chip(100, 1));
  EXPECT_EQ(scene.Of(BoundKind::kReloads), 110 + 5 + 5);
  EXPECT_EQ(scene.Optimum(), 120);
}

// An output is in the way of the cut's program. Without swaps its store must come first; where
// swaps cost nothing it may wait for the long program after the cut.
TEST(BoundsScenes, WithSwapsStoresMayComeAfterACut) {
  StreamMaker maker;
  const uint32_t output = maker.Lram(50);
  const uint32_t large = maker.Lram(90);
  const uint32_t small = maker.Lram(5);
  const uint32_t first_wait = maker.Wait(maker.Start(5, {Writes(output)}));
  const uint32_t cut_wait = maker.Wait(maker.Start(5, {Writes(large)}, {first_wait}));
  maker.Program(100, {Writes(small)}, {cut_wait});
  maker.Store(80, {Reads(output)});
  Hardware chip = Chip(100, 1);
  chip.dma_cycles = 0;
  const Scene scene(maker.Build(), chip);
  // 80 * 10 / 50, plus 1, may come after it, as the bound sees it; then come 105 cycles of
  // programs.
  EXPECT_EQ(scene.Of(BoundKind::kReloads, false), 1 + 80 - 17 + 105);
  EXPECT_LE(scene.Compute(false).best.cycles, scene.Optimum(false));
  EXPECT_EQ(scene.Compute(true).best.cycles, 110);
  EXPECT_EQ(scene.Optimum(true), 110);
}

// What the wait alone uses is not in LRAM yet while the program runs.
TEST(BoundsScenes, AProgramHoldsWhatItsStartUses) {
  StreamMaker maker;
  const uint32_t used = maker.Lram(50);
  const uint32_t viewed = maker.Lram(50);
  const uint32_t loaded = maker.Lram(50);
  const uint32_t start = maker.Start(50, {Writes(used)});
  maker.Wait(start, {maker.Alloc(viewed)});
  maker.Load(50, {Writes(loaded)});
  const Scene scene(maker.Build(), Chip(100, 1));
  EXPECT_EQ(scene.Compute().best.cycles, 51);
  EXPECT_EQ(scene.Optimum(), 51);
}

TEST(BoundsScenes, BarriersCutTheStream) {
  StreamMaker maker;
  const uint32_t in[] = {maker.Lram(10), maker.Lram(10)};
  maker.Load(10, {Writes(in[0])});
  maker.Program(100, {Reads(in[0])});
  maker.Barrier(7);
  maker.Load(20, {Writes(in[1])});
  maker.Program(50, {Reads(in[1])});
  const Scene scene(maker.Build(), Chip(100, 2));
  EXPECT_EQ(scene.Of(BoundKind::kBarriers), 110 + 7 + 70);
  EXPECT_EQ(scene.Optimum(), 187);
}

// A program that is waited for after the barrier only starts before it.
TEST(BoundsScenes, AProgramAcrossABarrierCountsItsStart) {
  StreamMaker maker;
  const uint32_t in[] = {maker.Lram(10), maker.Lram(10)};
  maker.Load(10, {Writes(in[0])});
  const uint32_t start = maker.Start(100, {Reads(in[0])});
  maker.Barrier(7);
  maker.Wait(start);
  maker.Load(20, {Writes(in[1])});
  // A block transfer before every third op; neither part has three ops.
  Hardware chip = Chip(100, 2);
  chip.block_ops = 3;
  chip.block_bytes = 5;
  const Scene scene(maker.Build(), chip);
  EXPECT_EQ(scene.Of(BoundKind::kBarriers), 11 + 7 + 20);
  EXPECT_EQ(scene.Compute().best.cycles, 110);
  EXPECT_EQ(scene.Optimum(), 110);
}

// Sums that do not fit 64 bits are in no bound.
TEST(BoundsScenes, VeryLongOpsDoNotWrap) {
  constexpr uint64_t kLong = uint64_t{1} << 62;
  for (const uint32_t slices : {1, 64}) {
    StreamMaker maker;
    const uint32_t in = maker.Lram(10);
    maker.Load(kLong, {Writes(in)});
    maker.Program(kLong, {Reads(in)});
    const Scene scene(maker.Build(), Chip(10, slices));
    EXPECT_EQ(scene.Compute().best.cycles, 2 * kLong);
    EXPECT_EQ(scene.Compute(true).best.cycles, 2 * kLong);
  }
}

}  // namespace
}  // namespace torqsched
