// How long a transfer takes beside programs that take a part of the DMA bandwidth while they
// compute.
//
// A transfer of c cycles is 100 * c units of work. In a cycle in which programs of s percent
// together compute, it does 100 - min(s, 99) of them; it is done at the first cycle at which none
// is left. What counts are the programs that are known when it is asked: who starts later slows
// down what comes after that.
//
// The programs' percentages together are a step function of time. A program adds its own to the
// steps that it covers; a transfer goes from step to step. Cost: a look-up, O(log programs), and a
// step for each beginning or end of a program that it covers. Programs of one slice do not overlap
// each other, nor do transfers of one engine: so all programs together cover each step at most once
// a slice, all transfers once an engine.
//
// Source: docs/semantics.md, section 3.
#ifndef TORQSCHED_SRC_HARDWARE_DMA_SHARES_H_
#define TORQSCHED_SRC_HARDWARE_DMA_SHARES_H_

#include <cstdint>
#include <map>
#include <optional>

namespace torqsched {

class DmaShares {
 public:
  // A program computes in [begin, end).
  void Add(uint64_t begin, uint64_t end, uint32_t percent);

  // When a transfer that takes so many cycles by itself and begins then is done; absent where that
  // does not fit 64 bits.
  std::optional<uint64_t> EndOf(uint64_t begin, uint64_t cycles) const;

 private:
  using Steps = std::map<uint64_t, uint32_t>;  // percent together from a time on, until the next

  Steps::iterator StepAt(uint64_t at);

  Steps steps_;  // the last one is 0
};

}  // namespace torqsched

#endif  // TORQSCHED_SRC_HARDWARE_DMA_SHARES_H_
