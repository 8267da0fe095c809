#include "tests/lowering/random_tables.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/lowering/tables.h"
#include "tests/reference/random_streams.h"

namespace torqsched {
namespace {

using reference::SplitMix64;

// What an activation is: an image of hw x hw pixels, or rows of columns (hw 0).
struct Activation {
  int32_t layer = kNetworkInput;
  uint64_t hw = 0;
  uint64_t rows = 1;
  uint64_t columns = 1;
  uint64_t Elements() const { return (hw != 0 ? hw * hw : rows) * columns; }
};

class Maker {
 public:
  explicit Maker(uint64_t seed) : random_(seed) {}

  RandomTable Make() {
    constexpr const char* kTypes[] = {"int8", "int4", "bf16", "f32"};
    constexpr uint64_t kBits[] = {8, 4, 16, 32};
    const uint64_t type = random_.Percent(50) ? 0 : random_.Below(4);
    bits_ = kBits[type];
    table_.network.name = "random";
    table_.network.activation_type = kTypes[type];
    AddInput();
    const uint64_t layers = random_.Between(2, 9);
    while (network().layers.size() < layers) AddLayer();
    AddChip();
    AddOptions();
    return std::move(table_);
  }

 private:
  Network& network() { return table_.network; }

  // Whole bytes, whatever the type.
  uint64_t Columns(uint64_t most) { return 2 * random_.Between(1, most / 2); }

  void AddInput() {
    Activation input;
    if (random_.Percent(50)) {
      input.hw = random_.Between(1, 14);
      input.columns = Columns(16);
    } else {
      input.rows = random_.Between(1, 12);
      input.columns = Columns(96);
    }
    activations_.push_back(input);
  }

  // Rather a late one than an early one.
  const Activation& Pick() {
    const uint64_t back = std::min(random_.Below(4), random_.Below(4));
    return activations_[activations_.size() - 1 -
                        std::min<uint64_t>(back, activations_.size() - 1)];
  }

  uint64_t Bytes(const Activation& a) const { return a.Elements() * bits_ / 8; }

  absl::string_view Name() {
    if (random_.Percent(10)) return "";
    table_.names.push_back(absl::StrCat("n", network().layers.size()));
    return table_.names.back();
  }

  void Push(NetworkLayer layer, Activation output) {
    if (layer.weight_bytes > 0 && random_.Percent(20)) layer.scale_bytes = random_.Between(1, 16);
    output.layer = static_cast<int32_t>(network().layers.size());
    network().layers.push_back(std::move(layer));
    activations_.push_back(output);
  }

  void AddLayer() {
    const Activation from = Pick();
    switch (random_.Below(from.hw != 0 ? 10 : 11)) {
      case 0:
      case 1:
      case 2:
        from.hw != 0 ? AddImage(from) : AddMatmul(from);
        break;
      case 3:
        from.hw != 0 ? AddPool(from) : AddGrouped(from);
        break;
      case 4:
        from.hw != 0 ? AddUpsample(from) : AddSignal(from);
        break;
      case 5:
        AddAlike(from);
        break;
      case 6:
        AddSpread(from);
        break;
      case 7:
        AddConcat(from);
        break;
      case 8:
        AddMatmul(from);
        break;
      case 9:
        AddAlone(from);
        break;
      default:
        AddAttention(from);
    }
  }

  void AddImage(const Activation& from) {
    ImageDimensions d;
    d.cin = from.columns;
    d.in_hw = from.hw;
    d.kernel = 2 * random_.Below(4) + 1;
    d.stride = random_.Between(1, 3);
    const uint64_t zeros = random_.Percent(70) ? d.kernel - 1 : random_.Below(d.kernel);
    if (d.in_hw + zeros < d.kernel) d.kernel = 1;
    d.out_hw = (d.in_hw + (d.kernel == 1 ? 0 : zeros) - d.kernel) / d.stride + 1;
    d.cout = Columns(40);
    if (random_.Percent(40)) {
      d.groups = random_.Percent(50) ? d.cin : 2;
      d.cout = d.groups * random_.Between(1, 6);
    }
    Push(MakeImage(Name(), from.layer, d, bits_), {0, d.out_hw, 1, d.cout});
  }

  void AddMatmul(const Activation& from) {
    // An image as one row, or line by line.
    uint64_t rows = from.hw != 0 ? 1 : from.rows;
    if (from.hw != 0 && random_.Percent(30)) rows = from.hw;
    const uint64_t n = Columns(120);
    NetworkLayer layer = MakeMatmul(Name(), from.layer, rows, n, from.Elements() / rows, bits_);
    for (size_t l = 0; l < network().layers.size(); ++l) {
      const NetworkLayer& owner = network().layers[l];
      if (owner.weight_elements != layer.weight_elements || owner.name.empty() ||
          !owner.tied_to.empty() || owner.op != "matmul" || random_.Percent(50)) {
        continue;
      }
      layer.tied_to = owner.name;
      if (random_.Percent(50)) layer.weight_bytes = 0;
    }
    if (random_.Percent(10)) layer.weight_bytes_read = random_.Between(1, layer.weight_bytes + 20);
    if (layer.tied_to.empty() && layer.weight_bytes == 0) layer.weight_bytes_read.reset();
    Push(std::move(layer), {0, 0, rows, n});
  }

  // Block-diagonal: the rows' groups, each against columns of its own.
  void AddGrouped(const Activation& from) {
    uint64_t groups = random_.Between(1, 4);
    if (from.columns % (2 * groups) != 0) groups = 1;
    const uint64_t k = from.columns / groups, n = groups * Columns(40);
    NetworkLayer layer = MakeMatmul(Name(), from.layer, from.rows, n, k, bits_);
    layer.input_bytes = {Bytes(from)};
    Push(std::move(layer), {0, 0, from.rows, n});
  }

  void AddSignal(const Activation& from) {
    const uint64_t stride = from.rows % 2 == 0 && random_.Percent(50) ? 2 : 1;
    const uint64_t rows = from.rows / stride, cout = Columns(40);
    Push(MakeSignal(Name(), from.layer, from.rows, rows, from.columns, cout,
                    random_.Between(stride, 5), bits_),
         {0, 0, rows, cout});
  }

  void AddPool(const Activation& from) {
    const uint64_t step = from.hw % 2 == 0 ? 2 : from.hw;
    const uint64_t hw = from.hw / step;
    if (step > 8) return AddAlike(from);
    const Activation output = {0, hw, 1, from.columns};
    Push(MakeLayer(Name(), "pool", {from.layer}, {Bytes(from)}, Bytes(output)), output);
  }

  void AddUpsample(const Activation& from) {
    if (from.hw > 8) return AddAlike(from);
    const Activation output = {0, 2 * from.hw, 1, from.columns};
    Push(MakeLayer(Name(), "upsample", {from.layer}, {Bytes(from)}, Bytes(output)), output);
  }

  // Elementwise, with another of the same dimensions where there is one.
  void AddAlike(const Activation& from) {
    std::vector<int32_t> inputs = {from.layer};
    std::vector<uint64_t> bytes = {Bytes(from)};
    for (const Activation& other : activations_) {
      if (other.hw != from.hw || other.rows != from.rows || other.columns != from.columns) continue;
      if (random_.Percent(50)) continue;
      inputs.push_back(other.layer);
      bytes.push_back(Bytes(other));
    }
    NetworkLayer layer = MakeLayer(Name(), "elementwise", inputs, bytes, Bytes(from));
    if (random_.Percent(30)) {  // a table of as many numbers
      layer.weight_elements = from.Elements();
      layer.weight_bytes = Bytes(from);
    }
    Push(std::move(layer), from);
  }

  // A number a column, from another layer, spread over all rows or pixels.
  void AddSpread(const Activation& from) {
    const Activation row = {0, 0, 1, from.columns};
    if (network().layers.size() > 6) return AddAlike(from);
    Push(MakeMatmul(Name(), from.layer, 1, from.columns, from.Elements(), bits_), row);
    const int32_t factors = static_cast<int32_t>(network().layers.size() - 1);
    Push(MakeLayer(Name(), "elementwise", {from.layer, factors}, {Bytes(from), Bytes(row)},
                   Bytes(from)),
         from);
  }

  void AddConcat(const Activation& from) {
    Activation output = from;
    std::vector<int32_t> inputs = {from.layer};
    std::vector<uint64_t> bytes = {Bytes(from)};
    for (const Activation& other : activations_) {
      if (other.hw != from.hw || other.rows != from.rows || other.layer == from.layer) continue;
      if (random_.Percent(50) || output.columns > 60) continue;
      output.columns += other.columns;
      inputs.push_back(other.layer);
      bytes.push_back(Bytes(other));
    }
    Push(MakeLayer(Name(), inputs.size() == 1 ? "copy" : "concat", inputs, bytes, Bytes(output)),
         output);
  }

  void AddAlone(const Activation& from) {
    const bool norm = random_.Percent(50);
    NetworkLayer layer =
        MakeLayer(Name(), norm ? "norm" : "softmax", {from.layer}, {Bytes(from)}, Bytes(from));
    if (norm) layer.weight_bytes = from.columns;
    if (random_.Percent(30)) layer.macs = random_.Between(1, 10000);
    Push(std::move(layer), from);
  }

  // Keys and values beside the queries, or in a state that they are written to before.
  void AddAttention(const Activation& from) {
    const uint64_t keys = random_.Between(1, 3) * Bytes(from);
    NetworkLayer layer = MakeLayer(Name(), "attention", {from.layer}, {Bytes(from)}, Bytes(from));
    layer.macs = from.rows * random_.Between(1, 200);
    if (random_.Percent(50)) {
      table_.names.push_back(absl::StrCat("state", network().layers.size()));
      const absl::string_view state = table_.names.back();
      const uint64_t written = random_.Between(1, Bytes(from));
      const uint64_t bytes = keys + written;
      if (random_.Percent(70)) {
        network().layers.push_back(
            MakeStateWrite(Name(), {Pick().layer}, {}, state, bytes, written));
        NetworkLayer& write = network().layers.back();
        for (const Activation& a : activations_) {
          if (a.layer == write.inputs[0]) write.input_bytes = {Bytes(a)};
        }
        layer.inputs.push_back(static_cast<int32_t>(network().layers.size() - 1));
        layer.input_bytes.push_back(0);
        layer.name = Name();
      }
      layer.state = {state, bytes, random_.Between(1, bytes),
                     random_.Percent(30) ? random_.Between(1, written) : 0};
    } else {
      for (const Activation& other : activations_) {
        if (other.hw != 0 || other.layer == from.layer || random_.Percent(60)) continue;
        layer.inputs.push_back(other.layer);
        layer.input_bytes.push_back(Bytes(other));
      }
    }
    Push(std::move(layer), from);
  }

  void AddChip() {
    Hardware& chip = table_.hardware;
    chip = *ProfileNamed("sl2610");
    chip.lram_reserved_bytes = 64;
    chip.lram_bytes = 64 + (uint64_t{1} << random_.Between(10, 15)) + 8 * random_.Below(200);
    chip.dma_bytes = random_.Between(1, 40);
    chip.dma_cycles = random_.Between(1, 40);
    LoweringNumbers& numbers = table_.numbers;
    numbers.granule = random_.Percent(50) ? 16 : random_.Between(1, 20);
    numbers.int8_macs_per_cycle = random_.Between(1, 64);
    numbers.bf16_macs_per_cycle = random_.Between(1, 64);
    numbers.elementwise_bytes_per_cycle = random_.Between(1, 16);
    numbers.least_program_cycles = random_.Below(20);
    numbers.code_buffer_bytes = random_.Percent(10) ? 0 : random_.Between(1, 256);
  }

  void AddOptions() {
    LoweringOptions& options = table_.options;
    const uint32_t layers = static_cast<uint32_t>(network().layers.size());
    if (random_.Percent(30)) {
      options.first_layer = static_cast<uint32_t>(random_.Below(layers));
      options.layer_count = static_cast<uint32_t>(random_.Below(layers - options.first_layer + 1));
    }
    options.loop_percent = static_cast<uint32_t>(random_.Between(1, 100));
    options.contraction_percent = static_cast<uint32_t>(random_.Between(1, 100));
    options.resident_percent = static_cast<uint32_t>(random_.Below(101));
    if (random_.Percent(15)) options.strategy = TilingStrategy::kNone;
    for (uint32_t l = 0; l < layers; ++l) {
      if (!random_.Percent(15)) continue;
      options.budgets.push_back({l, static_cast<uint32_t>(random_.Between(1, 100))});
    }
  }

  SplitMix64 random_;
  RandomTable table_;
  std::vector<Activation> activations_;
  uint64_t bits_ = 8;
};

}  // namespace

RandomTable MakeRandomTable(uint64_t seed) { return Maker(seed).Make(); }

std::string Describe(const RandomTable& table) {
  std::string text = absl::StrCat(
      table.network.activation_type, ", ", table.hardware.usable_bytes(),
      " bytes of LRAM, granule ", table.numbers.granule, ", code ", table.numbers.code_buffer_bytes,
      ", loops ", table.options.loop_percent, " %, contractions ",
      table.options.contraction_percent, " %, resident ", table.options.resident_percent,
      " %, layers from ", table.options.first_layer, " on, ", table.options.layer_count, "\n");
  for (const LayerBudget& b : table.options.budgets) {
    absl::StrAppend(&text, "  layer ", b.layer, ": ", b.percent, " %\n");
  }
  for (size_t l = 0; l < table.network.layers.size(); ++l) {
    const NetworkLayer& layer = table.network.layers[l];
    absl::StrAppend(&text, "  ", l, " '", layer.name, "' ", layer.op, " of ",
                    absl::StrJoin(layer.inputs, ","), " (", absl::StrJoin(layer.input_bytes, ","),
                    ") to ", *layer.output_bytes, "; weights ", layer.weight_bytes, " + ",
                    layer.scale_bytes, ", ", layer.weight_elements, "; macs ", layer.macs);
    if (layer.weight_bytes_read.has_value())
      absl::StrAppend(&text, ", reads ", *layer.weight_bytes_read);
    if (!layer.tied_to.empty()) absl::StrAppend(&text, ", tied to ", layer.tied_to);
    if (layer.in_hw != 0) {
      absl::StrAppend(&text, "; ", layer.cin, " to ", layer.cout, " kernel ", layer.kernel,
                      " stride ", layer.stride, " groups ", layer.groups, " image ", layer.in_hw,
                      " to ", layer.out_hw);
    }
    if (layer.state.has_value()) {
      absl::StrAppend(&text, "; state ", layer.state->bytes, " read ", layer.state->bytes_read,
                      " written ", layer.state->bytes_written);
    }
    absl::StrAppend(&text, "\n");
  }
  return text;
}

}  // namespace torqsched
