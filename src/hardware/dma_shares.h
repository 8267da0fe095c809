// How long a transfer takes beside programs that take a part of the DMA bandwidth while they
// compute.
//
// A transfer of c cycles is 100 * c units of work. In a cycle in which programs of s percent
// together compute, it does 100 - min(s, 99) of them; it is done at the first cycle at which none
// is left. What counts are the programs that are known when it is asked: who starts later slows
// down what comes after that.
//
// Programs of one slice follow each other, so each slice's are a sorted list; a transfer looks up
// where it begins and goes from one beginning or end of a program to the next. Cost: O(slices *
// (log programs + beginnings and ends that the transfer meets)); transfers of one engine meet each
// of them once.
//
// Source: docs/semantics.md, section 3.
#ifndef TORQSCHED_SRC_HARDWARE_DMA_SHARES_H_
#define TORQSCHED_SRC_HARDWARE_DMA_SHARES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace torqsched {

class DmaShares {
 public:
  explicit DmaShares(uint32_t slices) : programs_(slices), next_(slices) {}

  // A program computes in [begin, end), after all that were added for the slice.
  void Add(uint32_t slice, uint64_t begin, uint64_t end, uint32_t percent);

  // When a transfer that takes so many cycles by itself and begins then is done; absent where that
  // does not fit 64 bits.
  std::optional<uint64_t> EndOf(uint64_t begin, uint64_t cycles);

 private:
  struct Program {
    uint64_t begin;
    uint64_t end;
    uint32_t percent;
  };
  // From some cycle to the next at which the percentage changes, if it ever does.
  struct Stretch {
    uint32_t percent = 0;
    std::optional<uint64_t> end;
  };

  Stretch StretchFrom(uint64_t at);

  std::vector<std::vector<Program>> programs_;  // by slice, in their order; of no share: left out
  uint64_t last_end_ = 0;                       // of all of them
  // By slice, of the transfer that is asked about: the first program that is not known to have
  // ended where it has got to.
  std::vector<size_t> next_;
};

}  // namespace torqsched

#endif  // TORQSCHED_SRC_HARDWARE_DMA_SHARES_H_
