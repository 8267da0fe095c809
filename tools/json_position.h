// Where in a JSON text something lies. Protobuf's JSON reader names the path of what it dislikes,
// or shows a few characters around it; people want a line and a column.
//
// Used after that reader has failed, so the text is read a second time only then. Linear.
#ifndef TORQSCHED_TOOLS_JSON_POSITION_H_
#define TORQSCHED_TOOLS_JSON_POSITION_H_

#include <cstddef>

#include "absl/strings/string_view.h"

namespace torqsched {
namespace tools {

// Counted from 1, columns in bytes; line 0: not known.
struct TextPosition {
  size_t line = 0;
  size_t column = 0;
};

TextPosition PositionOf(absl::string_view text, size_t offset);

// The key or element at a path such as "stream.ops[1].cycles".
TextPosition FindJsonPath(absl::string_view text, absl::string_view path);

// The first character that no JSON text could have there.
TextPosition FindJsonSyntaxError(absl::string_view text);

}  // namespace tools
}  // namespace torqsched

#endif  // TORQSCHED_TOOLS_JSON_POSITION_H_
