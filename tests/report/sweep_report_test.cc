#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "src/report/sweep.h"
#include "tests/report/markup.h"

namespace torqsched {
namespace report {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// Placed, at 25 % over its bound.
SweepPoint Placed(const std::string& table, uint64_t lram_kib, uint64_t makespan) {
  SweepPoint point;
  point.digest = absl::StrCat("d", lram_kib);
  point.table = table;
  point.hardware = "sl2610";
  point.layers = "all";
  point.budgets = "50:40:40";
  point.strategy = "none";
  point.oracle = "sequential";
  point.lram_bytes = lram_kib << 10;
  point.loop_percent = 50;
  point.contraction_percent = 40;
  point.resident_percent = 40;
  point.own_budgets = 0;
  point.ops = 12;
  point.programs = 3;
  point.loaded_bytes = 1000;
  point.stored_bytes = 200;
  point.again_bytes = 30;
  point.input_makespan = makespan + 1;
  point.makespan = makespan;
  point.placed = true;
  point.swaps = 2;
  point.lower_bound = makespan / 5 * 4;
  point.gap_cycles = makespan / 5;
  point.gap_permille = 250;
  return point;
}

SweepPoint NotLowered(const std::string& table, uint64_t lram_kib) {
  SweepPoint point = Placed(table, lram_kib, 0);
  point.makespan = point.gap_cycles = point.gap_permille = point.swaps = std::nullopt;
  point.placed = std::nullopt;
  point.error = "layer 3 'c': the smallest tile, 9 bytes, \"does not fit\"";
  return point;
}

TEST(SweepCsv, HasALineAPoint) {
  const std::string csv = SweepCsv({Placed("a", 256, 500), NotLowered("b", 1)});
  const std::vector<std::string> lines = absl::StrSplit(csv, '\n');
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_THAT(lines[0], StartsWith("table,hardware,layers,budgets,strategy,oracle,lram_bytes,"));
  EXPECT_THAT(lines[0], EndsWith(",lower_bound,gap_cycles,gap_permille,error,point"));
  EXPECT_EQ(lines[1],
            "a,sl2610,all,50:40:40,none,sequential,262144,,,50,40,40,0,12,3,1000,200,30,501,500,"
            "true,2,400,100,250,,d256");
  EXPECT_THAT(lines[2],
              EndsWith(",\"layer 3 'c': the smallest tile, 9 bytes, \"\"does not fit\"\"\",d1"));
  EXPECT_EQ(Count(lines[0], ","), Count(lines[1], ","));
  EXPECT_EQ(lines[3], "");
}

TEST(SweepJson, HasALineAPointAndNulls) {
  const std::string json = SweepJson({Placed("a", 256, 500), NotLowered("b", 1)});
  EXPECT_THAT(json, StartsWith("{\"points\": [\n{\"table\": \"a\", \"hardware\": \"sl2610\", "));
  EXPECT_THAT(json, HasSubstr("\"makespan\": 500, \"placed\": true, \"swaps\": 2, "));
  EXPECT_THAT(json, HasSubstr("\"makespan\": null, \"placed\": null, \"swaps\": null, "));
  EXPECT_THAT(json, HasSubstr("9 bytes, \\\"does not fit\\\"\", \"point\": \"d1\"}\n]}\n"));
  EXPECT_EQ(SweepJson({}), "{\"points\": [\n]}\n");
}

TEST(SweepPointJson, IsReadBack) {
  SweepPoint point = NotLowered("\"a\\b\"\xc3\xa9", 64);
  point.work_limit = UINT64_MAX;
  point.placed = false;
  const std::string json = SweepPointJson(point);
  const std::optional<SweepPoint> read = ParseSweepPoint(json);
  ASSERT_TRUE(read.has_value()) << json;
  EXPECT_EQ(SweepPointJson(*read), json);
  EXPECT_EQ(read->table, point.table);
  EXPECT_EQ(read->work_limit, UINT64_MAX);
  EXPECT_EQ(read->trials, std::nullopt);
  EXPECT_EQ(read->placed, false);
  EXPECT_EQ(read->makespan, std::nullopt);
  EXPECT_EQ(read->error, point.error);
}

// What is half written, edited or somebody else's is no point.
TEST(SweepPointJson, IsNotReadFromAnythingElse) {
  const std::string json = SweepPointJson(Placed("a", 256, 500));
  ASSERT_TRUE(ParseSweepPoint(json).has_value());
  for (size_t length = 0; length < json.size(); ++length) {
    EXPECT_FALSE(ParseSweepPoint(json.substr(0, length)).has_value()) << length;
  }
  for (size_t at = 0; at < json.size(); ++at) {
    for (const char c : {'\0', '"', '\\', ' ', '-', '\xff'}) {
      std::string changed = json;
      changed[at] = c;
      const std::optional<SweepPoint> read = ParseSweepPoint(changed);
      EXPECT_TRUE(!read.has_value() || SweepPointJson(*read) == changed) << at;
    }
  }
  EXPECT_FALSE(ParseSweepPoint(json + "\n").has_value());
  EXPECT_FALSE(ParseSweepPoint("{}").has_value());
}

TEST(SweepTable, SaysWhyAPointHasNoTime) {
  const std::string table = SweepTable({Placed("a", 256, 500), NotLowered("b", 1)}, 10);
  EXPECT_THAT(Squeezed(table), HasSubstr("a 50:40:40 none sequential 256 KiB 501 500 2 25.0 % "));
  EXPECT_THAT(Squeezed(table), HasSubstr(" b 50:40:40 none sequential 1 KiB 1 - - - "
                                         "layer 3 'c': the smallest tile"));
  EXPECT_THAT(SweepTable({Placed("a", 1, 5), Placed("a", 2, 5), Placed("a", 4, 5)}, 1),
              HasSubstr("\nand 2 more\n"));
}

// Four sizes, each twice the one before: 0, 1, 2 and 3 thirds of 750 pixels from 150 on. The scale
// is 500: 220 pixels, from 258 upward.
TEST(SweepSvg, HasSizesAsFarApartAsTheirLogarithms) {
  std::vector<SweepPoint> points;
  for (uint64_t i = 0; i < 4; ++i) points.push_back(Placed("a", 128 << i, 500 - 100 * i));
  const std::string svg = SweepSvg(points);
  EXPECT_TRUE(IsXml(svg));
  EXPECT_THAT(svg, HasSubstr(" d=\"M150 38L400 82L650 126L900 170\"/>\n"));
  for (const char* size : {">128 KiB<", ">256 KiB<", ">512 KiB<", ">1 MiB<"}) {
    EXPECT_EQ(Count(svg, size), 1u) << size;
  }
  EXPECT_THAT(svg, HasSubstr("<title>50:40:40, none, 1 MiB: 200 cycles</title>"));
  // In whatever order they come.
  std::swap(points[1], points[3]);
  EXPECT_EQ(SweepSvg(points), svg);
}

TEST(SweepSvg, HasALineAWayAndAPanelANetwork) {
  std::vector<SweepPoint> points;
  for (const char* table : {"first", "second"}) {
    for (const char* budgets : {"50:40:40", "tuned"}) {
      for (const char* strategy : {"none", "optimize"}) {
        for (const uint64_t kib : {256, 512}) {
          SweepPoint point = Placed(table, kib, 500);
          point.budgets = budgets;
          point.strategy = strategy;
          if (point.strategy == "optimize") point.work_limit = 7000;
          points.push_back(point);
        }
      }
    }
  }
  const std::string svg = SweepSvg(points);
  EXPECT_TRUE(IsXml(svg));
  EXPECT_EQ(Count(svg, "class=\"h\""), 2u);
  EXPECT_EQ(Count(svg, "<path class=\"l\""), 2 * 4 + 4u);  // of the legend: 2 and 2
  EXPECT_EQ(Count(svg, "<circle "), 16u);
  EXPECT_THAT(svg, HasSubstr(">first on sl2610</text>"));
  EXPECT_EQ(Count(svg, ">tuned</text>"), 1u);
  EXPECT_EQ(Count(svg, ">optimize, work 7,000</text>"), 1u);
}

TEST(SweepSvg, BreaksALineWhereNothingWasPlaced) {
  const std::string svg = SweepSvg(
      {Placed("a", 128, 500), NotLowered("a", 256), Placed("a", 512, 300), Placed("a", 1024, 300)});
  EXPECT_TRUE(IsXml(svg));
  EXPECT_THAT(svg, HasSubstr(" d=\"M150 38M650 126L900 126\"/>\n"));
  EXPECT_EQ(Count(svg, "<path class=\"x\""), 1u);
  EXPECT_THAT(svg, HasSubstr("layer 3 'c': the smallest tile, 9 bytes, &quot;does not fit&quot;"));
}

TEST(SweepSvg, OfLittleAndOfMuch) {
  EXPECT_TRUE(IsXml(SweepSvg({})));
  EXPECT_TRUE(IsXml(SweepSvg({NotLowered("a", 0)})));
  EXPECT_THAT(SweepSvg({Placed("a", 256, 500)}), HasSubstr(" d=\"M525 38\"/>\n"));
  SweepPoint huge = Placed("a", 1, UINT64_MAX);
  huge.lram_bytes = UINT64_MAX;
  const std::string svg = SweepSvg({Placed("a", 0, 1), huge});
  EXPECT_TRUE(IsXml(svg));
  EXPECT_THAT(svg, HasSubstr(": 18,446,744,073,709,551,615 cycles<"));
  EXPECT_THAT(SweepTable({huge}, 10), HasSubstr("16 EiB"));
}

TEST(SweepReports, ShowHostileNamesAsText) {
  const std::string hostile = "<script a=\"&'\x01\n\x7f\xff\xef\xbf\xbf>";
  SweepPoint point = NotLowered(hostile, 256);
  point.hardware = point.budgets = point.error = hostile;
  const std::string svg = SweepSvg({point});
  EXPECT_TRUE(IsXml(svg));
  EXPECT_THAT(svg, HasSubstr("&lt;script a=&quot;&amp;'?????&gt;"));
  EXPECT_THAT(svg, Not(HasSubstr("<script")));
  EXPECT_EQ(Count(SweepCsv({point}), "\n"), 2u);
  EXPECT_EQ(Count(SweepJson({point}), "\n"), 3u);
  const std::string json = SweepPointJson(point);
  EXPECT_TRUE(ParseSweepPoint(json).has_value()) << json;
}

}  // namespace
}  // namespace report
}  // namespace torqsched
