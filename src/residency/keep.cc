#include "src/residency/keep.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <utility>

#include "absl/numeric/int128.h"
#include "src/residency/keep_alike.h"
#include "src/residency/keep_search.h"
#include "src/residency/keep_wide.h"

namespace torqsched {
namespace {

std::vector<uint64_t> CountsThatFit(const KeepProblem& problem) {
  std::vector<uint64_t> counts;
  counts.reserve(problem.items.size());
  for (uint32_t i = 0; i < problem.items.size(); ++i) {
    counts.push_back(MostThatFit(problem, i, problem.capacities));
  }
  return counts;
}

// Items that share a row in which too much is wanted, transitively; smallest parts first, so that
// a limit leaves as few undone as it can.
std::vector<std::vector<uint32_t>> FindParts(const KeepProblem& problem,
                                             const std::vector<uint64_t>& counts) {
  const size_t n = problem.items.size();
  std::vector<absl::uint128> wanted(problem.capacities.size(), 0);
  for (size_t i = 0; i < n; ++i) {
    for (const KeepUse& use : problem.uses[i]) {
      wanted[use.row] += absl::uint128(use.bytes) * counts[i];
    }
  }
  std::vector<uint32_t> leader(n);
  std::iota(leader.begin(), leader.end(), 0);
  const auto find = [&leader](uint32_t i) {
    while (leader[i] != i) i = leader[i] = leader[leader[i]];
    return i;
  };
  std::vector<uint32_t> first(wanted.size(), static_cast<uint32_t>(n));
  std::vector<char> kept_out(n, 0);
  for (uint32_t i = 0; i < n; ++i) {
    if (counts[i] == 0) continue;
    for (const KeepUse& use : problem.uses[i]) {
      if (wanted[use.row] <= problem.capacities[use.row]) continue;
      kept_out[i] = 1;
      if (first[use.row] == n) first[use.row] = i;
      const uint32_t a = find(first[use.row]), b = find(i);
      leader[std::max(a, b)] = std::min(a, b);
    }
  }
  std::vector<std::vector<uint32_t>> of_leader(n);
  for (uint32_t i = 0; i < n; ++i) {
    if (kept_out[i]) of_leader[find(i)].push_back(i);
  }
  std::vector<std::vector<uint32_t>> parts;
  for (std::vector<uint32_t>& part : of_leader) {
    if (!part.empty()) parts.push_back(std::move(part));
  }
  std::stable_sort(parts.begin(), parts.end(),
                   [](const auto& a, const auto& b) { return a.size() < b.size(); });
  return parts;
}

// A part in rows of its own, so that searching many small ones does not look at the rows of all.
KeepProblem Extract(const KeepProblem& problem, const std::vector<uint32_t>& part,
                    std::vector<uint32_t>* row_of) {
  KeepProblem small;
  std::vector<uint32_t> used;
  for (const uint32_t item : part) {
    small.items.push_back(problem.items[item]);
    for (const KeepUse& use : problem.uses[item]) {
      uint32_t& row = (*row_of)[use.row];
      if (row == 0) {
        small.capacities.push_back(problem.capacities[use.row]);
        row = static_cast<uint32_t>(small.capacities.size());  // one more than it is; 0: none
        used.push_back(use.row);
      }
      small.uses.Add({row - 1, use.bytes});
    }
    small.uses.EndRow();
  }
  for (const uint32_t row : used) (*row_of)[row] = 0;
  return small;
}

KeepAnswer SearchPart(const KeepProblem& part, const std::vector<uint64_t>& start,
                      uint64_t node_limit) {
  KeepSearch search(part, CountsThatFit(part));
  KeepAnswer answer;
  answer.kept = start;
  answer.bound = search.RootBound();
  uint64_t nodes_left = node_limit;
  const bool complete = search.Run(&answer.kept, &nodes_left);
  answer.value = ValueOf(part, answer.kept);
  if (complete) answer.bound = answer.value;
  answer.nodes = node_limit - nodes_left;
  return answer;
}

// All that nothing keeps out, and what solve finds for each part.
KeepAnswer KeepByParts(const KeepProblem& problem, const std::vector<uint64_t>& start,
                       uint64_t node_limit, KeepSolver solve) {
  const std::vector<uint64_t> counts = CountsThatFit(problem);
  KeepAnswer answer;
  answer.kept = counts;  // of what nothing keeps out
  const std::vector<std::vector<uint32_t>> parts = FindParts(problem, counts);
  for (const std::vector<uint32_t>& part : parts) {
    for (const uint32_t item : part) answer.kept[item] = 0;
  }
  answer.value = answer.bound = ValueOf(problem, answer.kept);
  std::vector<uint32_t> row_of(problem.capacities.size(), 0);
  for (const std::vector<uint32_t>& part : parts) {
    std::vector<uint64_t> kept;
    for (const uint32_t item : part) kept.push_back(start[item]);
    const KeepAnswer of_part =
        solve(Extract(problem, part, &row_of), kept, node_limit - answer.nodes);
    for (size_t i = 0; i < part.size(); ++i) answer.kept[part[i]] = of_part.kept[i];
    answer.bound += of_part.bound;
    answer.value += of_part.value;
    answer.nodes += of_part.nodes;
  }
  answer.proven = answer.value == answer.bound;
  return answer;
}

KeepAnswer SearchParts(const KeepProblem& problem, const std::vector<uint64_t>& start,
                       uint64_t node_limit) {
  return KeepByParts(problem, start, node_limit, &SearchPart);
}

KeepAnswer SolveOnePart(const KeepProblem& part, const std::vector<uint64_t>& start,
                        uint64_t node_limit) {
  const AlikeItems alike(part);
  const KeepProblem& merged = alike.merged();
  const std::vector<uint64_t> merged_start = alike.Merge(start);
  const std::optional<KeepAnswer> by_wide =
      KeepMostByWideItems(merged, merged_start, node_limit, &SearchParts);
  KeepAnswer answer = by_wide.has_value() ? *by_wide : SearchPart(merged, merged_start, node_limit);
  answer.kept = alike.Split(answer.kept, start);
  return answer;
}

}  // namespace

uint64_t MostThatFit(const KeepProblem& problem, uint32_t item, const std::vector<uint64_t>& room) {
  uint64_t most = problem.items[item].count;
  for (const KeepUse& use : problem.uses[item]) most = std::min(most, room[use.row] / use.bytes);
  return most;
}

uint64_t ValueOf(const KeepProblem& problem, const std::vector<uint64_t>& kept) {
  uint64_t value = 0;
  for (size_t i = 0; i < kept.size(); ++i) value += problem.items[i].value * kept[i];
  return value;
}

KeepAnswer KeepMost(const KeepProblem& problem, const std::vector<uint64_t>& start,
                    uint64_t node_limit) {
  return KeepByParts(problem, start, node_limit, &SolveOnePart);
}

}  // namespace torqsched
