#include "src/schedule/sensitivity.h"

#include <algorithm>
#include <limits>

#include "absl/numeric/int128.h"
#include "src/graph/order_clock.h"
#include "src/graph/placed_stream.h"

namespace torqsched {
namespace {

constexpr int32_t kPercentsOff[] = {-20, -10, 10, 20};
constexpr int32_t kMostPercentOff = 20;

// Percent more of the cycles, rounded up; the largest value where that does not fit.
uint64_t Off(uint64_t cycles, int32_t percent) {
  const absl::uint128 off = (absl::uint128(cycles) * (100 + percent) + 99) / 100;
  return absl::Uint128High64(off) != 0 ? std::numeric_limits<uint64_t>::max()
                                       : absl::Uint128Low64(off);
}

// The chip with block transfers that take percent more cycles: a byte a cycle, so that they are
// rounded as other transfers are.
Hardware WithBlocksOff(const Hardware& hardware, int32_t percent) {
  Hardware off = hardware;
  off.block_bytes = Off(TransferCycles(hardware, hardware.block_bytes), percent);
  off.dma_bytes = 1;
  off.dma_cycles = 1;
  return off;
}

uint64_t OpCyclesOff(const Op& op, int32_t dma_percent, int32_t compute_percent) {
  switch (op.kind) {
    case OpKind::kLoad:
    case OpKind::kStore:
      return Off(op.cycles, dma_percent);
    case OpKind::kStart:
      return Off(op.cycles, compute_percent);
    case OpKind::kBarrier:
      return op.start_without_wait ? Off(op.cycles, compute_percent) : op.cycles;
    case OpKind::kPure:
    case OpKind::kWait:
      break;
  }
  return 0;
}

}  // namespace

uint64_t MakespanOff(const ScheduleProblem& problem, const Schedule& schedule,
                     const Placement& placement, int32_t dma_percent, int32_t compute_percent) {
  const Stream& stream = problem.stream;
  OrderClock clock(problem, WithBlocksOff(problem.hardware, dma_percent));
  PlacedStream(schedule.order, placement)
      .ForEach([&] { clock.BuffersMove(); },
               [&](const SwapTransfer& swap) {
                 const uint64_t size = stream.buffer(swap.buffer).size;
                 clock.Swap(swap.is_store,
                            Off(TransferCycles(problem.hardware, size), dma_percent));
               },
               [&](OpIndex op) {
                 clock.Run(op, schedule.slice[op],
                           OpCyclesOff(stream.op(op), dma_percent, compute_percent));
               });
  return clock.overflowed() ? std::numeric_limits<uint64_t>::max() : clock.makespan();
}

std::vector<Sensitivity> PriceSensitivity(const ScheduleProblem& problem, const Schedule& schedule,
                                          const Placement& placement) {
  std::vector<Sensitivity> prices;
  for (const int32_t percent : kPercentsOff) prices.push_back({percent, 0, 0});
  for (const int32_t percent : kPercentsOff) prices.push_back({0, percent, 0});
  for (Sensitivity& price : prices) {
    price.makespan =
        MakespanOff(problem, schedule, placement, price.dma_percent, price.compute_percent);
  }
  return prices;
}

uint64_t WorstCase(const ScheduleProblem& problem, const Schedule& schedule,
                   const Placement& placement) {
  if (!problem.stream.has_dma_shares()) {
    // Nothing ends sooner because something else takes longer.
    return std::max(MakespanOff(problem, schedule, placement, kMostPercentOff, 0),
                    MakespanOff(problem, schedule, placement, 0, kMostPercentOff));
  }
  // A program that begins later may leave the bandwidth to a transfer that it slowed down.
  uint64_t worst = MakespanOff(problem, schedule, placement, 0, 0);
  for (const Sensitivity& price : PriceSensitivity(problem, schedule, placement)) {
    worst = std::max(worst, price.makespan);
  }
  return worst;
}

}  // namespace torqsched
