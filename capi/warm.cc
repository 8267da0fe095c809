// torqsched_plan_warm and torqsched_judge_warm.
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "capi/call.h"
#include "src/warm/judge.h"
#include "src/warm/planner.h"
#include "src/wire/judge_wire.h"
#include "src/wire/warm_wire.h"
#include "torqsched/torqsched.h"
#include "torqsched/v1/judge.pb.h"
#include "torqsched/v1/warm.pb.h"

namespace torqsched {
namespace {

absl::Status AnswerPlanWarm(const torqsched_session_options&, const v1::PlanWarmRequest& request,
                            v1::PlanWarmResponse* response) {
  const absl::StatusOr<ParsedWarm> parsed = WarmFromProto(request);
  if (!parsed.ok()) return parsed.status();
  const absl::StatusOr<WarmPlan> plan =
      PlanWarm(parsed->hardware, parsed->timeline, parsed->options);
  if (!plan.ok()) return plan.status();
  WarmPlanToProto(*plan, response);
  return absl::OkStatus();
}

absl::Status AnswerJudgeWarm(const torqsched_session_options&, const v1::JudgeWarmRequest& request,
                             v1::JudgeWarmResponse* response) {
  const absl::StatusOr<WarmJudgement> judgement =
      JudgeWarm(MeasurementFromProto(request), JudgeOptionsFromProto(request.options()));
  if (!judgement.ok()) return judgement.status();
  JudgementToProto(*judgement, response);
  return absl::OkStatus();
}

}  // namespace
}  // namespace torqsched

extern "C" torqsched_code torqsched_plan_warm(const torqsched_session* session, const void* request,
                                              size_t request_size, torqsched_buffer* out) {
  return torqsched::RunCall(session, request, request_size, out, &torqsched::AnswerPlanWarm);
}

extern "C" torqsched_code torqsched_judge_warm(const torqsched_session* session,
                                               const void* request, size_t request_size,
                                               torqsched_buffer* out) {
  return torqsched::RunCall(session, request, request_size, out, &torqsched::AnswerJudgeWarm);
}
