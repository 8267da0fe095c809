// The clock of section 3, one line of the semantics a line here.
#ifndef TORQSCHED_TESTS_REFERENCE_SIMULATE_H_
#define TORQSCHED_TESTS_REFERENCE_SIMULATE_H_

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "src/hardware/hardware.h"
#include "src/stream/stream.h"
#include "tests/reference/arithmetic.h"

namespace torqsched::reference {

struct SimpleClock {
  SimpleClock(const Stream& s, const Hardware& h)
      : stream(s), hardware(h), slice_end(h.slices, 0) {}

  // An op of the stream. slice: of a start.
  void Run(OpIndex op, uint32_t slice);
  // A load or store, one of the stream's or a swap.
  void Transfer(uint64_t cycles);
  // What comes before every op that is not pure, swap transfers counted: with block_ops = n, the
  // n-th, 2n-th, ... pays one transfer of block_bytes first.
  void CountOp();

  uint64_t makespan() const { return std::max(t, dma_free); }

  const Stream& stream;
  const Hardware& hardware;
  uint64_t t = 0;
  uint64_t dma_free = 0;
  std::vector<uint64_t> slice_end;
  std::map<OpIndex, uint64_t> program_end;  // of each start so far
  uint64_t ops_not_pure = 0;
};

}  // namespace torqsched::reference

#endif  // TORQSCHED_TESTS_REFERENCE_SIMULATE_H_
