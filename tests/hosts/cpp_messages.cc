// torqsched.hpp with the classes that protoc makes, and the host's own protobuf beside the
// archive's.
//
//   cpp_messages REQUEST WARM    REQUEST: worked example 1; WARM: the folder of requests about
//   warms
#include <cstdio>
#include <fstream>
#include <string>
#include <torqsched/torqsched.hpp>

#include "torqsched/v1/judge.pb.h"
#include "torqsched/v1/lower.pb.h"
#include "torqsched/v1/oracle.pb.h"
#include "torqsched/v1/residency.pb.h"
#include "torqsched/v1/schedule.pb.h"
#include "torqsched/v1/simulate.pb.h"
#include "torqsched/v1/tiling.pb.h"
#include "torqsched/v1/warm.pb.h"

namespace v1 = torqsched::v1;

namespace {

// Says why a call failed; main's answer then.
int Failed(const torqsched::Error& error) {
  std::fprintf(stderr, "%s\n", error.ToString().c_str());
  return 1;
}

// Two weights that are warmed once q is written, and rounds that a warm gained in.
int TryWarms(const torqsched::Session& session, const std::string& folder) {
  std::ifstream plan_file(folder + "/two-weights.binpb", std::ios::binary);
  std::ifstream judge_file(folder + "/rounds.binpb", std::ios::binary);
  v1::PlanWarmRequest plan;
  v1::JudgeWarmRequest judge;
  if (!plan.ParseFromIstream(&plan_file) || !judge.ParseFromIstream(&judge_file)) return 2;

  const auto planned = session.PlanWarm<v1::PlanWarmResponse>(plan);
  if (!planned.ok()) return Failed(planned.error());
  if (planned->kinds_size() != 1 || planned->kinds(0).scopes_size() != 1) return 1;
  const v1::PlannedWarmScope& scope = planned->kinds(0).scopes(0);
  if (planned->change_ns() != -17112 || !scope.has_anchor() || scope.anchor() != 0 ||
      scope.regions_size() != 2 || scope.regions(0).region() != 0 ||
      scope.regions(1).region() != 1 || scope.regions(0).landed_ns() != 357470) {
    return 1;
  }
  plan.clear_timeline();
  const auto refused = torqsched::PlanWarm<v1::PlanWarmResponse>(plan);
  if (refused.code() != torqsched::Code::kInvalidArgument || refused.error().field != "timeline") {
    return 1;
  }

  const auto judged = torqsched::JudgeWarm<v1::JudgeWarmResponse>(judge);
  if (!judged.ok()) return Failed(judged.error());
  if (judged->verdict() != v1::SHIP_VERDICT_SHIP || judged->cards_size() != 1 ||
      judged->cards(0).median().value() != -15980 || judged->flags_size() != 0) {
    return 1;
  }
  judge.clear_series();
  const auto unknown = session.JudgeWarm<v1::JudgeWarmResponse>(judge);
  return unknown.code() == torqsched::Code::kInvalidArgument && unknown.error().field == "series"
             ? 0
             : 1;
}

// A contraction whose rows stay whole, and one without rows.
int TryTiles(const torqsched::Session& session) {
  v1::PlanTilesRequest plan;
  plan.set_constant_bytes(3072 * 768 * 2);
  v1::TileLoop* const loop = plan.add_loops();
  loop->set_contraction(true);
  v1::Contraction* const shape = loop->mutable_shape();
  shape->set_m(128);
  shape->set_n(3072);
  shape->set_k(768);
  shape->set_lhs_bits(16);
  shape->set_weight_bits(16);
  shape->set_out_bits(16);
  const auto planned = session.PlanTiles<v1::PlanTilesResponse>(plan);
  if (!planned.ok()) return Failed(planned.error());
  if (planned->loops_size() != 1 || planned->loops(0).bytes() != 523008 ||
      planned->loops(0).reason() != v1::BUDGET_REASON_ROWS_STAY_WHOLE) {
    return 1;
  }
  shape->clear_m();
  const auto refused = torqsched::PlanTiles<v1::PlanTilesResponse>(plan);
  return refused.code() == torqsched::Code::kInvalidArgument &&
                 refused.error().field == "loops[0].shape.m"
             ? 0
             : 1;
}

// A layer that becomes one program, and no table.
int TryLowering(const torqsched::Session& session) {
  v1::LowerRequest lower;
  v1::NetworkLayer* const layer = lower.mutable_network()->add_layers();
  layer->set_op("elementwise");
  layer->add_inputs(-1);
  layer->add_input_bytes_each(128);
  layer->set_output_bytes(128);
  for (const bool tuned : {false, true}) {
    if (tuned) lower.mutable_options()->mutable_tuning();
    const auto lowered = session.Lower<v1::LowerResponse>(lower);
    if (!lowered.ok()) return Failed(lowered.error());
    if (lowered->stream().ops_size() == 0 || lowered->layers_size() != 1 ||
        lowered->layers(0).programs() != 1 || lowered->layers(0).input_bytes() != 128 ||
        lowered->layers(0).stored_bytes() != 128 || lowered->has_tuning() != tuned) {
      return 1;
    }
  }
  lower.clear_network();
  const auto refused = torqsched::Lower<v1::LowerResponse>(lower);
  return refused.code() == torqsched::Code::kInvalidArgument && refused.error().field == "network"
             ? 0
             : 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::ifstream file(argc > 1 ? argv[1] : "", std::ios::binary);
  v1::ScheduleRequest request;
  if (!request.ParseFromIstream(&file)) return 2;

  // An oracle that places everything.
  torqsched::SessionOptions settings;
  settings.oracle = [](std::string_view bytes) -> std::optional<std::string> {
    v1::OracleRequest asked;
    if (!asked.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return std::nullopt;
    v1::SimulateRequest order;
    *order.mutable_stream() = asked.stream();
    *order.mutable_hardware() = asked.hardware();
    *order.mutable_order() = asked.order();
    *order.mutable_starts() = asked.starts();
    *order.mutable_slices() = asked.slices();
    const auto price = torqsched::Simulate<v1::SimulateResponse>(order);
    if (!price.ok()) return std::nullopt;
    v1::OracleResponse answer;
    answer.set_placed(true);
    answer.set_makespan(price->makespan());
    return answer.SerializeAsString();
  };
  const torqsched::Session session = torqsched::Session::New(settings).value();
  request.mutable_options()->set_oracle(v1::ORACLE_HOST);
  const auto response = session.Schedule<v1::ScheduleResponse>(request);
  if (!response.ok()) return Failed(response.error());
  if (response->input_makespan() != 410 || response->allocated_makespan() != 250) return 1;

  request.mutable_stream()->mutable_ops(2)->set_start(99);
  const auto refused = torqsched::Schedule<v1::ScheduleResponse>(request);
  if (refused.code() != torqsched::Code::kInvalidArgument || refused.error().op != 2u) return 1;

  // An activation that is on chip as a whole or not at all.
  v1::PlanResidencyRequest plan;
  plan.mutable_target()->set_sram_bytes(1000);
  plan.mutable_target()->set_crossbar(true);
  v1::ResidencyProgram* const program = plan.add_programs();
  v1::ResidencyTensor* const tensor = program->add_tensors();
  tensor->set_role(v1::TENSOR_ROLE_ACTIVATION);
  tensor->set_bytes(450);
  tensor->set_moved_bytes(900);
  program->add_accesses()->set_store(true);
  program->add_accesses()->set_phase(1);
  const auto planned = session.PlanResidency<v1::PlanResidencyResponse>(plan);
  if (!planned.ok()) return Failed(planned.error());
  if (planned->programs(0).tiers_size() != 1 || planned->programs(0).tiers(0) != v1::TIER_SRAM ||
      planned->traffic().sram_bytes() != 900) {
    return 1;
  }
  *program->add_tensors() = *tensor;
  const auto twice = torqsched::PlanResidency<v1::PlanResidencyResponse>(plan);
  if (twice.code() != torqsched::Code::kInvalidArgument ||
      twice.error().field != "programs[0].tensors[1].name") {
    return 1;
  }
  const int warms = TryWarms(session, argc > 2 ? argv[2] : "");
  if (warms != 0) return warms;
  const int tiles = TryTiles(session);
  if (tiles != 0) return tiles;
  const int lowering = TryLowering(session);
  if (lowering != 0) return lowering;
  std::puts("cpp messages: ok");
  return 0;
}
