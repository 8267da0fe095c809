// A stream beside a residency plan: which of its buffers hold which tensors, and what follows.
#ifndef TORQSCHED_SRC_RESIDENCY_BOUND_STREAM_H_
#define TORQSCHED_SRC_RESIDENCY_BOUND_STREAM_H_

#include <cstdint>
#include <vector>

#include "src/stream/index.h"
#include "src/stream/stream.h"

namespace torqsched {

// An LRAM buffer of a stream holds bytes of a tensor, and nothing else from first to last.
struct TensorBuffer {
  uint32_t buffer = 0;  // position in the stream's buffers
  uint32_t tensor = 0;  // position in the program's tensors
};

// One instance's stream of a program, on one chip.
struct StreamOfProgram {
  uint32_t program = 0;
  uint32_t chip = 0;
  Stream stream;
  std::vector<TensorBuffer> bindings;
};

// What changes in the stream. Ascending.
struct BoundStream {
  std::vector<BufferIndex> live_in;   // buffers that become live in
  std::vector<BufferIndex> live_out;  // likewise out
  std::vector<OpIndex> dropped;       // transfers that become pure ops without accesses
  uint64_t kept = 0;                  // transfers that touch resident buffers and stay
  uint64_t reserved_bytes = 0;        // SRAM of the chip that holds carried states elsewhere
};

}  // namespace torqsched

#endif  // TORQSCHED_SRC_RESIDENCY_BOUND_STREAM_H_
