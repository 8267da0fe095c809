// How long a partial answer takes at least until all is out and has ended. Memory plays no part, so
// it holds with swaps as well.
//
//   stream  Jackson's preemptive one-machine bound over what is left, with heads (when what an
//           action needs can be out) and tails
//   slices  the programs left, filled in above when each slice is free, with heads and tails; few
//           programs on two slices whole, as evenly as they can be split (exact_split.h)
//   path    the longest path through what is left
//
// Cost: O(n * needs) a call, n the actions that are left; the sums over ancestors are table
// lookups.
//
// Source: Jackson's bound as in Carlier and Pinson, "An algorithm for solving the job-shop problem"
// (1989).
#ifndef TORQSCHED_SRC_SEARCH_EXACT_BOUND_H_
#define TORQSCHED_SRC_SEARCH_EXACT_BOUND_H_

#include <array>
#include <cstdint>
#include <vector>

#include "src/search/exact.h"
#include "src/search/exact_model.h"
#include "src/search/exact_split.h"

namespace torqsched {

class ExactBound {
 public:
  // The model must outlive it.
  explicit ExactBound(const ExactModel& model);

  // A lower bound of the makespan of all that goes on from here; where it reaches `enough`, any
  // value from there on. out: the actions that are out; slices: when each is free, ascending, no
  // earlier than the clock; ends: of each program that is out, no earlier than the clock; more:
  // cycles of transfers that the stream still has to make for no action.
  uint64_t From(ActionMask out, uint64_t clock, const uint64_t* slices, const uint64_t* ends,
                uint64_t more, uint64_t enough);

  // The stream's work on these actions.
  uint64_t StreamCycles(ActionMask actions) const { return stream_sum_(actions); }

 private:
  uint64_t TailsOnly(ActionMask left, uint64_t from) const;
  uint64_t FillHeads(ActionMask out, ActionMask left, uint64_t clock, const uint64_t* slices,
                     const uint64_t* ends);
  uint64_t Jackson(ActionMask left, uint64_t clock);
  uint64_t StreamBefore(uint32_t index, ActionMask left, ActionMask out) const;
  uint64_t Slices(ActionMask left, const uint64_t* slices);
  uint64_t Level(const uint64_t* slices, uint64_t from, uint64_t compute) const;

  const ExactModel& model_;
  ExactSplit split_;
  MaskSum stream_sum_;
  MaskSum compute_sum_;
  std::vector<uint32_t> rank_;                       // of each action in by_tail
  std::array<uint64_t, kMostExactActions> head_{};   // when its turn on the stream may begin
  std::array<uint64_t, kMostExactActions> ended_{};  // when it may have ended
};

}  // namespace torqsched

#endif  // TORQSCHED_SRC_SEARCH_EXACT_BOUND_H_
