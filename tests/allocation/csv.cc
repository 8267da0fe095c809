#include "tests/allocation/csv.h"

#include <cstdint>
#include <fstream>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace torqsched {
namespace {

// The gaps of one row; false: not of the form.
bool ReadGaps(absl::string_view text, std::vector<TimeRange>* gaps) {
  for (const absl::string_view gap : absl::StrSplit(text, ' ', absl::SkipEmpty())) {
    const std::pair<absl::string_view, absl::string_view> ends = absl::StrSplit(gap, '-');
    TimeRange range;
    if (!absl::SimpleAtoi(ends.first, &range.lower)) return false;
    if (!absl::SimpleAtoi(ends.second, &range.upper)) return false;
    gaps->push_back(range);
  }
  return true;
}

// One field of a row; false: not of the form.
bool ReadField(absl::string_view column, absl::string_view text, AllocationBuffer* buffer) {
  if (column == "id") return true;
  if (column == "gaps") return ReadGaps(text, &buffer->gaps);
  uint64_t number = 0;
  const bool optional = column == "alignment" || column == "offset" || column == "hint";
  if (optional && text.empty()) return true;
  if (!absl::SimpleAtoi(text, &number)) return false;
  if (column == "lower") {
    buffer->live.lower = number;
  } else if (column == "upper") {
    buffer->live.upper = number;
  } else if (column == "size") {
    buffer->size = number;
  } else if (column == "alignment") {
    buffer->alignment = number;
  } else if (column == "offset") {
    buffer->fixed_offset = number;
  } else if (column == "hint") {
    buffer->hint = number;
  } else {
    return false;
  }
  return true;
}

std::vector<absl::string_view> Fields(absl::string_view line) {
  return absl::StrSplit(absl::StripSuffix(line, "\r"), ',');
}

}  // namespace

absl::StatusOr<AllocationProblem> ReadAllocationCsv(const std::string& path) {
  std::ifstream file(path);
  std::string header;
  if (!std::getline(file, header)) return absl::NotFoundError(path);
  const std::vector<absl::string_view> columns = Fields(header);
  AllocationProblem problem;
  std::string line;
  while (std::getline(file, line)) {
    if (line.empty()) continue;
    const std::vector<absl::string_view> fields = Fields(line);
    AllocationBuffer buffer;
    bool good = fields.size() == columns.size();
    for (size_t i = 0; good && i < fields.size(); ++i) {
      good = ReadField(columns[i], fields[i], &buffer);
    }
    if (!good) return absl::InvalidArgumentError(absl::StrCat(path, ": ", line));
    problem.buffers.push_back(std::move(buffer));
  }
  return problem;
}

}  // namespace torqsched
