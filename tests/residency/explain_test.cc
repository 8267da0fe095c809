// Explanations: what they say is so. With as many bytes of SRAM more as a class is short of on its
// chip, it would have fit beside what was preferred.
#include "src/residency/explain.h"

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "src/residency/density.h"
#include "src/residency/optimal.h"
#include "tests/residency/random_deployments.h"

namespace torqsched {
namespace {

std::vector<OffChipExplanation> Explain(const Deployment& deployment, const ResidencyPlan& plan,
                                        ResidencyStrategy strategy = ResidencyStrategy::kDensity) {
  absl::StatusOr<std::vector<OffChipExplanation>> all = ExplainOffChip(deployment, plan, strategy);
  EXPECT_TRUE(all.ok()) << all.status();
  return all.ok() ? *all : std::vector<OffChipExplanation>();
}

TEST(ExplainTest, CarriedStates) {
  Deployment d;
  d.target = {1000, 0, true};
  DeployedProgram program;
  program.name = "p";
  program.instances = 2;
  program.buffers = {{0, 0, 0, 100, false}};
  program.tensors = {{"first", TensorRole::kState, 200, 600},
                     {"second", TensorRole::kState, 300, 600},
                     {"small", TensorRole::kState, 250, 250},
                     {"w", TensorRole::kWeight, 10, 10}};
  d.programs.push_back(program);
  const absl::StatusOr<ResidencyPlan> plan = PlanByDensity(d);
  ASSERT_TRUE(plan.ok());
  // 900 beside the buffers; first takes 400; second wants 600 of 500, small takes 500.
  const std::vector<OffChipExplanation> all = Explain(d, *plan);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].which, 1u);
  EXPECT_EQ(all[0].reason, OffChipReason::kCarriedDoesNotFit);
  EXPECT_EQ(all[0].bytes_short, 100u);
  EXPECT_EQ(all[0].preferred, 0u);
  EXPECT_EQ(all[0].preferred_moved_bytes, 600u);
  EXPECT_EQ(all[0].preferred_bytes, 200u);
  EXPECT_EQ(all[1].reason, OffChipReason::kNeverOnChip);
}

TEST(ExplainTest, SpillsAndTables) {
  Deployment d;
  d.target = {100, 0, true};
  DeployedProgram program;
  program.name = "p";
  program.carried.emplace();
  program.tensors = {{"a", TensorRole::kActivation, 60, 1},
                     {"b", TensorRole::kActivation, 70, 1},
                     {"c", TensorRole::kActivation, 90, 1},
                     {"t", TensorRole::kState, 25, 1}};
  // b spills in phase 1, beside a; c, begun in phase 3, is live with b's end alone.
  program.accesses = {{0, 0, 0, true}, {1, 5, 1, true},  {1, 0, 1, true},  {0, 0, 2, false},
                      {2, 0, 3, true}, {1, 0, 4, false}, {2, 0, 3, false}, {3, 0, 3, false}};
  d.programs.push_back(program);
  const absl::StatusOr<ResidencyPlan> plan = PlanByDensity(d);
  ASSERT_TRUE(plan.ok());
  const std::vector<OffChipExplanation> all = Explain(d, *plan);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].reason, OffChipReason::kSpilled);
  EXPECT_EQ(all[0].chip, 0u);
  EXPECT_EQ(all[0].phase, 3u);
  EXPECT_EQ(all[0].bytes_short, 60u);
  EXPECT_EQ(all[1].reason, OffChipReason::kTablesDoNotFit);
  EXPECT_EQ(all[1].bytes_short, 15u);  // beside c's 90
}

TEST(ExplainTest, BuffersBeyondTheSramCountAsWell) {
  Deployment d;
  d.target = {50, 0, true};
  DeployedProgram program;
  program.name = "p";
  program.buffers = {{0, 0, 0, 100, false}};
  program.tensors = {{"a", TensorRole::kActivation, 10, 5}, {"s", TensorRole::kState, 10, 100}};
  program.accesses = {{0, 0, 0, true}, {0, 0, 1, false}, {1, 0, 0, false}};
  d.programs.push_back(program);
  const absl::StatusOr<ResidencyPlan> plan = PlanByDensity(d);
  ASSERT_TRUE(plan.ok());
  const auto all = Explain(d, *plan);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].bytes_short, 60u);  // 100 + 10 of 50
  EXPECT_EQ(all[1].bytes_short, 60u);
}

TEST(ExplainTest, OfAnOptimalPlanAllThatIsOnChipCounts) {
  Deployment d;
  d.target = {100, 0, true};
  DeployedProgram program;
  program.name = "p";
  program.tensors = {{"a", TensorRole::kActivation, 40, 5}, {"s", TensorRole::kState, 70, 100}};
  program.accesses = {{0, 0, 0, true}, {0, 0, 1, false}, {1, 0, 0, false}};
  d.programs.push_back(program);
  const absl::StatusOr<OptimalResidency> best = PlanOptimally(d, {});
  ASSERT_TRUE(best.ok());
  ASSERT_TRUE(best->proven);
  EXPECT_EQ(best->moved_off_chip, 5u);  // the state stays
  const auto optimal = Explain(d, best->plan, ResidencyStrategy::kOptimal);
  ASSERT_EQ(optimal.size(), 1u);
  EXPECT_EQ(optimal[0].reason, OffChipReason::kSpilled);
  EXPECT_EQ(optimal[0].bytes_short, 10u);  // 70 + 40 of 100
  // DENSITY keeps the activation, and the state is 10 short beside it.
  const absl::StatusOr<ResidencyPlan> plan = PlanByDensity(d);
  ASSERT_TRUE(plan.ok());
  const auto density = Explain(d, *plan);
  ASSERT_EQ(density.size(), 1u);
  EXPECT_EQ(density[0].reason, OffChipReason::kCarriedDoesNotFit);
  EXPECT_EQ(density[0].bytes_short, 10u);
  EXPECT_EQ(density[0].preferred, kNoClass);
}

TEST(ExplainTest, RandomOnesSayWhatIsSo) {
  uint64_t explained = 0, short_of = 0;
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    const RandomDeployment random = MakeRandomDeployment({}, seed);
    const absl::StatusOr<ResidencyPlan> plan = PlanByDensity(random.deployment);
    if (!plan.ok()) continue;
    uint64_t off = 0;
    for (const ResidencyClass& c : plan->classes) off += c.tier != Tier::kSram;
    const std::vector<OffChipExplanation> all = Explain(random.deployment, *plan);
    ASSERT_EQ(all.size(), off) << "seed " << seed;
    for (const OffChipExplanation& one : all) {
      ++explained;
      short_of += one.bytes_short > 0;
      // Of a DENSITY plan a carried state is always short of something.
      if (one.reason == OffChipReason::kCarriedDoesNotFit) {
        EXPECT_GT(one.bytes_short, 0u) << "seed " << seed;
      }
      if (one.reason == OffChipReason::kTablesDoNotFit && one.bytes_short == 0) {
        ADD_FAILURE() << "tables fit, seed " << seed;
      }
      const ResidencyClass& c = plan->classes[one.which];
      for (const PlannedChip& chip : plan->chips) {
        if (chip.chip != c.chip || !c.carried || chip.reserve_bytes > chip.sram_bytes) continue;
        EXPECT_LE(one.bytes_short, c.bytes) << "seed " << seed;
      }
    }
    const absl::StatusOr<OptimalResidency> best = PlanOptimally(random.deployment, {true, 500, {}});
    if (!best.ok()) continue;
    // What OPTIMAL leaves off chip although it fits is worth nothing there, unless nodes were
    // short.
    const auto why = Explain(random.deployment, best->plan, ResidencyStrategy::kOptimal);
    for (const OffChipExplanation& one : why) {
      if (!best->proven || one.bytes_short > 0) continue;
      if (one.reason != OffChipReason::kSpilled &&
          one.reason != OffChipReason::kCarriedDoesNotFit) {
        continue;
      }
      EXPECT_EQ(best->plan.classes[one.which].moved_bytes, 0u) << "seed " << seed;
    }
  }
  EXPECT_GE(explained, 10000u);
  EXPECT_GE(short_of, 3000u);
}

}  // namespace
}  // namespace torqsched
