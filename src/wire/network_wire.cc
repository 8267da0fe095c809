#include "src/wire/network_wire.h"

#include <utility>

namespace torqsched {
namespace {

NetworkLayer LayerFromProto(const v1::NetworkLayer& message) {
  NetworkLayer layer;
  layer.name = message.name();
  layer.op = message.op();
  if (message.has_index()) layer.index = message.index();
  layer.inputs.assign(message.inputs().begin(), message.inputs().end());
  layer.input_bytes.assign(message.input_bytes_each().begin(), message.input_bytes_each().end());
  if (message.has_output_bytes()) layer.output_bytes = message.output_bytes();
  layer.weight_bytes = message.weight_bytes();
  layer.scale_bytes = message.scale_bytes();
  if (message.has_bytes_read_per_step()) layer.weight_bytes_read = message.bytes_read_per_step();
  layer.tied_to = message.tied_to();
  if (message.has_state()) {
    const v1::NetworkState& state = message.state();
    layer.state =
        NetworkState{state.name(), state.bytes(), state.bytes_read(), state.bytes_written()};
  }
  layer.macs = message.macs();
  layer.weight_elements = message.weight_elems();
  layer.weight_type = message.weight_dtype();
  layer.cin = message.cin();
  layer.cout = message.cout();
  layer.kernel = message.k();
  layer.stride = message.stride();
  layer.groups = message.groups();
  layer.in_hw = message.in_hw();
  layer.out_hw = message.out_hw();
  return layer;
}

}  // namespace

Network NetworkFromProto(const v1::Network& message) {
  Network network;
  network.name = message.network();
  network.weight_type = message.weight_dtype();
  network.activation_type = message.activation_dtype();
  network.layers.reserve(message.layers_size());
  for (const v1::NetworkLayer& layer : message.layers()) {
    network.layers.push_back(LayerFromProto(layer));
  }
  return network;
}

}  // namespace torqsched
