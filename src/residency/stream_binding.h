// A stream that knows of a residency plan: what is on chip is in LRAM before it begins.
//
// The caller says which LRAM buffers of one instance's stream hold which tensors. Where the plan
// has such a tensor on the stream's chip, the buffer is *resident*: the tensor's bytes are in it
// from the first op to the last, or as long as the tensor is live. A transfer between it and XRAM
// then copies what is there already, if three things hold of the XRAM buffer (it is a *mirror*):
//
//   1. Whoever touches it is a load or a store between it and resident buffers, with one access on
//      each side, of the same size.
//   2. Each of its bytes goes to, and comes from, one byte of a resident buffer, always the same;
//   no
//      two bytes share one.
//   3. Once a resident buffer has been used, a load into it only repeats one that came before, and
//      nothing but loads has written the buffer: it brings back nothing that was overwritten.
//
// Such transfers become ops that cost nothing. All others stay, and are as right as before.
#ifndef TORQSCHED_SRC_RESIDENCY_STREAM_BINDING_H_
#define TORQSCHED_SRC_RESIDENCY_STREAM_BINDING_H_

#include <vector>

#include "absl/status/statusor.h"
#include "src/residency/bound_stream.h"
#include "src/residency/deployment.h"
#include "src/residency/facts.h"
#include "src/residency/plan.h"

namespace torqsched {

// INVALID_ARGUMENT with a field such as "bindings[3].buffer": there is no such program, buffer or
// tensor, a buffer is bound twice or not in LRAM, the buffers bound to a tensor are larger than it
// is. Cost: O(n log n) in accesses and bindings.
absl::StatusOr<BoundStream> BindStream(const Deployment& deployment,
                                       const std::vector<ProgramFacts>& facts,
                                       const ResidencyPlan& plan, const StreamOfProgram& bound);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_RESIDENCY_STREAM_BINDING_H_
