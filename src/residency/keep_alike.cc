#include "src/residency/keep_alike.h"

#include <algorithm>
#include <cstddef>

#include "src/stream/checked.h"

namespace torqsched {
namespace {

// By value, then by uses; 0: alike.
int Compare(const KeepProblem& problem, uint32_t a, uint32_t b) {
  if (problem.items[a].value != problem.items[b].value) {
    return problem.items[a].value < problem.items[b].value ? -1 : 1;
  }
  const Run<KeepUse> left = problem.uses[a], right = problem.uses[b];
  if (left.size() != right.size()) return left.size() < right.size() ? -1 : 1;
  for (size_t i = 0; i < left.size(); ++i) {
    if (left[i].row != right[i].row) return left[i].row < right[i].row ? -1 : 1;
    if (left[i].bytes != right[i].bytes) return left[i].bytes < right[i].bytes ? -1 : 1;
  }
  return 0;
}

}  // namespace

AlikeItems::AlikeItems(const KeepProblem& problem) : problem_(problem) {
  std::vector<uint32_t> sorted(problem.items.size());
  for (uint32_t i = 0; i < sorted.size(); ++i) sorted[i] = i;
  std::sort(sorted.begin(), sorted.end(), [&problem](uint32_t a, uint32_t b) {
    const int order = Compare(problem, a, b);
    return order != 0 ? order < 0 : a < b;
  });
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (i == 0 || Compare(problem, sorted[i - 1], sorted[i]) != 0) members_.emplace_back();
    members_.back().push_back(sorted[i]);
  }
  std::sort(members_.begin(), members_.end(),
            [](const auto& a, const auto& b) { return a.front() < b.front(); });
  merged_.capacities = problem.capacities;
  for (const std::vector<uint32_t>& members : members_) {
    KeepItem item{problem.items[members.front()].value, 0};
    for (const uint32_t i : members) item.count = SaturatingAdd(item.count, problem.items[i].count);
    merged_.items.push_back(item);
    for (const KeepUse& use : problem.uses[members.front()]) merged_.uses.Add(use);
    merged_.uses.EndRow();
  }
}

std::vector<uint64_t> AlikeItems::Merge(const std::vector<uint64_t>& kept) const {
  std::vector<uint64_t> merged;
  for (const std::vector<uint32_t>& members : members_) {
    uint64_t pieces = 0;
    for (const uint32_t i : members) pieces += kept[i];
    merged.push_back(pieces);
  }
  return merged;
}

std::vector<uint64_t> AlikeItems::Split(const std::vector<uint64_t>& merged,
                                        const std::vector<uint64_t>& before) const {
  std::vector<uint64_t> kept(problem_.items.size(), 0);
  for (size_t m = 0; m < members_.size(); ++m) {
    uint64_t left = merged[m];
    for (const uint32_t i : members_[m]) {
      kept[i] = std::min(left, before[i]);
      left -= kept[i];
    }
    for (const uint32_t i : members_[m]) {
      const uint64_t more = std::min(left, problem_.items[i].count - kept[i]);
      kept[i] += more;
      left -= more;
    }
  }
  return kept;
}

}  // namespace torqsched
