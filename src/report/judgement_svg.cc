// The picture: a panel a card, time over the number of the round. Few rounds are dots; of many,
// each pixel column has a bar from the least to the most and a line at the middle. The scale of
// times is that of the steady rounds, for a start-up and a tail may be far above them: what lies
// beyond is drawn at the edge, and counted.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "src/report/judgement.h"
#include "src/report/judgement_words.h"
#include "src/report/text.h"
#include "src/stream/checked.h"

namespace torqsched {
namespace report {
namespace {

// Pixels.
constexpr uint64_t kWidth = 960;
constexpr uint64_t kLeft = 96;
constexpr uint64_t kPlot = 840;
constexpr uint64_t kHead = 34;
constexpr uint64_t kTitle = 44;  // of a panel
constexpr uint64_t kHeight = 180;
constexpr uint64_t kAxis = 46;
constexpr uint64_t kNote = 22;
constexpr uint64_t kLegend = 30;

constexpr uint64_t kFine = 100;  // hundredths of a pixel

constexpr size_t kMostPanels = 8;
constexpr uint64_t kMostDots = 600;  // rounds of an arm
constexpr uint64_t kBars = kPlot / 2;

// Told apart with any colour vision (Okabe and Ito). By arm.
constexpr const char* kColour[] = {"#e69f00", "#0072b2"};
constexpr const char* kClass[] = {"o", "w"};

std::string Px(uint64_t hundredths) {
  const uint64_t rest = hundredths % kFine;
  std::string text = absl::StrCat(hundredths / kFine);
  if (rest != 0) absl::StrAppend(&text, rest < 10 ? ".0" : ".", rest);
  return text;
}

// The rounds of both arms of a card; null: the measurement does not have them.
struct CardRounds {
  const std::vector<uint64_t>* arms[2] = {nullptr, nullptr};

  uint64_t most() const {
    size_t most = 1;
    for (const std::vector<uint64_t>* times : arms) {
      if (times != nullptr) most = std::max(most, times->size());
    }
    return most;
  }
};

CardRounds FindRounds(const WarmMeasurement& measurement, uint32_t card) {
  CardRounds rounds;
  for (const RoundSeries& series : measurement.series) {
    if (series.card == card) rounds.arms[series.warmed] = &series.times;
  }
  return rounds;
}

// One panel.
class PanelDrawing {
 public:
  PanelDrawing(const JudgementCase& judged, size_t position, uint64_t top)
      : judged_(judged),
        card_(judged.judgement->cards[position]),
        rounds_(FindRounds(*judged.measurement, card_.card)),
        scale_(ScaleOfRounds(judged)),
        top_(top + kTitle),
        bottom_(top_ + kHeight),
        most_(rounds_.most()) {
    for (const bool warmed : {false, true}) {
      series_[warmed] = &SeriesOf(*judged.judgement, position, warmed);
    }
    FindRange();
  }

  void Draw() {
    Title();
    absl::StrAppend(&out_, "<rect class=\"g\" x=\"", kLeft, "\" y=\"", top_, "\" width=\"", kPlot,
                    "\" height=\"", kHeight, "\"/>\n");
    TimeAxis();
    RoundAxis();
    for (const bool warmed : {false, true}) StartUp(warmed);
    for (const bool warmed : {false, true}) Interval(warmed);
    for (const bool warmed : {false, true}) Rounds(warmed);
    for (const bool warmed : {false, true}) Median(warmed);
  }

  std::string Take() { return std::move(out_); }

 private:
  bool several() const { return most_ > kMostDots; }

  // In hundredths of a pixel.
  uint64_t X(uint64_t round) const {
    const absl::uint128 part = absl::uint128(std::min(round, most_)) * (kPlot * kFine) / most_;
    return kLeft * kFine + absl::Uint128Low64(part);
  }
  uint64_t Y(uint64_t time) const {
    const uint64_t above = std::clamp(time, low_, high_) - low_;
    const absl::uint128 part = absl::uint128(above) * (kHeight * kFine) / (high_ - low_);
    return bottom_ * kFine - absl::Uint128Low64(part);
  }

  // From below the tenth of the steady rounds to above the ninetieth, of both arms, by as much
  // again as lies between them; the intervals are within.
  void FindRange() {
    uint64_t tenth = UINT64_MAX, ninetieth = 0, low = UINT64_MAX, high = 0;
    for (const bool warmed : {false, true}) {
      const SeriesJudgement& series = *series_[warmed];
      tenth = std::min({tenth, Tenth(warmed), series.median.value});
      ninetieth = std::max({ninetieth, series.p90.value, series.median.value});
      low = std::min(low, series.median.low);
      high = std::max(high, series.median.high);
    }
    // Not a hair: what differs by less than a two hundredth looks alike.
    const uint64_t around = std::max<uint64_t>({ninetieth - tenth, ninetieth / 200, 1});
    low_ = std::min(low, tenth - std::min(tenth, around / 2));
    high_ = std::max(high, SaturatingAdd(ninetieth, around));
    if (low_ == high_) --low_;
  }

  // The time that one in ten of the steady rounds is below.
  uint64_t Tenth(bool warmed) const {
    const std::vector<uint64_t>* const times = rounds_.arms[warmed];
    if (times == nullptr || series_[warmed]->first_steady_round >= times->size()) return UINT64_MAX;
    std::vector<uint64_t> steady(
        times->begin() + static_cast<std::ptrdiff_t>(series_[warmed]->first_steady_round),
        times->end());
    const auto place = steady.begin() + static_cast<std::ptrdiff_t>(steady.size() / 10);
    std::nth_element(steady.begin(), place, steady.end());
    return *place;
  }

  void Text(absl::string_view type, uint64_t x, uint64_t y, absl::string_view text) {
    absl::StrAppend(&out_, "<text class=\"", type, "\" x=\"", Px(x), "\" y=\"", y, "\">", text,
                    "</text>\n");
  }

  // The medians, and what is beyond the edges.
  void Title() {
    const WarmJudgement& judgement = *judged_.judgement;
    const std::string name =
        judgement.cards.size() == 1
            ? "median "
            : absl::StrCat("card ", card_.card,
                           card_.card == judgement.deciding_card ? ", which decides" : "",
                           ": median ");
    Text("h", kLeft * kFine, top_ - kTitle + 18,
         absl::StrCat(name, TimeNumber(scale_, series_[0]->median.value), " -&gt; ",
                      TimeText(scale_, series_[1]->median.value), " (",
                      ChangePercent(card_.median.value, series_[0]->median.value), " %)"));
    std::vector<std::string> notes;
    if (several()) notes.push_back("a bar has the least to the most of several rounds");
    uint64_t above = 0, below = 0, slowest = 0;
    for (const std::vector<uint64_t>* times : rounds_.arms) {
      if (times == nullptr) continue;
      for (const uint64_t time : *times) {
        above += time > high_;
        below += time < low_;
        slowest = std::max(slowest, time);
      }
    }
    if (above != 0) {
      notes.push_back(absl::StrCat(Counted(above, "round"), " beyond the top, the slowest ",
                                   TimeText(scale_, slowest)));
    }
    if (below != 0) notes.push_back(absl::StrCat(Counted(below, "round"), " beyond the bottom"));
    std::string line;
    for (const std::string& note : notes) absl::StrAppend(&line, line.empty() ? "" : "; ", note);
    if (!line.empty()) Text("n", kLeft * kFine, top_ - kTitle + 34, line);
  }

  void TimeAxis() {
    const uint64_t step = DecimalStep(high_ - low_, 5);
    uint64_t at = low_ / step * step;
    if (at < low_ && high_ - at >= step) at += step;
    for (; at >= low_ && at <= high_; at += step) {
      absl::StrAppend(&out_, "<path class=\"a\" d=\"M", kLeft, " ", Px(Y(at)), "h-5\"/>");
      Text("e", (kLeft - 8) * kFine, Y(at) / kFine + 4, TimeNumber(scale_, at));
      if (high_ - at < step) break;
    }
    Text("e", (kLeft - 8) * kFine, top_ - 9, scale_.unit);
  }

  void RoundAxis() {
    const uint64_t step = DecimalStep(most_, 10);
    for (uint64_t at = 0;; at += step) {
      absl::StrAppend(&out_, "<path class=\"a\" d=\"M", Px(X(at)), " ", bottom_, "v5\"/>");
      Text("t", X(at), bottom_ + 18, Grouped(at));
      if (most_ - at < step) break;
    }
    Text("e", (kLeft - 8) * kFine, bottom_ + 18, "round");
  }

  void StartUp(bool warmed) {
    const uint64_t cut = series_[warmed]->first_steady_round;
    if (cut == 0) return;
    absl::StrAppend(&out_, "<rect class=\"", kClass[warmed], " u\" x=\"", kLeft, "\" y=\"", top_,
                    "\" width=\"", Px(X(cut) - kLeft * kFine), "\" height=\"", kHeight, "\"/>\n",
                    "<path class=\"", kClass[warmed], " c\" d=\"M", Px(X(cut)), " ", top_, "v",
                    kHeight, "\"/>\n");
  }

  void Rounds(bool warmed) {
    const std::vector<uint64_t>* const times = rounds_.arms[warmed];
    if (times == nullptr || times->empty()) return;
    if (several()) return Bars(warmed, *times);
    absl::StrAppend(&out_, "<path class=\"", kClass[warmed], " d\" d=\"");
    for (size_t i = 0; i < times->size(); ++i) {
      const uint64_t middle = X(i) + (X(i + 1) - X(i)) / 2;
      absl::StrAppend(&out_, "M", Px(middle), " ", Px(Y((*times)[i])), "h0");
    }
    out_ += "\"/>\n";
  }

  void Bars(bool warmed, const std::vector<uint64_t>& times) {
    std::string bars, middles;
    for (uint64_t b = 0; b < kBars; ++b) {
      const auto round = [this](uint64_t bar) {
        return absl::Uint128Low64(absl::uint128(most_) * bar / kBars);
      };
      const uint64_t end = std::min<uint64_t>(round(b + 1), times.size());
      if (round(b) >= end) continue;
      std::vector<uint64_t> some(times.begin() + static_cast<std::ptrdiff_t>(round(b)),
                                 times.begin() + static_cast<std::ptrdiff_t>(end));
      const auto middle = some.begin() + static_cast<std::ptrdiff_t>((some.size() - 1) / 2);
      std::nth_element(some.begin(), middle, some.end());
      const uint64_t x = kLeft + kPlot * b / kBars;
      absl::StrAppend(&middles, "M", x, " ", Px(Y(*middle)), "h", kPlot / kBars);
      const auto [least, most] = std::minmax_element(some.begin(), some.end());
      absl::StrAppend(&bars, "M", x + 1, " ", Px(Y(*least)), "V", Px(Y(*most)));
    }
    absl::StrAppend(&out_, "<path class=\"", kClass[warmed], " b\" d=\"", bars, "\"/>\n",
                    "<path class=\"", kClass[warmed], " l\" d=\"", middles, "\"/>\n");
  }

  // Where the median counts: after the start-up.
  uint64_t From(bool warmed) const { return X(series_[warmed]->first_steady_round); }
  uint64_t To(bool warmed) const {
    const std::vector<uint64_t>* const times = rounds_.arms[warmed];
    return std::max(From(warmed), X(times == nullptr ? most_ : times->size()));
  }

  void Interval(bool warmed) {
    const Estimate& median = series_[warmed]->median;
    const uint64_t y = Y(median.high);
    absl::StrAppend(&out_, "<rect class=\"", kClass[warmed], " v\" x=\"", Px(From(warmed)),
                    "\" y=\"", Px(y), "\" width=\"", Px(To(warmed) - From(warmed)), "\" height=\"",
                    Px(std::max(Y(median.low), y) - y), "\"><title>", ArmName(warmed),
                    " the warm: median ", TimeText(scale_, median.value), ", interval ",
                    TimeNumber(scale_, median.low), " to ", TimeText(scale_, median.high),
                    "</title></rect>\n");
  }

  void Median(bool warmed) {
    absl::StrAppend(&out_, "<path class=\"", kClass[warmed], " m\" d=\"M", Px(From(warmed)), " ",
                    Px(Y(series_[warmed]->median.value)), "H", Px(To(warmed)), "\"/>\n");
  }

  const JudgementCase& judged_;
  const CardJudgement& card_;
  const CardRounds rounds_;
  const TimeScale scale_;
  const uint64_t top_;
  const uint64_t bottom_;
  const uint64_t most_;  // rounds
  const SeriesJudgement* series_[2];
  uint64_t low_ = 0;  // at the bottom; below high_
  uint64_t high_ = 1;
  std::string out_;
};

std::string Legend(uint32_t confidence_percent, uint64_t top) {
  std::string out;
  uint64_t x = kLeft;
  for (const bool warmed : {false, true}) {
    absl::StrAppend(&out, "<rect class=\"", kClass[warmed], " k\" x=\"", x, "\" y=\"", top + 6,
                    "\" width=\"14\" height=\"14\"/><text x=\"", x + 20, "\" y=\"", top + 17, "\">",
                    ArmName(warmed), " the warm</text>\n");
    x += 130;
  }
  absl::StrAppend(&out, "<rect class=\"w v\" x=\"", x, "\" y=\"", top + 7,
                  "\" width=\"28\" height=\"12\"/><path class=\"w m\" d=\"M", x, " ", top + 13,
                  "h28\"/><text x=\"", x + 36, "\" y=\"", top + 17, "\">median and its ",
                  confidence_percent, " % interval</text>\n");
  x += 220;
  absl::StrAppend(&out, "<rect class=\"w u\" x=\"", x, "\" y=\"", top + 6,
                  "\" width=\"14\" height=\"14\"/><path class=\"w c\" d=\"M", x + 14, " ", top + 6,
                  "v14\"/><text x=\"", x + 22, "\" y=\"", top + 17,
                  "\">start-up, which does not count</text>\n");
  return out;
}

std::string Document(absl::string_view title, uint64_t height, absl::string_view body) {
  std::string out = absl::StrCat(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", kWidth, "\" height=\"", height,
      "\" viewBox=\"0 0 ", kWidth, " ", height, "\" role=\"img\">\n<title>", title,
      "</title>\n<style>\n"
      "text{font:11px system-ui,sans-serif;fill:#1f2328}.h{font-size:13px;font-weight:600}"
      ".T{font-size:16px;font-weight:600}.n,.t{fill:#59636e}.e{text-anchor:end}"
      ".t{text-anchor:middle}.g{fill:#f3f4f6}.a{fill:none;stroke:#8c959f}"
      "path.d,path.b,path.l,path.c,path.m{fill:none}.d{stroke-width:3;stroke-linecap:round;"
      "stroke-opacity:.55}.b{stroke-width:2;stroke-opacity:.2}.l{stroke-width:2}"
      ".u{fill-opacity:.1}.v{fill-opacity:.4}.c{stroke-dasharray:3 2}.m{stroke-width:1.2}");
  for (const bool warmed : {false, true}) {
    absl::StrAppend(&out, "rect.", kClass[warmed], "{fill:", kColour[warmed], "}path.",
                    kClass[warmed], "{stroke:", kColour[warmed], "}");
  }
  absl::StrAppend(&out, "\n</style>\n<rect width=\"", kWidth, "\" height=\"", height,
                  "\" fill=\"#ffffff\"/>\n", body, "</svg>\n");
  return out;
}

}  // namespace

std::string JudgementSvg(absl::string_view title, const JudgementCase& judged) {
  const WarmJudgement& judgement = *judged.judgement;
  const std::string head =
      absl::StrCat(Escaped(Shown(title, 60)), ": ", Escaped(VerdictText(judgement)));
  std::string body =
      absl::StrCat("<text class=\"T\" x=\"", kLeft, "\" y=\"24\">", head, "</text>\n");
  uint64_t top = kHead;
  const std::vector<size_t> cards = CardsToShow(judgement, kMostPanels);
  for (const size_t position : cards) {
    PanelDrawing drawing(judged, position, top);
    drawing.Draw();
    body += drawing.Take();
    top += kTitle + kHeight + kAxis;
  }
  if (cards.size() < judgement.cards.size()) {
    absl::StrAppend(&body, "<text class=\"n\" x=\"", kLeft, "\" y=\"", top + 14, "\">and ",
                    Counted(judgement.cards.size() - cards.size(), "other card"), "</text>\n");
    top += kNote;
  }
  body += Legend(judged.options->confidence_percent, top);
  return Document(head, top + kLegend, body);
}

}  // namespace report
}  // namespace torqsched
