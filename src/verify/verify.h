// The independent checker: does an answer do what the stream says?
//
// It recomputes everything from the accesses and shares no code with the scheduler, the graph, the
// oracle or their clock: it depends on the stream's and the hardware's plain data only. So that a
// mistake would have to be made twice, it also goes about it differently: no graph is built (every
// dependence becomes a comparison of positions in the order), nothing is placed (the claimed moves
// are replayed), clocks count in 128 bits instead of saturating.
//
// Invariants:
//   1. No claim crashes it or makes it run long: indices, entries and offsets may be anything.
//   2. Without violations the answer holds: the order keeps every dependence, so each read sees the
//      writes that it sees in the input order; every buffer has bytes of its own while it is used,
//      and what an eviction takes away has come back by the time it is read; the numbers are right.
//   3. The same claim gives the same list. One fault is one violation as far as that can be told:
//      a check that rests on one that failed is left out.
//
// A violation names the op that is wrong by it (of a dependence the op that begins too early, of a
// swap the op that it was made for) once for each buffer, not once for each pair of ops.
//
// Cost: O((n + m) log m) for n ops, m accesses, operands, moves and swaps together. Where a
// placement evicts, add the number of (op, buffer) pairs in which the op uses the buffer.
//
// Source: shared semantics "stream scheduling" and "the allocator oracle".
#ifndef TORQSCHED_SRC_VERIFY_VERIFY_H_
#define TORQSCHED_SRC_VERIFY_VERIFY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/hardware/hardware.h"
#include "src/stream/index.h"
#include "src/stream/placement.h"
#include "src/stream/stream.h"

namespace torqsched {

// What an answer claims. Absent parts are not checked.
struct Claim {
  std::vector<OpIndex> order;                        // of all ops
  std::vector<std::pair<OpIndex, uint32_t>> slices;  // start, slice: one for each start with a wait
  const Placement* placement = nullptr;              // checked where it is placed and has detail
  std::optional<uint64_t> predicted_makespan;        // no swaps
  std::optional<uint64_t> allocated_makespan;        // swaps included; needs such a placement
  std::optional<uint64_t> peak_live_bytes;           // of the order, sizes not rounded
};

enum class ViolationKind : uint8_t {
  kNotAPermutation,
  kDependence,  // an order that breaks an operand, program, barrier or memory dependence
  kSlice,       // a start without a slice, a slice that does not exist
  kPlacement,   // a live buffer without a range, outside LRAM, off its alignment or fixed offset
  kOverlap,     // two live ranges over the same bytes
  kSwap,        // a transfer or move that does not fit the placed stream
  kContents,    // what a buffer holds when it is read is not what was written
  kPeak,
  kPrice,
};

struct Violation {
  ViolationKind kind = ViolationKind::kNotAPermutation;
  OpIndex op;          // absent where it is about no op
  BufferIndex buffer;  // likewise
  std::string message;
};

// More violations than these are counted, not listed: the last of the list then says how many.
constexpr size_t kMostViolations = 1000;

struct Verification {
  std::vector<Violation> violations;  // empty: the answer holds
  uint64_t predicted_makespan = 0;    // recomputed, where the order is a permutation
  uint64_t allocated_makespan = 0;    // recomputed, where there is a placement; else 0
  uint64_t peak_live_bytes = 0;       // recomputed
};

// Every violation, not only the first. An order that is no permutation, and lists of moves or
// transfers that are out of order, are reported as such and checked no further.
Verification Verify(const Stream& stream, const Hardware& hardware, const Claim& claim);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_VERIFY_VERIFY_H_
