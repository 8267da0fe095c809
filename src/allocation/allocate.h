// The whole allocation call: checks, bodies, bound, greedy decodes, squeaky wheel, search, proof.
//
//   bound     the largest live sum; above the capacity: infeasible, at once
//   decodes   greedy placements in several orders; one at the bound ends it
//   wheel     for many buffers: who ends too high comes earlier next time
//   filled    parts without any slack: placed exactly, as dissections of a rectangle
//   search    for up to some thousands: complete, with restarts; finds, or proves there is none
//
//   proof     of infeasible: buffers are left out while the rest still cannot be placed
//
// The same problem gives the same answer unless a time limit or the caller's stop cut it short.
#ifndef TORQSCHED_SRC_ALLOCATION_ALLOCATE_H_
#define TORQSCHED_SRC_ALLOCATION_ALLOCATE_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/allocation/allocation.h"

namespace torqsched {

// The search's pruning rules, each a switch for tests: answers do not depend on them, only the
// number of nodes does.
struct SearchRules {
  bool section_bound = true;   // fail where a section's live sum no longer fits
  bool propagate = true;       // who cannot be the lowest of a section rises
  bool place_free = true;      // who raises nobody is placed at once
  bool decompose = true;       // parts that share no section are solved apart
  bool identical_once = true;  // of identical candidates only one is tried
  bool restart = true;         // restarts with other orders; else one search to the end
};

// INVALID_ARGUMENT, with a field such as "buffers[3].size", where the problem is malformed: an
// alignment of 0, a live range or gap that ends before it begins, a gap outside its live range, a
// size or fixed range that does not fit 64 bits once it is rounded up, an index that names no
// buffer, a view outside its root, a cycle of views, offsets that contradict each other.
// RESOURCE_EXHAUSTED where buffers could only be placed above 2^62 bytes.
// Cost: near-linear but for the search, which options limit. Memory: linear in buffers and pairs.
absl::StatusOr<AllocationAnswer> Allocate(const AllocationProblem& problem,
                                          const AllocationOptions& options,
                                          const StopFunction& stop = {},
                                          const SearchRules& rules = {});

}  // namespace torqsched

#endif  // TORQSCHED_SRC_ALLOCATION_ALLOCATE_H_
