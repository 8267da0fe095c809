// Numbers by position: add to a run of them, ask for the largest of a run, or for the
// first or last of a run that is above a limit.
//
// A binary tree over the positions; each node has the largest value below it and what was added to
// all of it, so nothing is ever pushed down. Cost: O(log positions) a call; recursion is as deep as
// the tree, at most 32.
#ifndef TORQSCHED_SRC_STREAM_POSITION_TREE_H_
#define TORQSCHED_SRC_STREAM_POSITION_TREE_H_

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace torqsched {

class PositionTree {
 public:
  static constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

  // Sums of a value and of all that is added to it must stay within 62 bits.
  explicit PositionTree(const std::vector<int64_t>& values) {
    while (width_ < values.size()) width_ *= 2;
    nodes_.assign(2 * width_, {kLowest, 0});
    for (size_t i = 0; i < values.size(); ++i) nodes_[width_ + i].most = values[i];
    for (size_t n = width_; n-- > 1;) Update(n);
  }

  void Add(uint32_t begin, uint32_t end, int64_t value) {
    if (begin < end) AddBelow(1, 0, width_, begin, end, value);
  }
  // Of an empty run: lower than any value.
  int64_t Most(uint32_t begin, uint32_t end) const {
    return begin < end ? MostBelow(1, 0, width_, begin, end) : kLowest;
  }
  // The first or last position in [begin, end) whose value is above the limit; kNone: none is.
  uint32_t FirstAbove(uint32_t begin, uint32_t end, int64_t limit) const {
    return begin < end ? FindBelow(1, 0, width_, begin, end, limit, /*first=*/true) : kNone;
  }
  uint32_t LastAbove(uint32_t begin, uint32_t end, int64_t limit) const {
    return begin < end ? FindBelow(1, 0, width_, begin, end, limit, /*first=*/false) : kNone;
  }

 private:
  static constexpr int64_t kLowest = std::numeric_limits<int64_t>::min() / 2;

  struct Node {
    int64_t most;   // of what is below, with what was added to it
    int64_t added;  // to all that is below
  };

  void Update(size_t n) {
    nodes_[n].most = std::max(nodes_[2 * n].most, nodes_[2 * n + 1].most) + nodes_[n].added;
  }

  void AddBelow(size_t n, uint64_t first, uint64_t width, uint32_t begin, uint32_t end,
                int64_t value) {
    if (first >= end || first + width <= begin) return;
    if (first >= begin && first + width <= end) {
      nodes_[n].most += value;
      nodes_[n].added += value;
      return;
    }
    AddBelow(2 * n, first, width / 2, begin, end, value);
    AddBelow(2 * n + 1, first + width / 2, width / 2, begin, end, value);
    Update(n);
  }

  int64_t MostBelow(size_t n, uint64_t first, uint64_t width, uint32_t begin, uint32_t end) const {
    if (first >= end || first + width <= begin) return kLowest;
    if (first >= begin && first + width <= end) return nodes_[n].most;
    return nodes_[n].added +
           std::max(MostBelow(2 * n, first, width / 2, begin, end),
                    MostBelow(2 * n + 1, first + width / 2, width / 2, begin, end));
  }

  uint32_t FindBelow(size_t n, uint64_t first, uint64_t width, uint32_t begin, uint32_t end,
                     int64_t limit, bool from_first) const {
    if (first >= end || first + width <= begin || nodes_[n].most <= limit) return kNone;
    if (width == 1) return static_cast<uint32_t>(first);
    const uint64_t half = width / 2;
    for (const size_t child :
         {from_first ? size_t{0} : size_t{1}, from_first ? size_t{1} : size_t{0}}) {
      const uint32_t found = FindBelow(2 * n + child, first + child * half, half, begin, end,
                                       limit - nodes_[n].added, from_first);
      if (found != kNone) return found;
    }
    return kNone;
  }

  size_t width_ = 1;  // leaves, a power of two
  std::vector<Node> nodes_;
};

}  // namespace torqsched

#endif  // TORQSCHED_SRC_STREAM_POSITION_TREE_H_
