// A checked, indexed control stream: what every stage reads and none changes.
//
// The stream is one function's control stream in input order, and the buffers that it touches.
// Arrays are flat: an op's operands and accesses are runs of two long arrays, names are views of
// the text that the stream was made from. StreamBuilder is the only way to make one, so whoever
// holds a Stream may rely on these invariants:
//
//   1. Operands are older than their op; alloc, buffer and start indices name what exists.
//   2. A wait's partner is an older start, and a start's partner is that wait. A start that nothing
//      waits for is a barrier with the start's cycles.
//   3. Accesses lie inside their buffers (begin <= end <= size); pure ops and waits have none.
//   4. A load writes an LRAM buffer, a store reads one; constant buffers are in XRAM, and no op
//      writes them.
//
// What depends on the chip is checked later: slices and sums of cycles in hardware/hardware.h,
// sizes of LRAM buffers in graph/lifetimes.h, races of the input order in graph/dependence_graph.h.
//
// Source: docs/semantics.md, section 1.
#ifndef TORQSCHED_SRC_STREAM_STREAM_H_
#define TORQSCHED_SRC_STREAM_STREAM_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "src/stream/index.h"

namespace torqsched {

enum class OpKind : uint8_t {
  kPure,     // costs nothing; may allocate a buffer
  kLoad,     // DMA into LRAM; blocks the stream, unless the hardware says otherwise
  kStore,    // DMA out of LRAM; likewise
  kStart,    // starts a program on a slice; the stream goes on
  kWait,     // blocks until its program is done
  kBarrier,  // anything else; keeps its place
};

enum class Space : uint8_t { kXram, kLram };

// The bytes [begin, end) of a buffer that an op reads, writes, or both.
struct Access {
  BufferIndex buffer;
  bool reads = false;
  bool writes = false;
  uint64_t begin = 0;
  uint64_t end = 0;
};

struct Op {
  OpKind kind = OpKind::kBarrier;
  bool start_without_wait = false;  // a barrier that came in as a start
  uint8_t dma_share = 0;            // of a program: percent of DMA bandwidth while it computes
  uint32_t slice = 0;               // a start's slice in the input, with or without a wait
  OpIndex partner;                  // a wait's start, a start's wait
  BufferIndex alloc;                // the buffer that a pure op allocates
  uint64_t cycles = 0;              // of a transfer, a program's compute, a barrier
};

struct Buffer {
  Space space = Space::kXram;
  bool live_in = false;   // live before the first op
  bool live_out = false;  // live after the last op
  bool constant = false;  // XRAM that no op writes
  bool has_fixed_offset = false;
  uint64_t size = 0;          // bytes
  uint64_t alignment = 1;     // bytes, at least 1
  uint64_t fixed_offset = 0;  // bytes from the first byte of usable LRAM
};

class Stream {
 public:
  Stream() = default;
  Stream(Stream&&) = default;
  Stream& operator=(Stream&&) = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  size_t op_count() const { return ops_.size(); }
  size_t buffer_count() const { return buffers_.size(); }
  const Op& op(OpIndex i) const { return ops_[i]; }
  const Buffer& buffer(BufferIndex i) const { return buffers_[i]; }
  Run<OpIndex> operands(OpIndex i) const { return operands_[i.value()]; }
  Run<Access> accesses(OpIndex i) const { return accesses_[i.value()]; }
  size_t access_count() const { return accesses_.item_count(); }
  size_t operand_count() const { return operands_.item_count(); }
  // Whether a program takes some of the DMA bandwidth.
  bool has_dma_shares() const { return has_dma_shares_; }

  absl::string_view name() const { return name_; }
  absl::string_view op_name(OpIndex i) const { return op_names_[i]; }
  absl::string_view buffer_name(BufferIndex i) const { return buffer_names_[i]; }

  // "op 12 'load w3'" and "buffer 3 'w3'": how messages name them. Long names are cut, and bytes
  // that would not print are escaped.
  std::string Describe(OpIndex i) const;
  std::string Describe(BufferIndex i) const;

 private:
  friend class StreamBuilder;
  IndexVector<OpIndex, Op> ops_;
  IndexVector<BufferIndex, Buffer> buffers_;
  Rows<OpIndex> operands_;
  Rows<Access> accesses_;
  bool has_dma_shares_ = false;
  absl::string_view name_;
  IndexVector<OpIndex, absl::string_view> op_names_;
  IndexVector<BufferIndex, absl::string_view> buffer_names_;
};

// Percent of DMA bandwidth that programs may take; what is left is never nothing.
constexpr uint32_t kMostDmaShare = 99;

// What an op or an access says before it is checked.
struct OpSpec {
  OpKind kind = OpKind::kBarrier;
  absl::string_view name;          // must outlive the Stream
  uint64_t cycles = 0;             // of a load, store, start or barrier
  std::optional<uint32_t> slice;   // of a start; absent: 0
  std::optional<uint32_t> start;   // of a wait: the op that it ends
  std::optional<uint32_t> alloc;   // of a pure op: the buffer that it allocates
  uint32_t dma_share_percent = 0;  // of a start, at most kMostDmaShare
};

struct AccessSpec {
  uint32_t buffer = 0;
  bool reads = false;
  bool writes = false;
  uint64_t offset = 0;
  std::optional<uint64_t> size;  // absent: to the end of the buffer
};

// Makes a Stream, buffers first, then ops in input order:
//
//   StreamBuilder builder(name);
//   builder.AddBuffer(buffer, name) ...;
//   builder.BeginOp(spec); builder.AddOperand(3); builder.AddAccess({...}); builder.EndOp() ...;
//   absl::StatusOr<Stream> stream = std::move(builder).Build();
//
// The first thing wrong, in input order, is what Build reports. Cost: linear. Names must outlive
// it.
class StreamBuilder {
 public:
  explicit StreamBuilder(absl::string_view name) { stream_.name_ = name; }

  void Reserve(size_t buffers, size_t ops, size_t operands, size_t accesses);
  void AddBuffer(const Buffer& buffer, absl::string_view name);
  void BeginOp(const OpSpec& spec);
  void AddOperand(uint32_t op);
  void AddAccess(const AccessSpec& spec);
  void EndOp();
  // The builder's own field path is "stream"; a request that keeps its stream elsewhere says where.
  absl::StatusOr<Stream> Build() &&;

 private:
  void Fail(absl::string_view field, OpIndex op, BufferIndex buffer, absl::string_view message);
  void LinkWait(const OpSpec& spec);
  void CheckAccesses();

  Stream stream_;
  absl::Status status_;  // the first error
  OpIndex current_;      // the op between BeginOp and EndOp
};

}  // namespace torqsched

#endif  // TORQSCHED_SRC_STREAM_STREAM_H_
