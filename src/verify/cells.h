// The bytes of every buffer, cut where its accesses begin and end.
//
// Between two neighbouring cuts all bytes fare alike under any order of the ops, so a piece (a
// *cell*) stands for them: a buffer of gigabytes has no more cells than twice its accesses. Both
// the check of dependences and that of contents keep a tree over a buffer's cells.
//
// Invariants: the cells of a buffer are numbered from 0 by offset; an access covers the cells
// [first, last), none if it has no bytes; accesses of a buffer are listed in input order.
// Cost: O(m log m) for m accesses.
#ifndef TORQSCHED_SRC_VERIFY_CELLS_H_
#define TORQSCHED_SRC_VERIFY_CELLS_H_

#include <cstdint>
#include <vector>

#include "src/stream/index.h"
#include "src/stream/stream.h"

namespace torqsched::verify {

struct CellRange {
  uint32_t first = 0;
  uint32_t last = 0;

  bool empty() const { return first == last; }
};

// One access of one op, by buffer.
struct Touch {
  OpIndex op;
  bool reads = false;
  bool writes = false;
  CellRange cells;
};

class Cells {
 public:
  explicit Cells(const Stream& stream);

  // The accesses to a buffer that have bytes, oldest op first.
  Run<Touch> touches(BufferIndex buffer) const { return touches_[buffer.value()]; }
  // How many cells a buffer has.
  size_t count(BufferIndex buffer) const;
  // The bytes [begin, end) of a cell.
  uint64_t begin(BufferIndex buffer, uint32_t cell) const { return cuts_[buffer.value()][cell]; }
  uint64_t end(BufferIndex buffer, uint32_t cell) const { return cuts_[buffer.value()][cell + 1]; }
  // The cells from offset begin to offset end, which must be a buffer's own cuts.
  CellRange Find(BufferIndex buffer, uint64_t begin, uint64_t end) const;

 private:
  Rows<uint64_t> cuts_;  // of each buffer, ascending; one more than it has cells
  Rows<Touch> touches_;
};

}  // namespace torqsched::verify

#endif  // TORQSCHED_SRC_VERIFY_CELLS_H_
