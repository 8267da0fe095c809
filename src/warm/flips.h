// What the choice of a kind rests on: which assumption, changed by how much, would change it.
//
// For each parameter of WarmParameter the choice is made anew at other values of it, all else as it
// is: upwards and downwards in doublings until it differs, then by bisection to about one percent.
// What differs in between and agrees again is not seen. A switch is tried the other way.
#ifndef TORQSCHED_SRC_WARM_FLIPS_H_
#define TORQSCHED_SRC_WARM_FLIPS_H_

#include <vector>

#include "src/warm/consumer_sets.h"

namespace torqsched::warm {

// Searches are made where a kind has at most so many combinations; else there are no flips.
constexpr uint64_t kMostFlipCombinations = 256;

// Cost: about 200 choices at most.
std::vector<WarmFlip> FlipsOf(const PreparedTimeline& prepared, uint32_t kind, uint32_t next_kind,
                              const WarmOptions& options, const std::vector<WarmScope>& chosen);

}  // namespace torqsched::warm

#endif  // TORQSCHED_SRC_WARM_FLIPS_H_
