// The reports of residency: words, numbers and positions worked out by hand, and hostile input.
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "src/report/residency.h"
#include "src/residency/density.h"
#include "src/residency/explain.h"
#include "src/residency/optimal.h"
#include "tests/report/markup.h"
#include "tests/residency/random_deployments.h"

namespace torqsched {
namespace report {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// A deployment with all that a report wants; stays where it is, as the case points into it.
class Planned {
 public:
  static constexpr bool kDensity = false;
  static constexpr bool kOptimal = true;

  explicit Planned(Deployment given, bool by_optimal = kDensity, OptimalOptions options = {})
      : deployment(std::move(given)) {
    if (by_optimal) {
      absl::StatusOr<OptimalResidency> answer = PlanOptimally(deployment, options);
      if (!answer.ok()) return;
      optimal = *std::move(answer);
      plan = optimal.plan;
      report.optimal = &optimal;
    } else {
      absl::StatusOr<ResidencyPlan> answer = PlanByDensity(deployment);
      if (!answer.ok()) return;
      plan = *std::move(answer);
    }
    const absl::StatusOr<std::vector<ProgramFacts>> facts = FindFacts(deployment);
    if (!facts.ok()) return;
    for (const ProgramFacts& of_program : *facts) moved_bytes.push_back(of_program.moved_bytes);
    off_chip =
        ExplainOffChipWith(deployment, *facts, plan,
                           by_optimal ? ResidencyStrategy::kOptimal : ResidencyStrategy::kDensity);
    report.moved_bytes = &moved_bytes;
    report.deployment = &deployment;
    report.plan = &plan;
    report.off_chip = &off_chip;
    ok = true;
  }
  Planned(const Planned&) = delete;

  bool ok = false;
  Deployment deployment;
  ResidencyPlan plan;
  OptimalResidency optimal;
  std::vector<OffChipExplanation> off_chip;
  std::vector<std::vector<uint64_t>> moved_bytes;
  ResidencyCase report;
};

// 100 bytes of SRAM. In phase 1, buffers (10) and both activations (40 + 60) are 10 too many: b
// goes, as it ends last. The reserve is 10 + 40 + 5 for the table; of the other 45 bytes, k2 takes
// 40 in its two instances, and kv is 55 short. HBM takes kv (60) and b (120); w is too large.
Deployment Small() {
  Deployment d;
  d.target = {100, 1000, true};
  DeployedProgram p;
  p.name = "decode";
  p.instances = 2;
  p.buffers = {{0, 0, 0, 10, false}};
  p.tensors = {{"a", TensorRole::kActivation, 40, 80}, {"b", TensorRole::kActivation, 60, 30},
               {"t", TensorRole::kState, 5, 5},        {"kv", TensorRole::kState, 30, 30},
               {"k2", TensorRole::kState, 20, 60},     {"w", TensorRole::kWeight, 500, 500}};
  p.accesses = {{0, 0, 0, true},  {5, 0, 0, false}, {1, 0, 1, true},  {0, 0, 2, false},
                {2, 0, 2, false}, {3, 0, 3, false}, {4, 0, 3, false}, {1, 0, 3, false}};
  p.carried = {{"kv", "k2"}};
  d.programs.push_back(p);
  return d;
}

// One program with one activation of so many bytes in one phase, on each of some chips.
DeployedProgram OneActivation(absl::string_view name, uint64_t bytes, uint32_t chips) {
  DeployedProgram p;
  p.name = name;
  p.tensors = {{"x", TensorRole::kActivation, bytes, 1}};
  for (uint32_t chip = 0; chip < chips; ++chip) p.accesses.push_back({0, chip, 7, true});
  return p;
}

TEST(ResidencySummary, OfDensity) {
  const Planned planned(Small());
  ASSERT_TRUE(planned.ok);
  EXPECT_EQ(ResidencySummary("small", planned.report),
            R"(small: 1 program, 6 tensors, 1 chip

strategy      DENSITY
on chip       3 tensors; 290 moved a step (20.6 %)
in HBM        2 tensors, 180 bytes; 120 moved a step (8.5 %)
in DRAM       1 tensor, 1,000 bytes; 1,000 moved a step (70.9 %)

chip  SRAM  reserve  carried  free  HBM held
   0   100       55       40     5       180
)");
}

TEST(ResidencySummary, OfOptimalTellsBoundsAndTimes) {
  OptimalOptions options;
  options.bandwidths = TierBandwidths{{100, 1}, {10, 1}, {1, 1}};
  Planned planned(Small(), Planned::kOptimal, options);
  ASSERT_TRUE(planned.ok);
  planned.report.time_unit = "ns";
  OptimalResidency& optimal = planned.optimal;
  optimal.moved_off_chip = 1100;
  optimal.density_moved_off_chip = 1120;
  optimal.lower_bound = 1000;
  optimal.proven = false;
  optimal.moved_in_hbm = 100;
  optimal.hbm_proven = true;
  optimal.time = 1013;
  optimal.density_time = 1015;
  optimal.sram_time = 4;
  optimal.hbm_time = 10;
  optimal.dram_time = 1000;
  optimal.time_proven = true;
  optimal.nodes = 1234;
  EXPECT_THAT(ResidencySummary("small", planned.report),
              HasSubstr("\noff chip      1,100 bytes moved a step; DENSITY 1,120 (-1.8 %)\n"
                        "              lower bound 1,000 (gap 10.0 %)\n"
                        "of these      100 in HBM, proven most\n"
                        "time          1,013 ns; DENSITY 1,015 (-0.2 %)\n"
                        "              SRAM 4, HBM 10, DRAM 1,000\n"
                        "              proven least\n"
                        "search        1,234 nodes\n"));
  optimal.proven = true;
  optimal.joint = false;
  optimal.hbm_proven = false;
  optimal.hbm_upper_bound = 600;
  optimal.time = optimal.density_time = 0;  // no bandwidths
  const std::string text = ResidencySummary("small", planned.report);
  EXPECT_THAT(text, HasSubstr("proven fewest\n              too many phases and chips: carried"));
  EXPECT_THAT(text, HasSubstr("of these      100 in HBM, at best 600\nsearch"));
}

TEST(ResidencyReports, TellBothPartsOfASplitState) {
  Deployment d;
  d.target = {40, 0, true};
  DeployedProgram p;
  p.name = "p";
  p.instances = 2;
  p.tensors = {{"kv", TensorRole::kState, 30, 25}};
  d.programs.push_back(p);
  OptimalOptions options;
  options.split_instances = true;
  const Planned planned(d, Planned::kOptimal, options);
  ASSERT_TRUE(planned.ok);
  EXPECT_THAT(ResidencySummary("split", planned.report),
              HasSubstr("on chip       1 tensor; 25 moved a step (50.0 %)\n"
                        "in DRAM       1 tensor, 30 bytes; 25 moved a step (50.0 %)\n"
                        "              1 tensor on chip in some instances only, counted twice\n"));
  EXPECT_THAT(
      Squeezed(ResidencyTable(planned.report, 10)),
      HasSubstr("kv carried 30 25 2 DRAM 1 of 2 instances on chip 0; the rest does not fit: "
                "20 bytes short on chip 0 "));
}

TEST(ResidencySummary, SaysWhyNothingIsOnChip) {
  Deployment d = Small();
  d.target.crossbar = false;
  const Planned no_crossbar(d);
  EXPECT_THAT(ResidencySummary("x", no_crossbar.report),
              HasSubstr("no crossbar: nothing is held on chip\non chip       no tensor\n"));
  EXPECT_THAT(ResidencyTable(no_crossbar.report, 9), HasSubstr("no crossbar: nothing is held"));
  EXPECT_EQ(SramPhasesText(no_crossbar.report, 72), "No crossbar: nothing is held in SRAM.\n");
  EXPECT_THAT(SramPhasesSvg(no_crossbar.report), HasSubstr(">No crossbar: nothing is held"));
  EXPECT_TRUE(IsXml(SramPhasesSvg(no_crossbar.report)));
  d.target = {0, 0, true};
  const Planned no_sram(d);
  EXPECT_THAT(ResidencySummary("x", no_sram.report), HasSubstr("no SRAM: nothing is held"));
  EXPECT_EQ(SramPhasesText(no_sram.report, 72), "No SRAM: nothing is held on chip.\n");
}

TEST(ResidencySummary, KeepsToTheFullestChipsWhereThereAreMany) {
  Deployment d;
  d.target = {100, 0, true};
  DeployedProgram p;
  p.name = "p";
  for (uint32_t chip = 0; chip < 20; ++chip) p.buffers.push_back({chip, 0, 0, 10 + chip, false});
  d.programs.push_back(p);
  const Planned planned(d);
  const std::string text = ResidencySummary("many", planned.report);
  EXPECT_THAT(text, HasSubstr("\n   4   100       14        0    86         0\n   5 "));
  EXPECT_THAT(text, Not(HasSubstr("\n   3 ")));
  EXPECT_THAT(text, HasSubstr("\nand 4 chips that hold less\n"));
}

TEST(ResidencyTable, SaysWhereEachTensorIsAndWhy) {
  const Planned planned(Small());
  ASSERT_TRUE(planned.ok);
  EXPECT_EQ(ResidencyTable(planned.report, 100),
            R"(tensor  role        bytes  moved a step  instances  tier  why
b       activation     60            30          2  HBM   spilled: 10 bytes short on chip 0 in phase
                                                          1
kv      carried        30            30          2  HBM   does not fit: 55 bytes short on chip 0;
                                                          'k2' (3.00 bytes moved a byte) was
                                                          preferred
a       activation     40            80          2  SRAM  live in phases 0 to 2
k2      carried        20            60          2  SRAM  carried: held on chip 0
t       table           5             5          2  SRAM  a table; all of its program's fit
w       weight        500           500          2  DRAM  weights stay off chip
)");
}

TEST(ResidencyTable, EndsAtTheLimit) {
  const Planned planned(Small());
  const std::string table = ResidencyTable(planned.report, 2);
  EXPECT_THAT(table, HasSubstr("preferred\nand 4 more\n"));
  EXPECT_THAT(table, Not(HasSubstr("live in")));
  EXPECT_THAT(ResidencyTable(planned.report, 0), HasSubstr("\nand 6 more\n"));
  EXPECT_THAT(ResidencyTable(planned.report, 6), Not(HasSubstr("more\n")));
}

TEST(ResidencyTable, TellsOfTablesOfOtherProgramsAndOfRoomThatWentToOthers) {
  Deployment d = Small();
  d.programs[0].tensors[2].bytes = 70;  // 10 + 40 + 70
  d.programs[0].tensors[3].bytes = 46;  // of the 50 beside the reserve, k2 takes 40
  DeployedProgram q = OneActivation("prefill", 1, 1);
  q.tensors.push_back({"never", TensorRole::kActivation, 3, 0});
  q.tensors.push_back({"state", TensorRole::kState, 11, 1});
  q.tensors.push_back({"in", TensorRole::kInput, 1, 1});
  q.tensors.push_back({"out", TensorRole::kOutput, 1, 1});
  d.programs.push_back(q);
  Planned planned(d);
  ASSERT_TRUE(planned.ok);
  const std::string table = Squeezed(ResidencyTable(planned.report, 100));
  EXPECT_THAT(table, StartsWith("program tensor role "));
  for (const char* words :
       {"decode t table 70 5 2 HBM tables of this program do not fit: 20 bytes short on chip 0 ",
        "prefill state carried 11 1 1 HBM does not fit: 1 byte short on chip 0; 'k2' of 'decode' "
        "(3.00 bytes moved a byte) was preferred ",
        "SRAM live in phase 7 ", "SRAM no stage accesses it ", "inputs stay off chip ",
        "outputs stay off chip "}) {
    EXPECT_THAT(table, HasSubstr(words));
  }
  for (OffChipExplanation& explanation : planned.off_chip) explanation.bytes_short = 0;
  const std::string fits = Squeezed(ResidencyTable(planned.report, 100));
  EXPECT_THAT(fits, HasSubstr("spilled: would fit beside those that stayed; the room went to"));
  EXPECT_THAT(fits, HasSubstr("tables of this program would fit; the room went to others"));
  EXPECT_THAT(fits,
              HasSubstr("carried 46 30 2 HBM would fit; nothing was found that keeping it saves"));
}

TEST(ResidencyTable, TellsOfAStateForWhichTheReserveLeavesTooLittle) {
  Deployment d = Small();
  d.programs[0].buffers[0].bytes = 50;  // a takes the rest
  d.programs[0].tensors[0].bytes = 45;
  EXPECT_THAT(Squeezed(ResidencyTable(Planned(d).report, 100)),
              HasSubstr("does not fit: 40 bytes short on chip 0, beside the reserve alone"));
}

TEST(ResidencyTable, CountsTheMovedBytesOfTiles) {
  Deployment d = Small();
  d.programs[0].tensors[0].moved_bytes.reset();
  d.programs[0].tile_accesses = {{0, 2, 3, 5, {7}}, {0, 1, 1, 4, {}}};  // 210 + 4
  Planned planned(d);
  ASSERT_TRUE(planned.ok);
  EXPECT_THAT(ResidencyTable(planned.report, 100),
              HasSubstr(" 40           214          2  SRAM  live"));
  planned.report.off_chip = nullptr;
  EXPECT_THAT(ResidencyTable(planned.report, 100), Not(HasSubstr("spilled")));
}

// Rows of 10 bytes: SRAM is 100, and the highest, 155, leaves floor(16 * 100 / 155) = 10 for it.
TEST(SramPhasesText, OfASpilledActivation) {
  const Planned planned(Small());
  ASSERT_TRUE(planned.ok);
  EXPECT_THAT(
      SramPhasesText(planned.report, 20),
      StartsWith(
          R"(program 'decode' on chip 0: at most 95 B of 100 B held (95.0 %); 1 activation spilled
             |
             |     ..........
             |     ..........
             |     ..........
             |     ..........
             |     ...............
       100 B |--------------------
             |     ...............
             |***************.....
             |***************.....
             |***************.....
             |***************.....
             |====================
             |====================
             |====================
             |====================
             |####################
           0 +--------------------
       phase  0    1    2    3
)"));
}

TEST(SramPhasesText, HasFourPicturesTheFullestFirst) {
  Deployment d;
  d.target = {100, 0, true};
  d.programs = {OneActivation("less", 10, 2), OneActivation("more", 30, 3)};
  const Planned planned(d);
  const std::string text = SramPhasesText(planned.report, 0);
  EXPECT_THAT(text, StartsWith("program 'more' on chip 0: at most 30 B of 100 B held (30.0 %)\n"));
  EXPECT_EQ(Count(text, "program '"), 4u);
  EXPECT_THAT(text, HasSubstr("program 'less' on chip 0"));
  EXPECT_THAT(text, HasSubstr("\n1 picture of programs on chips that need less is left out\n"));
  EXPECT_THAT(text, HasSubstr(" 0 +--------------------\n"));  // never narrower
}

// Phases in tens, two a column: a column shows the one where more is live.
TEST(SramPhasesText, ShowsTheFullestPhaseOfAColumn) {
  Deployment d;
  d.target = {16, 0, true};
  DeployedProgram p;
  p.name = "p";
  std::deque<std::string> names;
  for (uint32_t i = 0; i < 40; ++i) {
    names.push_back(absl::StrCat("x", i));
    p.tensors.push_back({names.back(), TensorRole::kActivation, i % 2 == 0 ? 4u : 8u, 1});
    p.accesses.push_back({i, 0, 10 * i, true});
  }
  d.programs.push_back(p);
  const Planned planned(d);
  const std::string text = SramPhasesText(planned.report, 20);
  EXPECT_EQ(Count(text, "|********************\n"), 8u);
  EXPECT_THAT(text, HasSubstr("several phases a column: it shows the fullest\n"));
  EXPECT_THAT(SramPhasesSvg(planned.report), HasSubstr("phases that access nothing are left out"));
}

// 1 pixel is 174 / 200 bytes (155, and an eighth of it more), a phase 200 pixels.
TEST(SramPhasesSvg, DrawsTheLineAndTheBoxesWhereTheyBelong) {
  const Planned planned(Small());
  ASSERT_TRUE(planned.ok);
  const std::string svg = SramPhasesSvg(planned.report);
  EXPECT_TRUE(IsXml(svg));
  EXPECT_EQ(svg, SramPhasesSvg(planned.report));
  EXPECT_THAT(svg, HasSubstr("<path class=\"k\" d=\"M84 180h804\"/>"));  // 294 - 114
  EXPECT_THAT(svg, HasSubstr("<rect class=\"l o\" x=\"84\" y=\"185\" width=\"600\" height=\"46\">"
                             "<title>a: 40 bytes, phases 0 to 2</title></rect>\n"
                             "<text class=\"m\" x=\"384\" y=\"212\">a  40 B</text>"));
  EXPECT_THAT(svg, HasSubstr("<path class=\"s o\" d=\"M284 185V116H684V162H884V231H684V185H284z\">"
                             "<title>b: 60 bytes, phases 1 to 3, spilled to HBM</title></path>"));
  EXPECT_THAT(svg, HasSubstr("<title>carried states: 40 bytes</title>"));
  EXPECT_THAT(svg, HasSubstr("<title>tables: 5 bytes</title>"));
  EXPECT_THAT(svg, HasSubstr(">100 B</text>"));
  for (const char* meaning : {"buffers of the program", "its tables", "carried states of all",
                              "activations, while", "spilled: would have been here"}) {
    EXPECT_EQ(Count(svg, absl::StrCat("\">", meaning)), 1u) << meaning;
  }
}

TEST(SramPhasesSvg, LeavesOutOfTheLegendWhatIsNotThere) {
  Deployment d;
  d.target = {100, 0, true};
  d.programs = {OneActivation("p", 50, 1)};
  const std::string svg = SramPhasesSvg(Planned(d).report);
  EXPECT_THAT(svg, HasSubstr("activations, while they are live"));
  EXPECT_THAT(svg, Not(HasSubstr("spilled: would")));
  EXPECT_THAT(svg, Not(HasSubstr("buffers of the program")));
}

TEST(SramPhasesSvg, CutsOffAtTwiceTheSram) {
  Deployment d;
  d.target = {1024, 0, true};
  d.programs = {OneActivation("p", 10240, 1)};
  const Planned planned(d);
  const std::string svg = SramPhasesSvg(planned.report);
  EXPECT_THAT(svg, HasSubstr("cut off at the top: the highest is 10 KiB"));
  EXPECT_THAT(svg, HasSubstr("M84 206h804"));  // 294 - 200 * 1024 / 2304
  EXPECT_THAT(svg, HasSubstr("spilled to DRAM"));
  EXPECT_THAT(SramPhasesText(planned.report, 20), HasSubstr("cut off; the highest is 10 KiB\n"));
}

TEST(SramPhasesSvg, HasTwelvePicturesTheFullestFirst) {
  Deployment d;
  d.target = {100, 0, true};
  std::deque<std::string> names;
  for (uint64_t i = 1; i <= 5; ++i) {
    names.push_back(absl::StrCat("p", i));
    d.programs.push_back(OneActivation(names.back(), 10 * i, 4));
  }
  const std::string svg = SramPhasesSvg(Planned(d).report);
  EXPECT_EQ(Count(svg, "held ("), 12u);
  EXPECT_LT(svg.find("program 'p5' on chip 0"), svg.find("program 'p4' on chip 3"));
  EXPECT_THAT(svg, Not(HasSubstr("'p2'")));
  EXPECT_THAT(svg, HasSubstr(">8 pictures of programs on chips that need less are left out<"));
}

TEST(SramPhasesSvg, DrawsBuffersOfAProgramWithoutPhases) {
  Deployment d;
  d.target = {100, 0, true};
  DeployedProgram p;
  p.name = "p";
  p.buffers = {{3, 0, 0, 56, false}};
  d.programs.push_back(p);
  const Planned planned(d);
  const std::string svg = SramPhasesSvg(planned.report);
  EXPECT_TRUE(IsXml(svg));
  EXPECT_THAT(svg,
              HasSubstr("<rect class=\"b o\" x=\"84\" y=\"194\" width=\"800\" height=\"100\">"));
  EXPECT_THAT(SramPhasesText(planned.report, 30), HasSubstr("|##############################\n"));
}

TEST(ResidencyReports, OfNothing) {
  Deployment d;
  d.target = {100, 0, true};
  const Planned planned(d);
  EXPECT_THAT(ResidencySummary("none", planned.report),
              StartsWith("none: 0 programs, 0 tensors, 0 chips\n"));
  EXPECT_THAT(ResidencyTable(planned.report, 10), StartsWith("program  tensor"));
  EXPECT_THAT(SramPhasesText(planned.report, 72), StartsWith("Nothing is held in SRAM"));
  EXPECT_TRUE(IsXml(SramPhasesSvg(planned.report)));
  d.programs.resize(1);
  EXPECT_THAT(SramPhasesText(Planned(d).report, 72), StartsWith("Nothing is held in SRAM"));
}

TEST(ResidencyReports, ShowHostileNamesAsText) {
  const std::string hostile = "<script a=\"&'\x01\n\x7f\xff\xef\xbf\xbf>";
  const std::string longest(100000, 'n');
  Deployment d;
  d.target = {100, 0, true};
  d.programs = {OneActivation(hostile, 90, 1), OneActivation(longest, 90, 1)};
  d.programs[0].tensors[0].name = hostile;
  d.programs[1].tensors[0].name = longest;
  const Planned planned(d);
  ASSERT_TRUE(planned.ok);
  const std::string svg = SramPhasesSvg(planned.report);
  EXPECT_TRUE(IsXml(svg));
  EXPECT_THAT(svg, HasSubstr("&lt;script a=&quot;&amp;'?????&gt;"));
  EXPECT_LT(svg.size(), 10000u);
  const std::string table = ResidencyTable(planned.report, 10);
  EXPECT_EQ(Count(table, "\n"), 3u);
  EXPECT_LT(table.size(), 1000u);
  EXPECT_LT(SramPhasesText(planned.report, 72).size(), 5000u);
}

TEST(ResidencyReports, OfNumbersThatDoNotAddUpIn64Bits) {
  Deployment d;
  d.target = {UINT64_MAX, UINT64_MAX, true};
  d.programs = {OneActivation("p", UINT64_MAX, 1)};
  d.programs[0].instances = UINT64_MAX;
  d.programs[0].tensors[0].moved_bytes = UINT64_MAX;
  Planned planned(d);
  ASSERT_TRUE(planned.ok);
  EXPECT_THAT(ResidencySummary("huge", planned.report),
              HasSubstr("on chip       1 tensor; 18,446,744,073,709,551,615 moved a step"));
  const std::string svg = SramPhasesSvg(planned.report);
  EXPECT_THAT(svg, HasSubstr("at most 16 EiB of 16 EiB held (100.0 %)"));
  EXPECT_THAT(svg, HasSubstr("<path class=\"k\" d=\"M84 117h804\"/>"));  // 294 - 200 * 8 / 9
  // No planner says so; a report of it does not break all the same.
  planned.plan.programs[0].chips[0].buffer_bytes = UINT64_MAX;
  planned.plan.chips[0].carried_bytes = UINT64_MAX;
  planned.plan.chips[0].reserve_bytes = UINT64_MAX;
  EXPECT_THAT(ResidencySummary("huge", planned.report), HasSubstr("chip"));
  EXPECT_THAT(SramPhasesSvg(planned.report), HasSubstr("the highest is over 16 EiB"));
  EXPECT_THAT(SramPhasesText(planned.report, 40), HasSubstr("over 16 EiB of 16 EiB held"));
}

TEST(ResidencyReports, StaySmallHoweverManyPhasesAndTensors) {
  Deployment d;
  d.target = {1 << 20, 0, true};
  DeployedProgram p;
  p.name = "long";
  std::deque<std::string> names;
  for (uint32_t i = 0; i < 20000; ++i) {
    names.push_back(absl::StrCat("layer ", i));
    const uint64_t bytes = i % 100 == 0 ? 120000 : 1000 + 7919 * i % 30011;
    p.tensors.push_back({names.back(), TensorRole::kActivation, bytes, bytes});
    p.accesses.push_back({i, 0, i, true});
    p.accesses.push_back({i, 0, i + (i % 100 == 0 ? 700 : i % 13), false});
  }
  d.programs.push_back(p);
  const Planned planned(d);
  ASSERT_TRUE(planned.ok);
  const std::string svg = SramPhasesSvg(planned.report);
  EXPECT_TRUE(IsXml(svg));
  EXPECT_THAT(svg, HasSubstr("a pixel shows the fullest of several phases"));
  EXPECT_THAT(svg, HasSubstr("small activations have no boxes of their own"));
  EXPECT_THAT(svg, HasSubstr("others, too small or too many to be drawn one by one"));
  EXPECT_LT(Count(svg, "<rect") + Count(svg, "<path"), 1000u);
  EXPECT_LT(svg.size(), 200000u);
  EXPECT_LT(SramPhasesText(planned.report, 72).size(), 5000u);
}

// 50 live at a time, each over 50 pixels, and in every pixel one ends below all others: 250 boxes
// with a step in each would be 150 kB.
TEST(ResidencyReports, StaySmallWhereEveryBoxHasManySteps) {
  Deployment d;
  d.target = {64000, 0, true};
  DeployedProgram p;
  p.name = "stairs";
  std::deque<std::string> names;
  for (uint32_t i = 0; i < 800; ++i) {
    names.push_back(absl::StrCat("x", i));
    p.tensors.push_back({names.back(), TensorRole::kActivation, 1200, 1});
    p.accesses.push_back({i, 0, i, true});
    p.accesses.push_back({i, 0, i + 49, false});
  }
  d.programs.push_back(p);
  const Planned planned(d);
  ASSERT_TRUE(planned.ok);
  const std::string svg = SramPhasesSvg(planned.report);
  EXPECT_TRUE(IsXml(svg));
  EXPECT_LT(svg.size(), 100000u);
}

TEST(ResidencyReports, OfRandomDeploymentsAreWellFormed) {
  for (uint64_t seed = 0; seed < 400; ++seed) {
    const RandomDeployment random = MakeRandomDeployment({}, seed);
    OptimalOptions options;
    options.split_instances = seed % 3 == 0;
    options.node_limit = 500;
    const Planned planned(random.deployment, seed % 2 == 0, options);
    if (!planned.ok) continue;
    const std::string svg = SramPhasesSvg(planned.report);
    ASSERT_TRUE(IsXml(svg)) << "seed " << seed << "\n" << Describe(random.deployment);
    size_t tensors = 0;
    for (const DeployedProgram& program : random.deployment.programs) {
      tensors += program.tensors.size();
    }
    EXPECT_GE(Count(ResidencyTable(planned.report, tensors), "\n"), tensors + 1);
    EXPECT_THAT(ResidencySummary("random", planned.report), HasSubstr("in DRAM"));
    EXPECT_FALSE(SramPhasesText(planned.report, seed % 120).empty());
  }
}

}  // namespace
}  // namespace report
}  // namespace torqsched
