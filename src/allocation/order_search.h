// A complete search for very few bodies whose work does not depend on how many bytes they have.
//
// In a placement in which no body can move down, take the bodies by offset: each lies at the lowest
// offset that those before it leave, as whoever lies higher is in nobody's way further down. So it
// is enough to try all orders, each body in turn at its lowest free offset, and to drop an order in
// which offsets fall. ValleySearch mostly needs far fewer nodes, but where two bodies of a few
// bytes lift each other over and over it counts in bytes.
//
// Cost: at most as many nodes as there are beginnings of orders: 110,000 for eight bodies.
#ifndef TORQSCHED_SRC_ALLOCATION_ORDER_SEARCH_H_
#define TORQSCHED_SRC_ALLOCATION_ORDER_SEARCH_H_

#include <cstdint>
#include <vector>

#include "src/allocation/budget.h"
#include "src/allocation/packing.h"
#include "src/allocation/search_result.h"

namespace torqsched {

constexpr size_t kMostOrdered = 8;

// Whether the packing has so few bodies, fixed ones aside.
bool CanBeOrdered(const Packing& packing);

// A placement within the capacity, by body, in *offsets after kFound.
SearchResult SearchOrders(const Packing& packing, uint64_t capacity, Budget* budget,
                          std::vector<uint64_t>* offsets);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_ALLOCATION_ORDER_SEARCH_H_
