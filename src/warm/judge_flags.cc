#include "src/warm/judge_flags.h"

#include <algorithm>
#include <limits>

#include "src/warm/series_statistics.h"
#include "src/warm/steady_phase.h"

namespace torqsched {
namespace {

constexpr int64_t kMillion = 1000000;

int64_t Saturated(uint64_t value) {
  constexpr uint64_t kMost = std::numeric_limits<int64_t>::max();
  return static_cast<int64_t>(std::min(value, kMost));
}

uint64_t BytesPerSecond(uint64_t bytes, uint64_t units_per_second, uint64_t duration) {
  const WideUint rate = WideUint{bytes} * units_per_second / duration;
  return static_cast<uint64_t>(std::min<WideUint>(rate, std::numeric_limits<uint64_t>::max()));
}

// Raises flags in their order.
class Flags {
 public:
  Flags(const JudgeOptions& options, const std::vector<CardEvidence>& cards, size_t deciding,
        uint64_t least_gain)
      : options_(options), cards_(cards), decider_(cards[deciding]), least_gain_(least_gain) {}

  void Coldness(const AchievedBandwidth& bandwidth) {
    if (bandwidth.issues == 0 || options_.memory_bandwidth == 0) {
      raised_.push_back({JudgeFlag::kColdNotShown, 0, false, 0, 0});
    } else if (WideUint{bandwidth.leftover_issues} * kMillion >
               WideUint{bandwidth.issues} * options_.most_leftover_ppm) {
      raised_.push_back({JudgeFlag::kFasterThanMemory, 0, false, Saturated(bandwidth.median),
                         Saturated(options_.memory_bandwidth)});
    }
  }

  // Only where the median gains at all, and the tail is no accident of these rounds.
  void Tail(JudgeFlag flag, const Change& change, int64_t tail_low) {
    const Change& median = decider_.card.median;
    if (median.high >= 0 || tail_low <= 0) return;
    // kept < part of the gain, with both signs turned.
    if (WideInt{change.value} * kMillion <= WideInt{median.value} * options_.tail_keeps_ppm) return;
    raised_.push_back({flag, decider_.card.card, false, change.value, median.value});
  }

  void Standalone(const std::optional<uint64_t>& bound) {
    const int64_t least = -decider_.card.median.high;
    if (!bound.has_value() || least <= Saturated(*bound)) return;
    raised_.push_back(
        {JudgeFlag::kGainAboveStandalone, decider_.card.card, false, least, Saturated(*bound)});
  }

  void Rounds() {
    for (const SeriesJudgement* series : {&decider_.without, &decider_.with}) {
      if (series->rounds_used >= options_.least_rounds) continue;
      raised_.push_back({JudgeFlag::kTooFewRounds, series->card, series->warmed,
                         Saturated(series->rounds_used), options_.least_rounds});
    }
  }

  void Steadiness() {
    for (const CardEvidence& evidence : cards_) {
      for (const SeriesJudgement* series : {&evidence.without, &evidence.with}) {
        if (series->steady) continue;
        const WideUint most = WideUint{series->median.value} * options_.most_drift_ppm / kMillion;
        raised_.push_back({JudgeFlag::kNeverSteady, series->card, series->warmed,
                           series->level_change, static_cast<int64_t>(most)});
      }
    }
  }

  void SlowCards() {
    const uint64_t limits[] = {Limit(&CardEvidence::without), Limit(&CardEvidence::with)};
    for (const CardEvidence& evidence : cards_) {
      for (const SeriesJudgement* series : {&evidence.without, &evidence.with}) {
        const bool warmed = series->warmed;
        if (!(warmed ? evidence.card.slow_with : evidence.card.slow_without)) continue;
        raised_.push_back({JudgeFlag::kSlowCard, series->card, warmed,
                           Saturated(series->median.value), Saturated(limits[warmed])});
      }
    }
  }

  void Disagreement() {
    if (decider_.card.median.high >= 0) return;
    const int64_t least = Saturated(least_gain_);
    for (const CardEvidence& evidence : cards_) {
      const int64_t low = evidence.card.median.low;
      if (low <= 0 || low <= least) continue;
      raised_.push_back({JudgeFlag::kCardsDisagree, evidence.card.card, false, low, least});
    }
  }

  std::vector<RaisedFlag> Take() { return std::move(raised_); }

 private:
  uint64_t Limit(SeriesJudgement CardEvidence::*arm) const {
    std::vector<uint64_t> medians;
    for (const CardEvidence& evidence : cards_) medians.push_back((evidence.*arm).median.value);
    return SlowLimit(std::move(medians), options_.slow_card_ppm);
  }

  const JudgeOptions& options_;
  const std::vector<CardEvidence>& cards_;
  const CardEvidence& decider_;
  uint64_t least_gain_;
  std::vector<RaisedFlag> raised_;
};

}  // namespace

AchievedBandwidth MeasureBandwidth(const WarmMeasurement& measurement, const JudgeOptions& options,
                                   uint64_t first_steady_round) {
  AchievedBandwidth bandwidth;
  const std::vector<uint64_t>& durations = measurement.warm_durations;
  if (durations.empty() || measurement.warm_bytes == 0) return bandwidth;
  if (measurement.issues_per_round == 0) {
    bandwidth.first_issue = FindSteadyPhase(durations, options.most_drift_ppm).first;
  } else {
    const WideUint first = WideUint{first_steady_round} * measurement.issues_per_round;
    if (first < durations.size()) bandwidth.first_issue = static_cast<uint64_t>(first);
  }
  std::vector<uint64_t> steady(durations.begin() + bandwidth.first_issue, durations.end());
  bandwidth.issues = steady.size();
  const auto middle = steady.begin() + QuantilePlace(steady.size(), 50);
  std::nth_element(steady.begin(), middle, steady.end());
  bandwidth.median_duration = *middle;
  bandwidth.best_duration = *std::min_element(steady.begin(), steady.end());
  const auto rate = [&](uint64_t duration) {
    return BytesPerSecond(measurement.warm_bytes, options.units_per_second, duration);
  };
  bandwidth.median = rate(bandwidth.median_duration);
  bandwidth.best = rate(bandwidth.best_duration);
  if (options.memory_bandwidth == 0) return bandwidth;
  const WideUint moved = WideUint{measurement.warm_bytes} * options.units_per_second;
  for (const uint64_t duration : steady) {
    bandwidth.leftover_issues += moved > WideUint{duration} * options.memory_bandwidth;
  }
  return bandwidth;
}

uint64_t SlowLimit(std::vector<uint64_t> medians, uint32_t slow_card_ppm) {
  const auto middle = medians.begin() + QuantilePlace(medians.size(), 50);
  std::nth_element(medians.begin(), middle, medians.end());
  const WideUint limit = *middle + WideUint{*middle} * slow_card_ppm / kMillion;
  return static_cast<uint64_t>(std::min<WideUint>(limit, std::numeric_limits<uint64_t>::max()));
}

void MarkSlowCards(uint32_t slow_card_ppm, std::vector<CardEvidence>* cards) {
  std::vector<uint64_t> without;
  std::vector<uint64_t> with;
  for (const CardEvidence& evidence : *cards) {
    without.push_back(evidence.without.median.value);
    with.push_back(evidence.with.median.value);
  }
  const uint64_t limit_without = SlowLimit(std::move(without), slow_card_ppm);
  const uint64_t limit_with = SlowLimit(std::move(with), slow_card_ppm);
  for (CardEvidence& evidence : *cards) {
    evidence.card.slow_without = evidence.without.median.value > limit_without;
    evidence.card.slow_with = evidence.with.median.value > limit_with;
  }
}

std::vector<RaisedFlag> RaiseFlags(const WarmMeasurement& measurement, const JudgeOptions& options,
                                   const std::vector<CardEvidence>& cards, size_t deciding,
                                   uint64_t least_gain, const AchievedBandwidth& bandwidth) {
  const CardEvidence& decider = cards[deciding];
  Flags flags(options, cards, deciding, least_gain);
  flags.Coldness(bandwidth);
  flags.Tail(JudgeFlag::kTailEatsMean, decider.card.mean, decider.tail_of_mean_low);
  flags.Tail(JudgeFlag::kTailEatsP90, decider.card.p90, decider.tail_of_p90_low);
  flags.Standalone(measurement.standalone_bound);
  flags.Rounds();
  flags.Steadiness();
  flags.SlowCards();
  flags.Disagreement();
  return flags.Take();
}

}  // namespace torqsched
