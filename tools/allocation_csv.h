// Allocation problems as MiniMalloc's CSV: a header line, then a buffer a line.
//
//   id,lower,upper,size[,alignment,gaps,offset,hint]
//
// Columns stand in any order. "buffer" and "buffer_id" are other names of id, "begin" and "start"
// of lower; "end" is an upper that is the last time itself, and so are then the ends of gaps. Gaps
// are "3-5 7-9". An empty cell of alignment, gaps, offset or hint says nothing; an offset is fixed.
// Lines may end in CR LF, empty lines may end the file. Cells are not quoted.
//
// Source: MiniMalloc's README and its reader, src/converter.cc.
#ifndef TORQSCHED_TOOLS_ALLOCATION_CSV_H_
#define TORQSCHED_TOOLS_ALLOCATION_CSV_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "src/allocation/allocation.h"
#include "torqsched/v1/allocate.pb.h"

namespace torqsched {
namespace tools {

// A file as it was read, so that it can be written again with offsets.
struct AllocationTable {
  std::vector<absl::string_view> header;             // cells, as they stand
  std::vector<std::vector<absl::string_view>> rows;  // a buffer each
  std::vector<size_t> lines;                         // of each buffer, counted from 1
};

// Adds the buffers of the file to the request. The error's text begins with "LINE: " and names the
// column. The table's cells are views of the text. Linear.
absl::Status ParseAllocationCsv(absl::string_view text, v1::AllocateRequest* request,
                                AllocationTable* table);

// The file again, its offset column filled; one is added where there is none. An offset for each
// row.
std::string PrintAllocationCsv(const AllocationTable& table, const std::vector<uint64_t>& offsets);

// The same of a problem that comes from elsewhere, with the columns that say something. A name is
// an id where there is one, with '_' for what a cell cannot hold, else the buffer's position.
std::string PrintAllocationCsv(const AllocationProblem& problem,
                               const std::function<absl::string_view(uint32_t buffer)>& name,
                               const std::vector<uint64_t>& offsets);

}  // namespace tools
}  // namespace torqsched

#endif  // TORQSCHED_TOOLS_ALLOCATION_CSV_H_
