// A whole forward with a plan for each kind of layer.
#ifndef TORQSCHED_SRC_WARM_FORWARD_H_
#define TORQSCHED_SRC_WARM_FORWARD_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "src/warm/prepared.h"

namespace torqsched::warm {

// Nanoseconds of a forward, by kind with these scopes; the repetition before it had none. Of a run
// of layers that repeats, the first kSimulatedRepeats are simulated, and those left out last as
// long as the last one of them. INVALID_ARGUMENT where it lasts longer than a clock holds.
constexpr uint64_t kSimulatedRepeats = 3;
absl::StatusOr<uint64_t> ForwardNs(const PreparedTimeline& prepared,
                                   const std::vector<std::vector<WarmScope>>& scopes);

}  // namespace torqsched::warm

#endif  // TORQSCHED_SRC_WARM_FORWARD_H_
