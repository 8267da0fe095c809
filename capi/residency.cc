// torqsched_plan_residency.
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "capi/call.h"
#include "src/network/network_deployment.h"
#include "src/residency/plan_residency.h"
#include "src/wire/residency_wire.h"
#include "torqsched/torqsched.h"
#include "torqsched/v1/residency.pb.h"

namespace torqsched {
namespace {

absl::Status AnswerPlanResidency(const torqsched_session_options&,
                                 const v1::PlanResidencyRequest& request,
                                 v1::PlanResidencyResponse* response) {
  const absl::StatusOr<ParsedResidency> parsed = ResidencyFromProto(request, &DeployNetwork);
  if (!parsed.ok()) return parsed.status();
  const absl::StatusOr<ResidencyAnswer> answer =
      PlanResidency(parsed->deployment, parsed->options, parsed->streams);
  if (!answer.ok()) return ResidencyErrorInRequest(*parsed, answer.status());
  ResidencyAnswerToProto(request, *parsed, *answer, response);
  return absl::OkStatus();
}

}  // namespace
}  // namespace torqsched

extern "C" torqsched_code torqsched_plan_residency(const torqsched_session* session,
                                                   const void* request, size_t request_size,
                                                   torqsched_buffer* out) {
  return torqsched::RunCall(session, request, request_size, out, &torqsched::AnswerPlanResidency);
}
