// What an allocator oracle answers: where every LRAM buffer lies when the ops run in a given order,
// which swap transfers that takes, and what the order then costs.
//
// The *placed stream* is the given order with the swap transfers in place; its entries are counted
// from 0. A buffer that dies gives its range back after the entry of its last user; that is not
// listed. Plain data, kept beside Stream so that the checker can read an answer without sharing any
// code with what made it.
//
// Source: docs/semantics.md, section 6.
#ifndef TORQSCHED_SRC_STREAM_PLACEMENT_H_
#define TORQSCHED_SRC_STREAM_PLACEMENT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/stream/index.h"

namespace torqsched {

// A transfer of a whole buffer that the oracle added: entry `entry` of the placed stream.
struct SwapTransfer {
  uint64_t entry = 0;
  bool is_store = false;  // to XRAM; else a load back
  BufferIndex buffer;
  uint64_t offset = 0;  // where in LRAM it is, bytes from the first usable byte
};

// A buffer comes into LRAM (new or back) or is evicted, just before an entry of the placed stream.
// An eviction that stores first is listed before the entry after its store; a load back is listed
// before its load. A buffer that is live in comes in before entry 0.
struct Move {
  uint64_t entry = 0;
  bool in = false;
  BufferIndex buffer;
  uint64_t offset = 0;
};

enum class FailureReason : uint8_t {
  kNone,
  kCapacity,       // not enough free bytes
  kFragmentation,  // free bytes would do, a free range would not
  kHost,           // the host's own allocator said no
  kOverflow,       // its cycles with swaps do not fit 64 bits
};

struct PlacementFailure {
  FailureReason reason = FailureReason::kNone;
  OpIndex op;                        // absent: placing the live-in buffers
  std::vector<BufferIndex> buffers;  // which that op still needs to have placed
  uint64_t pinned_bytes = 0;  // rounded sizes of residents that this op or a running program uses
  uint64_t free_bytes = 0;
  uint64_t largest_range = 0;  // bytes of the largest free range
};

struct Placement {
  bool placed = false;
  bool has_detail = true;   // false: a host's oracle that told no offsets
  uint64_t swaps = 0;       // evictions, free ones included
  uint64_t stores = 0;      // of them with a store
  uint64_t loads = 0;       // loads back
  uint64_t swap_bytes = 0;  // of stores and loads, not rounded; the largest value if that is more
  uint64_t peak = 0;        // most bytes in use at once, sizes rounded up to the alignment
  uint64_t makespan = 0;    // after allocation, cycles
  // Pairs of buffers that one op reads whose first bytes are in one bank, of all ops together.
  std::optional<uint64_t> bank_conflicts;    // absent: the hardware has no banks, or nobody says
  std::vector<SwapTransfer> swap_transfers;  // by entry
  std::vector<Move> moves;                   // by entry
  PlacementFailure failure;                  // only where not placed
};

}  // namespace torqsched

#endif  // TORQSCHED_SRC_STREAM_PLACEMENT_H_
