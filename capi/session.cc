#include "capi/session.h"

#include <cstring>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "capi/border.h"

namespace torqsched {
namespace {

// Sizes of torqsched_session_options: that of version 0.1, and one no version will reach.
constexpr size_t kFirstOptionsSize = 56;
constexpr size_t kAbsurdOptionsSize = 4096;
constexpr uint32_t kMostWorkers = 1024;

thread_local const CallFrame* innermost = nullptr;

absl::Status CopyOptions(const torqsched_session_options& from, torqsched_session_options* to) {
  const size_t size = from.struct_size;
  if (size < kFirstOptionsSize || size > kAbsurdOptionsSize) {
    return absl::InvalidArgumentError(
        absl::StrCat("torqsched_session_options.struct_size: ", size, "; expected ", sizeof(*to),
                     ": initialise the options with TORQSCHED_SESSION_OPTIONS_INIT"));
  }
  // A newer header's members are fine as long as they say nothing.
  const auto* bytes = reinterpret_cast<const unsigned char*>(&from);
  for (size_t i = sizeof(*to); i < size; ++i) {
    if (bytes[i] == 0) continue;
    return absl::UnimplementedError(absl::StrCat("torqsched_session_options: a member at offset ",
                                                 i, " is set, which version ", TORQSCHED_VERSION,
                                                 " of the library does not have"));
  }
  *to = TORQSCHED_SESSION_OPTIONS_INIT;
  std::memcpy(to, &from, size < sizeof(*to) ? size : sizeof(*to));
  to->struct_size = sizeof(*to);
  if (to->worker_threads > kMostWorkers) {
    return absl::InvalidArgumentError(
        absl::StrCat("torqsched_session_options.worker_threads: ", to->worker_threads,
                     "; expected at most ", kMostWorkers));
  }
  if (to->reuse_arenas > 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "torqsched_session_options.reuse_arenas: ", to->reuse_arenas, "; expected 0 or 1"));
  }
  return absl::OkStatus();
}

// torqsched_session_new, with an out that is not NULL.
torqsched_code MakeSession(const torqsched_session_options* options, torqsched_session** session,
                           torqsched_buffer* out) {
  TORQSCHED_BORDER_BEGIN
  if (session == nullptr) {
    return GiveError(absl::InvalidArgumentError("session is NULL; expected where to put it"), out);
  }
  *session = nullptr;
  auto made = std::make_unique<torqsched_session>();
  made->options = TORQSCHED_SESSION_OPTIONS_INIT;
  if (options != nullptr) {
    const absl::Status status = CopyOptions(*options, &made->options);
    if (!status.ok()) return GiveError(status, out);
  }
  *session = made.release();
  return TORQSCHED_OK;
  TORQSCHED_BORDER_END(out)
}

}  // namespace

CallFrame::CallFrame(const torqsched_session* session) : session_(session), outer_(innermost) {
  innermost = this;
}

CallFrame::~CallFrame() { innermost = outer_; }

bool CallFrame::Inside(const torqsched_session* session) {
  if (session == nullptr) return false;
  for (const CallFrame* frame = innermost; frame != nullptr; frame = frame->outer_) {
    if (frame->session_ == session) return true;
  }
  return false;
}

}  // namespace torqsched

extern "C" torqsched_code torqsched_session_new(const torqsched_session_options* options,
                                                torqsched_session** session,
                                                torqsched_buffer* error) {
  torqsched_buffer out = {nullptr, 0};
  const torqsched_code code = torqsched::MakeSession(options, session, &out);
  if (error != nullptr) {
    *error = out;
  } else {
    torqsched_buffer_free(&out);
  }
  return code;
}

extern "C" void torqsched_session_free(torqsched_session* session) { delete session; }
