#include "tests/capi/hostile.h"

#include <iterator>

#include "google/protobuf/descriptor.h"
#include "gtest/gtest.h"

namespace torqsched {
namespace testing {

torqsched_code ExpectReadable(const Call& call, const std::string& request) {
  const Answer answer = Ask(call, request);
  switch (answer.code) {
    case TORQSCHED_OK:
      break;
    case TORQSCHED_INVALID_ARGUMENT:
    case TORQSCHED_NOT_FOUND:
    case TORQSCHED_FAILED_PRECONDITION:
    case TORQSCHED_UNIMPLEMENTED:
    case TORQSCHED_RESOURCE_EXHAUSTED: {
      // Of memory there is enough here: numbers are larger than can be handled.
      EXPECT_TRUE(answer.code != TORQSCHED_RESOURCE_EXHAUSTED || call.entry == kAllocate.entry);
      const auto error = Parse<v1::Error>(answer.bytes);
      EXPECT_EQ(static_cast<int>(error.code()), answer.code);
      EXPECT_FALSE(error.message().empty());
      break;
    }
    default:
      ADD_FAILURE() << call.name << ": " << torqsched_code_name(answer.code) << " "
                    << Parse<v1::Error>(answer.bytes).ShortDebugString();
  }
  return answer.code;
}

void FlipBytes(Random* random, std::string* bytes) {
  for (uint64_t flips = 1 + random->Below(4); flips > 0; --flips) {
    (*bytes)[random->Below(bytes->size())] = static_cast<char>(random->Next());
  }
}

void SetSomeEdge(Random* random, google::protobuf::Message* message) {
  using Field = google::protobuf::FieldDescriptor;
  for (;;) {
    const auto& reflection = *message->GetReflection();
    const auto& type = *message->GetDescriptor();
    const Field* const field =
        type.field(static_cast<int>(random->Below(static_cast<uint64_t>(type.field_count()))));
    const int size = field->is_repeated() ? reflection.FieldSize(*message, field) : 0;
    const int which = size == 0 ? 0 : static_cast<int>(random->Below(static_cast<uint64_t>(size)));
    const uint64_t edge = kEdges[random->Below(std::size(kEdges))];
    switch (field->cpp_type()) {
      case Field::CPPTYPE_MESSAGE:
        if (!field->is_repeated()) {
          message = reflection.MutableMessage(message, field);
        } else if (size > 0) {
          message = reflection.MutableRepeatedMessage(message, field, which);
        }
        continue;
      case Field::CPPTYPE_UINT64:
        if (!field->is_repeated()) return reflection.SetUInt64(message, field, edge);
        if (size > 0) return reflection.SetRepeatedUInt64(message, field, which, edge);
        return reflection.AddUInt64(message, field, edge);
      case Field::CPPTYPE_UINT32:
        if (!field->is_repeated()) {
          return reflection.SetUInt32(message, field, static_cast<uint32_t>(edge));
        }
        return reflection.AddUInt32(message, field, static_cast<uint32_t>(edge));
      case Field::CPPTYPE_ENUM:
        return reflection.SetEnumValue(message, field, static_cast<int>(edge));
      case Field::CPPTYPE_BOOL:
        return reflection.SetBool(message, field, edge % 2 == 0);
      default:
        return;
    }
  }
}

}  // namespace testing
}  // namespace torqsched
