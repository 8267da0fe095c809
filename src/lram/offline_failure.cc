#include "src/lram/offline_failure.h"

#include <algorithm>
#include <vector>

#include "absl/numeric/int128.h"

namespace torqsched {
namespace offline {
namespace {

// Whether the op at the position, or a program that runs then, uses each buffer.
IndexVector<BufferIndex, uint8_t> UsedAt(const Residency& residency, const Lifetimes& lifetimes,
                                         uint32_t position) {
  IndexVector<BufferIndex, uint32_t> running(residency.lives.size(), 0);
  const Stream& stream = residency.stream;
  for (uint32_t p = 0; p < position; ++p) {
    const OpIndex op = residency.order[p];
    if (stream.op(op).kind == OpKind::kStart) {
      for (const BufferIndex b : lifetimes.uses(op)) ++running[b];
    } else if (stream.op(op).kind == OpKind::kWait) {
      for (const BufferIndex b : lifetimes.uses(stream.op(op).partner)) --running[b];
    }
  }
  IndexVector<BufferIndex, uint8_t> used(residency.lives.size(), 0);
  for (uint32_t b = 0; b < running.size(); ++b) used[BufferIndex(b)] = running[BufferIndex(b)] != 0;
  if (position < residency.order.size()) {
    for (const BufferIndex b : lifetimes.uses(residency.order[position])) used[b] = 1;
  }
  return used;
}

}  // namespace

std::optional<uint32_t> FirstFullPosition(const Residency& residency, bool swaps_allowed) {
  std::vector<absl::int128> change(residency.positions + size_t{1}, 0);
  for (uint32_t i = 0; i < residency.lives.size(); ++i) {
    const Life& life = residency.lives[BufferIndex(i)];
    if (life.empty()) continue;
    change[life.begin] += residency.stream.buffer(BufferIndex(i)).size;
    change[life.end] -= residency.stream.buffer(BufferIndex(i)).size;
  }
  if (swaps_allowed) {
    for (const Gap& gap : residency.gaps) {
      change[gap.begin] -= residency.stream.buffer(gap.buffer).size;
      change[gap.end] += residency.stream.buffer(gap.buffer).size;
    }
  }
  absl::int128 live = 0;
  for (uint32_t p = 0; p < residency.positions; ++p) {
    live += change[p];
    if (live > residency.hardware.usable_bytes()) return p;
  }
  return std::nullopt;
}

PlacementFailure CapacityFailure(const Residency& residency, const Lifetimes& lifetimes,
                                 uint32_t position, bool swaps_allowed) {
  const IndexVector<BufferIndex, uint8_t> used = UsedAt(residency, lifetimes, position);
  IndexVector<BufferIndex, uint8_t> returns(residency.lives.size(), 0);
  IndexVector<BufferIndex, uint8_t> out(residency.lives.size(), 0);
  if (swaps_allowed) {
    for (const Gap& gap : residency.gaps) {
      if (gap.end == position) returns[gap.buffer] = 1;
      if (gap.begin <= position && position < gap.end) out[gap.buffer] = 1;
    }
  }
  absl::uint128 live_in = 0;
  for (const BufferIndex b : lifetimes.live_in()) live_in += residency.stream.buffer(b).size;
  const bool before_first = live_in > residency.hardware.usable_bytes();

  PlacementFailure failure;
  failure.reason = FailureReason::kCapacity;
  if (!before_first && position < residency.order.size()) failure.op = residency.order[position];
  absl::uint128 in = 0;
  absl::uint128 pinned = 0;
  for (uint32_t i = 0; i < residency.lives.size(); ++i) {
    const BufferIndex b(i);
    const Life& life = residency.lives[b];
    if (life.begin > position || life.end <= position || out[b]) continue;
    const bool live_in_buffer = residency.stream.buffer(b).live_in;
    const bool comes =
        before_first ? live_in_buffer : returns[b] || (life.begin == position && !live_in_buffer);
    if (comes) {
      failure.buffers.push_back(b);
    } else if (!before_first) {
      in += RoundedSize(residency, b);
      if (used[b]) pinned += RoundedSize(residency, b);
    }
  }
  const uint64_t usable = residency.hardware.usable_bytes();
  failure.pinned_bytes = absl::Uint128Low64(std::min<absl::uint128>(pinned, usable));
  failure.free_bytes = usable - absl::Uint128Low64(std::min<absl::uint128>(in, usable));
  failure.largest_range = std::min(failure.free_bytes, LramRegions(residency.hardware).largest());
  return failure;
}

}  // namespace offline
}  // namespace torqsched
