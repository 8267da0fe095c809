// Scenes on chips whose DMA is more than one engine that blocks the stream, by hand: what simulate,
// the list scheduler, the choice and the checker say.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "src/graph/order_clock.h"
#include "src/graph/problem.h"
#include "src/schedule/input_schedule.h"
#include "src/schedule/lower_bound.h"
#include "src/schedule/schedule_stream.h"
#include "src/schedule/timeline.h"
#include "src/verify/verify.h"
#include "tests/schedule/implementation.h"
#include "tests/stream/expect_error.h"
#include "tests/stream/stream_maker.h"

namespace torqsched {
namespace {

using Lines = std::vector<std::string>;

Hardware Chip(uint64_t lram_bytes, uint32_t slices = 1) {
  Hardware h;
  h.lram_bytes = lram_bytes;
  h.slices = slices;
  h.start_cycles = 0;
  return h;
}

Hardware NonBlocking(Hardware h, uint64_t issue_cycles = 0) {
  h.non_blocking_transfers = true;
  h.transfer_issue_cycles = issue_cycles;
  return h;
}

Simulation Simulated(const Stream& stream, const Hardware& hardware,
                     const std::vector<OpIndex>& order = {}) {
  absl::StatusOr<Simulation> simulation =
      SimulateStream(stream, hardware, order, {}, /*timeline=*/true);
  EXPECT_TRUE(simulation.ok()) << simulation.status();
  return simulation.ok() ? *std::move(simulation) : Simulation();
}

// "engine 1 [0, 20) op 3", "slice 0 [0, 10) op 0", "stream [5, 10) op 1"
Lines LinesOf(const std::vector<Span>& timeline) {
  Lines lines;
  for (const Span& span : timeline) {
    std::string line = span.lane == Lane::kStream ? "stream"
                       : span.lane == Lane::kDma  ? "engine " + std::to_string(span.engine)
                                                  : "slice " + std::to_string(span.slice);
    line += " [" + std::to_string(span.begin) + ", " + std::to_string(span.end) + ")";
    if (span.op.present()) line += " op " + std::to_string(span.op.value());
    if (span.buffer.present()) line += " of " + std::to_string(span.buffer.value());
    lines.push_back(line);
  }
  return lines;
}

// What the checker recomputes for an order; it must find nothing wrong.
uint64_t Verified(const Stream& stream, const Hardware& hardware,
                  const std::vector<OpIndex>& order) {
  Claim claim;
  claim.order = order;
  for (uint32_t i = 0; i < stream.op_count(); ++i) {
    const Op& op = stream.op(OpIndex(i));
    if (op.kind == OpKind::kStart) claim.slices.push_back({OpIndex(i), op.slice});
  }
  const Verification verification = Verify(stream, hardware, claim);
  EXPECT_TRUE(verification.violations.empty()) << verification.violations[0].message;
  return verification.predicted_makespan;
}

// ---- eight layers -------------------------------------------------------------------------------

// Eight layers of 10 cycles, each after the one before. Layers 2, 3, 6 and 7 need weights, a load
// of 20 cycles each, of which LRAM holds two.
class EightLayers : public testing::Test {
 protected:
  EightLayers() {
    for (int i = 0; i < 4; ++i) maker_.Lram(100);
    uint32_t weights = 0;
    for (int layer = 0; layer < 8; ++layer) {
      std::vector<AccessSpec> reads;
      if (layer % 4 >= 2) {
        loads_.push_back(maker_.Load(20, {Writes(weights)}));
        reads.push_back(Reads(weights++));
      }
      std::vector<uint32_t> operands;
      if (layer > 0) operands.push_back(starts_.back() + 1);
      starts_.push_back(maker_.Program(10, reads, operands));
    }
    stream_ = maker_.Build();
  }

  // The ops of the layers in their order, and the loads wherever they may come: before their layer,
  // and where LRAM has room.
  void ForEachOrder(const std::function<void(const std::vector<OpIndex>&)>& visit) {
    std::vector<OpIndex> order;
    Continue(0, 0, 0, &order, visit);
  }

  void Continue(size_t position, uint32_t loaded, int live, std::vector<OpIndex>* order,
                const std::function<void(const std::vector<OpIndex>&)>& visit) {
    if (position == 16 && loaded == 15) return visit(*order);
    for (uint32_t load = 0; load < 4; ++load) {
      if ((loaded >> load & 1) != 0 || live == 2) continue;
      order->push_back(OpIndex(loads_[load]));
      Continue(position, loaded | 1u << load, live + 1, order, visit);
      order->pop_back();
    }
    if (position == 16) return;
    const size_t layer = position / 2;
    const bool is_wait = position % 2 == 1;
    const bool weighty = layer % 4 >= 2;
    const uint32_t load = static_cast<uint32_t>(layer / 4 * 2 + layer % 2);
    if (weighty && !is_wait && (loaded >> load & 1) == 0) return;
    order->push_back(OpIndex(starts_[layer] + (is_wait ? 1 : 0)));
    Continue(position + 1, loaded, live - (weighty && is_wait ? 1 : 0), order, visit);
    order->pop_back();
  }

  uint64_t Shortest(const Hardware& hardware, std::vector<OpIndex>* best) {
    const auto problem = ScheduleProblem::Make(stream_, hardware);
    EXPECT_TRUE(problem.ok()) << problem.status();
    uint64_t shortest = UINT64_MAX;
    orders_ = 0;
    ForEachOrder([&](const std::vector<OpIndex>& order) {
      OrderClock clock(**problem);
      for (const OpIndex op : order) clock.Run(op, 0);
      ++orders_;
      if (clock.makespan() < shortest) *best = order;
      shortest = std::min(shortest, clock.makespan());
    });
    return shortest;
  }

  StreamMaker maker_;
  Stream stream_;
  std::vector<uint32_t> loads_;
  std::vector<uint32_t> starts_;
  uint64_t orders_ = 0;
};

// A load of 20 runs beside one layer of 10 at most, since the next one has to be started: four
// loads and eight layers are 160 cycles, of which 40 are saved at best.
TEST_F(EightLayers, TakeAtLeast120CyclesWhereTransfersBlock) {
  std::vector<OpIndex> best;
  EXPECT_EQ(Shortest(Chip(200), &best), 120u);
  EXPECT_GT(orders_, 500u);
  EXPECT_EQ(Simulated(stream_, Chip(200), best).makespan, 120u);
  EXPECT_EQ(Verified(stream_, Chip(200), best), 120u);
}

// Loads: 0 to 40, then the third once layer 2 is done, 40 to 60, the fourth after layer 3, 60
// to 80.
TEST_F(EightLayers, Take90CyclesWhereTransfersDoNotBlock) {
  const Hardware hardware = NonBlocking(Chip(200));
  std::vector<OpIndex> best;
  EXPECT_EQ(Shortest(hardware, &best), 90u);
  EXPECT_EQ(Simulated(stream_, hardware, best).makespan, 90u);
  EXPECT_EQ(Verified(stream_, hardware, best), 90u);
}

TEST_F(EightLayers, AreScheduledAndPlacedIn90Cycles) {
  const Hardware hardware = NonBlocking(Chip(200));
  for (const OracleKind oracle : {OracleKind::kSequential, OracleKind::kOffline}) {
    ScheduleOptions options;
    options.oracle = oracle;
    options.timeline = true;
    const absl::StatusOr<ScheduleAnswer> answer = ScheduleStream(stream_, hardware, options, {});
    ASSERT_TRUE(answer.ok()) << answer.status();
    EXPECT_EQ(answer->schedule.makespan, 90u);
    EXPECT_EQ(answer->placement.makespan, 90u);
    EXPECT_EQ(answer->placement.swaps, 0u);
    EXPECT_EQ(Violations(stream_, hardware, *answer), "");
    EXPECT_EQ(answer->statistics.dma_cycles, 80u);
    EXPECT_EQ(answer->statistics.overlap_cycles, 70u);  // not 30 to 40
    EXPECT_EQ(answer->statistics.idle_cycles, 0u);
    EXPECT_LE(answer->lower_bound.cycles, 90u);
  }
  EXPECT_EQ(SimpleLowerBound(stream_, hardware).cycles, 80u);
}

// Then nothing waits for weights, and the layers themselves take 80.
TEST_F(EightLayers, WithTwoEnginesTheLoadsOverlap) {
  Hardware hardware = NonBlocking(Chip(200));
  hardware.dma_engines = 2;
  std::vector<OpIndex> best;
  EXPECT_EQ(Shortest(hardware, &best), 80u);
  const Simulation s = Simulated(stream_, hardware, best);
  EXPECT_EQ(s.makespan, 80u);
  EXPECT_LT(s.statistics.dma_cycles, 80u);  // two at once count once
  EXPECT_EQ(Verified(stream_, hardware, best), 80u);
}

// ---- timelines and statistics -------------------------------------------------------------------

TEST(Engines, SpansSayWhichEngineATransferTook) {
  StreamMaker maker;
  const uint32_t a = maker.Add(LiveOut(LramBuffer(10))), b = maker.Add(LiveOut(LramBuffer(10)));
  const uint32_t c = maker.Lram(10);
  maker.Load(20, {Writes(a)});
  maker.Load(20, {Writes(b)});
  maker.Store(5, {Reads(c)});
  maker.Load(5, {Writes(c)});  // waits for the store
  const Stream stream = maker.Build();
  Hardware hardware = Chip(100);
  hardware.dma_engines = 2;
  hardware.store_engines = 1;
  EXPECT_EQ(LinesOf(Simulated(stream, hardware).timeline),
            (Lines{"engine 0 [0, 20) op 0", "engine 1 [20, 40) op 1", "engine 2 [40, 45) op 2",
                   "engine 0 [45, 50) op 3"}));
  const Simulation s = Simulated(stream, NonBlocking(hardware, 1));
  EXPECT_EQ(LinesOf(s.timeline), (Lines{"engine 0 [0, 20) op 0", "engine 1 [1, 21) op 1",
                                        "engine 2 [2, 7) op 2", "engine 0 [20, 25) op 3"}));
  EXPECT_EQ(s.makespan, 25u);
  EXPECT_EQ(s.statistics.dma_cycles, 25u);  // at least one engine, all of the time
  EXPECT_EQ(s.statistics.idle_cycles, 0u);
}

TEST(Engines, BlocksAndSwapsAreSpansToo) {
  StreamMaker maker;
  const uint32_t a = maker.Lram(30);
  maker.Barrier(1, {Writes(a)});
  maker.Load(20, {Writes(a, 0, 10)});
  maker.Barrier(1, {Reads(a)});
  const Stream stream = maker.Build();
  Hardware hardware = NonBlocking(Chip(100), 2);
  hardware.block_ops = 2;
  hardware.block_bytes = 7;
  hardware.store_engines = 1;
  const auto problem = ScheduleProblem::Make(stream, hardware);
  ASSERT_TRUE(problem.ok()) << problem.status();
  Placement placement;
  placement.placed = true;
  placement.moves = {
      {0, true, BufferIndex(a), 0}, {3, false, BufferIndex(a), 0}, {3, true, BufferIndex(a), 0}};
  placement.swap_transfers = {{2, true, BufferIndex(a), 0}, {3, false, BufferIndex(a), 0}};
  Statistics statistics;
  std::vector<Span> timeline;
  EXPECT_EQ(PlayTimeline(**problem, InputSchedule(stream), placement, &statistics, &timeline), 96u);
  EXPECT_EQ(LinesOf(timeline),
            (Lines{"stream [0, 1) op 0", "engine 0 [1, 8)", "engine 0 [8, 28) op 1",
                   "engine 1 [28, 58) of 0", "engine 0 [58, 65)", "engine 0 [65, 95) of 0",
                   "stream [95, 96) op 2"}));
}

TEST(Shares, SlowTransfersAreLongerSpans) {
  StreamMaker maker;
  const uint32_t a = maker.Lram(10);
  OpSpec start;
  start.kind = OpKind::kStart;
  start.cycles = 100;
  start.dma_share_percent = 60;
  const uint32_t p = maker.Add(start, {}, {});
  maker.Load(20, {Writes(a)});
  maker.Wait(p);
  const Stream stream = maker.Build();
  const Simulation s = Simulated(stream, Chip(100));
  EXPECT_EQ(LinesOf(s.timeline),
            (Lines{"slice 0 [0, 100) op 0", "engine 0 [0, 50) op 1", "stream [50, 100) op 2"}));
  EXPECT_EQ(s.statistics.dma_cycles, 50u);
  EXPECT_EQ(s.statistics.overlap_cycles, 50u);
  EXPECT_EQ(Verified(stream, Chip(100), Ops({0, 1, 2})), 100u);
  EXPECT_EQ(Verified(stream, Chip(100), Ops({1, 0, 2})), 120u);
}

TEST(Shares, OfAStartThatNothingWaitsForIsNone) {
  StreamMaker maker;
  const uint32_t a = maker.Lram(10);
  OpSpec start;
  start.kind = OpKind::kStart;
  start.cycles = 100;
  start.dma_share_percent = 60;
  maker.Add(start, {}, {});
  maker.Load(20, {Writes(a)});
  const Stream stream = maker.Build();
  EXPECT_FALSE(stream.has_dma_shares());
  EXPECT_EQ(Simulated(stream, Chip(100)).makespan, 120u);
}

// ---- orders that have no price ------------------------------------------------------------------

class Broken : public testing::Test {
 protected:
  Broken() {
    const uint32_t a = maker_.Lram(10);
    maker_.Load(20, {Writes(a)});
    maker_.Program(10, {Reads(a)});
    maker_.View({});
    stream_ = maker_.Build();
  }
  StreamMaker maker_;
  Stream stream_;
};

TEST_F(Broken, AnOrderHasAPriceOnlyWhereTransfersBlock) {
  const std::vector<OpIndex> order = Ops({3, 1, 0, 2});
  EXPECT_EQ(Simulated(stream_, Chip(100), order).makespan, 20u);
  ExpectInvalid(SimulateStream(stream_, NonBlocking(Chip(100)), order, {}, false).status(),
                "order[1]: op 1 comes before an op that it needs; expected an order that keeps the "
                "dependences, as transfers do not block",
                {"order[1]", OpIndex(), BufferIndex()});
}

TEST_F(Broken, PureOpsMayStandAnywhere) {
  for (const auto& order : {Ops({3, 0, 1, 2}), Ops({0, 1, 2, 3})}) {
    EXPECT_EQ(Simulated(stream_, NonBlocking(Chip(100)), order).makespan, 30u);
  }
}

TEST_F(Broken, TheCheckerReportsTheDependenceAndNoPrice) {
  Claim claim;
  claim.order = Ops({3, 1, 0, 2});
  claim.slices = {{OpIndex(1), 0}};
  claim.predicted_makespan = 1;
  const Verification verification = Verify(stream_, NonBlocking(Chip(100)), claim);
  ASSERT_EQ(verification.violations.size(), 1u);
  EXPECT_EQ(verification.violations[0].kind, ViolationKind::kDependence);
  EXPECT_EQ(verification.predicted_makespan, 0u);
  EXPECT_EQ(Verify(stream_, Chip(100), claim).violations.size(), 2u);
}

// ---- the list scheduler -------------------------------------------------------------------------

TEST(ListScheduler, LooksAtTheEnginesOfATransfersOwnClass) {
  StreamMaker maker;
  const uint32_t a = maker.Lram(10), b = maker.Lram(10), c = maker.Lram(10);
  const uint32_t first = maker.Start(10, {Writes(c)});
  maker.Wait(first);
  maker.Load(40, {Writes(a)});
  maker.Load(40, {Writes(b)});  // begins when the program is long done
  maker.Store(5, {Reads(a, 0, 0), Reads(c, 0, 0)});
  const Stream stream = maker.Build();
  Hardware hardware = NonBlocking(Chip(100));
  const auto order_on = [&](const Hardware& chip) {
    ScheduleOptions options;
    options.prefetch_percent = 100;
    return LibraryUnderTest(stream, chip, options).List(100).order;
  };
  // The store would queue behind the first load, so the program's wait comes before it.
  EXPECT_EQ(order_on(hardware), Ops({0, 2, 1, 3, 4}));
  hardware.store_engines = 1;
  EXPECT_EQ(order_on(hardware), Ops({0, 2, 4, 1, 3}));
  hardware.store_engines = 0;
  hardware.dma_engines = 3;
  EXPECT_EQ(order_on(hardware), Ops({0, 2, 3, 4, 1}));
}

TEST(ListScheduler, DoesNotLetATransferWaitBeyondTheFirstEnd) {
  StreamMaker maker;
  const uint32_t a = maker.Lram(10), b = maker.Lram(10);
  const uint32_t x = maker.Xram(10);
  maker.Load(50, {Writes(a)});
  maker.Store(5, {Reads(a), Writes(x)});  // when the load has ended, at 50
  const uint32_t p = maker.Start(30, {});
  maker.Wait(p);
  const uint32_t q = maker.Start(30, {Writes(b)}, {p + 1});
  maker.Wait(q);
  const Stream stream = maker.Build();
  Hardware hardware = NonBlocking(Chip(100));
  hardware.dma_engines = 2;
  ScheduleOptions options;
  options.prefetch_percent = 100;
  const Schedule schedule = LibraryUnderTest(stream, hardware, options).List(100);
  EXPECT_EQ(schedule.order, Ops({2, 0, 3, 4, 1, 5}));  // beside the second program
  EXPECT_EQ(schedule.makespan, 60u);
}

// ---- lower bounds -------------------------------------------------------------------------------

TEST(LowerBound, WithoutBlockingTheStreamIssuesAndTheEnginesTransfer) {
  StreamMaker maker;
  const uint32_t a = maker.Lram(8);
  maker.Load(30, {Writes(a)});
  maker.Load(31, {Writes(a)});
  maker.Store(50, {Reads(a)});
  maker.Barrier(4);
  maker.Program(10, {});
  const Stream stream = maker.Build();
  Hardware hardware = NonBlocking(Chip(100));
  hardware.start_cycles = 3;
  const auto cycles = [&] { return SimpleLowerBound(stream, hardware).cycles; };
  EXPECT_EQ(cycles(), 111u);
  hardware.dma_engines = 2;
  EXPECT_EQ(cycles(), 56u);
  hardware.store_engines = 1;
  EXPECT_EQ(cycles(), 50u);
  hardware.store_engines = 2;
  EXPECT_EQ(cycles(), 31u);
  hardware.store_engines = hardware.dma_engines = 64;
  EXPECT_EQ(cycles(), 10u);
  hardware.transfer_issue_cycles = 2;
  EXPECT_EQ(cycles(), 13u);  // and 4 and 3
  hardware.block_ops = 3;    // two of 100
  hardware.block_bytes = 100;
  EXPECT_EQ(cycles(), 213u);
  hardware.non_blocking_transfers = false;
  EXPECT_EQ(cycles(), 318u);
}

}  // namespace
}  // namespace torqsched
