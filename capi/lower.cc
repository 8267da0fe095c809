// torqsched_lower.
#include "src/lowering/lower.h"

#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "capi/call.h"
#include "capi/callbacks.h"
#include "src/lowering/check_lowering.h"
#include "src/tuning/tune_budgets.h"
#include "src/wire/lower_wire.h"
#include "torqsched/torqsched.h"
#include "torqsched/v1/lower.pb.h"

namespace torqsched {
namespace {

void TunedToProto(const TunedBudgets& tuned, v1::BudgetTuningResult* message) {
  if (tuned.first.makespan.has_value()) message->set_default_makespan(*tuned.first.makespan);
  if (tuned.best.makespan.has_value()) message->set_makespan(*tuned.best.makespan);
  message->set_trials(tuned.trials);
  message->set_groups(tuned.groups);
  message->set_limit_reached(tuned.limit_reached);
  message->set_cancelled(tuned.cancelled);
  LoweringOptionsToProto(tuned.best.lowering, message->mutable_options());
}

absl::Status AnswerLower(const torqsched_session_options& session, const v1::LowerRequest& request,
                         v1::LowerResponse* response) {
  absl::StatusOr<ParsedLowering> parsed = LoweringFromProto(request);
  if (!parsed.ok()) return parsed.status();
  LoweringOptions options = parsed->options;
  options.most_programs = MostPrograms(options.most_programs, session.memory_limit_bytes);
  if (parsed->tuning.has_value()) {
    TuningOptions tuning;
    tuning.lowering = options;
    tuning.schedule = parsed->tuning->schedule;
    if (parsed->tuning->most_trials.has_value()) tuning.most_trials = *parsed->tuning->most_trials;
    if (parsed->tuning->most_ops.has_value()) tuning.most_ops = *parsed->tuning->most_ops;
    CallEnvironment environment;
    environment.progress = MakeProgress(session);
    const absl::StatusOr<TunedBudgets> tuned =
        TuneBudgets(parsed->network, parsed->hardware, parsed->numbers, tuning, environment);
    if (!tuned.ok()) return tuned.status();
    options = tuned->best.lowering;
    TunedToProto(*tuned, response->mutable_tuning());
  }
  const absl::StatusOr<LoweredNetwork> lowered =
      LowerNetwork(parsed->network, parsed->hardware, parsed->numbers, options);
  if (!lowered.ok()) return lowered.status();
  if (absl::Status status = CheckLowering(parsed->network, *lowered); !status.ok()) return status;
  LoweredToProto(*lowered, response);
  return absl::OkStatus();
}

}  // namespace
}  // namespace torqsched

extern "C" torqsched_code torqsched_lower(const torqsched_session* session, const void* request,
                                          size_t request_size, torqsched_buffer* out) {
  return torqsched::RunCall(session, request, request_size, out, &torqsched::AnswerLower);
}
