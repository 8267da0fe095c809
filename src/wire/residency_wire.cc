#include "src/wire/residency_wire.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "src/stream/error.h"
#include "src/wire/network_wire.h"
#include "src/wire/stream_wire.h"

namespace torqsched {
namespace {

// ---- The request ----

std::optional<TensorRole> RoleFromProto(v1::TensorRole role) {
  switch (role) {
    case v1::TENSOR_ROLE_UNSPECIFIED:
    case v1::TENSOR_ROLE_ACTIVATION:
      return TensorRole::kActivation;
    case v1::TENSOR_ROLE_STATE:
      return TensorRole::kState;
    case v1::TENSOR_ROLE_WEIGHT:
      return TensorRole::kWeight;
    case v1::TENSOR_ROLE_INPUT:
      return TensorRole::kInput;
    case v1::TENSOR_ROLE_OUTPUT:
      return TensorRole::kOutput;
    default:
      return std::nullopt;
  }
}

absl::Status UnknownRole(const v1::ResidencyProgram& program, size_t p, size_t t) {
  const v1::ResidencyTensor& tensor = program.tensors(static_cast<int>(t));
  return ErrorAt(
      absl::StatusCode::kInvalidArgument,
      absl::StrCat(DescribeItem("program", static_cast<uint32_t>(p), program.name()), ", ",
                   DescribeItem("tensor", static_cast<uint32_t>(t), tensor.name()), ": role ",
                   static_cast<int>(tensor.role()),
                   " is not known; expected activation, state, weight, input or output"),
      {absl::StrCat("programs[", p, "].tensors[", t, "].role"), OpIndex(), BufferIndex()});
}

absl::Status TensorsFromProto(const v1::ResidencyProgram& message, size_t p,
                              std::vector<DeployedTensor>* tensors) {
  tensors->reserve(message.tensors_size());
  for (const v1::ResidencyTensor& from : message.tensors()) {
    const std::optional<TensorRole> role = RoleFromProto(from.role());
    if (!role.has_value()) {
      return UnknownRole(message, p, tensors->size());
    }
    DeployedTensor& tensor = tensors->emplace_back();
    tensor.name = from.name();
    tensor.role = *role;
    tensor.bytes = from.bytes();
    if (from.has_moved_bytes()) tensor.moved_bytes = from.moved_bytes();
  }
  return absl::OkStatus();
}

absl::Status ProgramFromProto(const v1::ResidencyProgram& message, size_t p,
                              DeployedProgram* program) {
  program->name = message.name();
  if (message.has_instances()) program->instances = message.instances();
  program->buffers.reserve(message.buffers_size());
  for (const v1::SiteBuffer& from : message.buffers()) {
    program->buffers.push_back(
        {from.chip(), from.site(), from.offset(), from.bytes(), from.accumulator()});
  }
  program->accesses.reserve(message.accesses_size());
  for (const v1::TensorAccess& from : message.accesses()) {
    program->accesses.push_back({from.tensor(), from.chip(), from.phase(), from.store()});
  }
  program->tile_accesses.reserve(message.tile_accesses_size());
  for (const v1::TileAccess& from : message.tile_accesses()) {
    program->tile_accesses.push_back({from.tensor(),
                                      from.block_height(),
                                      from.block_width(),
                                      from.tile_bytes(),
                                      {from.trip_counts().begin(), from.trip_counts().end()}});
  }
  if (message.has_carried()) {
    program->carried.emplace(message.carried().names().begin(), message.carried().names().end());
  }
  return TensorsFromProto(message, p, &program->tensors);
}

absl::Status BandwidthFromProto(bool has, const v1::TierBandwidth& message, absl::string_view name,
                                Bandwidth* bandwidth) {
  const std::string field = absl::StrCat("options.bandwidths.", name);
  if (!has) return FieldError(field, "not set; expected bytes in a time");
  bandwidth->bytes = message.bytes();
  bandwidth->time = message.time() == 0 ? 1 : message.time();
  return absl::OkStatus();
}

absl::Status BandwidthsFromProto(const v1::TierBandwidths& message, bool has_hbm_memory,
                                 TierBandwidths* bandwidths) {
  absl::Status status =
      BandwidthFromProto(message.has_sram(), message.sram(), "sram", &bandwidths->sram);
  if (status.ok()) {
    status = BandwidthFromProto(message.has_dram(), message.dram(), "dram", &bandwidths->dram);
  }
  if (!status.ok()) return status;
  if (!has_hbm_memory) {
    bandwidths->hbm = bandwidths->sram;  // nothing moves there; DRAM is held against SRAM
    return status;
  }
  return BandwidthFromProto(message.has_hbm(), message.hbm(), "hbm", &bandwidths->hbm);
}

absl::Status OptionsFromProto(const v1::PlanResidencyRequest& request, ResidencyOptions* options) {
  const v1::ResidencyOptions& message = request.options();
  switch (message.strategy()) {
    case v1::RESIDENCY_STRATEGY_UNSPECIFIED:
    case v1::RESIDENCY_STRATEGY_DENSITY:
      options->strategy = ResidencyStrategy::kDensity;
      break;
    case v1::RESIDENCY_STRATEGY_OPTIMAL:
      options->strategy = ResidencyStrategy::kOptimal;
      break;
    default:
      return FieldError("options.strategy",
                        absl::StrCat(static_cast<int>(message.strategy()),
                                     " is not known; expected density or optimal"));
  }
  options->explain = message.explain();
  options->optimal.split_instances = message.split_instances();
  if (message.has_node_limit()) options->optimal.node_limit = message.node_limit();
  if (!message.has_bandwidths()) return absl::OkStatus();
  return BandwidthsFromProto(message.bandwidths(), request.target().hbm_bytes() > 0,
                             &options->optimal.bandwidths.emplace());
}

absl::Status StreamsFromProto(const v1::PlanResidencyRequest& message,
                              std::vector<StreamOfProgram>* streams) {
  streams->reserve(message.streams_size());
  for (const v1::ResidencyStream& from : message.streams()) {
    absl::StatusOr<Stream> stream = StreamFromProto(from.stream());
    if (!stream.ok()) {
      const size_t s = streams->size();
      return Within(stream.status(),
                    DescribeItem("stream", static_cast<uint32_t>(s), from.stream().name()),
                    absl::StrCat("streams[", s, "]."));
    }
    StreamOfProgram& to = streams->emplace_back();
    to.program = from.program();
    to.chip = from.chip();
    to.stream = *std::move(stream);
    to.bindings.reserve(from.bindings_size());
    for (const v1::TensorBuffer& binding : from.bindings()) {
      to.bindings.push_back({binding.buffer(), binding.tensor()});
    }
  }
  return absl::OkStatus();
}

absl::Status ProgramsFromProto(const v1::PlanResidencyRequest& message,
                               const DeployNetworkFunction& deploy_network,
                               ParsedResidency* parsed) {
  std::vector<DeployedProgram>& programs = parsed->deployment.programs;
  if (message.has_network()) {
    if (message.programs_size() != 0) {
      return FieldError("network", "beside programs; expected one of the two");
    }
    absl::StatusOr<NetworkDeployment> network = deploy_network(NetworkFromProto(message.network()));
    if (!network.ok()) return network.status();
    parsed->network = *std::move(network);
    programs.push_back(std::move(parsed->network->program));
    return absl::OkStatus();
  }
  programs.resize(message.programs_size());
  for (size_t p = 0; p < programs.size(); ++p) {
    absl::Status status = ProgramFromProto(message.programs(static_cast<int>(p)), p, &programs[p]);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

// ---- The response ----

v1::TensorRole RoleToProto(TensorRole role) {
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
      return v1::TENSOR_ROLE_OUTPUT;
  }
  return v1::TENSOR_ROLE_UNSPECIFIED;
}

v1::Tier TierToProto(Tier tier) {
  switch (tier) {
    case Tier::kSram:
      return v1::TIER_SRAM;
    case Tier::kHbm:
      return v1::TIER_HBM;
    case Tier::kDram:
      return v1::TIER_DRAM;
  }
  return v1::TIER_UNSPECIFIED;
}

v1::OffChipReason ReasonToProto(OffChipReason reason) {
  switch (reason) {
    case OffChipReason::kNoTensorsOnChip:
      return v1::OFF_CHIP_REASON_NO_TENSORS_ON_CHIP;
    case OffChipReason::kNeverOnChip:
      return v1::OFF_CHIP_REASON_NEVER_ON_CHIP;
    case OffChipReason::kSpilled:
      return v1::OFF_CHIP_REASON_SPILLED;
    case OffChipReason::kTablesDoNotFit:
      return v1::OFF_CHIP_REASON_TABLES_DO_NOT_FIT;
    case OffChipReason::kCarriedDoesNotFit:
      return v1::OFF_CHIP_REASON_CARRIED_DOES_NOT_FIT;
  }
  return v1::OFF_CHIP_REASON_UNSPECIFIED;
}

v1::KeptReason ReasonToProto(KeptReason reason) {
  switch (reason) {
    case KeptReason::kNone:
      break;
    case KeptReason::kNoCopy:
      return v1::KEPT_REASON_NO_COPY;
    case KeptReason::kUsedOutside:
      return v1::KEPT_REASON_USED_OUTSIDE;
    case KeptReason::kNotOneToOne:
      return v1::KEPT_REASON_NOT_ONE_TO_ONE;
    case KeptReason::kReload:
      return v1::KEPT_REASON_RELOAD;
    case KeptReason::kNotStoredBack:
      return v1::KEPT_REASON_NOT_STORED_BACK;
    case KeptReason::kTableWritten:
      return v1::KEPT_REASON_TABLE_WRITTEN;
    case KeptReason::kAnotherStays:
      return v1::KEPT_REASON_ANOTHER_STAYS;
  }
  return v1::KEPT_REASON_UNSPECIFIED;
}

void ProgramToProto(const DeployedProgram& program, v1::ResidencyProgram* message) {
  message->set_name(program.name.data(), program.name.size());
  message->set_instances(program.instances);
  for (const DeployedTensor& from : program.tensors) {
    v1::ResidencyTensor* const tensor = message->add_tensors();
    tensor->set_name(from.name.data(), from.name.size());
    tensor->set_role(RoleToProto(from.role));
    tensor->set_bytes(from.bytes);
    if (from.moved_bytes.has_value()) tensor->set_moved_bytes(*from.moved_bytes);
  }
  for (const TensorAccess& from : program.accesses) {
    v1::TensorAccess* const access = message->add_accesses();
    access->set_tensor(from.tensor);
    access->set_chip(from.chip);
    access->set_phase(from.phase);
    access->set_store(from.store);
  }
}

void PlannedToProto(const PlannedProgram& planned, v1::ProgramResidency* message) {
  message->mutable_tiers()->Reserve(static_cast<int>(planned.tiers.size()));
  for (const Tier tier : planned.tiers) message->add_tiers(TierToProto(tier));
  for (const ChipFootprint& from : planned.chips) {
    v1::ChipFootprint* const chip = message->add_chips();
    chip->set_chip(from.chip);
    chip->set_buffer_bytes(from.buffer_bytes);
    chip->set_activation_bytes(from.activation_bytes);
    chip->set_footprint_bytes(from.footprint_bytes);
    chip->set_table_bytes(from.table_bytes);
  }
  message->mutable_activations()->Reserve(static_cast<int>(planned.activations.size()));
  for (const PlannedActivation& from : planned.activations) {
    v1::PlannedActivation* const activation = message->add_activations();
    activation->set_tensor(from.tensor);
    activation->set_accessed(from.accessed);
    activation->set_spilled(from.spilled);
    if (!from.accessed) continue;
    activation->set_first_phase(from.first_phase);
    activation->set_last_phase(from.last_phase);
  }
  message->set_tables_on_chip(planned.tables_on_chip);
}

void PlanToProto(const ResidencyPlan& plan, v1::PlanResidencyResponse* message) {
  for (const PlannedProgram& program : plan.programs) {
    PlannedToProto(program, message->add_programs());
  }
  message->mutable_classes()->Reserve(static_cast<int>(plan.classes.size()));
  for (const ResidencyClass& from : plan.classes) {
    v1::ResidencyClass* const c = message->add_classes();
    c->set_program(from.program);
    c->set_tensor(from.tensor);
    c->set_chip(from.chip);
    c->set_tier(TierToProto(from.tier));
    c->set_carried(from.carried);
    c->set_bytes(from.bytes);
    c->set_moved_bytes(from.moved_bytes);
    c->set_instances_on_chip(from.instances_on_chip);
  }
  for (const PlannedChip& from : plan.chips) {
    v1::ChipResidency* const chip = message->add_chips();
    chip->set_chip(from.chip);
    chip->set_sram_bytes(from.sram_bytes);
    chip->set_reserve_bytes(from.reserve_bytes);
    chip->set_carried_bytes(from.carried_bytes);
    chip->set_hbm_bytes(from.hbm_bytes);
  }
}

void ProofToProto(const OptimalResidency& optimal, bool with_time, v1::ResidencyProof* message) {
  message->set_moved_off_chip(optimal.moved_off_chip);
  message->set_lower_bound(optimal.lower_bound);
  message->set_proven(optimal.proven);
  message->set_density_moved_off_chip(optimal.density_moved_off_chip);
  message->set_moved_in_hbm(optimal.moved_in_hbm);
  message->set_hbm_upper_bound(optimal.hbm_upper_bound);
  message->set_hbm_proven(optimal.hbm_proven);
  message->set_joint(optimal.joint);
  message->set_nodes(optimal.nodes);
  if (!with_time) return;
  v1::ResidencyTime* const time = message->mutable_time();
  time->set_sram(optimal.sram_time);
  time->set_hbm(optimal.hbm_time);
  time->set_dram(optimal.dram_time);
  time->set_total(optimal.time);
  time->set_density(optimal.density_time);
  time->set_lower_bound(optimal.time_lower_bound);
  time->set_proven(optimal.time_proven);
}

void ExplanationToProto(const OffChipExplanation& from, v1::OffChipExplanation* message) {
  message->set_class_index(from.which);
  message->set_reason(ReasonToProto(from.reason));
  message->set_chip(from.chip);
  message->set_phase(from.phase);
  message->set_bytes_short(from.bytes_short);
  if (from.preferred != kNoClass) message->set_preferred(from.preferred);
}

void StreamToProto(const v1::Stream& stream, const BoundStream& bound, v1::PlannedStream* message) {
  v1::Stream* const to = message->mutable_stream();
  *to = stream;
  const auto buffer = [to](BufferIndex b) { return to->mutable_buffers(b.value()); };
  for (const BufferIndex b : bound.live_in) buffer(b)->set_live_in(true);
  for (const BufferIndex b : bound.live_out) buffer(b)->set_live_out(true);
  for (const OpIndex o : bound.dropped) {
    v1::Op* const op = to->mutable_ops(o.value());
    op->set_kind(v1::OP_KIND_PURE);
    op->clear_cycles();
    op->clear_accesses();
  }
  message->set_reserved_bytes(bound.reserved_bytes);
  message->set_transfers_dropped(bound.dropped.size());
  message->set_transfers_kept(bound.kept.size());
  for (const KeptTransfer& from : bound.kept) {
    v1::KeptTransfer* const kept = message->add_kept();
    kept->set_op(from.op.value());
    kept->set_reason(ReasonToProto(from.reason));
  }
}

}  // namespace

absl::StatusOr<ParsedResidency> ResidencyFromProto(const v1::PlanResidencyRequest& message,
                                                   const DeployNetworkFunction& deploy_network) {
  ParsedResidency parsed;
  const v1::ResidencyTarget& target = message.target();
  parsed.deployment.target = {target.sram_bytes(), target.hbm_bytes(), target.crossbar()};
  absl::Status status = OptionsFromProto(message, &parsed.options);
  if (status.ok()) status = ProgramsFromProto(message, deploy_network, &parsed);
  if (status.ok()) status = StreamsFromProto(message, &parsed.streams);
  if (!status.ok()) return status;
  return parsed;
}

absl::Status ResidencyErrorInRequest(const ParsedResidency& parsed, const absl::Status& status) {
  ErrorPlace place = PlaceOf(status);
  if (!parsed.network.has_value() || place.field.rfind("programs", 0) != 0) return status;
  place.field = "network";
  return ErrorAt(status.code(), status.message(), place);
}

void ResidencyAnswerToProto(const v1::PlanResidencyRequest& request, const ParsedResidency& parsed,
                            const ResidencyAnswer& answer, v1::PlanResidencyResponse* message) {
  PlanToProto(answer.plan, message);
  message->mutable_traffic()->set_sram_bytes(answer.traffic.sram);
  message->mutable_traffic()->set_hbm_bytes(answer.traffic.hbm);
  message->mutable_traffic()->set_dram_bytes(answer.traffic.dram);
  if (answer.optimal.has_value()) {
    ProofToProto(*answer.optimal, parsed.options.optimal.bandwidths.has_value(),
                 message->mutable_proof());
  }
  if (answer.off_chip.has_value()) {
    for (const OffChipExplanation& from : *answer.off_chip) {
      ExplanationToProto(from, message->add_explanations());
    }
  }
  if (parsed.network.has_value()) {
    ProgramToProto(parsed.deployment.programs[0], message->mutable_network_program());
  }
  for (size_t i = 0; i < answer.streams.size(); ++i) {
    StreamToProto(request.streams(static_cast<int>(i)).stream(), answer.streams[i],
                  message->add_streams());
  }
}

}  // namespace torqsched
