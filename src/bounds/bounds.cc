#include "src/bounds/bounds.h"

#include <algorithm>

#include "src/bounds/cover.h"
#include "src/bounds/cover_by_size.h"
#include "src/bounds/cuts.h"
#include "src/bounds/heads_tails.h"
#include "src/bounds/jackson.h"
#include "src/bounds/part.h"
#include "src/bounds/precedence.h"
#include "src/bounds/sharing.h"
#include "src/bounds/slices.h"
#include "src/stream/checked.h"

namespace torqsched::bounds {
namespace {

// What making a part costs at least.
constexpr uint64_t kWorkOfPart = 2000;

uint64_t StreamBound(const Part& part, const HeadsAndTails& times) {
  uint64_t head = UINT64_MAX;
  uint64_t tail = UINT64_MAX;
  uint64_t sum = part.block_cycles;
  if (sum != 0) head = tail = 0;
  for (uint32_t job = 0; job < part.size(); ++job) {
    if (part.jobs[job].stream == 0) continue;
    head = std::min(head, times.head[job]);
    tail = std::min(tail, times.tail[job]);
    sum = SaturatingAdd(sum, part.jobs[job].stream);
  }
  return sum == 0 ? 0 : SaturatingAdd(SaturatingAdd(head, sum), tail);
}

// What the DMA engines do where the stream does not wait for them.
uint64_t EnginesBound(const ScheduleProblem& problem) {
  const Hardware& hardware = problem.hardware;
  uint64_t loads = 0;
  uint64_t stores = 0;
  uint64_t control_ops = 0;
  for (uint32_t i = 0; i < problem.stream.op_count(); ++i) {
    const Op& op = problem.stream.op(OpIndex(i));
    if (op.kind == OpKind::kLoad) loads = SaturatingAdd(loads, op.cycles);
    if (op.kind == OpKind::kStore) stores = SaturatingAdd(stores, op.cycles);
    if (op.kind != OpKind::kPure) ++control_ops;
  }
  if (hardware.block_ops != 0) {
    const uint64_t block = TransferCycles(hardware, hardware.block_bytes);
    loads = SaturatingAdd(loads, SaturatingMultiply(control_ops / hardware.block_ops, block));
  }
  const auto shared = [](uint64_t cycles, uint64_t by) { return cycles / by + (cycles % by != 0); };
  const uint64_t engines = hardware.dma_engines;
  if (hardware.store_engines == 0) return shared(SaturatingAdd(loads, stores), engines);
  return std::max(shared(loads, engines), shared(stores, hardware.store_engines));
}

// All that is known of one part, by kind.
std::vector<Bound> BoundsOf(const Part& part, uint64_t work) {
  const HeadsAndTails path = PathHeadsAndTails(part);
  const Precedence precedence(part, work / 8);
  const HeadsAndTails full = FullHeadsAndTails(part, precedence, work / 4);
  const Sharing sharing(part, precedence, work / 8);
  std::vector<Bound> bounds = {
      {BoundKind::kStream, StreamBound(part, path)},
      {BoundKind::kSlices, SlicesBound(part, full, work / 16)},
      {BoundKind::kPath, LongestThroughOne(part, path)},
      {BoundKind::kJackson, std::max(JacksonBound(part, full), LongestThroughOne(part, full))}};
  // The others are about transfers that keep the stream.
  if (!part.transfers_block) return bounds;
  // These may be more work than is allowed, or say nothing.
  const uint64_t cover =
      std::max(CoverBound(part, sharing, work), CoverBySizeBound(part, sharing, work / 64));
  if (cover != 0) bounds.push_back({BoundKind::kCover, cover});
  const uint64_t cuts = CutsBound(part, precedence, sharing, full, work);
  if (cuts != 0) bounds.push_back({BoundKind::kReloads, cuts});
  return bounds;
}

// What stands between two barriers is over before the second: barriers and the best bounds of all
// parts, one after the other.
uint64_t BarriersBound(PartsBetweenBarriers* parts, uint64_t jobs, uint64_t work) {
  uint64_t sum = parts->barrier_cycles();
  for (size_t i = 0; i < parts->size(); ++i) {
    const Part part = parts->Make(i);
    if (part.size() == 0) continue;
    const uint64_t share = std::min<uint64_t>(work / jobs * part.size(), work);
    sum = SaturatingAdd(sum, LargestOf(BoundsOf(part, share)).cycles);
  }
  return sum;
}

}  // namespace

Bounds ComputeBounds(const ScheduleProblem& problem, const ActionGraph& graph, bool swaps_allowed,
                     const BoundLimits& limits) {
  Bounds bounds;
  bounds.all = BoundsOf(WholeStream(problem, graph, swaps_allowed), limits.work);
  if (problem.hardware.non_blocking_transfers) {
    uint64_t& stream = bounds.all.front().cycles;
    stream = std::max(stream, EnginesBound(problem));
  }
  PartsBetweenBarriers parts(problem, graph, swaps_allowed);
  if (parts.size() > 1 && parts.size() <= limits.work / kWorkOfPart) {
    bounds.all.push_back(
        {BoundKind::kBarriers, BarriersBound(&parts, graph.size(), limits.work / 2)});
  }
  bounds.best = LargestOf(bounds.all);
  return bounds;
}

}  // namespace torqsched::bounds
