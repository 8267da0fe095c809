// torqsched.v1.Placement to Placement and back: shared by the schedule's answer, the checker's
// request and the host oracle's answer. The makespan stands beside the message, so it is neither
// written nor read here.
#ifndef TORQSCHED_SRC_WIRE_PLACEMENT_WIRE_H_
#define TORQSCHED_SRC_WIRE_PLACEMENT_WIRE_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "src/stream/placement.h"
#include "src/stream/stream.h"
#include "torqsched/v1/placement.pb.h"

namespace torqsched {

void PlacementToProto(const Placement& placement, v1::Placement* message);
void PlacementFailureToProto(const PlacementFailure& failure, v1::PlacementFailure* message);

// The placement without its makespan. Its indices and entries are as they stand: they may be
// anything.
Placement PlacementFromProto(const v1::Placement& message);

// INVALID_ARGUMENT where the placement names an op or a buffer that the stream does not have. field
// is the message's path in the request.
absl::Status CheckPlacementIndices(const Placement& placement, const Stream& stream,
                                   absl::string_view field);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_WIRE_PLACEMENT_WIRE_H_
