// What an order costs, with or without its placement's swaps: the checker's own count.
//
// The placed stream is played on the checker's clock. Where transfers do not block the stream, each
// op first waits for those that are under way and that it needs. No graph tells which these are:
// along with the order runs, for every byte of every buffer (by cells), until when a transfer reads
// or writes it; a conflicting access waits for the latest of those times. Operands hand their ends
// on, through pure ops too, and a barrier waits for everything. Since the order keeps the
// dependences, whatever conflicts and has been played is older.
//
// An op with which a buffer is born also waits until no transfer that used a buffer that has died
// is under way, and so does, for all transfers, what comes just after an eviction or a return.
//
// Cost: O((n + m + k) log m) for n ops, m accesses and k moves and transfers; where transfers do
// not block, add the number of (transfer, buffer) uses.
//
// Source: docs/semantics.md, section 3.
#ifndef TORQSCHED_SRC_VERIFY_PRICE_H_
#define TORQSCHED_SRC_VERIFY_PRICE_H_

#include <cstdint>
#include <vector>

#include "src/hardware/hardware.h"
#include "src/stream/index.h"
#include "src/stream/placement.h"
#include "src/stream/stream.h"
#include "src/verify/cells.h"
#include "src/verify/own_clock.h"
#include "src/verify/uses.h"

namespace torqsched::verify {

using Slices = IndexVector<OpIndex, uint32_t>;  // of each start

// What pricing reads. uses is not const: it walks.
struct PriceInput {
  const Stream& stream;
  const Hardware& hardware;
  const std::vector<OpIndex>& order;
  const Slices& slices;
  const Cells& cells;
  Uses& uses;  // of this order
};

// The order must be a permutation, and keep the dependences where transfers do not block; slices
// must be the hardware's. placement: its entries are in order; null: none.
Cycles Price(const PriceInput& input, const Placement* placement);

}  // namespace torqsched::verify

#endif  // TORQSCHED_SRC_VERIFY_PRICE_H_
