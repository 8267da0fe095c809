#include "src/search/exact_states.h"

#include <vector>

#include "gtest/gtest.h"

namespace torqsched {
namespace {

using Words = std::vector<uint64_t>;

Words State(uint64_t out, uint64_t gone, uint64_t copied, const Words& times) {
  Words state(kTimeWord, 0);
  state[kOutWord] = out;
  state[kGoneWord] = gone;
  state[kCopiedWord] = copied;
  state.insert(state.end(), times.begin(), times.end());
  return state;
}

class ExactStatesTest : public testing::Test {
 protected:
  ExactStatesTest() { states_.Clear(); }
  bool Add(const Words& state) { return states_.Add(state.data()); }

  ExactStates states_{2};
};

TEST_F(ExactStatesTest, NoLaterInAnyTimeDominates) {
  EXPECT_TRUE(Add(State(3, 0, 0, {5, 9})));
  EXPECT_FALSE(Add(State(3, 0, 0, {5, 9})));
  EXPECT_FALSE(Add(State(3, 0, 0, {6, 9})));
  EXPECT_FALSE(Add(State(3, 0, 0, {5, 10})));
  EXPECT_TRUE(Add(State(3, 0, 0, {6, 8})));
  EXPECT_EQ(states_.alive(), 2u);
}

TEST_F(ExactStatesTest, ABetterOneTakesThePlaceOfAllThatItDominates) {
  EXPECT_TRUE(Add(State(3, 0, 0, {5, 9})));
  EXPECT_TRUE(Add(State(3, 0, 0, {6, 8})));
  EXPECT_TRUE(Add(State(3, 0, 0, {5, 8})));
  EXPECT_TRUE(states_.dead(0));
  EXPECT_TRUE(states_.dead(1));
  EXPECT_FALSE(states_.dead(2));
  EXPECT_EQ(states_.alive(), 1u);
}

TEST_F(ExactStatesTest, OtherSetsAreNotCompared) {
  EXPECT_TRUE(Add(State(3, 0, 0, {5, 9})));
  EXPECT_TRUE(Add(State(5, 0, 0, {6, 10})));
  EXPECT_TRUE(Add(State(3, 1, 0, {6, 10})));
  EXPECT_EQ(states_.alive(), 3u);
}

TEST_F(ExactStatesTest, ACopyMayBeWorthLaterTimes) {
  EXPECT_TRUE(Add(State(3, 0, 0, {5, 9})));
  EXPECT_TRUE(Add(State(3, 0, 2, {6, 9})));
  EXPECT_FALSE(Add(State(3, 0, 2, {7, 9})));
  EXPECT_FALSE(Add(State(3, 0, 0, {6, 9})));
  EXPECT_TRUE(Add(State(3, 0, 2, {5, 9})));
  EXPECT_EQ(states_.alive(), 1u);
}

TEST_F(ExactStatesTest, ManySetsAreAllFoundAgain) {
  for (uint64_t out = 0; out < 5000; ++out) EXPECT_TRUE(Add(State(out * 977, 0, 0, {5, out})));
  for (uint64_t out = 0; out < 5000; ++out) EXPECT_FALSE(Add(State(out * 977, 0, 0, {6, out})));
  EXPECT_EQ(states_.alive(), 5000u);
}

}  // namespace
}  // namespace torqsched
