// The arithmetic of tiles against a walk over all of them, and the choice against trying all that
// the header says is tried.
#include "src/lowering/layer_tile.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/lowering/tables.h"
#include "tests/reference/random_streams.h"

namespace torqsched::lowering {
namespace {

using reference::SplitMix64;

uint64_t Up(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

std::string Text(const LayerTile& t) {
  return absl::StrCat(t.rows, " rows, ", t.n, " columns, ", t.k, " sums, ", t.chunks,
                      t.rows_outer ? " chunks, rows outermost" : " chunks, columns outermost", ", ",
                      t.abreast, " abreast");
}

std::string Text(const LayerShape& s) {
  std::string text = absl::StrCat(
      "form ", static_cast<int>(s.form), ", ", s.rows, " rows of ", s.row_bytes, " bytes, n ", s.n,
      ", k ", s.k, ", groups ", s.groups, ", weights ", s.weight_bytes,
      s.weights_by_row ? " by row" : "", ", state ", s.state_read, " and ", s.state_written);
  for (const InputWindow& w : s.inputs) {
    absl::StrAppend(&text, "; input ", w.bytes, w.whole ? " whole" : "",
                    w.chunked ? " chunked" : "", " stride ", w.stride, " before ", w.before,
                    " after ", w.after, " unit ", w.unit);
  }
  return text;
}

struct Scene {
  LayerShape shape;
  Placing placing;
  LoweringNumbers numbers;
};

// A part of what an operand has, that a tile holds.
struct Part {
  bool held = false;  // by the tile before
  uint64_t bytes = 0;
};

// What tiles take and load, tile by tile.
class Walk {
 public:
  Walk(const Scene& scene, const LayerTile& tile)
      : scene_(scene), shape_(scene.shape), tile_(tile) {
    const uint64_t row_tiles = Up(shape_.rows, tile.rows), n_tiles = Up(shape_.n, tile.n);
    const uint64_t steps = Up(shape_.k, tile.k) * tile.chunks;
    if (tile.abreast > 1) {
      for (uint64_t r = 0; r < row_tiles; r += tile.abreast) {
        own_.assign(std::min(tile.abreast, row_tiles - r), 0);
        for (uint64_t s = 0; s < steps; ++s) {
          for (uint64_t lane = 0; lane < own_.size(); ++lane) Visit(r + lane, 0, s, lane);
        }
      }
      return;
    }
    own_.assign(1, 0);
    for (uint64_t o = 0; o < (tile.rows_outer ? row_tiles : n_tiles); ++o) {
      for (uint64_t i = 0; i < (tile.rows_outer ? n_tiles : row_tiles); ++i) {
        for (uint64_t s = 0; s < steps; ++s) {
          Visit(tile.rows_outer ? o : i, tile.rows_outer ? i : o, s, 0);
        }
      }
    }
  }

  uint64_t most = 0;    // bytes of a tile, and of what those abreast of it have of their own
  uint64_t loaded = 0;  // bytes
  uint64_t programs = 0;

 private:
  // Bytes [begin, end) of so many, chunk by chunk.
  uint64_t Chunk(uint64_t bytes) const {
    return (chunk_ + 1) * bytes / tile_.chunks - chunk_ * bytes / tile_.chunks;
  }

  void Visit(uint64_t r, uint64_t c, uint64_t s, uint64_t lane) {
    ++programs;
    lane_ = lane;
    row_ = r * tile_.rows;
    end_row_ = std::min(shape_.rows, row_ + tile_.rows);
    column_ = c * tile_.n;
    end_column_ = std::min(shape_.n, column_ + tile_.n);
    const bool sums = tile_.k < shape_.k;
    sum_ = sums ? s * tile_.k : 0;
    end_sum_ = std::min(shape_.k, sum_ + tile_.k);
    chunk_ = tile_.chunks > 1 ? s : 0;
    uint64_t bytes = scene_.numbers.code_buffer_bytes, own = 0;
    loaded += bytes;
    bytes += Operand(0, WeightKey(), Weights(), false);
    const bool attention = shape_.form == LayerForm::kAttention;
    bytes += Operand(1, {attention ? chunk_ : 0},
                     attention ? Chunk(shape_.state_read) : shape_.state_read, false);
    for (size_t i = 0; i < shape_.inputs.size(); ++i) {
      const uint64_t pinned = scene_.placing.resident_input_bytes[i];
      const uint64_t part = Operand(i + 2, InputKey(i), Input(i), pinned != 0);
      const bool of_rows = !shape_.inputs[i].chunked && !shape_.inputs[i].whole && pinned == 0;
      (of_rows ? own : bytes) += pinned != 0 ? pinned : part;
    }
    const uint64_t pinned = scene_.placing.resident_output_bytes;
    const uint64_t pixels = (end_row_ - row_) * shape_.pixels;
    const uint64_t pixel = shape_.row_bytes / shape_.pixels;
    const uint64_t output = pixels * (end_column_ * pixel / shape_.n - column_ * pixel / shape_.n);
    (pinned != 0 ? bytes : own) += pinned != 0 ? pinned : output;
    bytes += shape_.state_written;
    own_[lane] = own;
    for (const uint64_t lanes : own_) bytes += lanes;
    most = std::max(most, bytes);
  }

  uint64_t Operand(size_t i, const std::vector<uint64_t>& key, uint64_t bytes, bool resident) {
    // What all rows read is held by whoever loaded it.
    const bool shared = i < 2 || shape_.inputs[i - 2].chunked || shape_.inputs[i - 2].whole;
    std::vector<uint64_t>& held = held_[{i, shared ? 0 : lane_}];
    if (!resident && held != key) loaded += bytes;
    held = key;
    return bytes;
  }

  std::vector<uint64_t> WeightKey() const {
    switch (shape_.form) {
      case LayerForm::kContraction:
        return {column_, sum_};
      case LayerForm::kRows:
        return {shape_.weights_by_row ? row_ : 0, chunk_};
      default:
        return {0};
    }
  }

  uint64_t Weights() const {
    const uint64_t all = shape_.weight_bytes;
    if (shape_.form == LayerForm::kContraction) {
      const uint64_t columns = end_column_ * all / shape_.n - column_ * all / shape_.n;
      return end_sum_ * columns / shape_.k - sum_ * columns / shape_.k;
    }
    if (shape_.weights_by_row) return end_row_ * all / shape_.rows - row_ * all / shape_.rows;
    return shape_.form == LayerForm::kRows ? Chunk(all) : all;
  }

  bool Cut(size_t i) const {
    return shape_.form == LayerForm::kContraction && i == 0 && !shape_.inputs[0].whole;
  }

  std::vector<uint64_t> InputKey(size_t i) const {
    const InputWindow& window = shape_.inputs[i];
    if (window.chunked) return {chunk_};
    const ByteRange range = WindowOf(window, row_, end_row_);
    if (!Cut(i)) return {range.begin, range.end};
    const uint64_t per_group = shape_.n / shape_.groups;
    return {range.begin, range.end, column_ / per_group, (end_column_ - 1) / per_group, sum_};
  }

  uint64_t Input(size_t i) const {
    const InputWindow& window = shape_.inputs[i];
    if (window.chunked) return Chunk(window.bytes);
    const uint64_t bytes = WindowOf(window, row_, end_row_).size();
    if (!Cut(i)) return bytes;
    if (window.unit == 0) return end_sum_ * bytes / shape_.k - sum_ * bytes / shape_.k;
    const uint64_t per_group = shape_.n / shape_.groups;
    const uint64_t first = column_ / per_group, last = (end_column_ - 1) / per_group;
    // Element by element: which bytes of a unit have one that is summed here.
    std::set<uint64_t> touched;
    const uint64_t elements = shape_.groups * shape_.k;
    for (uint64_t g = first; g <= last; ++g) {
      for (uint64_t e = g * shape_.k + sum_; e < g * shape_.k + end_sum_; ++e) {
        const uint64_t begin = e * window.unit / elements,
                       end = Up((e + 1) * window.unit, elements);
        for (uint64_t byte = begin; byte < end; ++byte) touched.insert(byte);
      }
    }
    return bytes / window.unit * touched.size();
  }

  const Scene& scene_;
  const LayerShape& shape_;
  const LayerTile& tile_;
  std::map<std::pair<size_t, uint64_t>, std::vector<uint64_t>> held_;  // by operand and lane
  std::vector<uint64_t> own_;                                          // by lane: bytes of its rows
  uint64_t lane_ = 0;
  uint64_t row_ = 0, end_row_ = 0, column_ = 0, end_column_ = 0, sum_ = 0, end_sum_ = 0;
  uint64_t chunk_ = 0;
};

void AddContraction(SplitMix64* random, Scene* scene) {
  LayerShape& s = scene->shape;
  s.form = LayerForm::kContraction;
  const uint64_t bits = random->Percent(70) ? 8 : random->Percent(50) ? 4 : 16;
  s.rows = random->Between(1, 20);
  s.groups = random->Percent(70) ? 1 : random->Between(1, 8);
  s.n = 2 * s.groups * random->Between(1, 30);
  s.k = 2 * random->Between(1, 40);
  s.convolution = random->Percent(40);
  if (s.convolution) s.pixels = random->Between(1, 6);
  s.row_bytes = s.pixels * s.n * bits / 8;
  s.weight_bytes = s.n * s.k * bits / 8 + (random->Percent(30) ? random->Between(1, 50) : 0);
  InputWindow window;
  window.unit = s.groups * s.k * bits / 8;
  const uint64_t line = window.unit * s.pixels;
  const uint64_t stride = s.convolution ? random->Between(1, 3) : 1;
  window.stride = stride * line;
  if (s.convolution) {
    window.before = random->Below(3) * line;
    window.after = (static_cast<int64_t>(random->Below(4)) - 1) * static_cast<int64_t>(line);
  }
  window.bytes = s.rows * window.stride;
  if (random->Percent(10)) window.whole = true;
  if (s.groups == 1 && random->Percent(10)) window.unit = 0;
  s.inputs.push_back(window);
  if (random->Percent(20)) {
    InputWindow other;
    other.whole = true;
    other.bytes = random->Between(1, 200);
    s.inputs.push_back(other);
  }
}

void AddRows(SplitMix64* random, bool attention, Scene* scene) {
  LayerShape& s = scene->shape;
  s.form = attention ? LayerForm::kAttention : LayerForm::kRows;
  s.rows = random->Between(1, 40);
  s.row_bytes = random->Between(1, 60);
  if (random->Percent(40)) s.weight_bytes = random->Between(1, 3000);
  if (!attention && random->Percent(30)) {
    s.weights_by_row = true;
    s.weight_bytes = s.rows * random->Between(1, 60);
  }
  if (random->Percent(attention ? 60 : 10)) s.state_read = random->Between(1, 3000);
  if (random->Percent(20)) s.state_written = random->Between(1, 100);
  const uint64_t inputs = random->Between(1, 3);
  for (uint64_t i = 0; i < inputs; ++i) {
    InputWindow window;
    window.stride = random->Between(1, 60);
    window.bytes = s.rows * window.stride;
    window.chunked = attention && i > 0 && s.state_read == 0;
    window.whole = !window.chunked && random->Percent(20);
    if (!attention && random->Percent(40)) {
      window.before = window.stride;
      window.after = static_cast<int64_t>(window.stride);
    }
    s.inputs.push_back(window);
  }
}

Scene MakeScene(SplitMix64* random) {
  Scene scene;
  const uint64_t form = random->Below(4);
  form <= 1 ? AddContraction(random, &scene) : AddRows(random, form == 2, &scene);
  scene.numbers.granule = random->Percent(50) ? 16 : random->Between(1, 20);
  scene.numbers.code_buffer_bytes = random->Percent(20) ? 0 : random->Between(1, 200);
  for (const InputWindow& window : scene.shape.inputs) {
    const bool resident = random->Percent(25);
    scene.placing.resident_input_bytes.push_back(resident ? window.bytes + random->Below(50) : 0);
  }
  if (random->Percent(25)) scene.placing.resident_output_bytes = scene.shape.OutBytes();
  return scene;
}

// Columns of half bytes come in pairs.
uint64_t Granule(const Scene& scene) {
  const LayerShape& s = scene.shape;
  const bool halves = s.row_bytes / s.pixels * 2 == s.n;
  return scene.numbers.granule + (halves ? scene.numbers.granule % 2 : 0);
}

LayerTile MakeTile(const Scene& scene, SplitMix64* random) {
  const LayerShape& s = scene.shape;
  LayerTile tile;
  tile.rows = random->Between(1, s.rows);
  if (s.form != LayerForm::kContraction) {
    tile.chunks = random->Percent(50) || s.weights_by_row ? 1 : random->Between(1, 30);
    if (s.form == LayerForm::kAttention && tile.chunks > 1) {
      tile.abreast = random->Between(1, std::min<uint64_t>(4, Up(s.rows, tile.rows)));
    }
    return tile;
  }
  const uint64_t granule = Granule(scene);
  tile.n = std::min(s.n, granule * random->Between(1, Up(s.n, granule)));
  tile.k = random->Percent(60)
               ? s.k
               : std::min(s.k, scene.numbers.granule *
                                   random->Between(1, Up(s.k, scene.numbers.granule)));
  tile.rows_outer = random->Percent(50);
  return tile;
}

// How far an estimate may lie above: what is rounded to whole bytes, for each unit that is cut.
uint64_t Rounding(const LayerShape& s) {
  if (s.form != LayerForm::kContraction) return 8 + s.inputs.size();
  const InputWindow& window = s.inputs[0];
  return 8 + (window.unit == 0 ? 1 : 3 * (window.bytes / window.unit));
}

TEST(LayerTile, NoTileTakesMoreThanTileBytesAndOneTakesAboutThat) {
  uint64_t exact = 0, count = 0;
  for (uint64_t seed = 1; seed <= 6000; ++seed) {
    SplitMix64 random(seed);
    const Scene scene = MakeScene(&random);
    const LayerTile tile = MakeTile(scene, &random);
    const Walk walk(scene, tile);
    const uint64_t bytes = TileBytes(scene.shape, tile, scene.placing, scene.numbers);
    EXPECT_LE(walk.most, bytes) << "seed " << seed << ": " << Text(tile) << " of "
                                << Text(scene.shape);
    EXPECT_EQ(CountsOf(scene.shape, tile).Programs(), walk.programs) << "seed " << seed;
    // Groups that lie across tiles, and windows that the edges clip, are taken at their widest.
    const LayerShape& s = scene.shape;
    const uint64_t per_group = s.n / s.groups;
    const bool across = s.groups > 1 && tile.n % per_group != 0 && per_group % tile.n != 0;
    const bool clipped = std::any_of(s.inputs.begin(), s.inputs.end(), [](const InputWindow& w) {
      return w.before != 0 || w.after != 0;
    });
    if (across || clipped) continue;
    ++count;
    exact += bytes == walk.most;
    EXPECT_LE(bytes, walk.most + Rounding(s))
        << "seed " << seed << ": " << Text(tile) << " of " << Text(s);
  }
  EXPECT_GT(exact, count * 3 / 4);
}

TEST(LayerTile, LoadedBytesAreWhatAllTilesLoadWithinHaloAndGroups) {
  uint64_t exact = 0, count = 0;
  for (uint64_t seed = 1; seed <= 6000; ++seed) {
    SplitMix64 random(seed);
    const Scene scene = MakeScene(&random);
    const LayerTile tile = MakeTile(scene, &random);
    const LayerShape& s = scene.shape;
    const Walk walk(scene, tile);
    const uint64_t bytes = LoadedBytes(s, tile, scene.placing, scene.numbers);
    const TileCounts counts = CountsOf(s, tile);
    uint64_t slack = 0;
    for (size_t i = 0; i < s.inputs.size(); ++i) {
      const InputWindow& w = s.inputs[i];
      const uint64_t beyond = static_cast<uint64_t>(std::abs(w.after)) + w.before;
      slack += beyond * counts.row_tiles * counts.n_tiles;
    }
    const uint64_t per_group = s.n / s.groups;
    if (s.groups > 1 && tile.n % per_group != 0 && per_group % tile.n != 0) {
      slack += (s.inputs[0].bytes / s.groups + 1) * s.groups;
    }
    if (s.form == LayerForm::kContraction) slack += Rounding(s) * walk.programs;
    EXPECT_LE(bytes, walk.loaded + slack)
        << "seed " << seed << ": " << Text(tile) << " of " << Text(s);
    EXPECT_GE(bytes + slack, walk.loaded)
        << "seed " << seed << ": " << Text(tile) << " of " << Text(s);
    ++count;
    exact += bytes == walk.loaded;
  }
  EXPECT_GT(exact, count / 2);
}

// Even cuts of so few rows: into 1, 2, 3, ... tiles.
std::vector<uint64_t> RowCuts(uint64_t rows) {
  std::vector<uint64_t> cuts;
  for (uint64_t tiles = 1; tiles <= rows; ++tiles) cuts.push_back(Up(rows, tiles));
  return cuts;
}

// The fewest runs of columns that fit; 0: none does.
uint64_t FewestRuns(const Scene& scene, LayerTile tile, uint64_t budget) {
  const LayerShape& s = scene.shape;
  const uint64_t granule = Granule(scene);
  for (uint64_t n = s.n; n > 0;) {
    tile.n = n;
    if (TileBytes(s, tile, scene.placing, scene.numbers) <= budget) return Up(s.n, n);
    n = n % granule == 0 ? n - granule : n - n % granule;
  }
  tile.n = std::min(s.n, granule);
  return TileBytes(s, tile, scene.placing, scene.numbers) <= budget ? Up(s.n, tile.n) : 0;
}

uint64_t Budget(const Scene& scene, SplitMix64* random) {
  const LayerShape& s = scene.shape;
  LayerTile whole;
  whole.rows = s.rows;
  whole.n = s.n;
  whole.k = s.k;
  const uint64_t most = TileBytes(s, whole, scene.placing, scene.numbers);
  return random->Percent(20) ? most : 1 + random->Below(most);
}

TEST(ChooseTile, OfAContractionRowsAndSumsStayWholeWhereThatFitsElseFewestBytesAreLoaded) {
  uint64_t whole = 0, split = 0, sums = 0, none = 0;
  for (uint64_t seed = 1; seed <= 6000; ++seed) {
    SplitMix64 random(seed);
    const Scene scene = MakeScene(&random);
    const LayerShape& s = scene.shape;
    if (s.form != LayerForm::kContraction) continue;
    const uint64_t budget = Budget(scene, &random);
    const bool cut_sums = random.Percent(70);
    const std::optional<LayerTile> tile =
        ChooseTile(s, scene.placing, scene.numbers, ChipRates(), budget, cut_sums);
    SCOPED_TRACE(absl::StrCat("seed ", seed, ": ", tile.has_value() ? Text(*tile) : "none", " in ",
                              budget, " of ", Text(s)));
    LayerTile rows_whole = {s.rows, 1, s.k, 1, false};
    const uint64_t runs = FewestRuns(scene, rows_whole, budget);
    LayerTile row = {1, 1, s.k, 1, true};
    LayerTile least = {1, 1, std::min(s.k, scene.numbers.granule), 1, true};
    if (!tile.has_value()) {
      EXPECT_EQ(FewestRuns(scene, cut_sums ? least : row, budget), 0u);
      ++none;
      continue;
    }
    EXPECT_LE(TileBytes(s, *tile, scene.placing, scene.numbers), budget);
    EXPECT_TRUE(tile->n == s.n || tile->n % Granule(scene) == 0);
    EXPECT_TRUE(tile->k == s.k || tile->k % scene.numbers.granule == 0);
    EXPECT_EQ(tile->chunks, 1u);
    if (runs > 0) {
      EXPECT_EQ(tile->rows, s.rows);
      EXPECT_EQ(tile->k, s.k);
      // Groups that lie across tiles make a narrower run take more: the fewest is then one of some.
      if (s.groups == 1) {
        EXPECT_EQ(Up(s.n, tile->n), runs);
      }
      ++whole;
      continue;
    }
    if (tile->k < s.k) {
      EXPECT_TRUE(cut_sums);
      EXPECT_EQ(FewestRuns(scene, row, budget), 0u) << "a cut of rows alone fits";
      ++sums;
      continue;
    }
    ++split;
    const uint64_t loaded = LoadedBytes(s, *tile, scene.placing, scene.numbers);
    for (const uint64_t rows : RowCuts(s.rows)) {
      LayerTile other = {rows, 1, s.k, 1, true};
      const uint64_t fewest = FewestRuns(scene, other, budget);
      if (fewest == 0 || s.groups > 1) continue;
      // The narrowest with as many runs, in whole granules.
      const uint64_t granule = Granule(scene);
      other.n = std::min(s.n, Up(Up(s.n, fewest), granule) * granule);
      for (const bool rows_outer : {true, false}) {
        other.rows_outer = rows_outer;
        if (TileBytes(s, other, scene.placing, scene.numbers) > budget) continue;
        EXPECT_LE(loaded, LoadedBytes(s, other, scene.placing, scene.numbers)) << Text(other);
      }
    }
  }
  EXPECT_GT(whole, 500u);
  EXPECT_GT(split, 200u);
  EXPECT_GT(sums, 100u);
  EXPECT_GT(none, 100u);
}

TEST(ChooseTile, OfRowsTheFewestTilesThatFit) {
  uint64_t found = 0, chunks = 0, none = 0;
  for (uint64_t seed = 1; seed <= 6000; ++seed) {
    SplitMix64 random(seed);
    const Scene scene = MakeScene(&random);
    const LayerShape& s = scene.shape;
    if (s.form != LayerForm::kRows) continue;
    const uint64_t budget = Budget(scene, &random);
    const std::optional<LayerTile> tile =
        ChooseTile(s, scene.placing, scene.numbers, ChipRates(), budget, random.Percent(50));
    SCOPED_TRACE(absl::StrCat("seed ", seed, ": ", tile.has_value() ? Text(*tile) : "none", " in ",
                              budget, " of ", Text(s)));
    std::optional<uint64_t> rows;
    for (const uint64_t cut : RowCuts(s.rows)) {
      const LayerTile other = {cut, 1, 1, 1, true};
      if (TileBytes(s, other, scene.placing, scene.numbers) > budget) continue;
      rows = cut;
      break;
    }
    if (rows.has_value()) {
      ASSERT_TRUE(tile.has_value());
      EXPECT_EQ(tile->rows, *rows);
      EXPECT_EQ(tile->chunks, 1u);
      ++found;
      continue;
    }
    const LayerTile least = {1, 1, 1, std::max<uint64_t>(1, s.weight_bytes / scene.numbers.granule),
                             true};
    const bool fits = TileBytes(s, least, scene.placing, scene.numbers) <= budget;
    EXPECT_EQ(tile.has_value(), fits && !s.weights_by_row);
    if (!tile.has_value()) {
      ++none;
      continue;
    }
    EXPECT_GT(tile->chunks, 1u);
    EXPECT_LE(TileBytes(s, *tile, scene.placing, scene.numbers), budget);
    ++chunks;
  }
  EXPECT_GT(found, 500u);
  EXPECT_GT(chunks, 50u);
  EXPECT_GT(none, 50u);
}

// By all cuts: the least cycles, and the fewest bytes of those.
std::optional<std::pair<uint64_t, uint64_t>> CheapestAttention(const Scene& scene,
                                                               const ChipRates& rates,
                                                               uint64_t budget) {
  const LayerShape& s = scene.shape;
  uint64_t all = s.state_read;
  for (const InputWindow& w : s.inputs) {
    if (w.chunked) all = std::max(all, w.bytes);
  }
  const uint64_t most = std::max<uint64_t>(1, all / scene.numbers.granule);
  std::optional<std::pair<uint64_t, uint64_t>> least;
  for (const uint64_t rows : RowCuts(s.rows)) {
    const uint64_t row_tiles = Up(s.rows, rows);
    for (const uint64_t abreast : {1, 2, 4, 8, 16}) {
      if (abreast > std::min(rates.slices, row_tiles)) continue;
      for (uint64_t c = 1; c <= most; ++c) {
        if (c == 1 && abreast > 1) continue;  // one after the other
        LayerTile tile = {rows, 1, 1, c, true};
        tile.abreast = abreast;
        if (TileBytes(s, tile, scene.placing, scene.numbers) > budget) continue;
        const uint64_t loaded = LoadedBytes(s, tile, scene.placing, scene.numbers);
        const uint64_t slices = c > 1 ? abreast : std::min(rates.slices, row_tiles);
        const uint64_t programs =
            std::max(s.macs / s.macs_per_cycle, row_tiles * c * scene.numbers.least_program_cycles);
        const std::pair<uint64_t, uint64_t> price = {
            std::max(loaded * rates.dma_cycles / rates.dma_bytes, programs / slices), loaded};
        least = std::min(least.value_or(price), price);
        break;  // fewer chunks are better
      }
    }
  }
  return least;
}

TEST(ChooseTile, OfAttentionTheFewestChunksForSoManyRowsWhoseLoadsAndProgramsTakeTheLeast) {
  uint64_t found = 0, none = 0, abreast = 0, alone = 0;
  for (uint64_t seed = 1; seed <= 12000; ++seed) {
    SplitMix64 random(seed);
    Scene scene = MakeScene(&random);
    LayerShape& s = scene.shape;
    if (s.form != LayerForm::kAttention) continue;
    s.macs = random.Between(1, 100000);
    s.macs_per_cycle = random.Between(1, 4);
    const uint64_t budget = Budget(scene, &random);
    const ChipRates rates = {random.Between(1, 16), random.Between(1, 9), random.Between(1, 3)};
    const std::optional<LayerTile> tile =
        ChooseTile(s, scene.placing, scene.numbers, rates, budget, random.Percent(50));
    SCOPED_TRACE(absl::StrCat("seed ", seed, ": ", tile.has_value() ? Text(*tile) : "none", " in ",
                              budget, ", ", rates.slices, " slices, of ", Text(s)));
    const auto least = CheapestAttention(scene, rates, budget);
    EXPECT_EQ(tile.has_value(), least.has_value());
    if (!tile.has_value()) {
      ++none;
      continue;
    }
    ++found;
    EXPECT_LE(TileBytes(s, *tile, scene.placing, scene.numbers), budget);
    EXPECT_EQ(AttentionCycles(s, *tile, scene.placing, scene.numbers, rates), least->first);
    EXPECT_EQ(LoadedBytes(s, *tile, scene.placing, scene.numbers), least->second);
    EXPECT_LE(tile->abreast, std::min(rates.slices, Up(s.rows, tile->rows)));
    EXPECT_TRUE(tile->chunks > 1 || tile->abreast == 1);
    abreast += tile->abreast > 1;
    alone += tile->chunks > 1 && rates.slices > 1 && tile->abreast == 1;
  }
  EXPECT_GT(found, 500u);
  EXPECT_GT(none, 100u);
  EXPECT_GT(abreast, 100u);
  EXPECT_GT(alone, 100u);
}

TEST(ChooseTile, SmallestTileIsTheLeastBudgetThatHoldsOne) {
  uint64_t by_form[4] = {};
  for (uint64_t seed = 1; seed <= 6000; ++seed) {
    SplitMix64 random(seed);
    const Scene scene = MakeScene(&random);
    const LayerShape& s = scene.shape;
    const LayerTile least = SmallestTile(s, scene.numbers);
    const uint64_t bytes = TileBytes(s, least, scene.placing, scene.numbers);
    SCOPED_TRACE(absl::StrCat("seed ", seed, ": ", Text(least), ", ", bytes, " of ", Text(s)));
    const auto fits = [&](uint64_t budget) {
      return ChooseTile(s, scene.placing, scene.numbers, {2, 1, 1}, budget, true).has_value();
    };
    EXPECT_TRUE(fits(bytes));
    EXPECT_FALSE(bytes > 0 && fits(bytes - 1));
    ++by_form[static_cast<size_t>(s.form)];
  }
  EXPECT_GT(by_form[static_cast<size_t>(LayerForm::kContraction)], 500u);
  EXPECT_GT(by_form[static_cast<size_t>(LayerForm::kAttention)], 500u);
  EXPECT_GT(by_form[static_cast<size_t>(LayerForm::kRows)], 500u);
}

TEST(ChooseTile, SizesNearTheLargestSaturate) {
  LayerShape shape;
  shape.form = LayerForm::kContraction;
  shape.rows = uint64_t{1} << 32;
  shape.n = uint64_t{1} << 32;
  shape.k = uint64_t{1} << 60;
  shape.row_bytes = uint64_t{1} << 32;
  shape.weight_bytes = uint64_t{1} << 48;
  InputWindow window;
  window.bytes = uint64_t{1} << 48;
  window.stride = window.before = uint64_t{1} << 48;
  window.after = int64_t{1} << 48;
  window.unit = 1;
  shape.inputs.push_back(window);
  Placing placing;
  placing.resident_input_bytes = {0};
  LayerTile tile;
  tile.rows = 1;
  tile.n = 1;
  tile.k = 1;
  const LoweringNumbers numbers;
  EXPECT_EQ(LoadedBytes(shape, tile, placing, numbers), UINT64_MAX);
  EXPECT_EQ(CountsOf(shape, tile).Programs(), UINT64_MAX);
  EXPECT_FALSE(ChooseTile(shape, placing, numbers, ChipRates(), 523008, true).has_value());
}

TEST(SmallestWholeRowTile, HasAllRowsAndSumsAndAGranuleOfColumns) {
  // 1 x 128 x 768 x 3072 in bf16: 196,608 + 24,576 + 4,096 + 5,120 (docs/tiling.md).
  Network network;
  network.activation_type = "bf16";
  network.layers = {MakeMatmul("product", kNetworkInput, 128, 3072, 768, 16)};
  const auto shapes = ShapesOf(network, LoweringNumbers(), 523008);
  ASSERT_TRUE(shapes.ok());
  Placing placing;
  placing.resident_input_bytes = {0};
  const LoweringNumbers numbers;
  const LayerTile least = SmallestWholeRowTile((*shapes)[0], numbers);
  EXPECT_EQ(TileBytes((*shapes)[0], least, placing, numbers), 230400u);
  // And the page's tiles: in all of LRAM, and in 40 % of it.
  const std::optional<LayerTile> tile =
      ChooseTile((*shapes)[0], placing, numbers, ChipRates(), 523008, false);
  ASSERT_TRUE(tile.has_value());
  EXPECT_EQ(tile->n, 176u);
  EXPECT_EQ(TileBytes((*shapes)[0], *tile, placing, numbers), 517120u);
  EXPECT_EQ(LoadedBytes((*shapes)[0], *tile, placing, numbers), 5007360u);
  const LayerTile split = {64, 48, 768, 1, true};
  EXPECT_EQ(TileBytes((*shapes)[0], split, placing, numbers), 183296u);
  EXPECT_EQ(LoadedBytes((*shapes)[0], split, placing, numbers), 10289152u);
}

}  // namespace
}  // namespace torqsched::lowering
