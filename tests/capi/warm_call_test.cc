// torqsched_plan_warm and torqsched_judge_warm: scenes by hand, options, random requests against
// the plain functions, the same bytes twice.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "src/warm/judge.h"
#include "src/warm/planner.h"
#include "src/wire/judge_wire.h"
#include "src/wire/warm_wire.h"
#include "tests/capi/calls.h"
#include "tests/capi/warm_requests.h"

namespace torqsched {
namespace testing {
namespace {

struct FreeSession {
  void operator()(torqsched_session* session) const { torqsched_session_free(session); }
};
using SessionPtr = std::unique_ptr<torqsched_session, FreeSession>;

SessionPtr WithWorkers(uint32_t workers) {
  torqsched_session_options options = TORQSCHED_SESSION_OPTIONS_INIT;
  options.worker_threads = workers;
  options.reuse_arenas = workers % 2;
  torqsched_session* session = nullptr;
  EXPECT_EQ(torqsched_session_new(&options, &session, nullptr), TORQSCHED_OK);
  return SessionPtr(session);
}

// The response, in which nothing is wrong at a glance; the test fails where there is an error.
template <typename Response, typename Request>
Response AskWell(const Call& call, const Request& request) {
  const Answer answer = Ask(call, request);
  EXPECT_EQ(answer.code, TORQSCHED_OK) << Parse<v1::Error>(answer.bytes).ShortDebugString();
  if (answer.code != TORQSCHED_OK) return Response();
  const auto response = Parse<Response>(answer.bytes);
  EXPECT_EQ(WrongAtAGlance(request, response), "") << response.DebugString();
  return response;
}

// ---- A plan by hand ----

// Memory and engine move 1000 bytes a ns each; L2 holds 5 MB, a layer brings 10.003 MB through it.
//
//   "a" 20000 ns; "b" 2000 ns, which wants no memory; "c" 4000 ns, 1000 ns with "w" in L2; "d"
//   1000.
//
// "w" can be warmed after "a" only. Issued within 500 ns it lands from 20500 to 21500, and "c"
// begins at 22000.
constexpr char kByHand[] = R"pb(
  timeline {
    regions { name: "w" bytes: 1000000 }
    regions { name: "kv" bytes: 1000 dynamic: true }
    regions { name: "spare" bytes: 5 }
    regions { name: "norm" bytes: 1000 shared_by_layers: true }
    kinds {
      name: "layer"
      stages {
        name: "a"
        duration_ns: 20000
        resident_ns: 20000
        reads { region: 3 }
        reads { region: 1 }
        other_bytes: 9000000
        has_task_id: true
      }
      stages { name: "b" duration_ns: 2000 }
      stages {
        name: "c"
        duration_ns: 4000
        resident_ns: 1000
        reads { region: 0 }
      }
      stages {
        name: "d"
        duration_ns: 1000
        resident_ns: 1000
        reads { region: 3 }
      }
    }
  }
  hardware {
    l2_bytes: 5000000
    memory { bytes: 1000 }
    engine { bytes: 1000 }
    issue_ns: 500
  }
)pb";

v1::PlanWarmResponse Plan(const std::string& more) {
  auto request = FromText<v1::PlanWarmRequest>(kByHand);
  request.MergeFrom(FromText<v1::PlanWarmRequest>(more));
  const auto response = AskWell<v1::PlanWarmResponse>(kPlanWarm, request);
  EXPECT_EQ(response.kinds_size(), 1);
  return response;
}

v1::WarmKindPlan PlanOfKind(const std::string& more) {
  const v1::PlanWarmResponse response = Plan(more);
  return response.kinds_size() == 1 ? response.kinds(0) : v1::WarmKindPlan();
}

const v1::WarmRegionVerdict& VerdictOf(const v1::WarmKindPlan& plan, uint32_t region) {
  static const v1::WarmRegionVerdict none;
  for (const v1::WarmRegionVerdict& verdict : plan.verdicts()) {
    if (verdict.region() == region) return verdict;
  }
  ADD_FAILURE() << "no verdict of region " << region;
  return none;
}

TEST(PlanWarmByHand, ForwardAndPlan) {
  const v1::PlanWarmResponse response = Plan("");
  EXPECT_EQ(response.cold_ns(), 27000u);  // 20000 + 2000 + 4000 + 1000
  EXPECT_EQ(response.warm_ns(), 24000u);  // "c" takes 1000
  EXPECT_EQ(response.change_ns(), -3000);
  ASSERT_EQ(response.unread_size(), 1);
  EXPECT_EQ(response.unread(0), 2u);
  const v1::WarmKindPlan& plan = response.kinds(0);
  EXPECT_EQ(plan.kind(), 0u);
  EXPECT_EQ(plan.layers(), 1u);
  EXPECT_EQ(plan.cold_ns(), 27000u);
  EXPECT_EQ(plan.warm_ns(), 24000u);
  EXPECT_EQ(plan.change_ns(), -3000);
  EXPECT_EQ(plan.bytes_in_flight(), 1000000u);
  EXPECT_EQ(plan.fill_bytes(), 5000000u);
  EXPECT_TRUE(plan.exact());
  EXPECT_EQ(plan.flips_size(), 0);
  EXPECT_FALSE(plan.has_trace_without());
  EXPECT_FALSE(plan.has_trace_with());
}

TEST(PlanWarmByHand, Scope) {
  const v1::WarmKindPlan plan = PlanOfKind("");
  ASSERT_EQ(plan.scopes_size(), 1);
  const v1::PlannedWarmScope& scope = plan.scopes(0);
  EXPECT_TRUE(scope.has_anchor());
  EXPECT_EQ(scope.anchor(), 0u);
  EXPECT_TRUE(scope.by_task_id());
  EXPECT_EQ(scope.begin_ns(), 20000u);
  ASSERT_EQ(scope.regions_size(), 1);
  const v1::PlannedWarmRegion& region = scope.regions(0);
  EXPECT_EQ(region.region(), 0u);
  EXPECT_EQ(region.issued_ns(), 20500u);
  EXPECT_EQ(region.landed_ns(), 21500u);
  EXPECT_EQ(region.read_ns(), 22000u);
  EXPECT_EQ(region.pulled_bytes(), 1000000u);
  EXPECT_EQ(region.landed_bytes(), 1000000u);
  EXPECT_EQ(region.hit_bytes(), 1000000u);
}

// In the order of first reads: "norm" and "kv" of "a", then "w".
TEST(PlanWarmByHand, Verdicts) {
  const v1::WarmKindPlan plan = PlanOfKind("");
  ASSERT_EQ(plan.verdicts_size(), 3);
  const v1::WarmRegionVerdict& norm = plan.verdicts(0);
  EXPECT_EQ(norm.region(), 3u);
  EXPECT_EQ(norm.verdict(), v1::WARM_VERDICT_RESIDENT);
  EXPECT_EQ(norm.reader(), 0u);
  EXPECT_EQ(norm.bytes(), 1000u);
  EXPECT_EQ(norm.bytes_between(), 1000u);  // "d" reads it last, and then the next layer begins
  EXPECT_EQ(norm.set_bytes(), 1000u);
  EXPECT_FALSE(norm.weighed());
  const v1::WarmRegionVerdict& kv = plan.verdicts(1);
  EXPECT_EQ(kv.region(), 1u);
  EXPECT_EQ(kv.verdict(), v1::WARM_VERDICT_DYNAMIC);
  EXPECT_EQ(kv.bytes_between(), 10003000u);  // a forward: 1000 + 1000 + 9000000 + 1000000 + 1000
  EXPECT_FALSE(kv.weighed());
  const v1::WarmRegionVerdict& w = plan.verdicts(2);
  EXPECT_EQ(w.region(), 0u);
  EXPECT_EQ(w.verdict(), v1::WARM_VERDICT_WARM);
  EXPECT_EQ(w.reader(), 2u);
  EXPECT_EQ(w.bytes(), 1000000u);
  EXPECT_EQ(w.bytes_between(), 10003000u);
  EXPECT_EQ(w.set_bytes(), 1000000u);
  EXPECT_EQ(w.read_ns(), 22000u);
  EXPECT_TRUE(w.weighed());
  EXPECT_TRUE(w.has_anchor());
  EXPECT_EQ(w.anchor(), 0u);
  EXPECT_EQ(w.landed_ns(), 21500u);
  EXPECT_EQ(w.landed_bytes(), 1000000u);
  EXPECT_EQ(w.hit_bytes(), 1000000u);
  EXPECT_EQ(w.saving_ns(), 3000u);
  EXPECT_EQ(w.cost_ns(), 0u);
  EXPECT_EQ(w.change_ns(), -3000);
}

TEST(PlanWarmByHand, Alternatives) {
  const v1::WarmKindPlan plan = PlanOfKind("");
  ASSERT_EQ(plan.alternatives_size(), 2);  // the warm, and none
  EXPECT_EQ(plan.alternatives(0).change_ns(), -3000);
  ASSERT_EQ(plan.alternatives(0).scopes_size(), 1);
  EXPECT_EQ(plan.alternatives(0).scopes(0).anchor(), 0u);
  EXPECT_EQ(plan.alternatives(0).bytes_in_flight(), 1000000u);
  EXPECT_TRUE(plan.alternatives(0).eligible());
  EXPECT_EQ(plan.alternatives(1).scopes_size(), 0);
}

TEST(PlanWarmByHand, Traces) {
  const v1::WarmKindPlan plan = PlanOfKind("options { traces: true }");
  const auto times = [](const v1::WarmTrace& trace) {
    std::string text;
    for (const v1::WarmStageTimes& stage : trace.stages()) {
      absl::StrAppend(&text, stage.begin_ns(), "-", stage.end_ns(), " ");
    }
    return text;
  };
  EXPECT_EQ(times(plan.trace_without()), "0-20000 20000-22000 22000-26000 26000-27000 ");
  EXPECT_EQ(times(plan.trace_with()), "0-20000 20000-22000 22000-23000 23000-24000 ");
  uint64_t landed = 0;
  for (const v1::WarmLandingPoint& point : plan.trace_with().landing()) {
    if (point.bytes() == 1000000) landed = point.ns();
  }
  EXPECT_EQ(landed, 21500u);
  uint64_t most_unread = 0;
  for (const v1::WarmFlowPoint& point : plan.trace_with().flow()) {
    most_unread = std::max(most_unread, point.unread_bytes());
    EXPECT_EQ(point.pulled_bytes(), point.ns() <= 20500   ? 0
                                    : point.ns() >= 21500 ? 1000000
                                                          : 1000 * (point.ns() - 20500));
  }
  EXPECT_EQ(most_unread, 1000000u);
}

// "b" ends 1500 ns sooner: no time to land but a part of "w", which is enough only where a part
// counts. Its reader hits 500000 bytes in 500 ns, and meanwhile the rest lands.
TEST(PlanWarmByHand, PartThatLandsCountsUnlessAllMust) {
  auto request = FromText<v1::PlanWarmRequest>(kByHand);
  request.mutable_timeline()->mutable_kinds(0)->mutable_stages(1)->set_duration_ns(1000);
  const auto partial = AskWell<v1::PlanWarmResponse>(kPlanWarm, request).kinds(0);
  ASSERT_EQ(partial.scopes_size(), 1);
  EXPECT_EQ(partial.scopes(0).regions(0).landed_bytes(), 500000u);
  EXPECT_EQ(partial.scopes(0).regions(0).hit_bytes(), 1000000u);
  EXPECT_EQ(partial.scopes(0).regions(0).landed_ns(), 21500u);
  EXPECT_EQ(partial.change_ns(), -3000);
  request.mutable_hardware()->set_landing(v1::WARM_LANDING_FULL);
  const auto full = AskWell<v1::PlanWarmResponse>(kPlanWarm, request).kinds(0);
  EXPECT_EQ(full.scopes_size(), 0);
  EXPECT_EQ(VerdictOf(full, 0).verdict(), v1::WARM_VERDICT_TOO_LATE);
}

// ---- Options of a plan ----

TEST(PlanWarmOptions, LeastGainDecides) {
  EXPECT_EQ(PlanOfKind("options { min_gain_ns: 2999 }").scopes_size(), 1);
  const v1::WarmKindPlan plan = PlanOfKind("options { min_gain_ns: 3001 }");
  EXPECT_EQ(plan.scopes_size(), 0);
  EXPECT_EQ(plan.warm_ns(), 27000u);
  EXPECT_EQ(VerdictOf(plan, 0).verdict(), v1::WARM_VERDICT_NO_GAIN);
  EXPECT_EQ(VerdictOf(plan, 0).change_ns(), -3000);  // of what was weighed
}

TEST(PlanWarmOptions, OnlySmallSearchesAreExact) {
  EXPECT_TRUE(PlanOfKind("options { exact_combinations: 2 }").exact());  // cold, and after "a"
  const v1::WarmKindPlan plan = PlanOfKind("options { exact_combinations: 1 }");
  EXPECT_FALSE(plan.exact());
  EXPECT_EQ(plan.change_ns(), -3000);
  EXPECT_EQ(PlanOfKind("options { exact_combinations: 1 search_stages: 0 }").scopes_size(), 0);
  EXPECT_EQ(PlanOfKind("options { exact_combinations: 1 anchors_per_set: 0 }").scopes_size(), 0);
}

TEST(PlanWarmOptions, AsManyAlternativesAsAsked) {
  EXPECT_EQ(PlanOfKind("options { most_alternatives: 0 }").alternatives_size(), 0);
  EXPECT_EQ(PlanOfKind("options { most_alternatives: 4294967295 }").alternatives_size(), 2);
}

// "b" writes a tensor: an anchor only where throwaway reads are asked for, for "a" has a task id.
TEST(PlanWarmOptions, ReadAnchorsWhereAsked) {
  auto request = FromText<v1::PlanWarmRequest>(kByHand);
  request.mutable_timeline()->mutable_kinds(0)->mutable_stages(1)->set_writes("t");
  for (const bool asked : {false, true}) {
    request.mutable_options()->set_read_anchors(asked);
    const auto plan = AskWell<v1::PlanWarmResponse>(kPlanWarm, request).kinds(0);
    bool found = false;
    for (const v1::WarmAlternative& alternative : plan.alternatives()) {
      if (alternative.scopes_size() != 1 || alternative.scopes(0).anchor() != 1) continue;
      found = true;
      EXPECT_EQ(alternative.eligible(), asked);
    }
    EXPECT_TRUE(found);
  }
}

// Two halves of "w", read by stages that follow each other.
v1::PlanWarmRequest TwoHalves() {
  auto request = FromText<v1::PlanWarmRequest>(kByHand);
  v1::WarmTimeline* const timeline = request.mutable_timeline();
  timeline->mutable_regions(0)->set_bytes(500000);
  timeline->mutable_regions(2)->set_bytes(500000);
  v1::WarmLayerKind* const kind = timeline->mutable_kinds(0);
  kind->mutable_stages(2)->set_duration_ns(2000);
  kind->mutable_stages(2)->set_resident_ns(500);
  *kind->add_stages() = kind->stages(3);
  *kind->mutable_stages(3) = kind->stages(2);
  kind->mutable_stages(3)->mutable_reads(0)->set_region(2);
  return request;
}

TEST(PlanWarmOptions, SetsAreWholeUnlessSingle) {
  v1::PlanWarmRequest request = TwoHalves();
  const auto whole = AskWell<v1::PlanWarmResponse>(kPlanWarm, request).kinds(0);
  EXPECT_EQ(VerdictOf(whole, 0).set_bytes(), 1000000u);
  EXPECT_EQ(VerdictOf(whole, 2).set_bytes(), 1000000u);
  EXPECT_EQ(whole.change_ns(), -3000);
  request.mutable_options()->set_single_regions(true);
  const auto single = AskWell<v1::PlanWarmResponse>(kPlanWarm, request).kinds(0);
  EXPECT_EQ(VerdictOf(single, 0).set_bytes(), 500000u);
  EXPECT_EQ(VerdictOf(single, 2).set_bytes(), 500000u);
  EXPECT_EQ(single.change_ns(), -3000);
}

TEST(PlanWarmOptions, TwoScopesAtOneAnchorAreWeighedUnlessForbidden) {
  v1::PlanWarmRequest request = TwoHalves();
  for (const bool forbidden : {false, true}) {
    request.mutable_options()->set_no_split_scopes(forbidden);
    const auto plan = AskWell<v1::PlanWarmResponse>(kPlanWarm, request).kinds(0);
    int eligible = 0;
    for (const v1::WarmAlternative& alternative : plan.alternatives()) {
      eligible += alternative.scopes_size() == 2 && alternative.eligible() ? 1 : 0;
    }
    EXPECT_EQ(eligible, forbidden ? 0 : 1);
  }
}

// Each boundary by hand; those that are searched, by bisection, to a 256th of the last doubling.
TEST(PlanWarmOptions, FlipsSayWhereTheChoiceEnds) {
  const v1::WarmKindPlan plan = PlanOfKind("options { flips: true }");
  ASSERT_EQ(plan.flips_size(), 11);
  // Below: "w" has to be smaller than L2. Above: what a forward brings through is less than it.
  const v1::WarmFlip& l2 = plan.flips(0);
  EXPECT_EQ(l2.parameter(), v1::WARM_PARAMETER_L2_BYTES);
  EXPECT_EQ(l2.value(), 5000000u);
  EXPECT_LE(l2.below(), 1000000u);
  EXPECT_GT(l2.below(), 1000000u - 625000 / 256 - 1);
  EXPECT_GT(l2.above(), 10003000u);
  EXPECT_LE(l2.above(), 10003000u + 10000000 / 256 + 1);
  EXPECT_EQ(l2.choice_below_size(), 0);
  EXPECT_EQ(l2.choice_above_size(), 0);
  // 16 % of 3000 ns are less than the 500 that a warm has to gain, 17 % are more.
  const v1::WarmFlip& saving = plan.flips(7);
  EXPECT_EQ(saving.parameter(), v1::WARM_PARAMETER_HIT_SAVING);
  EXPECT_EQ(saving.value(), 100u);
  EXPECT_EQ(saving.below(), 16u);
  EXPECT_FALSE(saving.has_above());
  // There is no all-to-all, and all of "w" lands.
  EXPECT_EQ(plan.flips(8).value(), 1u);
  EXPECT_FALSE(plan.flips(8).has_below());
  EXPECT_EQ(plan.flips(9).value(), 0u);
  EXPECT_FALSE(plan.flips(9).has_above());
}

// Runs: 2 layers of kind 1, then 3 times kinds 0 and 1.
TEST(PlanWarm, LayersOfEachKindAreCounted) {
  auto request = FromText<v1::PlanWarmRequest>(kByHand);
  v1::WarmTimeline* const timeline = request.mutable_timeline();
  *timeline->add_kinds() = timeline->kinds(0);
  *timeline->add_kinds() = timeline->kinds(0);
  timeline->MergeFrom(
      FromText<v1::WarmTimeline>("runs { kinds: [ 1, 1 ] } runs { kinds: [ 0, 1 ] repeats: 3 }"));
  const auto response = AskWell<v1::PlanWarmResponse>(kPlanWarm, request);
  ASSERT_EQ(response.kinds_size(), 2);
  EXPECT_EQ(response.kinds(0).layers(), 3u);
  EXPECT_EQ(response.kinds(1).layers(), 5u);
  EXPECT_EQ(response.cold_ns(), 8 * 27000u);
  EXPECT_EQ(response.warm_ns(), 8 * 24000u);
}

// ---- A judgement by hand ----

v1::RoundSeries* AddSeries(uint32_t card, bool warmed, uint64_t time, int rounds,
                           v1::JudgeWarmRequest* request) {
  v1::RoundSeries* const series = request->add_series();
  series->set_card(card);
  series->set_warmed(warmed);
  for (int i = 0; i < rounds; ++i) series->add_times(time);
  return series;
}

// Rounds that are all alike: every interval is a point.
v1::JudgeWarmRequest Alike(uint64_t without, uint64_t with, int rounds = 100) {
  v1::JudgeWarmRequest request;
  AddSeries(0, true, with, rounds, &request);
  AddSeries(0, false, without, rounds, &request);
  return request;
}

v1::JudgeWarmResponse Judge(const v1::JudgeWarmRequest& request) {
  return AskWell<v1::JudgeWarmResponse>(kJudgeWarm, request);
}

std::string ReasonText(const v1::JudgeWarmResponse& response) {
  std::string text;
  for (const v1::ShipReason& reason : response.reasons()) {
    absl::StrAppend(&text, v1::ShipReasonKind_Name(reason.reason()).substr(17), " ", reason.card(),
                    reason.warmed() ? "w " : " ", reason.measured(), " ", reason.limit(), "; ");
  }
  return text;
}

std::string FlagText(const v1::JudgeWarmResponse& response) {
  std::string text;
  for (const v1::RaisedFlag& flag : response.flags()) {
    absl::StrAppend(&text, v1::JudgeFlag_Name(flag.flag()).substr(11), " ", flag.card(),
                    flag.warmed() ? "w " : " ", flag.measured(), " ", flag.limit(), "; ");
  }
  return text;
}

// A gain of 10000 of a million; half a percent, 5000, is asked for.
TEST(JudgeWarmByHand, SureGainShips) {
  const v1::JudgeWarmResponse response = Judge(Alike(1000000, 990000));
  EXPECT_EQ(response.verdict(), v1::SHIP_VERDICT_SHIP);
  EXPECT_EQ(ReasonText(response), "GAIN_IS_SURE 0 -10000 -5000; ");
  EXPECT_EQ(FlagText(response), "COLD_NOT_SHOWN 0 0 0; ");
  EXPECT_FALSE(response.has_more_rounds());
  EXPECT_EQ(response.deciding_card(), 0u);
  EXPECT_EQ(response.least_gain(), 5000u);
  EXPECT_EQ(response.resamples(), 2000u);
  ASSERT_EQ(response.cards_size(), 1);
  const v1::CardJudgement& card = response.cards(0);
  for (const v1::TimeChange* change : {&card.median(), &card.mean(), &card.p90()}) {
    EXPECT_EQ(change->value(), -10000);
    EXPECT_EQ(change->low(), -10000);
    EXPECT_EQ(change->high(), -10000);
  }
  EXPECT_EQ(card.cautious_mean_high(), -10000);
  ASSERT_EQ(response.series_size(), 2);
  for (int i = 0; i < 2; ++i) {
    const v1::SeriesJudgement& series = response.series(i);
    EXPECT_EQ(series.warmed(), i == 1);
    EXPECT_EQ(series.rounds(), 100u);
    EXPECT_EQ(series.first_steady_round(), 0u);
    EXPECT_EQ(series.rounds_used(), 100u);
    EXPECT_TRUE(series.steady());
    EXPECT_EQ(series.median().value(), i == 1 ? 990000u : 1000000u);
    EXPECT_EQ(series.median().high(), i == 1 ? 990000u : 1000000u);
  }
}

TEST(JudgeWarmByHand, GainBelowTheLeastDoesNotShip) {
  const v1::JudgeWarmResponse response = Judge(Alike(1000000, 999000));
  EXPECT_EQ(response.verdict(), v1::SHIP_VERDICT_DO_NOT_SHIP);
  EXPECT_EQ(ReasonText(response),
            "MEDIAN_GAINS_TOO_LITTLE 0 -1000 -5000; MEAN_GAINS_TOO_LITTLE 0 -1000 -5000; ");
}

TEST(JudgeWarmByHand, FewRoundsAreMeasuredOn) {
  const v1::JudgeWarmResponse response = Judge(Alike(1000000, 990000, 20));
  EXPECT_EQ(response.verdict(), v1::SHIP_VERDICT_MEASURE_MORE);
  EXPECT_EQ(ReasonText(response), "TOO_FEW_ROUNDS 0 20 50; TOO_FEW_ROUNDS 0w 20 50; ");
  EXPECT_EQ(response.more_rounds(), 30u);
}

TEST(JudgeWarmByHand, StatisticsOfTenRounds) {
  v1::JudgeWarmRequest request = Alike(1000, 1000, 1);
  request.mutable_series(0)->clear_times();
  for (const uint64_t time : {10, 1, 9, 2, 8, 3, 7, 4, 6, 5}) {
    request.mutable_series(0)->add_times(time);
  }
  const v1::SeriesJudgement series = Judge(request).series(1);
  EXPECT_EQ(series.median().value(), 5u);  // five of ten do not exceed it
  EXPECT_EQ(series.mean().value(), 5u);    // 5.5
  EXPECT_EQ(series.p90().value(), 9u);
}

// Card 2 is the faster by both arms, and gains 10000. Card 5 loses as much, which is more than the
// least gain; with the warm it takes more than 5 % longer than 990000, without it does not.
TEST(JudgeWarmByHand, CardsDisagree) {
  v1::JudgeWarmRequest request;
  AddSeries(5, false, 1040000, 100, &request);
  AddSeries(2, false, 1000000, 100, &request);
  AddSeries(5, true, 1050000, 100, &request);
  AddSeries(2, true, 990000, 100, &request);
  const v1::JudgeWarmResponse response = Judge(request);
  EXPECT_EQ(response.verdict(), v1::SHIP_VERDICT_MEASURE_MORE);
  EXPECT_EQ(response.deciding_card(), 2u);
  EXPECT_EQ(ReasonText(response), "CARDS_DISAGREE 5 10000 5000; ");
  EXPECT_EQ(FlagText(response),
            "COLD_NOT_SHOWN 0 0 0; SLOW_CARD 5w 1050000 1039500; CARDS_DISAGREE 5 10000 5000; ");
  EXPECT_FALSE(response.has_more_rounds());
  EXPECT_FALSE(response.cards(1).slow_without());
  EXPECT_TRUE(response.cards(1).slow_with());
}

// A million bytes in 5000 ns are 200 GB/s, twice what the memory can do.
TEST(JudgeWarmByHand, WarmThatFoundItsLeftovers) {
  v1::JudgeWarmRequest request = Alike(1000000, 990000);
  request.set_warm_bytes(1000000);
  for (int i = 0; i < 12; ++i) request.add_warm_durations(5000);
  request.mutable_options()->set_memory_bandwidth(100000000000);
  v1::JudgeWarmResponse response = Judge(request);
  EXPECT_EQ(response.verdict(), v1::SHIP_VERDICT_MEASURE_MORE);
  EXPECT_EQ(ReasonText(response), "FOUND_ITS_LEFTOVERS 0 200000000000 100000000000; ");
  EXPECT_EQ(FlagText(response), "FASTER_THAN_MEMORY 0 200000000000 100000000000; ");
  EXPECT_EQ(response.bandwidth().issues(), 12u);
  EXPECT_EQ(response.bandwidth().median_duration(), 5000u);
  EXPECT_EQ(response.bandwidth().best(), 200000000000u);
  EXPECT_EQ(response.bandwidth().leftover_issues(), 12u);
  request.mutable_options()->set_memory_bandwidth(200000000000);  // as fast as, and not faster
  response = Judge(request);
  EXPECT_EQ(response.verdict(), v1::SHIP_VERDICT_SHIP);
  EXPECT_EQ(FlagText(response), "");
  request.mutable_options()->set_units_per_second(2000000000);  // half nanoseconds: 400 GB/s
  EXPECT_EQ(Judge(request).bandwidth().median(), 400000000000u);
}

TEST(JudgeWarmByHand, MoreThanThereIsToGain) {
  v1::JudgeWarmRequest request = Alike(1000000, 990000);
  request.set_standalone_bound(10000);
  EXPECT_EQ(Judge(request).verdict(), v1::SHIP_VERDICT_SHIP);
  request.set_standalone_bound(9999);
  EXPECT_EQ(ReasonText(Judge(request)), "IMPOSSIBLE_GAIN 0 10000 9999; ");
  request.set_standalone_bound(0);  // nothing to gain is a bound, too
  EXPECT_EQ(ReasonText(Judge(request)), "IMPOSSIBLE_GAIN 0 10000 0; ");
}

TEST(JudgeWarmOptions, LeastGainAndLeastRounds) {
  v1::JudgeWarmRequest request = Alike(1000000, 990000);
  request.mutable_options()->set_least_gain_ppm(10000);
  EXPECT_EQ(ReasonText(Judge(request)), "GAIN_IS_SURE 0 -10000 -10000; ");
  request.mutable_options()->set_least_gain_ppm(10001);
  EXPECT_EQ(Judge(request).verdict(), v1::SHIP_VERDICT_DO_NOT_SHIP);
  request.mutable_options()->clear_least_gain_ppm();
  request.mutable_options()->set_least_rounds(101);
  EXPECT_EQ(Judge(request).more_rounds(), 1u);
}

TEST(JudgeWarmOptions, SeedResamplesAndConfidenceMakeTheIntervals) {
  v1::JudgeWarmRequest request = RandomJudgement(1, 300);
  request.mutable_options()->set_resamples(777);
  request.mutable_options()->set_confidence_percent(50);
  const v1::JudgeWarmResponse narrow = Judge(request);
  EXPECT_EQ(narrow.resamples(), 777u);
  request.mutable_options()->set_confidence_percent(99);
  const v1::JudgeWarmResponse wide = Judge(request);
  EXPECT_LT(wide.cards(0).mean().low(), narrow.cards(0).mean().low());
  EXPECT_GT(wide.cards(0).mean().high(), narrow.cards(0).mean().high());
  request.mutable_options()->set_seed(99);
  EXPECT_NE(Judge(request).SerializeAsString(), wide.SerializeAsString());
}

// ---- Random requests ----

std::string PlanWithPlainTypes(const v1::PlanWarmRequest& request) {
  const absl::StatusOr<ParsedWarm> parsed = WarmFromProto(request);
  EXPECT_TRUE(parsed.ok()) << parsed.status();
  const absl::StatusOr<WarmPlan> plan =
      PlanWarm(parsed->hardware, parsed->timeline, parsed->options);
  EXPECT_TRUE(plan.ok()) << plan.status();
  v1::PlanWarmResponse response;
  if (plan.ok()) WarmPlanToProto(*plan, &response);
  return response.SerializeAsString();
}

std::string JudgeWithPlainTypes(const v1::JudgeWarmRequest& request) {
  const absl::StatusOr<WarmJudgement> judgement =
      JudgeWarm(MeasurementFromProto(request), JudgeOptionsFromProto(request.options()));
  EXPECT_TRUE(judgement.ok()) << judgement.status();
  v1::JudgeWarmResponse response;
  if (judgement.ok()) JudgementToProto(*judgement, &response);
  return response.SerializeAsString();
}

TEST(PlanWarm, RandomTimelinesAreAsThePlainFunctionSays) {
  int verdicts[v1::WarmVerdict_ARRAYSIZE] = {};
  int inexact = 0, scopes = 0, at_entry = 0, by_read = 0, flips = 0, unread = 0, two_scopes = 0;
  for (uint64_t seed = 0; seed < 400 && !HasFailure(); ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    const v1::PlanWarmRequest request = RandomWarm(seed, 9);
    const auto response = AskWell<v1::PlanWarmResponse>(kPlanWarm, request);
    EXPECT_EQ(response.SerializeAsString(), PlanWithPlainTypes(request));
    unread += response.unread_size();
    for (const v1::WarmKindPlan& plan : response.kinds()) {
      inexact += plan.exact() ? 0 : 1;
      flips += plan.flips_size();
      two_scopes += plan.scopes_size() > 1 ? 1 : 0;
      for (const v1::PlannedWarmScope& scope : plan.scopes()) {
        ++scopes;
        at_entry += scope.has_anchor() ? 0 : 1;
        by_read += scope.by_task_id() ? 0 : 1;
      }
      for (const v1::WarmRegionVerdict& verdict : plan.verdicts()) ++verdicts[verdict.verdict()];
    }
  }
  for (int i = 1; i < v1::WarmVerdict_ARRAYSIZE; ++i) {
    EXPECT_GE(verdicts[i], 10) << v1::WarmVerdict_Name(static_cast<v1::WarmVerdict>(i));
  }
  EXPECT_GE(inexact, 50);
  EXPECT_GE(scopes, 100);
  EXPECT_GE(two_scopes, 10);
  EXPECT_GE(at_entry, 10);
  EXPECT_GE(by_read, 20);
  EXPECT_GE(flips, 100);
  EXPECT_GE(unread, 50);
}

TEST(JudgeWarm, RandomRoundsAreAsThePlainFunctionSays) {
  int verdicts[v1::ShipVerdict_ARRAYSIZE] = {};
  int flags[v1::JudgeFlag_ARRAYSIZE] = {};
  int reasons[v1::ShipReasonKind_ARRAYSIZE] = {};
  int more_rounds = 0;
  for (uint64_t seed = 0; seed < 600 && !HasFailure(); ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    const v1::JudgeWarmRequest request = RandomJudgement(seed, 300);
    const v1::JudgeWarmResponse response = Judge(request);
    EXPECT_EQ(response.SerializeAsString(), JudgeWithPlainTypes(request));
    ++verdicts[response.verdict()];
    more_rounds += response.has_more_rounds() ? 1 : 0;
    for (const v1::RaisedFlag& flag : response.flags()) ++flags[flag.flag()];
    for (const v1::ShipReason& reason : response.reasons()) ++reasons[reason.reason()];
  }
  for (int i = 1; i < v1::ShipVerdict_ARRAYSIZE; ++i) EXPECT_GE(verdicts[i], 50) << i;
  for (int i = 1; i < v1::JudgeFlag_ARRAYSIZE; ++i) EXPECT_GE(flags[i], 3) << i;
  for (int i = 1; i < v1::ShipReasonKind_ARRAYSIZE; ++i) EXPECT_GE(reasons[i], 1) << i;
  EXPECT_GE(more_rounds, 20);
}

TEST(WarmCalls, SameBytesTwiceAndWithAnyNumberOfWorkers) {
  std::vector<SessionPtr> sessions;
  for (const uint32_t workers : {0u, 1u, 3u, 64u}) sessions.push_back(WithWorkers(workers));
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const std::string plan = RandomWarm(seed, 12).SerializeAsString();
    const std::string judgement = RandomJudgement(seed, 200).SerializeAsString();
    const Answer first_plan = Ask(kPlanWarm, plan);
    const Answer first_judgement = Ask(kJudgeWarm, judgement);
    EXPECT_EQ(first_plan.code, TORQSCHED_OK);
    EXPECT_EQ(first_judgement.code, TORQSCHED_OK);
    EXPECT_EQ(Ask(kPlanWarm, plan).bytes, first_plan.bytes);
    for (const SessionPtr& session : sessions) {
      EXPECT_EQ(Ask(kPlanWarm, plan, session.get()).bytes, first_plan.bytes) << seed;
      EXPECT_EQ(Ask(kJudgeWarm, judgement, session.get()).bytes, first_judgement.bytes) << seed;
    }
  }
}

}  // namespace
}  // namespace testing
}  // namespace torqsched
