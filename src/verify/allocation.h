// The independent checker of allocations: does a placement hold, does the rest of the answer agree
// with it?
//
// It shares the plain types with the allocator, and no code. Where that works on bodies and
// sections, this sweeps over time with a tree over the bytes, and sums in 128 bits.
//
// Invariants:
//   1. No answer crashes it, or costs more than said below: offsets and indices may be anything.
//   2. Without violations a placement holds; an answer that has none is free of contradictions, but
//      that no placement exists, or that a conflict cannot be placed, is not recomputed.
//   3. The same answer gives the same list. One fault is one violation as far as that can be told:
//      a buffer that shares bytes with several others is listed once.
//
// Cost: O((n + m) log (n + m)) for n buffers and m gaps, ranges, boundaries, aliases and pairs.
//
// Source: docs/semantics.md, section 8.
#ifndef TORQSCHED_SRC_VERIFY_ALLOCATION_H_
#define TORQSCHED_SRC_VERIFY_ALLOCATION_H_

#include <cstdint>
#include <functional>
#include <string>

#include "src/allocation/allocation.h"
#include "src/verify/claim.h"

namespace torqsched {

// How messages name a buffer: "buffer 3 'w3'". Empty: "buffer 3".
using BufferDescriber = std::function<std::string(uint32_t buffer)>;

// Every violation of an answer to a problem that is well formed. Recomputed are peak_live_bytes and
// height.
Verification VerifyAllocation(const AllocationProblem& problem, const AllocationAnswer& answer,
                              const BufferDescriber& describe = {});

}  // namespace torqsched

#endif  // TORQSCHED_SRC_VERIFY_ALLOCATION_H_
