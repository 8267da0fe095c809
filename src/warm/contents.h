// What of a region is in L2: an estimate of least-recently-used replacement.
//
// The idea: a clock counts the bytes that come into L2. A byte that was last touched when the clock
// was at s is in L2 while the clock is below s + capacity. A stage or the engine touches a region
// in the order of its bytes at an even rate, so that the clock at which its bytes were touched is
// linear in pieces, one piece an event. What is left out: sets and ways, and lines that two users
// touch at once.
//
// Invariants: pieces are sorted, do not overlap and are not empty. At most kMostPieces: beyond,
// neighbours are joined (the clock in between becomes linear over both).
//
// Source: LRU stack distance (Mattson et al. 1970), applied to streams.
#ifndef TORQSCHED_SRC_WARM_CONTENTS_H_
#define TORQSCHED_SRC_WARM_CONTENTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace torqsched::warm {

struct TouchedPiece {
  int64_t begin = 0;  // grains in the region
  int64_t end = 0;
  int64_t first_clock = 0;  // grains that had come into L2 when `begin` was touched
  int64_t last_clock = 0;   // when `end` was
  bool by_engine = false;   // a stage has not read it since
};

class RegionContents {
 public:
  static constexpr size_t kMostPieces = 64;

  void Clear() { pieces_.clear(); }
  // The piece that holds this byte; null: it was never touched.
  const TouchedPiece* At(int64_t position) const;
  // Where the first piece after `position` begins; most: there is none.
  int64_t NextBegin(int64_t position, int64_t most) const;
  // The range is touched, and what was known of it is forgotten.
  void Touch(const TouchedPiece& piece);
  const std::vector<TouchedPiece>& pieces() const { return pieces_; }

  // The clock at which a byte of the piece was touched.
  static int64_t ClockAt(const TouchedPiece& piece, int64_t position);

 private:
  size_t FirstEndingAfter(int64_t position) const;
  void Join();

  std::vector<TouchedPiece> pieces_;
};

}  // namespace torqsched::warm

#endif  // TORQSCHED_SRC_WARM_CONTENTS_H_
