// Values by position, and the largest among a run of positions, in O(log n): a tournament tree.
#ifndef TORQSCHED_SRC_SCHEDULE_MAXIMUM_TREE_H_
#define TORQSCHED_SRC_SCHEDULE_MAXIMUM_TREE_H_

#include <algorithm>
#include <cstddef>
#include <vector>

namespace torqsched {

template <typename Value>
class MaximumTree {
 public:
  // All values 0.
  explicit MaximumTree(size_t size) {
    while (leaves_ < size) leaves_ *= 2;
    tree_.assign(2 * leaves_, Value(0));
  }

  Value Get(size_t i) const { return tree_[leaves_ + i]; }

  void Set(size_t i, Value value) {
    i += leaves_;
    tree_[i] = value;
    for (i /= 2; i != 0; i /= 2) {
      const Value largest = std::max(tree_[2 * i], tree_[2 * i + 1]);
      if (tree_[i] == largest) return;
      tree_[i] = largest;
    }
  }

  // The largest value at positions [first, last); 0 if there is none.
  Value Largest(size_t first, size_t last) const {
    Value largest(0);
    size_t l = first + leaves_;
    size_t r = last + leaves_;
    for (; l < r; l /= 2, r /= 2) {
      if (l % 2 == 1) largest = std::max(largest, tree_[l++]);
      if (r % 2 == 1) largest = std::max(largest, tree_[--r]);
    }
    return largest;
  }

 private:
  size_t leaves_ = 1;
  std::vector<Value> tree_;
};

}  // namespace torqsched

#endif  // TORQSCHED_SRC_SCHEDULE_MAXIMUM_TREE_H_
