// OrderedIndexSet against std::set: the same random operations, the same answers.
#include "src/stream/ordered_index_set.h"

#include <cstdint>
#include <random>
#include <set>

#include "gtest/gtest.h"

namespace torqsched {
namespace {

uint32_t FirstFrom(const std::set<uint32_t>& model, uint32_t from) {
  const auto found = model.lower_bound(from);
  return found == model.end() ? OrderedIndexSet::kNone : *found;
}

class Pair {
 public:
  Pair(size_t universe, uint64_t seed) : set_(universe), random_(seed) {}

  uint32_t Below(size_t n) { return static_cast<uint32_t>(random_() % n); }
  OrderedIndexSet& set() { return set_; }

  // members: about how many there are. Members crowd around a few places.
  void Step(size_t members) {
    const size_t universe = set_.universe();
    uint32_t member = Below(universe);
    if (Below(4) == 0) member = static_cast<uint32_t>(universe - 1 - Below(1 + universe / 50));
    if (Below(2 * members) < model_.size()) {
      if (!model_.empty() && Below(4) != 0) {
        const auto at = model_.lower_bound(member);
        member = at == model_.end() ? *model_.begin() : *at;
      }
      set_.Erase(member);  // it may not be there
      model_.erase(member);
    } else {
      set_.Insert(member);  // it may be there already
      model_.insert(member);
    }
    ASSERT_EQ(set_.Contains(member), model_.count(member) != 0);
    ASSERT_EQ(set_.empty(), model_.empty());
    ASSERT_EQ(set_.First(), FirstFrom(model_, 0));
    for (const uint32_t from : {member, member + 1, Below(universe), Below(universe + 200)}) {
      ASSERT_EQ(set_.FirstFrom(from), FirstFrom(model_, from)) << "from " << from;
    }
  }

  void ExpectSameMembers() {
    std::set<uint32_t> found;
    for (uint32_t m = set_.First(); m != OrderedIndexSet::kNone; m = set_.FirstFrom(m + 1)) {
      ASSERT_TRUE(found.insert(m).second);
    }
    EXPECT_EQ(found, model_);
  }

  void Grow(size_t universe) { set_.Grow(universe); }

 private:
  OrderedIndexSet set_;
  std::set<uint32_t> model_;
  std::mt19937_64 random_;
};

TEST(OrderedIndexSet, OfNothingIsEmpty) {
  OrderedIndexSet set;
  EXPECT_EQ(set.universe(), 0u);
  EXPECT_TRUE(set.empty());
  EXPECT_EQ(set.First(), OrderedIndexSet::kNone);
  EXPECT_EQ(set.FirstFrom(0), OrderedIndexSet::kNone);
  EXPECT_EQ(set.FirstFrom(1000000), OrderedIndexSet::kNone);
}

TEST(OrderedIndexSet, AgreesWithAStdSet) {
  for (const size_t universe : {1, 2, 63, 64, 65, 4095, 4096, 4097, 262144, 262145, 300000}) {
    for (const size_t members : {1, 6, 500}) {
      SCOPED_TRACE(testing::Message() << "universe " << universe << ", members " << members);
      Pair pair(universe, universe + members);
      for (int i = 0; i < 3000; ++i) {
        pair.Step(members);
        if (testing::Test::HasFatalFailure()) return;
      }
      pair.ExpectSameMembers();
    }
  }
}

TEST(OrderedIndexSet, KeepsItsMembersWhenItGrows) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    Pair pair(seed % 3 == 0 ? 0 : 1 + seed, seed);
    size_t universe = pair.set().universe();
    while (universe < 300000) {
      universe = universe + 1 + pair.Below(1 + 2 * universe);
      pair.Grow(universe);
      ASSERT_EQ(pair.set().universe(), universe);
      pair.ExpectSameMembers();
      for (int i = 0; i < 50; ++i) {
        pair.Step(1 + seed);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
    pair.ExpectSameMembers();
  }
}

TEST(OrderedIndexSet, NeverShrinks) {
  OrderedIndexSet set(5000);
  set.Insert(4999);
  set.Grow(10);
  EXPECT_EQ(set.universe(), 5000u);
  EXPECT_EQ(set.First(), 4999u);
}

}  // namespace
}  // namespace torqsched
