#include "src/wire/oracle_wire.h"

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "src/stream/checked.h"
#include "src/stream/error.h"
#include "src/wire/hardware_wire.h"
#include "src/wire/order_wire.h"
#include "src/wire/placement_wire.h"

namespace torqsched {
namespace {

constexpr size_t kLargestMessage = 0x7fffffff;  // bytes that protobuf can read
constexpr size_t kMostHeadRest = 256;           // bytes of the chip, a tag and a length

absl::Status TooLarge() {
  return absl::ResourceExhaustedError(
      "the host oracle's request would be larger than the 2 GiB that a message may have");
}

absl::Status ResponseError(absl::string_view field, absl::string_view message) {
  const std::string path = absl::StrCat("oracle_response.", field);
  return ErrorAt(absl::StatusCode::kInvalidArgument, absl::StrCat(path, ": ", message),
                 {path, OpIndex(), BufferIndex()});
}

// The placement, where there is one, must not contradict the answer that it is part of.
absl::Status CheckPlacement(const v1::OracleResponse& message) {
  if (!message.has_placement()) return absl::OkStatus();
  if (message.placement().placed() != message.placed()) {
    return ResponseError("placement.placed", message.placed()
                                                 ? "false; expected true as in the answer itself"
                                                 : "true; expected false as in the answer itself");
  }
  if (message.placed() && message.placement().swaps() != message.swaps()) {
    return ResponseError("placement.swaps",
                         absl::StrCat(message.placement().swaps(), "; expected ", message.swaps(),
                                      " as in the answer itself"));
  }
  return absl::OkStatus();
}

absl::Status CheckPlaced(const v1::OracleResponse& message, bool swaps_allowed) {
  if (!message.has_makespan()) {
    return ResponseError("makespan", "not set; expected one for an order that is placed");
  }
  if (!swaps_allowed && message.swaps() != 0) {
    return ResponseError("swaps", absl::StrCat(message.swaps(),
                                               " evictions; expected none, or an order "
                                               "that is not placed: swaps are forbidden"));
  }
  return absl::OkStatus();
}

}  // namespace

OracleRequestWriter::OracleRequestWriter(const v1::Stream& message, const Stream& stream,
                                         const Hardware& hardware)
    : message_(message), stream_(stream), hardware_(hardware) {}

absl::Status OracleRequestWriter::WriteHead() {
  v1::OracleRequest chip;
  HardwareToProto(hardware_, chip.mutable_hardware());
  const size_t stream_size = message_.ByteSizeLong();
  if (stream_size > kLargestMessage) return TooLarge();

  // Field by field: a request that holds the stream would need a copy of it.
  constexpr uint32_t kLengthDelimited = 2;
  bytes_.clear();
  bytes_.reserve(stream_size + kMostHeadRest);
  {
    google::protobuf::io::StringOutputStream string(&bytes_);
    google::protobuf::io::CodedOutputStream out(&string);
    out.WriteTag(v1::OracleRequest::kStreamFieldNumber << 3 | kLengthDelimited);
    out.WriteVarint32(static_cast<uint32_t>(stream_size));
    message_.SerializeWithCachedSizes(&out);
  }  // now bytes_ has its true length
  chip.AppendToString(&bytes_);
  head_size_ = bytes_.size();
  return absl::OkStatus();
}

absl::StatusOr<absl::string_view> OracleRequestWriter::Write(const Schedule& candidate,
                                                             bool swaps_allowed) {
  if (head_size_ == 0) {
    if (absl::Status status = WriteHead(); !status.ok()) return status;
  }
  bytes_.resize(head_size_);
  v1::OracleRequest rest;
  ScheduleToProto(stream_, candidate, rest.mutable_order(), rest.mutable_starts(),
                  rest.mutable_slices());
  rest.set_swaps_allowed(swaps_allowed);
  if (!SumFits(bytes_.size(), rest.ByteSizeLong(), kLargestMessage)) return TooLarge();
  rest.AppendToString(&bytes_);
  return absl::string_view(bytes_);
}

absl::StatusOr<Placement> PlacementFromOracleResponse(const v1::OracleResponse& message,
                                                      const Stream& stream, bool swaps_allowed) {
  Placement placement;
  placement.has_detail = false;
  absl::Status status = CheckPlacement(message);
  if (status.ok() && message.placed()) status = CheckPlaced(message, swaps_allowed);
  if (!status.ok()) return status;
  if (message.has_placement()) {
    placement = PlacementFromProto(message.placement());
    status = CheckPlacementIndices(placement, stream, "oracle_response.placement");
    if (!status.ok()) return status;
  }
  placement.placed = message.placed();
  if (placement.placed) {
    placement.swaps = message.swaps();
    placement.makespan = message.makespan();
  } else if (placement.failure.reason == FailureReason::kNone) {
    placement.failure.reason = FailureReason::kHost;
  }
  return placement;
}

}  // namespace torqsched
