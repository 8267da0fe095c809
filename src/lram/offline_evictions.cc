// The sweep keeps the gaps at hand in heaps by cost and size class, the one that goes furthest on
// top: within a class the top is (nearly) the best, so one look at each heap finds a victim.
#include "src/lram/offline_evictions.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/numeric/int128.h"
#include "src/stream/position_tree.h"

namespace torqsched {
namespace offline {
namespace {

// Sizes that share their highest set bit and the two bits below it: they differ by a fifth at most.
size_t SizeClass(int64_t size) {
  const uint64_t value = static_cast<uint64_t>(size);
  const int bit = 63 - __builtin_clzll(value | 1);
  return bit < 2 ? value : 4 * static_cast<size_t>(bit) + (value >> (bit - 2) & 3);
}
constexpr size_t kSizeClasses = 256;

// A gap as the sweep sees it; backwards, positions are counted from the end.
struct Stretch {
  uint32_t begin;
  uint32_t end;
  uint32_t gap;
};

class Sweep {
 public:
  Sweep(const Residency& residency, const std::vector<int64_t>& excess, const SweepRule& rule)
      : residency_(residency),
        rule_(rule),
        excess_(excess),
        evicted_(residency.gaps.size(), 0),
        copied_(residency.version_count, 0),
        relief_(excess.size() + 1, 0) {}

  std::vector<uint8_t> Run() {
    if (rule_.backwards) std::reverse(excess_.begin(), excess_.end());
    MeasureReach();
    ListStretches();
    size_t next = 0;
    int64_t relief = 0;  // what gaps evicted so far free at this position
    for (uint32_t p = 0; p < excess_.size(); ++p) {
      for (; next < stretches_.size() && stretches_[next].begin == p; ++next) Open(next);
      relief += relief_[p];
      while (excess_[p] > relief) {
        const uint32_t victim = PickVictim(p, excess_[p] - relief);
        if (victim == kNone) break;
        relief += Evict(victim);
      }
    }
    return std::move(evicted_);
  }

 private:
  static constexpr uint32_t kNone = PositionTree::kNone;

  void MeasureReach() {
    if (rule_.reach != Reach::kFullPositions) return;
    full_before_.assign(excess_.size() + 1, 0);
    for (size_t p = 0; p < excess_.size(); ++p) {
      full_before_[p + 1] = full_before_[p] + (excess_[p] > 0 ? 1 : 0);
    }
  }

  // By where the sweep meets them.
  void ListStretches() {
    const std::vector<Gap>& gaps = residency_.gaps;
    const uint32_t n = static_cast<uint32_t>(excess_.size());
    const Rows<uint32_t> by_begin = GroupBy(n, gaps.size(), [&](size_t g) {
      return rule_.backwards ? n - gaps[g].end : gaps[g].begin;
    });
    stretches_.reserve(gaps.size());
    for (uint32_t p = 0; p < n; ++p) {
      for (const uint32_t g : by_begin[p]) {
        stretches_.push_back({p, p + gaps[g].length(), g});
      }
    }
  }

  const Gap& GapOf(uint32_t stretch) const { return residency_.gaps[stretches_[stretch].gap]; }
  int64_t SizeOf(uint32_t stretch) const { return residency_.rounded[GapOf(stretch).buffer]; }

  // Transfers of the buffer that an eviction takes: of the gaps of one version only the first that
  // is evicted stores.
  uint32_t CostOf(uint32_t stretch) const {
    const Gap& gap = GapOf(stretch);
    return (gap.matters ? 1 : 0) + (gap.needs_copy() && !copied_[gap.version] ? 1 : 0);
  }

  // The top goes furthest.
  struct Less {
    const std::vector<Stretch>* stretches;
    bool operator()(uint32_t a, uint32_t b) const {
      const Stretch& x = (*stretches)[a];
      const Stretch& y = (*stretches)[b];
      return x.end != y.end ? x.end < y.end : x.gap > y.gap;
    }
  };

  void Open(size_t stretch) {
    const uint32_t s = static_cast<uint32_t>(stretch);
    const size_t heap = CostOf(s) * kSizeClasses + SizeClass(SizeOf(s));
    if (heaps_[heap].empty() && !listed_[heap]) {
      listed_[heap] = true;
      in_use_.push_back(static_cast<uint32_t>(heap));
    }
    heaps_[heap].push_back(s);
    std::push_heap(heaps_[heap].begin(), heaps_[heap].end(), Less{&stretches_});
  }

  // What lies ahead of the position; at least 1 for a gap that is open at a position that is full.
  uint64_t ReachOf(uint32_t stretch, uint32_t position) const {
    const uint32_t end = stretches_[stretch].end;
    switch (rule_.reach) {
      case Reach::kFullPositions:
        return full_before_[end] - full_before_[position];
      case Reach::kPositions:
        return end - position;
      case Reach::kNone:
        break;
    }
    return 1;
  }

  // Whether evicting a is better than evicting b.
  bool Better(uint32_t a, uint32_t b, uint32_t position, int64_t excess) const {
    const absl::uint128 price_a =
        absl::uint128(static_cast<uint64_t>(std::max(SizeOf(a), excess))) * CostOf(a);
    const absl::uint128 price_b =
        absl::uint128(static_cast<uint64_t>(std::max(SizeOf(b), excess))) * CostOf(b);
    const absl::uint128 left = price_a * ReachOf(b, position);
    const absl::uint128 right = price_b * ReachOf(a, position);
    if (left != right) return left < right;
    if (stretches_[a].end != stretches_[b].end) return stretches_[a].end > stretches_[b].end;
    return stretches_[a].gap < stretches_[b].gap;
  }

  uint32_t PickVictim(uint32_t position, int64_t excess) {
    uint32_t best = kNone;
    size_t best_heap = 0;
    size_t kept = 0;
    for (const uint32_t heap : in_use_) {
      std::vector<uint32_t>& open = heaps_[heap];
      // The top goes furthest: where it is over, all are.
      if (!open.empty() && stretches_[open.front()].end <= position) open.clear();
      listed_[heap] = !open.empty();
      if (open.empty()) continue;
      in_use_[kept++] = heap;
      const uint32_t top = open.front();
      if (best == kNone || Better(top, best, position, excess)) {
        best = top;
        best_heap = heap;
      }
    }
    in_use_.resize(kept);
    if (best == kNone) return kNone;
    std::pop_heap(heaps_[best_heap].begin(), heaps_[best_heap].end(), Less{&stretches_});
    heaps_[best_heap].pop_back();
    return best;
  }

  int64_t Evict(uint32_t stretch) {
    const Gap& gap = GapOf(stretch);
    evicted_[stretches_[stretch].gap] = 1;
    if (gap.needs_copy()) copied_[gap.version] = 1;
    relief_[stretches_[stretch].end] -= SizeOf(stretch);
    return SizeOf(stretch);
  }

  const Residency& residency_;
  const SweepRule rule_;
  std::vector<int64_t> excess_;        // in the sweep's direction
  std::vector<uint32_t> full_before_;  // full positions before each
  std::vector<Stretch> stretches_;
  std::vector<uint8_t> evicted_;  // by gap
  std::vector<uint8_t> copied_;   // by version: an eviction of it stores
  std::vector<int64_t> relief_;   // by position: what ends there
  std::array<std::vector<uint32_t>, 3 * kSizeClasses> heaps_;
  std::array<bool, 3 * kSizeClasses> listed_{};
  std::vector<uint32_t> in_use_;  // heaps that may have something
};

// Takes back every eviction that the others make needless, those that move most first.
void TakeBackNeedless(const Residency& residency, const std::vector<int64_t>& excess,
                      std::vector<uint8_t>* evicted) {
  std::vector<uint32_t> chosen;
  std::vector<uint32_t> in_version(residency.version_count, 0);  // evictions that need the copy
  std::vector<int64_t> left(excess.size() + 1, 0);
  for (uint32_t g = 0; g < residency.gaps.size(); ++g) {
    if (!(*evicted)[g]) continue;
    const Gap& gap = residency.gaps[g];
    chosen.push_back(g);
    if (gap.needs_copy()) ++in_version[gap.version];
    left[gap.begin] -= residency.rounded[gap.buffer];
    left[gap.end] += residency.rounded[gap.buffer];
  }
  for (size_t p = 1; p < left.size(); ++p) left[p] += left[p - 1];
  for (size_t p = 0; p < excess.size(); ++p) left[p] += excess[p];
  left.pop_back();
  PositionTree tree(left);
  const auto moved = [&](uint32_t g) {
    const Gap& gap = residency.gaps[g];
    const int64_t transfers =
        (gap.matters ? 1 : 0) + (gap.needs_copy() && in_version[gap.version] == 1 ? 1 : 0);
    return transfers * residency.rounded[gap.buffer];
  };
  std::vector<std::pair<int64_t, uint32_t>> by_cost;
  for (const uint32_t g : chosen) by_cost.push_back({-moved(g), g});
  std::sort(by_cost.begin(), by_cost.end());
  for (const auto& [cost, g] : by_cost) {
    const Gap& gap = residency.gaps[g];
    const int64_t size = residency.rounded[gap.buffer];
    if (tree.Most(gap.begin, gap.end) + size > 0) continue;
    tree.Add(gap.begin, gap.end, size);
    (*evicted)[g] = 0;
  }
}

}  // namespace

std::vector<int64_t> LiveSums(const Residency& residency) {
  std::vector<int64_t> sums(residency.positions + size_t{1}, 0);
  for (uint32_t i = 0; i < residency.lives.size(); ++i) {
    const Life& life = residency.lives[BufferIndex(i)];
    if (life.empty()) continue;
    sums[life.begin] += residency.rounded[BufferIndex(i)];
    sums[life.end] -= residency.rounded[BufferIndex(i)];
  }
  for (size_t p = 1; p < sums.size(); ++p) sums[p] += sums[p - 1];
  sums.pop_back();
  return sums;
}

std::vector<uint8_t> ChooseEvictions(const Residency& residency, const std::vector<int64_t>& excess,
                                     const SweepRule& rule) {
  std::vector<uint8_t> evicted = Sweep(residency, excess, rule).Run();
  TakeBackNeedless(residency, excess, &evicted);
  return evicted;
}

}  // namespace offline
}  // namespace torqsched
