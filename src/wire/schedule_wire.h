// torqsched_schedule: options in, answer out.
#ifndef TORQSCHED_SRC_WIRE_SCHEDULE_WIRE_H_
#define TORQSCHED_SRC_WIRE_SCHEDULE_WIRE_H_

#include "absl/status/statusor.h"
#include "src/schedule/answer.h"
#include "src/stream/stream.h"
#include "torqsched/v1/schedule.pb.h"

namespace torqsched {

// The options with their defaults filled in, or INVALID_ARGUMENT with a path such as
// "options.cap_percent". has_host_oracle: the session has a callback, which is then the default
// oracle; to ask for it without is FAILED_PRECONDITION.
absl::StatusOr<ScheduleOptions> OptionsFromProto(const v1::ScheduleOptions& message,
                                                 bool has_host_oracle);

// Fills an empty response. stream is the one that the answer is about.
void ScheduleAnswerToProto(const Stream& stream, const ScheduleAnswer& answer,
                           v1::ScheduleResponse* message);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_WIRE_SCHEDULE_WIRE_H_
