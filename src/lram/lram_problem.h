// A stream's LRAM buffers as an allocation problem: who is live when, in a given order.
//
// Times are positions in the order. A buffer is live from its first user up to and including its
// last, a program using it until its wait; one that is live in from 0, one that is live out to the
// end. Buffer i of the stream is buffer i of the problem. Those in XRAM, and those that are never
// born, have an empty live range, take no room and keep nothing else where they could not lie in
// LRAM at all.
//
// Source: docs/semantics.md, sections 2 and 8.
#ifndef TORQSCHED_SRC_LRAM_LRAM_PROBLEM_H_
#define TORQSCHED_SRC_LRAM_LRAM_PROBLEM_H_

#include <vector>

#include "absl/status/statusor.h"
#include "src/allocation/allocation.h"
#include "src/graph/lifetimes.h"
#include "src/hardware/hardware.h"
#include "src/stream/stream.h"

namespace torqsched {

// All of usable LRAM as capacity, the hardware's alignment and regions, no further constraints.
// order is one that CheckOrder accepts. Linear in ops, buffers and uses.
AllocationProblem LramProblem(const Stream& stream, const Hardware& hardware,
                              const Lifetimes& lifetimes, const std::vector<OpIndex>& order);

// The same for an order from outside. INVALID_ARGUMENT where CheckOrder refuses it, and what
// Lifetimes refuses.
absl::StatusOr<AllocationProblem> MakeLramProblem(const Stream& stream, const Hardware& hardware,
                                                  const std::vector<OpIndex>& order);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_LRAM_LRAM_PROBLEM_H_
