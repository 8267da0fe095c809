// Knapsacks with many rows against trying everything: alike items, items that hold all rows
// together, several pieces, few nodes.
#include "src/residency/keep.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/reference/random_streams.h"

namespace torqsched {
namespace {

using reference::SplitMix64;

struct Item {
  uint64_t value = 0;
  uint64_t count = 1;
  std::vector<KeepUse> uses;
};

KeepProblem MakeProblem(const std::vector<Item>& items, std::vector<uint64_t> capacities) {
  KeepProblem problem;
  problem.capacities = std::move(capacities);
  for (const Item& item : items) {
    problem.items.push_back({item.value, item.count});
    for (const KeepUse& use : item.uses) problem.uses.Add(use);
    problem.uses.EndRow();
  }
  return problem;
}

bool Fits(const KeepProblem& problem, const std::vector<uint64_t>& kept) {
  std::vector<uint64_t> taken(problem.capacities.size(), 0);
  for (size_t i = 0; i < kept.size(); ++i) {
    if (kept[i] > problem.items[i].count) return false;
    for (const KeepUse& use : problem.uses[i]) taken[use.row] += use.bytes * kept[i];
  }
  for (size_t r = 0; r < taken.size(); ++r) {
    if (taken[r] > problem.capacities[r]) return false;
  }
  return true;
}

uint64_t WorthOf(const KeepProblem& problem, const std::vector<uint64_t>& kept) {
  uint64_t value = 0;
  for (size_t i = 0; i < kept.size(); ++i) value += problem.items[i].value * kept[i];
  return value;
}

// The most that fits, by trying everything.
uint64_t MostByTrying(const KeepProblem& problem) {
  std::vector<uint64_t> kept(problem.items.size(), 0);
  uint64_t most = 0;
  while (true) {
    if (Fits(problem, kept)) most = std::max(most, WorthOf(problem, kept));
    size_t i = 0;
    while (i < kept.size() && kept[i] == problem.items[i].count) kept[i++] = 0;
    if (i == kept.size()) return most;
    ++kept[i];
  }
}

// Kinds of items, some of which use most rows; most kinds come several times.
KeepProblem RandomProblem(SplitMix64* random) {
  const uint32_t rows = static_cast<uint32_t>(random->Between(1, 7));
  std::vector<uint64_t> capacities;
  for (uint32_t r = 0; r < rows; ++r) capacities.push_back(random->Between(0, 40));
  std::vector<Item> items;
  while (items.size() < 3 || (items.size() < 9 && random->Percent(75))) {
    Item item;
    item.value = random->Below(30);
    item.count = random->Percent(20) ? random->Between(1, 3) : 1;
    const bool wide = random->Percent(30);
    const uint64_t bytes = random->Between(1, 20);
    for (uint32_t r = 0; r < rows; ++r) {
      if (random->Percent(wide ? 95 : 30)) {
        item.uses.push_back({r, wide ? bytes : random->Between(1, 20)});
      }
    }
    for (uint64_t copies = random->Between(1, 3); copies > 0 && items.size() < 9; --copies) {
      items.push_back(item);
    }
  }
  for (size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random->Below(i)]);
  return MakeProblem(items, capacities);
}

TEST(KeepMost, RandomOnesAreAsGoodAsTryingEverything) {
  for (uint64_t seed = 1; seed <= 4000 && !HasFailure(); ++seed) {
    SplitMix64 random(seed);
    const KeepProblem problem = RandomProblem(&random);
    const std::vector<uint64_t> none(problem.items.size(), 0);
    const KeepAnswer answer = KeepMost(problem, none, 1000000);
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    EXPECT_TRUE(Fits(problem, answer.kept));
    EXPECT_EQ(answer.value, WorthOf(problem, answer.kept));
    EXPECT_EQ(answer.value, MostByTrying(problem));
    EXPECT_EQ(answer.bound, answer.value);
    EXPECT_TRUE(answer.proven);
  }
}

TEST(KeepMost, WithFewNodesItIsNoWorseThanTheStartAndTheBoundHolds) {
  uint64_t unproven = 0;
  for (uint64_t seed = 1; seed <= 4000 && !HasFailure(); ++seed) {
    SplitMix64 random(seed);
    const KeepProblem problem = RandomProblem(&random);
    // A start that fits: what comes first.
    std::vector<uint64_t> start(problem.items.size(), 0);
    for (size_t i = 0; i < start.size(); ++i) {
      start[i] = 1;
      if (!Fits(problem, start)) start[i] = 0;
    }
    const uint64_t limit = random.Below(60);
    const KeepAnswer answer = KeepMost(problem, start, limit);
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    EXPECT_TRUE(Fits(problem, answer.kept));
    EXPECT_EQ(answer.value, WorthOf(problem, answer.kept));
    EXPECT_GE(answer.value, WorthOf(problem, start));
    const uint64_t most = MostByTrying(problem);
    EXPECT_LE(answer.value, most);
    EXPECT_GE(answer.bound, most);
    EXPECT_LE(answer.nodes, limit);
    EXPECT_EQ(answer.proven, answer.bound == answer.value);
    unproven += !answer.proven;
  }
  EXPECT_GT(unproven, 50u);
}

TEST(KeepMost, WhereNothingBetterExistsTheStartStaysAsItIs) {
  // Three alike, room for one: the last is kept, and another would be no better.
  const KeepProblem problem =
      MakeProblem({{5, 1, {{0, 10}}}, {5, 1, {{0, 10}}}, {5, 1, {{0, 10}}}}, {15});
  const KeepAnswer answer = KeepMost(problem, {0, 0, 1}, 1000);
  EXPECT_EQ(answer.kept, (std::vector<uint64_t>{0, 0, 1}));
  EXPECT_TRUE(answer.proven);
}

TEST(KeepMost, ManyAlikeItemsAreCountedNotTried) {
  // 22 caches of 4 bytes worth 40, 4 of 9 bytes worth 89, in 41 bytes of every row; in each of 20
  // rows one other thing of 3 bytes worth 1. Best is 8 small ones and one large, 409, which take
  // 41 of 41; next 10 small, 400, with one byte left for no other.
  std::vector<Item> items;
  std::vector<KeepUse> small, large;
  for (uint32_t r = 0; r < 20; ++r) {
    small.push_back({r, 4});
    large.push_back({r, 9});
  }
  for (int i = 0; i < 22; ++i) items.push_back({40, 1, small});
  for (int i = 0; i < 4; ++i) items.push_back({89, 1, large});
  for (uint32_t r = 0; r < 20; ++r) items.push_back({1, 1, {{r, 3}}});
  const KeepProblem problem = MakeProblem(items, std::vector<uint64_t>(20, 41));
  const KeepAnswer answer = KeepMost(problem, std::vector<uint64_t>(items.size(), 0), 20000);
  EXPECT_EQ(answer.value, 409u);
  EXPECT_TRUE(answer.proven);
}

}  // namespace
}  // namespace torqsched
