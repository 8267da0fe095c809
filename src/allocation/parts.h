// Parts of a packing that have nothing to do with each other: runs of sections that no body
// crosses. Each is placed apart, from offset 0; the height of all is the largest of theirs.
#ifndef TORQSCHED_SRC_ALLOCATION_PARTS_H_
#define TORQSCHED_SRC_ALLOCATION_PARTS_H_

#include <cstdint>
#include <vector>

#include "src/allocation/packing.h"

namespace torqsched {

struct PackingPart {
  Packing packing;               // of its bodies and sections alone
  std::vector<uint32_t> bodies;  // their numbers in the whole
};

// In order of time. Cost: linear.
std::vector<PackingPart> SplitIntoParts(const Packing& packing);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_ALLOCATION_PARTS_H_
