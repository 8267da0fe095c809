// Each rule and each reason, by hand.
#include "src/tiling/plan_tiles.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "gtest/gtest.h"

namespace torqsched {
namespace {

constexpr uint64_t kUsable = 523008;

// The published shape, whose smallest tile of whole rows takes 230,400 bytes.
TileLoop Published() {
  TileLoop loop;
  loop.name = "matmul";
  loop.contraction = true;
  loop.shape = Contraction{1, 128, 3072, 768, 16, 16, 16};
  return loop;
}

TileLoop WithWholeRows(uint64_t bytes) {
  TileLoop loop;
  loop.name = "matmul";
  loop.contraction = true;
  loop.whole_row_bytes = bytes;
  return loop;
}

// Of a function whose constants are a byte more than LRAM.
TilingRequest RequestOf(std::vector<TileLoop> loops) {
  TilingRequest request;
  request.constant_bytes = kUsable + 1;
  request.loops = std::move(loops);
  return request;
}

TilePlan PlanOf(const TilingRequest& request) {
  const absl::StatusOr<TilePlan> plan = PlanTiles(request);
  EXPECT_TRUE(plan.ok()) << plan.status();
  return plan.ok() ? *plan : TilePlan();
}

void ExpectBudget(const LoopBudget& budget, uint64_t bytes, BudgetReason reason,
                  uint64_t looked_at) {
  EXPECT_EQ(budget.bytes, bytes);
  EXPECT_EQ(budget.reason, reason);
  EXPECT_EQ(budget.whole_row_bytes, looked_at);
}

TEST(PlanTilesTest, NoSchedulerNoSmallerTiles) {
  TilingRequest request = RequestOf({Published(), TileLoop()});
  request.strategy = TilingStrategy::kNone;
  const TilePlan plan = PlanOf(request);
  ASSERT_EQ(plan.loops.size(), 2u);
  for (const LoopBudget& budget : plan.loops) {
    ExpectBudget(budget, kUsable, BudgetReason::kNoScheduler, 0);
  }
  ASSERT_TRUE(plan.loops[0].tile.has_value());
  EXPECT_EQ(plan.loops[0].tile->n, 176u);
  EXPECT_FALSE(plan.loops[0].split_tile.has_value());
}

TEST(PlanTilesTest, ConstantsThatFitStay) {
  TilingRequest request = RequestOf({Published(), TileLoop()});
  for (const uint64_t constants : {uint64_t{0}, kUsable}) {
    request.constant_bytes = constants;
    const TilePlan plan = PlanOf(request);
    ASSERT_EQ(plan.loops.size(), 2u);
    for (const LoopBudget& budget : plan.loops) {
      ExpectBudget(budget, kUsable, BudgetReason::kConstantsFit, 0);
    }
    EXPECT_FALSE(plan.loops[0].split_tile.has_value());
  }
}

// 50 % of 523,008 is 261,504; 40 % is 209,203.2.
TEST(PlanTilesTest, SharesOfLram) {
  TileLoop contraction;
  contraction.contraction = true;
  TileLoop convert;
  convert.folded_convert = true;
  TileLoop convert_in_contraction = Published();
  convert_in_contraction.folded_convert = true;
  for (const TilingStrategy strategy :
       {TilingStrategy::kStreamSchedule, TilingStrategy::kOptimize}) {
    TilingRequest request = RequestOf({TileLoop(), contraction, convert, convert_in_contraction});
    request.strategy = strategy;
    const TilePlan plan = PlanOf(request);
    ASSERT_EQ(plan.loops.size(), 4u);
    ExpectBudget(plan.loops[0], 261504, BudgetReason::kLoopPercent, 0);
    ExpectBudget(plan.loops[1], 209203, BudgetReason::kContractionPercent, 0);
    ExpectBudget(plan.loops[2], 261504, BudgetReason::kLoopPercent, 0);
    ExpectBudget(plan.loops[3], 261504, BudgetReason::kLoopPercent, 0);
    EXPECT_FALSE(plan.loops[0].tile.has_value());
    EXPECT_FALSE(plan.loops[1].tile.has_value());
  }
}

TEST(PlanTilesTest, AHundredPercentIsAll) {
  TilingRequest request = RequestOf({TileLoop(), Published(), WithWholeRows(kUsable + 1)});
  request.loops[0].convolution = true;
  request.loop_percent = 100;
  TilePlan plan = PlanOf(request);  // contractions only: 100 and 40
  ASSERT_EQ(plan.loops.size(), 3u);
  ExpectBudget(plan.loops[0], kUsable, BudgetReason::kLoopPercent, 0);
  ExpectBudget(plan.loops[1], kUsable, BudgetReason::kRowsStayWhole, 230400);
  EXPECT_FALSE(plan.convolutions);

  request.contraction_percent = 100;
  plan = PlanOf(request);
  ASSERT_EQ(plan.loops.size(), 3u);
  ExpectBudget(plan.loops[1], kUsable, BudgetReason::kContractionPercent, 0);
  ExpectBudget(plan.loops[2], kUsable, BudgetReason::kContractionPercent, 0);
  EXPECT_FALSE(plan.loops[1].split_tile.has_value());
}

TEST(PlanTilesTest, PublishedRowsStayWhole) {
  const TilePlan plan = PlanOf(RequestOf({Published()}));
  ASSERT_EQ(plan.loops.size(), 1u);
  const LoopBudget& budget = plan.loops[0];
  ExpectBudget(budget, kUsable, BudgetReason::kRowsStayWhole, 230400);
  ASSERT_TRUE(budget.tile.has_value() && budget.split_tile.has_value());
  EXPECT_EQ(budget.tile->rows, 128u);
  EXPECT_EQ(budget.tile->n, 176u);
  EXPECT_EQ(budget.tile->trips, 18u);
  EXPECT_EQ(budget.tile->loaded_bytes, 5007360u);
  EXPECT_EQ(budget.split_tile->rows, 64u);
  EXPECT_EQ(budget.split_tile->row_tiles, 2u);
  EXPECT_EQ(budget.split_tile->loaded_bytes, 10289152u);
}

// At 45 % the share is 235,353, which holds 230,400: (235,353 - 196,608 - 5,120) / 1,792 = 18.8.
TEST(PlanTilesTest, RowsThatAShareHoldsLeaveItAsItIs) {
  TilingRequest request = RequestOf({Published()});
  request.contraction_percent = 45;
  const TilePlan plan = PlanOf(request);
  ASSERT_EQ(plan.loops.size(), 1u);
  ExpectBudget(plan.loops[0], 235353, BudgetReason::kContractionPercent, 230400);
  ASSERT_TRUE(plan.loops[0].tile.has_value());
  EXPECT_EQ(plan.loops[0].tile->n, 16u);
  EXPECT_FALSE(plan.loops[0].split_tile.has_value());
}

TEST(PlanTilesTest, RuleThreeToTheByte) {
  const TilePlan plan =
      PlanOf(RequestOf({WithWholeRows(209203), WithWholeRows(209204), WithWholeRows(kUsable + 1)}));
  ASSERT_EQ(plan.loops.size(), 3u);
  ExpectBudget(plan.loops[0], 209203, BudgetReason::kContractionPercent, 209203);
  ExpectBudget(plan.loops[1], kUsable, BudgetReason::kRowsStayWhole, 209204);
  // Not even all of LRAM holds it, and the loop gets all the same.
  ExpectBudget(plan.loops[2], kUsable, BudgetReason::kRowsStayWhole, kUsable + 1);
  EXPECT_FALSE(plan.loops[1].tile.has_value());
  EXPECT_FALSE(plan.loops[1].split_tile.has_value());
}

// What only stands beside the real tile is left out where its numbers do not fit 64 bits. Usable
// LRAM is what two rows of 2^40 and one column take, whose 2^23 trips load 2^41 + 2^63 bytes. 90 %
// hold a row only, and load the weight, 2^63, twice; a cut of k loads lhs, 2^41, 2^23 times.
TEST(PlanTilesTest, TilesBesideTheRealOneAreLeftOutWhereTheyAreTooLarge) {
  const uint64_t k = uint64_t{1} << 40;
  TileLoop loop = Published();
  loop.shape = Contraction{1, 2, uint64_t{1} << 23, k, 8, 8, 8};
  TilingRequest request;
  request.hardware = {3 * k + 2, 1, 0};
  request.constant_bytes = 4 * k;
  request.contraction_percent = 90;
  request.loops = {loop};
  TilePlan plan = PlanOf(request);
  ASSERT_EQ(plan.loops.size(), 1u);
  ExpectBudget(plan.loops[0], 3 * k + 2, BudgetReason::kRowsStayWhole, 3 * k + 2);
  ASSERT_TRUE(plan.loops[0].tile.has_value());
  EXPECT_EQ(plan.loops[0].tile->loaded_bytes, 2 * k + (uint64_t{1} << 63));
  EXPECT_FALSE(plan.loops[0].tile->double_buffers);
  EXPECT_FALSE(plan.loops[0].split_tile.has_value());
  EXPECT_FALSE(plan.loops[0].double_buffering_tile.has_value());
  // With half the columns both fit.
  request.loops[0].shape->n /= 2;
  plan = PlanOf(request);
  ASSERT_EQ(plan.loops.size(), 1u);
  ASSERT_TRUE(plan.loops[0].split_tile.has_value());
  EXPECT_EQ(plan.loops[0].split_tile->loaded_bytes, 2 * k + (uint64_t{1} << 63));
  ASSERT_TRUE(plan.loops[0].double_buffering_tile.has_value());
  EXPECT_EQ(plan.loops[0].double_buffering_tile->k, k / 4 * 3);
}

// What the caller's tiler measured counts more than the shape, which knows nothing of fused work.
TEST(PlanTilesTest, GivenWholeRowsComeBeforeTheShape) {
  TileLoop small = Published();
  small.whole_row_bytes = 1000;
  TileLoop large = Published();
  large.shape->m = 1;
  large.whole_row_bytes = 300000;
  const TilePlan plan = PlanOf(RequestOf({small, large}));
  ASSERT_EQ(plan.loops.size(), 2u);
  ExpectBudget(plan.loops[0], 209203, BudgetReason::kContractionPercent, 1000);
  ASSERT_TRUE(plan.loops[0].tile.has_value());
  EXPECT_EQ(plan.loops[0].tile->rows, 64u);
  ExpectBudget(plan.loops[1], kUsable, BudgetReason::kRowsStayWhole, 300000);
  ASSERT_TRUE(plan.loops[1].split_tile.has_value());
  EXPECT_EQ(plan.loops[1].split_tile->rows, 1u);
}

TEST(PlanTilesTest, ConvolutionsWithLessThanAllAreTold) {
  TileLoop convolution;
  convolution.convolution = true;
  EXPECT_FALSE(PlanOf(RequestOf({TileLoop()})).convolutions);
  EXPECT_TRUE(PlanOf(RequestOf({TileLoop(), convolution, TileLoop()})).convolutions);

  TilingRequest whole = RequestOf({convolution});
  whole.constant_bytes = 0;
  EXPECT_FALSE(PlanOf(whole).convolutions);
  whole = RequestOf({convolution});
  whole.strategy = TilingStrategy::kNone;
  EXPECT_FALSE(PlanOf(whole).convolutions);
}

// Rooted at a contraction and a convolution: a contraction's budget, and rule 4's warning.
TEST(PlanTilesTest, AConvolutionMayBeAContraction) {
  TileLoop both = WithWholeRows(1000);
  both.convolution = true;
  TilePlan plan = PlanOf(RequestOf({both}));
  ASSERT_EQ(plan.loops.size(), 1u);
  ExpectBudget(plan.loops[0], 209203, BudgetReason::kContractionPercent, 1000);
  EXPECT_TRUE(plan.convolutions);

  both.whole_row_bytes = 300000;
  plan = PlanOf(RequestOf({both}));
  ASSERT_EQ(plan.loops.size(), 1u);
  ExpectBudget(plan.loops[0], kUsable, BudgetReason::kRowsStayWhole, 300000);
  EXPECT_FALSE(plan.convolutions);
}

TEST(PlanTilesTest, LoopsMayShareANameAndBeNone) {
  TileLoop loop;
  loop.name = "loop";
  EXPECT_EQ(PlanOf(RequestOf({loop, loop})).loops.size(), 2u);
  EXPECT_TRUE(PlanOf(RequestOf({})).loops.empty());
}

// (2^64 - 1) / 5 = 3,689,348,814,741,910,323 exactly, so 40 % is twice that.
TEST(PlanTilesTest, PercentsOf64BitsAreExact) {
  TilingRequest request;
  request.hardware.usable_bytes = ~uint64_t{0} - 1;
  request.constant_bytes = ~uint64_t{0};
  TileLoop contraction;
  contraction.contraction = true;
  request.loops = {TileLoop(), contraction};
  TilePlan plan = PlanOf(request);
  ASSERT_EQ(plan.loops.size(), 2u);
  EXPECT_EQ(plan.loops[0].bytes, uint64_t{9223372036854775807u});
  EXPECT_EQ(plan.loops[1].bytes, uint64_t{7378697629483820645u});  // 0.4 less than the multiple

  request.hardware.usable_bytes = 1;
  plan = PlanOf(request);
  ASSERT_EQ(plan.loops.size(), 2u);
  EXPECT_EQ(plan.loops[0].bytes, 0u);
  EXPECT_EQ(plan.loops[1].bytes, 0u);
}

}  // namespace
}  // namespace torqsched
