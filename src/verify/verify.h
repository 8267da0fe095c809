// The independent checker: does an answer do what the stream says?
//
// It recomputes everything from the accesses and shares no code with the scheduler, the graph, the
// oracle or their clock: it depends on the stream's and the hardware's plain data only. So that a
// mistake would have to be made twice, it also goes about it differently: no graph is built (every
// dependence becomes a comparison of positions in the order), nothing is placed (the claimed moves
// are replayed), clocks count in 128 bits instead of saturating.
//
// Invariants:
//   1. No claim crashes it, or costs more than said below: indices, entries and offsets may be
//      anything.
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
// Source: docs/semantics.md.
#ifndef TORQSCHED_SRC_VERIFY_VERIFY_H_
#define TORQSCHED_SRC_VERIFY_VERIFY_H_

#include "src/hardware/hardware.h"
#include "src/stream/stream.h"
#include "src/verify/claim.h"

namespace torqsched {

// Every violation, not only the first. An order that is no permutation, and lists of moves or
// transfers that are out of order, are reported as such and checked no further.
Verification Verify(const Stream& stream, const Hardware& hardware, const Claim& claim);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_VERIFY_VERIFY_H_
