// What residency planning is asked about: programs, their tensors, who touches what when.
//
// A *program* is one compiled network layer (or a group of them), run once for each of its
// instances a step; its tensors are of one instance. All lists are in the order of the request, and
// positions in them name things: a tensor is its position in its program's tensors. Names are views
// of the caller's storage, which must outlive the deployment; they compare as bytes.
//
// Source: docs/residency.md, section 1.
#ifndef TORQSCHED_SRC_RESIDENCY_DEPLOYMENT_H_
#define TORQSCHED_SRC_RESIDENCY_DEPLOYMENT_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"

namespace torqsched {

struct ResidencyTarget {
  uint64_t sram_bytes = 0;  // a chip
  uint64_t hbm_bytes = 0;   // a chip; 0: there is none
  bool crossbar = false;    // any site reaches any other's memory

  // Tensors live on chip only where every site can reach them.
  bool holds_tensors() const { return crossbar && sram_bytes > 0; }
};

// A buffer that the program keeps in a site's memory from its first phase to its last.
struct SiteBuffer {
  uint32_t chip = 0;
  uint32_t site = 0;
  uint64_t offset = 0;       // bytes, in the site's memory
  uint64_t bytes = 0;        // offset + bytes fits 64 bits, unless it is an accumulator
  bool accumulator = false;  // lies in a memory of its own, and counts nowhere
};

enum class TensorRole : uint8_t { kActivation, kState, kWeight, kInput, kOutput };

struct DeployedTensor {
  absl::string_view name;  // no other tensor of the program has it
  TensorRole role = TensorRole::kActivation;
  uint64_t bytes = 0;  // of one instance
  // Bytes that it moves a step, in one instance; absent: what its tile accesses come to, 0 without.
  std::optional<uint64_t> moved_bytes;
};

// One stage reads (or writes) a tensor.
struct TensorAccess {
  uint32_t tensor = 0;  // position in the program's tensors
  uint32_t chip = 0;
  uint64_t phase = 0;
  bool store = false;  // else a load
};

// Part of a tensor's moved bytes: a block of tiles, moved once in every turn of the loops around
// it.
struct TileAccess {
  uint32_t tensor = 0;        // position in the program's tensors
  uint64_t block_height = 0;  // tiles
  uint64_t block_width = 0;   // tiles
  uint64_t tile_bytes = 0;
  std::vector<uint64_t> trip_counts;  // of the loops around it, each at its bound; none: once
};

struct DeployedProgram {
  absl::string_view name;  // no other program has it
  uint64_t instances = 1;  // layers that run it, at least 1
  std::vector<SiteBuffer> buffers;
  std::vector<DeployedTensor> tensors;  // fewer than 2^32 - 1
  std::vector<TensorAccess> accesses;   // in the order of the stages; fewer than 2^32 - 1
  std::vector<TileAccess> tile_accesses;
  // Names of states whose contents the next step needs; the other states are the program's own
  // tables. Absent: not known, every state is carried.
  std::optional<std::vector<absl::string_view>> carried;
};

struct Deployment {
  ResidencyTarget target;
  std::vector<DeployedProgram> programs;
};

}  // namespace torqsched

#endif  // TORQSCHED_SRC_RESIDENCY_DEPLOYMENT_H_
