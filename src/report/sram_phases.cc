// Which panels there are, and the picture in text.
#include "src/report/sram_phases.h"

#include <algorithm>
#include <array>
#include <limits>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "src/report/text.h"

namespace torqsched {
namespace report {
namespace {

constexpr size_t kMostTextPanels = 4;
constexpr uint64_t kRows = 16;  // of a picture in text
constexpr size_t kMargin = 12;  // columns, left of the axis
constexpr size_t kLeastWidth = 20;
constexpr size_t kMostWidth = 1000;
constexpr uint64_t kMost64 = std::numeric_limits<uint64_t>::max();

uint64_t Saturated(absl::uint128 value) {
  return value > kMost64 ? kMost64 : absl::Uint128Low64(value);
}

std::vector<uint64_t> PhasesOf(const DeployedProgram& program) {
  std::vector<uint64_t> phases;
  for (const TensorAccess& access : program.accesses) phases.push_back(access.phase);
  std::sort(phases.begin(), phases.end());
  phases.erase(std::unique(phases.begin(), phases.end()), phases.end());
  return phases;
}

// An activation, as a position among the planned ones, on a chip that accesses it.
using OnChip = std::pair<uint32_t, uint32_t>;  // chip, activation

std::vector<OnChip> ChipsOfActivations(const DeployedProgram& program,
                                       const PlannedProgram& planned) {
  constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();
  std::vector<uint32_t> activation_of(program.tensors.size(), kNone);
  for (uint32_t a = 0; a < planned.activations.size(); ++a) {
    activation_of[planned.activations[a].tensor] = a;
  }
  std::vector<OnChip> pairs;
  for (const TensorAccess& access : program.accesses) {
    const uint32_t a = activation_of[access.tensor];
    if (a != kNone) pairs.emplace_back(access.chip, a);
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

// The most bytes live in a phase.
absl::uint128 PeakOf(const std::vector<SramBand>& bands, bool with_spilled) {
  std::vector<std::pair<uint64_t, uint64_t>> begins, ends;  // phase, bytes
  for (const SramBand& band : bands) {
    if (band.spilled && !with_spilled) continue;
    begins.emplace_back(band.first_phase, band.bytes);
    ends.emplace_back(band.last_phase, band.bytes);
  }
  std::sort(begins.begin(), begins.end());
  std::sort(ends.begin(), ends.end());
  absl::uint128 live = 0, peak = 0;
  size_t ended = 0;
  for (const auto& [phase, bytes] : begins) {
    for (; ends[ended].first < phase; ++ended) live -= ends[ended].second;
    live += bytes;
    peak = std::max(peak, live);
  }
  return peak;
}

// Who begins first is at the bottom: a band then never moves up, and what encloses others stays.
void SortAsStacked(std::vector<SramBand>* bands) {
  std::sort(bands->begin(), bands->end(), [](const SramBand& a, const SramBand& b) {
    return std::make_tuple(a.spilled, a.first_phase, ~a.last_phase, ~a.bytes, a.tensor) <
           std::make_tuple(b.spilled, b.first_phase, ~b.last_phase, ~b.bytes, b.tensor);
  });
}

uint64_t CarriedOn(const ResidencyPlan& plan, uint32_t chip) {
  const auto found = std::lower_bound(
      plan.chips.begin(), plan.chips.end(), chip,
      [](const PlannedChip& planned, uint32_t wanted) { return planned.chip < wanted; });
  return found == plan.chips.end() || found->chip != chip ? 0 : found->carried_bytes;
}

void AddPanels(const ResidencyCase& residency, uint32_t p, std::vector<SramPanel>* panels) {
  const DeployedProgram& program = residency.deployment->programs[p];
  const PlannedProgram& planned = residency.plan->programs[p];
  const std::vector<OnChip> pairs = ChipsOfActivations(program, planned);
  size_t next = 0;
  for (const ChipFootprint& footprint : planned.chips) {
    SramPanel panel;
    panel.program = p;
    panel.chip = footprint.chip;
    panel.buffer_bytes = footprint.buffer_bytes;
    panel.table_bytes = footprint.table_bytes;
    panel.carried_bytes = CarriedOn(*residency.plan, footprint.chip);
    while (next < pairs.size() && pairs[next].first < footprint.chip) ++next;
    for (; next < pairs.size() && pairs[next].first == footprint.chip; ++next) {
      const PlannedActivation& a = planned.activations[pairs[next].second];
      const uint64_t bytes = program.tensors[a.tensor].bytes;
      if (!a.accessed || bytes == 0) continue;
      const bool spilled = planned.tiers[a.tensor] != Tier::kSram;
      panel.spilled += spilled;
      panel.bands.push_back({a.tensor, spilled, bytes, a.first_phase, a.last_phase});
    }
    SortAsStacked(&panel.bands);
    panel.fullest = panel.Layers() + PeakOf(panel.bands, false);
    panel.tallest = panel.Layers() + PeakOf(panel.bands, true);
    if (panel.tallest != 0) panels->push_back(std::move(panel));
  }
}

// One panel in text. Rows are of one height; the line of the SRAM's size is between two of them, so
// that what is drawn above it is beyond it.
class TextPicture {
 public:
  TextPicture(const ResidencyCase& residency, const SramPanel& panel,
              const std::vector<uint64_t>& phases, size_t width)
      : panel_(panel), phases_(phases), sram_(residency.deployment->target.sram_bytes) {
    columns_ = FindSramColumns(panel, phases, width);
    cell_ = width / columns_.count;
    if (panel.tallest > sram_) {  // at least half of the rows are for what fits
      const absl::uint128 shown = std::min(panel.tallest, absl::uint128(sram_) * 2);
      fitting_ = absl::Uint128Low64(absl::uint128(sram_) * kRows / shown);
    }
    StackUp();
  }

  std::string Draw() const {
    std::string out;
    if (fitting_ < kRows && RowTop(kRows - 1) < panel_.tallest) {
      AppendLine("", absl::StrCat("cut off; the highest is ", SizeText(panel_.tallest)), ' ', &out);
    }
    for (uint64_t row = kRows; row-- > 0;) {
      if (row + 1 == fitting_) AppendLine(SizeText(sram_), Row(fitting_, '-', '-'), '|', &out);
      AppendLine("", Row(row, ' ', 0), '|', &out);
    }
    const size_t cells = cell_ * columns_.count;
    AppendLine("0", std::string(cells, '-'), '+', &out);
    if (!phases_.empty()) AppendLine("phase", PhaseLabels(cells), ' ', &out);
    if (columns_.several()) {
      AppendLine("", "several phases a column: it shows the fullest", ' ', &out);
    }
    return out;
  }

 private:
  // What a column holds, from below: each the end of its kind.
  struct Stack {
    std::array<absl::uint128, 4> ends;
  };
  static constexpr char kKinds[] = {'#', '=', '*', '.'};

  void StackUp() {
    std::vector<absl::uint128> live[2];  // on chip, spilled; differences, which wrap to and fro
    for (auto& of_kind : live) of_kind.assign(columns_.count + 1, 0);
    for (size_t b = 0; b < panel_.bands.size(); ++b) {
      auto& of_kind = live[panel_.bands[b].spilled ? 1 : 0];
      of_kind[columns_.bands[b].begin] += panel_.bands[b].bytes;
      of_kind[columns_.bands[b].end] -= panel_.bands[b].bytes;
    }
    const absl::uint128 fixed = absl::uint128(panel_.buffer_bytes) + panel_.table_bytes;
    absl::uint128 on_chip = 0, spilled = 0;
    for (size_t c = 0; c < columns_.count; ++c) {
      on_chip += live[0][c];
      spilled += live[1][c];
      const absl::uint128 layers = panel_.Layers();
      stacks_.push_back({{fixed, layers, layers + on_chip, layers + on_chip + spilled}});
    }
  }

  // Rows below the line share the SRAM's bytes in equal parts, and those above it are as high.
  absl::uint128 RowTop(uint64_t row) const { return absl::uint128(sram_) * (row + 1) / fitting_; }

  // A cell shows what is at its middle.
  char Cell(const Stack& stack, uint64_t row, char empty) const {
    for (size_t kind = 0; kind < stack.ends.size(); ++kind) {
      const absl::uint128 end = std::min(stack.ends[kind], absl::uint128(sram_) * 4);
      if (end * 2 * fitting_ > absl::uint128(sram_) * (2 * row + 1)) return kKinds[kind];
    }
    return empty;
  }

  std::string Row(uint64_t row, char empty, char line) const {
    std::string cells;
    for (const Stack& stack : stacks_) {
      cells.append(cell_, line != 0 ? line : Cell(stack, row, empty));
    }
    return cells;
  }

  // Each below the first cell of its phase.
  std::string PhaseLabels(size_t cells) const {
    const uint64_t room = Grouped(phases_.back()).size() + 2;
    std::string line;
    for (const size_t i : PhaseTicks(phases_, cells / room)) {
      const size_t at = columns_.ColumnOf(i) * cell_;
      if (!line.empty() && line.size() + 1 > at) continue;  // too many for so few cells
      line.resize(at, ' ');
      line += Grouped(phases_[i]);
    }
    return line;
  }

  static void AppendLine(absl::string_view label, absl::string_view cells, char axis,
                         std::string* out) {
    std::string line(kMargin - std::min(kMargin, label.size()), ' ');
    absl::StrAppend(&line, label, " ", std::string(1, axis), cells);
    line.erase(line.find_last_not_of(' ') + 1);
    absl::StrAppend(out, line, "\n");
  }

  const SramPanel& panel_;
  const std::vector<uint64_t>& phases_;
  const uint64_t sram_;
  SramColumns columns_;
  size_t cell_ = 1;           // characters a column
  uint64_t fitting_ = kRows;  // rows below the line
  std::vector<Stack> stacks_;
};

constexpr char TextPicture::kKinds[];

}  // namespace

SramPanels FindSramPanels(const ResidencyCase& residency, size_t most) {
  SramPanels found;
  if (!residency.deployment->target.holds_tensors()) return found;
  for (uint32_t p = 0; p < residency.deployment->programs.size(); ++p) {
    found.phases.push_back(PhasesOf(residency.deployment->programs[p]));
    AddPanels(residency, p, &found.panels);
  }
  std::stable_sort(found.panels.begin(), found.panels.end(),
                   [](const SramPanel& a, const SramPanel& b) { return a.tallest > b.tallest; });
  if (found.panels.size() > most) {
    found.left_out = found.panels.size() - most;
    found.panels.resize(most);
  }
  return found;
}

size_t SramColumns::ColumnOf(size_t phase) const {
  // The last column that does not begin after it: column c begins at phase c * phases / count.
  const absl::uint128 product = absl::uint128(phase + 1) * count - 1;
  return phases == 0 ? 0 : static_cast<size_t>(absl::Uint128Low64(product / phases));
}

SramColumns FindSramColumns(const SramPanel& panel, const std::vector<uint64_t>& phases,
                            size_t most) {
  SramColumns columns;
  columns.phases = phases.size();
  columns.count = std::clamp<size_t>(phases.size(), 1, most);
  columns.bands.resize(panel.bands.size());
  std::vector<absl::uint128> live(phases.size() + 1, 0);  // wraps to and fro; sums are exact
  std::vector<SramColumns::Range> lives;                  // by band: positions of phases
  for (const SramBand& band : panel.bands) {
    const auto begin = std::lower_bound(phases.begin(), phases.end(), band.first_phase);
    const auto end = std::upper_bound(begin, phases.end(), band.last_phase);
    lives.push_back(
        {static_cast<size_t>(begin - phases.begin()), static_cast<size_t>(end - phases.begin())});
    live[lives.back().begin] += band.bytes;
    live[lives.back().end] -= band.bytes;
  }
  for (size_t i = 1; i < live.size(); ++i) live[i] += live[i - 1];
  std::vector<size_t> shown(columns.count, 0);  // by column: the phase in which most is live
  for (size_t i = 0; i < phases.size(); ++i) {
    const size_t c = columns.ColumnOf(i);
    const bool first = i == 0 || columns.ColumnOf(i - 1) != c;
    if (first || live[i] > live[shown[c]]) shown[c] = i;
  }
  for (size_t b = 0; b < lives.size(); ++b) {
    const auto at = [&shown](size_t phase) {
      return static_cast<size_t>(std::lower_bound(shown.begin(), shown.end(), phase) -
                                 shown.begin());
    };
    columns.bands[b] = {at(lives[b].begin), at(lives[b].end)};
  }
  return columns;
}

std::vector<size_t> PhaseTicks(const std::vector<uint64_t>& phases, uint64_t most) {
  std::vector<size_t> ticks;
  if (phases.empty()) return ticks;
  const uint64_t step = DecimalStep(phases.size() - 1, std::max<uint64_t>(most, 1));
  const bool dense = phases.back() - phases.front() == phases.size() - 1;
  const uint64_t past = dense ? phases.front() % step : 0;
  for (uint64_t i = past == 0 ? 0 : step - past; i < phases.size(); i += step) ticks.push_back(i);
  return ticks;
}

std::string SizeText(absl::uint128 bytes) {
  static constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes > kMost64) return "over 16 EiB";
  const uint64_t value = absl::Uint128Low64(bytes);
  size_t unit = 0;
  while (unit < 6 && value >> (10 * (unit + 1)) != 0) ++unit;
  std::string number = Ratio(value, uint64_t{1} << (10 * unit), 2);
  number.erase(number.find_last_not_of('0') + 1);  // there is a point
  if (number.back() == '.') number.pop_back();
  return absl::StrCat(number, " ", kUnits[unit]);
}

std::string SramPanelTitle(const ResidencyCase& residency, const SramPanel& panel) {
  const uint64_t sram = residency.deployment->target.sram_bytes;
  std::string title =
      absl::StrCat("program '", Shown(residency.deployment->programs[panel.program].name, 40),
                   "' on chip ", panel.chip, ": at most ", SizeText(panel.fullest), " of ",
                   SizeText(sram), " held (", Percent(Saturated(panel.fullest), sram), ")");
  if (panel.spilled != 0) {
    absl::StrAppend(&title, "; ", Counted(panel.spilled, "activation"), " spilled");
  }
  return title;
}

absl::string_view NoSramPanels(const ResidencyCase& residency) {
  const ResidencyTarget& target = residency.deployment->target;
  if (!target.crossbar) return "No crossbar: nothing is held in SRAM.";
  if (target.sram_bytes == 0) return "No SRAM: nothing is held on chip.";
  return "Nothing is held in SRAM: no program has a byte there.";
}

std::string LeftOutText(const SramPanels& panels) {
  if (panels.left_out == 0) return "";
  return absl::StrCat(Counted(panels.left_out, "picture"), " of programs on chips that need less ",
                      panels.left_out == 1 ? "is" : "are", " left out");
}

std::string SramPhasesText(const ResidencyCase& residency, size_t width) {
  const SramPanels panels = FindSramPanels(residency, kMostTextPanels);
  if (panels.panels.empty()) return absl::StrCat(NoSramPanels(residency), "\n");
  std::string out;
  for (const SramPanel& panel : panels.panels) {
    const std::vector<uint64_t>& phases = panels.phases[panel.program];
    const TextPicture picture(residency, panel, phases, std::clamp(width, kLeastWidth, kMostWidth));
    absl::StrAppend(&out, SramPanelTitle(residency, panel), "\n", picture.Draw(), "\n");
  }
  const std::string left_out = LeftOutText(panels);
  if (!left_out.empty()) absl::StrAppend(&out, left_out, "\n\n");
  absl::StrAppend(&out,
                  "# buffers and tables   = carried states   * activations   . spilled: would be "
                  "here\n--- the SRAM's size\n");
  return out;
}

}  // namespace report
}  // namespace torqsched
