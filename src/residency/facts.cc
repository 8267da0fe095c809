#include "src/residency/facts.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "src/residency/check_deployment.h"
#include "src/residency/keyed_index.h"
#include "src/stream/checked.h"

namespace torqsched {
namespace {

// What the accesses of one tensor say together.
struct AccessSummary {
  uint64_t begin = 0;  // of its live range
  uint64_t end = 0;    // likewise, included
  uint32_t count = 0;
};

// A range begins at the earliest store, or at the first access in stage order if that is earlier:
// a load of a later stage does not make it begin earlier, whatever its phase.
std::vector<AccessSummary> SummarizeAccesses(const DeployedProgram& program) {
  std::vector<AccessSummary> summaries(program.tensors.size());
  for (const TensorAccess& access : program.accesses) {
    AccessSummary& summary = summaries[access.tensor];
    if (summary.count++ == 0) {
      summary.begin = summary.end = access.phase;
      continue;
    }
    if (access.store) summary.begin = std::min(summary.begin, access.phase);
    summary.end = std::max(summary.end, access.phase);
  }
  return summaries;
}

// Chips come in long runs or few at a time: remembering the last ones leaves little to sort.
std::vector<uint32_t> NamedChips(const DeployedProgram& program,
                                 const std::vector<AccessSummary>& summaries) {
  constexpr uint64_t kNone = std::numeric_limits<uint64_t>::max();
  std::array<uint64_t, 64> recent;
  recent.fill(kNone);
  std::vector<uint32_t> chips;
  const auto add = [&](uint32_t chip) {
    if (recent[chip % recent.size()] == chip) return;
    recent[chip % recent.size()] = chip;
    chips.push_back(chip);
  };
  for (const SiteBuffer& buffer : program.buffers) add(buffer.chip);
  for (const TensorAccess& access : program.accesses) add(access.chip);
  if (std::any_of(summaries.begin(), summaries.end(),
                  [](const AccessSummary& summary) { return summary.count == 0; })) {
    add(0);
  }
  std::sort(chips.begin(), chips.end());
  chips.erase(std::unique(chips.begin(), chips.end()), chips.end());
  return chips;
}

size_t PositionOf(const std::vector<uint32_t>& chips, uint32_t chip) {
  // Chips are mostly numbered without gaps.
  if (chip < chips.size() && chips[chip] == chip) return chip;
  return static_cast<size_t>(std::lower_bound(chips.begin(), chips.end(), chip) - chips.begin());
}

Rows<uint32_t> FindChipsOf(const DeployedProgram& program, const std::vector<uint32_t>& chips,
                           const std::vector<AccessSummary>& summaries) {
  const size_t n = program.tensors.size();
  std::vector<uint32_t> ends(n);  // of each tensor's, as far as they are filled
  uint32_t sum = 0;
  for (size_t t = 0; t < n; ++t) {
    ends[t] = sum;
    sum += summaries[t].count;
  }
  std::vector<uint32_t> positions(sum);
  for (const TensorAccess& access : program.accesses) {
    positions[ends[access.tensor]++] = static_cast<uint32_t>(PositionOf(chips, access.chip));
  }
  Rows<uint32_t> rows;
  rows.reserve(n, sum);
  for (size_t t = 0; t < n; ++t) {
    const uint32_t begin = ends[t] - summaries[t].count;
    std::sort(positions.begin() + begin, positions.begin() + ends[t]);
    for (size_t i = begin; i < ends[t]; ++i) {
      if (i == begin || positions[i] != positions[i - 1]) rows.Add(positions[i]);
    }
    rows.EndRow();
  }
  return rows;
}

std::vector<LiveActivation> FindLiveRanges(const DeployedProgram& program,
                                           const std::vector<AccessSummary>& summaries) {
  std::vector<LiveActivation> ranges;
  ranges.reserve(summaries.size());
  for (uint32_t t = 0; t < summaries.size(); ++t) {
    const DeployedTensor& tensor = program.tensors[t];
    if (tensor.role != TensorRole::kActivation || summaries[t].count == 0) continue;
    ranges.push_back({t, tensor.bytes, summaries[t].begin, summaries[t].end});
  }
  return ranges;
}

absl::Status SumBuffers(const Deployment& deployment, size_t p, ProgramFacts* facts) {
  const std::vector<SiteBuffer>& buffers = deployment.programs[p].buffers;
  std::vector<KeyedIndex> by_site;
  for (uint32_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].accumulator) continue;
    by_site.push_back({uint64_t{buffers[i].chip} << 32 | buffers[i].site, i});
  }
  StableSortByKey(&by_site);
  facts->buffer_bytes.assign(facts->chips.size(), 0);
  for (size_t i = 0; i < by_site.size();) {
    const SiteBuffer& first = buffers[by_site[i].index];
    uint64_t end = 0;
    for (const uint64_t site = by_site[i].key; i < by_site.size() && by_site[i].key == site; ++i) {
      const SiteBuffer& buffer = buffers[by_site[i].index];
      end = std::max(end, buffer.offset + buffer.bytes);  // fits: CheckProgram
    }
    if (CheckedAdd(&facts->buffer_bytes[PositionOf(facts->chips, first.chip)], end)) continue;
    return InvalidProgram(
        deployment, p, "buffers",
        absl::StrCat("its buffers' bytes on chip ", first.chip, " do not fit 64 bits"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<ProgramFacts>> FindFacts(const Deployment& deployment) {
  if (absl::Status status = CheckProgramNames(deployment); !status.ok()) return status;
  std::vector<ProgramFacts> all(deployment.programs.size());
  for (size_t p = 0; p < all.size(); ++p) {
    absl::StatusOr<TensorNotes> notes = CheckProgram(deployment, p);
    if (!notes.ok()) return notes.status();
    const DeployedProgram& program = deployment.programs[p];
    ProgramFacts& facts = all[p];
    facts.moved_bytes = std::move(notes->moved_bytes);
    facts.carried = std::move(notes->carried);
    const std::vector<AccessSummary> summaries = SummarizeAccesses(program);
    facts.chips = NamedChips(program, summaries);
    facts.chips_of = FindChipsOf(program, facts.chips, summaries);
    facts.activations = FindLiveRanges(program, summaries);
    if (absl::Status status = SumBuffers(deployment, p, &facts); !status.ok()) return status;
  }
  return all;
}

}  // namespace torqsched
