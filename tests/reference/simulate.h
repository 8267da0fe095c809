// The clock of section 3, one line of the semantics a line here.
#ifndef TORQSCHED_TESTS_REFERENCE_SIMULATE_H_
#define TORQSCHED_TESTS_REFERENCE_SIMULATE_H_

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "src/hardware/hardware.h"
#include "src/stream/stream.h"
#include "tests/reference/arithmetic.h"

namespace torqsched::reference {

struct SimpleClock {
  SimpleClock(const Stream& s, const Hardware& h);

  // An op of the stream. slice: of a start.
  void Run(OpIndex op, uint32_t slice);
  // A load or store that the oracle adds.
  void Swap(bool is_store, uint64_t cycles);
  // What comes before every op that is not pure, swap transfers counted: with block_ops = n, the
  // n-th, 2n-th, ... pays one transfer of block_bytes first.
  void CountOp();
  // "the stream waits for all transfers"
  void WaitForAll();
  // What an op waits for, where transfers do not block.
  uint64_t WaitsFor(OpIndex op) const;
  // max(t, what it waits for, when the first engine of its class is free)
  uint64_t TransferBegin(OpIndex op) const;

  uint64_t makespan() const;

  const Stream& stream;
  const Hardware& hardware;
  uint64_t t = 0;
  std::vector<uint64_t> free;  // of each engine; those for stores only come last
  std::vector<uint64_t> slice_end;
  std::map<OpIndex, uint64_t> program_end;  // of each start so far
  uint64_t ops_not_pure = 0;

 private:
  struct Share {
    uint64_t begin;
    uint64_t end;
    uint64_t percent;
  };

  uint32_t FirstFree(bool is_store) const;
  uint64_t TransferEnd(uint64_t begin, uint64_t cycles) const;
  // Begins on the engine that is free first; its end.
  uint64_t Occupy(bool is_store, uint64_t cycles);
  bool GivesBirth(OpIndex op) const;
  bool HasDied(BufferIndex buffer) const;

  std::vector<Share> shares_;  // of the programs that have started
  // Only where transfers do not block:
  std::vector<std::vector<bool>> needs_;
  std::vector<std::set<OpIndex>> users_;      // of each buffer
  std::vector<std::set<BufferIndex>> uses_;   // of each op
  std::vector<bool> out_;                     // of each op
  std::map<OpIndex, uint64_t> transfer_end_;  // of each load or store so far
};

}  // namespace torqsched::reference

#endif  // TORQSCHED_TESTS_REFERENCE_SIMULATE_H_
