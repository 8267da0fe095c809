// The choice, with an oracle that says what the test tells it to: who is asked what, what is
// committed, how a call is cancelled, which errors come out.
#include "src/schedule/choice.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "src/schedule/schedule_stream.h"
#include "src/stream/error.h"
#include "tests/schedule/cases.h"
#include "tests/stream/expect_error.h"
#include "tests/stream/stream_maker.h"

namespace torqsched {
namespace {

Placement Placed(uint64_t makespan, uint64_t swaps = 0) {
  Placement placement;
  placement.placed = true;
  placement.has_detail = false;
  placement.makespan = makespan;
  placement.swaps = swaps;
  return placement;
}

Placement Refused() {
  Placement placement;
  placement.failure.reason = FailureReason::kHost;
  return placement;
}

// Five tiles of 20 bytes in 100 bytes of LRAM and one slice: under 100 %, 85 % and 70 % of it four,
// three and two tiles are loaded while the first computes, so that the three orders differ. The
// input order takes 5 * 1,010 cycles; every schedule 10 + 5 * 1,000.
class Choice : public testing::Test {
 protected:
  static constexpr uint64_t kInput = 5050;
  static constexpr uint64_t kPredicted = 5010;

  Choice() {
    StreamMaker& maker = maker_;
    for (int i = 0; i < 5; ++i) maker.Lram(20);
    for (uint32_t i = 0; i < 5; ++i) {
      maker.Load(10, {Writes(i)});
      maker.Program(1000, {Reads(i)});
    }
    stream_ = maker.Build();
    hardware_.lram_bytes = 100;
    hardware_.start_cycles = 0;
    options_.oracle = OracleKind::kHost;
    options_.urgent_starts = 5;
  }

  // The n-th call of the oracle gets the n-th answer; the last one is repeated.
  absl::StatusOr<ScheduleAnswer> Ask(std::vector<absl::StatusOr<Placement>> answers) {
    environment_.host_oracle = [this, answers](const Schedule& candidate, bool swaps_allowed) {
      asked_orders_.push_back(candidate.order);
      asked_with_swaps_.push_back(swaps_allowed);
      return answers[std::min(asked_orders_.size(), answers.size()) - 1];
    };
    return ScheduleStream(stream_, hardware_, options_, environment_);
  }
  ScheduleAnswer Choose(std::vector<absl::StatusOr<Placement>> answers) {
    absl::StatusOr<ScheduleAnswer> answer = Ask(std::move(answers));
    EXPECT_TRUE(answer.ok()) << answer.status();
    return answer.ok() ? *std::move(answer) : ScheduleAnswer();
  }

  static std::vector<Verdict> Verdicts(const ScheduleAnswer& answer) {
    std::vector<Verdict> verdicts;
    for (const Attempt& attempt : answer.attempts) verdicts.push_back(attempt.verdict);
    return verdicts;
  }
  static std::vector<OpIndex> InputOrder() {
    std::vector<OpIndex> order;
    for (uint32_t i = 0; i < 15; ++i) order.push_back(OpIndex(i));
    return order;
  }

  StreamMaker maker_;
  Stream stream_;
  Hardware hardware_;
  ScheduleOptions options_;
  CallEnvironment environment_;
  std::vector<std::vector<OpIndex>> asked_orders_;
  std::vector<bool> asked_with_swaps_;
};

TEST_F(Choice, AHostThatAcceptsAllGetsTheFirstCap) {
  const ScheduleAnswer answer = Choose({Placed(7777), Placed(8888)});
  EXPECT_EQ(answer.source, Source::kList);
  EXPECT_EQ(answer.pass, 0u);
  EXPECT_EQ(answer.cap, 100u);
  EXPECT_EQ(answer.bar, kInput);  // placed without swaps: by prediction, whatever the host says
  EXPECT_EQ(answer.input_makespan, kInput);
  EXPECT_EQ(answer.input_allocated_makespan, 7777u);
  EXPECT_EQ(answer.schedule.makespan, kPredicted);
  EXPECT_EQ(answer.placement.makespan, 8888u);
  EXPECT_FALSE(answer.placement.has_detail);
  ASSERT_EQ(Verdicts(answer), std::vector<Verdict>{Verdict::kCommitted});
  const Attempt& attempt = answer.attempts[0];
  EXPECT_EQ(attempt.pass, 0u);
  EXPECT_EQ(attempt.cap, 100u);
  EXPECT_EQ(attempt.predicted, kPredicted);
  EXPECT_EQ(attempt.placed, true);
  EXPECT_EQ(attempt.swaps, 0u);
  EXPECT_EQ(attempt.makespan, 8888u);
  EXPECT_EQ(answer.statistics.oracle_runs, 2u);
  EXPECT_EQ(answer.statistics.list_schedules, 1u);
  EXPECT_EQ(answer.statistics.scheduler_steps, 15u);
  EXPECT_EQ(asked_with_swaps_, (std::vector<bool>{true, false}));
  EXPECT_EQ(asked_orders_[0], InputOrder());
  EXPECT_EQ(asked_orders_[1], answer.schedule.order);
}

TEST_F(Choice, AHostThatRefusesAllLeavesTheInputOrderNotPlaced) {
  const ScheduleAnswer answer = Choose({Refused()});
  EXPECT_EQ(answer.source, Source::kInput);
  EXPECT_EQ(answer.pass, std::nullopt);
  EXPECT_EQ(answer.cap, std::nullopt);
  EXPECT_EQ(answer.bar, std::nullopt);
  EXPECT_EQ(answer.input_allocated_makespan, std::nullopt);
  EXPECT_FALSE(answer.placement.placed);
  EXPECT_EQ(answer.placement.failure.reason, FailureReason::kHost);
  EXPECT_EQ(answer.schedule.order, InputOrder());
  EXPECT_EQ(answer.schedule.makespan, kInput);
  EXPECT_EQ(Verdicts(answer), std::vector<Verdict>(6, Verdict::kNotPlaced));
  std::vector<uint64_t> caps;
  for (const Attempt& attempt : answer.attempts) {
    caps.push_back(attempt.cap);
    EXPECT_EQ(attempt.placed, false);
    EXPECT_EQ(attempt.swaps, std::nullopt);
    EXPECT_EQ(attempt.makespan, std::nullopt);
    EXPECT_EQ(attempt.failure.reason, FailureReason::kHost);
  }
  EXPECT_EQ(caps, (std::vector<uint64_t>{100, 85, 70, 100, 85, 70}));
  EXPECT_EQ(asked_with_swaps_, (std::vector<bool>{true, false, false, false, true, true, true}));
  EXPECT_EQ(answer.statistics.oracle_runs, 7u);
  EXPECT_EQ(answer.statistics.list_schedules, 3u);  // each made once, used in both passes
  EXPECT_EQ(answer.statistics.scheduler_steps, 45u);
  EXPECT_NE(asked_orders_[1], asked_orders_[2]);
  EXPECT_NE(asked_orders_[2], asked_orders_[3]);
  EXPECT_EQ(asked_orders_[3], asked_orders_[6]);
}

TEST_F(Choice, TheSecondCapIsTriedWhereTheFirstIsRefused) {
  const ScheduleAnswer answer = Choose({Placed(1), Refused(), Placed(2)});
  EXPECT_EQ(answer.cap, 85u);
  EXPECT_EQ(answer.pass, 0u);
  EXPECT_EQ(Verdicts(answer), (std::vector<Verdict>{Verdict::kNotPlaced, Verdict::kCommitted}));
  EXPECT_EQ(answer.statistics.list_schedules, 2u);
}

TEST_F(Choice, AHostThatSwapsThoughForbiddenHasNotPlaced) {
  const ScheduleAnswer answer = Choose({Placed(kInput), Placed(10, /*swaps=*/1)});
  EXPECT_EQ(answer.pass, 1u);
  EXPECT_EQ(answer.cap, 100u);
  EXPECT_EQ(Verdicts(answer), (std::vector<Verdict>{Verdict::kNotPlaced, Verdict::kNotPlaced,
                                                    Verdict::kNotPlaced, Verdict::kCommitted,
                                                    Verdict::kNotFastest, Verdict::kNotFastest}));
  EXPECT_EQ(answer.attempts[0].placed, false);
  EXPECT_EQ(answer.attempts[0].failure.reason, FailureReason::kHost);
  EXPECT_EQ(answer.attempts[0].makespan, std::nullopt);
  EXPECT_EQ(answer.attempts[3].swaps, 1u);
}

TEST_F(Choice, PassOneTakesTheFastest) {
  const ScheduleAnswer answer = Choose({Placed(6000, 3), Refused(), Refused(), Refused(),
                                        Placed(5990, 2), Placed(5970, 9), Placed(5980, 1)});
  EXPECT_EQ(answer.source, Source::kList);
  EXPECT_EQ(answer.bar, 6000u);  // the input order needs swaps: after allocation
  EXPECT_EQ(answer.input_swaps, 3u);
  EXPECT_EQ(answer.pass, 1u);
  EXPECT_EQ(answer.cap, 85u);
  EXPECT_EQ(answer.placement.makespan, 5970u);
  EXPECT_EQ(answer.placement.swaps, 9u);
  EXPECT_EQ(answer.schedule.order, asked_orders_[2]);
  EXPECT_EQ(Verdicts(answer), (std::vector<Verdict>{Verdict::kNotPlaced, Verdict::kNotPlaced,
                                                    Verdict::kNotPlaced, Verdict::kNotFastest,
                                                    Verdict::kCommitted, Verdict::kNotFastest}));
}

TEST_F(Choice, OfEqualsPassOneTakesTheFirst) {
  const ScheduleAnswer answer = Choose({Placed(6000, 3), Refused(), Refused(), Refused(),
                                        Placed(5990, 2), Placed(5970, 9), Placed(5970, 1)});
  EXPECT_EQ(answer.cap, 85u);
}

TEST_F(Choice, PassOneMustBeatTheBar) {
  for (const uint64_t fastest : {5999, 6000}) {
    asked_orders_.clear();
    const ScheduleAnswer answer = Choose({Placed(6000, 1), Refused(), Refused(), Refused(),
                                          Refused(), Placed(fastest, 1), Placed(7000, 1)});
    const bool committed = fastest == 5999;
    EXPECT_EQ(answer.source, committed ? Source::kList : Source::kInput);
    EXPECT_EQ(answer.placement.makespan, committed ? 5999u : 6000u);
    EXPECT_EQ(answer.attempts[3].verdict, Verdict::kNotPlaced);
    EXPECT_EQ(answer.attempts[4].verdict, committed ? Verdict::kCommitted : Verdict::kNotFaster);
    EXPECT_EQ(answer.attempts[5].verdict, Verdict::kNotFastest);
  }
}

TEST_F(Choice, WithoutABarAnyPlacedOrderIsBetter) {
  const ScheduleAnswer answer =
      Choose({Refused(), Refused(), Refused(), Refused(), Placed(1000000, 50), Refused()});
  EXPECT_EQ(answer.source, Source::kList);
  EXPECT_EQ(answer.bar, std::nullopt);
  EXPECT_EQ(answer.placement.makespan, 1000000u);
  EXPECT_EQ(answer.attempts[3].verdict, Verdict::kCommitted);
}

TEST_F(Choice, PassZeroAsksNobodyAboutWhatIsPredictedNoFaster) {
  for (const uint64_t bar : {kPredicted, kPredicted + 1}) {
    asked_orders_.clear();
    asked_with_swaps_.clear();
    const ScheduleAnswer answer = Choose({Placed(bar, 1), Refused()});
    ASSERT_EQ(answer.attempts.size(), 6u);
    const bool asked = bar > kPredicted;
    EXPECT_EQ(answer.attempts[0].verdict, asked ? Verdict::kNotPlaced : Verdict::kNotFaster);
    EXPECT_EQ(answer.attempts[0].placed.has_value(), asked);
    EXPECT_EQ(asked_orders_.size(), asked ? 7u : 4u);
    EXPECT_TRUE(asked_with_swaps_.back());
  }
}

TEST_F(Choice, AnOrderIsTriedOnceInAPass) {
  const reference::ScheduleCase c = CaseNamed("worked-example-1");
  int asked = 0;
  CallEnvironment environment;
  environment.host_oracle = [&asked](const Schedule&, bool) {
    ++asked;
    return Refused();
  };
  ScheduleOptions options;
  options.oracle = OracleKind::kHost;
  const absl::StatusOr<ScheduleAnswer> answer =
      ScheduleStream(c.stream, c.hardware, options, environment);
  ASSERT_TRUE(answer.ok()) << answer.status();
  const std::vector<Verdict> pass = {Verdict::kNotPlaced, Verdict::kSameOrder, Verdict::kSameOrder};
  std::vector<Verdict> both = pass;
  both.insert(both.end(), pass.begin(), pass.end());
  EXPECT_EQ(Verdicts(*answer), both);
  EXPECT_EQ(answer->attempts[1].predicted, 250u);
  EXPECT_EQ(answer->attempts[1].placed, std::nullopt);
  EXPECT_EQ(asked, 3);
}

TEST_F(Choice, AnOraclesErrorIsTheCallsError) {
  for (size_t nth = 1; nth <= 7; ++nth) {
    asked_orders_.clear();
    std::vector<absl::StatusOr<Placement>> answers(nth - 1, Refused());
    answers.push_back(absl::DataLossError("the host broke"));
    const absl::Status status = Ask(answers).status();
    EXPECT_EQ(status, absl::DataLossError("the host broke")) << "call " << nth;
    EXPECT_EQ(asked_orders_.size(), nth);
  }
}

TEST_F(Choice, AnOrderWhoseSwapsOverflowIsNotPlaced) {
  const absl::Status overflow = ErrorAt(absl::StatusCode::kOutOfRange, "too many bytes",
                                        {"stream.ops[3]", OpIndex(3), BufferIndex()});
  const ScheduleAnswer answer = Choose({Placed(6000, 1), Refused(), overflow, Refused(),
                                        Placed(5900, 1), overflow, Placed(5800, 1)});
  EXPECT_EQ(answer.cap, 70u);
  EXPECT_EQ(Verdicts(answer),
            (std::vector<Verdict>{Verdict::kNotPlaced, Verdict::kNotPlaced, Verdict::kNotPlaced,
                                  Verdict::kNotFastest, Verdict::kNotPlaced, Verdict::kCommitted}));
  for (const size_t overflowed : {1, 4}) {
    EXPECT_EQ(answer.attempts[overflowed].placed, false);
    EXPECT_EQ(answer.attempts[overflowed].failure.reason, FailureReason::kOverflow);
    EXPECT_EQ(answer.attempts[overflowed].failure.op, OpIndex(3));
  }
  asked_orders_.clear();
  const ScheduleAnswer none = Choose({overflow});
  EXPECT_EQ(none.source, Source::kInput);
  EXPECT_EQ(none.bar, std::nullopt);
  EXPECT_FALSE(none.placement.placed);
  EXPECT_EQ(none.placement.failure.reason, FailureReason::kOverflow);
  EXPECT_EQ(none.placement.failure.op, OpIndex(3));
}

TEST_F(Choice, StrategyNonePlacesTheInputOrderAndTriesNothing) {
  options_.strategy = Strategy::kNone;
  const ScheduleAnswer answer = Choose({Placed(6000, 2)});
  EXPECT_EQ(answer.source, Source::kInput);
  EXPECT_TRUE(answer.attempts.empty());
  EXPECT_EQ(answer.placement.makespan, 6000u);
  EXPECT_EQ(answer.bar, 6000u);
  EXPECT_EQ(answer.schedule.order, InputOrder());
  EXPECT_EQ(answer.statistics.oracle_runs, 1u);
  EXPECT_EQ(answer.statistics.list_schedules, 0u);
}

// ---- no swaps ---------------------------------------------------------------------------------

TEST_F(Choice, WithoutSwapsAnInputOrderThatNeedsThemSetsNoBar) {
  options_.swaps_forbidden = true;
  const ScheduleAnswer answer = Choose({Refused(), Refused(), Placed(9000)});
  EXPECT_EQ(answer.source, Source::kList);
  EXPECT_EQ(answer.pass, 0u);
  EXPECT_EQ(answer.cap, 85u);
  EXPECT_EQ(answer.bar, std::nullopt);
  EXPECT_EQ(answer.input_allocated_makespan, std::nullopt);
  EXPECT_EQ(answer.input_swaps, 0u);
  EXPECT_EQ(answer.placement.makespan, 9000u);
  EXPECT_EQ(asked_with_swaps_, (std::vector<bool>{false, false, false}));
}

TEST_F(Choice, WithoutSwapsThereIsNoPassOne) {
  options_.swaps_forbidden = true;
  const ScheduleAnswer answer = Choose({Placed(kInput), Refused()});
  EXPECT_EQ(answer.source, Source::kInput);
  EXPECT_EQ(answer.bar, kInput);
  EXPECT_TRUE(answer.placement.placed);
  EXPECT_EQ(Verdicts(answer), std::vector<Verdict>(3, Verdict::kNotPlaced));
  EXPECT_EQ(asked_with_swaps_, std::vector<bool>(4, false));
}

TEST_F(Choice, WithoutSwapsNothingMayBePlacedAtAll) {
  options_.swaps_forbidden = true;
  const ScheduleAnswer answer = Choose({Refused()});
  EXPECT_EQ(answer.source, Source::kInput);
  EXPECT_EQ(answer.schedule.order, InputOrder());
  EXPECT_EQ(answer.schedule.makespan, kInput);
  EXPECT_EQ(answer.bar, std::nullopt);
  EXPECT_FALSE(answer.placement.placed);
  EXPECT_EQ(answer.placement.failure.reason, FailureReason::kHost);
  EXPECT_EQ(Verdicts(answer), std::vector<Verdict>(3, Verdict::kNotPlaced));
  EXPECT_EQ(asked_with_swaps_, std::vector<bool>(4, false));
}

TEST_F(Choice, AHostThatSwapsThoughForbiddenHasNotPlacedTheInputEither) {
  options_.swaps_forbidden = true;
  const ScheduleAnswer answer = Choose({Placed(kInput, /*swaps=*/2), Placed(10, /*swaps=*/1)});
  EXPECT_EQ(answer.source, Source::kInput);
  EXPECT_EQ(answer.bar, std::nullopt);
  EXPECT_FALSE(answer.placement.placed);
  EXPECT_EQ(answer.placement.swaps, 0u);
  EXPECT_EQ(answer.placement.failure.reason, FailureReason::kHost);
  EXPECT_EQ(Verdicts(answer), std::vector<Verdict>(3, Verdict::kNotPlaced));
}

TEST_F(Choice, StrategyNoneMayForbidSwaps) {
  options_.strategy = Strategy::kNone;
  options_.swaps_forbidden = true;
  EXPECT_FALSE(Choose({Placed(6000, 2)}).placement.placed);
  EXPECT_EQ(asked_with_swaps_, std::vector<bool>{false});
}

// Two buffers of 60 bytes in 100: both loaded before the first is used, which only swaps make
// possible. Barriers keep that order; without them a load can wait.
class TwoBuffers : public testing::TestWithParam<OracleKind> {
 protected:
  static ScheduleAnswer Answer(bool barriers, bool swaps_forbidden) {
    StreamMaker maker;
    maker.Lram(60);
    maker.Lram(60);
    maker.Load(60, {Writes(0)});
    maker.Load(60, {Writes(1)});
    if (barriers) maker.Barrier(0);
    maker.Program(10, {Reads(0)});
    if (barriers) maker.Barrier(0);
    maker.Program(10, {Reads(1)});
    const Stream stream = maker.Build();
    Hardware hardware;
    hardware.lram_bytes = 100;
    ScheduleOptions options;
    options.oracle = GetParam();
    options.swaps_forbidden = swaps_forbidden;
    const absl::StatusOr<ScheduleAnswer> answer = ScheduleStream(stream, hardware, options, {});
    EXPECT_TRUE(answer.ok()) << answer.status();
    return *answer;
  }
};

TEST_P(TwoBuffers, ArePlacedWithSwapsOnlyWhereBarriersKeepTheOrder) {
  const ScheduleAnswer swapped = Answer(/*barriers=*/true, /*swaps_forbidden=*/false);
  EXPECT_TRUE(swapped.placement.placed);
  EXPECT_NE(swapped.placement.swaps, 0u);
  const ScheduleAnswer answer = Answer(/*barriers=*/true, /*swaps_forbidden=*/true);
  EXPECT_EQ(answer.source, Source::kInput);
  EXPECT_EQ(answer.bar, std::nullopt);
  EXPECT_FALSE(answer.placement.placed);
  EXPECT_EQ(answer.placement.failure.reason, FailureReason::kCapacity);
  for (const Attempt& attempt : answer.attempts) EXPECT_EQ(attempt.pass, 0u);
}

TEST_P(TwoBuffers, AreLoadedOneAfterTheOtherWhereTheyCanBe) {
  const ScheduleAnswer answer = Answer(/*barriers=*/false, /*swaps_forbidden=*/true);
  EXPECT_EQ(answer.source, Source::kList);
  EXPECT_EQ(answer.input_allocated_makespan, std::nullopt);
  EXPECT_EQ(answer.bar, std::nullopt);
  EXPECT_EQ(answer.placement.swaps, 0u);
  EXPECT_EQ(answer.placement.makespan, 140u);
  ASSERT_EQ(answer.attempts.size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(BothOracles, TwoBuffers,
                         testing::Values(OracleKind::kSequential, OracleKind::kOffline));

// ---- progress and cancelling ------------------------------------------------------------------

TEST_F(Choice, CancelledBeforeTheInputIsPricedThereIsNoAnswer) {
  environment_.progress = [](uint32_t, std::optional<uint64_t>) { return true; };
  const absl::Status status = Ask({Placed(1)}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled);
  EXPECT_TRUE(asked_orders_.empty());
}

TEST_F(Choice, CancelledAfterTheInputIsPricedTheInputStays) {
  environment_.progress = [](uint32_t permille, std::optional<uint64_t>) { return permille > 0; };
  const ScheduleAnswer answer = Choose({Placed(6000)});
  EXPECT_TRUE(answer.cancelled);
  EXPECT_EQ(answer.source, Source::kInput);
  EXPECT_EQ(answer.placement.makespan, 6000u);
  EXPECT_TRUE(answer.attempts.empty());
  EXPECT_EQ(answer.statistics.oracle_runs, 1u);
}

TEST_F(Choice, CancelledWithinPassZeroThereIsNoPassOne) {
  environment_.progress = [](uint32_t permille, std::optional<uint64_t>) { return permille > 100; };
  const ScheduleAnswer answer = Choose({Placed(6000), Refused()});
  EXPECT_TRUE(answer.cancelled);
  EXPECT_EQ(Verdicts(answer), std::vector<Verdict>{Verdict::kNotPlaced});
}

TEST_F(Choice, CancelledWithinPassOneTheFastestSoFarIsCommitted) {
  environment_.progress = [](uint32_t, std::optional<uint64_t> best) { return best == 5500u; };
  const ScheduleAnswer answer =
      Choose({Placed(6000, 1), Refused(), Refused(), Refused(), Placed(5500, 1), Placed(5100, 1)});
  EXPECT_TRUE(answer.cancelled);
  EXPECT_EQ(answer.source, Source::kList);
  EXPECT_EQ(answer.placement.makespan, 5500u);
  EXPECT_EQ(answer.attempts.size(), 4u);
  EXPECT_EQ(answer.attempts.back().verdict, Verdict::kCommitted);
}

TEST_F(Choice, ProgressRisesAndTellsTheBestSoFar) {
  std::vector<uint32_t> permilles;
  std::vector<std::optional<uint64_t>> bests;
  environment_.progress = [&](uint32_t permille, std::optional<uint64_t> best) {
    permilles.push_back(permille);
    bests.push_back(best);
    return false;
  };
  const ScheduleAnswer answer = Choose({Placed(6000, 1), Refused(), Refused(), Refused(),
                                        Placed(5500, 1), Placed(5600, 1), Placed(5400, 1)});
  EXPECT_FALSE(answer.cancelled);
  ASSERT_EQ(permilles.size(), 8u);
  EXPECT_EQ(permilles.front(), 0u);
  EXPECT_EQ(permilles.back(), 1000u);
  for (size_t i = 1; i < permilles.size(); ++i) EXPECT_LT(permilles[i - 1], permilles[i]);
  EXPECT_EQ(bests[0], std::nullopt);
  for (int i = 1; i <= 4; ++i) EXPECT_EQ(bests[i], 6000u);
  EXPECT_EQ(bests[5], 5500u);
  EXPECT_EQ(bests[6], 5500u);
}

TEST_F(Choice, TheLogTellsWhatWasChosen) {
  std::vector<std::string> log;
  environment_.log = [&log](absl::string_view message) { log.emplace_back(message); };
  Choose({Placed(6000), Refused(), Placed(5500)});
  asked_orders_.clear();
  Choose({Refused()});
  EXPECT_EQ(log, (std::vector<std::string>{"committed the schedule for 85 bytes in pass 0",
                                           "the input order stays"}));
}

// ---- what is refused --------------------------------------------------------------------------

TEST_F(Choice, OptionsOutOfRangeNameTheirField) {
  const auto expect = [this](const std::string& field, const std::string& message) {
    ExpectInvalid(Ask({Placed(1)}).status(), "options." + field + ": " + message,
                  {"options." + field, OpIndex(), BufferIndex()});
    options_ = ScheduleOptions();
    EXPECT_TRUE(asked_orders_.empty());
  };
  options_.cap_percent = 101;
  expect("cap_percent", "101 percent; expected at most 100");
  options_.prefetch_percent = 101;
  expect("prefetch_percent", "101 percent; expected at most 100");
  options_.candidates = 0;
  expect("candidates", "0; expected at least 1");
}

TEST_F(Choice, TheHostsOracleNeedsACallback) {
  ExpectError(ScheduleStream(stream_, hardware_, options_, {}).status(),
              absl::StatusCode::kFailedPrecondition,
              "options.oracle: the host's, but the session has no oracle callback",
              {"options.oracle", OpIndex(), BufferIndex()});
}

TEST_F(Choice, WhatTheChipCannotRunIsRefusedBeforeTheOracleIsAsked) {
  hardware_.lram_bytes = 19;
  const absl::Status status = Ask({Placed(1)}).status();
  EXPECT_EQ(PlaceOf(status).field, "stream.buffers[0].size");
  hardware_.slices = 0;
  EXPECT_EQ(PlaceOf(Ask({Placed(1)}).status()).field, "hardware.slices");
  EXPECT_TRUE(asked_orders_.empty());
}

TEST(Options, PercentsEndAtOneHundredAndOneCandidateIsTheLeast) {
  ScheduleOptions options;
  options.cap_percent = 100;
  options.prefetch_percent = 100;
  options.candidates = 1;
  options.urgent_starts = UINT64_MAX;
  EXPECT_TRUE(CheckOptions(options, /*has_host_oracle=*/false).ok());
  options.cap_percent = 101;
  absl::Status status = CheckOptions(options, /*has_host_oracle=*/false);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), "options.cap_percent: 101 percent; expected at most 100");
  EXPECT_EQ(PlaceOf(status).field, "options.cap_percent");
  options.cap_percent = 0;
  options.prefetch_percent = 1000000000;
  status = CheckOptions(options, /*has_host_oracle=*/false);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(PlaceOf(status).field, "options.prefetch_percent");
  options.prefetch_percent = 0;
  options.candidates = 0;
  status = CheckOptions(options, /*has_host_oracle=*/false);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(PlaceOf(status).field, "options.candidates");
}

TEST(Options, RobustNeedsASearch) {
  ScheduleOptions options;
  options.robust = true;
  for (const Strategy strategy : {Strategy::kNone, Strategy::kStreamSchedule}) {
    options.strategy = strategy;
    const absl::Status status = CheckOptions(options, /*has_host_oracle=*/false);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(status.message(),
              "options.robust: needs the search of strategy OPTIMIZE; expected that strategy, or "
              "options.sensitivity, which prices the answer of any");
    EXPECT_EQ(PlaceOf(status).field, "options.robust");
  }
  options.strategy = Strategy::kOptimize;
  EXPECT_TRUE(CheckOptions(options, /*has_host_oracle=*/false).ok());
}

TEST(Options, LimitsOfASearchMayBeAnyNumberWithAnyStrategy) {
  ScheduleOptions options;
  for (const uint64_t limit : {uint64_t{0}, UINT64_MAX}) {
    options.work_limit = options.time_limit_ms = limit;
    EXPECT_TRUE(CheckOptions(options, /*has_host_oracle=*/false).ok());
  }
}

TEST(Options, TheHostsOracleNeedsAHost) {
  ScheduleOptions options;
  options.oracle = OracleKind::kHost;
  EXPECT_TRUE(CheckOptions(options, /*has_host_oracle=*/true).ok());
  const absl::Status status = CheckOptions(options, /*has_host_oracle=*/false);
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(PlaceOf(status).field, "options.oracle");
}

}  // namespace
}  // namespace torqsched
