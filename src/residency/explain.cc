#include "src/residency/explain.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "src/residency/activation_sweep.h"
#include "src/residency/density_order.h"
#include "src/residency/facts.h"
#include "src/residency/placing.h"
#include "src/stream/checked.h"

namespace torqsched {
namespace {

uint64_t Beyond(uint64_t wanted, uint64_t room) { return wanted > room ? wanted - room : 0; }

// The largest of a run of numbers, and where it is first. Cost: log n.
class MaximumOfRange {
 public:
  explicit MaximumOfRange(const std::vector<uint64_t>& values)
      : size_(values.size()), best_(2 * values.size()) {
    for (size_t i = 0; i < size_; ++i) best_[size_ + i] = {values[i], i};
    for (size_t i = size_; i-- > 1;) best_[i] = Better(best_[2 * i], best_[2 * i + 1]);
  }
  // [begin, end), not empty.
  std::pair<uint64_t, size_t> Find(size_t begin, size_t end) const {
    std::pair<uint64_t, size_t> best = best_[size_ + begin];
    for (begin += size_, end += size_; begin < end; begin /= 2, end /= 2) {
      if (begin % 2 == 1) best = Better(best, best_[begin++]);
      if (end % 2 == 1) best = Better(best, best_[--end]);
    }
    return best;
  }

 private:
  using Entry = std::pair<uint64_t, size_t>;
  static Entry Better(const Entry& a, const Entry& b) {
    if (a.first != b.first) return a.first > b.first ? a : b;
    return a.second < b.second ? a : b;
  }

  size_t size_;
  std::vector<Entry> best_;
};

// What each spilled activation of a program lacks, on the chip where it lacks most.
struct Shortage {
  uint64_t bytes = 0;
  uint32_t chip = 0;
  uint64_t phase = 0;
  bool known = false;
};

void AddShortages(const ProgramFacts& facts, const ActivationSweep& sweep,
                  const std::vector<char>& spilled, size_t chip, uint64_t sram, uint64_t held,
                  std::vector<Shortage>* shortages) {
  const std::vector<LiveActivation>& all = facts.activations;
  const Run<uint32_t> begins = sweep.ByBegin(chip);
  const Run<uint32_t> ends = sweep.ByEnd(chip);
  if (begins.empty()) return;
  std::vector<uint64_t> phases, live;
  uint64_t now = 0;
  size_t ended = 0;
  for (const uint32_t a : begins) {
    for (; all[ends[ended]].end < all[a].begin; ++ended) {
      if (!spilled[ends[ended]]) now -= all[ends[ended]].bytes;
    }
    if (phases.empty() || phases.back() != all[a].begin) {
      phases.push_back(all[a].begin);
      live.push_back(0);
    }
    if (!spilled[a]) now += all[a].bytes;
    live.back() = now;
  }
  const MaximumOfRange most(live);
  for (const uint32_t a : begins) {
    if (!spilled[a]) continue;
    const auto at = [&phases](auto found) { return static_cast<size_t>(found - phases.begin()); };
    const size_t first = at(std::lower_bound(phases.begin(), phases.end(), all[a].begin));
    const size_t last = at(std::upper_bound(phases.begin(), phases.end(), all[a].end));
    const auto [beside, where] = most.Find(first, last);
    const uint64_t wanted = SaturatingAdd(SaturatingAdd(beside, held), all[a].bytes);
    const uint64_t missing = Beyond(wanted, sram);
    Shortage& shortage = (*shortages)[a];
    if (shortage.known && missing <= shortage.bytes) continue;
    shortage = {missing, facts.chips[chip], phases[where], true};
  }
}

// By position in the program's chips, what is on chip there and goes before nobody where it is
// DENSITY that chose: own tables and carried states. Of an optimal plan they are as good as others.
std::vector<uint64_t> HeldBeside(const ResidencyPlan& plan, const PlannedProgram& planned,
                                 ResidencyStrategy strategy, bool tables) {
  std::vector<uint64_t> held(planned.chips.size(), 0);
  if (strategy == ResidencyStrategy::kDensity) return held;
  for (size_t chip = 0; chip < held.size(); ++chip) {
    const ChipFootprint& footprint = planned.chips[chip];
    held[chip] = SaturatingAdd(plan.chips[ChipAt(plan, footprint.chip)].carried_bytes,
                               tables ? footprint.table_bytes : 0);
  }
  return held;
}

std::vector<Shortage> FindShortages(const Deployment& deployment, const ProgramFacts& facts,
                                    const ResidencyPlan& plan, const PlannedProgram& planned,
                                    ResidencyStrategy strategy) {
  const std::vector<uint64_t> held = HeldBeside(plan, planned, strategy, /*tables=*/true);
  const ActivationSweep sweep(facts);
  std::vector<char> spilled;
  for (const LiveActivation& a : facts.activations) {
    spilled.push_back(planned.tiers[a.tensor] != Tier::kSram);
  }
  std::vector<Shortage> shortages(spilled.size());
  for (size_t chip = 0; chip < facts.chips.size(); ++chip) {
    const uint64_t beside = SaturatingAdd(facts.buffer_bytes[chip], held[chip]);
    AddShortages(facts, sweep, spilled, chip, deployment.target.sram_bytes, beside, &shortages);
  }
  return shortages;
}

// Of a program whose tables are off chip: the chip where they lack most.
Shortage TableShortage(const Deployment& deployment, size_t p, const ProgramFacts& facts,
                       const ResidencyPlan& plan, ResidencyStrategy strategy) {
  const PlannedProgram& planned = plan.programs[p];
  const std::vector<uint64_t> held = HeldBeside(plan, planned, strategy, /*tables=*/false);
  const DeployedProgram& program = deployment.programs[p];
  std::map<uint32_t, uint64_t> bytes;
  for (size_t t = 0; t < program.tensors.size(); ++t) {
    if (program.tensors[t].role != TensorRole::kState || facts.carried[t]) continue;
    uint64_t& sum = bytes[facts.HomeOf(t)];
    sum = SaturatingAdd(sum, program.tensors[t].bytes);
  }
  Shortage worst;
  for (const auto& [chip, sum] : bytes) {
    const uint64_t all =
        SaturatingAdd(SaturatingAdd(sum, held[chip]), planned.chips[chip].footprint_bytes);
    const uint64_t missing = Beyond(all, deployment.target.sram_bytes);
    if (worst.known && missing <= worst.bytes) continue;
    worst = {missing, facts.chips[chip], 0, true};
  }
  return worst;
}

// Explains carried states by going through them in the order of density once more.
class CarriedExplainer {
 public:
  CarriedExplainer(const Deployment& deployment, const ResidencyPlan& plan,
                   ResidencyStrategy strategy)
      : deployment_(deployment), plan_(plan), strategy_(strategy) {
    std::vector<uint32_t> carried;
    for (uint32_t i = 0; i < plan.classes.size(); ++i) {
      if (plan.classes[i].carried) carried.push_back(i);
    }
    at_turn_.resize(plan.classes.size());
    std::vector<Held> held(plan.chips.size());
    for (const uint32_t i : OrderByDensity(deployment, plan.classes, carried)) {
      const ResidencyClass& c = plan.classes[i];
      Held& on_chip = held[ChipAt(plan, c.chip)];
      at_turn_[i] = on_chip;
      const uint64_t bytes = c.instances_on_chip * BytesOf(c);
      if (bytes == 0) continue;
      on_chip.bytes += bytes;
      on_chip.before_last = std::exchange(on_chip.last, i);
    }
    at_end_ = std::move(held);
  }

  void Explain(OffChipExplanation* explanation) const {
    const ResidencyClass& c = plan_.classes[explanation->which];
    const size_t at = ChipAt(plan_, c.chip);
    Held held = at_turn_[explanation->which];
    if (strategy_ == ResidencyStrategy::kOptimal) {
      held = at_end_[at];
      held.bytes -= c.instances_on_chip * BytesOf(c);
    }
    const uint64_t beside = SaturatingAdd(plan_.chips[at].reserve_bytes, held.bytes);
    explanation->bytes_short = Beyond(SaturatingAdd(beside, c.bytes), plan_.chips[at].sram_bytes);
    // Nobody is preferred to his own other instances.
    explanation->preferred = held.last == explanation->which ? held.before_last : held.last;
    if (explanation->preferred == kNoClass) return;
    const ResidencyClass& preferred = plan_.classes[explanation->preferred];
    explanation->preferred_moved_bytes = preferred.moved_bytes;
    explanation->preferred_bytes = BytesOf(preferred);
  }

 private:
  struct Held {
    uint64_t bytes = 0;
    uint32_t last = kNoClass;
    uint32_t before_last = kNoClass;
  };

  uint64_t BytesOf(const ResidencyClass& c) const {
    return deployment_.programs[c.program].tensors[c.tensor].bytes;
  }

  const Deployment& deployment_;
  const ResidencyPlan& plan_;
  const ResidencyStrategy strategy_;
  std::vector<Held> at_turn_;  // by class: before it
  std::vector<Held> at_end_;   // by chip
};

// Where tensors can live on chip.
void ExplainOne(const Deployment& deployment, const std::vector<ProgramFacts>& facts,
                const std::vector<std::vector<Shortage>>& spills,
                const std::vector<Shortage>& tables, const ResidencyClass& c,
                const CarriedExplainer& carried, OffChipExplanation* explanation) {
  Shortage shortage;
  switch (deployment.programs[c.program].tensors[c.tensor].role) {
    case TensorRole::kActivation: {
      const std::vector<LiveActivation>& all = facts[c.program].activations;
      const auto found = std::lower_bound(
          all.begin(), all.end(), c.tensor,
          [](const LiveActivation& a, uint32_t tensor) { return a.tensor < tensor; });
      explanation->reason = OffChipReason::kSpilled;
      shortage = spills[c.program][static_cast<size_t>(found - all.begin())];
      break;
    }
    case TensorRole::kState:
      if (c.carried) {
        explanation->reason = OffChipReason::kCarriedDoesNotFit;
        carried.Explain(explanation);
        return;
      }
      explanation->reason = OffChipReason::kTablesDoNotFit;
      shortage = tables[c.program];
      break;
    case TensorRole::kWeight:
    case TensorRole::kInput:
    case TensorRole::kOutput:
      explanation->reason = OffChipReason::kNeverOnChip;
      return;
  }
  explanation->chip = shortage.chip;
  explanation->phase = shortage.phase;
  explanation->bytes_short = shortage.bytes;
}

}  // namespace

absl::StatusOr<std::vector<OffChipExplanation>> ExplainOffChip(const Deployment& deployment,
                                                               const ResidencyPlan& plan,
                                                               ResidencyStrategy strategy) {
  const absl::StatusOr<std::vector<ProgramFacts>> facts = FindFacts(deployment);
  if (!facts.ok()) return facts.status();
  return ExplainOffChipWith(deployment, *facts, plan, strategy);
}

std::vector<OffChipExplanation> ExplainOffChipWith(const Deployment& deployment,
                                                   const std::vector<ProgramFacts>& facts,
                                                   const ResidencyPlan& plan,
                                                   ResidencyStrategy strategy) {
  std::vector<std::vector<Shortage>> spills;
  std::vector<Shortage> tables;
  for (size_t p = 0; p < facts.size(); ++p) {
    spills.push_back(FindShortages(deployment, facts[p], plan, plan.programs[p], strategy));
    tables.push_back(TableShortage(deployment, p, facts[p], plan, strategy));
  }
  const CarriedExplainer carried(deployment, plan, strategy);
  std::vector<OffChipExplanation> explanations;
  for (uint32_t i = 0; i < plan.classes.size(); ++i) {
    const ResidencyClass& c = plan.classes[i];
    if (c.tier == Tier::kSram) continue;
    OffChipExplanation explanation;
    explanation.which = i;
    explanation.chip = c.chip;
    explanation.reason = OffChipReason::kNoTensorsOnChip;
    if (deployment.target.holds_tensors()) {
      ExplainOne(deployment, facts, spills, tables, c, carried, &explanation);
    }
    explanations.push_back(explanation);
  }
  return explanations;
}

}  // namespace torqsched
