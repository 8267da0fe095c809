#include "src/schedule/choice.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "src/bounds/bounds.h"
#include "src/graph/action_graph.h"
#include "src/schedule/input_schedule.h"
#include "src/schedule/list_scheduler.h"
#include "src/schedule/timeline.h"
#include "src/stream/error.h"

namespace torqsched {
namespace {

constexpr std::array<uint64_t, 3> kCapPercents = {100, 85, 70};
// What bounds may cost where there is no search that takes longer anyway: so many steps
// (src/bounds/work.h), and so many for each op.
constexpr uint64_t kLeastBoundWork = 12'000'000;
constexpr uint64_t kBoundWorkOfOp = 20;

class Chooser {
 public:
  Chooser(const ScheduleProblem& problem, const ScheduleOptions& options, const Oracle& oracle,
          const CallEnvironment& environment)
      : problem_(problem), options_(options), oracle_(oracle), environment_(environment) {}

  absl::StatusOr<ScheduleAnswer> Choose() {
    if (absl::Status status = PriceInput(); !status.ok()) return status;
    if (options_.strategy == Strategy::kNone) return Finish();
    for (const uint64_t percent : kCapPercents) {
      candidates_.push_back(
          {ParametersFor(problem_.hardware, options_, percent), Schedule(), false});
    }
    if (absl::Status status = PassWithoutSwaps(); !status.ok()) return status;
    if (committed_ == nullptr && !answer_.cancelled && !options_.swaps_forbidden) {
      if (absl::Status status = PassWithSwaps(); !status.ok()) return status;
    }
    return Finish();
  }

 private:
  struct Candidate {
    ListParameters parameters;
    Schedule schedule;
    bool scheduled;
  };

  // Tells how far the call is; true: the caller wants it to stop.
  bool Stop(uint32_t permille) {
    if (!environment_.progress) return false;
    return environment_.progress(permille, best_);
  }

  void Log(const std::string& message) {
    if (environment_.log) environment_.log(message);
  }

  absl::StatusOr<OracleAnswer> Ask(const Schedule& schedule, bool swaps_allowed) {
    ++answer_.statistics.oracle_runs;
    return AskOracle(oracle_, schedule, swaps_allowed);
  }

  void Improve(uint64_t makespan) {
    if (!best_.has_value() || makespan < *best_) best_ = makespan;
  }

  void FindBounds() {
    bounds::BoundLimits limits;
    if (options_.strategy != Strategy::kOptimize) {
      limits.work =
          std::min(limits.work, kLeastBoundWork + kBoundWorkOfOp * problem_.stream.op_count());
    }
    bounds::Bounds found =
        bounds::ComputeBounds(problem_, ActionGraph(problem_), !options_.swaps_forbidden, limits);
    answer_.bounds = std::move(found.all);
    answer_.lower_bound = found.best;
  }

  absl::Status PriceInput() {
    if (Stop(0)) return absl::CancelledError("cancelled before the input order was priced");
    input_ = InputSchedule(problem_.stream);
    Statistics unused;
    input_.makespan = PlayTimeline(problem_, input_, Placement(), &unused, nullptr);
    input_.peak = PeakLiveBytes(problem_.stream, problem_.lifetimes, input_.order);
    answer_.input_makespan = input_.makespan;
    answer_.input_peak = input_.peak;
    FindBounds();
    absl::StatusOr<OracleAnswer> said = Ask(input_, !options_.swaps_forbidden);
    if (!said.ok()) return said.status();
    answer_.input_sequential = said->sequential;
    input_placement_ = std::move(said->placement);
    if (input_placement_.placed) {
      answer_.input_allocated_makespan = input_placement_.makespan;
      Improve(input_placement_.makespan);
      answer_.input_swaps = input_placement_.swaps;
      answer_.bar =
          input_placement_.swaps == 0 ? answer_.input_makespan : input_placement_.makespan;
    }
    return absl::OkStatus();
  }

  const Schedule& ScheduleFor(size_t k) {
    Candidate& candidate = candidates_[k];
    if (!candidate.scheduled) {
      ListWork work;
      candidate.schedule = ListSchedule(problem_, candidate.parameters, &work);
      candidate.scheduled = true;
      ++answer_.statistics.list_schedules;
      answer_.statistics.scheduler_steps += work.steps;
    }
    return candidate.schedule;
  }

  bool BelowBar(uint64_t makespan) const {
    return !answer_.bar.has_value() || makespan < *answer_.bar;
  }

  // Appends an attempt for cap k; its verdict is kSameOrder if an older cap gave the same order.
  Attempt& NewAttempt(uint32_t pass, size_t k) {
    const Schedule& schedule = ScheduleFor(k);
    Attempt attempt;
    attempt.pass = pass;
    attempt.cap = candidates_[k].parameters.cap;
    attempt.predicted = schedule.makespan;
    for (size_t older = 0; older < k; ++older) {
      if (candidates_[older].schedule.order == schedule.order) {
        attempt.verdict = Verdict::kSameOrder;
      }
    }
    answer_.attempts.push_back(std::move(attempt));
    return answer_.attempts.back();
  }

  static void RecordAnswer(const OracleAnswer& said, Attempt* attempt) {
    const Placement& placement = said.placement;
    attempt->sequential = said.sequential;
    attempt->placed = placement.placed;
    if (placement.placed) {
      attempt->swaps = placement.swaps;
      attempt->makespan = placement.makespan;
    } else {
      attempt->failure = placement.failure;
    }
  }

  absl::Status PassWithoutSwaps() {
    for (size_t k = 0; k < candidates_.size(); ++k) {
      if (Stop(static_cast<uint32_t>(100 + 150 * k))) return Cancel();
      Attempt& attempt = NewAttempt(0, k);
      if (attempt.verdict == Verdict::kSameOrder) continue;
      if (!BelowBar(attempt.predicted)) {
        attempt.verdict = Verdict::kNotFaster;
        continue;
      }
      absl::StatusOr<OracleAnswer> said = Ask(candidates_[k].schedule, /*swaps_allowed=*/false);
      if (!said.ok()) return said.status();
      RecordAnswer(*said, &attempt);
      if (!said->placement.placed) continue;
      Commit(&attempt, k, std::move(said->placement));
      break;
    }
    return absl::OkStatus();
  }

  absl::Status PassWithSwaps() {
    for (size_t k = 0; k < candidates_.size(); ++k) {
      if (Stop(static_cast<uint32_t>(550 + 150 * k))) {
        if (absl::Status status = Cancel(); !status.ok()) return status;
        break;
      }
      Attempt& attempt = NewAttempt(1, k);
      if (attempt.verdict == Verdict::kSameOrder) continue;
      absl::StatusOr<OracleAnswer> said = Ask(candidates_[k].schedule, /*swaps_allowed=*/true);
      if (!said.ok()) return said.status();
      Placement& placement = said->placement;
      RecordAnswer(*said, &attempt);
      if (!placement.placed) continue;
      attempt.verdict = Verdict::kNotFastest;
      Improve(placement.makespan);
      if (!fastest_.has_value() || placement.makespan < fastest_->placement.makespan) {
        fastest_ = Fastest{k, answer_.attempts.size() - 1, std::move(placement)};
      }
    }
    if (!fastest_.has_value()) return absl::OkStatus();
    Attempt& attempt = answer_.attempts[fastest_->attempt];
    if (BelowBar(fastest_->placement.makespan)) {
      Commit(&attempt, fastest_->candidate, std::move(fastest_->placement));
    } else {
      attempt.verdict = Verdict::kNotFaster;
    }
    return absl::OkStatus();
  }

  absl::Status Cancel() {
    answer_.cancelled = true;
    return absl::OkStatus();
  }

  void Commit(Attempt* attempt, size_t k, Placement placement) {
    attempt->verdict = Verdict::kCommitted;
    committed_ = &candidates_[k];
    answer_.source = Source::kList;
    answer_.pass = attempt->pass;
    answer_.cap = attempt->cap;
    answer_.placement = std::move(placement);
    best_ = answer_.placement.makespan;
    Log(absl::StrCat("committed the schedule for ", attempt->cap, " bytes in pass ",
                     attempt->pass));
  }

  absl::StatusOr<ScheduleAnswer> Finish() {
    if (committed_ != nullptr) {
      answer_.schedule = std::move(committed_->schedule);
    } else {
      answer_.schedule = std::move(input_);
      answer_.placement = std::move(input_placement_);
      Log("the input order stays");
    }
    if (!answer_.cancelled) Stop(1000);  // nothing is left to stop
    return std::move(answer_);
  }

  struct Fastest {
    size_t candidate;
    size_t attempt;
    Placement placement;
  };

  const ScheduleProblem& problem_;
  const ScheduleOptions& options_;
  const Oracle& oracle_;
  const CallEnvironment& environment_;
  ScheduleAnswer answer_;
  Schedule input_;
  Placement input_placement_;
  std::vector<Candidate> candidates_;
  Candidate* committed_ = nullptr;
  std::optional<Fastest> fastest_;  // of pass 1
  std::optional<uint64_t> best_;    // the least makespan after allocation so far
};

}  // namespace

absl::StatusOr<OracleAnswer> AskOracle(const Oracle& oracle, const Schedule& schedule,
                                       bool swaps_allowed) {
  absl::StatusOr<OracleAnswer> said = oracle(schedule, swaps_allowed);
  if (!said.ok() && !absl::IsOutOfRange(said.status())) return said;
  if (said.ok() && (swaps_allowed || !said->placement.placed || said->placement.swaps == 0)) {
    return said;
  }
  OracleAnswer unplaced;
  unplaced.placement.failure.reason = said.ok() ? FailureReason::kHost : FailureReason::kOverflow;
  if (!said.ok()) unplaced.placement.failure.op = PlaceOf(said.status()).op;
  return unplaced;
}

absl::StatusOr<ScheduleAnswer> ChooseSchedule(const ScheduleProblem& problem,
                                              const ScheduleOptions& options, const Oracle& oracle,
                                              const CallEnvironment& environment) {
  return Chooser(problem, options, oracle, environment).Choose();
}

}  // namespace torqsched
