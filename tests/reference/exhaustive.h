// The best order there is, by trying all of them.
//
// Orders are those that keep the dependences of section 2; each start tries every slice, a busy one
// too; waits stand anywhere they may. The price is section 3's, without swaps. What is live, by
// section 2 and in bytes that are not rounded, never exceeds usable LRAM; offsets play no part.
//
// With swaps a buffer that no running program uses may leave LRAM and come back, at any time: a
// blocking store of the whole buffer, a blocking load. Not stored: what is never read again, what
// XRAM has from a store before, what one load from constants brought; not loaded: what is
// overwritten wholly before it is read. Fixed, live-in and live-out buffers stay.
//
// Partial orders with the same ops out (and the same buffers, in the same condition) whose slices
// and running programs end equally long after the clock go on in the same way, so each such state
// is looked at once: that is all the cleverness there is.
#ifndef TORQSCHED_TESTS_REFERENCE_EXHAUSTIVE_H_
#define TORQSCHED_TESTS_REFERENCE_EXHAUSTIVE_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "src/hardware/hardware.h"
#include "src/stream/stream.h"

namespace torqsched::reference {

struct ExhaustiveAnswer {
  bool complete = false;             // false: more states than allowed, or more than 64 ops
  std::optional<uint64_t> makespan;  // absent: no order fits
};

// evictions: how many there may be; with swaps there may be no block transfers.
ExhaustiveAnswer ExhaustiveOptimum(const Stream& stream, const Hardware& hardware,
                                   size_t most_states, uint32_t evictions = 0);

}  // namespace torqsched::reference

#endif  // TORQSCHED_TESTS_REFERENCE_EXHAUSTIVE_H_
