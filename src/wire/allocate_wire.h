// torqsched_allocate: a problem and options in, an answer out; and an answer in, to be checked.
#ifndef TORQSCHED_SRC_WIRE_ALLOCATE_WIRE_H_
#define TORQSCHED_SRC_WIRE_ALLOCATE_WIRE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "src/allocation/allocation.h"
#include "src/hardware/hardware.h"
#include "src/stream/stream.h"
#include "torqsched/v1/allocate.pb.h"

namespace torqsched {

// Makes the problem of a stream's LRAM buffers: MakeLramProblem, or the checker's own. Handed in,
// so that this room needs neither of theirs.
using ProblemOfStream = std::function<absl::StatusOr<AllocationProblem>(
    const Stream& stream, const Hardware& hardware, const std::vector<OpIndex>& order)>;

struct ParsedAllocation {
  AllocationProblem problem;
  AllocationOptions options;
};

// The problem, checked whole, with defaults filled in. INVALID_ARGUMENT with a path such as
// "buffers[3].size" ("stream.buffers[3].size" of a stream) and the buffer at fault; and what the
// stream and the chip are refused for. Linear, besides what of_stream takes.
absl::StatusOr<ParsedAllocation> AllocationFromProto(const v1::AllocateRequest& message,
                                                     const ProblemOfStream& of_stream);

// The name of a buffer of the request, empty where it has none or there is no such buffer; a view
// into the message.
absl::string_view AllocationBufferName(const v1::AllocateRequest& message, uint32_t buffer);

// "buffer 3 'w3'".
std::string DescribeAllocationBuffer(const v1::AllocateRequest& message, uint32_t buffer);

// Fills an empty response.
void AllocationAnswerToProto(const AllocationAnswer& answer, v1::AllocateResponse* message);

// The answer as it stands, to be checked: numbers may be anything. INVALID_ARGUMENT, field
// "verdict", where there is no verdict that this version knows.
absl::StatusOr<AllocationAnswer> AllocationAnswerFromProto(const v1::AllocateResponse& message);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_WIRE_ALLOCATE_WIRE_H_
