// When each LRAM buffer must be in while the ops run in a given order, when it may be out, and what
// being out costs.
//
// An op uses a buffer at its position of the order, a program at all positions from its start to
// its wait. Between two uses that do not touch lies a *gap*: at its positions the buffer may be
// out. What a gap costs is a matter of contents:
//
//   nothing   what it holds is overwritten wholly before anything reads it
//   a load    it was filled by one load from constant data and not written since (its bytes are
//             still where they came from), or its contents were stored before and not written since
//   both      else: a store, and a load back
//
// The gaps of a buffer between two writes hold the same *version* of its contents; one store serves
// all of them.
//
// Invariants: gaps stand by buffer, then by position; a buffer that may not be evicted (fixed, live
// in, live out), or has no bytes, has none. Cost: O((uses + accesses) log accesses).
//
// Source: docs/semantics.md, section 6.
#ifndef TORQSCHED_SRC_LRAM_OFFLINE_GAPS_H_
#define TORQSCHED_SRC_LRAM_OFFLINE_GAPS_H_

#include <cstdint>
#include <limits>
#include <vector>

#include "src/graph/problem.h"

namespace torqsched {
namespace offline {

// Positions [begin, end) of the order; empty: it is never live.
struct Life {
  uint32_t begin = 0;
  uint32_t end = 0;

  bool empty() const { return begin == end; }
};

struct Gap {
  BufferIndex buffer;
  uint32_t begin = 0;    // it may be out at the positions [begin, end)
  uint32_t end = 0;      // its next use
  uint32_t version = 0;  // a number of its own for each buffer and version
  // The first op from `end` on that accesses it; one that only views it does not. The largest
  // value: there is none.
  uint32_t next_access = std::numeric_limits<uint32_t>::max();
  bool matters = false;  // what it holds is read before one op overwrites all of it
  bool refills = false;  // one load from constant data wrote all that it holds

  uint32_t length() const { return end - begin; }
  bool needs_copy() const { return matters && !refills; }
};

// Everything that the choice of evictions reads. The problem, order and slices outlive it.
struct Residency {
  const ScheduleProblem& problem;
  const Stream& stream;
  const Hardware& hardware;
  const std::vector<OpIndex>& order;
  const IndexVector<OpIndex, uint8_t>& slices;

  uint32_t positions = 1;  // of the order; 1 where it is empty, for what is live throughout
  IndexVector<BufferIndex, Life> lives;  // empty for buffers without bytes
  std::vector<Gap> gaps;
  uint32_t version_count = 0;
  // What each buffer takes, its size rounded up to the hardware's alignment. Meaningless unless
  // the sums fit.
  IndexVector<BufferIndex, int64_t> rounded;
  bool sums_fit = true;  // all rounded sizes together are below 2^62
};

// The buffer's size rounded up to the hardware's alignment, whether or not the sums fit. Near 2^64
// rounding is left out: such sums are too large in any case.
uint64_t RoundedSize(const Residency& residency, BufferIndex b);

Residency FindResidency(const ScheduleProblem& problem, const std::vector<OpIndex>& order,
                        const IndexVector<OpIndex, uint8_t>& slices);

// The numbers 0 to count - 1 grouped by key(number), which is below `groups`; ascending in a group.
template <typename Key>
Rows<uint32_t> GroupBy(size_t groups, size_t count, Key key) {
  std::vector<uint32_t> begins(groups + 1, 0);
  for (size_t i = 0; i < count; ++i) ++begins[key(i) + 1];
  for (size_t g = 0; g < groups; ++g) begins[g + 1] += begins[g];
  std::vector<uint32_t> next(begins.begin(), begins.end() - 1);
  std::vector<uint32_t> items(count);
  for (size_t i = 0; i < count; ++i) items[next[key(i)]++] = static_cast<uint32_t>(i);
  Rows<uint32_t> rows;
  rows.Adopt(std::move(begins), std::move(items));
  return rows;
}

}  // namespace offline
}  // namespace torqsched

#endif  // TORQSCHED_SRC_LRAM_OFFLINE_GAPS_H_
