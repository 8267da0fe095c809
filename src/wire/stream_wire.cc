#include "src/wire/stream_wire.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "src/stream/error.h"

namespace torqsched {
namespace {

OpKind KindFromProto(v1::OpKind kind) {
  switch (kind) {
    case v1::OP_KIND_PURE:
      return OpKind::kPure;
    case v1::OP_KIND_LOAD:
      return OpKind::kLoad;
    case v1::OP_KIND_STORE:
      return OpKind::kStore;
    case v1::OP_KIND_START:
      return OpKind::kStart;
    case v1::OP_KIND_WAIT:
      return OpKind::kWait;
    default:  // unset, or newer than this version: keeping its place is always safe
      return OpKind::kBarrier;
  }
}

bool IsKnown(v1::Space space) {
  return space == v1::SPACE_UNSPECIFIED || space == v1::SPACE_XRAM || space == v1::SPACE_LRAM;
}

Buffer BufferFromProto(const v1::Buffer& message) {
  Buffer buffer;
  buffer.space = message.space() == v1::SPACE_LRAM ? Space::kLram : Space::kXram;
  buffer.live_in = message.live_in();
  buffer.live_out = message.live_out();
  buffer.constant = message.constant();
  buffer.has_fixed_offset = message.has_fixed_offset();
  buffer.size = message.size();
  buffer.alignment = message.alignment();
  buffer.fixed_offset = message.fixed_offset();
  return buffer;
}

OpSpec SpecFromProto(const v1::Op& message) {
  OpSpec spec;
  spec.kind = KindFromProto(message.kind());
  spec.name = message.name();
  spec.cycles = message.cycles();
  if (message.has_slice()) spec.slice = message.slice();
  if (message.has_start()) spec.start = message.start();
  if (message.has_alloc()) spec.alloc = message.alloc();
  spec.dma_share_percent = message.dma_share_percent();
  return spec;
}

AccessSpec SpecFromProto(const v1::Access& message) {
  const v1::AccessMode mode = message.mode();
  AccessSpec spec;
  spec.buffer = message.buffer();
  // Neither, for a mode that is unset or not known: the builder refuses that.
  spec.reads = mode == v1::ACCESS_MODE_READ || mode == v1::ACCESS_MODE_READ_WRITE;
  spec.writes = mode == v1::ACCESS_MODE_WRITE || mode == v1::ACCESS_MODE_READ_WRITE;
  spec.offset = message.offset();
  if (message.has_size()) spec.size = message.size();
  return spec;
}

void ReserveFor(const v1::Stream& message, StreamBuilder* builder) {
  size_t operands = 0;
  size_t accesses = 0;
  for (const v1::Op& op : message.ops()) {
    operands += op.operands_size();
    accesses += op.accesses_size();
  }
  builder->Reserve(message.buffers_size(), message.ops_size(), operands, accesses);
}

absl::Status UnknownSpace(const v1::Buffer& message, int index) {
  return ErrorAt(absl::StatusCode::kInvalidArgument,
                 absl::StrCat("buffer ", index, ": space ", static_cast<int>(message.space()),
                              " is not known; expected SPACE_XRAM or SPACE_LRAM"),
                 {absl::StrCat("stream.buffers[", index, "].space"), OpIndex(),
                  BufferIndex(static_cast<size_t>(index))});
}

}  // namespace

absl::StatusOr<Stream> StreamFromProto(const v1::Stream& message) {
  StreamBuilder builder(message.name());
  ReserveFor(message, &builder);
  for (int i = 0; i < message.buffers_size(); ++i) {
    const v1::Buffer& buffer = message.buffers(i);
    if (!IsKnown(buffer.space())) {
      absl::StatusOr<Stream> before = std::move(builder).Build();
      return before.ok() ? UnknownSpace(buffer, i) : before.status();
    }
    builder.AddBuffer(BufferFromProto(buffer), buffer.name());
  }
  for (const v1::Op& op : message.ops()) {
    builder.BeginOp(SpecFromProto(op));
    for (const uint32_t operand : op.operands()) builder.AddOperand(operand);
    for (const v1::Access& access : op.accesses()) builder.AddAccess(SpecFromProto(access));
    builder.EndOp();
  }
  return std::move(builder).Build();
}

}  // namespace torqsched
