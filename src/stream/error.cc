#include "src/stream/error.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/cord.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"

namespace torqsched {
namespace {

constexpr size_t kLongestName = 120;  // of a name in a message, bytes
constexpr char kField[] = "torqsched/field";
constexpr char kOp[] = "torqsched/op";
constexpr char kBuffer[] = "torqsched/buffer";

template <typename Id>
Id ReadIndex(const absl::Status& status, absl::string_view key) {
  const absl::optional<absl::Cord> payload = status.GetPayload(key);
  uint32_t value;
  if (!payload || !absl::SimpleAtoi(std::string(*payload), &value)) return Id();
  return Id(value);
}

}  // namespace

std::string DescribeItem(absl::string_view kind, uint32_t index, absl::string_view name) {
  if (name.empty()) return absl::StrCat(kind, " ", index);
  // Never cut inside a UTF-8 letter: bytes 10xxxxxx continue one.
  size_t length = std::min(name.size(), kLongestName);
  while (length > 0 && length < name.size() && (name[length] & 0xc0) == 0x80) --length;
  const absl::string_view shown = name.substr(0, length);
  return absl::StrCat(kind, " ", index, " '", absl::Utf8SafeCEscape(shown),
                      shown.size() < name.size() ? "..." : "", "'");
}

absl::Status ErrorAt(absl::StatusCode code, absl::string_view message, const ErrorPlace& place) {
  absl::Status status(code, message);
  if (!place.field.empty()) status.SetPayload(kField, absl::Cord(place.field));
  if (place.op.present()) status.SetPayload(kOp, absl::Cord(absl::StrCat(place.op.value())));
  if (place.buffer.present()) {
    status.SetPayload(kBuffer, absl::Cord(absl::StrCat(place.buffer.value())));
  }
  return status;
}

absl::Status FieldError(absl::string_view field, absl::string_view message) {
  return ErrorAt(absl::StatusCode::kInvalidArgument, absl::StrCat(field, ": ", message),
                 {std::string(field), OpIndex(), BufferIndex()});
}

absl::Status Within(const absl::Status& status, absl::string_view what, absl::string_view prefix) {
  ErrorPlace place = PlaceOf(status);
  place.field.insert(0, prefix.data(), prefix.size());
  return ErrorAt(status.code(), absl::StrCat(what, ", ", status.message()), place);
}

absl::Status WithFieldPrefix(const absl::Status& status, absl::string_view prefix) {
  ErrorPlace place = PlaceOf(status);
  if (status.ok() || place.field.empty()) return status;
  place.field.insert(0, prefix.data(), prefix.size());
  return ErrorAt(status.code(), status.message(), place);
}

ErrorPlace PlaceOf(const absl::Status& status) {
  ErrorPlace place;
  if (const absl::optional<absl::Cord> field = status.GetPayload(kField)) {
    place.field = std::string(*field);
  }
  place.op = ReadIndex<OpIndex>(status, kOp);
  place.buffer = ReadIndex<BufferIndex>(status, kBuffer);
  return place;
}

}  // namespace torqsched
