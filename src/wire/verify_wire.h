// torqsched_verify: a schedule's answer in, as a claim to check, or an allocation with its answer;
// what is wrong with it out.
//
// Positions that make no sense are what the checker is there to find, so they pass through as they
// stand.
#ifndef TORQSCHED_SRC_WIRE_VERIFY_WIRE_H_
#define TORQSCHED_SRC_WIRE_VERIFY_WIRE_H_

#include <memory>

#include "absl/status/statusor.h"
#include "src/allocation/allocation.h"
#include "src/stream/placement.h"
#include "src/verify/claim.h"
#include "src/wire/allocate_wire.h"
#include "torqsched/v1/schedule.pb.h"
#include "torqsched/v1/verify.pb.h"

namespace torqsched {

// A claim together with the placement that it points to.
struct ParsedClaim {
  std::unique_ptr<const Placement> placement;  // absent: the answer has none
  Claim claim;
};

// INVALID_ARGUMENT, field "schedule.slices", where starts and slices differ in length.
absl::StatusOr<ParsedClaim> ClaimFromProto(const v1::ScheduleResponse& message);

// An allocation and the answer to it.
struct ParsedAllocationClaim {
  AllocationProblem problem;
  AllocationAnswer answer;
};

// INVALID_ARGUMENT as AllocationFromProto and AllocationAnswerFromProto say, with paths that begin
// with "allocate_request." and "allocate_response.", and where one of the two is unset.
absl::StatusOr<ParsedAllocationClaim> AllocationClaimFromProto(const v1::VerifyRequest& message,
                                                               const ProblemOfStream& of_stream);

// Fills an empty response.
void VerificationToProto(const Verification& verification, v1::VerifyResponse* message);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_WIRE_VERIFY_WIRE_H_
