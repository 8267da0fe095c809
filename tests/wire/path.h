// Whether an error's field is one that the caller can find in the request.
#ifndef TORQSCHED_TESTS_WIRE_PATH_H_
#define TORQSCHED_TESTS_WIRE_PATH_H_

#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/descriptor.h"
#include "gtest/gtest.h"

namespace torqsched {

// Passes where a path such as "loops[3].shape.k" leads to a field of the message, by names of the
// schema.
template <typename Message>
testing::AssertionResult LeadsToAField(const std::string& path) {
  const google::protobuf::Descriptor* type = Message::descriptor();
  for (const absl::string_view step : absl::StrSplit(path, '.')) {
    const std::string name(step.substr(0, step.find('[')));
    if (type == nullptr) return testing::AssertionFailure() << path << ": nothing has " << name;
    const google::protobuf::FieldDescriptor* const field = type->FindFieldByName(name);
    if (field == nullptr) {
      return testing::AssertionFailure()
             << path << ": no " << name << " in " << std::string(type->full_name());
    }
    if (name.size() < step.size() && !field->is_repeated()) {
      return testing::AssertionFailure() << path << ": " << name << " is no list";
    }
    type = field->message_type();  // null: a number or a text
  }
  return testing::AssertionSuccess();
}

}  // namespace torqsched

#endif  // TORQSCHED_TESTS_WIRE_PATH_H_
