#include "src/wire/error_wire.h"

#include "src/stream/error.h"
#include "src/wire/utf8.h"

namespace torqsched {

// The schema's codes are absl's, number by number.
static_assert(v1::CODE_CANCELLED == static_cast<int>(absl::StatusCode::kCancelled));
static_assert(v1::CODE_UNKNOWN == static_cast<int>(absl::StatusCode::kUnknown));
static_assert(v1::CODE_INVALID_ARGUMENT == static_cast<int>(absl::StatusCode::kInvalidArgument));
static_assert(v1::CODE_DEADLINE_EXCEEDED == static_cast<int>(absl::StatusCode::kDeadlineExceeded));
static_assert(v1::CODE_NOT_FOUND == static_cast<int>(absl::StatusCode::kNotFound));
static_assert(v1::CODE_RESOURCE_EXHAUSTED ==
              static_cast<int>(absl::StatusCode::kResourceExhausted));
static_assert(v1::CODE_FAILED_PRECONDITION ==
              static_cast<int>(absl::StatusCode::kFailedPrecondition));
static_assert(v1::CODE_INTERNAL == static_cast<int>(absl::StatusCode::kInternal));
static_assert(v1::CODE_UNAUTHENTICATED == static_cast<int>(absl::StatusCode::kUnauthenticated));

v1::Error ErrorFromStatus(const absl::Status& status) {
  const ErrorPlace place = PlaceOf(status);
  v1::Error error;
  error.set_code(static_cast<v1::Code>(status.code()));
  error.set_message(ValidUtf8(status.message()));
  error.set_field(place.field);
  if (place.op.present()) error.set_op(place.op.value());
  if (place.buffer.present()) error.set_buffer(place.buffer.value());
  return error;
}

}  // namespace torqsched
