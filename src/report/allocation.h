// What came of an allocation, for people.
#ifndef TORQSCHED_SRC_REPORT_ALLOCATION_H_
#define TORQSCHED_SRC_REPORT_ALLOCATION_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/strings/string_view.h"
#include "src/allocation/allocation.h"

namespace torqsched {
namespace report {

// An allocation and its answer; what is pointed to outlives it.
struct AllocationCase {
  const AllocationProblem* problem = nullptr;
  const AllocationOptions* options = nullptr;
  const AllocationAnswer* answer = nullptr;
  std::function<std::string(uint32_t)> describe;  // "buffer 3 'w3'"
};

// Some lines: how many buffers, the height or the conflict, the bound, the work.
std::string AllocationSummary(absl::string_view title, const AllocationCase& allocation);

// One line, without its end, about an allocation that is not placed: "does not fit 1,000 bytes:
// ...", "not decided within 2,000,000 nodes: ...".
std::string WhyNotPlaced(const AllocationCase& allocation);

}  // namespace report
}  // namespace torqsched

#endif  // TORQSCHED_SRC_REPORT_ALLOCATION_H_
