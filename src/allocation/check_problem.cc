#include "src/allocation/check_problem.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "src/stream/checked.h"
#include "src/stream/error.h"

namespace torqsched {
namespace {

absl::Status CheckBuffer(const AllocationProblem& problem, size_t i) {
  const AllocationBuffer& buffer = problem.buffers[i];
  const auto field = [i](absl::string_view name) {
    return absl::StrCat("buffers[", i, "].", name);
  };
  if (buffer.alignment == 0) {
    return InvalidProblem(field("alignment"), i, "0; expected at least 1");
  }
  const uint64_t alignment = std::max(buffer.alignment, problem.alignment);
  uint64_t rounded;
  if (!CheckedAlignUp(buffer.size, alignment, &rounded)) {
    return InvalidProblem(field("size"), i,
                          absl::StrCat(buffer.size, " bytes, rounded up to its alignment of ",
                                       alignment, ", do not fit 64 bits"));
  }
  if (buffer.live.lower > buffer.live.upper) {
    return InvalidProblem(
        field("upper"), i,
        absl::StrCat(buffer.live.upper, "; expected at least its lower, ", buffer.live.lower));
  }
  for (size_t g = 0; g < buffer.gaps.size(); ++g) {
    const TimeRange& gap = buffer.gaps[g];
    if (gap.lower > gap.upper || gap.lower < buffer.live.lower || gap.upper > buffer.live.upper) {
      return InvalidProblem(
          absl::StrCat(field("gaps"), "[", g, "]"), i,
          absl::StrCat("[", gap.lower, ", ", gap.upper, "); expected a part of its live range, [",
                       buffer.live.lower, ", ", buffer.live.upper, ")"));
    }
  }
  if (buffer.fixed_offset.has_value()) {
    uint64_t end = *buffer.fixed_offset;
    if (!CheckedAdd(&end, buffer.size)) {
      return InvalidProblem(field("fixed_offset"), i,
                            absl::StrCat(*buffer.fixed_offset, " and its ", buffer.size,
                                         " bytes do not fit 64 bits together"));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckAliases(const AllocationProblem& problem) {
  const size_t n = problem.buffers.size();
  for (size_t i = 0; i < problem.aliases.size(); ++i) {
    const AllocationAlias& alias = problem.aliases[i];
    const auto field = [i](absl::string_view name) {
      return absl::StrCat("aliases[", i, "].", name);
    };
    if (alias.buffer >= n || alias.of >= n) {
      const bool first = alias.buffer >= n;
      return InvalidProblem(
          field(first ? "buffer" : "of"), kNoBuffer,
          absl::StrCat(first ? alias.buffer : alias.of, "; there are ", n, " buffers"));
    }
    const uint64_t size = problem.buffers[alias.buffer].size;
    const uint64_t root_size = problem.buffers[alias.of].size;
    if (!SumFits(alias.offset, size, root_size)) {
      return InvalidProblem(
          field("offset"), alias.buffer,
          absl::StrCat("a view of ", size, " bytes at byte ", alias.offset, " of buffer ", alias.of,
                       "; expected it to end within its ", root_size, " bytes"));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckPairs(const std::vector<BufferPair>& pairs, absl::string_view list, size_t n) {
  for (size_t i = 0; i < pairs.size(); ++i) {
    for (const uint32_t b : {pairs[i].first, pairs[i].second}) {
      if (b < n) continue;
      return InvalidProblem(
          absl::StrCat(list, "[", i, "].", b == pairs[i].first ? "first" : "second"), kNoBuffer,
          absl::StrCat(b, "; there are ", n, " buffers"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status InvalidProblem(absl::string_view field, size_t buffer, absl::string_view message) {
  return ErrorAt(
      absl::StatusCode::kInvalidArgument, absl::StrCat(field, ": ", message),
      {std::string(field), OpIndex(), buffer == kNoBuffer ? BufferIndex() : BufferIndex(buffer)});
}

absl::Status CheckProblem(const AllocationProblem& problem) {
  if (problem.alignment == 0) {
    return InvalidProblem("alignment", kNoBuffer, "0; expected at least 1");
  }
  const size_t n = problem.buffers.size();
  if (n >= 0xffffffff) {
    return InvalidProblem("buffers", kNoBuffer, "too many; expected fewer than 2^32 - 1");
  }
  for (size_t i = 0; i < n; ++i) {
    if (absl::Status status = CheckBuffer(problem, i); !status.ok()) return status;
  }
  for (size_t i = 0; i < problem.reserved.size(); ++i) {
    const ByteRange& range = problem.reserved[i];
    if (range.begin <= range.end) continue;
    return InvalidProblem(absl::StrCat("reserved[", i, "].end"), kNoBuffer,
                          absl::StrCat(range.end, "; expected at least its begin, ", range.begin));
  }
  if (absl::Status status = CheckAliases(problem); !status.ok()) return status;
  if (absl::Status status = CheckPairs(problem.same_offset, "same_offset", n); !status.ok()) {
    return status;
  }
  return CheckPairs(problem.separate, "separate", n);
}

}  // namespace torqsched
