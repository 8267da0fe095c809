#include "src/lram/offline_sequential.h"

namespace torqsched {
namespace offline {
namespace {

// A move, by the position before which it happens.
struct PlacedMove {
  uint32_t position;
  bool in;
  uint64_t offset;
};

}  // namespace

PlacedPlan PlanOfSequential(const Residency& residency, const Placement& sequential) {
  const std::vector<Move>& moves = sequential.moves;
  std::vector<uint32_t> positions(moves.size());
  size_t transfers = 0;  // entries of the placed stream that are no ops of the order
  for (size_t m = 0; m < moves.size(); ++m) {
    while (transfers < sequential.swap_transfers.size() &&
           sequential.swap_transfers[transfers].entry < moves[m].entry) {
      ++transfers;
    }
    positions[m] = static_cast<uint32_t>(moves[m].entry - transfers);
  }
  const Rows<uint32_t> by_buffer = GroupBy(residency.lives.size(), moves.size(),
                                           [&](size_t m) { return moves[m].buffer.value(); });
  PlacedPlan placed;
  uint32_t gap = 0;
  for (uint32_t i = 0; i < residency.lives.size(); ++i) {
    const Life& life = residency.lives[BufferIndex(i)];
    if (life.empty()) continue;
    uint64_t offset = 0;
    for (const uint32_t m : by_buffer[i]) {
      if (moves[m].in) {
        offset = moves[m].offset;
        if (!placed.plan.empty() && placed.plan.back().back == 0) {
          placed.plan.back().back = positions[m];
        }
        continue;
      }
      if (positions[m] <= life.begin) continue;  // before anything used it
      while (residency.gaps[gap].buffer.value() != i || residency.gaps[gap].end <= positions[m]) {
        ++gap;
      }
      placed.offsets.push_back(offset);
      Out out;
      out.gap = gap;
      out.leave = positions[m];
      placed.plan.push_back(out);  // its return is the next move of the buffer
    }
    placed.offsets.push_back(offset);
  }
  SettleTransfers(residency, &placed.plan);
  return placed;
}

}  // namespace offline
}  // namespace torqsched
