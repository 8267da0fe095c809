// How evenly programs can be split over two slices.
//
// For each set of programs, all sums of compute cycles that one slice can have; the other one has
// the rest. Nine programs of 10 cycles take 50 on two slices, not 45.
//
// Memory and time: 3^n for n programs at most, what is asked for only; for few programs.
#ifndef TORQSCHED_SRC_SEARCH_EXACT_SPLIT_H_
#define TORQSCHED_SRC_SEARCH_EXACT_SPLIT_H_

#include <cstdint>
#include <vector>

#include "src/search/exact_model.h"

namespace torqsched {

class ExactSplit {
 public:
  static constexpr size_t kMostPrograms = 12;

  explicit ExactSplit(const ExactModel& model);

  // Whether it may be asked.
  bool applies() const { return !sums_.empty(); }
  // When these programs can have been run, by number, if one slice begins at `first` and the other
  // one at `second` or never. There is one at least; first <= second.
  uint64_t Ends(uint32_t programs, uint64_t first, uint64_t second);

 private:
  const std::vector<uint64_t>& SumsOf(uint32_t programs);

  std::vector<uint64_t> compute_;
  std::vector<std::vector<uint64_t>> sums_;  // by set, ascending; empty: not known yet
};

}  // namespace torqsched

#endif  // TORQSCHED_SRC_SEARCH_EXACT_SPLIT_H_
