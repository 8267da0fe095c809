// Is an allocation problem well formed?
#ifndef TORQSCHED_SRC_ALLOCATION_CHECK_PROBLEM_H_
#define TORQSCHED_SRC_ALLOCATION_CHECK_PROBLEM_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "src/allocation/allocation.h"

namespace torqsched {

// INVALID_ARGUMENT with the field at fault.
absl::Status InvalidProblem(absl::string_view field, size_t buffer, absl::string_view message);
constexpr size_t kNoBuffer = static_cast<size_t>(-1);

// All that can be said of each number by itself: see Allocate. Cycles of views and contradicting
// offsets are found where they are joined.
absl::Status CheckProblem(const AllocationProblem& problem);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_ALLOCATION_CHECK_PROBLEM_H_
