// torqsched_schedule.
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "capi/call.h"
#include "capi/callbacks.h"
#include "src/schedule/schedule_stream.h"
#include "src/wire/oracle_wire.h"
#include "src/wire/schedule_wire.h"
#include "torqsched/torqsched.h"
#include "torqsched/v1/schedule.pb.h"

namespace torqsched {
namespace {

absl::Status AnswerSchedule(const torqsched_session_options& session,
                            const v1::ScheduleRequest& request, v1::ScheduleResponse* response) {
  const absl::StatusOr<Subject> subject = ReadSubject(request.stream(), request.hardware());
  if (!subject.ok()) return subject.status();
  const absl::StatusOr<ScheduleOptions> options = OptionsFromProto(request.options());
  if (!options.ok()) return options.status();
  OracleRequestWriter oracle_requests(request.stream(), subject->stream, subject->hardware);
  const CallEnvironment environment = MakeEnvironment(session, subject->stream, &oracle_requests);
  const absl::StatusOr<ScheduleAnswer> answer =
      ScheduleStream(subject->stream, subject->hardware, *options, environment);
  if (!answer.ok()) return answer.status();
  ScheduleAnswerToProto(subject->stream, *answer, response);
  return absl::OkStatus();
}

}  // namespace
}  // namespace torqsched

extern "C" torqsched_code torqsched_schedule(const torqsched_session* session, const void* request,
                                             size_t request_size, torqsched_buffer* out) {
  return torqsched::RunCall(session, request, request_size, out, &torqsched::AnswerSchedule);
}
