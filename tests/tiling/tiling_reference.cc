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

uint64_t Moved(const TilingHardware& h, uint64_t bytes) {
  return (bytes * h.dma_cycles + h.dma_bytes - 1) / h.dma_bytes;
}

// Trip after trip with a clock: what the next one loads goes beside the program as far as there is
// room for it beside a whole tile, which is looked at operand by operand; the rest, and the store,
// after it.
uint64_t Simulated(const Contraction& c, const TilingHardware& h, const ContractionTile& tile) {
  struct Trip {
    uint64_t rows, n, k;
    bool loads_lhs, last_k;
  };
  std::vector<Trip> trips;
  const std::vector<uint64_t> ks = Parts(c.k, tile.k);
  for (const uint64_t rows : Parts(c.batch * c.m, tile.rows)) {
    bool first_n = true;
    for (const uint64_t n : Parts(c.n, tile.n)) {
      for (size_t k = 0; k < ks.size(); ++k) {
        trips.push_back({rows, n, ks[k], first_n || ks.size() > 1, k + 1 == ks.size()});
      }
      first_n = false;
    }
  }
  const uint64_t with_weight = tile.bytes + Operand(tile.k, tile.n, c.weight_bits);
  const bool weight_room = with_weight <= h.usable_bytes;
  const bool code_room = weight_room && with_weight + h.code_bytes <= h.usable_bytes;
  const bool lhs_room = weight_room && with_weight + (code_room ? h.code_bytes : 0) +
                                               Operand(tile.rows, tile.k, c.lhs_bits) <=
                                           h.usable_bytes;
  const uint64_t per_cycle = c.lhs_bits > 8 ? h.bf16_macs_per_cycle : h.int8_macs_per_cycle;
  // What a trip loads of what has room beside a tile, or has none.
  const auto loads = [&](const Trip& trip, bool room) {
    uint64_t cycles = 0;
    if (weight_room == room) cycles += Moved(h, Operand(trip.k, trip.n, c.weight_bits));
    if (code_room == room) cycles += Moved(h, h.code_bytes);
    if (lhs_room == room && trip.loads_lhs) {
      cycles += Moved(h, Operand(trip.rows, trip.k, c.lhs_bits));
    }
    return cycles;
  };
  uint64_t now = loads(trips[0], true) + loads(trips[0], false);
  for (size_t t = 0; t < trips.size(); ++t) {
    const Trip& trip = trips[t];
    const uint64_t macs = trip.rows * trip.n * trip.k;
    const uint64_t computed =
        now + std::max((macs + per_cycle - 1) / per_cycle, h.least_program_cycles);
    const uint64_t loaded = t + 1 < trips.size() ? now + loads(trips[t + 1], true) : now;
    now = std::max(computed, loaded);
    if (trip.last_k) now += Moved(h, Operand(trip.rows, trip.n, c.out_bits));
    if (t + 1 < trips.size()) now += loads(trips[t + 1], false);
  }
  return now;
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
  tile.cycles = Simulated(c, h, tile);
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
  const uint64_t n = std::min(tile.n, h.granule);
  for (uint64_t k = tile.k - 1; k > 0; --k) {
    if (k % h.granule != 0) continue;
    if (Bytes(c, h, tile.rows, n, k) + Operand(k, n, c.weight_bits) > h.usable_bytes) continue;
    return Described(c, h, tile.rows, n, k, h.usable_bytes);
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
      if (!budget.tile->double_buffers) {
        budget.double_buffering_tile =
            ReferenceNextDoubleBuffering(*loop.shape, request.hardware, *budget.tile);
      }
    }
    plan.loops.push_back(budget);
  }
  return plan;
}

}  // namespace torqsched
