// How a layer is cut into tiles under a budget, and what a tile takes of LRAM.
//
// Rows and sums stay whole and columns are cut, where that fits. Else, of all cuts of rows and
// columns that fit, the one that loads the fewest bytes. Sums are cut, with accumulation, only
// where nothing else fits. Of attention, rows and chunks of keys and values are cut together.
// Chunks of one run of rows add up one after the other; so several runs may go through the chunks
// abreast, a slice each, and each chunk loaded once for all of them. Of these cuts the one is taken
// whose loads or programs, whichever take longer, take the least.
#ifndef TORQSCHED_SRC_LOWERING_LAYER_TILE_H_
#define TORQSCHED_SRC_LOWERING_LAYER_TILE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "src/lowering/layer_shapes.h"

namespace torqsched::lowering {

// So many rows, columns, summed elements a tile, the last of each maybe fewer; keys and values in
// so many chunks.
struct LayerTile {
  uint64_t rows = 1;
  uint64_t n = 1;
  uint64_t k = 1;
  uint64_t chunks = 1;
  bool rows_outer = true;
  // Runs of rows that go from chunk to chunk together, the last ones maybe fewer. More than 1 only
  // of attention in chunks, and never more than there are.
  uint64_t abreast = 1;
};

struct TileCounts {
  uint64_t row_tiles = 1;
  uint64_t n_tiles = 1;
  uint64_t k_tiles = 1;
  uint64_t chunks = 1;
  // Saturates.
  uint64_t Programs() const;
};
TileCounts CountsOf(const LayerShape& shape, const LayerTile& tile);

// Where a layer's inputs and output are: what is resident is pinned whole, however small the tile.
struct Placing {
  std::vector<uint64_t> resident_input_bytes;  // by input; 0: it is loaded tile by tile
  uint64_t resident_output_bytes = 0;          // 0: it is stored tile by tile
};

// What a tile takes: code, weights, inputs, output, and what is pinned; of tiles abreast what all
// of them take together, with one code. Saturates.
uint64_t TileBytes(const LayerShape& shape, const LayerTile& tile, const Placing& placing,
                   const LoweringNumbers& numbers);

// What all loads of the layer move, within some rows of halo, and some groups where groups of
// columns and tiles do not go into each other. Saturates.
uint64_t LoadedBytes(const LayerShape& shape, const LayerTile& tile, const Placing& placing,
                     const LoweringNumbers& numbers);

// The whole of the rows and sums, and one granule of columns: tile-budgets' rule 3 looks at it.
LayerTile SmallestWholeRowTile(const LayerShape& shape, const LoweringNumbers& numbers);

// No cut takes less: one row, a granule of columns and sums, chunks of a granule.
LayerTile SmallestTile(const LayerShape& shape, const LoweringNumbers& numbers);

// What a cut of attention is priced by: Hardware's.
struct ChipRates {
  uint64_t slices = 1;
  uint64_t dma_bytes = 1;  // take dma_cycles
  uint64_t dma_cycles = 1;
};

// Of attention: cycles of all its loads, or of its programs on as many slices as have one at a
// time, whichever are more. Saturates.
uint64_t AttentionCycles(const LayerShape& shape, const LayerTile& tile, const Placing& placing,
                         const LoweringNumbers& numbers, const ChipRates& rates);

// The cut that fits so many bytes, or absent. cut_sums: sums may be cut. Cost: at most some hundred
// cuts of rows are looked at, and as many for each power of two of slices.
std::optional<LayerTile> ChooseTile(const LayerShape& shape, const Placing& placing,
                                    const LoweringNumbers& numbers, const ChipRates& rates,
                                    uint64_t bytes, bool cut_sums);

}  // namespace torqsched::lowering

#endif  // TORQSCHED_SRC_LOWERING_LAYER_TILE_H_
