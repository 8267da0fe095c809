// Files and their formats: text, JSON or binary, by the file's ending, by an option, or by a look
// at the bytes. "-" is standard input or standard output.
#ifndef TORQSCHED_TOOLS_FILES_H_
#define TORQSCHED_TOOLS_FILES_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "tools/failure.h"

namespace torqsched {
namespace tools {

enum class Format { kText, kJson, kBinary };

// "text", "json" or "binary".
std::optional<Format> FormatNamed(absl::string_view name);

// .txtpb .textproto .pbtxt: text; .json: JSON; .binpb .pb .bin: binary.
std::optional<Format> FormatOfFile(absl::string_view path);

// What bytes from nowhere in particular look like: JSON begins with a brace, binary has control
// characters. A guess: a binary message may look like text.
Format GuessFormat(absl::string_view bytes);

// How messages name a file.
std::string ShownPath(const std::string& path);

// The whole file. One that cannot be read is the input's fault.
Failure ReadFile(const std::string& path, std::string* bytes);

// Replaces the file.
Failure WriteFile(const std::string& path, absl::string_view bytes);

}  // namespace tools
}  // namespace torqsched

#endif  // TORQSCHED_TOOLS_FILES_H_
