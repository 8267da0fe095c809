// The ranges of LRAM that are taken, with one question: does this range meet one that is?
//
// All ranges that a placement will ever take are known from its moves. Sorted by offset they are
// the leaves of a tree of maxima over where the *taken* ones end; a range [begin, end) meets a
// taken one exactly if, among those that begin before `end`, the largest end is after `begin`.
// Unlike a map of disjoint ranges this stays right after an overlap has been found.
//
// Cost: O(log k) a call for k moves. Offsets and ends may be anything up to 2^64 - 1.
#ifndef TORQSCHED_SRC_VERIFY_RANGES_H_
#define TORQSCHED_SRC_VERIFY_RANGES_H_

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace torqsched::verify {

class TakenRanges {
 public:
  static constexpr size_t kNone = static_cast<size_t>(-1);

  // offsets: where each range will begin, by the number that Take is called with.
  explicit TakenRanges(const std::vector<uint64_t>& offsets) : leaf_(offsets.size()) {
    for (size_t i = 0; i < offsets.size(); ++i) sorted_.push_back({offsets[i], i});
    std::sort(sorted_.begin(), sorted_.end());
    for (size_t leaf = 0; leaf < sorted_.size(); ++leaf) leaf_[sorted_[leaf].second] = leaf;
    while (width_ < sorted_.size()) width_ *= 2;
    ends_.assign(2 * width_, 0);
  }

  // Which taken range meets [begin, end): the one that ends last; kNone if none does.
  size_t Meets(uint64_t begin, uint64_t end) const {
    const std::pair<uint64_t, size_t> bound{end, 0};
    const size_t before = static_cast<size_t>(
        std::lower_bound(sorted_.begin(), sorted_.end(), bound) - sorted_.begin());
    size_t best = 0;  // ends_[0] is 0: nothing
    for (size_t left = width_, right = width_ + before; left < right; left /= 2, right /= 2) {
      if (left % 2 == 1) best = LaterOf(best, left++);
      if (right % 2 == 1) best = LaterOf(best, --right);
    }
    if (ends_[best] <= begin) return kNone;
    while (best < width_) best = ends_[2 * best] == ends_[best] ? 2 * best : 2 * best + 1;
    return sorted_[best - width_].second;
  }

  // Range number i is taken, up to `end`; Give gives it back.
  void Take(size_t i, uint64_t end) { Set(leaf_[i], end); }
  void Give(size_t i) { Set(leaf_[i], 0); }

 private:
  size_t LaterOf(size_t a, size_t b) const { return ends_[b] > ends_[a] ? b : a; }

  void Set(size_t leaf, uint64_t end) {
    size_t node = leaf + width_;
    ends_[node] = end;
    for (node /= 2; node > 0; node /= 2) {
      ends_[node] = std::max(ends_[2 * node], ends_[2 * node + 1]);
    }
  }

  std::vector<std::pair<uint64_t, size_t>> sorted_;  // offset, number
  std::vector<size_t> leaf_;                         // of each number
  size_t width_ = 1;                                 // leaves, a power of two
  std::vector<uint64_t> ends_;                       // 0: not taken
};

}  // namespace torqsched::verify

#endif  // TORQSCHED_SRC_VERIFY_RANGES_H_
