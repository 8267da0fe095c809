// Loops, hardware and options of budgets as they arrive, what is refused and where, and every field
// of a plan.
#include "src/wire/tiling_wire.h"

#include <cstdint>
#include <limits>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "src/stream/error.h"
#include "src/tiling/plan_tiles.h"
#include "src/tiling/tiling.h"
#include "tests/wire/path.h"
#include "tests/wire/text.h"

namespace torqsched {
namespace {

constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();

// A request and what is read of it: names are views into the request.
struct Scene {
  explicit Scene(const std::string& text) : request(FromText<v1::PlanTilesRequest>(text)) {
    absl::StatusOr<TilingRequest> read = TilingFromProto(request);
    EXPECT_TRUE(read.ok()) << read.status();
    if (read.ok()) parsed = *std::move(read);
  }

  v1::PlanTilesRequest request;
  TilingRequest parsed;
};

// ---- What is asked ----

constexpr char kLoops[] = R"pb(
  loops { name: "relu" }
  loops { name: "\303\251" contraction: true whole_row_bytes: 18446744073709551615 }
  loops { convolution: true }
  loops { folded_convert: true }
  loops {
    name: "relu"
    contraction: true
    shape { batch: 2 m: 3 n: 5 k: 7 lhs_bits: 4 weight_bits: 16 out_bits: 32 }
  }
)pb";

TEST(TilingFromProto, LoopsArriveInTheirOrderWithTheirNames) {
  const Scene scene(kLoops);
  ASSERT_EQ(scene.parsed.loops.size(), 5u);
  const char* const names[] = {"relu", "\xc3\xa9", "", "", "relu"};
  for (size_t i = 0; i < 5; ++i) EXPECT_EQ(scene.parsed.loops[i].name, names[i]) << i;
  EXPECT_EQ(scene.parsed.loops[0].name.data(), scene.request.loops(0).name().data());
}

TEST(TilingFromProto, WhatALoopIsArrivesEachInItsPlace) {
  const Scene scene(kLoops);
  ASSERT_EQ(scene.parsed.loops.size(), 5u);
  for (size_t i = 0; i < 5; ++i) {
    const TileLoop& loop = scene.parsed.loops[i];
    EXPECT_EQ(loop.contraction, i == 1 || i == 4) << i;
    EXPECT_EQ(loop.convolution, i == 2) << i;
    EXPECT_EQ(loop.folded_convert, i == 3) << i;
  }
}

TEST(TilingFromProto, WholeRowBytesAndShapeArriveWhereTheyAreGivenOnly) {
  const Scene scene(kLoops);
  ASSERT_EQ(scene.parsed.loops.size(), 5u);
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(scene.parsed.loops[i].whole_row_bytes.has_value(), i == 1) << i;
    EXPECT_EQ(scene.parsed.loops[i].shape.has_value(), i == 4) << i;
  }
  EXPECT_EQ(scene.parsed.loops[1].whole_row_bytes, kMost);
  const Contraction shape = scene.parsed.loops[4].shape.value_or(Contraction());
  EXPECT_EQ(shape.batch, 2u);
  EXPECT_EQ(shape.m, 3u);
  EXPECT_EQ(shape.n, 5u);
  EXPECT_EQ(shape.k, 7u);
  EXPECT_EQ(shape.lhs_bits, 4u);
  EXPECT_EQ(shape.weight_bits, 16u);
  EXPECT_EQ(shape.out_bits, 32u);
}

// What is an error is the planner's to say: m, n and k have no default that would be meant.
TEST(TilingFromProto, ShapeThatSaysNothingHasABatchOfOneBytesAndNoSizes) {
  const Scene scene("loops { contraction: true shape {} }");
  ASSERT_EQ(scene.parsed.loops.size(), 1u);
  ASSERT_TRUE(scene.parsed.loops[0].shape.has_value());
  const Contraction& shape = *scene.parsed.loops[0].shape;
  EXPECT_EQ(shape.batch, 1u);
  EXPECT_EQ(shape.m, 0u);
  EXPECT_EQ(shape.n, 0u);
  EXPECT_EQ(shape.k, 0u);
  EXPECT_EQ(shape.lhs_bits, 8u);
  EXPECT_EQ(shape.weight_bits, 8u);
  EXPECT_EQ(shape.out_bits, 8u);
}

TEST(TilingFromProto, EmptyMessageGivesTheDocumentedDefaults) {
  const TilingRequest& request = Scene("").parsed;
  EXPECT_EQ(request.hardware.usable_bytes, 523008u);  // 524288 - 1280
  EXPECT_EQ(request.hardware.granule, 16u);
  EXPECT_EQ(request.hardware.code_bytes, 5120u);
  EXPECT_EQ(request.hardware.dma_bytes, 832u);
  EXPECT_EQ(request.hardware.dma_cycles, 175u);
  EXPECT_EQ(request.hardware.int8_macs_per_cycle, 256u);
  EXPECT_EQ(request.hardware.bf16_macs_per_cycle, 128u);
  EXPECT_EQ(request.hardware.least_program_cycles, 64u);
  EXPECT_EQ(request.constant_bytes, 0u);
  EXPECT_EQ(request.strategy, TilingStrategy::kStreamSchedule);
  EXPECT_EQ(request.loop_percent, 50u);
  EXPECT_EQ(request.contraction_percent, 40u);
  EXPECT_TRUE(request.loops.empty());
}

TEST(TilingFromProto, HardwareConstantsAndOptionsArrive) {
  const Scene scene(R"pb(
    hardware {
      lram_bytes: 1000
      lram_reserved_bytes: 10
      granule: 3
      code_buffer_bytes: 0
      dma_bytes: 4
      dma_cycles: 5
      int8_macs_per_cycle: 6
      bf16_macs_per_cycle: 7
      least_program_cycles: 8
    }
    constant_bytes: 18446744073709551615
    options { strategy: STRATEGY_NONE loop_percent: 1 contraction_percent: 100 })pb");
  const TilingRequest& request = scene.parsed;
  EXPECT_EQ(request.hardware.usable_bytes, 990u);
  EXPECT_EQ(request.hardware.granule, 3u);
  EXPECT_EQ(request.hardware.code_bytes, 0u);  // said, and not left out
  EXPECT_EQ(request.hardware.dma_bytes, 4u);
  EXPECT_EQ(request.hardware.dma_cycles, 5u);
  EXPECT_EQ(request.hardware.int8_macs_per_cycle, 6u);
  EXPECT_EQ(request.hardware.bf16_macs_per_cycle, 7u);
  EXPECT_EQ(request.hardware.least_program_cycles, 8u);
  EXPECT_EQ(request.constant_bytes, kMost);
  EXPECT_EQ(request.strategy, TilingStrategy::kNone);
  EXPECT_EQ(request.loop_percent, 1u);
  EXPECT_EQ(request.contraction_percent, 100u);
}

TEST(TilingFromProto, StrategiesByName) {
  EXPECT_EQ(Scene("options { strategy: STRATEGY_OPTIMIZE }").parsed.strategy,
            TilingStrategy::kOptimize);
  EXPECT_EQ(Scene("options { strategy: STRATEGY_STREAM_SCHEDULE }").parsed.strategy,
            TilingStrategy::kStreamSchedule);
}

// ---- What lowering needs to know of a chip ----

TEST(LoweringNumbersFromProto, EmptyMessageIsTheChipOfProfileSl2610) {
  const auto numbers = LoweringNumbersFromProto(v1::Hardware());
  ASSERT_TRUE(numbers.ok()) << numbers.status();
  EXPECT_EQ(numbers->granule, 16u);
  EXPECT_EQ(numbers->int8_macs_per_cycle, 256u);
  EXPECT_EQ(numbers->bf16_macs_per_cycle, 128u);
  EXPECT_EQ(numbers->elementwise_bytes_per_cycle, 16u);
  EXPECT_EQ(numbers->least_program_cycles, 64u);
  EXPECT_EQ(numbers->code_buffer_bytes, 5120u);
}

TEST(LoweringNumbersFromProto, EveryNumberThatIsSetReplacesTheProfiles) {
  const auto numbers = LoweringNumbersFromProto(FromText<v1::Hardware>(R"pb(
    granule: 1
    int8_macs_per_cycle: 2
    bf16_macs_per_cycle: 3
    elementwise_bytes_per_cycle: 4
    least_program_cycles: 5
    code_buffer_bytes: 6)pb"));
  ASSERT_TRUE(numbers.ok()) << numbers.status();
  EXPECT_EQ(numbers->granule, 1u);
  EXPECT_EQ(numbers->int8_macs_per_cycle, 2u);
  EXPECT_EQ(numbers->bf16_macs_per_cycle, 3u);
  EXPECT_EQ(numbers->elementwise_bytes_per_cycle, 4u);
  EXPECT_EQ(numbers->least_program_cycles, 5u);
  EXPECT_EQ(numbers->code_buffer_bytes, 6u);
}

TEST(LoweringNumbersFromProto, EachGoesUpToTwoToTheForty) {
  struct Range {
    const char* field;
    int least;
  };
  const Range ranges[] = {{"granule", 1},
                          {"int8_macs_per_cycle", 1},
                          {"bf16_macs_per_cycle", 1},
                          {"elementwise_bytes_per_cycle", 1},
                          {"least_program_cycles", 0},
                          {"code_buffer_bytes", 0}};
  for (const auto& [name, least] : ranges) {
    const auto error_of = [name = std::string(name)](const std::string& value) {
      return LoweringNumbersFromProto(FromText<v1::Hardware>(name + ": " + value)).status();
    };
    EXPECT_TRUE(error_of(std::to_string(least)).ok()) << name;
    EXPECT_TRUE(error_of("1099511627776").ok()) << name;
    const std::string field = "hardware." + std::string(name);
    const std::string range = "; expected " + std::to_string(least) + " to 1099511627776";
    std::vector<std::string> outside = {"1099511627777", "18446744073709551615"};
    if (least > 0) outside.emplace_back("0");
    for (const std::string& value : outside) {
      const absl::Status status = error_of(value);
      EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
      EXPECT_EQ(PlaceOf(status).field, field);
      EXPECT_EQ(status.message(), field + ": " + value + range);
    }
  }
}

// ---- What is refused ----

struct Refused {
  const char* scene;
  const char* request;
  const char* field;
  const char* message;
};

// Constants that do not fit, so that a contraction's shape is looked at in every way.
const Refused kRefused[] = {
    {"UnknownStrategy", "options { strategy: 9 }", "options.strategy",
     "options.strategy: 9 is not known; expected none, stream schedule or optimize"},
    {"NegativeStrategy", "options { strategy: -1 }", "options.strategy",
     "options.strategy: -1 is not known; expected none, stream schedule or optimize"},
    {"LoopPercentZero", "options { loop_percent: 0 }", "options.loop_percent",
     "options.loop_percent: 0; expected 1 to 100"},
    {"LoopPercentAbove100", "options { loop_percent: 101 }", "options.loop_percent",
     "options.loop_percent: 101; expected 1 to 100"},
    {"ContractionPercentZero", "options { contraction_percent: 0 }", "options.contraction_percent",
     "options.contraction_percent: 0; expected 1 to 100"},
    {"ContractionPercentAbove100", "options { contraction_percent: 4294967295 }",
     "options.contraction_percent", "options.contraction_percent: 4294967295; expected 1 to 100"},
    {"NoUsableLram", "hardware { lram_bytes: 64 lram_reserved_bytes: 64 }",
     "hardware.lram_reserved_bytes",
     "hardware.lram_reserved_bytes: 64, all of LRAM; expected fewer than its 64 bytes"},
    {"NoSlices", "hardware { slices: 0 }", "hardware.slices", "hardware.slices: 0; expected 1"},
    {"NoGranule", "hardware { granule: 0 }", "hardware.granule",
     "hardware.granule: 0; expected 1 to 1099511627776"},
    {"WholeRowBytesOfNoContraction", "loops {} loops { name: 'relu' whole_row_bytes: 4 }",
     "loops[1].whole_row_bytes",
     "loop 1 'relu': whole_row_bytes of a loop that is no contraction; expected none, or "
     "contraction set"},
    {"ShapeOfNoContraction", "loops { convolution: true shape { m: 1 n: 1 k: 1 } }",
     "loops[0].shape",
     "loop 0: shape of a loop that is no contraction; expected none, or contraction set"},
    {"NoWholeRowBytes", "loops { name: 'mm' contraction: true whole_row_bytes: 0 }",
     "loops[0].whole_row_bytes", "loop 0 'mm': whole_row_bytes 0; expected at least 1"},
    {"BatchZero", "loops { contraction: true shape { batch: 0 m: 1 n: 1 k: 1 } }",
     "loops[0].shape.batch", "loop 0: batch 0; expected at least 1"},
    {"MNotSet", "loops {} loops { name: 'mm' contraction: true shape { n: 1 k: 1 } }",
     "loops[1].shape.m", "loop 1 'mm': m 0; expected at least 1"},
    {"NNotSet", "loops { name: 'mm' contraction: true shape { m: 1 k: 1 } }", "loops[0].shape.n",
     "loop 0 'mm': n 0; expected at least 1"},
    {"KNotSet", "loops { name: 'mm' contraction: true shape { m: 1 n: 1 } }", "loops[0].shape.k",
     "loop 0 'mm': k 0; expected at least 1"},
    {"LhsBitsThatNoElementHas", "loops { contraction: true shape { m: 1 n: 1 k: 1 lhs_bits: 12 } }",
     "loops[0].shape.lhs_bits", "loop 0: lhs_bits 12; expected 4, 8, 16 or 32"},
    {"WeightBitsZero", "loops { contraction: true shape { m: 1 n: 1 k: 1 weight_bits: 0 } }",
     "loops[0].shape.weight_bits", "loop 0: weight_bits 0; expected 4, 8, 16 or 32"},
    {"OutBitsTooMany", "loops { contraction: true shape { m: 1 n: 1 k: 1 out_bits: 64 } }",
     "loops[0].shape.out_bits", "loop 0: out_bits 64; expected 4, 8, 16 or 32"},
    {"RowsBeyond64Bits",
     "loops { contraction: true shape { batch: 4294967296 m: 4294967296 n: 1 k: 1 } }",
     "loops[0].shape", "loop 0: batch * m, 4294967296 * 4294967296, does not fit 64 bits"},
    {"WeightBeyond64Bits",
     "loops { name: 'w' contraction: true shape { m: 1 n: 4294967296 k: 4294967296 } }",
     "loops[0].shape",
     "loop 0 'w': bytes of weight, 4294967296 * 4294967296 * 8 bits, do not fit 64 bits"},
    {"TheFirstBadLoopIsTold",
     "loops { name: 'a' contraction: true whole_row_bytes: 0 } loops { whole_row_bytes: 1 }",
     "loops[0].whole_row_bytes", "loop 0 'a': whole_row_bytes 0; expected at least 1"},
};

void PrintTo(const Refused& refused, std::ostream* out) { *out << refused.scene; }

class RefusedTiling : public testing::TestWithParam<Refused> {};

// Wherever it is found: when the message is read or when its loops are planned.
TEST_P(RefusedTiling, NamesItsPlace) {
  const auto request =
      FromText<v1::PlanTilesRequest>("constant_bytes: 1000000 " + std::string(GetParam().request));
  const absl::StatusOr<TilingRequest> parsed = TilingFromProto(request);
  const absl::Status status = parsed.ok() ? PlanTiles(*parsed).status() : parsed.status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  EXPECT_EQ(PlaceOf(status).field, GetParam().field);
  EXPECT_TRUE(LeadsToAField<v1::PlanTilesRequest>(PlaceOf(status).field));
  EXPECT_NE(status.message().find(GetParam().message), std::string::npos) << status;
}

INSTANTIATE_TEST_SUITE_P(Scenes, RefusedTiling, testing::ValuesIn(kRefused),
                         [](const auto& info) { return std::string(info.param.scene); });

TEST(TilingFromProto, ProfileThatDoesNotExistIsNotFound) {
  const absl::Status status =
      TilingFromProto(FromText<v1::PlanTilesRequest>("hardware { profile: 'sl9999' }")).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound) << status;
  EXPECT_EQ(PlaceOf(status).field, "hardware.profile");
}

// Options lie elsewhere in torqsched_lower's request.
TEST(TilingOptionsFromProto, PathStandsBeforeTheField) {
  for (const std::string field : {"strategy", "loop_percent", "contraction_percent"}) {
    const auto message = FromText<v1::TilingOptions>(field + ": 101");
    TilingStrategy strategy;
    uint32_t loop_percent, contraction_percent;
    const absl::Status status =
        TilingOptionsFromProto(message, "a.b.", &strategy, &loop_percent, &contraction_percent);
    EXPECT_EQ(PlaceOf(status).field, "a.b." + field);
    EXPECT_EQ(status.message().find("a.b." + field + ": 101"), 0u) << status;
  }
}

TEST(TilingOptionsFromProto, PercentsThatAreUnsetStayWhatTheyAre) {
  TilingStrategy strategy = TilingStrategy::kNone;
  uint32_t loop_percent = 7, contraction_percent = 8;
  EXPECT_TRUE(TilingOptionsFromProto(v1::TilingOptions(), "options.", &strategy, &loop_percent,
                                     &contraction_percent)
                  .ok());
  EXPECT_EQ(strategy, TilingStrategy::kStreamSchedule);
  EXPECT_EQ(loop_percent, 7u);
  EXPECT_EQ(contraction_percent, 8u);
}

// ---- The answer ----

v1::PlanTilesResponse Response(const TilePlan& plan) {
  v1::PlanTilesResponse response;
  TilePlanToProto(plan, &response);
  return response;
}

LoopBudget BudgetFor(BudgetReason reason) {
  LoopBudget budget;
  budget.reason = reason;
  return budget;
}

TEST(TilePlanToProto, EveryNumberHasAFieldOfItsOwn) {
  TilePlan plan;
  LoopBudget& budget = plan.loops.emplace_back();
  budget.bytes = 1;
  budget.reason = BudgetReason::kRowsStayWhole;
  budget.whole_row_bytes = 2;
  budget.tile = {3, 4, 5, 6, 7, 8, 9, 10, 11, 29, false, true};
  budget.split_tile = {12, 13, 14, 15, 16, 17, 18, 19, 20, 30, true, false};
  budget.double_buffering_tile = {21, 22, 23, 24, 25, 26, 27, 28, kMost, 31, true, true};
  plan.convolutions = true;
  EXPECT_TRUE(IsText(Response(plan), R"pb(
    loops {
      bytes: 1
      reason: BUDGET_REASON_ROWS_STAY_WHOLE
      whole_row_bytes: 2
      tile {
        rows: 3
        n: 4
        k: 5
        bytes: 6
        row_tiles: 7
        n_tiles: 8
        k_tiles: 9
        trips: 10
        loaded_bytes: 11
        fits: true
        cycles: 29
      }
      split_tile {
        rows: 12
        n: 13
        k: 14
        bytes: 15
        row_tiles: 16
        n_tiles: 17
        k_tiles: 18
        trips: 19
        loaded_bytes: 20
        double_buffers: true
        cycles: 30
      }
      double_buffering_tile {
        rows: 21
        n: 22
        k: 23
        bytes: 24
        row_tiles: 25
        n_tiles: 26
        k_tiles: 27
        trips: 28
        loaded_bytes: 18446744073709551615
        double_buffers: true
        fits: true
        cycles: 31
      }
    }
    convolution_warning: true)pb"));
}

TEST(TilePlanToProto, EveryReasonHasItsNameAndLoopsKeepTheirOrder) {
  TilePlan plan;
  plan.loops = {BudgetFor(BudgetReason::kContractionPercent), BudgetFor(BudgetReason::kNoScheduler),
                BudgetFor(BudgetReason::kRowsStayWhole), BudgetFor(BudgetReason::kLoopPercent),
                BudgetFor(BudgetReason::kConstantsFit)};
  EXPECT_TRUE(IsText(Response(plan), R"pb(
    loops { reason: BUDGET_REASON_CONTRACTION_PERCENT }
    loops { reason: BUDGET_REASON_NO_SCHEDULER }
    loops { reason: BUDGET_REASON_ROWS_STAY_WHOLE }
    loops { reason: BUDGET_REASON_LOOP_PERCENT }
    loops { reason: BUDGET_REASON_CONSTANTS_FIT })pb"));
}

TEST(TilePlanToProto, TilesThatAreAbsentAreUnset) {
  TilePlan plan;
  plan.loops.resize(3);
  plan.loops[0].tile.emplace();
  plan.loops[1].split_tile.emplace();
  plan.loops[2].double_buffering_tile.emplace();
  const v1::PlanTilesResponse response = Response(plan);
  ASSERT_EQ(response.loops_size(), 3);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(response.loops(i).has_tile(), i == 0);
    EXPECT_EQ(response.loops(i).has_split_tile(), i == 1);
    EXPECT_EQ(response.loops(i).has_double_buffering_tile(), i == 2);
  }
  EXPECT_FALSE(response.convolution_warning());
}

TEST(TilePlanToProto, PlanOfNoLoopsIsAnEmptyMessage) {
  EXPECT_TRUE(IsText(Response(TilePlan()), ""));
}

// From the request to the response, by the published example of docs/tiling.md: the numbers are
// from there.
TEST(TilePlan, PublishedExampleKeepsItsRowsWhole) {
  const Scene scene(R"pb(
    constant_bytes: 4718592
    loops { name: "relu" }
    loops {
      name: "matmul"
      contraction: true
      shape { batch: 1 m: 128 n: 3072 k: 768 lhs_bits: 16 weight_bits: 16 out_bits: 16 }
    })pb");
  const absl::StatusOr<TilePlan> plan = PlanTiles(scene.parsed);
  ASSERT_TRUE(plan.ok()) << plan.status();
  const v1::PlanTilesResponse response = Response(*plan);
  ASSERT_EQ(response.loops_size(), 2);
  EXPECT_TRUE(IsText(response.loops(0), "bytes: 261504 reason: BUDGET_REASON_LOOP_PERCENT"));
  const v1::LoopBudget& matmul = response.loops(1);
  EXPECT_EQ(matmul.bytes(), 523008u);
  EXPECT_EQ(matmul.reason(), v1::BUDGET_REASON_ROWS_STAY_WHOLE);
  EXPECT_EQ(matmul.whole_row_bytes(), 230400u);
  EXPECT_EQ(matmul.tile().n(), 176u);
  EXPECT_EQ(matmul.tile().bytes(), 517120u);
  EXPECT_EQ(matmul.split_tile().rows(), 64u);
  EXPECT_EQ(matmul.split_tile().trips(), 128u);
  EXPECT_EQ(matmul.double_buffering_tile().n(), 96u);
  EXPECT_EQ(matmul.double_buffering_tile().n_tiles(), 32u);
  EXPECT_EQ(matmul.tile().cycles(), 3577954u);
  EXPECT_EQ(matmul.split_tile().cycles(), 2580892u);
  EXPECT_EQ(matmul.double_buffering_tile().cycles(), 2631570u);
  EXPECT_FALSE(response.convolution_warning());
}

}  // namespace
}  // namespace torqsched
