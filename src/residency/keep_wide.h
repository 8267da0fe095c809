// A KeepProblem that a few items hold together.
//
// Carried states take room in every phase, activations in a few. How many of the former are kept is
// a short list of choices, once alike ones are merged; with each, what is left falls apart into
// parts that have little to do with each other, and whose bounds are close. So these choices are
// tried one by one, those first whose bound is best, until no bound is above what was found.
#ifndef TORQSCHED_SRC_RESIDENCY_KEEP_WIDE_H_
#define TORQSCHED_SRC_RESIDENCY_KEEP_WIDE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "src/residency/keep.h"

namespace torqsched {

// Solves a problem, as KeepMost does.
using KeepSolver = KeepAnswer (*)(const KeepProblem& problem, const std::vector<uint64_t>& start,
                                  uint64_t node_limit);

// The answer, by trying how many pieces are kept of each item that uses half of the rows or more;
// nothing where there are no such items, or too many choices to be tried. start must fit. Each
// choice costs nodes by its size. solve: the same without such items.
std::optional<KeepAnswer> KeepMostByWideItems(const KeepProblem& problem,
                                              const std::vector<uint64_t>& start,
                                              uint64_t node_limit, KeepSolver solve);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_RESIDENCY_KEEP_WIDE_H_
