// torqsched_allocate.
#include "src/allocation/allocate.h"

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "capi/call.h"
#include "capi/callbacks.h"
#include "src/lram/allocation_banks.h"
#include "src/wire/allocate_wire.h"
#include "torqsched/torqsched.h"
#include "torqsched/v1/allocate.pb.h"

namespace torqsched {
namespace {

absl::Status Cancelled() {
  return absl::CancelledError("cancelled by the progress callback before there was a placement");
}

// Whether there is something to keep of a call that was cancelled.
bool HasAnswer(const AllocationAnswer& answer) {
  return answer.verdict != AllocationVerdict::kUndecided || !answer.offsets.empty();
}

absl::Status AnswerAllocate(const torqsched_session_options& session,
                            const v1::AllocateRequest& request, v1::AllocateResponse* response) {
  BankReads reads;
  const absl::StatusOr<ParsedAllocation> parsed =
      AllocationFromProto(request, LramProblemAndReads(&reads));
  if (!parsed.ok()) return parsed.status();
  const ProgressFunction progress = MakeProgress(session);
  StopFunction stop;
  if (progress != nullptr) {
    if (progress(0, std::nullopt)) return Cancelled();
    stop = [&progress] { return progress(0, std::nullopt); };
  }
  absl::StatusOr<AllocationAnswer> answer = Allocate(parsed->problem, parsed->options, stop);
  if (!answer.ok()) return answer.status();
  if (answer->cancelled && !HasAnswer(*answer)) return Cancelled();
  PreferBanks(parsed->problem, parsed->options, reads, &*answer);
  if (progress != nullptr && !answer->cancelled) progress(1000, std::nullopt);
  AllocationAnswerToProto(*answer, response);
  return absl::OkStatus();
}

}  // namespace
}  // namespace torqsched

extern "C" torqsched_code torqsched_allocate(const torqsched_session* session, const void* request,
                                             size_t request_size, torqsched_buffer* out) {
  return torqsched::RunCall(session, request, request_size, out, &torqsched::AnswerAllocate);
}
