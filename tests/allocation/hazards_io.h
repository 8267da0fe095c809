// The cases of testdata/hazards/, read with protobuf (google.protobuf.Struct, whose numbers are
// doubles). What is missing or of another type reads as empty or 0: tests check what they rely on.
#ifndef TORQSCHED_TESTS_ALLOCATION_HAZARDS_IO_H_
#define TORQSCHED_TESTS_ALLOCATION_HAZARDS_IO_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "src/allocation/allocation.h"

namespace torqsched {

// A case of cases.json, part "allocation".
struct HazardCase {
  std::string id;
  AllocationProblem problem;               // fixed offsets left out
  std::map<std::string, uint32_t> buffer;  // by name
  std::map<std::string, uint64_t> fixed;   // by name
  std::map<std::string, uint64_t> expect;  // numbers; true and false as 1 and 0
  std::map<std::string, std::string> expect_text;
};

absl::StatusOr<std::vector<HazardCase>> LoadHazardCases(const std::string& path);

// A case of npu_compiler_allocation.json: its ops in order, with the buffers that they touch.
struct NpuCompilerCase {
  struct Op {
    std::string name;
    std::vector<std::string> touches;  // names of buffers, read or written
  };
  std::string name;
  uint64_t capacity = 0;                        // 0: not stated
  std::map<std::string, uint64_t> cmx_buffers;  // name and bytes
  std::vector<Op> ops;
  uint64_t used_bytes = 0;
  std::map<std::string, uint64_t> declared_offsets;  // by that compiler's names
};

absl::StatusOr<std::vector<NpuCompilerCase>> LoadNpuCompilerCases(const std::string& path);

}  // namespace torqsched

#endif  // TORQSCHED_TESTS_ALLOCATION_HAZARDS_IO_H_
