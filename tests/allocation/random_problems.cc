#include "tests/allocation/random_problems.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "tests/reference/random_streams.h"

namespace torqsched {
namespace {

using reference::SplitMix64;

// Adds one kind of constraint after the other, and keeps account of what is tied to what, so that
// the problem stays well formed.
class Maker {
 public:
  Maker(size_t most_buffers, uint64_t seed) : random_(seed) {
    const uint64_t horizon = random_.Between(3, 8);
    problem_.buffers.resize(random_.Between(1, most_buffers));
    for (AllocationBuffer& buffer : problem_.buffers) {
      buffer.size = random_.Percent(5) ? 0 : random_.Between(1, 5);
      buffer.live.lower = random_.Below(horizon);
      buffer.live.upper = random_.Between(buffer.live.lower + 1, horizon);
      if (random_.Percent(4)) buffer.live.upper = buffer.live.lower;
    }
    group_.resize(problem_.buffers.size());
    std::iota(group_.begin(), group_.end(), 0);
    in_root_.resize(problem_.buffers.size());
    fixed_.resize(problem_.buffers.size());
  }

  AllocationProblem Make() {
    if (random_.Percent(35)) AddAlignments();
    if (random_.Percent(30)) AddGaps();
    if (random_.Percent(30)) AddViews();
    if (random_.Percent(25)) AddSameOffsets();
    if (random_.Percent(35)) AddSeparations();
    if (random_.Percent(30)) AddFixed();
    if (random_.Percent(30)) AddBytes();
    if (random_.Percent(20)) AddHints();
    return std::move(problem_);
  }

 private:
  uint32_t Any() { return static_cast<uint32_t>(random_.Below(problem_.buffers.size())); }

  void AddAlignments() {
    constexpr uint64_t kOfProblem[] = {1, 1, 2, 4};
    constexpr uint64_t kOfBuffer[] = {1, 1, 1, 2, 3, 4, 8};
    problem_.alignment = kOfProblem[random_.Below(4)];
    if (random_.Percent(40)) return;
    for (AllocationBuffer& buffer : problem_.buffers)
      buffer.alignment = kOfBuffer[random_.Below(7)];
  }

  void AddGaps() {
    for (AllocationBuffer& buffer : problem_.buffers) {
      while (random_.Percent(40)) {  // several, in any order, overlapping, empty, or all of it
        const uint64_t lower = random_.Between(buffer.live.lower, buffer.live.upper);
        buffer.gaps.push_back({lower, random_.Between(lower, buffer.live.upper)});
      }
    }
  }

  // Views of earlier buffers, which may be views: the first time of each is one at which its root
  // is live, or the end of that.
  void AddViews() {
    for (uint32_t view = 1; view < problem_.buffers.size(); ++view) {
      const uint32_t of = static_cast<uint32_t>(random_.Below(view));
      AllocationBuffer& buffer = problem_.buffers[view];
      const AllocationBuffer& whole = problem_.buffers[of];
      if (!random_.Percent(50) || buffer.size > whole.size) continue;
      const uint64_t offset = random_.Below(whole.size - buffer.size + 1);
      problem_.aliases.push_back({view, of, offset});
      in_root_[view] = in_root_[of] + offset;
      Tie(view, of);
      const uint64_t length = buffer.live.upper - buffer.live.lower;
      const uint64_t lower = random_.Between(whole.live.lower, whole.live.upper);
      for (TimeRange& gap : buffer.gaps) {
        gap = {gap.lower - buffer.live.lower + lower, gap.upper - buffer.live.lower + lower};
      }
      buffer.live = {lower, lower + length};
    }
  }

  void AddSameOffsets() {
    while (random_.Percent(60)) {
      const uint32_t first = Any();
      const uint32_t second = Any();
      if (in_root_[first] != 0 || in_root_[second] != 0) continue;
      problem_.same_offset.push_back({first, second});
      Tie(first, second);
    }
  }

  void AddSeparations() {
    while (random_.Percent(75)) {
      const uint32_t first = Any();
      const uint32_t second = Any();
      if (group_[first] != group_[second]) problem_.separate.push_back({first, second});
    }
  }

  // One of each group at most: two could contradict each other, which is malformed.
  void AddFixed() {
    while (random_.Percent(70)) {
      const uint32_t buffer = Any();
      const uint64_t offset = random_.Below(12);
      if (fixed_[group_[buffer]] || offset < in_root_[buffer]) continue;
      fixed_[group_[buffer]] = true;
      problem_.buffers[buffer].fixed_offset = offset;
    }
  }

  void AddBytes() {
    while (random_.Percent(50)) {
      const uint64_t begin = random_.Below(14);
      problem_.reserved.push_back({begin, begin + random_.Below(4)});
    }
    while (random_.Percent(50)) problem_.boundaries.push_back(random_.Below(16));
  }

  void AddHints() {
    for (AllocationBuffer& buffer : problem_.buffers) {
      if (random_.Percent(50)) buffer.hint = random_.Percent(90) ? random_.Below(12) : ~uint64_t{0};
    }
  }

  void Tie(uint32_t a, uint32_t b) {
    const uint32_t from = group_[a];
    for (uint32_t& group : group_) {
      if (group == from) group = group_[b];
    }
  }

  SplitMix64 random_;
  AllocationProblem problem_;
  std::vector<uint32_t> group_;    // what is tied together has the same number
  std::vector<uint64_t> in_root_;  // where a view begins in its root
  std::vector<bool> fixed_;        // by group
};

}  // namespace

AllocationProblem RandomConstrained(size_t most_buffers, uint64_t seed) {
  return Maker(most_buffers, seed).Make();
}

AllocationProblem RandomPlain(size_t buffers, uint64_t seed) {
  SplitMix64 random(seed);
  AllocationProblem problem;
  problem.alignment = uint64_t{1} << random.Below(3);
  problem.buffers.resize(buffers);
  for (AllocationBuffer& buffer : problem.buffers) {
    buffer.size = random.Between(1, 4);
    buffer.live.lower = random.Below(5);
    buffer.live.upper = random.Between(buffer.live.lower + 1, 5);
  }
  return problem;
}

AllocationProblem RandomGapped(size_t buffers, uint64_t seed) {
  SplitMix64 random(seed);
  AllocationProblem problem;
  problem.buffers.resize(buffers);
  for (AllocationBuffer& buffer : problem.buffers) {
    buffer.size = random.Between(1, 2);
    buffer.live.lower = random.Below(4);
    buffer.live.upper = random.Between(buffer.live.lower + 1, 8);
    if (buffer.live.upper - buffer.live.lower < 3) continue;
    const uint64_t lower = random.Between(buffer.live.lower + 1, buffer.live.upper - 2);
    buffer.gaps = {{lower, random.Between(lower + 1, buffer.live.upper - 1)}};
  }
  return problem;
}

AllocationProblem Saturated(uint64_t height, uint64_t times, uint64_t largest_size, uint64_t seed) {
  SplitMix64 random(seed);
  AllocationProblem problem;
  std::vector<uint64_t> room(times, height);
  const uint64_t longest = random.Between(2, times - 1);
  for (int draw = 0; draw < 400; ++draw) {
    AllocationBuffer buffer;
    buffer.size = random.Between(1, largest_size);
    buffer.live.lower = random.Below(times);
    // Long ones first; what is left over takes short ones.
    const uint64_t length = draw < 100 ? random.Between(2, longest + 1) : random.Between(1, 3);
    buffer.live.upper = std::min(times, buffer.live.lower + length);
    const auto begin = room.begin() + static_cast<ptrdiff_t>(buffer.live.lower);
    const auto end = room.begin() + static_cast<ptrdiff_t>(buffer.live.upper);
    if (*std::min_element(begin, end) < buffer.size) continue;
    for (auto at = begin; at != end; ++at) *at -= buffer.size;
    problem.buffers.push_back(buffer);
  }
  return problem;
}

}  // namespace torqsched
