// Networks as deployments: what the tensors are, what each error says, and three real tables.
#include "src/network/network_deployment.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "src/residency/density.h"
#include "src/stream/error.h"
#include "tests/network/network_json.h"
#include "tests/network/words.h"

namespace torqsched {
namespace {

using Words = std::vector<std::string>;

constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();

NetworkLayer Layer(absl::string_view name, std::vector<int32_t> inputs,
                   std::vector<uint64_t> input_bytes, uint64_t output_bytes) {
  NetworkLayer layer;
  layer.name = name;
  layer.inputs = std::move(inputs);
  layer.input_bytes = std::move(input_bytes);
  layer.output_bytes = output_bytes;
  return layer;
}

NetworkLayer WithWeights(NetworkLayer layer, uint64_t weight_bytes, uint64_t scale_bytes = 0) {
  layer.weight_bytes = weight_bytes;
  layer.scale_bytes = scale_bytes;
  return layer;
}

NetworkLayer Tied(NetworkLayer layer, absl::string_view tied_to) {
  layer.tied_to = tied_to;
  return layer;
}

NetworkLayer WithState(NetworkLayer layer, const NetworkState& state) {
  layer.state = state;
  return layer;
}

Words WordsOf(const Network& network) {
  const absl::StatusOr<NetworkDeployment> deployment = DeployNetwork(network);
  return deployment.ok() ? WordsOf(deployment->program) : Words{deployment.status().ToString()};
}

// A bit of all.
Network SmallNetwork() {
  Network network;
  network.name = "small";
  network.layers = {
      WithWeights(Layer("embed", {-1}, {4}, 8), 100, 10),
      WithState(Layer("write", {0}, {}, 0), {"cache", 64, 0, 8}),
      WithState(Layer("attend", {0, 1}, {8, 0}, 16), {"cache", 64, 60, 0}),
      Layer("square", {2, 2}, {}, 16),
      Tied(WithWeights(Layer("head", {3}, {32}, 20), 100, 10), "embed"),
      WithWeights(Layer("side", {-1, 0}, {6, 3}, 5), 7),
  };
  network.layers[0].index = 0;
  network.layers[0].weight_bytes_read = 12;
  network.layers[5].index = 5;
  return network;
}

TEST(NetworkDeploymentTest, ASmallNetworkTensorByTensor) {
  const absl::StatusOr<NetworkDeployment> deployment = DeployNetwork(SmallNetwork());
  ASSERT_TRUE(deployment.ok()) << deployment.status();
  EXPECT_EQ(deployment->program.name, "small");
  const Words expected = {
      "input 'input' 6 moves 10",                // 4 and 6
      "weight 'embed weights' 110 moves 122",    // 12 rows' bytes, and all of it by the head
      "activation 'embed output' 8 moves 27",    // stored, read by write and attend, 3 by side
      "state 'cache state' 64 moves 68",         // 8 and 60
      "activation 'attend output' 16 moves 48",  // stored, and read twice by square
      "activation 'square output' 16 moves 48",  // stored, and 32 read by the head
      "output 'head output' 20 moves 20",
      "weight 'side weights' 7 moves 7",
      "output 'side output' 5 moves 5",
      "0 loads input",
      "0 loads embed weights",
      "0 stores embed output",
      "1 loads embed output",
      "1 stores cache state",
      "2 loads embed output",
      "2 loads cache state",
      "2 stores attend output",
      "3 loads attend output",
      "3 stores square output",
      "4 loads square output",
      "4 loads embed weights",
      "4 stores head output",
      "5 loads input",
      "5 loads embed output",
      "5 loads side weights",
      "5 stores side output",
  };
  EXPECT_EQ(WordsOf(deployment->program), expected);
}

TEST(NetworkDeploymentTest, NothingAtAllIsAProgramWithoutTensors) {
  const absl::StatusOr<NetworkDeployment> deployment = DeployNetwork({});
  ASSERT_TRUE(deployment.ok()) << deployment.status();
  EXPECT_EQ(deployment->program.name, "network");
  EXPECT_EQ(WordsOf(deployment->program), Words());
}

TEST(NetworkDeploymentTest, WeightsOfALaterLayerStandWithThatLayer) {
  Network network;
  network.layers = {Tied(WithWeights(Layer("first", {}, {}, 0), 30), "last"),
                    Tied(Layer("middle", {}, {}, 0), "last"),
                    WithWeights(Layer("last", {}, {}, 0), 40)};
  network.layers[1].weight_bytes_read = 5;
  EXPECT_EQ(WordsOf(network), Words({"weight 'last weights' 40 moves 75", "0 loads last weights",
                                     "1 loads last weights", "2 loads last weights"}));
}

TEST(NetworkDeploymentTest, ScalesAloneAreWeightsToo) {
  Network network;
  network.layers = {WithWeights(Layer("a", {}, {}, 0), 0, 3)};
  EXPECT_EQ(WordsOf(network), Words({"weight 'a weights' 3 moves 3", "0 loads a weights"}));
}

TEST(NetworkDeploymentTest, TheNetworksInputIsAsLargeAsWhatOneLayerReads) {
  Network network;
  network.layers = {Layer("a", {-1}, {70}, 0), Layer("sum", {-1, -1}, {50, 40}, 0),
                    Layer("b", {-1}, {80}, 0)};
  EXPECT_EQ(WordsOf(network), Words({"input 'input' 90 moves 240", "0 loads input", "1 loads input",
                                     "2 loads input"}));
}

TEST(NetworkDeploymentTest, AnOutputIsLiveToALayerThatListsItEvenForNoBytes) {
  Network network;
  network.layers = {Layer("a", {}, {}, 8), Layer("b", {0}, {0}, 1)};
  EXPECT_EQ(WordsOf(network),
            Words({"activation 'a output' 8 moves 8", "output 'b output' 1 moves 1",
                   "0 stores a output", "1 loads a output", "1 stores b output"}));
}

TEST(NetworkDeploymentTest, AStateIsTouchedOnlyWhereBytesMove) {
  Network network;
  network.layers = {WithState(Layer("a", {}, {}, 0), {"s", 8, 0, 0}),
                    WithState(Layer("b", {}, {}, 0), {"s", 8, 9, 2}),
                    WithState(Layer("c", {}, {}, 0), {"empty", 0, 0, 0})};
  EXPECT_EQ(WordsOf(network), Words({"state 's state' 8 moves 11", "state 'empty state' 0 moves 0",
                                     "1 loads s state", "1 stores s state"}));
}

TEST(NetworkDeploymentTest, AnUnnamedLayerIsCalledByItsPosition) {
  Network network;
  network.layers = {Tied(WithWeights(Layer("", {}, {}, 0), 1), "layer 2"), Layer("", {}, {}, 9),
                    WithWeights(Layer("", {}, {}, 0), 5)};
  EXPECT_EQ(
      WordsOf(network),
      Words({"output 'layer 1 output' 9 moves 9", "weight 'layer 2 weights' 5 moves 6",
             "0 loads layer 2 weights", "1 stores layer 1 output", "2 loads layer 2 weights"}));
}

TEST(NetworkDeploymentTest, NamesThatLookLikeOthersMakeNoTwoTensorsAlike) {
  const std::vector<std::string> names = {
      "input",          " ",      "a",       "a weights",     "a state",
      "a output",       "output", "weights", "input weights", "state",
      "a output output"};
  Network network;
  for (const std::string& name : names) {
    network.layers.push_back(WithState(WithWeights(Layer(name, {-1}, {1}, 1), 1), {name, 1, 1, 1}));
  }
  const absl::StatusOr<NetworkDeployment> deployment = DeployNetwork(network);
  ASSERT_TRUE(deployment.ok()) << deployment.status();
  EXPECT_EQ(deployment->program.tensors.size(), 1 + 3 * names.size());
  const absl::StatusOr<ResidencyPlan> plan = PlanByDensity({{}, {deployment->program}});
  EXPECT_TRUE(plan.ok()) << plan.status();
}

TEST(NetworkDeploymentTest, OwnsItsNamesAlsoAfterAMove) {
  std::string program = "n", layer = "a";
  Network network;
  network.name = program;
  network.layers = {Layer(layer, {-1}, {1}, 2)};
  absl::StatusOr<NetworkDeployment> deployment = DeployNetwork(network);
  ASSERT_TRUE(deployment.ok()) << deployment.status();
  program = layer = "x";
  const NetworkDeployment moved = *std::move(deployment);
  EXPECT_EQ(moved.program.name, "n");
  EXPECT_EQ(WordsOf(moved.program), Words({"input 'input' 1 moves 1", "output 'a output' 2 moves 2",
                                           "0 loads input", "0 stores a output"}));
}

struct Mistake {
  std::function<void(std::vector<NetworkLayer>*)> make;  // in the small network
  std::string field;                                     // behind "network.layers"
  std::string message;
};

void ExpectErrors(const std::vector<Mistake>& mistakes) {
  for (const Mistake& mistake : mistakes) {
    Network network = SmallNetwork();
    mistake.make(&network.layers);
    const absl::Status status = DeployNetwork(network).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << mistake.message;
    EXPECT_EQ(status.message(), mistake.message);
    EXPECT_EQ(PlaceOf(status).field, absl::StrCat("network.layers", mistake.field));
  }
}

using Layers = std::vector<NetworkLayer>;

TEST(NetworkDeploymentErrorTest, Names) {
  ExpectErrors({
      {[](Layers* l) { (*l)[4].name = "write"; }, "[4].name",
       "layer 4 'write': layer 1 'write' has the same name"},
      {[](Layers* l) { (*l)[5].name = "", (*l)[2].name = "layer 5"; }, "[5].name",
       "layer 5: layer 2 'layer 5' has the same name"},
      {[](Layers* l) { (*l)[2].name = "", (*l)[5].name = "layer 2"; }, "[5].name",
       "layer 5 'layer 2': layer 2 has the same name"},
      // Of three with one name the second, and before anything else that is wrong.
      {[](Layers* l) { (*l)[5].name = (*l)[3].name = "embed", (*l)[0].index = 9; }, "[3].name",
       "layer 3 'embed': layer 0 'embed' has the same name"},
  });
}

TEST(NetworkDeploymentErrorTest, Positions) {
  const std::string expected = "; expected an earlier layer, or -1 for the network's input";
  ExpectErrors({
      {[](Layers* l) { (*l)[5].index = 4; }, "[5].index",
       "layer 5 'side': its index is 4; expected 5, its position among the layers"},
      {[](Layers* l) { (*l)[2].inputs[1] = 2; }, "[2].inputs[1]",
       "layer 2 'attend': input 1 is layer 2" + expected},
      {[](Layers* l) { (*l)[2].inputs[0] = 3; }, "[2].inputs[0]",
       "layer 2 'attend': input 0 is layer 3" + expected},
      {[](Layers* l) { (*l)[3].inputs[1] = 2147483647; }, "[3].inputs[1]",
       "layer 3 'square': input 1 is layer 2147483647" + expected},
      {[](Layers* l) { (*l)[5].inputs[0] = -2; }, "[5].inputs[0]",
       "layer 5 'side': input 0 is -2" + expected},
      {[](Layers* l) { (*l)[5].inputs[0] = -2147483647 - 1; }, "[5].inputs[0]",
       "layer 5 'side': input 0 is -2147483648" + expected},
  });
}

TEST(NetworkDeploymentErrorTest, BytesOfInputsAndOutputs) {
  ExpectErrors({
      {[](Layers* l) { (*l)[2].input_bytes.pop_back(); }, "[2].input_bytes_each",
       "layer 2 'attend': 1 numbers of bytes for 2 inputs; expected as many, or none"},
      {[](Layers* l) { (*l)[0].inputs.clear(); }, "[0].input_bytes_each",
       "layer 0 'embed': 1 numbers of bytes for 0 inputs; expected as many, or none"},
      {[](Layers* l) { (*l)[5].input_bytes.clear(); }, "[5].input_bytes_each",
       "layer 5 'side': it reads the network's input; expected the bytes that it reads"},
      {[](Layers* l) { (*l)[2].input_bytes[1] = 1; }, "[2].input_bytes_each[1]",
       "layer 2 'attend': it reads 1 bytes of layer 1 'write', whose output has 0 bytes"},
      {[](Layers* l) { (*l)[3].output_bytes.reset(); }, "[3].output_bytes",
       "layer 3 'square': the size of its output is not given; expected one, 0 if it has none"},
  });
}

TEST(NetworkDeploymentErrorTest, Weights) {
  const std::string long_name = std::string(119, 'x') + "\u00e9" + "y";
  ExpectErrors({
      {[](Layers* l) { (*l)[0].scale_bytes = kMost - 99; }, "[0].scale_bytes",
       "layer 0 'embed': its weights and their scales do not fit 64 bits of bytes"},
      {[](Layers* l) { (*l)[4].scale_bytes = kMost; }, "[4].scale_bytes",
       "layer 4 'head': its weights and their scales do not fit 64 bits of bytes"},
      {[](Layers* l) { (*l)[3].weight_bytes_read = 2; }, "[3].bytes_read_per_step",
       "layer 3 'square': it reads 2 bytes of its weights, which have 0 bytes"},
      {[](Layers* l) { (*l)[4].tied_to = "Embed"; }, "[4].tied_to",
       "layer 4 'head': it is tied to 'Embed', the name of no layer"},
      {[&](Layers* l) { (*l)[4].tied_to = long_name; }, "[4].tied_to",
       "layer 4 'head': it is tied to '" + std::string(119, 'x') + "...', the name of no layer"},
      {[](Layers* l) { (*l)[4].tied_to = "head"; }, "[4].tied_to",
       "layer 4 'head': it is tied to itself; expected another layer"},
      {[](Layers* l) { (*l)[2].tied_to = "head"; }, "[2].tied_to",
       "layer 2 'attend': it is tied to layer 4 'head', which is tied, too; expected the owner of "
       "the weights"},
      {[](Layers* l) { (*l)[4].tied_to = "square"; }, "[4].tied_to",
       "layer 4 'head': it is tied to layer 3 'square', which has no weights"},
  });
}

TEST(NetworkDeploymentErrorTest, States) {
  ExpectErrors({
      {[](Layers* l) { (*l)[2].state->name = ""; }, "[2].state.name",
       "layer 2 'attend': its state has no name; expected one"},
      {[](Layers* l) { (*l)[2].state->bytes = 65; }, "[2].state.bytes",
       "layer 2 'attend': its state 'cache' has 65 bytes; expected 64, as in layer 1 'write'"},
      {[](Layers* l) { (*l)[1].state->bytes = 0; }, "[1].state.bytes",
       "layer 1 'write': it reads or writes bytes of state 'cache', which has 0 bytes"},
      {[](Layers* l) {
         (*l)[5].state = {"none", 0, 1, 0};
       },
       "[5].state.bytes",
       "layer 5 'side': it reads or writes bytes of state 'none', which has 0 bytes"},
  });
}

TEST(NetworkDeploymentErrorTest, MovedBytesThatDoNotFit) {
  const std::string fits = " moves more a step than fits 64 bits";
  ExpectErrors({
      // 4 bytes of it were read before.
      {[](Layers* l) { (*l)[5].input_bytes[0] = kMost - 3; }, "[5].input_bytes_each[0]",
       "layer 5 'side': with 18446744073709551612 bytes, tensor 0 'input'" + fits},
      // 24 bytes of it were moved before.
      {[](Layers* l) { (*l)[5].input_bytes[1] = kMost - 23; }, "[5].input_bytes_each[1]",
       "layer 5 'side': with 18446744073709551592 bytes, tensor 2 'embed output'" + fits},
      // Stored once, read twice.
      {[](Layers* l) { (*l)[2].output_bytes = kMost / 3 + 1; }, "[3].inputs[1]",
       "layer 3 'square': with 6148914691236517206 bytes, tensor 4 'attend output'" + fits},
      {[](Layers* l) { (*l)[4].weight_bytes = kMost - 21; }, "[4].weight_bytes",
       "layer 4 'head': with 18446744073709551604 bytes, tensor 1 'embed weights'" + fits},
      {[](Layers* l) { (*l)[4].weight_bytes_read = kMost - 11; }, "[4].bytes_read_per_step",
       "layer 4 'head': with 18446744073709551604 bytes, tensor 1 'embed weights'" + fits},
      {[](Layers* l) { (*l)[2].state->bytes_read = kMost - 7; }, "[2].state.bytes_read",
       "layer 2 'attend': with 18446744073709551608 bytes, tensor 3 'cache state'" + fits},
      {[](Layers* l) { (*l)[2].state->bytes_written = kMost - 67; }, "[2].state.bytes_written",
       "layer 2 'attend': with 18446744073709551548 bytes, tensor 3 'cache state'" + fits},
  });
}

TEST(NetworkDeploymentTest, MovedBytesThatJustFit) {
  Network network = SmallNetwork();
  network.layers[5].input_bytes = {kMost - 4, kMost - 24};
  network.layers[4].weight_bytes_read = kMost - 12;
  network.layers[2].state->bytes_read = kMost - 8;
  const Words words = WordsOf(network);
  ASSERT_GE(words.size(), 4u);
  const std::string most = "18446744073709551615";
  EXPECT_EQ(words[0], "input 'input' 18446744073709551611 moves " + most);
  EXPECT_EQ(words[1], "weight 'embed weights' 110 moves " + most);
  EXPECT_EQ(words[2], "activation 'embed output' 8 moves " + most);
  EXPECT_EQ(words[3], "state 'cache state' 64 moves " + most);
}

// Real tables, held against what their files state of them.
class RealNetworkTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    absl::StatusOr<NetworkTable> table =
        LoadNetwork(absl::StrCat("testdata/networks/", GetParam(), ".json"));
    ASSERT_TRUE(table.ok()) << table.status();
    table_ = *std::move(table);
    absl::StatusOr<NetworkDeployment> deployment = DeployNetwork(table_.network);
    ASSERT_TRUE(deployment.ok()) << deployment.status();
    deployment_ = *std::move(deployment);
  }

  const DeployedProgram& program() const { return deployment_.program; }

  uint64_t SumOf(TensorRole role) const {
    uint64_t sum = 0;
    for (const DeployedTensor& t : program().tensors) sum += t.role == role ? t.bytes : 0;
    return sum;
  }

  uint64_t LargestOf(TensorRole role) const {
    uint64_t largest = 0;
    for (const DeployedTensor& t : program().tensors) {
      if (t.role == role) largest = std::max(largest, t.bytes);
    }
    return largest;
  }

  // Literally: phase by phase, the tensors of these roles that somebody accessed before or now, and
  // accesses now or later.
  uint64_t PeakOf(const std::vector<TensorRole>& roles) const {
    uint64_t peak = 0;
    for (uint64_t phase = 0; phase < table_.network.layers.size(); ++phase) {
      std::vector<bool> before(program().tensors.size()), after(program().tensors.size());
      for (const TensorAccess& a : program().accesses) {
        if (a.phase <= phase) before[a.tensor] = true;
        if (a.phase >= phase) after[a.tensor] = true;
      }
      uint64_t live = 0;
      for (size_t t = 0; t < before.size(); ++t) {
        const DeployedTensor& tensor = program().tensors[t];
        const bool counts = std::find(roles.begin(), roles.end(), tensor.role) != roles.end();
        if (counts && before[t] && after[t]) live += tensor.bytes;
      }
      peak = std::max(peak, live);
    }
    return peak;
  }

  NetworkTable table_;
  NetworkDeployment deployment_;
};

TEST_P(RealNetworkTest, SizesAreThoseThatTheFileStates) {
  std::map<std::string, uint64_t>& totals = table_.totals;
  EXPECT_EQ(program().name, table_.network.name);
  EXPECT_EQ(table_.network.layers.size(), totals.at("layers"));
  uint64_t scale_bytes = 0;  // beside the totals
  for (const NetworkLayer& layer : table_.network.layers) scale_bytes += layer.scale_bytes;
  EXPECT_EQ(SumOf(TensorRole::kWeight), totals.at("unique_weight_bytes") + scale_bytes);
  EXPECT_EQ(LargestOf(TensorRole::kWeight), totals.at("max_weight_bytes"));
  EXPECT_EQ(SumOf(TensorRole::kState), totals.at("state_bytes"));
  EXPECT_EQ(SumOf(TensorRole::kActivation) + SumOf(TensorRole::kOutput),
            totals.at("activation_bytes"));
  EXPECT_EQ(std::max(LargestOf(TensorRole::kActivation), LargestOf(TensorRole::kOutput)),
            totals.at("max_activation_bytes"));
  // The file counts the network's outputs among the activations. They are live in their own phase.
  EXPECT_EQ(PeakOf({TensorRole::kActivation, TensorRole::kOutput}),
            totals.at("peak_live_activation_bytes"));
}

TEST_P(RealNetworkTest, AllThatLayersReadAndWriteIsMoved) {
  uint64_t expected = 0, moved = 0;
  for (const NetworkLayer& layer : table_.network.layers) {
    for (const uint64_t bytes : layer.input_bytes) expected += bytes;
    expected += *layer.output_bytes;
    expected += layer.weight_bytes_read.value_or(layer.weight_bytes + layer.scale_bytes);
    if (layer.state.has_value()) expected += layer.state->bytes_read + layer.state->bytes_written;
  }
  for (const DeployedTensor& t : program().tensors) moved += t.moved_bytes.value();
  EXPECT_EQ(moved, expected);
}

TEST_P(RealNetworkTest, WithPlentyOfSramAllStatesAndActivationsAreOnChipElseNone) {
  for (const uint64_t sram_bytes : {uint64_t{1} << 40, uint64_t{0}}) {
    const absl::StatusOr<ResidencyPlan> plan = PlanByDensity({{sram_bytes, 0, true}, {program()}});
    ASSERT_TRUE(plan.ok()) << plan.status();
    for (size_t t = 0; t < program().tensors.size(); ++t) {
      const DeployedTensor& tensor = program().tensors[t];
      const bool wanted =
          tensor.role == TensorRole::kActivation || tensor.role == TensorRole::kState;
      EXPECT_EQ(plan->programs[0].tiers[t] == Tier::kSram, wanted && sram_bytes > 0)
          << tensor.name << " with SRAM of " << sram_bytes;
    }
    ASSERT_EQ(plan->programs[0].chips.size(), 1u);
    EXPECT_EQ(plan->programs[0].chips[0].activation_bytes,
              sram_bytes > 0 ? PeakOf({TensorRole::kActivation}) : 0);
    ASSERT_EQ(plan->chips.size(), 1u);
    EXPECT_EQ(plan->chips[0].carried_bytes, sram_bytes > 0 ? table_.totals.at("state_bytes") : 0);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, RealNetworkTest,
    testing::Values("deepseek_v4_flash_decode_csa", "gemma3_1b_decode_ctx1024_wint4_abf16",
                    "gemma3_1b_prefill128_wint8_aint8", "gemma3_270m_decode_ctx1024_wbf16_abf16",
                    "mobilenet_v2_int8", "resnet50_int8", "whisper_tiny_decoder_step_wint8_aint8",
                    "whisper_tiny_encoder_wint8_aint8"),
    [](const auto& info) { return std::string(info.param); });

// Its table of embeddings stands once, and is moved for a row by its own layer and whole by the
// head; a layer's cache is written for one token and read whole.
TEST(NetworkDeploymentTest, GemmasTiedHeadAndCaches) {
  const absl::StatusOr<NetworkTable> table =
      LoadNetwork("testdata/networks/gemma3_1b_decode_ctx1024_wint4_abf16.json");
  ASSERT_TRUE(table.ok()) << table.status();
  const Words words = WordsOf(table->network);
  const auto count = [&words](absl::string_view word) {
    return std::count(words.begin(), words.end(), word);
  };
  EXPECT_EQ(count("weight 'embed weights' 150994944 moves 150995520"), 1);
  EXPECT_EQ(count("0 loads embed weights"), 1);
  EXPECT_EQ(count("522 loads embed weights"), 1);
  EXPECT_EQ(count("output 'lm_head output' 524288 moves 524288"), 1);
  EXPECT_EQ(count("state 'l0.kv state' 524288 moves 525312"), 1);
  EXPECT_EQ(count("9 stores l0.kv state"), 1);
  EXPECT_EQ(count("10 loads l0.kv state"), 1);
}

}  // namespace
}  // namespace torqsched
