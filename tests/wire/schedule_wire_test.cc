// Options in, answer out: defaults, ranges, and that every part of an answer has its field.
#include "src/wire/schedule_wire.h"

#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "src/stream/error.h"
#include "src/wire/stream_wire.h"
#include "tests/wire/text.h"

namespace torqsched {
namespace {

absl::StatusOr<ScheduleOptions> Options(const std::string& text) {
  return OptionsFromProto(FromText<v1::ScheduleOptions>(text));
}

void ExpectError(const absl::Status& status, absl::StatusCode code, const std::string& field) {
  EXPECT_EQ(status.code(), code) << status;
  EXPECT_EQ(PlaceOf(status).field, field) << status;
}

TEST(OptionsFromProto, EmptyMessageGivesTheDocumentedDefaults) {
  const absl::StatusOr<ScheduleOptions> options = Options("");
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->strategy, Strategy::kStreamSchedule);
  EXPECT_EQ(options->oracle, OracleKind::kSequential);
  EXPECT_EQ(options->cap_percent, 100u);
  EXPECT_EQ(options->prefetch_percent, 40u);
  EXPECT_EQ(options->urgent_starts, 4u);
  EXPECT_EQ(options->candidates, 32u);
  EXPECT_FALSE(options->explain);
  EXPECT_FALSE(options->timeline);
  EXPECT_EQ(options->work_limit, std::nullopt);
  EXPECT_EQ(options->time_limit_ms, std::nullopt);
  EXPECT_FALSE(options->swaps_forbidden);
  EXPECT_FALSE(options->sensitivity);
  EXPECT_FALSE(options->robust);
}

TEST(OptionsFromProto, WhatIsSetArrivesZeroIncluded) {
  const absl::StatusOr<ScheduleOptions> options = Options(R"pb(strategy: STRATEGY_NONE
                                                               oracle: ORACLE_HOST
                                                               cap_percent: 0
                                                               prefetch_percent: 7
                                                               urgent_starts: 0
                                                               candidates: 1
                                                               explain: true)pb");
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->strategy, Strategy::kNone);
  EXPECT_EQ(options->oracle, OracleKind::kHost);
  EXPECT_EQ(options->cap_percent, 0u);
  EXPECT_EQ(options->prefetch_percent, 7u);
  EXPECT_EQ(options->urgent_starts, 0u);
  EXPECT_EQ(options->candidates, 1u);
  EXPECT_TRUE(options->explain);
  EXPECT_FALSE(options->timeline);
}

TEST(OptionsFromProto, TimelineIsNotExplain) {
  const absl::StatusOr<ScheduleOptions> options = Options("timeline: true");
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_FALSE(options->explain);
  EXPECT_TRUE(options->timeline);
}

TEST(OptionsFromProto, LimitsOfASearchMayBeAnyNumber) {
  absl::StatusOr<ScheduleOptions> options =
      Options("strategy: STRATEGY_OPTIMIZE work_limit: 0 time_limit_ms: 18446744073709551615");
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->strategy, Strategy::kOptimize);
  EXPECT_EQ(options->work_limit, 0u);
  EXPECT_EQ(options->time_limit_ms, std::numeric_limits<uint64_t>::max());
  options = Options("work_limit: 18446744073709551615 time_limit_ms: 0");
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->work_limit, std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(options->time_limit_ms, 0u);
}

TEST(OptionsFromProto, EverySwitchIsOneOfItsOwn) {
  const std::vector<bool ScheduleOptions::*> switches = {
      &ScheduleOptions::explain, &ScheduleOptions::timeline, &ScheduleOptions::swaps_forbidden,
      &ScheduleOptions::sensitivity, &ScheduleOptions::robust};
  const std::vector<std::string> names = {"explain", "timeline", "swaps_forbidden", "sensitivity",
                                          "robust"};
  for (size_t set = 0; set < names.size(); ++set) {
    const absl::StatusOr<ScheduleOptions> options = Options(names[set] + ": true");
    ASSERT_TRUE(options.ok()) << options.status();
    for (size_t i = 0; i < names.size(); ++i) {
      EXPECT_EQ((*options).*switches[i], i == set) << names[set] << " and " << names[i];
    }
  }
}

TEST(OptionsFromProto, StrategyOrOracleThatIsNotKnownIsAnError) {
  v1::ScheduleOptions message;
  message.set_strategy(static_cast<v1::Strategy>(77));
  ExpectError(OptionsFromProto(message).status(), absl::StatusCode::kInvalidArgument,
              "options.strategy");
  EXPECT_EQ(OptionsFromProto(message).status().message(),
            "options.strategy: 77 is not known; expected STRATEGY_NONE, STRATEGY_STREAM_SCHEDULE "
            "or STRATEGY_OPTIMIZE");
  message.clear_strategy();
  message.set_oracle(static_cast<v1::Oracle>(77));
  ExpectError(OptionsFromProto(message).status(), absl::StatusCode::kInvalidArgument,
              "options.oracle");
}

// Two programs, a start that nothing waits for, and a pure op.
constexpr char kTwoPrograms[] = R"pb(
  buffers { space: SPACE_LRAM size: 8 }
  ops { kind: OP_KIND_START cycles: 5 }
  ops { kind: OP_KIND_WAIT start: 0 }
  ops { kind: OP_KIND_START cycles: 9 }
  ops { kind: OP_KIND_START cycles: 5 }
  ops { kind: OP_KIND_WAIT start: 3 }
  ops { kind: OP_KIND_PURE }
)pb";

class Answer : public testing::Test {
 protected:
  Answer() : message_(FromText<v1::Stream>(kTwoPrograms)) {
    absl::StatusOr<Stream> stream = StreamFromProto(message_);
    EXPECT_TRUE(stream.ok()) << stream.status();
    stream_ = *std::move(stream);
    answer_.schedule.slice.assign(stream_.op_count(), 0);
  }

  v1::ScheduleResponse Response() const {
    v1::ScheduleResponse response;
    ScheduleAnswerToProto(stream_, answer_, &response);
    return response;
  }

  v1::Stream message_;
  Stream stream_;
  ScheduleAnswer answer_;
};

TEST_F(Answer, SlicesStandBesideTheStartsThatHaveAWait) {
  for (const uint32_t op : {5, 3, 0, 1, 2, 4}) answer_.schedule.order.emplace_back(op);
  answer_.schedule.slice[OpIndex(0)] = 1;
  const v1::ScheduleResponse response = Response();
  EXPECT_EQ(std::vector<uint32_t>(response.order().begin(), response.order().end()),
            std::vector<uint32_t>({5, 3, 0, 1, 2, 4}));
  EXPECT_EQ(std::vector<uint32_t>(response.starts().begin(), response.starts().end()),
            std::vector<uint32_t>({0, 3}));
  EXPECT_EQ(std::vector<uint32_t>(response.slices().begin(), response.slices().end()),
            std::vector<uint32_t>({1, 0}));
}

TEST_F(Answer, EveryNumberHasAFieldOfItsOwn) {
  answer_.source = Source::kList;
  answer_.pass = 1;
  answer_.cap = 2;
  answer_.schedule.makespan = 3;
  answer_.schedule.peak = 4;
  answer_.placement.placed = true;
  answer_.placement.makespan = 15;
  answer_.placement.swaps = 1;
  answer_.placement.stores = 2;
  answer_.placement.loads = 3;
  answer_.placement.swap_bytes = 4;
  answer_.placement.peak = 5;
  answer_.placement.bank_conflicts = 10;
  answer_.placement.swap_transfers = {{6, true, BufferIndex(0), 7}, {8, false, BufferIndex(1), 9}};
  answer_.placement.moves = {{1, true, BufferIndex(2), 3}, {4, false, BufferIndex(0), 6}};
  answer_.input_makespan = 6;
  answer_.input_allocated_makespan = 7;
  answer_.input_swaps = 8;
  answer_.input_peak = 9;
  answer_.bar = 10;
  answer_.lower_bound = {11, Resource::kSlices, BoundKind::kSlices};
  answer_.bounds = {{BoundKind::kStream, 10}, {BoundKind::kSlices, 11}};
  answer_.statistics = {1, 2, 3, 4, {5, 6}, 7, 8, 9, 10, 11, 12};
  answer_.sensitivity = {{-20, 0, 12}, {0, 10, 13}};
  answer_.cancelled = true;
  EXPECT_TRUE(IsText(Response(), R"pb(
    starts: 0
    starts: 3
    slices: 0
    slices: 0
    source: SOURCE_LIST
    pass: 1
    cap_bytes: 2
    predicted_makespan: 3
    allocated_makespan: 15
    input_makespan: 6
    input_allocated_makespan: 7
    input_swaps: 8
    peak_live_bytes: 4
    input_peak_live_bytes: 9
    bar: 10
    lower_bound { cycles: 11 resource: RESOURCE_SLICES kind: BOUND_KIND_SLICES }
    gap_ppm: 363636
    placement {
      placed: true
      swaps: 1
      stores: 2
      loads: 3
      swap_bytes: 4
      peak_bytes: 5
      swap_transfers { entry: 6 store: true buffer: 0 offset: 7 }
      swap_transfers { entry: 8 buffer: 1 offset: 9 }
      moves { entry: 1 buffer: 2 offset: 3 }
      moves { entry: 4 evicted: true buffer: 0 offset: 6 }
      bank_conflicts: 10
    }
    statistics {
      dma_cycles: 1
      compute_cycles: 2
      overlap_cycles: 3
      idle_cycles: 4
      slice_cycles: 5
      slice_cycles: 6
      oracle_runs: 7
      list_schedules: 8
      scheduler_steps: 9
      search_nodes: 10
      search_moves: 11
      search_improvements: 12
    }
    cancelled: true
    bounds { kind: BOUND_KIND_STREAM cycles: 10 }
    bounds { kind: BOUND_KIND_SLICES cycles: 11 }
    sensitivity { dma_percent: -20 makespan: 12 }
    sensitivity { compute_percent: 10 makespan: 13 }
  )pb"));
}

TEST_F(Answer, InputThatNothingCouldPlaceSaysWhyAndHasNoMakespan) {
  answer_.placement.failure.reason = FailureReason::kFragmentation;
  answer_.placement.failure.op = OpIndex(0);
  answer_.placement.failure.buffers = {BufferIndex(4), BufferIndex(2)};
  answer_.placement.failure.pinned_bytes = 1;
  answer_.placement.failure.free_bytes = 2;
  answer_.placement.failure.largest_range = 3;
  answer_.placement.swaps = 5;  // what the oracle had done up to there
  const v1::ScheduleResponse response = Response();
  EXPECT_EQ(response.source(), v1::SOURCE_INPUT);
  EXPECT_FALSE(response.has_allocated_makespan());
  EXPECT_FALSE(response.has_input_allocated_makespan());
  EXPECT_FALSE(response.has_gap_ppm());
  EXPECT_FALSE(response.has_bar());
  EXPECT_FALSE(response.has_pass());
  EXPECT_FALSE(response.has_cap_bytes());
  EXPECT_TRUE(IsText(response.placement(), R"pb(
    failure {
      reason: FAILURE_REASON_FRAGMENTATION
      op: 0
      buffers: 4
      buffers: 2
      pinned_bytes: 1
      free_bytes: 2
      largest_range_bytes: 3
    }
  )pb"));
}

TEST_F(Answer, PlacementOfAHostThatTellsNoOffsetsSaysSo) {
  answer_.placement.placed = true;
  answer_.placement.has_detail = false;
  answer_.placement.swaps = 2;
  EXPECT_TRUE(IsText(Response().placement(), "placed: true swaps: 2 offsets_unknown: true"));
}

TEST_F(Answer, AttemptsTellWhatTheOracleSaidOnlyWhereItWasAsked) {
  Attempt not_asked;
  not_asked.cap = 100;
  not_asked.predicted = 50;
  not_asked.verdict = Verdict::kNotFaster;
  Attempt refused;
  refused.pass = 1;
  refused.placed = false;
  refused.verdict = Verdict::kNotPlaced;
  refused.failure.reason = FailureReason::kCapacity;
  Attempt placed;
  placed.placed = true;
  placed.swaps = 0;
  placed.makespan = 40;
  placed.verdict = Verdict::kCommitted;
  answer_.attempts = {not_asked, refused, placed};
  const v1::ScheduleResponse response = Response();
  ASSERT_EQ(response.attempts_size(), 3);
  EXPECT_TRUE(IsText(response.attempts(0),
                     "cap_bytes: 100 predicted_makespan: 50 verdict: VERDICT_NOT_FASTER"));
  EXPECT_TRUE(IsText(response.attempts(1),
                     "pass: 1 placed: false verdict: VERDICT_NOT_PLACED "
                     "failure { reason: FAILURE_REASON_CAPACITY }"));
  EXPECT_TRUE(IsText(response.attempts(2),
                     "placed: true swaps: 0 allocated_makespan: 40 "
                     "verdict: VERDICT_COMMITTED"));
}

TEST(OptionsFromProto, OfflineIsAnOracle) {
  v1::ScheduleOptions message;
  message.set_oracle(v1::ORACLE_OFFLINE);
  const absl::StatusOr<ScheduleOptions> options = OptionsFromProto(message);
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->oracle, OracleKind::kOffline);
}

TEST_F(Answer, WhatSequentialSaysIsToldWhereOfflineWasAsked) {
  Attempt both;
  both.placed = true;
  both.swaps = 1;
  both.makespan = 40;
  both.sequential = SequentialFigures{true, 3, 70};
  both.verdict = Verdict::kCommitted;
  Attempt only_offline = both;
  only_offline.sequential = SequentialFigures{false, 0, 0};
  answer_.attempts = {both, only_offline};
  answer_.input_sequential = SequentialFigures{true, 0, 80};
  const v1::ScheduleResponse response = Response();
  EXPECT_TRUE(IsText(response.attempts(0),
                     "placed: true swaps: 1 allocated_makespan: 40 verdict: VERDICT_COMMITTED "
                     "sequential_placed: true sequential_swaps: 3 sequential_makespan: 70"));
  EXPECT_TRUE(IsText(response.attempts(1),
                     "placed: true swaps: 1 allocated_makespan: 40 verdict: VERDICT_COMMITTED "
                     "sequential_placed: false"));
  EXPECT_TRUE(response.input_sequential_placed());
  ASSERT_TRUE(response.has_input_sequential_swaps());
  EXPECT_EQ(response.input_sequential_swaps(), 0u);
  EXPECT_EQ(response.input_sequential_makespan(), 80u);
}

TEST_F(Answer, WhatSequentialSaysIsUnsetForOtherOracles) {
  answer_.attempts.resize(1);
  const v1::ScheduleResponse response = Response();
  EXPECT_FALSE(response.has_input_sequential_placed());
  EXPECT_FALSE(response.has_input_sequential_swaps());
  EXPECT_FALSE(response.has_input_sequential_makespan());
  EXPECT_FALSE(response.attempts(0).has_sequential_placed());
}

TEST_F(Answer, EveryVerdictHasItsOwnName) {
  answer_.attempts.resize(5);
  answer_.attempts[0].verdict = Verdict::kSameOrder;
  answer_.attempts[1].verdict = Verdict::kNotFaster;
  answer_.attempts[2].verdict = Verdict::kNotPlaced;
  answer_.attempts[3].verdict = Verdict::kNotFastest;
  answer_.attempts[4].verdict = Verdict::kCommitted;
  const v1::ScheduleResponse response = Response();
  EXPECT_EQ(response.attempts(0).verdict(), v1::VERDICT_SAME_ORDER);
  EXPECT_EQ(response.attempts(1).verdict(), v1::VERDICT_NOT_FASTER);
  EXPECT_EQ(response.attempts(2).verdict(), v1::VERDICT_NOT_PLACED);
  EXPECT_EQ(response.attempts(3).verdict(), v1::VERDICT_NOT_FASTEST);
  EXPECT_EQ(response.attempts(4).verdict(), v1::VERDICT_COMMITTED);
}

TEST_F(Answer, EverySourceHasItsOwnName) {
  answer_.source = Source::kInput;
  EXPECT_EQ(Response().source(), v1::SOURCE_INPUT);
  answer_.source = Source::kList;
  EXPECT_EQ(Response().source(), v1::SOURCE_LIST);
  answer_.source = Source::kSearch;
  EXPECT_EQ(Response().source(), v1::SOURCE_SEARCH);
}

TEST_F(Answer, LimitsThatWereReachedAreToldApart) {
  EXPECT_FALSE(Response().work_limit_reached());
  EXPECT_FALSE(Response().time_limit_reached());
  answer_.work_limit_reached = true;
  EXPECT_TRUE(Response().work_limit_reached());
  EXPECT_FALSE(Response().time_limit_reached());
  answer_.work_limit_reached = false;
  answer_.time_limit_reached = true;
  EXPECT_FALSE(Response().work_limit_reached());
  EXPECT_TRUE(Response().time_limit_reached());
}

TEST_F(Answer, EveryBoundHasItsOwnNameAndWhatItCounts) {
  const struct {
    BoundKind kind;
    v1::BoundKind name;
    v1::Resource resource;
  } kinds[] = {
      {BoundKind::kStream, v1::BOUND_KIND_STREAM, v1::RESOURCE_STREAM},
      {BoundKind::kSlices, v1::BOUND_KIND_SLICES, v1::RESOURCE_SLICES},
      {BoundKind::kPath, v1::BOUND_KIND_PATH, v1::RESOURCE_UNSPECIFIED},
      {BoundKind::kJackson, v1::BOUND_KIND_JACKSON, v1::RESOURCE_STREAM},
      {BoundKind::kCover, v1::BOUND_KIND_COVER, v1::RESOURCE_UNSPECIFIED},
      {BoundKind::kReloads, v1::BOUND_KIND_RELOADS, v1::RESOURCE_STREAM},
      {BoundKind::kBarriers, v1::BOUND_KIND_BARRIERS, v1::RESOURCE_UNSPECIFIED},
      {BoundKind::kExact, v1::BOUND_KIND_EXACT, v1::RESOURCE_UNSPECIFIED},
  };
  EXPECT_EQ(std::size(kinds), static_cast<size_t>(kBoundKinds));
  for (const auto& expected : kinds) {
    answer_.lower_bound = {7, ResourceOf(expected.kind), expected.kind};
    answer_.bounds = {{expected.kind, 7}};
    const v1::ScheduleResponse response = Response();
    EXPECT_EQ(response.lower_bound().kind(), expected.name);
    EXPECT_EQ(response.lower_bound().resource(), expected.resource);
    ASSERT_EQ(response.bounds_size(), 1);
    EXPECT_EQ(response.bounds(0).kind(), expected.name);
    EXPECT_EQ(response.bounds(0).cycles(), 7u);
  }
}

TEST_F(Answer, StepsTellTheStateTheRuleAndWhyOthersWereSkipped) {
  Step step;
  step.t_before = 1;
  step.t_after = 2;
  step.free_slices = 3;
  step.op = OpIndex(0);
  step.slice = 1;
  step.program_end = 5;
  step.rule = 3;
  step.fits = false;
  step.urgent = true;
  step.skip[0] = Skip::kNoneReady;
  step.skip[1] = Skip::kNoSliceFree;
  step.skip[2] = Skip::kApplied;
  step.live_after = 6;
  Step other;
  other.skip[0] = Skip::kNoneFits;
  other.skip[1] = Skip::kProgramSooner;
  other.skip[2] = Skip::kNoneRunning;
  other.skip[3] = Skip::kNoWaitReady;
  answer_.schedule.steps = {step, other};
  const v1::ScheduleResponse response = Response();
  ASSERT_EQ(response.steps_size(), 2);
  EXPECT_TRUE(IsText(response.steps(0), R"pb(
    t_before: 1
    t_after: 2
    free_slices: 3
    op: 0
    slice: 1
    program_end: 5
    rule: 3
    forced: true
    urgent: true
    skips: SKIP_NONE_READY
    skips: SKIP_NO_SLICE_FREE
    skips: SKIP_APPLIED
    skips: SKIP_NOT_REACHED
    skips: SKIP_NOT_REACHED
    live_bytes_after: 6
  )pb"));
  ASSERT_EQ(response.steps(1).skips_size(), 5);
  EXPECT_EQ(response.steps(1).skips(0), v1::SKIP_NONE_FITS);
  EXPECT_EQ(response.steps(1).skips(1), v1::SKIP_PROGRAM_SOONER);
  EXPECT_EQ(response.steps(1).skips(2), v1::SKIP_NONE_RUNNING);
  EXPECT_EQ(response.steps(1).skips(3), v1::SKIP_NO_WAIT_READY);
  EXPECT_FALSE(response.steps(1).forced());
}

TEST_F(Answer, TimelineTellsOpsFromSwapsAndBlocks) {
  answer_.timeline = {{Lane::kSlice, 1, 2, 3, OpIndex(0), BufferIndex(), false},
                      {Lane::kDma, 0, 4, 5, OpIndex(), BufferIndex(0), true},
                      {Lane::kStream, 0, 6, 7, OpIndex(1), BufferIndex(), false},
                      {Lane::kDma, 0, 8, 9, OpIndex(), BufferIndex(), false}};
  const v1::ScheduleResponse response = Response();
  ASSERT_EQ(response.timeline_size(), 4);
  EXPECT_TRUE(IsText(response.timeline(0), "lane: LANE_SLICE slice: 1 begin: 2 end: 3 op: 0"));
  EXPECT_TRUE(IsText(response.timeline(1), "lane: LANE_DMA begin: 4 end: 5 buffer: 0 store: true"));
  EXPECT_TRUE(IsText(response.timeline(2), "lane: LANE_STREAM begin: 6 end: 7 op: 1"));
  EXPECT_TRUE(IsText(response.timeline(3), "lane: LANE_DMA begin: 8 end: 9"));
}

class Gap : public Answer {
 protected:
  v1::ScheduleResponse ResponseFor(uint64_t makespan, uint64_t bound) {
    answer_.placement.placed = true;
    answer_.placement.makespan = makespan;
    answer_.lower_bound.cycles = bound;
    return Response();
  }
};

TEST_F(Gap, IsRoundedDown) {
  const v1::ScheduleResponse response = ResponseFor(1000001, 1000000);
  EXPECT_EQ(response.gap_ppm(), 1u);
  EXPECT_FALSE(response.proven_optimal());
  EXPECT_EQ(ResponseFor(20000001, 20000000).gap_ppm(), 0u);
}

TEST_F(Gap, OfAMakespanThatMeetsTheBoundIsZeroAndProvesIt) {
  const v1::ScheduleResponse response = ResponseFor(250, 250);
  EXPECT_TRUE(response.has_gap_ppm());
  EXPECT_EQ(response.gap_ppm(), 0u);
  EXPECT_TRUE(response.proven_optimal());
}

TEST_F(Gap, AboveABoundOfZeroIsNoNumber) {
  const v1::ScheduleResponse response = ResponseFor(1, 0);
  EXPECT_FALSE(response.has_gap_ppm());
  EXPECT_FALSE(response.proven_optimal());
}

TEST_F(Gap, OfAnEmptyStreamIsProvenZero) {
  const v1::ScheduleResponse response = ResponseFor(0, 0);
  EXPECT_TRUE(response.has_gap_ppm());
  EXPECT_TRUE(response.proven_optimal());
}

TEST_F(Gap, ThatDoesNotFit64BitsIsTheLargestNumber) {
  const uint64_t most = std::numeric_limits<uint64_t>::max();
  EXPECT_EQ(ResponseFor(most, 1).gap_ppm(), most);
  EXPECT_EQ(ResponseFor(most, most / 2).gap_ppm(), 1000000u);
}

}  // namespace
}  // namespace torqsched
