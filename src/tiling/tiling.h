// How large tiles may be: the question and the answer as plain types.
//
// A tile loop is one loop nest that a compiler cuts into tiles, each of which is loaded, computed
// and stored. A weight can be loaded early only where LRAM has room, so some loops size their tiles
// against a part of LRAM, their budget. The rows of a contraction are the dimensions that its
// weight does not index: batch and m. Sizes are bytes.
//
// Source: docs/tiling.md.
#ifndef TORQSCHED_SRC_TILING_TILING_H_
#define TORQSCHED_SRC_TILING_TILING_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"

namespace torqsched {

// out[batch][m][n] = sum over k of lhs[batch][m][k] * weight[k][n]. Each at least 1.
struct Contraction {
  uint64_t batch = 1;
  uint64_t m = 1;
  uint64_t n = 1;
  uint64_t k = 1;
  // Bits of an element: 4, 8, 16 or 32. A tile's operand takes whole bytes.
  uint32_t lhs_bits = 8;
  uint32_t weight_bits = 8;
  uint32_t out_bits = 8;
};

// What runs the tiles: without a scheduler nothing is loaded early.
enum class TilingStrategy : uint8_t { kNone, kStreamSchedule, kOptimize };

struct TileLoop {
  absl::string_view name;
  // Two facts, of which a loop may have both. Rooted at a contraction, it has a contraction's share
  // and rule 3; a convolution pays for smaller tiles with halos, of which rule 4 warns.
  bool contraction = false;
  bool convolution = false;
  // A convert folded into another loop sizes against the loop percent, even inside a contraction's.
  bool folded_convert = false;
  // Of a contraction: the smallest tile that keeps every row whole, code included, at least 1. Rule
  // 3 goes by it, even beside a shape. Absent: by the shape; where there is none either, rule 3
  // does not look at the loop.
  std::optional<uint64_t> whole_row_bytes;
  std::optional<Contraction> shape;  // of a contraction
};

struct TilingHardware {
  uint64_t usable_bytes = 523008;  // of LRAM, at least 1
  uint64_t granule = 16;           // n and k of a tile are multiples of it, or whole; at least 1
  uint64_t code_bytes = 5120;      // of every program
  // What the cycles of a loop are counted by. dma_bytes take dma_cycles cycles, as a ratio;
  // dma_cycles may be 0, the others are at least 1.
  uint64_t dma_bytes = 832;
  uint64_t dma_cycles = 175;
  uint64_t int8_macs_per_cycle = 256;  // with lhs of up to 8 bits
  uint64_t bf16_macs_per_cycle = 128;  // with wider lhs
  uint64_t least_program_cycles = 64;  // may be 0
};

struct TilingRequest {
  TilingHardware hardware;
  uint64_t constant_bytes = 0;        // of the function
  uint32_t loop_percent = 50;         // 1 to 100
  uint32_t contraction_percent = 40;  // 1 to 100
  TilingStrategy strategy = TilingStrategy::kStreamSchedule;
  std::vector<TileLoop> loops;
};

enum class BudgetReason : uint8_t {
  kNoScheduler,   // strategy NONE: all of LRAM
  kConstantsFit,  // all of LRAM: weights load once and stay
  kLoopPercent,   // of a function whose constants do not fit
  kContractionPercent,
  // Rule 3: the contraction's share would split its rows, so it has all of LRAM, even where that is
  // too little as well.
  kRowsStayWhole
};

// How a contraction is cut: n first, then k, with accumulation, then rows.
struct ContractionTile {
  uint64_t rows = 1;  // of batch * m
  uint64_t n = 1;
  uint64_t k = 1;
  uint64_t bytes = 0;  // of LRAM: lhs, weight and out of one tile, and code
  uint64_t row_tiles = 1;
  uint64_t n_tiles = 1;
  uint64_t k_tiles = 1;
  uint64_t trips = 1;  // programs
  // That all loads move: lhs once a row tile (once an n tile as well where k is cut), the weight
  // once a row tile, code once a trip.
  uint64_t loaded_bytes = 0;
  // That the loop takes on one slice: all that is loaded, all programs, stores of out after the
  // last tile of k; the largest value: it does not fit 64 bits. loop_cycles.h says what goes on
  // beside what.
  uint64_t cycles = 0;
  // The next tile's weight can be loaded while this one computes: bytes and the weight of a tile
  // fit usable LRAM together. Whether code and lhs of the next have room too it does not say. True
  // where there is one tile.
  bool double_buffers = false;
  bool fits = true;  // its budget; else it is the smallest there is, and does not fit
};

struct LoopBudget {
  uint64_t bytes = 0;
  BudgetReason reason = BudgetReason::kConstantsFit;
  // That rule 3 looked at. 0: it did not look, as the loop is no contraction or a folded convert,
  // has neither a shape nor these bytes, or has all of LRAM already.
  uint64_t whole_row_bytes = 0;
  std::optional<ContractionTile> tile;  // of a contraction with a shape
  // Rule 3 fired and there is a shape: what the contraction's share would have done. Absent as well
  // where its trips or loaded bytes do not fit 64 bits.
  std::optional<ContractionTile> split_tile;
  // The tile does not double-buffer: the largest one of fewer columns that does, whatever the
  // budget, or where none does, of one granule of columns and less of k. Absent: there is none, or
  // there need be none, or its trips or loaded bytes do not fit 64 bits.
  std::optional<ContractionTile> double_buffering_tile;
};

struct TilePlan {
  std::vector<LoopBudget> loops;  // as in the request
  bool convolutions = false;      // some loop is one, and has less than all of LRAM: rule 4
};

}  // namespace torqsched

#endif  // TORQSCHED_SRC_TILING_TILING_H_
