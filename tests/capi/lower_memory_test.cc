// The estimates of torqsched.h for tile budgets and for a lowering, against what calls take.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>

#include "gtest/gtest.h"
#include "tests/capi/calls.h"
#include "tests/capi/counting_heap.h"
#include "tests/capi/lower_requests.h"

namespace torqsched {
namespace testing {
namespace {

uint64_t Count(int items) { return static_cast<uint64_t>(items); }

// ---- What torqsched.h says ----

uint64_t Estimate(const v1::PlanTilesRequest& request, size_t request_size) {
  return 4 * request_size + 1024 * (Count(request.loops_size()) + 2);
}

uint64_t Estimate(const v1::LowerRequest& request, size_t request_size) {
  uint64_t bytes = 4 * request_size + 8192 * Count(request.network().layers_size()) +
                   32 * Count(request.options().budgets_size());
  const v1::ScheduleOptions& schedule = request.options().tuning().schedule();
  if (schedule.strategy() == v1::STRATEGY_OPTIMIZE) bytes += 67108864 + 16 * schedule.work_limit();
  for (const v1::NetworkLayer& layer : request.network().layers()) {
    bytes += 384 * Count(layer.inputs_size()) + 32 * Count(layer.input_bytes_each_size());
  }
  return bytes;
}

// Of a session whose limit lets a lowering have so many programs.
constexpr uint64_t kPerProgram = 16384;
constexpr uint64_t kPerSearchedProgram = 24576;  // where strategy OPTIMIZE tunes

void Expect(const std::string& scene, uint64_t peak, uint64_t estimate, uint64_t items) {
  std::printf("%s: %llu bytes of an estimated %llu (%llu %%); %llu each\n", scene.c_str(),
              static_cast<unsigned long long>(peak), static_cast<unsigned long long>(estimate),
              static_cast<unsigned long long>(100 * estimate / peak),
              static_cast<unsigned long long>(peak / std::max<uint64_t>(items, 1)));
  EXPECT_LE(peak, estimate) << scene;
  // A large call that is refused should be one that would have been large.
  if (peak > 10000000) {
    EXPECT_LT(estimate, 10 * peak) << scene;
  }
}

// ---- Tile budgets ----

void ExpectWithinEstimate(const std::string& scene, const v1::PlanTilesRequest& request) {
  const std::string bytes = request.SerializeAsString();
  Expect(scene, Peak(kPlanTiles, bytes), Estimate(request, bytes.size()),
         Count(request.loops_size()));
}

TEST(TilingMemory, Loops) {
  for (uint32_t loops = 0; loops < 40; ++loops) {
    ExpectWithinEstimate("few loops", RandomTiles(loops, loops));
  }
  for (uint64_t seed = 0; seed < 4; ++seed) ExpectWithinEstimate("loops", RandomTiles(seed, 20000));
  v1::PlanTilesRequest request;
  for (int i = 0; i < 100000; ++i) request.add_loops();
  ExpectWithinEstimate("loops of nothing", request);
}

// Each has three tiles in its answer.
TEST(TilingMemory, LoopsWithAllThatThereCanBe) {
  v1::PlanTilesRequest request;
  request.set_constant_bytes(1 << 20);
  for (int i = 0; i < 30000; ++i) {
    v1::TileLoop* const loop = request.add_loops();
    loop->set_contraction(true);
    loop->mutable_shape()->set_m(128);
    loop->mutable_shape()->set_n(uint64_t{1} << 40);
    loop->mutable_shape()->set_k(1536);
  }
  const auto response = Parse<v1::PlanTilesResponse>(Ask(kPlanTiles, request).bytes);
  EXPECT_TRUE(response.loops(0).has_split_tile());
  EXPECT_TRUE(response.loops(0).has_double_buffering_tile());
  ExpectWithinEstimate("loops with three tiles", request);
}

// ---- Lowerings ----

// Programs, and what is moved to states in as many parts; of more than 4 inputs they count as
// several.
uint64_t TilesOf(const v1::LowerRequest& request) {
  const Answer answer = Ask(kLower, request);
  EXPECT_EQ(answer.code, TORQSCHED_OK) << Parse<v1::Error>(answer.bytes).ShortDebugString();
  const auto response = Parse<v1::LowerResponse>(answer.bytes);
  uint64_t tiles = 0;
  for (const v1::LoweredLayer& layer : response.layers()) {
    const int inputs = request.network().layers(static_cast<int>(layer.layer())).inputs_size();
    tiles += layer.row_tiles() * layer.n_tiles() * layer.k_tiles() * layer.chunks() *
             std::max<uint64_t>(1, (Count(inputs) + 3) / 4);
  }
  return tiles;
}

// What a session with just so large a limit would take: as many programs as there are.
void ExpectWithinEstimate(const std::string& scene, v1::LowerRequest request) {
  const uint64_t programs = TilesOf(request);
  request.mutable_options()->set_most_programs(programs);
  const std::string bytes = request.SerializeAsString();
  const uint64_t base = Estimate(request, bytes.size());
  const std::string name = scene + ", " + std::to_string(programs) + " programs";
  Expect(name, Peak(kLower, bytes), base + kPerProgram * programs,
         std::max(programs, Count(request.network().layers_size())));
  v1::BudgetTuning* const tuning = request.mutable_options()->mutable_tuning();
  tuning->set_most_trials(3);
  const auto tuned = [&](const std::string& how, uint64_t per_program) {
    const std::string bytes = request.SerializeAsString();
    Expect(name + ", " + how, Peak(kLower, bytes),
           Estimate(request, bytes.size()) + per_program * programs, programs);
  };
  tuned("tuned", kPerProgram);
  tuning->mutable_schedule()->set_oracle(v1::ORACLE_OFFLINE);
  tuning->mutable_schedule()->set_explain(true);
  tuning->mutable_schedule()->set_timeline(true);
  tuning->mutable_schedule()->set_sensitivity(true);
  tuned("tuned in detail", kPerProgram);
  if (programs > 300) return;
  tuning->set_most_trials(2);
  tuning->mutable_schedule()->set_strategy(v1::STRATEGY_OPTIMIZE);
  tuning->mutable_schedule()->set_work_limit(20000);
  tuned("tuned by search", kPerSearchedProgram);
}

TEST(LowerMemory, LayersOfAProgram) {
  for (const uint32_t layers : {1u, 10u, 300u, 5000u}) {
    ExpectWithinEstimate("products", Products(layers, 1, 4));
  }
  v1::LowerRequest names = Products(3000, 1, 4);
  for (v1::NetworkLayer& layer : *names.mutable_network()->mutable_layers()) layer.clear_name();
  ExpectWithinEstimate("layers without a name", names);
  for (int i = 0; i < 3000; ++i) {
    names.mutable_network()->mutable_layers(i)->set_name(std::to_string(i) + std::string(200, 'n'));
  }
  ExpectWithinEstimate("layers with long names", names);
}

// Every op and buffer of a tile is named after its layer.
TEST(LowerMemory, ALongNameOfManyPrograms) {
  v1::LowerRequest columns = Products(1, 1, 8192);
  columns.mutable_network()->mutable_layers(0)->set_name(std::string(10000, 'n'));
  columns.mutable_hardware()->set_lram_bytes(1280 + 140000);
  ExpectWithinEstimate("a long name", columns);
}

// Each of its 250 programs loads a part of each input.
TEST(LowerMemory, ManyInputsOfManyPrograms) {
  for (const int inputs : {1, 4, 5, 8, 9, 100, 256}) {
    v1::LowerRequest request;
    for (int l = 0; l < inputs; ++l) {
      *request.mutable_network()->add_layers() =
          MakeProduct("p" + std::to_string(l), -1, 250, 64, 4);
    }
    v1::NetworkLayer* const layer = request.mutable_network()->add_layers();
    layer->set_name("sum");
    layer->set_op("elementwise");
    layer->set_output_bytes(250 * 64);
    for (int l = 0; l < inputs; ++l) {
      layer->add_inputs(l);
      layer->add_input_bytes_each(250 * 64);
    }
    request.mutable_options()->set_resident_percent(0);
    request.mutable_hardware()->set_lram_bytes(1280 + 5120 + 80 * Count(inputs + 1));
    request.mutable_options()->set_first_layer(static_cast<uint32_t>(inputs));
    ExpectWithinEstimate(std::to_string(inputs) + " inputs", request);
  }
}

// The most programs of a search that is given little to do.
TEST(LowerMemory, TunedBySearch) {
  for (const uint64_t width : {8192, 40000}) {
    v1::LowerRequest request;
    *request.mutable_network()->add_layers() = MakeProduct("p", -1, 1, width, 8192);
    request.mutable_hardware()->set_lram_bytes(1280 + 140000);
    v1::BudgetTuning* const tuning = request.mutable_options()->mutable_tuning();
    tuning->set_most_trials(1);
    tuning->mutable_schedule()->set_strategy(v1::STRATEGY_OPTIMIZE);
    tuning->mutable_schedule()->set_work_limit(1000);
    const std::string bytes = request.SerializeAsString();
    const uint64_t programs = TilesOf(request);
    Expect(std::to_string(programs) + " programs, tuned by search", Peak(kLower, bytes),
           Estimate(request, bytes.size()) + kPerSearchedProgram * programs, programs);
  }
}

TEST(LowerMemory, LayersThatReadMany) {
  v1::LowerRequest request = Products(200, 1, 16);
  for (int l = 1; l < 200; ++l) {
    v1::NetworkLayer* const layer = request.mutable_network()->mutable_layers(l);
    layer->set_op("elementwise");
    for (int k = 2; k <= l && k < 100; ++k) {
      layer->add_inputs(l - k);
      layer->add_input_bytes_each(16);
    }
  }
  ExpectWithinEstimate("layers of a hundred inputs", request);
  request.mutable_options()->set_resident_percent(0);
  ExpectWithinEstimate("layers of a hundred inputs that are loaded", request);
}

TEST(LowerMemory, StatesAndWeightsOfTheirOwn) {
  v1::LowerRequest request = Products(2000, 1, 16);
  for (int l = 0; l < 2000; ++l) {
    v1::NetworkLayer* const layer = request.mutable_network()->mutable_layers(l);
    layer->set_op("attention");
    layer->mutable_state()->set_name("kv " + std::to_string(l));
    layer->mutable_state()->set_bytes(64);
    layer->mutable_state()->set_bytes_read(64);
    layer->mutable_state()->set_bytes_written(16);
  }
  ExpectWithinEstimate("attentions", request);
}

TEST(LowerMemory, FewLayersOfManyPrograms) {
  v1::LowerRequest columns = Products(1, 1, 8192);
  columns.mutable_network()->mutable_layers(0)->set_name("a product of a name of some length");
  columns.mutable_hardware()->set_lram_bytes(1280 + 140000);
  ExpectWithinEstimate("columns", columns);
  v1::LowerRequest sums = columns;
  sums.mutable_hardware()->set_lram_bytes(1280 + 40000);
  ExpectWithinEstimate("columns and sums", sums);
  v1::LowerRequest rows = Products(2, 20000, 64);
  rows.mutable_options()->set_resident_percent(0);
  rows.mutable_hardware()->set_lram_bytes(1280 + 10000);
  ExpectWithinEstimate("rows", rows);
  // Each of its rows of another layer's columns is in as many places as that has blocks.
  v1::LowerRequest blocks = Products(2, 2000, 512);
  blocks.mutable_hardware()->set_lram_bytes(1280 + 30000);
  ExpectWithinEstimate("rows of columns' blocks", blocks);
}

TEST(LowerMemory, Convolutions) {
  v1::LowerRequest request;
  for (int l = 0; l < 6; ++l) {
    *request.mutable_network()->add_layers() =
        MakeConvolution("conv " + std::to_string(l), l - 1, 112, 16, 16, 3);
  }
  request.mutable_options()->set_resident_percent(0);
  for (const uint64_t bytes : {40000, 30000, 22000}) {
    request.mutable_hardware()->set_lram_bytes(1280 + bytes);
    ExpectWithinEstimate("convolutions", request);
  }
}

TEST(LowerMemory, RowsByChunks) {
  v1::LowerRequest request = OneOfEach();
  v1::NetworkLayer* const attend = request.mutable_network()->mutable_layers(4);
  for (const int l : {3, 4}) {
    request.mutable_network()->mutable_layers(l)->mutable_state()->set_bytes(8 << 20);
  }
  attend->mutable_state()->set_bytes_read(8 << 20);
  attend->set_macs(1 << 20);
  request.mutable_hardware()->set_lram_bytes(1280 + 15000);
  ExpectWithinEstimate("chunks", request);
}

TEST(LowerMemory, RandomTables) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    ExpectWithinEstimate("random " + std::to_string(seed), RandomLowering(seed, 40));
  }
}

}  // namespace
}  // namespace testing
}  // namespace torqsched
