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

// Why a transfer that touches a resident buffer stays.
enum class KeptReason : uint8_t {
  kNone,           // it need not
  kNoCopy,         // it is no copy between one XRAM buffer and one resident buffer
  kUsedOutside,    // something else touches its XRAM buffer
  kNotOneToOne,    // its bytes go to, or come from, different places
  kReload,         // it brings back what was there before its buffer was used
  kNotStoredBack,  // what is written to its buffer is not stored after the last write
  kTableWritten,   // its buffer holds an own table, and is written
  kAnotherStays    // another transfer of its tensor has to stay
};

struct KeptTransfer {
  OpIndex op;
  KeptReason reason = KeptReason::kNone;
};

// What changes in the stream. Ascending.
struct BoundStream {
  std::vector<BufferIndex> live_in;   // buffers that become live in
  std::vector<BufferIndex> live_out;  // likewise out
  std::vector<OpIndex> dropped;       // transfers that become pure ops without accesses
  std::vector<KeptTransfer> kept;     // transfers that touch resident buffers and stay
  uint64_t reserved_bytes = 0;        // SRAM of the chip that holds carried states elsewhere
};

}  // namespace torqsched

#endif  // TORQSCHED_SRC_RESIDENCY_BOUND_STREAM_H_
