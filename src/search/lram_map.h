// What lies where in LRAM at one moment of a search: few dozen ranges, sorted by offset in one
// array, so that a look-up is a short walk over memory that is in cache.
//
// Where regions meet stands a range of no bytes that never leaves, so nothing is placed across.
//
// Invariants: ranges are disjoint and sorted; hash() is a function of what lies where alone.
//
// Cost: O(log ranges) to ask for a given range, O(ranges) to search for one.
#ifndef TORQSCHED_SRC_SEARCH_LRAM_MAP_H_
#define TORQSCHED_SRC_SEARCH_LRAM_MAP_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "src/search/model.h"
#include "src/search/random.h"

namespace torqsched::search {

class LramMap {
 public:
  static constexpr int64_t kNoRoom = -1;

  struct Range {
    int64_t begin = 0;
    int64_t end = 0;
    PartIndex buffer;  // absent: where regions meet
  };

  explicit LramMap(const Model& model) : model_(&model) { Clear(); }

  void Clear() {
    ranges_.clear();
    for (const int64_t b : model_->boundaries()) ranges_.push_back({b, b, PartIndex()});
    hash_ = 0;
    used_ = 0;
  }

  const std::vector<Range>& ranges() const { return ranges_; }
  uint64_t hash() const { return hash_; }
  int64_t used() const { return used_; }

  bool IsFree(int64_t begin, int64_t size) const {
    if (begin > model_->capacity() - size) return false;
    const size_t i = PlaceFor(begin);
    if (i != 0 && ranges_[i - 1].end > begin) return false;
    return i == ranges_.size() || ranges_[i].begin >= begin + size;
  }

  // The lowest or highest offset at which the buffer fits; kNoRoom if there is none.
  int64_t Lowest(const Part& buffer) const {
    int64_t gap = 0;
    for (const Range& r : ranges_) {
      const int64_t begin = Up(gap, buffer.alignment);
      if (begin + buffer.size <= r.begin) return begin;
      gap = r.end;
    }
    const int64_t begin = Up(gap, buffer.alignment);
    return begin + buffer.size <= model_->capacity() ? begin : kNoRoom;
  }
  int64_t Highest(const Part& buffer) const {
    int64_t gap_end = model_->capacity();
    for (size_t i = ranges_.size(); i-- > 0;) {
      const int64_t begin = Down(gap_end - buffer.size, buffer.alignment);
      if (begin >= ranges_[i].end) return begin;
      gap_end = ranges_[i].begin;
    }
    const int64_t begin = Down(gap_end - buffer.size, buffer.alignment);
    return begin >= 0 ? begin : kNoRoom;
  }

  // Calls with begin and end of each gap, from low to high.
  template <typename Look>
  void ForEachGap(const Look& look) const {
    int64_t gap = 0;
    for (const Range& r : ranges_) {
      if (r.begin > gap) look(gap, r.begin);
      gap = r.end;
    }
    if (model_->capacity() > gap) look(gap, model_->capacity());
  }

  void Insert(PartIndex buffer, int64_t begin, int64_t size) {
    ranges_.insert(ranges_.begin() + PlaceFor(begin), {begin, begin + size, buffer});
    hash_ += HashOf(buffer, begin);
    used_ += size;
  }
  void Erase(PartIndex buffer, int64_t begin) {
    size_t i = FirstFrom(begin);
    while (ranges_[i].buffer != buffer) ++i;
    used_ -= ranges_[i].end - begin;
    ranges_.erase(ranges_.begin() + i);
    hash_ -= HashOf(buffer, begin);
  }

  int64_t Up(int64_t offset, int64_t alignment) const {
    if (model_->aligned()) return offset;
    const int64_t rest = offset % alignment;
    return rest == 0 ? offset : offset + (alignment - rest);
  }
  int64_t Down(int64_t offset, int64_t alignment) const {
    if (model_->aligned() || offset < 0) return offset;
    return offset - offset % alignment;
  }

  static uint64_t HashOf(PartIndex buffer, int64_t begin) {
    return Mix(static_cast<uint64_t>(begin) ^ (uint64_t{buffer.value()} << 40));
  }

 private:
  // The first range that begins at `begin` or later.
  size_t FirstFrom(int64_t begin) const {
    size_t low = 0;
    size_t high = ranges_.size();
    while (low < high) {
      const size_t middle = (low + high) / 2;
      if (ranges_[middle].begin < begin) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  // Where a range that begins there belongs: behind where regions meet.
  size_t PlaceFor(int64_t begin) const {
    const size_t i = FirstFrom(begin);
    const bool meets = i != ranges_.size() && ranges_[i].end == begin;
    return meets ? i + 1 : i;
  }

  const Model* model_;
  std::vector<Range> ranges_;
  uint64_t hash_ = 0;
  int64_t used_ = 0;  // bytes
};

}  // namespace torqsched::search

#endif  // TORQSCHED_SRC_SEARCH_LRAM_MAP_H_
