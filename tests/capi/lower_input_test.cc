// What torqsched_lower is asked that is wrong, each with its code, its field and its message; and
// what looks odd and is answered. (What else a layer can say that is wrong: tests/lowering.)
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/capi/bad_requests.h"
#include "tests/capi/calls.h"
#include "tests/capi/lower_requests.h"

namespace torqsched {
namespace testing {
namespace {

// ---- Wrong ----

// Layer 0 is right; the layer at fault is the second, so that positions tell them apart.
#define NETWORK(layer) \
  "network { layers { name: 'a' op: 'norm' output_bytes: 3 } layers { name: 'b' " layer " } } "
#define ELEMENTWISE(fields) NETWORK("op: 'elementwise' inputs: 0 output_bytes: 3 " fields)
#define PRODUCT(fields) NETWORK("op: 'matmul' inputs: -1 input_bytes_each: 8 " fields)
#define CONV(channels, sides)                                                               \
  NETWORK(                                                                                  \
      "op: 'conv' inputs: -1 input_bytes_each: 64 output_bytes: 64 k: 1 stride: 1 groups: " \
      "1 " channels " " sides)
#define OPTIONS(options) ELEMENTWISE("") "options { " options " }"
#define TUNING(tuning) OPTIONS("tuning { schedule { " tuning " } }")
#define MAX "18446744073709551615"
#define KNOWN_TYPES "' is not known; expected int4, int8, int16, bf16, f16, int32 or f32"

const Bad kBad[] = {
    {"NoNetwork", "options {}", "network",
     "network: the request has none; expected a table of layers"},
    {"NoLayers", "network {}", "network.layers", "network.layers: none; expected at least one"},
    // Edges.
    {"ReadsALaterLayer", NETWORK("op: 'norm' output_bytes: 3 inputs: 2"),
     "network.layers[1].inputs[0]",
     "layer 1 'b': input 0 is layer 2; expected an earlier layer, or -1 for the network's input"},
    {"ReadsItself", NETWORK("op: 'norm' output_bytes: 3 inputs: [ 0, 1 ]"),
     "network.layers[1].inputs[1]",
     "layer 1 'b': input 1 is layer 1; expected an earlier layer, or -1 for the network's input"},
    {"Cycle",
     "network { layers { name: 'a' op: 'norm' output_bytes: 3 inputs: 1 } "
     "layers { name: 'b' op: 'norm' output_bytes: 3 inputs: 0 } }",
     "network.layers[0].inputs[0]",
     "layer 0 'a': input 0 is layer 1; expected an earlier layer, or -1 for the network's input"},
    {"ReadsANegativeLayer", NETWORK("op: 'norm' output_bytes: 3 inputs: -2"),
     "network.layers[1].inputs[0]",
     "layer 1 'b': input 0 is -2; expected an earlier layer, or -1 for the network's input"},
    {"ReadsTheMostNegativeLayer", NETWORK("op: 'norm' output_bytes: 3 inputs: -2147483648"),
     "network.layers[1].inputs[0]",
     "layer 1 'b': input 0 is -2147483648; expected an earlier layer, or -1 for the network's "
     "input"},
    {"ReadsAnInputOfNoGivenSize", NETWORK("op: 'norm' output_bytes: 3 inputs: -1"),
     "network.layers[1].input_bytes_each",
     "layer 1 'b': it reads the network's input; expected the bytes that it reads"},
    {"SizesOfOtherInputs",
     NETWORK("op: 'norm' output_bytes: 3 inputs: 0 input_bytes_each: [ 1, 2 ]"),
     "network.layers[1].input_bytes_each",
     "layer 1 'b': 2 numbers of bytes for 1 inputs; expected as many, or none"},
    {"InputOfTooManyBytes", NETWORK("op: 'norm' output_bytes: 3 inputs: -1 input_bytes_each: " MAX),
     "network.layers[1].input_bytes_each[0]",
     "layer 1 'b': input_bytes_each[0] " MAX "; expected at most 281474976710656 bytes"},
    // Names.
    {"TwoLayersWithOneName",
     "network { layers { name: 'a' op: 'norm' output_bytes: 3 } "
     "layers { op: 'norm' output_bytes: 3 } layers { name: 'a' op: 'norm' output_bytes: 3 } }",
     "network.layers[2].name", "layer 2 'a': layer 0 'a' has the same name"},
    {"NameThatALayerWithoutOneHas",
     "network { layers { op: 'norm' output_bytes: 3 } "
     "layers { name: 'layer 0' op: 'norm' output_bytes: 3 } }",
     "network.layers[1].name", "layer 1 'layer 0': layer 0 has the same name"},
    {"WrongIndex", ELEMENTWISE("index: 2"), "network.layers[1].index",
     "layer 1 'b': its index is 2; expected 1, its position among the layers"},
    {"TiedToNobody", ELEMENTWISE("tied_to: 'c'"), "network.layers[1].tied_to",
     "layer 1 'b': it is tied to 'c', the name of no layer"},
    // Shapes.
    {"EmptyLayer", "network { layers {} }", "network.layers[0].output_bytes",
     "layer 0: the size of its output is not given; expected one, 0 if it has none"},
    {"NoOp", NETWORK("output_bytes: 3"), "network.layers[1].op",
     "layer 1 'b': op '' is not known; expected matmul, conv, attention, elementwise, norm, "
     "softmax, embedding, state_write, concat, pool, upsample or copy"},
    {"UnknownOp", NETWORK("op: 'MatMul' output_bytes: 3"), "network.layers[1].op",
     "layer 1 'b': op 'MatMul' is not known; expected matmul, conv, attention, elementwise, norm, "
     "softmax, embedding, state_write, concat, pool, upsample or copy"},
    {"NoOutput", NETWORK("op: 'norm' output_bytes: 0"), "network.layers[1].output_bytes",
     "layer 1 'b': output_bytes 0; expected an output"},
    {"OutputOfTooManyBytes", NETWORK("op: 'norm' output_bytes: " MAX),
     "network.layers[1].output_bytes",
     "layer 1 'b': output_bytes " MAX "; expected at most 281474976710656 bytes"},
    {"ProductWithoutWeights", PRODUCT("output_bytes: 8"), "network.layers[1].weight_elems",
     "layer 1 'b': weight_elems 0; expected those of a matrix product"},
    {"ProductWithoutMacs", PRODUCT("output_bytes: 8 weight_elems: 8"), "network.layers[1].macs",
     "layer 1 'b': 0 macs; expected a multiple of its 8 weights"},
    {"ProductOfMoreMacsThanFit", PRODUCT("output_bytes: 8 weight_elems: 8 macs: " MAX),
     "network.layers[1].macs", "layer 1 'b': " MAX " macs; expected at most 1152921504606846976"},
    {"ProductOfOtherColumns", PRODUCT("output_bytes: 3 weight_elems: 8 macs: 8"),
     "network.layers[1].output_bytes",
     "layer 1 'b': 3 outputs; expected 1 rows of as many columns, which divide its 8 weights"},
    {"WeightsAndScalesBeyond64Bits", ELEMENTWISE("weight_bytes: " MAX " scale_bytes: 1"),
     "network.layers[1].scale_bytes",
     "layer 1 'b': its weights and their scales do not fit 64 bits of bytes"},
    {"ImageOfNoChannels", CONV("cout: 1", "in_hw: 8 out_hw: 8"), "network.layers[1].cin",
     "layer 1 'b': cin 0 or not given; expected 1 to 4294967296"},
    {"ImageOfAnEndlessSide", CONV("cin: 1 cout: 1", "in_hw: " MAX " out_hw: 8"),
     "network.layers[1].in_hw", "layer 1 'b': in_hw " MAX "; expected 1 to 4294967296"},
    {"ImageWrittenBeyond64Bits", CONV("cin: 1 cout: 4294967296", "in_hw: 8 out_hw: 4294967296"),
     "network.layers[1].output_bytes",
     "layer 1 'b': output_bytes 64; its out_hw and cout say more than 2^64 - 1"},
    {"ImageReadBeyond64Bits", CONV("cin: 4294967296 cout: 1", "in_hw: 4294967296 out_hw: 8"),
     "network.layers[1].input_bytes_each",
     "layer 1 'b': expected one input of the more than 2^64 - 1 bytes that its in_hw and cin say"},
    {"StateWithoutAName", ELEMENTWISE("state { bytes: 5 }"), "network.layers[1].state.name",
     "layer 1 'b': its state has no name; expected one"},
    {"StateWriteOfNothing", NETWORK("op: 'state_write' output_bytes: 0 inputs: 0"),
     "network.layers[1].state", "layer 1 'b': writes no bytes of a state; expected some"},
    // Types.
    {"UnknownTypeOfActivations",
     "network { activation_dtype: 'INT8' layers { op: 'norm' output_bytes: 3 } }",
     "network.activation_dtype", "network.activation_dtype: 'INT8" KNOWN_TYPES},
    {"UnknownTypeOfWeights",
     "network { weight_dtype: 'int5' layers { op: 'norm' output_bytes: 3 } }",
     "network.weight_dtype", "network.weight_dtype: 'int5" KNOWN_TYPES},
    {"UnknownTypeOfALayersWeights", ELEMENTWISE("weight_dtype: 'fp8'"),
     "network.layers[1].weight_dtype", "layer 1 'b': weight_dtype 'fp8" KNOWN_TYPES},
    // Options.
    {"FirstLayerBeyondTheTable", OPTIONS("first_layer: 2"), "options.first_layer",
     "options.first_layer: 2; expected one of 2 layers"},
    {"MoreLayersThanThereAre", OPTIONS("first_layer: 1 layer_count: 4294967295"),
     "options.layer_count", "options.layer_count: 4294967295 from layer 1 on; expected at most 1"},
    {"MoreThanAllResident", OPTIONS("resident_percent: 101"), "options.resident_percent",
     "options.resident_percent: 101; expected 0 to 100"},
    {"BudgetOfNoLayer", OPTIONS("budgets { percent: 5 } budgets { layer: 2 percent: 5 }"),
     "options.budgets[1].layer", "options.budgets[1].layer: 2; expected one of 2 layers"},
    {"BudgetOfNothing", OPTIONS("budgets { layer: 1 }"), "options.budgets[0].percent",
     "options.budgets[0].percent: 0; expected 1 to 100"},
    {"BudgetOfTheLargestNumber", OPTIONS("budgets { layer: 1 percent: 4294967295 }"),
     "options.budgets[0].percent", "options.budgets[0].percent: 4294967295; expected 1 to 100"},
    {"UnknownStrategy", OPTIONS("tiling { strategy: 77 }"), "options.tiling.strategy",
     "options.tiling.strategy: 77 is not known; expected none, stream schedule or optimize"},
    {"LoopsGetNothing", OPTIONS("tiling { loop_percent: 0 }"), "options.tiling.loop_percent",
     "options.tiling.loop_percent: 0; expected 1 to 100"},
    {"ContractionsGetMoreThanAll", OPTIONS("tiling { contraction_percent: 101 }"),
     "options.tiling.contraction_percent",
     "options.tiling.contraction_percent: 101; expected 1 to 100"},
    {"NoPrograms", OPTIONS("most_programs: 0"), "options.most_programs",
     "layer 0 'a': more than 0 tiles up to here; expected fewer"},
    {"OneProgram", OPTIONS("most_programs: 1"), "options.most_programs",
     "layer 1 'b': more than 1 tiles up to here; expected fewer"},
    {"UnknownStrategyOfTrials", TUNING("strategy: 88"), "options.tuning.schedule.strategy",
     "options.tuning.schedule.strategy: 88 is not known; expected STRATEGY_NONE, "
     "STRATEGY_STREAM_SCHEDULE or STRATEGY_OPTIMIZE"},
    {"UnknownOracle", TUNING("oracle: -1"), "options.tuning.schedule.oracle",
     "options.tuning.schedule.oracle: -1 is not known; expected ORACLE_SEQUENTIAL, ORACLE_OFFLINE "
     "or ORACLE_HOST"},
    {"OracleOfTheHost", TUNING("oracle: ORACLE_HOST"), "options.tuning.schedule.oracle",
     "options.tuning.schedule.oracle: host; expected sequential or offline, which trials can be "
     "placed by"},
    {"NoCandidates", TUNING("candidates: 0"), "options.tuning.schedule.candidates",
     "options.tuning.schedule.candidates: 0; expected at least 1"},
    {"CapBeyondAll", TUNING("cap_percent: 101"), "options.tuning.schedule.cap_percent",
     "options.tuning.schedule.cap_percent: 101 percent; expected at most 100"},
    // Hardware.
    {"NoMacsPerCycle", ELEMENTWISE("") "hardware { bf16_macs_per_cycle: 0 }",
     "hardware.bf16_macs_per_cycle",
     "hardware.bf16_macs_per_cycle: 0; expected 1 to 1099511627776"},
    {"LeastCyclesOfTheLargestNumber", ELEMENTWISE("") "hardware { least_program_cycles: " MAX " }",
     "hardware.least_program_cycles",
     "hardware.least_program_cycles: " MAX "; expected 0 to 1099511627776"},
    {"AllOfLramReserved", ELEMENTWISE("") "hardware { lram_bytes: 1280 }",
     "hardware.lram_reserved_bytes",
     "hardware.lram_reserved_bytes: 1280, all of LRAM; expected fewer than its 1280 bytes"},
    {"LramThatHoldsNoTile", ELEMENTWISE("") "hardware { lram_bytes: 6402 }", "network.layers[0]",
     "layer 0 'a': its smallest tile takes 5123 bytes; LRAM holds 5122"},
};

class BadLowerRequest : public ::testing::TestWithParam<Bad> {};

TEST_P(BadLowerRequest, IsRefusedWithItsPlace) {
  ExpectRefused<v1::LowerRequest>(kLower, GetParam());
}

INSTANTIATE_TEST_SUITE_P(Scenes, BadLowerRequest, ::testing::ValuesIn(kBad),
                         [](const auto& info) { return std::string(info.param.scene); });

TEST(BadLowering, NoBytesAreNoRequest) {
  const Answer answer = Ask(kLower, std::string());
  EXPECT_EQ(answer.code, TORQSCHED_INVALID_ARGUMENT);
  EXPECT_EQ(Parse<v1::Error>(answer.bytes).field(), "network");
}

TEST(BadLowering, AnUnknownProfileIsNotFound) {
  v1::LowerRequest request = OneOfEach();
  request.mutable_hardware()->set_profile("none such");
  const Answer answer = Ask(kLower, request);
  EXPECT_EQ(answer.code, TORQSCHED_NOT_FOUND);
  EXPECT_EQ(Parse<v1::Error>(answer.bytes).field(), "hardware.profile");
}

TEST(BadLowering, BytesThatAreNoRequestAreRefused) {
  std::string bytes = OneOfEach().SerializeAsString();
  ExpectNoMessage(kLower, "torqsched.v1.LowerRequest", bytes.substr(0, bytes.size() - 1));
  bytes[bytes.find("embed")] = '\xff';
  ExpectNoMessage(kLower, "torqsched.v1.LowerRequest", bytes);
}

// ---- Odd, and answered ----

v1::LowerResponse Lower(const v1::LowerRequest& request) {
  const Answer answer = Ask(kLower, request);
  EXPECT_EQ(answer.code, TORQSCHED_OK) << Parse<v1::Error>(answer.bytes).ShortDebugString();
  const auto response = Parse<v1::LowerResponse>(answer.bytes);
  if (answer.code == TORQSCHED_OK) {
    EXPECT_EQ(WrongAtAGlance(request, response), "");
  }
  return response;
}

v1::LowerResponse Lower(const std::string& text) { return Lower(FromText<v1::LowerRequest>(text)); }

TEST(OddLowering, LargestNumbersOfOptionsAreAnswered) {
  const v1::LowerResponse response =
      Lower(OPTIONS("most_programs: " MAX " tuning { most_trials: " MAX " most_ops: " MAX
                    " schedule { urgent_starts: " MAX " candidates: " MAX " } }"));
  EXPECT_FALSE(response.tuning().limit_reached());
  EXPECT_EQ(response.tuning().options().most_programs(), UINT64_MAX);
}

TEST(OddLowering, LargestNumbersOfHardwareAreAnswered) {
  Lower(ELEMENTWISE("") "hardware { lram_bytes: " MAX
                        " lram_reserved_bytes: 0 granule: "
                        "1099511627776 int8_macs_per_cycle: 1099511627776 "
                        "elementwise_bytes_per_cycle: 1099511627776 "
                        "least_program_cycles: 1099511627776 code_buffer_bytes: 1099511627776 }");
}

// As many bytes and macs as a layer may have, in LRAM that holds them.
TEST(OddLowering, LargestNumbersOfALayerAreAnswered) {
  const v1::LowerResponse response = Lower(
      "network { layers { op: 'norm' inputs: -1 input_bytes_each: 281474976710656 "
      "output_bytes: 281474976710656 weight_bytes: 281474976710656 macs: 1152921504606846976 } } "
      "hardware { lram_bytes: " MAX " }");
  EXPECT_EQ(response.layers(0).programs(), 1u);
  EXPECT_EQ(response.layers(0).program_cycles(), uint64_t{1} << 52);
}

// Every op and buffer of a tile begins with its layer's name, which is cut between characters.
TEST(OddLowering, LongNamesAreCut) {
  for (const std::string& prefix : {std::string(), std::string("x"), std::string("xy")}) {
    v1::LowerRequest request = OneOfEach();
    std::string name = prefix;
    for (int i = 0; i < 400; ++i) name += "\xe2\x82\xac";
    request.mutable_network()->mutable_layers(2)->set_name(name);
    const v1::LowerResponse response = Lower(request);
    int named = 0;
    for (const v1::Op& op : response.stream().ops()) {
      EXPECT_LT(op.name().size(), 160u) << op.name();
      named += op.name().find(name.substr(0, 60)) != std::string::npos;
    }
    EXPECT_GE(named, 4);
  }
}

// ---- A session's limit ----

// Programs of the call: the limit's rest has room for each.
void ExpectLimitOfPrograms(const v1::LowerRequest& request, uint64_t estimate, uint64_t programs,
                           uint64_t each) {
  const uint64_t enough = 4 * request.ByteSizeLong() + estimate + each * programs;
  EXPECT_EQ(Ask(kLower, request, Limited(enough).get()).code, TORQSCHED_OK);
  const Answer answer = Ask(kLower, request, Limited(enough - 1).get());
  EXPECT_EQ(answer.code, TORQSCHED_RESOURCE_EXHAUSTED);
  const std::string message = Parse<v1::Error>(answer.bytes).message();
  EXPECT_EQ(message.rfind(absl::StrCat("the session's memory limit is ", enough - 1,
                                       " bytes, enough for ", programs - 1, " tiles; layer "),
                          0),
            0u)
      << message;
}

TEST(LowerMemoryLimit, IsHeldAgainstTheEstimateInTheHeader) {
  v1::LowerRequest request = Products(3, 1, 8);
  request.mutable_options()->add_budgets()->set_percent(50);
  const uint64_t estimate = 8192 * 3 + 384 * 3 + 32 * (3 + 1);
  ExpectLimitOfPrograms(request, estimate, 3, 16384);
  request.mutable_options()->mutable_tuning()->set_most_trials(2);
  ExpectLimitOfPrograms(request, estimate, 3, 16384);
  v1::ScheduleOptions* const schedule =
      request.mutable_options()->mutable_tuning()->mutable_schedule();
  schedule->set_strategy(v1::STRATEGY_OPTIMIZE);
  schedule->set_work_limit(1000);
  ExpectLimitOfPrograms(request, estimate + 16 * 1000 + 67108864, 3, 24576);
}

TEST(LowerMemoryLimit, ATableThatIsTooLargeByItselfIsRefusedBeforeTheWork) {
  const v1::LowerRequest request = Products(3, 1, 8);
  const uint64_t estimate = 4 * request.ByteSizeLong() + 8192 * 3 + 384 * 3 + 32 * 3;
  const Answer answer = Ask(kLower, request, Limited(estimate - 1).get());
  EXPECT_EQ(answer.code, TORQSCHED_RESOURCE_EXHAUSTED);
  EXPECT_EQ(Parse<v1::Error>(answer.bytes).message(),
            absl::StrCat("the session's memory limit is ", estimate - 1,
                         " bytes; this request is estimated to take ", estimate));
}

// What the request itself allows is its own affair, whatever the limit.
TEST(LowerMemoryLimit, FewerProgramsThanTheRequestAllowsAreTheRequestsFault) {
  v1::LowerRequest request = Products(3, 1, 8);
  request.mutable_options()->set_most_programs(2);
  const Answer answer = Ask(kLower, request, Limited(1 << 20).get());
  EXPECT_EQ(answer.code, TORQSCHED_INVALID_ARGUMENT);
  EXPECT_EQ(Parse<v1::Error>(answer.bytes).field(), "options.most_programs");
}

}  // namespace
}  // namespace testing
}  // namespace torqsched
