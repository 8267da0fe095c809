#include "src/schedule/schedule_stream.h"

#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "src/graph/problem.h"
#include "src/graph/transfers_in_flight.h"
#include "src/lram/offline.h"
#include "src/lram/sequential.h"
#include "src/schedule/choice.h"
#include "src/schedule/input_schedule.h"
#include "src/schedule/lower_bound.h"
#include "src/schedule/optimize.h"
#include "src/schedule/sensitivity.h"
#include "src/schedule/timeline.h"
#include "src/stream/error.h"
#include "src/stream/order.h"

namespace torqsched {
namespace {

SequentialFigures FiguresOf(const Placement& placement) {
  return {placement.placed, placement.swaps, placement.makespan};
}

absl::StatusOr<OracleAnswer> AskOracleOf(const ScheduleProblem& problem, OracleKind kind,
                                         const CallEnvironment& environment,
                                         const Schedule& candidate, bool swaps_allowed) {
  if (kind == OracleKind::kOffline) {
    OfflinePlacement both = PlaceOffline(problem, candidate.order, candidate.slice, swaps_allowed);
    return OracleAnswer{std::move(both.placement), FiguresOf(both.sequential)};
  }
  absl::StatusOr<Placement> placement =
      kind == OracleKind::kHost
          ? environment.host_oracle(candidate, swaps_allowed)
          : PlaceSequentially(problem, candidate.order, candidate.slice, swaps_allowed);
  if (!placement.ok()) return placement.status();
  return OracleAnswer{*std::move(placement), std::nullopt};
}

// Where transfers do not block, an op waits for those that it needs, so an order that breaks a
// dependence has no price.
absl::Status CheckNeedsComeFirst(const ScheduleProblem& problem,
                                 const std::vector<OpIndex>& order) {
  TransfersInFlight in_flight(problem);
  for (size_t p = 0; p < order.size(); ++p) {
    if (problem.stream.op(order[p]).kind == OpKind::kPure) continue;
    if (!in_flight.NeedsAreOut(order[p])) {
      return FieldError(absl::StrCat("order[", p, "]"),
                        absl::StrCat(problem.stream.Describe(order[p]),
                                     " comes before an op that it needs; expected an order that "
                                     "keeps the dependences, as transfers do not block"));
    }
    in_flight.Out(order[p], 0);
  }
  return absl::OkStatus();
}

// Of a search the list schedules are the first tenth. stopped: whether the caller wanted that; the
// choice does not ask once it is made.
CallEnvironment FirstPart(const CallEnvironment& environment, bool* stopped) {
  CallEnvironment part = environment;
  if (environment.progress) {
    part.progress = [&environment, stopped](uint32_t permille, std::optional<uint64_t> best) {
      const bool stop = environment.progress(permille / 10, best);
      *stopped = *stopped || stop;
      return stop;
    };
  }
  return part;
}

std::optional<uint64_t> BestOf(const ScheduleAnswer& answer) {
  if (!answer.placement.placed) return std::nullopt;
  return answer.placement.makespan;
}

}  // namespace

absl::Status CheckOptions(const ScheduleOptions& options, bool has_host_oracle) {
  if (options.cap_percent > 100) {
    return FieldError("options.cap_percent",
                      absl::StrCat(options.cap_percent, " percent; expected at most 100"));
  }
  if (options.prefetch_percent > 100) {
    return FieldError("options.prefetch_percent",
                      absl::StrCat(options.prefetch_percent, " percent; expected at most 100"));
  }
  if (options.candidates == 0) {
    return FieldError("options.candidates", "0; expected at least 1");
  }
  if (options.robust && options.strategy != Strategy::kOptimize) {
    return FieldError("options.robust",
                      "needs the search of strategy OPTIMIZE; expected that strategy, or "
                      "options.sensitivity, which prices the answer of any");
  }
  if (options.oracle == OracleKind::kHost && !has_host_oracle) {
    return ErrorAt(absl::StatusCode::kFailedPrecondition,
                   "options.oracle: the host's, but the session has no oracle callback",
                   {"options.oracle", OpIndex(), BufferIndex()});
  }
  return absl::OkStatus();
}

absl::StatusOr<ScheduleAnswer> ScheduleStream(const Stream& stream, const Hardware& hardware,
                                              const ScheduleOptions& options,
                                              const CallEnvironment& environment) {
  const auto begin = std::chrono::steady_clock::now();
  if (absl::Status status = CheckOptions(options, environment.host_oracle != nullptr); !status.ok())
    return status;
  const absl::StatusOr<std::unique_ptr<const ScheduleProblem>> problem =
      ScheduleProblem::Make(stream, hardware);
  if (!problem.ok()) return problem.status();
  const ScheduleProblem& p = **problem;
  const Oracle oracle = [&](const Schedule& candidate, bool swaps_allowed) {
    return AskOracleOf(p, options.oracle, environment, candidate, swaps_allowed);
  };
  const bool optimize = options.strategy == Strategy::kOptimize;
  bool stopped = false;
  absl::StatusOr<ScheduleAnswer> answer =
      ChooseSchedule(p, options, oracle, optimize ? FirstPart(environment, &stopped) : environment);
  if (!answer.ok()) return answer.status();
  if (stopped) answer->cancelled = true;
  if (optimize && !answer->cancelled) {
    if (absl::Status status = OptimizeSchedule(p, options, oracle, environment, begin, &*answer);
        !status.ok()) {
      return status;
    }
    if (!answer->cancelled && environment.progress) environment.progress(1000, BestOf(*answer));
  }
  PlayTimeline(p, answer->schedule, answer->placement, &answer->statistics,
               options.timeline ? &answer->timeline : nullptr);
  if (options.sensitivity) {
    answer->sensitivity = PriceSensitivity(p, answer->schedule, answer->placement);
  }
  return answer;
}

absl::StatusOr<Simulation> SimulateStream(const Stream& stream, const Hardware& hardware,
                                          const std::vector<OpIndex>& order,
                                          const IndexVector<OpIndex, uint8_t>& slices,
                                          bool timeline) {
  const absl::StatusOr<std::unique_ptr<const ScheduleProblem>> problem =
      ScheduleProblem::Make(stream, hardware);
  if (!problem.ok()) return problem.status();
  Schedule schedule = InputSchedule(stream);
  if (!order.empty()) {
    absl::Status status = CheckOrder(stream, order);
    if (status.ok() && hardware.non_blocking_transfers) {
      status = CheckNeedsComeFirst(**problem, order);
    }
    if (!status.ok()) return status;
    schedule.order = order;
  }
  if (!slices.empty()) {
    for (uint32_t i = 0; i < slices.size() && i < stream.op_count(); ++i) {
      const OpIndex op(i);
      if (stream.op(op).kind == OpKind::kStart && slices[op] >= hardware.slices) {
        return FieldError("slices", absl::StrCat(stream.Describe(op), " on slice ", slices[op],
                                                 ", but the hardware has ", hardware.slices,
                                                 " (counted from 0)"));
      }
    }
    schedule.slice = slices;
    schedule.slice.resize(stream.op_count());
  }
  Simulation simulation;
  simulation.makespan = PlayTimeline(**problem, schedule, Placement(), &simulation.statistics,
                                     timeline ? &simulation.timeline : nullptr);
  simulation.peak_live_bytes = PeakLiveBytes(stream, (*problem)->lifetimes, schedule.order);
  simulation.lower_bound = SimpleLowerBound(stream, hardware);
  return simulation;
}

}  // namespace torqsched
