// SRAM over the phases as SVG. A tensor that is high enough is a box, or where what is below it
// goes, a box with steps; the largest of them are drawn one by one. All others are summed up, on
// chip and spilled, in a shape each. Heights are cut off at twice the SRAM's size, so that the line
// is in the upper half however much was spilled.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "src/report/residency.h"
#include "src/report/sram_phases.h"
#include "src/report/text.h"

namespace torqsched {
namespace report {
namespace {

// Pixels.
constexpr uint64_t kWidth = 960;
constexpr uint64_t kLeft = 84;
constexpr uint64_t kPlot = 800;  // and as many columns
constexpr uint64_t kHead = 52;
constexpr uint64_t kTitle = 42;  // of a panel
constexpr uint64_t kHeight = 200;
constexpr uint64_t kAxis = 46;
constexpr uint64_t kLegend = 30;
constexpr uint64_t kNote = 22;
constexpr uint64_t kLetter = 7;      // wide
constexpr uint64_t kLabelHigh = 13;  // a box with a name is at least so high
constexpr uint64_t kLeastHigh = 3;   // and one without

// What bounds the size of a panel.
constexpr size_t kMostPanels = 12;
constexpr size_t kMostBoxes = 250;
constexpr size_t kMostBoxColumns = 8000;  // of all boxes

enum Kind { kBuffers, kTables, kCarried, kActivation, kSpilled, kKinds };
// Told apart with any colour vision (Okabe and Ito).
constexpr const char* kFill[kKinds] = {"#999999", "#e69f00", "#56b4e9", "#009e73", "url(#sp)"};
constexpr const char* kClass[kKinds] = {"b", "w", "c", "l", "s"};
constexpr const char* kMeaning[kKinds] = {
    "buffers of the program", "its tables", "carried states of all programs",
    "activations, while they are live", "spilled: would have been here"};

// The last so many code points: names that begin alike often end differently.
std::string Tail(absl::string_view name, size_t width) {
  if (width < 2) return "";
  while (Width(name) + 2 > width) {
    do {
      name.remove_prefix(1);
    } while (!name.empty() && (static_cast<unsigned char>(name[0]) & 0xc0) == 0x80);
  }
  return absl::StrCat("..", name);
}

// One panel.
class PanelDrawing {
 public:
  PanelDrawing(const ResidencyCase& residency, const SramPanel& panel,
               const std::vector<uint64_t>& phases, uint64_t top)
      : program_(residency.deployment->programs[panel.program]),
        tiers_(residency.plan->programs[panel.program].tiers),
        panel_(panel),
        phases_(phases),
        columns_(FindSramColumns(panel, phases, kPlot)),
        sram_(residency.deployment->target.sram_bytes),
        bottom_(top + kTitle + kHeight) {
    const absl::uint128 most = std::max(panel.tallest, absl::uint128(sram_));
    const absl::uint128 shown = std::min(most, absl::uint128(sram_) * 2);
    scale_ = shown + std::max<absl::uint128>(shown / 8, 1);
    base_.assign(columns_.count, 0);
    own_ = ChooseBoxes();
    Title(SramPanelTitle(residency, panel), top);
  }

  void Draw() {
    Ground();
    Layer(kBuffers, panel_.buffer_bytes, "buffers");
    Layer(kTables, panel_.table_bytes, "tables");
    Layer(kCarried, panel_.carried_bytes, "carried states");
    Bands(kActivation);
    Bands(kSpilled);
    Capacity();
    PhaseAxis();
  }

  uint32_t used() const { return used_; }  // bit k: kind k
  std::string Take() { return std::move(out_); }

 private:
  // From the top of one column's box to its bottom, as pixels.
  struct Slab {
    uint64_t top = 0;
    uint64_t bottom = 0;
    bool operator==(const Slab& other) const { return top == other.top && bottom == other.bottom; }
  };

  uint64_t X(size_t column) const { return kLeft + kPlot * column / columns_.count; }
  uint64_t Y(absl::uint128 bytes) const {
    return bottom_ - absl::Uint128Low64(std::min(bytes, scale_) * kHeight / scale_);
  }

  void Title(absl::string_view title, uint64_t top) {
    std::vector<std::string> notes;
    if (columns_.several()) notes.push_back("a pixel shows the fullest of several phases");
    const uint64_t others = static_cast<uint64_t>(std::count(own_.begin(), own_.end(), 0));
    if (others != 0) {
      notes.push_back(
          absl::StrCat(Counted(others, "small activation"),
                       others == 1 ? " has no box of its own" : " have no boxes of their own"));
    }
    if (!phases_.empty() && phases_.back() - phases_.front() >= phases_.size()) {
      notes.push_back("phases that access nothing are left out");
    }
    if (panel_.tallest > scale_) {
      notes.push_back(
          absl::StrCat("cut off at the top: the highest is ", SizeText(panel_.tallest)));
    }
    absl::StrAppend(&out_, "<text class=\"h\" x=\"", kLeft, "\" y=\"", top + 18, "\">",
                    Escaped(title), "</text>\n");
    std::string line;
    for (const std::string& note : notes) absl::StrAppend(&line, line.empty() ? "" : "; ", note);
    if (line.empty()) return;
    absl::StrAppend(&out_, "<text class=\"n\" x=\"", kLeft, "\" y=\"", top + 34, "\">", line,
                    "</text>\n");
  }

  // What lies below the line is grey; a scale in powers of two.
  void Ground() {
    absl::StrAppend(&out_, "<rect class=\"g\" x=\"", kLeft, "\" y=\"", Y(sram_), "\" width=\"",
                    kPlot, "\" height=\"", bottom_ - Y(sram_), "\"/>\n");
    absl::uint128 step = 1;
    while (scale_ / step > 6) step *= 2;
    for (absl::uint128 at = 0; at < scale_; at += step) {
      absl::StrAppend(&out_, "<path class=\"a\" d=\"M", kLeft, " ", Y(at), "h-5\"/>",
                      "<text class=\"e\" x=\"", kLeft - 8, "\" y=\"", Y(at) + 4, "\">",
                      at == 0 ? "0" : SizeText(at), "</text>\n");
    }
  }

  // Something that stays throughout.
  void Layer(Kind kind, uint64_t bytes, absl::string_view name) {
    if (bytes == 0) return;
    const SramColumns::Range all = {0, columns_.count};
    Shape(kind, Stack(all, bytes), all, name, absl::StrCat(name, ": ", Counted(bytes, "byte")),
          bytes);
  }

  // Which bands are boxes of their own.
  std::vector<char> ChooseBoxes() const {
    std::vector<std::pair<absl::uint128, size_t>> largest;  // bytes times columns, turned around
    for (size_t b = 0; b < panel_.bands.size(); ++b) {
      const SramColumns::Range& range = columns_.bands[b];
      if (range.begin == range.end || X(range.end) - X(range.begin) < 2) continue;
      const absl::uint128 high = absl::uint128(panel_.bands[b].bytes) * kHeight;
      if (high < scale_ * kLeastHigh) continue;
      largest.emplace_back(~(absl::uint128(panel_.bands[b].bytes) * (range.end - range.begin)), b);
    }
    std::sort(largest.begin(), largest.end());
    std::vector<char> own(panel_.bands.size(), 0);
    size_t columns = 0;
    for (size_t i = 0; i < std::min(largest.size(), kMostBoxes); ++i) {
      const SramColumns::Range& range = columns_.bands[largest[i].second];
      columns += range.end - range.begin;
      if (columns > kMostBoxColumns) break;
      own[largest[i].second] = 1;
    }
    return own;
  }

  void Bands(Kind kind) {
    std::vector<absl::uint128> rest(columns_.count + 1, 0);  // differences, which wrap to and fro
    uint64_t others = 0;
    for (size_t b = 0; b < panel_.bands.size(); ++b) {
      const SramBand& band = panel_.bands[b];
      const SramColumns::Range& range = columns_.bands[b];
      if (band.spilled != (kind == kSpilled)) continue;
      if (!own_[b]) {
        rest[range.begin] += band.bytes;
        rest[range.end] -= band.bytes;
        ++others;
        continue;
      }
      const absl::string_view name = program_.tensors[band.tensor].name;
      Shape(kind, Stack(range, band.bytes), range, name, BandTitle(band), band.bytes);
    }
    if (others == 0) return;
    for (size_t c = 1; c < columns_.count; ++c) rest[c] += rest[c - 1];
    Others(kind, others, rest);
  }

  std::string BandTitle(const SramBand& band) const {
    static constexpr const char* kTier[] = {"", ", spilled to HBM", ", spilled to DRAM"};
    return absl::StrCat(Shown(program_.tensors[band.tensor].name, 80), ": ",
                        Counted(band.bytes, "byte"), ", phases ", Grouped(band.first_phase), " to ",
                        Grouped(band.last_phase), kTier[static_cast<int>(tiers_[band.tensor])]);
  }

  // The small ones, a shape for each stretch of columns that has some.
  void Others(Kind kind, uint64_t count, const std::vector<absl::uint128>& bytes) {
    for (size_t c = 0; c < columns_.count;) {
      size_t end = c;
      absl::uint128 most = 0;
      std::vector<Slab> slabs;
      for (; end < columns_.count && bytes[end] != 0; ++end) {
        slabs.push_back(Raise(end, bytes[end]));
        most = std::max(most, bytes[end]);
      }
      if (end == c) {
        ++c;
        continue;
      }
      const std::string name = Counted(count, "other");
      Shape(kind, slabs, {c, end}, name,
            absl::StrCat(name, ", too small or too many to be drawn one by one: here at most ",
                         SizeText(most)),
            0);
      c = end;
    }
  }

  // Puts so many bytes on a column.
  Slab Raise(size_t column, absl::uint128 bytes) {
    Slab slab;
    slab.bottom = Y(base_[column]);
    base_[column] += bytes;
    slab.top = Y(base_[column]);
    return slab;
  }
  std::vector<Slab> Stack(const SramColumns::Range& range, uint64_t bytes) {
    std::vector<Slab> slabs;
    for (size_t c = range.begin; c < range.end; ++c) slabs.push_back(Raise(c, bytes));
    return slabs;
  }

  // Slabs side by side as one shape, with a name where it is widest. bytes: 0: not told.
  void Shape(Kind kind, const std::vector<Slab>& slabs, const SramColumns::Range& range,
             absl::string_view name, absl::string_view title, uint64_t bytes) {
    if (std::all_of(slabs.begin(), slabs.end(),
                    [](const Slab& slab) { return slab.top == slab.bottom; })) {
      return;
    }
    used_ |= 1u << kind;
    std::string upper, lower;  // the lower edge is drawn backward
    size_t widest = 0, widest_end = 0;
    for (size_t c = 0; c < slabs.size();) {
      size_t end = c + 1;
      while (end < slabs.size() && slabs[end] == slabs[c]) ++end;
      absl::StrAppend(&upper, "V", slabs[c].top, "H", X(range.begin + end));
      lower = absl::StrCat("V", slabs[c].bottom, "H", X(range.begin + c), lower);
      if (end - c > widest_end - widest && slabs[c].bottom - slabs[c].top >= kLabelHigh) {
        widest = c;
        widest_end = end;
      }
      c = end;
    }
    const uint64_t x = X(range.begin);
    const absl::string_view fine = columns_.count > kPlot / 4 ? " f" : " o";  // its outline
    const bool box = slabs.size() == widest_end - widest;  // no steps; a low one is a path
    absl::StrAppend(&out_, box ? "<rect" : "<path", " class=\"", kClass[kind], fine, "\" ");
    if (box) {
      absl::StrAppend(&out_, "x=\"", x, "\" y=\"", slabs[0].top, "\" width=\"", X(range.end) - x,
                      "\" height=\"", slabs[0].bottom - slabs[0].top, "\"");
    } else {
      absl::StrAppend(&out_, "d=\"M", x, " ", slabs[0].bottom, upper, lower, "z\"");
    }
    absl::StrAppend(&out_, "><title>", Escaped(title), "</title>", box ? "</rect>" : "</path>",
                    "\n");
    if (widest_end == widest) return;
    Label(kind, name, bytes, X(range.begin + widest), X(range.begin + widest_end), slabs[widest]);
  }

  void Label(Kind kind, absl::string_view name, uint64_t bytes, uint64_t begin, uint64_t end,
             const Slab& slab) {
    const size_t letters = (end - begin) / kLetter;
    // As tensors of a network are called; the picture has no others.
    const std::string whole = Shown(absl::StripSuffix(name, " output"), 80);
    std::string label = Width(whole) <= letters ? whole : Tail(whole, letters);
    if (Width(label) < std::min<size_t>(Width(whole), 8)) return;
    const std::string size = bytes == 0 ? "" : absl::StrCat("  ", SizeText(bytes));
    if (label == whole && Width(whole) + Width(size) <= letters) label += size;
    absl::StrAppend(&out_, "<text class=\"m", kind == kSpilled ? " p" : "", "\" x=\"",
                    begin + (end - begin) / 2, "\" y=\"",
                    slab.top + (slab.bottom - slab.top) / 2 + 4, "\">", Escaped(label),
                    "</text>\n");
  }

  void Capacity() {
    const uint64_t y = Y(sram_);
    absl::StrAppend(&out_, "<path class=\"k\" d=\"M", kLeft, " ", y, "h", kPlot + 4,
                    "\"/><text class=\"k\" x=\"", kLeft + kPlot + 8, "\" y=\"", y + 4, "\">SRAM",
                    "</text><text x=\"", kLeft + kPlot + 8, "\" y=\"", y + 17, "\">",
                    SizeText(sram_), "</text>\n");
  }

  void PhaseAxis() {
    absl::StrAppend(&out_, "<path class=\"a\" d=\"M", kLeft, " ", bottom_, "h", kPlot, "\"/>\n");
    if (phases_.empty()) return;
    const uint64_t letters = Grouped(phases_.back()).size();
    const uint64_t most = std::min<uint64_t>(16, kPlot / (kLetter * (letters + 2)));
    for (const size_t i : PhaseTicks(phases_, most)) {
      const size_t column = columns_.ColumnOf(i);
      const uint64_t x = (X(column) + X(column + 1)) / 2;
      absl::StrAppend(&out_, "<path class=\"a\" d=\"M", x, " ", bottom_, "v5\"/><text class=\"t\" ",
                      "x=\"", x, "\" y=\"", bottom_ + 18, "\">", Grouped(phases_[i]), "</text>\n");
    }
    absl::StrAppend(&out_, "<text class=\"e\" x=\"", kLeft - 8, "\" y=\"", bottom_ + 18,
                    "\">phase</text>\n");
  }

  const DeployedProgram& program_;
  const std::vector<Tier>& tiers_;
  const SramPanel& panel_;
  const std::vector<uint64_t>& phases_;
  const SramColumns columns_;
  const uint64_t sram_;
  const uint64_t bottom_;
  absl::uint128 scale_ = 1;          // bytes of the whole height
  std::vector<absl::uint128> base_;  // by column: what is drawn so far
  std::vector<char> own_;            // by band: it is a box of its own
  uint32_t used_ = 0;
  std::string out_;
};

std::string Legend(uint32_t used, uint64_t top) {
  std::string out;
  uint64_t x = kLeft;
  for (int k = 0; k < kKinds; ++k) {
    if (!(used >> k & 1)) continue;
    const absl::string_view meaning = kMeaning[k];
    absl::StrAppend(&out, "<rect class=\"", kClass[k], " o\" x=\"", x, "\" y=\"", top + 6,
                    "\" width=\"14\" height=\"14\"/><text x=\"", x + 20, "\" y=\"", top + 17, "\">",
                    meaning, "</text>\n");
    x += 34 + 6 * meaning.size();
  }
  return out;
}

std::string Document(uint64_t height, absl::string_view body) {
  std::string out = absl::StrCat(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", kWidth, "\" height=\"", height,
      "\" viewBox=\"0 0 ", kWidth, " ", height,
      "\" role=\"img\">\n<title>SRAM over the phases</title>\n<defs><pattern id=\"sp\" width=\"6\" "
      "height=\"6\" patternUnits=\"userSpaceOnUse\"><rect width=\"6\" height=\"6\" "
      "fill=\"#fbe6da\"/><path d=\"M-1 1l2-2M0 6l6-6M5 7l2-2\" stroke=\"#d55e00\"/></pattern>"
      "</defs>\n<style>\n"
      "text{font:11px system-ui,sans-serif;fill:#1f2328}.h{font-size:13px;font-weight:600}"
      ".d{font-size:16px;font-weight:600}.n,.t{fill:#59636e}.e{text-anchor:end}"
      ".t,.m{text-anchor:middle}.g{fill:#f3f4f6}.a{fill:none;stroke:#8c959f}"
      "path.k{stroke:#1f2328;stroke-width:2}text.k{font-weight:600}"
      ".p{paint-order:stroke;stroke:#ffffff;stroke-width:4px}"
      ".o{stroke:#ffffff;stroke-width:.6}.f{stroke:#ffffff;stroke-width:.4}");
  for (int k = 0; k < kKinds; ++k) absl::StrAppend(&out, ".", kClass[k], "{fill:", kFill[k], "}");
  absl::StrAppend(&out, ".s.o{stroke:#d55e00;stroke-width:.8}\n</style>\n<rect width=\"", kWidth,
                  "\" height=\"", height, "\" fill=\"#ffffff\"/>\n", body, "</svg>\n");
  return out;
}

std::string TextAt(absl::string_view type, uint64_t y, absl::string_view text) {
  return absl::StrCat("<text class=\"", type, "\" x=\"", kLeft, "\" y=\"", y, "\">", text,
                      "</text>\n");
}

}  // namespace

std::string SramPhasesSvg(const ResidencyCase& residency) {
  const SramPanels panels = FindSramPanels(residency, kMostPanels);
  std::string body = TextAt("d", 24, "SRAM over the phases");
  if (panels.panels.empty()) {
    return Document(kHead + kNote, absl::StrCat(body, TextAt("n", 42, NoSramPanels(residency))));
  }
  body += TextAt("n", 42,
                 "Bytes in the memory of a chip while a program runs. What is hatched "
                 "does not fit with the rest, and was spilled to a slower memory.");
  uint64_t top = kHead;
  uint32_t used = 0;
  for (const SramPanel& panel : panels.panels) {
    PanelDrawing drawing(residency, panel, panels.phases[panel.program], top);
    drawing.Draw();
    used |= drawing.used();
    body += drawing.Take();
    top += kTitle + kHeight + kAxis;
  }
  const std::string left_out = LeftOutText(panels);
  if (!left_out.empty()) {
    body += TextAt("n", top + 14, left_out);
    top += kNote;
  }
  body += Legend(used, top);
  return Document(top + kLegend, body);
}

}  // namespace report
}  // namespace torqsched
