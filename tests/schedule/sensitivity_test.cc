// What an order takes on chips that are slightly off, by hand; and on random streams, that it is
// what the timeline says where nothing is off.
#include "src/schedule/sensitivity.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "gtest/gtest.h"
#include "src/schedule/input_schedule.h"
#include "src/schedule/schedule_stream.h"
#include "tests/reference/random_streams.h"
#include "tests/schedule/cases.h"
#include "tests/stream/stream_maker.h"

namespace torqsched {
namespace {

constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();

Hardware Chip() {
  Hardware hardware;
  hardware.lram_bytes = 1000;
  hardware.start_cycles = 1;
  return hardware;
}

std::unique_ptr<const ScheduleProblem> ProblemOf(const Stream& stream, const Hardware& hardware) {
  absl::StatusOr<std::unique_ptr<const ScheduleProblem>> problem =
      ScheduleProblem::Make(stream, hardware);
  EXPECT_TRUE(problem.ok()) << problem.status();
  return problem.ok() ? *std::move(problem) : nullptr;
}

// The eight makespans.
std::vector<uint64_t> Makespans(const std::vector<Sensitivity>& prices) {
  std::vector<uint64_t> makespans;
  for (const Sensitivity& price : prices) makespans.push_back(price.makespan);
  return makespans;
}

// Of the input order of a stream.
std::vector<uint64_t> InputMakespans(const Stream& stream, const Hardware& hardware,
                                     const Placement& placement = Placement()) {
  const auto problem = ProblemOf(stream, hardware);
  return Makespans(PriceSensitivity(*problem, InputSchedule(stream), placement));
}

uint64_t InputWorstCase(const Stream& stream, const Hardware& hardware,
                        const Placement& placement = Placement()) {
  return WorstCase(*ProblemOf(stream, hardware), InputSchedule(stream), placement);
}

TEST(Sensitivity, TransfersAndProgramsThatFollowEachOther) {
  StreamMaker maker;
  maker.Lram(8);
  maker.Load(30, {Writes(0)});
  maker.Program(100, {Updates(0)});
  maker.Store(20, {Reads(0)});
  maker.Barrier(5);
  const Stream stream = maker.Build();
  // 24 + 100 + 16 + 5, and so on: what a barrier takes stays.
  EXPECT_EQ(InputMakespans(stream, Chip()),
            (std::vector<uint64_t>{145, 150, 160, 165, 135, 145, 165, 175}));
  EXPECT_EQ(InputWorstCase(stream, Chip()), 175u);
}

TEST(Sensitivity, PricesAreInOrderAndSayWhatIsOff) {
  const Stream stream = StreamMaker().Build();
  const std::vector<Sensitivity> prices =
      PriceSensitivity(*ProblemOf(stream, Chip()), InputSchedule(stream), Placement());
  ASSERT_EQ(prices.size(), 8u);
  const std::vector<int32_t> percents = {-20, -10, 10, 20};
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(prices[i].dma_percent, percents[i]);
    EXPECT_EQ(prices[i].compute_percent, 0);
    EXPECT_EQ(prices[i + 4].dma_percent, 0);
    EXPECT_EQ(prices[i + 4].compute_percent, percents[i]);
  }
  EXPECT_EQ(Makespans(prices), std::vector<uint64_t>(8, 0));
}

TEST(Sensitivity, EachOpIsRoundedUpByItself) {
  StreamMaker maker;
  maker.Lram(8);
  for (int i = 0; i < 3; ++i) maker.Load(1, {Writes(0)});  // 0.8, 0.9, 1.1, 1.2
  maker.Load(7, {Writes(0)});                              // 5.6, 6.3, 7.7, 8.4
  const Stream stream = maker.Build();
  EXPECT_EQ(InputMakespans(stream, Chip()), (std::vector<uint64_t>{9, 10, 14, 15, 10, 10, 10, 10}));
}

TEST(Sensitivity, AStartThatNothingWaitsForIsAProgram) {
  StreamMaker maker;
  maker.Start(7, {});
  const Stream stream = maker.Build();
  EXPECT_EQ(InputMakespans(stream, Chip()), (std::vector<uint64_t>{7, 7, 7, 7, 6, 7, 8, 9}));
}

// 5 bytes at 3 cycles for 2 take 7.5 cycles, so 8; before the second and the fourth barrier. Then
// 6.4, 7.2, 8.8 and 9.6.
TEST(Sensitivity, BlocksOfTheStreamAreTransfers) {
  StreamMaker maker;
  for (int i = 0; i < 4; ++i) maker.Barrier(5);
  const Stream stream = maker.Build();
  Hardware hardware = Chip();
  hardware.block_ops = 2;
  hardware.block_bytes = 5;
  hardware.dma_bytes = 2;
  hardware.dma_cycles = 3;
  EXPECT_EQ(InputMakespans(stream, hardware),
            (std::vector<uint64_t>{34, 36, 38, 40, 36, 36, 36, 36}));
}

// A store and a load of 50 bytes in between, and one behind the last op. 5 bytes take 8 cycles.
TEST(Sensitivity, SwapsAreTransfers) {
  StreamMaker maker;
  maker.Lram(50);
  maker.Lram(5);
  maker.Load(30, {Writes(0)});
  maker.Barrier(10);
  const Stream stream = maker.Build();
  Hardware hardware = Chip();
  hardware.dma_bytes = 2;
  hardware.dma_cycles = 3;
  Placement placement;
  placement.placed = true;
  placement.swap_transfers = {
      {1, true, BufferIndex(0), 0}, {2, false, BufferIndex(0), 0}, {4, false, BufferIndex(1), 0}};
  // 30 + 75 + 75 + 10 + 8 as it is. 24 + 60 + 60 + 10 + 7; 27 + 68 + 68 + 10 + 8; and so on.
  EXPECT_EQ(InputMakespans(stream, hardware, placement),
            (std::vector<uint64_t>{161, 181, 218, 236, 198, 198, 198, 198}));
  EXPECT_EQ(InputWorstCase(stream, hardware, placement), 236u);
  EXPECT_EQ(InputMakespans(stream, hardware),
            (std::vector<uint64_t>{34, 37, 43, 46, 40, 40, 40, 40}));
}

TEST(Sensitivity, WhatDoesNotFitIsTheLargestNumber) {
  StreamMaker maker;
  maker.Lram(8);
  maker.Load(kMost - 10, {Writes(0)});
  const Stream one = maker.Build();
  EXPECT_EQ(InputMakespans(one, Chip())[2], kMost);
  EXPECT_EQ(InputMakespans(one, Chip())[7], kMost - 10);
  EXPECT_EQ(InputWorstCase(one, Chip()), kMost);
  // Each fits by itself, their sum does not. 2^64 - 2 is 18,446,744,073,709,551,614.
  StreamMaker two;
  two.Program(kMost / 2, {});
  two.Program(kMost / 2, {});
  const Stream sum = two.Build();
  Hardware hardware = Chip();
  hardware.start_cycles = 0;
  EXPECT_EQ(InputMakespans(sum, hardware),
            (std::vector<uint64_t>{kMost - 1, kMost - 1, kMost - 1, kMost - 1,
                                   14757395258967641292u, 16602069666338596454u, kMost, kMost}));
}

// L1 L2 L3 run beside P1 and P2, P3 follows P1.
TEST(Sensitivity, OfWorkedExample1AsTheCallAnswersIt) {
  const reference::ScheduleCase c = CaseNamed("worked-example-1");
  ScheduleOptions options;
  absl::StatusOr<ScheduleAnswer> answer = ScheduleStream(c.stream, c.hardware, options, {});
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_TRUE(answer->sensitivity.empty());
  options.sensitivity = true;
  answer = ScheduleStream(c.stream, c.hardware, options, {});
  ASSERT_TRUE(answer.ok()) << answer.status();
  ASSERT_EQ(answer->placement.makespan, 250u);
  EXPECT_EQ(Makespans(answer->sensitivity),
            (std::vector<uint64_t>{240, 245, 255, 260, 210, 230, 270, 290}));
  options.strategy = Strategy::kNone;
  answer = ScheduleStream(c.stream, c.hardware, options, {});
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(Makespans(answer->sensitivity),  // 110 of transfers, 300 of programs
            (std::vector<uint64_t>{388, 399, 421, 432, 350, 380, 440, 470}));
}

TEST(Sensitivity, WhatIsNotPlacedIsPricedWithoutSwaps) {
  StreamMaker maker;
  maker.Lram(600);
  maker.Lram(600);
  maker.Load(10, {Writes(0)});
  maker.Load(10, {Writes(1)});
  maker.Program(100, {Reads(0), Reads(1)});
  const Stream stream = maker.Build();
  ScheduleOptions options;
  options.sensitivity = true;
  const absl::StatusOr<ScheduleAnswer> answer = ScheduleStream(stream, Chip(), options, {});
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_FALSE(answer->placement.placed);
  EXPECT_EQ(Makespans(answer->sensitivity),
            (std::vector<uint64_t>{116, 118, 122, 124, 100, 110, 130, 140}));
}

// The load is issued in 2 cycles, the program waits for it, the store is issued after that.
TEST(Sensitivity, WhatATransferCostsToIssueStays) {
  StreamMaker maker;
  maker.Lram(8);
  maker.Load(30, {Writes(0)});
  maker.Program(100, {Updates(0)});
  maker.Store(1, {Reads(0)});
  const Stream stream = maker.Build();
  Hardware hardware = Chip();
  hardware.non_blocking_transfers = true;
  hardware.transfer_issue_cycles = 2;
  EXPECT_EQ(InputMakespans(stream, hardware),
            (std::vector<uint64_t>{126, 129, 135, 138, 112, 122, 142, 152}));
}

// P takes nearly all of the bandwidth and waits for Q on its slice. The transfer is done before Q
// is (412), even if it takes 492 cycles, but not if Q takes 400 instead of 500: then it has 12 to
// go, does 8 of them beside P, and ends at 1,204. Nothing waits for P.
TEST(Sensitivity, TheWorstMayBeThatProgramsAreFaster) {
  StreamMaker maker;
  maker.Lram(8);
  const uint32_t q = maker.Start(500, {});
  OpSpec spec;
  spec.kind = OpKind::kStart;
  spec.cycles = 1000;
  spec.dma_share_percent = 99;
  const uint32_t p = maker.Add(spec, {}, {});
  maker.Load(410, {Writes(0)});
  maker.Barrier(5000);
  maker.Wait(q);
  maker.Wait(p);
  const Stream stream = maker.Build();
  EXPECT_EQ(InputMakespans(stream, Chip()),
            (std::vector<uint64_t>{5330, 5371, 5453, 5494, 6204, 5412, 5412, 5412}));
  EXPECT_EQ(InputWorstCase(stream, Chip()), 6204u);
}

// ---- random streams ---------------------------------------------------------------------------

// What is wrong with the prices of a random stream's answer; 1 is added where it has several swaps.
void CheckRandomStream(const reference::RandomStream& random, int* with_swaps) {
  ScheduleOptions options = random.options;
  options.sensitivity = true;
  const absl::StatusOr<ScheduleAnswer> answer =
      ScheduleStream(random.stream, random.hardware, options, {});
  ASSERT_TRUE(answer.ok()) << answer.status();
  const auto problem = ProblemOf(random.stream, random.hardware);
  const Placement& placement = answer->placement;
  const uint64_t nominal = MakespanOff(*problem, answer->schedule, placement, 0, 0);
  EXPECT_EQ(nominal, placement.placed ? placement.makespan : answer->schedule.makespan);
  uint64_t worst = nominal;
  for (const Sensitivity& price : answer->sensitivity) worst = std::max(worst, price.makespan);
  EXPECT_EQ(WorstCase(*problem, answer->schedule, placement), worst);
  if (placement.swap_transfers.size() > 1) ++*with_swaps;
}

TEST(Sensitivity, OfRandomStreamsIsTheMakespanWhereNothingIsOffAndTheWorstIsOneOfTheEight) {
  for (const bool dma : {false, true}) {
    reference::Shape shape;
    shape.dma = dma;
    int with_swaps = 0;
    for (uint64_t seed = 0; seed < 2000 && !HasFailure(); ++seed) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << (dma ? ", other DMA" : ""));
      CheckRandomStream(reference::MakeRandomStream(seed, shape), &with_swaps);
    }
    EXPECT_GT(with_swaps, 50);
  }
}

}  // namespace
}  // namespace torqsched
