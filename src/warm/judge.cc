#include "src/warm/judge.h"

#include <algorithm>
#include <vector>

#include "src/warm/judge_card.h"
#include "src/warm/judge_check.h"
#include "src/warm/judge_flags.h"
#include "src/warm/judge_verdict.h"
#include "src/warm/series_statistics.h"

namespace torqsched {
namespace {

// So many cards that 2000 resamples of each series would take seconds get fewer, never below 200.
uint32_t ResamplesFor(size_t series, uint32_t wanted) {
  constexpr size_t kMostInAll = size_t{1} << 22;
  const size_t affordable = std::max<size_t>(kMostInAll / series, 200);
  return static_cast<uint32_t>(std::min<size_t>(wanted, affordable));
}

size_t FastestCard(const std::vector<CardEvidence>& cards) {
  const auto both = [](const CardEvidence& evidence) {
    return evidence.without.median.value + evidence.with.median.value;
  };
  const auto faster = [&both](const CardEvidence& a, const CardEvidence& b) {
    return both(a) < both(b);
  };
  return std::min_element(cards.begin(), cards.end(), faster) - cards.begin();
}

}  // namespace

absl::StatusOr<WarmJudgement> JudgeWarm(const WarmMeasurement& measurement,
                                        const JudgeOptions& options) {
  if (absl::Status status = CheckJudgeOptions(options); !status.ok()) return status;
  const absl::StatusOr<std::vector<CardSeries>> cards =
      CheckMeasurement(measurement, options.interleaved);
  if (!cards.ok()) return cards.status();

  WarmJudgement judgement;
  judgement.resamples = ResamplesFor(measurement.series.size(), options.resamples);
  std::vector<CardEvidence> evidence;
  evidence.reserve(cards->size());
  for (const CardSeries& card : *cards) {
    evidence.push_back(JudgeCard(measurement.series[card.without], measurement.series[card.with],
                                 options, judgement.resamples));
  }
  MarkSlowCards(options.slow_card_ppm, &evidence);
  const size_t deciding = FastestCard(evidence);
  const CardEvidence& decider = evidence[deciding];
  judgement.deciding_card = decider.card.card;
  judgement.least_gain = static_cast<uint64_t>(WideUint{decider.without.median.value} *
                                               options.least_gain_ppm / 1000000);
  judgement.bandwidth = MeasureBandwidth(measurement, options, decider.with.first_steady_round);
  judgement.flags = RaiseFlags(measurement, options, evidence, deciding, judgement.least_gain,
                               judgement.bandwidth);
  for (const CardEvidence& card : evidence) {
    judgement.series.push_back(card.without);
    judgement.series.push_back(card.with);
    judgement.cards.push_back(card.card);
  }
  Decide(options, &judgement);
  return judgement;
}

}  // namespace torqsched
