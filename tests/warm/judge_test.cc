// The judge by hand-made numbers: the source's own figures, every flag on and off, errors, edges.
#include "src/warm/judge.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "src/stream/error.h"
#include "tests/warm/synthetic_series.h"

namespace torqsched {
namespace {

using Times = std::vector<uint64_t>;

// The median is `level`, the rounds about it are level -spread, level, level + spread in turn.
Times Around(uint64_t level, uint64_t spread, size_t rounds = 300) {
  Times times;
  for (size_t i = 0; i < rounds; ++i) times.push_back(level + spread * (i % 3) - spread);
  return times;
}

WarmMeasurement Measured(Times without, Times with) {
  WarmMeasurement measurement;
  measurement.series = {{0, false, std::move(without)}, {0, true, std::move(with)}};
  return measurement;
}

void AddCard(uint32_t card, Times without, Times with, WarmMeasurement* measurement) {
  measurement->series.push_back({card, false, std::move(without)});
  measurement->series.push_back({card, true, std::move(with)});
}

WarmJudgement Judge(const WarmMeasurement& measurement, const JudgeOptions& options = {}) {
  absl::StatusOr<WarmJudgement> judgement = JudgeWarm(measurement, options);
  EXPECT_TRUE(judgement.ok()) << judgement.status();
  return judgement.ok() ? *std::move(judgement) : WarmJudgement();
}

const RaisedFlag* FlagOf(const WarmJudgement& judgement, JudgeFlag flag) {
  for (const RaisedFlag& raised : judgement.flags) {
    if (raised.flag == flag) return &raised;
  }
  return nullptr;
}

bool Reasoned(const WarmJudgement& judgement, ShipReason reason) {
  return std::any_of(judgement.reasons.begin(), judgement.reasons.end(),
                     [reason](const GivenReason& given) { return given.reason == reason; });
}

// Everything in it, so that two can be compared.
std::string TextOf(const WarmJudgement& j) {
  std::string text = absl::StrCat(j.deciding_card, " ", j.least_gain, " ", int(j.verdict), " ",
                                  j.more_rounds.value_or(0), " ", j.resamples, "\n");
  const auto add = [&text](const auto& e) {
    absl::StrAppend(&text, " ", e.value, " ", e.low, " ", e.high);
  };
  for (const SeriesJudgement& s : j.series) {
    absl::StrAppend(&text, s.card, s.warmed, " ", s.rounds, " ", s.first_steady_round, " ",
                    s.rounds_used, " ", s.steady, " ", s.level_change, " ", s.blocks);
    add(s.median);
    add(s.mean);
    add(s.p90);
  }
  for (const CardJudgement& c : j.cards) {
    absl::StrAppend(&text, "\n", c.card, c.slow_without, c.slow_with, " ", c.cautious_mean_high);
    add(c.median);
    add(c.mean);
    add(c.p90);
  }
  absl::StrAppend(&text, "\n", j.bandwidth.first_issue, " ", j.bandwidth.issues, " ",
                  j.bandwidth.median, " ", j.bandwidth.best, " ", j.bandwidth.leftover_issues);
  for (const auto& f : j.flags) {
    absl::StrAppend(&text, "\nf", int(f.flag), " ", f.card, f.warmed, " ", f.measured, " ",
                    f.limit);
  }
  for (const auto& r : j.reasons) {
    absl::StrAppend(&text, "\nr", int(r.reason), " ", r.card, r.warmed, " ", r.measured, " ",
                    r.limit);
  }
  return text;
}

// 34423.7 us -> 33424.2 us, -2.90 %; 35685.9 us -> 34711.7 us, -2.73 %.
TEST(JudgeTest, SourcesWarmShipsOnTwoRanksAndOnEight) {
  const WarmJudgement two = Judge(Measured(Around(34423700, 50000), Around(33424200, 50000)));
  EXPECT_EQ(two.verdict, ShipVerdict::kShip);
  EXPECT_EQ(two.cards[0].median.value, -999500);
  EXPECT_EQ(two.least_gain, 172118u);
  WarmMeasurement eight;
  for (uint32_t card = 0; card < 8; ++card) {
    const uint64_t later = card == 5 ? 0 : 40000 * (card + 1);
    AddCard(card, Around(35685900 + later, 50000), Around(34711700 + later, 50000), &eight);
  }
  const WarmJudgement judged = Judge(eight);
  EXPECT_EQ(judged.verdict, ShipVerdict::kShip);
  EXPECT_EQ(judged.deciding_card, 5u);
  EXPECT_EQ(judged.cards[5].median.value, -974200);
  ASSERT_EQ(judged.reasons.size(), 1u);
  EXPECT_EQ(judged.reasons[0].reason, ShipReason::kGainIsSure);
  EXPECT_LE(judged.reasons[0].measured, judged.reasons[0].limit);
}

// +3.03 %: the warm evicts itself.
TEST(JudgeTest, WarmThatEvictsItselfIsRefused) {
  const WarmJudgement judged = Judge(Measured(Around(34423700, 50000), Around(35466700, 50000)));
  EXPECT_EQ(judged.verdict, ShipVerdict::kDoNotShip);
  EXPECT_TRUE(Reasoned(judged, ShipReason::kMedianGainsTooLittle));
  EXPECT_TRUE(Reasoned(judged, ShipReason::kMeanGainsTooLittle));
  EXPECT_FALSE(judged.more_rounds.has_value());
}

TEST(JudgeTest, LeastGainIsReachedExactlyOrNot) {
  const auto verdict = [](uint64_t with, uint32_t ppm) {
    JudgeOptions options;
    options.least_gain_ppm = ppm;
    return Judge(Measured(Times(100, 1000000), Times(100, with)), options).verdict;
  };
  EXPECT_EQ(verdict(995000, 5000), ShipVerdict::kShip);
  EXPECT_EQ(verdict(995001, 5000), ShipVerdict::kDoNotShip);
  EXPECT_EQ(verdict(999999, 0), ShipVerdict::kShip);
  EXPECT_EQ(verdict(1000000, 0), ShipVerdict::kDoNotShip);
}

WarmMeasurement SelfWarmed(uint64_t duration) {
  WarmMeasurement measurement = Measured(Around(34423700, 50000), Around(33424200, 50000));
  measurement.warm_bytes = kPairBytes;
  measurement.warm_durations = Times(860, duration);
  return measurement;
}

JudgeOptions WithMemory() {
  JudgeOptions options;
  options.memory_bandwidth = 1600000000000;
  return options;
}

// 100.7 MB in 35 us: 2.9 TB/s.
TEST(JudgeTest, WarmFasterThanMemoryIsMeasuredAgainNeverShipped) {
  const WarmJudgement judged = Judge(SelfWarmed(35000), WithMemory());
  EXPECT_EQ(judged.verdict, ShipVerdict::kMeasureMore);
  EXPECT_TRUE(Reasoned(judged, ShipReason::kFoundItsLeftovers));
  EXPECT_FALSE(judged.more_rounds.has_value());
  const RaisedFlag* flag = FlagOf(judged, JudgeFlag::kFasterThanMemory);
  ASSERT_NE(flag, nullptr);
  EXPECT_EQ(flag->measured, 2876094171428);
  EXPECT_EQ(flag->limit, 1600000000000);
  EXPECT_EQ(judged.bandwidth.leftover_issues, 860u);
}

TEST(JudgeTest, WarmAtTheSourcesBandwidthIsCold) {
  const WarmJudgement judged = Judge(SelfWarmed(353000), WithMemory());
  EXPECT_EQ(judged.verdict, ShipVerdict::kShip);
  EXPECT_TRUE(judged.flags.empty());
  EXPECT_EQ(judged.bandwidth.median / 1000000000, 285u);
}

TEST(JudgeTest, LeftoversInOneIssueOfTenAreToleratedInMoreNot) {
  WarmMeasurement measurement = SelfWarmed(353000);
  for (size_t i = 0; i < 86; ++i) measurement.warm_durations[i * 10] = 35000;
  EXPECT_EQ(FlagOf(Judge(measurement, WithMemory()), JudgeFlag::kFasterThanMemory), nullptr);
  measurement.warm_durations[5] = 35000;
  EXPECT_NE(FlagOf(Judge(measurement, WithMemory()), JudgeFlag::kFasterThanMemory), nullptr);
}

TEST(JudgeTest, WithoutDurationsBytesOrMemoryColdIsNotShownAndItMayShip) {
  for (const int missing : {0, 1, 2}) {
    WarmMeasurement measurement = SelfWarmed(35000);
    JudgeOptions options = WithMemory();
    if (missing == 0) measurement.warm_durations.clear();
    if (missing == 1) measurement.warm_bytes = 0;
    if (missing == 2) options.memory_bandwidth = 0;
    const WarmJudgement judged = Judge(measurement, options);
    EXPECT_NE(FlagOf(judged, JudgeFlag::kColdNotShown), nullptr);
    EXPECT_EQ(judged.verdict, ShipVerdict::kShip);
  }
}

TEST(JudgeTest, DurationsOfTheStartUpDoNotCountForBandwidth) {
  WarmMeasurement measurement = SelfWarmed(353000);
  Times& with = measurement.series[1].times;
  for (size_t i = 0; i < 100; ++i) with[i] += 2000000;
  measurement.issues_per_round = 4;
  measurement.warm_durations = Times(1200, 353000);
  std::fill_n(measurement.warm_durations.begin(), 400, 35000);
  const WarmJudgement judged = Judge(measurement, WithMemory());
  EXPECT_EQ(judged.series[1].first_steady_round, 100u);
  EXPECT_EQ(judged.bandwidth.first_issue, 400u);
  EXPECT_EQ(judged.bandwidth.issues, 800u);
  EXPECT_EQ(judged.bandwidth.leftover_issues, 0u);
  measurement.warm_durations.resize(300);  // all of them within the start-up
  EXPECT_EQ(Judge(measurement, WithMemory()).bandwidth.issues, 300u);
}

// Median -1.63 %, and of it -1.04 % left in the mean: one round in eight is slow.
Times TailOf(uint64_t level, uint64_t slow, size_t rounds = 800) {
  Times times = Around(level, 20000, rounds);
  for (size_t i = 3; i < rounds; i += 8) times[i] = slow;
  return times;
}

TEST(JudgeTest, SourcesTailIsNamedAndWhatIsLeftMayShip) {
  const uint64_t level = 33839280;                            // -1.63 % of 34.4 ms
  const uint64_t slow = level + 8 * (34400000 * 59 / 10000);  // 0.59 % of a round in the mean
  const WarmJudgement judged = Judge(Measured(Around(34400000, 20000, 800), TailOf(level, slow)));
  const RaisedFlag* flag = FlagOf(judged, JudgeFlag::kTailEatsMean);
  ASSERT_NE(flag, nullptr);
  EXPECT_NEAR(static_cast<double>(flag->limit), -560720, 25000);
  EXPECT_NEAR(static_cast<double>(flag->measured), -357760, 25000);
  EXPECT_NE(FlagOf(judged, JudgeFlag::kTailEatsP90), nullptr);
  EXPECT_EQ(judged.verdict, ShipVerdict::kShip);
}

TEST(JudgeTest, TailThatTakesItAllIsRefused) {
  const uint64_t level = 33839280;
  const WarmJudgement judged =
      Judge(Measured(Around(34400000, 20000, 800), TailOf(level, level + 8 * 560720)));
  EXPECT_EQ(judged.verdict, ShipVerdict::kDoNotShip);
  EXPECT_NE(FlagOf(judged, JudgeFlag::kTailEatsMean), nullptr);
  EXPECT_FALSE(Reasoned(judged, ShipReason::kMedianGainsTooLittle));
}

TEST(JudgeTest, TailOfBothArmsIsNotTheWarms) {
  const WarmJudgement judged =
      Judge(Measured(TailOf(34400000, 37000000), TailOf(33839280, 36400000)));
  EXPECT_EQ(FlagOf(judged, JudgeFlag::kTailEatsMean), nullptr);
  EXPECT_EQ(FlagOf(judged, JudgeFlag::kTailEatsP90), nullptr);
  EXPECT_EQ(judged.verdict, ShipVerdict::kShip);
}

TEST(JudgeTest, OneVerySlowRoundStandsForMoreOfItsKind) {
  Times with = Around(33424200, 50000);
  with[200] *= 4;
  const WarmJudgement judged = Judge(Measured(Around(34423700, 50000), with));
  EXPECT_EQ(judged.verdict, ShipVerdict::kMeasureMore);
  EXPECT_TRUE(Reasoned(judged, ShipReason::kMeanUndecided));
  EXPECT_FALSE(Reasoned(judged, ShipReason::kMedianUndecided));
}

TEST(JudgeTest, MeansCautiousEndIsTwoMoreRoundsAsSlowAsTheSlowest) {
  Times with = Around(33424200, 50000);
  with[200] = 43424200;
  const CardJudgement card = Judge(Measured(Around(34423700, 50000), with)).cards[0];
  EXPECT_EQ(card.cautious_mean_high, card.mean.high + 2 * 10000000 / 300);
}

TEST(JudgeTest, GainAboveWhatStandaloneKernelsLeaveIsNotShipped) {
  WarmMeasurement measurement = Measured(Around(34423700, 5000), Around(33424200, 5000));
  measurement.standalone_bound = 1000000;
  EXPECT_EQ(Judge(measurement).verdict, ShipVerdict::kShip);
  measurement.standalone_bound = 900000;
  const WarmJudgement judged = Judge(measurement);
  EXPECT_EQ(judged.verdict, ShipVerdict::kMeasureMore);
  EXPECT_TRUE(Reasoned(judged, ShipReason::kImpossibleGain));
  const RaisedFlag* flag = FlagOf(judged, JudgeFlag::kGainAboveStandalone);
  ASSERT_NE(flag, nullptr);
  EXPECT_EQ(flag->limit, 900000);
  EXPECT_NEAR(static_cast<double>(flag->measured), 999500, 6000);
}

TEST(JudgeTest, TooFewRoundsAreNotShippedAndItSaysHowManyMore) {
  const WarmJudgement few = Judge(Measured(Around(34423700, 5000, 49), Around(33424200, 5000, 60)));
  EXPECT_EQ(few.verdict, ShipVerdict::kMeasureMore);
  const RaisedFlag* flag = FlagOf(few, JudgeFlag::kTooFewRounds);
  ASSERT_NE(flag, nullptr);
  EXPECT_FALSE(flag->warmed);
  EXPECT_EQ(flag->limit, 50);
  EXPECT_EQ(static_cast<uint64_t>(flag->measured), few.series[0].rounds_used);
  EXPECT_EQ(few.more_rounds, 50 - few.series[0].rounds_used);
  const WarmJudgement enough = Judge(Measured(Times(50, 34423700), Times(50, 33424200)));
  EXPECT_EQ(enough.verdict, ShipVerdict::kShip);
}

Times Falling(uint64_t level, uint64_t by, size_t rounds = 400) {
  Times times = Around(level, 20000, rounds);
  for (size_t i = 0; i < rounds; ++i) times[i] += (rounds - i) * by / rounds;
  return times;
}

TEST(JudgeTest, LevelThatNeverRestsIsMeasuredAgainWhereItMatters) {
  const WarmJudgement judged =
      Judge(Measured(Around(34400000, 20000, 400), Falling(34000000, 2000000)));
  EXPECT_EQ(judged.verdict, ShipVerdict::kMeasureMore);
  const RaisedFlag* flag = FlagOf(judged, JudgeFlag::kNeverSteady);
  ASSERT_NE(flag, nullptr);
  EXPECT_TRUE(flag->warmed);
  EXPECT_LT(flag->measured, -flag->limit);
  EXPECT_TRUE(Reasoned(judged, ShipReason::kNeverSteady));
}

TEST(JudgeTest, LevelThatNeverRestsDoesNotMatterWhereItOnlyAddsToTheGain) {
  const WarmJudgement gains =
      Judge(Measured(Around(34400000, 20000, 400), Falling(32000000, 1000000)));
  EXPECT_NE(FlagOf(gains, JudgeFlag::kNeverSteady), nullptr);
  EXPECT_EQ(gains.verdict, ShipVerdict::kShip);
  // The baseline's start-up looks like a gain.
  const WarmJudgement fades =
      Judge(Measured(Falling(34400000, 2000000), Around(34400000, 20000, 400)));
  EXPECT_EQ(fades.verdict, ShipVerdict::kMeasureMore);
}

TEST(JudgeTest, SlowCardIsNamedAndDoesNotDecide) {
  WarmMeasurement measurement = Measured(Around(34423700, 5000), Around(33424200, 5000));
  AddCard(1, Around(34500000, 5000), Around(33500000, 5000), &measurement);
  AddCard(2, Around(36000000, 5000), Around(35000000, 5000), &measurement);
  EXPECT_EQ(FlagOf(Judge(measurement), JudgeFlag::kSlowCard), nullptr);  // 4.6 %, 4.5 %
  AddCard(3, Around(44000000, 5000), Around(43000000, 5000), &measurement);
  const WarmJudgement judged = Judge(measurement);
  const RaisedFlag* flag = FlagOf(judged, JudgeFlag::kSlowCard);
  ASSERT_NE(flag, nullptr);
  EXPECT_EQ(flag->card, 3u);
  EXPECT_EQ(flag->measured, 44000000);
  EXPECT_TRUE(judged.cards[3].slow_without && judged.cards[3].slow_with);
  EXPECT_EQ(judged.deciding_card, 0u);
  EXPECT_EQ(judged.verdict, ShipVerdict::kShip);
}

TEST(JudgeTest, CardsThatDisagreeAreLookedAt) {
  WarmMeasurement measurement = Measured(Around(34423700, 5000), Around(33424200, 5000));
  AddCard(1, Around(34500000, 5000), Around(34600000, 5000), &measurement);
  EXPECT_EQ(Judge(measurement).verdict, ShipVerdict::kShip);  // it loses less than the least gain
  measurement.series[3].times = Around(34900000, 5000);
  const WarmJudgement judged = Judge(measurement);
  EXPECT_EQ(judged.verdict, ShipVerdict::kMeasureMore);
  const RaisedFlag* flag = FlagOf(judged, JudgeFlag::kCardsDisagree);
  ASSERT_NE(flag, nullptr);
  EXPECT_EQ(flag->card, 1u);
  EXPECT_TRUE(Reasoned(judged, ShipReason::kCardsDisagree));
}

// One fast card in the baseline only would make the warm look worse, or better.
TEST(JudgeTest, FastestCardIsThatOfBothArmsTogether) {
  WarmMeasurement measurement = Measured(Around(30000000, 5000), Around(36000000, 5000));
  AddCard(1, Around(32500000, 5000), Around(32400000, 5000), &measurement);
  EXPECT_EQ(Judge(measurement).deciding_card, 1u);
}

TEST(JudgeTest, InterleavedArmsDriftTogetherAndTellMore) {
  Scene scene;
  scene.rounds = 300;
  WarmMeasurement measurement = MakeMeasurement(scene, 5);
  for (RoundSeries& series : measurement.series) {
    for (size_t i = 0; i < series.times.size(); ++i) {
      const uint64_t wave = 3000000 * (i % 100 < 50 ? i % 50 : 50 - i % 50) / 50;
      series.times[i] = series.times[i] * (series.warmed ? 98 : 100) / 100 + wave;
    }
  }
  JudgeOptions options;
  const WarmJudgement apart = Judge(measurement, options);
  options.interleaved = true;
  const WarmJudgement paired = Judge(measurement, options);
  EXPECT_EQ(paired.series[0].first_steady_round, paired.series[1].first_steady_round);
  EXPECT_EQ(paired.series[0].blocks, paired.series[1].blocks);
  const auto width = [](const WarmJudgement& j) {
    return j.cards[0].mean.high - j.cards[0].mean.low;
  };
  EXPECT_LT(width(paired) * 2, width(apart));
  EXPECT_EQ(paired.verdict, ShipVerdict::kShip);
  measurement.series[0].times = MakeMeasurement(scene, 6).series[0].times;  // it waves no more
  const WarmJudgement unlike = Judge(measurement, options);
  EXPECT_EQ(unlike.series[0].blocks, unlike.series[1].blocks);
}

TEST(JudgeTest, MoreRoundsAreAbsentWhereTheGainIsTheLeastGainItself) {
  WarmMeasurement measurement = MakeMeasurement(Scene(), 1);
  const auto part = [&measurement](uint64_t ppm) {
    measurement.series[1].times = measurement.series[0].times;
    for (uint64_t& time : measurement.series[1].times) time = time * ppm / 1000000;
    return Judge(measurement);
  };
  const WarmJudgement judged = part(995000);
  EXPECT_EQ(judged.verdict, ShipVerdict::kMeasureMore);
  EXPECT_TRUE(Reasoned(judged, ShipReason::kMedianUndecided));
  EXPECT_FALSE(judged.more_rounds.has_value());
  EXPECT_TRUE(part(994500).more_rounds.has_value());
}

TEST(JudgeTest, SameBytesTwiceAndInWhateverOrderTheSeriesCome) {
  Scene scene;
  scene.cards = 4;
  scene.rounds = 200;
  WarmMeasurement measurement = MakeMeasurement(scene, 3);
  const std::string text = TextOf(Judge(measurement, WithMemory()));
  EXPECT_EQ(TextOf(Judge(measurement, WithMemory())), text);
  std::reverse(measurement.series.begin(), measurement.series.end());
  EXPECT_EQ(TextOf(Judge(measurement, WithMemory())), text);
  std::swap(measurement.series[1], measurement.series[6]);
  EXPECT_EQ(TextOf(Judge(measurement, WithMemory())), text);
  JudgeOptions other = WithMemory();
  other.seed = 2;
  EXPECT_NE(TextOf(Judge(measurement, other)), text);
}

TEST(JudgeTest, IntervalsHoldTheirValuesAndWidenWithConfidence) {
  Scene scene;
  const WarmMeasurement measurement = MakeMeasurement(scene, 9);
  int64_t last = 0;
  for (const uint32_t confidence : {50, 80, 95, 99}) {
    JudgeOptions options;
    options.confidence_percent = confidence;
    const Change change = Judge(measurement, options).cards[0].median;
    EXPECT_LE(change.low, change.value);
    EXPECT_GE(change.high, change.value);
    EXPECT_GT(change.high - change.low, last);
    last = change.high - change.low;
  }
}

void ExpectError(const WarmMeasurement& measurement, const JudgeOptions& options,
                 const std::string& field) {
  const absl::StatusOr<WarmJudgement> judgement = JudgeWarm(measurement, options);
  ASSERT_FALSE(judgement.ok()) << field;
  EXPECT_EQ(judgement.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(PlaceOf(judgement.status()).field, field);
  EXPECT_TRUE(absl::StrContains(judgement.status().message(), field)) << judgement.status();
}

TEST(JudgeTest, ErrorsNameTheirFields) {
  const WarmMeasurement good = Measured({5, 6}, {5, 6});
  const auto with = [&good](auto change) {
    WarmMeasurement measurement = good;
    change(&measurement);
    return measurement;
  };
  ExpectError({}, {}, "series");
  ExpectError(with([](auto* m) { m->series[1].times.clear(); }), {}, "series[1].times");
  ExpectError(with([](auto* m) { m->series[1].times[1] = 0; }), {}, "series[1].times[1]");
  ExpectError(with([](auto* m) { m->series[0].times[0] = ~uint64_t{0}; }), {},
              "series[0].times[0]");
  ExpectError(with([](auto* m) { m->series[0].times[0] = uint64_t{1} << 60; }), {},
              "series[0].times[0]");
  ExpectError(with([](auto* m) { m->series.pop_back(); }), {}, "series[0]");
  ExpectError(with([](auto* m) { m->series[1].card = 7; }), {}, "series[0]");
  ExpectError(with([](auto* m) { m->series[1].warmed = false; }), {}, "series[1]");
  ExpectError(with([](auto* m) { m->series.push_back(m->series[0]); }), {}, "series[2]");
  ExpectError(with([](auto* m) { m->warm_durations = {1, 0}; }), {}, "warm_durations[1]");
  JudgeOptions interleaved;
  interleaved.interleaved = true;
  ExpectError(with([](auto* m) { m->series[1].times.push_back(5); }), interleaved,
              "series[1].times");
  const auto options = [](auto change) {
    JudgeOptions options;
    change(&options);
    return options;
  };
  ExpectError(good, options([](auto* o) { o->confidence_percent = 100; }),
              "options.confidence_percent");
  ExpectError(good, options([](auto* o) { o->confidence_percent = 49; }),
              "options.confidence_percent");
  ExpectError(good, options([](auto* o) { o->resamples = 199; }), "options.resamples");
  ExpectError(good, options([](auto* o) { o->resamples = 100001; }), "options.resamples");
  ExpectError(good, options([](auto* o) { o->least_gain_ppm = 1000001; }),
              "options.least_gain_ppm");
  ExpectError(good, options([](auto* o) { o->least_rounds = 1; }), "options.least_rounds");
  ExpectError(good, options([](auto* o) { o->units_per_second = 0; }), "options.units_per_second");
}

TEST(JudgeTest, OneRoundAndLargestNumbersAreAnswered) {
  constexpr uint64_t kMost = (uint64_t{1} << 60) - 1;
  EXPECT_EQ(Judge(Measured({7}, {7})).verdict, ShipVerdict::kMeasureMore);
  Times wild(1000, 1);
  for (size_t i = 0; i < wild.size(); i += 2) wild[i] = kMost;
  WarmMeasurement measurement = Measured(wild, Times(wild.rbegin(), wild.rend()));
  AddCard(0xffffffff, Times(60, 1), Times(60, kMost), &measurement);
  measurement.warm_bytes = ~uint64_t{0};
  measurement.warm_durations = {1, kMost};
  measurement.issues_per_round = ~uint64_t{0};
  measurement.standalone_bound = ~uint64_t{0};
  JudgeOptions options;
  options.units_per_second = ~uint64_t{0};
  options.memory_bandwidth = ~uint64_t{0};
  options.most_drift_ppm = 0xffffffff;
  options.slow_card_ppm = 0xffffffff;
  options.least_gain_ppm = 1000000;
  const WarmJudgement judged = Judge(measurement, options);
  EXPECT_EQ(judged.verdict, ShipVerdict::kMeasureMore);
  EXPECT_EQ(judged.bandwidth.median, ~uint64_t{0});
  options.confidence_percent = 99;
  options.least_rounds = 0xffffffff;
  EXPECT_EQ(Judge(measurement, options).verdict, ShipVerdict::kMeasureMore);
}

double SecondsFor(const WarmMeasurement& measurement) {
  const auto start = std::chrono::steady_clock::now();
  Judge(measurement);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Some 0.06, 0.5 and 1 second on one core of a small machine; the bounds are for any.
TEST(JudgeTest, MillionRoundsAndTenThousandCardsTakeBoundedTime) {
  WarmMeasurement eight;
  for (uint32_t card = 0; card < 8; ++card) {
    AddCard(card, Around(34423700, 50000, 10000), Around(33424200, 50000, 10000), &eight);
  }
  EXPECT_LT(SecondsFor(eight), 5);
  EXPECT_LT(SecondsFor(Measured(Around(34423700, 1, 1000000), Around(33424200, 1, 1000000))), 10);
  WarmMeasurement many;
  for (uint32_t card = 0; card < 10000; ++card) {
    AddCard(card, Around(34423700, 1, 3), Around(33424200, 1, 3), &many);
  }
  EXPECT_LT(SecondsFor(many), 20);
}

}  // namespace
}  // namespace torqsched
