#include "src/residency/plan_residency.h"

#include <utility>

#include "src/residency/density.h"
#include "src/residency/explain.h"
#include "src/residency/facts.h"
#include "src/residency/optimal.h"
#include "src/residency/stream_binding.h"
#include "src/residency/transfer_time.h"

namespace torqsched {
absl::StatusOr<ResidencyAnswer> PlanResidency(const Deployment& deployment,
                                              const ResidencyOptions& options,
                                              const std::vector<StreamOfProgram>& streams) {
  absl::StatusOr<std::vector<ProgramFacts>> facts = FindFacts(deployment);
  if (!facts.ok()) return facts.status();
  if (options.optimal.bandwidths.has_value()) {  // wrong ones are refused, used or not
    const absl::StatusOr<TierWeights> weights = WeightsOf(*options.optimal.bandwidths, 0);
    if (!weights.ok()) return weights.status();
  }
  ResidencyAnswer answer;
  if (options.strategy == ResidencyStrategy::kOptimal) {
    absl::StatusOr<OptimalResidency> optimal =
        PlanOptimallyWith(deployment, *facts, options.optimal);
    if (!optimal.ok()) return optimal.status();
    answer.plan = std::exchange(optimal->plan, {});
    answer.optimal = *std::move(optimal);
  } else {
    absl::StatusOr<ResidencyPlan> plan =
        PlanByDensityWith(deployment, *facts, SpillRule::kFurthestEnd);
    if (!plan.ok()) return plan.status();
    answer.plan = *std::move(plan);
  }
  absl::StatusOr<std::vector<BoundStream>> bound =
      BindStreams(deployment, *facts, answer.plan, streams);
  if (!bound.ok()) return bound.status();
  answer.streams = *std::move(bound);
  if (options.explain) {
    answer.off_chip = ExplainOffChipWith(deployment, *facts, answer.plan, options.strategy);
  }
  answer.traffic = TrafficOf(deployment, *facts, answer.plan);
  answer.moved_bytes.reserve(facts->size());
  for (ProgramFacts& of_program : *facts) {
    answer.moved_bytes.push_back(std::move(of_program.moved_bytes));
  }
  return answer;
}

}  // namespace torqsched
