#include "tests/tiling/tiling_reference.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace torqsched {
namespace {

uint64_t Operand(uint64_t a, uint64_t b, uint64_t bits) { return (a * b * bits + 7) / 8; }

uint64_t Bytes(const Contraction& c, const TilingHardware& h, uint64_t rows, uint64_t n,
               uint64_t k) {
  return Operand(rows, k, c.lhs_bits) + Operand(k, n, c.weight_bits) +
         Operand(rows, n, c.out_bits) + h.code_bytes;
}

// What a tile may have of n or k, the whole first, then the multiples of the granule below it,
// largest first.
std::vector<uint64_t> Choices(uint64_t whole, uint64_t granule) {
  std::vector<uint64_t> choices = {whole};
  for (uint64_t size = whole - 1; size >= granule; --size) {
    if (size % granule == 0) choices.push_back(size);
  }
  return choices;
}

// The sizes of the tiles that a dimension falls into.
std::vector<uint64_t> Parts(uint64_t whole, uint64_t size) {
  std::vector<uint64_t> parts;
  for (uint64_t left = whole; left > 0; left -= parts.back()) {
    parts.push_back(std::min(left, size));
  }
  return parts;
}

// Walks all tiles; a tile of lhs is loaded where it is not the one that was loaded last.
void Walk(const Contraction& c, const TilingHardware& h, ContractionTile* tile) {
  const std::vector<uint64_t> rows = Parts(c.batch * c.m, tile->rows);
  const std::vector<uint64_t> ns = Parts(c.n, tile->n);
  const std::vector<uint64_t> ks = Parts(c.k, tile->k);
  tile->row_tiles = rows.size();
  tile->n_tiles = ns.size();
  tile->k_tiles = ks.size();
  tile->trips = 0;
  tile->loaded_bytes = 0;
  std::optional<std::pair<size_t, size_t>> lhs_in_lram;
  for (size_t r = 0; r < rows.size(); ++r) {
    for (const uint64_t n : ns) {
      for (size_t k = 0; k < ks.size(); ++k) {
        ++tile->trips;
        tile->loaded_bytes += h.code_bytes + Operand(ks[k], n, c.weight_bits);
        if (lhs_in_lram == std::make_pair(r, k)) continue;
        lhs_in_lram = std::make_pair(r, k);
        tile->loaded_bytes += Operand(rows[r], ks[k], c.lhs_bits);
      }
    }
  }
}

ContractionTile Described(const Contraction& c, const TilingHardware& h, uint64_t rows, uint64_t n,
                          uint64_t k, uint64_t budget) {
  ContractionTile tile;
  tile.rows = rows;
  tile.n = n;
  tile.k = k;
  tile.bytes = Bytes(c, h, rows, n, k);
  tile.fits = tile.bytes <= budget;
  Walk(c, h, &tile);
  tile.double_buffers =
      tile.trips == 1 || tile.bytes + Operand(k, n, c.weight_bits) <= h.usable_bytes;
  return tile;
}

LoopBudget BudgetOf(const TilingRequest& request, const TileLoop& loop) {
  const uint64_t usable = request.hardware.usable_bytes;
  if (request.strategy == TilingStrategy::kNone) return {usable, BudgetReason::kNoScheduler, 0};
  if (request.constant_bytes <= usable) return {usable, BudgetReason::kConstantsFit, 0};
  if (!loop.contraction || loop.folded_convert) {
    return {usable * request.loop_percent / 100, BudgetReason::kLoopPercent, 0};
  }
  const uint64_t share = usable * request.contraction_percent / 100;
  uint64_t smallest = 0;
  if (request.contraction_percent < 100) {
    if (loop.shape.has_value()) smallest = ReferenceWholeRowBytes(*loop.shape, request.hardware);
    if (loop.whole_row_bytes.has_value()) smallest = *loop.whole_row_bytes;
  }
  if (smallest > share) return {usable, BudgetReason::kRowsStayWhole, smallest};
  return {share, BudgetReason::kContractionPercent, smallest};
}

}  // namespace

uint64_t ReferenceWholeRowBytes(const Contraction& c, const TilingHardware& h) {
  return Bytes(c, h, c.batch * c.m, std::min(c.n, h.granule), c.k);
}

ContractionTile ReferenceCut(const Contraction& c, const TilingHardware& h, uint64_t budget) {
  const uint64_t all_rows = c.batch * c.m;
  const uint64_t least_n = std::min(c.n, h.granule);
  const uint64_t least_k = std::min(c.k, h.granule);
  for (const uint64_t n : Choices(c.n, h.granule)) {
    if (Bytes(c, h, all_rows, n, c.k) > budget) continue;
    return Described(c, h, all_rows, n, c.k, budget);
  }
  if (ReferenceWholeRowBytes(c, h) <= h.usable_bytes) {
    for (uint64_t row_tiles = 1; row_tiles <= all_rows; ++row_tiles) {
      const uint64_t rows = (all_rows + row_tiles - 1) / row_tiles;
      for (const uint64_t n : Choices(c.n, h.granule)) {
        if (Bytes(c, h, rows, n, c.k) > budget) continue;
        return Described(c, h, rows, n, c.k, budget);
      }
    }
  }
  for (const uint64_t k : Choices(c.k, h.granule)) {
    if (Bytes(c, h, all_rows, least_n, k) > budget) continue;
    return Described(c, h, all_rows, least_n, k, budget);
  }
  for (uint64_t rows = all_rows; rows > 1; --rows) {
    if (Bytes(c, h, rows, least_n, least_k) > budget) continue;
    return Described(c, h, rows, least_n, least_k, budget);
  }
  return Described(c, h, 1, least_n, least_k, budget);
}

std::optional<ContractionTile> ReferenceNextDoubleBuffering(const Contraction& c,
                                                            const TilingHardware& h,
                                                            const ContractionTile& tile) {
  for (uint64_t n = tile.n - 1; n > 0; --n) {
    if (n % h.granule != 0) continue;
    const uint64_t weight = Operand(tile.k, n, c.weight_bits);
    if (Bytes(c, h, tile.rows, n, tile.k) + weight > h.usable_bytes) continue;
    return Described(c, h, tile.rows, n, tile.k, h.usable_bytes);
  }
  return std::nullopt;
}

TilePlan ReferencePlan(const TilingRequest& request) {
  const uint64_t usable = request.hardware.usable_bytes;
  TilePlan plan;
  for (const TileLoop& loop : request.loops) {
    LoopBudget budget = BudgetOf(request, loop);
    if (loop.convolution && budget.bytes < usable) plan.convolutions = true;
    if (loop.shape.has_value()) {
      budget.tile = ReferenceCut(*loop.shape, request.hardware, budget.bytes);
      if (budget.reason == BudgetReason::kRowsStayWhole) {
        budget.split_tile =
            ReferenceCut(*loop.shape, request.hardware, usable * request.contraction_percent / 100);
      }
    }
    plan.loops.push_back(budget);
  }
  return plan;
}

}  // namespace torqsched
