// Errors that name their place. Inside, an error is an absl::Status whose message reads
// "op 12 'load w3': ..."; the op, the buffer and the request's field travel with it as payloads, so
// that the border can put them in torqsched.v1.Error as numbers.
#ifndef TORQSCHED_SRC_STREAM_ERROR_H_
#define TORQSCHED_SRC_STREAM_ERROR_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "src/stream/index.h"

namespace torqsched {

// "op 12 'load w3'", and "op 12" where it has no name. Long names are cut, and bytes that would not
// print are escaped.
std::string DescribeItem(absl::string_view kind, uint32_t index, absl::string_view name);

// Where in the request an error lies. What does not apply is absent or empty.
struct ErrorPlace {
  std::string field;   // path in the request, such as "stream.ops[12].accesses[1].size"
  OpIndex op;          // position in stream.ops
  BufferIndex buffer;  // position in stream.buffers
};

// A status of this code; message must already read well by itself.
absl::Status ErrorAt(absl::StatusCode code, absl::string_view message, const ErrorPlace& place);

// INVALID_ARGUMENT about one field of the request: "field: message".
absl::Status FieldError(absl::string_view field, absl::string_view message);

// The same status about a part of the request, such as one of its streams: what, "stream 1 's'",
// stands before the message, and the field's path begins with prefix.
absl::Status Within(const absl::Status& status, absl::string_view what, absl::string_view prefix);

// The same status about a request that is a part of another: its field's path begins with prefix.
absl::Status WithFieldPrefix(const absl::Status& status, absl::string_view prefix);

// The place that ErrorAt attached; all absent if it attached none.
ErrorPlace PlaceOf(const absl::Status& status);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_STREAM_ERROR_H_
