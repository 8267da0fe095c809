// Placements without any slack: bodies that fill a rectangle of height by time.
//
// Problem: at all times the live sum is the same, and the height must not be more. Every byte
// counts, so greedy placements end far above, and a search finds nothing but small ones.
//
// Idea: such a placement is a rectangle cut into rectangles, and that is a planar graph: a vertex
// is a vertical line at which bodies end and others begin, a body is an edge from where it begins
// to where it ends, sizes are a flow. In turn, *every* drawing of the graph is a placement: offsets
// need not be searched, a PQ-tree (pq_tree.h) that sweeps over time finds the order in which bodies
// lie above each other. What ends at one time may belong to several vertices, though. These are
// told apart by what the tree knows of the order (what is consecutive in any case is together:
// *runs*), and by size (equal_sums.h): sums that are equal, but hardly so by chance.
//
// That is a guess, so it takes several passes, forward and backward in time by turns. What a pass
// finds out about runs of those that end at a time, the next one has of those that begin then. A
// pass that fails forgets all order, and goes on for the sake of the next. From pass to pass, more
// or less is taken for chance.
//
// Invariant: a pass without failure is a drawing; each vertex is checked literally, still, when
// offsets are computed: what begins there lies without gap where what ends there lay.
//
// Cost: a bounded number of passes; each linear, but for sorting, in bodies times what is spent on
// telling those of one time apart, which is bounded by body. Memory: linear.
//
// Source: Tamassia, Tollis, "A unified approach to visibility representations of planar graphs",
// Discrete & Computational Geometry 1, 1986 (rectangles and planar graphs); Brooks, Smith, Stone,
// Tutte, "The dissection of rectangles into squares", Duke Mathematical Journal 7, 1940 (flow).
#ifndef TORQSCHED_SRC_ALLOCATION_DISSECTION_H_
#define TORQSCHED_SRC_ALLOCATION_DISSECTION_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "src/allocation/allocation.h"
#include "src/allocation/packing.h"

namespace torqsched {

// Whether PlaceFilled might place it: the live sum is the same at all sections, and nothing but
// sizes and sections binds the bodies. Cost: linear.
bool IsFilled(const Packing& packing, uint64_t height);

// Offsets by body such that all end at or below the height. Nothing where it is not filled, or no
// such placement was found, whether or not there is one, or `stop`, which is asked now and then,
// may be empty, and decides nothing else, said so.
std::optional<std::vector<uint64_t>> PlaceFilled(const Packing& packing, uint64_t height,
                                                 const StopFunction& stop = {});

}  // namespace torqsched

#endif  // TORQSCHED_SRC_ALLOCATION_DISSECTION_H_
