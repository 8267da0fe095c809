#include "src/lowering/layer_shapes.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <string>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "src/stream/checked.h"
#include "src/stream/error.h"

namespace torqsched::lowering {
namespace {

// So small that products of two of them, and sums over a network, fit 128 and 64 bits.
constexpr uint64_t kMostBytes = uint64_t{1} << 48;
constexpr uint64_t kMostMacs = uint64_t{1} << 60;
constexpr uint64_t kMostDimension = uint64_t{1} << 32;
// Each tile of a layer names them all, and each cut that is looked at adds them up.
constexpr size_t kMostInputs = 256;

absl::Status Invalid(const Network& network, size_t layer, absl::string_view field,
                     absl::string_view message) {
  return ErrorAt(
      absl::StatusCode::kInvalidArgument,
      absl::StrCat(DescribeItem("layer", static_cast<uint32_t>(layer), network.layers[layer].name),
                   ": ", message),
      {absl::StrCat("network.layers[", layer, "].", field), OpIndex(), BufferIndex()});
}

// Bits of an element; 0: the name is not known.
uint32_t BitsOf(absl::string_view type) {
  static constexpr struct {
    const char* name;
    uint32_t bits;
  } kTypes[] = {{"int4", 4}, {"int8", 8},   {"int16", 16}, {"bf16", 16},
                {"f16", 16}, {"int32", 32}, {"f32", 32}};
  for (const auto& known : kTypes) {
    if (type == known.name) return known.bits;
  }
  return 0;
}

std::string Text(absl::uint128 number) {
  return absl::Uint128High64(number) == 0 ? absl::StrCat(absl::Uint128Low64(number))
                                          : "more than 2^64 - 1";
}

std::string UnknownType(absl::string_view type) {
  return absl::StrCat("'", type,
                      "' is not known; expected int4, int8, int16, bf16, f16, int32 or f32");
}

class ShapeMaker {
 public:
  ShapeMaker(const Network& network, const LoweringNumbers& numbers, uint64_t usable_bytes)
      : network_(network),
        numbers_(numbers),
        usable_bytes_(usable_bytes),
        weight_owners_(WeightOwnersOf(network)) {}

  absl::StatusOr<std::vector<LayerShape>> Make() {
    absl::string_view type = network_.activation_type;
    if (type.empty()) type = "int8";
    bits_ = BitsOf(type);
    if (bits_ == 0) return FieldError("network.activation_dtype", UnknownType(type));
    const absl::string_view weights = network_.weight_type;
    if (!weights.empty() && BitsOf(weights) == 0) {
      return FieldError("network.weight_dtype", UnknownType(weights));
    }
    shapes_.resize(network_.layers.size());
    for (size_t i = 0; i < shapes_.size(); ++i) {
      if (absl::Status status = MakeLayer(i); !status.ok()) return status;
    }
    return std::move(shapes_);
  }

 private:
  absl::Status MakeLayer(size_t i) {
    LayerShape& shape = shapes_[i];
    if (absl::Status status = Common(i, &shape); !status.ok()) return status;
    absl::Status status = ByOp(i, &shape);
    if (shape.natural_rows == 0) shape.natural_rows = shape.rows;
    return status;
  }

  absl::Status ByOp(size_t i, LayerShape* shape) {
    const NetworkLayer& layer = network_.layers[i];
    if (layer.op == "matmul") return Matmul(i, shape);
    if (layer.op == "conv") return HasDimensions(layer) ? Image(i, shape) : Signal(i, shape);
    if (layer.op == "attention") return Attention(i, shape);
    if (layer.op == "state_write") return StateWrite(i, shape);
    static constexpr const char* kByRows[] = {"elementwise", "norm",     "embedding", "concat",
                                              "pool",        "upsample", "copy",      "softmax"};
    for (const char* op : kByRows) {
      if (layer.op == op) return ByRows(i, shape);
    }
    return Invalid(network_, i, "op",
                   absl::StrCat("op '", layer.op,
                                "' is not known; expected matmul, conv, attention, elementwise, "
                                "norm, softmax, embedding, state_write, concat, pool, upsample or "
                                "copy"));
  }

  static bool HasDimensions(const NetworkLayer& layer) {
    return (layer.cin | layer.cout | layer.kernel | layer.stride | layer.groups | layer.in_hw |
            layer.out_hw) != 0;
  }

  // Weights that a step reads: what the layer says, or all.
  uint64_t ReadWeights(size_t i) const {
    const NetworkLayer& layer = network_.layers[i];
    if (layer.weight_bytes_read.has_value()) return *layer.weight_bytes_read;
    const uint64_t own = layer.weight_bytes + layer.scale_bytes;
    if (own != 0 || layer.tied_to.empty()) return own;
    const NetworkLayer& owner = network_.layers[weight_owners_[i]];
    return owner.weight_bytes + owner.scale_bytes;
  }

  absl::Status CheckSizes(size_t i, const LayerShape& shape) const {
    const NetworkLayer& layer = network_.layers[i];
    const uint64_t state = layer.state.has_value() ? layer.state->bytes : 0;
    const struct {
      const char* field;
      uint64_t bytes;
    } sizes[] = {{"output_bytes", layer.output_bytes.value_or(0)},
                 {"weight_bytes", layer.weight_bytes},
                 {"scale_bytes", layer.scale_bytes},
                 {"bytes_read_per_step", shape.weight_bytes},
                 {"state.bytes", state}};
    for (const auto& size : sizes) {
      if (size.bytes <= kMostBytes) continue;
      return Invalid(
          network_, i, size.field,
          absl::StrCat(size.field, " ", size.bytes, "; expected at most ", kMostBytes, " bytes"));
    }
    if (layer.macs > kMostMacs) {
      return Invalid(network_, i, "macs",
                     absl::StrCat(layer.macs, " macs; expected at most ", kMostMacs));
    }
    if (layer.weight_elements > kMostMacs) {
      return Invalid(
          network_, i, "weight_elems",
          absl::StrCat("weight_elems ", layer.weight_elements, "; expected at most ", kMostMacs));
    }
    return absl::OkStatus();
  }

  // Sizes, weights, inputs and state: as the table says.
  absl::Status Common(size_t i, LayerShape* shape) {
    const NetworkLayer& layer = network_.layers[i];
    shape->macs = layer.macs;
    shape->macs_per_cycle =
        bits_ <= 8 ? numbers_.int8_macs_per_cycle : numbers_.bf16_macs_per_cycle;
    shape->weight_bytes = ReadWeights(i);
    if (absl::Status status = CheckSizes(i, *shape); !status.ok()) return status;
    if (!layer.weight_type.empty() && BitsOf(layer.weight_type) == 0) {
      return Invalid(network_, i, "weight_dtype",
                     absl::StrCat("weight_dtype ", UnknownType(layer.weight_type)));
    }
    if (layer.inputs.size() > kMostInputs) {
      return Invalid(network_, i, "inputs",
                     absl::StrCat(layer.inputs.size(), " inputs; expected at most ", kMostInputs));
    }
    for (size_t j = 0; j < layer.inputs.size(); ++j) {
      InputWindow window;
      window.producer = layer.inputs[j];
      const bool outside = window.producer == kNetworkInput;
      const uint64_t all =
          outside ? kMostBytes : network_.layers[window.producer].output_bytes.value_or(0);
      window.bytes = j < layer.input_bytes.size() ? std::min(layer.input_bytes[j], all) : all;
      if (outside && j < layer.input_bytes.size() && layer.input_bytes[j] > kMostBytes) {
        const std::string field = absl::StrCat("input_bytes_each[", j, "]");
        return Invalid(network_, i, field,
                       absl::StrCat(field, " ", layer.input_bytes[j], "; expected at most ",
                                    kMostBytes, " bytes"));
      }
      if (window.bytes == 0) continue;
      const auto same = std::find_if(
          shape->inputs.begin(), shape->inputs.end(),
          [&window](const InputWindow& other) { return other.producer == window.producer; });
      if (same != shape->inputs.end()) {
        same->bytes = std::max(same->bytes, window.bytes);
      } else {
        shape->inputs.push_back(window);
      }
    }
    if (!layer.state.has_value()) return absl::OkStatus();
    shape->state_read = std::min(layer.state->bytes_read, layer.state->bytes);
    shape->state_written = std::min(layer.state->bytes_written, layer.state->bytes);
    return absl::OkStatus();
  }

  uint64_t Elements(uint64_t bytes) const { return bytes * 8 / bits_; }

  uint64_t NaturalRows(const InputWindow& input) const {
    return input.producer == kNetworkInput ? 1 : shapes_[input.producer].natural_rows;
  }

  // Rows of what a layer reads first, if they divide its own output; else 1.
  uint64_t RowsOfFirst(const LayerShape& shape, uint64_t out) const {
    const uint64_t rows = shape.inputs.empty() ? 1 : NaturalRows(shape.inputs[0]);
    return out % rows == 0 ? rows : 1;
  }

  static void SetRows(uint64_t rows, uint64_t out, LayerShape* shape) {
    shape->rows = rows;
    shape->row_bytes = out / rows;
  }

  // The bytes of a layer's own weights hold its weights. None at all are right where another input
  // may be what it multiplies by.
  absl::Status CheckWeights(size_t i) const {
    const NetworkLayer& layer = network_.layers[i];
    absl::string_view type = layer.weight_type;
    if (type.empty()) type = network_.weight_type;
    const uint32_t bits = type.empty() ? bits_ : BitsOf(type);
    const uint64_t least =
        absl::Uint128Low64((absl::uint128(layer.weight_elements) * bits + 7) / 8);
    if (!layer.tied_to.empty() || layer.weight_bytes >= least ||
        (layer.weight_bytes == 0 && layer.inputs.size() > 1)) {
      return absl::OkStatus();
    }
    return Invalid(
        network_, i, "weight_bytes",
        absl::StrCat("weight_bytes ", layer.weight_bytes, "; expected at least ", least,
                     ", as its ", layer.weight_elements, " weights have ", bits, " bits"));
  }

  absl::Status Matmul(size_t i, LayerShape* shape) {
    const NetworkLayer& layer = network_.layers[i];
    const uint64_t out = layer.output_bytes.value_or(0);
    if (layer.weight_elements == 0) {
      return Invalid(network_, i, "weight_elems",
                     "weight_elems 0; expected those of a matrix product");
    }
    if (layer.macs == 0 || layer.macs % layer.weight_elements != 0) {
      return Invalid(network_, i, "macs",
                     absl::StrCat(layer.macs, " macs; expected a multiple of its ",
                                  layer.weight_elements, " weights"));
    }
    const uint64_t m = layer.macs / layer.weight_elements;
    const uint64_t elements = Elements(out);
    if (out * 8 % bits_ != 0) {
      return Invalid(
          network_, i, "output_bytes",
          absl::StrCat("output_bytes ", out, "; expected whole elements of ", bits_, " bits"));
    }
    if (out == 0 || elements % m != 0 || layer.weight_elements % (elements / m) != 0 ||
        out % m != 0) {
      return Invalid(network_, i, "output_bytes",
                     absl::StrCat(elements, " outputs; expected ", m,
                                  " rows of as many columns, which divide its ",
                                  layer.weight_elements, " weights"));
    }
    if (absl::Status status = CheckWeights(i); !status.ok()) return status;
    shape->form = LayerForm::kContraction;
    SetRows(m, out, shape);
    shape->n = elements / m;
    shape->k = layer.weight_elements / shape->n;
    RowWindows(shape);
    // Rows of k elements, or of several groups of k, each for columns of its own; what is something
    // else is read whole.
    for (InputWindow& window : shape->inputs) window.whole = true;
    if (!shape->inputs.empty()) FirstOperand(shape);
    return absl::OkStatus();
  }

  void FirstOperand(LayerShape* shape) const {
    InputWindow& first = shape->inputs[0];
    const uint64_t m = shape->rows;
    if (first.bytes % m != 0) return;
    const uint64_t row = first.bytes / m;
    const uint64_t groups = row * 8 % bits_ == 0 ? Elements(row) / shape->k : 0;
    if (groups > 0 && Elements(row) % shape->k == 0 && shape->n % groups == 0) {
      shape->groups = groups;
    } else {
      // Elements of another width, such as quantised ones?
      const uint64_t bits = row * 8 / shape->k;
      const bool known = bits == 4 || bits == 8 || bits == 16 || bits == 32;
      if (!known || row * 8 % shape->k != 0) return;
    }
    first.whole = false;
    first.unit = row;
  }

  // Input i of a layer with rows: its rows lie side by side with the outputs'.
  static void RowWindows(LayerShape* shape) {
    for (InputWindow& window : shape->inputs) {
      window.whole = window.bytes % shape->rows != 0;
      window.stride = window.bytes / shape->rows;
    }
  }

  // Weights and multiply-accumulates that follow from an image's dimensions, below 2^32 each.
  absl::Status CheckImageSums(size_t i) const {
    const NetworkLayer& layer = network_.layers[i];
    const uint64_t channels = layer.cin / layer.groups;
    const absl::uint128 kernels = absl::uint128(layer.kernel) * layer.kernel;
    const uint64_t most = kMostMacs;
    const absl::uint128 weights = kernels > most ? kernels : kernels * channels;
    if (kernels > most || weights > most || weights * layer.cout != layer.weight_elements) {
      return Invalid(network_, i, "weight_elems",
                     absl::StrCat("weight_elems ", layer.weight_elements,
                                  "; expected k * k * cin / groups * cout of them"));
    }
    const absl::uint128 macs = absl::uint128(layer.weight_elements) * layer.out_hw;
    if (macs > most || macs * layer.out_hw != layer.macs) {
      return Invalid(
          network_, i, "macs",
          absl::StrCat("macs ", layer.macs, "; expected out_hw * out_hw for each of its ",
                       layer.weight_elements, " weights"));
    }
    return CheckWeights(i);
  }

  absl::Status Image(size_t i, LayerShape* shape) {
    const NetworkLayer& layer = network_.layers[i];
    const struct {
      const char* field;
      uint64_t value;
    } dimensions[] = {{"cin", layer.cin},       {"cout", layer.cout},     {"k", layer.kernel},
                      {"stride", layer.stride}, {"groups", layer.groups}, {"in_hw", layer.in_hw},
                      {"out_hw", layer.out_hw}};
    for (const auto& dimension : dimensions) {
      if (dimension.value >= 1 && dimension.value <= kMostDimension) continue;
      return Invalid(network_, i, dimension.field,
                     absl::StrCat(dimension.field, " ", dimension.value,
                                  dimension.value == 0 ? " or not given" : "", "; expected 1 to ",
                                  kMostDimension));
    }
    if (layer.cin % layer.groups != 0 || layer.cout % layer.groups != 0) {
      return Invalid(network_, i, "groups",
                     absl::StrCat(layer.groups, " groups; expected a divisor of ", layer.cin,
                                  " input and ", layer.cout, " output channels"));
    }
    for (const auto& channels : {dimensions[0], dimensions[1]}) {
      if (channels.value * bits_ % 8 == 0) continue;
      return Invalid(network_, i, channels.field,
                     absl::StrCat(channels.field, " ", channels.value, " of ", bits_,
                                  " bits; expected whole bytes"));
    }
    const absl::uint128 out = absl::uint128(layer.out_hw) * layer.out_hw * layer.cout * bits_ / 8;
    const absl::uint128 in = absl::uint128(layer.in_hw) * layer.in_hw * layer.cin * bits_ / 8;
    if (out != layer.output_bytes.value_or(0)) {
      return Invalid(network_, i, "output_bytes",
                     absl::StrCat("output_bytes ", layer.output_bytes.value_or(0),
                                  "; its out_hw and cout say ", Text(out)));
    }
    if (shape->inputs.size() != 1 || in != shape->inputs[0].bytes) {
      return Invalid(network_, i, "input_bytes_each",
                     absl::StrCat("expected one input of the ", Text(in),
                                  " bytes that its in_hw and cin say"));
    }
    if (absl::Status status = CheckImageSums(i); !status.ok()) return status;
    shape->form = LayerForm::kContraction;
    shape->convolution = true;
    SetRows(layer.out_hw, layer.output_bytes.value_or(0), shape);
    shape->pixels = layer.out_hw;
    shape->n = layer.cout;
    shape->groups = layer.groups;
    shape->k = layer.cin / layer.groups;  // input channels; the kernel goes with each
    InputWindow& window = shape->inputs[0];
    const uint64_t line = window.bytes / layer.in_hw;
    // Rows of zeros on both sides, the upper one not the thinner.
    const absl::int128 padding =
        (absl::int128(layer.out_hw - 1) * layer.stride + layer.kernel - layer.in_hw + 1) / 2;
    const uint64_t above = padding > 0 ? static_cast<uint64_t>(padding) : 0;
    if (above >= layer.kernel) {
      return Invalid(network_, i, "out_hw",
                     absl::StrCat("out_hw ", layer.out_hw, "; its first row would read nothing of ",
                                  layer.in_hw, " rows"));
    }
    window.unit = line / layer.in_hw;
    window.stride = SaturatingMultiply(layer.stride, line);
    window.before = SaturatingMultiply(above, line);
    const absl::int128 after =
        (absl::int128(layer.kernel) - above - layer.stride) * absl::int128(line);
    if (window.stride > kMostBytes || window.before > kMostBytes ||
        after > absl::int128(kMostBytes) || after < -absl::int128(kMostBytes)) {
      return Invalid(network_, i, "stride", "kernel or stride far beyond the image");
    }
    window.after = static_cast<int64_t>(after);
    return absl::OkStatus();
  }

  // A convolution without dimensions: along its rows, each of which sums over k inputs and goes on
  // by as many as there are inputs a row.
  absl::Status Signal(size_t i, LayerShape* shape) {
    if (absl::Status status = Matmul(i, shape); !status.ok()) return status;
    if (shape->inputs.empty()) {
      return Invalid(network_, i, "inputs", "no inputs; expected what it convolves");
    }
    shape->convolution = true;
    shape->groups = 1;
    InputWindow& window = shape->inputs[0];
    for (InputWindow& other : shape->inputs) other.whole = &other != &window;
    window.unit = 0;
    if (window.bytes % shape->rows != 0) {
      window.whole = true;
      return absl::OkStatus();
    }
    window.stride = window.bytes / shape->rows;
    const uint64_t sum = SaturatingMultiply(shape->k, bits_) / 8;
    const uint64_t beyond = sum > window.stride ? sum - window.stride : 0;
    window.before = std::min(beyond, window.bytes);
    window.after = static_cast<int64_t>(window.before);
    return absl::OkStatus();
  }

  absl::Status Attention(size_t i, LayerShape* shape) {
    const uint64_t out = network_.layers[i].output_bytes.value_or(0);
    if (out == 0) return Invalid(network_, i, "output_bytes", "output_bytes 0; expected an output");
    if (shape->macs == 0) {
      return Invalid(network_, i, "macs", "macs 0; expected those of its two products");
    }
    shape->form = LayerForm::kAttention;
    uint64_t rows = RowsOfFirst(*shape, out);
    SetRows(rows, out, shape);
    RowWindows(shape);
    for (size_t j = 1; j < shape->inputs.size(); ++j) {
      // Without a state, what follows the queries are the keys and values.
      shape->inputs[j].chunked = shape->state_read == 0;
      shape->inputs[j].whole = !shape->inputs[j].chunked;
    }
    return absl::OkStatus();
  }

  absl::Status StateWrite(size_t i, LayerShape* shape) {
    if (shape->state_written == 0) {
      return Invalid(network_, i, "state", "writes no bytes of a state; expected some");
    }
    if (shape->inputs.empty()) {
      return Invalid(network_, i, "inputs", "no inputs; expected what goes to the state");
    }
    if (network_.layers[i].output_bytes.value_or(0) != 0) {
      return Invalid(network_, i, "output_bytes",
                     absl::StrCat("output_bytes ", *network_.layers[i].output_bytes,
                                  "; expected 0, as a state has no output of its own"));
    }
    if (shape->weight_bytes != 0 || shape->macs != 0) {
      const absl::string_view field = shape->macs != 0 ? "macs" : "weight_bytes";
      return Invalid(network_, i, field,
                     absl::StrCat(field, " ", shape->macs != 0 ? shape->macs : shape->weight_bytes,
                                  "; expected 0, as a state is written as it is"));
    }
    shape->form = LayerForm::kStateWrite;
    shape->rows = 1;
    for (InputWindow& window : shape->inputs) window.chunked = true;
    return absl::OkStatus();
  }

  absl::Status ByRows(size_t i, LayerShape* shape) {
    const NetworkLayer& layer = network_.layers[i];
    const uint64_t out = layer.output_bytes.value_or(0);
    if (out == 0) return Invalid(network_, i, "output_bytes", "output_bytes 0; expected an output");
    shape->form = LayerForm::kRows;
    if (layer.op == "embedding") {
      if (!layer.weight_bytes_read.has_value()) {
        shape->weight_bytes = EmbeddedBytes(layer, out, shape->weight_bytes);
      }
      const uint64_t tokens = shape->inputs.empty() ? 1 : Elements(shape->inputs[0].bytes);
      SetRows(tokens != 0 && out % tokens == 0 ? tokens : 1, out, shape);
      RowWindows(shape);
      shape->weights_by_row = shape->weight_bytes % shape->rows == 0;
      return absl::OkStatus();
    }
    const bool same_size =
        std::all_of(shape->inputs.begin(), shape->inputs.end(),
                    [out](const InputWindow& window) { return window.bytes == out; });
    shape->natural_rows = PooledRows(*shape, out);
    SetRows(shape->natural_rows, out, shape);
    if (shape->rows == 1) SplitRow(layer.op == "norm", same_size, shape);
    RowWindows(shape);
    shape->weights_by_row = layer.weight_elements == Elements(out) &&
                            shape->weight_bytes % shape->rows == 0 && shape->rows > 1;
    if (same_size) return absl::OkStatus();
    for (InputWindow& window : shape->inputs) {
      if (window.bytes == out || window.whole) continue;
      if (window.bytes < out && IsBroadcast(window, *shape)) window.whole = true;
      if (window.whole || layer.op == "concat" || layer.op == "copy") continue;
      // A window that nobody told: a row more on each side, as far as an input has rows at all.
      window.before = window.stride;
      window.after = static_cast<int64_t>(window.stride);
    }
    return absl::OkStatus();
  }

  // Of a table of weights, all together so many bytes, what the output's elements take.
  uint64_t EmbeddedBytes(const NetworkLayer& layer, uint64_t out, uint64_t all) const {
    const uint32_t weight_bits =
        BitsOf(layer.weight_type.empty() ? network_.weight_type : layer.weight_type);
    const uint64_t rows = Elements(out) * (weight_bits == 0 ? bits_ : weight_bits) / 8;
    return std::min(rows, all);
  }

  // Rows of the first input, or where the output is smaller by a square, as many fewer: a pool.
  uint64_t PooledRows(const LayerShape& shape, uint64_t out) const {
    if (shape.inputs.empty() || shape.inputs[0].producer == kNetworkInput) return 1;
    const uint64_t rows = shapes_[shape.inputs[0].producer].natural_rows;
    const uint64_t in = shape.inputs[0].bytes;
    for (uint64_t step = 2; step <= 8 && in > out; ++step) {
      if (in / (step * step) == out && in % (step * step) == 0 && rows % step == 0 &&
          out % (rows / step) == 0) {
        return rows / step;
      }
    }
    return out % rows == 0 ? rows : 1;
  }

  // Of fewer bytes than the output: it has other rows, so that each row may need all of it. Where
  // rows are parts that cutting made, too, unless it would take most of LRAM.
  bool IsBroadcast(const InputWindow& input, const LayerShape& shape) const {
    if (NaturalRows(input) != shape.natural_rows) return true;
    return shape.rows != shape.natural_rows && FitsWhole(input);
  }
  bool FitsWhole(const InputWindow& input) const { return input.bytes <= usable_bytes_ / 2; }

  // What has no rows is cut anywhere, if all of it is alike; else, where no tile could hold it,
  // into as many parts as inputs and output have in common. A norm is not cut.
  void SplitRow(bool norm, bool same_size, LayerShape* shape) const {
    const uint64_t out = shape->row_bytes;
    const uint64_t unit = std::max<uint64_t>(1, SaturatingMultiply(numbers_.granule, bits_) / 8);
    if (norm) return;
    if (same_size) {
      if (out % unit == 0) SetRows(out / unit, out, shape);
      return;
    }
    const auto elements = [this](uint64_t bytes) {
      return bytes * 8 % bits_ == 0 ? Elements(bytes) : 1;
    };
    uint64_t parts = elements(out);
    uint64_t bytes = SaturatingAdd(out, shape->weight_bytes + numbers_.code_buffer_bytes);
    for (const InputWindow& window : shape->inputs) {
      bytes = SaturatingAdd(bytes, window.bytes);
      if (window.bytes < out && (NaturalRows(window) != 1 || FitsWhole(window))) continue;
      parts = std::gcd(parts, elements(window.bytes));
    }
    if (bytes > usable_bytes_ && !shape->inputs.empty() && out % parts == 0) {
      SetRows(parts, out, shape);
    }
  }

  const Network& network_;
  const LoweringNumbers& numbers_;
  const uint64_t usable_bytes_;
  const std::vector<uint32_t> weight_owners_;
  uint32_t bits_ = 8;
  std::vector<LayerShape> shapes_;
};

}  // namespace

absl::StatusOr<std::vector<LayerShape>> ShapesOf(const Network& network,
                                                 const LoweringNumbers& numbers,
                                                 uint64_t usable_bytes) {
  return ShapeMaker(network, numbers, usable_bytes).Make();
}

std::vector<uint32_t> WeightOwnersOf(const Network& network) {
  std::map<std::string, uint32_t> names;
  for (uint32_t l = 0; l < network.layers.size(); ++l) {
    const absl::string_view name = network.layers[l].name;
    names.emplace(name.empty() ? absl::StrCat("layer ", l) : std::string(name), l);
  }
  std::vector<uint32_t> owners;
  for (uint32_t l = 0; l < network.layers.size(); ++l) {
    const absl::string_view tied_to = network.layers[l].tied_to;
    owners.push_back(tied_to.empty() ? l : names.at(std::string(tied_to)));
  }
  return owners;
}

ByteRange WindowOf(const InputWindow& window, uint64_t first, uint64_t end_row) {
  if (window.whole) return {0, window.bytes};
  const absl::int128 begin = absl::int128(first) * window.stride - window.before;
  const absl::int128 end = absl::int128(end_row) * window.stride + window.after;
  const absl::int128 bytes = window.bytes;
  const absl::int128 low = std::min(std::max<absl::int128>(begin, 0), bytes);
  const absl::int128 high = std::min(std::max(end, low), bytes);
  return {static_cast<uint64_t>(low), static_cast<uint64_t>(high)};
}

uint64_t PartOf(uint64_t whole, uint64_t at, uint64_t all) {
  return absl::Uint128Low64(absl::uint128(whole) * at / all);
}

uint64_t PartUp(uint64_t whole, uint64_t at, uint64_t all) {
  return absl::Uint128Low64((absl::uint128(whole) * at + all - 1) / all);
}

}  // namespace torqsched::lowering
