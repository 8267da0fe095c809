#include "src/residency/keep_search.h"

#include <algorithm>
#include <utility>

namespace torqsched {

KeepSearch::KeepSearch(const KeepProblem& problem, std::vector<uint64_t> counts)
    : problem_(problem), counts_(std::move(counts)), left_(problem.capacities) {
  MakeGroups();
  value_to_.assign(order_.size() + 1, 0);
  for (size_t i = 0; i < order_.size(); ++i) {
    value_to_[i + 1] = value_to_[i] + problem_.items[order_[i]].value * counts_[order_[i]];
  }
  taken_.assign(order_.size(), 0);
}

// Rows in which most is wanted beyond what they hold come first: their bounds say most.
void KeepSearch::MakeGroups() {
  const uint32_t items = static_cast<uint32_t>(problem_.items.size());
  std::vector<std::vector<std::pair<uint32_t, uint64_t>>> wanting(left_.size());
  std::vector<absl::uint128> wanted(left_.size(), 0);
  for (uint32_t item = 0; item < items; ++item) {
    for (const KeepUse& use : problem_.uses[item]) {
      wanting[use.row].emplace_back(item, use.bytes);
      wanted[use.row] += absl::uint128(use.bytes) * counts_[item];
    }
  }
  std::vector<uint32_t> rows;
  for (uint32_t row = 0; row < left_.size(); ++row) {
    if (wanted[row] > left_[row]) rows.push_back(row);
  }
  std::sort(rows.begin(), rows.end(), [&](uint32_t a, uint32_t b) {
    const absl::uint128 beyond_a = wanted[a] - left_[a], beyond_b = wanted[b] - left_[b];
    return beyond_a != beyond_b ? beyond_a > beyond_b : a < b;
  });
  std::vector<char> in_group(items, 0);
  for (const uint32_t row : rows) {
    absl::uint128 sum = 0;
    std::vector<uint32_t> members;
    for (const auto& [item, bytes] : wanting[row]) {
      if (in_group[item]) continue;
      members.push_back(item);
      sum += absl::uint128(bytes) * counts_[item];
    }
    if (sum <= left_[row]) continue;
    for (const uint32_t item : members) in_group[item] = 1;
    AddGroup(row, std::move(members));
  }
  grouped_ = order_.size();
  for (uint32_t item = 0; item < items; ++item) {
    if (!in_group[item]) order_.push_back(item);
  }
  bytes_.resize(order_.size(), 0);
  bytes_to_.resize(order_.size() + 1, 0);
}

void KeepSearch::AddGroup(uint32_t row, std::vector<uint32_t> members) {
  const auto bytes_of = [&](uint32_t item) {
    for (const KeepUse& use : problem_.uses[item]) {
      if (use.row == row) return use.bytes;
    }
    return uint64_t{0};
  };
  std::vector<std::pair<uint64_t, uint32_t>> sorted;  // bytes, item
  for (const uint32_t item : members) sorted.emplace_back(bytes_of(item), item);
  std::sort(sorted.begin(), sorted.end(), [this](const auto& a, const auto& b) {
    const absl::uint128 left = absl::uint128(problem_.items[a.second].value) * b.first;
    const absl::uint128 right = absl::uint128(problem_.items[b.second].value) * a.first;
    return left != right ? left > right : a < b;
  });
  Group group;
  group.row = row;
  group.begin = order_.size();
  absl::uint128 sum = 0;
  for (const auto& [bytes, item] : sorted) {
    order_.push_back(item);
    bytes_.push_back(bytes);
    bytes_to_.push_back(sum);
    sum += absl::uint128(bytes) * counts_[item];
  }
  group.end = order_.size();
  groups_.push_back(group);
}

uint64_t KeepSearch::BoundFrom(size_t position) const {
  const size_t rest = std::max(position, grouped_);
  uint64_t bound = value_to_[order_.size()] - value_to_[rest];
  for (const Group& group : groups_) {
    if (group.end > position) bound += BoundOf(group, std::max(group.begin, position));
  }
  return bound;
}

// All that fits by density, then what the next one's bytes would still be worth.
uint64_t KeepSearch::BoundOf(const Group& group, size_t begin) const {
  const uint64_t room = left_[group.row];
  // The last position such that all from begin to before it fit.
  size_t low = begin, high = group.end - 1;
  while (low < high) {
    const size_t middle = low + (high - low + 1) / 2;
    if (bytes_to_[middle] - bytes_to_[begin] <= room) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  const uint64_t rest = room - absl::Uint128Low64(bytes_to_[low] - bytes_to_[begin]);
  const KeepItem& next = problem_.items[order_[low]];
  const uint64_t most = next.value * counts_[order_[low]];
  const absl::uint128 part = absl::uint128(next.value) * rest / bytes_[low];
  const uint64_t worth = part < most ? absl::Uint128Low64(part) : most;
  return value_to_[low] - value_to_[begin] + worth;
}

void KeepSearch::Take(size_t position, uint64_t pieces) {
  const uint32_t item = order_[position];
  for (const KeepUse& use : problem_.uses[item]) left_[use.row] -= use.bytes * pieces;
  value_ += problem_.items[item].value * pieces;
  taken_[position] = pieces;
}

bool KeepSearch::StepBack(size_t* position) {
  while (*position > 0 && taken_[*position - 1] == 0) --*position;
  if (*position == 0) return false;
  const uint32_t item = order_[*position - 1];
  for (const KeepUse& use : problem_.uses[item]) left_[use.row] += use.bytes;
  value_ -= problem_.items[item].value;
  --taken_[*position - 1];
  return true;
}

// A node looks at every group, and at all rows of the item that it takes, and gives back later.
uint64_t KeepSearch::NodeCost(size_t position) const {
  const size_t rows = position < order_.size() ? problem_.uses[order_[position]].size() : 0;
  return 1 + groups_.size() / 8 + rows / 16;
}

bool KeepSearch::Run(std::vector<uint64_t>* kept, uint64_t* nodes_left) {
  uint64_t best = ValueOf(problem_, *kept);
  size_t position = 0;
  while (true) {
    const uint64_t cost = NodeCost(position);
    if (*nodes_left < cost) return false;
    *nodes_left -= cost;
    if (value_ + BoundFrom(position) > best) {
      if (position < order_.size()) {
        Take(position, MostThatFit(problem_, order_[position], left_));
        ++position;
        continue;
      }
      best = value_;
      for (size_t i = 0; i < order_.size(); ++i) (*kept)[order_[i]] = taken_[i];
    }
    if (!StepBack(&position)) return true;
  }
}

}  // namespace torqsched
