#include "src/bounds/sharing.h"

#include <algorithm>
#include <utility>

namespace torqsched::bounds {

Sharing::Sharing(const Part& part, const Precedence& precedence, uint64_t work)
    : part_(part), precedence_(precedence) {
  std::vector<std::pair<uint32_t, uint32_t>> between;  // job, buffer that it holds unused
  for (uint32_t b = 0; b < part.buffers.size(); ++b) {
    const PartBuffer& buffer = part.buffers[b];
    if (part.swaps_allowed && !buffer.stays) continue;
    const Run<uint32_t> users = part.users[b];
    if (users.empty() && !(buffer.born_before && buffer.dies_after)) continue;
    const uint32_t first = buffer.born_before ? 0 : users[0] + 1;
    const uint32_t end = buffer.dies_after ? part.size() : users[users.size() - 1];
    if (first >= end) continue;
    const uint64_t cost = uint64_t{end - first} * users.size();
    if (cost > work) continue;
    work -= cost;
    for (uint32_t job = first; job < end; ++job) {
      if (Holds(job, b)) between.push_back({job, b});
    }
  }
  std::stable_sort(between.begin(), between.end());
  size_t next = 0;
  std::vector<uint32_t> held;
  for (uint32_t job = 0; job < part.size(); ++job) {
    held.assign(part.uses[job].begin(), part.uses[job].end());
    for (; next < between.size() && between[next].first == job; ++next) {
      held.push_back(between[next].second);
    }
    std::sort(held.begin(), held.end());
    uint64_t bytes = 0;
    for (const uint32_t b : held) {
      held_.Add(b);
      bytes = SaturatingAdd(bytes, part.buffers[b].size);
    }
    held_.EndRow();
    bytes_.push_back(bytes);
  }
}

// Of a job that does not use the buffer.
bool Sharing::Holds(uint32_t job, uint32_t buffer) const {
  bool born = part_.buffers[buffer].born_before;
  bool needed = part_.buffers[buffer].dies_after;
  for (const uint32_t user : part_.users[buffer]) {
    if (user == job) return false;
    born = born || precedence_.Begun(user, job);
    needed = needed || precedence_.Ended(job, user);
  }
  return born && needed;
}

bool Sharing::Fit(Three three) const {
  constexpr uint32_t kEnd = 0xffffffff;
  Run<uint32_t> lists[3];
  for (int i = 0; i < 3; ++i) lists[i] = held_[three.jobs[i]];
  uint64_t bytes = 0;
  for (;;) {
    uint32_t next = kEnd;
    for (const Run<uint32_t>& list : lists) {
      if (!list.empty()) next = std::min(next, list[0]);
    }
    if (next == kEnd) return true;
    for (Run<uint32_t>& list : lists) {
      if (!list.empty() && list[0] == next) ++list.first;
    }
    if (!CheckedAdd(&bytes, part_.buffers[next].size) || bytes > part_.capacity) return false;
  }
}

}  // namespace torqsched::bounds
