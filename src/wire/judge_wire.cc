#include "src/wire/judge_wire.h"

namespace torqsched {
namespace {

v1::ShipVerdict VerdictToProto(ShipVerdict verdict) {
  switch (verdict) {
    case ShipVerdict::kMeasureMore:
      return v1::SHIP_VERDICT_MEASURE_MORE;
    case ShipVerdict::kShip:
      return v1::SHIP_VERDICT_SHIP;
    case ShipVerdict::kDoNotShip:
      return v1::SHIP_VERDICT_DO_NOT_SHIP;
  }
  return v1::SHIP_VERDICT_UNSPECIFIED;
}

v1::JudgeFlag FlagToProto(JudgeFlag flag) {
  switch (flag) {
    case JudgeFlag::kFasterThanMemory:
      return v1::JUDGE_FLAG_FASTER_THAN_MEMORY;
    case JudgeFlag::kColdNotShown:
      return v1::JUDGE_FLAG_COLD_NOT_SHOWN;
    case JudgeFlag::kTailEatsMean:
      return v1::JUDGE_FLAG_TAIL_EATS_MEAN;
    case JudgeFlag::kTailEatsP90:
      return v1::JUDGE_FLAG_TAIL_EATS_P90;
    case JudgeFlag::kGainAboveStandalone:
      return v1::JUDGE_FLAG_GAIN_ABOVE_STANDALONE;
    case JudgeFlag::kTooFewRounds:
      return v1::JUDGE_FLAG_TOO_FEW_ROUNDS;
    case JudgeFlag::kNeverSteady:
      return v1::JUDGE_FLAG_NEVER_STEADY;
    case JudgeFlag::kSlowCard:
      return v1::JUDGE_FLAG_SLOW_CARD;
    case JudgeFlag::kCardsDisagree:
      return v1::JUDGE_FLAG_CARDS_DISAGREE;
  }
  return v1::JUDGE_FLAG_UNSPECIFIED;
}

v1::ShipReasonKind ReasonToProto(ShipReason reason) {
  switch (reason) {
    case ShipReason::kGainIsSure:
      return v1::SHIP_REASON_KIND_GAIN_IS_SURE;
    case ShipReason::kMedianGainsTooLittle:
      return v1::SHIP_REASON_KIND_MEDIAN_GAINS_TOO_LITTLE;
    case ShipReason::kMeanGainsTooLittle:
      return v1::SHIP_REASON_KIND_MEAN_GAINS_TOO_LITTLE;
    case ShipReason::kTailEatsGain:
      return v1::SHIP_REASON_KIND_TAIL_EATS_GAIN;
    case ShipReason::kMedianUndecided:
      return v1::SHIP_REASON_KIND_MEDIAN_UNDECIDED;
    case ShipReason::kMeanUndecided:
      return v1::SHIP_REASON_KIND_MEAN_UNDECIDED;
    case ShipReason::kFoundItsLeftovers:
      return v1::SHIP_REASON_KIND_FOUND_ITS_LEFTOVERS;
    case ShipReason::kImpossibleGain:
      return v1::SHIP_REASON_KIND_IMPOSSIBLE_GAIN;
    case ShipReason::kTooFewRounds:
      return v1::SHIP_REASON_KIND_TOO_FEW_ROUNDS;
    case ShipReason::kNeverSteady:
      return v1::SHIP_REASON_KIND_NEVER_STEADY;
    case ShipReason::kCardsDisagree:
      return v1::SHIP_REASON_KIND_CARDS_DISAGREE;
  }
  return v1::SHIP_REASON_KIND_UNSPECIFIED;
}

void EstimateToProto(const Estimate& estimate, v1::TimeEstimate* message) {
  message->set_value(estimate.value);
  message->set_low(estimate.low);
  message->set_high(estimate.high);
}

void ChangeToProto(const Change& change, v1::TimeChange* message) {
  message->set_value(change.value);
  message->set_low(change.low);
  message->set_high(change.high);
}

void SeriesToProto(const SeriesJudgement& from, v1::SeriesJudgement* message) {
  message->set_card(from.card);
  message->set_warmed(from.warmed);
  message->set_rounds(from.rounds);
  message->set_first_steady_round(from.first_steady_round);
  message->set_rounds_used(from.rounds_used);
  message->set_steady(from.steady);
  message->set_level_change(from.level_change);
  message->set_blocks(from.blocks);
  EstimateToProto(from.median, message->mutable_median());
  EstimateToProto(from.mean, message->mutable_mean());
  EstimateToProto(from.p90, message->mutable_p90());
}

void CardToProto(const CardJudgement& from, v1::CardJudgement* message) {
  message->set_card(from.card);
  message->set_slow_without(from.slow_without);
  message->set_slow_with(from.slow_with);
  ChangeToProto(from.median, message->mutable_median());
  ChangeToProto(from.mean, message->mutable_mean());
  ChangeToProto(from.p90, message->mutable_p90());
  message->set_cautious_mean_high(from.cautious_mean_high);
}

void BandwidthToProto(const AchievedBandwidth& from, v1::AchievedBandwidth* message) {
  message->set_first_issue(from.first_issue);
  message->set_issues(from.issues);
  message->set_median_duration(from.median_duration);
  message->set_best_duration(from.best_duration);
  message->set_median(from.median);
  message->set_best(from.best);
  message->set_leftover_issues(from.leftover_issues);
}

// A flag, or a reason: where it was seen, and its numbers.
template <typename Given, typename Message>
void PlaceToProto(const Given& from, Message* message) {
  message->set_card(from.card);
  message->set_warmed(from.warmed);
  message->set_measured(from.measured);
  message->set_limit(from.limit);
}

}  // namespace

WarmMeasurement MeasurementFromProto(const v1::JudgeWarmRequest& message) {
  WarmMeasurement measurement;
  measurement.series.reserve(message.series_size());
  for (const v1::RoundSeries& from : message.series()) {
    measurement.series.push_back(
        {from.card(), from.warmed(), {from.times().begin(), from.times().end()}});
  }
  measurement.warm_bytes = message.warm_bytes();
  measurement.warm_durations.assign(message.warm_durations().begin(),
                                    message.warm_durations().end());
  measurement.issues_per_round = message.issues_per_round();
  if (message.has_standalone_bound()) measurement.standalone_bound = message.standalone_bound();
  return measurement;
}

JudgeOptions JudgeOptionsFromProto(const v1::JudgeOptions& message) {
  JudgeOptions options;
  if (message.has_confidence_percent()) options.confidence_percent = message.confidence_percent();
  if (message.has_resamples()) options.resamples = message.resamples();
  if (message.has_seed()) options.seed = message.seed();
  if (message.has_least_gain_ppm()) options.least_gain_ppm = message.least_gain_ppm();
  if (message.has_most_drift_ppm()) options.most_drift_ppm = message.most_drift_ppm();
  if (message.has_least_rounds()) options.least_rounds = message.least_rounds();
  options.memory_bandwidth = message.memory_bandwidth();
  if (message.has_units_per_second()) options.units_per_second = message.units_per_second();
  if (message.has_most_leftover_ppm()) options.most_leftover_ppm = message.most_leftover_ppm();
  if (message.has_tail_keeps_ppm()) options.tail_keeps_ppm = message.tail_keeps_ppm();
  if (message.has_slow_card_ppm()) options.slow_card_ppm = message.slow_card_ppm();
  options.interleaved = message.interleaved();
  return options;
}

void JudgementToProto(const WarmJudgement& judgement, v1::JudgeWarmResponse* message) {
  message->set_verdict(VerdictToProto(judgement.verdict));
  for (const GivenReason& from : judgement.reasons) {
    v1::ShipReason* const reason = message->add_reasons();
    reason->set_reason(ReasonToProto(from.reason));
    PlaceToProto(from, reason);
  }
  if (judgement.more_rounds.has_value()) message->set_more_rounds(*judgement.more_rounds);
  message->set_deciding_card(judgement.deciding_card);
  message->set_least_gain(judgement.least_gain);
  for (const CardJudgement& from : judgement.cards) CardToProto(from, message->add_cards());
  for (const SeriesJudgement& from : judgement.series) SeriesToProto(from, message->add_series());
  BandwidthToProto(judgement.bandwidth, message->mutable_bandwidth());
  for (const RaisedFlag& from : judgement.flags) {
    v1::RaisedFlag* const flag = message->add_flags();
    flag->set_flag(FlagToProto(from.flag));
    PlaceToProto(from, flag);
  }
  message->set_resamples(judgement.resamples);
}

}  // namespace torqsched
