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
#include "src/bounds/work.h"
#include "src/stream/checked.h"

namespace torqsched::bounds {
namespace {

// What making a part costs, steps.
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

// The transfers of the engines of one class.
struct EngineWork {
  uint64_t cycles = 0;
  uint64_t head = UINT64_MAX;  // the least of a transfer
  uint64_t tail = UINT64_MAX;

  void Add(uint64_t transfer, uint64_t before, uint64_t after) {
    if (transfer == 0) return;
    cycles = SaturatingAdd(cycles, transfer);
    head = std::min(head, before);
    tail = std::min(tail, after);
  }
  // No engine is at work before the first transfer can begin, and after the last has ended what
  // needs it is still to come.
  uint64_t SharedBy(uint64_t engines) const {
    if (cycles == 0) return 0;
    const uint64_t shared = cycles / engines + (cycles % engines != 0);
    return SaturatingAdd(SaturatingAdd(head, shared), tail);
  }
};

// What the DMA engines do where the stream does not wait for them. times: along needs, of the whole
// stream; what needs a transfer begins when that has ended, so its tail counts from there.
uint64_t EnginesBound(const ScheduleProblem& problem, const ActionGraph& graph,
                      const HeadsAndTails& times) {
  const Hardware& hardware = problem.hardware;
  const bool shared = hardware.store_engines == 0;
  EngineWork loads;
  EngineWork stores;
  for (uint32_t i = 0; i < graph.size(); ++i) {
    const Action& action = graph.action(ActionIndex(i));
    if (action.kind != ActionKind::kLoad && action.kind != ActionKind::kStore) continue;
    EngineWork& work = action.kind == ActionKind::kLoad || shared ? loads : stores;
    work.Add(action.cycles, times.head[i], times.tail[i]);
  }
  if (hardware.block_ops != 0) {
    uint64_t control_ops = 0;
    for (uint32_t i = 0; i < problem.stream.op_count(); ++i) {
      if (problem.stream.op(OpIndex(i)).kind != OpKind::kPure) ++control_ops;
    }
    const uint64_t block = TransferCycles(hardware, hardware.block_bytes);
    loads.Add(SaturatingMultiply(control_ops / hardware.block_ops, block), 0, 0);
  }
  return std::max(loads.SharedBy(hardware.dma_engines),
                  stores.SharedBy(std::max<uint32_t>(hardware.store_engines, 1)));
}

// All that is known of one part, by kind. Takes about half of the work at most.
std::vector<Bound> BoundsOf(const Part& part, Work* work) {
  // Shares are the same whatever others have left, so that one kind's work is not another's bound.
  const auto share = [work](uint64_t divisor) { return Work(work->limit() / divisor, work); };
  Work of_precedence = share(48);
  Work of_heads = share(8);
  Work of_sharing = share(48);
  Work of_slices = share(96);
  Work of_cover = share(12);
  Work of_sizes = share(12);
  Work of_cuts = share(6);
  const HeadsAndTails path = PathHeadsAndTails(part);
  const Precedence precedence(part, &of_precedence);
  const HeadsAndTails full = FullHeadsAndTails(part, precedence, &of_heads);
  const Sharing sharing(part, precedence, &of_sharing);
  std::vector<Bound> bounds = {
      {BoundKind::kStream, StreamBound(part, path)},
      {BoundKind::kSlices, SlicesBound(part, full, &of_slices)},
      {BoundKind::kPath, LongestThroughOne(part, path)},
      {BoundKind::kJackson, std::max(JacksonBound(part, full), LongestThroughOne(part, full))}};
  // The others are about transfers that keep the stream.
  if (!part.transfers_block) return bounds;
  // These may be more work than is allowed, or say nothing.
  const uint64_t cover =
      std::max(CoverBound(part, sharing, &of_cover), CoverBySizeBound(part, sharing, &of_sizes));
  if (cover != 0) bounds.push_back({BoundKind::kCover, cover});
  const uint64_t cuts = CutsBound(part, precedence, sharing, full, &of_cuts);
  if (cuts != 0) bounds.push_back({BoundKind::kReloads, cuts});
  return bounds;
}

// What stands between two barriers is over before the second: barriers and the best bounds of all
// parts, one after the other.
uint64_t BarriersBound(PartsBetweenBarriers* parts, uint64_t jobs, Work* work) {
  uint64_t sum = parts->barrier_cycles();
  for (size_t i = 0; i < parts->size(); ++i) {
    const Part part = parts->Make(i);
    if (part.size() == 0) continue;
    Work share(work->limit() / jobs * part.size(), work);
    sum = SaturatingAdd(sum, LargestOf(BoundsOf(part, &share)).cycles);
  }
  return sum;
}

}  // namespace

Bounds ComputeBounds(const ScheduleProblem& problem, const ActionGraph& graph, bool swaps_allowed,
                     const BoundLimits& limits) {
  Bounds bounds;
  Work work(limits.work);  // half for the whole, a sixth to make parts, a quarter for them
  const OnlyLoaders loaders(problem);
  const Part whole = WholeStream(problem, graph, loaders, swaps_allowed);
  bounds.all = BoundsOf(whole, &work);
  if (problem.hardware.non_blocking_transfers) {
    uint64_t& stream = bounds.all.front().cycles;
    stream = std::max(stream, EnginesBound(problem, graph, PathHeadsAndTails(whole)));
  }
  PartsBetweenBarriers parts(problem, graph, loaders, swaps_allowed);
  Work of_making(work.limit() / 6, &work);
  if (parts.size() > 1 && of_making.Take(parts.size() * kWorkOfPart)) {
    Work of_parts(work.limit() / 2, &work);
    bounds.all.push_back({BoundKind::kBarriers, BarriersBound(&parts, graph.size(), &of_parts)});
  }
  bounds.best = LargestOf(bounds.all);
  bounds.work = work.spent();
  return bounds;
}

}  // namespace torqsched::bounds
