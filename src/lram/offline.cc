#include "src/lram/offline.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "src/lram/banks.h"
#include "src/lram/offline_evictions.h"
#include "src/lram/offline_failure.h"
#include "src/lram/offline_gaps.h"
#include "src/lram/offline_place.h"
#include "src/lram/offline_plan.h"
#include "src/lram/offline_sequential.h"
#include "src/lram/offline_timing.h"
#include "src/lram/sequential.h"
#include "src/stream/error.h"

namespace torqsched {
namespace {

using offline::Plan;
using offline::Price;
using offline::Residency;
using offline::Stay;

// Limits of one call. An order is placed up to seven times a schedule, so they are small; what they
// cut off costs quality, never an answer.
constexpr uint64_t kNodesWithoutSwaps = 50000;
constexpr uint64_t kNodesWithSwaps = 10000;
constexpr int kRounds = 6;             // of choosing evictions, each for less LRAM
constexpr int kAllocationsARound = 3;  // of the plans that such a round gives
constexpr size_t kManyStays = 100000;  // from here on fewer of both
constexpr int kRoundsOfMany = 3;
constexpr size_t kRulesOfMany = 2;

struct Candidate {
  Plan plan;
  Price price;
};

class OfflineAllocator {
 public:
  OfflineAllocator(const ScheduleProblem& problem, const std::vector<OpIndex>& order,
                   const IndexVector<OpIndex, uint8_t>& slices, bool swaps_allowed)
      : problem_(problem),
        hardware_(problem.hardware),
        order_(order),
        slices_(slices),
        swaps_allowed_(swaps_allowed) {}

  OfflinePlacement Place() {
    AskSequential();
    if (answer_.sequential.placed && answer_.sequential.swaps == 0) {
      answer_.placement = answer_.sequential;
    } else {
      PlaceItself();
    }
    PreferBanks(problem_.stream, hardware_, problem_.lifetimes, order_, &answer_.placement);
    return std::move(answer_);
  }

 private:
  void PlaceItself() {
    residency_.emplace(offline::FindResidency(problem_, order_, slices_));
    full_ = offline::FirstFullPosition(*residency_, /*swaps_allowed=*/false);
    if (!full_.has_value()) PlaceWithoutSwaps();
    if (!found_ && swaps_allowed_) PlaceWithSwaps();
    if (!found_) answer_.placement = answer_.sequential;
    if (!answer_.placement.placed) ExplainFailure();
  }

  void AskSequential() {
    absl::StatusOr<Placement> placement =
        PlaceSequentially(problem_, order_, slices_, swaps_allowed_);
    if (placement.ok()) {
      answer_.sequential = *std::move(placement);
      return;
    }
    answer_.sequential.failure.reason = FailureReason::kOverflow;
    answer_.sequential.failure.op = PlaceOf(placement.status()).op;
  }

  // As good as SEQUENTIAL in both, and better than what there is.
  bool Improves(const Price& price) const {
    const Placement& bar = answer_.sequential;
    if (bar.placed && (price.swap_bytes > bar.swap_bytes || price.makespan > bar.makespan)) {
      return false;
    }
    return !found_ || std::make_pair(price.makespan, price.swap_bytes) <
                          std::make_pair(answer_.placement.makespan, answer_.placement.swap_bytes);
  }

  void Take(const Plan& plan, const std::vector<Stay>& stays, const std::vector<uint64_t>& offsets,
            const Price& price) {
    answer_.placement = offline::PlacementOf(*residency_, plan, stays, offsets, price);
    found_ = true;
  }

  void PlaceWithoutSwaps() {
    const std::optional<Price> price = offline::PriceOf(*residency_, {});
    if (!price.has_value() || !Improves(*price)) return;
    const std::vector<Stay> stays = offline::StaysOf(*residency_, {});
    const offline::StayOffsets found = offline::PlaceStays(*residency_, stays, kNodesWithoutSwaps);
    if (found.placed) Take({}, stays, found.offsets, *price);
  }

  void PlaceWithSwaps() {
    if (answer_.sequential.placed) {
      const offline::PlacedPlan same = offline::PlanOfSequential(*residency_, answer_.sequential);
      const std::optional<Price> price = offline::PriceOf(*residency_, same.plan);
      if (price.has_value() && Improves(*price)) {
        Take(same.plan, offline::StaysOf(*residency_, same.plan), same.offsets, *price);
      }
    }
    if (!residency_->sums_fit || residency_->gaps.empty() ||
        offline::FirstFullPosition(*residency_, /*swaps_allowed=*/true).has_value()) {
      return;
    }
    live_ = offline::LiveSums(*residency_);
    // No less than what all sums together are: LRAM may be larger than the numbers here.
    const int64_t usable =
        static_cast<int64_t>(std::min<uint64_t>(hardware_.usable_bytes(), uint64_t{1} << 62));
    std::vector<int64_t> excess = live_;
    for (int64_t& e : excess) e -= usable;
    const int rounds = Many() ? kRoundsOfMany : kRounds;
    for (int round = 0; round < rounds; ++round) {
      if (TryRound(round, &excess)) return;
      if (round == 0 && !answer_.sequential.placed && !TryAllGaps()) return;
    }
  }

  bool Many() const { return residency_->lives.size() + residency_->gaps.size() >= kManyStays; }

  // The plans for this excess, best first. Those that are no improvement are left out.
  std::vector<Candidate> MakeCandidates(const std::vector<int64_t>& excess) const {
    std::vector<Candidate> candidates;
    std::vector<std::vector<uint8_t>> seen;
    const size_t rules = Many() ? kRulesOfMany : offline::kSweepRules.size();
    for (size_t r = 0; r < rules; ++r) {
      std::vector<uint8_t> evicted =
          offline::ChooseEvictions(*residency_, excess, offline::kSweepRules[r]);
      if (std::find(seen.begin(), seen.end(), evicted) != seen.end()) continue;
      Plan plan = offline::WholeGaps(*residency_, evicted);
      offline::SettleTransfers(*residency_, &plan);
      Plan hidden = plan;
      offline::HideTransfers(*residency_, excess, &hidden);
      AddCandidate(std::move(plan), &candidates);
      AddCandidate(std::move(hidden), &candidates);
      seen.push_back(std::move(evicted));
    }
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Candidate& a, const Candidate& b) {
                       return std::make_pair(a.price.makespan, a.price.swap_bytes) <
                              std::make_pair(b.price.makespan, b.price.swap_bytes);
                     });
    return candidates;
  }

  void AddCandidate(Plan plan, std::vector<Candidate>* candidates) const {
    const std::optional<Price> price = offline::PriceOf(*residency_, plan);
    if (!price.has_value() || !Improves(*price)) return;
    candidates->push_back({std::move(plan), *price});
  }

  // Places the best plan for this excess that can be placed. Else false, and excess becomes larger
  // where more has to go out.
  bool TryRound(int round, std::vector<int64_t>* excess) {
    const std::vector<Candidate> candidates = MakeCandidates(*excess);
    if (candidates.empty()) return true;  // less LRAM would only make it worse
    std::vector<int64_t> more(excess->size(), 0);
    for (size_t c = 0; c < candidates.size() && c < kAllocationsARound; ++c) {
      const Candidate& candidate = candidates[c];
      const std::vector<Stay> stays = offline::StaysOf(*residency_, candidate.plan);
      const offline::StayOffsets found = offline::PlaceStays(*residency_, stays, kNodesWithSwaps);
      if (found.placed) {
        Take(candidate.plan, stays, found.offsets, candidate.price);
        return true;
      }
      if (c == 0) more = BytesAbove(found.above, stays);
    }
    // What did not help is asked for twice as much.
    const int shift = std::max(0, round - 2);
    for (size_t p = 0; p < more.size(); ++p) {
      const int64_t most = live_[p] - (*excess)[p];  // then everything goes
      (*excess)[p] += more[p] > most >> shift ? most : more[p] << shift;
    }
    return false;
  }

  // The shortest stays that there can be: what cannot be placed then, cannot be placed. False: and
  // that is shown.
  bool TryAllGaps() {
    const std::vector<uint8_t> all(residency_->gaps.size(), 1);
    Plan plan = offline::WholeGaps(*residency_, all);
    offline::SettleTransfers(*residency_, &plan);
    const std::optional<Price> price = offline::PriceOf(*residency_, plan);
    const std::vector<Stay> stays = offline::StaysOf(*residency_, plan);
    const offline::StayOffsets found = offline::PlaceStays(*residency_, stays, kNodesWithSwaps);
    if (found.placed && price.has_value() && Improves(*price)) {
      Take(plan, stays, found.offsets, *price);
    }
    return !found.impossible;
  }

  // By position, how many bytes end above LRAM.
  std::vector<int64_t> BytesAbove(const std::vector<offline::Above>& above,
                                  const std::vector<Stay>& stays) const {
    std::vector<int64_t> bytes(residency_->positions + size_t{1}, 0);
    for (const offline::Above& a : above) {
      bytes[stays[a.stay].begin] += static_cast<int64_t>(a.bytes);
      bytes[stays[a.stay].end] -= static_cast<int64_t>(a.bytes);
    }
    for (size_t p = 1; p < bytes.size(); ++p) bytes[p] += bytes[p - 1];
    bytes.pop_back();
    return bytes;
  }

  // Where the bytes alone show that nobody could place it, that is what the failure says.
  void ExplainFailure() {
    const std::optional<uint32_t> full =
        swaps_allowed_ ? offline::FirstFullPosition(*residency_, true) : full_;
    if (full.has_value()) {
      answer_.placement.failure =
          offline::CapacityFailure(*residency_, problem_.lifetimes, *full, swaps_allowed_);
    } else if (!swaps_allowed_) {
      answer_.placement.failure.reason = FailureReason::kFragmentation;
    }
  }

  const ScheduleProblem& problem_;
  const Hardware& hardware_;
  const std::vector<OpIndex>& order_;
  const IndexVector<OpIndex, uint8_t>& slices_;
  const bool swaps_allowed_;

  OfflinePlacement answer_;
  bool found_ = false;  // answer_.placement is one of our own
  std::optional<Residency> residency_;
  std::vector<int64_t> live_;     // rounded bytes by position, all gaps filled
  std::optional<uint32_t> full_;  // where what is live is more than LRAM has
};

}  // namespace

OfflinePlacement PlaceOffline(const ScheduleProblem& problem, const std::vector<OpIndex>& order,
                              const IndexVector<OpIndex, uint8_t>& slices, bool swaps_allowed) {
  return OfflineAllocator(problem, order, slices, swaps_allowed).Place();
}

}  // namespace torqsched
