// When everything runs, by hand: spans, statistics, peaks, lower bounds, and the orders that
// SimulateStream refuses.
#include "src/schedule/timeline.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "src/graph/problem.h"
#include "src/schedule/input_schedule.h"
#include "src/schedule/lower_bound.h"
#include "src/schedule/schedule_stream.h"
#include "tests/schedule/cases.h"
#include "tests/stream/expect_error.h"
#include "tests/stream/stream_maker.h"

namespace torqsched {
namespace {

using reference::ScheduleCase;
using Lines = std::vector<std::string>;

Hardware Chip(uint32_t slices) {
  Hardware hardware;
  hardware.lram_bytes = 100;
  hardware.slices = slices;
  hardware.start_cycles = 1;
  return hardware;
}

// "slice 0 [30, 130) op 1", "dma [10, 77) store of 3", "dma [0, 7)"
std::string Line(const Span& span) {
  std::string line = span.lane == Lane::kStream ? "stream"
                     : span.lane == Lane::kDma  ? "dma"
                                                : "slice " + std::to_string(span.slice);
  line += " [" + std::to_string(span.begin) + ", " + std::to_string(span.end) + ")";
  if (span.op.present()) line += " op " + std::to_string(span.op.value());
  if (span.is_store) line += " store";
  if (span.buffer.present()) line += " of " + std::to_string(span.buffer.value());
  return line;
}
Lines LinesOf(const std::vector<Span>& timeline) {
  Lines lines;
  for (const Span& span : timeline) lines.push_back(Line(span));
  return lines;
}

// Plays the input order, or this one.
Simulation Simulated(const Stream& stream, const Hardware& hardware,
                     const std::vector<OpIndex>& order = {}) {
  absl::StatusOr<Simulation> simulation =
      SimulateStream(stream, hardware, order, {}, /*timeline=*/true);
  EXPECT_TRUE(simulation.ok()) << simulation.status();
  return simulation.ok() ? *std::move(simulation) : Simulation();
}

// ---- worked example 1 -------------------------------------------------------------------------

TEST(WorkedExample1, SpansAndStatisticsOfItsSchedule) {
  const ScheduleCase c = CaseNamed("worked-example-1");
  ScheduleOptions options;
  options.timeline = true;
  const absl::StatusOr<ScheduleAnswer> answer = ScheduleStream(c.stream, c.hardware, options, {});
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(LinesOf(answer->timeline),
            (Lines{"dma [0, 30) op 0", "slice 0 [30, 130) op 1", "dma [31, 61) op 3",
                   "slice 1 [61, 161) op 4", "dma [62, 92) op 6", "stream [92, 130) op 2",
                   "slice 0 [130, 230) op 7", "stream [131, 161) op 5", "stream [161, 230) op 8",
                   "dma [230, 250) op 9 store"}));
  EXPECT_EQ(answer->statistics.dma_cycles, 110u);
  EXPECT_EQ(answer->statistics.compute_cycles, 300u);
  EXPECT_EQ(answer->statistics.slice_cycles, (std::vector<uint64_t>{200, 100}));
  EXPECT_EQ(answer->statistics.overlap_cycles, 60u);  // L2 and L3
  EXPECT_EQ(answer->statistics.idle_cycles, 0u);
  EXPECT_EQ(answer->input_peak, 300u);  // o1, w2, o2
  EXPECT_EQ(answer->schedule.peak, 500u);
  EXPECT_EQ(answer->lower_bound.cycles, 250u);  // L1, P1, P3 and S3 follow each other
}

TEST(WorkedExample1, InItsInputOrderNothingOverlaps) {
  const ScheduleCase c = CaseNamed("worked-example-1");
  const Simulation s = Simulated(c.stream, c.hardware);
  EXPECT_EQ(s.makespan, 410u);
  EXPECT_EQ(s.peak_live_bytes, 300u);
  EXPECT_EQ(s.statistics.slice_cycles, (std::vector<uint64_t>{300, 0}));
  EXPECT_EQ(s.statistics.overlap_cycles, 0u);
  EXPECT_EQ(s.statistics.idle_cycles, 0u);
}

TEST(WorkedExample1, WithoutATimelineTheStatisticsAreTheSame) {
  const ScheduleCase c = CaseNamed("worked-example-1");
  const absl::StatusOr<ScheduleAnswer> answer =
      ScheduleStream(c.stream, c.hardware, ScheduleOptions(), {});
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_TRUE(answer->timeline.empty());
  EXPECT_EQ(answer->statistics.overlap_cycles, 60u);
}

// ---- other timelines --------------------------------------------------------------------------

TEST(Timeline, IdleIsWhenNeitherDmaNorASliceIsAtWork) {
  StreamMaker maker;
  maker.Lram(8);
  maker.Barrier(50);
  OpSpec start;
  start.kind = OpKind::kStart;
  start.cycles = 100;
  start.slice = 1;
  const uint32_t p = maker.Add(start, {}, {});
  maker.Barrier(30);
  maker.Load(20, {Writes(0)});
  maker.Wait(p);
  maker.Barrier(0);  // takes no time: no span
  maker.Barrier(5);
  const Stream stream = maker.Build();
  const Simulation s = Simulated(stream, Chip(3));
  EXPECT_EQ(LinesOf(s.timeline),
            (Lines{"stream [0, 50) op 0", "slice 1 [50, 150) op 1", "stream [51, 81) op 2",
                   "dma [81, 101) op 3", "stream [101, 150) op 4", "stream [150, 155) op 6"}));
  EXPECT_EQ(s.makespan, 155u);
  EXPECT_EQ(s.statistics.dma_cycles, 20u);
  EXPECT_EQ(s.statistics.compute_cycles, 100u);
  EXPECT_EQ(s.statistics.slice_cycles, (std::vector<uint64_t>{0, 100, 0}));
  EXPECT_EQ(s.statistics.overlap_cycles, 20u);
  EXPECT_EQ(s.statistics.idle_cycles, 55u);
}

TEST(Timeline, OverlapCountsATransferOnceThoughTwoSlicesAreAtWork) {
  StreamMaker maker;
  maker.Lram(8);
  OpSpec start;
  start.kind = OpKind::kStart;
  start.cycles = 40;
  const uint32_t p = maker.Add(start, {}, {});
  start.slice = 1;
  const uint32_t q = maker.Add(start, {}, {});  // until 41
  maker.Load(20, {Writes(0)});                  // [2, 22)
  maker.Wait(p);
  maker.Wait(q);
  maker.Store(10, {Reads(0)});  // [41, 51)
  const Stream stream = maker.Build();
  const Simulation s = Simulated(stream, Chip(2));
  EXPECT_EQ(s.statistics.dma_cycles, 30u);
  EXPECT_EQ(s.statistics.compute_cycles, 80u);
  EXPECT_EQ(s.statistics.overlap_cycles, 20u);
  EXPECT_EQ(s.statistics.idle_cycles, 0u);
}

TEST(Timeline, SwapsAndBlocksAreTransfersThatAreNoOps) {
  StreamMaker maker;
  maker.Lram(60);
  maker.Lram(60);
  maker.Load(10, {Writes(0)});
  maker.Load(10, {Writes(1)});
  maker.Store(10, {Reads(1)});
  maker.Store(10, {Reads(0)});
  const Stream stream = maker.Build();
  Hardware hardware = Chip(1);
  hardware.block_ops = 2;
  hardware.block_bytes = 7;
  const absl::StatusOr<std::unique_ptr<const ScheduleProblem>> problem =
      ScheduleProblem::Make(stream, hardware);
  ASSERT_TRUE(problem.ok()) << problem.status();
  Placement placement;
  placement.swap_transfers = {{1, true, BufferIndex(0), 40}, {4, false, BufferIndex(0), 40}};
  Statistics statistics;
  std::vector<Span> timeline;
  EXPECT_EQ(PlayTimeline(**problem, InputSchedule(stream), placement, &statistics, &timeline),
            181u);
  EXPECT_EQ(LinesOf(timeline),
            (Lines{"dma [0, 10) op 0", "dma [10, 17)", "dma [17, 77) store of 0",
                   "dma [77, 87) op 1", "dma [87, 94)", "dma [94, 104) op 2 store",
                   "dma [104, 164) of 0", "dma [164, 171)", "dma [171, 181) op 3 store"}));
  EXPECT_EQ(statistics.dma_cycles, 181u);
  EXPECT_EQ(statistics.idle_cycles, 0u);
}

TEST(Timeline, ABlockComesBeforeItsOpWhateverItsKind) {
  StreamMaker maker;
  const uint32_t p = maker.Start(50, {});
  maker.Barrier(10);
  maker.Wait(p);
  const Stream stream = maker.Build();
  Hardware hardware = Chip(1);
  hardware.block_ops = 1;
  hardware.block_bytes = 7;
  const Simulation s = Simulated(stream, hardware);
  EXPECT_EQ(LinesOf(s.timeline),
            (Lines{"dma [0, 7)", "slice 0 [7, 57) op 0", "dma [8, 15)", "stream [15, 25) op 1",
                   "dma [25, 32)", "stream [32, 57) op 2"}));
  EXPECT_EQ(s.statistics.overlap_cycles, 14u);
}

TEST(PeakLiveBytes, CountsBuffersUntilTheirLastUserIsDone) {
  StreamMaker maker;
  maker.Add(LiveIn(LramBuffer(5)));
  maker.Lram(20);
  maker.Add(LiveOut(LramBuffer(3)));
  maker.Lram(60);
  maker.Add(LiveIn(LiveOut(LramBuffer(1))));
  maker.Lram(99);  // nobody uses it
  maker.Alloc(3);
  const uint32_t p = maker.Start(1, {Reads(0), Writes(1)});  // 1, 5, 20
  maker.Load(1, {Writes(2)});                                // 3: 29 until the wait
  maker.Wait(p);                                             // 5 and 20 go
  maker.Load(1, {Writes(3)});                                // 60: 64
  const Stream stream = maker.Build();
  EXPECT_EQ(Simulated(stream, Chip(1)).peak_live_bytes, 64u);
  // The big one comes before the wait.
  EXPECT_EQ(Simulated(stream, Chip(1), Ops({0, 1, 2, 4, 3})).peak_live_bytes, 89u);
}

TEST(PeakLiveBytes, StopsAtTheLargestNumber) {
  StreamMaker maker;
  for (int i = 0; i < 3; ++i) maker.Add(LiveIn(LiveOut(LramBuffer(uint64_t{1} << 63))));
  const Stream stream = maker.Build();
  Hardware hardware = Chip(1);
  hardware.lram_bytes = std::numeric_limits<uint64_t>::max();
  EXPECT_EQ(Simulated(stream, hardware).peak_live_bytes, std::numeric_limits<uint64_t>::max());
}

// ---- lower bounds -----------------------------------------------------------------------------

TEST(LowerBound, TheStreamPaysTransfersStartsAndBarriers) {
  StreamMaker maker;
  maker.Lram(8);
  maker.Load(30, {Writes(0)});
  maker.Program(10, {});
  maker.Start(7, {});  // without a wait: a barrier
  maker.Barrier(5);
  maker.Store(20, {Reads(0)});
  const Stream stream = maker.Build();
  Hardware hardware = Chip(1);
  hardware.start_cycles = 3;
  EXPECT_EQ(SimpleLowerBound(stream, hardware).cycles, 65u);
  EXPECT_EQ(SimpleLowerBound(stream, hardware).resource, Resource::kStream);
  // Six ops that are not pure: blocks before the 4th; before the 2nd, 4th and 6th.
  hardware.block_bytes = 100;
  hardware.block_ops = 4;
  EXPECT_EQ(SimpleLowerBound(stream, hardware).cycles, 165u);
  hardware.block_ops = 2;
  EXPECT_EQ(SimpleLowerBound(stream, hardware).cycles, 365u);
  hardware.block_ops = 7;
  EXPECT_EQ(SimpleLowerBound(stream, hardware).cycles, 65u);
}

TEST(LowerBound, IsTheLargestOfItsKindsAndOfEqualsTheFirst) {
  const LowerBound least = LargestOf({{BoundKind::kPath, 0}});
  EXPECT_EQ(least.cycles, 0u);
  EXPECT_EQ(least.kind, BoundKind::kPath);
  EXPECT_EQ(least.resource, Resource::kNeither);
  const LowerBound bound = LargestOf({{BoundKind::kStream, 6},
                                      {BoundKind::kSlices, 7},
                                      {BoundKind::kJackson, 7},
                                      {BoundKind::kCover, 5}});
  EXPECT_EQ(bound.cycles, 7u);
  EXPECT_EQ(bound.kind, BoundKind::kSlices);
  EXPECT_EQ(bound.resource, Resource::kSlices);
}

TEST(LowerBound, PureOpsDoNotCountForBlocks) {
  StreamMaker maker;
  maker.View({});
  maker.Barrier(1);
  maker.View({});
  maker.Barrier(1);
  const Stream stream = maker.Build();
  Hardware hardware = Chip(1);
  hardware.block_bytes = 10;
  hardware.block_ops = 3;
  EXPECT_EQ(SimpleLowerBound(stream, hardware).cycles, 2u);
}

TEST(LowerBound, TheSlicesShareTheComputeRoundedUp) {
  StreamMaker maker;
  maker.Program(100, {});
  maker.Program(99, {});
  maker.Program(1, {});
  const Stream stream = maker.Build();
  EXPECT_EQ(SimpleLowerBound(stream, Chip(2)).cycles, 100u);
  EXPECT_EQ(SimpleLowerBound(stream, Chip(2)).resource, Resource::kSlices);
  EXPECT_EQ(SimpleLowerBound(stream, Chip(3)).cycles, 67u);
  EXPECT_EQ(SimpleLowerBound(stream, Chip(64)).cycles, 4u);
  // 200 / 64 is 4 as well, and three starts of 1 are less; of 2, 6.
  Hardware hardware = Chip(64);
  hardware.start_cycles = 2;
  EXPECT_EQ(SimpleLowerBound(stream, hardware).cycles, 6u);
  EXPECT_EQ(SimpleLowerBound(stream, hardware).resource, Resource::kStream);
}

// ---- SimulateStream ---------------------------------------------------------------------------

class Simulate : public testing::Test {
 protected:
  Simulate() {
    maker_.Lram(8);
    maker_.Load(30, {Writes(0)});
    OpSpec start;
    start.kind = OpKind::kStart;
    start.name = "P";
    start.cycles = 100;
    maker_.Add(start, {Reads(0)}, {});
    maker_.Wait(1);
    maker_.Load(30, {Writes(0)});
    stream_ = maker_.Build();
  }

  void ExpectRefused(const std::vector<uint32_t>& order, const std::string& field,
                     const std::string& message) {
    ExpectInvalid(SimulateStream(stream_, Chip(2), Ops(order), {}, false).status(),
                  field + ": " + message, {field, OpIndex(), BufferIndex()});
  }

  StreamMaker maker_;
  Stream stream_;
};

TEST_F(Simulate, RefusesAnOrderOfAnotherLength) {
  ExpectRefused({0, 1, 2}, "order", "3 entries; expected each of the 4 ops once");
  ExpectRefused({0, 1, 2, 3, 3}, "order", "5 entries; expected each of the 4 ops once");
}

TEST_F(Simulate, RefusesAnOpThatDoesNotExist) {
  ExpectRefused({0, 1, 4, 3}, "order[2]", "op 4, but the stream has 4 ops");
  ExpectRefused({4294967295, 1, 2, 3}, "order[0]", "op 4294967295, but the stream has 4 ops");
}

TEST_F(Simulate, RefusesAnOpThatComesTwice) {
  ExpectRefused({0, 1, 1, 2}, "order[2]", "op 1 'P' comes a second time");
}

TEST_F(Simulate, RefusesAWaitBeforeItsStart) {
  ExpectRefused({0, 2, 1, 3}, "order[1]", "op 2 comes before its start, op 1 'P'");
}

TEST_F(Simulate, PricesAnyOtherOrderEvenOneThatBreaksDependences) {
  EXPECT_EQ(Simulated(stream_, Chip(2)).makespan, 160u);
  EXPECT_EQ(Simulated(stream_, Chip(2), Ops({1, 3, 0, 2})).makespan, 100u);
}

TEST_F(Simulate, TakesTheSlicesOfTheCallAndChecksThem) {
  IndexVector<OpIndex, uint8_t> slices(4, 0);
  slices[OpIndex(1)] = 1;
  slices[OpIndex(0)] = 77;  // of a load: means nothing
  const absl::StatusOr<Simulation> s = SimulateStream(stream_, Chip(2), {}, slices, false);
  ASSERT_TRUE(s.ok()) << s.status();
  EXPECT_EQ(s->statistics.slice_cycles, (std::vector<uint64_t>{0, 100}));
  slices[OpIndex(1)] = 2;
  ExpectInvalid(SimulateStream(stream_, Chip(2), {}, slices, false).status(),
                "slices: op 1 'P' on slice 2, but the hardware has 2 (counted from 0)",
                {"slices", OpIndex(), BufferIndex()});
}

TEST_F(Simulate, RefusesWhatTheChipCannotRun) {
  Hardware hardware = Chip(2);
  hardware.lram_bytes = 7;
  EXPECT_EQ(PlaceOf(SimulateStream(stream_, hardware, {}, {}, false).status()).field,
            "stream.buffers[0].size");
}

}  // namespace
}  // namespace torqsched
