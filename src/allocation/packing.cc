#include "src/allocation/packing.h"

#include <algorithm>
#include <utility>

#include "src/stream/checked.h"

namespace torqsched {
namespace {

// Sorted, joined where they overlap or touch, without empty ones.
std::vector<ByteRange> Unite(std::vector<ByteRange> ranges) {
  std::sort(ranges.begin(), ranges.end(),
            [](const ByteRange& a, const ByteRange& b) { return a.begin < b.begin; });
  size_t kept = 0;
  for (const ByteRange& range : ranges) {
    if (range.begin == range.end) continue;
    if (kept > 0 && range.begin <= ranges[kept - 1].end) {
      ranges[kept - 1].end = std::max(ranges[kept - 1].end, range.end);
    } else {
      ranges[kept++] = range;
    }
  }
  ranges.resize(kept);
  return ranges;
}

uint64_t RoundedUp(uint64_t offset, uint64_t grain) {
  uint64_t up;
  return CheckedAlignUp(offset, grain, &up) ? up : kNoOffset;
}

std::vector<int64_t> Lengths(const std::vector<uint64_t>& begins,
                             const std::vector<uint64_t>& ends) {
  std::vector<int64_t> lengths;
  lengths.reserve(begins.size());
  for (size_t i = 0; i < begins.size(); ++i) {
    lengths.push_back(static_cast<int64_t>(std::min(ends[i] - begins[i], kMostBytes)));
  }
  return lengths;
}

}  // namespace

Room::Room(std::vector<ByteRange> reserved, std::vector<uint64_t> boundaries, uint64_t grain)
    : lengths_({}) {
  reserved = Unite(std::move(reserved));
  std::sort(boundaries.begin(), boundaries.end());
  size_t next = 0;  // boundary
  uint64_t at = 0;
  const auto add = [&](uint64_t begin, uint64_t end) {
    for (; next < boundaries.size() && boundaries[next] < end; ++next) {
      if (boundaries[next] <= begin) continue;
      begins_.push_back(begin);
      ends_.push_back(boundaries[next]);
      begin = boundaries[next];
    }
    if (begin == end) return;
    begins_.push_back(begin);
    ends_.push_back(end);
  };
  for (const ByteRange& range : reserved) {
    add(at, range.begin);
    at = range.end;
  }
  add(at, kNoOffset);
  lengths_ = PositionTree(Lengths(begins_, ends_));
  uint64_t bytes = 0;
  for (const ByteRange& range : reserved) {
    rounded_.push_back({RoundedUp(range.begin, grain), RoundedUp(range.end, grain)});
    reserved_before_.push_back(bytes);
    bytes += rounded_.back().end - rounded_.back().begin;
  }
  reserved_before_.push_back(bytes);
}

uint64_t Room::Lift(uint64_t offset, uint64_t size, uint64_t alignment, uint64_t highest) const {
  size_t i = std::upper_bound(ends_.begin(), ends_.end(), offset) - ends_.begin();
  while (i < begins_.size()) {
    uint64_t begin = std::max(offset, begins_[i]);
    if (begin > highest || !CheckedAlignUp(begin, alignment, &begin) || begin > highest) break;
    if (SumFits(begin, size, ends_[i])) return begin;
    if (i + 1 == begins_.size()) break;
    i = lengths_.FirstAbove(static_cast<uint32_t>(i + 1), static_cast<uint32_t>(begins_.size()),
                            static_cast<int64_t>(std::min(size, kMostBytes)) - 1);
    if (i == PositionTree::kNone) break;
  }
  return kNoOffset;
}

absl::uint128 Room::EndOfStack(absl::uint128 height) const {
  // How many ranges begin below the end of the stack: those with fewer free bytes below them.
  size_t low = 0;
  size_t high = rounded_.size();
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (rounded_[middle].begin - reserved_before_[middle] < height) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return height + reserved_before_[low];
}

uint64_t Room::ReservedIn(uint64_t offset, uint64_t limit) const {
  const auto below = [this](uint64_t end) {  // reserved bytes below it
    const size_t i = std::lower_bound(rounded_.begin(), rounded_.end(), end,
                                      [](const ByteRange& r, uint64_t at) { return r.end < at; }) -
                     rounded_.begin();
    const uint64_t part =
        i < rounded_.size() && rounded_[i].begin < end ? end - rounded_[i].begin : 0;
    return reserved_before_[i] + part;
  };
  return offset < limit ? below(limit) - below(offset) : 0;
}

uint64_t LiftClear(const Packing& packing, const Body& body, uint64_t offset, uint64_t highest) {
  if (packing.room != nullptr) {
    return packing.room->Lift(offset, body.size, body.alignment, highest);
  }
  return CheckedAlignUp(offset, body.alignment, &offset) && offset <= highest ? offset : kNoOffset;
}

}  // namespace torqsched
