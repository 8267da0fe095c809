// What people read about L2 warms: hand-made plans, so that every word and number is known.
#include <string>

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "src/report/warm.h"
#include "src/report/warm_words.h"

namespace torqsched {
namespace report {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// One kind of three stages, 10, 20 and 20 us; the last one reads "w", 1.5 MB, which is warmed after
// the first and makes it 5 us shorter; "x" and more are read and not warmed.
class WarmReportTest : public ::testing::Test {
 protected:
  WarmReportTest() {
    timeline_.regions.resize(2);
    timeline_.regions[0].name = "w";
    timeline_.regions[0].bytes = 1500000;
    timeline_.regions[0].shape = {1, 750000};
    timeline_.regions[1].name = "x<y>";
    timeline_.regions[1].bytes = 999;
    WarmLayerKind& kind = timeline_.kinds.emplace_back();
    kind.name = "deep";
    kind.input = "h.in";
    kind.stages.resize(3);
    kind.stages[0].name = "norm";
    kind.stages[1].name = "a&b";
    kind.stages[1].writes = "2nd";
    kind.stages[2].name = "proj";
    timeline_.runs = {{{0}, 3}};
    plan_.cold_ns = 150000;
    plan_.warm_ns = 135000;
    plan_.change_ns = -15000;
    plan_.unread = {1};
    WarmKindPlan& deep = plan_.kinds.emplace_back();
    deep.layers = 3;
    deep.cold_ns = 50000;
    deep.warm_ns = 45000;
    deep.change_ns = -5000;
    deep.bytes_in_flight = 1500000;
    deep.fill_bytes = 2000000;
    PlannedScope& scope = deep.scopes.emplace_back();
    scope.anchor = 0;
    scope.by_task_id = true;
    scope.begin_ns = 10000;
    scope.regions.push_back({0, 12000, 20000, 30000, 1500000, 1500000, 750000});
    deep.without.emplace().stages = {{0, 10000}, {10000, 30000}, {30000, 50000}};
    deep.with.emplace().stages = {{0, 10000}, {10000, 30000}, {30000, 45000}};
    deep.with->flow = {{0, 0, 0, 0},
                       {12000, 0, 0, 0},
                       {20000, 1500000, 1500000, 0},
                       {30000, 1500000, 1500000, 0},
                       {45000, 1500000, 0, 0}};
    deep.with->landing = {{0, 0, 20000, 1500000}};
    hardware_.l2_bytes = 2000000;
  }

  WarmRegionVerdict Verdict(WarmVerdict what) const {
    WarmRegionVerdict verdict;
    verdict.verdict = what;
    verdict.reader = 2;
    verdict.bytes = 1500000;
    verdict.set_bytes = 1500000;
    verdict.read_ns = 30000;
    verdict.weighed = true;
    verdict.anchor = 0;
    verdict.landed_bytes = 300000;
    verdict.hit_bytes = 400000;
    verdict.saving_ns = 2500;
    verdict.cost_ns = 3000;
    verdict.change_ns = 500;
    return verdict;
  }

  // The table with this verdict alone, its words.
  std::string Said(const WarmRegionVerdict& verdict) {
    plan_.kinds[0].verdicts = {verdict};
    return absl::StrJoin(
        absl::StrSplit(WarmVerdicts(Case(), 10), absl::ByAnyChar(" \n"), absl::SkipEmpty()), " ");
  }

  WarmCase Case() const { return {&timeline_, &hardware_, &options_, &plan_}; }

  WarmTimeline timeline_;
  WarmHardware hardware_;
  WarmOptions options_;
  WarmPlan plan_;
};

TEST_F(WarmReportTest, TheSummaryTellsTheForwardTheLayerAndEachWarm) {
  const std::string text = WarmSummary("model.txtpb", Case());
  EXPECT_THAT(text, StartsWith("timeline      model.txtpb\n"
                               "layers        3 of 1 kind, 2 regions\n"
                               "forward       150.0 us -> 135.0 us (-10.0 %), predicted\n"
                               "search        all combinations of sets and anchors\n"
                               "never read    x<y>\n"
                               "              deep: 3 layers, 50.0 us -> 45.0 us (-10.0 %); 1.5 MB "
                               "in flight of 2.0 MB\n"));
  EXPECT_THAT(text,
              EndsWith("kind  when        warm    size   issued   landed     read   found\n"
                       "deep  after norm  w     1.5 MB  12.0 us  20.0 us  30.0 us  50.0 %\n"));
  plan_.kinds[0].scopes.clear();
  plan_.kinds[0].exact = false;
  EXPECT_THAT(WarmSummary("m", Case()),
              EndsWith("search        bounded, set after set\n"
                       "never read    x<y>\n"
                       "              deep: 3 layers, 50.0 us, no warm\n"));
}

TEST_F(WarmReportTest, EveryVerdictHasItsSentenceWithNumbers) {
  const std::string balance = "saves 2.5 us, costs 3.0 us elsewhere: +0.5 us";
  EXPECT_THAT(Said(Verdict(WarmVerdict::kWarm)),
              EndsWith("WARM after norm: 300.0 kB of 1.5 MB land before proj reads it at 30.0 us "
                       "and finds 400.0 kB; it " +
                       balance));
  WarmRegionVerdict resident = Verdict(WarmVerdict::kResident);
  resident.bytes_between = 1899999;
  EXPECT_THAT(Said(resident), EndsWith("RESIDENT still there: 1.9 MB come between two reads of it, "
                                       "L2 holds 2.0 MB"));
  WarmRegionVerdict large = Verdict(WarmVerdict::kTooLarge);
  EXPECT_THAT(Said(large), EndsWith("TOO_LARGE 1.5 MB does not fit beside the plan: less "
                                    "than 2.0 MB may be in flight; it would save 2.5 us, cost 3.0 "
                                    "us elsewhere: +0.5 us"));
  large.evicted_bytes = 1200000;
  EXPECT_THAT(Said(large), EndsWith("TOO_LARGE at best, after norm, 1.2 MB of 1.5 MB land and are "
                                    "evicted before proj reads it at 30.0 us"));
  large.set_bytes = 2000000;
  large.weighed = false;
  EXPECT_THAT(Said(large), EndsWith("TOO_LARGE its set of 2.0 MB would evict itself: less than 2.0 "
                                    "MB may be in flight"));
  hardware_.exactly_full_fits = true;
  large.set_bytes = 2000001;
  EXPECT_THAT(Said(large), EndsWith("at most 2.0 MB may be in flight"));
  EXPECT_THAT(Said(Verdict(WarmVerdict::kDynamic)),
              EndsWith("DYNAMIC its address or size depends on data"));
  EXPECT_THAT(Said(Verdict(WarmVerdict::kNotFlat)),
              EndsWith("NOT_FLAT not flat: a dimension before the last is not 1"));
  WarmRegionVerdict late = Verdict(WarmVerdict::kTooLate);
  EXPECT_THAT(Said(late), EndsWith("TOO_LATE at best, after norm, proj finds 400.0 kB of 1.5 MB "
                                   "when it reads it at 30.0 us"));
  late.weighed = false;
  EXPECT_THAT(Said(late), EndsWith("TOO_LATE no anchor before proj reads it"));
  WarmRegionVerdict contends = Verdict(WarmVerdict::kContends);
  contends.anchor = kLayerEntry;
  contends.set_bytes = 1800000;
  EXPECT_THAT(Said(contends),
              EndsWith("CONTENDS at best, at layer entry, its set of 1.8 MB " + balance));
  EXPECT_THAT(Said(Verdict(WarmVerdict::kNoGain)),
              EndsWith("NO_GAIN at best, after norm, it " + balance + "; expected -0.5 us"));
}

TEST_F(WarmReportTest, RegionsOfOneSetAreToldOnceAndLongTablesAreCut) {
  plan_.kinds[0].verdicts.assign(3, Verdict(WarmVerdict::kContends));
  const std::string all = WarmVerdicts(Case(), 3);
  EXPECT_THAT(all, HasSubstr("CONTENDS  likewise\nw       1.5 MB  CONTENDS  likewise\n"));
  EXPECT_THAT(WarmVerdicts(Case(), 2), EndsWith("likewise\n  and 1 more\n"));
}

TEST_F(WarmReportTest, AlternativesSayWhatWasChosenAndWhatMayNotBe) {
  plan_.kinds[0].alternatives = {{{{1, {0}}}, -6000, 1500000, true, false},
                                 {{{0, {0}}}, -5000, 1500000, true, true},
                                 {{}, 0, 0, true, true},
                                 {{{kLayerEntry, {0, 1}}}, 7000, 2500000, false, false}};
  EXPECT_EQ(WarmAlternatives(Case(), 4),
            "deep: 3 layers, 50.0 us -> 45.0 us (-10.0 %)\n"
            " change  in flight               weighed\n"
            "-6.0 us     1.5 MB  not allowed  w after a&b\n"
            "-5.0 us     1.5 MB  chosen       w after norm\n"
            "+0.0 us        0 B               no warm\n"
            "+7.0 us     2.5 MB  no room      w, x<y> at layer entry\n");
  EXPECT_THAT(WarmAlternatives(Case(), 1), EndsWith("a&b\n  and 3 more\n"));
}

TEST_F(WarmReportTest, FlipsSayWhatIsBestBeyondThem) {
  WarmFlip flip;
  flip.parameter = WarmParameter::kEngineBandwidth;
  flip.value = 285000;
  flip.below = 25325;
  WarmFlip none;
  none.parameter = WarmParameter::kLanding;
  plan_.kinds[0].flips = {flip, none};
  EXPECT_EQ(WarmFlips(Case()),
            "deep: another choice is better where, all else as it is,\n"
            "assumption      now  unit               is\n"
            "engine      285,000  MB/s               <= 25,325: no warm\n"
            "landing           0  0 partial, 1 full  nothing found\n");
  plan_.kinds[0].flips.clear();
  EXPECT_EQ(WarmFlips(Case()), "deep: too much to simulate to say what the choice rests on\n");
}

// 50 cells are 50 us.
TEST_F(WarmReportTest, TheTextPictureHasACellAMicrosecond) {
  EXPECT_EQ(WarmTimelineText(Case(), 50),
            "deep: 3 layers, 50.0 us -> 45.0 us (-10.0 %)\n"
            "without       [norm----][a&b---------------][proj--------------]\n"
            "with          [norm----][a&b---------------][proj---------]\n"
            "w                         ========----------|\n"
            "L2, tenths                 01234567777777777776655443322110\n"
            "              |                   |                   |\n"
            "us            0                   20                  40\n"
            "\n"
            ". issued  = landing  - waits in L2  | its reader begins;  L2: warmed and not yet "
            "read\n");
  plan_.kinds[0].with.reset();
  EXPECT_EQ(WarmTimelineText(Case(), 50), "no layer to draw\n");
}

TEST_F(WarmReportTest, TheSvgHasEveryStageAndWarmOnceAndEscapesNames) {
  const std::string svg = WarmTimelineSvg(Case());
  EXPECT_EQ(svg, WarmTimelineSvg(Case()));
  EXPECT_THAT(svg, StartsWith("<svg xmlns="));
  EXPECT_THAT(svg, EndsWith("</svg>\n"));
  EXPECT_THAT(svg, HasSubstr("<title>a&amp;b: 20.0 us, from 10.0 us</title>"));
  EXPECT_THAT(svg, HasSubstr("<title>proj: 15.0 us, from 30.0 us</title>"));
  EXPECT_THAT(svg, HasSubstr("<title>w: 1.5 MB, issued at 12.0 us, landed at 20.0 us</title>"));
  EXPECT_THAT(svg, Not(HasSubstr("a&b")));
  plan_.kinds[0].scopes.clear();
  EXPECT_THAT(WarmTimelineSvg(Case()), Not(HasSubstr(">with<")));
}

// 100,000 stages of one layer: shapes are bounded by pixels, not by stages.
TEST_F(WarmReportTest, AVeryLongLayerMakesASmallPicture) {
  constexpr uint64_t kStages = 100000;
  timeline_.kinds[0].stages.resize(kStages);
  WarmKindPlan& deep = plan_.kinds[0];
  for (WarmTrace* trace : {&*deep.without, &*deep.with}) {
    trace->stages.clear();
    for (uint64_t s = 0; s < kStages; ++s) trace->stages.push_back({s * 10, s * 10 + 9});
  }
  EXPECT_LT(WarmTimelineSvg(Case()).size(), 400000u);
  EXPECT_LT(WarmTimelineText(Case(), 80).size(), 2000u);
}

TEST_F(WarmReportTest, CodeIsOneScopeWithOneContextPlacedByATaskId) {
  EXPECT_EQ(
      WarmCode(Case()),
      "# deep: 3 layers, 50.0 us -> 45.0 us (-10.0 %), predicted\n"
      "w_flat = pl.reshape(w, [750000])\n"
      "# norm_tid: the task id that 'norm' returns\n"
      "with pl.at(level=pl.Level.CORE_GROUP, name_hint=\"warm_deep_norm\", deps=[norm_tid]):\n"
      "    warm_deep_norm_ctx = pl.prefetch.make_context()\n"
      "    pl.prefetch.async_prefetch(w_flat, warm_deep_norm_ctx)\n");
}

TEST_F(WarmReportTest, CodeWithoutATaskIdReadsWhatTheStageWrites) {
  PlannedScope& scope = plan_.kinds[0].scopes[0];
  scope.by_task_id = false;
  scope.anchor = 1;
  scope.regions.push_back({1, 0, {}, {}, 0, 0, 0});
  EXPECT_EQ(WarmCode(Case()),
            "# deep: 3 layers, 50.0 us -> 45.0 us (-10.0 %), predicted\n"
            "# x_y_: 'x<y>'\n"
            "w_flat = pl.reshape(w, [750000])\n"
            "x_y__flat = x_y_  # its flat view: 999 bytes, one dimension\n"
            "# _2nd: '2nd'\n"
            "with pl.at(level=pl.Level.CORE_GROUP, name_hint=\"warm_deep_a_b\"):\n"
            "    pl.read(_2nd, [0])  # its value is not used: it places the scope after 'a&b'; "
            "an index a dimension\n"
            "    warm_deep_a_b_ctx = pl.prefetch.make_context()\n"
            "    pl.prefetch.async_prefetch(w_flat, warm_deep_a_b_ctx)\n"
            "    pl.prefetch.async_prefetch(x_y__flat, warm_deep_a_b_ctx)\n");
  scope.anchor = kLayerEntry;
  EXPECT_THAT(WarmCode(Case()), HasSubstr("    pl.read(h_in, [0])  # its value is not used: it "
                                          "places the scope at the layer's entry;"));
  plan_.kinds[0].scopes.clear();
  EXPECT_EQ(WarmCode(Case()), "# no warm is predicted to gain anything\n");
}

TEST_F(WarmReportTest, NamesThatPythonHasItselfBecomeOthers) {
  timeline_.regions[0].name = "class";
  timeline_.regions[0].shape.clear();
  timeline_.kinds[0].name = "pl";
  EXPECT_THAT(WarmCode(Case()), HasSubstr("class__flat = class_  # its flat view"));
  EXPECT_THAT(WarmCode(Case()), HasSubstr("name_hint=\"warm_pl__norm\""));
}

// The second gets a name of its own, and so does what is made of the first.
TEST_F(WarmReportTest, NamesThatBecomeOneIdentifierStayApart) {
  timeline_.regions[0].name = "a.b";
  timeline_.regions[0].shape.clear();
  timeline_.regions[1].name = "a_b";
  timeline_.regions.push_back(timeline_.regions[0]);
  timeline_.regions[2].name = "a_b_flat";
  PlannedScope& scope = plan_.kinds[0].scopes[0];
  scope.regions.push_back({1, 0, {}, {}, 0, 0, 0});
  scope.regions.push_back({2, 0, {}, {}, 0, 0, 0});
  const std::string code = WarmCode(Case());
  EXPECT_THAT(code, HasSubstr("# a_b: 'a.b'\n# a_b_2: 'a_b'\n"));
  EXPECT_THAT(code, HasSubstr("a_b_flat_2 = a_b  #"));
  EXPECT_THAT(code, HasSubstr("a_b_2_flat = a_b_2  #"));
  EXPECT_THAT(code, HasSubstr("a_b_flat_flat = a_b_flat  #"));
}

TEST(WarmWords, SizesRoundToOneDecimalOfTheRightUnit) {
  EXPECT_EQ(DecimalSize(0), "0 B");
  EXPECT_EQ(DecimalSize(999), "999 B");
  EXPECT_EQ(DecimalSize(1000), "1.0 kB");
  EXPECT_EQ(DecimalSize(999949), "999.9 kB");
  EXPECT_EQ(DecimalSize(999950), "1.0 MB");
  EXPECT_EQ(DecimalSize(67108864), "67.1 MB");
  EXPECT_EQ(DecimalSize(UINT64_MAX), "18.4 EB");
}

TEST(WarmWords, ChangesHaveASignToTheEndsOfTheirRange) {
  EXPECT_EQ(WarmChange(0), "+0.0 us");
  EXPECT_EQ(WarmChange(-1500), "-1.5 us");
  EXPECT_EQ(WarmChange(INT64_MIN), "-9,223,372,036,854,775.8 us");
}

}  // namespace
}  // namespace report
}  // namespace torqsched
