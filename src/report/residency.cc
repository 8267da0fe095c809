// The summary and the table.
#include "src/report/residency.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "src/report/text.h"
#include "src/stream/checked.h"

namespace torqsched {
namespace report {
namespace {

constexpr size_t kMostChips = 16;  // rows in a summary
constexpr size_t kProgramName = 16;
constexpr size_t kTensorName = 24;
constexpr size_t kLeastWhy = 32;  // columns

absl::string_view TierName(Tier tier) {
  switch (tier) {
    case Tier::kSram:
      return "SRAM";
    case Tier::kHbm:
      return "HBM";
    case Tier::kDram:
      return "DRAM";
  }
  return "";
}

// Why no tensor at all is on chip.
absl::string_view NothingOnChip(const ResidencyTarget& target) {
  return target.crossbar ? "no SRAM: nothing is held on chip"
                         : "no crossbar: nothing is held on chip";
}

// A tensor, and what the plan says of it.
struct TensorRow {
  uint32_t program = 0;
  uint32_t tensor = 0;
  uint64_t instances = 1;
  uint64_t bytes = 0;  // of one instance
  uint64_t moved = 0;  // of one instance, a step
  Tier tier = Tier::kSram;
  const ResidencyClass* of_class = nullptr;         // null: on chip, and no carried state
  const OffChipExplanation* explanation = nullptr;  // null: on chip, or nothing is known
  const PlannedActivation* activation = nullptr;    // null: it is none

  uint64_t OnChip() const { return of_class == nullptr ? instances : of_class->instances_on_chip; }
  uint64_t AllMoved() const { return SaturatingMultiply(moved, instances); }
};

// All tensors in the order of the deployment. Classes, explanations and activations come in the
// same order, so that one goes through them all at once.
std::vector<TensorRow> RowsOf(const ResidencyCase& residency) {
  const Deployment& deployment = *residency.deployment;
  const ResidencyPlan& plan = *residency.plan;
  const std::vector<std::vector<uint64_t>>& moved = *residency.moved_bytes;
  static const std::vector<OffChipExplanation> kNone;
  const auto& off_chip = residency.off_chip == nullptr ? kNone : *residency.off_chip;
  std::vector<TensorRow> rows;
  size_t c = 0, e = 0;
  for (uint32_t p = 0; p < deployment.programs.size(); ++p) {
    const DeployedProgram& program = deployment.programs[p];
    const std::vector<PlannedActivation>& activations = plan.programs[p].activations;
    size_t a = 0;
    for (uint32_t t = 0; t < program.tensors.size(); ++t) {
      TensorRow row;
      row.program = p;
      row.tensor = t;
      row.instances = program.instances;
      row.bytes = program.tensors[t].bytes;
      row.moved = moved[p][t];
      row.tier = plan.programs[p].tiers[t];
      if (a < activations.size() && activations[a].tensor == t) row.activation = &activations[a++];
      if (c < plan.classes.size() && plan.classes[c].program == p && plan.classes[c].tensor == t) {
        if (e < off_chip.size() && off_chip[e].which == c) row.explanation = &off_chip[e++];
        row.of_class = &plan.classes[c++];
      }
      rows.push_back(row);
    }
  }
  return rows;
}

// What one tier has of all tensors.
struct TierTotal {
  uint64_t tensors = 0;
  uint64_t bytes = 0;  // not of SRAM: what is in it is not all there at one time
  uint64_t moved = 0;
};

struct Totals {
  std::array<TierTotal, 3> tiers;  // by Tier
  uint64_t split = 0;              // tensors that are counted in two
  uint64_t moved = 0;
};

Totals TotalsOf(const std::vector<TensorRow>& rows) {
  Totals totals;
  for (const TensorRow& row : rows) {
    const auto add = [&](Tier tier, uint64_t instances) {
      if (instances == 0) return;
      TierTotal& total = totals.tiers[static_cast<size_t>(tier)];
      const uint64_t moved = SaturatingMultiply(row.moved, instances);
      ++total.tensors;
      if (tier != Tier::kSram) {
        total.bytes = SaturatingAdd(total.bytes, SaturatingMultiply(row.bytes, instances));
      }
      total.moved = SaturatingAdd(total.moved, moved);
      totals.moved = SaturatingAdd(totals.moved, moved);
    };
    const uint64_t on_chip = row.OnChip();
    totals.split += on_chip > 0 && on_chip < row.instances;
    add(Tier::kSram, on_chip);
    add(row.tier, row.instances - on_chip);
  }
  return totals;
}

void AppendTiers(const Deployment& deployment, const Totals& totals, std::string* out) {
  static constexpr const char* kWhere[] = {"on chip", "in HBM", "in DRAM"};
  for (const Tier tier : {Tier::kSram, Tier::kHbm, Tier::kDram}) {
    const TierTotal& total = totals.tiers[static_cast<size_t>(tier)];
    if (tier == Tier::kHbm && total.tensors == 0 && deployment.target.hbm_bytes == 0) continue;
    AppendFact(
        kWhere[static_cast<size_t>(tier)],
        total.tensors == 0
            ? "no tensor"
            : absl::StrCat(
                  Counted(total.tensors, "tensor"),
                  tier == Tier::kSram ? "" : absl::StrCat(", ", Counted(total.bytes, "byte")), "; ",
                  Grouped(total.moved), " moved a step (", Percent(total.moved, totals.moved), ")"),
        out);
  }
  if (totals.split != 0) {
    AppendFact("",
               absl::StrCat(Counted(totals.split, "tensor"),
                            " on chip in some instances only, counted twice"),
               out);
  }
}

// "lower bound 100 (gap 3.0 %)"; the value is not below the bound.
std::string Gap(uint64_t value, uint64_t bound) {
  return absl::StrCat("lower bound ", Grouped(bound), " (gap ", Percent(value - bound, bound), ")");
}

void AppendOptimal(const ResidencyCase& residency, std::string* out) {
  const OptimalResidency& optimal = *residency.optimal;
  AppendFact("off chip",
             absl::StrCat(Grouped(optimal.moved_off_chip), " bytes moved a step; DENSITY ",
                          Grouped(optimal.density_moved_off_chip), " (",
                          Change(optimal.density_moved_off_chip, optimal.moved_off_chip), ")"),
             out);
  AppendFact(
      "", optimal.proven ? "proven fewest" : Gap(optimal.moved_off_chip, optimal.lower_bound), out);
  if (!optimal.joint) {
    AppendFact("", "too many phases and chips: carried states alone were searched", out);
  }
  const bool timed = optimal.time != 0 || optimal.density_time != 0;  // there were bandwidths
  if (residency.deployment->target.hbm_bytes != 0) {
    const std::string best = optimal.hbm_proven ? ", proven most"
                             : timed            ? ""  // the bound was for the fewest bytes
                                     : absl::StrCat(", at best ", Grouped(optimal.hbm_upper_bound));
    AppendFact("of these", absl::StrCat(Grouped(optimal.moved_in_hbm), " in HBM", best), out);
  }
  if (timed) {
    AppendFact("time",
               absl::StrCat(Grouped(optimal.time), " ", residency.time_unit, "; DENSITY ",
                            Grouped(optimal.density_time), " (",
                            Change(optimal.density_time, optimal.time), ")"),
               out);
    AppendFact("",
               absl::StrCat("SRAM ", Grouped(optimal.sram_time), ", HBM ",
                            Grouped(optimal.hbm_time), ", DRAM ", Grouped(optimal.dram_time)),
               out);
    AppendFact("",
               optimal.time_proven ? "proven least" : Gap(optimal.time, optimal.time_lower_bound),
               out);
  }
  AppendFact("search", Counted(optimal.nodes, "node"), out);
}

uint64_t HeldInSram(const PlannedChip& chip) {
  return SaturatingAdd(chip.reserve_bytes, chip.carried_bytes);
}

// A row a chip; of many those that have the least left.
std::string ChipTable(const ResidencyPlan& plan) {
  std::vector<const PlannedChip*> chips;
  for (const PlannedChip& chip : plan.chips) chips.push_back(&chip);
  const size_t shown = std::min(chips.size(), kMostChips);
  if (shown < chips.size()) {
    std::stable_sort(chips.begin(), chips.end(), [](const PlannedChip* a, const PlannedChip* b) {
      return HeldInSram(*a) > HeldInSram(*b);
    });
    std::sort(chips.begin(), chips.begin() + static_cast<std::ptrdiff_t>(shown),
              [](const PlannedChip* a, const PlannedChip* b) { return a->chip < b->chip; });
  }
  TextTable table;
  for (const char* header : {"chip", "SRAM", "reserve", "carried", "free", "HBM held"}) {
    table.AddRight(header);
  }
  for (size_t i = 0; i < shown; ++i) {
    const PlannedChip& chip = *chips[i];
    const uint64_t held = HeldInSram(chip);
    const std::string free = held <= chip.sram_bytes
                                 ? Grouped(chip.sram_bytes - held)
                                 : absl::StrCat(Grouped(held - chip.sram_bytes), " too few");
    table.AddRow({absl::StrCat(chip.chip), Grouped(chip.sram_bytes), Grouped(chip.reserve_bytes),
                  Grouped(chip.carried_bytes), chip.sram_bytes == 0 ? "-" : free,
                  Grouped(chip.hbm_bytes)});
  }
  if (shown < chips.size()) {
    table.AddNote(absl::StrCat("and ", Counted(chips.size() - shown, "chip"), " that hold less"));
  }
  return table.ToString();
}

std::string Quoted(absl::string_view name, size_t width) {
  return absl::StrCat("'", Shown(name, width), "'");
}

std::string Short(const OffChipExplanation& explanation) {
  return absl::StrCat(Counted(explanation.bytes_short, "byte"), " short on chip ",
                      explanation.chip);
}

// Why a carried state, or a part of it, is off chip.
std::string WhyNotCarried(const ResidencyCase& residency, const OffChipExplanation& explanation) {
  const ResidencyPlan& plan = *residency.plan;
  if (explanation.bytes_short == 0) return "would fit; nothing was found that keeping it saves";
  std::string text = absl::StrCat("does not fit: ", Short(explanation));
  if (explanation.preferred == kNoClass) {
    const bool split = plan.classes[explanation.which].instances_on_chip > 0;
    return absl::StrCat(text, split ? "" : ", beside the reserve alone");
  }
  const ResidencyClass& preferred = plan.classes[explanation.preferred];
  const DeployedProgram& program = residency.deployment->programs[preferred.program];
  absl::StrAppend(&text, "; ", Quoted(program.tensors[preferred.tensor].name, kTensorName));
  if (preferred.program != plan.classes[explanation.which].program) {
    absl::StrAppend(&text, " of ", Quoted(program.name, kProgramName));
  }
  absl::StrAppend(&text, " (",
                  Ratio(explanation.preferred_moved_bytes, explanation.preferred_bytes, 2),
                  " bytes moved a byte) was preferred");
  return text;
}

std::string WhyOffChip(const ResidencyCase& residency, const TensorRow& row) {
  if (row.explanation == nullptr) return "";
  const OffChipExplanation& explanation = *row.explanation;
  const bool fits = explanation.bytes_short == 0;
  switch (explanation.reason) {
    case OffChipReason::kNoTensorsOnChip:
      return std::string(NothingOnChip(residency.deployment->target));
    case OffChipReason::kNeverOnChip:
      switch (residency.deployment->programs[row.program].tensors[row.tensor].role) {
        case TensorRole::kWeight:
          return "weights stay off chip";
        case TensorRole::kInput:
          return "inputs stay off chip";
        default:
          return "outputs stay off chip";
      }
    case OffChipReason::kSpilled:
      if (fits) return "spilled: would fit beside those that stayed; the room went to others";
      return absl::StrCat("spilled: ", Short(explanation), " in phase ",
                          Grouped(explanation.phase));
    case OffChipReason::kTablesDoNotFit:
      if (fits) return "tables of this program would fit; the room went to others";
      return absl::StrCat("tables of this program do not fit: ", Short(explanation));
    case OffChipReason::kCarriedDoesNotFit:
      return WhyNotCarried(residency, explanation);
  }
  return "";
}

std::string Why(const ResidencyCase& residency, const TensorRow& row) {
  const uint64_t on_chip = row.OnChip();
  if (on_chip == 0) return WhyOffChip(residency, row);
  if (on_chip < row.instances) {
    const std::string rest = WhyOffChip(residency, row);
    return absl::StrCat(Grouped(on_chip), " of ", Counted(row.instances, "instance"), " on chip ",
                        row.of_class->chip, rest.empty() ? "" : "; the rest ", rest);
  }
  if (row.of_class != nullptr) return absl::StrCat("carried: held on chip ", row.of_class->chip);
  if (row.activation == nullptr) return "a table; all of its program's fit";
  if (!row.activation->accessed) return "no stage accesses it";
  const uint64_t first = row.activation->first_phase;
  const uint64_t last = row.activation->last_phase;
  if (first == last) return absl::StrCat("live in phase ", Grouped(first));
  return absl::StrCat("live in phases ", Grouped(first), " to ", Grouped(last));
}

absl::string_view RoleName(const TensorRow& row, TensorRole role) {
  switch (role) {
    case TensorRole::kActivation:
      return "activation";
    case TensorRole::kState:
      return row.of_class != nullptr && row.of_class->carried ? "carried" : "table";
    case TensorRole::kWeight:
      return "weight";
    case TensorRole::kInput:
      return "input";
    case TensorRole::kOutput:
      return "output";
  }
  return "";
}

// Those first that a reader looks for.
void SortForReaders(const Deployment& deployment, std::vector<TensorRow>* rows) {
  const auto rank = [&deployment](const TensorRow& row) {
    const TensorRole role = deployment.programs[row.program].tensors[row.tensor].role;
    if (role != TensorRole::kActivation && role != TensorRole::kState) return 2;
    return row.OnChip() < row.instances ? 0 : 1;
  };
  std::stable_sort(rows->begin(), rows->end(), [&rank](const TensorRow& a, const TensorRow& b) {
    const int left = rank(a);
    const int right = rank(b);
    return left != right ? left < right : a.AllMoved() > b.AllMoved();
  });
}

absl::string_view WhyKept(KeptReason reason) {
  switch (reason) {
    case KeptReason::kNone:
      break;
    case KeptReason::kNoCopy:
      return "no copy between one XRAM buffer and one resident buffer";
    case KeptReason::kUsedOutside:
      return "something else touches its XRAM buffer";
    case KeptReason::kNotOneToOne:
      return "its bytes go to, or come from, different places";
    case KeptReason::kReload:
      return "brings back what was there before its buffer was used";
    case KeptReason::kNotStoredBack:
      return "what is written to its buffer is not stored after the last write";
    case KeptReason::kTableWritten:
      return "its buffer holds a table, and is written";
    case KeptReason::kAnotherStays:
      return "another transfer of its tensor has to stay";
  }
  return "";
}

}  // namespace

std::string ResidencySummary(absl::string_view title, const ResidencyCase& residency) {
  const Deployment& deployment = *residency.deployment;
  const std::vector<TensorRow> rows = RowsOf(residency);
  std::string out = absl::StrCat(
      Shown(title, 60), ": ", Counted(deployment.programs.size(), "program"), ", ",
      Counted(rows.size(), "tensor"), ", ", Counted(residency.plan->chips.size(), "chip"), "\n\n");
  AppendFact("strategy", residency.optimal == nullptr ? "DENSITY" : "OPTIMAL", &out);
  if (!deployment.target.holds_tensors()) AppendFact("", NothingOnChip(deployment.target), &out);
  AppendTiers(deployment, TotalsOf(rows), &out);
  if (residency.optimal != nullptr) AppendOptimal(residency, &out);
  if (!residency.plan->chips.empty()) absl::StrAppend(&out, "\n", ChipTable(*residency.plan));
  return out;
}

std::string ResidencyTable(const ResidencyCase& residency, size_t most_rows) {
  const Deployment& deployment = *residency.deployment;
  std::vector<TensorRow> rows = RowsOf(residency);
  SortForReaders(deployment, &rows);
  const size_t shown = std::min(rows.size(), most_rows);
  const bool one_program = deployment.programs.size() == 1;
  const bool instances =
      std::any_of(deployment.programs.begin(), deployment.programs.end(),
                  [](const DeployedProgram& program) { return program.instances != 1; });
  struct Column {
    const char* header;
    bool shown;
    bool right;
  };
  const Column columns[] = {{"program", !one_program, false},
                            {"tensor", true, false},
                            {"role", true, false},
                            {"bytes", true, true},
                            {"moved a step", true, true},
                            {"instances", instances, true},
                            {"tier", true, false}};
  std::vector<std::vector<std::string>> cells;
  for (size_t i = 0; i < shown; ++i) {
    const TensorRow& row = rows[i];
    const DeployedProgram& program = deployment.programs[row.program];
    const DeployedTensor& tensor = program.tensors[row.tensor];
    const std::string all[] = {Shown(program.name, kProgramName),
                               Shown(tensor.name, kTensorName),
                               std::string(RoleName(row, tensor.role)),
                               Grouped(row.bytes),
                               Grouped(row.moved),
                               Grouped(row.instances),
                               std::string(TierName(row.tier))};
    cells.emplace_back();
    for (size_t c = 0; c < std::size(columns); ++c) {
      if (columns[c].shown) cells.back().push_back(all[c]);
    }
  }
  TextTable table;
  size_t used = 0, at = 0;
  for (const Column& column : columns) {
    if (!column.shown) continue;
    size_t width = Width(column.header);
    for (const std::vector<std::string>& row : cells) width = std::max(width, Width(row[at]));
    used += width + 2;
    ++at;
    column.right ? table.AddRight(column.header) : table.AddLeft(column.header);
  }
  table.AddLeft("why");
  const size_t room = std::max(kLeastWhy, kColumns - std::min(used, kColumns));
  for (size_t i = 0; i < shown; ++i) {
    cells[i].push_back(Wrapped(Why(residency, rows[i]), room));
    table.AddRow(std::move(cells[i]));
  }
  if (shown < rows.size()) {
    table.AddNote(absl::StrCat("and ", Grouped(rows.size() - shown), " more"));
  }
  return table.ToString();
}

std::string BoundStreamFacts(const std::vector<StreamOfProgram>& streams,
                             const std::vector<BoundStream>& bound) {
  std::string out;
  for (size_t s = 0; s < streams.size(); ++s) {
    const absl::string_view name = streams[s].stream.name();
    AppendFact(s == 0 ? "streams" : "",
               absl::StrCat(name.empty() ? absl::StrCat("stream ", s) : Shown(name, 40), ": ",
                            Counted(bound[s].dropped.size(), "transfer"), " dropped, ",
                            Grouped(bound[s].kept.size()), " of resident buffers kept; reserve ",
                            Counted(bound[s].reserved_bytes, "byte"), " beside it"),
               &out);
  }
  return out;
}

std::string KeptTransfersText(const std::vector<StreamOfProgram>& streams,
                              const std::vector<BoundStream>& bound, size_t most_a_stream) {
  std::string out;
  for (size_t s = 0; s < streams.size(); ++s) {
    const std::vector<KeptTransfer>& kept = bound[s].kept;
    for (size_t i = 0; i < std::min(kept.size(), most_a_stream); ++i) {
      absl::StrAppend(&out, "stream ", s, ", ", streams[s].stream.Describe(kept[i].op),
                      " stays: ", WhyKept(kept[i].reason), "\n");
    }
    if (kept.size() > most_a_stream) {
      absl::StrAppend(&out, "stream ", s, ": and ", Grouped(kept.size() - most_a_stream),
                      " more stay\n");
    }
  }
  return out.empty() ? out : absl::StrCat("\n", out);
}

}  // namespace report
}  // namespace torqsched
