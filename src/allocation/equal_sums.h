// Parts of two lists of numbers with the same sum: what ends at one time and what begins then, told
// apart by size alone.
//
// Problem: the numbers of both lists come from several groups, and each group has the same sum in
// both lists. Where numbers are large, parts hardly ever have the same sum but where they are made
// of whole groups; where they are small, they often have.
//
// Idea: a number counts for the left list and against the right one; a part of each with the same
// sum is a subset with sum 0, and those are met by sorting the subsets' sums of either half (meet
// in the middle). Where the lists are too long for all subsets, parts of one number, of two, and so
// on, as long as there are not too many. With each pair comes how many like it chance alone would
// make: the number of pairs of parts with sums up to twice as large, over the sum.
//
// Cost: bounded by 2^effort times its logarithm, whatever the lists.
//
// Source: Horowitz, Sahni, "Computing partitions with applications to the knapsack problem", JACM
// 21, 1974.
#ifndef TORQSCHED_SRC_ALLOCATION_EQUAL_SUMS_H_
#define TORQSCHED_SRC_ALLOCATION_EQUAL_SUMS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace torqsched {

struct EqualSums {
  uint64_t left = 0;  // positions in the two lists, as bits
  uint64_t right = 0;
  int32_t chance = 0;  // how many like it chance makes: logarithm to base 2
};

// What is in a list behind so many numbers is in no part.
constexpr size_t kMostTerms = 64;
constexpr uint32_t kMostEffort = 20;

// Whether lists of together so many numbers are looked through as a whole.
constexpr bool ListsAll(size_t terms, uint32_t effort) { return terms <= 2 * effort; }

// Parts of both lists, neither none nor all, with the same sum; those with fewest numbers first,
// and not more than a bound of them. The lists have the same sum, at most 2^62; effort is from 1 to
// kMostEffort.
std::vector<EqualSums> FindEqualSums(const std::vector<uint64_t>& left,
                                     const std::vector<uint64_t>& right, uint32_t effort);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_ALLOCATION_EQUAL_SUMS_H_
