// The border between the C interface and the library: what goes in as bytes, what comes out as
// bytes, and that nothing else does.
//
// An entry point looks like this; everything that may throw stands between the two macros, and
// each exception becomes a code:
//
//   extern "C" torqsched_code torqsched_x(..., torqsched_buffer* out) {
//     TORQSCHED_BORDER_BEGIN
//     return ...;
//     TORQSCHED_BORDER_END(out)
//   }
//
// Source: the try/catch macro pair of ONNX Runtime's C interface.
#ifndef TORQSCHED_CAPI_BORDER_H_
#define TORQSCHED_CAPI_BORDER_H_

#include <cxxabi.h>

#include <cstddef>
#include <exception>
#include <new>
#include <stdexcept>

#include "absl/status/status.h"
#include "google/protobuf/message_lite.h"
#include "torqsched/torqsched.h"

namespace torqsched {

// Puts a serialized torqsched.v1.Error of this status, which is not OK, into *out, and returns its
// code. Throws nothing: where memory is short *out is empty.
torqsched_code GiveError(const absl::Status& status, torqsched_buffer* out) noexcept;
torqsched_code GiveError(absl::StatusCode code, const char* message,
                         torqsched_buffer* out) noexcept;

// Puts the serialized message into *out: fields in order of number, map entries sorted.
// RESOURCE_EXHAUSTED where it is larger than protobuf's 2^31 - 1 bytes or malloc fails.
absl::Status GiveMessage(const google::protobuf::MessageLite& message, torqsched_buffer* out);

// Reads a message. INVALID_ARGUMENT where the bytes are no message of this type, RESOURCE_EXHAUSTED
// where there are more than 2^31 - 1.
absl::Status ReadMessage(const void* data, size_t size, google::protobuf::MessageLite* message);

// Turns protobuf's own log lines off, once. Its handler is global to the copy of protobuf that is
// linked with this code; in libtorqsched.a that copy is private, and the host's own is untouched.
void SilenceProtobuf();

}  // namespace torqsched

#define TORQSCHED_BORDER_BEGIN try {
// A thread that is cancelled or exits inside a callback unwinds through here; that must go on, or
// the C library aborts.
#define TORQSCHED_BORDER_END(out)                                                                \
  }                                                                                              \
  catch (const abi::__forced_unwind&) {                                                          \
    torqsched_buffer_free(out);                                                                  \
    throw;                                                                                       \
  }                                                                                              \
  catch (const std::bad_alloc&) {                                                                \
    return ::torqsched::GiveError(::absl::StatusCode::kResourceExhausted, "out of memory", out); \
  }                                                                                              \
  catch (const std::length_error&) {                                                             \
    return ::torqsched::GiveError(::absl::StatusCode::kResourceExhausted,                        \
                                  "a list would be longer than memory can be", out);             \
  }                                                                                              \
  catch (const std::exception& e) {                                                              \
    return ::torqsched::GiveError(::absl::StatusCode::kInternal, e.what(), out);                 \
  }                                                                                              \
  catch (...) {                                                                                  \
    return ::torqsched::GiveError(::absl::StatusCode::kInternal, "an unknown exception", out);   \
  }

#endif  // TORQSCHED_CAPI_BORDER_H_
