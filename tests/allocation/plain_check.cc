#include "tests/allocation/plain_check.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <tuple>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"

namespace torqsched {
namespace {

constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();

struct Event {
  uint64_t time;
  bool begins;  // ends come first: live ranges are half-open
  uint32_t buffer;
};

bool TakesRoom(const AllocationBuffer& buffer) {
  return buffer.size != 0 && buffer.live.lower < buffer.live.upper;
}

std::vector<Event> Events(const AllocationProblem& problem) {
  std::vector<Event> events;
  for (uint32_t i = 0; i < problem.buffers.size(); ++i) {
    const AllocationBuffer& buffer = problem.buffers[i];
    if (!TakesRoom(buffer)) continue;
    events.push_back({buffer.live.lower, true, i});
    events.push_back({buffer.live.upper, false, i});
  }
  std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
    return std::tie(a.time, a.begins, a.buffer) < std::tie(b.time, b.begins, b.buffer);
  });
  return events;
}

}  // namespace

uint64_t LargestLiveSum(const AllocationProblem& problem) {
  absl::uint128 live = 0;
  absl::uint128 largest = 0;
  for (const Event& event : Events(problem)) {
    const uint64_t size = problem.buffers[event.buffer].size;
    live = event.begins ? live + size : live - size;
    largest = std::max(largest, live);
  }
  return largest > kMost ? kMost : absl::Uint128Low64(largest);
}

std::string PlainFault(const AllocationProblem& problem, const std::vector<uint64_t>& offsets) {
  if (offsets.size() != problem.buffers.size()) return "not one offset a buffer";
  std::map<uint64_t, uint32_t> live;  // by offset
  const auto end_of = [&](uint32_t i) {
    return absl::uint128(offsets[i]) + problem.buffers[i].size;
  };
  for (const Event& event : Events(problem)) {
    const uint32_t i = event.buffer;
    if (!event.begins) {
      live.erase(offsets[i]);
      continue;
    }
    if (end_of(i) > problem.capacity.value_or(kMost)) return absl::StrCat(i, " ends too high");
    const uint64_t alignment = std::max(problem.alignment, problem.buffers[i].alignment);
    if (offsets[i] % alignment != 0) return absl::StrCat(i, " is not aligned");
    const auto above = live.lower_bound(offsets[i]);
    if (above != live.end() && above->first < end_of(i)) {
      return absl::StrCat(i, " reaches into ", above->second);
    }
    if (above != live.begin() && end_of(std::prev(above)->second) > offsets[i]) {
      return absl::StrCat(std::prev(above)->second, " reaches into ", i);
    }
    live.emplace_hint(above, offsets[i], i);
  }
  return "";
}

uint64_t HeightOf(const AllocationProblem& problem, const std::vector<uint64_t>& offsets) {
  uint64_t height = 0;
  for (size_t i = 0; i < offsets.size(); ++i) {
    if (!TakesRoom(problem.buffers[i])) continue;
    height = std::max(height, offsets[i] + problem.buffers[i].size);
  }
  return height;
}

}  // namespace torqsched
