#include "src/report/judgement_words.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "src/report/text.h"

namespace torqsched {
namespace report {
namespace {

constexpr uint64_t kNanoseconds = 1000000000;  // a second

struct Step {
  uint64_t divisor;
  absl::string_view unit;
};
// Coarser and coarser, with up to three decimals each.
constexpr Step kOfNanoseconds[] = {{1000, "us"},
                                   {1000000000, "s"},
                                   {1000000000000, "10^3 s"},
                                   {1000000000000000, "10^6 s"},
                                   {1000000000000000000, "10^9 s"}};
constexpr Step kOfUnits[] = {{1, "units"},
                             {1000, "10^3 units"},
                             {1000000, "10^6 units"},
                             {1000000000, "10^9 units"},
                             {1000000000000, "10^12 units"},
                             {1000000000000000, "10^15 units"},
                             {1000000000000000000, "10^18 units"}};

// Which of judgement.cards has this number.
std::optional<size_t> PositionOf(const WarmJudgement& judgement, uint32_t card) {
  const auto found =
      std::lower_bound(judgement.cards.begin(), judgement.cards.end(), card,
                       [](const CardJudgement& of, uint32_t number) { return of.card < number; });
  if (found == judgement.cards.end() || found->card != card) return std::nullopt;
  return static_cast<size_t>(found - judgement.cards.begin());
}

// Rounded up to two digits that count: what is said with "about" need not be exact.
uint64_t About(uint64_t count) {
  uint64_t step = 1;
  while (count / step >= 100) step *= 10;
  const uint64_t rest = count % step;
  return rest == 0 || count > UINT64_MAX - step ? count : count - rest + step;
}

std::string Bandwidth(int64_t bytes_per_second) {
  return absl::StrCat(Ratio(Magnitude(bytes_per_second), 1000000000, 1), " GB/s");
}

// Writes the sentences of one judgement.
class Sentences {
 public:
  explicit Sentences(const JudgementCase& judged)
      : judged_(judged),
        judgement_(*judged.judgement),
        scale_(ScaleOfRounds(judged)),
        one_card_(judgement_.cards.size() <= 1),
        decider_(PositionOf(judgement_, judgement_.deciding_card)) {}

  std::string GainIsSure(int64_t high) const {
    std::string text =
        absl::StrCat("The median gains at least ", OfRound(Magnitude(high)), AndLeast());
    if (!decider_.has_value()) return text;
    const CardJudgement& card = judgement_.cards[*decider_];
    absl::StrAppend(&text, " The mean ", Moves(card.mean.value),
                    card.cautious_mean_high < 0
                        ? ", and still gains if two more rounds are as slow as the slowest."
                        : ".");
    return text;
  }

  std::string GainsTooLittle(absl::string_view what, int64_t low) const {
    if (low > 0) {
      return absl::StrCat("Even at best the ", what, " loses ", OfRound(Magnitude(low)),
                          AndLeast());
    }
    return absl::StrCat("At best the ", what, " gains ",
                        low == 0 ? "nothing" : OfRound(Magnitude(low)), AndLeast());
  }

  std::string TailEatsGain(int64_t mean) const {
    const std::string median =
        decider_.has_value()
            ? absl::StrCat("the median ", Moves(judgement_.cards[*decider_].median.value), ", ")
            : "";
    return absl::StrCat("Slow rounds eat the gain: ", median, "the mean ", Moves(mean), AndLeast(),
                        " ", kLookAtSlowest);
  }

  // width: of an interval whose inside has the least gain; enough: of one that would not.
  std::string Undecided(absl::string_view what, int64_t width, int64_t enough) const {
    const std::string begin = absl::StrCat(what, " is ", Time(width), " wide, and ",
                                           judgement_.least_gain == 0
                                               ? "no change"
                                               : absl::StrCat("the least gain, ", LeastGain(), ","),
                                           " lies within it; ");
    if (enough == 0) {
      return absl::StrCat(begin, "so does what was measured, so that no width would decide.");
    }
    if (width <= enough) {
      return absl::StrCat(begin, "it is narrow enough, but reaches further on one side.");
    }
    return absl::StrCat(begin, "a width of ", Time(enough), " would decide.");
  }

  std::string FasterThanMemory(int64_t median, int64_t memory) const {
    const AchievedBandwidth& bandwidth = judgement_.bandwidth;
    return absl::StrCat(
        Grouped(bandwidth.leftover_issues), " of ", Counted(bandwidth.issues, "issue"), " (",
        Percent(bandwidth.leftover_issues, bandwidth.issues), ") ",
        bandwidth.leftover_issues == 1 ? "was" : "were", " faster than the memory, which does ",
        Bandwidth(memory), " at best; the median issue made ", Bandwidth(median),
        ". They found in L2 what an earlier round had left. Measure with L2 cold: pull other data "
        "between rounds.");
  }

  std::string GainAboveStandalone(int64_t gain, int64_t bound) const {
    return absl::StrCat("The median gains at least ", OfRound(Magnitude(gain)), ", but a warm can ",
                        "recover ", bound == 0 ? "nothing" : absl::StrCat("only ", Time(bound)),
                        ", which is what the stages take in the network beyond what they take ",
                        "alone. Look for the mistake: another difference between the arms, or a ",
                        "bound that is not of this build.");
  }

  std::string TooFewRounds(uint32_t card, bool warmed, int64_t rounds, int64_t least) const {
    return absl::StrCat("Of the ", RoundsOf(card, warmed), " only ", Grouped(Magnitude(rounds)),
                        rounds == 1 ? " counts" : " count", " after the start-up; at least ",
                        Grouped(Magnitude(least)), " are needed. Measure more of them.");
  }

  std::string NeverSteady(uint32_t card, bool warmed, int64_t change, int64_t most) const {
    const std::optional<size_t> position = PositionOf(judgement_, card);
    const std::string share =
        position.has_value() ? Share(Magnitude(change), *position, warmed) : "";
    return absl::StrCat("The ", RoundsOf(card, warmed), " never become steady: from the first ",
                        "third to the last of those that count they get ",
                        change < 0 ? "faster" : "slower", " by ", Time(change), share, "; up to ",
                        Time(most), " would be steady. Let it run longer before you measure.");
  }

  std::string CardsDisagree(uint32_t card, int64_t loss, int64_t least) const {
    const std::optional<size_t> position = PositionOf(judgement_, card);
    return absl::StrCat("Card ", card, " loses at least ", Time(loss), " of a round by its median",
                        position.has_value() ? Share(Magnitude(loss), *position, false) : "",
                        ", where ",
                        least == 0 ? "any loss" : absl::StrCat("more than ", Time(least)),
                        " is too much, while card ", judgement_.deciding_card,
                        " gains. Find out what is different on card ", card, ".");
  }

  std::string ColdNotShown() const {
    std::vector<absl::string_view> missing;
    if (judged_.measurement->warm_durations.empty()) missing.push_back("how long its issues took");
    if (judged_.measurement->warm_bytes == 0) missing.push_back("how many bytes one pulls");
    if (judged_.options->memory_bandwidth == 0) missing.push_back("how fast the memory is at best");
    const std::string all_but_last =
        missing.empty() ? "" : absl::StrJoin(missing.begin(), missing.end() - 1, ", ");
    const std::string give =
        missing.empty() ? ""
                        : absl::StrCat(" To find out, give ", all_but_last,
                                       missing.size() > 1 ? " and " : "", missing.back(), ".");
    return absl::StrCat(
        "Whether the warm pulled from memory, or found in L2 what an earlier round "
        "had left, is not known.",
        give);
  }

  std::string TailEats(absl::string_view what, int64_t change, int64_t median) const {
    const std::string kept =
        change < 0 && median < 0
            ? absl::StrCat(", ", Percent(Magnitude(change), Magnitude(median)), " of that")
            : "";
    return absl::StrCat("Slow rounds eat the gain: the median ", Moves(median), ", the ", what, " ",
                        Moves(change), kept, ". ", kLookAtSlowest);
  }

  std::string SlowCard(uint32_t card, bool warmed, int64_t median, int64_t limit) const {
    return absl::StrCat(one_card_ ? "The card" : absl::StrCat("Card ", card), " is slow ",
                        ArmName(warmed), " the warm: its median is ", Time(median),
                        ", and beside the other cards more than ", Time(limit),
                        " is slow. Others may wait for it: look at its clock, its temperature and "
                        "what else runs there.");
  }

 private:
  static constexpr absl::string_view kLookAtSlowest =
      "Look at what is different in the slowest rounds with the warm.";

  std::string Time(int64_t time) const { return TimeText(scale_, Magnitude(time)); }

  // " (1.63 %)" of the median of an arm.
  std::string Share(uint64_t time, size_t position, bool warmed) const {
    const uint64_t whole = SeriesOf(judgement_, position, warmed).median.value;
    return whole == 0 ? "" : absl::StrCat(" (", Hundredths(time, whole), " %)");
  }
  static std::string Hundredths(uint64_t part, uint64_t whole) {
    const std::string percent =
        ChangePercent(static_cast<int64_t>(std::min<uint64_t>(part, INT64_MAX)), whole);
    return percent[0] == '+' ? percent.substr(1) : percent;
  }
  std::string OfDecider(uint64_t time) const {
    return decider_.has_value() ? Share(time, *decider_, false) : "";
  }
  // "561.6 us of a round (1.63 %)".
  std::string OfRound(uint64_t time) const {
    return absl::StrCat(TimeText(scale_, time), " of a round", OfDecider(time));
  }
  std::string LeastGain() const {
    return absl::StrCat(TimeText(scale_, judgement_.least_gain), OfDecider(judgement_.least_gain));
  }
  std::string AndLeast() const {
    if (judgement_.least_gain == 0) return "; any gain would do.";
    return absl::StrCat("; the least gain is ", LeastGain(), ".");
  }
  // "gains 561.6 us (1.63 %)".
  std::string Moves(int64_t change) const {
    if (change == 0) return "gains nothing";
    return absl::StrCat(change < 0 ? "gains " : "loses ", Time(change),
                        OfDecider(Magnitude(change)));
  }
  std::string RoundsOf(uint32_t card, bool warmed) const {
    return absl::StrCat("rounds ", ArmName(warmed), " the warm",
                        one_card_ ? "" : absl::StrCat(" on card ", card));
  }

  const JudgementCase& judged_;
  const WarmJudgement& judgement_;
  const TimeScale scale_;
  const bool one_card_;
  const std::optional<size_t> decider_;
};

template <size_t kCount>
TimeScale Fitted(const Step (&steps)[kCount], int first_decimals, uint64_t largest,
                 size_t columns) {
  TimeScale scale;
  for (size_t i = 0; i < kCount; ++i) {
    for (int decimals = i == 0 ? first_decimals : 3; decimals >= 0; --decimals) {
      scale = {steps[i].divisor, decimals, steps[i].unit};
      if (Width(TimeNumber(scale, largest)) <= columns) return scale;
    }
  }
  return scale;
}

}  // namespace

TimeScale ScaleFor(const JudgementCase& judged, uint64_t time) {
  if (judged.options->units_per_second != kNanoseconds) return {};
  return {1000, time >= 10000000 ? 1 : time >= 1000000 ? 2 : 3, "us"};
}

TimeScale ScaleOfRounds(const JudgementCase& judged) {
  const std::optional<size_t> decider =
      PositionOf(*judged.judgement, judged.judgement->deciding_card);
  return ScaleFor(
      judged, decider.has_value() ? SeriesOf(*judged.judgement, *decider, false).median.value : 0);
}

TimeScale ScaleThatFits(const JudgementCase& judged, uint64_t largest, size_t columns) {
  const TimeScale best = ScaleOfRounds(judged);
  return judged.options->units_per_second == kNanoseconds
             ? Fitted(kOfNanoseconds, best.decimals, largest, columns)
             : Fitted(kOfUnits, best.decimals, largest, columns);
}

uint64_t Magnitude(int64_t value) {
  return value < 0 ? ~static_cast<uint64_t>(value) + 1 : static_cast<uint64_t>(value);
}

std::string TimeNumber(const TimeScale& scale, uint64_t time) {
  return Ratio(time, scale.divisor, scale.decimals);
}

std::string TimeText(const TimeScale& scale, uint64_t time) {
  if (scale.divisor == 1) return Counted(time, "unit");
  return absl::StrCat(TimeNumber(scale, time), " ", scale.unit);
}

std::string ChangeNumber(const TimeScale& scale, int64_t change) {
  return absl::StrCat(change == 0  ? ""
                      : change < 0 ? "-"
                                   : "+",
                      TimeNumber(scale, Magnitude(change)));
}

std::string ChangePercent(int64_t change, uint64_t whole) {
  if (whole == 0) return "-";
  const char* const sign = change == 0 ? "" : change < 0 ? "-" : "+";
  // In hundredths of a percent, rounded half up.
  const absl::uint128 hundredths =
      (absl::uint128(Magnitude(change)) * 20000 + whole) / (absl::uint128(whole) * 2);
  if (hundredths > 999999) return absl::StrCat(sign, ">9,999");
  return absl::StrCat(sign, Ratio(absl::Uint128Low64(hundredths), 100, 2));
}

std::string VerdictText(const WarmJudgement& judgement) {
  switch (judgement.verdict) {
    case ShipVerdict::kShip:
      return "ship";
    case ShipVerdict::kDoNotShip:
      return "do not ship";
    case ShipVerdict::kMeasureMore:
      break;
  }
  if (!judgement.more_rounds.has_value()) {
    return "measure more: more rounds alone would not settle it";
  }
  const uint64_t more = About(*judgement.more_rounds);
  return absl::StrCat("measure more: about ", Grouped(more), " more round", more == 1 ? "" : "s",
                      " of each arm would settle it");
}

absl::string_view ArmName(bool warmed) { return warmed ? "with" : "without"; }

const SeriesJudgement& SeriesOf(const WarmJudgement& judgement, size_t position, bool warmed) {
  return judgement.series[2 * position + (warmed ? 1 : 0)];
}

std::vector<size_t> CardsToShow(const WarmJudgement& judgement, size_t most) {
  std::vector<char> noted(judgement.cards.size(), 0);
  const auto note = [&](uint32_t card) {
    const std::optional<size_t> position = PositionOf(judgement, card);
    if (position.has_value()) noted[*position] = 1;
  };
  for (const GivenReason& reason : judgement.reasons) note(reason.card);
  for (const RaisedFlag& flag : judgement.flags) {
    // These two are of no card.
    if (flag.flag != JudgeFlag::kFasterThanMemory && flag.flag != JudgeFlag::kColdNotShown) {
      note(flag.card);
    }
  }
  std::vector<size_t> shown(judgement.cards.size());
  for (size_t i = 0; i < shown.size(); ++i) shown[i] = i;
  const auto rank = [&](size_t i) {
    return judgement.cards[i].card == judgement.deciding_card ? 0 : noted[i] ? 1 : 2;
  };
  std::stable_sort(shown.begin(), shown.end(),
                   [&rank](size_t a, size_t b) { return rank(a) < rank(b); });
  shown.resize(std::min(shown.size(), most));
  std::sort(shown.begin(), shown.end());
  return shown;
}

std::string ReasonText(const JudgementCase& judged, const GivenReason& given) {
  const Sentences say(judged);
  switch (given.reason) {
    case ShipReason::kGainIsSure:
      return say.GainIsSure(given.measured);
    case ShipReason::kMedianGainsTooLittle:
      return say.GainsTooLittle("median", given.measured);
    case ShipReason::kMeanGainsTooLittle:
      return say.GainsTooLittle("mean", given.measured);
    case ShipReason::kTailEatsGain:
      return say.TailEatsGain(given.measured);
    case ShipReason::kMedianUndecided:
      return say.Undecided("The interval of the median's change", given.measured, given.limit);
    case ShipReason::kMeanUndecided:
      return say.Undecided(
          "The interval of the mean's change, with two more rounds as slow as the slowest,",
          given.measured, given.limit);
    case ShipReason::kFoundItsLeftovers:
      return say.FasterThanMemory(given.measured, given.limit);
    case ShipReason::kImpossibleGain:
      return say.GainAboveStandalone(given.measured, given.limit);
    case ShipReason::kTooFewRounds:
      return say.TooFewRounds(given.card, given.warmed, given.measured, given.limit);
    case ShipReason::kNeverSteady:
      return say.NeverSteady(given.card, given.warmed, given.measured, given.limit);
    case ShipReason::kCardsDisagree:
      return say.CardsDisagree(given.card, given.measured, given.limit);
  }
  return "";
}

std::string FlagText(const JudgementCase& judged, const RaisedFlag& raised) {
  const Sentences say(judged);
  switch (raised.flag) {
    case JudgeFlag::kFasterThanMemory:
      return say.FasterThanMemory(raised.measured, raised.limit);
    case JudgeFlag::kColdNotShown:
      return say.ColdNotShown();
    case JudgeFlag::kTailEatsMean:
      return say.TailEats("mean", raised.measured, raised.limit);
    case JudgeFlag::kTailEatsP90:
      return say.TailEats("p90", raised.measured, raised.limit);
    case JudgeFlag::kGainAboveStandalone:
      return say.GainAboveStandalone(raised.measured, raised.limit);
    case JudgeFlag::kTooFewRounds:
      return say.TooFewRounds(raised.card, raised.warmed, raised.measured, raised.limit);
    case JudgeFlag::kNeverSteady:
      return say.NeverSteady(raised.card, raised.warmed, raised.measured, raised.limit);
    case JudgeFlag::kSlowCard:
      return say.SlowCard(raised.card, raised.warmed, raised.measured, raised.limit);
    case JudgeFlag::kCardsDisagree:
      return say.CardsDisagree(raised.card, raised.measured, raised.limit);
  }
  return "";
}

}  // namespace report
}  // namespace torqsched
