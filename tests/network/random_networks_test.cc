// Thousands of small random networks, sound and damaged, against what the headers say, written down
// literally and slowly.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "src/network/network_deployment.h"
#include "src/residency/check_deployment.h"
#include "src/stream/error.h"
#include "tests/network/words.h"
#include "tests/reference/random_streams.h"

namespace torqsched {
namespace {

using reference::SplitMix64;

constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();

std::string CalledName(const Network& network, size_t i) {
  const absl::string_view name = network.layers[i].name;
  return name.empty() ? absl::StrCat("layer ", i) : std::string(name);
}

std::optional<size_t> LayerCalled(const Network& network, absl::string_view name) {
  for (size_t i = 0; i < network.layers.size(); ++i) {
    if (CalledName(network, i) == name) return i;
  }
  return std::nullopt;
}

bool FitsTogether(uint64_t a, uint64_t b) { return absl::uint128(a) + b <= kMost; }

// The field at fault of a layer, all before it being sound; empty: none.
std::string WrongField(const Network& network, size_t i) {
  const NetworkLayer& l = network.layers[i];
  if (l.index.has_value() && *l.index != i) return "index";
  bool reads_network_input = false;
  for (size_t k = 0; k < l.inputs.size(); ++k) {
    if (l.inputs[k] < -1 || l.inputs[k] >= static_cast<int64_t>(i)) {
      return absl::StrCat("inputs[", k, "]");
    }
    reads_network_input |= l.inputs[k] == -1;
  }
  if (reads_network_input && l.input_bytes.empty()) return "input_bytes_each";
  if (!l.input_bytes.empty() && l.input_bytes.size() != l.inputs.size()) return "input_bytes_each";
  for (size_t k = 0; k < l.input_bytes.size(); ++k) {
    if (l.inputs[k] != -1 && network.layers[l.inputs[k]].output_bytes.value() == 0 &&
        l.input_bytes[k] != 0) {
      return absl::StrCat("input_bytes_each[", k, "]");
    }
  }
  if (!l.output_bytes.has_value()) return "output_bytes";
  if (!FitsTogether(l.weight_bytes, l.scale_bytes)) return "scale_bytes";
  const bool reads = l.weight_bytes_read.has_value() && *l.weight_bytes_read > 0;
  if (l.tied_to.empty() && reads && l.weight_bytes == 0 && l.scale_bytes == 0) {
    return "bytes_read_per_step";
  }
  if (!l.tied_to.empty()) {
    const std::optional<size_t> owner = LayerCalled(network, l.tied_to);
    if (!owner.has_value() || *owner == i) return "tied_to";
    const NetworkLayer& o = network.layers[*owner];
    if (!o.tied_to.empty() || (o.weight_bytes == 0 && o.scale_bytes == 0)) return "tied_to";
  }
  if (!l.state.has_value()) return "";
  if (l.state->name.empty()) return "state.name";
  for (size_t earlier = 0; earlier < i; ++earlier) {
    const std::optional<NetworkState>& state = network.layers[earlier].state;
    if (!state.has_value() || state->name != l.state->name) continue;
    if (state->bytes != l.state->bytes) return "state.bytes";
  }
  const bool moves = l.state->bytes_read > 0 || l.state->bytes_written > 0;
  return l.state->bytes == 0 && moves ? "state.bytes" : "";
}

std::string WrongFieldOf(const Network& network) {
  const size_t count = network.layers.size();
  for (size_t i = 0; i < count; ++i) {
    if (*LayerCalled(network, CalledName(network, i)) < i) {
      return absl::StrCat("network.layers[", i, "].name");
    }
  }
  for (size_t i = 0; i < count; ++i) {
    const std::string field = WrongField(network, i);
    if (!field.empty()) return absl::StrCat("network.layers[", i, "].", field);
  }
  return "";
}

struct Answer {
  std::string error_field;
  std::vector<std::string> words;
};

// A sound network's program: who moves what first, and then what of it makes a tensor.
class Reference {
 public:
  explicit Reference(const Network& network) : network_(network) {
    for (size_t i = 0; i < network.layers.size(); ++i) Walk(i);
  }

  Answer Deploy() {
    if (!error_field_.empty()) return {error_field_, {}};
    if (moved_.count("input") > 0) AddTensor(TensorRole::kInput, "input", LargestRead());
    std::set<std::string> states;
    for (size_t i = 0; i < network_.layers.size(); ++i) {
      const NetworkLayer& l = network_.layers[i];
      const std::string name = CalledName(network_, i);
      const uint64_t weights = l.weight_bytes + l.scale_bytes;
      if (l.tied_to.empty() && weights > 0) {
        AddTensor(TensorRole::kWeight, name + " weights", weights);
      }
      if (l.state.has_value() && states.insert(std::string(l.state->name)).second) {
        AddTensor(TensorRole::kState, std::string(l.state->name) + " state", l.state->bytes);
      }
      if (*l.output_bytes > 0) {
        AddTensor(IsRead(i) ? TensorRole::kActivation : TensorRole::kOutput, name + " output",
                  *l.output_bytes);
      }
    }
    tensors_.insert(tensors_.end(), accesses_.begin(), accesses_.end());
    return {"", tensors_};
  }

 private:
  void Walk(size_t i) {
    const NetworkLayer& l = network_.layers[i];
    for (size_t k = 0; k < l.inputs.size(); ++k) {
      const bool given = !l.input_bytes.empty();
      const std::string field = absl::StrCat(given ? "input_bytes_each[" : "inputs[", k, "]");
      if (l.inputs[k] == -1) {
        Move(i, "input", l.input_bytes[k], field);
        Access(i, false, "input");
        continue;
      }
      const uint64_t all = *network_.layers[l.inputs[k]].output_bytes;
      if (all == 0) continue;
      const std::string name = CalledName(network_, l.inputs[k]) + " output";
      Move(i, name, given ? l.input_bytes[k] : all, field);
      Access(i, false, name);
    }
    const uint64_t weights = l.weight_bytes + l.scale_bytes;
    if (!l.tied_to.empty() || weights > 0) {
      const std::string owner =
          l.tied_to.empty() ? CalledName(network_, i) : std::string(l.tied_to);
      const bool given = l.weight_bytes_read.has_value();
      if (!l.tied_to.empty() && weights == 0 && !given) {
        const NetworkLayer& of = network_.layers[*LayerCalled(network_, l.tied_to)];
        Move(i, owner + " weights", of.weight_bytes + of.scale_bytes, "tied_to");
      } else {
        Move(i, owner + " weights", given ? *l.weight_bytes_read : weights,
             given ? "bytes_read_per_step" : "weight_bytes");
      }
      Access(i, false, owner + " weights");
    }
    if (l.state.has_value()) {
      const std::string name = std::string(l.state->name) + " state";
      Move(i, name, l.state->bytes_read, "state.bytes_read");
      Move(i, name, l.state->bytes_written, "state.bytes_written");
      if (l.state->bytes_read > 0) Access(i, false, name);
      if (l.state->bytes_written > 0) Access(i, true, name);
    }
    if (*l.output_bytes == 0) return;
    Move(i, CalledName(network_, i) + " output", *l.output_bytes, "output_bytes");
    Access(i, true, CalledName(network_, i) + " output");
  }

  void Move(size_t i, const std::string& tensor, uint64_t bytes, const std::string& field) {
    moved_[tensor] += bytes;
    if (moved_[tensor] <= kMost || !error_field_.empty()) return;
    error_field_ = absl::StrCat("network.layers[", i, "].", field);
  }

  void Access(size_t i, bool store, const std::string& tensor) {
    const std::string word = AccessWord(i, store, tensor);
    if (std::find(accesses_.begin(), accesses_.end(), word) == accesses_.end()) {
      accesses_.push_back(word);
    }
  }

  void AddTensor(TensorRole role, const std::string& name, uint64_t bytes) {
    tensors_.push_back(TensorWord(role, name, bytes, absl::Uint128Low64(moved_[name])));
  }

  uint64_t LargestRead() const {
    uint64_t largest = 0;
    for (const NetworkLayer& l : network_.layers) {
      uint64_t read = 0;
      for (size_t k = 0; k < l.inputs.size(); ++k) read += l.inputs[k] == -1 ? l.input_bytes[k] : 0;
      largest = std::max(largest, read);
    }
    return largest;
  }

  bool IsRead(size_t i) const {
    for (const NetworkLayer& l : network_.layers) {
      for (const int32_t input : l.inputs) {
        if (input == static_cast<int64_t>(i)) return true;
      }
    }
    return false;
  }

  const Network& network_;
  std::map<std::string, absl::uint128> moved_;
  std::string error_field_;
  std::vector<std::string> tensors_, accesses_;
};

Answer DeployLiterally(const Network& network) {
  const std::string field = WrongFieldOf(network);
  return field.empty() ? Reference(network).Deploy() : Answer{field, {}};
}

constexpr const char* kNames[] = {"a",     "b",       "c",       "a weights", "layer 20",
                                  "input", "a state", "layer 1", "layer 3",   "b output"};
constexpr const char* kGivenNames[] = {"layer 0", "layer 1", "layer 2", "layer 3", "layer 4",
                                       "layer 5", "layer 6", "layer 7", "layer 8"};
constexpr const char* kStates[] = {"kv", "a", "a weights"};

// Always the same for a seed. All names are constants.
class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed), huge_(random_.Percent(30)) {}

  Network Sound() {
    Network network;
    network.layers.resize(random_.Below(9));
    for (size_t i = 0; i < network.layers.size(); ++i) {
      NetworkLayer& l = network.layers[i];
      // "layer 1" and "layer 3" come where no unnamed layer has that name, mostly.
      if (random_.Percent(80)) l.name = kNames[(i * 3 + 2) % 10];
      if (random_.Percent(50)) l.index = i;
      l.output_bytes = Bytes(25);
      if (random_.Percent(60)) l.weight_bytes = Bytes(20);
      if (random_.Percent(20)) l.scale_bytes = Bytes(20);
      const bool weights = l.weight_bytes > 0 || l.scale_bytes > 0;
      if (weights && random_.Percent(20)) l.weight_bytes_read = Bytes(20);
      AddInputs(&network, i);
      if (random_.Percent(40)) AddState(&l);
    }
    for (NetworkLayer& l : network.layers) {
      if (random_.Percent(35)) Tie(&network, &l);
    }
    return network;
  }

  void Damage(Network* network) {
    if (network->layers.empty()) return;
    NetworkLayer& l = network->layers[random_.Below(network->layers.size())];
    const bool has_inputs = !l.inputs.empty();
    switch (random_.Below(11)) {
      case 0:
        l.name = kNames[random_.Below(10)];
        break;
      case 1:
        l.index = random_.Below(10);
        break;
      case 2:
        if (has_inputs) l.inputs[random_.Below(l.inputs.size())] = random_.Below(12) - 3;
        break;
      case 3:
        l.inputs.push_back(random_.Below(12) - 3);
        break;
      case 4:
        l.input_bytes.clear();
        break;
      case 5:
        l.input_bytes.assign(l.inputs.size() + random_.Percent(20), random_.Below(3));
        break;
      case 6:
        l.output_bytes.reset();
        break;
      case 7:
        l.weight_bytes_read = Bytes(30);
        break;
      case 8:
        l.tied_to = kNames[random_.Below(10)];
        break;
      case 9:
        l.state = {random_.Percent(10) ? "" : kStates[random_.Below(3)], Bytes(40), Bytes(40),
                   Bytes(40)};
        break;
      case 10:
        l.weight_bytes = l.scale_bytes = random_.Percent(50) ? 0 : kMost / 2 + random_.Below(2);
        break;
    }
  }

  bool Percent(uint64_t percent) { return random_.Percent(percent); }

 private:
  uint64_t Bytes(uint64_t percent_zero) {
    if (random_.Percent(percent_zero)) return 0;
    return huge_ && random_.Percent(30) ? kMost / random_.Between(1, 4) : random_.Between(1, 99);
  }

  void AddInputs(Network* network, size_t i) {
    NetworkLayer& l = network->layers[i];
    const uint64_t count = random_.Below(4);
    bool all = random_.Percent(40);
    for (uint64_t k = 0; k < count; ++k) {
      l.inputs.push_back(static_cast<int32_t>(random_.Below(i + 1)) - 1);
      all &= l.inputs.back() >= 0;
    }
    for (uint64_t k = 0; k < count && !all; ++k) {
      const bool none = l.inputs[k] >= 0 && *network->layers[l.inputs[k]].output_bytes == 0;
      l.input_bytes.push_back(none ? 0 : Bytes(10));
    }
  }

  void AddState(NetworkLayer* l) {
    const uint64_t which = random_.Below(3);
    l->state = {kStates[which], which * 1000, which > 0 ? Bytes(40) : 0, which > 0 ? Bytes(40) : 0};
  }

  void Tie(Network* network, NetworkLayer* layer) {
    const uint64_t position = random_.Below(network->layers.size());
    const NetworkLayer& owner = network->layers[position];
    if (&owner == layer || !owner.tied_to.empty() || owner.weight_bytes + owner.scale_bytes == 0) {
      return;
    }
    const std::string name = CalledName(*network, layer - network->layers.data());
    for (const NetworkLayer& l : network->layers) {
      if (l.tied_to == name) return;  // it is an owner itself
    }
    layer->tied_to = owner.name.empty() ? kGivenNames[position] : owner.name;
  }

  SplitMix64 random_;
  const bool huge_;
};

// "inputs[]" of "network.layers[3].inputs[1]".
std::string KindOf(const std::string& field) {
  std::string kind = field.substr(field.find("].") + 2);
  const size_t bracket = kind.find('[');
  return bracket == std::string::npos ? kind : kind.substr(0, bracket) + "[]";
}

// False where they differ.
bool Compare(const Network& network, uint64_t seed, std::map<std::string, int>* seen) {
  const Answer expected = DeployLiterally(network);
  const absl::StatusOr<NetworkDeployment> is = DeployNetwork(network);
  const std::string field = is.ok() ? "" : PlaceOf(is.status()).field;
  EXPECT_EQ(field, expected.error_field) << "seed " << seed << ": " << is.status() << "\n"
                                         << Describe(network);
  if (field != expected.error_field) return false;
  if (!is.ok()) {
    const bool sum = is.status().message().find("moves more a step") != std::string::npos;
    ++(*seen)[(sum ? "sum " : "") + KindOf(field)];
    return is.status().code() == absl::StatusCode::kInvalidArgument;
  }
  ++(*seen)["sound"];
  for (const NetworkLayer& l : network.layers) (*seen)["sound tie"] += !l.tied_to.empty();
  const std::vector<std::string> words = WordsOf(is->program);
  EXPECT_EQ(words, expected.words) << "seed " << seed << ":\n" << Describe(network);
  const absl::StatusOr<TensorNotes> notes = CheckProgram({{}, {is->program}}, 0);
  EXPECT_TRUE(notes.ok()) << "seed " << seed << ": " << notes.status() << "\n" << Describe(network);
  return words == expected.words && notes.ok();
}

TEST(RandomNetworksTest, SoundAndDamagedOnesAreAsTheReferenceSays) {
  std::map<std::string, int> seen;
  for (uint64_t seed = 0; seed < 40000; ++seed) {
    Generator generator(seed);
    Network network = generator.Sound();
    while (generator.Percent(45)) generator.Damage(&network);
    ASSERT_TRUE(Compare(network, seed, &seen));
  }
  // For the comparison to mean something.
  EXPECT_GE(seen["sound"], 16000);
  EXPECT_GE(seen["sound tie"], 4000);
  for (const char* field :
       {"name", "index", "inputs[]", "input_bytes_each", "input_bytes_each[]", "output_bytes",
        "scale_bytes", "bytes_read_per_step", "tied_to", "state.name", "state.bytes"}) {
    EXPECT_GE(seen[field], 30) << field;
  }
  for (const char* field : {"inputs[]", "input_bytes_each[]", "weight_bytes", "bytes_read_per_step",
                            "state.bytes_read", "state.bytes_written"}) {
    EXPECT_GE(seen[absl::StrCat("sum ", field)], 10) << field;
  }
}

}  // namespace
}  // namespace torqsched
