// Small streams that a test writes down as they run: a StreamBuilder that owns the names and gives
// back indices, so that a test reads like the stream it is about.
#ifndef TORQSCHED_TESTS_STREAM_STREAM_MAKER_H_
#define TORQSCHED_TESTS_STREAM_STREAM_MAKER_H_

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "src/stream/stream.h"

namespace torqsched {

inline Buffer LramBuffer(uint64_t size) {
  Buffer buffer;
  buffer.space = Space::kLram;
  buffer.size = size;
  return buffer;
}
inline Buffer XramBuffer(uint64_t size) {
  Buffer buffer;
  buffer.size = size;
  return buffer;
}
inline Buffer LiveIn(Buffer buffer) {
  buffer.live_in = true;
  return buffer;
}
inline Buffer LiveOut(Buffer buffer) {
  buffer.live_out = true;
  return buffer;
}
inline Buffer FixedAt(uint64_t offset, Buffer buffer) {
  buffer.has_fixed_offset = true;
  buffer.fixed_offset = offset;
  return buffer;
}

inline AccessSpec Reads(uint32_t buffer, uint64_t offset = 0,
                        std::optional<uint64_t> size = std::nullopt) {
  return {buffer, true, false, offset, size};
}
inline AccessSpec Writes(uint32_t buffer, uint64_t offset = 0,
                         std::optional<uint64_t> size = std::nullopt) {
  return {buffer, false, true, offset, size};
}
inline AccessSpec Updates(uint32_t buffer, uint64_t offset = 0,
                          std::optional<uint64_t> size = std::nullopt) {
  return {buffer, true, true, offset, size};
}

class StreamMaker {
 public:
  using Accesses = std::vector<AccessSpec>;
  using Operands = std::vector<uint32_t>;

  // All buffers come before the first op.
  uint32_t Add(const Buffer& buffer, const std::string& name = "") {
    builder_.AddBuffer(buffer, Keep(name));
    return buffers_++;
  }
  uint32_t Lram(uint64_t size, const std::string& name = "") { return Add(LramBuffer(size), name); }
  uint32_t Xram(uint64_t size, const std::string& name = "") { return Add(XramBuffer(size), name); }

  uint32_t Load(uint64_t cycles, const Accesses& accesses, const Operands& operands = {}) {
    return Add(OpKind::kLoad, cycles, accesses, operands);
  }
  uint32_t Store(uint64_t cycles, const Accesses& accesses, const Operands& operands = {}) {
    return Add(OpKind::kStore, cycles, accesses, operands);
  }
  uint32_t Barrier(uint64_t cycles, const Accesses& accesses = {}, const Operands& operands = {}) {
    return Add(OpKind::kBarrier, cycles, accesses, operands);
  }
  uint32_t Start(uint64_t cycles, const Accesses& accesses, const Operands& operands = {}) {
    return Add(OpKind::kStart, cycles, accesses, operands);
  }
  uint32_t Wait(uint32_t start, const Operands& operands = {}) {
    OpSpec spec;
    spec.kind = OpKind::kWait;
    spec.start = start;
    return Add(spec, {}, operands);
  }
  // A program that is waited for at once; returns its start.
  uint32_t Program(uint64_t cycles, const Accesses& accesses, const Operands& operands = {}) {
    const uint32_t start = Start(cycles, accesses, operands);
    Wait(start);
    return start;
  }
  uint32_t View(const Operands& operands) { return Add(OpKind::kPure, 0, {}, operands); }
  uint32_t Alloc(uint32_t buffer, const Operands& operands = {}) {
    OpSpec spec;
    spec.kind = OpKind::kPure;
    spec.alloc = buffer;
    return Add(spec, {}, operands);
  }
  uint32_t Add(OpKind kind, uint64_t cycles, const Accesses& accesses, const Operands& operands) {
    OpSpec spec;
    spec.kind = kind;
    spec.cycles = cycles;
    return Add(spec, accesses, operands);
  }
  // The name may be gone after the call.
  uint32_t Add(OpSpec spec, const Accesses& accesses, const Operands& operands) {
    spec.name = Keep(std::string(spec.name));
    builder_.BeginOp(spec);
    for (const uint32_t operand : operands) builder_.AddOperand(operand);
    for (const AccessSpec& access : accesses) builder_.AddAccess(access);
    builder_.EndOp();
    return ops_++;
  }

  // Once. The names stay with the maker.
  absl::StatusOr<Stream> TryBuild() { return std::move(builder_).Build(); }
  Stream Build() {
    absl::StatusOr<Stream> stream = TryBuild();
    EXPECT_TRUE(stream.ok()) << stream.status();
    return stream.ok() ? *std::move(stream) : Stream();
  }

 private:
  absl::string_view Keep(const std::string& name) {
    names_.push_back(name);
    return names_.back();
  }

  std::deque<std::string> names_;
  StreamBuilder builder_{"made by a test"};
  uint32_t buffers_ = 0;
  uint32_t ops_ = 0;
};

template <typename Id>
std::vector<Id> Indices(const std::vector<uint32_t>& values) {
  std::vector<Id> ids;
  for (const uint32_t value : values) ids.push_back(Id(value));
  return ids;
}
inline std::vector<OpIndex> Ops(const std::vector<uint32_t>& values) {
  return Indices<OpIndex>(values);
}
inline std::vector<BufferIndex> Buffers(const std::vector<uint32_t>& values) {
  return Indices<BufferIndex>(values);
}

// So that a failed expectation prints the number.
template <typename Tag>
void PrintTo(Index<Tag> index, std::ostream* out) {
  if (index.present()) {
    *out << index.value();
  } else {
    *out << "absent";
  }
}

template <typename T>
std::vector<T> ToVector(Run<T> run) {
  return std::vector<T>(run.begin(), run.end());
}

}  // namespace torqsched

#endif  // TORQSCHED_TESTS_STREAM_STREAM_MAKER_H_
