// Offsets for all stays of a plan.
//
// The order is cut where nothing is in LRAM from one side to the other; each piece is placed by the
// allocator. Where that ends with a few stays above LRAM, as it may in a long piece in which no
// search reaches far, the neighbourhoods of those are placed anew: what lies wholly in a window of
// time around them is free, what crosses its borders keeps its offset. Windows grow until nothing
// is above or the limit is reached.
//
// Cost: that of the allocator, and of windows, whose search nodes are limited by node_limit and a
// few a stay.
#ifndef TORQSCHED_SRC_LRAM_OFFLINE_PLACE_H_
#define TORQSCHED_SRC_LRAM_OFFLINE_PLACE_H_

#include <cstdint>
#include <vector>

#include "src/lram/offline_plan.h"

namespace torqsched {
namespace offline {

// A stay that found no place, and by how many bytes it ends above LRAM (its size at most).
struct Above {
  uint32_t stay = 0;
  uint64_t bytes = 0;
};

struct StayOffsets {
  bool placed = false;
  bool impossible = false;        // not placed, and proven that no offsets exist
  std::vector<uint64_t> offsets;  // by stay; empty where not placed
  std::vector<Above> above;       // where not placed: what is in the way
};

// node_limit: of the search for all stays together, where they are not many.
StayOffsets PlaceStays(const Residency& residency, const std::vector<Stay>& stays,
                       uint64_t node_limit);

}  // namespace offline
}  // namespace torqsched

#endif  // TORQSCHED_SRC_LRAM_OFFLINE_PLACE_H_
