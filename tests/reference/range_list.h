// An address space as a plain list of taken ranges.
//
// Looking for a place walks the gaps between them, lowest first or highest first. Copying the whole
// list is how a placement is tried and undone.
#ifndef TORQSCHED_TESTS_REFERENCE_RANGE_LIST_H_
#define TORQSCHED_TESTS_REFERENCE_RANGE_LIST_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "src/stream/index.h"

namespace torqsched::reference {

class RangeList {
 public:
  // regions: sizes, as in Hardware; empty: one region.
  explicit RangeList(uint64_t size, std::vector<uint64_t> regions = {})
      : size_(size), regions_(std::move(regions)) {}

  struct Wish {
    uint64_t size = 0;
    uint64_t alignment = 1;
    bool lowest = false;            // else the highest free range, at its upper end
    std::optional<uint64_t> fixed;  // exactly there
  };

  // The offset at which a wish is granted now, or none. Sizes of 0 are not asked for.
  std::optional<uint64_t> Find(const Wish& wish) const;

  void Take(BufferIndex buffer, uint64_t offset, uint64_t size);
  void Free(BufferIndex buffer);  // nothing happens if it holds no range

  uint64_t free_bytes() const;
  uint64_t largest_gap() const;

 private:
  struct Range {
    BufferIndex buffer;
    uint64_t begin = 0;
    uint64_t end = 0;
  };
  struct Gap {
    uint64_t begin = 0;
    uint64_t end = 0;
  };

  std::vector<Gap> Gaps() const;  // lowest first, none empty, each in one region

  uint64_t size_;
  std::vector<uint64_t> regions_;
  std::vector<Range> taken_;  // by begin
};

}  // namespace torqsched::reference

#endif  // TORQSCHED_TESTS_REFERENCE_RANGE_LIST_H_
