// What the loop over a contraction's tiles takes on one slice.
//
// Tiles go by rows, in these by n, in these by k. A transfer takes ceil(bytes * dma_cycles /
// dma_bytes) cycles, one for each operand and for code, one after the other; a program its macs by
// the rate of lhs's elements, and at least least_program_cycles. Each trip:
//
//   1. while the program runs, of what the next trip loads that which has room beside the tile;
//   2. once both are done, out is stored, where this was the last tile of k: a tile has one out, so
//      that the next program waits for the store;
//   3. what the next trip loads and had no room.
//
// The first trip loads before all that. Where a tile does not double-buffer nothing has room, so
// loads, programs and stores all take turns. Where it does the next weight has; code has, if it
// fits usable LRAM as well, and lhs, if it does besides that. Which operands a trip loads: see
// ContractionTile::loaded_bytes.
#ifndef TORQSCHED_SRC_TILING_LOOP_CYCLES_H_
#define TORQSCHED_SRC_TILING_LOOP_CYCLES_H_

#include <cstdint>

#include "src/tiling/tiling.h"

namespace torqsched {

// Of a contraction and hardware that passed their checks, and a tile whose other numbers are right.
// The largest value where the sum does not fit 64 bits. Cost: constant, whatever the number of
// trips.
uint64_t LoopCycles(const Contraction& contraction, const TilingHardware& hardware,
                    const ContractionTile& tile);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_TILING_LOOP_CYCLES_H_
