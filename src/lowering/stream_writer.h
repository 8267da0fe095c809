// Writes the ops of a stream, with their buffers and names, as lowering goes: each LRAM buffer is
// allocated by an op of its own, which everybody who touches it names as an operand.
#ifndef TORQSCHED_SRC_LOWERING_STREAM_WRITER_H_
#define TORQSCHED_SRC_LOWERING_STREAM_WRITER_H_

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "src/hardware/hardware.h"
#include "src/lowering/activation_layout.h"
#include "src/stream/stream.h"

namespace torqsched::lowering {

enum class Mode : uint8_t { kRead, kWrite, kReadWrite };

struct Touch {
  uint32_t buffer = 0;
  Mode mode = Mode::kRead;
  std::vector<ByteRange> ranges;
};

class StreamWriter {
 public:
  StreamWriter(absl::string_view name, const Hardware& hardware);

  uint32_t AddXram(absl::string_view name, uint64_t size, bool live_in, bool live_out,
                   bool constant);
  // With its allocating op.
  uint32_t AddLram(absl::string_view name, uint64_t size);
  void Grow(uint32_t buffer, uint64_t size) { buffers_[buffer].buffer.size = size; }
  uint64_t SizeOf(uint32_t buffer) const { return buffers_[buffer].buffer.size; }

  // Moves so many bytes, all of what the touches say; the cycles that it takes.
  uint64_t Load(absl::string_view name, uint64_t bytes, std::vector<Touch> touches);
  uint64_t Store(absl::string_view name, uint64_t bytes, std::vector<Touch> touches);
  // A program from its start to its wait.
  void Run(absl::string_view name, uint64_t cycles, std::vector<Touch> touches);

  uint32_t op_count() const { return static_cast<uint32_t>(ops_.size()); }
  // Names are moved out; the stream's are views of them.
  absl::StatusOr<Stream> Build(std::deque<std::string>* names) &&;

 private:
  struct WrittenBuffer {
    Buffer buffer;
    std::string name;
    uint32_t alloc = 0;  // op; of LRAM
  };
  struct WrittenOp {
    OpSpec spec;
    std::string name;
    std::vector<Touch> touches;
  };
  uint64_t Transfer(OpKind kind, absl::string_view name, uint64_t bytes,
                    std::vector<Touch> touches);

  const std::string name_;
  const Hardware& hardware_;
  std::vector<WrittenBuffer> buffers_;
  std::vector<WrittenOp> ops_;
};

}  // namespace torqsched::lowering

#endif  // TORQSCHED_SRC_LOWERING_STREAM_WRITER_H_
