// The largest value over ranges of a buffer's cells: raise a range, ask for the maximum of a range.
//
// A binary tree over the cells. A node keeps what was raised for all of its cells (whole_) and the
// maximum of all below and of that (any_); nothing is pushed down, an answer also looks at the
// nodes above. O(log cells) each.
#ifndef TORQSCHED_SRC_VERIFY_LATEST_ENDS_H_
#define TORQSCHED_SRC_VERIFY_LATEST_ENDS_H_

#include <algorithm>
#include <cstddef>
#include <vector>

#include "src/verify/cells.h"

namespace torqsched::verify {

// Value(): less than all that is raised. Of equal values the one that was there first stays.
template <typename Value>
class LatestEnds {
 public:
  bool empty() const { return any_.empty(); }

  void Reset(size_t cells) {
    width_ = 1;
    while (width_ < cells) width_ *= 2;
    whole_.assign(2 * width_, Value());
    any_.assign(2 * width_, Value());
  }

  void Raise(CellRange cells, const Value& value) {
    ForCover(cells, [&](size_t node) {
      whole_[node] = std::max(whole_[node], value);
      any_[node] = std::max(any_[node], value);
    });
    Renew(cells.first + width_);
    Renew(cells.last - 1 + width_);
  }

  Value Max(CellRange cells) const {
    Value latest = Value();
    ForCover(cells, [&](size_t node) { latest = std::max(latest, any_[node]); });
    for (size_t node = cells.first + width_; node > 0; node /= 2) {
      latest = std::max(latest, whole_[node]);
    }
    for (size_t node = cells.last - 1 + width_; node > 0; node /= 2) {
      latest = std::max(latest, whole_[node]);
    }
    return latest;
  }

 private:
  // The largest nodes that lie within these cells.
  template <typename Visit>
  void ForCover(CellRange cells, Visit visit) const {
    size_t left = cells.first + width_;
    size_t right = cells.last + width_;
    for (; left < right; left /= 2, right /= 2) {
      if (left % 2 == 1) visit(left++);
      if (right % 2 == 1) visit(--right);
    }
  }

  void Renew(size_t leaf) {
    for (size_t node = leaf / 2; node > 0; node /= 2) {
      any_[node] = std::max(whole_[node], std::max(any_[2 * node], any_[2 * node + 1]));
    }
  }

  size_t width_ = 1;  // leaves, a power of two
  std::vector<Value> whole_;
  std::vector<Value> any_;
};

}  // namespace torqsched::verify

#endif  // TORQSCHED_SRC_VERIFY_LATEST_ENDS_H_
