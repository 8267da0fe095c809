// Writes the seed corpora: bazel run //tests/fuzz:make_corpus -- $PWD/testdata/fuzz
//
// Requests of each call that parse and exercise much, from which a fuzzer goes on.
#include <cstdio>
#include <fstream>
#include <string>

#include "google/protobuf/text_format.h"
#include "tests/capi/lower_requests.h"
#include "tests/capi/residency_requests.h"
#include "tests/capi/streams.h"
#include "tests/capi/warm_requests.h"
#include "torqsched/torqsched.h"
#include "torqsched/v1/allocate.pb.h"
#include "torqsched/v1/judge.pb.h"
#include "torqsched/v1/lower.pb.h"
#include "torqsched/v1/residency.pb.h"
#include "torqsched/v1/schedule.pb.h"
#include "torqsched/v1/simulate.pb.h"
#include "torqsched/v1/tiling.pb.h"
#include "torqsched/v1/verify.pb.h"
#include "torqsched/v1/warm.pb.h"

namespace torqsched {
namespace testing {
namespace {

bool Write(const std::string& path, const google::protobuf::MessageLite& message) {
  std::ofstream file(path, std::ios::binary);
  message.SerializeToOstream(&file);
  if (!file.flush()) std::fprintf(stderr, "%s: cannot be written\n", path.c_str());
  return static_cast<bool>(file);
}

// The request, and the requests of the other calls about its stream.
bool WriteAll(const std::string& root, const std::string& name,
              const v1::ScheduleRequest& request) {
  v1::SimulateRequest simulate;
  v1::VerifyRequest verify;
  *simulate.mutable_stream() = *verify.mutable_stream() = request.stream();
  *simulate.mutable_hardware() = *verify.mutable_hardware() = request.hardware();
  simulate.set_timeline(true);

  const std::string bytes = request.SerializeAsString();
  torqsched_buffer out;
  if (torqsched_schedule(nullptr, bytes.data(), bytes.size(), &out) == TORQSCHED_OK &&
      verify.mutable_schedule()->ParseFromArray(out.data, static_cast<int>(out.size))) {
    *simulate.mutable_order() = verify.schedule().order();
    *simulate.mutable_starts() = verify.schedule().starts();
    *simulate.mutable_slices() = verify.schedule().slices();
  }
  torqsched_buffer_free(&out);
  return Write(root + "/schedule/" + name, request) &&
         Write(root + "/simulate/" + name, simulate) && Write(root + "/verify/" + name, verify);
}

// An allocation, and the check of what it answers.
bool WriteAllocation(const std::string& root, const std::string& name,
                     const v1::AllocateRequest& request) {
  v1::VerifyRequest verify;
  *verify.mutable_allocate_request() = request;
  const std::string bytes = request.SerializeAsString();
  torqsched_buffer out;
  const bool answered =
      torqsched_allocate(nullptr, bytes.data(), bytes.size(), &out) == TORQSCHED_OK &&
      verify.mutable_allocate_response()->ParseFromArray(out.data, static_cast<int>(out.size));
  torqsched_buffer_free(&out);
  return answered && Write(root + "/allocate/" + name, request) &&
         Write(root + "/verify/allocation_" + name, verify);
}

v1::AllocateRequest AllocationFromText(const char* text) {
  v1::AllocateRequest request;
  google::protobuf::TextFormat::ParseFromString(text, &request);
  return request;
}

v1::ScheduleRequest FromText(const char* text) {
  v1::ScheduleRequest request;
  google::protobuf::TextFormat::ParseFromString(text, &request);
  return request;
}

v1::ScheduleRequest SearchRequest(uint64_t seed, v1::Oracle oracle) {
  v1::ScheduleRequest request = RandomRequest(seed, 9);
  request.mutable_options()->set_strategy(v1::STRATEGY_OPTIMIZE);
  request.mutable_options()->set_oracle(oracle);
  request.mutable_options()->set_work_limit(2000);
  return request;
}

// Strategy OPTIMIZE on chips of each kind.
bool WriteSearches(const std::string& root) {
  v1::ScheduleRequest limits = SearchRequest(6, v1::ORACLE_UNSPECIFIED);
  limits.mutable_options()->set_time_limit_ms(1000);
  limits.mutable_options()->set_swaps_forbidden(true);
  limits.mutable_options()->set_sensitivity(true);
  limits.mutable_options()->set_robust(true);
  bool ok = WriteAll(root, "search", limits);

  ok &= WriteAll(root, "search_offline", SearchRequest(7, v1::ORACLE_OFFLINE));

  v1::ScheduleRequest exact = SearchRequest(8, v1::ORACLE_OFFLINE);
  exact.mutable_options()->set_work_limit(100000);
  ok &= WriteAll(root, "search_exact", exact);

  v1::ScheduleRequest engines = SearchRequest(9, v1::ORACLE_SEQUENTIAL);
  engines.mutable_hardware()->set_dma_engines(3);
  engines.mutable_hardware()->set_store_engines(2);
  engines.mutable_hardware()->set_non_blocking_transfers(true);
  engines.mutable_hardware()->set_transfer_issue_cycles(4);
  engines.mutable_hardware()->set_block_ops(2);
  engines.mutable_hardware()->set_block_bytes(27);
  engines.mutable_options()->set_robust(true);
  ok &= WriteAll(root, "search_engines", engines);

  v1::ScheduleRequest shares = SearchRequest(10, v1::ORACLE_OFFLINE);
  for (v1::Op& op : *shares.mutable_stream()->mutable_ops()) {
    if (op.kind() == v1::OP_KIND_START) op.set_dma_share_percent(30);
  }
  shares.mutable_hardware()->set_non_blocking_transfers(true);
  ok &= WriteAll(root, "search_shares", shares);

  v1::ScheduleRequest regions = SearchRequest(11, v1::ORACLE_OFFLINE);
  const uint64_t usable =
      regions.hardware().lram_bytes() - regions.hardware().lram_reserved_bytes();
  regions.mutable_hardware()->add_region_bytes(usable / 2);
  regions.mutable_hardware()->add_region_bytes(usable - usable / 2);
  regions.mutable_hardware()->set_bank_bytes(usable / 5 + 1);
  return ok & WriteAll(root, "search_regions", regions);
}

// Plans of residency: programs with both strategies, networks, and a stream.
bool WriteResidency(const std::string& root) {
  const auto write = [&root](const std::string& name, const v1::PlanResidencyRequest& request) {
    return Write(root + "/residency/" + name, request);
  };
  bool ok = write("nothing", v1::PlanResidencyRequest());
  for (uint64_t seed = 0; seed < 6; ++seed) {
    ok &= write("random_" + std::to_string(seed),
                RandomResidency(seed, 3 + 3 * static_cast<uint32_t>(seed)));
  }
  ok &= write("network_with_stream", NetworkWithStream());
  v1::PlanResidencyRequest network;
  *network.mutable_network() = RandomNetwork(1, 12);
  network.mutable_target()->set_sram_bytes(100000);
  network.mutable_target()->set_hbm_bytes(1000000);
  network.mutable_target()->set_crossbar(true);
  network.mutable_options()->set_strategy(v1::RESIDENCY_STRATEGY_OPTIMAL);
  network.mutable_options()->set_explain(true);
  return ok & write("network_optimal", network);
}

// Plans of warms, one of which says everything that there is to say, and judgements.
bool WriteWarms(const std::string& root) {
  bool ok = true;
  for (uint64_t seed = 0; seed < 12; ++seed) {
    const std::string name = "random_" + std::to_string(seed);
    const uint32_t size = 2 + static_cast<uint32_t>(seed);
    ok &= Write(root + "/warm/" + name, RandomWarm(seed, size));
    ok &= Write(root + "/judge/" + name, RandomJudgement(seed, 10 * size));
  }
  v1::PlanWarmRequest every;
  google::protobuf::TextFormat::ParseFromString(
      R"pb(
        timeline {
          name: "every field"
          regions {
            name: "w"
            bytes: 1000000
            address: 4096
            shape: [ 1, 1000000 ]
            flat: true
          }
          regions { name: "kv" bytes: 5000 dynamic: true shared_by_layers: true }
          regions { name: "v" bytes: 800000 }
          kinds {
            name: "layer"
            input: "x"
            stages {
              name: "a"
              duration_ns: 30000
              has_task_id: true
              other_bytes: 9000000
              writes: "q"
              after {}
            }
            stages { duration_ns: 2000 collective: true all_vector_cores: true }
            stages {
              duration_ns: 4000
              resident_ns: 1000
              reads { region: 0 }
              reads { region: 2 bytes: 700000 beside_previous: true }
              reads { region: 1 }
              after { stages: [ 0, 1 ] }
            }
          }
          runs {
            kinds: [ 0, 0 ]
            repeats: 5
          }
          parallel_stages: 2
        }
        hardware {
          l2_bytes: 5000000
          l2_fill_percent: 90
          exactly_full_fits: true
          memory { bytes: 1000 ns: 1 }
          hit_saving_ns: 20
          hit_saving_bytes: 100000
          engine { bytes: 1000 }
          engine { bytes: 700 }
          engine_hits { bytes: 3000 }
          startup_ns: 100
          startup: WARM_STARTUP_EVERY_FORWARD
          issue_ns: 500
          stage_weight: 2
          engine_weight: 3
          collective_has_own_engine: true
          landing: WARM_LANDING_FULL
        }
        options {
          min_gain_ns: 1
          single_regions: true
          read_anchors: true
          no_split_scopes: true
          late_percent: 20
          exact_combinations: 50
          anchors_per_set: 3
          search_stages: 1000
          most_alternatives: 9
          flips: true
          traces: true
        })pb",
      &every);
  ok &= Write(root + "/warm/every_field", every);
  ok &= Write(root + "/warm/nothing", v1::PlanWarmRequest());
  return ok & Write(root + "/judge/nothing", v1::JudgeWarmRequest());
}

// Budgets of loops, one with every field and one whose sums and rows are cut.
bool WriteTiles(const std::string& root) {
  bool ok = Write(root + "/tiles/nothing", v1::PlanTilesRequest());
  for (uint64_t seed = 0; seed < 8; ++seed) {
    ok &= Write(root + "/tiles/random_" + std::to_string(seed),
                RandomTiles(seed, 1 + static_cast<uint32_t>(seed)));
  }
  v1::PlanTilesRequest request;
  google::protobuf::TextFormat::ParseFromString(
      R"pb(
        hardware { lram_bytes: 70000 lram_reserved_bytes: 100 granule: 8 code_buffer_bytes: 512 }
        constant_bytes: 1000000
        loops { name: "relu" }
        loops { name: "conv" convolution: true contraction: true whole_row_bytes: 90000 }
        loops { name: "convert" contraction: true folded_convert: true }
        loops {
          name: "matmul"
          contraction: true
          shape { batch: 2 m: 60 n: 300 k: 200 lhs_bits: 16 weight_bits: 4 out_bits: 32 }
        }
        options { strategy: STRATEGY_OPTIMIZE loop_percent: 60 contraction_percent: 30 })pb",
      &request);
  ok &= Write(root + "/tiles/every_field", request);
  google::protobuf::TextFormat::ParseFromString(
      R"pb(
        hardware { lram_bytes: 4096 lram_reserved_bytes: 0 granule: 3 code_buffer_bytes: 64 }
        loops {
          contraction: true
          shape { m: 50 n: 40 k: 1000 }
        }
        loops {
          contraction: true
          shape { batch: 1000 m: 500 n: 40 k: 1001 weight_bits: 4 }
        }
        options { strategy: STRATEGY_NONE })pb",
      &request);
  return ok & Write(root + "/tiles/sums_and_rows_are_cut", request);
}

// Tables of all sorts, some with trials of budgets.
bool WriteLowerings(const std::string& root) {
  bool ok = Write(root + "/lower/nothing", v1::LowerRequest());
  for (uint64_t seed = 0; seed < 12; ++seed) {
    v1::LowerRequest request = RandomLowering(seed, 1 + static_cast<uint32_t>(seed));
    if (seed % 4 == 1) request.mutable_options()->mutable_tuning()->set_most_trials(10);
    ok &= Write(root + "/lower/random_" + std::to_string(seed), request);
  }
  v1::LowerRequest request = OneOfEach();
  ok &= Write(root + "/lower/one_of_each", request);
  v1::LowerOptions* const options = request.mutable_options();
  options->mutable_tuning()->set_most_ops(5000);
  v1::ScheduleOptions* const schedule = options->mutable_tuning()->mutable_schedule();
  schedule->set_strategy(v1::STRATEGY_OPTIMIZE);
  schedule->set_oracle(v1::ORACLE_OFFLINE);
  schedule->set_work_limit(200);
  ok &= Write(root + "/lower/tuned_by_search", request);
  options->clear_tuning();
  options->set_first_layer(2);
  options->set_layer_count(3);
  options->set_resident_percent(0);
  options->mutable_tiling()->set_strategy(v1::STRATEGY_NONE);
  return ok & Write(root + "/lower/some_layers", request);
}

int Main(const std::string& root) {
  bool ok = WriteAll(root, "worked_example", WorkedExample());
  for (uint64_t seed = 0; seed < 6; ++seed) {
    v1::ScheduleRequest request = RandomRequest(seed, 3 + 2 * static_cast<uint32_t>(seed));
    request.mutable_options()->set_explain(seed % 2 == 0);
    request.mutable_options()->set_timeline(seed % 3 == 0);
    if (seed == 4) request.mutable_options()->set_strategy(v1::STRATEGY_NONE);
    if (seed == 5) {
      request.mutable_hardware()->set_block_ops(4);
      request.mutable_hardware()->set_block_bytes(640);
      request.mutable_options()->set_cap_percent(80);
      request.mutable_options()->set_prefetch_percent(60);
      request.mutable_options()->set_urgent_starts(1);
      request.mutable_options()->set_candidates(2);
    }
    ok &= WriteAll(root, "random_" + std::to_string(seed), request);
  }
  ok &= WriteSearches(root);
  ok &= WriteAll(root, "empty_stream", FromText("stream {}"));
  ok &= WriteAll(root, "barriers", FromText("stream { ops { cycles: 3 } ops { kind: 99 } }"));
  ok &= WriteAll(
      root, "flags", FromText(R"pb(
        stream {
          buffers { space: SPACE_LRAM size: 64 alignment: 32 fixed_offset: 64 live_in: true }
          buffers { space: SPACE_LRAM size: 100 live_out: true }
          buffers { space: SPACE_XRAM size: 100 constant: true }
          buffers { space: SPACE_LRAM size: 0 }
          ops { kind: OP_KIND_PURE alloc: 1 location: "a.mlir:3" }
          ops { kind: OP_KIND_PURE operands: 0 }
          ops {
            kind: OP_KIND_LOAD
            cycles: 10
            operands: 1
            accesses { buffer: 2 offset: 10 size: 20 mode: ACCESS_MODE_READ }
            accesses { buffer: 1 offset: 10 size: 20 mode: ACCESS_MODE_WRITE }
          }
          ops {
            kind: OP_KIND_START
            cycles: 50
            slice: 1
            accesses { buffer: 0 mode: ACCESS_MODE_READ }
            accesses { buffer: 1 mode: ACCESS_MODE_READ_WRITE }
            accesses { buffer: 3 mode: ACCESS_MODE_WRITE }
          }
          ops { kind: OP_KIND_START cycles: 5 }
          ops { kind: OP_KIND_WAIT start: 3 }
        }
        hardware { lram_bytes: 1000 lram_reserved_bytes: 100 slices: 3 })pb"));
  ok &= WriteAll(root, "regions_and_banks", FromText(R"pb(
                   stream {
                     buffers { space: SPACE_LRAM size: 40 fixed_offset: 8 }
                     buffers { space: SPACE_LRAM size: 48 }
                     buffers { space: SPACE_LRAM size: 96 live_out: true }
                     ops {
                       kind: OP_KIND_LOAD
                       cycles: 10
                       accesses { buffer: 0 mode: ACCESS_MODE_WRITE }
                       accesses { buffer: 1 mode: ACCESS_MODE_WRITE }
                     }
                     ops {
                       kind: OP_KIND_START
                       cycles: 50
                       accesses { buffer: 0 mode: ACCESS_MODE_READ }
                       accesses { buffer: 1 mode: ACCESS_MODE_READ }
                       accesses { buffer: 2 mode: ACCESS_MODE_WRITE }
                     }
                     ops { kind: OP_KIND_WAIT start: 1 }
                   }
                   hardware {
                     lram_bytes: 256
                     lram_reserved_bytes: 16
                     region_bytes: [ 50, 90, 100 ]
                     bank_bytes: 32
                   })pb"));
  for (uint64_t seed = 0; seed < 6; ++seed) {
    ok &= WriteAllocation(root, "random_" + std::to_string(seed),
                          RandomAllocation(seed, 3 + 3 * static_cast<uint32_t>(seed)));
  }
  ok &= WriteAllocation(root, "nothing", v1::AllocateRequest());
  v1::AllocateRequest stream;
  stream.ParseFromString(WorkedExample().SerializeAsString());
  for (const uint32_t op : {0, 1, 3, 4, 6, 2, 7, 5, 8, 9}) stream.add_order(op);
  ok &= WriteAllocation(root, "stream", stream);
  ok &= WriteAllocation(root, "every_field", AllocationFromText(R"pb(
                          hardware { lram_bytes: 4096 alignment: 4 }
                          buffers {
                            name: "a"
                            lower: 1
                            upper: 9
                            size: 100
                            alignment: 16
                            hint: 64
                            gaps { lower: 3 upper: 5 }
                          }
                          buffers { upper: 4 size: 20 fixed_offset: 8 }
                          buffers { lower: 2 upper: 7 size: 10 }
                          buffers { lower: 6 upper: 7 size: 12 }
                          buffers { lower: 8 upper: 9 size: 40 }
                          capacity: 500
                          alignment: 8
                          reserved { begin: 100 end: 120 }
                          boundaries: 256
                          aliases { buffer: 2 of: 0 offset: 30 }
                          same_offset { first: 3 second: 4 }
                          separate { first: 1 second: 4 }
                          options { objective: OBJECTIVE_LEAST node_limit: 1000 })pb"));
  ok &= WriteResidency(root);
  ok &= WriteWarms(root);
  ok &= WriteTiles(root);
  ok &= WriteLowerings(root);
  return ok ? 0 : 1;
}

}  // namespace
}  // namespace testing
}  // namespace torqsched

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: make_corpus FOLDER\n");
    return 2;
  }
  return torqsched::testing::Main(argv[1]);
}
