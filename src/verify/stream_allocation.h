// What the checker takes a stream's allocation to be: the live ranges of its LRAM buffers in an
// order, found in its own way (see uses.h), not by the code whose answer it checks.
//
// Source: docs/semantics.md, sections 2 and 8.
#ifndef TORQSCHED_SRC_VERIFY_STREAM_ALLOCATION_H_
#define TORQSCHED_SRC_VERIFY_STREAM_ALLOCATION_H_

#include <vector>

#include "absl/status/statusor.h"
#include "src/allocation/allocation.h"
#include "src/hardware/hardware.h"
#include "src/stream/stream.h"

namespace torqsched {

// Buffer i of the stream is buffer i of the problem; all of usable LRAM is the capacity.
// INVALID_ARGUMENT where order is none (see CheckOrder). Linear.
absl::StatusOr<AllocationProblem> AllocationToVerify(const Stream& stream, const Hardware& hardware,
                                                     const std::vector<OpIndex>& order);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_VERIFY_STREAM_ALLOCATION_H_
