// What all calls do in the same way: bytes to a request, an answer to bytes, limits, errors.
//
//   bytes -> RunCall: not re-entered? parse (within the memory limit); about what? enough memory?
//         -> the call's own function: request -> response, or a status
//         -> RunCall: serialize the response, or an Error
#ifndef TORQSCHED_CAPI_CALL_H_
#define TORQSCHED_CAPI_CALL_H_

#include <cstddef>
#include <cstdint>
#include <new>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "capi/border.h"
#include "capi/memory.h"
#include "capi/session.h"
#include "src/hardware/hardware.h"
#include "src/stream/stream.h"
#include "torqsched/torqsched.h"
#include "torqsched/v1/allocate.pb.h"
#include "torqsched/v1/hardware.pb.h"
#include "torqsched/v1/judge.pb.h"
#include "torqsched/v1/lower.pb.h"
#include "torqsched/v1/residency.pb.h"
#include "torqsched/v1/schedule.pb.h"
#include "torqsched/v1/simulate.pb.h"
#include "torqsched/v1/stream.pb.h"
#include "torqsched/v1/tiling.pb.h"
#include "torqsched/v1/verify.pb.h"
#include "torqsched/v1/warm.pb.h"

namespace torqsched {

// The session's options; those of TORQSCHED_SESSION_OPTIONS_INIT for NULL.
const torqsched_session_options& OptionsOf(const torqsched_session* session);

// Parses a request whose messages may take so many bytes; 0: no limit.
absl::Status ReadRequest(const void* data, size_t size, uint64_t memory_limit,
                         google::protobuf::MessageLite* request);

// INVALID_ARGUMENT where the request is about nothing.
absl::Status CheckSubject(const v1::ScheduleRequest& request);
absl::Status CheckSubject(const v1::SimulateRequest& request);
absl::Status CheckSubject(const v1::AllocateRequest& request);
absl::Status CheckSubject(const v1::VerifyRequest& request);
absl::Status CheckSubject(const v1::PlanResidencyRequest& request);
absl::Status CheckSubject(const v1::PlanWarmRequest& request);
absl::Status CheckSubject(const v1::JudgeWarmRequest& request);
absl::Status CheckSubject(const v1::PlanTilesRequest& request);
absl::Status CheckSubject(const v1::LowerRequest& request);

// The estimate in torqsched.h for this request, without its bytes.
uint64_t EstimateMemory(const v1::ScheduleRequest& request);
uint64_t EstimateMemory(const v1::SimulateRequest& request);
uint64_t EstimateMemory(const v1::AllocateRequest& request);
uint64_t EstimateMemory(const v1::VerifyRequest& request);
uint64_t EstimateMemory(const v1::PlanResidencyRequest& request);
uint64_t EstimateMemory(const v1::PlanWarmRequest& request);
uint64_t EstimateMemory(const v1::JudgeWarmRequest& request);
uint64_t EstimateMemory(const v1::PlanTilesRequest& request);
uint64_t EstimateMemory(const v1::LowerRequest& request);

// Programs that a lowering may have, so that with the estimate they stay within the limit; 0: no
// limit.
uint64_t MostPrograms(const v1::LowerRequest& request, uint64_t asked, uint64_t memory_limit);

// RESOURCE_EXHAUSTED where the estimate, with the request's bytes, is above the limit; 0: no limit.
absl::Status CheckMemory(uint64_t estimate, size_t request_size, uint64_t memory_limit);

// FAILED_PRECONDITION where this thread is in a callback of the session.
absl::Status CheckNotInside(const torqsched_session* session);

// What requests about a stream are about: the stream, and the chip that is known to have what it
// needs.
struct Subject {
  Stream stream;  // its names are views into the request
  Hardware hardware;
};
absl::StatusOr<Subject> ReadSubject(const v1::Stream& stream, const v1::Hardware& hardware);

// Answers one call. answer fills a response or says what is wrong with the request. (A forced
// unwind has no exception object: the reference that its handler binds is to nothing, which is how
// it is told from others, and not a defect.)
template <typename Request, typename Response>
__attribute__((no_sanitize("null"))) torqsched_code RunCall(
    const torqsched_session* session, const void* data, size_t size, torqsched_buffer* out,
    absl::Status (*answer)(const torqsched_session_options& options, const Request& request,
                           Response* response)) {
  if (out == nullptr) return TORQSCHED_INVALID_ARGUMENT;
  *out = {nullptr, 0};
  TORQSCHED_BORDER_BEGIN
  SilenceProtobuf();
  absl::Status status = CheckNotInside(session);
  if (!status.ok()) return GiveError(status, out);
  const CallFrame frame(session);
  const torqsched_session_options& options = OptionsOf(session);
  CallArena arena(options.reuse_arenas != 0 ? &session->arenas : nullptr);

  auto* request = google::protobuf::Arena::CreateMessage<Request>(arena.get());
  status = ReadRequest(data, size, options.memory_limit_bytes, request);
  if (status.ok()) status = CheckSubject(*request);
  if (status.ok() && options.memory_limit_bytes != 0)
    status = CheckMemory(EstimateMemory(*request), size, options.memory_limit_bytes);
  if (!status.ok()) return GiveError(status, out);

  auto* response = google::protobuf::Arena::CreateMessage<Response>(arena.get());
  status = answer(options, *request, response);
  if (status.ok()) status = GiveMessage(*response, out);
  return status.ok() ? TORQSCHED_OK : GiveError(status, out);
  TORQSCHED_BORDER_END(out)
}

}  // namespace torqsched

#endif  // TORQSCHED_CAPI_CALL_H_
