// The search of one part of a KeepProblem.
#ifndef TORQSCHED_SRC_RESIDENCY_KEEP_SEARCH_H_
#define TORQSCHED_SRC_RESIDENCY_KEEP_SEARCH_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/numeric/int128.h"
#include "src/residency/keep.h"

namespace torqsched {

class KeepSearch {
 public:
  // counts: by item, how many pieces fit at most.
  KeepSearch(const KeepProblem& problem, std::vector<uint64_t> counts);

  // Looks for something better than *kept, which must fit; nodes are taken off *nodes_left. True:
  // searched to the end, so that *kept is the best.
  bool Run(std::vector<uint64_t>* kept, uint64_t* nodes_left);

  // Nothing that fits is worth more. Before Run.
  uint64_t RootBound() const { return BoundFrom(0); }

 private:
  // Positions [begin, end) of order_, by density in a row of their own.
  struct Group {
    uint32_t row = 0;
    size_t begin = 0;
    size_t end = 0;
  };

  void MakeGroups();
  void AddGroup(uint32_t row, std::vector<uint32_t> members);
  // What the items from a position on can be worth at most.
  uint64_t BoundFrom(size_t position) const;
  uint64_t BoundOf(const Group& group, size_t begin) const;
  uint64_t NodeCost(size_t position) const;
  void Take(size_t position, uint64_t pieces);
  // Goes back to the last decision that can keep a piece less, and takes one away; false: none.
  bool StepBack(size_t* position);

  const KeepProblem& problem_;
  const std::vector<uint64_t> counts_;
  std::vector<uint32_t> order_;          // items in the order of decisions: groups, then the others
  std::vector<uint64_t> bytes_;          // by position: of a piece in its group's row
  std::vector<absl::uint128> bytes_to_;  // by position: of all before it in its group, all pieces
  std::vector<uint64_t> value_to_;       // by position: of all before it, all pieces
  std::vector<Group> groups_;
  size_t grouped_ = 0;           // positions that are in groups
  std::vector<uint64_t> left_;   // by row: capacity
  std::vector<uint64_t> taken_;  // by position: pieces
  uint64_t value_ = 0;
};

}  // namespace torqsched

#endif  // TORQSCHED_SRC_RESIDENCY_KEEP_SEARCH_H_
