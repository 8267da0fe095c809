#include "src/tiling/loop_cycles.h"

#include <algorithm>
#include <limits>

#include "absl/numeric/int128.h"
#include "src/hardware/hardware.h"
#include "src/stream/checked.h"
#include "src/tiling/cut_dimension.h"
#include "src/tiling/operand_bytes.h"

namespace torqsched {
namespace {

using Part = CutDimension::Part;
using Step = CutDimension::Step;

uint64_t OperandSize(uint64_t a, uint64_t b, uint32_t bits) {
  uint64_t bytes = 0;
  OperandBytes(a, b, bits, &bytes);  // fits, as the whole operand does
  return bytes;
}

// All sums and products saturate. As nothing is ever taken away, the result is the exact one or the
// largest value.
class Loop {
 public:
  Loop(const Contraction& contraction, const TilingHardware& hardware, const ContractionTile& tile)
      : contraction_(contraction),
        hardware_(hardware),
        rows_(contraction.batch * contraction.m, tile.rows),
        n_(contraction.n, tile.n),
        k_(contraction.k, tile.k),
        macs_per_cycle_(contraction.lhs_bits <= 8 ? hardware.int8_macs_per_cycle
                                                  : hardware.bf16_macs_per_cycle) {
    transfers_.dma_bytes = hardware.dma_bytes;
    transfers_.dma_cycles = hardware.dma_cycles;
    GiveRoom(tile);
  }

  uint64_t Cycles() {
    AddLoadsInTurn();
    AddStores();
    const bool k_cut = k_.tiles() > 1;
    Add(LoadsBeside(rows_.first_size(), n_.first_size(), k_.first_size(), true), 1);
    for (const Part& rows : rows_.Parts()) {
      for (const Part& n : n_.Parts()) {
        for (const Step& k : k_.Steps()) {
          AddProgram(rows.size, n.size, k.from, LoadsBeside(rows.size, n.size, k.to, true),
                     SaturatingMultiply(SaturatingMultiply(rows.tiles, n.tiles), k.times));
        }
      }
      for (const Step& n : n_.Steps()) {
        AddProgram(rows.size, n.from, k_.final_size(),
                   LoadsBeside(rows.size, n.to, k_.first_size(), k_cut),
                   SaturatingMultiply(rows.tiles, n.times));
      }
    }
    for (const Step& rows : rows_.Steps()) {
      AddProgram(rows.from, n_.final_size(), k_.final_size(),
                 LoadsBeside(rows.to, n_.first_size(), k_.first_size(), true), rows.times);
    }
    AddProgram(rows_.final_size(), n_.final_size(), k_.final_size(), 0, 1);
    return cycles_;
  }

 private:
  void GiveRoom(const ContractionTile& tile) {
    if (!tile.double_buffers || tile.trips == 1) return;
    weight_beside_ = true;
    uint64_t used = tile.bytes;
    const auto fits = [&](uint64_t bytes) {
      if (!SumFits(used, bytes, hardware_.usable_bytes)) return false;
      used += bytes;
      return true;
    };
    fits(OperandSize(tile.k, tile.n, contraction_.weight_bits));
    code_beside_ = fits(hardware_.code_bytes);
    lhs_beside_ = fits(OperandSize(tile.rows, tile.k, contraction_.lhs_bits));
  }

  void Add(uint64_t cycles, uint64_t times) {
    cycles_ = SaturatingAdd(cycles_, SaturatingMultiply(cycles, times));
  }

  // A program, with what is loaded while it runs.
  void AddProgram(uint64_t rows, uint64_t n, uint64_t k, uint64_t loads, uint64_t times) {
    Add(std::max(Program(rows, n, k), loads), times);
  }

  uint64_t Program(uint64_t rows, uint64_t n, uint64_t k) const {
    // Any two of the three are an operand's, which has fewer than 2^65 elements.
    const absl::uint128 macs = absl::uint128(rows) * n * k;
    const absl::uint128 cycles = macs / macs_per_cycle_ + (macs % macs_per_cycle_ != 0 ? 1 : 0);
    if (absl::Uint128High64(cycles) > 0) return std::numeric_limits<uint64_t>::max();
    return std::max(absl::Uint128Low64(cycles), hardware_.least_program_cycles);
  }

  uint64_t Transfer(uint64_t a, uint64_t b, uint32_t bits) const {
    return TransferCycles(transfers_, OperandSize(a, b, bits));
  }
  uint64_t Lhs(uint64_t rows, uint64_t k) const { return Transfer(rows, k, contraction_.lhs_bits); }
  uint64_t Weight(uint64_t k, uint64_t n) const { return Transfer(k, n, contraction_.weight_bits); }
  uint64_t Code() const { return TransferCycles(transfers_, hardware_.code_bytes); }

  // What a trip of these sizes loads while the one before computes.
  uint64_t LoadsBeside(uint64_t rows, uint64_t n, uint64_t k, bool loads_lhs) const {
    uint64_t cycles = weight_beside_ ? Weight(k, n) : 0;
    if (code_beside_) cycles = SaturatingAdd(cycles, Code());
    if (lhs_beside_ && loads_lhs) cycles = SaturatingAdd(cycles, Lhs(rows, k));
    return cycles;
  }

  void AddLoadsInTurn() {
    const uint64_t trips =
        SaturatingMultiply(SaturatingMultiply(rows_.tiles(), n_.tiles()), k_.tiles());
    if (!code_beside_) Add(Code(), trips);
    const uint64_t lhs_loads = k_.tiles() > 1 ? n_.tiles() : 1;
    for (const Part& k : k_.Parts()) {
      for (const Part& rows : rows_.Parts()) {
        if (lhs_beside_) continue;
        Add(Lhs(rows.size, k.size),
            SaturatingMultiply(SaturatingMultiply(rows.tiles, k.tiles), lhs_loads));
      }
      for (const Part& n : n_.Parts()) {
        if (weight_beside_) continue;
        Add(Weight(k.size, n.size),
            SaturatingMultiply(SaturatingMultiply(k.tiles, n.tiles), rows_.tiles()));
      }
    }
  }

  void AddStores() {
    for (const Part& rows : rows_.Parts()) {
      for (const Part& n : n_.Parts()) {
        Add(Transfer(rows.size, n.size, contraction_.out_bits),
            SaturatingMultiply(rows.tiles, n.tiles));
      }
    }
  }

  const Contraction& contraction_;
  const TilingHardware& hardware_;
  const CutDimension rows_;
  const CutDimension n_;
  const CutDimension k_;
  const uint64_t macs_per_cycle_;
  Hardware transfers_;  // its rate only
  bool weight_beside_ = false;
  bool code_beside_ = false;
  bool lhs_beside_ = false;
  uint64_t cycles_ = 0;
};

}  // namespace

uint64_t LoopCycles(const Contraction& contraction, const TilingHardware& hardware,
                    const ContractionTile& tile) {
  return Loop(contraction, hardware, tile).Cycles();
}

}  // namespace torqsched
