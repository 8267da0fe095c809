// The picture as SVG. A stage of some width is a box with its name where that fits; narrower ones
// are summed up in a strip. A warm is drawn as it lands: the filled height is its share of the
// region.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "src/report/text.h"
#include "src/report/warm.h"
#include "src/report/warm_panel.h"
#include "src/report/warm_words.h"

namespace torqsched {
namespace report {
namespace {

// Pixels.
constexpr uint64_t kWidth = 960;
constexpr uint64_t kLeft = 110;
constexpr uint64_t kRight = 24;
constexpr uint64_t kPlot = kWidth - kLeft - kRight;
constexpr uint64_t kHead = 30;
constexpr uint64_t kTitle = 44;  // of a panel
constexpr uint64_t kLane = 24;
constexpr uint64_t kLaneStep = 28;
constexpr uint64_t kFill = 70;  // high
constexpr uint64_t kAxis = 44;
constexpr uint64_t kLegend = 30;
constexpr uint64_t kLetter = 7;

constexpr size_t kMostPanels = 8;
constexpr size_t kMostBars = 16;
constexpr size_t kMostTicks = 8;
constexpr uint64_t kLeastBox = 2;

// Told apart with any colour vision (Okabe and Ito).
enum Colour { kStage, kReader, kCollective, kIssue, kLanding, kWaits, kColours };
constexpr const char* kColour[kColours] = {"#c9d1d9", "#56b4e9", "#cc79a7",
                                           "#999999", "#e69f00", "#f7dcaa"};
constexpr const char* kClass[kColours] = {"s", "r", "c", "i", "l", "w"};
constexpr const char* kMeaning[kColours] = {
    "stage", "reads what is warmed", "all-to-all", "issued, waits", "landing", "waits in L2"};

class PanelDrawing {
 public:
  PanelDrawing(const WarmCase& warm, const WarmPanel& panel, uint64_t top)
      : warm_(warm),
        panel_(panel),
        kind_(warm.timeline->kinds[panel.plan->kind]),
        y_(top + kTitle) {
    std::string line = ScopesText(*warm.timeline, panel.plan->kind, ScopesOf(*panel.plan));
    if (!panel.plan->scopes.empty()) {
      absl::StrAppend(&line, "; at most ", DecimalSize(panel.plan->bytes_in_flight), " in flight");
    }
    if (panel.left_out != 0) {
      absl::StrAppend(&line, "; ", Counted(panel.left_out, "more warm"), " not drawn");
    }
    Text("h", kLeft, top + 16, KindTitle(*warm.timeline, *panel.plan));
    Text("n", kLeft, top + 33, Shown(line, kPlot / 6));
  }

  void Draw() {
    MarkReaders();
    Stages("without", panel_.cold_rows, panel_.plan->without->stages, false);
    if (!panel_.plan->scopes.empty()) {
      Stages("with", panel_.warm_rows, panel_.plan->with->stages, true);
      for (const WarmBar& bar : panel_.bars) Bar(bar);
      Fill();
    }
    Axis();
  }

  uint64_t bottom() const { return y_; }
  uint32_t used() const { return used_; }
  std::string Take() { return std::move(out_); }

 private:
  uint64_t X(uint64_t ns) const { return kLeft + CellAt(panel_, ns, kPlot); }

  void Text(absl::string_view type, uint64_t x, uint64_t y, absl::string_view text) {
    absl::StrAppend(&out_, "<text class=\"", type, "\" x=\"", x, "\" y=\"", y, "\">", Escaped(text),
                    "</text>\n");
  }

  void Lane(absl::string_view label) {
    Text("e", kLeft - 8, y_ + 16, label);
    absl::StrAppend(&out_, "<rect class=\"g\" x=\"", kLeft, "\" y=\"", y_, "\" width=\"", kPlot,
                    "\" height=\"", kLane, "\"/>\n");
  }

  void Box(Colour colour, uint64_t x, uint64_t end, uint64_t y, uint64_t height,
           absl::string_view title) {
    used_ |= 1u << colour;
    absl::StrAppend(&out_, "<rect class=\"", kClass[colour], " o\" x=\"", x, "\" y=\"", y,
                    "\" width=\"", end - x, "\" height=\"", height, "\">");
    if (!title.empty()) absl::StrAppend(&out_, "<title>", Escaped(title), "</title>");
    absl::StrAppend(&out_, "</rect>\n");
  }

  void MarkReaders() {
    reads_warmed_.assign(kind_.stages.size(), 0);
    for (const WarmRegionVerdict& verdict : panel_.plan->verdicts) {
      if (verdict.verdict == WarmVerdict::kWarm) reads_warmed_[verdict.reader] = 1;
    }
  }

  Colour ColourOf(uint32_t stage, bool warm) const {
    if (kind_.stages[stage].collective) return kCollective;
    return warm && reads_warmed_[stage] ? kReader : kStage;
  }

  void Stages(absl::string_view label, const std::vector<std::vector<uint32_t>>& rows,
              const std::vector<WarmStageTimes>& times, bool warm) {
    for (const std::vector<uint32_t>& row : rows) {
      Lane(&row == &rows[0] ? label : "");
      uint64_t strip = 0, strip_end = 0;  // of stages too narrow for a box
      const auto end_strip = [&] {
        if (strip_end > strip) Box(kStage, strip, strip_end, y_ + 4, kLane - 8, "short stages");
        strip = strip_end = 0;
      };
      for (const uint32_t s : row) {
        const uint64_t x = X(times[s].begin_ns), end = X(times[s].end_ns);
        if (end - x >= kLeastBox) {
          end_strip();
          StageBox(s, times[s], x, end, warm);
          continue;
        }
        if (x > strip_end + 1) end_strip();
        if (strip_end == 0) strip = x;
        strip_end = std::max(strip_end, std::min(x + 1, kLeft + kPlot));
      }
      end_strip();
      y_ += kLaneStep;
    }
  }

  void StageBox(uint32_t s, const WarmStageTimes& times, uint64_t x, uint64_t end, bool warm) {
    const std::string name = StageName(kind_, s, 80);
    Box(ColourOf(s, warm), x, end, y_, kLane,
        absl::StrCat(name, ": ", WarmTime(times.end_ns - times.begin_ns), ", from ",
                     WarmTime(times.begin_ns)));
    const size_t letters = (end - x) / kLetter;
    if (letters < std::min<size_t>(Width(name), 4)) return;
    Text("m", x + (end - x) / 2, y_ + 16, Shown(name, letters));
  }

  // Issue, then the landing as a slope, then a pale box until it is read.
  void Bar(const WarmBar& bar) {
    const std::string name = RegionName(*warm_.timeline, bar.region, 80);
    Lane(RegionName(*warm_.timeline, bar.region, 14));
    const uint64_t flowing = bar.landing.empty() ? bar.issued_ns : bar.landing.front().first;
    const uint64_t read = bar.read_ns.value_or(panel_.scale_ns);
    const std::string title = absl::StrCat(
        name, ": ", DecimalSize(bar.bytes), ", issued at ", WarmTime(bar.issued_ns), ", landed ",
        bar.landed_ns.has_value() ? absl::StrCat("at ", WarmTime(*bar.landed_ns)) : "later");
    if (X(flowing) > X(bar.issued_ns)) {
      Box(kIssue, X(bar.issued_ns), X(flowing), y_ + kLane - 6, 6, title);
    }
    if (bar.landed_ns.has_value() && X(read) > X(*bar.landed_ns)) {
      Box(kWaits, X(*bar.landed_ns), X(read), y_, kLane, title);
    }
    Slope(bar, title);
    if (bar.read_ns.has_value()) {
      absl::StrAppend(&out_, "<path class=\"k\" d=\"M", X(read), " ", y_, "v", kLane, "\"/>\n");
    }
    y_ += kLaneStep;
  }

  void Slope(const WarmBar& bar, absl::string_view title) {
    if (bar.landing.empty() || bar.bytes == 0) return;
    used_ |= 1u << kLanding;
    std::string path = absl::StrCat("M", X(bar.landing.front().first), " ", y_ + kLane);
    uint64_t x = 0;
    for (const auto& [ns, bytes] : bar.landing) {
      if (ns > panel_.scale_ns) break;
      const uint64_t high =
          absl::Uint128Low64(absl::uint128(std::min(bytes, bar.bytes)) * kLane / bar.bytes);
      if (X(ns) == x && ns != bar.landing.back().first && bytes != bar.bytes) continue;
      x = X(ns);
      absl::StrAppend(&path, "L", x, " ", y_ + kLane - high);
    }
    absl::StrAppend(&out_, "<path class=\"l\" d=\"", path, "V", y_ + kLane, "z\"><title>",
                    Escaped(title), "</title></path>\n");
  }

  // What warms have brought into L2 and nobody has read, under the line that may be filled.
  void Fill() {
    Text("e", kLeft - 8, y_ + 14, "L2, warmed");
    Text("e", kLeft - 8, y_ + 29, "and unread");
    const uint64_t l2 = warm_.hardware->l2_bytes;
    absl::StrAppend(&out_, "<rect class=\"g\" x=\"", kLeft, "\" y=\"", y_, "\" width=\"", kPlot,
                    "\" height=\"", kFill, "\"/>\n");
    const std::vector<uint64_t> waiting = WaitingBytes(panel_, kPlot);
    std::string path = absl::StrCat("M", kLeft, " ", y_ + kFill);
    uint64_t last = 0;
    for (size_t c = 0; c < waiting.size(); ++c) {
      const uint64_t high =
          absl::Uint128Low64(absl::uint128(std::min(waiting[c], l2)) * kFill / l2);
      if (high != last) absl::StrAppend(&path, "H", kLeft + c, "V", y_ + kFill - high);
      last = high;
    }
    absl::StrAppend(&out_, "<path class=\"l\" d=\"", path, "H", kLeft + kPlot, "V", y_ + kFill,
                    "z\"/>\n");
    const uint64_t may =
        y_ + kFill -
        absl::Uint128Low64(absl::uint128(std::min(panel_.plan->fill_bytes, l2)) * kFill / l2);
    absl::StrAppend(&out_, "<path class=\"k d\" d=\"M", kLeft, " ", may, "h", kPlot, "\"/>\n");
    Text("e", kLeft - 8, may + (may < y_ + 8 ? 44 : 4), DecimalSize(panel_.plan->fill_bytes));
    y_ += kFill + 4;
  }

  void Axis() {
    const uint64_t us = std::max<uint64_t>(panel_.scale_ns / 1000, 1);
    const uint64_t step = DecimalStep(us, kMostTicks);
    for (uint64_t at = 0; at <= us; at += step) {
      const uint64_t x = X(at * 1000);
      absl::StrAppend(&out_, "<path class=\"a\" d=\"M", x, " ", y_, "v5\"/>");
      Text("t", x, y_ + 18, Grouped(at));
    }
    Text("e", kLeft - 8, y_ + 18, "us");
    y_ += kAxis;
  }

  const WarmCase& warm_;
  const WarmPanel& panel_;
  const WarmLayerKind& kind_;
  uint64_t y_;
  std::vector<char> reads_warmed_;
  uint32_t used_ = 0;
  std::string out_;
};

std::string Legend(uint32_t used, uint64_t top) {
  std::string out;
  uint64_t x = kLeft;
  for (int c = 0; c < kColours; ++c) {
    if (!(used >> c & 1)) continue;
    const absl::string_view meaning = kMeaning[c];
    absl::StrAppend(&out, "<rect class=\"", kClass[c], "\" x=\"", x, "\" y=\"", top + 6,
                    "\" width=\"14\" height=\"14\"/><text x=\"", x + 20, "\" y=\"", top + 17, "\">",
                    meaning, "</text>\n");
    x += 40 + 6 * meaning.size();
  }
  if (used >> kLanding & 1) {
    absl::StrAppend(&out, "<path class=\"k\" d=\"M", x + 4, " ", top + 4, "v18\"/><text x=\"",
                    x + 12, "\" y=\"", top + 17, "\">its reader begins</text>\n");
  }
  return out;
}

}  // namespace

std::string WarmTimelineSvg(const WarmCase& warm) {
  std::string body = absl::StrCat("<text class=\"b\" x=\"", kLeft,
                                  "\" y=\"22\">Layers without and with L2 warms</text>\n");
  uint64_t top = kHead;
  uint32_t used = 0;
  const std::vector<WarmPanel> panels = WarmPanels(warm, kMostPanels, kMostBars);
  for (const WarmPanel& panel : panels) {
    PanelDrawing drawing(warm, panel, top);
    drawing.Draw();
    used |= drawing.used();
    top = drawing.bottom();
    body += drawing.Take();
  }
  if (panels.empty()) {
    absl::StrAppend(&body, "<text x=\"", kLeft, "\" y=\"", top + 16,
                    "\">no layer to draw</text>\n");
    top += kLaneStep;
  }
  body += Legend(used, top);
  const uint64_t height = top + kLegend;
  std::string out = absl::StrCat(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", kWidth, "\" height=\"", height,
      "\" viewBox=\"0 0 ", kWidth, " ", height,
      "\" role=\"img\">\n<title>Layers without and with L2 warms</title>\n<style>\n"
      "text{font:11px system-ui,sans-serif;fill:#1f2328}.h{font-size:13px;font-weight:600}"
      ".b{font-size:16px;font-weight:600}.n,.t{fill:#59636e}.e{text-anchor:end}"
      ".t,.m{text-anchor:middle}.g{fill:#f3f4f6}.a{fill:none;stroke:#8c959f}"
      ".k{fill:none;stroke:#1f2328;stroke-width:1.5}.d{stroke-dasharray:5 3}"
      ".o{stroke:#ffffff;stroke-width:.6}");
  for (int c = 0; c < kColours; ++c)
    absl::StrAppend(&out, ".", kClass[c], "{fill:", kColour[c], "}");
  absl::StrAppend(&out, "\n</style>\n<rect width=\"", kWidth, "\" height=\"", height,
                  "\" fill=\"#ffffff\"/>\n", body, "</svg>\n");
  return out;
}

}  // namespace report
}  // namespace torqsched
