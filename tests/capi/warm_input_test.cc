// What torqsched_plan_warm and torqsched_judge_warm are asked that is wrong, each with its code,
// its field and its message; and what looks odd and is answered.
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/capi/bad_requests.h"
#include "tests/capi/calls.h"
#include "tests/capi/warm_requests.h"

namespace torqsched {
namespace testing {
namespace {

// ---- Wrong plans ----

// Kind 0 is right; the kind at fault is the second, and its second stage, so that positions tell
// them apart.
#define REGIONS "regions { name: 'w' bytes: 8 } regions { name: 'v' bytes: 4 } "
#define KIND(kind) "timeline { " REGIONS "kinds { stages {} } kinds { name: 'hca' " kind " } }"
#define STAGE(stage) KIND("stages {} stages { name: 'proj' " stage " }")

#define FOUR(x) x x x x
#define BESIDE_64                                                                          \
  FOUR(                                                                                    \
      FOUR("reads { region: 0 beside_previous: true } reads { region: 1 beside_previous: " \
           "true } reads { region: 0 beside_previous: true } reads { region: 1 "           \
           "beside_previous: true } "))

const Bad kBadPlans[] = {
    {"NoTimeline", "hardware {} options {}", "timeline",
     "timeline: the request has none; expected the stages of a forward"},
    {"NoKinds", "timeline { regions { name: 'w' bytes: 1 } }", "timeline.kinds",
     "timeline.kinds: no kinds of layers; expected at least one"},
    // Regions.
    {"RegionOfNoBytes",
     "timeline { kinds { stages {} } regions { bytes: 1 } regions { name: 'w' } }",
     "timeline.regions[1].bytes", "region 1 'w': bytes 0; expected 1 to 17592186044416"},
    {"RegionBeyond2To44",
     "timeline { kinds { stages {} } regions { name: 'w' bytes: 17592186044417 } }",
     "timeline.regions[0].bytes",
     "region 0 'w': bytes 17592186044417; expected 1 to 17592186044416"},
    {"RegionOfTheLargestNumber",
     "timeline { kinds { stages {} } regions { bytes: 18446744073709551615 } }",
     "timeline.regions[0].bytes",
     "region 0: bytes 18446744073709551615; expected 1 to 17592186044416"},
    {"TwoRegionsWithOneName",
     "timeline { kinds { stages {} } regions { name: 'a' bytes: 1 } regions { name: 'b' bytes: 1 } "
     "regions { name: 'a' bytes: 2 } }",
     "timeline.regions[2].name", "region 2 'a': region 0 has the same name"},
    {"TwoRegionsWithoutAName",
     "timeline { kinds { stages {} } regions { bytes: 1 } regions { bytes: 1 } }",
     "timeline.regions[1].name", "region 1: region 0 has the same name"},
    // Kinds and stages.
    {"KindWithoutStages", KIND(""), "timeline.kinds[1].stages",
     "kind 1 'hca': 0 stages; expected 1 to 2^32 - 2"},
    {"StageBeyond2To40", STAGE("duration_ns: 1099511627777"),
     "timeline.kinds[1].stages[1].duration_ns",
     "kind 1 'hca', stage 1 'proj': duration_ns 1099511627777; expected 0 to 1099511627776"},
    {"StageOfTheLargestNumber", STAGE("duration_ns: 18446744073709551615"),
     "timeline.kinds[1].stages[1].duration_ns",
     "kind 1 'hca', stage 1 'proj': duration_ns 18446744073709551615; expected 0 to "
     "1099511627776"},
    {"ResidentTakesLonger", STAGE("duration_ns: 5 resident_ns: 6"),
     "timeline.kinds[1].stages[1].resident_ns",
     "kind 1 'hca', stage 1 'proj': resident_ns 6; expected 0 to its duration_ns, 5"},
    {"OtherBytesBeyond2To44", STAGE("other_bytes: 17592186044417"),
     "timeline.kinds[1].stages[1].other_bytes",
     "kind 1 'hca', stage 1 'proj': other_bytes 17592186044417; expected 0 to 17592186044416"},
    {"BytesTogetherBeyond2To44", STAGE("other_bytes: 17592186044416 reads { region: 1 }"),
     "timeline.kinds[1].stages[1].reads",
     "kind 1 'hca', stage 1 'proj': reads and other_bytes are 17592186044420 bytes together; "
     "expected at most 17592186044416"},
    {"ReadOfAnUnknownRegion", STAGE("reads {} reads { region: 2 }"),
     "timeline.kinds[1].stages[1].reads[1].region",
     "kind 1 'hca', stage 1 'proj': reads unknown region 2; there are 2 regions"},
    {"ReadOfTheLastNumber", STAGE("reads { region: 4294967295 }"),
     "timeline.kinds[1].stages[1].reads[0].region",
     "kind 1 'hca', stage 1 'proj': reads unknown region 4294967295; there are 2 regions"},
    {"ReadWithoutRegions", "timeline { kinds { stages { reads {} } } }",
     "timeline.kinds[0].stages[0].reads[0].region",
     "kind 0, stage 0: reads unknown region 0; there are 0 regions"},
    {"ReadOfMoreThanThereIs", STAGE("reads { region: 1 bytes: 5 }"),
     "timeline.kinds[1].stages[1].reads[0].bytes",
     "kind 1 'hca', stage 1 'proj': reads 5 bytes of region 1 'v': it has 4; expected at most as "
     "many"},
    {"RegionReadTwice", STAGE("reads { region: 1 bytes: 1 } reads {} reads { region: 1 }"),
     "timeline.kinds[1].stages[1].reads",
     "kind 1 'hca', stage 1 'proj': region 1 'v': read twice; expected one read, of more bytes"},
    {"SixtyFiveReadsSideBySide", STAGE(BESIDE_64 "reads { beside_previous: true }"),
     "timeline.kinds[1].stages[1].reads[64].beside_previous",
     "kind 1 'hca', stage 1 'proj': reads 65 regions side by side; expected at most 64"},
    {"WaitsForItself", STAGE("after { stages: [ 0, 1 ] }"),
     "timeline.kinds[1].stages[1].after.stages[1]",
     "kind 1 'hca', stage 1 'proj': waits for stage 1; expected an earlier one"},
    {"FirstStageWaits", KIND("stages { after { stages: 4294967295 } }"),
     "timeline.kinds[1].stages[0].after.stages[0]",
     "kind 1 'hca', stage 0: waits for stage 4294967295; expected an earlier one"},
    // Runs.
    {"NoStagesAtOnce", "timeline { kinds { stages {} } parallel_stages: 0 }",
     "timeline.parallel_stages", "timeline.parallel_stages: 0; expected 1 to 16"},
    {"SeventeenStagesAtOnce", "timeline { kinds { stages {} } parallel_stages: 17 }",
     "timeline.parallel_stages", "timeline.parallel_stages: 17; expected 1 to 16"},
    {"RunOfNoKinds", "timeline { kinds { stages {} } runs { kinds: 0 } runs {} }",
     "timeline.runs[1].kinds", "run 1: no kinds; expected at least one"},
    {"RunOfAnUnknownKind", "timeline { kinds { stages {} } runs { kinds: [ 0, 1 ] } }",
     "timeline.runs[0].kinds[1]", "run 0: unknown kind 1; there are 1 kinds"},
    {"RunOfTheLastNumber", "timeline { kinds { stages {} } runs { kinds: 4294967295 } }",
     "timeline.runs[0].kinds[0]", "run 0: unknown kind 4294967295; there are 1 kinds"},
    {"RunOfNoRepeats", "timeline { kinds { stages {} } runs { kinds: 0 repeats: 0 } }",
     "timeline.runs[0].repeats", "run 0: repeats 0; expected 1 to 17592186044416"},
    {"RunOfTooManyRepeats",
     "timeline { kinds { stages {} } runs { kinds: 0 repeats: 18446744073709551615 } }",
     "timeline.runs[0].repeats",
     "run 0: repeats 18446744073709551615; expected 1 to 17592186044416"},
    {"ForwardOfTooManyBytes",
     "timeline { kinds { stages { other_bytes: 8796093022208 duration_ns: 1 } } "
     "runs { kinds: 0 repeats: 3 } }",
     "timeline.runs",
     "timeline.runs: a forward of 26388279066624 bytes and 3 ns; expected at most 17592186044416 "
     "bytes and 1099511627776 ns"},
    {"ForwardThatLastsTooLong",
     "timeline { kinds { stages { duration_ns: 1099511627776 } } kinds { stages { duration_ns: 1 } "
     "} }",
     "timeline.runs",
     "timeline.runs: a forward of 0 bytes and 1099511627777 ns; expected at most 17592186044416 "
     "bytes and 1099511627776 ns"},
    // Hardware.
    {"UnknownStartup", "timeline {} hardware { startup: 3 }", "hardware.startup",
     "hardware.startup: 3 is not known; expected once or every forward"},
    {"UnknownLanding", "timeline {} hardware { landing: -7 }", "hardware.landing",
     "hardware.landing: -7 is not known; expected partial or full"},
    {"NoL2", "timeline {} hardware { l2_bytes: 0 }", "hardware.l2_bytes",
     "hardware.l2_bytes: 0; expected 1 to 1099511627776"},
    {"L2Beyond2To40", "timeline {} hardware { l2_bytes: 1099511627777 }", "hardware.l2_bytes",
     "hardware.l2_bytes: 1099511627777; expected 1 to 1099511627776"},
    {"FillBeyondAll", "timeline {} hardware { l2_fill_percent: 101 }", "hardware.l2_fill_percent",
     "hardware.l2_fill_percent: 101; expected 0 to 100"},
    {"SavingOfNoBytes", "timeline {} hardware { hit_saving_bytes: 0 }", "hardware.hit_saving_bytes",
     "hardware.hit_saving_bytes: 0; expected 1 to 17592186044416"},
    {"SavingOfTheLargestNumber", "timeline {} hardware { hit_saving_ns: 18446744073709551615 }",
     "hardware.hit_saving_ns",
     "hardware.hit_saving_ns: 18446744073709551615; expected 0 to 1099511627776"},
    {"StartupTooLong", "timeline {} hardware { startup_ns: 1099511627777 }", "hardware.startup_ns",
     "hardware.startup_ns: 1099511627777; expected 0 to 1099511627776"},
    {"IssueTooLong", "timeline {} hardware { issue_ns: 1099511627777 }", "hardware.issue_ns",
     "hardware.issue_ns: 1099511627777; expected 0 to 1099511627776"},
    {"StageWithoutWeight", "timeline {} hardware { stage_weight: 0 }", "hardware.stage_weight",
     "hardware.stage_weight: 0; expected 1 to 1000"},
    {"EngineOfTooMuchWeight", "timeline {} hardware { engine_weight: 1001 }",
     "hardware.engine_weight", "hardware.engine_weight: 1001; expected 1 to 1000"},
    {"MemoryOfNoBytes", "timeline {} hardware { memory { ns: 1 } }", "hardware.memory.bytes",
     "hardware.memory.bytes: 0; expected 1 to 17592186044416"},
    {"EngineOfTooLongATime",
     "timeline {} hardware { engine { bytes: 1 } engine { bytes: 1 ns: "
     "17592186044417 } }",
     "hardware.engine[1].ns",
     "hardware.engine[1].ns: 17592186044417; expected 1 to 17592186044416"},
    {"EngineHitsTooFast", "timeline {} hardware { engine_hits { bytes: 268435457 } }",
     "hardware.engine_hits",
     "hardware.engine_hits: 268435457 bytes in 1 ns; expected at most 268435456 bytes a ns, and at "
     "least a byte in 268435456 ns"},
    {"MemoryTooSlow", "timeline {} hardware { memory { bytes: 1 ns: 268435457 } }",
     "hardware.memory",
     "hardware.memory: 1 bytes in 268435457 ns; expected at most 268435456 bytes a ns, and at "
     "least a byte in 268435456 ns"},
    {"SixtyFiveStreams",
     "timeline {} hardware { " FOUR(FOUR(FOUR("engine { bytes: 1 } "))) "engine { bytes: 1 } }",
     "hardware.engine", "hardware.engine: bandwidths 65; expected 1 to 64"},
    // Options.
    {"TooManyCombinations", "timeline {} options { exact_combinations: 65537 }",
     "options.exact_combinations", "options.exact_combinations: 65537; expected at most 65536"},
};

class BadWarmRequest : public ::testing::TestWithParam<Bad> {};

TEST_P(BadWarmRequest, IsRefusedWithItsPlace) {
  ExpectRefused<v1::PlanWarmRequest>(kPlanWarm, GetParam());
}

INSTANTIATE_TEST_SUITE_P(Scenes, BadWarmRequest, ::testing::ValuesIn(kBadPlans),
                         [](const auto& info) { return std::string(info.param.scene); });

// ---- Wrong measurements ----

#define ARMS "series { times: 5 } series { warmed: true times: 5 } "

const Bad kBadJudgements[] = {
    {"NoSeries", "options {}", "series", "series: none; expected two for each card"},
    {"SeriesOfNoRounds", "series { times: 5 } series { warmed: true }", "series[1].times",
     "series[1].times: no rounds; expected at least 1"},
    {"RoundOfNoTime", "series { times: [ 1, 2, 0 ] } series { warmed: true times: 1 }",
     "series[0].times[2]", "series[0].times[2]: 0 time units; expected 1 to 2^60 - 1"},
    {"RoundTooLong",
     "series { times: 5 } series { warmed: true times: [ 1, 1152921504606846976 ] }",
     "series[1].times[1]",
     "series[1].times[1]: 1152921504606846976 time units; expected 1 to 2^60 - 1"},
    {"RoundOfTheLargestNumber", "series { times: 18446744073709551615 }", "series[0].times[0]",
     "series[0].times[0]: 18446744073709551615 time units; expected 1 to 2^60 - 1"},
    {"OneArm", "series { times: 5 }", "series[0]",
     "series[0]: card 0 has no series with the warm; expected one"},
    {"OtherArm", ARMS "series { card: 7 warmed: true times: 5 }", "series[2]",
     "series[2]: card 7 has no series without the warm; expected one"},
    {"ArmTwice", ARMS "series { warmed: true times: 6 }", "series[2]",
     "series[2]: card 0 with the warm is series[1], too; expected one"},
    {"IssueOfNoTime", ARMS "warm_durations: [ 1, 0 ]", "warm_durations[1]",
     "warm_durations[1]: 0 time units; expected 1 to 2^60 - 1"},
    {"IssueOfTheLargestNumber", ARMS "warm_durations: 18446744073709551615", "warm_durations[0]",
     "warm_durations[0]: 18446744073709551615 time units; expected 1 to 2^60 - 1"},
    {"InterleavedOfUnlikeLengths",
     "series { warmed: true times: [ 5, 6 ] } series { times: [ 5, 6, 7 ] } "
     "options { interleaved: true }",
     "series[0].times",
     "series[0].times: 2 rounds; expected 3, as series[1] interleaved with them has"},
    {"ConfidenceTooLow", ARMS "options { confidence_percent: 49 }", "options.confidence_percent",
     "options.confidence_percent: 49; expected 50 to 99"},
    {"ConfidenceOfAll", ARMS "options { confidence_percent: 100 }", "options.confidence_percent",
     "options.confidence_percent: 100; expected 50 to 99"},
    {"FewResamples", ARMS "options { resamples: 199 }", "options.resamples",
     "options.resamples: 199; expected 200 to 100000"},
    {"ManyResamples", ARMS "options { resamples: 100001 }", "options.resamples",
     "options.resamples: 100001; expected 200 to 100000"},
    {"GainOfMoreThanAll", ARMS "options { least_gain_ppm: 1000001 }", "options.least_gain_ppm",
     "options.least_gain_ppm: 1000001; expected 0 to 1000000"},
    {"OneRoundIsEnough", ARMS "options { least_rounds: 1 }", "options.least_rounds",
     "options.least_rounds: 1; expected 2 to 4294967295"},
    {"NoUnits", ARMS "options { units_per_second: 0 }", "options.units_per_second",
     "options.units_per_second: 0; expected 1 to 18446744073709551615"},
    {"LeftoversOfMoreThanAll", ARMS "options { most_leftover_ppm: 1000001 }",
     "options.most_leftover_ppm", "options.most_leftover_ppm: 1000001; expected 0 to 1000000"},
    {"TailKeepsMoreThanAll", ARMS "options { tail_keeps_ppm: 4294967295 }",
     "options.tail_keeps_ppm", "options.tail_keeps_ppm: 4294967295; expected 0 to 1000000"},
};

class BadJudgeRequest : public ::testing::TestWithParam<Bad> {};

TEST_P(BadJudgeRequest, IsRefusedWithItsPlace) {
  ExpectRefused<v1::JudgeWarmRequest>(kJudgeWarm, GetParam());
}

INSTANTIATE_TEST_SUITE_P(Scenes, BadJudgeRequest, ::testing::ValuesIn(kBadJudgements),
                         [](const auto& info) { return std::string(info.param.scene); });

TEST(BadWarmBytes, AreRefused) {
  std::string bytes =
      FromText<v1::PlanWarmRequest>("timeline { name: 'nameX' kinds { stages {} } }")
          .SerializeAsString();
  ASSERT_EQ(Ask(kPlanWarm, bytes).code, TORQSCHED_OK);
  bytes[bytes.find('X')] = '\xff';
  ExpectNoMessage(kPlanWarm, "torqsched.v1.PlanWarmRequest", bytes);
}

// ---- Odd, and answered ----

v1::PlanWarmResponse Plan(const std::string& text) {
  const auto request = FromText<v1::PlanWarmRequest>(text);
  const Answer answer = Ask(kPlanWarm, request);
  EXPECT_EQ(answer.code, TORQSCHED_OK) << Parse<v1::Error>(answer.bytes).ShortDebugString();
  const auto response = Parse<v1::PlanWarmResponse>(answer.bytes);
  if (answer.code == TORQSCHED_OK) {
    EXPECT_EQ(WrongAtAGlance(request, response), "");
  }
  return response;
}

v1::JudgeWarmResponse Judge(const std::string& text) {
  const auto request = FromText<v1::JudgeWarmRequest>(text);
  const Answer answer = Ask(kJudgeWarm, request);
  EXPECT_EQ(answer.code, TORQSCHED_OK) << Parse<v1::Error>(answer.bytes).ShortDebugString();
  const auto response = Parse<v1::JudgeWarmResponse>(answer.bytes);
  if (answer.code == TORQSCHED_OK) {
    EXPECT_EQ(WrongAtAGlance(request, response), "");
  }
  return response;
}

TEST(OddWarm, StagesOfNothingTakeNoTime) {
  const v1::PlanWarmResponse response =
      Plan("timeline { kinds { stages {} } } options { flips: true traces: true }");
  EXPECT_EQ(response.cold_ns(), 0u);
  EXPECT_EQ(response.warm_ns(), 0u);
  ASSERT_EQ(response.kinds_size(), 1);
  EXPECT_EQ(response.kinds(0).verdicts_size(), 0);
}

// Kinds and stages may have the same names, or none: they are named by position.
TEST(OddWarm, NamesOfKindsAndStagesMayRepeat) {
  EXPECT_EQ(Plan("timeline { kinds { name: 'a' stages { name: 's' } stages { name: 's' } } "
                 "kinds { name: 'a' stages {} } }")
                .kinds_size(),
            2);
}

TEST(OddWarm, KindOfNoLayerHasNoPlan) {
  const v1::PlanWarmResponse response = Plan(
      "timeline { regions { name: 'w' bytes: 1 } kinds { stages { reads {} } } "
      "kinds { stages { duration_ns: 7 } } runs { kinds: 1 repeats: 2 } }");
  ASSERT_EQ(response.kinds_size(), 1);
  EXPECT_EQ(response.kinds(0).kind(), 1u);
  EXPECT_EQ(response.kinds(0).layers(), 2u);
  EXPECT_EQ(response.cold_ns(), 14u);
  ASSERT_EQ(response.unread_size(), 1);  // of a kind that never runs
  EXPECT_EQ(response.unread(0), 0u);
}

TEST(OddWarm, LargestNumbersAreAnswered) {
  const v1::PlanWarmResponse response = Plan(R"pb(
    timeline {
      regions { name: "w" bytes: 17592186044416 address: 18446744073709551615 }
      kinds {
        stages { has_task_id: true }
        stages {
          duration_ns: 1099511627776
          resident_ns: 1099511627776
          reads {}
        }
      }
      runs { kinds: 0 repeats: 1 }
    }
    hardware { l2_bytes: 1099511627776 startup_ns: 1099511627776 issue_ns: 1099511627776 }
    options {
      min_gain_ns: 18446744073709551615
      late_percent: 100
      anchors_per_set: 64
      search_stages: 10000000
      most_alternatives: 4294967295
    })pb");
  EXPECT_EQ(response.cold_ns(), 1099511627776u);
  ASSERT_EQ(response.kinds(0).verdicts_size(), 1);
  EXPECT_EQ(response.kinds(0).verdicts(0).verdict(), v1::WARM_VERDICT_TOO_LARGE);
}

TEST(OddWarm, LayersOfNoTimeMayBeMany) {
  const v1::PlanWarmResponse response =
      Plan("timeline { kinds { stages {} } runs { kinds: 0 repeats: 17592186044416 } }");
  EXPECT_EQ(response.kinds(0).layers(), 17592186044416u);
  EXPECT_EQ(response.cold_ns(), 0u);
}

TEST(OddWarm, ShapeIsWhatDecidesWhetherARegionIsFlat) {
  const char* const shapes[] = {"flat: true shape: [ 2, 4 ]", "flat: false", "shape: [ 0, 8 ]",
                                "flat: false shape: [ 1, 1, 8 ]", "flat: false shape: 8"};
  for (size_t i = 0; i < 5; ++i) {
    const v1::PlanWarmResponse response =
        Plan(absl::StrCat("timeline { regions { name: 'w' bytes: 8 ", shapes[i],
                          " } kinds { stages { reads {} } } } hardware { l2_bytes: 1 }"));
    EXPECT_EQ(response.kinds(0).verdicts(0).verdict() == v1::WARM_VERDICT_NOT_FLAT, i < 3) << i;
  }
}

TEST(OddJudgement, OneRoundEachIsJudged) {
  const v1::JudgeWarmResponse response = Judge(ARMS);
  EXPECT_EQ(response.verdict(), v1::SHIP_VERDICT_MEASURE_MORE);
  EXPECT_EQ(response.series(0).median().value(), 5u);
}

TEST(OddJudgement, LargestNumbersAreAnswered) {
  const v1::JudgeWarmResponse response = Judge(R"pb(
    series {
      card: 4294967295
      times: [ 1152921504606846975, 1 ]
    }
    series {
      card: 4294967295
      warmed: true
      times: [ 1, 1152921504606846975, 1 ]
    }
    warm_bytes: 18446744073709551615
    warm_durations: [ 1, 1152921504606846975 ]
    issues_per_round: 18446744073709551615
    standalone_bound: 18446744073709551615
    options {
      confidence_percent: 99
      seed: 18446744073709551615
      least_gain_ppm: 1000000
      most_drift_ppm: 4294967295
      least_rounds: 4294967295
      memory_bandwidth: 18446744073709551615
      units_per_second: 18446744073709551615
      most_leftover_ppm: 1000000
      tail_keeps_ppm: 1000000
      slow_card_ppm: 4294967295
    })pb");
  EXPECT_EQ(response.verdict(), v1::SHIP_VERDICT_MEASURE_MORE);
  EXPECT_EQ(response.deciding_card(), 4294967295u);
  EXPECT_EQ(response.bandwidth().median(), UINT64_MAX);  // it does not fit
}

TEST(OddJudgement, InterleavedSeriesOfDifferentCardsMayDifferInLength) {
  EXPECT_EQ(Judge(ARMS "series { card: 1 times: [ 5, 6 ] } series { card: 1 warmed: true "
                       "times: [ 5, 6 ] } options { interleaved: true }")
                .cards_size(),
            2);
}

// ---- A session's limit ----

// Three stages, one of which is an anchor, and two regions, read in two sets; a layer of each of
// two kinds, the second of nothing.
constexpr char kCounted[] = R"pb(
  timeline {
    regions {
      name: "w"
      bytes: 5000
      shape: [ 1, 5000 ]
    }
    regions { name: "v" bytes: 5000 }
    kinds {
      stages { has_task_id: true }
      stages { reads { region: 0 } }
      stages {
        reads { region: 0 }
        reads { region: 1 }
        after { stages: [ 0, 1 ] }
      }
    }
    kinds { stages {} }
    runs {
      kinds: [ 0, 1 ]
      repeats: 9
    }
  }
)pb";

TEST(WarmMemoryLimit, IsHeldAgainstTheEstimateInTheHeader) {
  auto request = FromText<v1::PlanWarmRequest>(kCounted);
  const uint64_t lists = 1024 * 2 + 512 + 32 * (2 + 2);
  // 3 reads in 2 stages: 2 sets, of which 1 may be split. Choices: 2 * 3 + 16 * 2; of no reads: 1.
  const uint64_t first = 2048 * 4 + 1024 * 3 + 32 * 2 + 3 * (192 + 32 * 3 + 384 * 3);
  const uint64_t second = 2048 * 2 + 3 * (192 + 32);
  const uint64_t kept = 128 + 16 * 3 + 48 * 2;
  const uint64_t searched = 38 * (128 + 16 * 3 + 40 * 2);
  ExpectLimitAt(kPlanWarm, request, lists + first + 38 * kept + second + 128 + searched);
  request.mutable_options()->set_most_alternatives(10);
  ExpectLimitAt(kPlanWarm, request, lists + first + 10 * kept + second + 128 + searched);
  request.mutable_options()->set_flips(true);
  request.mutable_options()->set_traces(true);
  // "w" is read twice: each of its reads meets two, that of "v" one.
  const uint64_t detail = 4096 * 3 + 1024 * 3 + 2048 * 3 + 384 * (2 * 2 + 1) + 4096 + 1024;
  ExpectLimitAt(kPlanWarm, request, lists + first + 10 * kept + second + 128 + searched + detail);
}

// A layer is a byte of the request, and its stages are simulated.
TEST(WarmMemoryLimit, CountsLayersByTheirStages) {
  v1::PlanWarmRequest request;
  v1::WarmLayerKind* const kind = request.mutable_timeline()->add_kinds();
  for (int s = 0; s < 5000; ++s) kind->add_stages();
  v1::WarmRun* const run = request.mutable_timeline()->add_runs();
  run->set_repeats(3);
  for (int i = 0; i < 90000; ++i) run->add_kinds(0);
  EXPECT_LT(request.ByteSizeLong(), 110000u);
  const Answer answer = Ask(kPlanWarm, request, Limited(uint64_t{1} << 30).get());
  EXPECT_EQ(answer.code, TORQSCHED_RESOURCE_EXHAUSTED);
}

TEST(JudgeMemoryLimit, IsHeldAgainstTheEstimateInTheHeader) {
  auto request = FromText<v1::JudgeWarmRequest>(
      "series { times: [ 1, 2, 3 ] } series { warmed: true times: 4 } warm_durations: [ 5, 6 ]");
  ExpectLimitAt(kJudgeWarm, request, 48 * (4 + 2) + 1024 * 2 + 160 * 2000);
  request.mutable_options()->set_resamples(300);
  ExpectLimitAt(kJudgeWarm, request, 48 * (4 + 2) + 1024 * 2 + 160 * 300);
}

}  // namespace
}  // namespace testing
}  // namespace torqsched
