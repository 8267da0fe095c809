#include "src/wire/allocate_check.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "src/stream/checked.h"
#include "src/stream/error.h"
#include "src/wire/allocate_wire.h"

namespace torqsched {
namespace {

class Checker {
 public:
  Checker(const AllocationProblem& problem, const v1::AllocateRequest& message)
      : problem_(problem), message_(message) {}

  absl::Status Run() {
    for (uint32_t b = 0; b < problem_.buffers.size(); ++b) {
      if (absl::Status status = CheckBuffer(b); !status.ok()) return status;
    }
    for (size_t i = 0; i < problem_.reserved.size(); ++i) {
      const ByteRange& range = problem_.reserved[i];
      if (range.begin <= range.end) continue;
      return Fail(
          absl::StrCat("reserved[", i, "].end"), BufferIndex(),
          absl::StrCat("reserved[", i, "]: end ", range.end, " is below begin ", range.begin));
    }
    absl::Status status = CheckAliases();
    if (status.ok()) status = CheckPairs("same_offset", problem_.same_offset);
    if (status.ok()) status = CheckPairs("separate", problem_.separate);
    if (status.ok()) status = CheckTies();
    return status;
  }

 private:
  static absl::Status Fail(absl::string_view field, BufferIndex buffer, absl::string_view message) {
    return ErrorAt(absl::StatusCode::kInvalidArgument, message,
                   {std::string(field), OpIndex(), buffer});
  }

  std::string Describe(uint32_t b) const { return DescribeAllocationBuffer(message_, b); }

  // About a member of a buffer: "buffer 3 'w3': what".
  absl::Status FailAt(uint32_t b, absl::string_view member, absl::string_view what) const {
    return Fail(absl::StrCat(message_.has_stream() ? "stream." : "", "buffers[", b, "].", member),
                BufferIndex(b), absl::StrCat(Describe(b), ": ", what));
  }

  absl::Status CheckBuffer(uint32_t b) const {
    const AllocationBuffer& buffer = problem_.buffers[b];
    if (buffer.live.upper < buffer.live.lower) {
      return FailAt(
          b, "upper",
          absl::StrCat("upper ", buffer.live.upper, " is below lower ", buffer.live.lower));
    }
    for (size_t i = 0; i < buffer.gaps.size(); ++i) {
      const TimeRange& gap = buffer.gaps[i];
      const bool outside = gap.lower < buffer.live.lower || buffer.live.upper < gap.upper;
      if (gap.lower <= gap.upper && !outside) continue;
      return FailAt(b, absl::StrCat("gaps[", i, "]"),
                    absl::StrCat("gap [", gap.lower, ", ", gap.upper, ") ",
                                 outside ? "lies outside of its live range ["
                                         : "ends before it begins; its live range is [",
                                 buffer.live.lower, ", ", buffer.live.upper, ")"));
    }
    const uint64_t alignment = std::max(buffer.alignment, problem_.alignment);
    uint64_t rounded;
    if (!CheckedAlignUp(buffer.size, alignment, &rounded)) {
      return FailAt(b, "size",
                    absl::StrCat("its size, ", buffer.size, " bytes, does not fit 64 bits once it ",
                                 "is rounded up to a multiple of ", alignment));
    }
    uint64_t end = buffer.fixed_offset.value_or(0);
    if (!CheckedAdd(&end, buffer.size)) {
      return FailAt(b, "fixed_offset",
                    absl::StrCat("its end, fixed offset ", buffer.fixed_offset.value_or(0), " and ",
                                 buffer.size, " bytes, does not fit 64 bits"));
    }
    return absl::OkStatus();
  }

  // A position that stands at this field.
  absl::Status CheckIndex(absl::string_view field, uint32_t b) const {
    if (b >= problem_.buffers.size()) {
      return Fail(field, BufferIndex(),
                  absl::StrCat(field, ": buffer ", b, ", but there are ", problem_.buffers.size(),
                               " buffers"));
    }
    if (message_.has_stream() &&
        message_.stream().buffers(static_cast<int>(b)).space() != v1::SPACE_LRAM) {
      return Fail(field, BufferIndex(b), absl::StrCat(field, ": ", Describe(b), " is not in LRAM"));
    }
    return absl::OkStatus();
  }

  absl::Status CheckPairs(absl::string_view list, const std::vector<BufferPair>& pairs) const {
    for (size_t i = 0; i < pairs.size(); ++i) {
      const std::string path = absl::StrCat(list, "[", i, "]");
      absl::Status status = CheckIndex(absl::StrCat(path, ".first"), pairs[i].first);
      if (status.ok()) status = CheckIndex(absl::StrCat(path, ".second"), pairs[i].second);
      if (!status.ok()) return status;
      if (pairs[i].first != pairs[i].second) continue;
      return Fail(
          absl::StrCat(path, ".second"), BufferIndex(pairs[i].second),
          absl::StrCat(path, ": ", Describe(pairs[i].first), " twice; expected two buffers"));
    }
    return absl::OkStatus();
  }

  absl::Status CheckAlias(size_t i) {
    const AllocationAlias& alias = problem_.aliases[i];
    const std::string path = absl::StrCat("aliases[", i, "]");
    absl::Status status = CheckIndex(absl::StrCat(path, ".buffer"), alias.buffer);
    if (status.ok()) status = CheckIndex(absl::StrCat(path, ".of"), alias.of);
    if (!status.ok()) return status;
    const auto fail = [&](absl::string_view member, absl::string_view what) {
      return Fail(absl::StrCat(path, ".", member), BufferIndex(alias.buffer),
                  absl::StrCat(path, ": ", Describe(alias.buffer), " ", what));
    };
    if (alias_of_[alias.buffer] != kNone) {
      return fail("buffer", absl::StrCat("is a part already, by aliases[", alias_of_[alias.buffer],
                                         "]; expected one whole"));
    }
    alias_of_[alias.buffer] = static_cast<uint32_t>(i);
    const AllocationBuffer& part = problem_.buffers[alias.buffer];
    const AllocationBuffer& whole = problem_.buffers[alias.of];
    if (!SumFits(alias.offset, part.size, whole.size)) {
      return fail("offset", absl::StrCat("of ", part.size, " bytes at ", alias.offset,
                                         " does not lie inside of ", Describe(alias.of), " of ",
                                         whole.size, " bytes"));
    }
    return absl::OkStatus();
  }

  // Each alias by itself, then from each part to its whole, once: a walk that comes back to itself
  // is a circle.
  absl::Status CheckAliases() {
    alias_of_.assign(problem_.buffers.size(), kNone);
    for (size_t i = 0; i < problem_.aliases.size(); ++i) {
      if (absl::Status status = CheckAlias(i); !status.ok()) return status;
    }
    std::vector<uint32_t> walk(alias_of_.size(), kNone);  // in which walk each was met
    for (uint32_t i = 0; i < problem_.aliases.size(); ++i) {
      uint32_t at = i;
      while (at != kNone && walk[problem_.aliases[at].buffer] == kNone) {
        walk[problem_.aliases[at].buffer] = i;
        at = alias_of_[problem_.aliases[at].of];
      }
      if (at == kNone || walk[problem_.aliases[at].buffer] != i) continue;
      return Fail(absl::StrCat("aliases[", at, "].of"), BufferIndex(problem_.aliases[at].buffer),
                  absl::StrCat("aliases[", at, "]: ", Describe(problem_.aliases[at].buffer),
                               " is a part of itself"));
    }
    return absl::OkStatus();
  }

  // Where each buffer begins in the buffer that it is a part of in the end.
  void FindWholes() {
    const size_t count = problem_.buffers.size();
    whole_.resize(count);
    std::iota(whole_.begin(), whole_.end(), 0);
    in_whole_.assign(count, 0);
    std::vector<uint32_t> walk;
    for (uint32_t b = 0; b < count; ++b) {
      uint32_t top = b;
      for (walk.clear(); whole_[top] == top && alias_of_[top] != kNone;) {
        walk.push_back(top);
        top = problem_.aliases[alias_of_[top]].of;
      }
      for (; !walk.empty(); walk.pop_back()) {
        const AllocationAlias& alias = problem_.aliases[alias_of_[walk.back()]];
        whole_[alias.buffer] = whole_[alias.of];
        in_whole_[alias.buffer] = in_whole_[alias.of] + alias.offset;  // inside: cannot wrap
      }
    }
  }

  uint32_t FamilyOf(uint32_t b) {
    uint32_t top = whole_[b];
    while (family_[top] != top) top = family_[top] = family_[family_[top]];
    return top;
  }

  // Buffers that have the same offset begin with their wholes, and nothing ties two fixed ones.
  absl::Status CheckTies() {
    if (problem_.aliases.empty() && problem_.same_offset.empty()) return absl::OkStatus();
    FindWholes();
    const size_t count = problem_.buffers.size();
    family_.resize(count);
    std::iota(family_.begin(), family_.end(), 0);
    for (size_t i = 0; i < problem_.same_offset.size(); ++i) {
      const BufferPair& pair = problem_.same_offset[i];
      for (const uint32_t b : {pair.first, pair.second}) {
        if (in_whole_[b] == 0) continue;
        const std::string path =
            absl::StrCat("same_offset[", i, "].", b == pair.first ? "first" : "second");
        return Fail(
            path, BufferIndex(b),
            absl::StrCat(path, ": ", Describe(b), " is a part, at byte ", in_whole_[b], " of ",
                         Describe(whole_[b]), "; expected no part, or one at byte ", "0"));
      }
      const uint32_t a = FamilyOf(pair.first);
      const uint32_t b = FamilyOf(pair.second);
      family_[std::max(a, b)] = std::min(a, b);
    }
    std::vector<uint32_t> fixed_by(count, kNone);  // by family: the buffer that fixes it
    for (uint32_t b = 0; b < count; ++b) {
      if (!problem_.buffers[b].fixed_offset.has_value()) continue;
      if (absl::Status status = CheckFixedTie(b, &fixed_by[FamilyOf(b)]); !status.ok()) {
        return status;
      }
    }
    return absl::OkStatus();
  }

  absl::Status CheckFixedTie(uint32_t b, uint32_t* fixed_by) const {
    const uint64_t offset = *problem_.buffers[b].fixed_offset;
    if (offset < in_whole_[b]) {
      return FailAt(
          b, "fixed_offset",
          absl::StrCat("fixed offset ", offset, ", but it is a part, at byte ", in_whole_[b],
                       " of ", Describe(whole_[b]), "; expected at least as much"));
    }
    if (*fixed_by == kNone) {
      *fixed_by = b;
      return absl::OkStatus();
    }
    const uint64_t other = *problem_.buffers[*fixed_by].fixed_offset;
    if (offset - in_whole_[b] == other - in_whole_[*fixed_by]) return absl::OkStatus();
    return FailAt(b, "fixed_offset",
                  absl::StrCat("fixed offset ", offset, ", but it is tied to ", Describe(*fixed_by),
                               ", which has fixed offset ", other));
  }

  static constexpr uint32_t kNone = 0xffffffff;

  const AllocationProblem& problem_;
  const v1::AllocateRequest& message_;
  std::vector<uint32_t> alias_of_;  // by buffer: the alias whose part it is
  std::vector<uint32_t> whole_;     // by buffer: itself, or what it is a part of in the end
  std::vector<uint64_t> in_whole_;  // by buffer: where it begins there
  std::vector<uint32_t> family_;    // by whole: union-find, the least index leads
};

}  // namespace

absl::Status CheckAllocationProblem(const AllocationProblem& problem,
                                    const v1::AllocateRequest& message) {
  return Checker(problem, message).Run();
}

}  // namespace torqsched
