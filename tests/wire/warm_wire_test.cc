// Timelines, hardware and options of warms as they arrive, and every field of a plan.
#include "src/wire/warm_wire.h"

#include <cstdint>
#include <limits>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "src/stream/error.h"
#include "src/warm/timeline.h"
#include "src/warm/warm_plan.h"
#include "tests/wire/text.h"

namespace torqsched {
namespace {

constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();
constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();

// A request and what is read of it: names are views into the request.
struct Scene {
  explicit Scene(const std::string& text) : request(FromText<v1::PlanWarmRequest>(text)) {
    absl::StatusOr<ParsedWarm> read = WarmFromProto(request);
    EXPECT_TRUE(read.ok()) << read.status();
    if (read.ok()) parsed = *std::move(read);
  }

  v1::PlanWarmRequest request;
  ParsedWarm parsed;
};

// ---- What is asked ----

constexpr char kTimeline[] = R"pb(
  timeline {
    name: "decode"
    regions {
      name: "w"
      bytes: 18446744073709551615
      dynamic: true
      flat: false
      shape: [ 1, 0, 18446744073709551615 ]
      address: 0
      shared_by_layers: true
    }
    regions { name: "\303\251" flat: true address: 18446744073709551615 }
    kinds {
      name: "swa"
      input: "x"
      stages {
        name: "proj"
        duration_ns: 10
        resident_ns: 0
        reads { region: 1 bytes: 7 beside_previous: true }
        reads { region: 4294967295 bytes: 18446744073709551615 }
        other_bytes: 11
        collective: true
        all_vector_cores: true
        has_task_id: true
        writes: "q"
        after { stages: [ 3, 4294967295 ] }
      }
      stages { after {} }
    }
    kinds {}
    runs {
      kinds: [ 1, 0, 1 ]
      repeats: 18446744073709551615
    }
    runs { repeats: 0 }
    runs { kinds: 4294967295 }
    parallel_stages: 4294967295
  }
)pb";

TEST(WarmFromProto, RegionsArriveWithEveryMember) {
  const Scene scene(kTimeline);
  const std::vector<WarmRegion>& regions = scene.parsed.timeline.regions;
  ASSERT_EQ(regions.size(), 2u);
  EXPECT_EQ(regions[0].name, "w");
  EXPECT_EQ(regions[0].bytes, kMost);
  EXPECT_FALSE(regions[0].is_static);
  EXPECT_FALSE(regions[0].flat);
  EXPECT_EQ(regions[0].shape, std::vector<uint64_t>({1, 0, kMost}));
  EXPECT_EQ(regions[0].address, 0u);  // said, and not left out
  EXPECT_FALSE(regions[0].per_layer);
  EXPECT_EQ(regions[1].name, "\xc3\xa9");
  EXPECT_TRUE(regions[1].flat);
  EXPECT_EQ(regions[1].address, kMost);
}

TEST(WarmFromProto, KindsAndStagesArriveWithEveryMember) {
  const Scene scene(kTimeline);
  const std::vector<WarmLayerKind>& kinds = scene.parsed.timeline.kinds;
  ASSERT_EQ(kinds.size(), 2u);
  EXPECT_EQ(kinds[0].name, "swa");
  EXPECT_EQ(kinds[0].input, "x");
  ASSERT_EQ(kinds[0].stages.size(), 2u);
  const WarmStage& stage = kinds[0].stages[0];
  EXPECT_EQ(stage.name, "proj");
  EXPECT_EQ(stage.duration_ns, 10u);
  EXPECT_EQ(stage.resident_ns, 0u);
  ASSERT_EQ(stage.reads.size(), 2u);
  EXPECT_EQ(stage.reads[0].region, 1u);
  EXPECT_EQ(stage.reads[0].bytes, 7u);
  EXPECT_TRUE(stage.reads[0].beside_previous);
  EXPECT_EQ(stage.reads[1].region, 4294967295u);
  EXPECT_EQ(stage.reads[1].bytes, kMost);
  EXPECT_FALSE(stage.reads[1].beside_previous);
  EXPECT_EQ(stage.other_bytes, 11u);
  EXPECT_TRUE(stage.collective);
  EXPECT_TRUE(stage.all_vector_cores);
  EXPECT_TRUE(stage.has_task_id);
  EXPECT_EQ(stage.writes, "q");
  ASSERT_TRUE(stage.after.has_value());
  EXPECT_EQ(*stage.after, std::vector<uint32_t>({3, 4294967295u}));
}

TEST(WarmFromProto, RunsArriveWithEveryMember) {
  const Scene scene(kTimeline);
  const std::vector<WarmRun>& runs = scene.parsed.timeline.runs;
  ASSERT_EQ(runs.size(), 3u);
  EXPECT_EQ(runs[0].kinds, std::vector<uint32_t>({1, 0, 1}));
  EXPECT_EQ(runs[0].repeats, kMost);
  EXPECT_TRUE(runs[1].kinds.empty());  // for the planner to refuse
  EXPECT_EQ(runs[1].repeats, 0u);
  EXPECT_EQ(runs[2].kinds, std::vector<uint32_t>({4294967295u}));
  EXPECT_EQ(runs[2].repeats, 1u);
  EXPECT_EQ(scene.parsed.timeline.parallel_stages, 4294967295u);
}

// Each as the comment of its field says, and as the plain type is.
TEST(WarmFromProto, UnsetMembersOfATimelineAreTheDocumentedDefaults) {
  const Scene scene("timeline { regions {} kinds { stages { reads {} } } }");
  const WarmTimeline& timeline = scene.parsed.timeline;
  ASSERT_EQ(timeline.regions.size(), 1u);
  EXPECT_EQ(timeline.regions[0].name, "");
  EXPECT_EQ(timeline.regions[0].bytes, 0u);  // for the planner to refuse
  EXPECT_TRUE(timeline.regions[0].is_static);
  EXPECT_TRUE(timeline.regions[0].flat);
  EXPECT_TRUE(timeline.regions[0].shape.empty());
  EXPECT_FALSE(timeline.regions[0].address.has_value());
  EXPECT_TRUE(timeline.regions[0].per_layer);
  ASSERT_EQ(timeline.kinds.size(), 1u);
  EXPECT_EQ(timeline.kinds[0].name, "");
  EXPECT_EQ(timeline.kinds[0].input, "");
  ASSERT_EQ(timeline.kinds[0].stages.size(), 1u);
  const WarmStage& stage = timeline.kinds[0].stages[0];
  EXPECT_EQ(stage.name, "");
  EXPECT_EQ(stage.duration_ns, 0u);
  EXPECT_FALSE(stage.resident_ns.has_value());
  EXPECT_EQ(stage.other_bytes, 0u);
  EXPECT_FALSE(stage.collective);
  EXPECT_FALSE(stage.all_vector_cores);
  EXPECT_FALSE(stage.has_task_id);
  EXPECT_EQ(stage.writes, "");
  EXPECT_FALSE(stage.after.has_value());
  ASSERT_EQ(stage.reads.size(), 1u);
  EXPECT_EQ(stage.reads[0].region, 0u);
  EXPECT_EQ(stage.reads[0].bytes, 0u);
  EXPECT_FALSE(stage.reads[0].beside_previous);
  EXPECT_EQ(timeline.parallel_stages, 1u);
}

TEST(WarmFromProto, NoRunsAreEveryKindOnceInOrder) {
  const Scene scene("timeline { kinds {} kinds {} kinds {} }");
  const std::vector<WarmRun>& runs = scene.parsed.timeline.runs;
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].kinds, std::vector<uint32_t>({0, 1, 2}));
  EXPECT_EQ(runs[0].repeats, 1u);
  EXPECT_TRUE(Scene("timeline {}").parsed.timeline.runs.empty());
  EXPECT_TRUE(Scene("").parsed.timeline.runs.empty());
}

TEST(WarmFromProto, WaitsForNothingIsNotUnset) {
  const Scene scene(kTimeline);
  const WarmStage& stage = scene.parsed.timeline.kinds[0].stages[1];
  ASSERT_TRUE(stage.after.has_value());
  EXPECT_TRUE(stage.after->empty());
}

TEST(WarmFromProto, HardwareArrivesWithEveryMember) {
  const WarmHardware hardware = Scene(R"pb(
                                  hardware {
                                    l2_bytes: 1
                                    l2_fill_percent: 2
                                    exactly_full_fits: true
                                    memory { bytes: 3 ns: 4 }
                                    hit_saving_ns: 5
                                    hit_saving_bytes: 6
                                    engine { bytes: 7 ns: 8 }
                                    engine { bytes: 9 }
                                    engine { bytes: 10 ns: 0 }
                                    engine_hits { bytes: 18446744073709551615 ns: 11 }
                                    startup_ns: 12
                                    startup: WARM_STARTUP_EVERY_FORWARD
                                    issue_ns: 13
                                    stage_weight: 14
                                    engine_weight: 15
                                    collective_has_own_engine: true
                                    landing: WARM_LANDING_FULL
                                  })pb")
                                    .parsed.hardware;
  EXPECT_EQ(hardware.l2_bytes, 1u);
  EXPECT_EQ(hardware.l2_fill_percent, 2u);
  EXPECT_TRUE(hardware.exactly_full_fits);
  EXPECT_EQ(hardware.memory.bytes, 3u);
  EXPECT_EQ(hardware.memory.ns, 4u);
  EXPECT_EQ(hardware.hit_saving_ns, 5u);
  EXPECT_EQ(hardware.hit_saving_bytes, 6u);
  ASSERT_EQ(hardware.engine.size(), 3u);
  EXPECT_EQ(hardware.engine[0].bytes, 7u);
  EXPECT_EQ(hardware.engine[0].ns, 8u);
  EXPECT_EQ(hardware.engine[1].bytes, 9u);
  EXPECT_EQ(hardware.engine[1].ns, 1u);  // unset
  EXPECT_EQ(hardware.engine[2].ns, 1u);  // 0
  EXPECT_EQ(hardware.engine_hits.bytes, kMost);
  EXPECT_EQ(hardware.engine_hits.ns, 11u);
  EXPECT_EQ(hardware.startup_ns, 12u);
  EXPECT_EQ(hardware.startup, WarmStartup::kEveryForward);
  EXPECT_EQ(hardware.issue_ns, 13u);
  EXPECT_EQ(hardware.stage_weight, 14u);
  EXPECT_EQ(hardware.engine_weight, 15u);
  EXPECT_FALSE(hardware.collective_shares_engine);
  EXPECT_EQ(hardware.landing, WarmLanding::kFull);
}

// The numbers of the comments in warm.proto, and those of the plain type.
void ExpectDefaults(const WarmHardware& hardware) {
  EXPECT_EQ(hardware.l2_bytes, 201326592u);
  EXPECT_EQ(hardware.l2_fill_percent, 100u);
  EXPECT_FALSE(hardware.exactly_full_fits);
  EXPECT_EQ(hardware.memory.bytes, 1600u);
  EXPECT_EQ(hardware.memory.ns, 1u);
  EXPECT_EQ(hardware.hit_saving_ns, 17u);
  EXPECT_EQ(hardware.hit_saving_bytes, 100000u);
  ASSERT_EQ(hardware.engine.size(), 2u);
  EXPECT_EQ(hardware.engine[0].bytes, 285u);
  EXPECT_EQ(hardware.engine[0].ns, 1u);
  EXPECT_EQ(hardware.engine[1].bytes, 153u);
  EXPECT_EQ(hardware.engine[1].ns, 1u);
  EXPECT_EQ(hardware.engine_hits.bytes, 2900u);
  EXPECT_EQ(hardware.engine_hits.ns, 1u);
  EXPECT_EQ(hardware.startup_ns, 250000u);
  EXPECT_EQ(hardware.startup, WarmStartup::kOnce);
  EXPECT_EQ(hardware.issue_ns, 24000u);
  EXPECT_EQ(hardware.stage_weight, 1u);
  EXPECT_EQ(hardware.engine_weight, 1u);
  EXPECT_TRUE(hardware.collective_shares_engine);
  EXPECT_EQ(hardware.landing, WarmLanding::kPartial);
}

TEST(WarmFromProto, UnsetHardwareIsTheDocumentedDefault) {
  ExpectDefaults(WarmHardware());
  ExpectDefaults(Scene("").parsed.hardware);
  ExpectDefaults(Scene("hardware {}").parsed.hardware);
  ExpectDefaults(Scene("hardware { startup: WARM_STARTUP_ONCE landing: WARM_LANDING_PARTIAL }")
                     .parsed.hardware);
}

// 0 is a number like any other where a field has presence; a bandwidth of nothing is not unset.
TEST(WarmFromProto, HardwareOfZerosIsNotTheDefault) {
  const WarmHardware hardware =
      Scene(
          "hardware { l2_bytes: 0 l2_fill_percent: 0 memory {} hit_saving_ns: 0 "
          "hit_saving_bytes: 0 engine {} engine_hits {} startup_ns: 0 issue_ns: 0 "
          "stage_weight: 0 engine_weight: 0 }")
          .parsed.hardware;
  EXPECT_EQ(hardware.l2_bytes, 0u);
  EXPECT_EQ(hardware.l2_fill_percent, 0u);
  EXPECT_EQ(hardware.memory.bytes, 0u);
  EXPECT_EQ(hardware.hit_saving_ns, 0u);
  EXPECT_EQ(hardware.hit_saving_bytes, 0u);
  ASSERT_EQ(hardware.engine.size(), 1u);
  EXPECT_EQ(hardware.engine[0].bytes, 0u);
  EXPECT_EQ(hardware.engine_hits.bytes, 0u);
  EXPECT_EQ(hardware.startup_ns, 0u);
  EXPECT_EQ(hardware.issue_ns, 0u);
  EXPECT_EQ(hardware.stage_weight, 0u);
  EXPECT_EQ(hardware.engine_weight, 0u);
}

TEST(WarmFromProto, OptionsArrive) {
  const WarmOptions options = Scene(R"pb(
                                options {
                                  min_gain_ns: 1
                                  single_regions: true
                                  read_anchors: true
                                  no_split_scopes: true
                                  late_percent: 2
                                  exact_combinations: 65536
                                  anchors_per_set: 4
                                  search_stages: 10000000
                                  most_alternatives: 4294967295
                                  flips: true
                                  traces: true
                                })pb")
                                  .parsed.options;
  EXPECT_EQ(options.min_gain_ns, 1u);
  EXPECT_FALSE(options.whole_sets);
  EXPECT_TRUE(options.read_anchors);
  EXPECT_FALSE(options.split_scopes);
  EXPECT_EQ(options.late_percent, 2u);
  EXPECT_EQ(options.exact_combinations, 65536u);
  EXPECT_EQ(options.anchors_per_set, 4u);
  EXPECT_EQ(options.search_stages, 10000000u);
  EXPECT_EQ(options.most_alternatives, 4294967295u);
  EXPECT_TRUE(options.alternatives);
  EXPECT_TRUE(options.flips);
  EXPECT_TRUE(options.traces);
}

// As the comments of warm.proto say: flips and traces, which the plain type has on, are off.
TEST(WarmFromProto, UnsetOptionsAreTheDocumentedDefaults) {
  for (const char* text : {"", "options {}"}) {
    const WarmOptions options = Scene(text).parsed.options;
    EXPECT_EQ(options.min_gain_ns, 500u);
    EXPECT_TRUE(options.whole_sets);
    EXPECT_FALSE(options.read_anchors);
    EXPECT_TRUE(options.split_scopes);
    EXPECT_EQ(options.late_percent, 10u);
    EXPECT_EQ(options.exact_combinations, 4096u);
    EXPECT_EQ(options.anchors_per_set, 6u);
    EXPECT_EQ(options.search_stages, 700000u);
    EXPECT_EQ(options.most_alternatives, 256u);
    EXPECT_TRUE(options.alternatives);
    EXPECT_FALSE(options.flips);
    EXPECT_FALSE(options.traces);
  }
  const WarmOptions plain;
  EXPECT_EQ(plain.min_gain_ns, 500u);
  EXPECT_EQ(plain.late_percent, 10u);
  EXPECT_EQ(plain.exact_combinations, 4096u);
  EXPECT_EQ(plain.anchors_per_set, 6u);
  EXPECT_EQ(plain.search_stages, 700000u);
  EXPECT_EQ(plain.most_alternatives, 256u);
}

TEST(WarmFromProto, OptionsOfZerosAreNotTheDefaults) {
  const WarmOptions options = Scene(
                                  "options { min_gain_ns: 0 late_percent: 0 "
                                  "exact_combinations: 0 anchors_per_set: 0 search_stages: 0 "
                                  "most_alternatives: 0 }")
                                  .parsed.options;
  EXPECT_EQ(options.min_gain_ns, 0u);
  EXPECT_EQ(options.late_percent, 0u);
  EXPECT_EQ(options.exact_combinations, 0u);
  EXPECT_EQ(options.anchors_per_set, 0u);
  EXPECT_EQ(options.search_stages, 0u);
  EXPECT_EQ(options.most_alternatives, 0u);
  EXPECT_FALSE(options.alternatives);  // not even the empty one
}

// ---- What is refused ----

struct Refused {
  const char* scene;
  const char* request;
  const char* field;
  const char* message;
};

const Refused kRefused[] = {
    {"UnknownStartup", "hardware { startup: 3 }", "hardware.startup",
     "hardware.startup: 3 is not known; expected once or every forward"},
    {"UnknownLanding", "hardware { landing: -1 }", "hardware.landing",
     "hardware.landing: -1 is not known; expected partial or full"},
    {"TooManyCombinations", "options { exact_combinations: 65537 }", "options.exact_combinations",
     "options.exact_combinations: 65537; expected at most 65536"},
    {"TooManyAnchors", "options { anchors_per_set: 65 }", "options.anchors_per_set",
     "options.anchors_per_set: 65; expected at most 64"},
    {"TooManyStages", "options { search_stages: 10000001 }", "options.search_stages",
     "options.search_stages: 10000001; expected at most 10000000"},
    {"LateBeyondAll", "options { late_percent: 101 }", "options.late_percent",
     "options.late_percent: 101; expected at most 100"},
    {"LateOfNoKind", "hardware { late: 7 }", "hardware.late",
     "hardware.late: 7 is not known; expected helps or competes"},
    {"MostCombinations", "options { exact_combinations: 18446744073709551615 }",
     "options.exact_combinations",
     "options.exact_combinations: 18446744073709551615; expected at most 65536"},
};

void PrintTo(const Refused& refused, std::ostream* out) { *out << refused.scene; }

class RefusedWarm : public testing::TestWithParam<Refused> {};

TEST_P(RefusedWarm, NamesItsPlace) {
  const auto request = FromText<v1::PlanWarmRequest>(GetParam().request);
  const absl::Status status = WarmFromProto(request).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  EXPECT_EQ(PlaceOf(status).field, GetParam().field);
  EXPECT_EQ(status.message(), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(Scenes, RefusedWarm, testing::ValuesIn(kRefused),
                         [](const auto& info) { return std::string(info.param.scene); });

// ---- The answer ----

TEST(WarmPlanToProto, ForwardComesWithEveryMember) {
  WarmPlan plan;
  plan.kinds.resize(2);
  plan.kinds[1].kind = 4;
  plan.cold_ns = kMost;
  plan.warm_ns = 2;
  plan.change_ns = kLeast;
  plan.unread = {0, 4294967295u};
  v1::PlanWarmResponse response;
  WarmPlanToProto(plan, &response);
  EXPECT_TRUE(IsText(response, R"pb(
    kinds { exact: true }
    kinds { kind: 4 exact: true }
    cold_ns: 18446744073709551615
    warm_ns: 2
    change_ns: -9223372036854775808
    unread: [ 0, 4294967295 ])pb"));
}

v1::WarmKindPlan KindToProto(const WarmKindPlan& kind) {
  WarmPlan plan;
  plan.kinds = {kind};
  v1::PlanWarmResponse response;
  WarmPlanToProto(plan, &response);
  EXPECT_EQ(response.kinds_size(), 1);
  return response.kinds(0);
}

TEST(WarmPlanToProto, KindAndScopesComeWithEveryMember) {
  WarmKindPlan kind;
  kind.kind = 1;
  kind.layers = 2;
  kind.scopes.resize(2);
  kind.scopes[0].regions = {{3, 4, 5, 6, 7, 8, 9}, {}};
  kind.scopes[1].anchor = 0;
  kind.scopes[1].by_task_id = true;
  kind.scopes[1].begin_ns = 10;
  kind.bytes_in_flight = 11;
  kind.fill_bytes = 12;
  kind.cold_ns = 13;
  kind.warm_ns = 14;
  kind.change_ns = -15;
  kind.exact = false;
  kind.simulated_stages = 16;
  EXPECT_TRUE(IsText(KindToProto(kind), R"pb(
    kind: 1
    layers: 2
    scopes {
      # at the layer's entry: no anchor
      regions {
        region: 3
        issued_ns: 4
        landed_ns: 5
        read_ns: 6
        pulled_bytes: 7
        landed_bytes: 8
        hit_bytes: 9
      }
      regions {}  # neither landed nor read
    }
    scopes { anchor: 0 by_task_id: true begin_ns: 10 }
    bytes_in_flight: 11
    fill_bytes: 12
    cold_ns: 13
    warm_ns: 14
    change_ns: -15
    simulated_stages: 16)pb"));
}

TEST(WarmPlanToProto, VerdictsComeWithEveryMemberAndEveryKind) {
  WarmKindPlan kind;
  for (const WarmVerdict verdict :
       {WarmVerdict::kWarm, WarmVerdict::kResident, WarmVerdict::kTooLarge, WarmVerdict::kDynamic,
        WarmVerdict::kNotFlat, WarmVerdict::kTooLate, WarmVerdict::kContends,
        WarmVerdict::kNoGain}) {
    kind.verdicts.emplace_back();
    kind.verdicts.back().verdict = verdict;
  }
  kind.verdicts[0] = {1, WarmVerdict::kWarm, 2, 3, 4, 5, 6, true, 7, 8, 9, 10, 11, 12, -13};
  // Weighed at the layer's entry, did not land; nobody read it before.
  kind.verdicts[2].weighed = true;
  kind.verdicts[2].change_ns = 1;
  // Said of what was not weighed: nothing.
  kind.verdicts[3] = {1, WarmVerdict::kDynamic, 2, 3, 0, 5, 6, false, 7, 8, 9, 10, 11, 12, -13};
  EXPECT_TRUE(IsText(KindToProto(kind), R"pb(
    exact: true
    verdicts {
      region: 1
      verdict: WARM_VERDICT_WARM
      reader: 2
      bytes: 3
      bytes_between: 4
      set_bytes: 5
      read_ns: 6
      weighed: true
      anchor: 7
      landed_ns: 8
      landed_bytes: 9
      hit_bytes: 10
      saving_ns: 11
      cost_ns: 12
      change_ns: -13
    }
    verdicts { verdict: WARM_VERDICT_RESIDENT }
    verdicts { verdict: WARM_VERDICT_TOO_LARGE weighed: true change_ns: 1 }
    verdicts {
      region: 1
      verdict: WARM_VERDICT_DYNAMIC
      reader: 2
      bytes: 3
      bytes_between: 0
      set_bytes: 5
      read_ns: 6
    }
    verdicts { verdict: WARM_VERDICT_NOT_FLAT }
    verdicts { verdict: WARM_VERDICT_TOO_LATE }
    verdicts { verdict: WARM_VERDICT_CONTENDS }
    verdicts { verdict: WARM_VERDICT_NO_GAIN })pb"));
}

TEST(WarmPlanToProto, AlternativesComeWithEveryMember) {
  WarmKindPlan kind;
  kind.alternatives.resize(2);
  kind.alternatives[0].scopes = {{kLayerEntry, {1, 2}}, {3, {4}}};
  kind.alternatives[0].change_ns = -5;
  kind.alternatives[0].bytes_in_flight = 6;
  kind.alternatives[1].fits = false;
  kind.alternatives[1].eligible = false;
  EXPECT_TRUE(IsText(KindToProto(kind), R"pb(
    exact: true
    alternatives {
      scopes { regions: [ 1, 2 ] }
      scopes { anchor: 3 regions: 4 }
      change_ns: -5
      bytes_in_flight: 6
      fits: true
      eligible: true
    }
    alternatives {})pb"));
}

TEST(WarmPlanToProto, FlipsComeWithEveryMemberAndEveryParameter) {
  WarmKindPlan kind;
  for (const WarmParameter parameter :
       {WarmParameter::kL2Bytes, WarmParameter::kMemoryBandwidth, WarmParameter::kEngineBandwidth,
        WarmParameter::kEngineOfTwo, WarmParameter::kIssueNs, WarmParameter::kStartupNs,
        WarmParameter::kEngineWeight, WarmParameter::kHitSaving, WarmParameter::kCollectiveShares,
        WarmParameter::kLanding}) {
    kind.flips.emplace_back();
    kind.flips.back().parameter = parameter;
  }
  kind.flips[0].value = 1;
  kind.flips[0].below = 0;  // said, and not left out
  kind.flips[0].above = 3;
  kind.flips[0].choice_below = {{4, {5, 6}}};
  kind.flips[0].choice_above = {{kLayerEntry, {7}}, {8, {9}}};
  EXPECT_TRUE(IsText(KindToProto(kind), R"pb(
    exact: true
    flips {
      parameter: WARM_PARAMETER_L2_BYTES
      value: 1
      below: 0
      above: 3
      choice_below {
        anchor: 4
        regions: [ 5, 6 ]
      }
      choice_above { regions: 7 }
      choice_above { anchor: 8 regions: 9 }
    }
    flips { parameter: WARM_PARAMETER_MEMORY_BANDWIDTH }
    flips { parameter: WARM_PARAMETER_ENGINE_BANDWIDTH }
    flips { parameter: WARM_PARAMETER_ENGINE_OF_TWO }
    flips { parameter: WARM_PARAMETER_ISSUE_NS }
    flips { parameter: WARM_PARAMETER_STARTUP_NS }
    flips { parameter: WARM_PARAMETER_ENGINE_WEIGHT }
    flips { parameter: WARM_PARAMETER_HIT_SAVING }
    flips { parameter: WARM_PARAMETER_COLLECTIVE_SHARES }
    flips { parameter: WARM_PARAMETER_LANDING })pb"));
}

TEST(WarmPlanToProto, TracesComeWithEveryMember) {
  WarmKindPlan kind;
  kind.without.emplace();
  kind.without->stages = {{1, 2}, {3, 4}};
  kind.without->flow = {{5, 6, 7, 8}};
  kind.with.emplace();
  kind.with->landing = {{9, 10, 11, 12}, {}};
  EXPECT_TRUE(IsText(KindToProto(kind), R"pb(
    exact: true
    trace_without {
      stages { begin_ns: 1 end_ns: 2 }
      stages { begin_ns: 3 end_ns: 4 }
      flow { ns: 5 pulled_bytes: 6 unread_bytes: 7 l2_bytes: 8 }
    }
    trace_with {
      landing { scope: 9 position: 10 ns: 11 bytes: 12 }
      landing {}
    })pb"));
}

}  // namespace
}  // namespace torqsched
