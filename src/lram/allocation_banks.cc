#include "src/lram/allocation_banks.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

#include "src/lram/bank_spread.h"
#include "src/lram/lram_problem.h"

namespace torqsched {
namespace {

constexpr uint32_t kNoItem = std::numeric_limits<uint32_t>::max();

bool TakesRoom(const AllocationBuffer& buffer) {
  return buffer.size != 0 && buffer.live.lower < buffer.live.upper;
}

// Whether buffers are free of each other but for the bytes that they take. Times of a stream are
// positions of ops, and its buffers have no gaps.
bool IsPlain(const AllocationProblem& problem) {
  return problem.aliases.empty() && problem.same_offset.empty() && problem.separate.empty();
}

// Buffers that take room, by begin; and what is reserved, as items that never move.
struct Items {
  BankProblem problem;
  std::vector<uint32_t> buffer;  // of each item; those of reserved ranges come first, and have none
};

uint32_t LatestTime(const AllocationProblem& problem) {
  uint64_t latest = 1;
  for (const AllocationBuffer& buffer : problem.buffers) {
    if (TakesRoom(buffer)) latest = std::max(latest, buffer.live.upper);
  }
  return static_cast<uint32_t>(latest);
}

Items MakeItems(const AllocationProblem& problem, const BankReads& reads,
                const std::vector<uint64_t>& offsets, uint64_t capacity) {
  Items items;
  items.problem.capacity = capacity;
  items.problem.boundaries = problem.boundaries;
  std::sort(items.problem.boundaries.begin(), items.problem.boundaries.end());
  items.problem.bank_bytes = reads.bank_bytes;
  items.problem.first_byte = reads.first_byte;
  const uint32_t latest = LatestTime(problem);
  for (const ByteRange& range : problem.reserved) {
    if (range.begin == range.end) continue;
    items.problem.items.push_back({0, latest, range.end - range.begin, range.begin, 1, false});
    items.buffer.push_back(kNoItem);
  }
  std::vector<uint32_t> by_begin;
  for (uint32_t b = 0; b < problem.buffers.size(); ++b) {
    if (TakesRoom(problem.buffers[b])) by_begin.push_back(b);
  }
  std::stable_sort(by_begin.begin(), by_begin.end(), [&](uint32_t a, uint32_t b) {
    return problem.buffers[a].live.lower < problem.buffers[b].live.lower;
  });
  std::vector<uint32_t> item_of_buffer(problem.buffers.size(), kNoItem);
  for (const uint32_t b : by_begin) {
    const AllocationBuffer& buffer = problem.buffers[b];
    item_of_buffer[b] = static_cast<uint32_t>(items.buffer.size());
    items.problem.items.push_back({static_cast<uint32_t>(buffer.live.lower),
                                   static_cast<uint32_t>(buffer.live.upper), buffer.size,
                                   offsets[b], std::max(buffer.alignment, problem.alignment),
                                   !buffer.fixed_offset.has_value()});
    items.buffer.push_back(b);
  }
  for (size_t row = 0; row < reads.buffers.row_count(); ++row) {
    for (const uint32_t b : reads.buffers[row]) {
      if (item_of_buffer[b] != kNoItem) items.problem.reads.Add(item_of_buffer[b]);
    }
    items.problem.reads.EndRow();
  }
  return items;
}

}  // namespace

BankReads BankReadsOf(const Stream& stream, const Hardware& hardware) {
  BankReads reads;
  reads.bank_bytes = hardware.bank_bytes;
  reads.first_byte = hardware.lram_reserved_bytes;
  if (reads.bank_bytes == 0) return reads;
  for (size_t i = 0; i < stream.op_count(); ++i) {
    for (const Access& access : stream.accesses(OpIndex(i))) {
      if (!access.reads || access.begin == access.end) continue;
      if (stream.buffer(access.buffer).space != Space::kLram) continue;
      reads.buffers.Add(access.buffer.value());
    }
    std::sort(reads.buffers.open_begin(), reads.buffers.open_end());
    const size_t count =
        static_cast<size_t>(std::unique(reads.buffers.open_begin(), reads.buffers.open_end()) -
                            reads.buffers.open_begin());
    reads.buffers.TruncateOpen(count < 2 ? 0 : count);
    if (count >= 2) reads.buffers.EndRow();
  }
  return reads;
}

void PreferBanks(const AllocationProblem& problem, const AllocationOptions& options,
                 const BankReads& reads, AllocationAnswer* answer) {
  if (reads.bank_bytes == 0 || answer->verdict != AllocationVerdict::kPlaced) return;
  if (!IsPlain(problem) || !problem.capacity.has_value()) return;
  const bool keep_height = options.objective == Objective::kLeast || answer->proven_least;
  Items items =
      MakeItems(problem, reads, answer->offsets, keep_height ? answer->height : *problem.capacity);
  SpreadOverBanks(&items.problem);
  answer->height = 0;
  for (size_t i = 0; i < items.buffer.size(); ++i) {
    if (items.buffer[i] == kNoItem) continue;
    const BankItem& item = items.problem.items[i];
    answer->offsets[items.buffer[i]] = item.offset;
    answer->height = std::max(answer->height, item.offset + item.size);
  }
  if (answer->height == answer->lower_bound) answer->proven_least = true;
}

std::function<absl::StatusOr<AllocationProblem>(const Stream&, const Hardware&,
                                                const std::vector<OpIndex>&)>
LramProblemAndReads(BankReads* reads) {
  return
      [reads](const Stream& stream, const Hardware& hardware, const std::vector<OpIndex>& order) {
        *reads = BankReadsOf(stream, hardware);
        return MakeLramProblem(stream, hardware, order);
      };
}

}  // namespace torqsched
