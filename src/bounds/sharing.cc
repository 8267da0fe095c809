#include "src/bounds/sharing.h"

#include <algorithm>
#include <utility>

namespace torqsched::bounds {

Sharing::Sharing(const Part& part, const Precedence& precedence, Work* work)
    : part_(part),
      precedence_(precedence),
      capacity_(part.capacity),
      everywhere_(part.buffers.size(), 0) {
  // Of each buffer the jobs that hold it unused.
  Rows<uint32_t> between;
  for (uint32_t b = 0; b < part.buffers.size(); ++b) {
    const PartBuffer& buffer = part.buffers[b];
    const Run<uint32_t> users = part.users[b];
    const uint32_t first = buffer.born_before || users.empty() ? 0 : users[0] + 1;
    const uint32_t end = buffer.dies_after || users.empty() ? part.size() : users[users.size() - 1];
    const bool holds = first < end && (buffer.stays || !part.swaps_allowed) &&
                       work->Take(uint64_t{end - first} * (users.size() + 1));
    for (uint32_t job = first; holds && job < end; ++job) {
      if (Holds(job, b)) between.Add(job);
    }
    const size_t holders = static_cast<size_t>(between.open_end() - between.open_begin());
    if (holders + users.size() == part.size()) {
      everywhere_[b] = 1;
      capacity_ -= std::min(capacity_, buffer.size);
      between.TruncateOpen(0);
    }
    between.EndRow();
  }
  FillHeld(between);
}

// From what each job uses, and what it holds unused.
void Sharing::FillHeld(const Rows<uint32_t>& between) {
  // Buffers come in ascending order, so rows do not have to be sorted.
  std::vector<uint32_t> begins(part_.size() + 1, 0);
  const auto for_each = [&](auto f) {
    for (uint32_t b = 0; b < part_.buffers.size(); ++b) {
      if (everywhere(b)) continue;
      for (const uint32_t job : part_.users[b]) f(job, b);
      for (const uint32_t job : between[b]) f(job, b);
    }
  };
  bytes_.assign(part_.size(), 0);
  for_each([&](uint32_t job, uint32_t b) {
    ++begins[job];
    bytes_[job] = SaturatingAdd(bytes_[job], part_.buffers[b].size);
  });
  uint32_t total = 0;
  for (uint32_t& begin : begins) total += std::exchange(begin, total);
  std::vector<uint32_t> held(total);
  std::vector<uint32_t> fill = begins;
  for_each([&](uint32_t job, uint32_t b) { held[fill[job]++] = b; });
  held_.Adopt(std::move(begins), std::move(held));
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

// Of two or three jobs: whether what they hold together fits.
bool Sharing::Fit(std::initializer_list<uint32_t> jobs, Work* work) const {
  constexpr uint32_t kEnd = 0xffffffff;
  Run<uint32_t> lists[3];
  uint64_t length = 0;
  size_t count = 0;
  for (const uint32_t job : jobs) {
    lists[count] = held_[job];
    length += lists[count++].size();
  }
  if (!work->Take(length)) return true;
  uint64_t bytes = 0;
  for (;;) {
    uint32_t next = kEnd;
    for (size_t i = 0; i < count; ++i) {
      if (!lists[i].empty()) next = std::min(next, lists[i][0]);
    }
    if (next == kEnd) return true;
    for (size_t i = 0; i < count; ++i) {
      if (!lists[i].empty() && lists[i][0] == next) ++lists[i].first;
    }
    if (!CheckedAdd(&bytes, part_.buffers[next].size) || bytes > capacity_) return false;
  }
}

}  // namespace torqsched::bounds
