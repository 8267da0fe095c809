// Malformed input is told with the stage or region and the field.
#include <functional>
#include <string>

#include "gtest/gtest.h"
#include "src/stream/error.h"
#include "src/warm/check_input.h"
#include "src/warm/planner.h"
#include "tests/warm/fixtures.h"

namespace torqsched {
namespace {

void ExpectInvalid(const std::function<void(WarmHardware*, WarmTimeline*)>& spoil,
                   const std::string& field, const std::string& part) {
  WarmHardware hardware = DocumentedHardware();
  WarmTimeline timeline = DecodeForward();
  spoil(&hardware, &timeline);
  const absl::Status status = PlanWarm(hardware, timeline, WarmOptions()).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << field;
  EXPECT_EQ(PlaceOf(status).field, field) << status;
  EXPECT_NE(status.message().find(part), absl::string_view::npos) << status;
}

TEST(WarmCheckTest, HardwareOutOfRange) {
  ExpectInvalid([](WarmHardware* h, WarmTimeline*) { h->l2_bytes = 0; }, "hardware.l2_bytes",
                "expected 1 to");
  ExpectInvalid([](WarmHardware* h, WarmTimeline*) { h->memory.ns = 0; }, "hardware.memory.ns",
                "expected 1 to");
  ExpectInvalid([](WarmHardware* h, WarmTimeline*) { h->engine.clear(); }, "hardware.engine",
                "expected 1 to");
  ExpectInvalid([](WarmHardware* h, WarmTimeline*) { h->engine[1].bytes = 0; },
                "hardware.engine[1].bytes", "expected 1 to");
  ExpectInvalid(
      [](WarmHardware* h, WarmTimeline*) {
        h->memory = {uint64_t{1} << 40, 1};
      },
      "hardware.memory", "at most");
  ExpectInvalid([](WarmHardware* h, WarmTimeline*) { h->stage_weight = 0; },
                "hardware.stage_weight", "expected 1 to");
  ExpectInvalid([](WarmHardware* h, WarmTimeline*) { h->l2_fill_percent = 101; },
                "hardware.l2_fill_percent", "expected 0 to 100");
}

TEST(WarmCheckTest, RegionsAreNamed) {
  ExpectInvalid([](WarmHardware*, WarmTimeline* t) { t->regions[3].bytes = 0; },
                "timeline.regions[3].bytes", "region 3 'wo_a'");
  ExpectInvalid([](WarmHardware*, WarmTimeline* t) { t->regions[4].name = "wq_a"; },
                "timeline.regions[4].name", "region 0 has the same name");
}

TEST(WarmCheckTest, StagesAreNamed) {
  ExpectInvalid(
      [](WarmHardware*, WarmTimeline* t) { t->kinds[1].stages[kProjA].reads[0].region = 99; },
      "timeline.kinds[1].stages[7].reads[0].region", "kind 1 'hca', stage 7 'proj_a'");
  ExpectInvalid(
      [](WarmHardware*, WarmTimeline* t) { t->kinds[1].stages[kProjA].reads[0].bytes = 1 << 30; },
      "timeline.kinds[1].stages[7].reads[0].bytes", "region 3 'wo_a'");
  ExpectInvalid(
      [](WarmHardware*, WarmTimeline* t) { t->kinds[0].stages[kProjA].resident_ns = 1000000; },
      "timeline.kinds[0].stages[7].resident_ns", "expected 0 to");
  ExpectInvalid(
      [](WarmHardware*, WarmTimeline* t) {
        t->kinds[0].stages[kProjA].reads.push_back({kWoA, 0, false});
      },
      "timeline.kinds[0].stages[7].reads", "twice");
  ExpectInvalid(
      [](WarmHardware*, WarmTimeline* t) {
        t->kinds[2].stages[5].after = {{4, 5}};
      },
      "timeline.kinds[2].stages[5].after.stages[1]", "waits for stage 5");
  ExpectInvalid(
      [](WarmHardware*, WarmTimeline* t) { t->kinds[0].stages[0].duration_ns = uint64_t{1} << 41; },
      "timeline.kinds[0].stages[0].duration_ns", "'hc_pre'");
}

TEST(WarmCheckTest, RunsAreChecked) {
  ExpectInvalid([](WarmHardware*, WarmTimeline* t) { t->runs.clear(); }, "timeline.runs",
                "no layers");
  ExpectInvalid([](WarmHardware*, WarmTimeline* t) { t->runs[1].kinds[1] = 3; },
                "timeline.runs[1].kinds[1]", "unknown kind 3");
  ExpectInvalid([](WarmHardware*, WarmTimeline* t) { t->runs[0].repeats = 0; },
                "timeline.runs[0].repeats", "expected 1 to");
  ExpectInvalid([](WarmHardware*, WarmTimeline* t) { t->runs[0].repeats = uint64_t{1} << 43; },
                "timeline.runs", "a forward of");
  ExpectInvalid([](WarmHardware*, WarmTimeline* t) { t->kinds[0].stages.clear(); },
                "timeline.kinds[0].stages", "0 stages");
  ExpectInvalid([](WarmHardware*, WarmTimeline* t) { t->parallel_stages = 17; },
                "timeline.parallel_stages", "expected 1 to 16");
}

TEST(WarmCheckTest, ScopesAreChecked) {
  const WarmTimeline timeline = DecodeForward();
  const auto field = [&timeline](const std::vector<WarmScope>& scopes) {
    return PlaceOf(PredictWarm(DocumentedHardware(), timeline, 0, scopes).status()).field;
  };
  EXPECT_EQ(field({{16, {kWoA}}}), "scopes[0].anchor");
  EXPECT_EQ(field({{0, {}}}), "scopes[0].regions");
  EXPECT_EQ(field({{0, {kWoA}}, {0, {kWoA, 20}}}), "scopes[1].regions[1]");
  EXPECT_EQ(PlaceOf(PredictWarm(DocumentedHardware(), timeline, 3, {}).status()).field, "kind");
}

// The largest numbers that are accepted give an answer or an error, never nonsense.
TEST(WarmCheckTest, ExtremesAreAnswered) {
  WarmTimeline timeline;
  timeline.regions.resize(1);
  timeline.regions[0].name = "w";
  timeline.regions[0].bytes = uint64_t{1} << 40;
  timeline.kinds.resize(1);
  timeline.kinds[0].stages.resize(2);
  timeline.kinds[0].stages[0].has_task_id = true;
  timeline.kinds[0].stages[1].duration_ns = uint64_t{1} << 39;
  timeline.kinds[0].stages[1].reads = {{0, 0, false}};
  timeline.runs = {{{0}, 1}};
  for (const uint64_t l2 : {uint64_t{1}, uint64_t{1} << 40}) {
    for (const WarmBandwidth memory : {WarmBandwidth{1 << 28, 1}, WarmBandwidth{1, 1 << 28}}) {
      for (const WarmBandwidth engine : {WarmBandwidth{1 << 28, 1}, WarmBandwidth{1, 1 << 28}}) {
        WarmHardware hardware;
        hardware.l2_bytes = l2;
        hardware.memory = memory;
        hardware.engine = {engine};
        const auto plan = PlanWarm(hardware, timeline, WarmOptions());
        if (!plan.ok()) {
          EXPECT_EQ(plan.status().code(), absl::StatusCode::kInvalidArgument) << plan.status();
          continue;
        }
        EXPECT_NEAR(static_cast<double>(plan->cold_ns), 549755813888.0, 1e9);
        EXPECT_LE(plan->warm_ns, plan->cold_ns);
      }
    }
  }
}

}  // namespace
}  // namespace torqsched
