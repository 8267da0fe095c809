// The search's pruning rules: with any of them on or off, the answer is the reference's.
#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/allocation/expect_answer.h"
#include "tests/allocation/random_problems.h"
#include "tests/reference/allocation.h"

namespace torqsched {
namespace {

using reference::LeastHeight;
using reference::LiveBound;

constexpr uint32_t kCombinations = 64;

SearchRules RulesOf(uint32_t bits) {
  SearchRules rules;
  rules.section_bound = bits & 1;
  rules.propagate = bits & 2;
  rules.place_free = bits & 4;
  rules.decompose = bits & 8;
  rules.identical_once = bits & 16;
  rules.restart = bits & 32;
  return rules;
}

std::string NameOf(const SearchRules& rules) {
  return absl::StrCat("section_bound ", rules.section_bound, ", propagate ", rules.propagate,
                      ", place_free ", rules.place_free, ", decompose ", rules.decompose,
                      ", identical_once ", rules.identical_once, ", restart ", rules.restart);
}

// Compares one problem under all combinations; false: some differ, and the test has failed.
bool CompareUnderAll(const AllocationProblem& problem, const std::string& name) {
  const std::optional<uint64_t> least = LeastHeight(problem);
  for (uint32_t bits = 0; bits < kCombinations; ++bits) {
    const SearchRules rules = RulesOf(bits);
    const std::string differences = DifferencesFromReference(problem, least, rules);
    if (differences.empty()) continue;
    ADD_FAILURE() << name << ", " << NameOf(rules) << "\n" << differences;
    return false;
  }
  return true;
}

TEST(RulesTest, PlainProblemsHaveTheSameAnswerUnderAll64Combinations) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    if (!CompareUnderAll(RandomPlain(4 + seed % 4, seed), absl::StrCat("seed ", seed))) return;
  }
}

// With gaps the bound is often not enough, so that the search has to answer.
TEST(RulesTest, ProblemsAboveTheirBoundHaveTheSameAnswerUnderAll64Combinations) {
  uint64_t compared = 0;
  for (uint64_t seed = 0; compared < 150; ++seed) {
    ASSERT_LT(seed, 10000u);
    const AllocationProblem problem = RandomGapped(5 + seed % 3, seed);
    if (*LeastHeight(problem) == LiveBound(problem)) continue;
    if (!CompareUnderAll(problem, absl::StrCat("seed ", seed))) return;
    ++compared;
  }
}

TEST(RulesTest, AllConstraintsMixedHaveTheSameAnswerUnderAll64Combinations) {
  for (uint64_t seed = 0; seed < 1500; ++seed) {
    if (!CompareUnderAll(RandomConstrained(6, seed), absl::StrCat("seed ", seed))) return;
  }
}

// Filled heights of alignment 1: some need a byte more than any one time shows.
TEST(RulesTest, FilledHeightsHaveTheSameAnswerUnderAll64Combinations) {
  uint64_t fitting = 0;
  uint64_t above = 0;
  for (uint64_t seed = 0; above < 6; ++seed) {
    ASSERT_LT(seed, 100000u);
    AllocationProblem problem = Saturated(4 + seed % 3, 6 + seed / 3 % 3 * 2, 2, seed);
    if (problem.buffers.size() > 10) continue;
    const uint64_t bound = LiveBound(problem);
    problem.capacity = bound;
    const bool fits = LeastHeight(problem).has_value();
    if (fits && fitting == 20) continue;
    problem.capacity = bound + 2;
    if (!CompareUnderAll(problem, absl::StrCat("seed ", seed))) return;
    ++(fits ? fitting : above);
  }
}

}  // namespace
}  // namespace torqsched
