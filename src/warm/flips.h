// What the choice of a kind rests on: which assumption, changed by how much, would change it.
//
// For each parameter of WarmParameter the choice is made anew at other values of it, all else as it
// is: upwards and downwards in doublings until it differs, then by bisection to about one percent.
// What differs in between and agrees again is not seen. A switch is tried the other way.
#ifndef TORQSCHED_SRC_WARM_FLIPS_H_
#define TORQSCHED_SRC_WARM_FLIPS_H_

#include <vector>

#include "src/warm/consumer_sets.h"
#include "src/warm/simulator.h"

namespace torqsched::warm {

// What a kind was chosen with, and what was.
struct FlipQuestion {
  uint32_t kind = 0;
  uint32_t next_kind = 0;
  uint64_t share = 0;          // simulated stages of the choice
  uint64_t choice_stages = 0;  // that it took
  const std::vector<WarmScope>* chosen = nullptr;
};

// Simulated stages that the flips of a kind may take, for each of its share.
constexpr uint64_t kFlipShares = 4;

// None where they would take more than that. Cost: 250 choices at most, about 100 of most kinds.
// Prices the kinds of `prepared` anew and leaves them so; the simulator is of it.
std::vector<WarmFlip> FlipsOf(const WarmHardware& hardware, const WarmOptions& options,
                              const FlipQuestion& question, PreparedTimeline* prepared,
                              Simulator* simulator);

}  // namespace torqsched::warm

#endif  // TORQSCHED_SRC_WARM_FLIPS_H_
