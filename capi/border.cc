#include "capi/border.h"

#include <climits>
#include <cstdint>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "google/protobuf/stubs/logging.h"
#include "src/wire/error_wire.h"

namespace torqsched {

torqsched_code GiveError(const absl::Status& status, torqsched_buffer* out) noexcept {
  torqsched_buffer_free(out);
  try {
    if (!GiveMessage(ErrorFromStatus(status), out).ok()) torqsched_buffer_free(out);
  } catch (...) {
    torqsched_buffer_free(out);
  }
  return static_cast<torqsched_code>(status.raw_code());
}

torqsched_code GiveError(absl::StatusCode code, const char* message,
                         torqsched_buffer* out) noexcept {
  torqsched_buffer_free(out);
  try {
    return GiveError(absl::Status(code, message), out);
  } catch (...) {
    return static_cast<torqsched_code>(code);
  }
}

absl::Status GiveMessage(const google::protobuf::MessageLite& message, torqsched_buffer* out) {
  torqsched_buffer_free(out);
  const size_t size = message.ByteSizeLong();
  if (size > INT_MAX) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "the answer would be ", size, " bytes; a protobuf message has at most ", INT_MAX));
  }
  if (size == 0) return absl::OkStatus();
  void* const data = std::malloc(size);
  if (data == nullptr) {
    return absl::ResourceExhaustedError(
        absl::StrCat("out of memory for an answer of ", size, " bytes"));
  }
  *out = {data, size};  // owned from here on, whatever is thrown
  google::protobuf::io::ArrayOutputStream array(data, static_cast<int>(size));
  google::protobuf::io::CodedOutputStream coded(&array);
  coded.SetSerializationDeterministic(true);
  message.SerializeWithCachedSizes(&coded);
  coded.Trim();
  if (coded.HadError() || array.ByteCount() != static_cast<int64_t>(size)) {
    torqsched_buffer_free(out);
    return absl::InternalError("the answer was not written whole");
  }
  return absl::OkStatus();
}

absl::Status ReadMessage(const void* data, size_t size, google::protobuf::MessageLite* message) {
  if (data == nullptr && size != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "NULL with a size of ", size, " bytes; expected the bytes of ", message->GetTypeName()));
  }
  if (size > INT_MAX) {
    return absl::ResourceExhaustedError(
        absl::StrCat(size, " bytes; a protobuf message has at most ", INT_MAX));
  }
  if (!message->ParseFromArray(size == 0 ? "" : data, static_cast<int>(size))) {
    return absl::InvalidArgumentError(
        absl::StrCat(size, " bytes are not a serialized ", message->GetTypeName(),
                     ": cut short, damaged, of another type, or text that is not UTF-8"));
  }
  return absl::OkStatus();
}

void SilenceProtobuf() {
  static const bool silenced = [] {
    google::protobuf::SetLogHandler(nullptr);
    return true;
  }();
  static_cast<void>(silenced);
}

}  // namespace torqsched
