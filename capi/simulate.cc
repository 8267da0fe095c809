// torqsched_simulate.
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "capi/call.h"
#include "src/schedule/schedule_stream.h"
#include "src/wire/simulate_wire.h"
#include "torqsched/torqsched.h"
#include "torqsched/v1/simulate.pb.h"

namespace torqsched {
namespace {

absl::Status AnswerSimulate(const torqsched_session_options&, const v1::SimulateRequest& request,
                            v1::SimulateResponse* response) {
  const absl::StatusOr<Subject> subject = ReadSubject(request.stream(), request.hardware());
  if (!subject.ok()) return subject.status();
  const absl::StatusOr<OrderToPrice> order =
      OrderToPriceFromProto(request, subject->stream, subject->hardware);
  if (!order.ok()) return order.status();
  const absl::StatusOr<Simulation> simulation = SimulateStream(
      subject->stream, subject->hardware, order->order, order->slices, request.timeline());
  if (!simulation.ok()) return simulation.status();
  SimulationToProto(*simulation, response);
  return absl::OkStatus();
}

}  // namespace
}  // namespace torqsched

extern "C" torqsched_code torqsched_simulate(const torqsched_session* session, const void* request,
                                             size_t request_size, torqsched_buffer* out) {
  return torqsched::RunCall(session, request, request_size, out, &torqsched::AnswerSimulate);
}
