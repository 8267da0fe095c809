// Items of a KeepProblem that are alike: worth the same, and taking the same in the same rows.
//
// They become one item with all of their pieces, so that a search does not try which of them it
// keeps, only how many. A model's layers are like that: 22 caches of one size are 23 choices, not
// 2^22.
#ifndef TORQSCHED_SRC_RESIDENCY_KEEP_ALIKE_H_
#define TORQSCHED_SRC_RESIDENCY_KEEP_ALIKE_H_

#include <cstdint>
#include <vector>

#include "src/residency/keep.h"

namespace torqsched {

class AlikeItems {
 public:
  // Cost: O(n log n) in items and uses.
  explicit AlikeItems(const KeepProblem& problem);

  const KeepProblem& merged() const { return merged_; }
  // Pieces of each item as pieces of each merged one.
  std::vector<uint64_t> Merge(const std::vector<uint64_t>& kept) const;
  // And back: as before where as many are kept; else who was kept stays, lowest first, and the
  // lowest of the others come in.
  std::vector<uint64_t> Split(const std::vector<uint64_t>& merged,
                              const std::vector<uint64_t>& before) const;

 private:
  const KeepProblem& problem_;
  KeepProblem merged_;
  std::vector<std::vector<uint32_t>> members_;  // by merged item, ascending
};

}  // namespace torqsched

#endif  // TORQSCHED_SRC_RESIDENCY_KEEP_ALIKE_H_
