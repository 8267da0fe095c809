#include "src/wire/warm_wire.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "src/stream/error.h"

namespace torqsched {
namespace {

// So that what is asked for ends: a stage takes about a tenth of a microsecond.
constexpr uint64_t kMostCombinations = 65536;
constexpr uint64_t kMostAnchors = 64;
constexpr uint64_t kMostSearchStages = 10000000;

// ---- The request ----

WarmBandwidth BandwidthFromProto(const v1::WarmBandwidth& message) {
  return {message.bytes(), message.ns() == 0 ? 1 : message.ns()};
}

absl::Status HardwareFromProto(const v1::WarmHardware& message, WarmHardware* hardware) {
  if (message.has_l2_bytes()) hardware->l2_bytes = message.l2_bytes();
  if (message.has_l2_fill_percent()) hardware->l2_fill_percent = message.l2_fill_percent();
  hardware->exactly_full_fits = message.exactly_full_fits();
  if (message.has_memory()) hardware->memory = BandwidthFromProto(message.memory());
  if (message.has_hit_saving_ns()) hardware->hit_saving_ns = message.hit_saving_ns();
  if (message.has_hit_saving_bytes()) hardware->hit_saving_bytes = message.hit_saving_bytes();
  if (message.engine_size() != 0) {
    hardware->engine.clear();
    for (const v1::WarmBandwidth& from : message.engine()) {
      hardware->engine.push_back(BandwidthFromProto(from));
    }
  }
  if (message.has_engine_hits()) hardware->engine_hits = BandwidthFromProto(message.engine_hits());
  if (message.has_startup_ns()) hardware->startup_ns = message.startup_ns();
  if (message.has_issue_ns()) hardware->issue_ns = message.issue_ns();
  if (message.has_stage_weight()) hardware->stage_weight = message.stage_weight();
  if (message.has_engine_weight()) hardware->engine_weight = message.engine_weight();
  hardware->collective_shares_engine = !message.collective_has_own_engine();
  switch (message.startup()) {
    case v1::WARM_STARTUP_UNSPECIFIED:
    case v1::WARM_STARTUP_ONCE:
      hardware->startup = WarmStartup::kOnce;
      break;
    case v1::WARM_STARTUP_EVERY_FORWARD:
      hardware->startup = WarmStartup::kEveryForward;
      break;
    default:
      return FieldError("hardware.startup",
                        absl::StrCat(static_cast<int>(message.startup()),
                                     " is not known; expected once or every forward"));
  }
  switch (message.landing()) {
    case v1::WARM_LANDING_UNSPECIFIED:
    case v1::WARM_LANDING_PARTIAL:
      hardware->landing = WarmLanding::kPartial;
      break;
    case v1::WARM_LANDING_FULL:
      hardware->landing = WarmLanding::kFull;
      break;
    default:
      return FieldError("hardware.landing",
                        absl::StrCat(static_cast<int>(message.landing()),
                                     " is not known; expected partial or full"));
  }
  switch (message.late()) {
    case v1::WARM_LATE_UNSPECIFIED:
    case v1::WARM_LATE_HELPS:
      hardware->late = WarmLate::kHelps;
      break;
    case v1::WARM_LATE_COMPETES:
      hardware->late = WarmLate::kCompetes;
      break;
    default:
      return FieldError("hardware.late", absl::StrCat(static_cast<int>(message.late()),
                                                      " is not known; expected helps or competes"));
  }
  return absl::OkStatus();
}

absl::Status OptionsFromProto(const v1::WarmOptions& message, WarmOptions* options) {
  if (message.has_min_gain_ns()) options->min_gain_ns = message.min_gain_ns();
  options->whole_sets = !message.single_regions();
  options->read_anchors = message.read_anchors();
  options->split_scopes = !message.no_split_scopes();
  if (message.has_late_percent()) options->late_percent = message.late_percent();
  if (message.has_exact_combinations()) {
    options->exact_combinations = message.exact_combinations();
  }
  if (message.has_anchors_per_set()) options->anchors_per_set = message.anchors_per_set();
  if (message.has_search_stages()) options->search_stages = message.search_stages();
  if (message.has_most_alternatives()) options->most_alternatives = message.most_alternatives();
  options->alternatives = options->most_alternatives != 0;
  options->flips = message.flips();
  options->traces = message.traces();
  const struct {
    const char* field;
    uint64_t value;
    uint64_t most;
  } limits[] = {{"options.late_percent", options->late_percent, 100},
                {"options.exact_combinations", options->exact_combinations, kMostCombinations},
                {"options.anchors_per_set", options->anchors_per_set, kMostAnchors},
                {"options.search_stages", options->search_stages, kMostSearchStages}};
  for (const auto& limit : limits) {
    if (limit.value <= limit.most) continue;
    return FieldError(limit.field, absl::StrCat(limit.value, "; expected at most ", limit.most));
  }
  return absl::OkStatus();
}

void StageFromProto(const v1::WarmStage& message, WarmStage* stage) {
  stage->name = message.name();
  stage->duration_ns = message.duration_ns();
  if (message.has_resident_ns()) stage->resident_ns = message.resident_ns();
  stage->reads.reserve(message.reads_size());
  for (const v1::WarmRead& from : message.reads()) {
    stage->reads.push_back({from.region(), from.bytes(), from.beside_previous()});
  }
  stage->other_bytes = message.other_bytes();
  stage->collective = message.collective();
  stage->all_vector_cores = message.all_vector_cores();
  stage->has_task_id = message.has_task_id();
  stage->writes = message.writes();
  if (!message.has_after()) return;
  stage->after.emplace(message.after().stages().begin(), message.after().stages().end());
}

void RegionFromProto(const v1::WarmRegion& message, WarmRegion* region) {
  region->name = message.name();
  region->bytes = message.bytes();
  region->is_static = !message.dynamic();
  if (message.has_flat()) region->flat = message.flat();
  region->shape.assign(message.shape().begin(), message.shape().end());
  if (message.has_address()) region->address = message.address();
  region->per_layer = !message.shared_by_layers();
}

void RunsFromProto(const v1::WarmTimeline& message, std::vector<WarmRun>* runs) {
  for (const v1::WarmRun& from : message.runs()) {
    runs->push_back(
        {{from.kinds().begin(), from.kinds().end()}, from.has_repeats() ? from.repeats() : 1});
  }
  if (message.runs_size() != 0 || message.kinds_size() == 0) return;
  WarmRun& every_kind = runs->emplace_back();
  for (int k = 0; k < message.kinds_size(); ++k) {
    every_kind.kinds.push_back(static_cast<uint32_t>(k));
  }
}

void TimelineFromProto(const v1::WarmTimeline& message, WarmTimeline* timeline) {
  timeline->regions.resize(message.regions_size());
  for (int r = 0; r < message.regions_size(); ++r) {
    RegionFromProto(message.regions(r), &timeline->regions[r]);
  }
  timeline->kinds.resize(message.kinds_size());
  for (int k = 0; k < message.kinds_size(); ++k) {
    const v1::WarmLayerKind& from = message.kinds(k);
    WarmLayerKind& kind = timeline->kinds[k];
    kind.name = from.name();
    kind.input = from.input();
    kind.stages.resize(from.stages_size());
    for (int s = 0; s < from.stages_size(); ++s) {
      StageFromProto(from.stages(s), &kind.stages[s]);
    }
  }
  RunsFromProto(message, &timeline->runs);
  if (message.has_parallel_stages()) timeline->parallel_stages = message.parallel_stages();
}

// ---- The response ----

v1::WarmVerdict VerdictToProto(WarmVerdict verdict) {
  switch (verdict) {
    case WarmVerdict::kWarm:
      return v1::WARM_VERDICT_WARM;
    case WarmVerdict::kResident:
      return v1::WARM_VERDICT_RESIDENT;
    case WarmVerdict::kTooLarge:
      return v1::WARM_VERDICT_TOO_LARGE;
    case WarmVerdict::kDynamic:
      return v1::WARM_VERDICT_DYNAMIC;
    case WarmVerdict::kNotFlat:
      return v1::WARM_VERDICT_NOT_FLAT;
    case WarmVerdict::kTooLate:
      return v1::WARM_VERDICT_TOO_LATE;
    case WarmVerdict::kContends:
      return v1::WARM_VERDICT_CONTENDS;
    case WarmVerdict::kNoGain:
      return v1::WARM_VERDICT_NO_GAIN;
  }
  return v1::WARM_VERDICT_UNSPECIFIED;
}

v1::WarmParameter ParameterToProto(WarmParameter parameter) {
  switch (parameter) {
    case WarmParameter::kL2Bytes:
      return v1::WARM_PARAMETER_L2_BYTES;
    case WarmParameter::kMemoryBandwidth:
      return v1::WARM_PARAMETER_MEMORY_BANDWIDTH;
    case WarmParameter::kEngineBandwidth:
      return v1::WARM_PARAMETER_ENGINE_BANDWIDTH;
    case WarmParameter::kEngineOfTwo:
      return v1::WARM_PARAMETER_ENGINE_OF_TWO;
    case WarmParameter::kIssueNs:
      return v1::WARM_PARAMETER_ISSUE_NS;
    case WarmParameter::kStartupNs:
      return v1::WARM_PARAMETER_STARTUP_NS;
    case WarmParameter::kEngineWeight:
      return v1::WARM_PARAMETER_ENGINE_WEIGHT;
    case WarmParameter::kHitSaving:
      return v1::WARM_PARAMETER_HIT_SAVING;
    case WarmParameter::kCollectiveShares:
      return v1::WARM_PARAMETER_COLLECTIVE_SHARES;
    case WarmParameter::kLanding:
      return v1::WARM_PARAMETER_LANDING;
    case WarmParameter::kLate:
      return v1::WARM_PARAMETER_LATE;
  }
  return v1::WARM_PARAMETER_UNSPECIFIED;
}

template <typename Message>
void SetAnchor(uint32_t anchor, Message* message) {
  if (anchor != kLayerEntry) message->set_anchor(anchor);
}

void ScopeToProto(const WarmScope& scope, v1::WarmScope* message) {
  SetAnchor(scope.anchor, message);
  message->mutable_regions()->Add(scope.regions.begin(), scope.regions.end());
}

void PlannedScopeToProto(const PlannedScope& scope, v1::PlannedWarmScope* message) {
  SetAnchor(scope.anchor, message);
  message->set_by_task_id(scope.by_task_id);
  message->set_begin_ns(scope.begin_ns);
  for (const PlannedRegion& from : scope.regions) {
    v1::PlannedWarmRegion* const region = message->add_regions();
    region->set_region(from.region);
    region->set_issued_ns(from.issued_ns);
    if (from.landed_ns.has_value()) region->set_landed_ns(*from.landed_ns);
    if (from.read_ns.has_value()) region->set_read_ns(*from.read_ns);
    region->set_pulled_bytes(from.pulled_bytes);
    region->set_landed_bytes(from.landed_bytes);
    region->set_hit_bytes(from.hit_bytes);
  }
}

void RegionVerdictToProto(const WarmRegionVerdict& from, v1::WarmRegionVerdict* message) {
  message->set_region(from.region);
  message->set_verdict(VerdictToProto(from.verdict));
  message->set_reader(from.reader);
  message->set_bytes(from.bytes);
  if (from.bytes_between.has_value()) message->set_bytes_between(*from.bytes_between);
  message->set_set_bytes(from.set_bytes);
  message->set_read_ns(from.read_ns);
  message->set_weighed(from.weighed);
  if (!from.weighed) return;
  SetAnchor(from.anchor, message);
  if (from.landed_ns.has_value()) message->set_landed_ns(*from.landed_ns);
  message->set_landed_bytes(from.landed_bytes);
  message->set_hit_bytes(from.hit_bytes);
  message->set_evicted_bytes(from.evicted_bytes);
  message->set_saving_ns(from.saving_ns);
  message->set_cost_ns(from.cost_ns);
  message->set_change_ns(from.change_ns);
}

void AlternativeToProto(const WarmAlternative& from, v1::WarmAlternative* message) {
  for (const WarmScope& scope : from.scopes) ScopeToProto(scope, message->add_scopes());
  message->set_change_ns(from.change_ns);
  message->set_bytes_in_flight(from.bytes_in_flight);
  message->set_fits(from.fits);
  message->set_eligible(from.eligible);
}

void FlipToProto(const WarmFlip& from, v1::WarmFlip* message) {
  message->set_parameter(ParameterToProto(from.parameter));
  message->set_value(from.value);
  if (from.below.has_value()) message->set_below(*from.below);
  if (from.above.has_value()) message->set_above(*from.above);
  for (const WarmScope& scope : from.choice_below) {
    ScopeToProto(scope, message->add_choice_below());
  }
  for (const WarmScope& scope : from.choice_above) {
    ScopeToProto(scope, message->add_choice_above());
  }
}

void TraceToProto(const WarmTrace& trace, v1::WarmTrace* message) {
  for (const WarmStageTimes& from : trace.stages) {
    v1::WarmStageTimes* const stage = message->add_stages();
    stage->set_begin_ns(from.begin_ns);
    stage->set_end_ns(from.end_ns);
  }
  for (const WarmFlowPoint& from : trace.flow) {
    v1::WarmFlowPoint* const point = message->add_flow();
    point->set_ns(from.ns);
    point->set_pulled_bytes(from.pulled_bytes);
    point->set_unread_bytes(from.unread_bytes);
    point->set_l2_bytes(from.l2_bytes);
  }
  for (const WarmLandingPoint& from : trace.landing) {
    v1::WarmLandingPoint* const point = message->add_landing();
    point->set_scope(from.scope);
    point->set_position(from.position);
    point->set_ns(from.ns);
    point->set_bytes(from.bytes);
  }
}

void KindPlanToProto(const WarmKindPlan& plan, v1::WarmKindPlan* message) {
  message->set_kind(plan.kind);
  message->set_layers(plan.layers);
  for (const PlannedScope& scope : plan.scopes) PlannedScopeToProto(scope, message->add_scopes());
  message->set_bytes_in_flight(plan.bytes_in_flight);
  message->set_fill_bytes(plan.fill_bytes);
  message->set_cold_ns(plan.cold_ns);
  message->set_warm_ns(plan.warm_ns);
  message->set_change_ns(plan.change_ns);
  message->set_exact(plan.exact);
  message->set_simulated_stages(plan.simulated_stages);
  for (const WarmRegionVerdict& from : plan.verdicts) {
    RegionVerdictToProto(from, message->add_verdicts());
  }
  for (const WarmAlternative& from : plan.alternatives) {
    AlternativeToProto(from, message->add_alternatives());
  }
  for (const WarmFlip& from : plan.flips) FlipToProto(from, message->add_flips());
  if (plan.without.has_value()) TraceToProto(*plan.without, message->mutable_trace_without());
  if (plan.with.has_value()) TraceToProto(*plan.with, message->mutable_trace_with());
}

}  // namespace

absl::StatusOr<ParsedWarm> WarmFromProto(const v1::PlanWarmRequest& message) {
  ParsedWarm parsed;
  absl::Status status = HardwareFromProto(message.hardware(), &parsed.hardware);
  if (status.ok()) status = OptionsFromProto(message.options(), &parsed.options);
  if (!status.ok()) return status;
  TimelineFromProto(message.timeline(), &parsed.timeline);
  return parsed;
}

void WarmPlanToProto(const WarmPlan& plan, v1::PlanWarmResponse* message) {
  for (const WarmKindPlan& kind : plan.kinds) KindPlanToProto(kind, message->add_kinds());
  message->set_cold_ns(plan.cold_ns);
  message->set_warm_ns(plan.warm_ns);
  message->set_change_ns(plan.change_ns);
  message->mutable_unread()->Add(plan.unread.begin(), plan.unread.end());
}

}  // namespace torqsched
