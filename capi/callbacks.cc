#include "capi/callbacks.h"

#include <algorithm>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "capi/border.h"
#include "src/stream/error.h"
#include "torqsched/v1/oracle.pb.h"

namespace torqsched {
namespace {

constexpr char kOracleResponse[] = "oracle_response";

// A buffer that the host fills: freed here, however the callback ends.
struct HostBuffer {
  torqsched_buffer bytes = {nullptr, 0};
  ~HostBuffer() { torqsched_buffer_free(&bytes); }
};

// What the host answered is wrong: not the request's fault, so not INVALID_ARGUMENT.
absl::Status OracleResponseError(const absl::Status& status) {
  if (status.code() != absl::StatusCode::kInvalidArgument) return status;
  ErrorPlace place = PlaceOf(status);
  if (place.field.empty()) place.field = kOracleResponse;
  return ErrorAt(absl::StatusCode::kInternal,
                 absl::StrCat("the host's oracle answered badly: ", status.message()), place);
}

absl::StatusOr<Placement> AskHost(const torqsched_session_options& options, const Stream& stream,
                                  OracleRequestWriter* requests, const Schedule& candidate,
                                  bool swaps_allowed) {
  const absl::StatusOr<absl::string_view> request = requests->Write(candidate, swaps_allowed);
  if (!request.ok()) return request.status();
  HostBuffer answer;
  const int result = options.oracle(options.user, request->data(), request->size(), &answer.bytes);
  if (result != 0) {
    return absl::AbortedError(absl::StrCat("the host's oracle returned ", result,
                                           " instead of 0: the call was given up"));
  }
  v1::OracleResponse response;
  const absl::Status read = ReadMessage(answer.bytes.data, answer.bytes.size, &response);
  if (!read.ok()) return OracleResponseError(read);
  absl::StatusOr<Placement> placement =
      PlacementFromOracleResponse(response, stream, swaps_allowed);
  if (!placement.ok()) return OracleResponseError(placement.status());
  return placement;
}

// Tells the host how far the call is, and remembers that it cancelled: it is not asked again.
class Progress {
 public:
  explicit Progress(const torqsched_session_options& options) : options_(&options) {}

  bool operator()(uint32_t permille, std::optional<uint64_t> best_makespan) {
    if (cancelled_) return true;
    permille_ = std::max(permille_, std::min(permille, uint32_t{1000}));
    torqsched_progress progress = {};
    progress.struct_size = sizeof(progress);
    progress.fraction = permille_ / 1000.0;
    progress.has_best = best_makespan.has_value() ? 1 : 0;
    progress.best_makespan = best_makespan.value_or(0);
    cancelled_ = options_->progress(options_->user, &progress) != 0;
    return cancelled_;
  }

 private:
  const torqsched_session_options* options_;
  uint32_t permille_ = 0;
  bool cancelled_ = false;
};

}  // namespace

ProgressFunction MakeProgress(const torqsched_session_options& options) {
  if (options.progress == nullptr) return nullptr;
  return Progress(options);
}

CallEnvironment MakeEnvironment(const torqsched_session_options& options, const Stream& stream,
                                OracleRequestWriter* oracle_requests) {
  CallEnvironment environment;
  if (options.oracle != nullptr) {
    environment.host_oracle = [&options, &stream, oracle_requests](const Schedule& candidate,
                                                                   bool swaps_allowed) {
      return AskHost(options, stream, oracle_requests, candidate, swaps_allowed);
    };
  }
  environment.progress = MakeProgress(options);
  if (options.log != nullptr) {
    environment.log = [&options](absl::string_view message) {
      options.log(options.user, TORQSCHED_LOG_INFO, std::string(message).c_str());
    };
  }
  // 0, the library's choice, is one: to count processors is to read a file of the host's.
  environment.worker_threads = std::max(uint32_t{1}, options.worker_threads);
  return environment;
}

}  // namespace torqsched
