#include "src/lowering/stream_writer.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace torqsched::lowering {

StreamWriter::StreamWriter(absl::string_view name, const Hardware& hardware)
    : name_(name), hardware_(hardware) {}

uint32_t StreamWriter::AddXram(absl::string_view name, uint64_t size, bool live_in, bool live_out,
                               bool constant) {
  WrittenBuffer& written = buffers_.emplace_back();
  written.name = std::string(name);
  written.buffer.space = Space::kXram;
  written.buffer.size = size;
  written.buffer.live_in = live_in;
  written.buffer.live_out = live_out;
  written.buffer.constant = constant;
  return static_cast<uint32_t>(buffers_.size() - 1);
}

uint32_t StreamWriter::AddLram(absl::string_view name, uint64_t size) {
  WrittenBuffer& written = buffers_.emplace_back();
  written.name = std::string(name);
  written.buffer.space = Space::kLram;
  written.buffer.size = size;
  written.alloc = op_count();
  WrittenOp& op = ops_.emplace_back();
  op.spec.kind = OpKind::kPure;
  op.spec.alloc = static_cast<uint32_t>(buffers_.size() - 1);
  op.name = absl::StrCat("alloc ", name);
  return static_cast<uint32_t>(buffers_.size() - 1);
}

uint64_t StreamWriter::Transfer(OpKind kind, absl::string_view name, uint64_t bytes,
                                std::vector<Touch> touches) {
  WrittenOp& op = ops_.emplace_back();
  op.spec.kind = kind;
  op.spec.cycles = TransferCycles(hardware_, bytes);
  op.name = absl::StrCat(kind == OpKind::kLoad ? "load " : "store ", name);
  op.touches = std::move(touches);
  return op.spec.cycles;
}

uint64_t StreamWriter::Load(absl::string_view name, uint64_t bytes, std::vector<Touch> touches) {
  return Transfer(OpKind::kLoad, name, bytes, std::move(touches));
}

uint64_t StreamWriter::Store(absl::string_view name, uint64_t bytes, std::vector<Touch> touches) {
  return Transfer(OpKind::kStore, name, bytes, std::move(touches));
}

void StreamWriter::Run(absl::string_view name, uint64_t cycles, std::vector<Touch> touches) {
  WrittenOp& start = ops_.emplace_back();
  start.spec.kind = OpKind::kStart;
  start.spec.cycles = cycles;
  start.name = absl::StrCat("start ", name);
  start.touches = std::move(touches);
  const uint32_t position = op_count() - 1;
  WrittenOp& wait = ops_.emplace_back();
  wait.spec.kind = OpKind::kWait;
  wait.spec.start = position;
  wait.name = absl::StrCat("wait ", name);
}

absl::StatusOr<Stream> StreamWriter::Build(std::deque<std::string>* names) && {
  names->push_back(name_);
  StreamBuilder builder(names->back());
  for (WrittenBuffer& written : buffers_) {
    names->push_back(std::move(written.name));
    builder.AddBuffer(written.buffer, names->back());
  }
  for (WrittenOp& op : ops_) {
    names->push_back(std::move(op.name));
    op.spec.name = names->back();
    builder.BeginOp(op.spec);
    for (const Touch& touch : op.touches) {
      const WrittenBuffer& written = buffers_[touch.buffer];
      if (written.buffer.space == Space::kLram) builder.AddOperand(written.alloc);
    }
    for (const Touch& touch : op.touches) {
      for (const ByteRange& range : touch.ranges) {
        builder.AddAccess({touch.buffer, touch.mode != Mode::kWrite, touch.mode != Mode::kRead,
                           range.begin, range.size()});
      }
    }
    builder.EndOp();
  }
  return std::move(builder).Build();
}

}  // namespace torqsched::lowering
