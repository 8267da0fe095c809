// torqsched.hpp with the classes that protoc makes, and the host's own protobuf beside the
// archive's.
//
//   cpp_messages REQUEST    REQUEST: worked example 1
#include <cstdio>
#include <fstream>
#include <torqsched/torqsched.hpp>

#include "torqsched/v1/oracle.pb.h"
#include "torqsched/v1/residency.pb.h"
#include "torqsched/v1/schedule.pb.h"
#include "torqsched/v1/simulate.pb.h"

namespace v1 = torqsched::v1;

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
  if (!response.ok()) return std::fprintf(stderr, "%s\n", response.error().ToString().c_str()), 1;
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
  if (!planned.ok()) return std::fprintf(stderr, "%s\n", planned.error().ToString().c_str()), 1;
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
  std::puts("cpp messages: ok");
  return 0;
}
