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
#include "src/allocation/live_bound.h"
#include "src/allocation/packing.h"
#include "src/allocation/part_ladder.h"
#include "src/allocation/parts.h"
#include "src/stream/checked.h"
#include "src/stream/error.h"

namespace torqsched {
namespace {

// Nodes of the first searches of a part; each round of searches has so many times more.
constexpr uint64_t kFirstNodes = 20000;
constexpr uint64_t kFirstNodesPerBody = 40;
constexpr uint64_t kRoundFactor = 8;

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
      return Refuse(*clash, /*by_bound=*/false);
    }
    const LiveBound bound = FindLiveBound(packing_);
    answer_.lower_bound =
        absl::Uint128High64(bound.height) != 0 ? kNoOffset : absl::Uint128Low64(bound.height);
    if (problem_.capacity.has_value() && bound.height > *problem_.capacity) {
      return Refuse(ExceedingBodies(packing_, bound, *problem_.capacity), /*by_bound=*/true);
    }
    if (bound.height > kMostBytes) return TooLarge();
    MakeParts();
    for (PartLadder& part : ladders_) {
      part.Decode(Goal(), &budget_, &answer_.statistics);
    }
    if (const std::optional<size_t> refused = SearchAll(); refused.has_value()) {
      if (capacity_ != problem_.capacity) return TooLarge();  // above was not looked for
      answer_.lower_bound = std::max(answer_.lower_bound, capacity_ + 1);
      return Refuse(parts_[*refused].bodies, /*by_bound=*/false);
    }
    return Finish();
  }

 private:
  // A placement that ends there is all that is asked for.
  uint64_t Goal() const {
    return options_.objective == Objective::kFit ? capacity_ : answer_.lower_bound;
  }

  void MakeParts() {
    parts_ = SplitIntoParts(packing_);
    std::vector<uint64_t> hints(packing_.bodies.size(), kNoOffset);
    bool hinted = false;
    for (uint32_t b = 0; b < problem_.buffers.size(); ++b) {
      const uint32_t body = bodies_.body_of[b];
      const std::optional<uint64_t>& hint = problem_.buffers[b].hint;
      if (body == kNoBody || !hint.has_value() || *hint < bodies_.offset_in[b]) continue;
      if (hints[body] == kNoOffset) hints[body] = *hint - bodies_.offset_in[b];
      hinted = true;
    }
    ladders_.reserve(parts_.size());
    for (const PackingPart& part : parts_) {
      std::vector<uint64_t> part_hints;
      if (hinted) {
        for (const uint32_t body : part.bodies) part_hints.push_back(hints[body]);
      }
      ladders_.emplace_back(part.packing, std::move(part_hints));
    }
  }

  // Searches in those parts that end too high, a little in each first, then more and more. The part
  // that has no placement within the capacity, if there is one.
  std::optional<size_t> SearchAll() {
    std::vector<size_t> open;
    for (size_t p = 0; p < ladders_.size(); ++p) open.push_back(p);
    for (uint64_t factor = 1; !open.empty() && !budget_.spent();
         factor = SaturatingMultiply(factor, kRoundFactor)) {
      size_t kept = 0;
      for (const size_t p : open) {
        PartLadder& part = ladders_[p];
        if (part.best().height <= Goal() || !part.searchable()) continue;
        const uint64_t nodes =
            open.size() == 1  // all that is left
                ? kNoOffset
                : SaturatingMultiply(factor, kFirstNodes + SaturatingMultiply(kFirstNodesPerBody,
                                                                              part.body_count()));
        if (SearchPart(&part, nodes) == SearchResult::kExhausted) return p;
        open[kept++] = p;
        if (budget_.spent()) return std::nullopt;
      }
      open.resize(kept);
    }
    return std::nullopt;
  }

  // kExhausted: no placement is within the capacity.
  SearchResult SearchPart(PartLadder* part, uint64_t nodes) {
    if (options_.objective == Objective::kFit || part->best().height > capacity_) {
      const SearchResult result =
          part->Reach(capacity_, nodes, rules_, &budget_, &answer_.statistics);
      if (result != SearchResult::kFound) return result;
      if (options_.objective == Objective::kFit) return SearchResult::kStopped;
    }
    part->Lower(answer_.lower_bound, nodes, rules_, &budget_, &answer_.statistics);
    answer_.lower_bound = std::max(answer_.lower_bound, part->low());
    return SearchResult::kStopped;
  }

  // These bodies cannot be placed within the capacity.
  AllocationAnswer Refuse(const std::vector<uint32_t>& bodies, bool by_bound) {
    bool single_buffers = true;
    for (const uint32_t body : bodies) {
      single_buffers &= bodies_.members[body].size() == 1;
      for (const uint32_t b : bodies_.members[body]) answer_.conflict.push_back(b);
    }
    std::sort(answer_.conflict.begin(), answer_.conflict.end());
    answer_.verdict = AllocationVerdict::kInfeasible;
    answer_.conflict_minimal = by_bound && single_buffers && OnlySizesMatter(packing_, bodies);
    if (!answer_.conflict_minimal && options_.shrink_conflict) {
      answer_.conflict =
          ShrinkConflict(problem_, answer_.conflict, rules_, &budget_, &answer_.conflict_minimal);
    }
    Report(/*settled=*/!budget_.spent());
    return std::move(answer_);
  }

  absl::Status TooLarge() const {
    return ErrorAt(absl::StatusCode::kResourceExhausted,
                   absl::StrCat("buffers: every placement ends above ", kMostBytes,
                                " bytes; at most so many can be handled"),
                   {"buffers", OpIndex(), BufferIndex()});
  }

  // settled: no limit kept the answer from being better.
  void Report(bool settled) {
    answer_.statistics.nodes = budget_.used();
    answer_.cancelled = budget_.cancelled() && !settled;
    answer_.time_limit_hit = budget_.time_spent() && !settled;
    answer_.limit_hit = !settled && !answer_.cancelled;
  }

  AllocationAnswer Finish() {
    uint64_t height = 0;
    for (const PartLadder& part : ladders_) height = std::max(height, part.best().height);
    const bool placed = height <= capacity_;
    answer_.verdict = placed ? AllocationVerdict::kPlaced : AllocationVerdict::kUndecided;
    if (height != kNoOffset) {
      std::vector<uint64_t> offsets(packing_.bodies.size());
      for (size_t p = 0; p < parts_.size(); ++p) {
        for (size_t b = 0; b < parts_[p].bodies.size(); ++b) {
          offsets[parts_[p].bodies[b]] = ladders_[p].best().offsets[b];
        }
      }
      answer_.height = height;
      answer_.offsets = bodies_.BufferOffsets(offsets);
      answer_.proven_least = placed && height == answer_.lower_bound;
    }
    Report(/*settled=*/placed && (options_.objective == Objective::kFit || answer_.proven_least));
    return std::move(answer_);
  }

  const AllocationProblem& problem_;
  const AllocationOptions& options_;
  const SearchRules& rules_;
  const Bodies& bodies_;
  const Packing& packing_;
  Budget& budget_;
  const uint64_t capacity_;
  std::vector<PackingPart> parts_;
  std::vector<PartLadder> ladders_;  // by part
  AllocationAnswer answer_;
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
