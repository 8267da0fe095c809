// What must hold of any judgement.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "tests/capi/warm_requests.h"

namespace torqsched {
namespace testing {
namespace {

using Wide = unsigned __int128;

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
constexpr uint32_t kMostBlocks = 32;
constexpr uint64_t kMostResamplesInAll = uint64_t{1} << 22;

// The least of the times that so many percent of them do not exceed.
uint64_t Quantile(const std::vector<uint64_t>& sorted, uint64_t percent) {
  return sorted[(sorted.size() * percent + 99) / 100 - 1];
}

class JudgeGlance {
 public:
  JudgeGlance(const v1::JudgeWarmRequest& request, const v1::JudgeWarmResponse& response)
      : request_(request), response_(response) {}

  std::string Look() {
    for (const v1::RoundSeries& series : request_.series()) {
      arms_[{series.card(), series.warmed()}] = &series;
    }
    LookAtResamples();
    LookAtSeries();
    if (wrong_.empty()) LookAtCards();
    if (wrong_.empty()) LookAtDecidingCard();
    if (wrong_.empty()) LookAtBandwidth();
    if (wrong_.empty()) LookAtFlags();
    if (wrong_.empty()) LookAtReasons();
    return wrong_;
  }

 private:
  void Expect(bool right, const std::string& what) {
    if (!right && wrong_.empty()) wrong_ = what;
  }
  const v1::SeriesJudgement& Arm(int card, bool warmed) const {
    return response_.series(2 * card + (warmed ? 1 : 0));
  }

  void LookAtResamples() {
    const uint64_t wanted =
        request_.options().has_resamples() ? request_.options().resamples() : 2000;
    const uint64_t affordable = std::max<uint64_t>(
        200, kMostResamplesInAll / static_cast<uint64_t>(request_.series_size()));
    Expect(response_.resamples() == std::min(wanted, affordable), "resamples");
  }

  void LookAtSeries() {
    Expect(response_.series_size() == request_.series_size(), "series");
    if (!wrong_.empty()) return;
    int at = 0;
    for (const auto& [arm, series] : arms_) {
      const v1::SeriesJudgement& judged = response_.series(at);
      const std::string name = "series[" + std::to_string(at++) + "]";
      const uint64_t rounds = static_cast<uint64_t>(series->times_size());
      Expect(judged.card() == arm.first && judged.warmed() == arm.second, name + ".card");
      Expect(judged.rounds() == rounds, name + ".rounds");
      Expect(2 * judged.first_steady_round() <= rounds, name + ".first_steady_round");
      Expect(judged.rounds_used() == rounds - judged.first_steady_round(), name + ".rounds_used");
      Expect(judged.steady() == (judged.level_change() == 0), name + ".level_change");
      Expect(judged.blocks() >= 1 && judged.blocks() <= kMostBlocks &&
                 judged.blocks() <= judged.rounds_used(),
             name + ".blocks");
      if (!wrong_.empty()) return;
      LookAtEstimates(*series, judged, name);
    }
  }

  void LookAtEstimates(const v1::RoundSeries& series, const v1::SeriesJudgement& judged,
                       const std::string& name) {
    std::vector<uint64_t> used(
        series.times().begin() + static_cast<int64_t>(judged.first_steady_round()),
        series.times().end());
    std::sort(used.begin(), used.end());
    Wide sum = 0;
    for (const uint64_t time : used) sum += time;
    Expect(judged.median().value() == Quantile(used, 50), name + ".median");
    Expect(judged.p90().value() == Quantile(used, 90), name + ".p90");
    Expect(judged.mean().value() == static_cast<uint64_t>(sum / used.size()), name + ".mean");
    for (const v1::TimeEstimate* estimate : {&judged.median(), &judged.mean(), &judged.p90()}) {
      Expect(estimate->low() <= estimate->value() && estimate->value() <= estimate->high(),
             name + " has an interval without its value");
    }
  }

  void LookAtChange(const v1::TimeChange& change, const v1::TimeEstimate& without,
                    const v1::TimeEstimate& with, const std::string& name) {
    Expect(change.value() ==
               static_cast<int64_t>(with.value()) - static_cast<int64_t>(without.value()),
           name);
    Expect(change.low() <= change.value() && change.value() <= change.high(), name);
  }

  void LookAtCards() {
    Expect(2 * response_.cards_size() == response_.series_size(), "cards");
    for (int i = 0; i < response_.cards_size() && wrong_.empty(); ++i) {
      const v1::CardJudgement& card = response_.cards(i);
      const std::string name = "cards[" + std::to_string(i) + "]";
      const v1::SeriesJudgement& without = Arm(i, false);
      const v1::SeriesJudgement& with = Arm(i, true);
      Expect(card.card() == without.card(), name + ".card");
      LookAtChange(card.median(), without.median(), with.median(), name + ".median");
      LookAtChange(card.mean(), without.mean(), with.mean(), name + ".mean");
      LookAtChange(card.p90(), without.p90(), with.p90(), name + ".p90");
      Expect(card.cautious_mean_high() >= card.mean().high(), name + ".cautious_mean_high");
      if (!request_.options().interleaved()) continue;
      Expect(without.first_steady_round() == with.first_steady_round() &&
                 without.blocks() == with.blocks(),
             name + " is interleaved");
    }
  }

  void LookAtDecidingCard() {
    int fastest = 0;
    const auto both = [this](int i) {
      return Arm(i, false).median().value() + Arm(i, true).median().value();
    };
    for (int i = 1; i < response_.cards_size(); ++i) {
      if (both(i) < both(fastest)) fastest = i;
    }
    deciding_ = fastest;
    Expect(response_.deciding_card() == response_.cards(fastest).card(), "deciding_card");
    const uint64_t ppm =
        request_.options().has_least_gain_ppm() ? request_.options().least_gain_ppm() : 5000;
    Expect(response_.least_gain() ==
               static_cast<uint64_t>(Wide{Arm(fastest, false).median().value()} * ppm / 1000000),
           "least_gain");
  }

  void LookAtBandwidth() {
    const v1::AchievedBandwidth& bandwidth = response_.bandwidth();
    const uint64_t durations = static_cast<uint64_t>(request_.warm_durations_size());
    if (durations == 0 || request_.warm_bytes() == 0) {
      Expect(bandwidth.ByteSizeLong() == 0, "bandwidth of nothing");
      return;
    }
    Expect(bandwidth.issues() > 0 && bandwidth.first_issue() + bandwidth.issues() == durations,
           "bandwidth.issues");
    Expect(bandwidth.best_duration() <= bandwidth.median_duration() &&
               bandwidth.best() >= bandwidth.median() &&
               bandwidth.leftover_issues() <= bandwidth.issues(),
           "bandwidth");
    Expect(request_.options().memory_bandwidth() != 0 || bandwidth.leftover_issues() == 0,
           "bandwidth.leftover_issues");
  }

  void LookAtFlags() {
    std::tuple<int, uint32_t, bool> before{0, 0, false};
    bool cold_not_shown = false;
    for (const v1::RaisedFlag& flag : response_.flags()) {
      const std::tuple<int, uint32_t, bool> at{flag.flag(), flag.card(), flag.warmed()};
      Expect(before < at, "flags out of order");
      before = at;
      Expect(flag.flag() > v1::JUDGE_FLAG_UNSPECIFIED && flag.flag() <= v1::JudgeFlag_MAX,
             "flags of no kind");
      cold_not_shown |= flag.flag() == v1::JUDGE_FLAG_COLD_NOT_SHOWN;
      if (flag.flag() <= v1::JUDGE_FLAG_COLD_NOT_SHOWN) continue;
      Expect(arms_.count({flag.card(), flag.warmed()}) == 1, "flags of no card");
    }
    Expect(cold_not_shown ==
               (response_.bandwidth().issues() == 0 || request_.options().memory_bandwidth() == 0),
           "whether cold is shown");
  }

  // Reasons that are flags have these numbers.
  bool IsFlagged(const v1::ShipReason& reason, v1::JudgeFlag flag) const {
    return std::any_of(
        response_.flags().begin(), response_.flags().end(), [&](const v1::RaisedFlag& raised) {
          return raised.flag() == flag && raised.card() == reason.card() &&
                 raised.warmed() == reason.warmed() && raised.measured() == reason.measured() &&
                 raised.limit() == reason.limit();
        });
  }

  void LookAtReasons() {
    Expect(response_.reasons_size() > 0, "reasons");
    Expect(response_.verdict() > v1::SHIP_VERDICT_UNSPECIFIED &&
               response_.verdict() <= v1::ShipVerdict_MAX,
           "verdict");
    Expect(!response_.has_more_rounds() || (response_.verdict() == v1::SHIP_VERDICT_MEASURE_MORE &&
                                            response_.more_rounds() > 0),
           "more_rounds");
    int before = 0;
    for (const v1::ShipReason& reason : response_.reasons()) {
      Expect(before <= reason.reason(), "reasons out of order");
      before = reason.reason();
      LookAtReason(reason);
    }
    const v1::CardJudgement& card = response_.cards(deciding_);
    if (response_.verdict() != v1::SHIP_VERDICT_SHIP) return;
    const int64_t target = -static_cast<int64_t>(response_.least_gain());
    Expect(response_.reasons_size() == 1 && card.median().high() <= target &&
               card.mean().value() <= target && card.mean().high() < 0,
           "a warm that ships without a sure gain");
    Expect(std::none_of(response_.flags().begin(), response_.flags().end(),
                        [](const v1::RaisedFlag& flag) {
                          return flag.flag() == v1::JUDGE_FLAG_FASTER_THAN_MEMORY ||
                                 flag.flag() == v1::JUDGE_FLAG_GAIN_ABOVE_STANDALONE ||
                                 flag.flag() == v1::JUDGE_FLAG_TOO_FEW_ROUNDS ||
                                 flag.flag() == v1::JUDGE_FLAG_CARDS_DISAGREE;
                        }),
           "a warm that ships in spite of a flag");
  }

  void LookAtReason(const v1::ShipReason& reason) {
    const v1::CardJudgement& card = response_.cards(deciding_);
    const int64_t target = -static_cast<int64_t>(response_.least_gain());
    const auto numbers = [&reason](int64_t measured, int64_t limit) {
      return reason.measured() == measured && reason.limit() == limit;
    };
    v1::ShipVerdict verdict = v1::SHIP_VERDICT_MEASURE_MORE;
    bool right = false;
    switch (reason.reason()) {
      case v1::SHIP_REASON_KIND_GAIN_IS_SURE:
        verdict = v1::SHIP_VERDICT_SHIP;
        right = numbers(card.median().high(), target);
        break;
      case v1::SHIP_REASON_KIND_MEDIAN_GAINS_TOO_LITTLE:
        verdict = v1::SHIP_VERDICT_DO_NOT_SHIP;
        right = numbers(card.median().low(), target) &&
                (reason.measured() > target || reason.measured() >= 0);
        break;
      case v1::SHIP_REASON_KIND_MEAN_GAINS_TOO_LITTLE:
        verdict = v1::SHIP_VERDICT_DO_NOT_SHIP;
        right = numbers(card.mean().low(), target) &&
                (reason.measured() > target || reason.measured() >= 0);
        break;
      case v1::SHIP_REASON_KIND_TAIL_EATS_GAIN:
        verdict = v1::SHIP_VERDICT_DO_NOT_SHIP;
        right = numbers(card.mean().value(), target) && reason.measured() > target;
        break;
      case v1::SHIP_REASON_KIND_MEDIAN_UNDECIDED:
        right = reason.measured() == Width(card.median().low(), card.median().high()) &&
                reason.limit() >= 0;
        break;
      case v1::SHIP_REASON_KIND_MEAN_UNDECIDED:
        right = reason.measured() == Width(card.mean().low(), card.cautious_mean_high()) &&
                reason.limit() >= 0;
        break;
      case v1::SHIP_REASON_KIND_FOUND_ITS_LEFTOVERS:
        right = IsFlagged(reason, v1::JUDGE_FLAG_FASTER_THAN_MEMORY);
        break;
      case v1::SHIP_REASON_KIND_IMPOSSIBLE_GAIN:
        right = IsFlagged(reason, v1::JUDGE_FLAG_GAIN_ABOVE_STANDALONE);
        break;
      case v1::SHIP_REASON_KIND_TOO_FEW_ROUNDS:
        right = IsFlagged(reason, v1::JUDGE_FLAG_TOO_FEW_ROUNDS);
        break;
      case v1::SHIP_REASON_KIND_NEVER_STEADY:
        right = IsFlagged(reason, v1::JUDGE_FLAG_NEVER_STEADY);
        break;
      case v1::SHIP_REASON_KIND_CARDS_DISAGREE:
        right = IsFlagged(reason, v1::JUDGE_FLAG_CARDS_DISAGREE);
        break;
      default:
        break;
    }
    Expect(right, "numbers of " + v1::ShipReasonKind_Name(reason.reason()));
    Expect(response_.verdict() == verdict,
           "verdict against " + v1::ShipReasonKind_Name(reason.reason()));
  }

  static int64_t Width(int64_t low, int64_t high) {
    const __int128 width = static_cast<__int128>(high) - low;
    return width > kMost ? kMost : static_cast<int64_t>(width);
  }

  const v1::JudgeWarmRequest& request_;
  const v1::JudgeWarmResponse& response_;
  std::map<std::pair<uint32_t, bool>, const v1::RoundSeries*> arms_;
  int deciding_ = 0;
  std::string wrong_;
};

}  // namespace

std::string WrongAtAGlance(const v1::JudgeWarmRequest& request,
                           const v1::JudgeWarmResponse& response) {
  return JudgeGlance(request, response).Look();
}

}  // namespace testing
}  // namespace torqsched
