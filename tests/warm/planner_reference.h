// The model of src/warm/simulator.h told literally: small steps of time, bytes in blocks, floating
// point, nothing shared with what it checks. Slow.
#ifndef TORQSCHED_TESTS_WARM_PLANNER_REFERENCE_H_
#define TORQSCHED_TESTS_WARM_PLANNER_REFERENCE_H_

#include <vector>

#include "src/warm/timeline.h"

namespace torqsched {

struct ReferenceOutcome {
  double end_ns = 0;
  std::vector<double> stage_end_ns;
  double pulled_bytes = 0;  // by the engine, over the bus
  double hit_bytes = 0;     // of these, found by a stage
};

// One layer of kind 0 with these scopes, nothing of it in L2 at first; stages in their order. Steps
// of step_ns, blocks of block_bytes.
ReferenceOutcome SimulateLiterally(const WarmHardware& hardware, const WarmTimeline& timeline,
                                   const std::vector<WarmScope>& scopes, double step_ns,
                                   double block_bytes);

}  // namespace torqsched

#endif  // TORQSCHED_TESTS_WARM_PLANNER_REFERENCE_H_
