// Where the elements of an activation lie: column block by column block, as its layer's tiles write
// them, so that each tile writes one run of bytes; within a block pixel by pixel.
//
//   columns 0..7 | 8..15        a tile of columns 8..15, rows 0..3, is bytes [8 * pixels, ...)
//
// A reader of some rows reads a run in each block; one of some columns a run in each block that has
// some of them, if it has all of the block's, else one in each pixel.
//
// What a reader asks for is a range of the activation as it would lie without blocks, pixel by
// pixel: its *logical* bytes.
#ifndef TORQSCHED_SRC_LOWERING_ACTIVATION_LAYOUT_H_
#define TORQSCHED_SRC_LOWERING_ACTIVATION_LAYOUT_H_

#include <cstdint>
#include <vector>

#include "src/lowering/layer_shapes.h"

namespace torqsched::lowering {

// A run of runs: what a transfer or a program touches.
struct Ranges {
  std::vector<ByteRange> ranges;  // ascending, disjoint, at most kMostRanges, none empty
  bool exact = true;              // else they have more bytes than are touched
  uint64_t bytes = 0;             // that are touched
};
constexpr size_t kMostRanges = 16;

class ActivationLayout {
 public:
  ActivationLayout() = default;
  // Of so many pixels; a pixel has block_begins.back() bytes, block_begins starts with 0 and
  // ascends.
  ActivationLayout(uint64_t pixels, std::vector<uint64_t> block_begins);

  // Where logical bytes lie.
  Ranges Window(ByteRange window) const;
  // Likewise, but of each run of `unit` bytes only columns [first, end) of `columns`, rounded out
  // to whole bytes. The window is whole units. Where units are other than the layout's pixels and
  // the blocks of these are in the way, the ranges have all of the window.
  Ranges Window(ByteRange window, uint64_t unit, uint64_t first, uint64_t end,
                uint64_t columns) const;

  // What a tile of pixels [first, end) and of block `block` writes.
  ByteRange Tile(uint64_t first_pixel, uint64_t end_pixel, size_t block) const;

 private:
  uint64_t PixelBytes() const { return block_begins_.back(); }
  // The last block that begins at or before this byte of a pixel.
  size_t BlockOf(uint64_t byte) const;
  // Where logical bytes lie in block b.
  ByteRange Run(size_t b, ByteRange window) const;
  // Logical bytes lie in their own order.
  bool Linear() const { return pixels_ == 1 || block_begins_.size() == 2; }

  uint64_t pixels_ = 1;
  std::vector<uint64_t> block_begins_ = {0, 1};
};

}  // namespace torqsched::lowering

#endif  // TORQSCHED_SRC_LOWERING_ACTIVATION_LAYOUT_H_
