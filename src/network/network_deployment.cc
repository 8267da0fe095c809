#include "src/network/network_deployment.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "src/residency/name_table.h"
#include "src/stream/checked.h"
#include "src/stream/error.h"

namespace torqsched {
namespace {

constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();
constexpr uint64_t kMostItems = kNone - 1;  // in a program's lists

// Fields whose names in a request are others than here.
constexpr char kInputBytes[] = "input_bytes_each";
constexpr char kWeightBytesRead[] = "bytes_read_per_step";

std::string LayerText(const Network& network, size_t layer) {
  return DescribeItem("layer", static_cast<uint32_t>(layer), network.layers[layer].name);
}

// "'embed'", cut and escaped as in "layer 0 'embed'". The name is not empty.
std::string Quoted(absl::string_view name) {
  return DescribeItem("", 0, name).substr(absl::string_view(" 0 ").size());
}

absl::Status InvalidLayer(const Network& network, size_t layer, absl::string_view field,
                          absl::string_view message) {
  return ErrorAt(absl::StatusCode::kInvalidArgument,
                 absl::StrCat(LayerText(network, layer), ": ", message),
                 {absl::StrCat("network.layers[", layer, "].", field), OpIndex(), BufferIndex()});
}

// Names as positions. Views of themselves: not to be copied.
struct Links {
  std::deque<std::string> given_names;   // of the layers that have none of their own
  std::vector<absl::string_view> names;  // by layer, as it is called; of the network's storage, too
  std::vector<uint32_t> weight_owners;   // by layer: itself, or the one that it is tied to
  std::vector<uint32_t> state_owners;    // by layer: the first with its state; kNone: it has none
};

// Positions fit 32 bits then. A layer has at most three tensors, and four accesses beside those to
// its inputs.
absl::Status CheckCounts(const Network& network) {
  uint64_t accesses = 0;
  for (const NetworkLayer& layer : network.layers) accesses += layer.inputs.size() + 4;
  if (1 + 3 * uint64_t{network.layers.size()} <= kMostItems && accesses <= kMostItems) {
    return absl::OkStatus();
  }
  return ErrorAt(absl::StatusCode::kInvalidArgument,
                 "too many layers; expected tensors and accesses below 2^32 - 1",
                 {"network.layers", OpIndex(), BufferIndex()});
}

void NameLayers(const Network& network, Links* links) {
  links->names.reserve(network.layers.size());
  for (const NetworkLayer& layer : network.layers) {
    absl::string_view name = layer.name;
    if (name.empty()) {
      links->given_names.push_back(absl::StrCat("layer ", links->names.size()));
      name = links->given_names.back();
    }
    links->names.push_back(name);
  }
}

// Before any state is known to be good.
void LinkStates(const Network& network, Links* links) {
  std::vector<uint32_t> layers;  // that have a state
  std::vector<absl::string_view> names;
  for (uint32_t i = 0; i < network.layers.size(); ++i) {
    if (!network.layers[i].state.has_value()) continue;
    layers.push_back(i);
    names.push_back(network.layers[i].state->name);
  }
  const NameTable table(std::move(names));
  links->state_owners.assign(network.layers.size(), kNone);
  for (const uint32_t i : layers) {
    links->state_owners[i] = layers[*table.Find(network.layers[i].state->name)];
  }
}

absl::Status CheckNames(const Network& network, const Links& links, const NameTable& layers) {
  const std::optional<uint32_t> repeated = layers.FirstRepeated();
  if (!repeated.has_value()) return absl::OkStatus();
  const uint32_t first = *layers.Find(links.names[*repeated]);
  return InvalidLayer(network, *repeated, "name",
                      absl::StrCat(LayerText(network, first), " has the same name"));
}

absl::Status CheckInputs(const Network& network, uint32_t i) {
  const NetworkLayer& layer = network.layers[i];
  for (size_t k = 0; k < layer.inputs.size(); ++k) {
    const int32_t input = layer.inputs[k];
    if (input == kNetworkInput || (input >= 0 && static_cast<uint32_t>(input) < i)) continue;
    return InvalidLayer(network, i, absl::StrCat("inputs[", k, "]"),
                        absl::StrCat("input ", k, " is ", input < 0 ? "" : "layer ", input,
                                     "; expected an earlier layer, or -1 for the network's input"));
  }
  return absl::OkStatus();
}

// The inputs are known to be good, and so are all earlier layers.
absl::Status CheckInputBytes(const Network& network, uint32_t i) {
  const NetworkLayer& layer = network.layers[i];
  const std::vector<int32_t>& inputs = layer.inputs;
  if (layer.input_bytes.empty()) {
    // A layer's output has a size of its own; the network's input has none but what is read of it.
    if (std::find(inputs.begin(), inputs.end(), kNetworkInput) == inputs.end()) {
      return absl::OkStatus();
    }
    return InvalidLayer(network, i, kInputBytes,
                        "it reads the network's input; expected the bytes that it reads");
  }
  if (layer.input_bytes.size() != inputs.size()) {
    return InvalidLayer(network, i, kInputBytes,
                        absl::StrCat(layer.input_bytes.size(), " numbers of bytes for ",
                                     inputs.size(), " inputs; expected as many, or none"));
  }
  for (size_t k = 0; k < inputs.size(); ++k) {
    // More than there are is fine, as bytes are read again; but not out of nothing.
    if (inputs[k] == kNetworkInput || layer.input_bytes[k] == 0) continue;
    if (*network.layers[inputs[k]].output_bytes > 0) continue;
    return InvalidLayer(network, i, absl::StrCat(kInputBytes, "[", k, "]"),
                        absl::StrCat("it reads ", layer.input_bytes[k], " bytes of ",
                                     LayerText(network, inputs[k]), ", whose output has 0 bytes"));
  }
  return absl::OkStatus();
}

bool HasWeights(const NetworkLayer& layer) {
  return layer.weight_bytes > 0 || layer.scale_bytes > 0;
}

absl::Status CheckWeights(const Network& network, uint32_t i) {
  const NetworkLayer& layer = network.layers[i];
  uint64_t bytes = layer.weight_bytes;
  if (!CheckedAdd(&bytes, layer.scale_bytes)) {
    return InvalidLayer(network, i, "scale_bytes",
                        "its weights and their scales do not fit 64 bits of bytes");
  }
  if (layer.tied_to.empty() && bytes == 0 && layer.weight_bytes_read.value_or(0) > 0) {
    return InvalidLayer(network, i, kWeightBytesRead,
                        absl::StrCat("it reads ", *layer.weight_bytes_read,
                                     " bytes of its weights, which have 0 bytes"));
  }
  return absl::OkStatus();
}

absl::Status LinkWeights(const Network& network, uint32_t i, const NameTable& layers,
                         Links* links) {
  const absl::string_view tied_to = network.layers[i].tied_to;
  if (tied_to.empty()) {
    links->weight_owners.push_back(i);
    return absl::OkStatus();
  }
  const auto invalid = [&](absl::string_view message) {
    return InvalidLayer(network, i, "tied_to", message);
  };
  const std::optional<uint32_t> owner = layers.Find(tied_to);
  if (!owner.has_value()) {
    return invalid(absl::StrCat("it is tied to ", Quoted(tied_to), ", the name of no layer"));
  }
  if (*owner == i) return invalid("it is tied to itself; expected another layer");
  const std::string tied = absl::StrCat("it is tied to ", LayerText(network, *owner));
  if (!network.layers[*owner].tied_to.empty()) {
    return invalid(absl::StrCat(tied, ", which is tied, too; expected the owner of the weights"));
  }
  if (!HasWeights(network.layers[*owner])) {
    return invalid(absl::StrCat(tied, ", which has no weights"));
  }
  links->weight_owners.push_back(*owner);
  return absl::OkStatus();
}

absl::Status CheckState(const Network& network, uint32_t i, const Links& links) {
  const std::optional<NetworkState>& state = network.layers[i].state;
  if (!state.has_value()) return absl::OkStatus();
  if (state->name.empty()) {
    return InvalidLayer(network, i, "state.name", "its state has no name; expected one");
  }
  const uint32_t owner = links.state_owners[i];
  const uint64_t bytes = network.layers[owner].state->bytes;
  if (state->bytes != bytes) {
    return InvalidLayer(
        network, i, "state.bytes",
        absl::StrCat("its state ", Quoted(state->name), " has ", state->bytes, " bytes; expected ",
                     bytes, ", as in ", LayerText(network, owner)));
  }
  if (bytes == 0 && (state->bytes_read > 0 || state->bytes_written > 0)) {
    return InvalidLayer(network, i, "state.bytes",
                        absl::StrCat("it reads or writes bytes of state ", Quoted(state->name),
                                     ", which has 0 bytes"));
  }
  return absl::OkStatus();
}

// Fields in their order; whatever an earlier layer says is known to be good.
absl::Status CheckLayer(const Network& network, uint32_t i, const NameTable& names, Links* links) {
  const NetworkLayer& layer = network.layers[i];
  if (layer.index.value_or(i) != i) {
    return InvalidLayer(network, i, "index",
                        absl::StrCat("its index is ", *layer.index, "; expected ", i,
                                     ", its position among the layers"));
  }
  absl::Status status = CheckInputs(network, i);
  if (status.ok()) status = CheckInputBytes(network, i);
  if (!status.ok()) return status;
  if (!layer.output_bytes.has_value()) {
    return InvalidLayer(network, i, "output_bytes",
                        "the size of its output is not given; expected one, 0 if it has none");
  }
  status = CheckWeights(network, i);
  if (status.ok()) status = LinkWeights(network, i, names, links);
  if (status.ok()) status = CheckState(network, i, *links);
  return status;
}

absl::Status CheckNetwork(const Network& network, Links* links) {
  if (absl::Status status = CheckCounts(network); !status.ok()) return status;
  NameLayers(network, links);
  const NameTable names(links->names);
  if (absl::Status status = CheckNames(network, *links, names); !status.ok()) return status;
  LinkStates(network, links);
  for (uint32_t i = 0; i < network.layers.size(); ++i) {
    if (absl::Status status = CheckLayer(network, i, names, links); !status.ok()) return status;
  }
  return absl::OkStatus();
}

// Makes the program of a network that was found good: all tensors first, as a layer may be tied to
// a later one; then the accesses, and with them what each tensor moves.
class Deployer {
 public:
  Deployer(const Network& network, const Links& links) : network_(network), links_(links) {}

  absl::StatusOr<NetworkDeployment> Deploy() {
    result_.names.emplace_back(network_.name.empty() ? "network" : network_.name);
    result_.program.name = result_.names.back();
    if (ReadsInput()) AddTensor("input", TensorRole::kInput, 0);
    const size_t count = network_.layers.size();
    layers_.resize(count);
    for (uint32_t i = 0; i < count; ++i) AddTensors(i);
    last_loads_.assign(result_.program.tensors.size(), kNone);
    for (uint32_t i = 0; i < count; ++i) {
      if (absl::Status status = AddAccesses(i); !status.ok()) return status;
    }
    return std::move(result_);
  }

 private:
  // Positions of a layer's own tensors; of none: kNone.
  struct Tensors {
    uint32_t weights = kNone;
    uint32_t state = kNone;
    uint32_t output = kNone;
  };
  static constexpr uint32_t kInputTensor = 0;  // where there is one

  bool ReadsInput() const {
    return std::any_of(
        network_.layers.begin(), network_.layers.end(), [](const NetworkLayer& layer) {
          return std::find(layer.inputs.begin(), layer.inputs.end(), kNetworkInput) !=
                 layer.inputs.end();
        });
  }

  uint32_t AddTensor(std::string name, TensorRole role, uint64_t bytes) {
    std::vector<DeployedTensor>& tensors = result_.program.tensors;
    result_.names.push_back(std::move(name));
    tensors.push_back({result_.names.back(), role, bytes, 0});
    return static_cast<uint32_t>(tensors.size() - 1);
  }

  // No two names are alike: those with one suffix differ before it, and "input" has no space.
  void AddTensors(uint32_t i) {
    const NetworkLayer& layer = network_.layers[i];
    Tensors& own = layers_[i];
    if (links_.weight_owners[i] == i && HasWeights(layer)) {
      own.weights = AddTensor(absl::StrCat(links_.names[i], " weights"), TensorRole::kWeight,
                              layer.weight_bytes + layer.scale_bytes);
    }
    if (links_.state_owners[i] == i) {
      own.state = AddTensor(absl::StrCat(layer.state->name, " state"), TensorRole::kState,
                            layer.state->bytes);
    }
    if (*layer.output_bytes > 0) {
      own.output = AddTensor(absl::StrCat(links_.names[i], " output"), TensorRole::kOutput,
                             *layer.output_bytes);
    }
  }

  absl::Status AddAccesses(uint32_t i) {
    absl::Status status = LoadInputs(i);
    if (status.ok()) status = LoadWeights(i);
    if (status.ok()) status = TouchState(i);
    if (!status.ok() || layers_[i].output == kNone) return status;
    AddAccess(i, layers_[i].output, /*store=*/true);
    return AddMoved(i, layers_[i].output, *network_.layers[i].output_bytes, "output_bytes");
  }

  absl::Status LoadInputs(uint32_t i) {
    const NetworkLayer& layer = network_.layers[i];
    uint64_t of_network_input = 0;  // a part of what it moves, which fits 64 bits
    for (size_t k = 0; k < layer.inputs.size(); ++k) {
      const int32_t input = layer.inputs[k];
      const uint32_t tensor = input == kNetworkInput ? kInputTensor : layers_[input].output;
      if (tensor == kNone) continue;
      DeployedTensor& loaded = result_.program.tensors[tensor];
      if (loaded.role == TensorRole::kOutput) loaded.role = TensorRole::kActivation;
      if (last_loads_[tensor] != i) AddAccess(i, tensor, /*store=*/false);
      last_loads_[tensor] = i;
      const bool all = layer.input_bytes.empty();
      const uint64_t bytes = all ? loaded.bytes : layer.input_bytes[k];
      absl::Status status = AddMoved(i, tensor, bytes, all ? "inputs" : kInputBytes, k);
      if (!status.ok()) return status;
      if (input != kNetworkInput) continue;
      of_network_input += bytes;
      loaded.bytes = std::max(loaded.bytes, of_network_input);
    }
    return absl::OkStatus();
  }

  absl::Status LoadWeights(uint32_t i) {
    const NetworkLayer& layer = network_.layers[i];
    const uint32_t tensor = layers_[links_.weight_owners[i]].weights;
    if (tensor == kNone) return absl::OkStatus();
    AddAccess(i, tensor, /*store=*/false);
    // Of another's weights a layer that does not say how much reads all.
    if (links_.weight_owners[i] != i && !HasWeights(layer) &&
        !layer.weight_bytes_read.has_value()) {
      return AddMoved(i, tensor, result_.program.tensors[tensor].bytes, "tied_to");
    }
    if (layer.weight_bytes_read.has_value()) {
      return AddMoved(i, tensor, *layer.weight_bytes_read, kWeightBytesRead);
    }
    return AddMoved(i, tensor, layer.weight_bytes + layer.scale_bytes, "weight_bytes");
  }

  absl::Status TouchState(uint32_t i) {
    if (links_.state_owners[i] == kNone) return absl::OkStatus();
    const NetworkState& state = *network_.layers[i].state;
    const uint32_t tensor = layers_[links_.state_owners[i]].state;
    if (state.bytes_read > 0) AddAccess(i, tensor, /*store=*/false);
    if (state.bytes_written > 0) AddAccess(i, tensor, /*store=*/true);
    absl::Status status = AddMoved(i, tensor, state.bytes_read, "state.bytes_read");
    if (status.ok()) status = AddMoved(i, tensor, state.bytes_written, "state.bytes_written");
    return status;
  }

  void AddAccess(uint32_t i, uint32_t tensor, bool store) {
    result_.program.accesses.push_back({tensor, /*chip=*/0, /*phase=*/i, store});
  }

  // field, or entry of it, is where the bytes come from.
  absl::Status AddMoved(uint32_t i, uint32_t tensor, uint64_t bytes, absl::string_view field,
                        std::optional<size_t> entry = std::nullopt) {
    DeployedTensor& moved = result_.program.tensors[tensor];
    if (CheckedAdd(&*moved.moved_bytes, bytes)) return absl::OkStatus();
    return InvalidLayer(
        network_, i, entry.has_value() ? absl::StrCat(field, "[", *entry, "]") : std::string(field),
        absl::StrCat("with ", bytes, " bytes, ", DescribeItem("tensor", tensor, moved.name),
                     " moves more a step than fits 64 bits"));
  }

  const Network& network_;
  const Links& links_;
  NetworkDeployment result_;
  std::vector<Tensors> layers_;
  std::vector<uint32_t> last_loads_;  // by tensor: the last layer that loads it as an input
};

}  // namespace

absl::StatusOr<NetworkDeployment> DeployNetwork(const Network& network) {
  Links links;
  if (absl::Status status = CheckNetwork(network, &links); !status.ok()) return status;
  return Deployer(network, links).Deploy();
}

}  // namespace torqsched
