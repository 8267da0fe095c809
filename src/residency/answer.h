// All that one call about residency answers.
#ifndef TORQSCHED_SRC_RESIDENCY_ANSWER_H_
#define TORQSCHED_SRC_RESIDENCY_ANSWER_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "src/residency/bound_stream.h"
#include "src/residency/plan.h"

namespace torqsched {

struct ResidencyAnswer {
  ResidencyPlan plan;
  std::optional<OptimalResidency> optimal;  // how good it is; its own plan is moved to `plan`
  TierTraffic traffic;                      // each sum 2^64 - 1 where it would be more
  std::optional<std::vector<OffChipExplanation>> off_chip;  // if asked for
  std::vector<BoundStream> streams;                         // by the request's streams
  // By program, by tensor: bytes that it moves in a step, in one instance.
  std::vector<std::vector<uint64_t>> moved_bytes;
};

}  // namespace torqsched

#endif  // TORQSCHED_SRC_RESIDENCY_ANSWER_H_
