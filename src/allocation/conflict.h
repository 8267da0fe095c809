// Why there is no placement: as few buffers as possible that already cannot be placed.
//
// A set of buffers is refused where it cannot be placed by itself, with the constraints among its
// own members only; a view whose root is not in the set is then a buffer like any other. Buffers
// are left out while what remains is still refused: first half of what is in question at a time,
// then fewer, in the end one by one. If every such question was answered, the set is minimal:
// without any one of its members the others can be placed.
//
// Cost: a search for each question, of which there are about twice as many as buffers at worst; the
// budget bounds them together.
#ifndef TORQSCHED_SRC_ALLOCATION_CONFLICT_H_
#define TORQSCHED_SRC_ALLOCATION_CONFLICT_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "src/allocation/allocate.h"
#include "src/allocation/allocation.h"
#include "src/allocation/bodies.h"
#include "src/allocation/budget.h"
#include "src/allocation/live_bound.h"

namespace torqsched {

// Fixed bodies that cannot be where they are: one in reserved bytes or across a boundary, or two
// over the same bytes.
std::optional<std::vector<uint32_t>> FindClash(const Packing& packing);

// Bodies that together exceed the capacity where the bound says so, as few as that takes.
std::vector<uint32_t> ExceedingBodies(const Packing& packing, const LiveBound& bound,
                                      uint64_t capacity);

// Whether these bodies' sizes alone are the reason: then fewer of them can be placed.
bool OnlySizesMatter(const Packing& packing, const std::vector<uint32_t>& bodies);

// From buffers, ascending, that are refused together. *minimal: every question was answered.
std::vector<uint32_t> ShrinkConflict(const AllocationProblem& problem,
                                     const std::vector<uint32_t>& buffers, const SearchRules& rules,
                                     Budget* budget, bool* minimal);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_ALLOCATION_CONFLICT_H_
