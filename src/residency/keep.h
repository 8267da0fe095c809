// What to keep where room is short: a 0/1 (or bounded) knapsack with many capacities at once.
//
// An *item* is worth so much and takes so many bytes in each of some *rows*; no row may hold more
// than its capacity. Items that nothing keeps out are kept at once; the rest falls apart into parts
// that share no row, and each part is searched by itself, by branch and bound.
//
// The bound: rows in which too much is wanted are given items of their own (*groups*, no item in
// two); of each group no more can be kept than its one row holds, cut to the last byte (the
// fractional bound), and of the others everything. With one row it is the knapsack's bound.
#ifndef TORQSCHED_SRC_RESIDENCY_KEEP_H_
#define TORQSCHED_SRC_RESIDENCY_KEEP_H_

#include <cstdint>
#include <vector>

#include "src/stream/index.h"

namespace torqsched {

struct KeepItem {
  uint64_t value = 0;  // of one piece
  uint64_t count = 1;  // pieces of it that there are, at least 1; each is kept or not
};

struct KeepUse {
  uint32_t row = 0;
  uint64_t bytes = 0;  // that a piece takes in it, at least 1
};

struct KeepProblem {
  std::vector<KeepItem> items;       // value * count, summed over all, fits 64 bits
  Rows<KeepUse> uses;                // by item; no row twice
  std::vector<uint64_t> capacities;  // by row, bytes
};

// Pieces of the item that fit into so much room, by row, when nothing else is kept.
uint64_t MostThatFit(const KeepProblem& problem, uint32_t item, const std::vector<uint64_t>& room);

// What is kept, by item in pieces, is worth.
uint64_t ValueOf(const KeepProblem& problem, const std::vector<uint64_t>& kept);

struct KeepAnswer {
  std::vector<uint64_t> kept;  // by item: pieces
  uint64_t value = 0;          // of what is kept
  uint64_t bound = 0;          // nothing that fits is worth more
  bool proven = false;         // value == bound
  uint64_t nodes = 0;          // spent
};

// The most valuable that fits, as far as node_limit lets it search; never less than start, which
// must fit. The same question gives the same answer. Cost: O(n log n) in items and uses, and the
// nodes; one that looks at many groups, or whose item uses many rows, counts as several.
KeepAnswer KeepMost(const KeepProblem& problem, const std::vector<uint64_t>& start,
                    uint64_t node_limit);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_RESIDENCY_KEEP_H_
