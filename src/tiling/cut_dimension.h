// A dimension of a contraction, cut into tiles of one size and a smaller last one.
//
// So that what is counted over tiles is counted over their sizes: at most two a dimension, however
// many tiles there are.
#ifndef TORQSCHED_SRC_TILING_CUT_DIMENSION_H_
#define TORQSCHED_SRC_TILING_CUT_DIMENSION_H_

#include <array>
#include <cstdint>

namespace torqsched {

class CutDimension {
 public:
  struct Part {
    uint64_t size;
    uint64_t tiles;  // of this size; 0: there is none
  };
  struct Step {
    uint64_t from;  // size of a tile
    uint64_t to;    // and of the one after it
    uint64_t times;
  };

  // A tile is at least 1 and no larger than the whole.
  CutDimension(uint64_t whole, uint64_t tile_size)
      : size_(tile_size), full_tiles_(whole / tile_size), last_(whole % tile_size) {}

  uint64_t tiles() const { return full_tiles_ + (last_ > 0 ? 1 : 0); }
  uint64_t first_size() const { return size_; }
  uint64_t final_size() const { return last_ > 0 ? last_ : size_; }

  std::array<Part, 2> Parts() const { return {{{size_, full_tiles_}, {last_, last_ > 0}}}; }
  // From each tile to the next.
  std::array<Step, 2> Steps() const {
    return {{{size_, size_, full_tiles_ - 1}, {size_, last_, last_ > 0}}};
  }

 private:
  uint64_t size_;
  uint64_t full_tiles_;
  uint64_t last_;  // size of the ragged tile; 0: there is none
};

}  // namespace torqsched

#endif  // TORQSCHED_SRC_TILING_CUT_DIMENSION_H_
