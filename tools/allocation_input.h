// Reading what is to be allocated, for the commands that need it.
#ifndef TORQSCHED_TOOLS_ALLOCATION_INPUT_H_
#define TORQSCHED_TOOLS_ALLOCATION_INPUT_H_

#include <string>

#include "absl/status/status.h"
#include "tools/allocation_csv.h"
#include "tools/arguments.h"
#include "tools/failure.h"
#include "torqsched/v1/allocate.pb.h"

namespace torqsched {
namespace tools {

// Options of several commands.
OptionSpec CapacityOption();   // --capacity N
OptionSpec AlignmentOption();  // --alignment N

struct AllocationInput {
  std::string file;           // as messages show it
  std::string hardware_file;  // where the chip comes from; empty: a name on the command line
  v1::AllocateRequest request;
  bool is_csv = false;
  std::string text;       // of a CSV file
  AllocationTable table;  // views of text
};

// Reads CSV, an AllocateRequest, or a ScheduleRequest or Stream, whose order is then the input
// order: --message says which, else a text file's header, else whichever it can be read as (binary:
// an AllocateRequest). --hardware replaces the chip.
Failure ReadAllocation(const Arguments& arguments, const std::string& path, AllocationInput* input);

// What --capacity and --alignment set, in place of what the file says.
Failure ReadAllocationLimits(const Arguments& arguments, v1::AllocateRequest* request);

// Whether a command that takes schedules and allocations is given an allocation and its response:
// the first file is CSV, or --message or the header of one of them says so. Standard input is not
// looked into.
bool IsAllocation(const Arguments& arguments);

// Reads an AllocateResponse; --input-format csv is about the file that it answers.
Failure ReadAllocateResponse(const Arguments& arguments, const std::string& path,
                             v1::AllocateResponse* response);

// What the library said is wrong: about the file, with the line of a buffer in CSV, or about the
// chip.
Failure AllocationFailure(const AllocationInput& input, const absl::Status& status);

}  // namespace tools
}  // namespace torqsched

#endif  // TORQSCHED_TOOLS_ALLOCATION_INPUT_H_
