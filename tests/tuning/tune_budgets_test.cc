#include "src/tuning/tune_budgets.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "src/hardware/hardware.h"
#include "src/lowering/lower.h"
#include "src/schedule/schedule_stream.h"
#include "src/stream/error.h"
#include "tests/lowering/random_tables.h"
#include "tests/lowering/tables.h"
#include "tests/network/network_json.h"

namespace torqsched {
namespace {

// 1,300 bytes of LRAM, a byte a cycle, one slice, starts for nothing.
Hardware SmallChip() {
  Hardware chip = *ProfileNamed("sl2610");
  chip.lram_bytes = 1300;
  chip.lram_reserved_bytes = 0;
  chip.alignment = 1;
  chip.slices = 1;
  chip.start_cycles = 0;
  chip.dma_bytes = chip.dma_cycles = 1;
  return chip;
}

// A mac a cycle, 4 bytes of code.
LoweringNumbers SmallNumbers() {
  LoweringNumbers numbers;
  numbers.granule = 4;
  numbers.int8_macs_per_cycle = 1;
  numbers.elementwise_bytes_per_cycle = 4;
  numbers.least_program_cycles = 1;
  numbers.code_buffer_bytes = 4;
  return numbers;
}

struct Scene {
  Network network;
  Hardware hardware = SmallChip();
  LoweringNumbers numbers = SmallNumbers();
  TuningOptions options;
};

TunedBudgets Tune(const Scene& scene, const CallEnvironment& environment = {}) {
  absl::StatusOr<TunedBudgets> tuned =
      TuneBudgets(scene.network, scene.hardware, scene.numbers, scene.options, environment);
  EXPECT_TRUE(tuned.ok()) << tuned.status();
  return tuned.ok() ? *std::move(tuned) : TunedBudgets();
}

// What a lowering takes, asked of the scheduler again; absent: it is not placed.
std::optional<uint64_t> Price(const Scene& scene, const LoweringOptions& lowering) {
  const auto lowered = LowerNetwork(scene.network, scene.hardware, scene.numbers, lowering);
  EXPECT_TRUE(lowered.ok()) << lowered.status();
  if (!lowered.ok()) return std::nullopt;
  const auto answer = ScheduleStream(lowered->stream, scene.hardware, scene.options.schedule, {});
  EXPECT_TRUE(answer.ok()) << answer.status();
  if (!answer.ok() || !answer->placement.placed) return std::nullopt;
  return answer->placement.makespan;
}

std::string Text(const LoweringOptions& o) {
  std::string text = absl::StrCat("loops ", o.loop_percent, " contractions ", o.contraction_percent,
                                  " resident ", o.resident_percent);
  for (const LayerBudget& b : o.budgets) {
    absl::StrAppend(&text, " ", b.layer, ":", b.percent);
    if (b.output_stays.has_value()) absl::StrAppend(&text, *b.output_stays ? " stays" : " leaves");
  }
  return text;
}

std::string Text(const TunedBudgets& t) {
  return absl::StrCat(t.first.makespan.value_or(0), " to ", t.best.makespan.value_or(0), " by ",
                      Text(t.best.lowering), " in ", t.trials, " trials, ", t.groups, " groups",
                      t.limit_reached ? ", limit" : "");
}

// 1 x 40 x 24: 960 bytes of weights, 960 macs.
Scene OneProduct() {
  Scene scene;
  scene.network.name = "product";
  scene.network.layers = {MakeMatmul("p", kNetworkInput, 1, 24, 40)};
  return scene;
}

TEST(TuneBudgets, SmallerTilesWinWhereTheNextWeightsLoadWhileOneComputes) {
  const Scene scene = OneProduct();
  const TunedBudgets tuned = Tune(scene);
  // The weights fit: one tile. Code, weights and input are loaded, then it computes, then stores.
  EXPECT_EQ(tuned.first.makespan, 4u + 960 + 40 + 960 + 24);
  // Six tiles of 4 columns: all is loaded, 40 + 6 * (4 + 160), then the last computes, 160, and
  // stores 4; while the others compute, the next loads. Their stores, 4 each, come between. Tiles
  // of 8 columns would take 40 + 3 * (4 + 320) + 320 + 8.
  ASSERT_TRUE(tuned.best.makespan.has_value());
  EXPECT_GE(*tuned.best.makespan, 40u + 6 * 164 + 160 + 4);
  EXPECT_LE(*tuned.best.makespan, 40u + 6 * 164 + 160 + 4 + 5 * 4);
  const auto lowered =
      LowerNetwork(scene.network, scene.hardware, scene.numbers, tuned.best.lowering);
  ASSERT_TRUE(lowered.ok());
  EXPECT_EQ(lowered->layers[0].n_tiles, 6u);
  EXPECT_TRUE(lowered->layers[0].own_budget);
  EXPECT_FALSE(tuned.limit_reached);
  EXPECT_FALSE(tuned.cancelled);
}

TEST(TuneBudgets, OneTileStaysWhereLoadsAreNothingBesideCode) {
  Scene scene = OneProduct();
  // Each program loads 300 bytes of code, more than what two of them would overlap.
  scene.numbers.code_buffer_bytes = 250;
  scene.numbers.int8_macs_per_cycle = 16;
  const TunedBudgets tuned = Tune(scene);
  // 60 cycles of computing can be hidden at most, for 250 each program more.
  EXPECT_EQ(tuned.first.makespan, 250u + 960 + 40 + 60 + 24);
  EXPECT_EQ(tuned.best.makespan, tuned.first.makespan);
  EXPECT_EQ(Text(tuned.best.lowering), Text(LoweringOptions()));
}

// Products that are alike, with two others among them. As nothing is said to schedule, each has all
// of LRAM unless it has a budget of its own, and is one tile beside which the next does not fit.
Scene AlikeProducts() {
  Scene scene;
  scene.network.name = "alike";
  scene.hardware.lram_bytes = 2000;
  scene.options.lowering.strategy = TilingStrategy::kNone;
  for (int32_t i = 0; i < 6; ++i) {
    const bool odd = i == 3;
    scene.network.layers.push_back(MakeMatmul("", i - 1, 1, odd ? 20 : 40, i == 4 ? 20 : 40));
  }
  return scene;
}

TEST(TuneBudgets, LayersThatAreAlikeHaveOneBudgetAndAreDecidedOnce) {
  const Scene scene = AlikeProducts();
  const TunedBudgets tuned = Tune(scene);
  // 0, 1, 2 and 5; 3; 4.
  EXPECT_EQ(tuned.groups, 3u);
  EXPECT_LT(*tuned.best.makespan, *tuned.first.makespan) << Text(tuned);
  std::map<uint32_t, uint32_t> percents;
  for (const LayerBudget& budget : tuned.best.lowering.budgets) {
    percents[budget.layer] = budget.percent;
  }
  ASSERT_EQ(percents.count(0), 1u) << Text(tuned);
  for (const uint32_t layer : {1u, 2u, 5u}) {
    ASSERT_EQ(percents.count(layer), 1u) << Text(tuned);
    EXPECT_EQ(percents[layer], percents[0]) << Text(tuned);
  }
  // At most the first, 6 + 10 + 10 shares for all alike, and in each of 4 rounds, twice, 10 and 2 a
  // group and 6.
  EXPECT_LE(tuned.trials, 1u + 26 + 2 * 4 * (3 * 12 + 6));
}

TEST(TuneBudgets, AsManyTrialsAsAreAllowedAndEightTimesAsManyLowerings) {
  Scene scene = AlikeProducts();
  for (const uint64_t most : {1, 2, 5, 10}) {
    scene.options.most_trials = most;
    uint64_t lowerings = 1;  // the first is not asked about
    CallEnvironment environment;
    environment.progress = [&](uint32_t, std::optional<uint64_t>) {
      ++lowerings;
      return false;
    };
    const TunedBudgets tuned = Tune(scene, environment);
    EXPECT_LE(tuned.trials, most);
    EXPECT_LE(lowerings, 8 * most);
    EXPECT_TRUE(tuned.trials == most || lowerings == 8 * most);
    EXPECT_TRUE(tuned.limit_reached);
    EXPECT_LE(*tuned.best.makespan, *tuned.first.makespan);
  }
}

TEST(TuneBudgets, ALoweringThatWasTriedIsNotScheduledAgain) {
  // One program whatever the budget: its 100 bytes fit the least share, and nothing can stay.
  Scene scene;
  scene.network.layers = {MakeMatmul("p", kNetworkInput, 1, 4, 4)};
  const TunedBudgets tuned = Tune(scene);
  EXPECT_EQ(tuned.trials, 1u);
  EXPECT_FALSE(tuned.limit_reached);
}

// Nothing may stay by share. Of "y" 1,000 bytes are read by the next layer, and nothing is in the
// way.
TEST(TuneBudgets, AnOutputStaysInLramWhereThatEarnsSomething) {
  Scene scene;
  scene.network.name = "x and y";
  scene.network.layers = {MakeLayer("x", "elementwise", {kNetworkInput}, {500}, 500),
                          MakeMatmul("b", kNetworkInput, 1, 24, 400),
                          MakeLayer("c", "concat", {0, 1}, {500, 24}, 524),
                          MakeLayer("y", "elementwise", {kNetworkInput}, {1000}, 1000),
                          MakeLayer("z", "elementwise", {3}, {1000}, 1000)};
  scene.hardware.lram_bytes = 3700;
  scene.options.lowering.resident_percent = 0;
  const TunedBudgets tuned = Tune(scene);
  const auto lowered =
      LowerNetwork(scene.network, scene.hardware, scene.numbers, tuned.best.lowering);
  ASSERT_TRUE(lowered.ok());
  EXPECT_TRUE(lowered->layers[3].output_resident) << Text(tuned);
  // Neither stored nor loaded again; the stream is nearly all that takes time.
  EXPECT_LE(*tuned.best.makespan + 1500, *tuned.first.makespan) << Text(tuned);
}

TEST(TuneBudgets, NoTrialBeginsOnceItsOpsAreSpent) {
  Scene scene = AlikeProducts();
  const auto first =
      LowerNetwork(scene.network, scene.hardware, scene.numbers, scene.options.lowering);
  ASSERT_TRUE(first.ok());
  scene.options.most_ops = first->stream.op_count();
  EXPECT_EQ(Tune(scene).trials, 1u);
  EXPECT_TRUE(Tune(scene).limit_reached);
  scene.options.most_ops = first->stream.op_count() + 1;
  EXPECT_EQ(Tune(scene).trials, 2u);
}

TEST(TuneBudgets, ProgressStopsItAndTheBestSoFarIsTheAnswer) {
  const Scene scene = AlikeProducts();
  int calls = 0;
  uint32_t last = 0;
  CallEnvironment environment;
  environment.progress = [&](uint32_t permille, std::optional<uint64_t> best) {
    EXPECT_GE(permille, last);
    EXPECT_LT(permille, 1000u);
    EXPECT_TRUE(best.has_value());
    last = permille;
    return ++calls == 7;
  };
  const TunedBudgets tuned = Tune(scene, environment);
  EXPECT_EQ(calls, 7);
  EXPECT_GE(tuned.trials, 2u);
  EXPECT_LE(tuned.trials, 8u);  // the first is not asked about
  EXPECT_TRUE(tuned.cancelled);
  EXPECT_FALSE(tuned.limit_reached);
  EXPECT_EQ(Price(scene, tuned.best.lowering), tuned.best.makespan);
}

TEST(TuneBudgets, WhatTheDefaultGetsWrongIsTheCallsError) {
  Scene scene = OneProduct();
  scene.network.layers[0].macs = 0;
  absl::Status status =
      TuneBudgets(scene.network, scene.hardware, scene.numbers, scene.options, {}).status();
  EXPECT_EQ(PlaceOf(status).field, "network.layers[0].macs");
  scene = OneProduct();
  scene.options.schedule.candidates = 0;
  status = TuneBudgets(scene.network, scene.hardware, scene.numbers, scene.options, {}).status();
  EXPECT_EQ(PlaceOf(status).field, "options.candidates");
}

TEST(TuneBudgets, OfRandomTablesNeverSlowerThanTheDefaultAndTwiceTheSame) {
  uint64_t better = 0, tuned_count = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    const RandomTable table = MakeRandomTable(seed);
    Scene scene;
    scene.network = table.network;
    scene.hardware = table.hardware;
    scene.numbers = table.numbers;
    scene.options.lowering = table.options;
    scene.options.most_trials = 40;
    const auto lowered = LowerNetwork(scene.network, scene.hardware, scene.numbers, table.options);
    if (!lowered.ok()) continue;
    const TunedBudgets tuned = Tune(scene);
    ++tuned_count;
    EXPECT_EQ(Price(scene, table.options), tuned.first.makespan) << "seed " << seed;
    EXPECT_EQ(Price(scene, tuned.best.lowering), tuned.best.makespan) << "seed " << seed;
    if (tuned.first.makespan.has_value()) {
      EXPECT_LE(*tuned.best.makespan, *tuned.first.makespan) << "seed " << seed;
      better += *tuned.best.makespan < *tuned.first.makespan;
    }
    EXPECT_EQ(Text(Tune(scene)), Text(tuned)) << "seed " << seed;
    // What is not tuned is as it was.
    EXPECT_EQ(tuned.best.lowering.first_layer, table.options.first_layer);
    EXPECT_EQ(tuned.best.lowering.layer_count, table.options.layer_count);
    EXPECT_EQ(tuned.best.lowering.strategy, table.options.strategy);
  }
  EXPECT_GT(tuned_count, 45u);
  EXPECT_GT(better, tuned_count / 4);
}

TEST(TuneBudgets, OfRealTablesNeverSlowerThanTheDefault) {
  for (const char* name : {"mobilenet_v2_int8", "whisper_tiny_decoder_step_wint8_aint8"}) {
    const absl::StatusOr<NetworkTable> table =
        LoadNetwork(absl::StrCat("testdata/networks/", name, ".json"));
    ASSERT_TRUE(table.ok()) << table.status();
    Scene scene;
    scene.network = table->network;
    scene.hardware = *ProfileNamed("sl2610");
    scene.numbers = LoweringNumbers();
    scene.options.most_trials = 60;
    const TunedBudgets tuned = Tune(scene);
    ASSERT_TRUE(tuned.first.makespan.has_value());
    EXPECT_LE(*tuned.best.makespan, *tuned.first.makespan) << name << ": " << Text(tuned);
    EXPECT_EQ(Price(scene, LoweringOptions()), tuned.first.makespan) << name;
    EXPECT_EQ(Price(scene, tuned.best.lowering), tuned.best.makespan) << name;
  }
}

}  // namespace
}  // namespace torqsched
