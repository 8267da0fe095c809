#include "src/residency/plan_residency.h"

#include <utility>

#include "src/residency/density.h"
#include "src/residency/explain.h"
#include "src/residency/facts.h"
#include "src/residency/optimal.h"
#include "src/residency/stream_binding.h"
#include "src/residency/transfer_time.h"
#include "src/stream/checked.h"

namespace torqsched {
namespace {

// As TrafficOf, where nothing is known of the sums.
TierTraffic SaturatedTraffic(const Deployment& deployment, const std::vector<ProgramFacts>& facts,
                             const ResidencyPlan& plan) {
  TierTraffic traffic;
  const auto add = [&](size_t p, size_t t, uint64_t instances, uint64_t* sum) {
    *sum = SaturatingAdd(*sum, SaturatingMultiply(facts[p].moved_bytes[t], instances));
  };
  size_t next = 0;  // in classes, which are by program, then by tensor
  for (size_t p = 0; p < facts.size(); ++p) {
    const uint64_t instances = deployment.programs[p].instances;
    for (size_t t = 0; t < facts[p].moved_bytes.size(); ++t) {
      uint64_t on_chip = instances;
      if (next < plan.classes.size() && plan.classes[next].program == p &&
          plan.classes[next].tensor == t) {
        const ResidencyClass& c = plan.classes[next++];
        on_chip = c.instances_on_chip;
        add(p, t, instances - on_chip, c.tier == Tier::kHbm ? &traffic.hbm : &traffic.dram);
      }
      add(p, t, on_chip, &traffic.sram);
    }
  }
  return traffic;
}

}  // namespace

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
  answer.traffic = SaturatedTraffic(deployment, *facts, answer.plan);
  answer.moved_bytes.reserve(facts->size());
  for (ProgramFacts& of_program : *facts) {
    answer.moved_bytes.push_back(std::move(of_program.moved_bytes));
  }
  return answer;
}

}  // namespace torqsched
