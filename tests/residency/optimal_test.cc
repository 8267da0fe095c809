// Strategy OPTIMAL: small deployments against trying everything, larger ones against what they say
// of themselves, and the limits.
#include "src/residency/optimal.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "src/stream/error.h"
#include "tests/reference/residency/residency_exhaustive.h"
#include "tests/residency/random_deployments.h"

namespace torqsched {
namespace {

struct Seen {
  uint64_t compared = 0, better = 0, split = 0, tables = 0, hbm = 0, gaps = 0;
};

// Plans it and checks all that can be; returns nothing where it was refused.
std::optional<OptimalResidency> Plan(const Deployment& deployment, const OptimalOptions& options,
                                     const std::string& what, Seen* seen) {
  const absl::StatusOr<OptimalResidency> result = PlanOptimally(deployment, options);
  if (!result.ok()) return std::nullopt;
  EXPECT_EQ(reference::WrongWith(deployment, result->plan, options.split_instances), "")
      << what << "\n"
      << Describe(deployment);
  if (!options.bandwidths.has_value()) {
    EXPECT_LE(result->moved_off_chip, result->density_moved_off_chip) << what;
  }
  EXPECT_LE(result->lower_bound, result->moved_off_chip) << what;
  EXPECT_LE(result->moved_in_hbm, result->hbm_upper_bound) << what;
  EXPECT_EQ(result->proven, result->lower_bound == result->moved_off_chip) << what;
  seen->better += result->moved_off_chip < result->density_moved_off_chip;
  seen->hbm += result->moved_in_hbm > 0;
  seen->gaps += !result->proven;
  for (const ResidencyClass& c : result->plan.classes) {
    seen->split += c.instances_on_chip > 0 && c.tier != Tier::kSram;
  }
  for (const PlannedProgram& program : result->plan.programs) {
    seen->tables += program.tables_on_chip;
  }
  return *result;
}

DeploymentShape SmallShape() {
  DeploymentShape shape;
  shape.most_programs = 2;
  shape.most_tensors = 8;
  shape.huge = false;
  shape.mistakes = false;
  shape.tiles = false;
  return shape;
}

Seen CompareSmall(uint64_t first, uint64_t count, bool split) {
  Seen seen;
  OptimalOptions options;
  options.split_instances = split;
  for (uint64_t seed = first; seed < first + count && !testing::Test::HasFailure(); ++seed) {
    const RandomDeployment random = MakeRandomDeployment(SmallShape(), seed);
    const std::optional<uint64_t> fewest =
        reference::FewestBytesOffChip(random.deployment, split, /*most=*/16384);
    if (!fewest.has_value()) continue;
    const std::string what = absl::StrCat("seed ", seed);
    const std::optional<OptimalResidency> result = Plan(random.deployment, options, what, &seen);
    EXPECT_TRUE(result.has_value()) << what;
    if (!result.has_value()) break;
    ++seen.compared;
    EXPECT_EQ(result->moved_off_chip, *fewest) << what << "\n" << Describe(random.deployment);
    EXPECT_TRUE(result->proven) << what;
    const std::optional<uint64_t> hbm = reference::MostBytesInHbm(random.deployment, result->plan);
    EXPECT_EQ(result->moved_in_hbm, hbm.value_or(result->moved_in_hbm)) << what;
    EXPECT_TRUE(result->hbm_proven) << what;
  }
  return seen;
}

TEST(OptimalTest, SmallOnesAgainstTryingEverything) {
  const Seen seen = CompareSmall(0, 15000, false);
  EXPECT_GE(seen.compared, 10000u);
  EXPECT_GE(seen.better, 300u);
  EXPECT_GE(seen.tables, 200u);
  EXPECT_GE(seen.hbm, 1000u);
  EXPECT_EQ(seen.split, 0u);
}

TEST(OptimalTest, SmallOnesWithInstancesSplit) {
  const Seen seen = CompareSmall(100000, 15000, true);
  EXPECT_GE(seen.compared, 2000u);
  EXPECT_GE(seen.better, 500u);
  EXPECT_GE(seen.split, 300u);
}

// SRAM, HBM and DRAM take 1, 4 and 28 units for a byte: time in whole units is the cost itself.
TEST(OptimalTest, SmallOnesByTimeAgainstTryingEverything) {
  OptimalOptions options;
  options.bandwidths = TierBandwidths{{1, 1}, {1, 4}, {1, 28}};
  Seen seen;
  uint64_t more_bytes = 0;
  for (uint64_t seed = 0; seed < 6000 && !HasFailure(); ++seed) {
    const RandomDeployment random = MakeRandomDeployment(SmallShape(), seed);
    const std::optional<uint64_t> least =
        reference::LeastWeighted(random.deployment, {1, 4, 28}, /*most=*/512);
    if (!least.has_value()) continue;
    const std::string what = absl::StrCat("seed ", seed);
    const std::optional<OptimalResidency> result = Plan(random.deployment, options, what, &seen);
    ASSERT_TRUE(result.has_value()) << what;
    ++seen.compared;
    EXPECT_EQ(result->time, *least) << what << "\n" << Describe(random.deployment);
    EXPECT_EQ(result->time_lower_bound, *least) << what;
    EXPECT_TRUE(result->time_proven) << what;
    EXPECT_LE(result->time, result->density_time) << what;
    EXPECT_EQ(result->time, result->sram_time + result->hbm_time + result->dram_time) << what;
    more_bytes += result->moved_off_chip > result->lower_bound;
  }
  EXPECT_GE(seen.compared, 3000u);
  EXPECT_GE(more_bytes, 5u);
}

TEST(OptimalTest, LargerOnesWithFewNodesSayHowFarTheyMayBe) {
  DeploymentShape shape = SmallShape();
  shape.most_programs = 4;
  shape.most_tensors = 60;
  Seen seen;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const RandomDeployment random = MakeRandomDeployment(shape, seed);
    OptimalOptions few;
    few.node_limit = 200;
    few.split_instances = seed % 2 == 0;
    OptimalOptions more = few;
    more.node_limit = 20000;
    const std::string what = absl::StrCat("seed ", seed);
    const auto first = Plan(random.deployment, few, what, &seen);
    Seen ignored;
    const auto second = Plan(random.deployment, more, what, &ignored);
    if (!first.has_value() || !second.has_value()) continue;
    EXPECT_LE(first->lower_bound, second->moved_off_chip) << what;
    EXPECT_LE(second->lower_bound, first->moved_off_chip) << what;
    EXPECT_LE(second->moved_off_chip, first->moved_off_chip) << what;
    EXPECT_LE(first->nodes, 2 * few.node_limit) << what;
  }
  EXPECT_GE(seen.gaps, 20u);
}

TEST(OptimalTest, RandomDeploymentsOfAllKindsNeverMoveMoreThanDensity) {
  Seen seen;
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    RandomDeployment random = MakeRandomDeployment({}, seed);
    OptimalOptions options;
    options.node_limit = 2000;
    const absl::StatusOr<OptimalResidency> result = PlanOptimally(random.deployment, options);
    if (!result.ok()) continue;
    ++seen.compared;
    EXPECT_LE(result->moved_off_chip, result->density_moved_off_chip) << "seed " << seed;
    EXPECT_LE(result->lower_bound, result->moved_off_chip) << "seed " << seed;
  }
  EXPECT_GE(seen.compared, 2000u);
}

// The case that greedy by density gets wrong: one dense small class keeps out two that fill it.
TEST(OptimalTest, WholeClassesAreAKnapsack) {
  Deployment d;
  d.target = {100, 0, true};
  DeployedProgram program;
  program.name = "p";
  program.tensors = {{"dense", TensorRole::kState, 10, 30},
                     {"left", TensorRole::kState, 50, 100},
                     {"right", TensorRole::kState, 50, 100}};
  d.programs.push_back(program);
  const absl::StatusOr<OptimalResidency> result = PlanOptimally(d, {});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->density_moved_off_chip, 100u);
  EXPECT_EQ(result->moved_off_chip, 30u);
  EXPECT_TRUE(result->proven);
}

// Who ends last goes by DENSITY, whatever it costs; the cheap one is enough.
TEST(OptimalTest, SpillsWhatMovesLeast) {
  Deployment d;
  d.target = {100, 0, true};
  DeployedProgram program;
  program.name = "p";
  program.instances = 3;
  program.tensors = {{"cheap", TensorRole::kActivation, 60, 1},
                     {"dear", TensorRole::kActivation, 60, 1000}};
  program.accesses = {{0, 0, 0, true}, {1, 0, 0, true}, {0, 0, 1, false}, {1, 0, 2, false}};
  d.programs.push_back(program);
  const absl::StatusOr<OptimalResidency> result = PlanOptimally(d, {});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->density_moved_off_chip, 3000u);
  EXPECT_EQ(result->moved_off_chip, 3u);
  EXPECT_TRUE(result->plan.programs[0].activations[0].spilled);
}

TEST(OptimalTest, MovedBytesThatDoNotFitNameTheTensor) {
  Deployment d;
  DeployedProgram program;
  program.name = "p";
  program.tensors = {{"a", TensorRole::kWeight, 1, UINT64_MAX}, {"b", TensorRole::kWeight, 1, 1}};
  d.programs.push_back(program);
  const absl::StatusOr<OptimalResidency> result = PlanOptimally(d, {});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(PlaceOf(result.status()).field, "programs[0].tensors[1].moved_bytes");
}

}  // namespace
}  // namespace torqsched
