#include "src/residency/placing.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "src/residency/check_deployment.h"
#include "src/residency/density_order.h"
#include "src/stream/checked.h"

namespace torqsched {
namespace {

bool IsTable(const DeployedProgram& program, const ProgramFacts& facts, size_t tensor) {
  return program.tensors[tensor].role == TensorRole::kState && !facts.carried[tensor];
}

std::string BytesField(size_t tensor) { return absl::StrCat("tensors[", tensor, "].bytes"); }

void SortAndUnique(std::vector<uint32_t>* chips) {
  std::sort(chips->begin(), chips->end());
  chips->erase(std::unique(chips->begin(), chips->end()), chips->end());
}

}  // namespace

std::vector<uint64_t> RoomsBesideBuffers(const ResidencyTarget& target, const ProgramFacts& facts) {
  std::vector<uint64_t> rooms;
  rooms.reserve(facts.chips.size());
  const uint64_t sram = target.holds_tensors() ? target.sram_bytes : 0;
  for (const uint64_t buffers : facts.buffer_bytes) rooms.push_back(sram - std::min(sram, buffers));
  return rooms;
}

void SetFootprints(const ProgramFacts& facts, const std::vector<uint64_t>& peaks,
                   PlannedProgram* planned) {
  planned->chips.clear();
  planned->chips.reserve(facts.chips.size());
  for (size_t i = 0; i < facts.chips.size(); ++i) {
    ChipFootprint footprint;
    footprint.chip = facts.chips[i];
    footprint.buffer_bytes = facts.buffer_bytes[i];
    footprint.activation_bytes = peaks[i];
    // Fits: activations are at most what the buffers leave of SRAM.
    footprint.footprint_bytes = facts.buffer_bytes[i] + peaks[i];
    planned->chips.push_back(footprint);
  }
}

absl::Status PlaceTables(const Deployment& deployment, size_t p, const ProgramFacts& facts,
                         bool wanted, PlannedProgram* planned) {
  planned->tables_on_chip = false;
  if (!deployment.target.holds_tensors() || !wanted) return absl::OkStatus();
  const DeployedProgram& program = deployment.programs[p];
  std::vector<uint64_t> bytes(planned->chips.size(), 0);
  std::vector<char> holds(planned->chips.size(), 0);
  bool any = false;
  for (size_t t = 0; t < program.tensors.size(); ++t) {
    if (!IsTable(program, facts, t)) continue;
    const size_t home = facts.HomeOf(t);
    any = true;
    holds[home] = 1;
    if (CheckedAdd(&bytes[home], program.tensors[t].bytes)) continue;
    return InvalidTensor(deployment, p, t, BytesField(t),
                         absl::StrCat("its own tables' bytes on chip ", facts.chips[home],
                                      " do not fit 64 bits with it"));
  }
  bool fit = true;
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (!holds[i]) continue;
    uint64_t sum = planned->chips[i].footprint_bytes;
    if (!CheckedAdd(&sum, bytes[i])) {
      return InvalidProgram(deployment, p, "tensors",
                            absl::StrCat("its footprint and its own tables' bytes on chip ",
                                         facts.chips[i], " do not fit 64 bits together"));
    }
    fit = fit && sum <= deployment.target.sram_bytes;
  }
  planned->tables_on_chip = any && fit;
  if (!planned->tables_on_chip) return absl::OkStatus();
  for (size_t i = 0; i < bytes.size(); ++i) planned->chips[i].table_bytes = bytes[i];
  return absl::OkStatus();
}

void SetTiers(const Deployment& deployment, size_t p, const ProgramFacts& facts,
              const std::vector<char>& spilled, PlannedProgram* planned) {
  const DeployedProgram& program = deployment.programs[p];
  const bool on_chip = deployment.target.holds_tensors();
  planned->tiers.assign(program.tensors.size(), Tier::kDram);
  planned->activations.clear();
  planned->activations.reserve(facts.activations.size());
  size_t next = 0;  // of facts.activations
  for (uint32_t t = 0; t < program.tensors.size(); ++t) {
    if (planned->tables_on_chip && IsTable(program, facts, t)) planned->tiers[t] = Tier::kSram;
    if (program.tensors[t].role != TensorRole::kActivation) continue;
    PlannedActivation activation;
    activation.tensor = t;
    if (next < facts.activations.size() && facts.activations[next].tensor == t) {
      activation.accessed = true;
      activation.spilled = on_chip && spilled[next];
      activation.first_phase = facts.activations[next].begin;
      activation.last_phase = facts.activations[next].end;
      ++next;
    }
    planned->activations.push_back(activation);
    if (on_chip && !activation.spilled) planned->tiers[t] = Tier::kSram;
  }
}

void ListChips(const Deployment& deployment, ResidencyPlan* plan) {
  std::vector<uint32_t> chips;
  for (const PlannedProgram& program : plan->programs) {
    for (const ChipFootprint& footprint : program.chips) chips.push_back(footprint.chip);
  }
  SortAndUnique(&chips);
  const ResidencyTarget& target = deployment.target;
  plan->chips.clear();
  plan->chips.reserve(chips.size());
  for (const uint32_t chip : chips) {
    plan->chips.push_back({chip, target.holds_tensors() ? target.sram_bytes : 0, 0, 0, 0});
  }
  for (const PlannedProgram& program : plan->programs) {
    for (const ChipFootprint& footprint : program.chips) {
      uint64_t& reserve = plan->chips[ChipAt(*plan, footprint.chip)].reserve_bytes;
      reserve = std::max(reserve, footprint.footprint_bytes + footprint.table_bytes);
    }
  }
}

absl::Status ListClasses(const Deployment& deployment, const std::vector<ProgramFacts>& facts,
                         ResidencyPlan* plan) {
  plan->classes.clear();
  size_t count = 0;
  for (const PlannedProgram& program : plan->programs) {
    count += static_cast<size_t>(std::count_if(program.tiers.begin(), program.tiers.end(),
                                               [](Tier tier) { return tier != Tier::kSram; }));
  }
  plan->classes.reserve(count);
  for (uint32_t p = 0; p < facts.size(); ++p) {
    const DeployedProgram& program = deployment.programs[p];
    for (uint32_t t = 0; t < program.tensors.size(); ++t) {
      if (plan->programs[p].tiers[t] == Tier::kSram) continue;
      ResidencyClass c;
      c.program = p;
      c.tensor = t;
      c.chip = facts[p].chips[facts[p].HomeOf(t)];
      c.carried = facts[p].carried[t] != 0;
      c.moved_bytes = facts[p].moved_bytes[t];
      if (__builtin_mul_overflow(program.tensors[t].bytes, program.instances, &c.bytes)) {
        return InvalidTensor(deployment, p, t, BytesField(t),
                             absl::StrCat(program.tensors[t].bytes, " bytes in each of ",
                                          program.instances, " instances do not fit 64 bits"));
      }
      plan->classes.push_back(c);
    }
  }
  return absl::OkStatus();
}

size_t ChipAt(const ResidencyPlan& plan, uint32_t chip) {
  const auto at = std::lower_bound(
      plan.chips.begin(), plan.chips.end(), chip,
      [](const PlannedChip& planned, uint32_t number) { return planned.chip < number; });
  return static_cast<size_t>(at - plan.chips.begin());
}

uint64_t SramLeft(const PlannedChip& chip) {
  const uint64_t beyond = chip.sram_bytes - std::min(chip.sram_bytes, chip.reserve_bytes);
  return beyond - std::min(beyond, chip.carried_bytes);
}

void PlaceCarried(const Deployment& deployment, ResidencyPlan* plan) {
  if (!deployment.target.holds_tensors()) return;
  std::vector<uint32_t> carried;
  for (uint32_t i = 0; i < plan->classes.size(); ++i) {
    if (plan->classes[i].carried) carried.push_back(i);
  }
  for (const uint32_t i : OrderByDensity(deployment, plan->classes, carried)) {
    ResidencyClass& c = plan->classes[i];
    PlannedChip& chip = plan->chips[ChipAt(*plan, c.chip)];
    if (c.bytes > SramLeft(chip)) continue;
    chip.carried_bytes += c.bytes;
    c.tier = Tier::kSram;
    c.instances_on_chip = deployment.programs[c.program].instances;
  }
}

void PlaceOffChip(const Deployment& deployment, ResidencyPlan* plan) {
  if (deployment.target.hbm_bytes == 0) return;
  std::vector<uint32_t> off_chip;
  for (uint32_t i = 0; i < plan->classes.size(); ++i) {
    if (plan->classes[i].tier != Tier::kSram) off_chip.push_back(i);
  }
  for (const uint32_t i : OrderByDensity(deployment, plan->classes, off_chip)) {
    ResidencyClass& c = plan->classes[i];
    PlannedChip& chip = plan->chips[ChipAt(*plan, c.chip)];
    if (!SumFits(chip.hbm_bytes, c.bytes, deployment.target.hbm_bytes)) continue;
    chip.hbm_bytes += c.bytes;
    c.tier = Tier::kHbm;
  }
}

void SetClassTiers(ResidencyPlan* plan) {
  for (const ResidencyClass& c : plan->classes) plan->programs[c.program].tiers[c.tensor] = c.tier;
}

}  // namespace torqsched
