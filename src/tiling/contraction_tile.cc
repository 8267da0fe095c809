#include "src/tiling/contraction_tile.h"

#include <algorithm>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "src/stream/checked.h"
#include "src/stream/error.h"
#include "src/tiling/check_input.h"
#include "src/tiling/cut_dimension.h"
#include "src/tiling/loop_cycles.h"
#include "src/tiling/operand_bytes.h"

namespace torqsched {
namespace {

struct TileSize {
  uint64_t rows, n, k;
};

// The largest count of at most `most` that fits, 0 where none does; what fits, fits with less.
template <typename Fits>
uint64_t LargestCount(uint64_t most, const Fits& fits) {
  uint64_t low = 0;
  while (low < most) {
    const uint64_t middle = most - (most - low) / 2;
    if (fits(middle)) {
      low = middle;
    } else {
      most = middle - 1;
    }
  }
  return low;
}

// The largest multiple of the granule below `whole` that fits, 0 where none does.
template <typename Fits>
uint64_t LargestMultiple(uint64_t whole, uint64_t granule, const Fits& fits) {
  const auto multiple_fits = [&](uint64_t count) { return fits(count * granule); };
  return LargestCount((whole - 1) / granule, multiple_fits) * granule;
}

// The product of the three, false where it does not fit 64 bits.
bool CheckedProduct(uint64_t a, uint64_t b, uint64_t c, uint64_t* product) {
  return !__builtin_mul_overflow(a, b, product) && !__builtin_mul_overflow(*product, c, product);
}

// The bytes of all tiles of an operand, each rounded up to a whole byte. Its tiles have at most
// four sizes: either dimension full or ragged.
bool BytesOfAllTiles(const CutDimension& a, const CutDimension& b, uint32_t bits, uint64_t* sum) {
  *sum = 0;
  for (const CutDimension::Part& part_a : a.Parts()) {
    for (const CutDimension::Part& part_b : b.Parts()) {
      uint64_t bytes;
      if (!OperandBytes(part_a.size, part_b.size, bits, &bytes)) return false;
      if (!CheckedProduct(bytes, part_a.tiles, part_b.tiles, &bytes)) return false;
      if (!CheckedAdd(sum, bytes)) return false;
    }
  }
  return true;
}

absl::Status TooMuch(absl::string_view what) {
  return ErrorAt(absl::StatusCode::kInvalidArgument, absl::StrCat(what, " do not fit 64 bits"),
                 {"shape", OpIndex(), BufferIndex()});
}

// Tiles of a contraction that CheckContraction let pass.
class Cutter {
 public:
  Cutter(const Contraction& contraction, const TilingHardware& hardware)
      : contraction_(contraction),
        hardware_(hardware),
        rows_(contraction.batch * contraction.m),
        least_n_(std::min(contraction.n, hardware.granule)),
        least_k_(std::min(contraction.k, hardware.granule)) {}

  TileSize SmallestWholeRows() const { return {rows_, least_n_, contraction_.k}; }

  absl::uint128 WeightBytes(const TileSize& t) const {
    return Bytes(t.k, t.n, contraction_.weight_bits);
  }

  absl::uint128 TileBytes(const TileSize& t) const {
    return Bytes(t.rows, t.k, contraction_.lhs_bits) + WeightBytes(t) +
           Bytes(t.rows, t.n, contraction_.out_bits) + hardware_.code_bytes;
  }

  // Beside the weight of the next tile of this size.
  bool DoubleBuffers(const TileSize& t) const {
    return TileBytes(t) + WeightBytes(t) <= hardware_.usable_bytes;
  }

  TileSize Cut(uint64_t budget) const;

  absl::StatusOr<ContractionTile> Describe(const TileSize& t, uint64_t budget) const;

 private:
  static absl::uint128 Bytes(uint64_t a, uint64_t b, uint32_t bits) {
    uint64_t bytes = 0;
    OperandBytes(a, b, bits, &bytes);  // fits, as the whole operand does
    return bytes;
  }

  // The most of n beside these rows and all of k; 0 where not even a granule fits.
  uint64_t MostOfN(uint64_t rows, uint64_t budget) const {
    const auto fits = [&](uint64_t n) { return TileBytes({rows, n, contraction_.k}) <= budget; };
    if (fits(contraction_.n)) return contraction_.n;
    return LargestMultiple(contraction_.n, hardware_.granule, fits);
  }

  bool AddLoads(const CutDimension& rows, const CutDimension& n, const CutDimension& k,
                ContractionTile* tile) const;

  const Contraction& contraction_;
  const TilingHardware& hardware_;
  const uint64_t rows_;
  const uint64_t least_n_;
  const uint64_t least_k_;
};

TileSize Cutter::Cut(uint64_t budget) const {
  const uint64_t k = contraction_.k;
  const uint64_t whole_row_n = MostOfN(rows_, budget);
  if (whole_row_n > 0) return {rows_, whole_row_n, k};

  if (TileBytes(SmallestWholeRows()) <= hardware_.usable_bytes) {
    const uint64_t most_rows = LargestCount(rows_, [&](uint64_t rows) {
      return TileBytes({rows, least_n_, k}) <= budget;
    });
    if (most_rows > 0) {
      // Even row tiles cost no load more than one small last tile, and leave n the most room.
      const uint64_t tiles = CutDimension(rows_, most_rows).tiles();
      const uint64_t rows = CutDimension(rows_, tiles).tiles();
      return {rows, MostOfN(rows, budget), k};
    }
  }

  const uint64_t cut_k = LargestMultiple(k, hardware_.granule, [&](uint64_t part) {
    return TileBytes({rows_, least_n_, part}) <= budget;
  });
  if (cut_k > 0) return {rows_, least_n_, cut_k};

  const uint64_t rows = LargestCount(rows_, [&](uint64_t part) {
    return TileBytes({part, least_n_, least_k_}) <= budget;
  });
  return {std::max<uint64_t>(rows, 1), least_n_, least_k_};
}

// False where a number does not fit 64 bits.
bool Cutter::AddLoads(const CutDimension& rows, const CutDimension& n, const CutDimension& k,
                      ContractionTile* tile) const {
  tile->row_tiles = rows.tiles();
  tile->n_tiles = n.tiles();
  tile->k_tiles = k.tiles();
  if (!CheckedProduct(tile->row_tiles, tile->n_tiles, tile->k_tiles, &tile->trips)) return false;
  // All of k stays in LRAM for the next tile of n; a part of it makes room for the next part.
  const uint64_t lhs_loads = tile->k_tiles == 1 ? 1 : tile->n_tiles;
  uint64_t lhs, weight, code;
  if (!BytesOfAllTiles(rows, k, contraction_.lhs_bits, &lhs) ||
      !BytesOfAllTiles(k, n, contraction_.weight_bits, &weight)) {
    return false;
  }
  if (__builtin_mul_overflow(lhs, lhs_loads, &lhs) ||
      __builtin_mul_overflow(weight, tile->row_tiles, &weight) ||
      __builtin_mul_overflow(hardware_.code_bytes, tile->trips, &code)) {
    return false;
  }
  tile->loaded_bytes = lhs;
  return CheckedAdd(&tile->loaded_bytes, weight) && CheckedAdd(&tile->loaded_bytes, code);
}

absl::StatusOr<ContractionTile> Cutter::Describe(const TileSize& t, uint64_t budget) const {
  ContractionTile tile;
  tile.rows = t.rows;
  tile.n = t.n;
  tile.k = t.k;
  const absl::uint128 bytes = TileBytes(t);
  if (absl::Uint128High64(bytes) > 0) return TooMuch("bytes of its smallest tile");
  tile.bytes = absl::Uint128Low64(bytes);
  tile.fits = tile.bytes <= budget;
  if (!AddLoads(CutDimension(rows_, t.rows), CutDimension(contraction_.n, t.n),
                CutDimension(contraction_.k, t.k), &tile)) {
    return TooMuch("trips, or bytes that all loads move,");
  }
  tile.double_buffers = tile.trips == 1 || DoubleBuffers(t);
  tile.cycles = LoopCycles(contraction_, hardware_, tile);
  return tile;
}

absl::Status CheckBoth(const Contraction& contraction, const TilingHardware& hardware) {
  const absl::Status status = CheckTilingHardware(hardware);
  return status.ok() ? CheckContraction(contraction) : status;
}

absl::Status CheckTile(const Contraction& contraction, const ContractionTile& tile) {
  struct Part {
    const char* field;
    uint64_t size, whole;
  };
  const Part parts[] = {{"tile.rows", tile.rows, contraction.batch * contraction.m},
                        {"tile.n", tile.n, contraction.n},
                        {"tile.k", tile.k, contraction.k}};
  for (const Part& p : parts) {
    if (p.size >= 1 && p.size <= p.whole) continue;
    return FieldError(p.field, absl::StrCat(p.size, "; expected 1 to ", p.whole));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<uint64_t> WholeRowBytes(const Contraction& contraction,
                                       const TilingHardware& hardware) {
  if (absl::Status status = CheckBoth(contraction, hardware); !status.ok()) return status;
  const Cutter cutter(contraction, hardware);
  const absl::uint128 bytes = cutter.TileBytes(cutter.SmallestWholeRows());
  if (absl::Uint128High64(bytes) > 0) return TooMuch("bytes of the smallest tile of whole rows");
  return absl::Uint128Low64(bytes);
}

absl::StatusOr<ContractionTile> CutContraction(const Contraction& contraction,
                                               const TilingHardware& hardware, uint64_t budget) {
  if (absl::Status status = CheckBoth(contraction, hardware); !status.ok()) return status;
  if (budget > hardware.usable_bytes) {
    return FieldError("budget", absl::StrCat(budget, "; expected at most ", hardware.usable_bytes));
  }
  const Cutter cutter(contraction, hardware);
  return cutter.Describe(cutter.Cut(budget), budget);
}

absl::StatusOr<std::optional<ContractionTile>> NextDoubleBuffering(const Contraction& contraction,
                                                                   const TilingHardware& hardware,
                                                                   const ContractionTile& tile) {
  absl::Status status = CheckBoth(contraction, hardware);
  if (status.ok()) status = CheckTile(contraction, tile);
  if (!status.ok()) return status;
  const Cutter cutter(contraction, hardware);
  TileSize size = {tile.rows, tile.n, tile.k};
  size.n = LargestMultiple(tile.n, hardware.granule, [&](uint64_t part) {
    return cutter.DoubleBuffers({tile.rows, part, tile.k});
  });
  if (size.n == 0) {
    size.n = std::min(tile.n, hardware.granule);
    size.k = LargestMultiple(tile.k, hardware.granule, [&](uint64_t part) {
      return cutter.DoubleBuffers({tile.rows, size.n, part});
    });
  }
  if (size.k == 0) return std::optional<ContractionTile>();
  absl::StatusOr<ContractionTile> next = cutter.Describe(size, hardware.usable_bytes);
  if (!next.ok()) return next.status();
  return std::optional<ContractionTile>(*next);
}

}  // namespace torqsched
