// Whether a lowered stream does what its network says, looked at from outside: by the bytes that
// its ops touch, not by how they came about.
//
//   - every byte that an op reads was there before: live in, or written by an older op
//   - every layer loads each byte of its weights and of its state that a step reads, reads bytes of
//     each layer whose output it has as an input, and makes each byte of its output and of the
//     state that it writes
//   - its macs are the table's; its sums are those of its ops; no transfer writes more bytes than
//     it reads, but for a state that is larger than what is written to it
//   - what leaves the stream is written to its last byte
//
// Which rows of an input a tile reads it does not see: the table does not say.
#ifndef TORQSCHED_SRC_LOWERING_CHECK_LOWERING_H_
#define TORQSCHED_SRC_LOWERING_CHECK_LOWERING_H_

#include "absl/status/status.h"
#include "src/lowering/lowering.h"
#include "src/network/network.h"

namespace torqsched {

// INTERNAL, naming layer, op and buffer, where it does not. Cost: O(n log n) in accesses.
absl::Status CheckLowering(const Network& network, const LoweredNetwork& lowered);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_LOWERING_CHECK_LOWERING_H_
