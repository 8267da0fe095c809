#include "src/allocation/allocate.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "src/allocation/bodies.h"
#include "src/allocation/budget.h"
#include "src/allocation/conflict.h"
#include "src/allocation/greedy.h"
#include "src/allocation/live_bound.h"
#include "src/allocation/packing.h"
#include "src/allocation/valley_search.h"
#include "src/stream/error.h"

namespace torqsched {
namespace {

// Problems with more (body, section) pairs than this are left to the greedy part.
constexpr uint64_t kMostMembers = 4000000;
constexpr uint64_t kWheelRounds = 8;

class Ladder {
 public:
  Ladder(const AllocationProblem& problem, const AllocationOptions& options,
         const SearchRules& rules, const Bodies& bodies, Budget* budget)
      : problem_(problem),
        options_(options),
        rules_(rules),
        bodies_(bodies),
        packing_(bodies.packing),
        budget_(*budget),
        capacity_(std::min(problem.capacity.value_or(kMostBytes), kMostBytes)) {}

  absl::StatusOr<AllocationAnswer> Climb() {
    if (std::optional<std::vector<uint32_t>> clash = FindClash(packing_)) {
      answer_.lower_bound = kNoOffset;
      return Refuse(*clash);
    }
    const LiveBound bound = FindLiveBound(packing_);
    answer_.lower_bound =
        absl::Uint128High64(bound.height) != 0 ? kNoOffset : absl::Uint128Low64(bound.height);
    if (bound.height > problem_.capacity.value_or(kNoOffset)) {
      return Refuse(ExceedingBodies(packing_, bound, *problem_.capacity));
    }
    if (bound.height > kMostBytes) return TooLarge();
    Greedy greedy(packing_, Hints());
    greedy.DecodeAll(Goal(), &budget_);
    Keep(greedy.best());
    const bool searchable = ValleyState::CountMembers(packing_) <= kMostMembers;
    if (best_.height > Goal() && !searchable) {
      greedy.TurnWheel(Goal(), kWheelRounds, &budget_);
      Keep(greedy.best());
    }
    answer_.statistics.decodes = greedy.decodes();
    if (best_.height > Goal() && searchable && SearchFit() == SearchResult::kExhausted) {
      return RefuseAll();
    }
    if (options_.objective == Objective::kLeast && searchable) SearchLeast();
    return Finish();
  }

 private:
  // A placement that ends there is all that is asked for.
  uint64_t Goal() const {
    return options_.objective == Objective::kFit ? capacity_ : answer_.lower_bound;
  }

  std::vector<uint64_t> Hints() const {
    std::vector<uint64_t> hints;
    for (uint32_t b = 0; b < problem_.buffers.size(); ++b) {
      const uint32_t body = bodies_.body_of[b];
      const std::optional<uint64_t>& hint = problem_.buffers[b].hint;
      if (body == kNoBody || !hint.has_value() || *hint < bodies_.offset_in[b]) continue;
      if (hints.empty()) hints.assign(packing_.bodies.size(), kNoOffset);
      if (hints[body] == kNoOffset) hints[body] = *hint - bodies_.offset_in[b];
    }
    return hints;
  }

  void Keep(const Decoding& decoding) {
    if (decoding.height < best_.height) best_ = decoding;
  }

  SearchResult SearchUnder(uint64_t height) {
    ++answer_.statistics.searches;
    ValleySearch search(packing_, height, rules_);
    const SearchResult result = search.Run(&budget_);
    if (result != SearchResult::kFound) return result;
    Decoding found;
    found.offsets = search.offsets();
    found.height = 0;
    for (size_t b = 0; b < found.offsets.size(); ++b) {
      found.height = std::max(found.height, found.offsets[b] + packing_.bodies[b].size);
    }
    Keep(found);
    return result;
  }

  // Within the capacity, if nothing is yet. kExhausted: there is no placement.
  SearchResult SearchFit() {
    if (best_.height <= capacity_) return SearchResult::kFound;
    const SearchResult result = SearchUnder(capacity_);
    if (result != SearchResult::kExhausted) return result;
    // Beyond kMostBytes was not searched.
    return capacity_ == problem_.capacity ? result : SearchResult::kStopped;
  }

  AllocationAnswer RefuseAll() {
    answer_.lower_bound = std::max(answer_.lower_bound, capacity_ + 1);
    std::vector<uint32_t> bodies(packing_.bodies.size());
    std::iota(bodies.begin(), bodies.end(), 0);
    return Refuse(bodies);
  }

  // The least height: at the bound if it can be, else by bisection.
  void SearchLeast() {
    if (best_.height == kNoOffset || best_.height > capacity_) return;
    bool at_bound = true;
    while (answer_.lower_bound < best_.height && !budget_.spent()) {
      const uint64_t low = answer_.lower_bound;
      const uint64_t target = at_bound ? low : low + (best_.height - low) / 2;
      at_bound = false;
      const SearchResult result = SearchUnder(std::min(target, best_.height - 1));
      if (result == SearchResult::kExhausted) answer_.lower_bound = target + 1;
    }
  }

  // These bodies cannot be placed within the capacity.
  AllocationAnswer Refuse(const std::vector<uint32_t>& bodies) {
    bool single_buffers = true;
    for (const uint32_t body : bodies) {
      single_buffers &= bodies_.members[body].size() == 1;
      for (const uint32_t b : bodies_.members[body]) answer_.conflict.push_back(b);
    }
    std::sort(answer_.conflict.begin(), answer_.conflict.end());
    answer_.verdict = AllocationVerdict::kInfeasible;
    answer_.conflict_minimal = single_buffers && OnlySizesMatter(packing_, bodies);
    Report();  // what the proof took; to make it smaller is extra
    if (!answer_.conflict_minimal) {
      answer_.conflict =
          ShrinkConflict(problem_, answer_.conflict, rules_, &budget_, &answer_.conflict_minimal);
      answer_.statistics.nodes = budget_.used();
    }
    return std::move(answer_);
  }

  absl::Status TooLarge() const {
    return ErrorAt(absl::StatusCode::kResourceExhausted,
                   absl::StrCat("buffers that are live together take ", answer_.lower_bound,
                                " bytes; at most ", kMostBytes, " can be handled"),
                   {"buffers", OpIndex(), BufferIndex()});
  }

  void Report() {
    answer_.statistics.nodes = budget_.used();
    answer_.limit_hit = budget_.spent() && !budget_.cancelled();
    answer_.time_limit_hit = budget_.time_spent();
    answer_.cancelled = budget_.cancelled();
  }

  AllocationAnswer Finish() {
    const bool placed = best_.height <= capacity_;
    answer_.verdict = placed ? AllocationVerdict::kPlaced : AllocationVerdict::kUndecided;
    if (best_.height != kNoOffset) {
      answer_.height = best_.height;
      answer_.offsets = bodies_.BufferOffsets(best_.offsets);
      answer_.proven_least = placed && answer_.height == answer_.lower_bound;
    }
    Report();
    return std::move(answer_);
  }

  const AllocationProblem& problem_;
  const AllocationOptions& options_;
  const SearchRules& rules_;
  const Bodies& bodies_;
  const Packing& packing_;
  Budget& budget_;
  const uint64_t capacity_;
  AllocationAnswer answer_;
  Decoding best_;
};

}  // namespace

absl::StatusOr<AllocationAnswer> Allocate(const AllocationProblem& problem,
                                          const AllocationOptions& options,
                                          const StopFunction& stop, const SearchRules& rules) {
  const absl::StatusOr<Bodies> bodies = MakeBodies(problem);
  if (!bodies.ok()) return bodies.status();
  Budget budget(options, stop);
  return Ladder(problem, options, rules, *bodies, &budget).Climb();
}

}  // namespace torqsched
