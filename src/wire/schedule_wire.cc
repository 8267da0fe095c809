#include "src/wire/schedule_wire.h"

#include <cstdint>
#include <limits>
#include <optional>

#include "absl/numeric/int128.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "src/stream/error.h"
#include "src/wire/order_wire.h"
#include "src/wire/placement_wire.h"
#include "src/wire/timeline_wire.h"

namespace torqsched {
namespace {

absl::Status OptionsError(absl::string_view field, absl::string_view message) {
  return ErrorAt(absl::StatusCode::kInvalidArgument, absl::StrCat("options.", field, ": ", message),
                 {absl::StrCat("options.", field), OpIndex(), BufferIndex()});
}

absl::StatusOr<Strategy> StrategyFromProto(v1::Strategy strategy) {
  switch (strategy) {
    case v1::STRATEGY_UNSPECIFIED:
    case v1::STRATEGY_STREAM_SCHEDULE:
      return Strategy::kStreamSchedule;
    case v1::STRATEGY_NONE:
      return Strategy::kNone;
    case v1::STRATEGY_OPTIMIZE:
      return Strategy::kOptimize;
    default:
      return OptionsError("strategy", absl::StrCat(static_cast<int>(strategy),
                                                   " is not known; expected STRATEGY_NONE, "
                                                   "STRATEGY_STREAM_SCHEDULE or "
                                                   "STRATEGY_OPTIMIZE"));
  }
}

absl::StatusOr<OracleKind> OracleFromProto(v1::Oracle oracle) {
  switch (oracle) {
    case v1::ORACLE_UNSPECIFIED:
    case v1::ORACLE_SEQUENTIAL:
      return OracleKind::kSequential;
    case v1::ORACLE_HOST:
      return OracleKind::kHost;
    case v1::ORACLE_OFFLINE:
      return OracleKind::kOffline;
    default:
      return OptionsError("oracle", absl::StrCat(static_cast<int>(oracle),
                                                 " is not known; expected ORACLE_SEQUENTIAL, "
                                                 "ORACLE_OFFLINE or ORACLE_HOST"));
  }
}

v1::Source SourceToProto(Source source) {
  switch (source) {
    case Source::kInput:
      return v1::SOURCE_INPUT;
    case Source::kList:
      return v1::SOURCE_LIST;
    case Source::kSearch:
      return v1::SOURCE_SEARCH;
  }
  return v1::SOURCE_UNSPECIFIED;
}

v1::Verdict VerdictToProto(Verdict verdict) {
  switch (verdict) {
    case Verdict::kSameOrder:
      return v1::VERDICT_SAME_ORDER;
    case Verdict::kNotFaster:
      return v1::VERDICT_NOT_FASTER;
    case Verdict::kNotPlaced:
      return v1::VERDICT_NOT_PLACED;
    case Verdict::kNotFastest:
      return v1::VERDICT_NOT_FASTEST;
    case Verdict::kCommitted:
      return v1::VERDICT_COMMITTED;
  }
  return v1::VERDICT_UNSPECIFIED;
}

v1::Skip SkipToProto(Skip skip) {
  switch (skip) {
    case Skip::kNotReached:
      return v1::SKIP_NOT_REACHED;
    case Skip::kApplied:
      return v1::SKIP_APPLIED;
    case Skip::kNoneReady:
      return v1::SKIP_NONE_READY;
    case Skip::kNoSliceFree:
      return v1::SKIP_NO_SLICE_FREE;
    case Skip::kNoneFits:
      return v1::SKIP_NONE_FITS;
    case Skip::kProgramSooner:
      return v1::SKIP_PROGRAM_SOONER;
    case Skip::kNoneRunning:
      return v1::SKIP_NONE_RUNNING;
    case Skip::kNoWaitReady:
      return v1::SKIP_NO_WAIT_READY;
  }
  return v1::SKIP_UNSPECIFIED;
}

void AttemptToProto(const Attempt& attempt, v1::Attempt* message) {
  message->set_pass(attempt.pass);
  message->set_cap_bytes(attempt.cap);
  message->set_predicted_makespan(attempt.predicted);
  if (attempt.placed.has_value()) message->set_placed(*attempt.placed);
  if (attempt.swaps.has_value()) message->set_swaps(*attempt.swaps);
  if (attempt.makespan.has_value()) message->set_allocated_makespan(*attempt.makespan);
  message->set_verdict(VerdictToProto(attempt.verdict));
  if (attempt.placed == false) PlacementFailureToProto(attempt.failure, message->mutable_failure());
  if (!attempt.sequential.has_value()) return;
  message->set_sequential_placed(attempt.sequential->placed);
  if (!attempt.sequential->placed) return;
  message->set_sequential_swaps(attempt.sequential->swaps);
  message->set_sequential_makespan(attempt.sequential->makespan);
}

void StepToProto(const Step& step, v1::Step* message) {
  message->set_t_before(step.t_before);
  message->set_t_after(step.t_after);
  message->set_free_slices(step.free_slices);
  message->set_op(step.op.value());
  message->set_slice(step.slice);
  message->set_program_end(step.program_end);
  message->set_rule(step.rule);
  message->set_forced(!step.fits);
  message->set_urgent(step.urgent);
  for (const Skip skip : step.skip) message->add_skips(SkipToProto(skip));
  message->set_live_bytes_after(step.live_after);
}

// (makespan - bound) / bound in parts per million, rounded down; absent where there is no such
// number.
std::optional<uint64_t> GapPpm(uint64_t makespan, uint64_t bound) {
  if (makespan <= bound) return 0;
  if (bound == 0) return std::nullopt;
  const absl::uint128 ppm = absl::uint128(makespan - bound) * 1000000 / bound;
  return absl::Uint128High64(ppm) != 0 ? std::numeric_limits<uint64_t>::max()
                                       : absl::Uint128Low64(ppm);
}

void BoundsToProto(const ScheduleAnswer& answer, v1::ScheduleResponse* message) {
  LowerBoundToProto(answer.lower_bound, message->mutable_lower_bound());
  for (const Bound& bound : answer.bounds) BoundToProto(bound, message->add_bounds());
  if (!answer.placement.placed) return;
  const uint64_t makespan = answer.placement.makespan;
  message->set_proven_optimal(makespan == answer.lower_bound.cycles);
  if (const std::optional<uint64_t> gap = GapPpm(makespan, answer.lower_bound.cycles)) {
    message->set_gap_ppm(*gap);
  }
}

void SensitivityToProto(const Sensitivity& price, v1::Sensitivity* message) {
  message->set_dma_percent(price.dma_percent);
  message->set_compute_percent(price.compute_percent);
  message->set_makespan(price.makespan);
}

}  // namespace

absl::StatusOr<ScheduleOptions> OptionsFromProto(const v1::ScheduleOptions& message) {
  ScheduleOptions options;
  absl::StatusOr<Strategy> strategy = StrategyFromProto(message.strategy());
  if (!strategy.ok()) return strategy.status();
  options.strategy = *strategy;
  absl::StatusOr<OracleKind> oracle = OracleFromProto(message.oracle());
  if (!oracle.ok()) return oracle.status();
  options.oracle = *oracle;

  if (message.has_cap_percent()) options.cap_percent = message.cap_percent();
  if (message.has_prefetch_percent()) options.prefetch_percent = message.prefetch_percent();
  if (message.has_urgent_starts()) options.urgent_starts = message.urgent_starts();
  if (message.has_candidates()) options.candidates = message.candidates();
  options.explain = message.explain();
  options.timeline = message.timeline();
  if (message.has_work_limit()) options.work_limit = message.work_limit();
  if (message.has_time_limit_ms()) options.time_limit_ms = message.time_limit_ms();
  options.swaps_forbidden = message.swaps_forbidden();
  options.sensitivity = message.sensitivity();
  options.robust = message.robust();
  return options;
}

void ScheduleAnswerToProto(const Stream& stream, const ScheduleAnswer& answer,
                           v1::ScheduleResponse* message) {
  ScheduleToProto(stream, answer.schedule, message->mutable_order(), message->mutable_starts(),
                  message->mutable_slices());
  message->set_source(SourceToProto(answer.source));
  if (answer.pass.has_value()) message->set_pass(*answer.pass);
  if (answer.cap.has_value()) message->set_cap_bytes(*answer.cap);

  message->set_predicted_makespan(answer.schedule.makespan);
  if (answer.placement.placed) message->set_allocated_makespan(answer.placement.makespan);
  message->set_input_makespan(answer.input_makespan);
  if (answer.input_allocated_makespan.has_value()) {
    message->set_input_allocated_makespan(*answer.input_allocated_makespan);
  }
  message->set_input_swaps(answer.input_swaps);
  message->set_peak_live_bytes(answer.schedule.peak);
  message->set_input_peak_live_bytes(answer.input_peak);
  if (answer.bar.has_value()) message->set_bar(*answer.bar);
  BoundsToProto(answer, message);

  PlacementToProto(answer.placement, message->mutable_placement());
  for (const Attempt& attempt : answer.attempts) AttemptToProto(attempt, message->add_attempts());
  StatisticsToProto(answer.statistics, message->mutable_statistics());
  message->mutable_steps()->Reserve(static_cast<int>(answer.schedule.steps.size()));
  for (const Step& step : answer.schedule.steps) StepToProto(step, message->add_steps());
  TimelineToProto(answer.timeline, message->mutable_timeline());
  message->set_cancelled(answer.cancelled);
  for (const Sensitivity& price : answer.sensitivity) {
    SensitivityToProto(price, message->add_sensitivity());
  }
  message->set_work_limit_reached(answer.work_limit_reached);
  message->set_time_limit_reached(answer.time_limit_reached);
  if (!answer.input_sequential.has_value()) return;
  message->set_input_sequential_placed(answer.input_sequential->placed);
  if (!answer.input_sequential->placed) return;
  message->set_input_sequential_swaps(answer.input_sequential->swaps);
  message->set_input_sequential_makespan(answer.input_sequential->makespan);
}

}  // namespace torqsched
