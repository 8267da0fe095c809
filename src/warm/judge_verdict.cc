#include "src/warm/judge_verdict.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "src/warm/series_statistics.h"

namespace torqsched {
namespace {

enum class Side : uint8_t { kGains, kUndecided, kGainsTooLittle };

int64_t Clamped(WideInt value) {
  constexpr WideInt kMost = std::numeric_limits<int64_t>::max();
  return static_cast<int64_t>(std::clamp(value, -kMost, kMost));
}

// A change, and what it must reach. Both targets are at most 0.
struct Claim {
  WideInt value = 0;
  WideInt low = 0;
  WideInt high = 0;
  int64_t gain = 0;    // at or below, with its upper end: it gains
  int64_t target = 0;  // above, with its lower end: it does not gain enough
  bool tail = false;   // shown to have eaten the gain: the value decides, not the lower end

  Side side() const {
    if (high < 0 && high <= gain && value <= target) return Side::kGains;
    // Where the least gain is nothing, one that is surely none.
    if (low >= 0 || low > target || (tail && value > target)) return Side::kGainsTooLittle;
    return Side::kUndecided;
  }
};

// The distance from the change to where it would decide nothing.
WideInt Margin(const Claim& claim) {
  const WideInt distance = claim.value - (claim.value <= claim.target ? claim.gain : claim.target);
  return distance < 0 ? -distance : distance;
}

// An interval narrows with the root of the rounds: rounds * (distance to the end that is in the way
// / margin)^2, and 1.5^2 times that, so that one standard error of the next measurement does not
// spoil it. Absent above 10,000 times the rounds: the change is the least gain, as far as anyone
// will see.
std::optional<uint64_t> RoundsThatSettle(const Claim& claim, uint64_t rounds) {
  constexpr int64_t kParts = 1000;
  const WideInt margin = Margin(claim);
  const WideInt reach =
      claim.value <= claim.target ? claim.high - claim.value : claim.value - claim.low;
  if (margin == 0 || reach * 3 > margin * 200) return std::nullopt;
  const WideInt ratio = (reach * kParts * 3 + margin * 2 - 1) / (margin * 2);
  const WideInt needed = (ratio * ratio * rounds + kParts * kParts - 1) / (kParts * kParts);
  return static_cast<uint64_t>(needed);
}

class Verdict {
 public:
  Verdict(const JudgeOptions& options, WarmJudgement* judgement)
      : options_(options), judgement_(judgement) {
    const auto of_decider = [judgement](const auto& item) {
      return item.card == judgement->deciding_card;
    };
    const auto card = std::find_if(judgement->cards.begin(), judgement->cards.end(), of_decider);
    const auto without =
        std::find_if(judgement->series.begin(), judgement->series.end(), of_decider);
    card_ = &*card;
    without_ = &*without;
    with_ = &*(without + 1);
    rounds_ = std::min(without_->rounds_used, with_->rounds_used);
    Claims();
  }

  void Give() {
    GiveFlagged();
    const Side median = median_.side();
    const Side mean = mean_.side();
    if (!judgement_->reasons.empty()) {
      judgement_->verdict = ShipVerdict::kMeasureMore;
    } else if (median == Side::kGainsTooLittle || mean == Side::kGainsTooLittle) {
      return DoNotShip();
    } else if (median == Side::kGains && mean == Side::kGains) {
      judgement_->verdict = ShipVerdict::kShip;
      return Add(ShipReason::kGainIsSure, median_.high, median_.target);
    }
    AddUndecided();
    EstimateMoreRounds();
  }

 private:
  void Claims() {
    const Change& median = card_->median;
    const Change& mean = card_->mean;
    const int64_t target = -static_cast<int64_t>(judgement_->least_gain);
    median_ = {median.value, median.low, median.high, target, target, false};
    const bool keeps =
        WideInt{mean.value} * 1000000 <= WideInt{median.value} * options_.tail_keeps_ppm;
    const bool tail = std::any_of(
        judgement_->flags.begin(), judgement_->flags.end(),
        [](const RaisedFlag& raised) { return raised.flag == JudgeFlag::kTailEatsMean; });
    mean_ = {mean.value, mean.low, card_->cautious_mean_high, keeps ? 0 : target, target, tail};
  }

  // With every level that still moves gone twice as far. Of interleaved arms only the difference
  // does.
  Claim Moved(Claim claim) const {
    const auto move = [&claim](WideInt change) {
      (change < 0 ? claim.low : claim.high) += 2 * change;
    };
    const WideInt with = with_->level_change;
    const WideInt without = without_->level_change;
    if (options_.interleaved) {
      move(with - without);
    } else {
      move(with);
      move(-without);
    }
    return claim;
  }

  // The verdict is the same wherever the level that moves will come to rest.
  bool StandsAnyway() const {
    const Side median = Moved(median_).side();
    const Side mean = Moved(mean_).side();
    if (median_.side() == Side::kGainsTooLittle) return median == Side::kGainsTooLittle;
    if (mean_.side() == Side::kGainsTooLittle) return mean == Side::kGainsTooLittle;
    return median == Side::kGains && mean == Side::kGains;
  }

  // Reasons that flags are.
  void GiveFlagged() {
    const bool would_ship = median_.side() == Side::kGains && mean_.side() == Side::kGains;
    GiveFlag(JudgeFlag::kFasterThanMemory, ShipReason::kFoundItsLeftovers);
    GiveFlag(JudgeFlag::kGainAboveStandalone, ShipReason::kImpossibleGain);
    GiveFlag(JudgeFlag::kTooFewRounds, ShipReason::kTooFewRounds);
    if (!StandsAnyway()) GiveFlag(JudgeFlag::kNeverSteady, ShipReason::kNeverSteady);
    if (would_ship) GiveFlag(JudgeFlag::kCardsDisagree, ShipReason::kCardsDisagree);
  }

  void GiveFlag(JudgeFlag flag, ShipReason reason) {
    for (const RaisedFlag& raised : judgement_->flags) {
      if (raised.flag != flag) continue;
      if (reason == ShipReason::kNeverSteady && raised.card != card_->card) continue;
      judgement_->reasons.push_back(
          {reason, raised.card, raised.warmed, raised.measured, raised.limit});
      rounds_help_ = rounds_help_ && reason == ShipReason::kTooFewRounds;
    }
  }

  void Add(ShipReason reason, WideInt measured, WideInt limit) {
    judgement_->reasons.push_back({reason, card_->card, false, Clamped(measured), Clamped(limit)});
  }

  void DoNotShip() {
    judgement_->verdict = ShipVerdict::kDoNotShip;
    if (median_.side() == Side::kGainsTooLittle) {
      Add(ShipReason::kMedianGainsTooLittle, median_.low, median_.target);
    }
    if (mean_.side() != Side::kGainsTooLittle) return;
    if (mean_.low >= 0 || mean_.low > mean_.target) {
      Add(ShipReason::kMeanGainsTooLittle, mean_.low, mean_.target);
    } else {
      Add(ShipReason::kTailEatsGain, mean_.value, mean_.target);
    }
  }

  // Before the reasons that flags gave.
  void AddUndecided() {
    std::vector<GivenReason> flagged;
    flagged.swap(judgement_->reasons);
    const auto add = [this](ShipReason reason, const Claim& claim) {
      if (claim.side() != Side::kUndecided) return;
      Add(reason, claim.high - claim.low, 2 * Margin(claim));
    };
    add(ShipReason::kMedianUndecided, median_);
    add(ShipReason::kMeanUndecided, mean_);
    judgement_->reasons.insert(judgement_->reasons.end(), flagged.begin(), flagged.end());
  }

  void EstimateMoreRounds() {
    if (!rounds_help_) return;
    uint64_t needed = std::max<uint64_t>(options_.least_rounds, rounds_ + 1);
    for (const Claim& claim : {median_, mean_}) {
      if (claim.side() != Side::kUndecided) continue;
      const std::optional<uint64_t> rounds = RoundsThatSettle(claim, rounds_);
      if (!rounds.has_value()) return;
      needed = std::max(needed, *rounds);
    }
    judgement_->more_rounds = needed - rounds_;
  }

  const JudgeOptions& options_;
  WarmJudgement* judgement_;
  const CardJudgement* card_;
  const SeriesJudgement* without_;
  const SeriesJudgement* with_;
  uint64_t rounds_ = 0;  // of the shorter arm
  bool rounds_help_ = true;
  Claim median_;
  Claim mean_;
};

}  // namespace

void Decide(const JudgeOptions& options, WarmJudgement* judgement) {
  Verdict(options, judgement).Give();
}

}  // namespace torqsched
