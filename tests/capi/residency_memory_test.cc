// The estimate of torqsched.h for a plan of residency, against what calls take.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>

#include "gtest/gtest.h"
#include "tests/capi/calls.h"
#include "tests/capi/counting_heap.h"
#include "tests/capi/residency_plans.h"
#include "tests/capi/residency_requests.h"
#include "tests/capi/streams.h"
#include "tests/residency/random_deployments.h"

namespace torqsched {
namespace testing {
namespace {

// What torqsched.h says.
uint64_t Estimate(const v1::PlanResidencyRequest& request, size_t request_size) {
  const bool optimal = request.options().strategy() == v1::RESIDENCY_STRATEGY_OPTIMAL;
  uint64_t bytes = 4 * request_size;
  uint64_t accesses = static_cast<uint64_t>(request.programs_size()) + 1;
  const auto count = [&bytes](uint64_t each, int items) {
    bytes += each * static_cast<uint64_t>(items);
  };
  count(1024, request.programs_size() + request.streams_size());
  int tensors = 3 * request.network().layers_size();
  for (const v1::ResidencyProgram& program : request.programs()) {
    tensors += program.tensors_size();
    count(384, program.accesses_size() + program.tile_accesses_size());
    accesses += static_cast<uint64_t>(program.accesses_size());
    count(512, program.buffers_size() + program.carried().names_size());
    for (const v1::TileAccess& tiles : program.tile_accesses()) count(32, tiles.trip_counts_size());
  }
  for (const v1::NetworkLayer& layer : request.network().layers()) {
    count(384, 4 + layer.inputs_size());
    accesses += 4 + static_cast<uint64_t>(layer.inputs_size());
    count(32, layer.input_bytes_each_size());
  }
  for (const v1::ResidencyStream& stream : request.streams()) {
    count(512, stream.stream().ops_size() + stream.bindings_size());
    count(320, stream.stream().buffers_size());
    for (const v1::Op& op : stream.stream().ops()) {
      count(96, op.operands_size());
      count(512, op.accesses_size());
    }
  }
  count(optimal ? 512 + 1024 : 512, tensors);
  if (optimal) {
    const uint64_t uses = 128 * static_cast<uint64_t>(tensors) * accesses;
    bytes += std::min<uint64_t>(402653184, uses);
  }
  return bytes;
}

// items: what there is most of, to print bytes for each of.
void ExpectWithinEstimate(const char* scene, int items, v1::PlanResidencyRequest request) {
  request.mutable_options()->set_explain(true);
  for (const char* strategy : {"density", "optimal", "time"}) {
    v1::ResidencyOptions* const options = request.mutable_options();
    if (strategy[0] != 'd') {
      options->set_strategy(v1::RESIDENCY_STRATEGY_OPTIMAL);
      options->set_node_limit(1000);
    }
    if (strategy[0] == 't') {
      request.mutable_target()->set_hbm_bytes(1 << 20);
      options->mutable_bandwidths()->mutable_sram()->set_bytes(28);
      options->mutable_bandwidths()->mutable_hbm()->set_bytes(7);
      options->mutable_bandwidths()->mutable_dram()->set_bytes(1);
    }
    const std::string bytes = request.SerializeAsString();
    const uint64_t estimate = Estimate(request, bytes.size());
    const uint64_t peak = Peak(kPlanResidency, bytes);
    std::printf("%s, %s: %llu bytes of an estimated %llu; %llu each, %llu of them of the request\n",
                scene, strategy, static_cast<unsigned long long>(peak),
                static_cast<unsigned long long>(estimate),
                static_cast<unsigned long long>(peak / static_cast<uint64_t>(items)),
                static_cast<unsigned long long>(4 * bytes.size() / static_cast<uint64_t>(items)));
    EXPECT_LE(peak, estimate) << scene << ", " << strategy;
  }
}

TEST(ResidencyMemory, Tensors) {
  ExpectWithinEstimate("ten thousand tensors", 10000,
                       ToRequest(MakeLargeDeployment(10000, 600, 1).deployment));
  ExpectWithinEstimate("forty thousand tensors, little room", 40000,
                       ToRequest(MakeLargeDeployment(40000, 10, 2).deployment));
  v1::PlanResidencyRequest request;
  request.mutable_target()->set_hbm_bytes(1);
  for (int i = 0; i < 30000; ++i) {
    v1::ResidencyProgram* const program = request.add_programs();
    program->set_name(std::to_string(i));
    program->add_tensors()->set_role(v1::TENSOR_ROLE_STATE);
  }
  ExpectWithinEstimate("a tensor a program", 30000, request);
}

// Tensors that nobody accesses, of each role.
TEST(ResidencyMemory, TensorsAlone) {
  for (const v1::TensorRole role :
       {v1::TENSOR_ROLE_ACTIVATION, v1::TENSOR_ROLE_STATE, v1::TENSOR_ROLE_WEIGHT}) {
    v1::PlanResidencyRequest request;
    request.mutable_target()->set_hbm_bytes(1000000);
    request.mutable_target()->set_sram_bytes(1000000);
    request.mutable_target()->set_crossbar(true);
    v1::ResidencyProgram* const program = request.add_programs();
    for (int i = 0; i < 50000; ++i) {
      v1::ResidencyTensor* const tensor = program->add_tensors();
      tensor->set_name(std::to_string(i));
      tensor->set_role(role);
      tensor->set_bytes(30 + static_cast<uint64_t>(i % 50));
      tensor->set_moved_bytes(static_cast<uint64_t>(i % 90));
    }
    ExpectWithinEstimate("tensors alone", 50000, request);
    if (role != v1::TENSOR_ROLE_STATE) continue;
    program->mutable_carried();
    ExpectWithinEstimate("tables alone", 50000, request);
  }
}

// Few tensors, many accesses: on one chip, each on a chip of its own, by tiles with loops.
TEST(ResidencyMemory, Accesses) {
  v1::PlanResidencyRequest request;
  request.mutable_target()->set_crossbar(true);
  request.mutable_target()->set_sram_bytes(100);
  v1::ResidencyProgram* const program = request.add_programs();
  for (int t = 0; t < 10; ++t) {
    v1::ResidencyTensor* const tensor = program->add_tensors();
    tensor->set_name(std::to_string(t));
    tensor->set_bytes(30);
  }
  for (uint32_t i = 0; i < 100000; ++i) {
    v1::TensorAccess* const access = program->add_accesses();
    access->set_tensor(i % 10);
    access->set_phase(i);
  }
  ExpectWithinEstimate("accesses", 100000, request);
  for (int i = 0; i < 100000; ++i) program->mutable_accesses(i)->set_chip(static_cast<uint32_t>(i));
  ExpectWithinEstimate("accesses on chips of their own", 100000, request);
  program->clear_accesses();
  for (int i = 0; i < 50000; ++i) {
    v1::TileAccess* const tiles = program->add_tile_accesses();
    for (int k = 0; k < 8; ++k) tiles->add_trip_counts(1);
  }
  ExpectWithinEstimate("tiles of eight loops", 50000, request);
  program->clear_tile_accesses();
  for (int i = 0; i < 50; ++i) {
    v1::TileAccess* const tiles = program->add_tile_accesses();
    for (int k = 0; k < 20000; ++k) tiles->add_trip_counts(1);
  }
  ExpectWithinEstimate("trip counts", 1000000, request);
}

TEST(ResidencyMemory, Lists) {
  v1::PlanResidencyRequest programs;
  for (int i = 0; i < 50000; ++i) programs.add_programs()->set_name(std::to_string(i));
  ExpectWithinEstimate("programs", 50000, programs);
  v1::PlanResidencyRequest buffers;
  buffers.add_programs();
  for (uint32_t i = 0; i < 100000; ++i) {
    v1::SiteBuffer* const buffer = buffers.mutable_programs(0)->add_buffers();
    buffer->set_chip(i);
    buffer->set_bytes(1);
  }
  ExpectWithinEstimate("site buffers", 100000, buffers);
  v1::PlanResidencyRequest carried;
  v1::ResidencyProgram* const program = carried.add_programs();
  program->add_tensors()->set_role(v1::TENSOR_ROLE_STATE);
  for (int i = 0; i < 100000; ++i) program->mutable_carried()->add_names();
  ExpectWithinEstimate("carried names", 100000, carried);
}

TEST(ResidencyMemory, Networks) {
  v1::PlanResidencyRequest request;
  request.mutable_target()->set_crossbar(true);
  request.mutable_target()->set_sram_bytes(1 << 24);
  *request.mutable_network() = RandomNetwork(1, 8000);
  ExpectWithinEstimate("layers", 8000, request);
  for (int i = 0; i < 8000; ++i) {
    v1::NetworkLayer* const layer = request.mutable_network()->mutable_layers(i);
    layer->set_weight_bytes(1);
    layer->mutable_state()->set_name(std::to_string(i));
    layer->mutable_state()->set_bytes(5);
    layer->mutable_state()->set_bytes_read(5);
    layer->mutable_state()->set_bytes_written(5);
  }
  ExpectWithinEstimate("layers with everything", 8000, request);
  for (v1::NetworkLayer& layer : *request.mutable_network()->mutable_layers()) layer.clear_name();
  ExpectWithinEstimate("layers without a name", 8000, request);
  request.mutable_network()->clear_layers();
  for (int i = 0; i < 20000; ++i) request.mutable_network()->add_layers()->set_output_bytes(0);
  ExpectWithinEstimate("layers of nothing", 20000, request);
  request.mutable_network()->clear_layers();
  for (int i = 0; i < 1000; ++i) {
    v1::NetworkLayer* const layer = request.mutable_network()->add_layers();
    layer->set_output_bytes(1);
    for (int k = 0; k < i && k < 100; ++k) layer->add_inputs(i - k - 1);
  }
  ExpectWithinEstimate("inputs of layers", 95000, request);
  for (v1::NetworkLayer& layer : *request.mutable_network()->mutable_layers()) {
    for (int k = 0; k < layer.inputs_size(); ++k) layer.add_input_bytes_each(1);
  }
  ExpectWithinEstimate("inputs of layers with bytes", 95000, request);
}

// Each LRAM buffer holds a state.
TEST(ResidencyMemory, Streams) {
  v1::PlanResidencyRequest request;
  request.mutable_target()->set_crossbar(true);
  request.mutable_target()->set_sram_bytes(UINT64_MAX);
  v1::ResidencyProgram* const program = request.add_programs();
  v1::ResidencyStream* const stream = request.add_streams();
  *stream->mutable_stream() = RandomRequest(1, 3000).stream();
  for (int b = 0; b < stream->stream().buffers_size(); ++b) {
    if (stream->stream().buffers(b).space() != v1::SPACE_LRAM) continue;
    v1::TensorBuffer* const binding = stream->add_bindings();
    binding->set_buffer(static_cast<uint32_t>(b));
    binding->set_tensor(static_cast<uint32_t>(program->tensors_size()));
    v1::ResidencyTensor* const tensor = program->add_tensors();
    tensor->set_name(stream->stream().buffers(b).name());
    tensor->set_role(v1::TENSOR_ROLE_STATE);
    tensor->set_bytes(stream->stream().buffers(b).size());
  }
  ExpectWithinEstimate("streams", stream->stream().ops_size(), request);
  program->clear_tensors();
  stream->clear_bindings();
  for (int i = 0; i < 4; ++i) *request.add_streams() = request.streams(0);
  ExpectWithinEstimate("many streams", 5 * stream->stream().ops_size(), request);
  request.clear_streams();
  for (int i = 0; i < 20000; ++i) request.add_streams();
  ExpectWithinEstimate("empty streams", 20000, request);
}

// Activations of which `live` are live at a time: rows of so many uses. Beside `states` of which
// each is a use of every row.
v1::PlanResidencyRequest Overlapping(uint32_t tensors, uint32_t live, uint32_t states) {
  v1::PlanResidencyRequest request;
  request.mutable_target()->set_crossbar(true);
  request.mutable_target()->set_sram_bytes(50 * uint64_t{live} + 40 * uint64_t{states});
  v1::ResidencyProgram* const program = request.add_programs();
  for (uint32_t t = 0; t < tensors + states; ++t) {
    v1::ResidencyTensor* const tensor = program->add_tensors();
    tensor->set_name(std::to_string(t));
    tensor->set_bytes(90 + t % 20);
    tensor->set_moved_bytes(100 + t % 70);
    if (t >= tensors) tensor->set_role(v1::TENSOR_ROLE_STATE);
    for (int end = 0; end < 2 && t < tensors; ++end) {
      v1::TensorAccess* const access = program->add_accesses();
      access->set_tensor(t);
      access->set_phase(t + static_cast<uint64_t>(end) * live);
      access->set_store(end == 0);
    }
  }
  return request;
}

TEST(ResidencyMemory, AroundTheMostUses) {
  ExpectWithinEstimate("4 million uses of states", 18200, Overlapping(200, 1, 18000));
  ExpectWithinEstimate("5 million uses of states", 100041, Overlapping(41, 1, 100000));
}

}  // namespace
}  // namespace testing
}  // namespace torqsched
