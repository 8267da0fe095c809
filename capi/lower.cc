// torqsched_lower.
#include "src/lowering/lower.h"

#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "capi/call.h"
#include "capi/callbacks.h"
#include "src/lowering/check_lowering.h"
#include "src/lowering/lowering.h"
#include "src/schedule/schedule_stream.h"
#include "src/stream/error.h"
#include "src/tuning/tune_budgets.h"
#include "src/wire/lower_wire.h"
#include "torqsched/torqsched.h"
#include "torqsched/v1/lower.pb.h"

namespace torqsched {
namespace {

// The status of a lowering that a session's memory limit gave fewer programs than its options: too
// many programs are then the limit's fault.
absl::Status OfLimit(const absl::Status& status, uint64_t most_programs, uint64_t memory_limit) {
  if (PlaceOf(status).field != kMostProgramsField) return status;
  return absl::ResourceExhaustedError(absl::StrCat("the session's memory limit is ", memory_limit,
                                                   " bytes, enough for ", most_programs, " tiles; ",
                                                   status.message()));
}

absl::Status Lower(const torqsched_session_options& session, const ParsedLowering& parsed,
                   LoweringOptions options, v1::LowerResponse* response) {
  if (parsed.tuning.has_value()) {
    TuningOptions tuning = *parsed.tuning;
    tuning.lowering = options;
    CallEnvironment environment;
    environment.progress = MakeProgress(session);
    const absl::StatusOr<TunedBudgets> tuned =
        TuneBudgets(parsed.network, parsed.hardware, parsed.numbers, tuning, environment);
    if (!tuned.ok()) return tuned.status();
    options = tuned->best.lowering;
    TunedToProto(*tuned, response->mutable_tuning());
  }
  const absl::StatusOr<LoweredNetwork> lowered =
      LowerNetwork(parsed.network, parsed.hardware, parsed.numbers, options);
  if (!lowered.ok()) return lowered.status();
  if (absl::Status status = CheckLowering(parsed.network, *lowered); !status.ok()) return status;
  LoweredToProto(*lowered, response);
  return absl::OkStatus();
}

absl::Status AnswerLower(const torqsched_session_options& session, const v1::LowerRequest& request,
                         v1::LowerResponse* response) {
  absl::StatusOr<ParsedLowering> parsed = LoweringFromProto(request);
  if (!parsed.ok()) return parsed.status();
  if (parsed->tuning.has_value()) {
    // The request's own options are at fault, before any trial is.
    const absl::Status status = CheckOptions(parsed->tuning->schedule, /*has_host_oracle=*/false);
    if (!status.ok()) return InTuning(status);
  }
  LoweringOptions options = parsed->options;
  options.most_programs = MostPrograms(request, options.most_programs, session.memory_limit_bytes);
  const absl::Status status = Lower(session, *parsed, options, response);
  if (options.most_programs == parsed->options.most_programs) return status;
  return OfLimit(status, options.most_programs, session.memory_limit_bytes);
}

}  // namespace
}  // namespace torqsched

extern "C" torqsched_code torqsched_lower(const torqsched_session* session, const void* request,
                                          size_t request_size, torqsched_buffer* out) {
  return torqsched::RunCall(session, request, request_size, out, &torqsched::AnswerLower);
}
