// Who has which bytes at one moment of a sweep over time.
//
// Bytes are cut into cells at all ends of ranges, so that a range is a run of cells. A binary tree
// over the cells keeps, at each node, how many ranges cover all of it that do not cover its parent,
// and whose they are; and of the owners in its subtree the least and the greatest, which differ
// where there is more than one. A range that meets another owner's is not taken, so all ranges at
// one node have one owner.
//
// Cost: O(log n) each; memory linear in the cells.
#ifndef TORQSCHED_SRC_VERIFY_BYTE_OWNERS_H_
#define TORQSCHED_SRC_VERIFY_BYTE_OWNERS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace torqsched::verify {

class ByteOwners {
 public:
  static constexpr uint32_t kNobody = std::numeric_limits<uint32_t>::max();

  explicit ByteOwners(size_t cells) : cells_(std::max<size_t>(cells, 1)), nodes_(4 * cells_) {}

  // Another owner of one of the cells [first, last); kNobody if there is none.
  uint32_t Other(size_t first, size_t last, uint32_t owner) const {
    return Find({first, last, owner}, 1, 0, cells_);
  }
  // The cells are then the owner's, too, until they are given back as often as they were taken.
  void Take(size_t first, size_t last, uint32_t owner) {
    Change({first, last, owner}, 1, 0, cells_, true);
  }
  void GiveBack(size_t first, size_t last, uint32_t owner) {
    Change({first, last, owner}, 1, 0, cells_, false);
  }

 private:
  struct Node {
    uint32_t ranges = 0;  // that cover it
    uint32_t owner = 0;   // of them
    uint32_t least = kNobody;
    uint32_t greatest = 0;

    bool empty() const { return least == kNobody; }
  };
  struct Range {
    size_t first;
    size_t last;
    uint32_t owner;
  };

  uint32_t Find(const Range& range, size_t node, size_t begin, size_t end) const {
    const Node& here = nodes_[node];
    if (range.last <= begin || end <= range.first || here.empty()) return kNobody;
    if (here.ranges != 0 && here.owner != range.owner) return here.owner;
    if (range.first <= begin && end <= range.last) {
      if (here.least != range.owner) return here.least;
      return here.greatest != range.owner ? here.greatest : kNobody;
    }
    const size_t middle = begin + (end - begin) / 2;
    const uint32_t left = Find(range, 2 * node, begin, middle);
    return left != kNobody ? left : Find(range, 2 * node + 1, middle, end);
  }

  void Change(const Range& range, size_t node, size_t begin, size_t end, bool take) {
    if (range.last <= begin || end <= range.first) return;
    Node& here = nodes_[node];
    const bool leaf = end - begin == 1;
    if (range.first <= begin && end <= range.last) {
      here.ranges += take ? 1 : -1;
      here.owner = range.owner;
    } else {
      const size_t middle = begin + (end - begin) / 2;
      Change(range, 2 * node, begin, middle, take);
      Change(range, 2 * node + 1, middle, end, take);
    }
    here.least = leaf ? kNobody : std::min(nodes_[2 * node].least, nodes_[2 * node + 1].least);
    here.greatest = leaf ? 0 : std::max(nodes_[2 * node].greatest, nodes_[2 * node + 1].greatest);
    if (here.ranges == 0) return;
    here.least = std::min(here.least, here.owner);
    here.greatest = std::max(here.greatest, here.owner);
  }

  const size_t cells_;
  std::vector<Node> nodes_;
};

}  // namespace torqsched::verify

#endif  // TORQSCHED_SRC_VERIFY_BYTE_OWNERS_H_
