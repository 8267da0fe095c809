#include "tests/reference/residency/residency_exhaustive.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace torqsched::reference {
namespace {

std::set<uint32_t> ChipsOf(const DeployedProgram& program, uint32_t t) {
  std::set<uint32_t> chips;
  for (const TensorAccess& a : program.accesses) {
    if (a.tensor == t) chips.insert(a.chip);
  }
  return chips;
}

uint32_t HomeOf(const DeployedProgram& program, uint32_t t) {
  const std::set<uint32_t> chips = ChipsOf(program, t);
  return chips.empty() ? 0 : *chips.begin();
}

bool LiveAt(const DeployedProgram& program, uint32_t t, uint64_t phase) {
  bool any = false;
  uint64_t begin = 0, end = 0;
  for (const TensorAccess& a : program.accesses) {
    if (a.tensor != t) continue;
    if (!any) begin = a.phase;
    if (a.store) begin = std::min(begin, a.phase);
    end = std::max(end, a.phase);
    any = true;
  }
  return any && begin <= phase && phase <= end;
}

bool IsCarried(const DeployedProgram& program, uint32_t t) {
  if (program.tensors[t].role != TensorRole::kState) return false;
  if (!program.carried.has_value()) return true;
  return std::count(program.carried->begin(), program.carried->end(), program.tensors[t].name) > 0;
}

bool IsTable(const DeployedProgram& program, uint32_t t) {
  return program.tensors[t].role == TensorRole::kState && !IsCarried(program, t);
}

// By program, by tensor: in how many instances it is on chip; all or none but for carried states.
using OnChip = std::vector<std::vector<uint64_t>>;

uint64_t MovedOff(const Deployment& d, const OnChip& on_chip) {
  uint64_t moved = 0;
  for (size_t p = 0; p < d.programs.size(); ++p) {
    for (size_t t = 0; t < d.programs[p].tensors.size(); ++t) {
      moved += d.programs[p].tensors[t].moved_bytes.value_or(0) *
               (d.programs[p].instances - on_chip[p][t]);
    }
  }
  return moved;
}

struct Needs {
  std::map<uint32_t, uint64_t> reserve;  // by chip
  bool inside_fits = true;               // activations and tables
};

uint64_t BuffersOn(const DeployedProgram& program, uint32_t chip) {
  std::map<uint32_t, uint64_t> site_ends;
  for (const SiteBuffer& b : program.buffers) {
    if (b.chip != chip || b.accumulator) continue;
    site_ends[b.site] = std::max(site_ends[b.site], b.offset + b.bytes);
  }
  uint64_t bytes = 0;
  for (const auto& [site, end] : site_ends) bytes += end;
  return bytes;
}

uint64_t PeakOn(const DeployedProgram& program, uint32_t chip,
                const std::vector<uint64_t>& on_chip) {
  uint64_t peak = 0;
  for (const TensorAccess& at : program.accesses) {
    uint64_t live = 0;
    for (uint32_t t = 0; t < program.tensors.size(); ++t) {
      if (program.tensors[t].role == TensorRole::kActivation && on_chip[t] > 0 &&
          ChipsOf(program, t).count(chip) > 0 && LiveAt(program, t, at.phase)) {
        live += program.tensors[t].bytes;
      }
    }
    peak = std::max(peak, live);
  }
  return peak;
}

Needs NeedsOf(const Deployment& d, const OnChip& on_chip) {
  Needs needs;
  for (size_t p = 0; p < d.programs.size(); ++p) {
    const DeployedProgram& program = d.programs[p];
    std::set<uint32_t> chips;
    for (const SiteBuffer& b : program.buffers) chips.insert(b.chip);
    for (const TensorAccess& a : program.accesses) chips.insert(a.chip);
    std::map<uint32_t, uint64_t> tables;
    for (uint32_t t = 0; t < program.tensors.size(); ++t) {
      if (!IsTable(program, t) || on_chip[p][t] == 0) continue;
      tables[HomeOf(program, t)] += program.tensors[t].bytes;
      chips.insert(HomeOf(program, t));
    }
    for (const uint32_t chip : chips) {
      const uint64_t peak = PeakOn(program, chip, on_chip[p]);
      const uint64_t inside = BuffersOn(program, chip) + peak;
      const bool holds_tables = tables.count(chip) > 0;
      const uint64_t all = inside + (holds_tables ? tables[chip] : 0);
      if ((peak > 0 || holds_tables) && all > d.target.sram_bytes) needs.inside_fits = false;
      needs.reserve[chip] = std::max(needs.reserve[chip], all);
    }
  }
  return needs;
}

// Everything fits that is on chip.
bool Fits(const Deployment& d, const OnChip& on_chip) {
  const Needs needs = NeedsOf(d, on_chip);
  if (!needs.inside_fits) return false;
  std::map<uint32_t, uint64_t> carried;
  for (size_t p = 0; p < d.programs.size(); ++p) {
    const DeployedProgram& program = d.programs[p];
    for (uint32_t t = 0; t < program.tensors.size(); ++t) {
      if (!IsCarried(program, t)) continue;
      carried[HomeOf(program, t)] += program.tensors[t].bytes * on_chip[p][t];
    }
  }
  for (const auto& [chip, bytes] : carried) {
    const auto found = needs.reserve.find(chip);
    const uint64_t reserve = found == needs.reserve.end() ? 0 : found->second;
    if (bytes > 0 && reserve + bytes > d.target.sram_bytes) return false;
  }
  return true;
}

// A tensor, or the tables of a program (tensor is then none's), with the values that it can take.
struct Choice {
  size_t program = 0;
  std::vector<uint32_t> tensors;
  std::vector<uint64_t> instances;  // that are on chip
};

// Calls visit with every choice of what is on chip, fitting or not; false: too many.
template <typename Visit>
bool ForEachChoice(const Deployment& d, bool split_instances, uint64_t most, const Visit& visit) {
  const bool on_chip_at_all = d.target.crossbar && d.target.sram_bytes > 0;
  OnChip on_chip;
  std::vector<Choice> choices;
  uint64_t combinations = 1;
  for (size_t p = 0; p < d.programs.size(); ++p) {
    const DeployedProgram& program = d.programs[p];
    on_chip.emplace_back(program.tensors.size(), 0);
    Choice tables{p, {}, {0, program.instances}};
    for (uint32_t t = 0; t < program.tensors.size() && on_chip_at_all; ++t) {
      Choice choice{p, {t}, {0, program.instances}};
      if (IsTable(program, t)) tables.tensors.push_back(t);
      if (program.tensors[t].role == TensorRole::kActivation && ChipsOf(program, t).empty()) {
        on_chip[p][t] = program.instances;
      } else if (program.tensors[t].role == TensorRole::kActivation) {
        choices.push_back(choice);
      } else if (IsCarried(program, t)) {
        for (uint64_t i = 1; split_instances && i < program.instances; ++i) {
          choice.instances.push_back(i);
        }
        choices.push_back(choice);
      }
    }
    if (!tables.tensors.empty()) choices.push_back(tables);
  }
  for (const Choice& choice : choices) {
    combinations *= choice.instances.size();
    if (combinations > most) return false;
  }
  for (uint64_t number = 0; number < combinations; ++number) {
    uint64_t rest = number;
    for (const Choice& choice : choices) {
      for (const uint32_t t : choice.tensors) {
        on_chip[choice.program][t] = choice.instances[rest % choice.instances.size()];
      }
      rest /= choice.instances.size();
    }
    visit(on_chip);
  }
  return true;
}

// Of what is not on chip; nothing where a chip has more than 12 such tensors.
std::optional<uint64_t> MostInHbm(const Deployment& d, const OnChip& on_chip) {
  std::map<uint32_t, std::vector<std::pair<uint64_t, uint64_t>>> by_chip;  // bytes, moved
  for (size_t p = 0; p < d.programs.size(); ++p) {
    const DeployedProgram& program = d.programs[p];
    for (uint32_t t = 0; t < program.tensors.size(); ++t) {
      const uint64_t off = program.instances - on_chip[p][t];
      if (off == 0) continue;
      by_chip[HomeOf(program, t)].emplace_back(program.tensors[t].bytes * off,
                                               program.tensors[t].moved_bytes.value_or(0) * off);
    }
  }
  uint64_t all = 0;
  for (const auto& [chip, classes] : by_chip) {
    if (d.target.hbm_bytes == 0) break;
    if (classes.size() > 12) return std::nullopt;
    uint64_t best = 0;
    for (uint32_t set = 0; set < uint32_t{1} << classes.size(); ++set) {
      uint64_t bytes = 0, moved = 0;
      for (size_t i = 0; i < classes.size(); ++i) {
        if ((set >> i & 1) == 0) continue;
        bytes += classes[i].first;
        moved += classes[i].second;
      }
      if (bytes <= d.target.hbm_bytes) best = std::max(best, moved);
    }
    all += best;
  }
  return all;
}

}  // namespace

std::optional<uint64_t> FewestBytesOffChip(const Deployment& d, bool split_instances,
                                           uint64_t most) {
  uint64_t fewest = UINT64_MAX;
  const bool all = ForEachChoice(d, split_instances, most, [&](const OnChip& on_chip) {
    const uint64_t moved = MovedOff(d, on_chip);
    if (moved < fewest && Fits(d, on_chip)) fewest = moved;
  });
  return all ? std::optional<uint64_t>(fewest) : std::nullopt;
}

std::optional<uint64_t> LeastWeighted(const Deployment& d, const TierCosts& costs, uint64_t most) {
  uint64_t everything = 0, least = UINT64_MAX;
  for (const DeployedProgram& program : d.programs) {
    for (const DeployedTensor& t : program.tensors) {
      everything += t.moved_bytes.value_or(0) * program.instances;
    }
  }
  bool hbm_known = true;
  const bool all = ForEachChoice(d, false, most, [&](const OnChip& on_chip) {
    if (!hbm_known || !Fits(d, on_chip)) return;
    const uint64_t off = MovedOff(d, on_chip);
    const std::optional<uint64_t> hbm = MostInHbm(d, on_chip);
    hbm_known = hbm.has_value();
    if (!hbm_known) return;
    least = std::min(
        least, (everything - off) * costs.sram + *hbm * costs.hbm + (off - *hbm) * costs.dram);
  });
  return all && hbm_known ? std::optional<uint64_t>(least) : std::nullopt;
}

std::optional<uint64_t> MostBytesInHbm(const Deployment& d, const ResidencyPlan& plan) {
  OnChip on_chip;
  for (size_t p = 0; p < d.programs.size(); ++p) {
    on_chip.emplace_back(d.programs[p].tensors.size(), d.programs[p].instances);
  }
  for (const ResidencyClass& c : plan.classes) on_chip[c.program][c.tensor] = c.instances_on_chip;
  return MostInHbm(d, on_chip);
}

std::string WrongWith(const Deployment& d, const ResidencyPlan& plan, bool split_instances) {
  OnChip on_chip;
  for (size_t p = 0; p < d.programs.size(); ++p) {
    const DeployedProgram& program = d.programs[p];
    on_chip.emplace_back(program.tensors.size(), 0);
    std::set<bool> tables;
    for (uint32_t t = 0; t < program.tensors.size(); ++t) {
      const bool sram = plan.programs[p].tiers[t] == Tier::kSram;
      on_chip[p][t] = sram ? program.instances : 0;
      if (IsTable(program, t)) tables.insert(sram);
      const bool may = program.tensors[t].role == TensorRole::kActivation ||
                       program.tensors[t].role == TensorRole::kState;
      if (sram && (!may || !d.target.crossbar || d.target.sram_bytes == 0)) return "SRAM for whom?";
    }
    if (tables.size() > 1) return absl::StrCat("tables of program ", p, " are parted");
  }
  std::map<uint32_t, uint64_t> hbm, carried;
  for (const ResidencyClass& c : plan.classes) {
    const DeployedProgram& program = d.programs[c.program];
    const std::string name = absl::StrCat("class ", c.program, ".", c.tensor);
    if (plan.programs[c.program].tiers[c.tensor] != c.tier) return name + ": two tiers";
    if (c.carried != IsCarried(program, c.tensor)) return name + ": carried";
    if (c.chip != HomeOf(program, c.tensor)) return name + ": chip";
    const bool part = c.instances_on_chip > 0 && c.instances_on_chip < program.instances;
    if (part && (!c.carried || !split_instances)) return name + " is split";
    if ((c.tier == Tier::kSram) != (c.instances_on_chip == program.instances)) {
      return name + ": instances on chip";
    }
    on_chip[c.program][c.tensor] = c.instances_on_chip;
    const uint64_t bytes = program.tensors[c.tensor].bytes;
    carried[c.chip] += bytes * c.instances_on_chip;
    if (c.tier == Tier::kHbm) hbm[c.chip] += bytes * (program.instances - c.instances_on_chip);
  }
  if (!Fits(d, on_chip)) return "it does not fit";
  Needs needs = NeedsOf(d, on_chip);
  for (const PlannedChip& chip : plan.chips) {
    const std::string name = absl::StrCat("chip ", chip.chip);
    if (chip.hbm_bytes != hbm[chip.chip]) return name + ": hbm_bytes";
    if (chip.hbm_bytes > d.target.hbm_bytes) return name + ": too much in HBM";
    if (chip.carried_bytes != carried[chip.chip]) return name + ": carried_bytes";
    if (chip.reserve_bytes != needs.reserve[chip.chip]) return name + ": reserve_bytes";
  }
  return "";
}

}  // namespace torqsched::reference
