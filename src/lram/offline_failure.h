// Where an order cannot be placed by anyone, because the buffers that must be in LRAM at one moment
// are more than it has; and how a failure says so.
#ifndef TORQSCHED_SRC_LRAM_OFFLINE_FAILURE_H_
#define TORQSCHED_SRC_LRAM_OFFLINE_FAILURE_H_

#include <cstdint>
#include <optional>

#include "src/graph/lifetimes.h"
#include "src/lram/offline_gaps.h"
#include "src/stream/placement.h"

namespace torqsched {
namespace offline {

// The first position at which the buffers that must be in have more bytes, not rounded, than LRAM:
// all live ones, or with swaps those that are not in a gap. Absent: there is none.
std::optional<uint32_t> FirstFullPosition(const Residency& residency, bool swaps_allowed);

// The failure at that position: its op, what it brings in, what is in already and stays. There is
// no layout, so the largest range is all that is free, up to the largest region.
PlacementFailure CapacityFailure(const Residency& residency, const Lifetimes& lifetimes,
                                 uint32_t position, bool swaps_allowed);

}  // namespace offline
}  // namespace torqsched

#endif  // TORQSCHED_SRC_LRAM_OFFLINE_FAILURE_H_
