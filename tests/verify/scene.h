// Small streams, answers to them, and what a test expects of the checker.
//
// A Scene is a StreamBuilder that keeps its names and gives back indices, so that a test reads like
// the stream that it is about. An Answer is written down as it runs: buffers come in and go out
// between the ops; it numbers the entries and counts the swaps, while peaks and makespans are the
// test's to say.
#ifndef TORQSCHED_TESTS_VERIFY_SCENE_H_
#define TORQSCHED_TESTS_VERIFY_SCENE_H_

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "src/verify/verify.h"

namespace torqsched {

// 1,000 bytes of LRAM, alignment 8, two slices, a start costs 1 cycle, swaps 4 bytes a cycle.
inline Hardware SmallChip() {
  Hardware hardware;
  hardware.lram_bytes = 1000;
  hardware.alignment = 8;
  hardware.slices = 2;
  hardware.start_cycles = 1;
  hardware.dma_bytes = 4;
  return hardware;
}

inline AccessSpec Reads(uint32_t buffer, uint64_t offset = 0,
                        std::optional<uint64_t> size = std::nullopt) {
  return {buffer, true, false, offset, size};
}
inline AccessSpec Writes(uint32_t buffer, uint64_t offset = 0,
                         std::optional<uint64_t> size = std::nullopt) {
  return {buffer, false, true, offset, size};
}
inline AccessSpec Updates(uint32_t buffer) { return {buffer, true, true, 0, std::nullopt}; }

class Scene {
 public:
  // All buffers before the first op.
  uint32_t Lram(const std::string& name, uint64_t size) { return Add(name, Sized(size)); }
  uint32_t Xram(const std::string& name, uint64_t size) {
    Buffer buffer = Sized(size);
    buffer.space = Space::kXram;
    return Add(name, buffer);
  }
  uint32_t Add(const std::string& name, const Buffer& buffer) {
    names_.push_back(name);
    builder_.AddBuffer(buffer, names_.back());
    return buffers_++;
  }
  static Buffer Sized(uint64_t size) {
    Buffer buffer;
    buffer.space = Space::kLram;
    buffer.size = size;
    return buffer;
  }

  uint32_t Load(uint64_t cycles, const std::vector<AccessSpec>& accesses,
                const std::vector<uint32_t>& operands = {}) {
    return Op(OpKind::kLoad, cycles, accesses, operands);
  }
  uint32_t Store(uint64_t cycles, const std::vector<AccessSpec>& accesses,
                 const std::vector<uint32_t>& operands = {}) {
    return Op(OpKind::kStore, cycles, accesses, operands);
  }
  uint32_t Start(uint64_t cycles, const std::vector<AccessSpec>& accesses,
                 const std::vector<uint32_t>& operands = {}, uint32_t dma_share = 0) {
    return Op(OpKind::kStart, cycles, accesses, operands, std::nullopt, std::nullopt, dma_share);
  }
  uint32_t Wait(uint32_t start, const std::vector<uint32_t>& operands = {}) {
    return Op(OpKind::kWait, 0, {}, operands, start);
  }
  uint32_t Barrier(uint64_t cycles, const std::vector<AccessSpec>& accesses = {},
                   const std::vector<uint32_t>& operands = {}) {
    return Op(OpKind::kBarrier, cycles, accesses, operands);
  }
  uint32_t View(const std::vector<uint32_t>& operands) {
    return Op(OpKind::kPure, 0, {}, operands);
  }
  uint32_t Alloc(uint32_t buffer, const std::vector<uint32_t>& operands = {}) {
    return Op(OpKind::kPure, 0, {}, operands, std::nullopt, buffer);
  }
  uint32_t Op(OpKind kind, uint64_t cycles, const std::vector<AccessSpec>& accesses,
              const std::vector<uint32_t>& operands, std::optional<uint32_t> start = std::nullopt,
              std::optional<uint32_t> alloc = std::nullopt, uint32_t dma_share = 0) {
    OpSpec spec;
    spec.kind = kind;
    spec.cycles = cycles;
    spec.start = start;
    spec.alloc = alloc;
    spec.dma_share_percent = dma_share;
    builder_.BeginOp(spec);
    for (const uint32_t operand : operands) builder_.AddOperand(operand);
    for (const AccessSpec& access : accesses) builder_.AddAccess(access);
    builder_.EndOp();
    return ops_++;
  }

  // Once.
  Stream Build() {
    absl::StatusOr<Stream> stream = std::move(builder_).Build();
    EXPECT_TRUE(stream.ok()) << stream.status();
    return stream.ok() ? *std::move(stream) : Stream();
  }

 private:
  std::deque<std::string> names_;
  StreamBuilder builder_{"scene"};
  uint32_t buffers_ = 0;
  uint32_t ops_ = 0;
};

// The input order with each start's slice as the stream has it.
inline Claim InputOrder(const Stream& stream) {
  Claim claim;
  for (size_t i = 0; i < stream.op_count(); ++i) {
    claim.order.push_back(OpIndex(i));
    const Op& op = stream.op(OpIndex(i));
    if (op.kind == OpKind::kStart) claim.slices.push_back({OpIndex(i), op.slice});
  }
  return claim;
}

inline Claim Order(const Stream& stream, const std::vector<uint32_t>& order) {
  Claim claim = InputOrder(stream);
  claim.order.clear();
  for (const uint32_t op : order) claim.order.push_back(OpIndex(op));
  return claim;
}

// A placed answer, written down in the order in which it runs.
class Answer {
 public:
  explicit Answer(const Stream& stream) : claim(InputOrder(stream)), stream_(&stream) {}

  Answer& Run(uint32_t op) {
    order_.push_back(OpIndex(op));
    ++entry_;
    return *this;
  }
  Answer& RunAll(std::initializer_list<uint32_t> ops) {
    for (const uint32_t op : ops) Run(op);
    return *this;
  }
  Answer& In(uint32_t buffer, uint64_t offset) {
    offsets_[buffer] = offset;
    placement.moves.push_back({entry_, true, BufferIndex(buffer), offset});
    return *this;
  }
  Answer& Out(uint32_t buffer) {
    placement.moves.push_back({entry_, false, BufferIndex(buffer), offsets_[buffer]});
    ++placement.swaps;
    return *this;
  }
  Answer& SwapStore(uint32_t buffer) {
    ++placement.stores;
    return Swap(buffer, true);
  }
  Answer& SwapLoad(uint32_t buffer) {
    ++placement.loads;
    return Swap(buffer, false);
  }
  // A whole eviction with its store, a whole coming back with its load.
  Answer& StoreOut(uint32_t buffer) { return SwapStore(buffer).Out(buffer); }
  Answer& LoadBack(uint32_t buffer, uint64_t offset) { return In(buffer, offset).SwapLoad(buffer); }
  Answer& Peak(uint64_t rounded) {
    placement.peak = rounded;
    return *this;
  }
  Answer& Makespan(uint64_t cycles) {
    placement.makespan = cycles;
    return *this;
  }

  Verification Check(const Hardware& hardware) {
    placement.placed = true;
    claim.order = order_;
    claim.placement = &placement;
    return Verify(*stream_, hardware, claim);
  }
  // The same, with the numbers that the checker itself finds: for tests that are not about them.
  Verification CheckWithoutNumbers(const Hardware& hardware) {
    Verification verification = Check(hardware);
    std::vector<Violation> kept;
    for (Violation& violation : verification.violations) {
      if (violation.kind == ViolationKind::kPeak || violation.kind == ViolationKind::kPrice) {
        continue;
      }
      kept.push_back(std::move(violation));
    }
    verification.violations = std::move(kept);
    return verification;
  }

  Claim claim;
  Placement placement;

 private:
  Answer& Swap(uint32_t buffer, bool is_store) {
    placement.swap_transfers.push_back({entry_, is_store, BufferIndex(buffer), offsets_[buffer]});
    placement.swap_bytes += stream_->buffer(BufferIndex(buffer)).size;
    ++entry_;
    return *this;
  }

  const Stream* stream_;
  std::vector<OpIndex> order_;
  std::map<uint32_t, uint64_t> offsets_;
  uint64_t entry_ = 0;
};

inline std::string Listed(const Verification& verification) {
  std::string all;
  for (const Violation& v : verification.violations) {
    all += "\n  kind " + std::to_string(static_cast<int>(v.kind)) + ": " + v.message;
  }
  return all;
}

inline void ExpectHolds(const Verification& verification) {
  EXPECT_TRUE(verification.violations.empty()) << Listed(verification);
}

inline std::string FirstMessage(const Verification& verification) {
  return verification.violations.empty() ? "" : verification.violations[0].message;
}

// Exactly one violation: of this kind, about this op and this buffer.
inline void ExpectOnly(const Verification& verification, ViolationKind kind,
                       std::optional<uint32_t> op, std::optional<uint32_t> buffer) {
  ASSERT_EQ(verification.violations.size(), 1) << Listed(verification);
  const Violation& violation = verification.violations[0];
  const OpIndex expected_op = op.has_value() ? OpIndex(*op) : OpIndex();
  const BufferIndex expected_buffer = buffer.has_value() ? BufferIndex(*buffer) : BufferIndex();
  EXPECT_EQ(violation.kind, kind) << Listed(verification);
  EXPECT_TRUE(violation.op == expected_op) << Listed(verification);
  EXPECT_TRUE(violation.buffer == expected_buffer) << Listed(verification);
  EXPECT_FALSE(violation.message.empty());
}

}  // namespace torqsched

#endif  // TORQSCHED_TESTS_VERIFY_SCENE_H_
