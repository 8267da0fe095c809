// Text made fit for a proto3 string, which holds UTF-8 only: a reader refuses a whole message for
// one other byte. Messages quote names and may cut them anywhere.
#ifndef TORQSCHED_SRC_WIRE_UTF8_H_
#define TORQSCHED_SRC_WIRE_UTF8_H_

#include <string>

#include "absl/strings/string_view.h"

namespace torqsched {

// The text, with '?' for each byte that is part of no well-formed UTF-8 sequence.
std::string ValidUtf8(absl::string_view text);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_WIRE_UTF8_H_
