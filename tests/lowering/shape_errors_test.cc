// Bad tables: an error that says where, and names the layer; never a number that wrapped.
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "src/hardware/hardware.h"
#include "src/lowering/check_lowering.h"
#include "src/lowering/lower.h"
#include "src/stream/error.h"
#include "tests/lowering/tables.h"
#include "tests/reference/random_streams.h"

namespace torqsched {
namespace {

constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();

// A product, a convolution of its output as an image, a signal's convolution, an attention with a
// state, its writer, a norm.
Network Sound() {
  Network network;
  network.name = "sound";
  network.layers = {
      MakeMatmul("product", kNetworkInput, 4, 64, 8),
      MakeImage("image", 0, {4, 8, 3, 2, 2, 8, 4}),
      MakeSignal("signal", 1, 16, 8, 8, 8, 3),
      MakeStateWrite("write", {2}, {64}, "kv", 256, 64),
      MakeLayer("attention", "attention", {2, 3}, {64, 0}, 64),
      MakeLayer("norm", "norm", {4}, {64}, 64),
  };
  network.layers[4].state = {"kv", 256, 256, 0};
  network.layers[4].macs = 1000;
  return network;
}

absl::StatusOr<LoweredNetwork> Lower(const Network& network,
                                     const LoweringNumbers& numbers = LoweringNumbers()) {
  return LowerNetwork(network, *ProfileNamed("sl2610"), numbers, LoweringOptions());
}

TEST(BadTables, TheSoundOneIsLowered) {
  const Network network = Sound();
  const absl::StatusOr<LoweredNetwork> lowered = Lower(network);
  ASSERT_TRUE(lowered.ok()) << lowered.status();
  EXPECT_EQ(CheckLowering(network, *lowered), absl::OkStatus());
}

struct Fault {
  const char* field;    // of the layer
  const char* message;  // after "layer N 'name': "
  uint32_t layer;
  std::function<void(NetworkLayer*)> make;
};

void Expect(const Network& network, const std::string& field, const std::string& message) {
  const absl::Status status = Lower(network).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(std::string(status.message()), message);
  EXPECT_EQ(PlaceOf(status).field, field);
}

TEST(BadTables, EachFaultIsAnErrorAtItsFieldThatNamesTheLayer) {
  const char* names[] = {"product", "image", "signal", "write", "attention", "norm"};
  const Fault faults[] = {
      {"op",
       "op 'fft' is not known; expected matmul, conv, attention, elementwise, norm, softmax, "
       "embedding, state_write, concat, pool, upsample or copy",
       0, [](NetworkLayer* l) { l->op = "fft"; }},
      {"op",
       "op '' is not known; expected matmul, conv, attention, elementwise, norm, softmax, "
       "embedding, state_write, concat, pool, upsample or copy",
       5, [](NetworkLayer* l) { l->op = ""; }},
      {"inputs[0]", "input 0 is layer 2; expected an earlier layer, or -1 for the network's input",
       1, [](NetworkLayer* l) { l->inputs = {2}; }},
      {"inputs[0]", "input 0 is layer 1; expected an earlier layer, or -1 for the network's input",
       1, [](NetworkLayer* l) { l->inputs = {1}; }},
      {"weight_elems", "weight_elems 0; expected those of a matrix product", 0,
       [](NetworkLayer* l) { l->weight_elements = 0; }},
      {"macs", "0 macs; expected a multiple of its 512 weights", 0,
       [](NetworkLayer* l) { l->macs = 0; }},
      {"macs", "2049 macs; expected a multiple of its 512 weights", 0,
       [](NetworkLayer* l) { l->macs = 2049; }},
      {"output_bytes",
       "256 outputs; expected 3 rows of as many columns, which divide its 512 weights", 0,
       [](NetworkLayer* l) { l->macs = 3 * 512; }},
      {"cin", "cin 0 or not given; expected 1 to 4294967296", 1,
       [](NetworkLayer* l) { l->cin = 0; }},
      {"cout", "cout 0 or not given; expected 1 to 4294967296", 1,
       [](NetworkLayer* l) { l->cout = 0; }},
      {"k", "k 0 or not given; expected 1 to 4294967296", 1,
       [](NetworkLayer* l) { l->kernel = 0; }},
      {"stride", "stride 0 or not given; expected 1 to 4294967296", 1,
       [](NetworkLayer* l) { l->stride = 0; }},
      {"groups", "groups 0 or not given; expected 1 to 4294967296", 1,
       [](NetworkLayer* l) { l->groups = 0; }},
      {"in_hw", "in_hw 0 or not given; expected 1 to 4294967296", 1,
       [](NetworkLayer* l) { l->in_hw = 0; }},
      {"out_hw", "out_hw 0 or not given; expected 1 to 4294967296", 1,
       [](NetworkLayer* l) { l->out_hw = 0; }},
      {"out_hw", "out_hw 18446744073709551615; expected 1 to 4294967296", 1,
       [](NetworkLayer* l) { l->out_hw = kMost; }},
      {"groups", "3 groups; expected a divisor of 4 input and 8 output channels", 1,
       [](NetworkLayer* l) { l->groups = 3; }},
      {"output_bytes", "output_bytes 129; its out_hw and cout say 128", 1,
       [](NetworkLayer* l) { l->output_bytes = 129; }},
      {"output_bytes", "output_bytes 128; its out_hw and cout say 200", 1,
       [](NetworkLayer* l) { l->out_hw = 5; }},
      {"input_bytes_each", "expected one input of the 256 bytes that its in_hw and cin say", 1,
       [](NetworkLayer* l) { l->input_bytes = {255}; }},
      {"out_hw", "out_hw 4; its first row would read nothing of 8 rows", 1,
       [](NetworkLayer* l) { l->stride = 7; }},
      {"inputs", "no inputs; expected what it convolves", 2,
       [](NetworkLayer* l) {
         l->inputs.clear();
         l->input_bytes.clear();
       }},
      {"state", "writes no bytes of a state; expected some", 3,
       [](NetworkLayer* l) { l->state->bytes_written = 0; }},
      {"inputs", "no inputs; expected what goes to the state", 3,
       [](NetworkLayer* l) { l->input_bytes = {0}; }},
      {"output_bytes", "output_bytes 64; expected 0, as a state has no output of its own", 3,
       [](NetworkLayer* l) { l->output_bytes = 64; }},
      {"macs", "macs 1; expected 0, as a state is written as it is", 3,
       [](NetworkLayer* l) { l->macs = 1; }},
      {"weight_bytes", "weight_bytes 1; expected 0, as a state is written as it is", 3,
       [](NetworkLayer* l) { l->weight_bytes = 1; }},
      {"macs", "macs 0; expected those of its two products", 4,
       [](NetworkLayer* l) { l->macs = 0; }},
      {"weight_bytes", "weight_bytes 511; expected at least 512, as its 512 weights have 8 bits", 0,
       [](NetworkLayer* l) { l->weight_bytes = 511; }},
      {"weight_bytes", "weight_bytes 0; expected at least 256, as its 512 weights have 4 bits", 0,
       [](NetworkLayer* l) {
         l->weight_bytes = 0;
         l->weight_type = "int4";
       }},
      {"weight_bytes", "weight_bytes 1; expected at least 144, as its 144 weights have 8 bits", 1,
       [](NetworkLayer* l) { l->weight_bytes = 1; }},
      {"weight_elems", "weight_elems 288; expected k * k * cin / groups * cout of them", 1,
       [](NetworkLayer* l) { l->weight_elements = l->weight_bytes = 288; }},
      {"weight_elems", "weight_elems 144; expected k * k * cin / groups * cout of them", 1,
       [](NetworkLayer* l) { l->kernel = uint64_t{1} << 32; }},
      {"macs", "macs 0; expected out_hw * out_hw for each of its 144 weights", 1,
       [](NetworkLayer* l) { l->macs = 0; }},
      {"output_bytes", "output_bytes 0; expected an output", 5,
       [](NetworkLayer* l) { l->output_bytes = 0; }},
      {"weight_bytes", "weight_bytes 18446744073709551615; expected at most 281474976710656 bytes",
       0, [](NetworkLayer* l) { l->weight_bytes = kMost; }},
      {"scale_bytes", "its weights and their scales do not fit 64 bits of bytes", 0,
       [](NetworkLayer* l) { l->scale_bytes = kMost; }},
      {"scale_bytes", "scale_bytes 281474976710657; expected at most 281474976710656 bytes", 0,
       [](NetworkLayer* l) { l->scale_bytes = (uint64_t{1} << 48) + 1; }},
      {"output_bytes", "output_bytes 281474976710657; expected at most 281474976710656 bytes", 5,
       [](NetworkLayer* l) { l->output_bytes = (uint64_t{1} << 48) + 1; }},
      {"bytes_read_per_step",
       "bytes_read_per_step 281474976710657; expected at most 281474976710656 bytes", 0,
       [](NetworkLayer* l) { l->weight_bytes_read = (uint64_t{1} << 48) + 1; }},
      {"macs", "1152921504606846977 macs; expected at most 1152921504606846976", 4,
       [](NetworkLayer* l) { l->macs = (uint64_t{1} << 60) + 1; }},
      {"weight_elems", "weight_elems 18446744073709551615; expected at most 1152921504606846976", 0,
       [](NetworkLayer* l) { l->weight_elements = kMost; }},
      {"input_bytes_each[0]",
       "input_bytes_each[0] 281474976710657; expected at most 281474976710656 bytes", 0,
       [](NetworkLayer* l) { l->input_bytes = {(uint64_t{1} << 48) + 1}; }},
  };
  for (const Fault& fault : faults) {
    Network network = Sound();
    fault.make(&network.layers[fault.layer]);
    SCOPED_TRACE(absl::StrCat(fault.field, " of ", names[fault.layer]));
    Expect(network, absl::StrCat("network.layers[", fault.layer, "].", fault.field),
           absl::StrCat("layer ", fault.layer, " '", names[fault.layer], "': ", fault.message));
  }
}

TEST(BadTables, StatesOfTooManyBytesAreAnErrorOfTheirFirstLayer) {
  Network network = Sound();
  for (const uint32_t l : {3, 4}) network.layers[l].state->bytes = kMost;
  Expect(
      network, "network.layers[3].state.bytes",
      "layer 3 'write': state.bytes 18446744073709551615; expected at most 281474976710656 bytes");
}

TEST(BadTables, ATypeThatIsNotKnownIsAnError) {
  Network network = Sound();
  network.activation_type = "int3";
  Expect(network, "network.activation_dtype",
         "network.activation_dtype: 'int3' is not known; expected int4, int8, int16, bf16, f16, "
         "int32 or f32");
}

TEST(BadTables, ATypeOfWeightsThatIsNotKnownIsAnErrorWhereverItStands) {
  Network network = Sound();
  network.weight_type = "int3";
  Expect(network, "network.weight_dtype",
         "network.weight_dtype: 'int3' is not known; expected int4, int8, int16, bf16, f16, int32 "
         "or f32");
  network.weight_type = "";
  network.layers[5].weight_type = "int3";
  Expect(network, "network.layers[5].weight_dtype",
         "layer 5 'norm': weight_dtype 'int3' is not known; expected int4, int8, int16, bf16, f16, "
         "int32 or f32");
}

TEST(BadTables, AProductWithoutAnOutputIsAnError) {
  Network network;
  network.layers = {MakeMatmul("product", kNetworkInput, 4, 8, 8)};
  network.layers[0].output_bytes = 0;
  Expect(network, "network.layers[0].output_bytes",
         "layer 0 'product': 0 outputs; expected 4 rows of as many columns, which divide its 64 "
         "weights");
}

TEST(BadTables, AnOutputThatIsMissingIsAnError) {
  Network network = Sound();
  network.layers[5].output_bytes.reset();
  const absl::Status status = Lower(network).status();
  EXPECT_EQ(PlaceOf(status).field, "network.layers[5].output_bytes");
  EXPECT_TRUE(absl::StartsWith(status.message(), "layer 5 'norm': ")) << status;
}

TEST(BadTables, OutputsThatAreNoWholeElementsAreAnError) {
  Network network;
  network.activation_type = "f32";
  network.layers = {MakeMatmul("product", kNetworkInput, 1, 4, 4, 32)};
  network.layers[0].output_bytes = 18;
  Expect(network, "network.layers[0].output_bytes",
         "layer 0 'product': output_bytes 18; expected whole elements of 32 bits");
}

TEST(BadTables, PixelsOfHalfBytesAreAnError) {
  // 2 x 2 pixels of 3 channels of 4 bits are whole bytes together, but no pixel is.
  Network network;
  network.activation_type = "int4";
  network.layers = {MakeImage("conv", kNetworkInput, {4, 3, 1, 1, 1, 2, 2}, 4)};
  Expect(network, "network.layers[0].cout",
         "layer 0 'conv': cout 3 of 4 bits; expected whole bytes");
  network.layers = {MakeImage("conv", kNetworkInput, {3, 4, 1, 1, 1, 2, 2}, 4)};
  Expect(network, "network.layers[0].cin", "layer 0 'conv': cin 3 of 4 bits; expected whole bytes");
}

TEST(BadTables, AStrideFarBeyondTheImageIsAnError) {
  Network network;
  const uint64_t far = uint64_t{1} << 32;
  network.layers = {MakeImage("conv", kNetworkInput, {1 << 18, 1, 1, 1, 1, 1, 1})};
  network.layers[0].stride = far;
  Expect(network, "network.layers[0].stride",
         "layer 0 'conv': kernel or stride far beyond the image");
}

TEST(BadTables, ATileThatDoesNotFitNamesItsLayer) {
  // A norm without rows is not cut: code, the input, the output.
  Network network;
  network.layers = {MakeLayer("norm", "norm", {kNetworkInput}, {260000}, 260000)};
  Expect(network, "network.layers[0]",
         "layer 0 'norm': its smallest tile takes 525120 bytes; LRAM holds 523008");
}

TEST(BadTables, TooManyTilesAreAnErrorOfTheLayerThatMakesThem) {
  const Network network = Sound();
  LoweringOptions options;
  options.most_programs = 2;
  const absl::Status status =
      LowerNetwork(network, *ProfileNamed("sl2610"), LoweringNumbers(), options).status();
  EXPECT_EQ(std::string(status.message()),
            "layer 2 'signal': more than 2 tiles up to here; expected fewer");
  EXPECT_EQ(PlaceOf(status).field, "options.most_programs");
}

TEST(BadTables, ATileOfManyInputsCountsOnceForEachFour) {
  Network network;
  network.layers = {MakeLayer("sum", "elementwise", {}, {}, 64)};
  for (int32_t l = 0; l < 17; ++l) {
    network.layers.insert(network.layers.begin(),
                          MakeLayer("", "elementwise", {kNetworkInput}, {64}, 64));
    network.layers.back().inputs.push_back(l);
  }
  LoweringOptions options;
  options.most_programs = 17 + 5;
  EXPECT_TRUE(LowerNetwork(network, *ProfileNamed("sl2610"), LoweringNumbers(), options).ok());
  options.most_programs = 17 + 4;
  EXPECT_EQ(std::string(LowerNetwork(network, *ProfileNamed("sl2610"), LoweringNumbers(), options)
                            .status()
                            .message()),
            "layer 17 'sum': more than 21 tiles up to here; expected fewer");
}

TEST(BadTables, ALayerOfTooManyInputsIsAnError) {
  Network network;
  for (int32_t l = 0; l < 257; ++l) {
    network.layers.push_back(MakeLayer("", "elementwise", {kNetworkInput}, {64}, 64));
  }
  network.layers.push_back(MakeLayer("sum", "elementwise", {}, {}, 64));
  for (int32_t l = 0; l < 256; ++l) network.layers.back().inputs.push_back(l);
  EXPECT_TRUE(Lower(network).ok());
  network.layers.back().inputs.push_back(256);
  Expect(network, "network.layers[257].inputs",
         "layer 257 'sum': 257 inputs; expected at most 256");
}

TEST(BadNumbers, EachThatDividesMustBeThereAndNoneIsHuge) {
  const std::pair<const char*, uint64_t LoweringNumbers::*> numbers[] = {
      {"numbers.granule", &LoweringNumbers::granule},
      {"numbers.int8_macs_per_cycle", &LoweringNumbers::int8_macs_per_cycle},
      {"numbers.bf16_macs_per_cycle", &LoweringNumbers::bf16_macs_per_cycle},
      {"numbers.elementwise_bytes_per_cycle", &LoweringNumbers::elementwise_bytes_per_cycle},
  };
  for (const auto& [field, number] : numbers) {
    for (const uint64_t value : {uint64_t{0}, kMost}) {
      LoweringNumbers bad;
      bad.*number = value;
      EXPECT_EQ(PlaceOf(Lower(Sound(), bad).status()).field, field);
    }
  }
  LoweringNumbers bad;
  bad.code_buffer_bytes = kMost;
  EXPECT_EQ(PlaceOf(Lower(Sound(), bad).status()).field, "numbers.code_buffer_bytes");
  bad = LoweringNumbers();
  bad.least_program_cycles = kMost;
  EXPECT_EQ(PlaceOf(Lower(Sound(), bad).status()).field, "numbers.least_program_cycles");
}

TEST(BadOptions, EachIsAnErrorAtItsField) {
  const std::pair<const char*, std::function<void(LoweringOptions*)>> faults[] = {
      {"options.first_layer", [](LoweringOptions* o) { o->first_layer = 6; }},
      {"options.layer_count",
       [](LoweringOptions* o) {
         o->first_layer = 5;
         o->layer_count = 2;
       }},
      {"options.resident_percent", [](LoweringOptions* o) { o->resident_percent = 101; }},
      {"options.budgets[1].percent",
       [](LoweringOptions* o) {
         o->budgets = {{0, 100}, {1, 0}};
       }},
      {"options.budgets[0].percent",
       [](LoweringOptions* o) {
         o->budgets = {{0, 101}};
       }},
      {"options.budgets[0].layer",
       [](LoweringOptions* o) {
         o->budgets = {{6, 50}};
       }},
  };
  for (const auto& [field, make] : faults) {
    LoweringOptions options;
    make(&options);
    const absl::Status status =
        LowerNetwork(Sound(), *ProfileNamed("sl2610"), LoweringNumbers(), options).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << field;
    EXPECT_EQ(PlaceOf(status).field, field);
  }
  LoweringOptions options;
  options.loop_percent = 0;
  EXPECT_FALSE(LowerNetwork(Sound(), *ProfileNamed("sl2610"), LoweringNumbers(), options).ok());
}

// Numbers near the edges of what fits, in any field: an error that names the layer, or a lowering
// that conserves what the table says.
TEST(BadTables, ExtremeNumbersAreErrorsOrSoundNeverWrapped) {
  const uint64_t values[] = {0,
                             1,
                             3,
                             uint64_t{1} << 31,
                             uint64_t{1} << 32,
                             (uint64_t{1} << 32) + 1,
                             uint64_t{1} << 47,
                             uint64_t{1} << 48,
                             (uint64_t{1} << 48) + 1,
                             uint64_t{1} << 60,
                             uint64_t{1} << 61,
                             uint64_t{1} << 62,
                             uint64_t{1} << 63,
                             kMost / 2,
                             kMost / 8,
                             kMost - 1,
                             kMost};
  uint64_t NetworkLayer::*const numbers[] = {
      &NetworkLayer::weight_bytes,    &NetworkLayer::scale_bytes, &NetworkLayer::macs,
      &NetworkLayer::weight_elements, &NetworkLayer::cin,         &NetworkLayer::cout,
      &NetworkLayer::kernel,          &NetworkLayer::stride,      &NetworkLayer::groups,
      &NetworkLayer::in_hw,           &NetworkLayer::out_hw};
  const char* types[] = {"int4", "int8", "bf16", "f32"};
  LoweringOptions options;
  options.most_programs = 2000;
  uint64_t lowered_count = 0;
  for (uint64_t seed = 1; seed <= 20000; ++seed) {
    reference::SplitMix64 random(seed);
    Network network = Sound();
    network.activation_type = types[random.Below(4)];
    const uint64_t faults = random.Between(1, 3);
    for (uint64_t f = 0; f < faults; ++f) {
      NetworkLayer& layer = network.layers[random.Below(network.layers.size())];
      const uint64_t value = values[random.Below(std::size(values))];
      switch (random.Below(6)) {
        case 0:
          layer.output_bytes = value;
          break;
        case 1:
          layer.weight_bytes_read = value;
          break;
        case 2:
          if (!layer.input_bytes.empty()) layer.input_bytes[0] = value;
          break;
        case 3:
          if (layer.state.has_value()) layer.state->bytes_written = value;
          break;
        default:
          layer.*numbers[random.Below(std::size(numbers))] = value;
      }
    }
    const absl::StatusOr<LoweredNetwork> lowered =
        LowerNetwork(network, *ProfileNamed("sl2610"), LoweringNumbers(), options);
    if (lowered.ok()) {
      EXPECT_EQ(CheckLowering(network, *lowered), absl::OkStatus()) << "seed " << seed;
      ++lowered_count;
    } else {
      EXPECT_EQ(lowered.status().code(), absl::StatusCode::kInvalidArgument) << "seed " << seed;
      EXPECT_TRUE(absl::StartsWith(lowered.status().message(), "layer ")) << lowered.status();
      const std::string field = PlaceOf(lowered.status()).field;
      EXPECT_TRUE(absl::StartsWith(field, "network.layers[") || field == kMostProgramsField)
          << lowered.status();
    }
  }
  EXPECT_GT(lowered_count, 500u);
}

}  // namespace
}  // namespace torqsched
