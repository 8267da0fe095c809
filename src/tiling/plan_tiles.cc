#include "src/tiling/plan_tiles.h"

#include <cstddef>
#include <cstdint>

#include "src/tiling/check_input.h"
#include "src/tiling/contraction_tile.h"

namespace torqsched {
namespace {

// floor(bytes * percent / 100), exactly: bytes * percent itself need not fit 64 bits.
uint64_t PercentOf(uint64_t bytes, uint32_t percent) {
  return bytes / 100 * percent + bytes % 100 * percent / 100;
}

uint64_t ContractionShare(const TilingRequest& request) {
  return PercentOf(request.hardware.usable_bytes, request.contraction_percent);
}

// Of a contraction whose function's constants do not fit.
absl::StatusOr<LoopBudget> ContractionBudget(const TilingRequest& request, const TileLoop& loop) {
  LoopBudget budget;
  budget.bytes = ContractionShare(request);
  budget.reason = BudgetReason::kContractionPercent;
  // Rule 3 has nothing to give to a loop that has all of LRAM already.
  if (budget.bytes == request.hardware.usable_bytes) return budget;
  if (loop.whole_row_bytes.has_value()) {
    budget.whole_row_bytes = *loop.whole_row_bytes;
  } else if (loop.shape.has_value()) {
    const absl::StatusOr<uint64_t> probed = WholeRowBytes(*loop.shape, request.hardware);
    if (!probed.ok()) return probed.status();
    budget.whole_row_bytes = *probed;
  }
  if (budget.whole_row_bytes > budget.bytes) {
    budget.bytes = request.hardware.usable_bytes;
    budget.reason = BudgetReason::kRowsStayWhole;
  }
  return budget;
}

absl::StatusOr<LoopBudget> BudgetOf(const TilingRequest& request, const TileLoop& loop) {
  LoopBudget budget;
  budget.bytes = request.hardware.usable_bytes;
  if (request.strategy == TilingStrategy::kNone) {
    budget.reason = BudgetReason::kNoScheduler;
    return budget;
  }
  if (request.constant_bytes <= request.hardware.usable_bytes) {
    budget.reason = BudgetReason::kConstantsFit;
    return budget;
  }
  // A convert that is folded into a contraction's loop is no contraction.
  if (loop.contraction && !loop.folded_convert) return ContractionBudget(request, loop);
  budget.bytes = PercentOf(request.hardware.usable_bytes, request.loop_percent);
  budget.reason = BudgetReason::kLoopPercent;
  return budget;
}

absl::StatusOr<LoopBudget> PlanLoop(const TilingRequest& request, const TileLoop& loop) {
  absl::StatusOr<LoopBudget> budget = BudgetOf(request, loop);
  if (!budget.ok() || !loop.shape.has_value()) return budget;
  absl::StatusOr<ContractionTile> tile =
      CutContraction(*loop.shape, request.hardware, budget->bytes);
  if (!tile.ok()) return tile.status();
  budget->tile = *tile;
  // The shape is checked by now, so all that can be wrong with the tiles beside the real one is
  // that their numbers do not fit 64 bits: the answer does without them.
  if (!tile->double_buffers) {
    const auto next = NextDoubleBuffering(*loop.shape, request.hardware, *tile);
    if (next.ok()) budget->double_buffering_tile = *next;
  }
  if (budget->reason == BudgetReason::kRowsStayWhole) {
    tile = CutContraction(*loop.shape, request.hardware, ContractionShare(request));
    if (tile.ok()) budget->split_tile = *tile;
  }
  return budget;
}

}  // namespace

absl::StatusOr<TilePlan> PlanTiles(const TilingRequest& request) {
  if (absl::Status status = CheckTilingRequest(request); !status.ok()) return status;
  TilePlan plan;
  plan.loops.reserve(request.loops.size());
  for (size_t i = 0; i < request.loops.size(); ++i) {
    const TileLoop& loop = request.loops[i];
    const absl::StatusOr<LoopBudget> budget = PlanLoop(request, loop);
    if (!budget.ok()) return AtLoop(request, i, budget.status());
    if (loop.convolution && budget->bytes < request.hardware.usable_bytes) {
      plan.convolutions = true;
    }
    plan.loops.push_back(*budget);
  }
  return plan;
}

}  // namespace torqsched
