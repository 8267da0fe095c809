#include "src/stream/stream.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "src/stream/checked.h"
#include "src/stream/error.h"

namespace torqsched {

std::string Stream::Describe(OpIndex i) const {
  return DescribeItem("op", i.value(), i.value() < op_count() ? op_name(i) : "");
}

std::string Stream::Describe(BufferIndex i) const {
  return DescribeItem("buffer", i.value(), i.value() < buffer_count() ? buffer_name(i) : "");
}

void StreamBuilder::Reserve(size_t buffers, size_t ops, size_t operands, size_t accesses) {
  stream_.buffers_.reserve(buffers);
  stream_.buffer_names_.reserve(buffers);
  stream_.ops_.reserve(ops);
  stream_.op_names_.reserve(ops);
  stream_.operands_.reserve(ops, operands);
  stream_.accesses_.reserve(ops, accesses);
}

void StreamBuilder::Fail(absl::string_view field, OpIndex op, BufferIndex buffer,
                         absl::string_view message) {
  if (!status_.ok()) return;
  std::string place;
  ErrorPlace where{"stream", op, buffer};
  if (op.present()) {
    place = stream_.Describe(op);
    absl::StrAppend(&where.field, ".ops[", op.value(), "]");
  } else if (buffer.present()) {
    place = stream_.Describe(buffer);
    absl::StrAppend(&where.field, ".buffers[", buffer.value(), "]");
  }
  if (!field.empty()) absl::StrAppend(&where.field, ".", field);
  status_ = ErrorAt(absl::StatusCode::kInvalidArgument, absl::StrCat(place, ": ", message), where);
}

void StreamBuilder::AddBuffer(const Buffer& buffer, absl::string_view name) {
  const BufferIndex index(stream_.buffers_.size());
  stream_.buffers_.push_back(buffer);
  stream_.buffer_names_.push_back(name);
  Buffer& added = stream_.buffers_[index];
  if (added.alignment == 0) added.alignment = 1;
  if (buffer.constant && buffer.space != Space::kXram) {
    Fail("constant", OpIndex(), index, "constant, but in LRAM; expected a constant buffer in XRAM");
  }
}

void StreamBuilder::BeginOp(const OpSpec& spec) {
  current_ = OpIndex(stream_.ops_.size());
  Op op;
  op.kind = spec.kind;
  op.cycles = spec.kind == OpKind::kPure || spec.kind == OpKind::kWait ? 0 : spec.cycles;
  op.slice = spec.kind == OpKind::kStart ? spec.slice.value_or(0) : 0;
  const uint32_t share = spec.kind == OpKind::kStart ? spec.dma_share_percent : 0;
  op.dma_share = static_cast<uint8_t>(std::min(share, kMostDmaShare));
  stream_.ops_.push_back(op);
  stream_.op_names_.push_back(spec.name);
  if (share > kMostDmaShare) {
    Fail("dma_share_percent", current_, BufferIndex(),
         absl::StrCat("takes ", share, " percent of DMA bandwidth; expected at most ",
                      kMostDmaShare));
  }
  if (spec.kind == OpKind::kWait) LinkWait(spec);
  if (spec.alloc.has_value()) {
    const BufferIndex buffer(*spec.alloc);
    if (*spec.alloc >= stream_.buffer_count()) {
      Fail("alloc", current_, BufferIndex(),
           absl::StrCat("allocates buffer ", *spec.alloc, ", but the stream has ",
                        stream_.buffer_count(), " buffers"));
    } else if (spec.kind != OpKind::kPure) {
      Fail("alloc", current_, buffer, "allocates a buffer; expected only pure ops to");
    } else {
      stream_.ops_[current_].alloc = buffer;
    }
  }
}

void StreamBuilder::LinkWait(const OpSpec& spec) {
  if (!spec.start.has_value()) {
    Fail("start", current_, BufferIndex(),
         "a wait without a start; expected the start that it ends");
    return;
  }
  if (*spec.start >= current_.value()) {
    Fail("start", current_, BufferIndex(),
         absl::StrCat("waits for op ", *spec.start, ", which is not older"));
    return;
  }
  const OpIndex start(*spec.start);
  Op& started = stream_.ops_[start];
  if (started.kind != OpKind::kStart) {
    Fail("start", current_, BufferIndex(),
         absl::StrCat("waits for ", stream_.Describe(start), ", which is no start"));
  } else if (started.partner.present()) {
    Fail("start", current_, BufferIndex(),
         absl::StrCat("waits for ", stream_.Describe(start), ", which ",
                      stream_.Describe(started.partner), " has waited for already"));
  } else {
    started.partner = current_;
    stream_.ops_[current_].partner = start;
  }
}

void StreamBuilder::AddOperand(uint32_t op) {
  if (op >= current_.value()) {
    const size_t nth = stream_.operands_.open_end() - stream_.operands_.open_begin();
    Fail(absl::StrCat("operands[", nth, "]"), current_, BufferIndex(),
         absl::StrCat("operand op ", op, " is not older; operands must be older than their op"));
  }
  stream_.operands_.Add(OpIndex(op));
}

void StreamBuilder::AddAccess(const AccessSpec& spec) {
  const size_t nth = stream_.accesses_.open_end() - stream_.accesses_.open_begin();
  const auto field = [nth](absl::string_view name) {
    return absl::StrCat("accesses[", nth, "].", name);
  };
  Access access;
  access.buffer = BufferIndex(spec.buffer);
  access.reads = spec.reads;
  access.writes = spec.writes;
  access.begin = spec.offset;
  if (spec.buffer >= stream_.buffer_count()) {
    Fail(field("buffer"), current_, BufferIndex(),
         absl::StrCat("accesses buffer ", spec.buffer, ", but the stream has ",
                      stream_.buffer_count(), " buffers"));
    access.buffer = BufferIndex();
    stream_.accesses_.Add(access);
    return;
  }
  const Buffer& buffer = stream_.buffers_[access.buffer];
  access.end = buffer.size;
  if (!spec.reads && !spec.writes) {
    Fail(field("mode"), current_, access.buffer,
         absl::StrCat("access to ", stream_.Describe(access.buffer),
                      " has no mode; expected read, write or both"));
  } else if (spec.offset > buffer.size) {
    Fail(field("offset"), current_, access.buffer,
         absl::StrCat("access at offset ", spec.offset, " of ", stream_.Describe(access.buffer),
                      ", which has ", buffer.size, " bytes"));
  } else if (spec.size.has_value() && !SumFits(spec.offset, *spec.size, buffer.size)) {
    Fail(field("size"), current_, access.buffer,
         absl::StrCat("access of ", *spec.size, " bytes at offset ", spec.offset, " of ",
                      stream_.Describe(access.buffer), ", which has ", buffer.size, " bytes"));
  } else if (spec.size.has_value()) {
    access.end = spec.offset + *spec.size;
  }
  if (spec.writes && buffer.constant) {
    Fail(field("mode"), current_, access.buffer,
         absl::StrCat("writes ", stream_.Describe(access.buffer), ", which is constant"));
  }
  stream_.accesses_.Add(access);
}

void StreamBuilder::CheckAccesses() {
  const Op& op = stream_.ops_[current_];
  const Access* const begin = stream_.accesses_.open_begin();
  const Access* const end = stream_.accesses_.open_end();
  bool writes_lram = false;
  bool reads_lram = false;
  for (const Access* a = begin; a != end; ++a) {
    if (!a->buffer.present() || stream_.buffers_[a->buffer].space != Space::kLram) continue;
    writes_lram |= a->writes;
    reads_lram |= a->reads;
  }
  const BufferIndex first = begin == end ? BufferIndex() : begin->buffer;
  if (op.kind == OpKind::kPure && begin != end) {
    Fail("accesses", current_, first, "a pure op that accesses a buffer; expected no accesses");
  } else if (op.kind == OpKind::kWait && begin != end) {
    Fail("accesses", current_, first,
         "a wait that accesses a buffer; expected a program's accesses on its start");
  } else if (op.kind == OpKind::kLoad && !writes_lram) {
    Fail("accesses", current_, first, "a load that writes no LRAM buffer");
  } else if (op.kind == OpKind::kStore && !reads_lram) {
    Fail("accesses", current_, first, "a store that reads no LRAM buffer");
  }
}

void StreamBuilder::EndOp() {
  if (status_.ok()) CheckAccesses();
  stream_.operands_.EndRow();
  stream_.accesses_.EndRow();
}

absl::StatusOr<Stream> StreamBuilder::Build() && {
  if (!status_.ok()) return status_;
  for (Op& op : stream_.ops_) {
    if (op.kind == OpKind::kStart && !op.partner.present()) {
      op.kind = OpKind::kBarrier;
      op.start_without_wait = true;
      op.dma_share = 0;
    }
    stream_.has_dma_shares_ |= op.dma_share != 0;
  }
  return std::move(stream_);
}

}  // namespace torqsched
