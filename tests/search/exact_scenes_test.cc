// Small scenes for the exact search, each with an order by hand that a proof must not be above:
// where loads are needed early, buffers are only viewed, copies become stale, returns come early,
// and joints wait.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "gtest/gtest.h"
#include "src/graph/problem.h"
#include "src/graph/pure_ops.h"
#include "src/lram/offline.h"
#include "src/search/exact.h"
#include "tests/stream/stream_maker.h"

namespace torqsched {
namespace {

constexpr uint64_t kLarge = 40000;  // two of them fit

Buffer Constant(uint64_t size) {
  Buffer buffer = LiveIn(XramBuffer(size));
  buffer.constant = true;
  return buffer;
}

// A transfer of kLarge bytes takes 5,000 cycles.
Hardware Chip(uint32_t slices = 1) {
  Hardware hardware;
  hardware.lram_bytes = 100000;
  hardware.alignment = 1;
  hardware.slices = slices;
  hardware.start_cycles = 1;
  hardware.dma_bytes = 8;
  hardware.dma_cycles = 1;
  return hardware;
}

ExactAnswer Solve(const Stream& stream, const Hardware& hardware, bool swaps) {
  const std::unique_ptr<const ScheduleProblem> problem = *ScheduleProblem::Make(stream, hardware);
  ExactOptions options;
  options.swaps = swaps;
  options.node_limit = 100000;
  return SolveExactly(*problem, ActionGraph(*problem), options);
}

// What OFFLINE makes of the order (pure ops left out; all programs on slice 0).
uint64_t Placed(const Stream& stream, const Hardware& hardware, const std::vector<uint32_t>& ops) {
  const std::unique_ptr<const ScheduleProblem> problem = *ScheduleProblem::Make(stream, hardware);
  std::vector<OpIndex> order;
  PureOps pure(stream);
  for (const OpIndex op : Ops(ops)) {
    pure.AppendNeeded(op, &order);
    order.push_back(op);
  }
  pure.AppendRemaining(&order);
  const IndexVector<OpIndex, uint8_t> slices(stream.op_count(), 0);
  const OfflinePlacement placed = PlaceOffline(*problem, order, slices, true);
  EXPECT_TRUE(placed.placement.placed);
  return placed.placement.makespan;
}

// The order takes so long as placed, and with swaps there is one that takes no longer.
void ExpectNoMore(const Stream& stream, const Hardware& hardware,
                  const std::vector<uint32_t>& order, uint64_t placed, uint64_t least) {
  EXPECT_EQ(Placed(stream, hardware, order), placed);
  const ExactAnswer answer = Solve(stream, hardware, true);
  EXPECT_TRUE(answer.complete);
  EXPECT_EQ(answer.makespan, std::optional<uint64_t>(least));
  EXPECT_LE(least, placed);
}

// ---- loads that cannot come later ---------------------------------------------------------------

// `early` loads constants for the last program. While the first one runs, there is room for it or
// for what the second one reads: it is better to load `early` twice.
struct LoadedTwice {
  // loads_two: a small buffer as well, which the first program reads.
  explicit LoadedTwice(bool loads_two = false) {
    weights = maker.Add(Constant(kLarge));
    other = maker.Xram(kLarge);
    b = maker.Lram(kLarge);
    std::vector<AccessSpec> loads = {Reads(weights), Writes(b)};
    if (loads_two) {
      const uint32_t small = maker.Lram(8);
      loads.push_back(Writes(small));
      of_first.push_back(Reads(small));
    }
    c = maker.Lram(kLarge);
    d = maker.Lram(kLarge);
    of_first.push_back(Writes(c));
    early = maker.Load(5000, loads);
  }

  // What follows; `needs` are operands of the first program.
  void Finish(const std::vector<uint32_t>& before, const StreamMaker::Operands& needs) {
    const uint32_t first = maker.Start(100000, of_first, needs);
    const uint32_t first_end = maker.Wait(first);
    const uint32_t load = maker.Load(100000, {Reads(other), Writes(d)});
    const uint32_t second = maker.Start(10, {Reads(d)}, {first_end});
    const uint32_t second_end = maker.Wait(second);
    const uint32_t last = maker.Start(10, {Reads(b)}, {second_end});
    const uint32_t last_end = maker.Wait(last);
    order = {early};
    order.insert(order.end(), before.begin(), before.end());
    for (const uint32_t op : {first, load, first_end, second, second_end, last, last_end}) {
      order.push_back(op);
    }
    // The search has `early` come back while the second one runs.
    ExpectNoMore(maker.Build(), Chip(), order, 110021, 110012);
  }

  StreamMaker maker;
  uint32_t weights, other, b, c, d, early;
  std::vector<AccessSpec> of_first;  // what the first program accesses
  std::vector<uint32_t> order;
};

TEST(ExactScenesTest, ABarrierNeedsALoadEarly) {
  LoadedTwice scene;
  const uint32_t barrier = scene.maker.Barrier(0);
  scene.Finish({barrier}, {});
}

TEST(ExactScenesTest, AProgramThatDoesNotUseTheBufferNeedsALoadEarly) {
  LoadedTwice scene;
  scene.Finish({}, {scene.early});
}

TEST(ExactScenesTest, AProgramNeedsALoadEarlyThroughAViewOfIt) {
  LoadedTwice scene;
  scene.Finish({}, {scene.maker.View({scene.early})});
}

// It loads two buffers, of which the return brings one only, and the other is needed at once.
TEST(ExactScenesTest, ALoadOfTwoBuffersIsNotTheReturnOfOne) {
  LoadedTwice scene(/*loads_two=*/true);
  scene.Finish({}, {});
}

// ---- buffers that are only viewed ---------------------------------------------------------------

// Nothing is read, so the buffer that only the wait views is out while another one is loaded.
TEST(ExactScenesTest, ABufferLeavesThatOnlyAWaitWillView) {
  StreamMaker maker;
  const uint32_t source = maker.Xram(kLarge), other = maker.Xram(kLarge);
  const uint32_t b = maker.Lram(kLarge), c = maker.Lram(kLarge), d = maker.Lram(kLarge);
  const uint32_t alloc = maker.Alloc(b);
  const uint32_t early = maker.Load(5000, {Reads(source), Writes(b)}, {alloc});
  const uint32_t barrier = maker.Barrier(0);
  const uint32_t program = maker.Start(100000, {Writes(c)});
  const uint32_t wait = maker.Wait(program, {alloc});
  const uint32_t load = maker.Load(90000, {Reads(other), Writes(d)});
  const uint32_t second = maker.Start(10, {Reads(d)});
  const uint32_t second_end = maker.Wait(second);
  ExpectNoMore(maker.Build(), Chip(2), {early, barrier, program, load, second, second_end, wait},
               105010, 105000);
}

// `b` is stored for the first two large programs, is there empty for the one that views it, and is
// loaded once, for the last one.
TEST(ExactScenesTest, ABufferIsThereWithoutItsContentsForAProgramThatViewsIt) {
  StreamMaker maker;
  const uint32_t b = maker.Lram(kLarge), x = maker.Lram(90000), small = maker.Lram(8);
  const uint32_t y = maker.Lram(90000);
  const uint32_t alloc = maker.Alloc(b);
  std::vector<uint32_t> order;
  const auto run = [&](const StreamMaker::Accesses& accesses, StreamMaker::Operands operands) {
    if (!order.empty()) operands.push_back(order.back());
    order.push_back(maker.Start(10, accesses, operands));
    order.push_back(maker.Wait(order.back()));
  };
  run({Writes(b)}, {alloc});
  run({Writes(x)}, {});
  run({Writes(small)}, {alloc});
  run({Writes(y)}, {});
  run({Reads(b), Reads(small)}, {alloc});
  ExpectNoMore(maker.Build(), Chip(), order, 10050, 10050);
}

// ---- copies -------------------------------------------------------------------------------------

// While `short_one` reads a part of `b` there is time to write another one. Left as it is, `b` need
// not be stored again for the long program.
TEST(ExactScenesTest, ALoadIntoABufferMayWaitUntilItHasBeenOut) {
  StreamMaker maker;
  const uint32_t b = maker.Lram(kLarge), x = maker.Lram(90000), c = maker.Lram(8);
  const uint32_t y = maker.Lram(90000), source = maker.Xram(100);
  std::vector<uint32_t> order;
  order.push_back(maker.Start(10, {Writes(b)}));
  order.push_back(maker.Wait(order.back()));
  order.push_back(maker.Start(10, {Writes(x)}, {order.back()}));
  order.push_back(maker.Wait(order.back()));
  order.push_back(maker.Start(10, {Reads(b), Writes(c)}, {order.back()}));
  order.push_back(maker.Wait(order.back()));
  const uint32_t short_one = maker.Start(3000, {Updates(c), Reads(b, 100, 100)}, {order.back()});
  const uint32_t load = maker.Load(2900, {Reads(source), Writes(b, 0, 100)}, {short_one});
  const uint32_t short_end = maker.Wait(short_one);
  const uint32_t next = maker.Start(10, {Updates(c)}, {short_end});
  const uint32_t next_end = maker.Wait(next);
  const uint32_t long_one = maker.Start(100000, {Writes(y)}, {next_end});
  const uint32_t long_end = maker.Wait(long_one);
  const uint32_t reader = maker.Start(10, {Reads(b)}, {long_end});
  const uint32_t reader_end = maker.Wait(reader);
  for (const uint32_t op :
       {short_one, short_end, next, next_end, long_one, long_end, load, reader, reader_end}) {
    order.push_back(op);
  }
  ExpectNoMore(maker.Build(), Chip(), order, 120950, 120950);
}

// While `p` runs there is room for `b` or for what is loaded next, not for both. Nobody asks for
// `b` yet, but only its return takes long.
TEST(ExactScenesTest, ABufferComesBackBeforeALoadThatTakesItsRoom) {
  StreamMaker maker;
  const uint32_t b = maker.Lram(kLarge), x = maker.Lram(90000), c = maker.Lram(kLarge);
  const uint32_t e = maker.Lram(8), a = maker.Lram(kLarge), f = maker.Lram(8);
  const uint32_t source = maker.Xram(kLarge);
  std::vector<uint32_t> order;
  order.push_back(maker.Start(10, {Writes(b)}));
  order.push_back(maker.Wait(order.back()));
  order.push_back(maker.Start(10, {Writes(x)}, {order.back()}));
  order.push_back(maker.Wait(order.back()));
  order.push_back(maker.Load(5000, {Reads(source), Writes(c)}, {order.back()}));
  const uint32_t p = maker.Start(10000, {Reads(c), Writes(e)});
  const uint32_t p_end = maker.Wait(p);
  const uint32_t load = maker.Load(100, {Reads(source), Writes(a)}, {p});
  const uint32_t next = maker.Start(10, {Reads(e), Reads(a), Writes(f)});
  const uint32_t next_end = maker.Wait(next);
  const uint32_t reader = maker.Start(10, {Reads(b), Reads(f)});
  const uint32_t reader_end = maker.Wait(reader);
  for (const uint32_t op : {p, p_end, load, next, next_end, reader, reader_end}) {
    order.push_back(op);
  }
  ExpectNoMore(maker.Build(), Chip(), order, 20140, 20140);
}

// A load from constants that writes over all that was there makes a buffer one that it refills,
// though that is not all of the buffer.
TEST(ExactScenesTest, ALoadOfConstantsOverAllThatWasWrittenIsARefill) {
  StreamMaker maker;
  const uint32_t weights = maker.Add(Constant(kLarge)), source = maker.Xram(kLarge);
  const uint32_t b = maker.Lram(kLarge), x = maker.Lram(90000);
  std::vector<uint32_t> order;
  order.push_back(maker.Load(10, {Reads(source), Writes(b, 0, 10)}));
  order.push_back(maker.Load(10, {Reads(weights), Writes(b, 0, 20)}));
  order.push_back(maker.Start(10, {Reads(b)}, {order.back()}));
  order.push_back(maker.Wait(order.back()));
  order.push_back(maker.Start(10, {Writes(x, 0, 100)}, {order.back()}));
  order.push_back(maker.Wait(order.back()));
  order.push_back(maker.Start(10, {Reads(b)}, {order.back()}));
  order.push_back(maker.Wait(order.back()));
  ExpectNoMore(maker.Build(), Chip(), order, 5050, 5050);
}

// ---- programs in a queue ------------------------------------------------------------------------

// A byte takes a cycle, starts take none.
Hardware SmallChip(uint64_t lram_bytes) {
  Hardware hardware = Chip();
  hardware.lram_bytes = lram_bytes;
  hardware.start_cycles = 0;
  hardware.dma_bytes = 1;
  return hardware;
}

void ExpectLeast(const Stream& stream, const Hardware& hardware, uint64_t least) {
  const ExactAnswer answer = Solve(stream, hardware, true);
  EXPECT_TRUE(answer.complete);
  EXPECT_EQ(answer.makespan, std::optional<uint64_t>(least));
}

// `b` is loaded while a long program runs; a short one waits for the slice, and has `b` until its
// end. Then there is no time to store `b`, but before there was. By hand: load `b` to 5, store it
// to 17, the short one from 40 to 50, load `c` to 55, its reader to 65, load `b` to 77, its reader
// to 87.
struct StoredBesideAQueue {
  StoredBesideAQueue() {
    source = maker.Xram(100);
    result = maker.Xram(12);
    b = maker.Lram(12);
    c = maker.Lram(12);
    alloc = maker.Alloc(b);
    load = maker.Load(5, {Reads(source), Writes(b)}, {alloc});
    long_one = maker.Start(40, {});
  }

  void Finish(uint32_t short_one) {
    maker.Wait(long_one);
    maker.Wait(short_one);
    maker.Load(5, {Reads(result), Writes(c)});
    const uint32_t end = maker.Wait(maker.Start(10, {Reads(c)}));
    maker.Wait(maker.Start(10, {Reads(b)}, {end}));
    ExpectLeast(maker.Build(), SmallChip(20), 87);
  }

  StreamMaker maker;
  uint32_t source, result, b, c, alloc, load, long_one;
};

TEST(ExactScenesTest, ABufferIsStoredBeforeAProgramInAQueueViewsIt) {
  StoredBesideAQueue scene;
  scene.Finish(
      scene.maker.Start(10, {Writes(scene.result)}, {scene.alloc, scene.load, scene.long_one}));
}

// It is loaded again at once, to 29.
TEST(ExactScenesTest, ABufferIsStoredBeforeAProgramInAQueueReadsIt) {
  StoredBesideAQueue scene;
  scene.Finish(scene.maker.Start(10, {Reads(scene.b), Writes(scene.result)}, {scene.long_one}));
}

// `b` and `c` are out for a large program. While the next one runs there is room for both, or for
// one of them and what is to be loaded. By hand: stores to 70, the large program to 80, `b` and `c`
// are back at 140 when the next one ends, the load to 141, their reader to 241, the last one to
// 251.
TEST(ExactScenesTest, TwoBuffersComeBackBeforeALoadThatTakesTheRoomOfOne) {
  StreamMaker maker;
  const uint32_t source = maker.Xram(20);
  const uint32_t b = maker.Lram(30), c = maker.Lram(30), x = maker.Lram(90);
  const uint32_t d = maker.Lram(30), e = maker.Lram(20);
  const uint32_t first = maker.Start(10, {Writes(b), Writes(c)});
  const uint32_t large = maker.Start(10, {Writes(x)}, {maker.Wait(first)});
  const uint32_t next = maker.Start(60, {Writes(d)}, {maker.Wait(large)});
  const uint32_t load = maker.Load(1, {Reads(source), Writes(e)}, {next});
  const uint32_t reader = maker.Start(100, {Reads(b), Reads(c)}, {load, maker.Wait(next)});
  maker.Wait(maker.Start(10, {Reads(e)}, {maker.Wait(reader)}));
  ExpectLeast(maker.Build(), SmallChip(100), 251);
}

// ---- joints -------------------------------------------------------------------------------------

// A pure op stands for so many waits that it stays as a joint. What does not need it need not wait.
TEST(ExactScenesTest, WhatDoesNotNeedAJointGoesOnBeforeIt) {
  constexpr uint32_t kPrograms = 18;
  StreamMaker maker;
  const uint32_t b = maker.Lram(8), source = maker.Xram(8);
  std::vector<uint32_t> starts, waits;
  for (uint32_t i = 0; i < kPrograms; ++i) {
    StreamMaker::Operands before;
    if (i != 0) before = {starts.back()};
    starts.push_back(maker.Start(i == 0 ? 1000 : 10, {}, before));
  }
  for (const uint32_t start : starts) waits.push_back(maker.Wait(start));
  const uint32_t joint = maker.View(waits);
  maker.Load(900, {Reads(source), Writes(b)}, {starts.back()});
  uint32_t before = joint;
  for (uint32_t i = 0; i < kPrograms; ++i) before = maker.Start(10, {}, {joint, before});
  const Stream stream = maker.Build();
  const Hardware hardware = Chip(32);
  const std::unique_ptr<const ScheduleProblem> problem = *ScheduleProblem::Make(stream, hardware);
  ASSERT_EQ(ActionGraph(*problem).size(), 2 * kPrograms + 2);
  for (const bool swaps : {false, true}) {
    const ExactAnswer answer = Solve(stream, hardware, swaps);
    EXPECT_TRUE(answer.complete);
    EXPECT_EQ(answer.makespan, std::optional<uint64_t>(1000 + 18 * 10));
  }
}

}  // namespace
}  // namespace torqsched
