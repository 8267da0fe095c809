// Protobuf messages as text, JSON and bytes.
//
// Text is laid out for reading: a message that fits a line of 100 columns stands on one, so that an
// op or a buffer is a line. It begins with the two header lines that editors look for, and the
// second of them says which message a text file holds.
#ifndef TORQSCHED_TOOLS_MESSAGES_H_
#define TORQSCHED_TOOLS_MESSAGES_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/message.h"
#include "tools/files.h"

namespace torqsched {
namespace tools {

// The default instance of a message of torqsched.v1, with or without its package's name; null where
// there is none.
const google::protobuf::Message* MessageNamed(absl::string_view name);

// The names that MessageNamed knows, for messages to people.
std::string KnownMessages();

// What the header line "# proto-message: NAME" of a text says; empty where there is none.
std::string DeclaredMessage(absl::string_view text);

// Fills an empty message. The error's text begins with "LINE:COLUMN: " where the place is known.
absl::Status ParseMessage(absl::string_view bytes, Format format,
                          google::protobuf::Message* message);

// The same message gives the same bytes.
absl::StatusOr<std::string> PrintMessage(const google::protobuf::Message& message, Format format);

}  // namespace tools
}  // namespace torqsched

#endif  // TORQSCHED_TOOLS_MESSAGES_H_
