#include "src/bounds/slices.h"

#include <algorithm>
#include <vector>

#include "absl/numeric/int128.h"
#include "src/stream/checked.h"

namespace torqsched::bounds {
namespace {

// The sum of the `most` smallest of the values so far.
class SmallestSum {
 public:
  explicit SmallestSum(size_t most) : most_(most) {}
  void Add(uint64_t value) {
    if (values_.size() == most_ && value >= values_.back()) return;
    values_.insert(std::upper_bound(values_.begin(), values_.end(), value), value);
    sum_ += value;
    if (values_.size() <= most_) return;
    sum_ -= values_.back();
    values_.pop_back();
  }
  bool full() const { return values_.size() == most_; }
  absl::uint128 sum() const { return sum_; }

 private:
  const size_t most_;
  std::vector<uint64_t> values_;  // ascending
  absl::uint128 sum_ = 0;
};

// The best bound of programs whose end tail is at least `least`, over all r. by_head: largest
// first.
uint64_t BestOverHeads(const Part& part, const HeadsAndTails& times,
                       const std::vector<uint32_t>& by_head, uint64_t least) {
  SmallestSum heads(part.slices);
  SmallestSum tails(part.slices);
  absl::uint128 compute = 0;
  absl::uint128 best = 0;
  for (const uint32_t job : by_head) {
    if (times.end_tail[job] < least) continue;
    heads.Add(times.head[job]);
    tails.Add(times.end_tail[job]);
    compute += part.jobs[job].compute;
    if (heads.full()) best = std::max(best, compute + heads.sum() + tails.sum());
  }
  best = (best + (part.slices - 1)) / part.slices;
  return static_cast<uint64_t>(std::min<absl::uint128>(best, UINT64_MAX));
}

}  // namespace

uint64_t SlicesBound(const Part& part, const HeadsAndTails& times, Work* work) {
  std::vector<uint32_t> by_head;
  std::vector<uint64_t> tails;
  absl::uint128 compute = 0;
  for (uint32_t job = 0; job < part.size(); ++job) {
    if (!part.jobs[job].program) continue;
    by_head.push_back(job);
    tails.push_back(times.end_tail[job]);
    compute += part.jobs[job].compute;
  }
  std::stable_sort(by_head.begin(), by_head.end(),
                   [&](uint32_t a, uint32_t b) { return times.head[a] > times.head[b]; });
  std::sort(tails.begin(), tails.end());
  tails.erase(std::unique(tails.begin(), tails.end()), tails.end());
  compute = (compute + (part.slices - 1)) / part.slices;
  uint64_t best = static_cast<uint64_t>(std::min<absl::uint128>(compute, UINT64_MAX));
  if (by_head.empty()) return best;
  const uint64_t each = uint64_t{by_head.size()} * (part.slices / 4 + 1);
  const uint64_t most = std::max<uint64_t>(work->left() / each, 1);  // the first one is free
  // Where not all fit, they are taken evenly from the smallest on.
  const size_t count = static_cast<size_t>(std::min<uint64_t>(most, tails.size()));
  work->Charge(count * each);
  for (size_t i = 0; i < count; ++i) {
    best = std::max(best, BestOverHeads(part, times, by_head, tails[i * tails.size() / count]));
  }
  return best;
}

}  // namespace torqsched::bounds
