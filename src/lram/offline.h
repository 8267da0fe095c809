// The OFFLINE oracle: an allocator that knows the whole order before it places the first byte.
//
//   1. What SEQUENTIAL places without a swap stays as it is.
//   2. Else all buffers, with their live ranges, are placed together (src/allocation): no swaps.
//   3. Where that fails and swaps are allowed: it chooses over which gaps between uses buffers go
//      out, moves the transfers under running programs, and places the stays that are left. Where
//      they cannot be placed, more goes out, a bounded number of times.
//   4. SEQUENTIAL's own evictions, without the transfers that contents do not need, are a candidate
//      too; and where none of all these is as good in bytes and cycles both, SEQUENTIAL's answer
//      is the answer.
//   5. Where the hardware has banks, buffers then go to other offsets so that those that one op
//      reads are in different banks (bank_spread.h). Nothing but offsets changes.
//
// Guarantee: places whatever SEQUENTIAL places, moves no more swap bytes and takes no longer.
//
// What it leaves out: contents that lie in XRAM for other reasons than a swap or a constant (a
// buffer that an op has stored itself) are not found there; a buffer that is in use is never moved.
// Cost: near-linear in ops, uses and accesses, times a bounded number of sweeps, plus a bounded
// number of allocations, each with a limit in search nodes that is linear in the stays. Nothing of
// it where SEQUENTIAL needs no swap.
//
// Source: docs/semantics.md, section 6.
#ifndef TORQSCHED_SRC_LRAM_OFFLINE_H_
#define TORQSCHED_SRC_LRAM_OFFLINE_H_

#include <vector>

#include "src/graph/problem.h"
#include "src/stream/placement.h"

namespace torqsched {

struct OfflinePlacement {
  Placement placement;
  Placement sequential;  // what SEQUENTIAL answers about the same order
};

// Places an order of all ops, which must keep the dependences. slices: of starts. Not being placed
// is an answer, also where cycles with swaps do not fit 64 bits (reason overflow).
OfflinePlacement PlaceOffline(const ScheduleProblem& problem, const std::vector<OpIndex>& order,
                              const IndexVector<OpIndex, uint8_t>& slices, bool swaps_allowed);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_LRAM_OFFLINE_H_
