// The judge on series of known truth: 200 seeds a kind. Right in at least 95 % of the seeds of each
// kind; ships at most 1 % of the seeds of all kinds that must not ship.
//
// Every seed draws its noise (0.2 to 1.5 % of a round), correlation (0 to 0.5), drift (to 0.2 %),
// rounds (200 to 2,000) and cards (1 to 8).
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>

#include "gtest/gtest.h"
#include "src/warm/judge.h"
#include "tests/warm/synthetic_series.h"

namespace torqsched {
namespace {

constexpr int kSeeds = 200;
constexpr uint64_t kMemory = 1600000000000;  // bytes a second

struct Rates {
  int right = 0;
  int shipped = 0;
  int measure_more = 0;
};

// Of kinds that must not ship, over all tests of this file that ran.
int must_not_ship = 0;
int shipped_wrongly = 0;

Scene DrawScene(Dice* dice) {
  constexpr uint32_t kCards[] = {1, 1, 1, 2, 4, 8};
  Scene scene;
  scene.noise = 0.002 * std::pow(7.5, dice->Uniform());
  scene.correlation = dice->Between(0, 0.5);
  scene.drift = dice->Between(0, 0.002);
  scene.rounds = static_cast<uint64_t>(200 * std::pow(10, dice->Uniform()));
  scene.cards = kCards[static_cast<int>(dice->Uniform() * 6)];
  scene.timed_rounds = 0;
  return scene;
}

// So many rounds that half an interval, with the drift, is well within the least gain.
bool Enough(const Scene& scene) {
  const double alike = (1 + scene.correlation) / (1 - scene.correlation);
  const double rounds = 0.9 * static_cast<double>(scene.rounds) / alike;
  const double half = 2.1 * 1.2533 * scene.noise * std::sqrt(2 / rounds);
  return 2 * half + scene.drift < 0.005;
}

using SceneChange = std::function<void(Scene*, Dice*)>;
using IsRight = std::function<bool(const Scene&, const WarmJudgement&)>;

Rates RatesOf(uint64_t kind, const SceneChange& change, const IsRight& is_right) {
  Rates rates;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    Dice dice(kind * 1000003 + seed);
    Scene scene = DrawScene(&dice);
    change(&scene, &dice);
    JudgeOptions options;
    options.memory_bandwidth = kMemory;
    options.resamples = 500;  // a quarter of the default, for the time it takes
    const WarmJudgement judgement = *JudgeWarm(MakeMeasurement(scene, kind * 7919 + seed), options);
    rates.right += is_right(scene, judgement);
    rates.shipped += judgement.verdict == ShipVerdict::kShip;
    rates.measure_more += judgement.verdict == ShipVerdict::kMeasureMore;
  }
  ::testing::Test::RecordProperty("right", rates.right);
  ::testing::Test::RecordProperty("shipped", rates.shipped);
  ::testing::Test::RecordProperty("measure_more", rates.measure_more);
  return rates;
}

bool Ships(const Scene&, const WarmJudgement& judgement) {
  return judgement.verdict == ShipVerdict::kShip;
}

// Not shipped, and refused where the rounds suffice to tell.
bool RefusesIfRoundsSuffice(const Scene& scene, const WarmJudgement& judgement) {
  return judgement.verdict == ShipVerdict::kDoNotShip ||
         (judgement.verdict == ShipVerdict::kMeasureMore && !Enough(scene));
}

bool HasFlag(const WarmJudgement& judgement, JudgeFlag flag) {
  return std::any_of(judgement.flags.begin(), judgement.flags.end(),
                     [flag](const RaisedFlag& raised) { return raised.flag == flag; });
}

bool HasReason(const WarmJudgement& judgement, ShipReason reason) {
  return std::any_of(judgement.reasons.begin(), judgement.reasons.end(),
                     [reason](const GivenReason& given) { return given.reason == reason; });
}

void ExpectRight(const Rates& rates) {
  EXPECT_GE(rates.right, kSeeds * 95 / 100)
      << "shipped " << rates.shipped << ", measure more " << rates.measure_more;
}

// The rate of the kind itself may be 2 % by chance; that of all is checked at the end.
void ExpectNeverShips(const Rates& rates) {
  EXPECT_LE(rates.shipped, kSeeds * 2 / 100);
  must_not_ship += kSeeds;
  shipped_wrongly += rates.shipped;
}

TEST(JudgeRatesTest, WarmWithoutEffectIsNotShippedAndRefusedWhereRoundsSuffice) {
  int enough = 0;
  const Rates rates = RatesOf(
      1, [&enough](Scene* scene, Dice*) { enough += Enough(*scene); }, RefusesIfRoundsSuffice);
  ExpectRight(rates);
  ExpectNeverShips(rates);
  EXPECT_GE(enough, kSeeds / 2);  // the question was put
}

TEST(JudgeRatesTest, GainOfTwoPercentIsShipped) {
  ExpectRight(RatesOf(
      2, [](Scene* scene, Dice*) { scene->effect = -0.02; }, Ships));
}

void AddStartUp(Scene* scene, Dice* dice) {
  scene->start_up = {0.023, dice->Between(1500, 5000), 0, Arms::kWith};
}

TEST(JudgeRatesTest, StartUpIsNotChargedToAWarmThatGains) {
  const auto change = [](Scene* scene, Dice* dice) {
    scene->effect = -0.02;
    AddStartUp(scene, dice);
  };
  ExpectRight(RatesOf(3, change, Ships));
}

TEST(JudgeRatesTest, StartUpOfAWarmWithoutEffectMakesNoGain) {
  const Rates rates = RatesOf(4, AddStartUp, RefusesIfRoundsSuffice);
  ExpectRight(rates);
  ExpectNeverShips(rates);
}

TEST(JudgeRatesTest, StartUpOfBothProcessesMakesNoGain) {
  const auto change = [](Scene* scene, Dice* dice) {
    AddStartUp(scene, dice);
    scene->start_up.arms = Arms::kBoth;
    scene->rounds = std::max<uint64_t>(scene->rounds, 400);
  };
  const Rates rates = RatesOf(5, change, [](const Scene&, const WarmJudgement& judgement) {
    return judgement.verdict != ShipVerdict::kShip;
  });
  ExpectRight(rates);
  ExpectNeverShips(rates);
}

// The tail takes all of the median's gain, or up to one percent more.
TEST(JudgeRatesTest, GainThatItsTailEatsIsNotShippedAndTheTailIsNamed) {
  const auto change = [](Scene* scene, Dice* dice) {
    scene->effect = -0.02;
    scene->tail_with.chance = dice->Between(0.08, 0.2);
    scene->tail_with.mean_share = dice->Between(0.0205, 0.03) / scene->tail_with.chance;
  };
  const Rates rates = RatesOf(6, change, [](const Scene&, const WarmJudgement& judgement) {
    return judgement.verdict != ShipVerdict::kShip && HasFlag(judgement, JudgeFlag::kTailEatsMean);
  });
  ExpectRight(rates);
  ExpectNeverShips(rates);
}

TEST(JudgeRatesTest, GainUnderAHeavyTailOfBothArmsIsShipped) {
  const auto change = [](Scene* scene, Dice* dice) {
    scene->effect = -0.02;
    scene->tail_with = {dice->Between(0.02, 0.08), dice->Between(0.04, 0.1)};
    scene->tail_without = scene->tail_with;
  };
  int flagged = 0;
  ExpectRight(RatesOf(7, change, [&flagged](const Scene& scene, const WarmJudgement& judgement) {
    flagged += HasFlag(judgement, JudgeFlag::kTailEatsP90);
    return Ships(scene, judgement);
  }));
  EXPECT_LE(flagged, kSeeds * 5 / 100);
}

// Rare slow rounds of both arms, by chance more of them with the warm.
TEST(JudgeRatesTest, AccidentOfATailRaisesNoFlag) {
  const auto change = [](Scene* scene, Dice*) {
    scene->rounds = 150;
    scene->effect = -0.02;
    scene->tail_with = scene->tail_without = {0.05, 0.2};
  };
  ExpectRight(RatesOf(12, change, [](const Scene&, const WarmJudgement& judgement) {
    return !HasFlag(judgement, JudgeFlag::kTailEatsMean);
  }));
}

TEST(JudgeRatesTest, SelfWarmedBenchmarkIsMeasuredAgainCold) {
  const auto change = [](Scene* scene, Dice* dice) {
    scene->effect = dice->Between(-0.03, 0);
    scene->issue = dice->Between(30e3, 45e3);
    scene->timed_rounds = 20;
  };
  const Rates rates = RatesOf(8, change, [](const Scene&, const WarmJudgement& judgement) {
    return judgement.verdict == ShipVerdict::kMeasureMore &&
           HasReason(judgement, ShipReason::kFoundItsLeftovers);
  });
  ExpectRight(rates);
  ExpectNeverShips(rates);
}

void SlowOneOfEight(Arms arms, Scene* scene, Dice* dice) {
  scene->cards = 8;
  scene->rounds = std::min<uint64_t>(scene->rounds, 600);
  scene->slow = arms;
  scene->slow_factor = dice->Between(1.1, 2);
}

bool NamesOneSlowCard(const WarmJudgement& judgement) {
  return HasFlag(judgement, JudgeFlag::kSlowCard) &&
         std::none_of(
             judgement.flags.begin(), judgement.flags.end(), [&](const RaisedFlag& raised) {
               return raised.flag == JudgeFlag::kSlowCard && raised.card == judgement.deciding_card;
             });
}

// Half of the seeds: it is slow without the warm only, as if the warm had helped it.
TEST(JudgeRatesTest, SlowCardDoesNotHideAGain) {
  const auto change = [](Scene* scene, Dice* dice) {
    SlowOneOfEight(dice->Uniform() < 0.5 ? Arms::kBoth : Arms::kWithout, scene, dice);
    scene->effect = -0.02;
  };
  ExpectRight(RatesOf(9, change, [](const Scene& scene, const WarmJudgement& judgement) {
    return Ships(scene, judgement) && NamesOneSlowCard(judgement);
  }));
}

TEST(JudgeRatesTest, SlowCardMakesNoGain) {
  const auto change = [](Scene* scene, Dice* dice) {
    SlowOneOfEight(dice->Uniform() < 0.5 ? Arms::kBoth : Arms::kWithout, scene, dice);
  };
  const Rates rates = RatesOf(10, change, [](const Scene& scene, const WarmJudgement& judgement) {
    return RefusesIfRoundsSuffice(scene, judgement) && NamesOneSlowCard(judgement);
  });
  ExpectRight(rates);
  ExpectNeverShips(rates);
}

// Is it the warm's doing, or the card's? Nothing here tells.
TEST(JudgeRatesTest, CardThatIsSlowWithTheWarmOnlyIsLookedAtBeforeItShips) {
  const auto change = [](Scene* scene, Dice* dice) {
    SlowOneOfEight(Arms::kWith, scene, dice);
    scene->effect = -0.02;
  };
  const Rates rates = RatesOf(11, change, [](const Scene&, const WarmJudgement& judgement) {
    return judgement.verdict == ShipVerdict::kMeasureMore && NamesOneSlowCard(judgement) &&
           HasFlag(judgement, JudgeFlag::kCardsDisagree);
  });
  ExpectRight(rates);
  ExpectNeverShips(rates);
}

TEST(JudgeRatesTest, ZAllKindsTogetherShipAtMostOnePercentWrongly) {
  EXPECT_LE(shipped_wrongly * 100, must_not_ship);
  RecordProperty("shipped_wrongly", shipped_wrongly);
}

// What measure more promises: so many further rounds, and there is a verdict.
TEST(JudgeRatesTest, MoreRoundsSettleWhatWasUndecided) {
  int undecided = 0;
  int settled = 0;
  for (uint64_t seed = 0; seed < 150; ++seed) {
    Scene scene;
    scene.noise = 0.018;
    scene.rounds = 120;
    scene.timed_rounds = 0;
    const WarmJudgement few = *JudgeWarm(MakeMeasurement(scene, seed), {});
    if (!few.more_rounds.has_value() || *few.more_rounds > 20000) continue;
    ++undecided;
    scene.rounds += *few.more_rounds;
    const WarmJudgement more = *JudgeWarm(MakeMeasurement(scene, seed + 1000), {});
    settled += more.verdict == ShipVerdict::kDoNotShip;
  }
  EXPECT_GE(undecided, 50);
  EXPECT_GE(settled * 100, undecided * 70) << undecided;
}

}  // namespace
}  // namespace torqsched
