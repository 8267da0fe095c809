// What the independent checker finds wrong with a placement.
#ifndef TORQSCHED_TESTS_LRAM_VIOLATIONS_H_
#define TORQSCHED_TESTS_LRAM_VIOLATIONS_H_

#include <cstdint>
#include <string>

#include "src/hardware/hardware.h"
#include "src/schedule/answer.h"
#include "src/stream/placement.h"
#include "src/stream/stream.h"
#include "src/verify/verify.h"

namespace torqsched {

// A line for each violation; empty: the order with this placement holds.
inline std::string Violations(const Stream& stream, const Hardware& hardware,
                              const Schedule& schedule, const Placement& placement) {
  Claim claim;
  claim.order = schedule.order;
  for (uint32_t i = 0; i < stream.op_count(); ++i) {
    if (stream.op(OpIndex(i)).kind == OpKind::kStart) {
      claim.slices.push_back({OpIndex(i), schedule.slice[OpIndex(i)]});
    }
  }
  claim.placement = &placement;
  if (placement.placed) claim.allocated_makespan = placement.makespan;
  std::string all;
  for (const Violation& v : Verify(stream, hardware, claim).violations) all += v.message + "\n";
  return all;
}

}  // namespace torqsched

#endif  // TORQSCHED_TESTS_LRAM_VIOLATIONS_H_
