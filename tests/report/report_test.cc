// The reports of worked example 1, letter by letter, and what they do with odd input.
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "src/report/explain.h"
#include "src/report/summary.h"
#include "src/report/timeline.h"
#include "tests/report/worked_example.h"

namespace torqsched {
namespace report {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// Whether no line is longer than this.
bool Fits(const std::string& text, size_t columns) {
  size_t length = 0;
  for (char c : text) {
    length = c == '\n' ? 0 : length + 1;
    if (length > columns) return false;
  }
  return true;
}

// The steps of worked example 1 (docs/semantics.md, section 9): times, slices, rules.
TEST(ExplainTable, TellsTheTenStepsOfWorkedExample1) {
  const Stream stream = WorkedExample();
  const std::string table =
      ExplainTable(stream, WorkedExampleHardware(), WorkedExampleAnswer().schedule);
  EXPECT_THAT(
      table,
      StartsWith(
          R"(step  t before  free   rule                                            emits                 t after
   1         0  s0 s1  2: none ready. 3: urgent, fits, nothing runs    L1                         30
   2        30  s0 s1  2: ready, fits                                  start P1 -> s0 (130)       31
   3        31  s1     2: none ready. 3: urgent, fits, t <= 130        L2                         61
   4        61  s1     2: ready, fits                                  start P2 -> s1 (161)       62
   5        62  none   2: none free. 3: urgent, fits, t <= 130         L3                         92
   6        92  none   2: none free. 3: none ready. 4: s0 ends first   wait P1                   130
   7       130  s0     2: ready, fits                                  start P3 -> s0 (230)      131
   8       131  none   2: none free. 3: none ready. 4: s1 ends first   wait P2                   161
   9       161  s1     2: none ready. 3: none ready. 4: s0 ends first  wait P3                   230
  10       230  s0 s1  2: none ready. 3: store, nothing runs           S3                        250
)"));
  EXPECT_TRUE(Fits(table, 100)) << table;
}

TEST(ExplainTable, SaysSoWhereThereAreNoSteps) {
  const Stream stream = WorkedExample();
  EXPECT_EQ(ExplainTable(stream, WorkedExampleHardware(), Schedule()),
            "No steps were recorded for this order.\n");
}

TEST(ExplainTable, GivesEachRuleALineWhereOneIsTooLong) {
  const Stream stream = WorkedExample();
  Schedule schedule = WorkedExampleAnswer().schedule;
  for (Step& step : schedule.steps) {
    step.t_before += 120000000;
    step.t_after += 120000000;
    step.program_end += 120000000;
  }
  const std::string table = ExplainTable(stream, WorkedExampleHardware(), schedule);
  EXPECT_TRUE(Fits(table, 100)) << table;
  EXPECT_THAT(table, HasSubstr("2: none ready  "));
}

TEST(Summary, TellsBankConflictsWhereThereAreBanks) {
  const Stream stream = WorkedExample();
  Hardware hardware = WorkedExampleHardware();
  ScheduleAnswer answer = WorkedExampleAnswer();
  answer.placement.bank_conflicts = 1;
  EXPECT_THAT(Summary(stream, hardware, ScheduleOptions(), answer), Not(HasSubstr("banks")));
  hardware.bank_bytes = 65536;
  EXPECT_THAT(
      Summary(stream, hardware, ScheduleOptions(), answer),
      HasSubstr("\nbanks         1 conflict   (two buffers that one op reads in one bank of "
                "65,536 bytes)\n"));
  answer.placement.bank_conflicts = 0;
  EXPECT_THAT(Summary(stream, hardware, ScheduleOptions(), answer),
              HasSubstr("\nbanks         0 conflicts   ("));
  answer.placement.bank_conflicts.reset();  // a host's oracle that does not say
  EXPECT_THAT(Summary(stream, hardware, ScheduleOptions(), answer), Not(HasSubstr("banks")));
}

TEST(Summary, OfWorkedExample1) {
  const Stream stream = WorkedExample();
  EXPECT_EQ(Summary(stream, WorkedExampleHardware(), ScheduleOptions(), WorkedExampleAnswer()),
            R"(worked-example-1: 10 ops, 3 programs, 10 buffers

makespan      410 -> 250 cycles   -39.0 %   1.64x
lower bound   150 cycles   gap 66.7 %   (slices: all programs)
              others: stream 113
order         list schedule, pass 0, cap 1,000 bytes (100.0 % of usable LRAM)
search        none: strategy stream-schedule; strategy optimize searches for less
LRAM peak     500 of 1,000 usable bytes (50.0 %); input order 300
swaps         none

         cycles  of makespan
DMA         110       44.0 %  loads, stores, swaps
slice 0     200       80.0 %  programs
slice 1     100       40.0 %
overlap      60       24.0 %  DMA and at least one slice at once
idle          0        0.0 %  neither DMA nor a slice

pass    cap  predicted  swaps  allocated  verdict
   0  1,000        250      0        250  committed
to beat: 410 cycles
)");
}

TEST(Summary, OfAnOrderThatIsNotPlaced) {
  const Stream stream = WorkedExample();
  ScheduleAnswer answer = WorkedExampleAnswer();
  answer.source = Source::kInput;
  answer.pass.reset();
  answer.cap.reset();
  answer.input_allocated_makespan.reset();
  answer.bar.reset();
  answer.schedule.makespan = 410;
  answer.placement = Placement();
  answer.placement.failure.reason = FailureReason::kFragmentation;
  answer.placement.failure.op = OpIndex(7);
  answer.placement.failure.buffers = {BufferIndex(9)};
  answer.placement.failure.free_bytes = 120;
  answer.placement.failure.largest_range = 64;
  answer.attempts[0].placed = false;
  answer.attempts[0].swaps.reset();
  answer.attempts[0].makespan.reset();
  answer.attempts[0].verdict = Verdict::kNotPlaced;
  answer.attempts[0].failure = answer.placement.failure;
  const std::string text = Summary(stream, WorkedExampleHardware(), ScheduleOptions(), answer);
  EXPECT_THAT(text,
              HasSubstr("\n\nNOT PLACED    no order that was tried can be placed in LRAM: there "
                        "are no offsets\nmakespan      410 cycles   unchanged\n"));
  EXPECT_THAT(text, HasSubstr("the input order stays\n"));
  EXPECT_THAT(text, HasSubstr("not placed in LRAM: fragmented at op 7 'start P3'\n"));
  EXPECT_THAT(text, HasSubstr("fragmented at op 7 'start P3': wants 100 bytes; 0 pinned, 120 free, "
                              "longest range 64\n"));
  EXPECT_THAT(text, Not(HasSubstr("to beat")));
  EXPECT_TRUE(Fits(text, 100)) << text;
}

TEST(Summary, TellsWhatSequentialSaysBesideOffline) {
  const Stream stream = WorkedExample();
  ScheduleAnswer answer = WorkedExampleAnswer();
  answer.input_sequential = SequentialFigures{true, 2, 1470};
  answer.attempts[0].sequential = SequentialFigures{false, 0, 0};
  const std::string text = Summary(stream, WorkedExampleHardware(), ScheduleOptions(), answer);
  EXPECT_THAT(text, HasSubstr("SEQUENTIAL    input order: 1,470, 2 swaps\n"));
  EXPECT_THAT(text, HasSubstr("pass    cap  predicted  swaps  allocated  SEQUENTIAL  verdict\n"
                              "   0  1,000        250      0        250  not placed  committed\n"));
  EXPECT_TRUE(Fits(text, 100)) << text;
}

TEST(Summary, CountsSwaps) {
  const Stream stream = WorkedExample();
  ScheduleAnswer answer = WorkedExampleAnswer();
  answer.pass = 1;
  answer.placement.swaps = 3;
  answer.placement.stores = 1;
  answer.placement.loads = 2;
  answer.placement.swap_bytes = 1300;
  answer.placement.makespan = 300;
  EXPECT_THAT(Summary(stream, WorkedExampleHardware(), ScheduleOptions(), answer),
              HasSubstr("swaps         3: 1 store, 2 loads, 1,300 bytes\n"));
  EXPECT_THAT(Summary(stream, WorkedExampleHardware(), ScheduleOptions(), answer),
              HasSubstr("after: with 3 swaps; without them 250\n"));
  answer.placement.has_detail = false;
  EXPECT_THAT(Summary(stream, WorkedExampleHardware(), ScheduleOptions(), answer),
              HasSubstr("swaps         3\n"));
}

TEST(Summary, TellsTimesWhereTheClockIsKnown) {
  const Stream stream = WorkedExample();
  Hardware hardware = WorkedExampleHardware();
  hardware.clock_hz = 100000000;
  EXPECT_THAT(Summary(stream, hardware, ScheduleOptions(), WorkedExampleAnswer()),
              HasSubstr("4.1 us -> 2.5 us\n"));
}

TEST(PriceSummary, OfWorkedExample1) {
  const Stream stream = WorkedExample();
  Statistics statistics;
  statistics.dma_cycles = 110;
  statistics.slice_cycles = {300, 0};
  const std::string text =
      PriceSummary(stream, WorkedExampleHardware(),
                   {410, 300, {150, Resource::kSlices, BoundKind::kSlices}}, statistics);
  EXPECT_THAT(text, HasSubstr("410 cycles   before allocation\n"));
  EXPECT_THAT(text, HasSubstr("lower bound   150 cycles   gap 173.3 %   (slices: all programs)\n"));
  EXPECT_THAT(text, HasSubstr("300 of 1,000 usable bytes (30.0 %)\n"));
}

TEST(Summary, NamesTheBoundThatBindsAndTheOthers) {
  const Stream stream = WorkedExample();
  ScheduleAnswer answer = WorkedExampleAnswer();
  const auto expect = [&](BoundKind kind, const std::string& words) {
    answer.lower_bound = {200, ResourceOf(kind), kind};
    answer.bounds = {{kind, 200}};
    EXPECT_THAT(Summary(stream, WorkedExampleHardware(), ScheduleOptions(), answer),
                HasSubstr("\nlower bound   200 cycles   gap 25.0 %   (" + words + ")\norder "));
  };
  expect(BoundKind::kStream, "stream: transfers, starts, barriers");
  expect(BoundKind::kSlices, "slices: all programs");
  expect(BoundKind::kPath, "path: the longest path of dependences");
  expect(BoundKind::kJackson, "Jackson: the stream, each op after what it needs");
  expect(BoundKind::kCover, "cover: what can run beside what, at best");
  expect(BoundKind::kReloads, "reloads: what LRAM cannot carry over a cut");
  expect(BoundKind::kBarriers, "barriers: the parts between barriers, added up");
  expect(BoundKind::kExact, "exact: all orders were searched");
}

TEST(Summary, ListsTheOtherBoundsInLinesThatFit) {
  const Stream stream = WorkedExample();
  ScheduleAnswer answer = WorkedExampleAnswer();
  answer.bounds.clear();
  for (int kind = 0; kind < kBoundKinds; ++kind) {
    answer.bounds.push_back({static_cast<BoundKind>(kind), 112084550u + kind});
  }
  answer.lower_bound = {112084553, Resource::kStream, BoundKind::kJackson};
  answer.placement.makespan = 327392371;
  const std::string text = Summary(stream, WorkedExampleHardware(), ScheduleOptions(), answer);
  EXPECT_THAT(text, HasSubstr(
                        R"(
lower bound   112,084,553 cycles   gap 192.1 %   (Jackson: the stream, each op after what it needs)
              others: stream 112,084,550, slices 112,084,551, path 112,084,552, cover 112,084,554,
                      reloads 112,084,555, barriers 112,084,556, exact 112,084,557
order )"));
  EXPECT_TRUE(Fits(text, 100)) << text;
}

TEST(Summary, SaysWhereNothingCanBeBetter) {
  const Stream stream = WorkedExample();
  ScheduleAnswer answer = WorkedExampleAnswer();
  answer.lower_bound = {250, Resource::kNeither, BoundKind::kExact};
  EXPECT_THAT(Summary(stream, WorkedExampleHardware(), ScheduleOptions(), answer),
              HasSubstr("lower bound   250 cycles   proven optimal   (exact: all orders were "
                        "searched)\n"));
  answer.placement = Placement();  // then it is only that the price meets the bound
  EXPECT_THAT(Summary(stream, WorkedExampleHardware(), ScheduleOptions(), answer),
              Not(HasSubstr("proven")));
}

// The line about the search, and those under it.
std::string SearchLine(const ScheduleOptions& options, const ScheduleAnswer& answer) {
  const Stream stream = WorkedExample();
  const std::string text = Summary(stream, WorkedExampleHardware(), options, answer);
  const size_t begin = text.find("\nsearch ");
  if (begin == std::string::npos) return "";
  return text.substr(begin + 15, text.find("\nLRAM peak") - begin - 15);
}

TEST(Summary, TellsWhyThereWasNoSearch) {
  ScheduleAnswer answer = WorkedExampleAnswer();
  ScheduleOptions options;
  EXPECT_EQ(SearchLine(options, answer),
            "none: strategy stream-schedule; strategy optimize searches for less");
  options.strategy = Strategy::kNone;
  EXPECT_EQ(SearchLine(options, answer), "none: strategy none keeps the input order");
  options.strategy = Strategy::kOptimize;
  EXPECT_EQ(SearchLine(options, answer), "none: there was nothing to try");
  options.work_limit = 0;
  EXPECT_EQ(SearchLine(options, answer), "none: the work limit is 0");
  answer.lower_bound.cycles = answer.placement.makespan;
  EXPECT_EQ(SearchLine(options, answer), "none needed: proven optimal before it would begin");
  options.robust = true;  // then a proof about cycles is none
  EXPECT_EQ(SearchLine(options, answer), "none: the work limit is 0");
  options.strategy = Strategy::kStreamSchedule;
  EXPECT_EQ(SearchLine(options, answer), "none, and none needed: proven optimal");
}

TEST(Summary, TellsWhatTheSearchDidAndWhatEndedIt) {
  ScheduleAnswer answer = WorkedExampleAnswer();
  ScheduleOptions options;
  options.strategy = Strategy::kOptimize;
  answer.source = Source::kSearch;
  answer.statistics.search_nodes = 12345;
  answer.statistics.search_moves = 678;
  answer.statistics.search_improvements = 1;
  const std::string work = "12,345 nodes, 678 moves tried, 1 improvement";
  EXPECT_EQ(SearchLine(options, answer), work + "; ended by itself");
  answer.work_limit_reached = true;
  EXPECT_EQ(SearchLine(options, answer),
            work + "\n              stopped at the work limit: more work may find a better order");
  answer.work_limit_reached = false;
  answer.time_limit_reached = true;
  EXPECT_EQ(SearchLine(options, answer),
            work + "\n              stopped at the time limit: another run may answer otherwise");
  answer.time_limit_reached = false;
  answer.lower_bound.cycles = answer.placement.makespan;
  EXPECT_EQ(SearchLine(options, answer), work + "; ended: proven optimal");
}

TEST(Summary, JudgesOrdersByWhatTheyWereComparedBy) {
  const Stream stream = WorkedExample();
  ScheduleAnswer answer = WorkedExampleAnswer();
  ScheduleOptions options;
  options.strategy = Strategy::kOptimize;
  answer.attempts[0].pass = 2;
  EXPECT_THAT(Summary(stream, WorkedExampleHardware(), options, answer), HasSubstr(R"(
pass  cap  predicted  swaps  allocated  verdict
   2    -        250      0        250  committed
)"));
  answer.attempts[0].verdict = Verdict::kNotFaster;
  EXPECT_THAT(Summary(stream, WorkedExampleHardware(), options, answer),
              HasSubstr("250  not faster\n"));
  options.robust = true;
  EXPECT_THAT(Summary(stream, WorkedExampleHardware(), options, answer),
              AllOf(HasSubstr("250  worst case not better\n"),
                    HasSubstr("robust: pass 2 compares by the worst of nine prices")));
  answer.attempts[0].pass = 1;  // a list schedule's: compared by its cycles
  EXPECT_THAT(Summary(stream, WorkedExampleHardware(), options, answer),
              AllOf(HasSubstr("250  not faster\n"), Not(HasSubstr("robust: "))));
}

// Worked example 1 with transfers of 24, 27, 33 and 36 cycles (store 16, 18, 22, 24), then with
// programs of 80, 90, 110 and 120.
TEST(Summary, TabulatesWhatTheAnswerTakesOnOtherChips) {
  const Stream stream = WorkedExample();
  ScheduleAnswer answer = WorkedExampleAnswer();
  answer.sensitivity = {{-20, 0, 240}, {-10, 0, 245}, {10, 0, 255}, {20, 0, 260},
                        {0, -20, 210}, {0, -10, 230}, {0, 10, 270}, {0, 20, 290}};
  const std::string text = Summary(stream, WorkedExampleHardware(), ScheduleOptions(), answer);
  EXPECT_THAT(text, HasSubstr(R"(
idle          0        0.0 %  neither DMA nor a slice

off by  transfers          programs
 -20 %        240  -4.0 %       210  -16.0 %
 -10 %        245  -2.0 %       230   -8.0 %
 +10 %        255  +2.0 %       270   +8.0 %
 +20 %        260  +4.0 %       290  +16.0 %

pass )"));
}

TEST(TimelineText, OfWorkedExample1) {
  const Stream stream = WorkedExample();
  const ScheduleAnswer answer = WorkedExampleAnswer();
  const std::vector<Span> input = WorkedExampleInputTimeline();
  EXPECT_EQ(TimelineText(stream, WorkedExampleHardware(),
                         {{"input order", &input, 410}, {"scheduled", &answer.timeline, 250}}, 82),
            R"(input order: 410 cycles
DMA  [-L1-]                    [-L2-]                    [-L3-]                    [S3]
s0         [--------P1--------]      [--------P2--------]      [--------P3--------]
s1
scheduled: 250 cycles (-39.0 %)
DMA  [-L1-][-L2-][-L3-]                            [S3]
s0         [--------P1--------][--------P3--------]
s1               [--------P2--------]
)");
}

TEST(TimelineText, ShowsHowBusyACellIs) {
  const Stream stream = WorkedExample();
  const std::vector<Span> input = WorkedExampleInputTimeline();
  EXPECT_EQ(TimelineText(stream, WorkedExampleHardware(), {{"input order", &input, 410}}, 5),
            R"(input order: 410 cycles
DMA  .. ..
s0   ::#::
s1
)");
}

TEST(TimelineText, HasALaneForEachEngine) {
  const Stream stream = WorkedExample();
  Hardware hardware = WorkedExampleHardware();
  std::vector<Span> spans = WorkedExampleInputTimeline();
  spans[0].engine = 1;
  spans.resize(1);
  hardware.dma_engines = 2;
  EXPECT_EQ(TimelineText(stream, hardware, {{"two", &spans, 60}}, 12),
            "two: 60 cycles\nDMA0\nDMA1 [-L1-]\ns0\ns1\n");
  hardware.dma_engines = 1;
  hardware.store_engines = 1;
  EXPECT_EQ(TimelineText(stream, hardware, {{"apart", &spans, 60}}, 12),
            "apart: 60 cycles\nload0\nstore0 [-L1-]\ns0\ns1\n");
}

TEST(TimelineText, OfNothing) {
  const Stream stream = WorkedExample();
  const std::vector<Span> none;
  EXPECT_EQ(TimelineText(stream, WorkedExampleHardware(), {{"nothing", &none, 0}}, 10),
            "nothing: 0 cycles\nDMA\ns0\ns1\n");
}

size_t Count(const std::string& text, const std::string& piece) {
  size_t count = 0;
  for (size_t at = 0; (at = text.find(piece, at)) != std::string::npos; at += piece.size()) ++count;
  return count;
}

TEST(TimelineSvg, HasABoxForEachThing) {
  const Stream stream = WorkedExample();
  const ScheduleAnswer answer = WorkedExampleAnswer();
  const std::vector<Span> input = WorkedExampleInputTimeline();
  const std::vector<TimelinePanel> panels = {{"input order", &input, 410},
                                             {"scheduled", &answer.timeline, 250}};
  const std::string svg = TimelineSvg(stream, WorkedExampleHardware(), panels);
  EXPECT_THAT(svg, StartsWith("<svg xmlns=\"http://www.w3.org/2000/svg\""));
  EXPECT_EQ(Count(svg, " o\" x="), 14u);
  EXPECT_EQ(Count(svg, "<title>P3: 130 to 230</title>"), 1u);
  EXPECT_THAT(svg, HasSubstr("scheduled: 250 cycles (-39.0 %)"));
  EXPECT_EQ(svg, TimelineSvg(stream, WorkedExampleHardware(), panels));
}

TEST(TimelineSvg, HasALaneForEachEngine) {
  const Stream stream = WorkedExample();
  Hardware hardware = WorkedExampleHardware();
  const std::vector<Span> input = WorkedExampleInputTimeline();
  hardware.dma_engines = 3;
  hardware.store_engines = 2;
  const std::string svg = TimelineSvg(stream, hardware, {{"input order", &input, 410}});
  for (const char* lane : {"load0", "load1", "load2", "store0", "store1", "s0", "s1"}) {
    EXPECT_EQ(Count(svg, std::string(">") + lane + "<"), 1u) << lane;
  }
  EXPECT_EQ(Count(svg, ">DMA<"), 0u);
}

TEST(TimelineSvg, EscapesNames) {
  StreamBuilder builder("a<b>&\"c\"");
  Buffer buffer;
  buffer.space = Space::kLram;
  builder.AddBuffer(buffer, "w");
  OpSpec spec;
  spec.kind = OpKind::kLoad;
  spec.name = "<script>";
  builder.BeginOp(spec);
  builder.AddAccess({0, false, true, 0, std::nullopt});
  builder.EndOp();
  const absl::StatusOr<Stream> stream = std::move(builder).Build();
  ASSERT_TRUE(stream.ok()) << stream.status();
  Span span;
  span.lane = Lane::kDma;
  span.end = 10;
  span.op = OpIndex(0);
  const std::vector<Span> spans = {span};
  const std::string svg = TimelineSvg(*stream, WorkedExampleHardware(), {{"<order>", &spans, 10}});
  EXPECT_THAT(svg, Not(HasSubstr("<script>")));
  EXPECT_THAT(svg, HasSubstr("&lt;script&gt;"));
  EXPECT_THAT(svg, HasSubstr("a&lt;b&gt;&amp;&quot;c&quot;"));
  EXPECT_THAT(svg, HasSubstr("&lt;order&gt;"));
}

TEST(TimelineSvg, StaysSmallHoweverLongTheStream) {
  const Stream stream = WorkedExample();
  std::vector<Span> spans;
  for (uint64_t i = 0; i < 100000; ++i) {
    Span span;
    span.lane = Lane::kDma;
    span.begin = 10 * i;
    span.end = 10 * i + 1 + i % 9;
    span.op = OpIndex(i % 3 == 0 ? 9 : 0);
    spans.push_back(span);
  }
  EXPECT_LT(TimelineSvg(stream, WorkedExampleHardware(), {{"long", &spans, 1000000}}).size(),
            300000u);
}

}  // namespace
}  // namespace report
}  // namespace torqsched
