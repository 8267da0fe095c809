#include "src/verify/stream_allocation.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "src/stream/order.h"
#include "src/verify/uses.h"

namespace torqsched {
namespace {

// Where one region of LRAM ends and the next begins.
std::vector<uint64_t> Boundaries(const Hardware& hardware) {
  std::vector<uint64_t> boundaries;
  uint64_t begin = 0;
  for (const uint64_t bytes : hardware.region_bytes) {
    if (begin != 0) boundaries.push_back(begin);
    begin += bytes;
  }
  return boundaries;
}

uint64_t LargestRegion(const Hardware& hardware) {
  uint64_t largest = hardware.region_bytes.empty() ? hardware.usable_bytes() : 0;
  for (const uint64_t bytes : hardware.region_bytes) largest = std::max(largest, bytes);
  return largest;
}

// Whether the buffer could lie in LRAM alone.
bool CouldLie(uint64_t usable, uint64_t largest_region, const std::vector<uint64_t>& boundaries,
              const Buffer& buffer) {
  if (!buffer.has_fixed_offset) return buffer.size <= largest_region;
  const uint64_t from = buffer.fixed_offset;
  const auto next = std::upper_bound(boundaries.begin(), boundaries.end(), from);
  const uint64_t end = next == boundaries.end() ? usable : *next;
  return from <= end && buffer.size <= end - from;
}

}  // namespace

absl::StatusOr<AllocationProblem> AllocationToVerify(const Stream& stream, const Hardware& hardware,
                                                     const std::vector<OpIndex>& order) {
  if (absl::Status status = CheckOrder(stream, order); !status.ok()) return status;
  verify::Positions position(stream.op_count(), 0);
  for (size_t i = 0; i < order.size(); ++i) position[order[i]] = static_cast<uint32_t>(i);
  const verify::Uses uses(stream, position);

  AllocationProblem problem;
  problem.alignment = hardware.alignment;
  problem.capacity = hardware.usable_bytes();
  problem.boundaries = Boundaries(hardware);
  const uint64_t largest = LargestRegion(hardware);
  problem.buffers.resize(stream.buffer_count());
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const BufferIndex b(i);
    const Buffer& buffer = stream.buffer(b);
    const bool lives = uses.lives(b);
    if (buffer.space != Space::kLram) continue;
    // What could not lie in LRAM is a fault where it is live, and nothing to look at elsewhere.
    if (!lives && !CouldLie(*problem.capacity, largest, problem.boundaries, buffer)) continue;
    AllocationBuffer& made = problem.buffers[i];
    made.size = buffer.size;
    made.alignment = buffer.alignment;
    if (buffer.has_fixed_offset) made.fixed_offset = buffer.fixed_offset;
    if (!lives) continue;
    const verify::Life& life = uses.life(b);
    made.live.lower = buffer.live_in ? 0 : life.first;
    made.live.upper =
        buffer.live_out ? std::max<uint64_t>(order.size(), 1) : uint64_t{life.last} + 1;
  }
  return problem;
}

}  // namespace torqsched
