// What is checked, and what is found: the plain types of the checker.
#ifndef TORQSCHED_SRC_VERIFY_CLAIM_H_
#define TORQSCHED_SRC_VERIFY_CLAIM_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/stream/index.h"
#include "src/stream/placement.h"

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
  kPlacement,   // a live buffer without a range, outside LRAM, off its alignment or fixed offset;
                // of an allocation, too, over reserved bytes or a boundary
  kOverlap,     // two live ranges, or two that are to be separate, over the same bytes
  kSwap,        // a transfer or move that does not fit the placed stream
  kContents,    // what a buffer holds when it is read is not what was written
  kPeak,
  kPrice,
  kAlias,       // of an allocation: parts and wholes, offsets that are to be the same
  kHeight,      // another than claimed
  kLowerBound,  // none, or less than the largest sum of live bytes
  kConflict,    // names no buffers, or out of order
  kVerdict,     // contradicts the rest of the answer
  kBanks,       // another number of bank conflicts than claimed
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
  uint64_t predicted_makespan = 0;    // recomputed, where the order has a price; else 0
  uint64_t allocated_makespan = 0;    // recomputed, where there is a placement; else 0
  uint64_t peak_live_bytes = 0;       // recomputed
  uint64_t height = 0;                // of an allocation, recomputed; 0 where nothing is placed
};

}  // namespace torqsched

#endif  // TORQSCHED_SRC_VERIFY_CLAIM_H_
