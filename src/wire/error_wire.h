// Statuses to torqsched.v1.Error: the place that an error carries, as numbers.
#ifndef TORQSCHED_SRC_WIRE_ERROR_WIRE_H_
#define TORQSCHED_SRC_WIRE_ERROR_WIRE_H_

#include "absl/status/status.h"
#include "torqsched/v1/error.pb.h"

namespace torqsched {

// status is not OK. Bytes of the message that are no UTF-8, which a proto3 string may not hold,
// become '?'.
v1::Error ErrorFromStatus(const absl::Status& status);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_WIRE_ERROR_WIRE_H_
