// The lower bound that needs no search: bodies that are live together lie one above the other.
//
// At a section the rounded sizes stack up, with reserved bytes between them; only the topmost needs
// no padding, so the largest padding among them is taken off. Any of
// them may be on top, so only the largest is safe to take off.
#ifndef TORQSCHED_SRC_ALLOCATION_LIVE_BOUND_H_
#define TORQSCHED_SRC_ALLOCATION_LIVE_BOUND_H_

#include <cstdint>
#include <vector>

#include "absl/numeric/int128.h"
#include "src/allocation/packing.h"

namespace torqsched {

// The rounded bytes that are live at each section. Cost: linear.
std::vector<absl::uint128> LiveSums(const Packing& packing);

struct LiveBound {
  absl::uint128 height = 0;  // no placement ends below, bytes
  uint32_t section = 0;      // where; of no meaning where single_body is set or height is 0
  // A body that alone needs this height: for its fixed offset, or reserved bytes.
  uint32_t single_body = 0xffffffff;
};

// Cost: linear in pieces and sections, and reserved ranges a section.
LiveBound FindLiveBound(const Packing& packing);

// Bodies of one section whose sizes alone exceed the capacity: as few as possible, largest first.
// Empty where the section's do not.
std::vector<uint32_t> FewestExceeding(const Packing& packing, uint32_t section, uint64_t capacity);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_ALLOCATION_LIVE_BOUND_H_
