#include "src/stream/error.h"

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"

namespace torqsched {
namespace {

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

absl::Status ErrorAt(absl::StatusCode code, absl::string_view message, const ErrorPlace& place) {
  absl::Status status(code, message);
  if (!place.field.empty()) status.SetPayload(kField, absl::Cord(place.field));
  if (place.op.present()) status.SetPayload(kOp, absl::Cord(absl::StrCat(place.op.value())));
  if (place.buffer.present()) {
    status.SetPayload(kBuffer, absl::Cord(absl::StrCat(place.buffer.value())));
  }
  return status;
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
