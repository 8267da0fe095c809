#include "src/warm/planner.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "src/stream/error.h"
#include "src/warm/alternatives.h"
#include "src/warm/check_input.h"
#include "src/warm/choice_search.h"
#include "src/warm/consumer_sets.h"
#include "src/warm/flips.h"
#include "src/warm/forward.h"
#include "src/warm/layer_clock.h"
#include "src/warm/verdicts.h"

namespace torqsched {
namespace {

using warm::RoundedNs;
using warm::Whole;

absl::Status TooLong(const WarmTimeline& timeline, uint32_t kind) {
  return ErrorAt(absl::StatusCode::kInvalidArgument,
                 absl::StrCat(DescribeItem("kind", kind, timeline.kinds[kind].name),
                              ": its simulated layer lasts longer than a clock holds"),
                 {absl::StrCat("timeline.kinds[", kind, "]"), OpIndex(), BufferIndex()});
}

// The layer's part of a simulation of it and what follows.
WarmTrace TraceOf(const WarmHardware& hardware, size_t stages, const warm::SimulationResult& result,
                  const warm::SimulationTrace& trace) {
  WarmTrace shown;
  for (size_t s = 0; s < stages; ++s) {
    shown.stages.push_back({Whole(result.stages[s].begin), Whole(result.stages[s].end)});
  }
  for (const warm::FlowPoint& point : trace.flow) {
    shown.flow.push_back({Whole(point.time), Whole(point.pulled),
                          Whole(std::max<int64_t>(0, point.unread)),
                          std::min(Whole(point.through), hardware.l2_bytes)});
  }
  for (const warm::LandingPoint& point : trace.landing) {
    const warm::WarmOutcome& outcome = result.outcomes[point.outcome];
    if (outcome.layer != 0) continue;
    shown.landing.push_back(
        {outcome.scope, outcome.position, Whole(point.time), Whole(point.passed)});
  }
  return shown;
}

std::vector<PlannedScope> ScopesOf(const WarmLayerKind& kind, const std::vector<WarmScope>& scopes,
                                   const warm::SimulationResult& result) {
  std::vector<PlannedScope> planned(scopes.size());
  for (size_t i = 0; i < scopes.size(); ++i) {
    planned[i].anchor = scopes[i].anchor;
    planned[i].regions.resize(scopes[i].regions.size());
    for (size_t j = 0; j < scopes[i].regions.size(); ++j) {
      planned[i].regions[j].region = scopes[i].regions[j];
    }
    planned[i].by_task_id =
        scopes[i].anchor != kLayerEntry && kind.stages[scopes[i].anchor].has_task_id;
    planned[i].begin_ns =
        scopes[i].anchor == kLayerEntry ? 0 : Whole(result.stages[scopes[i].anchor].end);
  }
  for (const warm::WarmOutcome& outcome : result.outcomes) {
    if (outcome.layer != 0) continue;
    PlannedRegion region;
    region.region = outcome.region;
    region.issued_ns = Whole(outcome.issued);
    if (outcome.landed >= 0) region.landed_ns = Whole(outcome.landed);
    if (outcome.read_begin >= 0) region.read_ns = Whole(outcome.read_begin);
    region.pulled_bytes = Whole(outcome.pulled);
    region.landed_bytes = Whole(outcome.landed_before);
    region.hit_bytes = Whole(outcome.hit);
    planned[outcome.scope].regions[outcome.position] = region;
  }
  return planned;
}

class KindPlanner {
 public:
  // With so many simulated stages for choice, verdicts and alternatives.
  KindPlanner(const warm::PreparedTimeline& prepared, uint32_t kind, const warm::KindUse& use,
              const WarmOptions& options, uint64_t share, warm::Simulator* simulator)
      : prepared_(prepared),
        kind_(kind),
        use_(use),
        options_(options),
        share_(share),
        clock_(prepared, kind, use.next, simulator) {}

  absl::StatusOr<WarmKindPlan> Plan() {
    const warm::KindSets sets = warm::FindSets(prepared_, kind_, options_);
    if (absl::Status status = SimulateCold(); !status.ok()) return status;
    warm::ChoiceSearch search(prepared_, kind_, sets, options_, share_, &clock_);
    const uint64_t before = clock_.simulated_stages();
    warm::ChosenScopes chosen = search.Search();
    choice_stages_ = clock_.simulated_stages() - before;
    plan_.exact = chosen.exact;
    if (absl::Status status = SimulateWarm(&chosen); !status.ok()) return status;
    // Whole and cold, and with what is chosen, the layer is simulated in any case.
    const uint64_t free = clock_.simulated_stages() - choice_stages_;
    const auto left = [this, free](uint64_t share) {
      const uint64_t spent = clock_.simulated_stages() - free;
      return share - std::min(share, spent);
    };
    plan_.verdicts = warm::VerdictsOf(prepared_, kind_, sets, options_, chosen, simulated_,
                                      left(share_ - share_ / 4), &search, &clock_);
    if (options_.alternatives) {
      plan_.alternatives = warm::AlternativesOf(prepared_, kind_, sets, options_, chosen, search,
                                                left(share_), &clock_);
    }
    plan_.simulated_stages = clock_.simulated_stages();
    if (search.whole()) chosen_ = std::move(chosen.scopes);
    has_flips_ = search.whole();
    return std::move(plan_);
  }

  // After Plan. The prepared timeline is one that may be repriced, the simulator of it.
  std::vector<WarmFlip> Flips(warm::PreparedTimeline* prepared, warm::Simulator* simulator) const {
    if (!has_flips_) return {};
    const warm::FlipQuestion question{kind_, use_.next, share_, choice_stages_, &chosen_};
    return warm::FlipsOf(prepared_.hardware, options_, question, prepared, simulator);
  }

 private:
  size_t stages() const { return prepared_.kinds[kind_].stages.size(); }
  warm::SimulationTrace* trace() {
    trace_ = warm::SimulationTrace();
    return options_.traces ? &trace_ : nullptr;
  }

  absl::Status SimulateCold() {
    plan_.kind = kind_;
    plan_.layers = use_.layers;
    plan_.fill_bytes = warm::FillBytes(prepared_.hardware);
    const warm::SimulationResult& cold = clock_.Simulate({}, trace());
    if (!cold.finished) return TooLong(*prepared_.timeline, kind_);
    simulated_.cold = cold.stages;
    cold_end_ = cold.end;
    plan_.cold_ns = Whole(EndOfLayer(cold));
    if (options_.traces) plan_.without = TraceOf(prepared_.hardware, stages(), cold, trace_);
    return absl::OkStatus();
  }

  absl::Status SimulateWarm(warm::ChosenScopes* chosen) {
    const warm::SimulationResult* warmed = &clock_.Simulate(chosen->scopes, trace());
    // A long kind was chosen in windows: in the whole it may come out otherwise.
    if (!warmed->finished || warmed->end > cold_end_) {
      chosen->choice.assign(chosen->choice.size(), 0);
      chosen->scopes.clear();
      warmed = &clock_.Simulate({}, trace());
    }
    if (!warmed->finished) return TooLong(*prepared_.timeline, kind_);
    simulated_.warm = warmed->stages;
    simulated_.outcomes = warmed->outcomes;
    chosen->ticks = warmed->end - cold_end_;
    plan_.warm_ns = Whole(EndOfLayer(*warmed));
    plan_.change_ns = RoundedNs(chosen->ticks);
    plan_.bytes_in_flight = warm::BytesInFlight(prepared_, kind_, chosen->scopes);
    plan_.scopes = ScopesOf(prepared_.timeline->kinds[kind_], chosen->scopes, *warmed);
    if (options_.traces) plan_.with = TraceOf(prepared_.hardware, stages(), *warmed, trace_);
    return absl::OkStatus();
  }

  int64_t EndOfLayer(const warm::SimulationResult& result) const {
    int64_t end = 0;
    for (size_t s = 0; s < stages(); ++s) end = std::max(end, result.stages[s].end);
    return end;
  }

  const warm::PreparedTimeline& prepared_;
  const uint32_t kind_;
  const warm::KindUse use_;
  const WarmOptions& options_;
  const uint64_t share_;
  warm::LayerClock clock_;
  uint64_t choice_stages_ = 0;
  std::vector<WarmScope> chosen_;
  bool has_flips_ = false;
  warm::SimulationTrace trace_;
  warm::SimulatedPlan simulated_;
  int64_t cold_end_ = 0;
  WarmKindPlan plan_;
};

std::vector<uint32_t> UnreadRegions(const warm::PreparedTimeline& prepared,
                                    const std::vector<warm::KindUse>& uses) {
  std::vector<char> read(prepared.timeline->regions.size(), 0);
  for (size_t k = 0; k < uses.size(); ++k) {
    if (uses[k].layers == 0) continue;
    for (const uint32_t region : prepared.kinds[k].regions) read[region] = 1;
  }
  std::vector<uint32_t> unread;
  for (uint32_t r = 0; r < read.size(); ++r) {
    if (read[r] == 0) unread.push_back(r);
  }
  return unread;
}

}  // namespace

absl::StatusOr<WarmPlan> PlanWarm(const WarmHardware& hardware, const WarmTimeline& timeline,
                                  const WarmOptions& options) {
  absl::Status status = CheckWarmHardware(hardware);
  if (status.ok()) status = CheckWarmTimeline(timeline);
  if (!status.ok()) return status;
  const warm::PreparedTimeline prepared = warm::Prepare(hardware, timeline);
  const std::vector<warm::KindUse> uses = warm::UseOfKinds(timeline);
  uint64_t stages = 0;
  for (uint32_t kind = 0; kind < uses.size(); ++kind) {
    if (uses[kind].layers != 0) stages += prepared.kinds[kind].stages.size();
  }
  warm::Simulator simulator(prepared);
  warm::PreparedTimeline elsewhere;  // on other hardware
  if (options.flips) elsewhere = prepared;
  warm::Simulator simulator_elsewhere(elsewhere);
  WarmPlan plan;
  std::vector<std::vector<WarmScope>> scopes(timeline.kinds.size());
  for (uint32_t kind = 0; kind < uses.size(); ++kind) {
    if (uses[kind].layers == 0) continue;
    const uint64_t share = warm::Scale(options.search_stages, prepared.kinds[kind].stages.size(),
                                       stages, std::numeric_limits<uint64_t>::max());
    KindPlanner planner(prepared, kind, uses[kind], options, share, &simulator);
    absl::StatusOr<WarmKindPlan> planned = planner.Plan();
    if (!planned.ok()) return planned.status();
    if (options.flips) planned->flips = planner.Flips(&elsewhere, &simulator_elsewhere);
    for (const PlannedScope& scope : planned->scopes) {
      scopes[kind].push_back({scope.anchor, {}});
      for (const PlannedRegion& r : scope.regions) scopes[kind].back().regions.push_back(r.region);
    }
    plan.kinds.push_back(*std::move(planned));
  }
  plan.unread = UnreadRegions(prepared, uses);
  const std::vector<std::vector<WarmScope>> none(timeline.kinds.size());
  const absl::StatusOr<uint64_t> cold = warm::ForwardNs(prepared, none);
  if (!cold.ok()) return cold.status();
  const absl::StatusOr<uint64_t> warmed = warm::ForwardNs(prepared, scopes);
  if (!warmed.ok()) return warmed.status();
  plan.cold_ns = *cold;
  plan.warm_ns = *warmed;
  plan.change_ns = static_cast<int64_t>(*warmed) - static_cast<int64_t>(*cold);
  return plan;
}

absl::StatusOr<WarmPrediction> PredictWarm(const WarmHardware& hardware,
                                           const WarmTimeline& timeline, uint32_t kind,
                                           const std::vector<WarmScope>& scopes) {
  absl::Status status = CheckWarmHardware(hardware);
  if (status.ok()) status = CheckWarmTimeline(timeline);
  if (!status.ok()) return status;
  const std::vector<warm::KindUse> uses = warm::UseOfKinds(timeline);
  if (kind >= uses.size() || uses[kind].layers == 0) {
    return ErrorAt(absl::StatusCode::kInvalidArgument,
                   absl::StrCat("kind ", kind, ": a forward has no layer of it"),
                   {"kind", OpIndex(), BufferIndex()});
  }
  status = CheckWarmScopes(timeline, kind, scopes, "scopes");
  if (!status.ok()) return status;
  const warm::PreparedTimeline prepared = warm::Prepare(hardware, timeline);
  warm::Simulator simulator(prepared);
  warm::LayerClock clock(prepared, kind, uses[kind].next, &simulator);
  const int64_t cold = clock.Simulate({}, nullptr).end;
  if (!clock.result().finished) return TooLong(timeline, kind);
  warm::SimulationTrace trace;
  const warm::SimulationResult& warmed = clock.Simulate(scopes, &trace);
  if (!warmed.finished) return TooLong(timeline, kind);
  WarmPrediction prediction;
  prediction.change_ns = RoundedNs(warmed.end - cold);
  prediction.scopes = ScopesOf(timeline.kinds[kind], scopes, warmed);
  prediction.bytes_in_flight = warm::BytesInFlight(prepared, kind, scopes);
  prediction.fits = warm::FitsL2(hardware, prediction.bytes_in_flight);
  prediction.trace = TraceOf(hardware, timeline.kinds[kind].stages.size(), warmed, trace);
  return prediction;
}

}  // namespace torqsched
