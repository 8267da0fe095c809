// The problem as the solver sees it: bodies over sections.
//
// A *body* is what must move as one: a buffer with its views, or several buffers that have the same
// offset. It has one or more *pieces*: runs of sections in which it takes a number of bytes from
// its offset up; between pieces (gaps) it takes none.
//
// A *section* stands for a time at which as many bodies as possible are live together: times whose
// live bodies are among those of another time are left out, so there are at most as many sections
// as pieces. Two bodies conflict exactly if they share a section. A pair that must be separate
// though it is never live together gets a section of its own behind the last.
//
// Sizes come twice: in bytes, and rounded up to `grain`, the greatest common divisor of all
// alignments and fixed offsets. As every offset is a multiple of the grain, whoever lies above a
// body begins at its rounded end or higher; only against the capacity, reserved bytes and
// boundaries the size in bytes counts.
#ifndef TORQSCHED_SRC_ALLOCATION_PACKING_H_
#define TORQSCHED_SRC_ALLOCATION_PACKING_H_

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "absl/numeric/int128.h"
#include "src/allocation/allocation.h"
#include "src/stream/index.h"
#include "src/stream/position_tree.h"

namespace torqsched {

// No offset: larger than every real one.
constexpr uint64_t kNoOffset = std::numeric_limits<uint64_t>::max();
// Heights and sizes in a packing are at most this, so that sums of two fit 64 bits.
constexpr uint64_t kMostBytes = uint64_t{1} << 62;

struct Piece {
  uint32_t first = 0;  // sections [first, last)
  uint32_t last = 0;
  uint64_t size = 0;     // bytes, at least 1
  uint64_t rounded = 0;  // up to the grain
};

struct Body {
  uint64_t size = 0;  // of its largest piece
  uint64_t rounded = 0;
  uint64_t alignment = 1;
  bool fixed = false;
  uint64_t offset = 0;  // where fixed
  uint32_t first = 0;   // sections [first, last) hold all of its pieces
  uint32_t last = 0;
};

// Where bodies may be at all: the bytes between reserved ranges and boundaries, from 0 up. Shared
// by all packings that are made of one problem.
class Room {
 public:
  // grain as in Packing. Cost: O(n log n).
  Room(std::vector<ByteRange> reserved, std::vector<uint64_t> boundaries, uint64_t grain);

  // The least offset from `offset` on, a multiple of the alignment, at which so many bytes lie
  // between two of them; kNoOffset beyond `highest`. Cost: O(log n), but for intervals that are
  // long enough only before their begin is rounded up.
  uint64_t Lift(uint64_t offset, uint64_t size, uint64_t alignment, uint64_t highest) const;
  // The least end of a stack of `height` rounded bytes from 0 up that leaves out reserved bytes.
  absl::uint128 EndOfStack(absl::uint128 height) const;
  // Reserved bytes in [offset, limit), rounded inwards to the grain's multiples.
  uint64_t ReservedIn(uint64_t offset, uint64_t limit) const;
  // Offsets at which something may begin because of them.
  const std::vector<uint64_t>& begins() const { return begins_; }

 private:
  std::vector<uint64_t> begins_;           // of the intervals between them, ascending
  std::vector<uint64_t> ends_;             // of the same
  PositionTree lengths_;                   // of the same, at most 2^62
  std::vector<ByteRange> rounded_;         // reserved ranges, ends rounded up to the grain
  std::vector<uint64_t> reserved_before_;  // bytes of all of rounded_ before each; one more
};

struct Packing {
  std::vector<Body> bodies;
  Rows<Piece> pieces;  // by body, ascending
  uint32_t sections = 0;
  uint64_t grain = 1;
  // In a placement where no body can move down, all offsets are multiples of this (of the grain,
  // and of what all sizes have in common).
  uint64_t stride = 1;
  std::shared_ptr<const Room> room;  // null: nothing is reserved, and there are no boundaries

  // The highest offset at which the body ends within the capacity; kNoOffset if there is none.
  uint64_t HighestOffset(const Body& body, uint64_t capacity) const {
    if (body.size > capacity) return kNoOffset;
    const uint64_t highest = capacity - body.size;
    return highest - highest % stride;
  }
};

// Where a body may begin, other bodies aside: at a multiple of its alignment, clear of reserved
// bytes, across no boundary. The least such offset from `offset` on; kNoOffset beyond `highest`.
uint64_t LiftClear(const Packing& packing, const Body& body, uint64_t offset, uint64_t highest);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_ALLOCATION_PACKING_H_
