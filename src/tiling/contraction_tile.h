// How a contraction is cut into tiles that fit a budget, and what those tiles take and load.
//
// Cost of each function: a logarithm of the dimensions, whatever the number of tiles.
#ifndef TORQSCHED_SRC_TILING_CONTRACTION_TILE_H_
#define TORQSCHED_SRC_TILING_CONTRACTION_TILE_H_

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "src/tiling/tiling.h"

namespace torqsched {

// The bytes of LRAM of the smallest tile that keeps every row whole: all rows, all of k, one
// granule of n (all of n where that is less), and code. INVALID_ARGUMENT with the field
// ("shape.k", "hardware.granule") where a number is out of range; "shape" where the bytes do not
// fit 64 bits.
absl::StatusOr<uint64_t> WholeRowBytes(const Contraction& contraction,
                                       const TilingHardware& hardware);

// The tile that a budget of 0 to usable bytes of LRAM leads to. The first of these that fits it:
//
//   1. All rows, all of k, and the most of n.
//   2. Only where one granule of n in step 1 would fit all of LRAM, so that the budget alone splits
//      the rows: as few row tiles as possible, as even as possible, all of k, and the most of n.
//   3. All rows, one granule of n, and the most of k; the tiles of k accumulate.
//   4. The most rows, one granule of n and one of k.
//
// "The most" of n and of k is the whole or the largest multiple of the granule below it; one
// granule is the whole where that is less. Where not even one row fits in step 4 the answer is that
// tile, with fits false. Errors as WholeRowBytes, and "budget" where it is more than usable LRAM;
// "shape" as well where trips or the bytes that all loads move do not fit 64 bits. Cycles that do
// not are no error, but the largest value.
absl::StatusOr<ContractionTile> CutContraction(const Contraction& contraction,
                                               const TilingHardware& hardware, uint64_t budget);

// The tile with the same rows and k, and the largest n below tile.n, a multiple of the granule,
// that fits usable LRAM together with the weight of the next such tile. Where no n does: one
// granule of n (tile.n where that is less), and the largest such k below tile.k; its tiles
// accumulate, and lhs is loaded again for each tile of n. Absent where there is none either: rows
// are never cut. Errors as CutContraction, and "tile.n" (rows, k) where the tile is none of this
// contraction.
absl::StatusOr<std::optional<ContractionTile>> NextDoubleBuffering(const Contraction& contraction,
                                                                   const TilingHardware& hardware,
                                                                   const ContractionTile& tile);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_TILING_CONTRACTION_TILE_H_
