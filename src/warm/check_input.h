// Whether a timeline and its hardware can be planned for: every later step relies on it.
#ifndef TORQSCHED_SRC_WARM_CHECK_INPUT_H_
#define TORQSCHED_SRC_WARM_CHECK_INPUT_H_

#include "absl/status/status.h"
#include "src/warm/timeline.h"

namespace torqsched {

// INVALID_ARGUMENT with the field ("hardware.memory.ns"), where a number is out of range.
absl::Status CheckWarmHardware(const WarmHardware& hardware);

// INVALID_ARGUMENT with the field ("timeline.kinds[1].stages[3].reads[0].region") and a message
// that names the stage or the region, where a position names nothing, a name repeats, a stage waits
// for a later one, or a number is out of range. Cost: linear, but for the sorting of names.
absl::Status CheckWarmTimeline(const WarmTimeline& timeline);

// The same for the scopes of one kind: `field` is their path ("scopes").
absl::Status CheckWarmScopes(const WarmTimeline& timeline, uint32_t kind,
                             const std::vector<WarmScope>& scopes, absl::string_view field);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_WARM_CHECK_INPUT_H_
