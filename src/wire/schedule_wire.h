// torqsched_schedule: options in, answer out.
#ifndef TORQSCHED_SRC_WIRE_SCHEDULE_WIRE_H_
#define TORQSCHED_SRC_WIRE_SCHEDULE_WIRE_H_

#include "absl/status/statusor.h"
#include "src/schedule/answer.h"
#include "src/stream/stream.h"
#include "torqsched/v1/schedule.pb.h"

namespace torqsched {

// The options with their defaults filled in, or INVALID_ARGUMENT with a path such as
// "options.oracle" where a name is not known. Ranges are checked where the options are used.
absl::StatusOr<ScheduleOptions> OptionsFromProto(const v1::ScheduleOptions& message);

// Fills an empty response. stream is the one that the answer is about.
void ScheduleAnswerToProto(const Stream& stream, const ScheduleAnswer& answer,
                           v1::ScheduleResponse* message);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_WIRE_SCHEDULE_WIRE_H_
