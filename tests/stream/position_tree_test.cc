// The tree over positions against a plain array.
#include "src/stream/position_tree.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tests/reference/random_streams.h"

namespace torqsched {
namespace {

TEST(PositionTree, AnswersAsAPlainArrayDoes) {
  reference::SplitMix64 random(7);
  for (const uint32_t n : {1, 2, 3, 8, 13, 64, 100}) {
    std::vector<int64_t> plain(n);
    for (int64_t& value : plain) value = static_cast<int64_t>(random.Below(40)) - 20;
    PositionTree tree(plain);
    for (int step = 0; step < 500; ++step) {
      const uint32_t begin = static_cast<uint32_t>(random.Below(n + 1));
      const uint32_t end = begin + static_cast<uint32_t>(random.Below(n + 1 - begin));
      const int64_t value = static_cast<int64_t>(random.Below(20)) - 10;
      tree.Add(begin, end, value);
      for (uint32_t p = begin; p < end; ++p) plain[p] += value;
      const uint32_t from = static_cast<uint32_t>(random.Below(n));
      const uint32_t to = from + 1 + static_cast<uint32_t>(random.Below(n - from));
      EXPECT_EQ(tree.Most(from, to), *std::max_element(&plain[from], &plain[from] + (to - from)));
      uint32_t first = PositionTree::kNone;
      uint32_t last = PositionTree::kNone;
      for (uint32_t p = from; p < to; ++p) {
        if (plain[p] <= value) continue;
        if (first == PositionTree::kNone) first = p;
        last = p;
      }
      EXPECT_EQ(tree.FirstAbove(from, to, value), first);
      EXPECT_EQ(tree.LastAbove(from, to, value), last);
      EXPECT_EQ(tree.FirstAbove(from, from, value), PositionTree::kNone);
    }
  }
}

}  // namespace
}  // namespace torqsched
