// Programs, a network, streams and options as they arrive, and every field of an answer.
#include "src/wire/residency_wire.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "src/network/deployed_network.h"
#include "src/network/network.h"
#include "src/residency/answer.h"
#include "src/residency/deployment.h"
#include "src/residency/options.h"
#include "src/residency/plan.h"
#include "src/stream/error.h"
#include "tests/wire/text.h"

namespace torqsched {
namespace {

constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();

// Stands in for DeployNetwork where no network is expected.
absl::StatusOr<NetworkDeployment> NoNetwork(const Network&) {
  ADD_FAILURE() << "a network is deployed";
  return absl::InternalError("no network");
}

// A request and what is read of it: names are views into the request.
struct Scene {
  explicit Scene(const std::string& text, const DeployNetworkFunction& deploy = &NoNetwork)
      : request(FromText<v1::PlanResidencyRequest>(text)) {
    absl::StatusOr<ParsedResidency> read = ResidencyFromProto(request, deploy);
    EXPECT_TRUE(read.ok()) << read.status();
    if (read.ok()) parsed = *std::move(read);
  }
  const DeployedProgram& program() const { return parsed.deployment.programs.at(0); }

  v1::PlanResidencyRequest request;
  ParsedResidency parsed;
};

// ---- What is asked ----

TEST(ResidencyFromProto, TargetArrives) {
  const ResidencyTarget target =
      Scene("target { sram_bytes: 18446744073709551615 hbm_bytes: 5 crossbar: true }")
          .parsed.deployment.target;
  EXPECT_EQ(target.sram_bytes, kMost);
  EXPECT_EQ(target.hbm_bytes, 5u);
  EXPECT_TRUE(target.crossbar);
}

constexpr char kProgram[] = R"pb(
  programs {
    name: "conv"
    instances: 7
    buffers { chip: 1 site: 2 offset: 3 bytes: 4 }
    buffers { chip: 4294967295 bytes: 18446744073709551615 accumulator: true }
    tensors { name: "x" role: TENSOR_ROLE_ACTIVATION bytes: 10 moved_bytes: 20 }
    tensors { name: "\303\251" role: TENSOR_ROLE_STATE bytes: 11 }
    tensors { name: "w" role: TENSOR_ROLE_WEIGHT bytes: 18446744073709551615 moved_bytes: 0 }
    tensors { name: "in" role: TENSOR_ROLE_INPUT }
    tensors { name: "out" role: TENSOR_ROLE_OUTPUT }
    accesses { tensor: 1 chip: 65535 phase: 18446744073709551615 store: true }
    accesses { tensor: 4294967295 phase: 2 }
    tile_accesses {
      tensor: 3
      block_height: 4
      block_width: 5
      tile_bytes: 6
      trip_counts: [ 7, 0, 18446744073709551615 ]
    }
    tile_accesses { tensor: 2 }
    carried { names: "\303\251" names: "nobody" }
  }
)pb";

TEST(ResidencyFromProto, ProgramArrivesWithEveryMember) {
  const Scene scene(kProgram);
  ASSERT_EQ(scene.parsed.deployment.programs.size(), 1u);
  const DeployedProgram& program = scene.program();
  EXPECT_EQ(program.name, "conv");
  EXPECT_EQ(program.instances, 7u);
  ASSERT_EQ(program.buffers.size(), 2u);
  EXPECT_EQ(program.buffers[0].chip, 1u);
  EXPECT_EQ(program.buffers[0].site, 2u);
  EXPECT_EQ(program.buffers[0].offset, 3u);
  EXPECT_EQ(program.buffers[0].bytes, 4u);
  EXPECT_FALSE(program.buffers[0].accumulator);
  EXPECT_EQ(program.buffers[1].chip, 4294967295u);
  EXPECT_EQ(program.buffers[1].bytes, kMost);
  EXPECT_TRUE(program.buffers[1].accumulator);
  EXPECT_EQ(program.carried, std::vector<absl::string_view>({"\xc3\xa9", "nobody"}));
}

TEST(ResidencyFromProto, TensorsArriveWithEveryMember) {
  const Scene scene(kProgram);
  const std::vector<DeployedTensor>& tensors = scene.program().tensors;
  ASSERT_EQ(tensors.size(), 5u);
  EXPECT_EQ(tensors[0].name, "x");
  EXPECT_EQ(tensors[0].bytes, 10u);
  EXPECT_EQ(tensors[0].moved_bytes, 20u);
  EXPECT_EQ(tensors[1].name, "\xc3\xa9");
  EXPECT_FALSE(tensors[1].moved_bytes.has_value());
  EXPECT_EQ(tensors[2].bytes, kMost);
  EXPECT_EQ(tensors[2].moved_bytes, 0u);  // said, and not left out
  const TensorRole roles[] = {TensorRole::kActivation, TensorRole::kState, TensorRole::kWeight,
                              TensorRole::kInput, TensorRole::kOutput};
  for (size_t t = 0; t < 5; ++t) EXPECT_EQ(tensors[t].role, roles[t]) << t;
}

TEST(ResidencyFromProto, AccessesArriveWithEveryMember) {
  const Scene scene(kProgram);
  const std::vector<TensorAccess>& accesses = scene.program().accesses;
  ASSERT_EQ(accesses.size(), 2u);
  EXPECT_EQ(accesses[0].tensor, 1u);
  EXPECT_EQ(accesses[0].chip, 65535u);
  EXPECT_EQ(accesses[0].phase, kMost);
  EXPECT_TRUE(accesses[0].store);
  EXPECT_EQ(accesses[1].tensor, 4294967295u);
  EXPECT_EQ(accesses[1].chip, 0u);
  EXPECT_FALSE(accesses[1].store);
  const std::vector<TileAccess>& tiles = scene.program().tile_accesses;
  ASSERT_EQ(tiles.size(), 2u);
  EXPECT_EQ(tiles[0].tensor, 3u);
  EXPECT_EQ(tiles[0].block_height, 4u);
  EXPECT_EQ(tiles[0].block_width, 5u);
  EXPECT_EQ(tiles[0].tile_bytes, 6u);
  EXPECT_EQ(tiles[0].trip_counts, std::vector<uint64_t>({7, 0, kMost}));
  EXPECT_TRUE(tiles[1].trip_counts.empty());
}

TEST(ResidencyFromProto, UnsetMembersAreTheDocumentedDefaults) {
  const Scene scene("programs { buffers {} tensors {} accesses {} tile_accesses {} } streams {}");
  const ResidencyTarget& target = scene.parsed.deployment.target;
  EXPECT_EQ(target.sram_bytes, 0u);
  EXPECT_EQ(target.hbm_bytes, 0u);
  EXPECT_FALSE(target.crossbar);
  const DeployedProgram& program = scene.program();
  EXPECT_EQ(program.name, "");
  EXPECT_EQ(program.instances, 1u);
  EXPECT_FALSE(program.carried.has_value());
  EXPECT_EQ(program.tensors.at(0).role, TensorRole::kActivation);
  EXPECT_FALSE(program.tensors[0].moved_bytes.has_value());
  EXPECT_FALSE(program.accesses.at(0).store);
  EXPECT_FALSE(program.buffers.at(0).accumulator);
  const ResidencyOptions& options = scene.parsed.options;
  EXPECT_EQ(options.strategy, ResidencyStrategy::kDensity);
  EXPECT_FALSE(options.optimal.split_instances);
  EXPECT_EQ(options.optimal.node_limit, 2000000u);
  EXPECT_FALSE(options.optimal.bandwidths.has_value());
  EXPECT_FALSE(options.explain);
  ASSERT_EQ(scene.parsed.streams.size(), 1u);
  EXPECT_EQ(scene.parsed.streams[0].program, 0u);
  EXPECT_EQ(scene.parsed.streams[0].stream.op_count(), 0u);
  EXPECT_FALSE(scene.parsed.network.has_value());
}

// No names, no instances, nothing at all: said, and so not the defaults.
TEST(ResidencyFromProto, NothingThatIsSaidIsNotUnset) {
  const Scene scene("programs { instances: 0 carried {} }");
  EXPECT_EQ(scene.program().instances, 0u);  // for the planner to refuse
  ASSERT_TRUE(scene.program().carried.has_value());
  EXPECT_TRUE(scene.program().carried->empty());
  EXPECT_TRUE(Scene("").parsed.deployment.programs.empty());
}

TEST(ResidencyFromProto, OptionsArrive) {
  const Scene scene(R"pb(
    target { hbm_bytes: 1 }
    options {
      strategy: RESIDENCY_STRATEGY_OPTIMAL
      split_instances: true
      node_limit: 0
      explain: true
      bandwidths {
        sram { bytes: 832 time: 175 }
        hbm { bytes: 6 }
        dram { bytes: 1 time: 18446744073709551615 }
      }
    })pb");
  const ResidencyOptions& options = scene.parsed.options;
  EXPECT_EQ(options.strategy, ResidencyStrategy::kOptimal);
  EXPECT_TRUE(options.explain);
  EXPECT_TRUE(options.optimal.split_instances);
  EXPECT_EQ(options.optimal.node_limit, 0u);
  ASSERT_TRUE(options.optimal.bandwidths.has_value());
  EXPECT_EQ(options.optimal.bandwidths->sram.bytes, 832u);
  EXPECT_EQ(options.optimal.bandwidths->sram.time, 175u);
  EXPECT_EQ(options.optimal.bandwidths->hbm.bytes, 6u);
  EXPECT_EQ(options.optimal.bandwidths->hbm.time, 1u);  // unset
  EXPECT_EQ(options.optimal.bandwidths->dram.bytes, 1u);
  EXPECT_EQ(options.optimal.bandwidths->dram.time, kMost);
}

TEST(ResidencyFromProto, DensityByName) {
  EXPECT_EQ(Scene("options { strategy: RESIDENCY_STRATEGY_DENSITY }").parsed.options.strategy,
            ResidencyStrategy::kDensity);
}

// What is said of it does not matter, not even that it is faster than SRAM; and DRAM is then held
// against SRAM alone.
TEST(ResidencyFromProto, BandwidthOfHbmIsNotLookedAtWhereThereIsNone) {
  for (const char* hbm : {"", "hbm { bytes: 1000000 }", "hbm {}"}) {
    const Scene scene("options { bandwidths { sram { bytes: 9 } dram { bytes: 3 } " +
                      std::string(hbm) + "} }");
    ASSERT_TRUE(scene.parsed.options.optimal.bandwidths.has_value());
    const Bandwidth& between = scene.parsed.options.optimal.bandwidths->hbm;
    EXPECT_EQ(between.bytes, 9u);
    EXPECT_EQ(between.time, 1u);
  }
}

TEST(ResidencyFromProto, StreamsArriveWithTheirBindings) {
  const Scene scene(R"pb(
    streams {}
    streams {
      program: 3
      chip: 9
      stream {
        name: "s"
        buffers { space: SPACE_LRAM size: 5 }
        ops { kind: OP_KIND_BARRIER cycles: 8 }
      }
      bindings { buffer: 1 tensor: 2 }
      bindings {}
    })pb");
  ASSERT_EQ(scene.parsed.streams.size(), 2u);
  const StreamOfProgram& stream = scene.parsed.streams[1];
  EXPECT_EQ(stream.program, 3u);
  EXPECT_EQ(stream.chip, 9u);
  EXPECT_EQ(stream.stream.op_count(), 1u);
  EXPECT_EQ(stream.stream.buffer_count(), 1u);
  ASSERT_EQ(stream.bindings.size(), 2u);
  EXPECT_EQ(stream.bindings[0].buffer, 1u);
  EXPECT_EQ(stream.bindings[0].tensor, 2u);
  EXPECT_EQ(stream.bindings[1].buffer, 0u);
}

// ---- A network ----

// Deploys any network as one program with names of its own, and keeps what it was given.
DeployNetworkFunction Deployer(Network* network) {
  return [network](const Network& given) -> absl::StatusOr<NetworkDeployment> {
    *network = given;
    NetworkDeployment result;
    result.names.emplace_back("net");
    result.names.emplace_back("kv state");
    result.program.name = result.names[0];
    result.program.tensors = {{result.names[1], TensorRole::kState, 100, 30}};
    result.program.accesses = {{0, 1, 2, true}};
    return result;
  };
}

TEST(ResidencyFromProto, NetworkArrivesWithEveryMember) {
  Network network;
  const Scene scene(R"pb(
                      network {
                        network: "net"
                        layers {
                          name: "attend"
                          op: "attention"
                          index: 4
                          inputs: [ -1, 2 ]
                          input_bytes_each: [ 64, 0 ]
                          output_bytes: 0
                          weight_bytes: 7
                          scale_bytes: 8
                          bytes_read_per_step: 0
                          tied_to: "embed"
                          state { name: "kv" bytes: 9 bytes_read: 10 bytes_written: 11 }
                        }
                        layers {}
                      })pb",
                    Deployer(&network));
  EXPECT_EQ(network.name, "net");
  ASSERT_EQ(network.layers.size(), 2u);
  const NetworkLayer& layer = network.layers[0];
  EXPECT_EQ(layer.name, "attend");
  EXPECT_EQ(layer.op, "attention");
  EXPECT_EQ(layer.index, 4u);
  EXPECT_EQ(layer.inputs, std::vector<int32_t>({-1, 2}));
  EXPECT_EQ(layer.input_bytes, std::vector<uint64_t>({64, 0}));
  EXPECT_EQ(layer.output_bytes, 0u);
  EXPECT_EQ(layer.weight_bytes, 7u);
  EXPECT_EQ(layer.scale_bytes, 8u);
  EXPECT_EQ(layer.weight_bytes_read, 0u);
  EXPECT_EQ(layer.tied_to, "embed");
  ASSERT_TRUE(layer.state.has_value());
  EXPECT_EQ(layer.state->name, "kv");
  EXPECT_EQ(layer.state->bytes, 9u);
  EXPECT_EQ(layer.state->bytes_read, 10u);
  EXPECT_EQ(layer.state->bytes_written, 11u);
  const NetworkLayer& unset = network.layers[1];
  EXPECT_EQ(unset.name, "");
  EXPECT_FALSE(unset.index.has_value());
  EXPECT_FALSE(unset.output_bytes.has_value());
  EXPECT_FALSE(unset.weight_bytes_read.has_value());
  EXPECT_FALSE(unset.state.has_value());
}

TEST(ResidencyFromProto, NetworkIsTheOnlyProgramAndComesBack) {
  Network network;
  const Scene scene("network {}", Deployer(&network));
  ASSERT_EQ(scene.parsed.deployment.programs.size(), 1u);
  EXPECT_EQ(scene.program().tensors.at(0).name, "kv state");
  v1::PlanResidencyResponse response;
  ResidencyAnswerToProto(scene.request, scene.parsed, ResidencyAnswer(), &response);
  EXPECT_TRUE(IsText(response, R"pb(
    traffic {}
    network_program {
      name: "net"
      instances: 1
      tensors { name: "kv state" role: TENSOR_ROLE_STATE bytes: 100 moved_bytes: 30 }
      accesses { chip: 1 phase: 2 store: true }
    })pb"));
}

// ---- What is refused ----

struct Refused {
  const char* scene;
  const char* request;
  const char* field;
  const char* message;
};

const Refused kRefused[] = {
    {"UnknownStrategy", "options { strategy: 3 }", "options.strategy",
     "options.strategy: 3 is not known; expected density or optimal"},
    {"UnknownRole", "programs {} programs { tensors {} tensors { role: -6 } }",
     "programs[1].tensors[1].role",
     "program 1, tensor 1: role -6 is not known; expected activation, state, weight, input or "
     "output"},
    {"NetworkBesidePrograms", "programs {} network {}", "network",
     "network: beside programs; expected one of the two"},
    {"NoBandwidthOfSram", "options { bandwidths { dram { bytes: 1 } } }", "options.bandwidths.sram",
     "options.bandwidths.sram: not set; expected bytes in a time"},
    {"NoBandwidthOfDram", "options { bandwidths { sram { bytes: 1 } } }", "options.bandwidths.dram",
     "options.bandwidths.dram: not set; expected bytes in a time"},
    {"NoBandwidthOfHbm",
     "target { hbm_bytes: 1 } options { bandwidths { sram { bytes: 2 } dram { bytes: 1 } } }",
     "options.bandwidths.hbm", "options.bandwidths.hbm: not set; expected bytes in a time"},
    {"BadStream", "streams {} streams { stream { ops {} ops { name: 'a' operands: 1 } } }",
     "streams[1].stream.ops[1].operands[0]", "stream 1, op 1 'a': operand op 1 is not older"},
};

void PrintTo(const Refused& refused, std::ostream* out) { *out << refused.scene; }

class RefusedResidency : public testing::TestWithParam<Refused> {};

TEST_P(RefusedResidency, NamesItsPlace) {
  const auto request = FromText<v1::PlanResidencyRequest>(GetParam().request);
  const absl::Status status = ResidencyFromProto(request, &NoNetwork).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  EXPECT_EQ(PlaceOf(status).field, GetParam().field);
  EXPECT_NE(status.message().find(GetParam().message), std::string::npos) << status;
}

INSTANTIATE_TEST_SUITE_P(Scenes, RefusedResidency, testing::ValuesIn(kRefused),
                         [](const auto& info) { return std::string(info.param.scene); });

TEST(ResidencyFromProto, NetworkThatIsRefusedSaysWhatItsDeployerSays) {
  const auto request = FromText<v1::PlanResidencyRequest>("network {}");
  const absl::Status status = ResidencyFromProto(request, [](const Network&) {
                                return ErrorAt(absl::StatusCode::kInvalidArgument, "no such layer",
                                               {"network.layers[3].inputs[1]", {}, {}});
                              }).status();
  EXPECT_EQ(status.message(), "no such layer");
  EXPECT_EQ(PlaceOf(status).field, "network.layers[3].inputs[1]");
}

// ---- The answer ----

ResidencyAnswer EveryMember() {
  ResidencyAnswer answer;
  PlannedProgram program;
  program.tiers = {Tier::kSram, Tier::kHbm, Tier::kDram};
  program.chips = {{1, 2, 3, 4, 5}};
  program.activations = {{6, true, true, 7, 8}, {9, false, false, 10, 11}};
  program.tables_on_chip = true;
  answer.plan.programs = {program, PlannedProgram()};
  answer.plan.classes = {{12, 13, 14, Tier::kHbm, true, 15, 16, 17},
                         {18, 19, 20, Tier::kDram, false, kMost, 21, 0}};
  answer.plan.chips = {{22, 23, 24, 25, 26}};
  answer.traffic = {27, 28, kMost};
  return answer;
}

constexpr char kPlanText[] = R"pb(
  programs {
    tiers: [ TIER_SRAM, TIER_HBM, TIER_DRAM ]
    chips { chip: 1 buffer_bytes: 2 activation_bytes: 3 footprint_bytes: 4 table_bytes: 5 }
    activations { tensor: 6 accessed: true spilled: true first_phase: 7 last_phase: 8 }
    activations { tensor: 9 }  # nobody accesses it: no range
    tables_on_chip: true
  }
  programs {}
  classes {
    program: 12
    tensor: 13
    chip: 14
    tier: TIER_HBM
    carried: true
    bytes: 15
    moved_bytes: 16
    instances_on_chip: 17
  }
  classes {
    program: 18
    tensor: 19
    chip: 20
    tier: TIER_DRAM
    bytes: 18446744073709551615
    moved_bytes: 21
  }
  chips { chip: 22 sram_bytes: 23 reserve_bytes: 24 carried_bytes: 25 hbm_bytes: 26 }
  traffic { sram_bytes: 27 hbm_bytes: 28 dram_bytes: 18446744073709551615 }
)pb";

TEST(ResidencyAnswerToProto, PlanComesWithEveryMember) {
  const Scene scene("programs {}");
  v1::PlanResidencyResponse response;
  ResidencyAnswerToProto(scene.request, scene.parsed, EveryMember(), &response);
  EXPECT_TRUE(IsText(response, kPlanText));
}

OptimalResidency EveryProof() {
  OptimalResidency optimal;
  optimal.moved_off_chip = 1;
  optimal.lower_bound = 2;
  optimal.proven = true;
  optimal.density_moved_off_chip = 3;
  optimal.moved_in_hbm = 4;
  optimal.hbm_upper_bound = 5;
  optimal.hbm_proven = true;
  optimal.nodes = 6;
  optimal.joint = true;
  optimal.sram_time = 7;
  optimal.hbm_time = 8;
  optimal.dram_time = 9;
  optimal.time = 10;
  optimal.density_time = 11;
  optimal.time_lower_bound = 12;
  optimal.time_proven = true;
  return optimal;
}

constexpr char kProofText[] = R"pb(
  moved_off_chip: 1
  lower_bound: 2
  proven: true
  density_moved_off_chip: 3
  moved_in_hbm: 4
  hbm_upper_bound: 5
  hbm_proven: true
  joint: true
  nodes: 6
)pb";

TEST(ResidencyAnswerToProto, ProofHasTimesWhereBandwidthsWereGiven) {
  ResidencyAnswer answer;
  answer.optimal = EveryProof();
  v1::PlanResidencyResponse without;
  ResidencyAnswerToProto({}, ParsedResidency(), answer, &without);
  EXPECT_TRUE(IsText(without.proof(), kProofText));
  const Scene scene("options { bandwidths { sram { bytes: 2 } dram { bytes: 1 } } }");
  v1::PlanResidencyResponse with;
  ResidencyAnswerToProto(scene.request, scene.parsed, answer, &with);
  EXPECT_TRUE(IsText(with.proof(), std::string(kProofText) +
                                       "time { sram: 7 hbm: 8 dram: 9 total: 10 density: 11 "
                                       "lower_bound: 12 proven: true }"));
  answer.optimal = OptimalResidency();
  answer.optimal->joint = false;
  v1::PlanResidencyResponse empty;
  ResidencyAnswerToProto({}, ParsedResidency(), answer, &empty);
  EXPECT_TRUE(empty.has_proof());
  EXPECT_TRUE(IsText(empty.proof(), ""));
}

TEST(ResidencyAnswerToProto, ExplanationsComeWithEveryReason) {
  ResidencyAnswer answer;
  answer.off_chip.emplace();
  const OffChipReason reasons[] = {OffChipReason::kNoTensorsOnChip, OffChipReason::kNeverOnChip,
                                   OffChipReason::kSpilled, OffChipReason::kTablesDoNotFit,
                                   OffChipReason::kCarriedDoesNotFit};
  for (const OffChipReason reason : reasons) {
    OffChipExplanation explanation;
    explanation.reason = reason;
    answer.off_chip->push_back(explanation);
  }
  answer.off_chip->at(0).which = 1;
  answer.off_chip->at(0).chip = 2;
  answer.off_chip->at(0).phase = 3;
  answer.off_chip->at(0).bytes_short = 4;
  answer.off_chip->at(0).preferred = 5;
  answer.off_chip->at(1).preferred = 0;  // a class like any other
  v1::PlanResidencyResponse response;
  ResidencyAnswerToProto({}, ParsedResidency(), answer, &response);
  EXPECT_TRUE(IsText(response, R"pb(
    traffic {}
    explanations {
      class_index: 1
      reason: OFF_CHIP_REASON_NO_TENSORS_ON_CHIP
      chip: 2
      phase: 3
      bytes_short: 4
      preferred: 5
    }
    explanations { reason: OFF_CHIP_REASON_NEVER_ON_CHIP preferred: 0 }
    explanations { reason: OFF_CHIP_REASON_SPILLED }
    explanations { reason: OFF_CHIP_REASON_TABLES_DO_NOT_FIT }
    explanations { reason: OFF_CHIP_REASON_CARRIED_DOES_NOT_FIT })pb"));
}

// Every member of the stream that the plan does not change comes back, also what the library does
// not read.
TEST(ResidencyAnswerToProto, StreamsAreTheRequestsWithTheChanges) {
  const Scene scene(R"pb(
    streams {
      stream {
        name: "untouched"
        ops {}
      }
    }
    streams {
      stream {
        name: "s"
        buffers { name: "x" size: 8 }
        buffers { name: "kv" space: SPACE_LRAM size: 8 alignment: 4 live_out: true }
        buffers { name: "y" space: SPACE_LRAM size: 8 live_in: true }
        ops {
          name: "load"
          kind: OP_KIND_LOAD
          cycles: 30
          accesses { buffer: 0 mode: ACCESS_MODE_READ }
          accesses { buffer: 1 mode: ACCESS_MODE_WRITE }
        }
        ops {
          name: "store"
          kind: OP_KIND_STORE
          cycles: 40
          operands: 0
          location: "a.mlir:3"
          accesses { buffer: 1 mode: ACCESS_MODE_READ }
          accesses { buffer: 0 mode: ACCESS_MODE_WRITE }
        }
      }
    })pb");
  ResidencyAnswer answer;
  answer.streams.resize(2);
  answer.streams[1].live_in = {BufferIndex(1)};
  answer.streams[1].live_out = {BufferIndex(1), BufferIndex(2)};
  answer.streams[1].dropped = {OpIndex(1)};
  for (const KeptReason reason :
       {KeptReason::kNoCopy, KeptReason::kUsedOutside, KeptReason::kNotOneToOne,
        KeptReason::kReload, KeptReason::kNotStoredBack, KeptReason::kTableWritten,
        KeptReason::kAnotherStays}) {
    answer.streams[1].kept.push_back({OpIndex(1), reason});
  }
  answer.streams[1].reserved_bytes = kMost;
  v1::PlanResidencyResponse response;
  ResidencyAnswerToProto(scene.request, scene.parsed, answer, &response);
  EXPECT_TRUE(IsText(response, R"pb(
    traffic {}
    streams {
      stream {
        name: "untouched"
        ops {}
      }
    }
    streams {
      stream {
        name: "s"
        buffers { name: "x" size: 8 }
        buffers { name: "kv" space: SPACE_LRAM size: 8 alignment: 4 live_in: true live_out: true }
        buffers { name: "y" space: SPACE_LRAM size: 8 live_in: true live_out: true }
        ops {
          name: "load"
          kind: OP_KIND_LOAD
          cycles: 30
          accesses { buffer: 0 mode: ACCESS_MODE_READ }
          accesses { buffer: 1 mode: ACCESS_MODE_WRITE }
        }
        ops { name: "store" kind: OP_KIND_PURE operands: 0 location: "a.mlir:3" }
      }
      reserved_bytes: 18446744073709551615
      transfers_dropped: 1
      transfers_kept: 7
      kept { op: 1 reason: KEPT_REASON_NO_COPY }
      kept { op: 1 reason: KEPT_REASON_USED_OUTSIDE }
      kept { op: 1 reason: KEPT_REASON_NOT_ONE_TO_ONE }
      kept { op: 1 reason: KEPT_REASON_RELOAD }
      kept { op: 1 reason: KEPT_REASON_NOT_STORED_BACK }
      kept { op: 1 reason: KEPT_REASON_TABLE_WRITTEN }
      kept { op: 1 reason: KEPT_REASON_ANOTHER_STAYS }
    })pb"));
}

}  // namespace
}  // namespace torqsched
