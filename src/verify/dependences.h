// Does an order keep every dependence of the stream?
//
// No graph is built and no pairs are compared. A dependence "end of X before begin of Y" is kept by
// all older X at once if the *last* of their ends, in the order that is checked, comes before Y
// begins. So every check is a maximum: over older barriers a running one, over the older accesses
// that overlap Y's a range maximum in a tree over the buffer's cells. The maximum carries its op,
// which is the X that the violation names.
//
// Invariants: `order` is a permutation, position its inverse. For each op and each buffer at most
// one violation of rule 4 is reported, and one is exactly where some older access conflicts.
// Cost: O(n + m log m) for n ops and m accesses, whatever conflicts with what.
//
// Source: docs/semantics.md, section 2.
#ifndef TORQSCHED_SRC_VERIFY_DEPENDENCES_H_
#define TORQSCHED_SRC_VERIFY_DEPENDENCES_H_

#include <cstdint>
#include <vector>

#include "src/stream/index.h"
#include "src/stream/stream.h"
#include "src/verify/cells.h"
#include "src/verify/findings.h"

namespace torqsched::verify {

using Positions = IndexVector<OpIndex, uint32_t>;  // where each op stands in the order

// Where an op ends: a program at its wait, any other op where it stands.
inline uint32_t EndPosition(const Stream& stream, const Positions& position, OpIndex i) {
  const Op& op = stream.op(i);
  return position[op.kind == OpKind::kStart ? op.partner : i];
}

// Rules 1 to 4. False if a wait comes before its start, so that the order has no price.
bool CheckDependences(const Stream& stream, const Cells& cells, const Positions& position,
                      Findings* findings);

}  // namespace torqsched::verify

#endif  // TORQSCHED_SRC_VERIFY_DEPENDENCES_H_
