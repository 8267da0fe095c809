#include "tests/capi/residency_plans.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace torqsched {
namespace testing {
namespace {

v1::TensorRole RoleOf(TensorRole role) {
  switch (role) {
    case TensorRole::kActivation:
      return v1::TENSOR_ROLE_ACTIVATION;
    case TensorRole::kState:
      return v1::TENSOR_ROLE_STATE;
    case TensorRole::kWeight:
      return v1::TENSOR_ROLE_WEIGHT;
    case TensorRole::kInput:
      return v1::TENSOR_ROLE_INPUT;
    case TensorRole::kOutput:
      break;
  }
  return v1::TENSOR_ROLE_OUTPUT;
}

Tier TierOf(v1::Tier tier) {
  switch (tier) {
    case v1::TIER_SRAM:
      return Tier::kSram;
    case v1::TIER_HBM:
      return Tier::kHbm;
    case v1::TIER_DRAM:
      return Tier::kDram;
    default:
      ADD_FAILURE() << "tier " << static_cast<int>(tier);
      return Tier::kDram;
  }
}

void AddProgram(const DeployedProgram& program, v1::PlanResidencyRequest* request) {
  v1::ResidencyProgram* const message = request->add_programs();
  message->set_name(std::string(program.name));
  message->set_instances(program.instances);
  for (const SiteBuffer& b : program.buffers) {
    v1::SiteBuffer* const buffer = message->add_buffers();
    buffer->set_chip(b.chip);
    buffer->set_site(b.site);
    buffer->set_offset(b.offset);
    buffer->set_bytes(b.bytes);
    buffer->set_accumulator(b.accumulator);
  }
  for (const DeployedTensor& t : program.tensors) {
    v1::ResidencyTensor* const tensor = message->add_tensors();
    tensor->set_name(std::string(t.name));
    tensor->set_role(RoleOf(t.role));
    tensor->set_bytes(t.bytes);
    if (t.moved_bytes.has_value()) tensor->set_moved_bytes(*t.moved_bytes);
  }
  for (const TensorAccess& a : program.accesses) {
    v1::TensorAccess* const access = message->add_accesses();
    access->set_tensor(a.tensor);
    access->set_chip(a.chip);
    access->set_phase(a.phase);
    access->set_store(a.store);
  }
  for (const TileAccess& a : program.tile_accesses) {
    v1::TileAccess* const access = message->add_tile_accesses();
    access->set_tensor(a.tensor);
    access->set_block_height(a.block_height);
    access->set_block_width(a.block_width);
    access->set_tile_bytes(a.tile_bytes);
    for (const uint64_t trips : a.trip_counts) access->add_trip_counts(trips);
  }
  if (!program.carried.has_value()) return;
  message->mutable_carried();
  for (const absl::string_view name : *program.carried) {
    message->mutable_carried()->add_names(std::string(name));
  }
}

PlannedProgram ProgramOf(const v1::ProgramResidency& message) {
  PlannedProgram program;
  for (const int tier : message.tiers()) program.tiers.push_back(TierOf(v1::Tier(tier)));
  for (const v1::ChipFootprint& f : message.chips()) {
    program.chips.push_back(
        {f.chip(), f.buffer_bytes(), f.activation_bytes(), f.footprint_bytes(), f.table_bytes()});
  }
  for (const v1::PlannedActivation& a : message.activations()) {
    program.activations.push_back(
        {a.tensor(), a.accessed(), a.spilled(), a.first_phase(), a.last_phase()});
  }
  program.tables_on_chip = message.tables_on_chip();
  return program;
}

// Of one instance, which is known to fit 64 bits.
uint64_t MovedBytes(const DeployedProgram& program, uint32_t tensor) {
  uint64_t moved = program.tensors[tensor].moved_bytes.value_or(0);
  for (const TileAccess& access : program.tile_accesses) {
    if (access.tensor != tensor) continue;
    uint64_t bytes = access.block_height * access.block_width * access.tile_bytes;
    for (const uint64_t trips : access.trip_counts) bytes *= trips;
    moved += bytes;
  }
  return moved;
}

uint64_t Saturated(absl::uint128 sum) {
  return absl::Uint128High64(sum) != 0 ? std::numeric_limits<uint64_t>::max()
                                       : absl::Uint128Low64(sum);
}

}  // namespace

v1::PlanResidencyRequest ToRequest(const Deployment& deployment) {
  v1::PlanResidencyRequest request;
  request.mutable_target()->set_sram_bytes(deployment.target.sram_bytes);
  request.mutable_target()->set_hbm_bytes(deployment.target.hbm_bytes);
  request.mutable_target()->set_crossbar(deployment.target.crossbar);
  for (const DeployedProgram& program : deployment.programs) AddProgram(program, &request);
  return request;
}

ResidencyPlan PlanOf(const v1::PlanResidencyResponse& response) {
  ResidencyPlan plan;
  for (const v1::ProgramResidency& program : response.programs()) {
    plan.programs.push_back(ProgramOf(program));
  }
  for (const v1::ResidencyClass& c : response.classes()) {
    plan.classes.push_back({c.program(), c.tensor(), c.chip(), TierOf(c.tier()), c.carried(),
                            c.bytes(), c.moved_bytes(), c.instances_on_chip()});
  }
  for (const v1::ChipResidency& chip : response.chips()) {
    plan.chips.push_back({chip.chip(), chip.sram_bytes(), chip.reserve_bytes(),
                          chip.carried_bytes(), chip.hbm_bytes()});
  }
  return plan;
}

TierTraffic TrafficIn(const Deployment& deployment, const v1::PlanResidencyResponse& response) {
  absl::uint128 sums[3] = {0, 0, 0};  // SRAM, HBM, DRAM
  const auto add = [&sums](Tier tier, uint64_t moved, uint64_t instances) {
    absl::uint128& sum = sums[static_cast<int>(tier)];
    const absl::uint128 more = absl::uint128(moved) * instances;
    sum = more > absl::Uint128Max() - sum ? absl::Uint128Max() : sum + more;
  };
  for (size_t p = 0; p < deployment.programs.size(); ++p) {
    const DeployedProgram& program = deployment.programs[p];
    for (uint32_t t = 0; t < program.tensors.size(); ++t) {
      const auto c =
          std::find_if(response.classes().begin(), response.classes().end(),
                       [&](const auto& one) { return one.program() == p && one.tensor() == t; });
      const uint64_t on_chip =
          c == response.classes().end() ? program.instances : c->instances_on_chip();
      const uint64_t moved = MovedBytes(program, t);
      add(Tier::kSram, moved, on_chip);
      if (on_chip == program.instances) continue;
      add(TierOf(response.programs(static_cast<int>(p)).tiers(static_cast<int>(t))), moved,
          program.instances - on_chip);
    }
  }
  return {Saturated(sums[0]), Saturated(sums[1]), Saturated(sums[2])};
}

std::string WrongWithExplanations(const v1::PlanResidencyRequest& request,
                                  const v1::PlanResidencyResponse& response) {
  std::vector<uint32_t> off_chip;
  for (int i = 0; i < response.classes_size(); ++i) {
    if (response.classes(i).tier() != v1::TIER_SRAM) off_chip.push_back(static_cast<uint32_t>(i));
  }
  if (static_cast<int>(off_chip.size()) != response.explanations_size()) {
    return absl::StrCat(response.explanations_size(), " explanations for ", off_chip.size(),
                        " classes off chip");
  }
  const bool on_chip = request.target().crossbar() && request.target().sram_bytes() > 0;
  for (int i = 0; i < response.explanations_size(); ++i) {
    const v1::OffChipExplanation& why = response.explanations(i);
    if (why.class_index() != off_chip[static_cast<size_t>(i)]) {
      return absl::StrCat("explanation ", i, " is of class ", why.class_index());
    }
    const v1::ResidencyClass& c = response.classes(static_cast<int>(why.class_index()));
    const v1::ResidencyProgram& program = request.programs(static_cast<int>(c.program()));
    v1::OffChipReason reason = v1::OFF_CHIP_REASON_NEVER_ON_CHIP;
    switch (program.tensors(static_cast<int>(c.tensor())).role()) {
      case v1::TENSOR_ROLE_ACTIVATION:
        reason = v1::OFF_CHIP_REASON_SPILLED;
        break;
      case v1::TENSOR_ROLE_STATE:
        reason = c.carried() ? v1::OFF_CHIP_REASON_CARRIED_DOES_NOT_FIT
                             : v1::OFF_CHIP_REASON_TABLES_DO_NOT_FIT;
        break;
      default:
        break;
    }
    if (!on_chip) reason = v1::OFF_CHIP_REASON_NO_TENSORS_ON_CHIP;
    if (why.reason() != reason) {
      return absl::StrCat("explanation ", i, " gives reason ", static_cast<int>(why.reason()),
                          ", expected ", static_cast<int>(reason));
    }
    if (why.has_preferred() &&
        (reason != v1::OFF_CHIP_REASON_CARRIED_DOES_NOT_FIT ||
         static_cast<int>(why.preferred()) >= response.classes_size() ||
         response.classes(static_cast<int>(why.preferred())).instances_on_chip() == 0)) {
      return absl::StrCat("explanation ", i, " prefers what is not on chip");
    }
  }
  return "";
}

}  // namespace testing
}  // namespace torqsched
