// Problems in MiniMalloc's CSV format: id,lower,upper,size[,alignment,gaps,offset,hint], columns by
// the names in the first line; gaps as in "3-5 8-9", live ranges and gaps half-open.
#ifndef TORQSCHED_TESTS_ALLOCATION_CSV_H_
#define TORQSCHED_TESTS_ALLOCATION_CSV_H_

#include <string>

#include "absl/status/statusor.h"
#include "src/allocation/allocation.h"

namespace torqsched {

// The capacity stays open: the format has none.
absl::StatusOr<AllocationProblem> ReadAllocationCsv(const std::string& path);

}  // namespace torqsched

#endif  // TORQSCHED_TESTS_ALLOCATION_CSV_H_
