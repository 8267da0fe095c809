// Which bytes of its inputs a tile needs, and where they lie: written down as a definition, not as
// an algorithm.
#ifndef TORQSCHED_TESTS_LOWERING_TILE_NEEDS_H_
#define TORQSCHED_TESTS_LOWERING_TILE_NEEDS_H_

#include <cstdint>
#include <vector>

#include "src/lowering/layer_shapes.h"
#include "src/network/network.h"

namespace torqsched {

struct ByteRun {
  uint64_t begin = 0;
  uint64_t end = 0;
};

// Rows and columns of a layer's output.
struct TileExtent {
  uint64_t row = 0;
  uint64_t end_row = 0;
  uint64_t column = 0;
  uint64_t end_column = 0;
};

// Where an activation lies: runs of columns one after the other, each pixel by pixel.
struct OutputPlace {
  struct Block {
    uint64_t begin = 0;    // byte of the buffer
    uint64_t columns = 0;  // bytes of a pixel before it
    uint64_t width = 0;    // bytes of a pixel
  };
  bool known = false;
  uint32_t buffer = 0xffffffff;
  uint64_t pixels = 1;
  std::vector<Block> blocks;

  // Of bytes in the order of pixels.
  std::vector<ByteRun> Physical(const ByteRun& logical) const;
};

// Bytes of the layer's input `i`, in the order of its pixels.
std::vector<ByteRun> NeedsOf(const NetworkLayer& layer, const lowering::LayerShape& shape, size_t i,
                             const TileExtent& tile);

}  // namespace torqsched

#endif  // TORQSCHED_TESTS_LOWERING_TILE_NEEDS_H_
