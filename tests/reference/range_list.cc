// The gaps are made anew for every question: slow, and hard to get wrong.
#include "tests/reference/range_list.h"

#include <algorithm>

#include "tests/reference/arithmetic.h"

namespace torqsched::reference {

std::vector<RangeList::Gap> RangeList::Gaps() const {
  std::vector<Gap> gaps;
  const auto add = [&](uint64_t begin, uint64_t end) {
    uint64_t region_end = 0;
    for (const uint64_t bytes : regions_) {
      region_end += bytes;
      if (begin < region_end && region_end < end) {
        gaps.push_back({begin, region_end});
        begin = region_end;
      }
    }
    if (begin < end) gaps.push_back({begin, end});
  };
  uint64_t at = 0;
  for (const Range& range : taken_) {
    add(at, range.begin);
    at = range.end;
  }
  add(at, size_);
  return gaps;
}

std::optional<uint64_t> RangeList::Find(const Wish& wish) const {
  std::vector<Gap> gaps = Gaps();
  if (wish.fixed.has_value()) {
    for (const Gap& gap : gaps) {
      if (gap.begin <= *wish.fixed && Wide(*wish.fixed) + wish.size <= gap.end) return wish.fixed;
    }
    return std::nullopt;
  }
  if (!wish.lowest) std::reverse(gaps.begin(), gaps.end());
  for (const Gap& gap : gaps) {
    if (wish.lowest) {
      const Wide up = (Wide(gap.begin) + wish.alignment - 1) / wish.alignment * wish.alignment;
      if (up + wish.size <= gap.end) return absl::Uint128Low64(up);
    } else if (wish.size <= gap.end) {
      const uint64_t down = (gap.end - wish.size) / wish.alignment * wish.alignment;
      if (down >= gap.begin) return down;
    }
  }
  return std::nullopt;
}

void RangeList::Take(BufferIndex buffer, uint64_t offset, uint64_t size) {
  taken_.push_back({buffer, offset, offset + size});
  std::sort(taken_.begin(), taken_.end(),
            [](const Range& a, const Range& b) { return a.begin < b.begin; });
}

void RangeList::Free(BufferIndex buffer) {
  taken_.erase(std::remove_if(taken_.begin(), taken_.end(),
                              [buffer](const Range& range) { return range.buffer == buffer; }),
               taken_.end());
}

uint64_t RangeList::free_bytes() const {
  uint64_t total = 0;
  for (const Gap& gap : Gaps()) total += gap.end - gap.begin;
  return total;
}

uint64_t RangeList::largest_gap() const {
  uint64_t largest = 0;
  for (const Gap& gap : Gaps()) largest = std::max(largest, gap.end - gap.begin);
  return largest;
}

}  // namespace torqsched::reference
