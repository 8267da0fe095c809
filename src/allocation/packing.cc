#include "src/allocation/packing.h"

#include <algorithm>

#include "src/stream/checked.h"

namespace torqsched {

uint64_t LiftClear(const Packing& packing, const Body& body, uint64_t offset, uint64_t highest) {
  for (;;) {
    if (!CheckedAlignUp(offset, body.alignment, &offset) || offset > highest) return kNoOffset;
    const uint64_t end = SaturatingAdd(offset, body.size);
    const auto range = std::upper_bound(packing.reserved.begin(), packing.reserved.end(), offset,
                                        [](uint64_t at, const ByteRange& r) { return at < r.end; });
    if (range != packing.reserved.end() && range->begin < end) {
      offset = range->end;
      continue;
    }
    const auto boundary =
        std::upper_bound(packing.boundaries.begin(), packing.boundaries.end(), offset);
    if (boundary == packing.boundaries.end() || *boundary >= end) return offset;
    offset = *boundary;
  }
}

}  // namespace torqsched
