// torqsched_plan_tiles.

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "capi/call.h"
#include "src/tiling/plan_tiles.h"
#include "src/wire/tiling_wire.h"
#include "torqsched/torqsched.h"
#include "torqsched/v1/tiling.pb.h"

namespace torqsched {
namespace {

absl::Status AnswerPlanTiles(const torqsched_session_options&, const v1::PlanTilesRequest& request,
                             v1::PlanTilesResponse* response) {
  const absl::StatusOr<TilingRequest> parsed = TilingFromProto(request);
  if (!parsed.ok()) return parsed.status();
  const absl::StatusOr<TilePlan> plan = PlanTiles(*parsed);
  if (!plan.ok()) return plan.status();
  TilePlanToProto(*plan, response);
  return absl::OkStatus();
}

}  // namespace
}  // namespace torqsched

extern "C" torqsched_code torqsched_plan_tiles(const torqsched_session* session,
                                               const void* request, size_t request_size,
                                               torqsched_buffer* out) {
  return torqsched::RunCall(session, request, request_size, out, &torqsched::AnswerPlanTiles);
}
