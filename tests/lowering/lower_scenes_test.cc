// Small networks by hand, and streams that were damaged by hand: what CheckLowering sees.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "src/hardware/hardware.h"
#include "src/lowering/check_lowering.h"
#include "src/lowering/lower.h"
#include "tests/lowering/plain_lowering_check.h"
#include "tests/lowering/tables.h"

namespace torqsched {
namespace {

// 1,000 bytes of LRAM and simple prices: a byte a cycle, 10 macs a cycle, 4 bytes of code.
Hardware SmallChip() {
  Hardware chip = *ProfileNamed("sl2610");
  chip.lram_bytes = 1000;
  chip.lram_reserved_bytes = 0;
  chip.dma_bytes = chip.dma_cycles = 1;
  return chip;
}

LoweringNumbers SmallNumbers() {
  LoweringNumbers numbers;
  numbers.granule = 4;
  numbers.int8_macs_per_cycle = 10;
  numbers.elementwise_bytes_per_cycle = 2;
  numbers.least_program_cycles = 1;
  numbers.code_buffer_bytes = 4;
  return numbers;
}

LoweredNetwork Lower(const Network& network, const LoweringOptions& options) {
  absl::StatusOr<LoweredNetwork> lowered =
      LowerNetwork(network, SmallChip(), SmallNumbers(), options);
  EXPECT_TRUE(lowered.ok()) << lowered.status();
  if (!lowered.ok()) return LoweredNetwork();
  EXPECT_EQ(CheckLowering(network, *lowered), absl::OkStatus());
  EXPECT_EQ(LoweringFaults(network, SmallChip(), SmallNumbers(), options, *lowered), "");
  return *std::move(lowered);
}

// Ops in words: "load product/n1.w 40: product.weights [40, 80) -> product/n1.w [0, 40)".
std::vector<std::string> Words(const Stream& stream) {
  std::vector<std::string> words;
  for (uint32_t o = 0; o < stream.op_count(); ++o) {
    const OpIndex index(o);
    const Op& op = stream.op(index);
    if (op.kind == OpKind::kPure || op.kind == OpKind::kWait) continue;
    std::string reads, writes;
    for (const Access& a : stream.accesses(index)) {
      const std::string range =
          absl::StrCat(" ", stream.buffer_name(a.buffer), " [", a.begin, ", ", a.end, ")");
      if (absl::EndsWith(stream.buffer_name(a.buffer), "code")) continue;
      if (a.reads) absl::StrAppend(&reads, range);
      if (a.writes) absl::StrAppend(&writes, range);
    }
    if (reads.empty() && writes.empty()) continue;  // a load of code
    words.push_back(absl::StrCat(stream.op_name(index), " ", op.cycles, ":", reads, " ->", writes));
  }
  return words;
}

TEST(LoweredProduct, ColumnsAreCutFirstAndTheInputIsLoadedOnce) {
  Network network;
  network.layers = {MakeMatmul("p", kNetworkInput, 2, 16, 40)};
  LoweringOptions options;
  options.budgets = {{0, 45}};  // 4 + 80 + 8 * 40 + 2 * 8 = 420 bytes
  EXPECT_EQ(Words(Lower(network, options).stream),
            (std::vector<std::string>{
                "load p/n0.w 320: p.weights [0, 320) -> p/n0.w [0, 320)",
                "load p/n0.in 80: input [0, 80) -> p/n0.in [0, 80)",
                "start p/n0 64: p/n0.w [0, 320) p/n0.in [0, 80) -> p/n0.out [0, 16)",
                "store p/n0.out 16: p/n0.out [0, 16) -> p.out.xram [0, 16)",
                "load p/n1.w 320: p.weights [320, 640) -> p/n1.w [0, 320)",
                "start p/n1 64: p/n1.w [0, 320) p/n0.in [0, 80) -> p/n1.out [0, 16)",
                "store p/n1.out 16: p/n1.out [0, 16) -> p.out.xram [16, 32)",
            }));
}

TEST(LoweredProduct, SumsAreCutWhereNothingElseFitsAndAddUpInPlace) {
  // A row and four columns take 4 + 400 + 1600 + 4 bytes: sums in three runs, the rows whole.
  Network network;
  network.layers = {MakeMatmul("p", kNetworkInput, 1, 4, 400)};
  EXPECT_EQ(
      Words(Lower(network, LoweringOptions()).stream),
      (std::vector<std::string>{
          "load p/k0.w 544: p.weights [0, 544) -> p/k0.w [0, 544)",
          "load p/k0.in 136: input [0, 136) -> p/k0.in [0, 136)",
          "start p/k0 55: p/k0.w [0, 544) p/k0.in [0, 136) -> p/k0.out [0, 4)",
          "load p/k1.w 544: p.weights [544, 1088) -> p/k1.w [0, 544)",
          "load p/k1.in 136: input [136, 272) -> p/k1.in [0, 136)",
          "start p/k1 55: p/k1.w [0, 544) p/k1.in [0, 136) p/k0.out [0, 4) -> p/k0.out [0, 4)",
          "load p/k2.w 512: p.weights [1088, 1600) -> p/k2.w [0, 512)",
          "load p/k2.in 128: input [272, 400) -> p/k2.in [0, 128)",
          "start p/k2 52: p/k2.w [0, 512) p/k2.in [0, 128) p/k0.out [0, 4) -> p/k0.out [0, 4)",
          "store p/k2.out 4: p/k0.out [0, 4) -> p.out.xram [0, 4)",
      }));
}

TEST(LoweredConvolution, RowsAreCutWithTheirHaloLoadedTwice) {
  // 6 x 6 x 4 to 6 x 6 x 4 by 3 x 3: a line is 24 bytes, and the kernel 144.
  Network network;
  network.layers = {MakeImage("c", kNetworkInput, {4, 4, 3, 1, 1, 6, 6})};
  LoweringOptions options;
  options.budgets = {{0, 35}};  // 4 + 144 + 5 * 24 + 3 * 24 = 340 bytes
  EXPECT_EQ(Words(Lower(network, options).stream),
            (std::vector<std::string>{
                "load c/r0.w 144: c.weights [0, 144) -> c/r0.w [0, 144)",
                "load c/r0.in 96: input [0, 96) -> c/r0.in [0, 96)",
                "start c/r0 260: c/r0.w [0, 144) c/r0.in [0, 96) -> c/r0.out [0, 72)",
                "store c/r0.out 72: c/r0.out [0, 72) -> c.out.xram [0, 72)",
                "load c/r1.in 96: input [48, 144) -> c/r1.in [0, 96)",
                "start c/r1 260: c/r0.w [0, 144) c/r1.in [0, 96) -> c/r1.out [0, 72)",
                "store c/r1.out 72: c/r1.out [0, 72) -> c.out.xram [72, 144)",
            }));
  // Lines 2 and 3.
  EXPECT_EQ(Lower(network, options).layers[0].again_bytes, 48u);
}

TEST(LoweredAttention, ItsStateComesInChunksAfterWhatAStepAdds) {
  Network network;
  network.layers = {MakeMatmul("k", kNetworkInput, 1, 20, 4),
                    MakeMatmul("q", kNetworkInput, 1, 20, 4),
                    MakeStateWrite("write", {0}, {20}, "kv", 1000, 20),
                    MakeLayer("attend", "attention", {1, 2}, {20, 0}, 20)};
  network.layers[3].state = {"kv", 1000, 900, 0};
  network.layers[3].macs = 9000;
  LoweringOptions options;
  options.budgets = {{3, 50}};  // 4 + 450 + 20 + 20 bytes
  const std::vector<std::string> words = Words(Lower(network, options).stream);
  const std::vector<std::string> expected = {
      "store write 20: k.out [0, 20) -> kv [980, 1000)",
      "load attend/c0.state 450: kv [100, 550) -> attend/c0.state [0, 450)",
      "start attend/c0 450: q.out [0, 20) attend/c0.state [0, 450) -> attend/c0.out [0, 20)",
      "load attend/c1.state 450: kv [550, 1000) -> attend/c1.state [0, 450)",
      "start attend/c1 450: q.out [0, 20) attend/c1.state [0, 450) attend/c0.out [0, 20) -> "
      "attend/c0.out [0, 20)",
      "store attend/c1.out 20: attend/c0.out [0, 20) -> attend.out.xram [0, 20)",
  };
  ASSERT_GE(words.size(), expected.size());
  EXPECT_EQ(std::vector<std::string>(words.end() - expected.size(), words.end()), expected);
}

TEST(LoweredAttention, RunsOfRowsGoFromChunkToChunkTogetherWhereProgramsTakeLongerThanLoads) {
  // 4 rows of 20 bytes against 1,200 that do not fit. Two runs of rows: 4 + 2 * (40 + 40) + 600.
  Network network;
  network.layers = {MakeMatmul("q", kNetworkInput, 4, 20, 5),
                    MakeLayer("a", "attention", {0, kNetworkInput}, {80, 1200}, 80)};
  network.layers[1].macs = 40000;  // 4,000 cycles, more than all loads take
  LoweringOptions options;
  options.resident_percent = 0;
  const LoweredNetwork lowered = Lower(network, options);
  const LoweredLayer& layer = lowered.layers[1];
  EXPECT_EQ(layer.row_tiles, 2u);
  EXPECT_EQ(layer.chunks, 2u);
  EXPECT_EQ(layer.abreast, 2u);
  EXPECT_EQ(layer.tile_bytes, 4u + 80 + 80 + 600);
  EXPECT_EQ(layer.input_bytes, 80u + 1200);  // each chunk once for both
  std::vector<std::string> words = Words(lowered.stream);
  for (std::string& word : words) word = word.substr(0, word.find(':'));
  const std::vector<std::string> of_a(std::find(words.begin(), words.end(), "load a/r0/c0.in0 40"),
                                      words.end());
  EXPECT_EQ(of_a, (std::vector<std::string>{
                      "load a/r0/c0.in0 40", "load a/r0/c0.in1 600", "start a/r0/c0 1000",
                      "load a/r1/c0.in0 40", "start a/r1/c0 1000",  //
                      "load a/r0/c1.in1 600", "start a/r0/c1 1000", "store a/r0/c1.out 40",
                      "start a/r1/c1 1000", "store a/r1/c1.out 40"}));
  // Where loads take longer, one program less a chunk is worth more.
  network.layers[1].macs = 4000;
  EXPECT_EQ(Lower(network, options).layers[1].abreast, 1u);
}

TEST(LoweredState, WhatIsTooLargeForLramGoesToTheStateInChunks) {
  Network network;
  network.layers = {MakeStateWrite("write", {kNetworkInput}, {1500}, "kv", 2000, 1500)};
  LoweringOptions options;
  options.strategy = TilingStrategy::kNone;
  EXPECT_EQ(Words(Lower(network, options).stream),
            (std::vector<std::string>{
                "load write/c0.in 750: input [0, 750) -> write/c0.in [0, 750)",
                "store write/c0 750: write/c0.in [0, 750) -> kv [500, 1250)",
                "load write/c1.in 750: input [750, 1500) -> write/c1.in [0, 750)",
                "store write/c1 750: write/c1.in [0, 750) -> kv [1250, 2000)",
            }));
}

TEST(LoweredElementwise, ItsTimeGoesByTheBytesThatItTouches) {
  Network network;
  network.layers = {MakeLayer("relu", "elementwise", {kNetworkInput}, {100}, 100)};
  EXPECT_EQ(Words(Lower(network, LoweringOptions()).stream),
            (std::vector<std::string>{
                "load relu.in 100: input [0, 100) -> relu.in [0, 100)",
                "start relu 100: relu.in [0, 100) -> relu.out [0, 100)",
                "store relu.out 100: relu.out [0, 100) -> relu.out.xram [0, 100)",
            }));
}

TEST(LoweredBlocks, AReaderOfGroupsReadsThemOutOfItsProducersRunsOfColumns) {
  // 2 x 40 in runs of 16, 16 and 8 columns, at bytes 0, 32 and 64. The first of two groups needs
  // columns 0 to 19 of both rows: all of the first run, 4 of 16 columns of the second.
  Network network;
  network.layers = {MakeMatmul("a", kNetworkInput, 2, 40, 8), MakeMatmul("b", 0, 2, 8, 20)};
  network.layers[1].input_bytes = {80};
  LoweringOptions options;
  options.resident_percent = 0;
  options.budgets = {{0, 20}, {1, 14}};  // a: 4 + 16 + 16 * 8 + 2 * 16; b: 4 + 40 + 4 * 20 + 2 * 4
  const std::vector<std::string> words = Words(Lower(network, options).stream);
  std::string loads;
  for (const std::string& word : words) {
    if (absl::StrContains(word, "load b/") && absl::StrContains(word, ".in ")) {
      absl::StrAppend(&loads, word, "\n");
    }
  }
  EXPECT_EQ(loads,
            "load b/n0.in 40: a.out.xram [0, 36) a.out.xram [48, 52) -> b/n0.in "
            "[0, 40)\n"
            "load b/n1.in 40: a.out.xram [36, 48) a.out.xram [52, 80) -> b/n1.in [0, 40)\n");
}

// 300 bytes that would stay beside layer 1 until layer 2 reads them.
Network StaysBeside(NetworkLayer between) {
  Network network;
  network.layers = {MakeMatmul("a", kNetworkInput, 1, 300, 2), std::move(between)};
  const uint64_t bytes = *network.layers[1].output_bytes;
  network.layers.push_back(MakeLayer("both", "concat", {0, 1}, {300, bytes}, 300 + bytes));
  return network;
}

TEST(LoweredNetwork, AnActivationStaysBesideALayerThatFits) {
  // 300 and 4 + 340 + 340.
  const LoweredNetwork lowered =
      Lower(StaysBeside(MakeLayer("norm", "norm", {kNetworkInput}, {340}, 340)), LoweringOptions());
  EXPECT_TRUE(lowered.layers[0].output_resident);
}

TEST(LoweredNetwork, AnActivationLeavesWhereALayerWouldNotFitBesideIt) {
  // 300 and 4 + 350 + 350.
  const LoweredNetwork lowered =
      Lower(StaysBeside(MakeLayer("norm", "norm", {kNetworkInput}, {350}, 350)), LoweringOptions());
  EXPECT_FALSE(lowered.layers[0].output_resident);
}

TEST(LoweredNetwork, AnActivationLeavesWhereAProductsRowsWouldBeCutBesideIt) {
  // 10 rows of 60 and four columns: 4 + 600 + 240 + 40 bytes fit LRAM, but not with 300.
  const LoweredNetwork lowered =
      Lower(StaysBeside(MakeMatmul("p", kNetworkInput, 10, 8, 60)), LoweringOptions());
  EXPECT_FALSE(lowered.layers[0].output_resident);
  EXPECT_EQ(lowered.layers[1].row_tiles, 1u);
  EXPECT_EQ(lowered.layers[1].n_tiles, 2u);
}

TEST(LoweredNetwork, AProductsOwnOutputLeavesWhereItsRowsWouldBeCutBesideIt) {
  // 10 rows of 40, four columns: 4 + 400 + 160 + 40 bytes fit LRAM, but not with all 560 outputs.
  Network network;
  network.layers = {MakeMatmul("a", kNetworkInput, 10, 56, 40),
                    MakeLayer("b", "elementwise", {0}, {560}, 560)};
  LoweringOptions options;
  options.resident_percent = 60;
  const LoweredNetwork lowered = Lower(network, options);
  EXPECT_EQ(lowered.layers[0].reason, BudgetReason::kRowsStayWhole);
  EXPECT_EQ(lowered.layers[0].row_tiles, 1u);
  EXPECT_EQ(lowered.layers[0].input_bytes, 400u);
  EXPECT_FALSE(lowered.layers[0].output_resident);
}

TEST(LoweredNetwork, AProductsInputStaysWhereItsLeavingWouldMakeNoRoomForRows) {
  // 4 + 600 + 240 + 40 bytes with all rows of the input, resident or not; 390 of output are too
  // many, even with the fewest sums.
  Network network;
  network.layers = {MakeLayer("x", "elementwise", {kNetworkInput}, {600}, 600),
                    MakeMatmul("a", 0, 10, 39, 60), MakeLayer("b", "elementwise", {1}, {390}, 390)};
  LoweringOptions options;
  options.resident_percent = 100;
  const LoweredNetwork lowered = Lower(network, options);
  EXPECT_TRUE(lowered.layers[0].output_resident);
  EXPECT_FALSE(lowered.layers[1].output_resident);
  EXPECT_EQ(lowered.layers[1].row_tiles, 1u);
}

TEST(LoweredNetwork, RowsStayWholeBesideAResidentOutputInAllOfLramRatherThanCutInTheBudget) {
  // 4 + 150 + 60 + 40 bytes are within 400, with all 290 outputs beside them they are not.
  Network network;
  network.layers = {MakeMatmul("a", kNetworkInput, 10, 29, 15),
                    MakeLayer("b", "elementwise", {0}, {290}, 290),
                    MakeMatmul("c", kNetworkInput, 1, 100, 10)};
  const LoweredNetwork lowered = Lower(network, LoweringOptions());
  EXPECT_EQ(lowered.layers[0].reason, BudgetReason::kContractionPercent);
  EXPECT_EQ(lowered.layers[0].budget_bytes, 400u);
  EXPECT_TRUE(lowered.layers[0].output_resident);
  EXPECT_EQ(lowered.layers[0].row_tiles, 1u);
}

TEST(LoweredProduct, SumsAreCutWhereItsOwnBudgetHoldsNoOtherTile) {
  // 4 columns of all 200 sums take 4 + 200 + 800 + 4; 40 % of LRAM hold 4 + 76 + 304 + 4 of 76
  // sums.
  Network network;
  network.layers = {MakeMatmul("p", kNetworkInput, 1, 8, 200)};
  LoweringOptions options;
  options.budgets = {{0, 40, {}}};
  const LoweredNetwork lowered = Lower(network, options);
  EXPECT_LE(lowered.layers[0].tile_bytes, 400u);
  EXPECT_GT(lowered.layers[0].k_tiles, 1u);
}

TEST(LoweredNetwork, AnOutputStaysOrLeavesAsItsBudgetSaysAsFarAsItCan) {
  const Network fits = StaysBeside(MakeLayer("norm", "norm", {kNetworkInput}, {340}, 340));
  LoweringOptions options;
  options.budgets = {{0, 0, false}};
  const LoweredNetwork leaves = Lower(fits, options);
  EXPECT_FALSE(leaves.layers[0].output_resident);
  EXPECT_EQ(leaves.layers[0].stored_bytes, 300u);
  // The budget itself is the rules': constants fit.
  EXPECT_FALSE(leaves.layers[0].own_budget);
  EXPECT_EQ(leaves.layers[0].budget_bytes, 1000u);

  options.resident_percent = 0;
  options.budgets = {{0, 50, true}, {1, 0, true}, {2, 0, true}};
  const LoweredNetwork stays = Lower(fits, options);
  EXPECT_TRUE(stays.layers[0].output_resident);
  EXPECT_TRUE(stays.layers[0].own_budget);
  EXPECT_EQ(stays.layers[0].budget_bytes, 500u);
  // 300 + 4 + 340 + 340 bytes, then 300 + 340 + 640: it leaves for want of room, as does the next.
  // The last is what the network gives.
  EXPECT_FALSE(stays.layers[2].output_resident);
  EXPECT_EQ(stays.layers[2].stored_bytes, 640u);

  const Network wide = StaysBeside(MakeLayer("norm", "norm", {kNetworkInput}, {350}, 350));
  EXPECT_FALSE(Lower(wide, options).layers[0].output_resident);
}

TEST(LoweredNetwork, ConstantsOfSeveralLayersCountOnceWhereverTheirOwnerIs) {
  Network network;
  network.layers = {MakeMatmul("owner", kNetworkInput, 1, 8, 8), MakeMatmul("other", 0, 1, 8, 8),
                    MakeMatmul("tied", 1, 1, 8, 8), MakeMatmul("again", 2, 1, 8, 8)};
  network.layers[0].scale_bytes = 6;
  network.layers[2].tied_to = network.layers[3].tied_to = "owner";
  EXPECT_EQ(Lower(network, LoweringOptions()).constant_bytes, 64u + 6 + 64);
  LoweringOptions options;
  options.first_layer = 2;
  EXPECT_EQ(Lower(network, options).constant_bytes, 64u + 6);
  options.first_layer = 1;
  options.layer_count = 1;
  EXPECT_EQ(Lower(network, options).constant_bytes, 64u);
}

// A product whose output stays, a norm of it, a writer of a state, an attention, and a product with
// columns in two runs.
Network Sound() {
  Network network;
  network.name = "sound";
  network.layers = {
      MakeMatmul("a", kNetworkInput, 2, 16, 8), MakeLayer("norm", "norm", {0}, {32}, 32),
      MakeStateWrite("write", {1}, {32}, "kv", 64, 32),
      MakeLayer("attend", "attention", {1, 2}, {32, 0}, 32), MakeMatmul("b", 3, 2, 16, 16)};
  network.layers[1].weight_bytes = 16;
  network.layers[3].state = {"kv", 64, 64, 0};
  network.layers[3].macs = 128;
  return network;
}

LoweringOptions SoundOptions(uint32_t resident_percent) {
  LoweringOptions options;
  options.resident_percent = resident_percent;
  options.budgets = {{4, 20}};
  return options;
}

struct Damage {
  const char* op;     // that is changed
  const char* where;  // the buffer whose access is
  std::function<void(AccessSpec*)> change;
  const char* message;
};

// The same stream with one access changed. Names stay views of the original's.
Stream Damaged(const Stream& stream, const Damage& damage) {
  StreamBuilder builder(stream.name());
  for (uint32_t b = 0; b < stream.buffer_count(); ++b) {
    builder.AddBuffer(stream.buffer(BufferIndex(b)), stream.buffer_name(BufferIndex(b)));
  }
  int changed = 0;
  for (uint32_t o = 0; o < stream.op_count(); ++o) {
    const OpIndex index(o);
    const Op& op = stream.op(index);
    OpSpec spec;
    spec.kind = op.kind;
    spec.name = stream.op_name(index);
    spec.cycles = op.cycles;
    if (op.alloc.present()) spec.alloc = op.alloc.value();
    if (op.kind == OpKind::kWait) spec.start = op.partner.value();
    builder.BeginOp(spec);
    for (const OpIndex operand : stream.operands(index)) builder.AddOperand(operand.value());
    for (const Access& a : stream.accesses(index)) {
      AccessSpec access = {a.buffer.value(), a.reads, a.writes, a.begin, a.end - a.begin};
      if (spec.name == damage.op && stream.buffer_name(a.buffer) == damage.where) {
        damage.change(&access);
        ++changed;
      }
      builder.AddAccess(access);
    }
    builder.EndOp();
  }
  EXPECT_EQ(changed, 1) << damage.op << " " << damage.where;
  absl::StatusOr<Stream> built = std::move(builder).Build();
  EXPECT_TRUE(built.ok()) << built.status();
  return built.ok() ? *std::move(built) : Stream();
}

TEST(CheckLowering, RejectsEachOfManyDamages) {
  const auto half = [](AccessSpec* a) { a->size = *a->size / 2; };
  const auto last_byte = [](AccessSpec* a) { a->size = *a->size - 1; };
  const Damage damages[] = {
      {"load a.w", "a.weights", half, "layer 0 'a': op 4 'load a.w' reads 64 bytes and writes 128"},
      {"load a.w", "a.w", half, "reads bytes of buffer 4 'a.w' that nobody has written"},
      {"load a.in", "a.in", last_byte, "reads bytes of buffer 6 'a.in' that nobody has written"},
      {"load b/n1.w", "b.weights", [](AccessSpec* a) { a->offset = 0; },
       "layer 4 'b': loads 128 bytes of its 256 of weights"},
      {"start norm", "norm.out", half, "layer 1 'norm': makes 16 bytes of its output"},
      {"store b/n1.out", "b.out.xram", [](AccessSpec* a) { a->offset = 0; },
       "layer 4 'b': makes 16 bytes of its output"},
      {"store write", "kv", half, "layer 2 'write': its sums are not those of its ops"},
      {"load attend.state", "kv", last_byte,
       "layer 3 'attend': op 21 'load attend.state' reads 63 bytes and writes 64"},
      {"start norm", "a.out", [](AccessSpec* a) { a->buffer = 4; },
       "layer 1 'norm': reads nothing of layer 0 'a'"},
  };
  const Network network = Sound();
  const LoweringOptions options = SoundOptions(100);
  LoweredNetwork lowered = Lower(network, options);
  ASSERT_TRUE(lowered.layers[1].output_resident);
  for (const Damage& damage : damages) {
    SCOPED_TRACE(absl::StrCat(damage.op, " ", damage.where));
    Stream sound = std::move(lowered.stream);
    lowered.stream = Damaged(sound, damage);
    const absl::Status status = CheckLowering(network, lowered);
    EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
    EXPECT_TRUE(absl::StrContains(status.message(), damage.message)) << status;
    // The second look sees it, too.
    EXPECT_NE(LoweringFaults(network, SmallChip(), SmallNumbers(), options, lowered), "");
    lowered.stream = std::move(sound);
  }
}

TEST(CheckLowering, RejectsSumsThatAreNotThoseOfTheOps) {
  const std::pair<const char*, std::function<void(LoweredLayer*)>> changes[] = {
      {"layer 0 'a': 255 macs; the table says 256", [](LoweredLayer* l) { --l->macs; }},
      {"layer 0 'a': its sums are not those of its ops", [](LoweredLayer* l) { ++l->programs; }},
      {"layer 0 'a': its sums are not those of its ops",
       [](LoweredLayer* l) { ++l->weight_bytes; }},
      {"layer 0 'a': its sums are not those of its ops",
       [](LoweredLayer* l) { ++l->stored_bytes; }},
      {"layer 1: its ops do not follow the last one's", [](LoweredLayer* l) { ++l->end_op; }},
      {"layer 99: its ops do not follow the last one's", [](LoweredLayer* l) { l->layer = 99; }},
  };
  const Network network = Sound();
  for (const auto& [message, change] : changes) {
    LoweredNetwork lowered = Lower(network, SoundOptions(0));
    change(&lowered.layers[0]);
    const absl::Status status = CheckLowering(network, lowered);
    EXPECT_EQ(status.code(), absl::StatusCode::kInternal) << message;
    EXPECT_TRUE(absl::StrContains(status.message(), message)) << status;
  }
}

TEST(CheckLowering, RejectsOpsOfNoLayer) {
  const Network network = Sound();
  LoweredNetwork lowered = Lower(network, SoundOptions(0));
  lowered.layers.pop_back();
  EXPECT_EQ(std::string(CheckLowering(network, lowered).message()), "lowering: ops of no layer");
}

}  // namespace
}  // namespace torqsched
