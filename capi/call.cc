#include "capi/call.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "src/stream/checked.h"
#include "src/stream/error.h"
#include "src/wire/hardware_wire.h"
#include "src/wire/stream_wire.h"

namespace torqsched {
namespace {

// Bytes that a call takes for each of these. tests/capi/allocation_test.cc holds them
// against measurements, torqsched.h tells them.
constexpr uint64_t kPerRequestByte = 4;
constexpr uint64_t kPerOp = 512;
constexpr uint64_t kPerOpInDetail = 1024;  // with steps or a timeline
constexpr uint64_t kPerBuffer = 320;
constexpr uint64_t kPerOperand = 96;
constexpr uint64_t kPerAccess = 512;

constexpr torqsched_session_options kDefaults = TORQSCHED_SESSION_OPTIONS_INIT;

}  // namespace

const torqsched_session_options& OptionsOf(const torqsched_session* session) {
  return session == nullptr ? kDefaults : session->options;
}

absl::Status ReadRequest(const void* data, size_t size, uint64_t memory_limit,
                         google::protobuf::MessageLite* request) {
  const ParseBudget budget(memory_limit);
  try {
    return ReadMessage(data, size, request);
  } catch (const std::bad_alloc&) {
    if (!budget.exceeded()) throw;
  }
  return absl::ResourceExhaustedError(
      absl::StrCat("the session's memory limit is ", memory_limit,
                   " bytes; the request alone takes more once it is parsed"));
}

absl::Status CheckMemory(const v1::Stream& stream, bool in_detail, size_t request_size,
                         uint64_t memory_limit) {
  if (memory_limit == 0) return absl::OkStatus();
  // Counts are below 2^31 and request_size as well: nothing here overflows.
  uint64_t operands = 0;
  uint64_t accesses = 0;
  for (const v1::Op& op : stream.ops()) {
    operands += static_cast<uint64_t>(op.operands_size());
    accesses += static_cast<uint64_t>(op.accesses_size());
  }
  const uint64_t estimate =
      kPerRequestByte * request_size +
      (in_detail ? kPerOpInDetail : kPerOp) * static_cast<uint64_t>(stream.ops_size()) +
      kPerBuffer * static_cast<uint64_t>(stream.buffers_size()) + kPerOperand * operands +
      kPerAccess * accesses;
  if (estimate <= memory_limit) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat("the session's memory limit is ", memory_limit,
                                                   " bytes; this request is estimated to take ",
                                                   estimate));
}

absl::Status CheckNotInside(const torqsched_session* session) {
  if (!CallFrame::Inside(session)) return absl::OkStatus();
  return absl::FailedPreconditionError(
      "a callback called the session that it serves; expected another session, or none");
}

absl::Status NoStreamError() {
  return ErrorAt(absl::StatusCode::kInvalidArgument,
                 "stream: the request has no stream; expected one, which may be empty",
                 {"stream", OpIndex(), BufferIndex()});
}

absl::StatusOr<Subject> ReadSubject(const v1::Stream& stream, const v1::Hardware& hardware) {
  absl::StatusOr<Stream> read_stream = StreamFromProto(stream);
  if (!read_stream.ok()) return read_stream.status();
  const absl::StatusOr<Hardware> read_hardware = HardwareFromProto(hardware);
  if (!read_hardware.ok()) return read_hardware.status();
  const absl::Status fits = CheckStreamFits(*read_stream, *read_hardware);
  if (!fits.ok()) return fits;
  return Subject{*std::move(read_stream), *read_hardware};
}

}  // namespace torqsched
