// The summary.
#include "src/report/judgement.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "src/report/judgement_words.h"
#include "src/report/text.h"
#include "src/report/warm_words.h"

namespace torqsched {
namespace report {
namespace {

constexpr size_t kMostCards = 16;   // in tables
constexpr size_t kMostOfAKind = 4;  // reasons or flags

// "- " and the words, in lines of at most kColumns that stand below its first. A number stays with
// what it is of: "0.50 %", "12 rounds".
void AppendItem(absl::string_view text, std::string* out) {
  std::vector<std::string> pieces;
  bool joins = false;
  for (const absl::string_view word : absl::StrSplit(text, ' ')) {
    if (joins) {
      absl::StrAppend(&pieces.back(), " ", word);
    } else {
      pieces.emplace_back(word);
    }
    joins = !word.empty() && absl::ascii_isdigit(word.back());
  }
  size_t used = 1;
  *out += "-";
  for (const std::string& piece : pieces) {
    if (used + 1 + Width(piece) > kColumns) {
      *out += "\n ";
      used = 1;
    }
    absl::StrAppend(out, " ", piece);
    used += 1 + Width(piece);
  }
  *out += "\n";
}

// Of each kind only the first ones.
template <typename Item, typename Kind, typename Text>
void AppendItems(const std::vector<Item>& items, const Kind& kind, const Text& text,
                 std::string* out) {
  for (size_t i = 0; i < items.size();) {
    size_t end = i;
    while (end < items.size() && kind(items[end]) == kind(items[i])) ++end;
    const size_t shown = std::min(end, i + kMostOfAKind);
    for (size_t k = i; k < shown; ++k) AppendItem(text(items[k]), out);
    if (shown < end) {
      AppendItem(absl::StrCat("The same of ", Counted(end - shown, "other"), "."), out);
    }
    i = end;
  }
}

// The flag that a reason is of; absent where it is of none.
std::optional<JudgeFlag> FlagBehind(ShipReason reason) {
  switch (reason) {
    case ShipReason::kGainIsSure:
    case ShipReason::kMedianGainsTooLittle:
    case ShipReason::kMeanGainsTooLittle:
    case ShipReason::kMedianUndecided:
    case ShipReason::kMeanUndecided:
      break;
    case ShipReason::kTailEatsGain:
      return JudgeFlag::kTailEatsMean;
    case ShipReason::kFoundItsLeftovers:
      return JudgeFlag::kFasterThanMemory;
    case ShipReason::kImpossibleGain:
      return JudgeFlag::kGainAboveStandalone;
    case ShipReason::kTooFewRounds:
      return JudgeFlag::kTooFewRounds;
    case ShipReason::kNeverSteady:
      return JudgeFlag::kNeverSteady;
    case ShipReason::kCardsDisagree:
      return JudgeFlag::kCardsDisagree;
  }
  return std::nullopt;
}

// The flags whose sentence no reason has said.
std::vector<RaisedFlag> UntoldFlags(const WarmJudgement& judgement) {
  std::set<std::tuple<JudgeFlag, uint32_t, bool>> told;
  for (const GivenReason& reason : judgement.reasons) {
    const std::optional<JudgeFlag> flag = FlagBehind(reason.reason);
    if (flag.has_value()) told.emplace(*flag, reason.card, reason.warmed);
  }
  std::vector<RaisedFlag> untold;
  for (const RaisedFlag& raised : judgement.flags) {
    if (told.count({raised.flag, raised.card, raised.warmed}) == 0) untold.push_back(raised);
  }
  return untold;
}

void AppendFlags(const JudgementCase& judged, std::string* out) {
  const std::vector<RaisedFlag> untold = UntoldFlags(*judged.judgement);
  if (untold.empty()) {
    AppendFact("suspicious", judged.judgement->flags.empty() ? "nothing" : "nothing else", out);
    return;
  }
  *out += "Suspicious:\n";
  AppendItems(
      untold, [](const RaisedFlag& raised) { return raised.flag; },
      [&judged](const RaisedFlag& raised) { return FlagText(judged, raised); }, out);
}

std::string Interval(const std::string& low, const std::string& high) {
  return absl::StrCat("[", low, ", ", high, "]");
}

// The cards that are shown, and what their columns need.
struct ShownCards {
  std::vector<size_t> cards;  // positions in the judgement's cards
  size_t left_out = 0;
  TimeScale scale;
};

// The widest number of either table decides how all of them are written.
ShownCards FindShown(const JudgementCase& judged) {
  const WarmJudgement& judgement = *judged.judgement;
  ShownCards shown;
  shown.cards = CardsToShow(judgement, kMostCards);
  shown.left_out = judgement.cards.size() - shown.cards.size();
  uint64_t largest_time = 0, largest_change = 0;
  size_t card_width = 4, rounds_width = 6, cut_width = 3;  // of their headers
  for (const size_t c : shown.cards) {
    const CardJudgement& card = judgement.cards[c];
    card_width = std::max(card_width, absl::StrCat(card.card).size());
    for (const torqsched::Change& change : {card.median, card.mean, card.p90}) {
      for (const int64_t value : {change.value, change.low, change.high}) {
        largest_change = std::max(largest_change, Magnitude(value));
      }
    }
    for (const bool warmed : {false, true}) {
      const SeriesJudgement& series = SeriesOf(judgement, c, warmed);
      rounds_width = std::max(rounds_width, Grouped(series.rounds).size());
      cut_width = std::max(cut_width, Grouped(series.first_steady_round).size());
      largest_time = std::max({largest_time, series.median.value, series.median.low,
                               series.median.high, series.mean.value, series.p90.value});
    }
  }
  // Card, arm, rounds, cut, then median, [low, high], mean and p90: five numbers.
  const size_t around_times = card_width + 7 + rounds_width + cut_width + 7 * 2 + 4;
  // Card, statistic, change, [low, high], then both in percent: three numbers and their signs.
  const size_t around_changes = card_width + 6 + 5 * 2 + 4 + 3 + 8 + 20;
  const auto room = [](size_t around, size_t numbers) {
    return around < kColumns ? (kColumns - around) / numbers : 0;
  };
  shown.scale = ScaleThatFits(judged, largest_time, room(around_times, 5));
  const TimeScale for_changes = ScaleThatFits(judged, largest_change, room(around_changes, 3));
  const bool coarser =
      for_changes.divisor > shown.scale.divisor ||
      (for_changes.divisor == shown.scale.divisor && for_changes.decimals < shown.scale.decimals);
  if (coarser) shown.scale = for_changes;
  return shown;
}

void AddLeftOut(const ShownCards& shown, TextTable* table) {
  if (shown.left_out == 0) return;
  table->AddNote(absl::StrCat("and ", Counted(shown.left_out, "other card")));
}

std::string SeriesTable(const JudgementCase& judged, const ShownCards& shown) {
  TextTable table;
  table.AddRight("card");
  table.AddLeft("arm");
  for (const char* header : {"rounds", "cut", "median"}) table.AddRight(header);
  table.AddRight(absl::StrCat(judged.options->confidence_percent, " %"));
  for (const char* header : {"mean", "p90"}) table.AddRight(header);
  for (const size_t c : shown.cards) {
    for (const bool warmed : {false, true}) {
      const SeriesJudgement& series = SeriesOf(*judged.judgement, c, warmed);
      const auto number = [&shown](uint64_t time) { return TimeNumber(shown.scale, time); };
      table.AddRow({absl::StrCat(series.card), std::string(ArmName(warmed)), Grouped(series.rounds),
                    Grouped(series.first_steady_round), number(series.median.value),
                    Interval(number(series.median.low), number(series.median.high)),
                    number(series.mean.value), number(series.p90.value)});
    }
  }
  AddLeftOut(shown, &table);
  return table.ToString();
}

std::string ChangeTable(const JudgementCase& judged, const ShownCards& shown) {
  const WarmJudgement& judgement = *judged.judgement;
  const std::string interval = absl::StrCat(judged.options->confidence_percent, " %");
  TextTable table;
  table.AddRight("card");
  table.AddLeft("of");
  for (const std::string& header :
       {std::string("change"), interval, std::string("in %"), interval}) {
    table.AddRight(header);
  }
  const auto add = [&](uint32_t card, const char* what, const torqsched::Change& change,
                       uint64_t whole) {
    const auto number = [&shown](int64_t value) { return ChangeNumber(shown.scale, value); };
    const auto percent = [whole](int64_t value) { return ChangePercent(value, whole); };
    table.AddRow({absl::StrCat(card), what, number(change.value),
                  Interval(number(change.low), number(change.high)), percent(change.value),
                  Interval(percent(change.low), percent(change.high))});
  };
  for (const size_t c : shown.cards) {
    const CardJudgement& card = judgement.cards[c];
    const SeriesJudgement& without = SeriesOf(judgement, c, false);
    add(card.card, "median", card.median, without.median.value);
    add(card.card, "mean", card.mean, without.mean.value);
    add(card.card, "p90", card.p90, without.p90.value);
  }
  AddLeftOut(shown, &table);
  return table.ToString();
}

void AppendFacts(const JudgementCase& judged, std::string* out) {
  const WarmJudgement& judgement = *judged.judgement;
  if (judgement.cards.size() > 1) {
    AppendFact("decides",
               absl::StrCat("card ", judgement.deciding_card, ", the fastest of ",
                            Grouped(judgement.cards.size())),
               out);
  }
  const uint32_t ppm = judged.options->least_gain_ppm;
  AppendFact(
      "least gain",
      absl::StrCat(TimeText(ScaleOfRounds(judged), judgement.least_gain), ", ",
                   Ratio(ppm, 10000, ppm % 100 == 0 ? 2 : 4), " % of the median without the warm"),
      out);
  AppendFact("intervals",
             absl::StrCat(judged.options->confidence_percent, " %, from ",
                          Counted(judgement.resamples, "resample"),
                          judged.options->interleaved ? " of interleaved rounds" : ""),
             out);
}

std::string BytesPerSecond(uint64_t rate) {
  return absl::StrCat(rate == UINT64_MAX ? "over " : "", Ratio(rate, 1000000000, 1), " GB/s");
}

void AppendBandwidth(const JudgementCase& judged, std::string* out) {
  const AchievedBandwidth& bandwidth = judged.judgement->bandwidth;
  if (bandwidth.issues == 0) return AppendFact("bandwidth", "not known", out);
  const TimeScale scale = ScaleFor(judged, bandwidth.median_duration);
  const auto add = [&](absl::string_view what, absl::string_view issue, uint64_t rate,
                       uint64_t duration) {
    AppendFact(
        what,
        absl::StrCat(BytesPerSecond(rate), ", the ", issue, " in ", TimeText(scale, duration)),
        out);
  };
  add("bandwidth", "median issue", bandwidth.median, bandwidth.median_duration);
  add("", "best", bandwidth.best, bandwidth.best_duration);
  const std::string first =
      bandwidth.first_issue == 0
          ? ""
          : absl::StrCat(" after ", Counted(bandwidth.first_issue, "issue"), " of the start-up");
  AppendFact("",
             absl::StrCat(Counted(bandwidth.issues, "issue"), " of ",
                          DecimalSize(judged.measurement->warm_bytes), first),
             out);
  const uint64_t memory = judged.options->memory_bandwidth;
  AppendFact("",
             memory == 0 ? "the memory's is not known"
                         : absl::StrCat(Grouped(bandwidth.leftover_issues), " faster than the ",
                                        "memory's ", BytesPerSecond(memory)),
             out);
}

}  // namespace

std::string JudgementSummary(absl::string_view title, const JudgementCase& judged) {
  const WarmJudgement& judgement = *judged.judgement;
  std::string out = absl::StrCat(title, ": ", VerdictText(judgement), "\n\n");
  AppendItems(
      judgement.reasons, [](const GivenReason& given) { return given.reason; },
      [&judged](const GivenReason& given) { return ReasonText(judged, given); }, &out);
  out += "\n";
  AppendFacts(judged, &out);
  const ShownCards shown = FindShown(judged);
  absl::StrAppend(&out, "\nRounds, in ", shown.scale.unit, "; the start-up is cut:\n",
                  SeriesTable(judged, shown), "\nWhat the warm changes, in ", shown.scale.unit,
                  " and in percent:\n", ChangeTable(judged, shown), "\n");
  AppendBandwidth(judged, &out);
  out += "\n";
  AppendFlags(judged, &out);
  return out;
}

}  // namespace report
}  // namespace torqsched
