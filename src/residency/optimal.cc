#include "src/residency/optimal.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "src/residency/activation_sweep.h"
#include "src/residency/check_deployment.h"
#include "src/residency/density.h"
#include "src/residency/facts.h"
#include "src/residency/keep.h"
#include "src/residency/placing.h"
#include "src/residency/residency_rows.h"
#include "src/residency/transfer_time.h"
#include "src/stream/checked.h"

namespace torqsched {
namespace {

absl::StatusOr<uint64_t> SumMoved(const Deployment& deployment,
                                  const std::vector<ProgramFacts>& facts) {
  uint64_t sum = 0;
  for (size_t p = 0; p < facts.size(); ++p) {
    for (size_t t = 0; t < facts[p].moved_bytes.size(); ++t) {
      uint64_t moved;
      if (!__builtin_mul_overflow(facts[p].moved_bytes[t], deployment.programs[p].instances,
                                  &moved) &&
          CheckedAdd(&sum, moved)) {
        continue;
      }
      return InvalidTensor(deployment, p, t, absl::StrCat("tensors[", t, "].moved_bytes"),
                           "the bytes that all tensors move in all instances do not fit 64 bits");
    }
  }
  return sum;
}

// A plan as pieces kept: where the search starts.
std::vector<uint64_t> KeptIn(const Deployment& deployment, const std::vector<ProgramFacts>& facts,
                             const ResidencyPlan& plan, const ResidencyItems& items, bool split) {
  std::vector<uint64_t> kept(items.problem.items.size(), 0);
  for (size_t p = 0; p < facts.size(); ++p) {
    const PlannedProgram& planned = plan.programs[p];
    for (size_t i = 0; !items.of_activation.empty() && i < facts[p].activations.size(); ++i) {
      kept[items.of_activation[p][i]] =
          planned.tiers[facts[p].activations[i].tensor] == Tier::kSram;
    }
    if (items.of_tables[p] != kNoItem) kept[items.of_tables[p]] = planned.tables_on_chip;
    for (size_t t = 0; t < planned.tiers.size(); ++t) {
      if (items.of_tensor[p][t] == kNoItem || planned.tiers[t] != Tier::kSram) continue;
      kept[items.of_tensor[p][t]] = split ? deployment.programs[p].instances : 1;
    }
    for (size_t t = 0; !items.of_hbm.empty() && t < planned.tiers.size(); ++t) {
      if (items.of_hbm[p][t] != kNoItem) {
        kept[items.of_hbm[p][t]] = planned.tiers[t] == Tier::kHbm;
      }
    }
  }
  return kept;
}

// Activations and tables as they were kept; all else is to be placed.
absl::Status PlaceInside(const Deployment& deployment, const std::vector<ProgramFacts>& facts,
                         const ResidencyItems& items, const std::vector<uint64_t>& kept,
                         ResidencyPlan* plan) {
  for (size_t p = 0; p < facts.size(); ++p) {
    std::vector<char> spilled;
    for (const uint32_t item : items.of_activation[p]) spilled.push_back(kept[item] == 0);
    PlannedProgram& planned = plan->programs[p];
    SetFootprints(facts[p], ActivationSweep(facts[p]).Peaks(spilled), &planned);
    const bool tables = items.of_tables[p] != kNoItem && kept[items.of_tables[p]] > 0;
    absl::Status status = PlaceTables(deployment, p, facts[p], tables, &planned);
    if (!status.ok()) return status;
    SetTiers(deployment, p, facts[p], spilled, &planned);
  }
  ListChips(deployment, plan);
  return ListClasses(deployment, facts, plan);
}

void PlaceCarriedAs(const Deployment& deployment, const ResidencyItems& items,
                    const std::vector<uint64_t>& kept, bool split, ResidencyPlan* plan) {
  for (ResidencyClass& c : plan->classes) {
    c.tier = Tier::kDram;
    c.instances_on_chip = 0;
    if (!c.carried) continue;
    const uint64_t instances = deployment.programs[c.program].instances;
    const uint64_t pieces = kept[items.of_tensor[c.program][c.tensor]];
    c.instances_on_chip = split ? pieces : pieces * instances;
    if (c.instances_on_chip == instances) c.tier = Tier::kSram;
    plan->chips[ChipAt(*plan, c.chip)].carried_bytes +=
        c.instances_on_chip * deployment.programs[c.program].tensors[c.tensor].bytes;
  }
}

uint64_t InstancesOff(const Deployment& deployment, const ResidencyClass& c) {
  return deployment.programs[c.program].instances - c.instances_on_chip;
}

// Whatever is not on chip, as a knapsack a chip, from what the order of density gives.
void FillHbm(const Deployment& deployment, uint64_t node_limit, OptimalResidency* result) {
  ResidencyPlan& plan = result->plan;
  KeepProblem problem;
  problem.capacities.assign(plan.chips.size(), deployment.target.hbm_bytes);
  PlaceOffChip(deployment, &plan);
  std::vector<uint32_t> classes;
  std::vector<uint64_t> start;
  for (uint32_t i = 0; i < plan.classes.size(); ++i) {
    ResidencyClass& c = plan.classes[i];
    if (c.tier == Tier::kSram) continue;
    const uint64_t off = InstancesOff(deployment, c);
    const uint64_t bytes = off * deployment.programs[c.program].tensors[c.tensor].bytes;
    classes.push_back(i);
    start.push_back(c.tier == Tier::kHbm);
    problem.items.push_back({off * c.moved_bytes, 1});
    if (bytes > 0) problem.uses.Add({static_cast<uint32_t>(ChipAt(plan, c.chip)), bytes});
    problem.uses.EndRow();
    c.tier = Tier::kDram;
  }
  for (PlannedChip& chip : plan.chips) chip.hbm_bytes = 0;
  if (deployment.target.hbm_bytes == 0) {
    result->hbm_proven = true;
    return;
  }
  const KeepAnswer answer = KeepMost(problem, start, node_limit);
  result->moved_in_hbm = answer.value;
  result->hbm_upper_bound = answer.bound;
  result->hbm_proven = answer.proven;
  result->nodes += answer.nodes;
  for (size_t i = 0; i < classes.size(); ++i) {
    if (answer.kept[i] == 0) continue;
    ResidencyClass& c = plan.classes[classes[i]];
    c.tier = Tier::kHbm;
    plan.chips[ChipAt(plan, c.chip)].hbm_bytes +=
        InstancesOff(deployment, c) * deployment.programs[c.program].tensors[c.tensor].bytes;
  }
}

// What carried states could at most be worth beside nothing but buffers, and everything else on
// chip: for deployments whose activations are not searched.
uint64_t LooseBound(const Deployment& deployment, const std::vector<ProgramFacts>& facts,
                    ResidencyPlan plan, bool split) {
  for (PlannedChip& chip : plan.chips) chip.reserve_bytes = 0;
  for (const PlannedProgram& program : plan.programs) {
    for (const ChipFootprint& f : program.chips) {
      uint64_t& reserve = plan.chips[ChipAt(plan, f.chip)].reserve_bytes;
      reserve = std::max(reserve, f.buffer_bytes);
    }
  }
  const ResidencyItems items = ListCarriedItems(deployment, facts, plan, split);
  const std::vector<uint64_t> none(items.problem.items.size(), 0);
  uint64_t bound = KeepMost(items.problem, none, /*node_limit=*/0).bound;
  for (size_t p = 0; p < facts.size(); ++p) {
    const DeployedProgram& program = deployment.programs[p];
    for (size_t t = 0; t < program.tensors.size(); ++t) {
      const TensorRole role = program.tensors[t].role;
      if (role != TensorRole::kActivation && (role != TensorRole::kState || facts[p].carried[t])) {
        continue;
      }
      bound += facts[p].moved_bytes[t] * program.instances;
    }
  }
  return bound;
}

// What is on chip whatever is decided: activations that nobody accesses.
uint64_t AlwaysOnChip(const Deployment& deployment, const std::vector<ProgramFacts>& facts) {
  uint64_t sum = 0;
  for (size_t p = 0; p < facts.size(); ++p) {
    const DeployedProgram& program = deployment.programs[p];
    for (size_t t = 0; t < program.tensors.size(); ++t) {
      if (program.tensors[t].role != TensorRole::kActivation || !facts[p].chips_of[t].empty()) {
        continue;
      }
      sum += facts[p].moved_bytes[t] * program.instances;
    }
  }
  return sum;
}

// Over everything at once. False, with the plan as it was: too much would have to be listed, or
// what is best has a class off chip whose bytes do not fit 64 bits.
bool FillSramJointly(const Deployment& deployment, const std::vector<ProgramFacts>& facts,
                     const OptimalOptions& options, uint64_t moved, OptimalResidency* result) {
  const bool split = options.split_instances;
  ResidencyItems items;
  if (!ListAllItems(deployment, facts, split, {}, &items)) return false;
  const KeepAnswer answer = KeepMost(
      items.problem, KeptIn(deployment, facts, result->plan, items, split), options.node_limit);
  result->nodes += answer.nodes;
  ResidencyPlan plan = result->plan;
  if (!PlaceInside(deployment, facts, items, answer.kept, &plan).ok()) return false;
  for (PlannedChip& chip : plan.chips) chip.carried_bytes = chip.hbm_bytes = 0;
  PlaceCarriedAs(deployment, items, answer.kept, split, &plan);
  result->plan = std::move(plan);
  result->lower_bound = moved - answer.bound - AlwaysOnChip(deployment, facts);
  return true;
}

void FillSram(const Deployment& deployment, const std::vector<ProgramFacts>& facts,
              const OptimalOptions& options, uint64_t moved, OptimalResidency* result) {
  result->joint = FillSramJointly(deployment, facts, options, moved, result);
  if (result->joint) return;
  const bool split = options.split_instances;
  const ResidencyItems items = ListCarriedItems(deployment, facts, result->plan, split);
  const KeepAnswer answer = KeepMost(
      items.problem, KeptIn(deployment, facts, result->plan, items, split), options.node_limit);
  result->nodes += answer.nodes;
  result->lower_bound = moved - LooseBound(deployment, facts, result->plan, split);
  for (PlannedChip& chip : result->plan.chips) chip.carried_bytes = chip.hbm_bytes = 0;
  PlaceCarriedAs(deployment, items, answer.kept, split, &result->plan);
}

// HBM as the search over both tiers has it.
void PlaceHbmAs(const ResidencyItems& items, const std::vector<uint64_t>& kept,
                ResidencyPlan* plan) {
  for (ResidencyClass& c : plan->classes) {
    const uint32_t item = items.of_hbm[c.program][c.tensor];
    if (c.tier == Tier::kSram || item == kNoItem || kept[item] == 0) continue;
    c.tier = Tier::kHbm;
    plan->chips[ChipAt(*plan, c.chip)].hbm_bytes += c.bytes;
  }
}

// The third search. *parts_bound: in parts of time, no plan takes less. True: the plan is another.
bool MinimizeTime(const Deployment& deployment, const std::vector<ProgramFacts>& facts,
                  const OptimalOptions& options, const TierWeights& weights, uint64_t moved,
                  const ResidencyPlan& density, uint64_t* parts_bound, OptimalResidency* result) {
  const uint64_t staged = PartsOf(TrafficOf(deployment, facts, result->plan), weights);
  const uint64_t by_density = PartsOf(TrafficOf(deployment, facts, density), weights);
  const bool hbm = deployment.target.hbm_bytes > 0;
  const uint64_t on_chip = moved - result->lower_bound;
  *parts_bound = PartsOf({on_chip, hbm ? moved - on_chip : 0, hbm ? 0 : moved - on_chip}, weights);
  bool changed = by_density < staged;
  if (changed) result->plan = density;
  ResidencyItems items;
  if (!deployment.target.holds_tensors()) {
    *parts_bound = PartsOf({0, result->hbm_upper_bound, moved - result->hbm_upper_bound}, weights);
  }
  const KeepWorth worth{weights.dram - weights.sram, hbm ? weights.dram - weights.hbm : 0};
  if (worth.hbm == 0) return changed;  // HBM saves nothing: bytes are what counts
  if (!deployment.target.holds_tensors() || options.split_instances || !result->joint ||
      !ListAllItems(deployment, facts, false, worth, &items)) {
    return changed;
  }
  const std::vector<uint64_t> start = KeptIn(deployment, facts, result->plan, items, false);
  const KeepAnswer answer = KeepMost(items.problem, start, options.node_limit);
  result->nodes += answer.nodes;
  ResidencyPlan plan = result->plan;
  if (!PlaceInside(deployment, facts, items, answer.kept, &plan).ok()) return changed;
  PlaceCarriedAs(deployment, items, answer.kept, false, &plan);
  PlaceHbmAs(items, answer.kept, &plan);
  result->plan = std::move(plan);
  changed |= answer.kept != start;
  const uint64_t always = AlwaysOnChip(deployment, facts) * worth.sram;
  // The bound of what is kept may count a tensor on chip and in HBM, too.
  const uint64_t most = moved * weights.dram - always;
  *parts_bound = std::max(*parts_bound, most - std::min(most, answer.bound));
  return changed;
}

void StateTimes(const Deployment& deployment, const std::vector<ProgramFacts>& facts,
                const TierWeights& weights, uint64_t parts_bound, const ResidencyPlan& density,
                OptimalResidency* result) {
  const TierTraffic traffic = TrafficOf(deployment, facts, result->plan);
  result->traffic = traffic;
  result->sram_time = TimeOf(traffic.sram * weights.sram, weights);
  result->hbm_time = TimeOf(traffic.hbm * weights.hbm, weights);
  result->dram_time = TimeOf(traffic.dram * weights.dram, weights);
  const uint64_t parts = PartsOf(traffic, weights);
  result->time = TimeOf(parts, weights);
  result->density_time = TimeOf(PartsOf(TrafficOf(deployment, facts, density), weights), weights);
  result->time_lower_bound = TimeOf(parts_bound, weights);
  result->time_proven = parts == parts_bound;
}

}  // namespace

uint64_t MovedOffChip(const Deployment& deployment, const ResidencyPlan& plan) {
  uint64_t moved = 0;
  for (const ResidencyClass& c : plan.classes) moved += c.moved_bytes * InstancesOff(deployment, c);
  return moved;
}

absl::StatusOr<OptimalResidency> PlanOptimally(const Deployment& deployment,
                                               const OptimalOptions& options) {
  const absl::StatusOr<std::vector<ProgramFacts>> facts = FindFacts(deployment);
  if (!facts.ok()) return facts.status();
  return PlanOptimallyWith(deployment, *facts, options);
}

absl::StatusOr<OptimalResidency> PlanOptimallyWith(const Deployment& deployment,
                                                   const std::vector<ProgramFacts>& facts,
                                                   const OptimalOptions& options) {
  const absl::StatusOr<ResidencyPlan> by_density =
      PlanByDensityWith(deployment, facts, SpillRule::kFurthestEnd);
  if (!by_density.ok()) return by_density.status();
  const ResidencyPlan& density = *by_density;
  const absl::StatusOr<uint64_t> moved = SumMoved(deployment, facts);
  if (!moved.ok()) return moved.status();
  OptimalResidency result;
  result.plan = density;
  result.density_moved_off_chip = MovedOffChip(deployment, result.plan);
  result.lower_bound = *moved;
  // Where it does not hold together (a sum that does not fit), DENSITY's own plan will do.
  const absl::StatusOr<ResidencyPlan> cheapest =
      PlanByDensityWith(deployment, facts, SpillRule::kCheapest);
  if (cheapest.ok() && MovedOffChip(deployment, *cheapest) < result.density_moved_off_chip) {
    result.plan = *cheapest;
  }
  if (deployment.target.holds_tensors()) {
    FillSram(deployment, facts, options, *moved, &result);
  } else {
    for (PlannedChip& chip : result.plan.chips) chip.hbm_bytes = 0;
    for (ResidencyClass& c : result.plan.classes) c.tier = Tier::kDram;
  }
  result.moved_off_chip = MovedOffChip(deployment, result.plan);
  result.proven = result.moved_off_chip == result.lower_bound;
  FillHbm(deployment, options.node_limit, &result);
  SetClassTiers(&result.plan);
  result.traffic = TrafficOf(deployment, facts, result.plan);
  if (!options.bandwidths.has_value()) return result;

  const absl::StatusOr<TierWeights> weights = WeightsOf(*options.bandwidths, *moved);
  if (!weights.ok()) return weights.status();
  uint64_t parts_bound = 0;
  const bool changed =
      MinimizeTime(deployment, facts, options, *weights, *moved, density, &parts_bound, &result);
  SetClassTiers(&result.plan);
  StateTimes(deployment, facts, *weights, parts_bound, density, &result);
  result.moved_off_chip = MovedOffChip(deployment, result.plan);
  result.proven = result.moved_off_chip == result.lower_bound;
  if (!changed) return result;
  // What HBM could serve at most was asked of other classes off chip.
  result.moved_in_hbm = result.traffic.hbm;
  result.hbm_upper_bound = deployment.target.hbm_bytes > 0 ? result.moved_off_chip : 0;
  result.hbm_proven = result.moved_in_hbm == result.hbm_upper_bound;
  return result;
}

}  // namespace torqsched
