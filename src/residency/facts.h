// What can be said of a program before anything is decided.
#ifndef TORQSCHED_SRC_RESIDENCY_FACTS_H_
#define TORQSCHED_SRC_RESIDENCY_FACTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "src/residency/deployment.h"
#include "src/stream/index.h"

namespace torqsched {

// An activation that somebody accesses, live in the phases from begin to end, both included.
struct LiveActivation {
  uint32_t tensor = 0;
  uint64_t bytes = 0;
  uint64_t begin = 0;
  uint64_t end = 0;
};

struct ProgramFacts {
  std::vector<uint64_t> moved_bytes;  // by tensor, a step, one instance
  std::vector<char> carried;          // by tensor: a state that the next step needs
  // Chips that buffers and accesses name, ascending, and chip 0 where a tensor is accessed by none.
  std::vector<uint32_t> chips;
  std::vector<uint64_t> buffer_bytes;  // by position in chips: the buffer footprint
  Rows<uint32_t> chips_of;             // by tensor: positions in chips, ascending, of its accesses
  std::vector<LiveActivation> activations;  // by tensor

  // The chip, as a position in chips, that a tensor stands on as a whole.
  uint32_t HomeOf(size_t tensor) const {
    const Run<uint32_t> accessed = chips_of[tensor];
    return accessed.empty() ? 0 : accessed[0];  // 0: chip 0 then, which is the lowest
  }
};

// By program. INVALID_ARGUMENT as CheckProgramNames and CheckProgram say, and where a buffer
// footprint does not fit 64 bits. Cost: O(n log n).
absl::StatusOr<std::vector<ProgramFacts>> FindFacts(const Deployment& deployment);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_RESIDENCY_FACTS_H_
