#include "tests/search/block_writer.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "absl/status/statusor.h"

namespace torqsched {

uint32_t BlockWriter::Lram(uint64_t bytes) {
  Buffer buffer;
  buffer.space = Space::kLram;
  buffer.size = bytes;
  buffers_.push_back(buffer);
  alloc_.emplace_back();
  return static_cast<uint32_t>(buffers_.size() - 1);
}

uint32_t BlockWriter::Xram(uint64_t bytes) {
  Buffer buffer;
  buffer.size = bytes;
  buffer.live_in = true;
  buffer.live_out = true;
  buffers_.push_back(buffer);
  alloc_.emplace_back();
  return static_cast<uint32_t>(buffers_.size() - 1);
}

uint32_t BlockWriter::LoadConstant(uint64_t bytes) {
  const uint32_t constant = Xram(bytes);
  buffers_[constant].constant = true;
  buffers_[constant].live_out = false;
  const uint32_t buffer = Lram(bytes);
  Load({buffer}, constant, 0);
  return buffer;
}

uint64_t BlockWriter::SizeOf(const Part& part) const {
  return part.size.value_or(buffers_[part.buffer].size - part.offset);
}

void BlockWriter::Load(Part to, uint32_t xram, uint64_t xram_offset) {
  const uint64_t bytes = SizeOf(to);
  AddOp(OpKind::kLoad, TransferCycles(hardware_, bytes), {{xram, xram_offset, bytes}}, {to});
}

void BlockWriter::Store(Part from, uint32_t xram, uint64_t xram_offset) {
  const uint64_t bytes = SizeOf(from);
  AddOp(OpKind::kStore, TransferCycles(hardware_, bytes), {from}, {{xram, xram_offset, bytes}});
}

void BlockWriter::Program(uint64_t cycles, const std::vector<Part>& reads,
                          const std::vector<Part>& writes) {
  const uint32_t start = AddOp(OpKind::kStart, cycles, reads, writes);
  ++programs_;
  WrittenOp wait;
  wait.kind = OpKind::kWait;
  wait.start = start;
  ops_.push_back(wait);
}

void BlockWriter::Barrier(uint64_t cycles) { AddOp(OpKind::kBarrier, cycles, {}, {}); }

uint32_t BlockWriter::AddOp(OpKind kind, uint64_t cycles, const std::vector<Part>& reads,
                            const std::vector<Part>& writes) {
  WrittenOp op;
  op.kind = kind;
  op.cycles = cycles;
  Allocate(reads, &op.operands);
  Allocate(writes, &op.operands);
  for (const Part& part : reads) {
    op.accesses.push_back({part.buffer, true, false, part.offset, part.size});
  }
  for (const Part& part : writes) {
    op.accesses.push_back({part.buffer, false, true, part.offset, part.size});
  }
  ops_.push_back(std::move(op));
  ++actions_;
  return static_cast<uint32_t>(ops_.size() - 1);
}

void BlockWriter::Allocate(const std::vector<Part>& parts, std::vector<uint32_t>* operands) {
  for (const Part& part : parts) {
    if (buffers_[part.buffer].space != Space::kLram) continue;
    std::optional<uint32_t>& alloc = alloc_[part.buffer];
    if (!alloc.has_value()) {
      WrittenOp op;
      op.kind = OpKind::kPure;
      op.alloc = part.buffer;
      alloc = static_cast<uint32_t>(ops_.size());
      ops_.push_back(op);
    }
    operands->push_back(*alloc);
  }
}

uint64_t BlockWriter::need() const {
  uint64_t need = 0;
  for (const WrittenOp& op : ops_) {
    uint64_t bytes = 0;
    for (const AccessSpec& access : op.accesses) {
      if (buffers_[access.buffer].space == Space::kLram) bytes += buffers_[access.buffer].size;
    }
    need = std::max(need, bytes);
  }
  return need;
}

uint64_t BlockWriter::peak() const {
  std::vector<size_t> first(buffers_.size(), ops_.size()), last(buffers_.size(), 0);
  for (size_t i = 0; i < ops_.size(); ++i) {
    for (const AccessSpec& access : ops_[i].accesses) {
      first[access.buffer] = std::min(first[access.buffer], i);
      last[access.buffer] = i + (ops_[i].kind == OpKind::kStart ? 1 : 0);
    }
  }
  uint64_t peak = 0;
  for (size_t i = 0; i < ops_.size(); ++i) {
    uint64_t bytes = 0;
    for (size_t b = 0; b < buffers_.size(); ++b) {
      if (buffers_[b].space == Space::kLram && first[b] <= i && i <= last[b]) {
        bytes += buffers_[b].size;
      }
    }
    peak = std::max(peak, bytes);
  }
  return peak;
}

Stream BlockWriter::Build(std::deque<std::string>* names) const {
  StreamBuilder builder("block");
  for (size_t b = 0; b < buffers_.size(); ++b) {
    names->push_back("b" + std::to_string(b));
    builder.AddBuffer(buffers_[b], names->back());
  }
  static const char* const kKinds[] = {"pure", "load", "store", "start", "wait", "barrier"};
  for (size_t i = 0; i < ops_.size(); ++i) {
    const WrittenOp& op = ops_[i];
    names->push_back(std::string(kKinds[static_cast<int>(op.kind)]) + " " + std::to_string(i));
    OpSpec spec;
    spec.kind = op.kind;
    spec.name = names->back();
    spec.cycles = op.cycles;
    spec.start = op.start;
    spec.alloc = op.alloc;
    builder.BeginOp(spec);
    for (const uint32_t operand : op.operands) builder.AddOperand(operand);
    for (const AccessSpec& access : op.accesses) builder.AddAccess(access);
    builder.EndOp();
  }
  absl::StatusOr<Stream> stream = std::move(builder).Build();
  if (!stream.ok()) {
    std::fprintf(stderr, "a block is no valid stream: %s\n", stream.status().ToString().c_str());
    std::abort();
  }
  return *std::move(stream);
}

}  // namespace torqsched
