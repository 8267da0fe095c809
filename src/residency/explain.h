// Why a tensor is off chip, and what it would have taken to keep it.
#ifndef TORQSCHED_SRC_RESIDENCY_EXPLAIN_H_
#define TORQSCHED_SRC_RESIDENCY_EXPLAIN_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "src/residency/deployment.h"
#include "src/residency/plan.h"

namespace torqsched {

constexpr uint32_t kNoClass = 0xffffffff;

enum class OffChipReason : uint8_t {
  kNoTensorsOnChip,   // no crossbar, or no SRAM
  kNeverOnChip,       // weights, inputs and outputs are no candidates
  kSpilled,           // an activation: too much is live with it
  kTablesDoNotFit,    // an own table: all of its program's are on chip, or none
  kCarriedDoesNotFit  // a carried state, or some of its instances
};

struct OffChipExplanation {
  uint32_t which = 0;  // position in plan.classes
  OffChipReason reason = OffChipReason::kNeverOnChip;
  // Where it is short of room: a carried state's own chip, an activation's or the tables' worst.
  uint32_t chip = 0;
  // A spilled activation: the first phase in which most is live on that chip.
  uint64_t phase = 0;
  // More SRAM on that chip would have kept it, all else as it is: an activation beside those that
  // stayed, tables beside their program's footprint, a carried state (the instances of it that are
  // off chip) beside what was preferred. 0: it would fit beside these, which DENSITY did not see as
  // it spilled others later, or beside everything at a price that OPTIMAL did not pay. The largest
  // value where it does not fit 64 bits.
  uint64_t bytes_short = 0;
  // A carried state: the class that took room on its chip last before its turn, in the order of
  // density; where it would have fit at its turn (an optimal plan), the last of all. kNoClass: none
  // did, the reserve alone leaves too little.
  uint32_t preferred = kNoClass;
  // The density of `preferred` as it is: moved_bytes / bytes, of one instance.
  uint64_t preferred_moved_bytes = 0;
  uint64_t preferred_bytes = 0;
};

// One for each class that is not on chip in all of its instances, in their order, of a plan of this
// deployment. INVALID_ARGUMENT as PlanByDensity. Cost: O(n log n).
absl::StatusOr<std::vector<OffChipExplanation>> ExplainOffChip(const Deployment& deployment,
                                                               const ResidencyPlan& plan);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_RESIDENCY_EXPLAIN_H_
