// Equal sums of two lists against all pairs of parts.
#include "src/allocation/equal_sums.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/reference/random_streams.h"

namespace torqsched {
namespace {

using reference::SplitMix64;

uint64_t SumOf(const std::vector<uint64_t>& terms, uint64_t bits) {
  uint64_t sum = 0;
  for (size_t i = 0; i < terms.size() && i < 64; ++i) sum += (bits >> i & 1) * terms[i];
  return sum;
}

// Several groups with the same sum in both lists.
void MakeLists(size_t groups, size_t most_terms, uint64_t most, SplitMix64* random,
               std::vector<uint64_t>* left, std::vector<uint64_t>* right) {
  for (size_t g = 0; g < groups; ++g) {
    const uint64_t sum = random->Between(most_terms, most);
    for (std::vector<uint64_t>* list : {left, right}) {
      uint64_t rest = sum;
      for (uint64_t terms = random->Between(1, most_terms); terms > 1; --terms) {
        const uint64_t term = random->Between(1, rest - (terms - 1));
        list->push_back(term);
        rest -= term;
      }
      list->push_back(rest);
    }
  }
}

TEST(EqualSumsTest, ShortListsAreLookedThroughAsAWhole) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    SplitMix64 random(seed);
    std::vector<uint64_t> left, right;
    MakeLists(random.Between(1, 3), 3, seed % 2 == 0 ? 1000 : uint64_t{1} << 60, &random, &left,
              &right);
    std::set<std::pair<uint64_t, uint64_t>> expected;
    for (uint64_t l = 1; l + 1 < uint64_t{1} << left.size(); ++l) {
      for (uint64_t r = 1; r + 1 < uint64_t{1} << right.size(); ++r) {
        if (SumOf(left, l) == SumOf(right, r)) expected.insert({l, r});
      }
    }
    std::set<std::pair<uint64_t, uint64_t>> found;
    for (const EqualSums& sums : FindEqualSums(left, right, 11)) {
      found.insert({sums.left, sums.right});
    }
    ASSERT_EQ(found, expected) << "seed " << seed;
  }
}

TEST(EqualSumsTest, LongListsAreLookedThroughForSmallParts) {
  SplitMix64 random(1);
  std::vector<uint64_t> left, right;
  MakeLists(20, 3, uint64_t{1} << 50, &random, &left, &right);
  const std::vector<EqualSums> pairs = FindEqualSums(left, right, 11);
  EXPECT_FALSE(pairs.empty());
  for (const EqualSums& sums : pairs) {
    EXPECT_EQ(SumOf(left, sums.left), SumOf(right, sums.right));
    EXPECT_LT(sums.chance, -8);
  }
}

TEST(EqualSumsTest, SmallNumbersAreEqualByChance) {
  const std::vector<EqualSums> pairs = FindEqualSums({1, 2, 3, 4}, {4, 3, 2, 1}, 11);
  ASSERT_FALSE(pairs.empty());
  for (const EqualSums& sums : pairs) EXPECT_GT(sums.chance, -3);
  const std::vector<EqualSums> large =
      FindEqualSums({uint64_t{1} << 40, 12345678901}, {12345678901, uint64_t{1} << 40}, 11);
  ASSERT_EQ(large.size(), 2u);
  for (const EqualSums& sums : large) EXPECT_LT(sums.chance, -30);
}

// That the large ones are equal says no more than that the small ones are.
TEST(EqualSumsTest, WhatIsLeftOverDecidesIfItIsSmaller) {
  const uint64_t half = uint64_t{1} << 39;
  const std::vector<EqualSums> pairs = FindEqualSums({5, 2 * half}, {5, half, half}, 11);
  ASSERT_EQ(pairs.size(), 2u);
  for (const EqualSums& sums : pairs) EXPECT_GT(sums.chance, -5);
}

TEST(EqualSumsTest, ManyEqualNumbersAndLongListsAreBounded) {
  const std::vector<uint64_t> ones(5000, 1);
  EXPECT_LE(FindEqualSums(ones, ones, kMostEffort).size(), 1024u);
  EXPECT_LE(FindEqualSums({ones.begin(), ones.begin() + 20}, {ones.begin(), ones.begin() + 20}, 20)
                .size(),
            1024u);
  EXPECT_TRUE(FindEqualSums({5000}, ones, 11).empty());
  EXPECT_TRUE(FindEqualSums({}, {}, 11).empty());
}

}  // namespace
}  // namespace torqsched
