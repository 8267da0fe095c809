// A table, a chip and options of lowering as they arrive, what is refused and where, every field of
// what was lowered, and options that go out and come back.
#include "src/wire/lower_wire.h"

#include <cstdint>
#include <limits>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "src/lowering/lower.h"
#include "src/lowering/lowering.h"
#include "src/network/network.h"
#include "src/schedule/answer.h"
#include "src/stream/error.h"
#include "src/wire/stream_wire.h"
#include "tests/wire/path.h"
#include "tests/wire/text.h"

namespace torqsched {
namespace {

constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();

// A request and what is read of it: names are views into the request.
struct Scene {
  explicit Scene(const std::string& text) : request(FromText<v1::LowerRequest>(text)) {
    absl::StatusOr<ParsedLowering> read = LoweringFromProto(request);
    EXPECT_TRUE(read.ok()) << read.status();
    if (read.ok()) parsed = *std::move(read);
  }

  v1::LowerRequest request;
  ParsedLowering parsed;
};

// ---- What is asked: the table ----

constexpr char kNetwork[] = R"pb(
  network {
    network: "net"
    weight_dtype: "int4"
    activation_dtype: "bf16"
    layers {
      name: "conv"
      op: "conv"
      index: 0
      inputs: [ -1, 2147483647 ]
      input_bytes_each: [ 1, 18446744073709551615 ]
      output_bytes: 2
      weight_bytes: 3
      scale_bytes: 4
      bytes_read_per_step: 5
      tied_to: "embed"
      state { name: "kv" bytes: 6 bytes_read: 7 bytes_written: 8 }
      macs: 9
      weight_elems: 10
      weight_dtype: "f32"
      cin: 11
      cout: 12
      k: 13
      stride: 14
      groups: 15
      in_hw: 16
      out_hw: 18446744073709551615
    }
    layers {}
    layers { name: "\303\251" output_bytes: 0 bytes_read_per_step: 0 }
  }
)pb";

TEST(LoweringFromProto, NetworkArrivesWithItsTypesAndLayersInOrder) {
  const Scene scene(kNetwork);
  const Network& network = scene.parsed.network;
  EXPECT_EQ(network.name, "net");
  EXPECT_EQ(network.name.data(), scene.request.network().network().data());
  EXPECT_EQ(network.weight_type, "int4");
  EXPECT_EQ(network.activation_type, "bf16");
  ASSERT_EQ(network.layers.size(), 3u);
  EXPECT_EQ(network.layers[0].name, "conv");
  EXPECT_EQ(network.layers[1].name, "");
  EXPECT_EQ(network.layers[2].name, "\xc3\xa9");
}

TEST(LoweringFromProto, WhatALayerMovesArrives) {
  const Scene scene(kNetwork);
  ASSERT_EQ(scene.parsed.network.layers.size(), 3u);
  const NetworkLayer& layer = scene.parsed.network.layers[0];
  EXPECT_EQ(layer.op, "conv");
  EXPECT_EQ(layer.index, 0u);
  EXPECT_EQ(layer.inputs, std::vector<int32_t>({-1, 2147483647}));
  EXPECT_EQ(layer.input_bytes, std::vector<uint64_t>({1, kMost}));
  EXPECT_EQ(layer.output_bytes, 2u);
  EXPECT_EQ(layer.weight_bytes, 3u);
  EXPECT_EQ(layer.scale_bytes, 4u);
  EXPECT_EQ(layer.weight_bytes_read, 5u);
  EXPECT_EQ(layer.tied_to, "embed");
  const NetworkState state = layer.state.value_or(NetworkState());
  EXPECT_EQ(state.name, "kv");
  EXPECT_EQ(state.bytes, 6u);
  EXPECT_EQ(state.bytes_read, 7u);
  EXPECT_EQ(state.bytes_written, 8u);
}

TEST(LoweringFromProto, WhatALayerComputesArrives) {
  const Scene scene(kNetwork);
  ASSERT_EQ(scene.parsed.network.layers.size(), 3u);
  const NetworkLayer& layer = scene.parsed.network.layers[0];
  EXPECT_EQ(layer.macs, 9u);
  EXPECT_EQ(layer.weight_elements, 10u);
  EXPECT_EQ(layer.weight_type, "f32");
  EXPECT_EQ(layer.cin, 11u);
  EXPECT_EQ(layer.cout, 12u);
  EXPECT_EQ(layer.kernel, 13u);
  EXPECT_EQ(layer.stride, 14u);
  EXPECT_EQ(layer.groups, 15u);
  EXPECT_EQ(layer.in_hw, 16u);
  EXPECT_EQ(layer.out_hw, kMost);
}

TEST(LoweringFromProto, LayerThatSaysNothingHasTheDocumentedDefaults) {
  const Scene scene(kNetwork);
  ASSERT_EQ(scene.parsed.network.layers.size(), 3u);
  const NetworkLayer& layer = scene.parsed.network.layers[1];
  EXPECT_EQ(layer.op, "");
  EXPECT_FALSE(layer.index.has_value());
  EXPECT_TRUE(layer.inputs.empty());
  EXPECT_TRUE(layer.input_bytes.empty());
  EXPECT_FALSE(layer.output_bytes.has_value());
  EXPECT_EQ(layer.weight_bytes, 0u);
  EXPECT_EQ(layer.scale_bytes, 0u);
  EXPECT_FALSE(layer.weight_bytes_read.has_value());
  EXPECT_EQ(layer.tied_to, "");
  EXPECT_FALSE(layer.state.has_value());
  EXPECT_EQ(layer.macs, 0u);
  EXPECT_EQ(layer.weight_elements, 0u);
  EXPECT_EQ(layer.weight_type, "");
  EXPECT_EQ(layer.cin | layer.cout | layer.kernel | layer.stride | layer.groups, 0u);
  EXPECT_EQ(layer.in_hw | layer.out_hw, 0u);
}

TEST(LoweringFromProto, NothingThatIsSaidIsNotUnset) {
  const Scene scene(kNetwork);
  ASSERT_EQ(scene.parsed.network.layers.size(), 3u);
  EXPECT_EQ(scene.parsed.network.layers[2].output_bytes, 0u);
  EXPECT_EQ(scene.parsed.network.layers[2].weight_bytes_read, 0u);
}

// ---- What is asked: chip and options ----

TEST(LoweringFromProto, EmptyMessageGivesTheDocumentedDefaults) {
  const Scene scene("");
  EXPECT_EQ(scene.parsed.hardware.usable_bytes(), 523008u);  // 524288 - 1280
  EXPECT_EQ(scene.parsed.hardware.dma_bytes, 832u);
  EXPECT_EQ(scene.parsed.numbers.granule, 16u);
  EXPECT_EQ(scene.parsed.numbers.int8_macs_per_cycle, 256u);
  EXPECT_EQ(scene.parsed.numbers.code_buffer_bytes, 5120u);
  const LoweringOptions& options = scene.parsed.options;
  EXPECT_EQ(options.strategy, TilingStrategy::kStreamSchedule);
  EXPECT_EQ(options.loop_percent, 50u);
  EXPECT_EQ(options.contraction_percent, 40u);
  EXPECT_EQ(options.resident_percent, 40u);
  EXPECT_EQ(options.first_layer, 0u);
  EXPECT_EQ(options.layer_count, 0u);
  EXPECT_TRUE(options.budgets.empty());
  EXPECT_EQ(options.most_programs, 400000u);
  EXPECT_FALSE(scene.parsed.tuning.has_value());
  EXPECT_TRUE(scene.parsed.network.layers.empty());
}

TEST(LoweringFromProto, ChipArrivesInBothItsParts) {
  const Scene scene(R"pb(
    hardware {
      lram_bytes: 1000
      lram_reserved_bytes: 10
      slices: 3
      dma_bytes: 5
      dma_cycles: 7
      granule: 2
      int8_macs_per_cycle: 11
      bf16_macs_per_cycle: 13
      elementwise_bytes_per_cycle: 17
      least_program_cycles: 0
      code_buffer_bytes: 19
    })pb");
  EXPECT_EQ(scene.parsed.hardware.usable_bytes(), 990u);
  EXPECT_EQ(scene.parsed.hardware.slices, 3u);
  EXPECT_EQ(scene.parsed.hardware.dma_bytes, 5u);
  EXPECT_EQ(scene.parsed.hardware.dma_cycles, 7u);
  EXPECT_EQ(scene.parsed.numbers.granule, 2u);
  EXPECT_EQ(scene.parsed.numbers.int8_macs_per_cycle, 11u);
  EXPECT_EQ(scene.parsed.numbers.bf16_macs_per_cycle, 13u);
  EXPECT_EQ(scene.parsed.numbers.elementwise_bytes_per_cycle, 17u);
  EXPECT_EQ(scene.parsed.numbers.least_program_cycles, 0u);
  EXPECT_EQ(scene.parsed.numbers.code_buffer_bytes, 19u);
}

TEST(LoweringFromProto, OptionsArrive) {
  const Scene scene(R"pb(
    options {
      tiling { strategy: STRATEGY_OPTIMIZE loop_percent: 1 contraction_percent: 100 }
      resident_percent: 0
      first_layer: 3
      layer_count: 4294967295
      budgets { layer: 5 percent: 7 output_stays: false }
      budgets {}
      budgets { layer: 2 percent: 101 }
      most_programs: 18446744073709551615
    })pb");
  const LoweringOptions& options = scene.parsed.options;
  EXPECT_EQ(options.strategy, TilingStrategy::kOptimize);
  EXPECT_EQ(options.loop_percent, 1u);
  EXPECT_EQ(options.contraction_percent, 100u);
  EXPECT_EQ(options.resident_percent, 0u);  // said, and not left out
  EXPECT_EQ(options.first_layer, 3u);
  EXPECT_EQ(options.layer_count, 4294967295u);
  ASSERT_EQ(options.budgets.size(), 3u);
  EXPECT_EQ(options.budgets[0].layer, 5u);
  EXPECT_EQ(options.budgets[0].percent, 7u);
  EXPECT_EQ(options.budgets[0].output_stays, std::optional<bool>(false));
  EXPECT_FALSE(options.budgets[1].output_stays.has_value());
  EXPECT_EQ(options.budgets[1].layer, 0u);
  EXPECT_EQ(options.budgets[1].percent, 0u);  // for lowering to refuse, as is the next
  EXPECT_EQ(options.budgets[2].layer, 2u);
  EXPECT_EQ(options.budgets[2].percent, 101u);
  EXPECT_EQ(options.most_programs, kMost);
}

TEST(LoweringFromProto, NoProgramsAtAllIsANumber) {
  EXPECT_EQ(Scene("options { most_programs: 0 }").parsed.options.most_programs, 0u);
}

TEST(LoweringFromProto, TuningThatSaysNothingIsAskedForWithDefaults) {
  const Scene scene("options { tuning {} }");
  ASSERT_TRUE(scene.parsed.tuning.has_value());
  EXPECT_EQ(scene.parsed.tuning->schedule.strategy, Strategy::kStreamSchedule);
  EXPECT_EQ(scene.parsed.tuning->schedule.oracle, OracleKind::kSequential);
  EXPECT_EQ(scene.parsed.tuning->schedule.cap_percent, 100u);
  // As lower.proto says.
  EXPECT_EQ(scene.parsed.tuning->schedule.work_limit, std::optional<uint64_t>(100000));
  EXPECT_EQ(scene.parsed.tuning->most_trials, 1000u);
  EXPECT_EQ(scene.parsed.tuning->most_ops, 6000000u);
}

TEST(LoweringFromProto, TuningArrives) {
  const Scene scene(R"pb(
    options {
      tuning {
        schedule {
          strategy: STRATEGY_OPTIMIZE
          oracle: ORACLE_OFFLINE
          cap_percent: 80
          prefetch_percent: 0
          work_limit: 9
          swaps_forbidden: true
          robust: true
        }
        most_trials: 0
        most_ops: 18446744073709551615
      }
    })pb");
  ASSERT_TRUE(scene.parsed.tuning.has_value());
  const ScheduleOptions& schedule = scene.parsed.tuning->schedule;
  EXPECT_EQ(schedule.strategy, Strategy::kOptimize);
  EXPECT_EQ(schedule.oracle, OracleKind::kOffline);
  EXPECT_EQ(schedule.cap_percent, 80u);
  EXPECT_EQ(schedule.prefetch_percent, 0u);
  EXPECT_EQ(schedule.work_limit, 9u);
  EXPECT_TRUE(schedule.swaps_forbidden);
  EXPECT_TRUE(schedule.robust);
  EXPECT_EQ(scene.parsed.tuning->most_trials, 0u);
  EXPECT_EQ(scene.parsed.tuning->most_ops, kMost);
}

// ---- What is refused ----

struct Refused {
  const char* scene;
  const char* request;  // beside a sound network, unless it brings one
  const char* field;
  const char* message;
};

// Two layers, so that a second one can be named.
constexpr char kSound[] = R"pb(
  network {
    layers {
      name: "a"
      op: "matmul"
      inputs: -1
      input_bytes_each: 8
      output_bytes: 8
      weight_bytes: 64
      macs: 64
      weight_elems: 64
    }
    layers { name: "b" op: "elementwise" inputs: 0 output_bytes: 8 }
  }
)pb";

const Refused kRefused[] = {
    {"UnknownStrategy", "options { tiling { strategy: 7 } }", "options.tiling.strategy",
     "options.tiling.strategy: 7 is not known; expected none, stream schedule or optimize"},
    {"LoopPercentZero", "options { tiling { loop_percent: 0 } }", "options.tiling.loop_percent",
     "options.tiling.loop_percent: 0; expected 1 to 100"},
    {"ContractionPercentAbove100", "options { tiling { contraction_percent: 101 } }",
     "options.tiling.contraction_percent",
     "options.tiling.contraction_percent: 101; expected 1 to 100"},
    {"ResidentPercentAbove100", "options { resident_percent: 101 }", "options.resident_percent",
     "options.resident_percent: 101; expected 0 to 100"},
    {"FirstLayerBeyondTheLast", "options { first_layer: 2 }", "options.first_layer",
     "options.first_layer: 2; expected one of 2 layers"},
    {"TooManyLayers", "options { first_layer: 1 layer_count: 2 }", "options.layer_count",
     "options.layer_count: 2 from layer 1 on; expected at most 1"},
    {"BudgetWithoutAPercent", "options { budgets { percent: 1 } budgets { layer: 1 } }",
     "options.budgets[1].percent", "options.budgets[1].percent: 0; expected 1 to 100"},
    {"BudgetAbove100", "options { budgets { percent: 101 } }", "options.budgets[0].percent",
     "options.budgets[0].percent: 101; expected 1 to 100"},
    {"BudgetOfNoLayer", "options { budgets { layer: 2 percent: 9 } }", "options.budgets[0].layer",
     "options.budgets[0].layer: 2; expected one of 2 layers"},
    {"ATimeLimitOfTrials", "options { tuning { schedule { time_limit_ms: 7 } } }",
     "options.tuning.schedule.time_limit_ms",
     "options.tuning.schedule.time_limit_ms: 7; expected none, as what is found must not depend on "
     "the clock; most_trials and work_limit bound the work"},
    {"TwoBudgetsOfALayer",
     "options { budgets { layer: 1 percent: 9 } budgets { layer: 0 percent: 9 } "
     "budgets { layer: 1 output_stays: true } }",
     "options.budgets[2].layer",
     "options.budgets[2].layer: 1 once more; expected one budget a layer"},
    {"UnknownStrategyOfTrials", "options { tuning { schedule { strategy: 77 } } }",
     "options.tuning.schedule.strategy",
     "options.tuning.schedule.strategy: 77 is not known; expected STRATEGY_NONE, "
     "STRATEGY_STREAM_SCHEDULE or STRATEGY_OPTIMIZE"},
    {"UnknownOracleOfTrials", "options { tuning { schedule { oracle: -2 } } }",
     "options.tuning.schedule.oracle", "options.tuning.schedule.oracle: -2 is not known; expected"},
    {"OracleOfTheHost", "options { tuning { schedule { oracle: ORACLE_HOST } } }",
     "options.tuning.schedule.oracle",
     "options.tuning.schedule.oracle: host; expected sequential or offline"},
    {"NoUsableLram", "hardware { lram_bytes: 1280 }", "hardware.lram_reserved_bytes",
     "hardware.lram_reserved_bytes: 1280, all of LRAM; expected fewer than its 1280 bytes"},
    {"NoMacsACycle", "hardware { bf16_macs_per_cycle: 0 }", "hardware.bf16_macs_per_cycle",
     "hardware.bf16_macs_per_cycle: 0; expected 1 to 1099511627776"},
    {"NoDmaEngine", "hardware { dma_engines: 0 }", "hardware.dma_engines",
     "hardware.dma_engines: 0; expected 1 to 64"},
    {"CodeThatFitsNowhere", "hardware { code_buffer_bytes: 600000 }", "network.layers[0]",
     "layer 0 'a': its smallest tile takes "},
    {"TooManyTiles", "options { most_programs: 0 }", "options.most_programs",
     "layer 0 'a': more than 0 tiles up to here; expected fewer"},
    {"NoNetwork", "network {}", "network.layers", "network.layers: none; expected at least one"},
    {"UnknownActivationType", "network { activation_dtype: 'int7' layers { output_bytes: 1 } }",
     "network.activation_dtype", "network.activation_dtype: 'int7' is not known; expected int4"},
    {"UnknownOp", "network { layers { name: 'c' op: 'fft' output_bytes: 1 } }",
     "network.layers[0].op", "layer 0 'c': op 'fft' is not known; expected matmul, conv"},
    {"OutputBytesNotSet", "network { layers { op: 'norm' } }", "network.layers[0].output_bytes",
     "layer 0: the size of its output is not given; expected one"},
    {"WeightElementsNotSet", "network { layers { name: 'c' op: 'matmul' output_bytes: 1 } }",
     "network.layers[0].weight_elems",
     "layer 0 'c': weight_elems 0; expected those of a matrix product"},
    {"MacsNotSet",
     "network { layers { op: 'norm' output_bytes: 1 }"
     " layers { name: 'c' op: 'matmul' output_bytes: 1 weight_elems: 4 } }",
     "network.layers[1].macs", "layer 1 'c': 0 macs; expected a multiple of its 4 weights"},
    {"KernelNotSet",
     "network { layers { op: 'conv' inputs: -1 input_bytes_each: 4 output_bytes: 4"
     " cin: 1 cout: 1 stride: 1 groups: 1 in_hw: 2 out_hw: 2 } }",
     "network.layers[0].k", "layer 0: k 0 or not given; expected 1 to 4294967296"},
    {"InputThatIsNoEarlierLayer", "network { layers { op: 'norm' inputs: 0 output_bytes: 1 } }",
     "network.layers[0].inputs[0]", "layer 0: input 0 is layer 0; expected an earlier layer"},
    {"BytesOfTheNetworksInputNotSet",
     "network { layers { op: 'norm' inputs: -1 output_bytes: 1 } }",
     "network.layers[0].input_bytes_each",
     "layer 0: it reads the network's input; expected the bytes that it reads"},
    {"BytesReadOfNoWeights",
     "network { layers { op: 'norm' output_bytes: 1 bytes_read_per_step: 9 } }",
     "network.layers[0].bytes_read_per_step",
     "layer 0: it reads 9 bytes of its weights, which have 0 bytes"},
    {"StateWithoutAName", "network { layers { op: 'norm' output_bytes: 1 state {} } }",
     "network.layers[0].state.name", "layer 0: its state has no name; expected one"},
    {"StateBeyondTwoToThe48",
     "network { layers { op: 'norm' output_bytes: 1"
     " state { name: 's' bytes: 281474976710657 } } }",
     "network.layers[0].state.bytes",
     "layer 0: state.bytes 281474976710657; expected at most 281474976710656 bytes"},
    {"TiedToNobody",
     "network { layers { name: 'c' op: 'norm' output_bytes: 1 tied_to: 'nobody' } }",
     "network.layers[0].tied_to", "layer 0 'c': it is tied to 'nobody', the name of no layer"},
};

void PrintTo(const Refused& refused, std::ostream* out) { *out << refused.scene; }

class RefusedLowering : public testing::TestWithParam<Refused> {};

// Wherever it is found: when the message is read or when its network is lowered.
TEST_P(RefusedLowering, NamesItsPlace) {
  auto request = FromText<v1::LowerRequest>(GetParam().request);
  if (!request.has_network()) {
    *request.mutable_network() = FromText<v1::LowerRequest>(kSound).network();
  }
  const absl::StatusOr<ParsedLowering> parsed = LoweringFromProto(request);
  const absl::Status status = parsed.ok() ? LowerNetwork(parsed->network, parsed->hardware,
                                                         parsed->numbers, parsed->options)
                                                .status()
                                          : parsed.status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  EXPECT_EQ(PlaceOf(status).field, GetParam().field);
  EXPECT_TRUE(LeadsToAField<v1::LowerRequest>(PlaceOf(status).field));
  EXPECT_NE(status.message().find(GetParam().message), std::string::npos) << status;
}

INSTANTIATE_TEST_SUITE_P(Scenes, RefusedLowering, testing::ValuesIn(kRefused),
                         [](const auto& info) { return std::string(info.param.scene); });

// So that what is wrong with the scenes above is what they say.
TEST(LoweringFromProto, SoundNetworkOfTheScenesIsLowered) {
  const Scene scene(kSound);
  const absl::Status status = LowerNetwork(scene.parsed.network, scene.parsed.hardware,
                                           scene.parsed.numbers, scene.parsed.options)
                                  .status();
  EXPECT_TRUE(status.ok()) << status;
}

TEST(LoweringFromProto, ProfileThatDoesNotExistIsNotFound) {
  const absl::Status status =
      LoweringFromProto(FromText<v1::LowerRequest>("hardware { profile: 'sl9999' }")).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound) << status;
  EXPECT_EQ(PlaceOf(status).field, "hardware.profile");
}

TEST(InTuning, OptionsOfAScheduleAreFoundWhereTheyLieHere) {
  const absl::Status status = InTuning(FieldError("options.cap_percent", "101; expected 100"));
  EXPECT_EQ(status.message(), "options.tuning.schedule.cap_percent: 101; expected 100");
  EXPECT_TRUE(LeadsToAField<v1::LowerRequest>(PlaceOf(status).field));
  EXPECT_TRUE(InTuning(absl::OkStatus()).ok());
}

// ---- The answer ----

TEST(LoweredToProto, EveryNumberHasAFieldOfItsOwn) {
  LoweredNetwork lowered;
  LoweredLayer& layer = lowered.layers.emplace_back();
  layer.layer = 1;
  layer.budget_bytes = 2;
  layer.reason = BudgetReason::kLoopPercent;
  layer.tile_bytes = 3;
  layer.row_tiles = 4;
  layer.n_tiles = 5;
  layer.k_tiles = 6;
  layer.chunks = 7;
  layer.abreast = 21;
  layer.first_op = 8;
  layer.end_op = 9;
  layer.programs = 10;
  layer.macs = 11;
  layer.weight_bytes = 12;
  layer.input_bytes = 13;
  layer.again_bytes = 14;
  layer.code_bytes = 15;
  layer.stored_bytes = 16;
  layer.program_cycles = 17;
  layer.transfer_cycles = kMost;
  layer.output_resident = true;
  lowered.constant_bytes = 18;
  lowered.convolutions = true;
  v1::LowerResponse response;
  LoweredToProto(lowered, &response);
  EXPECT_TRUE(IsText(response, R"pb(
    stream {}
    layers {
      layer: 1
      budget_bytes: 2
      reason: BUDGET_REASON_LOOP_PERCENT
      tile_bytes: 3
      row_tiles: 4
      n_tiles: 5
      k_tiles: 6
      chunks: 7
      abreast: 21
      first_op: 8
      end_op: 9
      programs: 10
      macs: 11
      weight_bytes: 12
      input_bytes: 13
      again_bytes: 14
      code_bytes: 15
      stored_bytes: 16
      program_cycles: 17
      transfer_cycles: 18446744073709551615
      output_resident: true
    }
    constant_bytes: 18
    convolution_warning: true)pb"));
}

TEST(LoweredToProto, LayersKeepTheirOrderAndOneWithItsOwnBudgetHasNoReason) {
  const BudgetReason reasons[] = {BudgetReason::kRowsStayWhole, BudgetReason::kConstantsFit,
                                  BudgetReason::kContractionPercent, BudgetReason::kNoScheduler};
  LoweredNetwork lowered;
  for (const BudgetReason reason : reasons) lowered.layers.emplace_back().reason = reason;
  lowered.layers.push_back(lowered.layers[0]);
  lowered.layers.back().own_budget = true;
  for (uint32_t l = 0; l < 5; ++l) lowered.layers[l].layer = 9 - l;
  v1::LowerResponse response;
  LoweredToProto(lowered, &response);
  ASSERT_EQ(response.layers_size(), 5);
  const v1::BudgetReason expected[] = {
      v1::BUDGET_REASON_ROWS_STAY_WHOLE, v1::BUDGET_REASON_CONSTANTS_FIT,
      v1::BUDGET_REASON_CONTRACTION_PERCENT, v1::BUDGET_REASON_NO_SCHEDULER,
      v1::BUDGET_REASON_UNSPECIFIED};
  for (int l = 0; l < 5; ++l) {
    EXPECT_EQ(response.layers(l).layer(), 9u - static_cast<uint32_t>(l));
    EXPECT_EQ(response.layers(l).reason(), expected[l]) << l;
  }
}

TEST(LoweredToProto, StreamComesWithItsBuffersAndOps) {
  const auto stream = FromText<v1::Stream>(R"pb(
    name: "net"
    buffers { name: "x" space: SPACE_XRAM size: 8 live_out: true }
    ops {
      name: "call"
      kind: OP_KIND_BARRIER
      cycles: 3
      operands: []
    })pb");
  LoweredNetwork lowered;
  absl::StatusOr<Stream> read = StreamFromProto(stream);
  ASSERT_TRUE(read.ok()) << read.status();
  lowered.stream = *std::move(read);
  v1::LowerResponse response;
  LoweredToProto(lowered, &response);
  EXPECT_TRUE(IsText(response.stream(), stream.DebugString()));
  EXPECT_FALSE(response.convolution_warning());
  EXPECT_FALSE(response.has_tuning());
}

// ---- Options out and back ----

// No member is its default, none has another's value.
LoweringOptions OddOptions(TilingStrategy strategy) {
  LoweringOptions options;
  options.strategy = strategy;
  options.loop_percent = 61;
  options.contraction_percent = 62;
  options.resident_percent = 63;
  options.first_layer = 4;
  options.layer_count = 5;
  options.budgets = {{6, 7, {}}, {4294967295, 100, true}, {8, 0, false}};
  options.most_programs = kMost;
  return options;
}

TEST(LoweringOptionsToProto, EveryMemberHasAFieldOfItsOwn) {
  v1::LowerOptions message;
  LoweringOptionsToProto(OddOptions(TilingStrategy::kNone), &message);
  EXPECT_TRUE(IsText(message, R"pb(
    tiling { strategy: STRATEGY_NONE loop_percent: 61 contraction_percent: 62 }
    resident_percent: 63
    first_layer: 4
    layer_count: 5
    budgets { layer: 6 percent: 7 }
    budgets { layer: 4294967295 percent: 100 output_stays: true }
    budgets { layer: 8 percent: 0 output_stays: false }
    most_programs: 18446744073709551615)pb"));
}

void ExpectComesBack(const LoweringOptions& options) {
  v1::LowerRequest request;
  LoweringOptionsToProto(options, request.mutable_options());
  const absl::StatusOr<ParsedLowering> read = LoweringFromProto(request);
  ASSERT_TRUE(read.ok()) << read.status();
  const LoweringOptions& back = read->options;
  EXPECT_EQ(back.strategy, options.strategy);
  EXPECT_EQ(back.loop_percent, options.loop_percent);
  EXPECT_EQ(back.contraction_percent, options.contraction_percent);
  EXPECT_EQ(back.resident_percent, options.resident_percent);
  EXPECT_EQ(back.first_layer, options.first_layer);
  EXPECT_EQ(back.layer_count, options.layer_count);
  ASSERT_EQ(back.budgets.size(), options.budgets.size());
  for (size_t b = 0; b < back.budgets.size(); ++b) {
    EXPECT_EQ(back.budgets[b].layer, options.budgets[b].layer) << b;
    EXPECT_EQ(back.budgets[b].percent, options.budgets[b].percent) << b;
    EXPECT_EQ(back.budgets[b].output_stays, options.budgets[b].output_stays) << b;
  }
  EXPECT_EQ(back.most_programs, options.most_programs);
  EXPECT_FALSE(read->tuning.has_value());
}

TEST(LoweringOptionsToProto, WhatItWritesComesBackAsTheSameOptions) {
  for (const TilingStrategy strategy :
       {TilingStrategy::kNone, TilingStrategy::kStreamSchedule, TilingStrategy::kOptimize}) {
    ExpectComesBack(OddOptions(strategy));
  }
  ExpectComesBack(LoweringOptions());
}

// Written, as their defaults are others.
TEST(LoweringOptionsToProto, ZerosComeBackAsZeros) {
  LoweringOptions options;
  options.resident_percent = 0;
  options.most_programs = 0;
  options.budgets = {{0, 0, {}}};
  ExpectComesBack(options);
}

}  // namespace
}  // namespace torqsched
