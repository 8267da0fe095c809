// Figures of an independent lowering of the same tables with the same conventions: what it loads
// and stores, how many programs it makes, what they compute, and what its input order takes.
//
// Where the two cut alike the figures are the same, to the byte and to the cycle. Where they do
// not, the test says why, and by how much they may differ.
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "src/hardware/hardware.h"
#include "src/lowering/lower.h"
#include "src/schedule/schedule_stream.h"
#include "tests/lowering/tables.h"
#include "tests/network/network_json.h"

namespace torqsched {
namespace {

struct Figures {
  uint64_t ops = 0;
  uint64_t programs = 0;
  uint64_t loaded = 0;
  uint64_t stored = 0;
  uint64_t compute = 0;
  uint64_t peak = 0;
  uint64_t makespan = 0;  // of the input order
};

Figures Measure(const Network& network, const LoweringOptions& options) {
  const Hardware hardware = *ProfileNamed("sl2610");
  const absl::StatusOr<LoweredNetwork> lowered =
      LowerNetwork(network, hardware, LoweringNumbers(), options);
  EXPECT_TRUE(lowered.ok()) << lowered.status();
  Figures figures;
  if (!lowered.ok()) return figures;
  const Stream& stream = lowered->stream;
  figures.ops = stream.op_count();
  for (uint32_t o = 0; o < stream.op_count(); ++o) {
    const Op& op = stream.op(OpIndex(o));
    for (const Access& a : stream.accesses(OpIndex(o))) {
      if (!a.writes) continue;
      if (op.kind == OpKind::kLoad) figures.loaded += a.end - a.begin;
      if (op.kind == OpKind::kStore) figures.stored += a.end - a.begin;
    }
    if (op.kind != OpKind::kStart) continue;
    ++figures.programs;
    figures.compute += op.cycles;
  }
  const auto simulation = SimulateStream(stream, hardware, {}, {}, /*timeline=*/false);
  EXPECT_TRUE(simulation.ok()) << simulation.status();
  if (!simulation.ok()) return figures;
  figures.peak = simulation->peak_live_bytes;
  figures.makespan = simulation->makespan;
  return figures;
}

Figures MeasureTable(const char* name, uint32_t first_layer, uint32_t layer_count) {
  const absl::StatusOr<NetworkTable> table =
      LoadNetwork(absl::StrCat("testdata/networks/", name, ".json"));
  EXPECT_TRUE(table.ok()) << table.status();
  if (!table.ok()) return Figures();
  LoweringOptions options;
  options.first_layer = first_layer;
  options.layer_count = layer_count;
  return Measure(table->network, options);
}

void ExpectWithin(uint64_t actual, uint64_t published, uint64_t permille) {
  EXPECT_LE(actual * 1000, published * (1000 + permille)) << actual << " against " << published;
  EXPECT_GE(actual * 1000, published * (1000 - permille)) << actual << " against " << published;
}

// 1 x 128 x 768 x 3072 in bf16.
Network Product() {
  Network network;
  network.name = "product";
  network.activation_type = "bf16";
  network.layers = {MakeMatmul("product", kNetworkInput, 128, 3072, 768, 16)};
  return network;
}

TEST(Published, AMatrixProductWhoseRowsStayWholeIsTheSame) {
  const Figures figures = Measure(Product(), LoweringOptions());
  EXPECT_EQ(figures.programs, 18u);
  EXPECT_EQ(figures.loaded, 5007360u);
  EXPECT_EQ(figures.stored, 786432u);
  EXPECT_EQ(figures.peak, 517120u);
  EXPECT_EQ(figures.compute, 2359296u);
  EXPECT_EQ(figures.ops, 146u);
  EXPECT_EQ(figures.makespan, 3577954u);
}

TEST(Published, AMatrixProductInSmallerTilesIsTheSame) {
  LoweringOptions options;
  options.contraction_percent = 60;
  const Figures figures = Measure(Product(), options);
  EXPECT_EQ(figures.programs, 64u);
  EXPECT_EQ(figures.loaded, 5242880u);
  EXPECT_EQ(figures.stored, 786432u);
  EXPECT_EQ(figures.peak, 287744u);
  EXPECT_EQ(figures.compute, 2359296u);
  EXPECT_EQ(figures.ops, 514u);
  EXPECT_EQ(figures.makespan, 3627530u);
}

TEST(Published, TheHeadOfADecodeIsTheSame) {
  const Figures figures = MeasureTable("gemma3_1b_decode_ctx1024_wint4_abf16", 522, 1);
  EXPECT_EQ(figures.ops, 6250u);
  EXPECT_EQ(figures.programs, 781u);
  EXPECT_EQ(figures.loaded, 154995968u);
  EXPECT_EQ(figures.stored, 524288u);
  EXPECT_EQ(figures.compute, 2359296u);
  EXPECT_EQ(figures.peak, 201632u);
  EXPECT_EQ(figures.makespan, 35071699u);
}

TEST(Published, ABlockOfADecodeDiffersInAttentionAndInOneInput) {
  const Figures figures = MeasureTable("gemma3_1b_decode_ctx1024_wint4_abf16", 1, 20);
  // Attention: 5 programs there, 3 chunks here, the fewest that fit half of LRAM. What comes from
  // outside the range is there loaded once for both readers, here by each.
  EXPECT_EQ(figures.programs, 93u - 2);
  EXPECT_EQ(figures.loaded, 14431488u - 2 * 5120 + 2304);
  EXPECT_EQ(figures.stored, 3328u);
  EXPECT_EQ(figures.peak, 221696u);
  ExpectWithin(figures.compute, 224256, 3);
}

TEST(Published, AWholeDecodeDiffersInAttentionAndInTheTokensNumber) {
  const Figures figures = MeasureTable("gemma3_1b_decode_ctx1024_wint4_abf16", 0, 0);
  // As in the block, 26 times; and the network's input, 2 bytes, is there not loaded.
  EXPECT_EQ(figures.programs, 3209u - 26 * 2);
  EXPECT_EQ(figures.loaded, 532303680u - 26 * 2 * 5120 + 2);
  EXPECT_EQ(figures.stored, 550912u);
  EXPECT_EQ(figures.peak, 221696u);
  ExpectWithin(figures.compute, 8225380, 3);
}

// There an activation stays for readers within three layers; here the residency planner says which
// stay, and it holds them against each other in all layers that they live through.
TEST(Published, MobilenetDiffersByWhatStaysInLram) {
  const Figures figures = MeasureTable("mobilenet_v2_int8", 0, 0);
  ExpectWithin(figures.programs, 128, 20);
  ExpectWithin(figures.loaded, 8772768, 20);
  ExpectWithin(figures.stored, 4265960, 30);
  ExpectWithin(figures.compute, 1219476, 1);
}

TEST(Published, TwentyLayersOfResnetDifferByWhatStaysInLram) {
  const Figures figures = MeasureTable("resnet50_int8", 0, 20);
  ExpectWithin(figures.programs, 230, 30);
  ExpectWithin(figures.loaded, 12779296, 60);
  ExpectWithin(figures.stored, 8931328, 20);
  ExpectWithin(figures.compute, 5122880, 1);
}

}  // namespace
}  // namespace torqsched
