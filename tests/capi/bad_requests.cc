#include "tests/capi/bad_requests.h"

#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "google/protobuf/descriptor.h"

namespace torqsched {
namespace testing {

bool HasPlace(const google::protobuf::Message& request, absl::string_view path) {
  const google::protobuf::Message* message = &request;
  for (const absl::string_view step : absl::StrSplit(path, '.')) {
    if (message == nullptr) return false;
    const std::vector<std::string> parts = absl::StrSplit(step, absl::ByAnyChar("[]"));
    const auto* const field = message->GetDescriptor()->FindFieldByName(parts[0]);
    if (field == nullptr) return false;
    const bool is_message = field->cpp_type() == google::protobuf::FieldDescriptor::CPPTYPE_MESSAGE;
    const google::protobuf::Reflection& reflection = *message->GetReflection();
    const google::protobuf::Message& holder = *message;
    message = nullptr;
    if (parts.size() == 1) {
      if (is_message && !field->is_repeated()) message = &reflection.GetMessage(holder, field);
      continue;
    }
    int index = 0;
    if (!field->is_repeated() || !absl::SimpleAtoi(parts[1], &index) ||
        index >= reflection.FieldSize(holder, field)) {
      return false;
    }
    if (is_message) message = &reflection.GetRepeatedMessage(holder, field, index);
  }
  return true;
}

void PrintTo(const Bad& bad, std::ostream* out) { *out << bad.scene; }

void ExpectRefused(const Call& call, const Bad& bad, const google::protobuf::Message& request) {
  const Answer answer = Ask(call, request);
  EXPECT_EQ(answer.code, TORQSCHED_INVALID_ARGUMENT);
  const auto error = Parse<v1::Error>(answer.bytes);
  EXPECT_EQ(static_cast<int>(error.code()), answer.code);
  EXPECT_EQ(error.field(), bad.field);
  EXPECT_EQ(error.message(), bad.message);
  EXPECT_TRUE(HasPlace(request, error.field())) << error.field();
}

void ExpectNoMessage(const Call& call, absl::string_view type, const std::string& bytes) {
  const Answer answer = Ask(call, bytes);
  EXPECT_EQ(answer.code, TORQSCHED_INVALID_ARGUMENT);
  EXPECT_EQ(Parse<v1::Error>(answer.bytes).message(),
            absl::StrCat(bytes.size(), " bytes are not a serialized ", type,
                         ": cut short, damaged, of another type, or text that is not UTF-8"));
}

SessionPtr MakeSession(const torqsched_session_options& options) {
  torqsched_session* session = nullptr;
  EXPECT_EQ(torqsched_session_new(&options, &session, nullptr), TORQSCHED_OK);
  return SessionPtr(session);
}

SessionPtr Limited(uint64_t bytes) {
  torqsched_session_options options = TORQSCHED_SESSION_OPTIONS_INIT;
  options.memory_limit_bytes = bytes;
  return MakeSession(options);
}

void ExpectLimitAt(const Call& call, const google::protobuf::Message& request,
                   uint64_t beside_bytes) {
  const uint64_t estimate = 4 * request.ByteSizeLong() + beside_bytes;
  EXPECT_EQ(Ask(call, request, Limited(estimate).get()).code, TORQSCHED_OK);
  const Answer answer = Ask(call, request, Limited(estimate - 1).get());
  EXPECT_EQ(answer.code, TORQSCHED_RESOURCE_EXHAUSTED);
  EXPECT_EQ(Parse<v1::Error>(answer.bytes).message(),
            absl::StrCat("the session's memory limit is ", estimate - 1,
                         " bytes; this request is estimated to take ", estimate));
}

}  // namespace testing
}  // namespace torqsched
