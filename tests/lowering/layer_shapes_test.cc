// What the table says of each kind of layer, by hand; windows of convolutions against a computation
// that touches each row of each output row.
#include "src/lowering/layer_shapes.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/lowering/tables.h"
#include "tests/network/network_json.h"
#include "tests/reference/random_streams.h"

namespace torqsched::lowering {
namespace {

constexpr uint64_t kUsable = 523008;

std::vector<LayerShape> Shapes(const Network& network, uint64_t usable = kUsable) {
  absl::StatusOr<std::vector<LayerShape>> shapes = ShapesOf(network, LoweringNumbers(), usable);
  EXPECT_TRUE(shapes.ok()) << shapes.status();
  return shapes.ok() ? *std::move(shapes) : std::vector<LayerShape>(network.layers.size());
}

LayerShape ShapeOf(NetworkLayer layer, absl::string_view type = "int8", uint64_t usable = kUsable) {
  Network network;
  network.activation_type = type;
  network.layers.push_back(std::move(layer));
  return Shapes(network, usable)[0];
}

std::string Text(ByteRange range) { return absl::StrCat("[", range.begin, ", ", range.end, ")"); }

// An image of hw x hw x channels bytes, by a copy from the network's input.
NetworkLayer Image(uint64_t hw, uint64_t channels) {
  ImageDimensions d;
  d.cin = d.cout = channels;
  d.in_hw = d.out_hw = hw;
  return MakeImage("image", kNetworkInput, d);
}

TEST(MatmulShape, RowsColumnsAndSumsFollowFromElements) {
  for (const auto& [type, bits] : std::vector<std::pair<const char*, uint64_t>>{
           {"int4", 4}, {"int8", 8}, {"bf16", 16}, {"f32", 32}}) {
    const LayerShape shape = ShapeOf(MakeMatmul("product", kNetworkInput, 6, 20, 14, bits), type);
    EXPECT_EQ(shape.form, LayerForm::kContraction);
    EXPECT_FALSE(shape.convolution);
    EXPECT_EQ(shape.rows, 6u);
    EXPECT_EQ(shape.n, 20u);
    EXPECT_EQ(shape.k, 14u);
    EXPECT_EQ(shape.groups, 1u);
    EXPECT_EQ(shape.row_bytes, 20 * bits / 8);
    EXPECT_EQ(shape.macs, 6u * 20 * 14);
    EXPECT_EQ(shape.macs_per_cycle, bits <= 8 ? 256u : 128u);
    EXPECT_EQ(shape.weight_bytes, 20 * 14 * bits / 8);
    ASSERT_EQ(shape.inputs.size(), 1u);
    EXPECT_FALSE(shape.inputs[0].whole);
    EXPECT_EQ(shape.inputs[0].unit, 14 * bits / 8);
    EXPECT_EQ(Text(WindowOf(shape.inputs[0], 2, 5)),
              absl::StrCat("[", 2 * 14 * bits / 8, ", ", 5 * 14 * bits / 8, ")"));
  }
}

TEST(MatmulShape, ScalesAreWeightsAndAreReadWithThem) {
  NetworkLayer layer = MakeMatmul("product", kNetworkInput, 2, 8, 8);
  layer.scale_bytes = 16;
  EXPECT_EQ(ShapeOf(layer).weight_bytes, 80u);
  layer.weight_bytes_read = 24;
  EXPECT_EQ(ShapeOf(layer).weight_bytes, 24u);
}

TEST(MatmulShape, InputsOfSeveralSumsARowAreGroups) {
  // 3 rows of 4 groups of 10, each against 5 of the 20 columns.
  NetworkLayer layer = MakeMatmul("experts", kNetworkInput, 3, 20, 10);
  layer.input_bytes = {3 * 4 * 10};
  const LayerShape shape = ShapeOf(layer);
  EXPECT_EQ(shape.groups, 4u);
  EXPECT_EQ(shape.k, 10u);
  EXPECT_EQ(shape.inputs[0].unit, 40u);
  EXPECT_EQ(Text(WindowOf(shape.inputs[0], 1, 2)), "[40, 80)");
}

TEST(MatmulShape, AnInputThatIsNoRowsOfSumsIsReadWhole) {
  NetworkLayer layer = MakeMatmul("product", kNetworkInput, 3, 20, 10);
  layer.input_bytes = {31};
  EXPECT_TRUE(ShapeOf(layer).inputs[0].whole);
  // 7 groups do not divide 20 columns.
  layer.input_bytes = {3 * 7 * 10};
  EXPECT_TRUE(ShapeOf(layer).inputs[0].whole);
  EXPECT_EQ(ShapeOf(layer).groups, 1u);
}

TEST(MatmulShape, InputsOfAnotherWidthAreRowsAllTheSame) {
  // 3 rows of 10 bytes, where activations are bf16.
  NetworkLayer layer = MakeMatmul("quantised", kNetworkInput, 3, 20, 10, 16);
  layer.input_bytes = {30};
  const LayerShape shape = ShapeOf(layer, "bf16");
  EXPECT_EQ(shape.groups, 1u);
  EXPECT_EQ(shape.inputs[0].unit, 10u);
  EXPECT_EQ(Text(WindowOf(shape.inputs[0], 1, 2)), "[10, 20)");
}

TEST(MatmulShape, OnlyTheFirstInputIsRowsOthersAreReadWhole) {
  Network network;
  network.layers = {MakeMatmul("a", kNetworkInput, 4, 8, 8), MakeMatmul("b", 0, 4, 8, 8)};
  network.layers[1].inputs = {0, kNetworkInput};
  network.layers[1].input_bytes = {32, 12};
  const LayerShape shape = Shapes(network)[1];
  EXPECT_FALSE(shape.inputs[0].whole);
  EXPECT_TRUE(shape.inputs[1].whole);
  EXPECT_EQ(Text(WindowOf(shape.inputs[1], 0, 1)), "[0, 12)");
}

TEST(Weights, ALayerTiedWithoutNumbersReadsAllOfItsOwners) {
  Network network;
  network.layers = {MakeMatmul("owner", kNetworkInput, 1, 8, 8), MakeMatmul("tied", 0, 1, 8, 8),
                    MakeMatmul("part", 1, 1, 8, 8)};
  network.layers[0].scale_bytes = 4;
  network.layers[1].tied_to = network.layers[2].tied_to = "owner";
  network.layers[1].weight_bytes = 0;
  network.layers[2].weight_bytes = 32;
  const std::vector<LayerShape> shapes = Shapes(network);
  EXPECT_EQ(shapes[1].weight_bytes, 68u);
  EXPECT_EQ(shapes[2].weight_bytes, 32u);
  EXPECT_EQ(WeightOwnersOf(network), (std::vector<uint32_t>{0, 0, 0}));
}

TEST(Weights, ALayerWithoutANameOwnsWeightsByItsPosition) {
  Network network;
  network.layers = {MakeMatmul("first", kNetworkInput, 1, 8, 8), MakeMatmul("", 0, 1, 8, 8),
                    MakeMatmul("tied", 1, 1, 8, 8)};
  network.layers[2].tied_to = "layer 1";
  EXPECT_EQ(WeightOwnersOf(network), (std::vector<uint32_t>{0, 1, 1}));
}

TEST(Inputs, OneThatIsReadTwiceIsOneWindowOfTheMostBytes) {
  Network network;
  network.layers = {Image(4, 2), MakeLayer("sum", "elementwise", {0, 0}, {32, 16}, 32)};
  const LayerShape shape = Shapes(network)[1];
  ASSERT_EQ(shape.inputs.size(), 1u);
  EXPECT_EQ(shape.inputs[0].bytes, 32u);
}

TEST(Inputs, MoreThanThereIsIsAllAndNothingIsNoInput) {
  Network network;
  network.layers = {Image(4, 2), MakeLayer("sum", "elementwise", {0, kNetworkInput}, {99, 0}, 32)};
  const LayerShape shape = Shapes(network)[1];
  ASSERT_EQ(shape.inputs.size(), 1u);
  EXPECT_EQ(shape.inputs[0].bytes, 32u);
}

// Lines of the input that output rows [first, end) of a convolution touch, one by one.
std::set<uint64_t> TouchedLines(const ImageDimensions& d, uint64_t first, uint64_t end) {
  // Lines of zeros above the image: half of all that there must be, rounded up.
  int64_t zeros = 0;
  while (static_cast<int64_t>(d.in_hw) + zeros <
         static_cast<int64_t>((d.out_hw - 1) * d.stride + d.kernel)) {
    ++zeros;
  }
  const int64_t above = zeros - zeros / 2;
  std::set<uint64_t> lines;
  for (uint64_t row = first; row < end; ++row) {
    for (uint64_t y = 0; y < d.kernel; ++y) {
      const int64_t line = static_cast<int64_t>(row * d.stride + y) - above;
      if (line >= 0 && line < static_cast<int64_t>(d.in_hw)) lines.insert(line);
    }
  }
  return lines;
}

TEST(ImageShape, WindowsAreTheLinesThatTheConvolutionTouches) {
  uint64_t windows = 0;
  for (const uint64_t kernel : {1, 2, 3, 5, 7}) {
    for (const uint64_t stride : {1, 2, 3}) {
      for (uint64_t hw = 1; hw <= 15; ++hw) {
        for (uint64_t zeros = 0; zeros <= 2 * (kernel / 2); ++zeros) {
          if (hw + zeros < kernel) continue;
          ImageDimensions d;
          d.cin = 3;
          d.cout = 2;
          d.kernel = kernel;
          d.stride = stride;
          d.in_hw = hw;
          d.out_hw = (hw + zeros - kernel) / stride + 1;
          const LayerShape shape = ShapeOf(MakeImage("conv", kNetworkInput, d));
          const uint64_t line = hw * 3;
          for (uint64_t first = 0; first < d.out_hw; ++first) {
            for (uint64_t end = first + 1; end <= d.out_hw; ++end) {
              const std::set<uint64_t> lines = TouchedLines(d, first, end);
              ASSERT_FALSE(lines.empty());
              const ByteRange expected = {*lines.begin() * line, (*lines.rbegin() + 1) * line};
              EXPECT_EQ(Text(WindowOf(shape.inputs[0], first, end)), Text(expected))
                  << "kernel " << kernel << " stride " << stride << " image " << hw << " zeros "
                  << zeros << " rows " << first << " to " << end;
              ++windows;
            }
          }
        }
      }
    }
  }
  EXPECT_GT(windows, 10000u);
}

TEST(ImageShape, ConvolutionsOfResnetAndMobilenetByHand) {
  // 7 x 7 at stride 2, three lines of zeros above: rows 10..11 see lines 17..27.
  const LayerShape first = ShapeOf(MakeImage("conv1", kNetworkInput, {3, 64, 7, 2, 1, 224, 112}));
  EXPECT_EQ(Text(WindowOf(first.inputs[0], 10, 12)), Text({17 * 672, 26 * 672}));
  EXPECT_EQ(Text(WindowOf(first.inputs[0], 0, 1)), Text({0, 4 * 672}));
  EXPECT_EQ(first.rows, 112u);
  EXPECT_EQ(first.pixels, 112u);
  EXPECT_EQ(first.n, 64u);
  EXPECT_EQ(first.k, 3u);
  EXPECT_TRUE(first.convolution);
  // Depthwise, 3 x 3 at stride 2 from 28 to 14: row 13 sees lines 25 to 27.
  const LayerShape depthwise =
      ShapeOf(MakeImage("dw", kNetworkInput, {192, 192, 3, 2, 192, 28, 14}));
  EXPECT_EQ(Text(WindowOf(depthwise.inputs[0], 13, 14)), Text({25 * 28 * 192, 28 * 28 * 192}));
  EXPECT_EQ(depthwise.groups, 192u);
  EXPECT_EQ(depthwise.k, 1u);
  EXPECT_EQ(depthwise.inputs[0].unit, 192u);
  // 1 x 1 at stride 2: every other line, so that row 5 sees line 10 only.
  const LayerShape down = ShapeOf(MakeImage("down", kNetworkInput, {256, 512, 1, 2, 1, 56, 28}));
  EXPECT_EQ(Text(WindowOf(down.inputs[0], 5, 6)), Text({10 * 56 * 256, 11 * 56 * 256}));
}

TEST(SignalShape, WindowsOfWhispersConvolutionsHaveWhatRowsNeed) {
  const std::vector<NetworkLayer> layers = {
      MakeSignal("conv1", kNetworkInput, 3000, 3000, 80, 384, 3),
      MakeSignal("conv2", kNetworkInput, 3000, 1500, 384, 384, 3)};
  for (size_t l = 0; l < layers.size(); ++l) {
    const LayerShape shape = ShapeOf(layers[l]);
    const uint64_t cin = l == 0 ? 80 : 384, stride = l == 0 ? 1 : 2;
    EXPECT_TRUE(shape.convolution);
    EXPECT_EQ(shape.k, 3 * cin);
    EXPECT_EQ(shape.n, 384u);
    ASSERT_EQ(shape.rows, l == 0 ? 3000u : 1500u);
    for (const uint64_t row : {0u, 1u, 700u, 1498u, 1499u}) {
      // Kernel 3, one row of zeros on each side.
      const uint64_t begin = row == 0 ? 0 : (row * stride - 1) * cin;
      const uint64_t end = std::min<uint64_t>(3000, row * stride + 2) * cin;
      const ByteRange window = WindowOf(shape.inputs[0], row, row + 1);
      EXPECT_LE(window.begin, begin) << layers[l].name << " row " << row;
      EXPECT_GE(window.end, end) << layers[l].name << " row " << row;
      EXPECT_LE(window.size(), 6 * cin) << layers[l].name << " row " << row;
    }
  }
}

TEST(SignalShape, WindowsHaveWhatAnyPaddingNeeds) {
  for (uint64_t seed = 1; seed <= 2000; ++seed) {
    reference::SplitMix64 random(seed);
    const uint64_t kernel = random.Between(1, 7), stride = random.Between(1, kernel);
    const uint64_t cin = random.Between(1, 9), rows = random.Between(1, 30);
    const uint64_t above = random.Below(kernel - stride + 1);
    const uint64_t in_rows = rows * stride;
    const LayerShape shape =
        ShapeOf(MakeSignal("conv", kNetworkInput, in_rows, rows, cin, 4, kernel));
    for (uint64_t row = 0; row < rows; ++row) {
      const ByteRange window = WindowOf(shape.inputs[0], row, row + 1);
      for (uint64_t y = 0; y < kernel; ++y) {
        const int64_t line = static_cast<int64_t>(row * stride + y) - static_cast<int64_t>(above);
        if (line < 0 || line >= static_cast<int64_t>(in_rows)) continue;
        EXPECT_LE(window.begin, line * cin) << "seed " << seed << " row " << row;
        EXPECT_GE(window.end, (line + 1) * cin) << "seed " << seed << " row " << row;
      }
    }
  }
}

TEST(AttentionShape, WithoutAStateKeysAndValuesComeInChunks) {
  Network network;
  network.layers = {MakeMatmul("q", kNetworkInput, 6, 8, 8),
                    MakeMatmul("k", kNetworkInput, 6, 8, 8),
                    MakeMatmul("v", kNetworkInput, 6, 8, 8),
                    MakeLayer("attention", "attention", {0, 1, 2}, {48, 48, 48}, 48)};
  network.layers[3].macs = 576;
  const LayerShape shape = Shapes(network)[3];
  EXPECT_EQ(shape.form, LayerForm::kAttention);
  EXPECT_EQ(shape.rows, 6u);
  EXPECT_EQ(Text(WindowOf(shape.inputs[0], 1, 3)), "[8, 24)");
  EXPECT_FALSE(shape.inputs[0].chunked);
  EXPECT_TRUE(shape.inputs[1].chunked);
  EXPECT_TRUE(shape.inputs[2].chunked);
}

TEST(AttentionShape, WithAStateOtherInputsAreWhole) {
  Network network;
  network.layers = {MakeMatmul("q", kNetworkInput, 6, 8, 8),
                    MakeMatmul("k", kNetworkInput, 6, 8, 8),
                    MakeLayer("attention", "attention", {0, 1}, {48, 48}, 48)};
  network.layers[2].macs = 576;
  network.layers[2].state = {"kv", 100, 90, 10};
  const LayerShape shape = Shapes(network)[2];
  EXPECT_TRUE(shape.inputs[1].whole);
  EXPECT_FALSE(shape.inputs[1].chunked);
  EXPECT_EQ(shape.state_read, 90u);
  EXPECT_EQ(shape.state_written, 10u);
}

TEST(StateWriteShape, ItsInputsGoInWhole) {
  Network network;
  network.layers = {MakeMatmul("k", kNetworkInput, 6, 8, 8),
                    MakeStateWrite("write", {0}, {48}, "kv", 100, 48)};
  const LayerShape shape = Shapes(network)[1];
  EXPECT_EQ(shape.form, LayerForm::kStateWrite);
  EXPECT_EQ(shape.state_written, 48u);
  ASSERT_EQ(shape.inputs.size(), 1u);
  EXPECT_TRUE(shape.inputs[0].chunked);
}

TEST(RowsShape, ElementwiseOfAnImageHasItsLinesAndNoHalo) {
  Network network;
  network.layers = {Image(6, 4),
                    MakeLayer("sum", "elementwise", {0, kNetworkInput}, {144, 144}, 144)};
  const LayerShape shape = Shapes(network)[1];
  EXPECT_EQ(shape.rows, 6u);
  EXPECT_EQ(Text(WindowOf(shape.inputs[0], 2, 3)), "[48, 72)");
  EXPECT_EQ(Text(WindowOf(shape.inputs[1], 2, 3)), "[48, 72)");
}

TEST(RowsShape, APoolHasAsManyFewerLinesAndARowMoreOnEachSide) {
  Network network;
  network.layers = {Image(6, 4), MakeLayer("pool", "pool", {0}, {144}, 36),
                    MakeLayer("all", "elementwise", {0}, {144}, 4)};
  const std::vector<LayerShape> shapes = Shapes(network);
  EXPECT_EQ(shapes[1].rows, 3u);
  // Row 1 pools lines 2 and 3; with an overlap of a line it would want line 1 or 4.
  EXPECT_EQ(Text(WindowOf(shapes[1].inputs[0], 1, 2)), "[0, 144)");
  EXPECT_EQ(Text(WindowOf(shapes[1].inputs[0], 0, 1)), "[0, 96)");
  EXPECT_EQ(shapes[2].rows, 1u);
  EXPECT_EQ(Text(WindowOf(shapes[2].inputs[0], 0, 1)), "[0, 144)");
}

TEST(RowsShape, AnUpsamplingHasTheLinesOfItsInput) {
  Network network;
  network.layers = {Image(6, 4), MakeLayer("up", "upsample", {0}, {144}, 576)};
  const LayerShape shape = Shapes(network)[1];
  EXPECT_EQ(shape.rows, 6u);
  EXPECT_EQ(Text(WindowOf(shape.inputs[0], 2, 3)), "[24, 96)");
}

TEST(RowsShape, AConcatenationTakesTheSameLinesOfEach) {
  Network network;
  network.layers = {Image(6, 4), Image(6, 2), MakeLayer("both", "concat", {0, 1}, {144, 72}, 216)};
  network.layers[1].name = "other";
  const LayerShape shape = Shapes(network)[2];
  EXPECT_EQ(shape.rows, 6u);
  EXPECT_EQ(Text(WindowOf(shape.inputs[0], 2, 3)), "[48, 72)");
  EXPECT_EQ(Text(WindowOf(shape.inputs[1], 2, 3)), "[24, 36)");
}

TEST(RowsShape, WhatIsSpreadOverRowsIsReadWhole) {
  // A factor a channel, made from all of the image.
  Network network;
  network.layers = {Image(6, 6), MakeLayer("mean", "elementwise", {0}, {216}, 6),
                    MakeLayer("scale", "elementwise", {0, 1}, {216, 6}, 216)};
  const LayerShape shape = Shapes(network)[2];
  EXPECT_EQ(shape.rows, 6u);
  EXPECT_EQ(Text(WindowOf(shape.inputs[1], 3, 4)), "[0, 6)");
}

TEST(RowsShape, WithoutRowsElementwiseWorkIsCutAtGranules) {
  const LayerShape shape =
      ShapeOf(MakeLayer("relu", "elementwise", {kNetworkInput}, {640}, 640), "bf16");
  EXPECT_EQ(shape.rows, 20u);  // of 16 elements
  EXPECT_EQ(shape.natural_rows, 1u);
  EXPECT_EQ(Text(WindowOf(shape.inputs[0], 3, 5)), "[96, 160)");
}

TEST(RowsShape, ANormIsNotCutThoughItsInputAndOutputAreAlike) {
  const LayerShape shape = ShapeOf(MakeLayer("norm", "norm", {kNetworkInput}, {640}, 640));
  EXPECT_EQ(shape.rows, 1u);
}

TEST(RowsShape, AReductionThatNoTileHoldsIsCutAtElements) {
  const NetworkLayer layer = MakeLayer("mix", "elementwise", {kNetworkInput}, {4800}, 960);
  EXPECT_EQ(ShapeOf(layer, "f32", 11000).rows, 1u);  // with code, 10880
  // 240 elements from 1200.
  const LayerShape shape = ShapeOf(layer, "f32", 5000);
  EXPECT_EQ(shape.rows, 240u);
  EXPECT_EQ(shape.row_bytes, 4u);
  EXPECT_EQ(Text(WindowOf(shape.inputs[0], 10, 20)), Text({(10 - 1) * 20, (20 + 1) * 20}));
}

TEST(RowsShape, ATableAsLargeAsTheOutputGoesRowByRow) {
  Network network;
  network.layers = {Image(6, 4), MakeLayer("position", "elementwise", {0}, {144}, 144)};
  network.layers[1].weight_elements = network.layers[1].weight_bytes = 144;
  EXPECT_TRUE(Shapes(network)[1].weights_by_row);
  network.layers[1].weight_elements = 24;
  EXPECT_FALSE(Shapes(network)[1].weights_by_row);
}

TEST(RowsShape, AnEmbeddingReadsOfItsTableWhatItsTokensTake) {
  // 5 tokens of 8 bf16 elements, from a table of 4 bits: 4 bytes a token.
  NetworkLayer layer = MakeLayer("embed", "embedding", {kNetworkInput}, {10}, 80);
  layer.weight_elements = 8000;
  layer.weight_bytes = 4000;
  layer.weight_type = "int4";
  LayerShape shape = ShapeOf(layer, "bf16");
  EXPECT_EQ(shape.rows, 5u);
  EXPECT_EQ(shape.weight_bytes, 20u);
  EXPECT_TRUE(shape.weights_by_row);
  layer.weight_bytes_read = 60;
  shape = ShapeOf(layer, "bf16");
  EXPECT_EQ(shape.weight_bytes, 60u);
  layer.weight_bytes_read.reset();
  layer.weight_bytes = 16;  // fewer than that
  EXPECT_EQ(ShapeOf(layer, "bf16").weight_bytes, 16u);
}

class Tables : public ::testing::TestWithParam<const char*> {};

TEST_P(Tables, EveryLayersOutputMacsAndDimensionsAreTheTables) {
  const absl::StatusOr<NetworkTable> table =
      LoadNetwork(absl::StrCat("testdata/networks/", GetParam(), ".json"));
  ASSERT_TRUE(table.ok()) << table.status();
  const std::vector<LayerShape> shapes = Shapes(table->network);
  uint64_t macs = 0;
  for (size_t l = 0; l < shapes.size(); ++l) {
    const NetworkLayer& layer = table->network.layers[l];
    const LayerShape& shape = shapes[l];
    SCOPED_TRACE(layer.name);
    EXPECT_EQ(shape.OutBytes(), *layer.output_bytes);
    EXPECT_EQ(shape.OutBytes() % (shape.rows * shape.pixels), 0u);
    macs += shape.macs;
    if (shape.form != LayerForm::kContraction) continue;
    // Each of m * n outputs takes the kernel times k products.
    const uint64_t kernel = layer.in_hw == 0 ? 1 : layer.kernel * layer.kernel;
    EXPECT_EQ(shape.rows * shape.pixels * shape.n * shape.k * kernel, layer.macs);
    EXPECT_FALSE(shape.inputs[0].whole);
  }
  EXPECT_EQ(macs, table->totals.at("macs"));
}

INSTANTIATE_TEST_SUITE_P(
    All, Tables,
    ::testing::Values("deepseek_v4_flash_decode_csa", "gemma3_1b_decode_ctx1024_wint4_abf16",
                      "gemma3_1b_prefill128_wint8_aint8", "gemma3_270m_decode_ctx1024_wbf16_abf16",
                      "mobilenet_v2_int8", "resnet50_int8", "whisper_tiny_decoder_step_wint8_aint8",
                      "whisper_tiny_encoder_wint8_aint8"),
    [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace torqsched::lowering
