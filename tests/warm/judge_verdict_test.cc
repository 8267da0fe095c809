// Verdicts of intervals and flags made by hand: a round of 1,000,000, of which 5,000 are the least
// gain.
#include "src/warm/judge_verdict.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "src/warm/judgement.h"

namespace torqsched {
namespace {

constexpr Change kSureGain = {-20000, -22000, -18000};

// Card 4 decides, of two; each arm has 100 rounds.
WarmJudgement Evidence(const Change& median, const Change& mean) {
  WarmJudgement judgement;
  judgement.deciding_card = 4;
  judgement.least_gain = 5000;
  for (const uint32_t card : {3u, 4u}) {
    for (const bool warmed : {false, true}) {
      SeriesJudgement series;
      series.card = card;
      series.warmed = warmed;
      series.rounds = series.rounds_used = 100;
      series.median.value = 1000000;
      judgement.series.push_back(series);
    }
    CardJudgement judged;
    judged.card = card;
    judged.median = median;
    judged.mean = mean;
    judged.cautious_mean_high = mean.high;
    judgement.cards.push_back(judged);
  }
  return judgement;
}

WarmJudgement Decided(WarmJudgement judgement, const JudgeOptions& options = {}) {
  Decide(options, &judgement);
  return judgement;
}

std::vector<ShipReason> ReasonsOf(const WarmJudgement& judgement) {
  std::vector<ShipReason> reasons;
  for (const GivenReason& given : judgement.reasons) reasons.push_back(given.reason);
  return reasons;
}

using Reasons = std::vector<ShipReason>;

TEST(DecideTest, MeanThatKeepsTheGainNeedsOnlyNotToBeALoss) {
  EXPECT_EQ(Decided(Evidence(kSureGain, {-16000, -31000, -1000})).verdict, ShipVerdict::kShip);
  const WarmJudgement loss = Decided(Evidence(kSureGain, {-16000, -31000, 1000}));
  EXPECT_EQ(loss.verdict, ShipVerdict::kMeasureMore);
  EXPECT_EQ(ReasonsOf(loss), Reasons{ShipReason::kMeanUndecided});
  EXPECT_EQ(loss.reasons[0].measured, 32000);  // the interval's width
  EXPECT_EQ(loss.reasons[0].limit, 32000);     // twice from -16,000 to 0
}

TEST(DecideTest, MeanThatKeepsLessMustReachTheLeastGainItself) {
  EXPECT_EQ(Decided(Evidence(kSureGain, {-14000, -24000, -1000})).verdict,
            ShipVerdict::kMeasureMore);
  EXPECT_EQ(Decided(Evidence(kSureGain, {-14000, -23000, -5000})).verdict, ShipVerdict::kShip);
}

TEST(DecideTest, CautiousEndOfTheMeanDecidesNotItsInterval) {
  WarmJudgement judgement = Evidence(kSureGain, {-16000, -31000, -1000});
  judgement.cards[1].cautious_mean_high = 1;
  EXPECT_EQ(Decided(judgement).verdict, ShipVerdict::kMeasureMore);
}

TEST(DecideTest, TailThatIsSureTurnsAnUndecidedMeanIntoARefusal) {
  WarmJudgement judgement = Evidence(kSureGain, {-4000, -14000, 6000});
  EXPECT_EQ(Decided(judgement).verdict, ShipVerdict::kMeasureMore);
  judgement.flags.push_back({JudgeFlag::kTailEatsMean, 4, false, -4000, -20000});
  const WarmJudgement refused = Decided(judgement);
  EXPECT_EQ(refused.verdict, ShipVerdict::kDoNotShip);
  EXPECT_EQ(ReasonsOf(refused), Reasons{ShipReason::kTailEatsGain});
  // What it leaves may still be enough.
  judgement.cards[1].mean.value = -6000;
  EXPECT_EQ(Decided(judgement).verdict, ShipVerdict::kMeasureMore);
}

TEST(DecideTest, UndecidedMedianSaysWhatWidthAndHowManyRoundsWouldDo) {
  const WarmJudgement judged = Decided(Evidence({0, -10000, 10000}, {0, -4000, 4000}));
  // The mean surely gains too little, whatever the median does.
  EXPECT_EQ(judged.verdict, ShipVerdict::kDoNotShip);
  const WarmJudgement both = Decided(Evidence({0, -10000, 10000}, {0, -6000, 6000}));
  EXPECT_EQ(both.verdict, ShipVerdict::kMeasureMore);
  EXPECT_EQ(ReasonsOf(both), (Reasons{ShipReason::kMedianUndecided, ShipReason::kMeanUndecided}));
  EXPECT_EQ(both.reasons[0].measured, 20000);
  EXPECT_EQ(both.reasons[0].limit, 10000);
  // 100 rounds * (1.5 * 10,000 / 5,000)^2.
  EXPECT_EQ(both.more_rounds, std::optional<uint64_t>(800));
}

TEST(DecideTest, CardThatDoesNotDecideMayBeUnsteady) {
  WarmJudgement judgement = Evidence(kSureGain, kSureGain);
  judgement.series[1].steady = false;
  judgement.series[1].level_change = 30000;
  judgement.flags.push_back({JudgeFlag::kNeverSteady, 3, true, 30000, 5000});
  EXPECT_EQ(Decided(judgement).verdict, ShipVerdict::kShip);
  // Nor does it speak where the other is undecided.
  judgement.cards[1].median = {0, -10000, 10000};
  EXPECT_EQ(ReasonsOf(Decided(judgement)), Reasons{ShipReason::kMedianUndecided});
}

WarmJudgement Drifting(int64_t without, int64_t with) {
  WarmJudgement judgement = Evidence(kSureGain, kSureGain);
  for (const auto& [position, change] : {std::pair(2, without), std::pair(3, with)}) {
    judgement.series[position].steady = false;
    judgement.series[position].level_change = change;
    judgement.flags.push_back({JudgeFlag::kNeverSteady, 4, position == 3, change, 5000});
  }
  return judgement;
}

TEST(DecideTest, LevelThatMovesTowardsTheGainIsHarmlessAgainstItNot) {
  EXPECT_EQ(Decided(Drifting(6000, -6000)).verdict, ShipVerdict::kShip);
  EXPECT_EQ(Decided(Drifting(-6600, 0)).verdict, ShipVerdict::kMeasureMore);
  EXPECT_EQ(Decided(Drifting(0, 6600)).verdict, ShipVerdict::kMeasureMore);
  EXPECT_EQ(Decided(Drifting(0, 6500)).verdict, ShipVerdict::kShip);  // -18,000 + 13,000
}

TEST(DecideTest, InterleavedArmsMayMoveTogether) {
  EXPECT_EQ(Decided(Drifting(40000, 40000)).verdict, ShipVerdict::kMeasureMore);
  JudgeOptions options;
  options.interleaved = true;
  EXPECT_EQ(Decided(Drifting(40000, 40000), options).verdict, ShipVerdict::kShip);
  EXPECT_EQ(Decided(Drifting(40000, 46600), options).verdict, ShipVerdict::kMeasureMore);
}

}  // namespace
}  // namespace torqsched
