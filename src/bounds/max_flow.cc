#include "src/bounds/max_flow.h"

#include <algorithm>
#include <utility>

namespace torqsched::bounds {

void MaxFlow::AddEdge(uint32_t from, uint32_t to, uint64_t capacity) {
  edges_.push_back({to, first_[from], capacity});
  first_[from] = static_cast<uint32_t>(edges_.size() - 1);
  edges_.push_back({from, first_[to], 0});
  first_[to] = static_cast<uint32_t>(edges_.size() - 1);
}

std::optional<uint64_t> MaxFlow::Run(uint32_t source, uint32_t sink, Work* work) {
  uint64_t flow = 0;
  while (FindLevels(source, sink)) {
    current_ = first_;
    for (uint64_t more = Augment(source, sink); more != 0; more = Augment(source, sink)) {
      flow += more;
      if (!work->Charge(std::exchange(looked_at_, 0))) return std::nullopt;
    }
    if (!work->Charge(std::exchange(looked_at_, 0))) return std::nullopt;
  }
  return flow;
}

bool MaxFlow::FindLevels(uint32_t source, uint32_t sink) {
  looked_at_ += first_.size();
  level_.assign(first_.size(), kNone);
  level_[source] = 0;
  queue_.assign(1, source);
  for (size_t i = 0; i < queue_.size() && level_[sink] == kNone; ++i) {
    for (uint32_t e = first_[queue_[i]]; e != kNone; e = edges_[e].next) {
      ++looked_at_;
      const uint32_t to = edges_[e].to;
      if (edges_[e].left == 0 || level_[to] != kNone) continue;
      level_[to] = level_[queue_[i]] + 1;
      queue_.push_back(to);
    }
  }
  return level_[sink] != kNone;
}

// Sends what one path of the levels carries; 0: there is none.
uint64_t MaxFlow::Augment(uint32_t source, uint32_t sink) {
  path_.clear();
  uint32_t node = source;
  while (node != sink) {
    uint32_t& e = current_[node];
    while (e != kNone && (edges_[e].left == 0 || level_[edges_[e].to] != level_[node] + 1)) {
      ++looked_at_;
      e = edges_[e].next;
    }
    if (e != kNone) {
      ++looked_at_;
      path_.push_back(e);
      node = edges_[e].to;
      continue;
    }
    if (node == source) return 0;
    node = edges_[path_.back() ^ 1].to;
    path_.pop_back();
    current_[node] = edges_[current_[node]].next;
  }
  uint64_t least = UINT64_MAX;
  for (const uint32_t e : path_) least = std::min(least, edges_[e].left);
  for (const uint32_t e : path_) {
    edges_[e].left -= least;
    edges_[e ^ 1].left += least;
  }
  looked_at_ += path_.size();
  return least;
}

}  // namespace torqsched::bounds
