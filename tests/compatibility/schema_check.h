// Whether a schema still understands what was written with an earlier one, and gives it the same
// names: buf's rule FILE as far as messages, fields and enums go, without buf.
#ifndef TORQSCHED_TESTS_COMPATIBILITY_SCHEMA_CHECK_H_
#define TORQSCHED_TESTS_COMPATIBILITY_SCHEMA_CHECK_H_

#include <string>
#include <vector>

#include "google/protobuf/descriptor.h"
#include "google/protobuf/descriptor.pb.h"

namespace torqsched {
namespace compatibility {

// What of `before` is gone or means something else in `now`, a line each: messages, fields (number,
// name, JSON name, type, repeated or presence), enums and their values. Additions are no break.
std::vector<std::string> BreakingChanges(const google::protobuf::FileDescriptorSet& before,
                                         const google::protobuf::DescriptorPool& now);

}  // namespace compatibility
}  // namespace torqsched

#endif  // TORQSCHED_TESTS_COMPATIBILITY_SCHEMA_CHECK_H_
