// A network's table lowered to a control stream: the question and the answer as plain types.
//
// Each layer becomes tiles under its budget; a tile is one program, with a load of its code, of its
// weights and of what it reads that is not in LRAM, a start, a wait, and a store of what leaves.
// Everything is on slice 0, one program after the other: what a plain compiler writes before
// anybody reorders it.
//
// The model of a layer (docs/lowering.md):
//   rows     what it does apart from each other: a matrix product's rows, lines of an image, tokens
//   columns  n, a contraction's output channels
//   k        what a contraction sums over
//   chunks   of the keys and values that attention reads
// Sizes are bytes, times cycles.
#ifndef TORQSCHED_SRC_LOWERING_LOWERING_H_
#define TORQSCHED_SRC_LOWERING_LOWERING_H_

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "src/stream/stream.h"
#include "src/tiling/tiling.h"

namespace torqsched {

// What lowering needs to know of a chip beyond its Hardware. Those of the profile sl2610.
struct LoweringNumbers {
  uint64_t granule = 16;
  uint64_t int8_macs_per_cycle = 256;
  uint64_t bf16_macs_per_cycle = 128;  // also of bf16 by int4, and of 32 bits
  uint64_t elementwise_bytes_per_cycle = 16;
  uint64_t least_program_cycles = 64;
  uint64_t code_buffer_bytes = 5120;
};

// How one layer is cut, and where its output is, in place of what would be chosen.
struct LayerBudget {
  uint32_t layer = 0;    // position in the network's layers
  uint32_t percent = 0;  // of usable LRAM, 1 to 100; 0: by the rules
  // Whether its output stays in LRAM until it was read last: as far as it can, that is, where only
  // layers of the stream read it and tiles fit beside it. Absent: as the residency planner says.
  std::optional<bool> output_stays;
};

// INVALID_ARGUMENT at a field such as "hardware.granule", where path is "hardware.".
absl::Status CheckNumbers(const LoweringNumbers& numbers, absl::string_view path);

struct LoweringOptions {
  TilingStrategy strategy = TilingStrategy::kStreamSchedule;
  uint32_t loop_percent = 50;
  uint32_t contraction_percent = 40;
  // Activations stay in LRAM together up to this share, 0 to 100; residency planning says which.
  uint32_t resident_percent = 40;
  // Layers [first_layer, first_layer + layer_count): what comes from others is in XRAM when the
  // stream begins, what others read leaves. layer_count 0: all from first_layer on.
  uint32_t first_layer = 0;
  uint32_t layer_count = 0;
  std::vector<LayerBudget> budgets;  // no two of one layer
  // More tiles are an error, at the field below. One of more than 4 inputs counts once for each 4.
  uint64_t most_programs = 400000;
};

// Where the error lies that most_programs makes.
constexpr char kMostProgramsField[] = "options.most_programs";

// What became of a layer. Sums are over its tiles.
struct LoweredLayer {
  uint32_t layer = 0;
  uint64_t budget_bytes = 0;
  BudgetReason reason = BudgetReason::kConstantsFit;
  bool own_budget = false;  // by LoweringOptions::budgets; reason says nothing then
  uint64_t tile_bytes = 0;  // of LRAM, resident buffers and tiles abreast included
  uint64_t row_tiles = 1;
  uint64_t n_tiles = 1;
  uint64_t k_tiles = 1;
  uint64_t chunks = 1;
  uint64_t abreast = 1;    // runs of rows that go from chunk to chunk together
  bool rows_outer = true;  // the outermost loop is over rows, else over columns
  uint32_t first_op = 0;
  uint32_t end_op = 0;
  uint64_t programs = 0;
  uint64_t macs = 0;
  uint64_t weight_bytes = 0;  // loaded
  uint64_t input_bytes = 0;   // loaded, of activations, the network's input and state
  uint64_t again_bytes = 0;   // of both: loaded more than once, halo rows included
  uint64_t code_bytes = 0;
  uint64_t stored_bytes = 0;
  uint64_t program_cycles = 0;
  uint64_t transfer_cycles = 0;
  bool output_resident = false;  // it stays in LRAM until it was read last
};

struct LoweredNetwork {
  LoweredNetwork() = default;
  LoweredNetwork(LoweredNetwork&&) = default;
  LoweredNetwork& operator=(LoweredNetwork&&) = default;

  std::deque<std::string> names;  // what the stream's names are views of
  Stream stream;
  std::vector<LoweredLayer> layers;  // those that were lowered, in order
  uint64_t constant_bytes = 0;
  bool convolutions = false;  // TilePlan::convolutions
};

// Of all layers. Saturates.
struct LoweringTotals {
  uint64_t programs = 0;
  uint64_t macs = 0;
  uint64_t loaded_bytes = 0;  // weights, inputs and code
  uint64_t code_bytes = 0;
  uint64_t again_bytes = 0;
  uint64_t stored_bytes = 0;
  uint64_t program_cycles = 0;
  uint64_t transfer_cycles = 0;
};
LoweringTotals TotalsOf(const LoweredNetwork& lowered);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_LOWERING_LOWERING_H_
