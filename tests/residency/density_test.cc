// Strategy DENSITY: the cases with answers, 10,000 random deployments against the reference, what
// the specification calls invalid, and the edges.
#include "src/residency/density.h"

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "src/stream/error.h"
#include "tests/reference/residency/residency_case_io.h"
#include "tests/reference/residency/residency_reference.h"
#include "tests/residency/random_deployments.h"

namespace torqsched {
namespace {

using reference::ResidencyAnswer;
using reference::ResidencyCase;

TEST(DensityTest, EveryCase) {
  const absl::StatusOr<std::deque<ResidencyCase>> cases =
      reference::LoadResidencyCases("testdata/cases/residency.jsonl");
  ASSERT_TRUE(cases.ok()) << cases.status();
  ASSERT_EQ(cases->size(), 12u);
  for (const ResidencyCase& one : *cases) {
    const absl::StatusOr<ResidencyPlan> plan = PlanByDensity(one.deployment);
    ASSERT_TRUE(plan.ok()) << one.name << ": " << plan.status();
    EXPECT_EQ(reference::WordsOf(one.deployment, *plan), one.expected) << one.name;
    const ResidencyAnswer answer = reference::PlanResidency(one.deployment);
    ASSERT_EQ(answer.error_field, "") << one.name;
    EXPECT_EQ(reference::WordsOf(one.deployment, answer.plan), one.expected) << one.name;
  }
}

// What random deployments must have for the comparison to mean something.
struct Seen {
  uint64_t errors = 0, sums = 0, spilled = 0, tables_on = 0, carried_on = 0, carried_off = 0;
  uint64_t hbm = 0, zero_bytes = 0, no_crossbar = 0, no_sram = 0, far_chips = 0, untouched = 0;

  void Count(const Deployment& d, const ResidencyPlan& plan) {
    no_crossbar += !d.target.crossbar;
    no_sram += d.target.sram_bytes == 0;
    far_chips += !plan.chips.empty() && plan.chips.back().chip > 60000;
    for (const ResidencyClass& c : plan.classes) {
      (c.tier == Tier::kSram ? carried_on : carried_off) += c.carried;
      hbm += c.tier == Tier::kHbm;
      zero_bytes += c.bytes == 0;
    }
    for (const PlannedProgram& program : plan.programs) {
      tables_on += program.tables_on_chip;
      for (const PlannedActivation& a : program.activations) {
        spilled += a.spilled;
        untouched += !a.accessed;
      }
    }
  }
};

// Compares one with the reference; false: they differ, and it is reported.
bool Compare(const Deployment& deployment, const std::string& what, Seen* seen) {
  const ResidencyAnswer expected = reference::PlanResidency(deployment);
  const absl::StatusOr<ResidencyPlan> plan = PlanByDensity(deployment);
  const std::string field = plan.ok() ? "" : PlaceOf(plan.status()).field;
  if (!expected.error_field.empty() || !plan.ok()) {
    ++seen->errors;
    if (!plan.ok()) seen->sums += plan.status().message().find("64 bits") != std::string::npos;
    if (field == expected.error_field) return true;
    ADD_FAILURE() << what << ": expected an error at '" << expected.error_field << "', is '"
                  << field << "' " << plan.status() << "\n"
                  << Describe(deployment);
    return false;
  }
  seen->Count(deployment, *plan);
  const std::string differences = reference::Differences(expected.plan, *plan);
  if (differences.empty()) return true;
  ADD_FAILURE() << what << "\n" << differences << Describe(deployment);
  return false;
}

Seen CompareSeeds(const DeploymentShape& shape, uint64_t first, uint64_t count) {
  Seen seen;
  int failed = 0;
  for (uint64_t seed = first; seed < first + count && failed < 3; ++seed) {
    const RandomDeployment random = MakeRandomDeployment(shape, seed);
    failed += !Compare(random.deployment, absl::StrCat("seed ", seed), &seen);
  }
  return seen;
}

TEST(DensityTest, TenThousandRandomDeploymentsAreAsTheReferenceSays) {
  const Seen seen = CompareSeeds({}, 0, 10000);
  EXPECT_GE(seen.errors, 500u);
  EXPECT_GE(seen.sums, 50u);
  EXPECT_GE(seen.spilled, 3000u);
  EXPECT_GE(seen.tables_on, 1000u);
  EXPECT_GE(seen.carried_on, 3000u);
  EXPECT_GE(seen.carried_off, 3000u);
  EXPECT_GE(seen.hbm, 3000u);
  EXPECT_GE(seen.zero_bytes, 1000u);
  EXPECT_GE(seen.no_crossbar, 300u);
  EXPECT_GE(seen.no_sram, 300u);
  EXPECT_GE(seen.far_chips, 500u);
  EXPECT_GE(seen.untouched, 3000u);
}

TEST(DensityTest, FewerLargerRandomDeployments) {
  DeploymentShape shape;
  shape.most_tensors = 60;
  shape.most_programs = 2;
  CompareSeeds(shape, 1000000, 300);
}

// Above 512 items sorting goes by digits.
TEST(DensityTest, LargeOnesToo) {
  Seen seen;
  for (uint64_t seed = 0; seed < 2; ++seed) {
    const RandomDeployment random = MakeLargeDeployment(1000, seed == 0 ? 200 : 9000, seed);
    Compare(random.deployment, absl::StrCat("large ", seed), &seen);
  }
  EXPECT_GE(seen.spilled, 100u);
}

// Densities so close that only the exact product tells them apart.
TEST(DensityTest, NearTies) {
  for (uint64_t bytes = (uint64_t{1} << 40) - 5; bytes < (uint64_t{1} << 62);
       bytes = bytes * 3 + 1) {
    RandomDeployment random;
    DeployedProgram program;
    program.name = "p";
    for (uint64_t i = 0; i < 12; ++i) {
      random.names.push_back(absl::StrCat("t", i * 7 % 12));
      const uint64_t size = bytes - i * 5 % 12;
      program.tensors.push_back({random.names.back(), TensorRole::kState, size, size - 1 - i % 2});
    }
    random.deployment.target = {bytes * 2 + 7, bytes * 2 + 9, true};
    random.deployment.programs.push_back(program);
    Seen seen;
    ASSERT_TRUE(Compare(random.deployment, absl::StrCat("near ties at ", bytes), &seen));
    EXPECT_GE(seen.carried_on, 1u);
  }
}

TEST(DensityTest, NothingAtAll) {
  const absl::StatusOr<ResidencyPlan> plan = PlanByDensity({});
  ASSERT_TRUE(plan.ok());
  EXPECT_TRUE(plan->programs.empty());
  EXPECT_TRUE(plan->classes.empty());
  EXPECT_TRUE(plan->chips.empty());
}

// A program with one state and one activation, to break.
Deployment SmallOne() {
  Deployment d;
  d.target = {100, 0, true};
  DeployedProgram program;
  program.name = "p";
  program.tensors = {{"s", TensorRole::kState, 10, 5}, {"x", TensorRole::kActivation, 10, 5}};
  program.accesses = {{1, 0, 0, true}, {0, 0, 1, false}};
  d.programs.push_back(program);
  return d;
}

void ExpectInvalid(const Deployment& deployment, const std::string& field,
                   const std::string& words) {
  const absl::StatusOr<ResidencyPlan> plan = PlanByDensity(deployment);
  ASSERT_EQ(plan.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(PlaceOf(plan.status()).field, field);
  EXPECT_NE(plan.status().message().find(words), std::string::npos) << plan.status();
}

TEST(DensityTest, ErrorsNameTheirPlace) {
  ASSERT_TRUE(PlanByDensity(SmallOne()).ok());
  Deployment d = SmallOne();
  d.programs[0].accesses[1].tensor = 2;
  ExpectInvalid(d, "programs[0].accesses[1].tensor", "program 0 'p': access 1 to unknown tensor 2");
  d = SmallOne();
  d.programs[0].tensors[1].name = "s";
  ExpectInvalid(d, "programs[0].tensors[1].name",
                "program 0 'p', tensor 1 's': tensor 0 has the same name");
  d = SmallOne();
  d.programs.push_back(d.programs[0]);
  ExpectInvalid(d, "programs[1].name", "program 1 'p': program 0 has the same name");
  d = SmallOne();
  d.programs[0].instances = 0;
  ExpectInvalid(d, "programs[0].instances", "program 0 'p': 0 instances");
  d = SmallOne();
  d.programs[0].carried = {"s", "nobody"};
  ExpectInvalid(d, "programs[0].carried.names[1]", "carried name 1 'nobody' is that of no tensor");
  d = SmallOne();
  d.programs[0].carried = {"x"};
  ExpectInvalid(d, "programs[0].carried.names[0]", "tensor 1 'x': carried, and no state");
  d = SmallOne();
  d.programs[0].tile_accesses.push_back({0, 1, 1, 1, {}});
  ExpectInvalid(d, "programs[0].tile_accesses[0]", "tensor 0 's': moved bytes are given and tile");
}

TEST(DensityTest, SumsThatDoNotFitNameTheirPlace) {
  Deployment d = SmallOne();
  d.programs[0].buffers = {{0, 0, UINT64_MAX, 1, true}};  // counts nowhere
  EXPECT_TRUE(PlanByDensity(d).ok());
  d.programs[0].buffers[0].accumulator = false;
  ExpectInvalid(d, "programs[0].buffers[0].bytes", "ends beyond 64 bits");
  d.programs[0].buffers = {{3, 0, 0, UINT64_MAX, false}, {3, 1, 0, 1, false}};
  ExpectInvalid(d, "programs[0].buffers", "its buffers' bytes on chip 3");
  d = SmallOne();
  d.programs[0].tensors.push_back({"y", TensorRole::kActivation, UINT64_MAX - 9, 5});
  d.programs[0].accesses.push_back({2, 0, 0, true});
  ExpectInvalid(d, "programs[0].tensors[2].bytes", "tensor 2 'y': the live bytes on chip 0");
  d.target.crossbar = false;  // nothing is live on a chip then
  EXPECT_TRUE(PlanByDensity(d).ok());
  d = SmallOne();
  d.programs[0].instances = UINT64_MAX / 10;
  EXPECT_TRUE(PlanByDensity(d).ok());
  ++d.programs[0].instances;
  ExpectInvalid(d, "programs[0].tensors[0].bytes", "tensor 0 's': 10 bytes in each of");
  d = SmallOne();
  d.programs[0].carried.emplace();
  d.programs[0].tensors[0].bytes = UINT64_MAX - 9;
  ExpectInvalid(d, "programs[0].tensors", "its footprint and its own tables' bytes on chip 0");
}

TEST(DensityTest, TilesCountEveryLoopAtItsBound) {
  Deployment d = SmallOne();
  d.target.crossbar = false;
  d.programs[0].tensors[0].moved_bytes.reset();
  d.programs[0].tile_accesses = {{0, 2, 3, 512, {7, 5}}, {0, 1, 1, 8, {}}, {0, 9, 9, 9, {9, 0}}};
  const absl::StatusOr<ResidencyPlan> plan = PlanByDensity(d);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->classes[0].moved_bytes, 2u * 3 * 512 * 35 + 8);
  d.programs[0].tile_accesses[1].tile_bytes = UINT64_MAX;
  ExpectInvalid(d, "programs[0].tile_accesses[1]", "the bytes that it moves do not fit 64 bits");
}

}  // namespace
}  // namespace torqsched
