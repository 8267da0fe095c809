// Is a deployment well formed? What checking finds out on the way is kept.
#ifndef TORQSCHED_SRC_RESIDENCY_CHECK_DEPLOYMENT_H_
#define TORQSCHED_SRC_RESIDENCY_CHECK_DEPLOYMENT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "src/residency/deployment.h"

namespace torqsched {

// INVALID_ARGUMENT that begins with the program (and the tensor) and has the field at fault, such
// as "programs[2].tensors[5].bytes"; field is its part behind the program.
absl::Status InvalidProgram(const Deployment& deployment, size_t program, absl::string_view field,
                            absl::string_view message);
absl::Status InvalidTensor(const Deployment& deployment, size_t program, size_t tensor,
                           absl::string_view field, absl::string_view message);

// INVALID_ARGUMENT where two programs have one name. Cost: O(n log n).
absl::Status CheckProgramNames(const Deployment& deployment);

struct TensorNotes {
  std::vector<uint64_t> moved_bytes;  // by tensor, a step, one instance
  std::vector<char> carried;          // by tensor: a state that the next step needs
};

// INVALID_ARGUMENT where instances is 0; two tensors have one name; an access or a tile access
// names no tensor; moved bytes are given twice, or do not fit 64 bits; a carried name is that of no
// state; a buffer's end does not fit 64 bits. Cost: O(n log n).
absl::StatusOr<TensorNotes> CheckProgram(const Deployment& deployment, size_t program);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_RESIDENCY_CHECK_DEPLOYMENT_H_
