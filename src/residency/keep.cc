#include "src/residency/keep.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include "absl/numeric/int128.h"
#include "src/residency/keep_search.h"

namespace torqsched {
namespace {

// Pieces of each item that fit when nothing else is kept.
std::vector<uint64_t> CountsThatFit(const KeepProblem& problem) {
  std::vector<uint64_t> counts(problem.items.size());
  for (size_t i = 0; i < counts.size(); ++i) {
    counts[i] = problem.items[i].count;
    for (const KeepUse& use : problem.uses[i]) {
      counts[i] = std::min(counts[i], problem.capacities[use.row] / use.bytes);
    }
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

}  // namespace

KeepAnswer KeepMost(const KeepProblem& problem, const std::vector<uint64_t>& start,
                    uint64_t node_limit) {
  const std::vector<uint64_t> counts = CountsThatFit(problem);
  KeepAnswer answer;
  answer.kept = counts;  // of what nothing keeps out
  uint64_t nodes_left = node_limit;
  const std::vector<std::vector<uint32_t>> parts = FindParts(problem, counts);
  for (const std::vector<uint32_t>& part : parts) {
    for (const uint32_t item : part) answer.kept[item] = 0;
  }
  for (size_t i = 0; i < counts.size(); ++i) {
    answer.bound += problem.items[i].value * answer.kept[i];
  }
  std::vector<uint32_t> row_of(problem.capacities.size(), 0);
  for (const std::vector<uint32_t>& part : parts) {
    const KeepProblem small = Extract(problem, part, &row_of);
    std::vector<uint64_t> small_counts, kept;
    for (const uint32_t item : part) {
      small_counts.push_back(counts[item]);
      kept.push_back(start[item]);
    }
    std::vector<uint32_t> all(part.size());
    std::iota(all.begin(), all.end(), 0);
    KeepSearch search(small, small_counts, std::move(all));
    uint64_t bound = search.RootBound();
    const bool complete = search.Run(&kept, &nodes_left);
    uint64_t value = 0;
    for (size_t i = 0; i < part.size(); ++i) {
      value += small.items[i].value * kept[i];
      answer.kept[part[i]] = kept[i];
    }
    answer.bound += complete ? value : bound;
  }
  for (size_t i = 0; i < counts.size(); ++i) {
    answer.value += problem.items[i].value * answer.kept[i];
  }
  answer.proven = answer.value == answer.bound;
  answer.nodes = node_limit - nodes_left;
  return answer;
}

}  // namespace torqsched
