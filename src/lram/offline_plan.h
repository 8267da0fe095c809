// A plan of swaps: over which gaps which buffers go out, from when to when; what it costs; and the
// placement that it becomes once every stay in LRAM has its offset.
//
// A *stay* of a buffer lasts from its birth or return to its next eviction or death. At the
// boundary before a position the evictions come first, by buffer, then what comes in, by buffer:
// whatever lies in LRAM there lay in it before or does so after, so two placements that hold at the
// positions hold in between.
//
// Invariants: outs stand by buffer, then by position; an out lies within its gap and is not empty.
// Cost: linear in ops, outs and buffers.
#ifndef TORQSCHED_SRC_LRAM_OFFLINE_PLAN_H_
#define TORQSCHED_SRC_LRAM_OFFLINE_PLAN_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "src/lram/offline_gaps.h"
#include "src/stream/placement.h"

namespace torqsched {
namespace offline {

struct Out {
  uint32_t gap = 0;    // in Residency::gaps
  uint32_t leave = 0;  // evicted just before this position
  uint32_t back = 0;   // back in just before this one
  // Filled by SettleTransfers.
  bool stores = false;
  bool loads = false;
};

using Plan = std::vector<Out>;

// The plan that is out for the whole of every gap that is marked.
Plan WholeGaps(const Residency& residency, const std::vector<uint8_t>& evicted);

// Says which evictions need a store and which returns a load: contents that matter are stored once
// for each version, and loaded where something accesses them before they go out again.
void SettleTransfers(const Residency& residency, Plan* plan);

struct Price {
  uint64_t swap_bytes = 0;  // not rounded; the largest value if it is more
  uint64_t makespan = 0;
};

// What the order costs with the plan's transfers; absent where its cycles do not fit 64 bits.
// slack, unless null, becomes by position how long the stream is blocked there: what a transfer
// just before that wait may take without making anything later. 0 at what is no wait.
std::optional<Price> PriceOf(const Residency& residency, const Plan& plan,
                             std::vector<uint64_t>* slack = nullptr);

// The stays, by buffer, then by position.
struct Stay {
  BufferIndex buffer;
  uint32_t begin = 0;  // in LRAM at the positions [begin, end)
  uint32_t end = 0;
};
std::vector<Stay> StaysOf(const Residency& residency, const Plan& plan);

// offsets: of the stays.
Placement PlacementOf(const Residency& residency, const Plan& plan, const std::vector<Stay>& stays,
                      const std::vector<uint64_t>& offsets, const Price& price);

}  // namespace offline
}  // namespace torqsched

#endif  // TORQSCHED_SRC_LRAM_OFFLINE_PLAN_H_
