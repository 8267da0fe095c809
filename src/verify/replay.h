// Does a placement hold? The placed stream is run, entry by entry, with the moves before each.
//
// State: for every buffer whether it is absent, in LRAM (and where), evicted, or dead; which ranges
// are taken; what the evicted ones hold (contents.h); which programs run. Every event is checked
// against that state, reported if it does not fit, and carried out as well as it can be, so that
// one fault is one violation.
//
// What must hold:
//   1. A buffer comes in at an alloc of its own or at its first user (the swap transfers in front
//      of that op belong to it), a live-in one before entry 0; it is in while an op uses it.
//   2. Its range lies in usable LRAM, in one of its regions, is aligned or exactly at the fixed
//      offset, and meets no other taken range. Sizes are not rounded here.
//   3. It is gone after the entry of its last user; live-out ones stay.
//   4. Only what is in can be evicted: not a buffer with a fixed offset, live-in or live-out, nor
//      one that a running program uses.
//   5. A store stands just before its eviction, a load just after its coming back, and nowhere
//      else.
//   6. The counts and the peak are those of the moves and transfers, the bank conflicts (where they
//      are claimed) those of the reads.
//
// Cost: O((n + m + k) log m) for n ops, m accesses and k moves and transfers; with evictions also
// the number of (op, buffer) uses, since an op that meets an evicted buffer must be found.
//
// Source: src/stream/placement.h; docs/semantics.md, section 6.
#ifndef TORQSCHED_SRC_VERIFY_REPLAY_H_
#define TORQSCHED_SRC_VERIFY_REPLAY_H_

#include <vector>

#include "src/hardware/hardware.h"
#include "src/stream/index.h"
#include "src/stream/placement.h"
#include "src/stream/stream.h"
#include "src/verify/cells.h"
#include "src/verify/dependences.h"
#include "src/verify/findings.h"
#include "src/verify/uses.h"

namespace torqsched::verify {

// What a replay reads. uses is not const: it walks.
struct ReplayInput {
  const Stream& stream;
  const Hardware& hardware;
  const std::vector<OpIndex>& order;
  const Positions& position;
  const Cells& cells;
  Uses& uses;
};

// Whether moves and transfers can be replayed at all: entries in order and within the placed
// stream, at most one transfer an entry, buffers that are in LRAM. Reports what is not so.
bool CheckEntries(const Stream& stream, const Placement& placement, Findings* findings);

// Rules 1 to 6. CheckEntries must have agreed.
void ReplayPlacement(const ReplayInput& input, const Placement& placement, Findings* findings);

}  // namespace torqsched::verify

#endif  // TORQSCHED_SRC_VERIFY_REPLAY_H_
