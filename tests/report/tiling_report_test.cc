// Budgets and tiles as people read them: every column, what is left out, and how wide it gets.
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "src/report/text.h"
#include "src/report/tiling.h"

namespace torqsched {
namespace report {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

ContractionTile Tile(uint64_t n, uint64_t cycles, bool double_buffers) {
  ContractionTile tile;
  tile.rows = 1280;
  tile.n = n;
  tile.k = 7680;
  tile.bytes = 517120;
  tile.trips = 1000000;
  tile.loaded_bytes = 50070360;
  tile.cycles = cycles;
  tile.double_buffers = double_buffers;
  return tile;
}

// Two loops: one without a shape, one with all tiles there can be.
struct Scene {
  Scene() {
    request.constant_bytes = 600000;
    request.loops.resize(2);
    request.loops[0].name = "measured";
    request.loops[1].name = "matmul";
    plan.loops.resize(2);
    plan.loops[0].bytes = 209203;
    plan.loops[0].reason = BudgetReason::kContractionPercent;
    plan.loops[0].whole_row_bytes = 1234;
    plan.loops[1].bytes = 523008;
    plan.loops[1].reason = BudgetReason::kRowsStayWhole;
    plan.loops[1].whole_row_bytes = 230400;
    plan.loops[1].tile = Tile(1760, 6955038, false);
    plan.loops[1].split_tile = Tile(480, 5000000, true);
    plan.loops[1].double_buffering_tile = Tile(960, 3660866, true);
  }

  std::string Text(size_t most_rows = 10) const {
    return TilingTable("model", request, plan, most_rows);
  }

  TilingRequest request;
  TilePlan plan;
};

// 6,955,038 / 3,660,866 is 1.89984.
TEST(TilingReport, BudgetsAndTiles) {
  EXPECT_EQ(Scene().Text(),
            R"(function      model
LRAM          523,008 usable bytes; constants 600,000, which do not fit
percents      loops 50, contractions 40

loop       budget  why                   whole rows
measured  209,203  contraction percent        1,234
matmul    523,008  all: rows stay whole     230,400

tiles                        rows x n x k    bytes   programs      loaded     cycles  double-buffers
matmul              1,280 x 1,760 x 7,680  517,120  1,000,000  50,070,360  6,955,038  no
  percent alone       1,280 x 480 x 7,680  517,120  1,000,000  50,070,360  5,000,000  yes
  to double-buffer    1,280 x 960 x 7,680  517,120  1,000,000  50,070,360  3,660,866  yes, 1.90x
)");
}

TEST(TilingReport, NoLineIsWiderThanATable) {
  for (const absl::string_view line : absl::StrSplit(Scene().Text(), '\n')) {
    EXPECT_LE(line.size(), kColumns) << line;
  }
}

TEST(TilingReport, GainIsOfTheDoubleBufferingTileOverTheChosenOne) {
  Scene scene;
  const auto gain = [&](uint64_t chosen, uint64_t alternative) {
    scene.plan.loops[1].tile->cycles = chosen;
    scene.plan.loops[1].double_buffering_tile->cycles = alternative;
    return scene.Text();
  };
  EXPECT_THAT(gain(3000, 2000), ContainsRegex("to double-buffer .* 2,000  yes, 1.50x\n"));
  EXPECT_THAT(gain(2000, 3000), ContainsRegex("to double-buffer .* 3,000  yes, 0.67x\n"));
  // More cycles than 64 bits hold are not known, nor what they are a multiple of.
  const uint64_t most = std::numeric_limits<uint64_t>::max();
  EXPECT_THAT(gain(most, 3000), ContainsRegex("matmul .*  -  no\n"));
  EXPECT_THAT(gain(most, 3000), ContainsRegex("to double-buffer .* 3,000  yes\n"));
  EXPECT_THAT(gain(3000, most), ContainsRegex("to double-buffer .*  -  yes\n"));
}

TEST(TilingReport, ATileThatDoesNotFitSaysSo) {
  Scene scene;
  scene.plan.loops[1].tile->fits = false;
  EXPECT_THAT(scene.Text(), ContainsRegex("matmul .* 6,955,038  does not fit\n"));
}

TEST(TilingReport, LoopsWithoutShapesHaveNoTableOfTiles) {
  Scene scene;
  scene.request.loops.resize(1);
  scene.plan.loops.resize(1);
  EXPECT_THAT(scene.Text(), Not(HasSubstr("tiles")));
  scene.plan.loops[0].whole_row_bytes = 0;
  EXPECT_THAT(scene.Text(), HasSubstr("contraction percent           -\n"));
  scene.request.loops.clear();
  scene.plan.loops.clear();
  EXPECT_THAT(scene.Text(), Not(HasSubstr("budget")));
}

TEST(TilingReport, MoreLoopsThanRowsAreCounted) {
  Scene scene;
  EXPECT_THAT(scene.Text(1), HasSubstr("\n  and 1 more\n"));
  EXPECT_THAT(scene.Text(1), Not(HasSubstr("matmul")));
  EXPECT_THAT(scene.Text(2), Not(HasSubstr("more")));
  scene.request.loops[1].name = "";
  EXPECT_THAT(scene.Text(), ContainsRegex("\nloop 1 +523,008 "));
}

TEST(TilingReport, ConvolutionsAreWarnedOf) {
  Scene scene;
  EXPECT_THAT(scene.Text(), Not(HasSubstr("convolutions")));
  scene.plan.convolutions = true;
  EXPECT_THAT(scene.Text(), ContainsRegex("\nconvolutions +smaller tiles cost halo rows"));
}

}  // namespace
}  // namespace report
}  // namespace torqsched
