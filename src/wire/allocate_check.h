// Whether an allocation problem from outside is one at all: what can be wrong with it, with the
// place in the request and the buffer's name.
#ifndef TORQSCHED_SRC_WIRE_ALLOCATE_CHECK_H_
#define TORQSCHED_SRC_WIRE_ALLOCATE_CHECK_H_

#include <cstdint>

#include "absl/status/status.h"
#include "src/allocation/allocation.h"
#include "torqsched/v1/allocate.pb.h"

namespace torqsched {

// problem is what message says, index by index. INVALID_ARGUMENT with the first thing wrong, in the
// order of the request's fields: a live range or a gap that ends before it begins, a gap outside of
// its live range, a size that does not fit 64 bits once it is rounded up, a fixed range that does
// not as it is, an index that names no buffer, or one of a stream's that is not in LRAM, a buffer
// that is a part of itself or of two others, or does not lie inside of its whole, a pair of one
// buffer, a part that has the offset of another buffer, fixed offsets that contradict each other.
// Near-linear.
absl::Status CheckAllocationProblem(const AllocationProblem& problem,
                                    const v1::AllocateRequest& message);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_WIRE_ALLOCATE_CHECK_H_
