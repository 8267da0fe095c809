// The SEQUENTIAL oracle: an allocator that walks the order once, as the Torq compiler's own does,
// and swaps buffers out when they do not fit.
//
// Each op's buffers are pinned, those not resident are placed by the two-ended rule (sizes rounded
// up to the hardware's alignment), and where there is no room the unpinned resident that came in
// first is evicted. It looks ahead for one thing only: whether an eviction needs a store and a
// return a load.
//
// What it leaves out: it never moves a resident, never chooses a victim by cost. Cost: O((ops +
// uses) log uses) plus, once something is evicted, one table of all accesses by buffer.
//
// Source: docs/semantics.md, section 6.
#ifndef TORQSCHED_SRC_LRAM_SEQUENTIAL_H_
#define TORQSCHED_SRC_LRAM_SEQUENTIAL_H_

#include <vector>

#include "absl/status/statusor.h"
#include "src/graph/problem.h"
#include "src/stream/placement.h"

namespace torqsched {

// Places an order of all ops, which must keep the dependences. slices: of starts. Not being placed
// is an answer; an error is only cycles of swaps that do not fit 64 bits.
absl::StatusOr<Placement> PlaceSequentially(const ScheduleProblem& problem,
                                            const std::vector<OpIndex>& order,
                                            const IndexVector<OpIndex, uint8_t>& slices,
                                            bool swaps_allowed);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_LRAM_SEQUENTIAL_H_
