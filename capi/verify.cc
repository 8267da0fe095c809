// torqsched_verify.
#include "src/verify/verify.h"

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "capi/call.h"
#include "src/verify/allocation.h"
#include "src/verify/stream_allocation.h"
#include "src/wire/allocate_wire.h"
#include "src/wire/verify_wire.h"
#include "torqsched/torqsched.h"
#include "torqsched/v1/verify.pb.h"

namespace torqsched {
namespace {

absl::Status AnswerVerifyAllocation(const v1::VerifyRequest& request,
                                    v1::VerifyResponse* response) {
  const absl::StatusOr<ParsedAllocationClaim> claim =
      AllocationClaimFromProto(request, &AllocationToVerify);
  if (!claim.ok()) return claim.status();
  const auto describe = [&request](uint32_t b) {
    return DescribeAllocationBuffer(request.allocate_request(), b);
  };
  VerificationToProto(VerifyAllocation(claim->problem, claim->answer, describe), response);
  return absl::OkStatus();
}

absl::Status AnswerVerify(const torqsched_session_options&, const v1::VerifyRequest& request,
                          v1::VerifyResponse* response) {
  if (request.has_allocate_request() || request.has_allocate_response()) {
    return AnswerVerifyAllocation(request, response);
  }
  const absl::StatusOr<Subject> subject = ReadSubject(request.stream(), request.hardware());
  if (!subject.ok()) return subject.status();
  const absl::StatusOr<ParsedClaim> claim = ClaimFromProto(request.schedule());
  if (!claim.ok()) return claim.status();
  VerificationToProto(Verify(subject->stream, subject->hardware, claim->claim), response);
  return absl::OkStatus();
}

}  // namespace
}  // namespace torqsched

extern "C" torqsched_code torqsched_verify(const torqsched_session* session, const void* request,
                                           size_t request_size, torqsched_buffer* out) {
  return torqsched::RunCall(session, request, request_size, out, &torqsched::AnswerVerify);
}
