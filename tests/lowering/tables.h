// Layers of a table, written down by what they compute.
#ifndef TORQSCHED_TESTS_LOWERING_TABLES_H_
#define TORQSCHED_TESTS_LOWERING_TABLES_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "src/network/network.h"

namespace torqsched {

inline NetworkLayer MakeLayer(absl::string_view name, absl::string_view op,
                              std::vector<int32_t> inputs, std::vector<uint64_t> input_bytes,
                              uint64_t output_bytes) {
  NetworkLayer layer;
  layer.name = name;
  layer.op = op;
  layer.inputs = std::move(inputs);
  layer.input_bytes = std::move(input_bytes);
  layer.output_bytes = output_bytes;
  return layer;
}

// [m][k] x [k][n], in elements of so many bits, weights too.
inline NetworkLayer MakeMatmul(absl::string_view name, int32_t input, uint64_t m, uint64_t n,
                               uint64_t k, uint64_t bits = 8) {
  NetworkLayer layer = MakeLayer(name, "matmul", {input}, {m * k * bits / 8}, m * n * bits / 8);
  layer.macs = m * n * k;
  layer.weight_elements = n * k;
  layer.weight_bytes = n * k * bits / 8;
  return layer;
}

struct ImageDimensions {
  uint64_t cin = 1;
  uint64_t cout = 1;
  uint64_t kernel = 1;
  uint64_t stride = 1;
  uint64_t groups = 1;
  uint64_t in_hw = 1;
  uint64_t out_hw = 1;
};

inline NetworkLayer MakeImage(absl::string_view name, int32_t input, const ImageDimensions& d,
                              uint64_t bits = 8) {
  NetworkLayer layer = MakeLayer(name, "conv", {input}, {d.in_hw * d.in_hw * d.cin * bits / 8},
                                 d.out_hw * d.out_hw * d.cout * bits / 8);
  layer.cin = d.cin;
  layer.cout = d.cout;
  layer.kernel = d.kernel;
  layer.stride = d.stride;
  layer.groups = d.groups;
  layer.in_hw = d.in_hw;
  layer.out_hw = d.out_hw;
  layer.weight_elements = d.cin / d.groups * d.cout * d.kernel * d.kernel;
  layer.weight_bytes = layer.weight_elements * bits / 8;
  layer.macs = layer.weight_elements * d.out_hw * d.out_hw;
  return layer;
}

// Along rows of cin elements: `out_rows` rows of cout, each of `kernel` input rows.
inline NetworkLayer MakeSignal(absl::string_view name, int32_t input, uint64_t in_rows,
                               uint64_t out_rows, uint64_t cin, uint64_t cout, uint64_t kernel,
                               uint64_t bits = 8) {
  NetworkLayer layer =
      MakeLayer(name, "conv", {input}, {in_rows * cin * bits / 8}, out_rows * cout * bits / 8);
  layer.weight_elements = cin * kernel * cout;
  layer.weight_bytes = layer.weight_elements * bits / 8;
  layer.macs = layer.weight_elements * out_rows;
  return layer;
}

inline NetworkLayer MakeStateWrite(absl::string_view name, std::vector<int32_t> inputs,
                                   std::vector<uint64_t> input_bytes, absl::string_view state,
                                   uint64_t bytes, uint64_t written) {
  NetworkLayer layer = MakeLayer(name, "state_write", std::move(inputs), std::move(input_bytes), 0);
  layer.state = {state, bytes, 0, written};
  return layer;
}

}  // namespace torqsched

#endif  // TORQSCHED_TESTS_LOWERING_TABLES_H_
