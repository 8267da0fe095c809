#include "src/lowering/layer_tile.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/numeric/int128.h"
#include "src/stream/checked.h"

namespace torqsched::lowering {
namespace {

// The least tile of this size or less with as many tiles, in whole granules.
uint64_t Balanced(uint64_t whole, uint64_t tile, uint64_t granule) {
  if (tile >= whole) return whole;
  const uint64_t even = DividedUp(whole, DividedUp(whole, tile));
  return std::min(tile, DividedUp(even, granule) * granule);
}

// Columns of half bytes come in pairs, as no tile writes half a byte.
uint64_t ColumnStep(const LayerShape& shape, const LoweringNumbers& numbers) {
  const bool halves = shape.row_bytes / shape.pixels < shape.n;
  return std::min(shape.n, numbers.granule + (halves ? numbers.granule % 2 : 0));
}

// How many groups a run of columns of so many tiles touches at most.
uint64_t GroupsOf(const LayerShape& shape, const LayerTile& tile) {
  if (tile.n >= shape.n) return shape.groups;
  const uint64_t per_group = shape.n / shape.groups;
  // Runs begin at multiples of tile.n: either all at a group's begin, or within one group each, or
  // they lie anyhow.
  if (tile.n % per_group == 0 || per_group % tile.n == 0) return DividedUp(tile.n, per_group);
  return std::min(shape.groups, DividedUp(tile.n - 1, per_group) + 1);
}

// Groups that are touched by all runs of columns together, each run counted. held: what one run
// has loaded stays for the next if that touches the same group.
uint64_t GroupLoads(const LayerShape& shape, const LayerTile& tile, bool held) {
  const uint64_t per_group = shape.n / shape.groups;
  const uint64_t common = tile.n / std::gcd(tile.n, per_group);
  // Where a run ends at the end of a group, but for the last.
  const uint64_t together = (shape.n - 1) / SaturatingMultiply(common, per_group);
  const uint64_t apart = shape.groups - 1 - std::min(shape.groups - 1, together);
  if (held && tile.n < per_group) return shape.groups + 2 * apart;
  return DividedUp(shape.n, tile.n) + apart;
}

uint64_t InputBytes(const LayerShape& shape, const InputWindow& window, const LayerTile& tile) {
  if (window.chunked) return DividedUp(window.bytes, tile.chunks);
  if (window.whole) return window.bytes;
  // The widest window there is: one in the middle, as far as there are so many bytes.
  const uint64_t rows = SaturatingMultiply(tile.rows, window.stride);
  const uint64_t before = SaturatingAdd(rows, window.before);
  uint64_t bytes = window.after >= 0
                       ? SaturatingAdd(before, static_cast<uint64_t>(window.after))
                       : before - std::min(before, static_cast<uint64_t>(-window.after));
  bytes = std::min(bytes, window.bytes);
  if (shape.form != LayerForm::kContraction || &window != &shape.inputs[0]) return bytes;
  const uint64_t groups = GroupsOf(shape, tile);
  if (groups == shape.groups && tile.k >= shape.k) return bytes;
  if (window.unit == 0) return PartUp(bytes, tile.k, shape.k);
  // Of each unit the groups' parts, rounded out to whole bytes.
  const absl::uint128 of_group = absl::uint128(window.unit) * tile.k;
  const absl::uint128 all = absl::uint128(shape.groups) * shape.k;
  const bool whole_bytes = of_group % all == 0 && window.unit % shape.groups == 0;
  const uint64_t part = absl::Uint128Low64(of_group * groups / all) + (whole_bytes ? 0 : 2);
  return std::min(bytes, SaturatingMultiply(bytes / window.unit, part));
}

uint64_t WeightBytes(const LayerShape& shape, const LayerTile& tile) {
  if (shape.form == LayerForm::kContraction) {
    return PartUp(PartUp(shape.weight_bytes, tile.n, shape.n), tile.k, shape.k);
  }
  if (shape.weights_by_row) return PartUp(shape.weight_bytes, tile.rows, shape.rows);
  return DividedUp(shape.weight_bytes, shape.form == LayerForm::kRows ? tile.chunks : 1);
}

uint64_t OutputBytes(const LayerShape& shape, const LayerTile& tile) {
  return PartUp(SaturatingMultiply(tile.rows, shape.row_bytes), tile.n, shape.n);
}

// Cuts of rows to look at: into 1, 2, 3, ... tiles, then fewer and fewer of them, then single rows.
std::vector<uint64_t> RowCuts(uint64_t rows) {
  constexpr uint64_t kAll = 64;
  std::vector<uint64_t> cuts;
  for (uint64_t tiles = 1; tiles <= rows;) {
    const uint64_t cut = DividedUp(rows, tiles);
    if (cuts.empty() || cuts.back() != cut) cuts.push_back(cut);
    tiles += tiles < kAll ? 1 : tiles / 16;
  }
  if (cuts.back() != 1) cuts.push_back(1);
  return cuts;
}

// Of a granule of bytes each.
uint64_t MostChunks(const LayerShape& shape, const LoweringNumbers& numbers) {
  uint64_t all = shape.form == LayerForm::kRows ? shape.weight_bytes : shape.state_read;
  for (const InputWindow& window : shape.inputs) {
    if (window.chunked) all = std::max(all, window.bytes);
  }
  return std::max<uint64_t>(1, all / std::max<uint64_t>(1, numbers.granule));
}

class Chooser {
 public:
  Chooser(const LayerShape& shape, const Placing& placing, const LoweringNumbers& numbers,
          const ChipRates& rates, uint64_t bytes)
      : shape_(shape), placing_(placing), numbers_(numbers), rates_(rates), bytes_(bytes) {}

  bool Fits(const LayerTile& tile) const {
    return TileBytes(shape_, tile, placing_, numbers_) <= bytes_;
  }

  // The most columns with so many rows and sums that fit, balanced; false where a granule does not.
  bool WidestColumns(LayerTile* tile) const {
    const uint64_t step = ColumnStep(shape_, numbers_);
    tile->n = shape_.n;
    if (Fits(*tile)) return true;
    uint64_t low = 0, high = shape_.n / step;  // in steps: low fits, high + 1 does not
    while (low < high) {
      const uint64_t middle = low + (high - low + 1) / 2;
      tile->n = middle * step;
      if (Fits(*tile)) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    if (low == 0) return false;
    tile->n = Balanced(shape_.n, low * step, step);
    // A narrower run may touch a group more.
    if (!Fits(*tile)) tile->n = low * step;
    return true;
  }

  std::optional<LayerTile> Contraction(bool cut_sums) const {
    LayerTile tile;
    tile.rows = shape_.rows;
    tile.k = shape_.k;
    if (WidestColumns(&tile)) {
      tile.rows_outer = false;
      return tile;
    }
    std::optional<LayerTile> best = FewestBytes(shape_.k);
    if (best.has_value() || !cut_sums) return best;
    const uint64_t step = std::min(shape_.k, numbers_.granule);
    for (uint64_t tiles = 2; tiles <= DividedUp(shape_.k, step); tiles += 1 + tiles / 8) {
      const uint64_t k = DividedUp(DividedUp(shape_.k, tiles), step) * step;
      tile.k = std::min(k, shape_.k);
      if (WidestColumns(&tile)) return tile;  // rows whole: the weight loads once
    }
    tile.k = step;
    return FewestBytes(step);
  }

  std::optional<LayerTile> InChunks() const {
    std::optional<LayerTile> best;
    uint64_t fewest = 0;
    for (const uint64_t rows : RowCuts(shape_.rows)) {
      LayerTile tile;
      tile.rows = rows;
      if (FewestChunks(&tile)) Keep(tile, &best, &fewest);
    }
    return best;
  }

  // Of equal cycles, the fewest bytes.
  std::optional<LayerTile> Attention() const {
    std::optional<LayerTile> best;
    std::pair<uint64_t, uint64_t> least;
    for (const uint64_t rows : RowCuts(shape_.rows)) {
      const uint64_t most = std::min(rates_.slices, DividedUp(shape_.rows, rows));
      for (uint64_t abreast = 1; abreast <= most; abreast *= 2) {
        LayerTile tile;
        tile.rows = rows;
        tile.abreast = abreast;
        if (!FewestChunks(&tile)) break;
        const std::pair<uint64_t, uint64_t> price = {
            AttentionCycles(shape_, tile, placing_, numbers_, rates_),
            LoadedBytes(shape_, tile, placing_, numbers_)};
        if (best.has_value() && price >= least) continue;
        best = tile;
        least = price;
      }
    }
    return best;
  }

  std::optional<LayerTile> Rows() const {
    for (const uint64_t rows : RowCuts(shape_.rows)) {
      LayerTile tile;
      tile.rows = rows;
      if (Fits(tile)) return tile;
    }
    // Its weights alone are too many: in chunks, whose results add up.
    return shape_.weights_by_row ? std::nullopt : InChunks();
  }

 private:
  std::optional<LayerTile> FewestBytes(uint64_t k) const {
    std::optional<LayerTile> best;
    uint64_t fewest = 0;
    for (const uint64_t rows : RowCuts(shape_.rows)) {
      LayerTile tile;
      tile.rows = rows;
      tile.k = k;
      if (!WidestColumns(&tile)) continue;
      for (const bool rows_outer : {true, false}) {
        tile.rows_outer = rows_outer;
        Keep(tile, &best, &fewest);
      }
    }
    return best;
  }

  void Keep(const LayerTile& tile, std::optional<LayerTile>* best, uint64_t* fewest) const {
    const uint64_t loaded = LoadedBytes(shape_, tile, placing_, numbers_);
    if (best->has_value() && loaded >= *fewest) return;
    *best = tile;
    *fewest = loaded;
  }

  // One chunk is one tile after the other, of any number of rows.
  bool FewestChunks(LayerTile* tile) const {
    const uint64_t abreast = std::exchange(tile->abreast, 1);
    tile->chunks = 1;
    if (Fits(*tile)) return true;
    tile->abreast = abreast;
    uint64_t high = MostChunks(shape_, numbers_);
    tile->chunks = high;
    if (!Fits(*tile)) return false;
    uint64_t low = 1;  // does not fit; high does
    while (high - low > 1) {
      const uint64_t middle = low + (high - low) / 2;
      tile->chunks = middle;
      (Fits(*tile) ? high : low) = middle;
    }
    tile->chunks = high;
    return true;
  }

  const LayerShape& shape_;
  const Placing& placing_;
  const LoweringNumbers& numbers_;
  const ChipRates& rates_;
  const uint64_t bytes_;
};

}  // namespace

uint64_t TileCounts::Programs() const {
  return SaturatingMultiply(SaturatingMultiply(row_tiles, n_tiles),
                            SaturatingMultiply(k_tiles, chunks));
}

TileCounts CountsOf(const LayerShape& shape, const LayerTile& tile) {
  return {DividedUp(shape.rows, tile.rows), DividedUp(shape.n, tile.n), DividedUp(shape.k, tile.k),
          tile.chunks};
}

uint64_t TileBytes(const LayerShape& shape, const LayerTile& tile, const Placing& placing,
                   const LoweringNumbers& numbers) {
  LayerTile together = tile;  // what is abreast as one
  together.rows = std::min(shape.rows, SaturatingMultiply(tile.rows, tile.abreast));
  uint64_t bytes = shape.form == LayerForm::kStateWrite ? 0 : numbers.code_buffer_bytes;
  bytes = SaturatingAdd(bytes, WeightBytes(shape, tile));
  for (size_t i = 0; i < shape.inputs.size(); ++i) {
    const uint64_t pinned = placing.resident_input_bytes[i];
    const InputWindow& window = shape.inputs[i];
    bytes = SaturatingAdd(bytes, pinned != 0 ? pinned : InputBytes(shape, window, together));
  }
  if (shape.form == LayerForm::kStateWrite) return bytes;
  if (shape.state_read != 0) {
    const bool chunked = shape.form == LayerForm::kAttention;
    bytes = SaturatingAdd(bytes, DividedUp(shape.state_read, chunked ? tile.chunks : 1));
  }
  bytes = SaturatingAdd(bytes, shape.state_written);
  const uint64_t pinned = placing.resident_output_bytes;
  return SaturatingAdd(bytes, pinned != 0 ? pinned : OutputBytes(shape, together));
}

uint64_t LoadedBytes(const LayerShape& shape, const LayerTile& tile, const Placing& placing,
                     const LoweringNumbers& numbers) {
  const TileCounts counts = CountsOf(shape, tile);
  const uint64_t passes = DividedUp(counts.row_tiles, tile.abreast);  // through all chunks
  uint64_t bytes = SaturatingMultiply(counts.Programs(), numbers.code_buffer_bytes);
  const bool weights_stay = !tile.rows_outer || (counts.n_tiles == 1 && counts.k_tiles == 1);
  // Columns outermost, and k within rows: each row tile loads all sums of the columns again.
  const bool sums_again = !tile.rows_outer && counts.k_tiles > 1;
  const uint64_t weight_loads =
      (shape.form == LayerForm::kContraction && (!weights_stay || sums_again)) ||
              (shape.form == LayerForm::kRows && tile.chunks > 1)
          ? counts.row_tiles
          : 1;
  bytes = SaturatingAdd(bytes, SaturatingMultiply(shape.weight_bytes, weight_loads));
  for (size_t i = 0; i < shape.inputs.size(); ++i) {
    if (placing.resident_input_bytes[i] != 0) continue;
    const InputWindow& window = shape.inputs[i];
    uint64_t loaded = window.bytes;
    if (window.chunked) {
      loaded = SaturatingMultiply(loaded, tile.chunks == 1 ? 1 : passes);
    } else if (!window.whole) {
      const int64_t beyond = static_cast<int64_t>(window.before) + window.after;
      const uint64_t halo = beyond > 0 ? static_cast<uint64_t>(beyond) : 0;
      loaded = SaturatingAdd(loaded, SaturatingMultiply(counts.row_tiles - 1, halo));
      const bool again = counts.k_tiles > 1 || (!tile.rows_outer && counts.row_tiles > 1);
      if (counts.n_tiles > 1 && shape.groups > 1) {
        loaded =
            SaturatingMultiply(DividedUp(loaded, shape.groups), GroupLoads(shape, tile, !again));
      } else if (again) {
        loaded = SaturatingMultiply(loaded, counts.n_tiles);
      }
    }
    bytes = SaturatingAdd(bytes, loaded);
  }
  const bool again = shape.form == LayerForm::kAttention && tile.chunks > 1;
  bytes = SaturatingAdd(bytes, SaturatingMultiply(shape.state_read, again ? passes : 1));
  return bytes;
}

LayerTile SmallestWholeRowTile(const LayerShape& shape, const LoweringNumbers& numbers) {
  LayerTile tile;
  tile.rows = shape.rows;
  tile.k = shape.k;
  tile.n = ColumnStep(shape, numbers);
  tile.rows_outer = false;
  return tile;
}

uint64_t AttentionCycles(const LayerShape& shape, const LayerTile& tile, const Placing& placing,
                         const LoweringNumbers& numbers, const ChipRates& rates) {
  const absl::uint128 loads = absl::uint128(LoadedBytes(shape, tile, placing, numbers)) *
                              rates.dma_cycles / rates.dma_bytes;
  const TileCounts counts = CountsOf(shape, tile);
  const uint64_t at_once =
      tile.chunks > 1 ? tile.abreast : std::min(rates.slices, counts.row_tiles);
  const absl::uint128 least = absl::uint128(counts.Programs()) * numbers.least_program_cycles;
  const absl::uint128 programs =
      std::max<absl::uint128>(shape.macs / shape.macs_per_cycle, least) / at_once;
  const absl::uint128 cycles = std::max(loads, programs);
  return absl::Uint128High64(cycles) == 0 ? absl::Uint128Low64(cycles) : UINT64_MAX;
}

LayerTile SmallestTile(const LayerShape& shape, const LoweringNumbers& numbers) {
  LayerTile tile;
  if (shape.form == LayerForm::kContraction) {
    tile.n = ColumnStep(shape, numbers);
    tile.k = std::min(shape.k, numbers.granule);
  } else if (shape.form != LayerForm::kRows || !shape.weights_by_row) {
    tile.chunks = MostChunks(shape, numbers);
  }
  return tile;
}

std::optional<LayerTile> ChooseTile(const LayerShape& shape, const Placing& placing,
                                    const LoweringNumbers& numbers, const ChipRates& rates,
                                    uint64_t bytes, bool cut_sums) {
  const Chooser chooser(shape, placing, numbers, rates, bytes);
  switch (shape.form) {
    case LayerForm::kContraction:
      return chooser.Contraction(cut_sums);
    case LayerForm::kAttention:
      return chooser.Attention();
    case LayerForm::kStateWrite:
      return chooser.InChunks();
    case LayerForm::kRows:
      return chooser.Rows();
  }
  return std::nullopt;
}

}  // namespace torqsched::lowering
