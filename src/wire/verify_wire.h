// torqsched_verify: a schedule's answer in, as a claim to check; what is wrong with it out.
//
// Positions that make no sense are what the checker is there to find, so they pass through as they
// stand.
#ifndef TORQSCHED_SRC_WIRE_VERIFY_WIRE_H_
#define TORQSCHED_SRC_WIRE_VERIFY_WIRE_H_

#include <memory>

#include "absl/status/statusor.h"
#include "src/stream/placement.h"
#include "src/verify/claim.h"
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

// Fills an empty response.
void VerificationToProto(const Verification& verification, v1::VerifyResponse* message);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_WIRE_VERIFY_WIRE_H_
