#include "src/lram/lram_problem.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "src/stream/order.h"

namespace torqsched {
namespace {

// The live range of each buffer, empty for those that are never born.
std::vector<TimeRange> LiveRanges(const Stream& stream, const Lifetimes& lifetimes,
                                  const std::vector<OpIndex>& order) {
  std::vector<TimeRange> live(stream.buffer_count());
  IndexVector<OpIndex, uint64_t> position(stream.op_count(), 0);
  for (size_t i = 0; i < order.size(); ++i) position[order[i]] = i;
  for (size_t i = 0; i < order.size(); ++i) {
    const Op& op = stream.op(order[i]);
    const uint64_t end = (op.kind == OpKind::kStart ? position[op.partner] : i) + 1;
    for (const BufferIndex b : lifetimes.uses(order[i])) {
      TimeRange& range = live[b.value()];
      if (range.upper == 0) range.lower = i;  // its first user: positions rise
      range.upper = std::max(range.upper, end);
    }
  }
  // A stream without ops still has one point in time.
  const uint64_t end = std::max<uint64_t>(order.size(), 1);
  for (size_t b = 0; b < live.size(); ++b) {
    const Buffer& buffer = stream.buffer(BufferIndex(b));
    const bool used = live[b].upper != 0;
    if (buffer.space != Space::kLram || (!used && !(buffer.live_in && buffer.live_out))) continue;
    if (buffer.live_in) live[b].lower = 0;
    if (buffer.live_out) live[b].upper = end;
  }
  return live;
}

}  // namespace

AllocationProblem LramProblem(const Stream& stream, const Hardware& hardware,
                              const Lifetimes& lifetimes, const std::vector<OpIndex>& order) {
  AllocationProblem problem;
  problem.alignment = hardware.alignment;
  problem.capacity = hardware.usable_bytes();
  const LramRegions regions(hardware);
  problem.boundaries = regions.boundaries();
  const std::vector<TimeRange> live = LiveRanges(stream, lifetimes, order);
  problem.buffers.resize(stream.buffer_count());
  for (size_t b = 0; b < problem.buffers.size(); ++b) {
    const Buffer& buffer = stream.buffer(BufferIndex(b));
    // One that is used does fit; of another no number may be a reason to refuse the stream.
    if (buffer.space != Space::kLram || !regions.Hold(buffer)) continue;
    AllocationBuffer& made = problem.buffers[b];
    made.size = buffer.size;
    made.alignment = buffer.alignment;
    made.live = live[b];
    if (buffer.has_fixed_offset) made.fixed_offset = buffer.fixed_offset;
  }
  return problem;
}

absl::StatusOr<AllocationProblem> MakeLramProblem(const Stream& stream, const Hardware& hardware,
                                                  const std::vector<OpIndex>& order) {
  if (absl::Status status = CheckOrder(stream, order); !status.ok()) return status;
  const absl::StatusOr<Lifetimes> lifetimes = Lifetimes::Build(stream, hardware);
  if (!lifetimes.ok()) return lifetimes.status();
  return LramProblem(stream, hardware, *lifetimes, order);
}

}  // namespace torqsched
