// What must hold of any answer to torqsched_plan_tiles and torqsched_lower.
#include <algorithm>
#include <cstdint>
#include <map>
#include <set>

#include "tests/capi/lower_requests.h"

namespace torqsched {
namespace testing {
namespace {

__extension__ typedef unsigned __int128 Wide;

Wide Up(Wide whole, Wide part) { return (whole + part - 1) / part; }

// Of the first thing wrong, what it is.
class Findings {
 public:
  void Expect(bool right, const std::string& what) {
    if (!right && first_.empty()) first_ = what;
  }
  const std::string& first() const { return first_; }

 private:
  std::string first_;
};

uint64_t UsableBytes(const v1::Hardware& hardware) {
  const uint64_t all = hardware.has_lram_bytes() ? hardware.lram_bytes() : 524288;
  return all - (hardware.has_lram_reserved_bytes() ? hardware.lram_reserved_bytes() : 1280);
}

uint64_t CodeBytes(const v1::Hardware& hardware) {
  return hardware.has_code_buffer_bytes() ? hardware.code_buffer_bytes() : 5120;
}

// ---- Tiles ----

// Bytes of a x b elements in parts of whole bytes each.
Wide InParts(Wide a, Wide part_a, Wide b, Wide part_b, Wide bits) {
  const auto column = [&](Wide width) {
    return b / part_b * Up(width * part_b * bits, 8) + Up(width * (b % part_b) * bits, 8);
  };
  return a / part_a * column(part_a) + (a % part_a == 0 ? 0 : column(a % part_a));
}

// A contraction's numbers, wide enough for what becomes of them.
struct Shape {
  explicit Shape(const v1::Contraction& c)
      : rows(Wide{c.has_batch() ? c.batch() : 1} * c.m()),
        n(c.n()),
        k(c.k()),
        lhs(c.has_lhs_bits() ? c.lhs_bits() : 8),
        weight(c.has_weight_bits() ? c.weight_bits() : 8),
        out(c.has_out_bits() ? c.out_bits() : 8) {}
  Wide rows, n, k, lhs, weight, out;
};

class TilesGlance {
 public:
  TilesGlance(const v1::PlanTilesRequest& request, const v1::PlanTilesResponse& response)
      : request_(request),
        response_(response),
        usable_(UsableBytes(request.hardware())),
        granule_(request.hardware().has_granule() ? request.hardware().granule() : 16) {}

  std::string Look() {
    Expect(response_.loops_size() == request_.loops_size(), "loops");
    bool smaller_convolution = false;
    for (int i = 0; i < request_.loops_size() && findings_.first().empty(); ++i) {
      path_ = "loops[" + std::to_string(i) + "]";
      LookAtLoop(request_.loops(i), response_.loops(i));
      smaller_convolution |=
          request_.loops(i).convolution() && response_.loops(i).bytes() < usable_;
    }
    path_.clear();
    Expect(response_.convolution_warning() == smaller_convolution, "convolution_warning");
    return findings_.first();
  }

 private:
  void Expect(bool right, const std::string& what) { findings_.Expect(right, path_ + what); }

  uint64_t Share(bool given, uint32_t percent, uint32_t otherwise) const {
    return static_cast<uint64_t>(Wide{usable_} * (given ? percent : otherwise) / 100);
  }

  void LookAtLoop(const v1::TileLoop& loop, const v1::LoopBudget& budget) {
    const v1::TilingOptions& options = request_.options();
    const bool shares = loop.contraction() && !loop.folded_convert();
    const uint64_t share =
        shares ? Share(options.has_contraction_percent(), options.contraction_percent(), 40)
               : Share(options.has_loop_percent(), options.loop_percent(), 50);
    switch (budget.reason()) {
      case v1::BUDGET_REASON_NO_SCHEDULER:
        Expect(options.strategy() == v1::STRATEGY_NONE, ".reason");
        break;
      case v1::BUDGET_REASON_CONSTANTS_FIT:
        Expect(options.strategy() != v1::STRATEGY_NONE && request_.constant_bytes() <= usable_,
               ".reason");
        break;
      case v1::BUDGET_REASON_LOOP_PERCENT:
        Expect(!shares && request_.constant_bytes() > usable_, ".reason");
        break;
      case v1::BUDGET_REASON_CONTRACTION_PERCENT:
        Expect(shares && budget.whole_row_bytes() <= share, ".reason");
        break;
      case v1::BUDGET_REASON_ROWS_STAY_WHOLE:
        Expect(shares && budget.whole_row_bytes() > share, ".reason");
        break;
      default:
        Expect(false, ".reason");
    }
    const bool all = budget.reason() != v1::BUDGET_REASON_LOOP_PERCENT &&
                     budget.reason() != v1::BUDGET_REASON_CONTRACTION_PERCENT;
    Expect(budget.bytes() == (all ? usable_ : share), ".bytes");
    const bool split = budget.reason() == v1::BUDGET_REASON_ROWS_STAY_WHOLE && loop.has_shape();
    Expect(budget.has_tile() == loop.has_shape(), ".tile");
    // Left out where its numbers do not fit 64 bits.
    Expect(!budget.has_split_tile() || split, ".split_tile");
    if (!loop.has_shape()) return Expect(!budget.has_double_buffering_tile(), ".double");
    const Shape shape(loop.shape());
    LookAtTile(shape, budget.tile(), budget.bytes(), ".tile");
    if (budget.has_split_tile()) LookAtTile(shape, budget.split_tile(), share, ".split_tile");
    if (!budget.has_double_buffering_tile()) return;
    const v1::ContractionTile& next = budget.double_buffering_tile();
    LookAtTile(shape, next, usable_, ".double_buffering_tile");
    Expect(!budget.tile().double_buffers() && next.double_buffers(), ".double_buffering_tile");
    // Fewer columns, or where a granule is too many as well, fewer sums beside it.
    const bool fewer_columns = next.n() < budget.tile().n() && next.k() == budget.tile().k();
    const bool fewer_sums =
        next.n() == std::min(granule_, budget.tile().n()) && next.k() < budget.tile().k();
    Expect(next.rows() == budget.tile().rows() && (fewer_columns || fewer_sums),
           ".double_buffering_tile");
  }

  void LookAtTile(const Shape& shape, const v1::ContractionTile& tile, uint64_t budget,
                  const std::string& what) {
    const auto cut = [&](Wide size, uint64_t part, uint64_t tiles, const std::string& name) {
      Expect(part >= 1 && part <= size && tiles == Up(size, std::max<uint64_t>(part, 1)),
             what + name);
    };
    cut(shape.rows, tile.rows(), tile.row_tiles(), ".rows");
    cut(shape.n, tile.n(), tile.n_tiles(), ".n");
    cut(shape.k, tile.k(), tile.k_tiles(), ".k");
    Expect(tile.n() == shape.n || tile.n() % granule_ == 0, what + ".n");
    Expect(tile.k() == shape.k || tile.k() % granule_ == 0, what + ".k");
    Expect(tile.trips() == Wide{tile.row_tiles()} * tile.n_tiles() * tile.k_tiles(),
           what + ".trips");
    const uint64_t code = CodeBytes(request_.hardware());
    const Wide weight = Up(Wide{tile.n()} * tile.k() * shape.weight, 8);
    const Wide bytes = Up(Wide{tile.rows()} * tile.k() * shape.lhs, 8) + weight +
                       Up(Wide{tile.rows()} * tile.n() * shape.out, 8) + code;
    Expect(tile.bytes() == bytes, what + ".bytes");
    Expect(tile.fits() == (bytes <= budget), what + ".fits");
    Expect(tile.double_buffers() == (tile.trips() == 1 || bytes + weight <= usable_),
           what + ".double_buffers");
    // The weight for each run of rows, rows once, or where sums are cut for each run of columns.
    const Wide lhs = InParts(shape.rows, tile.rows(), shape.k, tile.k(), shape.lhs);
    const Wide weights = InParts(shape.k, tile.k(), shape.n, tile.n(), shape.weight);
    Expect(tile.loaded_bytes() == Wide{tile.trips()} * code + weights * tile.row_tiles() +
                                      lhs * (tile.k_tiles() > 1 ? tile.n_tiles() : 1),
           what + ".loaded_bytes");
    LookAtCycles(shape, tile, what + ".cycles");
  }

  // No fewer than all programs or all transfers take, no more than both, each rounded up: up to
  // five of them a trip. Where the tile does not double-buffer, as many as both.
  void LookAtCycles(const Shape& shape, const v1::ContractionTile& tile, const std::string& what) {
    const v1::Hardware& hardware = request_.hardware();
    const Wide int8 = hardware.has_int8_macs_per_cycle() ? hardware.int8_macs_per_cycle() : 256;
    const Wide bf16 = hardware.has_bf16_macs_per_cycle() ? hardware.bf16_macs_per_cycle() : 128;
    const Wide least = hardware.has_least_program_cycles() ? hardware.least_program_cycles() : 64;
    const Wide dma_cycles = hardware.has_dma_cycles() ? hardware.dma_cycles() : 175;
    const Wide dma_bytes = hardware.has_dma_bytes() ? hardware.dma_bytes() : 832;
    const Wide programs = std::max(shape.rows * shape.n * shape.k / (shape.lhs <= 8 ? int8 : bf16),
                                   least * tile.trips());
    const Wide bytes = Wide{tile.loaded_bytes()} + shape.rows * shape.n * shape.out / 8;
    // With a rate of 64 bits, all that 128 hold.
    if (bytes >> 64 != 0) return;
    // More than any answer; sums of it fit.
    const Wide transfers = std::min(bytes * dma_cycles / dma_bytes, Wide{1} << 100);
    const Wide fewest =
        tile.double_buffers() ? std::max(programs, transfers) : programs + transfers;
    constexpr Wide kMost = ~uint64_t{0};
    const Wide most = programs + transfers + Wide{tile.trips()} * (least + 6);
    Expect(Wide{tile.cycles()} >= std::min(fewest, kMost) && Wide{tile.cycles()} <= most, what);
  }

  const v1::PlanTilesRequest& request_;
  const v1::PlanTilesResponse& response_;
  const uint64_t usable_;
  const uint64_t granule_;
  std::string path_;
  Findings findings_;
};

// ---- Lowerings ----

class LowerGlance {
 public:
  LowerGlance(const v1::LowerRequest& request, const v1::LowerResponse& response)
      : request_(request), response_(response), usable_(UsableBytes(request.hardware())) {}

  std::string Look() {
    const v1::LowerOptions& options = request_.options();
    const int all = request_.network().layers_size();
    const int first = static_cast<int>(options.first_layer());
    const int layers =
        options.layer_count() == 0 ? all - first : static_cast<int>(options.layer_count());
    Expect(response_.layers_size() == layers, "layers");
    uint32_t op = 0;
    for (int i = 0; i < layers && findings_.first().empty(); ++i) {
      const v1::LoweredLayer& layer = response_.layers(i);
      path_ = "layers[" + std::to_string(i) + "]";
      Expect(layer.layer() == static_cast<uint32_t>(first + i), ".layer");
      Expect(layer.first_op() == op && layer.end_op() >= op, ".first_op");
      op = layer.end_op();
      Expect(op <= static_cast<uint32_t>(response_.stream().ops_size()), ".end_op");
      if (findings_.first().empty()) LookAtLayer(layer, request_.network().layers(first + i));
    }
    path_.clear();
    Expect(op == static_cast<uint32_t>(response_.stream().ops_size()), "stream.ops");
    Expect(response_.constant_bytes() == ConstantBytes(first, layers), "constant_bytes");
    if (findings_.first().empty()) LookAtTuning();
    return findings_.first();
  }

 private:
  void Expect(bool right, const std::string& what) { findings_.Expect(right, path_ + what); }

  void LookAtLayer(const v1::LoweredLayer& layer, const v1::NetworkLayer& row) {
    const bool moves = row.op() == "state_write";
    uint64_t programs = 0, program_cycles = 0, transfer_cycles = 0;
    for (uint32_t o = layer.first_op(); o < layer.end_op(); ++o) {
      const v1::Op& op = response_.stream().ops(static_cast<int>(o));
      if (op.kind() == v1::OP_KIND_START) {
        ++programs;
        program_cycles += op.cycles();
      } else if (op.kind() == v1::OP_KIND_LOAD || op.kind() == v1::OP_KIND_STORE) {
        transfer_cycles += op.cycles();
      }
    }
    Expect(layer.programs() == programs, ".programs");
    Expect(moves ? programs == 0
                 : programs ==
                       Wide{layer.row_tiles()} * layer.n_tiles() * layer.k_tiles() * layer.chunks(),
           ".programs are not its tiles");
    Expect(layer.program_cycles() == program_cycles, ".program_cycles");
    Expect(layer.transfer_cycles() == transfer_cycles, ".transfer_cycles");
    Expect(layer.code_bytes() == programs * CodeBytes(request_.hardware()), ".code_bytes");
    Expect(layer.macs() == row.macs(), ".macs");
    Expect(layer.budget_bytes() <= usable_, ".budget_bytes");
    Expect(layer.tile_bytes() <= usable_, ".tile_bytes");
    Expect(layer.again_bytes() <= layer.weight_bytes() + layer.input_bytes(), ".again_bytes");
    Expect(!layer.output_resident() || row.output_bytes() <= usable_, ".output_resident");
    const uint64_t written = std::min(row.state().bytes_written(), row.state().bytes());
    Expect(layer.stored_bytes() == written + (layer.output_resident() ? 0 : row.output_bytes()),
           ".stored_bytes");
    const bool own = OwnBudget(layer.layer());
    Expect(own == (layer.reason() == v1::BUDGET_REASON_UNSPECIFIED), ".reason");
    const bool percent = layer.reason() == v1::BUDGET_REASON_LOOP_PERCENT ||
                         layer.reason() == v1::BUDGET_REASON_CONTRACTION_PERCENT;
    Expect(own || percent || layer.budget_bytes() == usable_, ".budget_bytes");
  }

  const v1::LowerOptions& Options() const {
    return response_.has_tuning() ? response_.tuning().options() : request_.options();
  }

  bool OwnBudget(uint32_t layer) const {
    const auto& budgets = Options().budgets();
    return std::any_of(budgets.begin(), budgets.end(), [layer](const v1::LayerBudget& b) {
      return b.layer() == layer && b.percent() != 0;
    });
  }

  // Weights that several layers share once, wherever their owner is.
  uint64_t ConstantBytes(int first, int layers) const {
    std::map<std::string, const v1::NetworkLayer*> named;
    for (const v1::NetworkLayer& layer : request_.network().layers()) named[layer.name()] = &layer;
    std::set<const v1::NetworkLayer*> owners;
    for (int l = first; l < first + layers; ++l) {
      const v1::NetworkLayer& layer = request_.network().layers(l);
      owners.insert(layer.tied_to().empty() ? &layer : named[layer.tied_to()]);
    }
    uint64_t bytes = 0;
    for (const v1::NetworkLayer* owner : owners) {
      if (owner != nullptr) bytes += owner->weight_bytes() + owner->scale_bytes();
    }
    return bytes;
  }

  void LookAtTuning() {
    const v1::BudgetTuning& asked = request_.options().tuning();
    const v1::BudgetTuningResult& tuned = response_.tuning();
    Expect(response_.has_tuning() == request_.options().has_tuning(), "tuning");
    if (!response_.has_tuning()) return;
    Expect(!tuned.has_default_makespan() || tuned.has_makespan(), "tuning.makespan");
    Expect(!tuned.has_default_makespan() || tuned.makespan() <= tuned.default_makespan(),
           "tuning.makespan");
    Expect(tuned.trials() >= 1 && (!asked.has_most_trials() ||
                                   tuned.trials() <= std::max<uint64_t>(asked.most_trials(), 1)),
           "tuning.trials");
    Expect(!tuned.limit_reached() || !tuned.cancelled(), "tuning.cancelled");
    Expect(!tuned.options().has_tuning(), "tuning.options.tuning");
    Expect(tuned.options().first_layer() == request_.options().first_layer() &&
               tuned.options().layer_count() == request_.options().layer_count(),
           "tuning.options.first_layer");
  }

  const v1::LowerRequest& request_;
  const v1::LowerResponse& response_;
  const uint64_t usable_;
  std::string path_;
  Findings findings_;
};

}  // namespace

std::string WrongAtAGlance(const v1::PlanTilesRequest& request,
                           const v1::PlanTilesResponse& response) {
  return TilesGlance(request, response).Look();
}

std::string WrongAtAGlance(const v1::LowerRequest& request, const v1::LowerResponse& response) {
  return LowerGlance(request, response).Look();
}

}  // namespace testing
}  // namespace torqsched
