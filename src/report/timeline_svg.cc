// The timeline as SVG. What is at least a pixel wide is a box of its own, with its name where that
// fits; what is narrower is summed up pixel by pixel, and drawn as opaque as the pixel is busy.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "src/report/text.h"
#include "src/report/timeline.h"
#include "src/report/timeline_lanes.h"

namespace torqsched {
namespace report {
namespace {

// Pixels.
constexpr uint64_t kWidth = 960;
constexpr uint64_t kLeft = 60;
constexpr uint64_t kRight = 20;
constexpr uint64_t kPlot = kWidth - kLeft - kRight;
constexpr uint64_t kTitle = 30;  // of a panel
constexpr uint64_t kLane = 26;
constexpr uint64_t kLaneStep = 31;
constexpr uint64_t kAxis = 44;
constexpr uint64_t kLegend = 30;
constexpr uint64_t kMostTicks = 8;

// Hundredths of a pixel.
constexpr uint64_t kFine = 100;
constexpr uint64_t kLetter = 640;

enum Colour { kLoadColour, kStoreColour, kSwapColour, kProgramColour, kBarrierColour, kColours };
// Told apart with any colour vision (Okabe and Ito).
constexpr const char* kFill[kColours] = {"#56b4e9", "#e69f00", "#d55e00", "#009e73", "#999999"};
constexpr const char* kClass[kColours] = {"l", "s", "w", "p", "b"};
constexpr const char* kMeaning[kColours] = {"load", "store", "swap or block transfer", "program",
                                            "barrier"};

std::string Px(uint64_t hundredths) {
  const uint64_t rest = hundredths % kFine;
  std::string text = absl::StrCat(hundredths / kFine);
  if (rest != 0) absl::StrAppend(&text, rest < 10 ? ".0" : ".", rest);
  return text;
}

Colour ColourOf(const Stream& stream, const Span& span) {
  if (span.lane == Lane::kSlice) return kProgramColour;
  if (span.lane == Lane::kStream) return kBarrierColour;
  if (!span.op.present()) return kSwapColour;
  return stream.op(span.op).kind == OpKind::kStore ? kStoreColour : kLoadColour;
}

class Drawing {
 public:
  Drawing(const Stream& stream, const Hardware& hardware, uint64_t scale)
      : stream_(stream), hardware_(hardware), scale_(scale) {}

  void Panel(const std::string& title, const std::vector<LaneSpans>& lanes, uint64_t makespan,
             uint64_t top) {
    absl::StrAppend(&out_, "<text class=\"h\" x=\"", kLeft, "\" y=\"", top + 20, "\">",
                    Escaped(title), "</text>\n");
    uint64_t y = top + kTitle;
    for (const LaneSpans& lane : lanes) {
      absl::StrAppend(&out_, "<text class=\"e\" x=\"", kLeft - 8, "\" y=\"", y + 17, "\">",
                      lane.label, "</text>\n<rect class=\"g\" x=\"", kLeft, "\" y=\"", y,
                      "\" width=\"", kPlot, "\" height=\"", kLane, "\"/>\n");
      LaneShapes(lane, y);
      y += kLaneStep;
    }
    absl::StrAppend(&out_, "<path class=\"m\" d=\"M", Px(X(makespan)), " ", top + kTitle - 4, "V",
                    y, "\"/>\n");
  }

  void Axis(uint64_t top) {
    const uint64_t step = DecimalStep(scale_, kMostTicks);
    for (uint64_t at = 0;; at += step) {
      absl::StrAppend(&out_, "<path class=\"a\" d=\"M", Px(X(at)), " ", top, "v5\"/>",
                      "<text class=\"t\" x=\"", Px(X(at)), "\" y=\"", top + 18, "\">", Grouped(at),
                      "</text>");
      if (hardware_.clock_hz != 0) {
        absl::StrAppend(&out_, "<text class=\"t\" x=\"", Px(X(at)), "\" y=\"", top + 33, "\">",
                        Microseconds(at, hardware_.clock_hz), "</text>");
      }
      out_ += "\n";
      if (scale_ - at < step) break;
    }
    absl::StrAppend(&out_, "<text class=\"e\" x=\"", kLeft - 8, "\" y=\"", top + 18,
                    "\">cycles</text>\n");
  }

  void Legend(uint64_t top, bool with_stream) {
    uint64_t x = kLeft;
    for (int c = 0; c < kColours; ++c) {
      if (!(used_ >> c & 1)) continue;
      if (c == kBarrierColour && !with_stream) continue;
      const absl::string_view meaning = kMeaning[c];
      absl::StrAppend(&out_, "<rect class=\"", kClass[c], "\" x=\"", x, "\" y=\"", top + 6,
                      "\" width=\"14\" height=\"14\"/><text x=\"", x + 20, "\" y=\"", top + 17,
                      "\">", meaning, "</text>\n");
      x += 44 + 7 * meaning.size();
    }
  }

  std::string Take() { return std::move(out_); }

 private:
  uint64_t X(uint64_t cycle) const { return kLeft * kFine + CellOf(cycle, scale_, kPlot * kFine); }

  void LaneShapes(const LaneSpans& lane, uint64_t y) {
    std::vector<const Span*> narrow[kColours];
    std::vector<const Span*> wide;
    for (const Span* span : lane.spans) {
      const Colour colour = ColourOf(stream_, *span);
      used_ |= 1u << colour;
      const bool fits = X(span->end) - X(span->begin) >= kFine;
      (fits ? wide : narrow[colour]).push_back(span);
    }
    for (int c = 0; c < kColours; ++c) Columns(narrow[c], static_cast<Colour>(c), y);
    for (const Span* span : wide) Box(*span, y);
  }

  // Pixel columns of things that are too narrow to be drawn one by one.
  void Columns(const std::vector<const Span*>& spans, Colour colour, uint64_t y) {
    if (spans.empty()) return;
    const std::vector<uint64_t> busy = BusyCells(spans, scale_, kPlot);
    std::vector<uint64_t> tenths(kPlot, 0);
    for (uint64_t c = 0; c < kPlot; ++c) {
      const uint64_t cycles = CycleOf(c + 1, scale_, kPlot) - CycleOf(c, scale_, kPlot);
      if (busy[c] == 0) continue;
      const absl::uint128 share = absl::uint128(busy[c]) * 10 / std::max<uint64_t>(cycles, 1);
      tenths[c] = std::clamp<uint64_t>(absl::Uint128Low64(share), 1, 10);
    }
    for (uint64_t c = 0; c < kPlot;) {
      uint64_t end = c + 1;
      while (end < kPlot && tenths[end] == tenths[c]) ++end;
      if (tenths[c] != 0) {
        absl::StrAppend(&out_, "<rect class=\"", kClass[colour], "\" x=\"", kLeft + c, "\" y=\"", y,
                        "\" width=\"", end - c, "\" height=\"", kLane, "\"",
                        tenths[c] == 10 ? "" : absl::StrCat(" opacity=\".", tenths[c], "\""),
                        "/>\n");
      }
      c = end;
    }
  }

  void Box(const Span& span, uint64_t y) {
    const uint64_t x = X(span.begin);
    const uint64_t width = X(span.end) - x;
    const Colour colour = ColourOf(stream_, span);
    absl::StrAppend(&out_, "<rect class=\"", kClass[colour], " o\" x=\"", Px(x), "\" y=\"", y,
                    "\" width=\"", Px(width), "\" height=\"", kLane, "\"><title>",
                    Escaped(SpanLabel(stream_, span, 80)), ": ", Grouped(span.begin), " to ",
                    Grouped(span.end), "</title></rect>\n");
    const std::string label = SpanLabel(stream_, span, width / kLetter);
    const std::string whole = SpanLabel(stream_, span, 80);
    if (Width(label) < std::min<size_t>(Width(whole), 5)) return;
    absl::StrAppend(&out_, "<text class=\"c\" x=\"", Px(x + width / 2), "\" y=\"", y + 17, "\">",
                    Escaped(label), "</text>\n");
  }

  const Stream& stream_;
  const Hardware& hardware_;
  const uint64_t scale_;
  uint32_t used_ = 0;  // bit c: colour c
  std::string out_;
};

}  // namespace

std::string TimelineSvg(const Stream& stream, const Hardware& hardware,
                        const std::vector<TimelinePanel>& panels) {
  const uint64_t scale = ScaleOf(panels);
  const bool with_stream = HasStreamLane(stream, panels);
  Drawing drawing(stream, hardware, scale);
  uint64_t top = 4;
  for (const TimelinePanel& panel : panels) {
    const std::vector<LaneSpans> lanes = LanesOf(stream, hardware, panel, with_stream);
    drawing.Panel(PanelTitle(panel, panels, hardware), lanes, panel.makespan, top);
    top += kTitle + kLaneStep * lanes.size() + 6;
  }
  drawing.Axis(top);
  top += kAxis;
  drawing.Legend(top, with_stream);
  top += kLegend;

  std::string out = absl::StrCat(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", kWidth, "\" height=\"", top,
      "\" viewBox=\"0 0 ", kWidth, " ", top, "\" role=\"img\">\n<title>Timeline of ",
      Escaped(Shown(stream.name().empty() ? "a stream" : stream.name(), 80)), "</title>\n<style>\n",
      "text{font:11px system-ui,sans-serif;fill:#1f2328}.h{font-size:13px;font-weight:600}"
      ".e{text-anchor:end}.t,.c{text-anchor:middle}.t{fill:#59636e}.g{fill:#f3f4f6}"
      ".a{stroke:#8c959f}.m{stroke:#1f2328;stroke-dasharray:3 2}"
      ".o{stroke:#ffffff;stroke-width:.6}\n");
  for (int c = 0; c < kColours; ++c) {
    absl::StrAppend(&out, ".", kClass[c], "{fill:", kFill[c], "}");
  }
  absl::StrAppend(&out, "\n</style>\n<rect width=\"", kWidth, "\" height=\"", top,
                  "\" fill=\"#ffffff\"/>\n", drawing.Take(), "</svg>\n");
  return out;
}

}  // namespace report
}  // namespace torqsched
