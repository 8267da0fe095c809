#include "src/search/optimizer.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "src/lram/offline.h"
#include "src/search/action_order.h"
#include "src/search/local_search.h"
#include "src/search/mean_cycles.h"
#include "src/search/model.h"
#include "src/search/oracle_nodes.h"
#include "src/search/swap_trials.h"

namespace torqsched::search {
namespace {

constexpr uint32_t kStages = 40;              // of falling thresholds; each 2^(1/8) lower
constexpr uint32_t kFirstStageOfTheBest = 8;  // it has been annealed before: half as warm
constexpr uint64_t kRivalShare = 14;          // of the nodes, for each of them
constexpr uint64_t kSwapShare = 40;  // of the nodes, to see whether swaps help where none is needed
constexpr size_t kRivals = 4;        // searches that compete
constexpr uint64_t kMostMendNodes = 16000000;  // what is not found by then takes a swap
constexpr uint64_t kMostSwaps = 2000;
constexpr uint64_t kActionsPerNode = 64;  // that are looked at to make a split
constexpr uint64_t kChunk = 20000;        // nodes between two questions whether to stop
// 1024 * 2^(-k/8).
constexpr std::array<int64_t, 8> kFall = {1024, 939, 861, 790, 724, 664, 609, 558};

// The mean threshold of a stage, from a twelfth of a mean action down to a 384th.
int64_t Warmth(int64_t mean_cycles, uint32_t stage) {
  return std::max<int64_t>(1, (mean_cycles / 12 * kFall[stage % 8] / 1024) >> (stage / 8));
}

// An order in a model.
struct Candidate {
  std::shared_ptr<const Model> model;
  Placing placing = Placing::kWanted;
  Solution solution;
  Reach reach = Reach::kFar;  // with which it is searched on
};

class Optimizer {
 public:
  Optimizer(const ScheduleProblem& problem, const ActionGraph& graph,
            const OptimizeRequest& request)
      : problem_(problem), graph_(graph), request_(request) {}

  std::optional<OptimizeResult> Run() {
    base_ = Model::Make(problem_, graph_, {}, request_.estimate);
    if (base_ == nullptr) return std::nullopt;
    mean_cycles_ = MeanCycles(*base_);
    PlayStarts(request_.ours ? Placing::kWanted : Placing::kTwoEnded);
    if (Breaks()) FindRoom();
    if (Breaks() && request_.swaps_allowed && base_->swaps_countable()) AddSwaps();
    Compete();
    if (request_.ours && TriesSwaps()) ImproveBySwaps();
    const bool later = !request_.ours && TriesSwaps();
    GoOn(later ? request_.nodes / kSwapShare : 0);
    if (later) {
      ImproveBySwaps();
      GoOn();  // with what that left
    }
    result_.best = Result();
    return std::move(result_);
  }

 private:
  // No order that keeps the memory is known.
  bool Breaks() const { return best_.solution.violations != 0; }

  // There is an order that does without swaps, and the oracle's prices are those that count.
  bool TriesSwaps() {
    return request_.swaps_allowed && base_->swaps_countable() && request_.estimate.AsItIs() &&
           best_.model == base_ && best_.placing != Placing::kSequential && !Breaks() && !Done();
  }

  // candidates_: best first, no two of the same order.
  void PlayStarts(Placing placing) {
    for (const std::vector<OpIndex>& ops : request_.starts) {
      if (!candidates_.empty() && Done()) return;
      Candidate candidate{base_, placing, {}};
      candidate.solution.order = ActionOrder(problem_, graph_, ops);
      Play(&candidate);
      AddCandidate(std::move(candidate));
    }
  }

  void Play(Candidate* candidate) {
    result_.work.nodes += Evaluate(*candidate->model, candidate->placing, &candidate->solution);
  }

  void AddCandidate(Candidate candidate) {
    for (const Candidate& c : candidates_) {
      if (c.model == candidate.model && c.placing == candidate.placing &&
          c.solution.order == candidate.solution.order &&
          !candidate.solution.BetterThan(c.solution)) {
        return;
      }
    }
    const auto at = std::find_if(candidates_.begin(), candidates_.end(), [&](const Candidate& c) {
      return candidate.solution.BetterThan(c.solution);
    });
    if (candidates_.empty() || candidate.solution.BetterThan(best_.solution)) best_ = candidate;
    candidates_.insert(at, std::move(candidate));
  }

  std::optional<uint64_t> BestMakespan() const {
    if (best_.solution.violations != 0) return std::nullopt;
    return static_cast<uint64_t>(best_.solution.makespan);
  }

  bool Done() {
    if (result_.stopped) return true;
    if (best_.solution.violations == 0 &&
        static_cast<uint64_t>(best_.solution.makespan) <= request_.lower_bound) {
      return true;
    }
    if (result_.work.nodes >= request_.nodes) return true;
    if (request_.stop && request_.stop(result_.work.nodes, BestMakespan())) {
      result_.stopped = true;
    }
    return result_.stopped;
  }

  void AddWork(const SearchWork& from, const SearchWork& to) {
    result_.work.nodes += to.nodes - from.nodes;
    result_.work.moves += to.moves - from.moves;
    result_.work.improvements += to.improvements - from.improvements;
  }

  // A search of about so many nodes from there, whose warmth falls. Returns its best order; best_
  // is kept as well.
  Solution Anneal(const Candidate& start, uint64_t nodes, uint64_t seed, uint32_t first_stage = 0) {
    LocalSearch search(*start.model, start.placing, start.reach, start.solution,
                       request_.seed * 1000 + seed);
    AddWork({}, search.work());
    for (uint32_t stage = first_stage; stage < kStages; ++stage) {
      SearchAt(Warmth(mean_cycles_, stage), nodes / (kStages - first_stage), start, &search);
    }
    return search.best();
  }

  void SearchAt(int64_t warmth, uint64_t nodes, const Candidate& start, LocalSearch* search) {
    const SearchWork before = search->work();
    while (search->work().nodes - before.nodes < nodes && !Done()) {
      const SearchWork at = search->work();
      search->Improve(std::min(kChunk, nodes), warmth);
      AddWork(at, search->work());
      if (search->BestIsBelow(best_.solution)) {
        best_ = {start.model, start.placing, search->best(), start.reach};
      }
    }
  }

  // Orders that keep the memory, from those that break it.
  void FindRoom() {
    const std::vector<Candidate> starts = candidates_;
    for (size_t i = 0; i < starts.size() && !Done(); ++i) {
      if (request_.ours) FindOffsets(starts[i]);
      LocalSearch search(*starts[i].model, starts[i].placing, starts[i].reach, starts[i].solution,
                         request_.seed * 1000 + i);
      AddWork({}, search.work());
      // As long as there is none, nothing else is worth the work.
      const uint64_t share = request_.nodes / (Breaks() ? 3 : 20);
      Mend(std::min(share, kMostMendNodes) / starts.size(), &search);
      AddCandidate({starts[i].model, starts[i].placing, search.best()});
    }
  }

  void Mend(uint64_t nodes, LocalSearch* search) {
    const uint64_t limit = result_.work.nodes + nodes;
    while (search->violations() != 0 && result_.work.nodes < limit && !Done()) {
      const SearchWork at = search->work();
      search->Mend(std::min(kChunk, nodes), Warmth(mean_cycles_, 0));
      AddWork(at, search->work());
      if (search->work().nodes == at.nodes) return;  // there is nothing to move
    }
  }

  // Perhaps it is offsets alone that are not found: OFFLINE looks longer for those.
  void FindOffsets(const Candidate& candidate) {
    const PlacedOrder placed =
        PlaceSolution(*candidate.model, candidate.placing, candidate.solution);
    const OfflinePlacement both = AskOffline(placed, /*swaps_allowed=*/false);
    if (!both.placement.placed) return;
    Candidate found = candidate;
    found.solution.offsets = OffsetsOf(*candidate.model, both.placement);
    Play(&found);
    if (found.solution.violations == 0) AddCandidate(std::move(found));
  }

  OfflinePlacement AskOffline(const PlacedOrder& placed, bool swaps_allowed) {
    OfflinePlacement both = PlaceOffline(problem_, placed.order, placed.slices, swaps_allowed);
    result_.work.nodes += NodesOfOffline(problem_, both.sequential);
    return both;
  }

  // The candidates as SEQUENTIAL swaps; if swaps are ours, then with splits.
  void AddSwaps() {
    const std::vector<Candidate> broken = std::move(candidates_);
    candidates_.clear();
    for (const Candidate& c : broken) {
      if (!candidates_.empty() && Done()) break;
      Candidate swapping{base_, Placing::kSequential, {}};
      swapping.solution.order = c.solution.order;
      Play(&swapping);
      AddCandidate(std::move(swapping));
    }
    if (!request_.ours) return;
    const Candidate start = candidates_.front();
    AddCandidate({start.model, start.placing, Anneal(start, request_.nodes / 5, 2)});
    std::vector<Candidate> split;
    for (const Candidate& c : candidates_) {
      if (!split.empty() && Done()) break;
      AddSplits(c, &split);
    }
    candidates_.clear();
    best_ = broken.front();
    for (Candidate& c : split) AddCandidate(std::move(c));
    if (candidates_.empty()) candidates_.push_back(best_);
  }

  // What SEQUENTIAL and OFFLINE make of the candidate's order, in models of their own.
  void AddSplits(const Candidate& candidate, std::vector<Candidate>* split) {
    const PlacedOrder placed =
        PlaceSolution(*candidate.model, candidate.placing, candidate.solution);
    const OfflinePlacement both = AskOffline(placed, /*swaps_allowed=*/true);
    for (const Placement* placement : {&both.placement, &both.sequential}) {
      if (!placement->placed) continue;
      std::optional<Candidate> with = WithSplits(placed.order, *placement);
      if (with.has_value()) split->push_back(*std::move(with));
    }
  }

  // Absent where there are too many swaps, or no model says them.
  std::optional<Candidate> WithSplits(const std::vector<OpIndex>& ops, const Placement& placement) {
    if (placement.swaps > kMostSwaps) return std::nullopt;
    // Each split looks at all actions.
    result_.work.nodes += (1 + placement.swaps) * base_->size() / kActionsPerNode;
    SplitOrder order = OrderWithSplits(problem_, graph_, ops, placement);
    Candidate with;
    with.model = Model::Make(problem_, graph_, order.splits, request_.estimate);
    if (with.model == nullptr || order.order.size() != with.model->size()) return std::nullopt;
    with.placing = Placing::kWanted;
    with.solution.order = std::move(order.order);
    with.solution.offsets = OffsetsOf(*with.model, placement);
    Play(&with);
    return with;
  }

  // Of each part where the placement puts it. Parts of a buffer come in in the order of their
  // numbers.
  static IndexVector<PartIndex, int64_t> OffsetsOf(const Model& model, const Placement& placement) {
    IndexVector<PartIndex, int64_t> offsets(model.part_count(), -1);
    std::vector<std::vector<PartIndex>> parts(model.problem().stream.buffer_count());
    for (uint32_t p = static_cast<uint32_t>(model.part_count()); p-- > 0;) {
      parts[model.part(PartIndex(p)).buffer.value()].push_back(PartIndex(p));
    }
    for (const Move& move : placement.moves) {
      std::vector<PartIndex>& left = parts[move.buffer.value()];
      if (!move.in || left.empty()) continue;
      offsets[left.back()] = static_cast<int64_t>(move.offset);
      left.pop_back();
    }
    return offsets;
  }

  // The best candidates search for a while each; best_ is then where to go on. Where offsets are
  // ours, every other one does without wanted offsets: it goes other ways, and what it finds holds.
  void Compete() {
    const uint64_t nodes = request_.nodes / kRivalShare;
    for (size_t i = 0; i < kRivals && !Done(); ++i) {
      Candidate start = candidates_[i / 2 % candidates_.size()];
      if (start.solution.violations > candidates_.front().solution.violations) {
        start = candidates_.front();
      }
      start.reach = i < kRivals / 2 ? Reach::kFar : Reach::kNear;
      if (request_.ours && i % 2 == 1 && start.model == base_) UseTwoEnded(&start);
      Anneal(start, nodes, 100 + i);
    }
  }

  // Swaps that make the best order shorter, although there is one that does without. Where they are
  // ours, the search goes on with them.
  void ImproveBySwaps() {
    const PlacedOrder placed = PlaceSolution(*best_.model, best_.placing, best_.solution);
    const uint64_t before = result_.work.nodes;
    SwapTrials trials =
        TrySwaps(problem_, placed, request_.ours, request_.nodes / kSwapShare, [&](uint64_t nodes) {
          result_.work.nodes = before + nodes;
          return Done();
        });
    result_.work.nodes = before + trials.nodes;
    if (!trials.better.has_value()) return;
    if (request_.ours) {
      std::optional<Candidate> with = WithSplits(trials.better->order, trials.better->placement);
      if (with.has_value() && with->solution.BetterThan(best_.solution)) best_ = *std::move(with);
    }
    swapped_ = std::move(trials.better);
  }

  // What was found with swaps may be something that no model says.
  PlacedOrder Result() {
    PlacedOrder placed = PlaceSolution(*best_.model, best_.placing, best_.solution);
    const bool swapped =
        swapped_.has_value() &&
        (!placed.placement.placed || swapped_->placement.makespan < placed.placement.makespan);
    return swapped ? *std::move(swapped_) : placed;
  }

  Candidate PlayedWith(Placing placing, Candidate candidate) {
    candidate.placing = placing;
    Play(&candidate);
    return candidate;
  }

  // Unless that breaks the memory more.
  void UseTwoEnded(Candidate* candidate) {
    Candidate other = PlayedWith(Placing::kTwoEnded, *candidate);
    if (other.solution.violations <= candidate->solution.violations) *candidate = std::move(other);
  }

  // The offsets that it has, unless the order then breaks the memory or gets longer: where not all
  // of an action's buffers find room the two ways of placing go on differently.
  void UseWanted(Candidate* candidate) {
    Candidate other = PlayedWith(Placing::kWanted, *candidate);
    if (!candidate->solution.BetterThan(other.solution)) *candidate = std::move(other);
  }

  // What is left of the work goes to the best.
  void GoOn(uint64_t kept_back = 0) {
    Candidate start = best_;
    if (request_.ours && start.placing != Placing::kWanted) UseWanted(&start);
    const uint64_t done = result_.work.nodes + kept_back;
    Anneal(start, request_.nodes > done ? request_.nodes - done : 0, 200, kFirstStageOfTheBest);
  }

  const ScheduleProblem& problem_;
  const ActionGraph& graph_;
  const OptimizeRequest& request_;
  std::shared_ptr<const Model> base_;
  int64_t mean_cycles_ = 0;
  std::vector<Candidate> candidates_;
  Candidate best_;
  std::optional<PlacedOrder> swapped_;
  OptimizeResult result_;
};

}  // namespace

std::optional<OptimizeResult> Optimize(const ScheduleProblem& problem, const ActionGraph& graph,
                                       const OptimizeRequest& request) {
  return Optimizer(problem, graph, request).Run();
}

}  // namespace torqsched::search
