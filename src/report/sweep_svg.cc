// A sweep as SVG: panels of lines over sizes of LRAM, which are as far apart as their logarithms.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/numeric/bits.h"
#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "src/report/sram_phases.h"
#include "src/report/sweep.h"
#include "src/report/text.h"

namespace torqsched {
namespace report {
namespace {

// Pixels.
constexpr uint64_t kWidth = 960;
constexpr uint64_t kLeft = 110;
constexpr uint64_t kRight = 20;
constexpr uint64_t kPlot = kWidth - kLeft - kRight;
constexpr uint64_t kInset = 40;  // between the plot's edge and its first size
constexpr uint64_t kTitle = 34;  // of a panel
constexpr uint64_t kHeight = 220;
constexpr uint64_t kAxis = 34;
constexpr uint64_t kLegendRow = 20;
constexpr uint64_t kLabelRoom = 64;  // of a size below the axis
constexpr uint64_t kMostTicks = 6;
constexpr size_t kNameWidth = 60;

constexpr uint64_t kFine = 100;  // hundredths of a pixel

// Told apart with any colour vision (Okabe and Ito), those that are faint on white last.
constexpr const char* kColours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                    "#e69f00", "#56b4e9", "#1f2328", "#f0e442"};
constexpr const char* kDashes[] = {"none", "7 3", "2 3", "9 3 2 3", "1 2", "12 4"};
constexpr size_t kColourCount = sizeof(kColours) / sizeof(*kColours);
constexpr size_t kDashCount = sizeof(kDashes) / sizeof(*kDashes);

std::string Px(uint64_t hundredths) {
  const uint64_t rest = hundredths % kFine;
  std::string text = absl::StrCat(hundredths / kFine);
  if (rest != 0) absl::StrAppend(&text, rest < 10 ? ".0" : ".", rest);
  return text;
}

// The logarithm to base 2 in 65,536ths, rounded down; of 0 that of 1.
uint64_t Log2(uint64_t value) {
  if (value == 0) return 0;
  const int whole = absl::bit_width(value) - 1;
  uint64_t mantissa = value << (63 - whole);  // 1 to 2, in 2^63rds
  uint64_t log = static_cast<uint64_t>(whole);
  for (int bit = 0; bit < 16; ++bit) {
    const absl::uint128 square = absl::uint128(mantissa) * mantissa >> 63;
    const bool carry = absl::Uint128High64(square) != 0;
    mantissa = absl::Uint128Low64(carry ? square >> 1 : square);
    log = log << 1 | (carry ? 1 : 0);
  }
  return log;
}

// Names in the order in which they were met first.
class Names {
 public:
  size_t Find(const std::string& name) {
    const auto [found, added] = positions_.emplace(name, names_.size());
    if (added) names_.push_back(name);
    return found->second;
  }
  const std::vector<std::string>& all() const { return names_; }

 private:
  std::map<std::string, size_t> positions_;
  std::vector<std::string> names_;
};

std::string PanelName(const SweepPoint& point) {
  std::string name = Shown(point.table, kNameWidth);
  if (point.layers != "all") absl::StrAppend(&name, ", layers ", point.layers);
  return absl::StrCat(name, " on ", Shown(point.hardware, kNameWidth));
}

std::string ColourName(const SweepPoint& point) {
  if (!point.trials.has_value()) return Shown(point.budgets, kNameWidth);
  return absl::StrCat(Shown(point.budgets, kNameWidth), " in ", Grouped(*point.trials), " trials");
}

std::string DashName(const SweepPoint& point) {
  std::string name = point.strategy;
  if (point.oracle != "sequential") absl::StrAppend(&name, ", ", point.oracle);
  if (point.work_limit.has_value()) absl::StrAppend(&name, ", work ", Grouped(*point.work_limit));
  return name;
}

// The points of one line, by size of LRAM.
struct Line {
  size_t colour = 0;
  size_t dash = 0;
  std::vector<const SweepPoint*> points;
};

struct Panel {
  std::string name;
  std::vector<Line> lines;
  uint64_t most = 0;  // of all makespans
};

struct Picture {
  std::vector<Panel> panels;
  Names colours;
  Names dashes;
  std::vector<uint64_t> sizes;  // ascending, each once
};

Picture Arranged(const std::vector<SweepPoint>& points) {
  Picture picture;
  Names panels;
  std::vector<std::map<std::pair<size_t, size_t>, size_t>> lines;
  for (const SweepPoint& point : points) {
    const size_t p = panels.Find(PanelName(point));
    if (p == picture.panels.size()) {
      picture.panels.push_back({panels.all().back(), {}, 0});
      lines.emplace_back();
    }
    Panel& panel = picture.panels[p];
    const size_t colour = picture.colours.Find(ColourName(point));
    const size_t dash = picture.dashes.Find(DashName(point));
    const auto [found, added] = lines[p].emplace(std::pair(colour, dash), panel.lines.size());
    if (added) panel.lines.push_back({colour, dash, {}});
    panel.lines[found->second].points.push_back(&point);
    panel.most = std::max(panel.most, point.makespan.value_or(0));
    picture.sizes.push_back(point.lram_bytes.value_or(0));
  }
  std::vector<uint64_t>& sizes = picture.sizes;
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  for (Panel& panel : picture.panels) {
    for (Line& line : panel.lines) {
      std::stable_sort(line.points.begin(), line.points.end(),
                       [](const SweepPoint* a, const SweepPoint* b) {
                         return a->lram_bytes.value_or(0) < b->lram_bytes.value_or(0);
                       });
    }
  }
  return picture;
}

class Drawing {
 public:
  explicit Drawing(const Picture& picture) : picture_(picture) {}

  void DrawPanel(const Panel& panel, uint64_t top) {
    bottom_ = top + kTitle + kHeight;
    step_ = DecimalStep(std::max<uint64_t>(panel.most, 1), kMostTicks);
    scale_ = (absl::uint128(std::max<uint64_t>(panel.most, 1)) + step_ - 1) / step_ * step_;
    absl::StrAppend(&out_, "<text class=\"h\" x=\"", kLeft, "\" y=\"", top + 22, "\">",
                    Escaped(panel.name), "</text>\n<rect class=\"g\" x=\"", kLeft, "\" y=\"",
                    top + kTitle, "\" width=\"", kPlot, "\" height=\"", kHeight, "\"/>\n");
    Cycles();
    Sizes();
    for (const Line& line : panel.lines) DrawLine(line);
  }

  // A row of what colours mean, then one of what dashes mean; returns where it ends.
  uint64_t Legend(uint64_t top) {
    top = LegendRows("budgets", picture_.colours.all(), top,
                     [](size_t i) { return absl::StrCat("stroke:", kColours[i % kColourCount]); });
    return LegendRows("strategy", picture_.dashes.all(), top, [](size_t i) {
      return absl::StrCat("stroke:#59636e;stroke-dasharray:", kDashes[i % kDashCount]);
    });
  }

  std::string Take() { return std::move(out_); }

 private:
  uint64_t X(uint64_t bytes) const {
    const uint64_t first = Log2(picture_.sizes.front());
    const uint64_t span = Log2(picture_.sizes.back()) - first;
    const uint64_t room = (kPlot - 2 * kInset) * kFine;
    const uint64_t along = span == 0 ? room / 2 : (Log2(bytes) - first) * room / span;
    return (kLeft + kInset) * kFine + along;
  }

  uint64_t Y(absl::uint128 cycles) const {
    return bottom_ * kFine - absl::Uint128Low64(cycles * (kHeight * kFine) / scale_);
  }

  void Cycles() {
    for (absl::uint128 at = 0; at <= scale_ && absl::Uint128High64(at) == 0; at += step_) {
      absl::StrAppend(&out_, "<path class=\"a\" d=\"M", kLeft, " ", Px(Y(at)), "h", kPlot,
                      "\"/><text class=\"e\" x=\"", kLeft - 8, "\" y=\"", Px(Y(at) + 4 * kFine),
                      "\">", Grouped(absl::Uint128Low64(at)), "</text>\n");
    }
    absl::StrAppend(&out_, "<text class=\"e\" x=\"", kLeft - 8, "\" y=\"", bottom_ + 18,
                    "\">cycles, LRAM</text>\n");
  }

  // A tick each size; a label where there is room after the one before.
  void Sizes() {
    uint64_t free = 0;
    for (const uint64_t bytes : picture_.sizes) {
      const uint64_t x = X(bytes);
      absl::StrAppend(&out_, "<path class=\"k\" d=\"M", Px(x), " ", bottom_, "v5\"/>");
      if (x >= free) {
        absl::StrAppend(&out_, "<text class=\"t\" x=\"", Px(x), "\" y=\"", bottom_ + 18, "\">",
                        SizeText(bytes), "</text>");
        free = x + kLabelRoom * kFine;
      }
      out_ += "\n";
    }
  }

  // Runs of points that were placed, then what stands at each point.
  void DrawLine(const Line& line) {
    std::string path;
    bool begun = false;
    for (const SweepPoint* point : line.points) {
      if (point->makespan.has_value()) {
        absl::StrAppend(&path, begun ? "L" : "M", Px(X(point->lram_bytes.value_or(0))), " ",
                        Px(Y(*point->makespan)));
      }
      begun = point->makespan.has_value();
    }
    const char* const colour = kColours[line.colour % kColourCount];
    if (!path.empty()) {
      absl::StrAppend(&out_, "<path class=\"l\" style=\"stroke:", colour,
                      ";stroke-dasharray:", kDashes[line.dash % kDashCount], "\" d=\"", path,
                      "\"/>\n");
    }
    for (const SweepPoint* point : line.points) Mark(*point, colour);
  }

  void Mark(const SweepPoint& point, const char* colour) {
    const uint64_t x = X(point.lram_bytes.value_or(0));
    const std::string label = absl::StrCat(ColourName(point), ", ", DashName(point), ", ",
                                           SizeText(point.lram_bytes.value_or(0)), ": ");
    if (point.makespan.has_value()) {
      absl::StrAppend(&out_, "<circle cx=\"", Px(x), "\" cy=\"", Px(Y(*point.makespan)),
                      "\" r=\"3\" fill=\"", colour, "\"><title>", Escaped(label),
                      Grouped(*point.makespan), " cycles</title></circle>\n");
      return;
    }
    absl::StrAppend(&out_, "<path class=\"x\" style=\"stroke:", colour, "\" d=\"M",
                    Px(x - 4 * kFine), " ", bottom_ - 4, "l8 8m0-8l-8 8\"><title>", Escaped(label),
                    Escaped(Shown(point.error, 100)), "</title></path>\n");
  }

  template <typename StyleOf>
  uint64_t LegendRows(absl::string_view what, const std::vector<std::string>& names, uint64_t top,
                      StyleOf style_of) {
    absl::StrAppend(&out_, "<text class=\"e\" x=\"", kLeft - 8, "\" y=\"", top + 14, "\">", what,
                    "</text>\n");
    uint64_t x = kLeft;
    for (size_t i = 0; i < names.size(); ++i) {
      const uint64_t width = 52 + 7 * Width(names[i]);
      if (x != kLeft && x + width > kWidth - kRight) {
        x = kLeft;
        top += kLegendRow;
      }
      absl::StrAppend(&out_, "<path class=\"l\" style=\"", style_of(i), "\" d=\"M", x, " ",
                      top + 10, "h26\"/><text x=\"", x + 32, "\" y=\"", top + 14, "\">",
                      Escaped(names[i]), "</text>\n");
      x += width;
    }
    return top + kLegendRow;
  }

  const Picture& picture_;
  uint64_t bottom_ = 0;  // of the panel that is drawn
  uint64_t step_ = 1;
  absl::uint128 scale_ = 1;
  std::string out_;
};

}  // namespace

std::string SweepSvg(const std::vector<SweepPoint>& points) {
  const Picture picture = Arranged(points);
  Drawing drawing(picture);
  uint64_t top = 4;
  for (const Panel& panel : picture.panels) {
    drawing.DrawPanel(panel, top);
    top += kTitle + kHeight + kAxis;
  }
  top = drawing.Legend(top) + 10;
  return absl::StrCat(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", kWidth, "\" height=\"", top,
      "\" viewBox=\"0 0 ", kWidth, " ", top,
      "\" role=\"img\">\n<title>Makespan against the size of LRAM</title>\n<style>\n"
      "text{font:11px system-ui,sans-serif;fill:#1f2328}.h{font-size:13px;font-weight:600}"
      ".e{text-anchor:end;fill:#59636e}.t{text-anchor:middle;fill:#59636e}.g{fill:#f6f8fa}"
      ".a{stroke:#d1d9e0;stroke-width:.6}.k{stroke:#8c959f}.l{fill:none;stroke-width:2}"
      ".x{fill:none;stroke-width:1.6}\n</style>\n<rect width=\"",
      kWidth, "\" height=\"", top, "\" fill=\"#ffffff\"/>\n", drawing.Take(), "</svg>\n");
}

}  // namespace report
}  // namespace torqsched
