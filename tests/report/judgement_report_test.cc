// What people read about measured rounds: hand-made judgements, so that every word and number is
// known, and hostile ones.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "src/report/judgement.h"
#include "tests/report/markup.h"

namespace torqsched {
namespace report {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// A round takes 10 ms without the warm and 9.8 ms with it, whose first 40 rounds are a start-up.
class JudgementReport : public ::testing::Test {
 protected:
  JudgementReport() {
    AddCard(0);
    judgement_.least_gain = 50000;
    judgement_.resamples = 2000;
    judgement_.verdict = ShipVerdict::kShip;
    measurement_.series = {{0, false, std::vector<uint64_t>(300, 10000000)},
                           {0, true, std::vector<uint64_t>(300, 9800000)}};
  }

  void AddCard(uint32_t card) {
    judgement_.series.push_back({card,
                                 false,
                                 300,
                                 0,
                                 300,
                                 true,
                                 0,
                                 32,
                                 {10000000, 9990000, 10010000},
                                 {10050000, 10040000, 10060000},
                                 {10200000, 10190000, 10210000}});
    judgement_.series.push_back({card,
                                 true,
                                 300,
                                 40,
                                 260,
                                 true,
                                 0,
                                 32,
                                 {9800000, 9790000, 9815000},
                                 {9860000, 9850000, 9870000},
                                 {10010000, 10000000, 10020000}});
    judgement_.cards.push_back({card,
                                false,
                                false,
                                {-200000, -220000, -175000},
                                {-190000, -230000, -150000},
                                {-190000, -260000, -100000},
                                -120000});
  }

  JudgementCase Case() const { return {&measurement_, &options_, &judgement_}; }
  std::string Summary() const { return JudgementSummary("rounds.csv", Case()); }
  std::string Svg() const { return JudgementSvg("rounds.csv", Case()); }

  // The summary's words, wherever its lines end.
  std::string Because(ShipReason reason, int64_t measured, int64_t limit, uint32_t card = 0,
                      bool warmed = false) {
    judgement_.reasons = {{reason, card, warmed, measured, limit}};
    return Squeezed(Summary());
  }
  std::string Suspecting(JudgeFlag flag, int64_t measured, int64_t limit, uint32_t card = 0,
                         bool warmed = false) {
    judgement_.flags = {{flag, card, warmed, measured, limit}};
    return Squeezed(Summary());
  }

  WarmMeasurement measurement_;
  JudgeOptions options_;
  WarmJudgement judgement_;
};

// 200,000 of 10,000,000 are 2.00 %, 190,000 of 10,050,000 are 1.89 %, of 10,200,000 1.86 %.
TEST_F(JudgementReport, TellsTheVerdictWhyAndAllNumbers) {
  judgement_.reasons = {{ShipReason::kGainIsSure, 0, false, -175000, -50000}};
  judgement_.bandwidth = {40, 80, 352500, 347300, 285569634042, 289845367117, 0};
  measurement_.warm_bytes = 100663296;
  options_.memory_bandwidth = 1600000000000;
  EXPECT_EQ(Summary(),
            R"(rounds.csv: ship

- The median gains at least 175.0 us of a round (1.75 %); the least gain is 50.0 us (0.50 %). The
  mean gains 190.0 us (1.90 %), and still gains if two more rounds are as slow as the slowest.

least gain    50.0 us, 0.50 % of the median without the warm
intervals     95 %, from 2,000 resamples

Rounds, in us; the start-up is cut:
card  arm      rounds  cut    median                 95 %      mean       p90
   0  without     300    0  10,000.0  [9,990.0, 10,010.0]  10,050.0  10,200.0
   0  with        300   40   9,800.0   [9,790.0, 9,815.0]   9,860.0  10,010.0

What the warm changes, in us and in percent:
card  of      change              95 %   in %            95 %
   0  median  -200.0  [-220.0, -175.0]  -2.00  [-2.20, -1.75]
   0  mean    -190.0  [-230.0, -150.0]  -1.89  [-2.29, -1.49]
   0  p90     -190.0  [-260.0, -100.0]  -1.86  [-2.55, -0.98]

bandwidth     285.6 GB/s, the median issue in 352.500 us
              289.8 GB/s, the best in 347.300 us
              80 issues of 100.7 MB after 40 issues of the start-up
              0 faster than the memory's 1,600.0 GB/s

suspicious    nothing
)");
}

TEST_F(JudgementReport, HasAVerdictInPlainWords) {
  EXPECT_THAT(Summary(), StartsWith("rounds.csv: ship\n\n"));
  judgement_.verdict = ShipVerdict::kDoNotShip;
  EXPECT_THAT(Summary(), StartsWith("rounds.csv: do not ship\n\n"));
  judgement_.verdict = ShipVerdict::kMeasureMore;
  EXPECT_THAT(Summary(),
              StartsWith("rounds.csv: measure more: more rounds alone would not settle it\n\n"));
  const auto about = [this](uint64_t rounds, const char* words) {
    judgement_.more_rounds = rounds;
    EXPECT_THAT(Summary(), StartsWith(absl::StrCat("rounds.csv: measure more: about ", words,
                                                   " of each arm would settle it\n\n")));
  };
  about(1, "1 more round");
  about(38, "38 more rounds");
  about(400, "400 more rounds");
  about(387, "390 more rounds");
  about(12001, "13,000 more rounds");
  about(UINT64_MAX, "18,446,744,073,709,551,615 more rounds");
}

TEST_F(JudgementReport, SaysWhyToShip) {
  EXPECT_THAT(Because(ShipReason::kGainIsSure, -175000, -50000), HasSubstr("and still gains"));
  judgement_.cards[0].cautious_mean_high = 0;
  EXPECT_THAT(Because(ShipReason::kGainIsSure, -175000, -50000),
              HasSubstr("The mean gains 190.0 us (1.90 %). least gain"));
  judgement_.least_gain = 0;
  EXPECT_THAT(Because(ShipReason::kGainIsSure, -175000, 0),
              HasSubstr("175.0 us of a round (1.75 %); any gain would do. The mean"));
}

TEST_F(JudgementReport, SaysWhyNotToShip) {
  EXPECT_THAT(Because(ShipReason::kMedianGainsTooLittle, -30000, -50000),
              HasSubstr("- At best the median gains 30.0 us of a round (0.30 %); the least gain is "
                        "50.0 us (0.50 %). "));
  EXPECT_THAT(Because(ShipReason::kMedianGainsTooLittle, 0, -50000),
              HasSubstr("- At best the median gains nothing; the least gain is 50.0 us"));
  EXPECT_THAT(Because(ShipReason::kMeanGainsTooLittle, 12300, -50000),
              HasSubstr("- Even at best the mean loses 12.3 us of a round (0.12 %); the least gain "
                        "is 50.0 us (0.50 %). "));
  EXPECT_THAT(Because(ShipReason::kTailEatsGain, 40000, -50000),
              HasSubstr("- Slow rounds eat the gain: the median gains 200.0 us (2.00 %), the mean "
                        "loses 40.0 us (0.40 %); the least gain is 50.0 us (0.50 %). Look at what "
                        "is different in the slowest rounds with the warm. "));
}

TEST_F(JudgementReport, SaysWhatIsUndecided) {
  EXPECT_THAT(Because(ShipReason::kMedianUndecided, 400000, 200000),
              HasSubstr("- The interval of the median's change is 400.0 us wide, and the least "
                        "gain, 50.0 us (0.50 %), lies within it; a width of 200.0 us would "
                        "decide. "));
  EXPECT_THAT(Because(ShipReason::kMeanUndecided, 400000, 200000),
              HasSubstr("- The interval of the mean's change, with two more rounds as slow as the "
                        "slowest, is 400.0 us wide, and "));
  EXPECT_THAT(Because(ShipReason::kMedianUndecided, 400000, 0),
              HasSubstr("within it; so does what was measured, so that no width would decide."));
  EXPECT_THAT(Because(ShipReason::kMedianUndecided, 190000, 200000),
              HasSubstr("within it; it is narrow enough, but reaches further on one side."));
  judgement_.least_gain = 0;
  EXPECT_THAT(Because(ShipReason::kMedianUndecided, 400000, 200000),
              HasSubstr("400.0 us wide, and no change lies within it; a width"));
}

// Each of these is a flag as well, with the same numbers and the same sentence; told once.
TEST_F(JudgementReport, SaysWhatIsWrongWithTheMeasurement) {
  measurement_.warm_bytes = 100663296;
  options_.memory_bandwidth = 1600000000000;
  judgement_.bandwidth = {0, 80, 111848, 34711, 900000000000, 2900000000000, 12};
  const struct {
    ShipReason reason;
    JudgeFlag flag;
    bool warmed;
    int64_t measured;
    int64_t limit;
    const char* words;
  } kBoth[] = {
      {ShipReason::kFoundItsLeftovers, JudgeFlag::kFasterThanMemory, false, 900000000000,
       1600000000000,
       "- 12 of 80 issues (15.0 %) were faster than the memory, which does 1,600.0 GB/s at best; "
       "the median issue made 900.0 GB/s. They found in L2 what an earlier round had left. Measure "
       "with L2 cold: pull other data between rounds. "},
      {ShipReason::kImpossibleGain, JudgeFlag::kGainAboveStandalone, false, 175000, 120000,
       "- The median gains at least 175.0 us of a round (1.75 %), but a warm can recover only "
       "120.0 us, which is what the stages take in the network beyond what they take alone. Look "
       "for the mistake: another difference between the arms, or a bound that is not of this "
       "build. "},
      {ShipReason::kTooFewRounds, JudgeFlag::kTooFewRounds, true, 12, 50,
       "- Of the rounds with the warm only 12 count after the start-up; at least 50 are needed. "
       "Measure more of them. "},
      {ShipReason::kTooFewRounds, JudgeFlag::kTooFewRounds, false, 1, 1234,
       "- Of the rounds without the warm only 1 counts after the start-up; at least 1,234 are "
       "needed. Measure more of them. "},
      {ShipReason::kNeverSteady, JudgeFlag::kNeverSteady, true, -98000, 49000,
       "- The rounds with the warm never become steady: from the first third to the last of those "
       "that count they get faster by 98.0 us (1.00 %); up to 49.0 us would be steady. Let it run "
       "longer before you measure. "},
      {ShipReason::kNeverSteady, JudgeFlag::kNeverSteady, false, 100000, 50000,
       "- The rounds without the warm never become steady: from the first third to the last of "
       "those that count they get slower by 100.0 us (1.00 %); up to 50.0 us would be steady. "},
      {ShipReason::kCardsDisagree, JudgeFlag::kCardsDisagree, false, 70000, 50000,
       "- Card 0 loses at least 70.0 us of a round by its median (0.70 %), where more than 50.0 us "
       "is too much, while card 0 gains. Find out what is different on card 0. "},
  };
  for (const auto& both : kBoth) {
    judgement_.flags.clear();
    const std::string reason = Because(both.reason, both.measured, both.limit, 0, both.warmed);
    EXPECT_THAT(reason, HasSubstr(both.words));
    EXPECT_THAT(reason, HasSubstr("suspicious nothing "));
    judgement_.reasons.clear();
    const std::string flag = Suspecting(both.flag, both.measured, both.limit, 0, both.warmed);
    EXPECT_THAT(flag, HasSubstr(absl::StrCat("Suspicious: ", both.words)));
    const std::string told = Because(both.reason, both.measured, both.limit, 0, both.warmed);
    EXPECT_EQ(Count(told, both.words), 1u);
    EXPECT_THAT(told, HasSubstr("suspicious nothing else"));
    // Of the other arm it is another thing.
    judgement_.flags[0].warmed = !both.warmed;
    EXPECT_THAT(Squeezed(Summary()), HasSubstr("Suspicious: - "));
  }
}

TEST_F(JudgementReport, SaysWhatIsMissingToKnowWhetherTheWarmWasCold) {
  const std::string unknown =
      "Suspicious: - Whether the warm pulled from memory, or found in L2 what an earlier round had "
      "left, is not known. To find out, give ";
  EXPECT_THAT(Suspecting(JudgeFlag::kColdNotShown, 0, 0),
              HasSubstr(unknown + "how long its issues took, how many bytes one pulls and how fast "
                                  "the memory is at best."));
  EXPECT_THAT(Summary(), HasSubstr("\nbandwidth     not known\n"));
  measurement_.warm_durations = {350000};
  EXPECT_THAT(Squeezed(Summary()), HasSubstr(unknown + "how many bytes one pulls and how fast"));
  measurement_.warm_bytes = 100663296;
  judgement_.bandwidth = {0, 1, 350000, 350000, 287609417142, 287609417142, 0};
  EXPECT_THAT(Squeezed(Summary()), HasSubstr(unknown + "how fast the memory is at best."));
  EXPECT_THAT(Summary(), HasSubstr("\n              1 issue of 100.7 MB\n"
                                   "              the memory's is not known\n"));
}

TEST_F(JudgementReport, SaysWhatTheTailDoes) {
  EXPECT_THAT(Suspecting(JudgeFlag::kTailEatsMean, -128000, -200000),
              HasSubstr("Suspicious: - Slow rounds eat the gain: the median gains 200.0 us (2.00 "
                        "%), the mean gains 128.0 us (1.28 %), 64.0 % of that. Look at what is "
                        "different in the slowest rounds with the warm."));
  EXPECT_THAT(Suspecting(JudgeFlag::kTailEatsP90, 40000, -200000),
              HasSubstr("the median gains 200.0 us (2.00 %), the p90 loses 40.0 us (0.40 %). Look "
                        "at what"));
}

TEST_F(JudgementReport, SaysWhichCards) {
  AddCard(3);
  EXPECT_THAT(Suspecting(JudgeFlag::kSlowCard, 13000000, 10500000, 3, true),
              HasSubstr("- Card 3 is slow with the warm: its median is 13,000.0 us, and beside the "
                        "other cards more than 10,500.0 us is slow. Others may wait for it: look "
                        "at its clock, its temperature and what else runs there."));
  EXPECT_THAT(Suspecting(JudgeFlag::kCardsDisagree, 70000, 0, 3),
              HasSubstr("- Card 3 loses at least 70.0 us of a round by its median (0.70 %), where "
                        "any loss is too much, while card 0 gains. Find out what is different on "
                        "card 3."));
  EXPECT_THAT(Suspecting(JudgeFlag::kTooFewRounds, 12, 50, 3, true),
              HasSubstr("- Of the rounds with the warm on card 3 only 12 count after"));
  EXPECT_THAT(Suspecting(JudgeFlag::kNeverSteady, 100000, 50000, 3, false),
              HasSubstr("- The rounds without the warm on card 3 never become steady"));
  EXPECT_THAT(Summary(), HasSubstr("\ndecides       card 0, the fastest of 2\n"));
  EXPECT_THAT(Summary(), HasSubstr("\n   3  with        300   40   9,800.0   [9,790.0, 9,815.0]"));
}

// 20 cards, of which the last but one has a flag and the last decides: these two, and the first 14.
TEST_F(JudgementReport, ShowsTheCardsThatStandOut) {
  for (uint32_t card = 1; card < 20; ++card) AddCard(card);
  judgement_.deciding_card = 19;
  const std::string summary = Suspecting(JudgeFlag::kSlowCard, 13000000, 10500000, 18);
  EXPECT_THAT(summary, HasSubstr(" 13 with 300 40 "));
  EXPECT_THAT(summary, Not(HasSubstr(" 14 with ")));
  EXPECT_THAT(summary, Not(HasSubstr(" 17 with ")));
  EXPECT_THAT(summary, HasSubstr(" 18 with 300 40 "));
  EXPECT_THAT(summary, HasSubstr(" 19 with 300 40 "));
  EXPECT_EQ(Count(summary, "and 4 other cards"), 2u);
  const std::string svg = Svg();
  EXPECT_EQ(Count(svg, ">card "), 8u);
  EXPECT_THAT(svg, HasSubstr(">card 5: median"));
  EXPECT_THAT(svg, Not(HasSubstr(">card 6: median")));
  EXPECT_THAT(svg, HasSubstr(">card 18: median"));
  EXPECT_THAT(svg, HasSubstr(">card 19, which decides: median"));
  EXPECT_THAT(svg, HasSubstr(">and 12 other cards<"));
}

TEST_F(JudgementReport, TellsManyFlagsOfAKindByTheirNumber) {
  for (uint32_t card = 1; card < 100; ++card) {
    AddCard(card);
    judgement_.flags.push_back({JudgeFlag::kNeverSteady, card, true, 100000, 50000});
  }
  judgement_.flags.push_back({JudgeFlag::kSlowCard, 7, true, 13000000, 10500000});
  const std::string summary = Squeezed(Summary());
  EXPECT_EQ(Count(summary, "never become steady"), 4u);
  EXPECT_THAT(summary, HasSubstr("- The same of 95 others. - Card 7 is slow with"));
}

// Interleaved, other units, another confidence, a gain to three digits.
TEST_F(JudgementReport, TellsWhatWasAskedFor) {
  options_.interleaved = true;
  options_.confidence_percent = 90;
  options_.units_per_second = 1000000;
  options_.least_gain_ppm = 5125;
  const std::string summary = Summary();
  EXPECT_THAT(summary, HasSubstr("\nleast gain    50,000 units, 0.5125 % of the median"));
  EXPECT_THAT(summary, HasSubstr("\nintervals     90 %, from 2,000 resamples of interleaved "
                                 "rounds\n"));
  EXPECT_THAT(summary, HasSubstr("\nRounds, in units; the start-up"));
  EXPECT_THAT(summary, HasSubstr("\n   0  without     300    0  10,000,000  "));
  EXPECT_THAT(summary, HasSubstr("\n   0  median  -200,000  [-220,000, -175,000]  -2.00  "));
}

// The sentence of a gain is one word longer than a line, which would end between "0.50" and "%".
TEST_F(JudgementReport, BreaksNoLineBehindANumber) {
  options_.units_per_second = 1;
  for (uint64_t least = 50000; least < UINT64_MAX / 100; least *= 10) {
    judgement_.least_gain = least;
    for (const ShipReason reason : {ShipReason::kGainIsSure, ShipReason::kMedianUndecided,
                                    ShipReason::kTooFewRounds, ShipReason::kNeverSteady}) {
      judgement_.reasons = {{reason, 0, false, -175000, -50000}};
      std::vector<std::string> lines = absl::StrSplit(Summary(), '\n');
      for (size_t i = 0; !lines[i + 2].empty(); ++i) {
        ASSERT_FALSE(absl::ascii_isdigit(lines[i + 2].back())) << lines[i + 2];
      }
    }
  }
}

// Short rounds have more decimals: a part in ten thousand shows.
TEST_F(JudgementReport, HasTheDecimalsThatARoundWants) {
  judgement_.series[0].median = {1234567, 1234000, 1235000};
  EXPECT_THAT(Summary(), HasSubstr(" 1,234.57  "));
  judgement_.series[0].median = {123456, 123000, 124000};
  EXPECT_THAT(Summary(), HasSubstr(" 123.456  "));
}

TEST_F(JudgementReport, FitsTheScreenWhateverTheNumbers) {
  options_.memory_bandwidth = 1;
  measurement_.warm_bytes = UINT64_MAX;
  const uint64_t longest = (uint64_t{1} << 60) - 1;
  for (const uint64_t units : {uint64_t{1000000000}, uint64_t{1}}) {
    options_.units_per_second = units;
    for (uint64_t size = 1; size <= longest / 7; size *= 7) {
      judgement_.cards.clear();
      judgement_.series.clear();
      AddCard(std::numeric_limits<uint32_t>::max());
      judgement_.deciding_card = judgement_.cards[0].card;
      for (SeriesJudgement& series : judgement_.series) {
        series.rounds = 2147483647;
        series.first_steady_round = 1073741823;
        series.median = series.mean = series.p90 = {size, size, size * 7};
      }
      const int64_t change = -static_cast<int64_t>(size);
      CardJudgement& card = judgement_.cards[0];
      card.median = card.mean = card.p90 = {change, change, -7 * change};
      judgement_.least_gain = size;
      judgement_.bandwidth = {0, UINT64_MAX, size, size, UINT64_MAX, UINT64_MAX, UINT64_MAX};
      judgement_.flags.clear();
      for (int flag = 0; flag <= static_cast<int>(JudgeFlag::kCardsDisagree); ++flag) {
        judgement_.flags.push_back(
            {static_cast<JudgeFlag>(flag), card.card, true, change, -change});
      }
      for (const absl::string_view line : absl::StrSplit(Summary(), '\n')) {
        ASSERT_LE(line.size(), 100u) << line;
      }
    }
  }
  EXPECT_THAT(Summary(), HasSubstr("over 18,446,744,073.7 GB/s"));
}

TEST_F(JudgementReport, IsOfNumbersThatNoJudgeWouldGive) {
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  judgement_.reasons = {{ShipReason::kGainIsSure, 9, true, kLeast, kLeast},
                        {ShipReason::kTooFewRounds, 9, true, kLeast, kLeast}};
  judgement_.flags = {{JudgeFlag::kCardsDisagree, 9, true, kLeast, kLeast}};
  judgement_.more_rounds = 0;
  judgement_.least_gain = UINT64_MAX;
  judgement_.cards[0].median = {kLeast, kLeast, INT64_MAX};
  judgement_.series[0].rounds = judgement_.series[0].first_steady_round = UINT64_MAX;
  judgement_.series[0].median = {UINT64_MAX, 0, UINT64_MAX};
  judgement_.series[1].median = {0, UINT64_MAX, 0};
  EXPECT_THAT(Summary(), HasSubstr("-50.00"));  // 2^63 of 2^64 - 1
  EXPECT_TRUE(IsXml(Svg()));
  judgement_.series[0].median = {0, 0, 0};
  EXPECT_THAT(Summary(), EndsWith(".\n"));
  EXPECT_TRUE(IsXml(Svg()));
  judgement_.series[0].median = {1, 1, 1};
  EXPECT_THAT(Summary(), HasSubstr("->9,999"));
  options_.units_per_second = 1;
  EXPECT_THAT(Summary(), HasSubstr("rounds.csv"));
  judgement_.deciding_card = 5;
  EXPECT_THAT(Summary(), HasSubstr("rounds.csv"));
  EXPECT_TRUE(IsXml(Svg()));
  const JudgementCase nothing = {&measurement_, &options_, new WarmJudgement()};
  EXPECT_THAT(JudgementSummary("none", nothing), StartsWith("none: measure more"));
  EXPECT_TRUE(IsXml(JudgementSvg("none", nothing)));
  delete nothing.judgement;
}

// Times from 9,800 us less 100 to 10,200 us plus 400 (what lies between the tenth and the
// ninetieth): 9,600 to 10,600 us are 180 pixels, 300 rounds 840.
TEST_F(JudgementReport, DrawsRoundsMediansAndStartUpsWhereTheyBelong) {
  measurement_.series[0].times[299] = 10600001;
  measurement_.series[1].times[0] = 1;
  const std::string svg = Svg();
  EXPECT_TRUE(IsXml(svg));
  EXPECT_EQ(svg, Svg());
  EXPECT_THAT(svg, HasSubstr(">rounds.csv: ship</text>"));
  EXPECT_THAT(svg, HasSubstr(">median 10,000.0 -&gt; 9,800.0 us (-2.00 %)</text>"));
  EXPECT_THAT(svg, HasSubstr(">1 round beyond the top, the slowest 10,600.0 us; 1 round beyond "
                             "the bottom</text>"));
  // The panel is from 78 to 258. 10,000 us are 400 of 1,000 above the bottom: 72 pixels.
  EXPECT_THAT(svg, HasSubstr("<path class=\"o m\" d=\"M96 186H936\"/>"));
  // 40 rounds are 112 pixels; 9,800 us are 36 above the bottom.
  EXPECT_THAT(svg, HasSubstr("<path class=\"w m\" d=\"M208 222H936\"/>"));
  EXPECT_THAT(svg, HasSubstr("<path class=\"w c\" d=\"M208 78v180\"/>"));
  EXPECT_THAT(svg,
              HasSubstr("<rect class=\"w u\" x=\"96\" y=\"78\" width=\"112\" height=\"180\"/>"));
  EXPECT_THAT(svg, Not(HasSubstr("class=\"o u\"")));
  // 9,815 us: 38.7 pixels; 9,790 us: 34.2.
  EXPECT_THAT(svg, HasSubstr("<rect class=\"w v\" x=\"208\" y=\"219.30\" width=\"728\" "
                             "height=\"4.50\"><title>with the warm: median 9,800.0 us, interval "
                             "9,790.0 to 9,815.0 us</title></rect>"));
  // A round is 2.8 pixels, drawn in its middle; the last is at the top, the first at the bottom.
  EXPECT_THAT(svg, HasSubstr("<path class=\"o d\" d=\"M97.40 186h0M100.20 186h0"));
  EXPECT_THAT(svg, HasSubstr("M934.60 78h0\"/>"));
  EXPECT_THAT(svg, HasSubstr("<path class=\"w d\" d=\"M97.40 258h0M100.20 222h0"));
  EXPECT_THAT(svg, HasSubstr("<path class=\"a\" d=\"M96 186h-5\"/><text class=\"e\" x=\"88\" "
                             "y=\"190\">10,000.0</text>"));
  EXPECT_THAT(svg, HasSubstr("d=\"M96 258v5\"/><text class=\"t\" x=\"96\" y=\"276\">0</text>"));
  EXPECT_THAT(svg, HasSubstr("x=\"936\" y=\"276\">300</text>"));
  EXPECT_THAT(svg, HasSubstr(">median and its 95 % interval</text>"));
}

// 420 columns of 100 rounds: 99 take the median, one is far out.
TEST_F(JudgementReport, DrawsManyRoundsAsBars) {
  for (RoundSeries& series : measurement_.series) {
    series.times.resize(42000, series.times[0]);
    for (size_t i = 0; i < series.times.size(); i += 100) series.times[i] = 20000000;
  }
  const std::string svg = Svg();
  EXPECT_TRUE(IsXml(svg));
  EXPECT_THAT(svg, HasSubstr(">a bar has the least to the most of several rounds; 840 rounds "
                             "beyond the top, the slowest 20,000.0 us</text>"));
  EXPECT_THAT(svg, HasSubstr("<path class=\"o b\" d=\"M97 186V78M99 186V78"));
  EXPECT_THAT(svg, HasSubstr("M935 186V78\"/>"));
  EXPECT_THAT(svg, HasSubstr("<path class=\"o l\" d=\"M96 186h2M98 186h2"));
  EXPECT_EQ(Count(svg, "h2M"), 2 * 419u);
}

TEST_F(JudgementReport, StaysSmallHoweverManyRoundsThereAre) {
  for (uint32_t card = 1; card < 30; ++card) {
    AddCard(card);
    for (const bool warmed : {false, true}) {
      RoundSeries& series = measurement_.series.emplace_back();
      series.card = card;
      series.warmed = warmed;
      for (uint64_t i = 0; i < 30000; ++i) {
        series.times.push_back(1 + i * 0x9e3779b97f4a7c15u % 20000000);
      }
    }
  }
  const std::string svg = Svg();
  EXPECT_TRUE(IsXml(svg));
  EXPECT_LT(Count(svg, "<rect") + Count(svg, "<path") + Count(svg, "<text"), 400u);
  EXPECT_LT(svg.size(), 300000u);
}

TEST_F(JudgementReport, DrawsArmsOfUnequalLengthAndNone) {
  measurement_.series[1].times.resize(100);
  EXPECT_THAT(Svg(), HasSubstr("<path class=\"w m\" d=\"M208 222H376\"/>"));  // 96 + 280
  measurement_.series[1].times.clear();
  EXPECT_TRUE(IsXml(Svg()));
  measurement_.series.clear();
  EXPECT_TRUE(IsXml(Svg()));
  EXPECT_THAT(Svg(), Not(HasSubstr("class=\"w d\"")));
}

TEST_F(JudgementReport, ShowsAHostileTitleAsText) {
  const std::string hostile = "<a b=\"&'\x01\n\xff>";
  const std::string svg = JudgementSvg(hostile, Case());
  EXPECT_TRUE(IsXml(svg));
  EXPECT_EQ(Count(svg, "&lt;a b=&quot;&amp;'???&gt;: ship<"), 2u);  // on the page, and its title
  EXPECT_LT(JudgementSvg(std::string(100000, 'x'), Case()).size(), 30000u);
}

}  // namespace
}  // namespace report
}  // namespace torqsched
