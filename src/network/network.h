// A network as a table of layers: what a compiler knows of a model before it lowers anything.
//
// Layers are in an order in which they can run; each lists the layers whose outputs it reads, all
// of them earlier. Names are views of the caller's storage, which must outlive the network. All
// sizes are bytes of one step: one pass of the table from its first layer to its last. What a layer
// reads may be more than there is, as bytes are read again; but nothing is read of what has no
// bytes.
#ifndef TORQSCHED_SRC_NETWORK_NETWORK_H_
#define TORQSCHED_SRC_NETWORK_NETWORK_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"

namespace torqsched {

constexpr int32_t kNetworkInput = -1;  // among a layer's inputs: what the network itself is given

// What a layer keeps from one step to the next, such as a key/value cache. Several layers may touch
// one state: they name it alike, and say the same size.
struct NetworkState {
  absl::string_view name;  // not empty
  uint64_t bytes = 0;      // of the whole state, whatever a step touches
  uint64_t bytes_read = 0;
  uint64_t bytes_written = 0;
};

struct NetworkLayer {
  absl::string_view name;                     // no other layer has it; empty: "layer 12"
  absl::string_view op;                       // "matmul", "conv", ...
  std::optional<uint32_t> index;              // if given: its position
  std::vector<int32_t> inputs;                // earlier layers, or kNetworkInput; also twice
  std::vector<uint64_t> input_bytes;          // read, by input; empty: all, but no kNetworkInput
  std::optional<uint64_t> output_bytes;       // required; 0: it has no output
  uint64_t weight_bytes = 0;                  // biases included
  uint64_t scale_bytes = 0;                   // quantisation scales, beside weight_bytes
  std::optional<uint64_t> weight_bytes_read;  // absent: weight_bytes + scale_bytes
  // The layer whose weights it shares, which has some and is not tied itself; empty: none. The
  // three numbers above are then what this layer reads of those, all where none is given: they add
  // no weights.
  absl::string_view tied_to;
  std::optional<NetworkState> state;

  // What lowering needs besides (src/lowering); residency does not look at it.
  uint64_t macs = 0;              // multiply-accumulates of a step
  uint64_t weight_elements = 0;   // without biases and scales
  absl::string_view weight_type;  // "int8"; empty: the network's
  // Of a convolution over square images; all 0: it is no such.
  uint64_t cin = 0;  // channels
  uint64_t cout = 0;
  uint64_t kernel = 0;  // its side
  uint64_t stride = 0;
  uint64_t groups = 0;
  uint64_t in_hw = 0;  // side of the image, without padding
  uint64_t out_hw = 0;
};

struct Network {
  absl::string_view name;
  absl::string_view weight_type;      // "int4", "int8", "bf16", ...; empty: activation_type
  absl::string_view activation_type;  // of all activations; empty: "int8"
  std::vector<NetworkLayer> layers;
};

}  // namespace torqsched

#endif  // TORQSCHED_SRC_NETWORK_NETWORK_H_
