#include "src/residency/density.h"

#include <cstddef>
#include <vector>

#include "src/residency/activation_sweep.h"
#include "src/residency/facts.h"
#include "src/residency/placing.h"

namespace torqsched {
namespace {

// What goes on chip without being a class: activations, then own tables beside them.
absl::Status PlaceInside(const Deployment& deployment, size_t p, const ProgramFacts& facts,
                         SpillRule rule, PlannedProgram* planned) {
  std::vector<char> spilled(facts.activations.size(), 0);
  std::vector<uint64_t> peaks(facts.chips.size(), 0);
  if (deployment.target.holds_tensors()) {
    const ActivationSweep sweep(facts, rule);
    const std::vector<uint64_t> rooms = RoomsBesideBuffers(deployment.target, facts);
    absl::Status status = sweep.Spill(deployment, p, rooms, &spilled);
    if (!status.ok()) return status;
    peaks = sweep.Peaks(spilled);
  }
  SetFootprints(facts, peaks, planned);
  if (absl::Status status = PlaceTables(deployment, p, facts, true, planned); !status.ok())
    return status;
  SetTiers(deployment, p, facts, spilled, planned);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ResidencyPlan> PlanByDensity(const Deployment& deployment) {
  const absl::StatusOr<std::vector<ProgramFacts>> facts = FindFacts(deployment);
  if (!facts.ok()) return facts.status();
  return PlanByDensityWith(deployment, *facts, SpillRule::kFurthestEnd);
}

absl::StatusOr<ResidencyPlan> PlanByDensityWith(const Deployment& deployment,
                                                const std::vector<ProgramFacts>& facts,
                                                SpillRule rule) {
  ResidencyPlan plan;
  plan.programs.resize(deployment.programs.size());
  for (size_t p = 0; p < plan.programs.size(); ++p) {
    absl::Status status = PlaceInside(deployment, p, facts[p], rule, &plan.programs[p]);
    if (!status.ok()) return status;
  }
  ListChips(deployment, &plan);
  absl::Status status = ListClasses(deployment, facts, &plan);
  if (!status.ok()) return status;
  PlaceCarried(deployment, &plan);
  PlaceOffChip(deployment, &plan);
  SetClassTiers(&plan);
  return plan;
}

}  // namespace torqsched
