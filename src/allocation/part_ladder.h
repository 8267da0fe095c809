// One part on its way down: what has no slack as a dissection, else greedy decodes, squeaky wheel,
// then searches, each with more nodes than the one before; what is known of its least height on the
// way.
#ifndef TORQSCHED_SRC_ALLOCATION_PART_LADDER_H_
#define TORQSCHED_SRC_ALLOCATION_PART_LADDER_H_

#include <cstdint>
#include <vector>

#include "src/allocation/allocate.h"
#include "src/allocation/budget.h"
#include "src/allocation/decode.h"
#include "src/allocation/packing.h"
#include "src/allocation/search_result.h"

namespace torqsched {

class PartLadder {
 public:
  // The packing must outlive it. hints: by body, or empty; see Greedy.
  PartLadder(const Packing& packing, std::vector<uint64_t> hints);

  // Greedy placements, until one ends at or below the target. One is always made.
  void Decode(uint64_t target, Budget* budget, AllocationStatistics* statistics);

  // Searches for a placement that ends at or below the target, with this many nodes of the budget.
  // kExhausted: there is none, and `low` says so from then on.
  SearchResult Reach(uint64_t target, uint64_t nodes, const SearchRules& rules, Budget* budget,
                     AllocationStatistics* statistics);

  // Searches, as far as these nodes go, for the least height that is at least `floor`.
  void Lower(uint64_t floor, uint64_t nodes, const SearchRules& rules, Budget* budget,
             AllocationStatistics* statistics);

  const Decoding& best() const { return best_; }
  uint64_t low() const { return low_; }  // no placement ends below, as searches have shown
  // Whether searches are worth their while: so many pieces by section take too long a node.
  bool searchable() const { return searchable_; }
  size_t body_count() const { return packing_.bodies.size(); }

 private:
  void Keep(const Decoding& decoding) {
    if (decoding.height < best_.height) best_ = decoding;
  }
  void KeepOffsets(std::vector<uint64_t> offsets);

  const Packing& packing_;
  std::vector<uint64_t> hints_;
  bool searchable_;
  Decoding best_;
  uint64_t low_ = 0;
  uint64_t undecided_ = 0;  // a target that was not decided last; tried next: above it
};

}  // namespace torqsched

#endif  // TORQSCHED_SRC_ALLOCATION_PART_LADDER_H_
