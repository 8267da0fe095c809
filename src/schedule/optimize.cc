#include "src/schedule/optimize.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "src/graph/action_graph.h"
#include "src/graph/pure_ops.h"
#include "src/lram/banks.h"
#include "src/schedule/input_schedule.h"
#include "src/schedule/list_scheduler.h"
#include "src/schedule/sensitivity.h"
#include "src/schedule/timeline.h"
#include "src/search/exact.h"
#include "src/search/mean_cycles.h"
#include "src/search/optimizer.h"
#include "src/search/oracle_nodes.h"
#include "src/search/priced_search.h"
#include "src/stream/checked.h"

namespace torqsched {
namespace {

// Caps of the list schedules that the search starts from, percent of usable LRAM.
constexpr std::array<uint64_t, 5> kStartCaps = {100, 85, 70, 55, 40};
// Where the oracle prices the orders: nodes between two questions whether to stop.
constexpr uint64_t kPricedChunk = 20000;
constexpr uint32_t kPricedStages = 40;
constexpr uint64_t kSeed = 1;
// A node of the exact search costs as much as so many here.
constexpr uint64_t kNodesOfExactNode = 8;
constexpr uint64_t kNodesBeforeExact = 200000;
// A host's allocator is taken to cost as much as so many ops of our own.
constexpr uint64_t kNodesOfHostOp = 64;
// Walks of the clock for the worst of nine prices; with and without shares of the bandwidth.
constexpr uint64_t kWalksOfWorstWithShares = 9;
constexpr uint64_t kWalksOfWorst = 2;
// What a robust answer is searched for: the chip as it is, and slower transfers or programs.
constexpr std::array<search::Estimate, 3> kRobustEstimates = {{{0, 0}, {20, 0}, {0, 20}}};

class ScheduleOptimizer {
 public:
  ScheduleOptimizer(const ScheduleProblem& problem, const ScheduleOptions& options,
                    const Oracle& oracle, const CallEnvironment& environment,
                    std::chrono::steady_clock::time_point begin, ScheduleAnswer* answer)
      : problem_(problem),
        options_(options),
        oracle_(oracle),
        environment_(environment),
        answer_(*answer),
        search_limit_(options.work_limit.value_or(kDefaultWorkLimit)),
        work_limit_(SaturatingMultiply(search_limit_, Searches())),
        begin_(begin),
        graph_(problem) {}

  absl::Status Run() {
    if (problem_.stream.op_count() == 0 || !GoesOn() || Stop(0, std::nullopt)) return status_;
    if (SearchKnowsClock()) {
      if (graph_.size() <= kMostExactActions) SearchExactly();
      if (GoesOn()) SearchForEachEstimate();
    }
    if (GoesOn() && NeedsPricing()) SearchPricedOrders();
    return status_;
  }

 private:
  // What the search has found, and may be placed already.
  struct Found {
    Schedule schedule;
    std::optional<Placement> placement;  // absent: the oracle has to be asked
  };

  bool SearchKnowsClock() const {
    return !problem_.hardware.non_blocking_transfers && !problem_.stream.has_dma_shares();
  }

  // A robust answer is searched for once for each estimate, with the whole limit each time: so it
  // weighs all that is weighed without `robust`.
  size_t Searches() const {
    return options_.robust && SearchKnowsClock() ? kRobustEstimates.size() : 1;
  }

  bool GoesOn() const {
    return status_.ok() && !answer_.cancelled && !answer_.time_limit_reached && !Proven() &&
           answer_.statistics.search_nodes < work_limit_;
  }

  bool Proven() const { return !options_.robust && answer_.MeetsBound(); }

  std::optional<uint64_t> Best() const {
    if (!answer_.placement.placed) return std::nullopt;
    return answer_.placement.makespan;
  }

  // Told how far the search is; true: stop.
  bool Stop(uint64_t nodes, std::optional<uint64_t> found) {
    if (options_.time_limit_ms.has_value()) {
      const auto spent = std::chrono::steady_clock::now() - begin_;
      if (spent >= std::chrono::milliseconds(
                       std::min<uint64_t>(*options_.time_limit_ms, uint64_t{1} << 40))) {
        answer_.time_limit_reached = true;
        return true;
      }
    }
    if (!environment_.progress) return false;
    std::optional<uint64_t> best = Best();
    if (found.has_value() && (!best.has_value() || *found < *best)) best = found;
    const uint64_t done = absl::Uint128Low64(absl::uint128(std::min(nodes, work_limit_)) * 899 /
                                             std::max<uint64_t>(work_limit_, 1));
    if (!environment_.progress(static_cast<uint32_t>(100 + done), best)) return false;
    answer_.cancelled = true;
    return true;
  }

  // A short search for an order to be better than, then a complete one: without swaps, and, to
  // prove that they do not help, with them.
  void SearchExactly() {
    ConsiderOrders({}, std::min(search_limit_ / 8, kNodesBeforeExact));
    if (!GoesOn() || answer_.MeetsBound()) return;
    // The least that is known: what is placed, then what bytes alone allow. Once nothing below it
    // is found it is a bound.
    std::optional<uint64_t> least = Best();
    const ExactAnswer without = Exact(least, /*swaps=*/false);
    if (without.makespan.has_value()) {
      least = without.makespan;
      best_by_bytes_ = ScheduleOf(without);
      Consider({*best_by_bytes_, std::nullopt});
    }
    if (!GoesOn() || !without.complete || !least.has_value()) return;
    if (options_.swaps_forbidden) return AddExactBound(*least);
    const ExactAnswer with = Exact(least, /*swaps=*/true);
    if (with.complete) AddExactBound(with.makespan.value_or(*least));
  }

  ExactAnswer Exact(std::optional<uint64_t> upper_bound, bool swaps) {
    ExactOptions options;
    const uint64_t used = answer_.statistics.search_nodes;
    options.node_limit = (search_limit_ - std::min(used, search_limit_)) / 2 / kNodesOfExactNode;
    options.upper_bound = upper_bound;
    options.swaps = swaps;
    options.stop = [&](uint64_t nodes) {
      return Stop(used + nodes * kNodesOfExactNode, std::nullopt);
    };
    const ExactAnswer answer = SolveExactly(problem_, graph_, options);
    AddWork({answer.nodes * kNodesOfExactNode, 0, 0});
    return answer;
  }

  Schedule ScheduleOf(const ExactAnswer& answer) const {
    const Stream& stream = problem_.stream;
    Schedule schedule;
    schedule.slice.assign(stream.op_count(), 0);
    PureOps pure(stream);
    for (const ExactEntry& entry : answer.entries) {
      const OpIndex action = graph_.action(entry.action).op;
      const OpIndex op = entry.wait ? stream.op(action).partner : action;
      pure.AppendNeeded(op, &schedule.order);
      schedule.order.push_back(op);
      if (stream.op(op).kind == OpKind::kStart) schedule.slice[op] = entry.slice;
    }
    pure.AppendRemaining(&schedule.order);
    return schedule;
  }

  void AddExactBound(uint64_t cycles) {
    answer_.bounds.push_back({BoundKind::kExact, cycles});
    answer_.lower_bound = LargestOf(answer_.bounds);
  }

  void SearchForEachEstimate() {
    uint64_t nodes = search_limit_ - std::min(answer_.statistics.search_nodes, search_limit_);
    for (size_t i = 0; i < Searches() && GoesOn(); ++i, nodes = search_limit_) {
      // A host may refuse what is found.
      if (options_.oracle == OracleKind::kHost) nodes -= nodes / 4;
      ConsiderOrders(kRobustEstimates[i], nodes);
    }
  }

  void ConsiderOrders(const search::Estimate& estimate, uint64_t nodes) {
    std::optional<Found> found = SearchOrders(estimate, nodes);
    if (found.has_value()) Consider(*std::move(found));
  }

  // What is answered so far, and orders that stay the same.
  std::vector<std::vector<OpIndex>> Starts() {
    if (fixed_starts_.empty()) MakeFixedStarts();
    std::vector<std::vector<OpIndex>> starts;
    starts.push_back(answer_.schedule.order);
    if (best_by_bytes_.has_value()) starts.push_back(best_by_bytes_->order);
    starts.insert(starts.end(), fixed_starts_.begin(), fixed_starts_.end());
    return starts;
  }

  void MakeFixedStarts() {
    fixed_starts_.push_back(InputSchedule(problem_.stream).order);
    for (const uint64_t percent : kStartCaps) {
      ListParameters parameters = ParametersFor(problem_.hardware, options_, percent);
      parameters.explain = false;
      ListWork work;
      fixed_starts_.push_back(ListSchedule(problem_, parameters, &work).order);
      ++answer_.statistics.list_schedules;
      answer_.statistics.scheduler_steps += work.steps;
    }
  }

  std::optional<Found> SearchOrders(const search::Estimate& estimate, uint64_t nodes) {
    search::OptimizeRequest request;
    const bool ours = options_.oracle == OracleKind::kOffline;
    request.ours = ours;
    request.swaps_allowed = !options_.swaps_forbidden;
    request.estimate = estimate;
    request.nodes = nodes;
    request.starts = Starts();
    // It is a bound of the chip as it is.
    request.lower_bound = estimate.AsItIs() ? answer_.lower_bound.cycles : 0;
    const uint64_t before = answer_.statistics.search_nodes;
    request.stop = [&](uint64_t done, std::optional<uint64_t> best) {
      const bool known = !options_.robust && options_.oracle != OracleKind::kHost;
      return Stop(before + done, known ? best : std::nullopt);
    };
    std::optional<search::OptimizeResult> result = search::Optimize(problem_, graph_, request);
    if (!result.has_value()) {
      too_large_ = true;
      return std::nullopt;
    }
    AddWork(result->work);
    search::PlacedOrder& best = result->best;
    Found found;
    found.schedule.order = std::move(best.order);
    found.schedule.slice = std::move(best.slices);
    if (ours && best.placement.placed) {
      PreferBanks(problem_.stream, problem_.hardware, problem_.lifetimes, found.schedule.order,
                  &best.placement);
      Statistics unused;
      best.placement.makespan =
          PlayTimeline(problem_, found.schedule, best.placement, &unused, nullptr);
      found.placement = std::move(best.placement);
    }
    return found;
  }

  void AddWork(const search::SearchWork& work) {
    answer_.statistics.search_nodes += work.nodes;
    answer_.statistics.search_moves += work.moves;
    answer_.statistics.search_improvements += work.improvements;
    answer_.work_limit_reached =
        !answer_.time_limit_reached && answer_.statistics.search_nodes >= work_limit_;
  }

  absl::StatusOr<OracleAnswer> Ask(const Schedule& schedule, bool swaps_allowed) {
    ++answer_.statistics.oracle_runs;
    return AskOracle(oracle_, schedule, swaps_allowed);
  }

  // Has the schedule placed, if it is not yet, and takes it if it is better than what there is.
  void Consider(Found found) {
    Attempt attempt;
    attempt.pass = kSearchPass;
    Statistics unused;
    found.schedule.makespan = PlayTimeline(problem_, found.schedule, Placement(), &unused, nullptr);
    attempt.predicted = found.schedule.makespan;
    if (!found.placement.has_value()) {
      for (const bool swaps_allowed : {false, true}) {
        if (swaps_allowed && options_.swaps_forbidden) break;
        absl::StatusOr<OracleAnswer> said = Ask(found.schedule, swaps_allowed);
        if (!said.ok()) {
          status_ = said.status();
          return;
        }
        attempt.sequential = said->sequential;
        found.placement = std::move(said->placement);
        if (found.placement->placed) break;
      }
    }
    attempt.placed = found.placement->placed;
    if (found.placement->placed) {
      attempt.swaps = found.placement->swaps;
      attempt.makespan = found.placement->makespan;
      const bool better = Improves(found.schedule, *found.placement);
      attempt.verdict = better ? Verdict::kCommitted : Verdict::kNotFaster;
    } else {
      attempt.failure = found.placement->failure;
      attempt.verdict = Verdict::kNotPlaced;
    }
    answer_.attempts.push_back(attempt);
    if (attempt.verdict == Verdict::kCommitted) {
      Commit(std::move(found));
    } else if (attempt.verdict == Verdict::kNotPlaced) {
      refused_ = std::move(found.schedule);
    }
  }

  bool Improves(const Schedule& schedule, const Placement& placement) const {
    return !answer_.placement.placed ||
           MeasureOf(schedule, placement) < MeasureOf(answer_.schedule, answer_.placement);
  }

  // What orders are compared by, and what counts where that is equal.
  std::pair<uint64_t, uint64_t> MeasureOf(const Schedule& schedule,
                                          const Placement& placement) const {
    if (!options_.robust) return {placement.makespan, 0};
    return {WorstCase(problem_, schedule, placement), placement.makespan};
  }

  void Commit(Found found) {
    for (Attempt& attempt : answer_.attempts) {
      if (&attempt != &answer_.attempts.back() && attempt.verdict == Verdict::kCommitted) {
        attempt.verdict = Verdict::kNotFastest;
      }
    }
    answer_.source = Source::kSearch;
    answer_.pass = kSearchPass;
    answer_.cap.reset();
    answer_.schedule = std::move(found.schedule);
    answer_.schedule.peak =
        PeakLiveBytes(problem_.stream, problem_.lifetimes, answer_.schedule.order);
    answer_.placement = *std::move(found.placement);
    if (environment_.log) {
      environment_.log(
          absl::StrCat("the search found an order of ", answer_.placement.makespan, " cycles"));
    }
  }

  // Whether there is something to gain from orders that the oracle itself prices.
  bool NeedsPricing() const {
    if (!SearchKnowsClock() || too_large_) return true;
    return options_.oracle == OracleKind::kHost &&
           (refused_.has_value() || !answer_.placement.placed || answer_.placement.swaps != 0);
  }

  // What asking about an order costs.
  uint64_t NodesOfPrice(const std::optional<SequentialFigures>& sequential) const {
    uint64_t walks = 0;
    if (options_.robust) {
      walks = problem_.stream.has_dma_shares() ? kWalksOfWorstWithShares : kWalksOfWorst;
    }
    const uint64_t nodes = walks * problem_.stream.op_count();
    switch (options_.oracle) {
      case OracleKind::kHost:
        return nodes + kNodesOfHostOp * problem_.stream.op_count();
      case OracleKind::kOffline:
        return nodes + search::NodesOfOffline(problem_, sequential.value_or(SequentialFigures()));
      case OracleKind::kSequential:
        break;
    }
    return nodes + search::NodesOfSequential(problem_);
  }

  void SearchPricedOrders() {
    const uint64_t used = answer_.statistics.search_nodes;
    const uint64_t nodes = work_limit_ - std::min(used, work_limit_);
    std::optional<Found> best;
    std::pair<uint64_t, uint64_t> least;  // what the best is compared by
    const search::PriceFunction price =
        [&](const search::PricedOrder& order) -> std::optional<search::OrderPrice> {
      Found found;
      found.schedule.order = order.order;
      found.schedule.slice = order.slices;
      absl::StatusOr<OracleAnswer> said = Ask(found.schedule, !options_.swaps_forbidden);
      if (!said.ok()) {
        status_ = said.status();
        return std::nullopt;
      }
      Placement& placement = said->placement;
      const uint64_t nodes = NodesOfPrice(said->sequential);
      if (!placement.placed) return search::OrderPrice{false, 0, 0, placement.failure.op, nodes};
      const auto measure = MeasureOf(found.schedule, placement);
      if (!best.has_value() || measure < least) {
        least = measure;
        found.placement = std::move(placement);
        best = std::move(found);
      }
      return search::OrderPrice{true, measure.first, measure.second, OpIndex(), nodes};
    };
    search::PricedSearch search(problem_, graph_, price, kSeed);
    // From what was refused, if nothing is placed.
    const bool from_answer = answer_.placement.placed || !refused_.has_value();
    bool going = search.Begin(from_answer ? answer_.schedule.order : refused_->order);
    // With `robust` the best may be slower as it is than what is there.
    const auto told = [&]() -> std::optional<uint64_t> {
      if (!best.has_value() || options_.robust) return std::nullopt;
      return best->placement->makespan;
    };
    const int64_t mean = search::MeanCycles(graph_);
    for (uint32_t stage = 0; going && stage < kPricedStages; ++stage) {
      const uint64_t until = nodes / kPricedStages * (stage + 1);
      while (going && search.nodes() < until) {
        if (told().value_or(UINT64_MAX) <= answer_.lower_bound.cycles ||
            Stop(used + search.nodes(), told())) {
          going = false;
          break;
        }
        going = search.Improve(std::min(kPricedChunk, nodes),
                               std::max<int64_t>(1, mean / 16 >> (stage / 8)));
      }
    }
    AddWork({search.nodes(), search.moves(), search.improvements()});
    if (status_.ok() && best.has_value()) Consider(*std::move(best));
  }

  const ScheduleProblem& problem_;
  const ScheduleOptions& options_;
  const Oracle& oracle_;
  const CallEnvironment& environment_;
  ScheduleAnswer& answer_;
  const uint64_t search_limit_;  // nodes of one search
  const uint64_t work_limit_;    // of all
  const std::chrono::steady_clock::time_point begin_;
  const ActionGraph graph_;
  absl::Status status_;
  std::vector<std::vector<OpIndex>> fixed_starts_;
  std::optional<Schedule> best_by_bytes_;  // that the exact search found
  std::optional<Schedule> refused_;        // the last order that the oracle did not place
  bool too_large_ = false;                 // the numbers, for a search that plays orders itself
};

}  // namespace

absl::Status OptimizeSchedule(const ScheduleProblem& problem, const ScheduleOptions& options,
                              const Oracle& oracle, const CallEnvironment& environment,
                              std::chrono::steady_clock::time_point begin, ScheduleAnswer* answer) {
  return ScheduleOptimizer(problem, options, oracle, environment, begin, answer).Run();
}

}  // namespace torqsched
