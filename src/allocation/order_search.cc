#include "src/allocation/order_search.h"

#include <algorithm>
#include <utility>

namespace torqsched {
namespace {

class OrderSearch {
 public:
  OrderSearch(const Packing& packing, uint64_t capacity)
      : packing_(packing), capacity_(capacity), offsets_(packing.bodies.size(), 0) {
    for (uint32_t b = 0; b < packing.bodies.size(); ++b) {
      if (packing.bodies[b].fixed) {
        placed_.push_back(b);
        offsets_[b] = packing.bodies[b].offset;
      } else {
        free_.push_back(b);
      }
    }
    used_.assign(free_.size(), false);
    meets_.resize(free_.size());
    for (size_t i = 0; i < free_.size(); ++i) {
      for (uint32_t b = 0; b < packing.bodies.size(); ++b) {
        meets_[i].push_back(b == free_[i] ? Meeting() : Meet(free_[i], b));
      }
    }
  }

  SearchResult Run(Budget* budget) {
    std::vector<size_t> next(1, 0);  // by depth: the body to try next, a position in free_
    std::vector<size_t> taken;
    while (!next.empty()) {
      if (taken.size() == free_.size()) return SearchResult::kFound;
      const size_t i = next.back()++;
      if (i == free_.size()) {
        next.pop_back();
        if (taken.empty()) break;
        used_[taken.back()] = false;
        placed_.pop_back();
        taken.pop_back();
        continue;
      }
      if (used_[i]) continue;
      if (!budget->Spend(1)) return SearchResult::kStopped;
      const uint64_t least = taken.empty() ? 0 : offsets_[free_[taken.back()]];
      const uint64_t offset = LowestFree(i);
      if (offset == kNoOffset || offset < least) continue;
      offsets_[free_[i]] = offset;
      used_[i] = true;
      placed_.push_back(free_[i]);
      taken.push_back(i);
      next.push_back(0);
    }
    return SearchResult::kExhausted;
  }

  std::vector<uint64_t>& offsets() { return offsets_; }

 private:
  // The largest pieces of two bodies in sections that they share; 0: they share none.
  struct Meeting {
    uint64_t size = 0;
    uint64_t other_size = 0;
  };

  Meeting Meet(uint32_t a, uint32_t b) const {
    Meeting meeting;
    const auto x = packing_.pieces[a];
    const auto y = packing_.pieces[b];
    for (size_t i = 0, j = 0; i < x.size() && j < y.size();) {
      if (x[i].first < y[j].last && y[j].first < x[i].last) {
        meeting.size = std::max(meeting.size, x[i].size);
        meeting.other_size = std::max(meeting.other_size, y[j].size);
      }
      x[i].last < y[j].last ? ++i : ++j;
    }
    return meeting;
  }

  uint64_t LowestFree(size_t i) const {
    const Body& body = packing_.bodies[free_[i]];
    if (body.size > capacity_) return kNoOffset;
    const uint64_t highest = capacity_ - body.size;
    uint64_t offset = 0;
    for (bool clear = false; !clear;) {
      offset = LiftClear(packing_, body, offset, highest);
      if (offset == kNoOffset) return kNoOffset;
      clear = true;
      for (const uint32_t b : placed_) {
        const Meeting& meeting = meets_[i][b];
        if (meeting.size == 0 || offset + meeting.size <= offsets_[b] ||
            offset >= offsets_[b] + meeting.other_size) {
          continue;
        }
        offset = offsets_[b] + meeting.other_size;
        clear = false;
      }
    }
    return offset;
  }

  const Packing& packing_;
  const uint64_t capacity_;
  std::vector<uint64_t> offsets_;            // by body
  std::vector<uint32_t> placed_;             // fixed ones first, then in order
  std::vector<uint32_t> free_;               // bodies
  std::vector<bool> used_;                   // by position in free_
  std::vector<std::vector<Meeting>> meets_;  // by position in free_, by body
};

}  // namespace

bool CanBeOrdered(const Packing& packing) {
  size_t free = 0;
  for (const Body& body : packing.bodies) free += body.fixed ? 0 : 1;
  return free <= kMostOrdered;
}

SearchResult SearchOrders(const Packing& packing, uint64_t capacity, Budget* budget,
                          std::vector<uint64_t>* offsets) {
  for (const Body& body : packing.bodies) {
    if (body.fixed && (body.size > capacity || body.offset > capacity - body.size)) {
      return SearchResult::kExhausted;
    }
  }
  OrderSearch search(packing, capacity);
  const SearchResult result = search.Run(budget);
  if (result == SearchResult::kFound) *offsets = std::move(search.offsets());
  return result;
}

}  // namespace torqsched
