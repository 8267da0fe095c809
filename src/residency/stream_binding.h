// Streams that know of a residency plan: what is on chip is in LRAM before they begin.
//
// The caller says which LRAM buffers of one instance's streams hold which tensors. Where the plan
// has such a tensor on the stream's chip, and no other chip accesses it, the buffer is *resident*:
// the tensor's bytes are in it from the first op to the last, and in the next run as well. A
// transfer between it and an XRAM buffer then copies what is there already, if of the XRAM buffer
// and the resident one
//
//   1. whoever touches the XRAM buffer is a load or a store between it and resident buffers, with
//      one access on each side, of the same size;
//   2. each byte of it goes to, and comes from, one byte of a resident buffer, always the same; no
//      two bytes share one;
//   3. once the resident buffer has been used, a load into it repeats one that came before, and
//   only
//      loads have written the buffer: it brings back nothing that was overwritten;
//   4. what is written to the resident buffer other than by loads is stored after the last such
//      write: the next run finds what it would have loaded. An own table is not written at all.
//
// (Own tables are there between the runs of their program only where no other program keeps bytes
// of the chip; else they are not resident.)
//
// The transfers of a tensor are dropped all or none, over all streams of the request: one that
// stays reads or writes bytes outside that the others then need as well. Where they stay, its
// buffers are left as they were. Streams that the request leaves out must not touch those bytes.
#ifndef TORQSCHED_SRC_RESIDENCY_STREAM_BINDING_H_
#define TORQSCHED_SRC_RESIDENCY_STREAM_BINDING_H_

#include <vector>

#include "absl/status/statusor.h"
#include "src/residency/bound_stream.h"
#include "src/residency/deployment.h"
#include "src/residency/facts.h"
#include "src/residency/plan.h"

namespace torqsched {

// By stream. INVALID_ARGUMENT with a field such as "streams[2].bindings[3].buffer": there is no
// such program, buffer or tensor, a buffer is bound twice or not in LRAM, the buffers of a stream
// bound to a tensor are larger than it is. Cost: O(n log n) in accesses and bindings.
absl::StatusOr<std::vector<BoundStream>> BindStreams(const Deployment& deployment,
                                                     const std::vector<ProgramFacts>& facts,
                                                     const ResidencyPlan& plan,
                                                     const std::vector<StreamOfProgram>& streams);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_RESIDENCY_STREAM_BINDING_H_
