// Rounds and options of a judgement as they arrive, and every field of what is judged.
#include "src/wire/judge_wire.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "src/warm/judgement.h"
#include "tests/wire/text.h"

namespace torqsched {
namespace {

constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();
constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();

WarmMeasurement MeasurementOf(const std::string& text) {
  return MeasurementFromProto(FromText<v1::JudgeWarmRequest>(text));
}

JudgeOptions OptionsOf(const std::string& text) {
  return JudgeOptionsFromProto(FromText<v1::JudgeOptions>(text));
}

// ---- What is asked ----

TEST(MeasurementFromProto, ArrivesWithEveryMember) {
  const WarmMeasurement measurement = MeasurementOf(R"pb(
    series {
      card: 4294967295
      warmed: true
      times: [ 1, 0, 18446744073709551615 ]
    }
    series { times: 7 }
    warm_bytes: 2
    warm_durations: [ 3, 18446744073709551615 ]
    issues_per_round: 4
    standalone_bound: 0
  )pb");
  ASSERT_EQ(measurement.series.size(), 2u);
  EXPECT_EQ(measurement.series[0].card, 4294967295u);
  EXPECT_TRUE(measurement.series[0].warmed);
  EXPECT_EQ(measurement.series[0].times, std::vector<uint64_t>({1, 0, kMost}));
  EXPECT_EQ(measurement.series[1].times, std::vector<uint64_t>({7}));
  EXPECT_EQ(measurement.warm_bytes, 2u);
  EXPECT_EQ(measurement.warm_durations, std::vector<uint64_t>({3, kMost}));
  EXPECT_EQ(measurement.issues_per_round, 4u);
  EXPECT_EQ(measurement.standalone_bound, 0u);  // said: nothing is left to gain
}

TEST(MeasurementFromProto, UnsetMembersAreTheDocumentedDefaults) {
  const WarmMeasurement measurement = MeasurementOf("series {}");
  ASSERT_EQ(measurement.series.size(), 1u);
  EXPECT_EQ(measurement.series[0].card, 0u);
  EXPECT_FALSE(measurement.series[0].warmed);
  EXPECT_TRUE(measurement.series[0].times.empty());
  EXPECT_EQ(measurement.warm_bytes, 0u);
  EXPECT_TRUE(measurement.warm_durations.empty());
  EXPECT_EQ(measurement.issues_per_round, 0u);
  EXPECT_FALSE(measurement.standalone_bound.has_value());
  EXPECT_TRUE(MeasurementOf("").series.empty());
}

TEST(JudgeOptionsFromProto, ArriveWithEveryMember) {
  const JudgeOptions options = OptionsOf(R"pb(
    confidence_percent: 1
    resamples: 2
    seed: 18446744073709551615
    least_gain_ppm: 3
    most_drift_ppm: 4
    least_rounds: 5
    memory_bandwidth: 6
    units_per_second: 7
    most_leftover_ppm: 8
    tail_keeps_ppm: 9
    slow_card_ppm: 10
    interleaved: true
  )pb");
  EXPECT_EQ(options.confidence_percent, 1u);
  EXPECT_EQ(options.resamples, 2u);
  EXPECT_EQ(options.seed, kMost);
  EXPECT_EQ(options.least_gain_ppm, 3u);
  EXPECT_EQ(options.most_drift_ppm, 4u);
  EXPECT_EQ(options.least_rounds, 5u);
  EXPECT_EQ(options.memory_bandwidth, 6u);
  EXPECT_EQ(options.units_per_second, 7u);
  EXPECT_EQ(options.most_leftover_ppm, 8u);
  EXPECT_EQ(options.tail_keeps_ppm, 9u);
  EXPECT_EQ(options.slow_card_ppm, 10u);
  EXPECT_TRUE(options.interleaved);
}

// The numbers of the comments in judge.proto, and those of the plain type.
void ExpectDefaults(const JudgeOptions& options) {
  EXPECT_EQ(options.confidence_percent, 95u);
  EXPECT_EQ(options.resamples, 2000u);
  EXPECT_EQ(options.seed, 1u);
  EXPECT_EQ(options.least_gain_ppm, 5000u);
  EXPECT_EQ(options.most_drift_ppm, 5000u);
  EXPECT_EQ(options.least_rounds, 50u);
  EXPECT_EQ(options.memory_bandwidth, 0u);
  EXPECT_EQ(options.units_per_second, 1000000000u);
  EXPECT_EQ(options.most_leftover_ppm, 100000u);
  EXPECT_EQ(options.tail_keeps_ppm, 750000u);
  EXPECT_EQ(options.slow_card_ppm, 50000u);
  EXPECT_FALSE(options.interleaved);
}

TEST(JudgeOptionsFromProto, UnsetMembersAreTheDocumentedDefaults) {
  ExpectDefaults(JudgeOptions());
  ExpectDefaults(OptionsOf(""));
}

TEST(JudgeOptionsFromProto, ZerosAreNotTheDefaults) {
  const JudgeOptions options = OptionsOf(
      "confidence_percent: 0 resamples: 0 seed: 0 least_gain_ppm: 0 most_drift_ppm: 0 "
      "least_rounds: 0 units_per_second: 0 most_leftover_ppm: 0 tail_keeps_ppm: 0 "
      "slow_card_ppm: 0");
  EXPECT_EQ(options.confidence_percent, 0u);
  EXPECT_EQ(options.resamples, 0u);
  EXPECT_EQ(options.seed, 0u);
  EXPECT_EQ(options.least_gain_ppm, 0u);
  EXPECT_EQ(options.most_drift_ppm, 0u);
  EXPECT_EQ(options.least_rounds, 0u);
  EXPECT_EQ(options.units_per_second, 0u);
  EXPECT_EQ(options.most_leftover_ppm, 0u);
  EXPECT_EQ(options.tail_keeps_ppm, 0u);
  EXPECT_EQ(options.slow_card_ppm, 0u);
}

// ---- The answer ----

v1::JudgeWarmResponse ToProto(const WarmJudgement& judgement) {
  v1::JudgeWarmResponse response;
  JudgementToProto(judgement, &response);
  return response;
}

TEST(JudgementToProto, SeriesAndCardsComeWithEveryMember) {
  WarmJudgement judgement;
  judgement.verdict = ShipVerdict::kShip;
  judgement.deciding_card = 4294967295u;
  judgement.least_gain = kMost;
  judgement.resamples = 3;
  judgement.more_rounds = 0;  // said, and not left out
  judgement.series.resize(2);
  judgement.series[0] = {1, true, 2, 3, 4, false, kLeast, 5, {6, 7, 8}, {9, 10, 11}, {12, 13, 14}};
  judgement.cards.resize(1);
  judgement.cards[0] = {15, true, true, {-16, -17, 18}, {19, 20, 21}, {22, 23, 24}, -25};
  EXPECT_TRUE(IsText(ToProto(judgement), R"pb(
    verdict: SHIP_VERDICT_SHIP
    more_rounds: 0
    deciding_card: 4294967295
    least_gain: 18446744073709551615
    cards {
      card: 15
      slow_without: true
      slow_with: true
      median { value: -16 low: -17 high: 18 }
      mean { value: 19 low: 20 high: 21 }
      p90 { value: 22 low: 23 high: 24 }
      cautious_mean_high: -25
    }
    series {
      card: 1
      warmed: true
      rounds: 2
      first_steady_round: 3
      rounds_used: 4
      level_change: -9223372036854775808
      blocks: 5
      median { value: 6 low: 7 high: 8 }
      mean { value: 9 low: 10 high: 11 }
      p90 { value: 12 low: 13 high: 14 }
    }
    series {
      steady: true
      median {}
      mean {}
      p90 {}
    }
    bandwidth {}
    resamples: 3)pb"));
}

TEST(JudgementToProto, SlowArmsAreToldApart) {
  WarmJudgement judgement;
  judgement.cards.resize(2);
  judgement.cards[0].slow_without = true;
  judgement.cards[1].slow_with = true;
  const v1::JudgeWarmResponse response = ToProto(judgement);
  ASSERT_EQ(response.cards_size(), 2);
  EXPECT_TRUE(response.cards(0).slow_without());
  EXPECT_FALSE(response.cards(0).slow_with());
  EXPECT_FALSE(response.cards(1).slow_without());
  EXPECT_TRUE(response.cards(1).slow_with());
}

TEST(JudgementToProto, BandwidthComesWithEveryMember) {
  WarmJudgement judgement;
  judgement.bandwidth = {1, 2, 3, 4, kMost, 5, 6};
  EXPECT_TRUE(IsText(ToProto(judgement).bandwidth(), R"pb(
    first_issue: 1
    issues: 2
    median_duration: 3
    best_duration: 4
    median: 18446744073709551615
    best: 5
    leftover_issues: 6)pb"));
}

TEST(JudgementToProto, EveryVerdict) {
  const struct {
    ShipVerdict verdict;
    v1::ShipVerdict expected;
  } verdicts[] = {{ShipVerdict::kMeasureMore, v1::SHIP_VERDICT_MEASURE_MORE},
                  {ShipVerdict::kShip, v1::SHIP_VERDICT_SHIP},
                  {ShipVerdict::kDoNotShip, v1::SHIP_VERDICT_DO_NOT_SHIP}};
  for (const auto& one : verdicts) {
    WarmJudgement judgement;
    judgement.verdict = one.verdict;
    const v1::JudgeWarmResponse response = ToProto(judgement);
    EXPECT_EQ(response.verdict(), one.expected);
    EXPECT_FALSE(response.has_more_rounds());
  }
}

TEST(JudgementToProto, FlagsComeWithEveryMemberAndEveryKind) {
  WarmJudgement judgement;
  for (const JudgeFlag flag :
       {JudgeFlag::kFasterThanMemory, JudgeFlag::kColdNotShown, JudgeFlag::kTailEatsMean,
        JudgeFlag::kTailEatsP90, JudgeFlag::kGainAboveStandalone, JudgeFlag::kTooFewRounds,
        JudgeFlag::kNeverSteady, JudgeFlag::kSlowCard, JudgeFlag::kCardsDisagree}) {
    judgement.flags.push_back({flag, 0, false, 0, 0});
  }
  judgement.flags[0] = {JudgeFlag::kFasterThanMemory, 1, true, -2, 3};
  v1::JudgeWarmResponse flags;
  *flags.mutable_flags() = ToProto(judgement).flags();
  EXPECT_TRUE(IsText(flags, R"pb(
    flags { flag: JUDGE_FLAG_FASTER_THAN_MEMORY card: 1 warmed: true measured: -2 limit: 3 }
    flags { flag: JUDGE_FLAG_COLD_NOT_SHOWN }
    flags { flag: JUDGE_FLAG_TAIL_EATS_MEAN }
    flags { flag: JUDGE_FLAG_TAIL_EATS_P90 }
    flags { flag: JUDGE_FLAG_GAIN_ABOVE_STANDALONE }
    flags { flag: JUDGE_FLAG_TOO_FEW_ROUNDS }
    flags { flag: JUDGE_FLAG_NEVER_STEADY }
    flags { flag: JUDGE_FLAG_SLOW_CARD }
    flags { flag: JUDGE_FLAG_CARDS_DISAGREE })pb"));
}

TEST(JudgementToProto, ReasonsComeWithEveryMemberAndEveryKind) {
  WarmJudgement judgement;
  for (const ShipReason reason :
       {ShipReason::kGainIsSure, ShipReason::kMedianGainsTooLittle, ShipReason::kMeanGainsTooLittle,
        ShipReason::kTailEatsGain, ShipReason::kMedianUndecided, ShipReason::kMeanUndecided,
        ShipReason::kFoundItsLeftovers, ShipReason::kImpossibleGain, ShipReason::kTooFewRounds,
        ShipReason::kNeverSteady, ShipReason::kCardsDisagree}) {
    judgement.reasons.push_back({reason, 0, false, 0, 0});
  }
  judgement.reasons[0] = {ShipReason::kGainIsSure, 1, true, -2, 3};
  v1::JudgeWarmResponse reasons;
  *reasons.mutable_reasons() = ToProto(judgement).reasons();
  EXPECT_TRUE(IsText(reasons, R"pb(
    reasons { reason: SHIP_REASON_KIND_GAIN_IS_SURE card: 1 warmed: true measured: -2 limit: 3 }
    reasons { reason: SHIP_REASON_KIND_MEDIAN_GAINS_TOO_LITTLE }
    reasons { reason: SHIP_REASON_KIND_MEAN_GAINS_TOO_LITTLE }
    reasons { reason: SHIP_REASON_KIND_TAIL_EATS_GAIN }
    reasons { reason: SHIP_REASON_KIND_MEDIAN_UNDECIDED }
    reasons { reason: SHIP_REASON_KIND_MEAN_UNDECIDED }
    reasons { reason: SHIP_REASON_KIND_FOUND_ITS_LEFTOVERS }
    reasons { reason: SHIP_REASON_KIND_IMPOSSIBLE_GAIN }
    reasons { reason: SHIP_REASON_KIND_TOO_FEW_ROUNDS }
    reasons { reason: SHIP_REASON_KIND_NEVER_STEADY }
    reasons { reason: SHIP_REASON_KIND_CARDS_DISAGREE })pb"));
}

}  // namespace
}  // namespace torqsched
