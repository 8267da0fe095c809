#include "src/warm/judge_check.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "src/stream/error.h"

namespace torqsched {
namespace {

constexpr uint64_t kLongestTime = (uint64_t{1} << 60) - 1;
constexpr size_t kMostRounds = (size_t{1} << 31) - 1;

absl::string_view ArmName(bool warmed) { return warmed ? "with the warm" : "without the warm"; }

absl::Status CheckRange(absl::string_view field, uint64_t value, uint64_t least, uint64_t most) {
  if (value >= least && value <= most) return absl::OkStatus();
  return FieldError(field, absl::StrCat(value, "; expected ", least, " to ", most));
}

// Not empty, each from 1 to the longest time.
absl::Status CheckTimes(absl::string_view field, const std::vector<uint64_t>& times) {
  if (times.size() > kMostRounds) {
    return FieldError(field, absl::StrCat(times.size(), " times; expected fewer than 2^31"));
  }
  for (size_t i = 0; i < times.size(); ++i) {
    if (times[i] >= 1 && times[i] <= kLongestTime) continue;
    return FieldError(absl::StrCat(field, "[", i, "]"),
                      absl::StrCat(times[i], " time units; expected 1 to 2^60 - 1"));
  }
  return absl::OkStatus();
}

absl::Status CheckSeries(const std::vector<RoundSeries>& series) {
  if (series.empty()) return FieldError("series", "none; expected two for each card");
  for (size_t i = 0; i < series.size(); ++i) {
    const std::string field = absl::StrCat("series[", i, "].times");
    if (series[i].times.empty()) return FieldError(field, "no rounds; expected at least 1");
    if (absl::Status status = CheckTimes(field, series[i].times); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status CheckArms(const std::vector<RoundSeries>& series, const std::vector<size_t>& order) {
  for (size_t k = 0; k < order.size(); ++k) {
    const RoundSeries& here = series[order[k]];
    const std::string field = absl::StrCat("series[", order[k], "]");
    const auto same_card = [&](size_t other) {
      return other < order.size() && series[order[other]].card == here.card;
    };
    const bool follows = k > 0 && same_card(k - 1);
    if (follows && series[order[k - 1]].warmed == here.warmed) {
      return FieldError(field, absl::StrCat("card ", here.card, " ", ArmName(here.warmed),
                                            " is series[", order[k - 1], "], too; expected one"));
    }
    if (!follows && !same_card(k + 1)) {
      return FieldError(field, absl::StrCat("card ", here.card, " has no series ",
                                            ArmName(!here.warmed), "; expected one"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckJudgeOptions(const JudgeOptions& options) {
  constexpr uint64_t kMillion = 1000000;
  constexpr uint64_t kMostPpm = 0xffffffff;
  const struct {
    const char* field;
    uint64_t value;
    uint64_t least;
    uint64_t most;
  } ranges[] = {
      {"options.confidence_percent", options.confidence_percent, 50, 99},
      {"options.resamples", options.resamples, 200, 100000},
      {"options.least_gain_ppm", options.least_gain_ppm, 0, kMillion},
      {"options.least_rounds", options.least_rounds, 2, kMostPpm},
      {"options.units_per_second", options.units_per_second, 1, ~uint64_t{0}},
      {"options.most_leftover_ppm", options.most_leftover_ppm, 0, kMillion},
      {"options.tail_keeps_ppm", options.tail_keeps_ppm, 0, kMillion},
  };
  for (const auto& range : ranges) {
    absl::Status status = CheckRange(range.field, range.value, range.least, range.most);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<CardSeries>> CheckMeasurement(const WarmMeasurement& measurement,
                                                         bool interleaved) {
  const std::vector<RoundSeries>& series = measurement.series;
  absl::Status status = CheckSeries(series);
  if (status.ok()) status = CheckTimes("warm_durations", measurement.warm_durations);
  if (!status.ok()) return status;
  std::vector<size_t> order(series.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&series](size_t a, size_t b) {
    if (series[a].card != series[b].card) return series[a].card < series[b].card;
    return series[a].warmed < series[b].warmed;
  });
  if (status = CheckArms(series, order); !status.ok()) return status;
  std::vector<CardSeries> cards;
  for (size_t k = 0; k < order.size(); k += 2) {
    const CardSeries card = {series[order[k]].card, order[k], order[k + 1]};
    const size_t rounds = series[card.without].times.size();
    if (interleaved && series[card.with].times.size() != rounds) {
      return FieldError(absl::StrCat("series[", card.with, "].times"),
                        absl::StrCat(series[card.with].times.size(), " rounds; expected ", rounds,
                                     ", as series[", card.without, "] interleaved with them has"));
    }
    cards.push_back(card);
  }
  return cards;
}

}  // namespace torqsched
