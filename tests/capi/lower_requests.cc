#include "tests/capi/lower_requests.h"

#include "tests/capi/streams.h"

namespace torqsched {
namespace testing {
namespace {

v1::NetworkLayer MakeLayer(const std::string& name, const std::string& op, int32_t input,
                           uint64_t input_bytes, uint64_t output_bytes) {
  v1::NetworkLayer layer;
  layer.set_name(name);
  layer.set_op(op);
  layer.add_inputs(input);
  layer.add_input_bytes_each(input_bytes);
  layer.set_output_bytes(output_bytes);
  return layer;
}

void SetState(const std::string& name, uint64_t bytes, uint64_t read, uint64_t written,
              v1::NetworkLayer* layer) {
  layer->mutable_state()->set_name(name);
  layer->mutable_state()->set_bytes(bytes);
  layer->mutable_state()->set_bytes_read(read);
  layer->mutable_state()->set_bytes_written(written);
}

// 1 to 2 ^ bits, small ones as often as large ones.
uint64_t AnySize(Random* random, uint64_t bits) {
  return 1 + random->Below(uint64_t{1} << random->Below(bits + 1));
}

uint32_t Percent(Random* random) { return static_cast<uint32_t>(1 + random->Below(100)); }

void AddSomeTiling(Random* random, v1::TilingOptions* tiling) {
  constexpr v1::Strategy kStrategies[] = {v1::STRATEGY_UNSPECIFIED, v1::STRATEGY_STREAM_SCHEDULE,
                                          v1::STRATEGY_OPTIMIZE, v1::STRATEGY_NONE};
  tiling->set_strategy(kStrategies[random->Below(4)]);
  if (random->Below(2) == 0) tiling->set_loop_percent(Percent(random));
  if (random->Below(2) == 0) tiling->set_contraction_percent(Percent(random));
}

// Layers one after the other: what the last one writes, the next ones read.
class Chain {
 public:
  // The last layer so far has so many rows and columns.
  Chain(uint64_t seed, v1::Network* network, uint64_t rows, uint64_t columns)
      : random_(seed), network_(*network), rows_(rows), columns_(columns) {}

  void Add() {
    const std::string name = "n" + std::to_string(network_.layers_size());
    const uint64_t bytes = rows_ * columns_;
    switch (random_.Below(7)) {
      case 0:
      case 1: {
        const uint64_t columns = 4 * AnySize(&random_, 6);
        Push(MakeProduct(name, Last(), rows_, columns, columns_));
        columns_ = columns;
        return;
      }
      case 2: {
        v1::NetworkLayer layer = MakeLayer(name, "elementwise", Last(), bytes, bytes);
        AddEarlier(bytes, &layer);
        return Push(layer);
      }
      case 3: {
        v1::NetworkLayer layer = MakeLayer(name, "norm", Last(), bytes, bytes);
        layer.set_weight_bytes(columns_);
        return Push(layer);
      }
      case 4:
        return AddAttention(name, bytes);
      case 5: {  // an image of as many pixels on each side as there are rows
        if (rows_ > 12) return Push(MakeLayer(name, "softmax", Last(), bytes, bytes));
        const uint64_t channels = 1 + random_.Below(24);
        Push(MakeProduct(name + " pixels", Last(), 1, rows_ * rows_ * channels, bytes));
        const uint64_t cout = 1 + random_.Below(24);
        Push(MakeConvolution(name, Last(), rows_, channels, cout, 1 + 2 * random_.Below(2)));
        columns_ = rows_ * cout;
        return;
      }
      default:
        return Push(MakeLayer(name, "copy", Last(), bytes, bytes));
    }
  }

 private:
  int32_t Last() const { return network_.layers_size() - 1; }

  void Push(const v1::NetworkLayer& layer) { *network_.add_layers() = layer; }

  // Another input of as many bytes, if there is one.
  void AddEarlier(uint64_t bytes, v1::NetworkLayer* layer) {
    for (int32_t l = Last() - 1; l >= 0; --l) {
      if (network_.layers(l).output_bytes() != bytes) continue;
      layer->add_inputs(l);
      layer->add_input_bytes_each(bytes);
      return;
    }
  }

  void AddAttention(const std::string& name, uint64_t bytes) {
    v1::NetworkLayer layer = MakeLayer(name, "attention", Last(), bytes, bytes);
    layer.set_macs(1 + random_.Below(100000));
    const uint64_t written = 1 + random_.Below(bytes);
    SetState("kv " + name, 4 * bytes, 1 + random_.Below(4 * bytes), 0, &layer);
    if (random_.Below(2) == 0) {
      v1::NetworkLayer write = MakeLayer(name + " kept", "state_write", Last(), bytes, 0);
      SetState(layer.state().name(), 4 * bytes, 0, written, &write);
      Push(write);
      layer.set_inputs(0, Last() - 1);
      layer.add_inputs(Last());
      layer.add_input_bytes_each(0);
    } else {
      layer.mutable_state()->set_bytes_written(written);
    }
    Push(layer);
  }

  Random random_;
  v1::Network& network_;
  uint64_t rows_;
  uint64_t columns_;
};

}  // namespace

v1::PlanTilesRequest RandomTiles(uint64_t seed, uint32_t loops) {
  Random random(seed);
  v1::PlanTilesRequest request;
  v1::Hardware* const hardware = request.mutable_hardware();
  hardware->set_lram_bytes(1280 + AnySize(&random, 21));
  if (random.Below(2) == 0) hardware->set_granule(1 + random.Below(40));
  if (random.Below(2) == 0) hardware->set_code_buffer_bytes(random.Below(8000));
  request.set_constant_bytes(random.Below(2) << 30);
  AddSomeTiling(&random, request.mutable_options());
  for (uint32_t i = 0; i < loops; ++i) {
    v1::TileLoop* const loop = request.add_loops();
    loop->set_name("loop " + std::to_string(i));
    loop->set_convolution(random.Below(3) == 0);
    loop->set_folded_convert(random.Below(5) == 0);
    if (random.Below(4) == 0) continue;
    loop->set_contraction(true);
    if (random.Below(4) == 0) loop->set_whole_row_bytes(AnySize(&random, 30));
    if (random.Below(6) == 0) continue;
    v1::Contraction* const shape = loop->mutable_shape();
    if (random.Below(3) == 0) shape->set_batch(AnySize(&random, 6));
    shape->set_m(AnySize(&random, 12));
    shape->set_n(AnySize(&random, 16));
    shape->set_k(AnySize(&random, 14));
    if (random.Below(2) == 0) shape->set_lhs_bits(4u << random.Below(4));
    if (random.Below(2) == 0) shape->set_weight_bits(4u << random.Below(4));
    if (random.Below(2) == 0) shape->set_out_bits(4u << random.Below(4));
  }
  return request;
}

v1::NetworkLayer MakeProduct(const std::string& name, int32_t input, uint64_t rows,
                             uint64_t columns, uint64_t sums) {
  v1::NetworkLayer layer = MakeLayer(name, "matmul", input, rows * sums, rows * columns);
  layer.set_macs(rows * columns * sums);
  layer.set_weight_elems(columns * sums);
  layer.set_weight_bytes(columns * sums);
  return layer;
}

v1::NetworkLayer MakeConvolution(const std::string& name, int32_t input, uint64_t side,
                                 uint64_t cin, uint64_t cout, uint64_t k) {
  v1::NetworkLayer layer = MakeLayer(name, "conv", input, side * side * cin, side * side * cout);
  layer.set_macs(side * side * cin * cout * k * k);
  layer.set_weight_elems(cin * cout * k * k);
  layer.set_weight_bytes(cin * cout * k * k);
  layer.set_cin(cin);
  layer.set_cout(cout);
  layer.set_k(k);
  layer.set_stride(1);
  layer.set_groups(1);
  layer.set_in_hw(side);
  layer.set_out_hw(side);
  return layer;
}

v1::LowerRequest Products(uint32_t layers, uint64_t rows, uint64_t width) {
  v1::LowerRequest request;
  for (uint32_t l = 0; l < layers; ++l) {
    *request.mutable_network()->add_layers() = MakeProduct(
        "product " + std::to_string(l), static_cast<int32_t>(l) - 1, rows, width, width);
  }
  return request;
}

v1::LowerRequest OneOfEach() {
  v1::LowerRequest request;
  v1::Network* const network = request.mutable_network();
  network->set_network("one of each");
  *network->add_layers() = MakeLayer("embed", "embedding", -1, 16, 1024);  // 16 tokens
  network->mutable_layers(0)->set_weight_bytes(64 * 1000);
  *network->add_layers() = MakeLayer("norm", "norm", 0, 1024, 1024);
  *network->add_layers() = MakeProduct("project", 1, 16, 64, 64);
  *network->add_layers() = MakeLayer("keep", "state_write", 2, 1024, 0);
  SetState("kv", 8192, 0, 1024, network->mutable_layers(3));
  *network->add_layers() = MakeLayer("attend", "attention", 2, 1024, 1024);
  SetState("kv", 8192, 8192, 0, network->mutable_layers(4));
  network->mutable_layers(4)->set_macs(16 * 8192);
  *network->add_layers() = MakeLayer("add", "elementwise", 4, 1024, 1024);
  network->mutable_layers(5)->add_inputs(0);
  network->mutable_layers(5)->add_input_bytes_each(1024);
  *network->add_layers() = MakeConvolution("conv", 5, 8, 16, 32, 3);
  *network->add_layers() = MakeProduct("head", 5, 16, 1000, 64);
  network->mutable_layers(7)->clear_weight_bytes();
  network->mutable_layers(7)->set_tied_to("embed");
  return request;
}

v1::LowerRequest RandomLowering(uint64_t seed, uint32_t layers) {
  Random random(seed ^ 0x10e7);
  v1::LowerRequest request;
  v1::Network* const network = request.mutable_network();
  const uint64_t rows = AnySize(&random, 5), columns = 4 * AnySize(&random, 5);
  *network->add_layers() = MakeProduct("first", -1, rows, columns, 4 * AnySize(&random, 6));
  Chain chain(seed, network, rows, columns);
  while (network->layers_size() < static_cast<int>(layers)) chain.Add();
  v1::Hardware* const hardware = request.mutable_hardware();
  hardware->set_lram_bytes(1280 + (uint64_t{1} << (12 + random.Below(5))));
  hardware->set_code_buffer_bytes(random.Below(600));
  if (random.Below(2) == 0) hardware->set_granule(1 + random.Below(20));
  v1::LowerOptions* const options = request.mutable_options();
  AddSomeTiling(&random, options->mutable_tiling());
  if (random.Below(2) == 0) {
    options->set_resident_percent(static_cast<uint32_t>(random.Below(101)));
  }
  if (random.Below(4) == 0) {
    options->set_first_layer(static_cast<uint32_t>(random.Below(layers)));
    options->set_layer_count(
        static_cast<uint32_t>(random.Below(layers - options->first_layer() + 1)));
  }
  for (uint32_t l = 0; l < layers; ++l) {
    if (random.Below(5) != 0) continue;
    v1::LayerBudget* const budget = options->add_budgets();
    budget->set_layer(l);
    budget->set_percent(Percent(&random));
  }
  return request;
}

}  // namespace testing
}  // namespace torqsched
