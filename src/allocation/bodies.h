// From buffers to bodies: checks the problem, joins what must move as one, finds the sections.
#ifndef TORQSCHED_SRC_ALLOCATION_BODIES_H_
#define TORQSCHED_SRC_ALLOCATION_BODIES_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "src/allocation/allocation.h"
#include "src/allocation/packing.h"

namespace torqsched {

constexpr uint32_t kNoBody = 0xffffffff;

// A problem as a packing, and which buffer is part of which body.
struct Bodies {
  Packing packing;
  std::vector<uint32_t> body_of;       // by buffer; kNoBody: takes no room
  std::vector<uint64_t> offset_in;     // by buffer: from its body's offset
  Rows<uint32_t> members;              // by body: its buffers, ascending
  std::vector<uint64_t> loose_offset;  // by buffer: its offset where it is of no body

  // Offsets by buffer from offsets by body.
  std::vector<uint64_t> BufferOffsets(const std::vector<uint64_t>& body_offsets) const;
};

// INVALID_ARGUMENT with its field where the problem is malformed; see Allocate. Cost: O(n log n) in
// buffers, gaps and pairs.
absl::StatusOr<Bodies> MakeBodies(const AllocationProblem& problem);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_ALLOCATION_BODIES_H_
