// Writes a block op by op, as a plain compiler would: each buffer is allocated where it is used
// first, each program is waited for at once.
#ifndef TORQSCHED_TESTS_SEARCH_BLOCK_WRITER_H_
#define TORQSCHED_TESTS_SEARCH_BLOCK_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "src/hardware/hardware.h"
#include "src/stream/stream.h"

namespace torqsched {

// Some bytes of a buffer; without a size: all of them.
struct Part {
  uint32_t buffer = 0;
  uint64_t offset = 0;
  std::optional<uint64_t> size = std::nullopt;
};

class BlockWriter {
 public:
  explicit BlockWriter(const Hardware& hardware) : hardware_(hardware) {}

  uint32_t Lram(uint64_t bytes);
  uint32_t Xram(uint64_t bytes);
  // A buffer in LRAM with a constant's contents: its load comes along.
  uint32_t LoadConstant(uint64_t bytes);
  // Loads to.size bytes (or the whole buffer) from this place of an XRAM buffer.
  void Load(Part to, uint32_t xram, uint64_t xram_offset);
  void Store(Part from, uint32_t xram, uint64_t xram_offset);
  // A start and its wait.
  void Program(uint64_t cycles, const std::vector<Part>& reads, const std::vector<Part>& writes);
  void Barrier(uint64_t cycles);

  size_t actions() const { return actions_; }
  size_t programs() const { return programs_; }
  uint64_t SizeOf(const Part& part) const;
  // The most bytes that one op uses, and that are live at once.
  uint64_t need() const;
  uint64_t peak() const;

  // Dies if the block is not a valid stream.
  Stream Build(std::deque<std::string>* names) const;

 private:
  struct WrittenOp {
    OpKind kind = OpKind::kBarrier;
    uint64_t cycles = 0;
    std::optional<uint32_t> start, alloc;
    std::vector<uint32_t> operands;
    std::vector<AccessSpec> accesses;
  };

  uint32_t AddOp(OpKind kind, uint64_t cycles, const std::vector<Part>& reads,
                 const std::vector<Part>& writes);
  void Allocate(const std::vector<Part>& parts, std::vector<uint32_t>* operands);

  const Hardware& hardware_;
  std::vector<Buffer> buffers_;
  std::vector<std::optional<uint32_t>> alloc_;  // of each buffer, once it has one
  std::vector<WrittenOp> ops_;
  size_t actions_ = 0;
  size_t programs_ = 0;
};

}  // namespace torqsched

#endif  // TORQSCHED_TESTS_SEARCH_BLOCK_WRITER_H_
