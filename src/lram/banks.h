// Bank conflicts of a placement: which LRAM buffers each op reads together, and in which banks they
// lie then.
//
// A *stay* of a buffer lasts from the move that brings it in to its eviction or death; its times
// are numbers of moves. Two stays have a time in common exactly if the checker would find both in
// LRAM after some move.
//
// Cost: O((n + m) log m) for n uses and m moves, and what bank_spread.h says. Nothing where the
// hardware has no banks.
//
// Source: docs/semantics.md, section 6.
#ifndef TORQSCHED_SRC_LRAM_BANKS_H_
#define TORQSCHED_SRC_LRAM_BANKS_H_

#include <vector>

#include "src/graph/lifetimes.h"
#include "src/hardware/hardware.h"
#include "src/stream/placement.h"
#include "src/stream/stream.h"

namespace torqsched {

// Fills in bank_conflicts where the hardware has banks and the order is placed. The placement is
// one of this order that holds.
void CountBanks(const Stream& stream, const Hardware& hardware, const Lifetimes& lifetimes,
                const std::vector<OpIndex>& order, Placement* placement);

// The same, after it has moved buffers to other offsets for fewer conflicts; nothing but offsets
// changes.
void PreferBanks(const Stream& stream, const Hardware& hardware, const Lifetimes& lifetimes,
                 const std::vector<OpIndex>& order, Placement* placement);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_LRAM_BANKS_H_
