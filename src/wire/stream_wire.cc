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

v1::OpKind KindToProto(const Op& op) {
  if (op.start_without_wait) return v1::OP_KIND_START;
  switch (op.kind) {
    case OpKind::kPure:
      return v1::OP_KIND_PURE;
    case OpKind::kLoad:
      return v1::OP_KIND_LOAD;
    case OpKind::kStore:
      return v1::OP_KIND_STORE;
    case OpKind::kStart:
      return v1::OP_KIND_START;
    case OpKind::kWait:
      return v1::OP_KIND_WAIT;
    case OpKind::kBarrier:
      return v1::OP_KIND_BARRIER;
  }
  return v1::OP_KIND_UNSPECIFIED;
}

void OpToProto(const Stream& stream, OpIndex i, v1::Op* message) {
  const Op& op = stream.op(i);
  message->set_name(stream.op_name(i).data(), stream.op_name(i).size());
  message->set_kind(KindToProto(op));
  message->set_cycles(op.cycles);
  if (message->kind() == v1::OP_KIND_START) message->set_slice(op.slice);
  if (op.kind == OpKind::kWait) message->set_start(op.partner.value());
  if (op.alloc.present()) message->set_alloc(op.alloc.value());
  message->set_dma_share_percent(op.dma_share);
  for (const OpIndex operand : stream.operands(i)) message->add_operands(operand.value());
  for (const Access& from : stream.accesses(i)) {
    v1::Access* const access = message->add_accesses();
    access->set_buffer(from.buffer.value());
    access->set_offset(from.begin);
    access->set_size(from.end - from.begin);
    access->set_mode(!from.writes  ? v1::ACCESS_MODE_READ
                     : !from.reads ? v1::ACCESS_MODE_WRITE
                                   : v1::ACCESS_MODE_READ_WRITE);
  }
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

void StreamToProto(const Stream& stream, v1::Stream* message) {
  message->set_name(stream.name().data(), stream.name().size());
  message->mutable_buffers()->Reserve(static_cast<int>(stream.buffer_count()));
  for (size_t i = 0; i < stream.buffer_count(); ++i) {
    const Buffer& from = stream.buffer(BufferIndex(i));
    const absl::string_view name = stream.buffer_name(BufferIndex(i));
    v1::Buffer* const buffer = message->add_buffers();
    buffer->set_name(name.data(), name.size());
    buffer->set_space(from.space == Space::kLram ? v1::SPACE_LRAM : v1::SPACE_XRAM);
    buffer->set_size(from.size);
    if (from.alignment > 1) buffer->set_alignment(from.alignment);
    if (from.has_fixed_offset) buffer->set_fixed_offset(from.fixed_offset);
    buffer->set_live_in(from.live_in);
    buffer->set_live_out(from.live_out);
    buffer->set_constant(from.constant);
  }
  message->mutable_ops()->Reserve(static_cast<int>(stream.op_count()));
  for (size_t i = 0; i < stream.op_count(); ++i) OpToProto(stream, OpIndex(i), message->add_ops());
}

}  // namespace torqsched
