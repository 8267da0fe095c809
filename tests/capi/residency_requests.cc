#include "tests/capi/residency_requests.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "google/protobuf/text_format.h"
#include "tests/capi/streams.h"

namespace torqsched {
namespace testing {
namespace {

void AddAccesses(Random* random, uint32_t tensors, v1::ResidencyProgram* program) {
  for (uint32_t i = 0; i < 2 * tensors; ++i) {
    v1::TensorAccess* const access = program->add_accesses();
    const uint64_t near = i / 2 + random->Below(4);
    access->set_tensor(static_cast<uint32_t>(std::min<uint64_t>(near, tensors - 1)));
    access->set_chip(static_cast<uint32_t>(random->Below(2)));
    access->set_phase(i / 2);
    access->set_store(i % 2 == 0);
  }
}

void AddProgram(Random* random, uint32_t tensors, v1::PlanResidencyRequest* request) {
  v1::ResidencyProgram* const program = request->add_programs();
  program->set_name("p" + std::to_string(request->programs_size()));
  program->set_instances(1 + random->Below(4));
  v1::SiteBuffer* const buffer = program->add_buffers();
  buffer->set_site(static_cast<uint32_t>(random->Below(3)));
  buffer->set_offset(random->Below(50));
  buffer->set_bytes(random->Below(50));
  const bool carried = random->Below(2) == 0;
  for (uint32_t t = 0; t < tensors; ++t) {
    v1::ResidencyTensor* const tensor = program->add_tensors();
    tensor->set_name("t" + std::to_string(t));
    tensor->set_role(static_cast<v1::TensorRole>(1 + random->Below(8) % 5));
    tensor->set_bytes(random->Below(1000));
    if (random->Below(4) != 0) {
      tensor->set_moved_bytes(random->Below(4000));
    } else {
      v1::TileAccess* const tiles = program->add_tile_accesses();
      tiles->set_tensor(t);
      tiles->set_block_height(1 + random->Below(3));
      tiles->set_block_width(1 + random->Below(3));
      tiles->set_tile_bytes(random->Below(64));
      tiles->add_trip_counts(random->Below(9));
    }
    if (!carried || tensor->role() != v1::TENSOR_ROLE_STATE || random->Below(2) == 0) continue;
    program->mutable_carried()->add_names(tensor->name());
  }
  AddAccesses(random, tensors, program);
}

// 2^64 - 1 where it is more.
uint64_t Add(uint64_t a, uint64_t b) { return a + std::min(b, UINT64_MAX - a); }
uint64_t Multiply(uint64_t a, uint64_t b) {
  return a != 0 && b > UINT64_MAX / a ? UINT64_MAX : a * b;
}

// Goes through an answer list by list; the first thing wrong is kept.
class Glance {
 public:
  Glance(const v1::PlanResidencyRequest& request, const v1::PlanResidencyResponse& response)
      : request_(request), response_(response) {}

  std::string Look() {
    const int programs = request_.has_network() ? 1 : request_.programs_size();
    Expect(response_.programs_size() == programs, "programs");
    Expect(response_.has_network_program() == request_.has_network(), "network_program");
    for (int p = 0; p < programs && wrong_.empty(); ++p) LookAtProgram(p);
    if (wrong_.empty()) LookAtClasses();
    if (wrong_.empty()) LookAtChips();
    if (wrong_.empty()) LookAtProof();
    if (wrong_.empty()) LookAtStreams();
    return wrong_;
  }

 private:
  void Expect(bool right, const std::string& what) {
    if (!right && wrong_.empty()) wrong_ = what;
  }
  const v1::ResidencyProgram& Program(uint32_t p) const {
    return request_.has_network() ? response_.network_program()
                                  : request_.programs(static_cast<int>(p));
  }
  uint64_t InstancesOf(uint32_t p) const {
    return Program(p).has_instances() ? Program(p).instances() : 1;
  }

  void LookAtProgram(int p) {
    const v1::ProgramResidency& planned = response_.programs(p);
    const int tensors = Program(static_cast<uint32_t>(p)).tensors_size();
    const std::string name = "programs[" + std::to_string(p) + "]";
    Expect(planned.tiers_size() == tensors, name + ".tiers");
    for (const int tier : planned.tiers()) {
      Expect(tier >= v1::TIER_SRAM && tier <= v1::TIER_DRAM, name + ".tiers");
      if (tier != v1::TIER_SRAM) ++off_chip_;
    }
    for (int i = 0; i < planned.chips_size(); ++i) {
      const v1::ChipFootprint& chip = planned.chips(i);
      Expect(i == 0 || planned.chips(i - 1).chip() < chip.chip(), name + ".chips");
      Expect(chip.buffer_bytes() + chip.activation_bytes() == chip.footprint_bytes(),
             name + ".chips");
      uint64_t& reserve = reserves_[chip.chip()];
      reserve = std::max(reserve, Add(chip.footprint_bytes(), chip.table_bytes()));
    }
    for (int i = 0; i < planned.activations_size(); ++i) {
      const v1::PlannedActivation& a = planned.activations(i);
      Expect(a.tensor() < static_cast<uint32_t>(tensors), name + ".activations");
      Expect(i == 0 || planned.activations(i - 1).tensor() < a.tensor(), name + ".activations");
      Expect(a.first_phase() <= a.last_phase(), name + ".activations");
    }
  }

  void LookAtClasses() {
    std::pair<uint32_t, uint32_t> before;
    int off_chip = 0;
    for (int i = 0; i < response_.classes_size() && wrong_.empty(); ++i) {
      const v1::ResidencyClass& c = response_.classes(i);
      const std::string name = "classes[" + std::to_string(i) + "]";
      const std::pair<uint32_t, uint32_t> at(c.program(), c.tensor());
      Expect(i == 0 || before < at, name + " is out of order");
      before = at;
      Expect(c.program() < static_cast<uint32_t>(response_.programs_size()) &&
                 c.tensor() < static_cast<uint32_t>(Program(c.program()).tensors_size()),
             name + " is of no tensor");
      if (!wrong_.empty()) return;
      const uint64_t instances = InstancesOf(c.program());
      const uint64_t bytes = Program(c.program()).tensors(static_cast<int>(c.tensor())).bytes();
      Expect(
          c.tier() ==
              response_.programs(static_cast<int>(c.program())).tiers(static_cast<int>(c.tensor())),
          name + ".tier");
      Expect(c.bytes() == Multiply(bytes, instances), name + ".bytes");
      Expect(c.instances_on_chip() <= instances &&
                 (c.instances_on_chip() == instances) == (c.tier() == v1::TIER_SRAM),
             name + ".instances_on_chip");
      Expect(c.carried() || c.instances_on_chip() == 0, name + ".carried");
      Held& held = held_[c.chip()];
      held.carried = Add(held.carried, Multiply(bytes, c.instances_on_chip()));
      if (c.tier() == v1::TIER_SRAM) continue;
      ++off_chip;
      const uint64_t off = instances - c.instances_on_chip();
      uint64_t& moved = c.tier() == v1::TIER_HBM ? hbm_moved_ : dram_moved_;
      moved = Add(moved, Multiply(c.moved_bytes(), off));
      if (c.tier() == v1::TIER_HBM) held.hbm = Add(held.hbm, Multiply(bytes, off));
    }
    Expect(off_chip == off_chip_, "tensors off chip that are no classes");
    Expect(response_.explanations_size() == (request_.options().explain() ? off_chip_ : 0),
           "explanations");
    Expect(response_.traffic().hbm_bytes() == hbm_moved_, "traffic.hbm_bytes");
    Expect(response_.traffic().dram_bytes() == dram_moved_, "traffic.dram_bytes");
  }

  void LookAtChips() {
    const v1::ResidencyTarget& target = request_.target();
    for (int i = 0; i < response_.chips_size(); ++i) {
      const v1::ChipResidency& chip = response_.chips(i);
      const std::string name = "chips[" + std::to_string(i) + "]";
      const Held& held = held_[chip.chip()];
      Expect(i == 0 || response_.chips(i - 1).chip() < chip.chip(), name + " is out of order");
      Expect(chip.sram_bytes() == (target.crossbar() ? target.sram_bytes() : 0),
             name + ".sram_bytes");
      Expect(chip.reserve_bytes() == reserves_[chip.chip()], name + ".reserve_bytes");
      Expect(chip.carried_bytes() == held.carried, name + ".carried_bytes");
      Expect(chip.hbm_bytes() == held.hbm && held.hbm <= target.hbm_bytes(), name + ".hbm_bytes");
      Expect(held.carried == 0 || Add(held.carried, chip.reserve_bytes()) <= chip.sram_bytes(),
             name + " holds more than its SRAM");
    }
    Expect(held_.size() == static_cast<size_t>(response_.chips_size()) &&
               reserves_.size() <= held_.size(),
           "chips");
  }

  void LookAtProof() {
    const bool optimal = request_.options().strategy() == v1::RESIDENCY_STRATEGY_OPTIMAL;
    const v1::ResidencyProof& proof = response_.proof();
    Expect(response_.has_proof() == optimal, "proof");
    if (!optimal) return;
    Expect(proof.moved_off_chip() == Add(hbm_moved_, dram_moved_), "proof.moved_off_chip");
    Expect(proof.moved_in_hbm() == hbm_moved_ && hbm_moved_ <= proof.hbm_upper_bound(),
           "proof.moved_in_hbm");
    Expect(proof.lower_bound() <= proof.moved_off_chip(), "proof.lower_bound");
    Expect(proof.proven() == (proof.lower_bound() == proof.moved_off_chip()), "proof.proven");
    if (!request_.options().has_bandwidths()) {
      Expect(proof.moved_off_chip() <= proof.density_moved_off_chip(), "proof.density");
      return;
    }
    Expect(proof.time().lower_bound() <= proof.time().total() &&
               proof.time().total() <= proof.time().density(),
           "proof.time");
  }

  void LookAtStreams() {
    Expect(response_.streams_size() == request_.streams_size(), "streams");
    for (int i = 0; i < response_.streams_size() && wrong_.empty(); ++i) {
      const v1::Stream& before = request_.streams(i).stream();
      const v1::Stream& after = response_.streams(i).stream();
      Expect(
          before.ops_size() == after.ops_size() && before.buffers_size() == after.buffers_size() &&
              response_.streams(i).transfers_dropped() <= static_cast<uint64_t>(after.ops_size()),
          "streams[" + std::to_string(i) + "]");
    }
  }

  struct Held {
    uint64_t carried = 0;
    uint64_t hbm = 0;
  };

  const v1::PlanResidencyRequest& request_;
  const v1::PlanResidencyResponse& response_;
  std::string wrong_;
  int off_chip_ = 0;
  uint64_t hbm_moved_ = 0, dram_moved_ = 0;
  std::map<uint32_t, uint64_t> reserves_;  // by chip
  std::map<uint32_t, Held> held_;          // by chip
};

}  // namespace

v1::PlanResidencyRequest RandomResidency(uint64_t seed, uint32_t tensors) {
  Random random(seed);
  v1::PlanResidencyRequest request;
  request.mutable_target()->set_crossbar(true);
  request.mutable_target()->set_sram_bytes(200 + 300 * uint64_t{tensors});
  if (seed % 4 != 0) request.mutable_target()->set_hbm_bytes(300 * uint64_t{tensors});
  for (int p = 0; p < 2; ++p) AddProgram(&random, tensors, &request);
  v1::ResidencyOptions* const options = request.mutable_options();
  options->set_explain(seed % 2 == 0);
  if (seed % 3 != 2) return request;
  options->set_strategy(v1::RESIDENCY_STRATEGY_OPTIMAL);
  options->set_node_limit(2000);
  options->set_split_instances(seed % 2 == 0);
  options->mutable_bandwidths()->mutable_sram()->set_bytes(28);
  options->mutable_bandwidths()->mutable_hbm()->set_bytes(7);
  options->mutable_bandwidths()->mutable_dram()->set_bytes(1);
  return request;
}

v1::Network RandomNetwork(uint64_t seed, uint32_t layers) {
  Random random(seed);
  v1::Network network;
  network.set_network("seed " + std::to_string(seed));
  for (uint32_t i = 0; i < layers; ++i) {
    v1::NetworkLayer* const layer = network.add_layers();
    layer->set_name("layer." + std::to_string(i));
    layer->set_op("matmul");
    layer->set_index(i);
    layer->set_output_bytes(1 + random.Below(4096));
    layer->add_inputs(static_cast<int32_t>(i) - 1);
    if (i == 0) {
      layer->add_input_bytes_each(64);
    } else if (random.Below(4) == 0) {
      layer->add_inputs(static_cast<int32_t>(random.Below(i)));
    }
    if (random.Below(2) == 0) layer->set_weight_bytes(random.Below(1 << 20));
    if (random.Below(4) == 0) layer->set_scale_bytes(random.Below(1 << 10));
    if (random.Below(3) != 0) continue;
    v1::NetworkState* const state = layer->mutable_state();
    state->set_name("kv" + std::to_string(i));
    state->set_bytes(1 + random.Below(1 << 16));
    state->set_bytes_read(state->bytes());
    state->set_bytes_written(64);
  }
  return network;
}

v1::PlanResidencyRequest NetworkWithStream() {
  v1::PlanResidencyRequest request;
  google::protobuf::TextFormat::ParseFromString(
      R"pb(
        target { sram_bytes: 16384 crossbar: true }
        network {
          network: "tiny"
          layers {
            name: "proj"
            op: "matmul"
            inputs: -1
            input_bytes_each: 64
            output_bytes: 256
            weight_bytes: 1024
          }
          layers {
            name: "attend"
            op: "attention"
            inputs: 0
            output_bytes: 128
            state { name: "kv" bytes: 4096 bytes_read: 4096 bytes_written: 64 }
          }
          layers { name: "out" op: "matmul" inputs: 1 output_bytes: 64 weight_bytes: 512 }
        }
        streams {
          stream {
            name: "tiny, one step"
            buffers { name: "kv outside" size: 2048 }
            buffers { name: "weights outside" size: 1024 }
            buffers { name: "result" size: 64 }
            buffers { name: "kv" space: SPACE_LRAM size: 2048 }
            buffers { name: "weights" space: SPACE_LRAM size: 1024 }
            buffers { name: "y" space: SPACE_LRAM size: 64 }
            ops {
              name: "load weights"
              kind: OP_KIND_LOAD
              cycles: 100
              accesses { buffer: 1 mode: ACCESS_MODE_READ }
              accesses { buffer: 4 mode: ACCESS_MODE_WRITE }
            }
            ops {
              name: "load kv"
              kind: OP_KIND_LOAD
              cycles: 200
              accesses { buffer: 0 mode: ACCESS_MODE_READ }
              accesses { buffer: 3 mode: ACCESS_MODE_WRITE }
            }
            ops {
              name: "attend"
              kind: OP_KIND_START
              cycles: 110
              accesses { buffer: 4 mode: ACCESS_MODE_READ }
              accesses { buffer: 3 size: 64 mode: ACCESS_MODE_READ_WRITE }
              accesses { buffer: 3 offset: 64 mode: ACCESS_MODE_READ }
              accesses { buffer: 5 mode: ACCESS_MODE_WRITE }
            }
            ops { name: "attended" kind: OP_KIND_WAIT start: 2 }
            ops {
              name: "store kv"
              kind: OP_KIND_STORE
              cycles: 20
              accesses { buffer: 3 size: 64 mode: ACCESS_MODE_READ }
              accesses { buffer: 0 size: 64 mode: ACCESS_MODE_WRITE }
            }
            ops {
              name: "store result"
              kind: OP_KIND_STORE
              cycles: 10
              accesses { buffer: 5 mode: ACCESS_MODE_READ }
              accesses { buffer: 2 mode: ACCESS_MODE_WRITE }
            }
          }
          bindings { buffer: 3 tensor: 3 }
        })pb",
      &request);
  return request;
}

std::string WrongAtAGlance(const v1::PlanResidencyRequest& request,
                           const v1::PlanResidencyResponse& response) {
  return Glance(request, response).Look();
}

}  // namespace testing
}  // namespace torqsched
