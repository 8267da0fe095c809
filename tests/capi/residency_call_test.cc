// torqsched_plan_residency against the reference: the cases with answers, random deployments,
// strategy OPTIMAL and what it says of itself, explanations, networks, and streams that are then
// scheduled.
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "src/residency/deployment.h"
#include "src/residency/plan.h"
#include "tests/capi/calls.h"
#include "tests/capi/residency_plans.h"
#include "tests/capi/residency_requests.h"
#include "tests/capi/streams.h"
#include "tests/reference/residency/residency_case_io.h"
#include "tests/reference/residency/residency_exhaustive.h"
#include "tests/reference/residency/residency_reference.h"
#include "tests/residency/random_deployments.h"

namespace torqsched {
namespace testing {
namespace {

using ::torqsched::reference::ResidencyCase;

// The response; the test fails where there is an error instead.
v1::PlanResidencyResponse PlanWell(const v1::PlanResidencyRequest& request) {
  const Answer answer = Ask(kPlanResidency, request);
  EXPECT_EQ(answer.code, TORQSCHED_OK) << Parse<v1::Error>(answer.bytes).ShortDebugString();
  if (answer.code != TORQSCHED_OK) return v1::PlanResidencyResponse();
  return Parse<v1::PlanResidencyResponse>(answer.bytes);
}

std::string TrafficText(const TierTraffic& traffic) {
  return absl::StrCat(traffic.sram, " ", traffic.hbm, " ", traffic.dram);
}
std::string TrafficText(const v1::TierTraffic& traffic) {
  return TrafficText({traffic.sram_bytes(), traffic.hbm_bytes(), traffic.dram_bytes()});
}

// ---- DENSITY ----

TEST(PlanResidency, EveryCase) {
  const absl::StatusOr<std::deque<ResidencyCase>> cases =
      reference::LoadResidencyCases("testdata/cases/residency.jsonl");
  ASSERT_TRUE(cases.ok()) << cases.status();
  ASSERT_EQ(cases->size(), 12u);
  for (const ResidencyCase& one : *cases) {
    SCOPED_TRACE(one.name);
    const v1::PlanResidencyResponse response = PlanWell(ToRequest(one.deployment));
    EXPECT_EQ(reference::WordsOf(one.deployment, PlanOf(response)), one.expected);
    EXPECT_EQ(TrafficText(response.traffic()), TrafficText(TrafficIn(one.deployment, response)));
    EXPECT_FALSE(response.has_proof());
    EXPECT_FALSE(response.has_network_program());
    EXPECT_EQ(response.explanations_size(), 0);
    EXPECT_EQ(response.streams_size(), 0);
  }
}

TEST(PlanResidency, ThousandRandomDeploymentsAreAsTheReferenceSays) {
  int errors = 0, sums = 0, explained = 0, far_chips = 0, untouched = 0, zero_bytes = 0;
  for (uint64_t seed = 0; seed < 1000 && !HasFailure(); ++seed) {
    const RandomDeployment random = MakeRandomDeployment({}, seed);
    SCOPED_TRACE(absl::StrCat("seed ", seed, "\n", Describe(random.deployment)));
    v1::PlanResidencyRequest request = ToRequest(random.deployment);
    request.mutable_options()->set_explain(seed % 2 == 0);
    const reference::ResidencyAnswer expected = reference::PlanResidency(random.deployment);
    const Answer answer = Ask(kPlanResidency, request);
    if (answer.code != TORQSCHED_OK) {
      ++errors;
      EXPECT_EQ(answer.code, TORQSCHED_INVALID_ARGUMENT);
      const auto error = Parse<v1::Error>(answer.bytes);
      EXPECT_EQ(error.field(), expected.error_field) << error.message();
      EXPECT_EQ(error.message().rfind("program ", 0), 0u) << error.message();
      sums += error.message().find("64 bits") != std::string::npos;
      continue;
    }
    EXPECT_EQ(expected.error_field, "");
    const auto response = Parse<v1::PlanResidencyResponse>(answer.bytes);
    EXPECT_EQ(reference::Differences(expected.plan, PlanOf(response)), "");
    EXPECT_EQ(TrafficText(response.traffic()), TrafficText(TrafficIn(random.deployment, response)));
    if (seed % 2 == 0) {
      EXPECT_EQ(WrongWithExplanations(request, response), "");
    } else {
      EXPECT_EQ(response.explanations_size(), 0);
    }
    explained += response.explanations_size();
    for (const v1::ChipResidency& chip : response.chips()) far_chips += chip.chip() > 60000;
    for (const v1::ResidencyClass& c : response.classes()) zero_bytes += c.bytes() == 0;
    for (const v1::ProgramResidency& program : response.programs()) {
      for (const v1::PlannedActivation& a : program.activations()) untouched += !a.accessed();
    }
  }
  EXPECT_GE(errors, 50);
  EXPECT_GE(sums, 5);
  EXPECT_GE(explained, 1000);
  EXPECT_GE(far_chips, 50);
  EXPECT_GE(untouched, 300);
  EXPECT_GE(zero_bytes, 100);
}

// A program's buffers of 30 bytes leave 70; "late" ends last and is spilled, then "kv" wants the 50
// bytes that "dense" took. All numbers by hand.
TEST(PlanResidency, ExplanationsSayWhatItWouldHaveTaken) {
  const v1::PlanResidencyResponse response = PlanWell(FromText<v1::PlanResidencyRequest>(R"pb(
    target { sram_bytes: 100 crossbar: true }
    programs {
      name: "p"
      buffers { offset: 10 bytes: 20 }
      tensors { name: "early" bytes: 40 }
      tensors { name: "late" bytes: 40 }
      tensors { name: "dense" role: TENSOR_ROLE_STATE bytes: 20 moved_bytes: 100 }
      tensors { name: "kv" role: TENSOR_ROLE_STATE bytes: 25 moved_bytes: 100 }
      tensors { name: "w" role: TENSOR_ROLE_WEIGHT bytes: 5 moved_bytes: 5 }
      accesses { tensor: 0 phase: 1 store: true }
      accesses { tensor: 1 phase: 1 store: true }
      accesses { tensor: 0 phase: 2 }
      accesses { tensor: 1 phase: 3 }
    }
    options { explain: true })pb"));
  ASSERT_EQ(response.explanations_size(), 3) << response.DebugString();
  const v1::OffChipExplanation& late = response.explanations(0);
  EXPECT_EQ(response.classes(static_cast<int>(late.class_index())).tensor(), 1u);
  EXPECT_EQ(late.reason(), v1::OFF_CHIP_REASON_SPILLED);
  EXPECT_EQ(late.phase(), 1u);
  EXPECT_EQ(late.bytes_short(), 10u);  // 40 + 40 in 70
  EXPECT_FALSE(late.has_preferred());
  const v1::OffChipExplanation& kv = response.explanations(1);
  EXPECT_EQ(response.classes(static_cast<int>(kv.class_index())).tensor(), 3u);
  EXPECT_EQ(kv.reason(), v1::OFF_CHIP_REASON_CARRIED_DOES_NOT_FIT);
  EXPECT_EQ(kv.bytes_short(), 15u);  // 100 - 70 in reserve - 20 of "dense" leaves 10
  EXPECT_EQ(response.classes(static_cast<int>(kv.preferred())).tensor(), 2u);
  EXPECT_EQ(response.explanations(2).reason(), v1::OFF_CHIP_REASON_NEVER_ON_CHIP);
}

// ---- OPTIMAL ----

DeploymentShape SmallShape() {
  DeploymentShape shape;
  shape.most_programs = 2;
  shape.most_tensors = 8;
  shape.huge = false;
  shape.mistakes = false;
  shape.tiles = false;
  return shape;
}

uint64_t MovedOffChip(const Deployment& deployment, const v1::PlanResidencyResponse& response) {
  uint64_t moved = 0;
  for (const v1::ResidencyClass& c : response.classes()) {
    moved += (deployment.programs[c.program()].instances - c.instances_on_chip()) * c.moved_bytes();
  }
  return moved;
}

// What the proof says, against the plan beside it and DENSITY's.
void CheckProof(const Deployment& deployment, v1::PlanResidencyRequest request,
                const v1::PlanResidencyResponse& response) {
  ASSERT_TRUE(response.has_proof());
  const v1::ResidencyProof& proof = response.proof();
  EXPECT_EQ(proof.moved_off_chip(), MovedOffChip(deployment, response));
  EXPECT_LE(proof.lower_bound(), proof.moved_off_chip());
  EXPECT_EQ(proof.proven(), proof.lower_bound() == proof.moved_off_chip());
  EXPECT_EQ(proof.moved_in_hbm(), response.traffic().hbm_bytes());
  EXPECT_LE(proof.moved_in_hbm(), proof.hbm_upper_bound());
  EXPECT_EQ(proof.hbm_proven(), proof.moved_in_hbm() == proof.hbm_upper_bound());
  EXPECT_EQ(TrafficText(response.traffic()), TrafficText(TrafficIn(deployment, response)));
  EXPECT_EQ(response.traffic().hbm_bytes() + response.traffic().dram_bytes(),
            proof.moved_off_chip());
  const bool split = request.options().split_instances();
  EXPECT_EQ(reference::WrongWith(deployment, PlanOf(response), split), "");
  request.mutable_options()->set_strategy(v1::RESIDENCY_STRATEGY_DENSITY);
  const v1::PlanResidencyResponse density = PlanWell(request);
  EXPECT_EQ(proof.density_moved_off_chip(), MovedOffChip(deployment, density));
  if (request.options().has_bandwidths()) return;
  EXPECT_LE(proof.moved_off_chip(), proof.density_moved_off_chip());
  EXPECT_FALSE(proof.has_time());
}

TEST(PlanOptimally, MovesTheFewestBytesThatThereAre) {
  int compared = 0, better = 0, split = 0;
  for (uint64_t seed = 0; seed < 600 && !HasFailure(); ++seed) {
    const RandomDeployment random = MakeRandomDeployment(SmallShape(), seed);
    const bool may_split = seed % 3 == 0;
    const std::optional<uint64_t> fewest =
        reference::FewestBytesOffChip(random.deployment, may_split, /*most=*/4096);
    if (!fewest.has_value()) continue;
    ++compared;
    SCOPED_TRACE(absl::StrCat("seed ", seed, "\n", Describe(random.deployment)));
    v1::PlanResidencyRequest request = ToRequest(random.deployment);
    request.mutable_options()->set_strategy(v1::RESIDENCY_STRATEGY_OPTIMAL);
    request.mutable_options()->set_split_instances(may_split);
    request.mutable_options()->set_explain(true);
    const v1::PlanResidencyResponse response = PlanWell(request);
    CheckProof(random.deployment, request, response);
    EXPECT_EQ(WrongWithExplanations(request, response), "");
    EXPECT_EQ(response.proof().moved_off_chip(), *fewest);
    EXPECT_TRUE(response.proof().proven());
    EXPECT_TRUE(response.proof().joint() || !request.target().crossbar() ||
                request.target().sram_bytes() == 0);
    better += response.proof().moved_off_chip() < response.proof().density_moved_off_chip();
    for (const v1::ResidencyClass& c : response.classes()) {
      split += c.instances_on_chip() > 0 && c.tier() != v1::TIER_SRAM;
    }
  }
  EXPECT_GE(compared, 300);
  EXPECT_GE(better, 10);
  EXPECT_GE(split, 5);
}

// A byte takes 1, 4 and 28 units: time in whole units is the cost itself.
TEST(PlanOptimally, TakesTheLeastTimeThatThereIs) {
  int compared = 0;
  for (uint64_t seed = 0; seed < 400 && !HasFailure(); ++seed) {
    const RandomDeployment random = MakeRandomDeployment(SmallShape(), seed);
    const std::optional<uint64_t> least =
        reference::LeastWeighted(random.deployment, {1, 4, 28}, /*most=*/512);
    if (!least.has_value()) continue;
    ++compared;
    SCOPED_TRACE(absl::StrCat("seed ", seed, "\n", Describe(random.deployment)));
    v1::PlanResidencyRequest request = ToRequest(random.deployment);
    request.mutable_options()->set_strategy(v1::RESIDENCY_STRATEGY_OPTIMAL);
    v1::TierBandwidths* const bandwidths = request.mutable_options()->mutable_bandwidths();
    bandwidths->mutable_sram()->set_bytes(28);
    bandwidths->mutable_sram()->set_time(28);
    bandwidths->mutable_hbm()->set_bytes(7);
    bandwidths->mutable_hbm()->set_time(28);
    bandwidths->mutable_dram()->set_bytes(1);
    bandwidths->mutable_dram()->set_time(28);
    const v1::PlanResidencyResponse response = PlanWell(request);
    CheckProof(random.deployment, request, response);
    ASSERT_TRUE(response.proof().has_time());
    const v1::ResidencyTime& time = response.proof().time();
    EXPECT_EQ(time.sram(), response.traffic().sram_bytes());
    EXPECT_EQ(time.hbm(), 4 * response.traffic().hbm_bytes());
    EXPECT_EQ(time.dram(), 28 * response.traffic().dram_bytes());
    EXPECT_EQ(time.total(), time.sram() + time.hbm() + time.dram());
    EXPECT_EQ(time.total(), *least);
    EXPECT_EQ(time.lower_bound(), *least);
    EXPECT_TRUE(time.proven());
    request.mutable_options()->set_strategy(v1::RESIDENCY_STRATEGY_DENSITY);
    const v1::TierTraffic density = PlanWell(request).traffic();
    EXPECT_EQ(time.density(),
              density.sram_bytes() + 4 * density.hbm_bytes() + 28 * density.dram_bytes());
  }
  EXPECT_GE(compared, 150);
}

TEST(PlanOptimally, FewNodesGiveAPlanAndItsGap) {
  DeploymentShape shape = SmallShape();
  shape.most_programs = 4;
  shape.most_tensors = 60;
  int gaps = 0;
  for (uint64_t seed = 0; seed < 100 && !HasFailure(); ++seed) {
    const RandomDeployment random = MakeRandomDeployment(shape, seed);
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    v1::PlanResidencyRequest request = ToRequest(random.deployment);
    request.mutable_options()->set_strategy(v1::RESIDENCY_STRATEGY_OPTIMAL);
    request.mutable_options()->set_node_limit(seed % 2 == 0 ? 0 : 100);
    const v1::PlanResidencyResponse response = PlanWell(request);
    CheckProof(random.deployment, request, response);
    EXPECT_LE(response.proof().nodes(), 200u);
    gaps += !response.proof().proven();
  }
  EXPECT_GE(gaps, 10);
}

// ---- Networks and streams ----

TEST(PlanOfANetwork, ComesWithItsProgram) {
  v1::PlanResidencyRequest request = NetworkWithStream();
  request.clear_streams();
  const v1::PlanResidencyResponse response = PlanWell(request);
  ASSERT_EQ(response.programs_size(), 1);
  const v1::ResidencyProgram& program = response.network_program();
  EXPECT_EQ(program.name(), "tiny");
  EXPECT_EQ(program.instances(), 1u);
  const struct {
    const char* name;
    v1::TensorRole role;
    uint64_t bytes;
    uint64_t moved;
    v1::Tier tier;
  } tensors[] = {{"input", v1::TENSOR_ROLE_INPUT, 64, 64, v1::TIER_DRAM},
                 {"proj weights", v1::TENSOR_ROLE_WEIGHT, 1024, 1024, v1::TIER_DRAM},
                 {"proj output", v1::TENSOR_ROLE_ACTIVATION, 256, 512, v1::TIER_SRAM},
                 {"kv state", v1::TENSOR_ROLE_STATE, 4096, 4160, v1::TIER_SRAM},
                 {"attend output", v1::TENSOR_ROLE_ACTIVATION, 128, 256, v1::TIER_SRAM},
                 {"out weights", v1::TENSOR_ROLE_WEIGHT, 512, 512, v1::TIER_DRAM},
                 {"out output", v1::TENSOR_ROLE_OUTPUT, 64, 64, v1::TIER_DRAM}};
  ASSERT_EQ(program.tensors_size(), 7);
  for (int t = 0; t < 7; ++t) {
    EXPECT_EQ(program.tensors(t).name(), tensors[t].name);
    EXPECT_EQ(program.tensors(t).role(), tensors[t].role);
    EXPECT_EQ(program.tensors(t).bytes(), tensors[t].bytes);
    EXPECT_EQ(program.tensors(t).moved_bytes(), tensors[t].moved);
    EXPECT_EQ(response.programs(0).tiers(t), tensors[t].tier) << t;
  }
  ASSERT_EQ(response.chips_size(), 1);
  EXPECT_EQ(response.chips(0).reserve_bytes(), 384u);  // both outputs in the second layer
  EXPECT_EQ(response.chips(0).carried_bytes(), 4096u);
  EXPECT_EQ(TrafficText(response.traffic()), "4928 0 1664");
  // Asked again with the program in place of the network, the answer is the same.
  v1::PlanResidencyRequest again;
  *again.mutable_target() = request.target();
  *again.add_programs() = program;
  v1::PlanResidencyResponse expected = response;
  expected.clear_network_program();
  EXPECT_EQ(PlanWell(again).SerializeAsString(), expected.SerializeAsString());
}

// Its chip's LRAM beside what the plan keeps elsewhere.
v1::ScheduleRequest ToSchedule(const v1::Stream& stream, uint64_t lram_bytes, uint64_t reserved) {
  v1::ScheduleRequest request;
  *request.mutable_stream() = stream;
  request.mutable_hardware()->set_lram_bytes(lram_bytes);
  request.mutable_hardware()->set_lram_reserved_bytes(reserved);
  request.mutable_hardware()->set_start_cycles(0);
  return request;
}

TEST(BoundStream, IsScheduledWithItsStateInPlace) {
  const v1::PlanResidencyRequest request = NetworkWithStream();
  const v1::PlanResidencyResponse response = PlanWell(request);
  ASSERT_EQ(response.streams_size(), 1);
  const v1::PlannedStream& planned = response.streams(0);
  EXPECT_EQ(planned.transfers_dropped(), 2u);
  EXPECT_EQ(planned.transfers_kept(), 0u);
  EXPECT_EQ(planned.reserved_bytes(), 2048u);  // the half of the state that is not in the stream
  EXPECT_TRUE(planned.stream().buffers(3).live_in());
  EXPECT_TRUE(planned.stream().buffers(3).live_out());
  EXPECT_EQ(planned.stream().ops(1).kind(), v1::OP_KIND_PURE);
  EXPECT_EQ(planned.stream().ops(4).kind(), v1::OP_KIND_PURE);
  const v1::ScheduleResponse before =
      ScheduleAndVerify(ToSchedule(request.streams(0).stream(), 8192, 100));
  const v1::ScheduleResponse after =
      ScheduleAndVerify(ToSchedule(planned.stream(), 8192, 100 + planned.reserved_bytes()));
  EXPECT_EQ(before.input_makespan(), 440u);
  EXPECT_EQ(after.input_makespan(), 220u);
  EXPECT_LE(after.allocated_makespan(), before.allocated_makespan());
  EXPECT_GT(after.allocated_makespan(), 0u);
}

TEST(BoundStream, IsLeftAloneWhereTheStateIsOffChip) {
  v1::PlanResidencyRequest request = NetworkWithStream();
  request.mutable_target()->set_sram_bytes(4096);  // 384 of them in reserve
  const v1::PlanResidencyResponse response = PlanWell(request);
  ASSERT_EQ(response.streams_size(), 1);
  EXPECT_EQ(response.streams(0).stream().SerializeAsString(),
            request.streams(0).stream().SerializeAsString());
  EXPECT_EQ(response.streams(0).reserved_bytes(), 0u);
  EXPECT_EQ(response.streams(0).transfers_dropped(), 0u);
}

// Streams of many programs, some of whose weights are states on chip: whatever is bound, the
// answer is a stream that the scheduler takes and the checker agrees with.
TEST(BoundStream, RandomStreamsAreStreams) {
  uint64_t dropped = 0;
  for (uint64_t seed = 0; seed < 40 && !HasFailure(); ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    Random random(seed);
    const v1::ScheduleRequest schedule = RandomRequest(seed, 20);
    v1::PlanResidencyRequest request;
    request.mutable_target()->set_crossbar(true);
    request.mutable_target()->set_sram_bytes(100000);
    v1::ResidencyProgram* const program = request.add_programs();
    v1::ResidencyStream* const stream = request.add_streams();
    *stream->mutable_stream() = schedule.stream();
    for (int b = 0; b < schedule.stream().buffers_size(); ++b) {
      const v1::Buffer& buffer = schedule.stream().buffers(b);
      if (buffer.space() != v1::SPACE_LRAM || random.Below(2) == 0) continue;
      v1::TensorBuffer* const binding = stream->add_bindings();
      binding->set_buffer(static_cast<uint32_t>(b));
      binding->set_tensor(static_cast<uint32_t>(program->tensors_size()));
      v1::ResidencyTensor* const tensor = program->add_tensors();
      tensor->set_name(buffer.name());
      tensor->set_role(random.Below(4) == 0 ? v1::TENSOR_ROLE_WEIGHT : v1::TENSOR_ROLE_STATE);
      tensor->set_bytes(buffer.size() + random.Below(2) * 100);
      tensor->set_moved_bytes(random.Below(100000));
    }
    const v1::PlanResidencyResponse response = PlanWell(request);
    ASSERT_EQ(response.streams_size(), 1);
    const v1::PlannedStream& planned = response.streams(0);
    uint64_t pure = 0;
    for (const v1::Op& op : planned.stream().ops()) pure += op.kind() == v1::OP_KIND_PURE;
    for (const v1::Op& op : schedule.stream().ops()) pure -= op.kind() == v1::OP_KIND_PURE;
    EXPECT_EQ(planned.transfers_dropped(), pure);
    EXPECT_LE(planned.reserved_bytes(), response.chips(0).carried_bytes());
    dropped += pure;
    ScheduleAndVerify(ToSchedule(planned.stream(), 1000000, planned.reserved_bytes()));
  }
  EXPECT_GE(dropped, 40u);
}

// ---- The same bytes ----

TEST(PlanResidency, SameRequestSameBytes) {
  std::vector<v1::PlanResidencyRequest> requests;
  std::vector<Answer> expected;
  for (uint64_t seed = 0; seed < 12; ++seed) {
    requests.push_back(RandomResidency(seed, 40));
    expected.push_back(Ask(kPlanResidency, requests.back()));
    EXPECT_EQ(expected.back().code, TORQSCHED_OK)
        << Parse<v1::Error>(expected.back().bytes).ShortDebugString();
  }
  std::vector<std::thread> threads;
  for (size_t thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      for (size_t i = 0; i < requests.size(); ++i) {
        const size_t which = (i + thread) % requests.size();
        EXPECT_TRUE(Ask(kPlanResidency, requests[which]).bytes == expected[which].bytes) << which;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace testing
}  // namespace torqsched
