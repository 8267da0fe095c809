// Random contractions and requests against a reference that walks every candidate and every tile.
#include <cstdint>
#include <optional>
#include <string>

#include "absl/numeric/int128.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "src/search/random.h"
#include "src/tiling/contraction_tile.h"
#include "src/tiling/plan_tiles.h"
#include "tests/tiling/tiling_reference.h"

namespace torqsched {
namespace {

constexpr uint64_t kCases = 20000;

uint32_t RandomBits(search::Random* random) { return 4u << random->Below(4); }

Contraction RandomContraction(search::Random* random) {
  Contraction c;
  c.batch = 1 + random->Below(3);
  c.m = 1 + random->Below(8);
  c.n = 1 + random->Below(40);
  c.k = 1 + random->Below(40);
  c.lhs_bits = RandomBits(random);
  c.weight_bits = RandomBits(random);
  c.out_bits = RandomBits(random);
  return c;
}

TilingHardware RandomHardware(search::Random* random) {
  TilingHardware hardware;
  const uint32_t mosts[] = {40, 400, 4000};
  hardware.usable_bytes = 1 + random->Below(mosts[random->Below(3)]);
  hardware.granule = 1 + random->Below(random->OneIn(4) ? 50 : 8);
  hardware.code_bytes = random->OneIn(3) ? 0 : random->Below(64);
  hardware.dma_bytes = 1 + random->Below(20);
  hardware.dma_cycles = random->OneIn(10) ? 0 : random->Below(20);
  hardware.int8_macs_per_cycle = 1 + random->Below(9);
  hardware.bf16_macs_per_cycle = 1 + random->Below(9);
  hardware.least_program_cycles = random->OneIn(2) ? 0 : random->Below(100);
  return hardware;
}

std::string Text(const ContractionTile& t) {
  return absl::StrCat(t.rows, " x ", t.n, " x ", t.k, ", ", t.bytes, " bytes, tiles ", t.row_tiles,
                      " x ", t.n_tiles, " x ", t.k_tiles, ", trips ", t.trips, ", loads ",
                      t.loaded_bytes, ", cycles ", t.cycles, t.double_buffers ? ", double" : "",
                      t.fits ? ", fits" : "");
}

std::string Text(const std::optional<ContractionTile>& tile) {
  return tile.has_value() ? Text(*tile) : "none";
}

std::string Text(const TilePlan& plan) {
  std::string text = plan.convolutions ? "convolutions\n" : "";
  for (const LoopBudget& b : plan.loops) {
    absl::StrAppend(&text, b.bytes, " reason ", static_cast<int>(b.reason), " looked at ",
                    b.whole_row_bytes, " tile ", Text(b.tile), " split ", Text(b.split_tile),
                    " next ", Text(b.double_buffering_tile), "\n");
  }
  return text;
}

std::string Text(const Contraction& c, const TilingHardware& h) {
  return absl::StrCat("batch ", c.batch, " m ", c.m, " n ", c.n, " k ", c.k, " bits ", c.lhs_bits,
                      " ", c.weight_bits, " ", c.out_bits, " usable ", h.usable_bytes, " granule ",
                      h.granule, " code ", h.code_bytes, " dma ", h.dma_bytes, ":", h.dma_cycles,
                      " macs ", h.int8_macs_per_cycle, " ", h.bf16_macs_per_cycle, " least ",
                      h.least_program_cycles);
}

// How often each way of cutting was taken, so that none is left untested.
struct Coverage {
  uint64_t whole = 0, n_cut = 0, rows_split = 0, k_cut = 0, k_and_rows = 0, too_large = 0;
  uint64_t next_n = 0, next_k = 0;
  // Loops that double-buffer over rows, n or k by what has room beside a tile.
  uint64_t weight_only = 0, code_too = 0, lhs_too = 0;
};

void Count(const Contraction& c, const TilingHardware& hardware, const ContractionTile& tile,
           Coverage* coverage) {
  const bool rows_whole = tile.rows == c.batch * c.m;
  if (!tile.fits) {
    ++coverage->too_large;
  } else if (tile.trips == 1) {
    ++coverage->whole;
  } else if (rows_whole) {
    ++(tile.k == c.k ? coverage->n_cut : coverage->k_cut);
  } else {
    ++(tile.k == c.k ? coverage->rows_split : coverage->k_and_rows);
  }
  if (!tile.double_buffers || tile.trips == 1 || (rows_whole && tile.k == c.k)) return;
  const uint64_t room =
      hardware.usable_bytes - tile.bytes - (tile.k * tile.n * c.weight_bits + 7) / 8;
  if (hardware.code_bytes > room) {
    ++coverage->weight_only;
  } else if (hardware.code_bytes + (tile.rows * tile.k * c.lhs_bits + 7) / 8 > room) {
    ++coverage->code_too;
  } else {
    ++coverage->lhs_too;
  }
}

void CheckCut(uint64_t seed, Coverage* coverage) {
  search::Random random(seed);
  const Contraction c = RandomContraction(&random);
  const TilingHardware hardware = RandomHardware(&random);
  const uint64_t budget =
      random.OneIn(2) ? hardware.usable_bytes : random.Below(hardware.usable_bytes + 1);
  SCOPED_TRACE(absl::StrCat("seed ", seed, ": ", Text(c, hardware), " budget ", budget));

  const absl::StatusOr<uint64_t> whole_rows = WholeRowBytes(c, hardware);
  ASSERT_TRUE(whole_rows.ok()) << whole_rows.status();
  EXPECT_EQ(*whole_rows, ReferenceWholeRowBytes(c, hardware));

  const absl::StatusOr<ContractionTile> tile = CutContraction(c, hardware, budget);
  ASSERT_TRUE(tile.ok()) << tile.status();
  EXPECT_EQ(Text(*tile), Text(ReferenceCut(c, hardware, budget)));
  Count(c, hardware, *tile, coverage);

  const absl::StatusOr<std::optional<ContractionTile>> next =
      NextDoubleBuffering(c, hardware, *tile);
  ASSERT_TRUE(next.ok()) << next.status();
  EXPECT_EQ(Text(*next), Text(ReferenceNextDoubleBuffering(c, hardware, *tile)));
  if (!tile->double_buffers && next->has_value()) {
    ++((*next)->k == tile->k ? coverage->next_n : coverage->next_k);
  }
}

TEST(TilingRandomTest, CutsAsTheReference) {
  Coverage coverage;
  for (uint64_t seed = 0; seed < kCases; ++seed) {
    CheckCut(seed, &coverage);
    if (testing::Test::HasFailure()) return;
  }
  for (const uint64_t count :
       {coverage.whole, coverage.n_cut, coverage.rows_split, coverage.k_cut, coverage.k_and_rows,
        coverage.too_large, coverage.next_n, coverage.next_k, coverage.weight_only,
        coverage.code_too, coverage.lhs_too}) {
    EXPECT_GT(count, 200u);
  }
}

TilingRequest RandomRequest(uint64_t seed) {
  search::Random random(seed ^ 0x711e);
  TilingRequest request;
  request.hardware = RandomHardware(&random);
  request.constant_bytes = random.OneIn(4) ? random.Below(4000) : 4000 + random.Below(4000);
  if (random.OneIn(20)) request.constant_bytes = request.hardware.usable_bytes + random.Below(2);
  request.loop_percent = random.OneIn(8) ? 100 : 1 + random.Below(100);
  request.contraction_percent = random.OneIn(8) ? 100 : 1 + random.Below(100);
  request.strategy = static_cast<TilingStrategy>(random.OneIn(10) ? 0 : 1 + random.Below(2));
  for (uint32_t loops = random.Below(4); loops > 0; --loops) {
    TileLoop loop;
    loop.name = "loop";
    loop.contraction = !random.OneIn(3);
    loop.convolution = random.OneIn(4);
    loop.folded_convert = random.OneIn(5);
    if (loop.contraction && random.OneIn(3)) loop.whole_row_bytes = 1 + random.Below(2000);
    if (loop.contraction && random.OneIn(2)) loop.shape = RandomContraction(&random);
    request.loops.push_back(loop);
  }
  return request;
}

TEST(TilingRandomTest, PlansAsTheReference) {
  uint64_t reasons[5] = {};
  uint64_t convolutions = 0;
  uint64_t split = 0;
  for (uint64_t seed = 0; seed < kCases; ++seed) {
    const TilingRequest request = RandomRequest(seed);
    const absl::StatusOr<TilePlan> plan = PlanTiles(request);
    ASSERT_TRUE(plan.ok()) << "seed " << seed << ": " << plan.status();
    ASSERT_EQ(Text(*plan), Text(ReferencePlan(request))) << "seed " << seed;
    convolutions += plan->convolutions ? 1 : 0;
    for (const LoopBudget& budget : plan->loops) {
      ++reasons[static_cast<int>(budget.reason)];
      split += budget.split_tile.has_value() ? 1 : 0;
    }
  }
  for (const uint64_t count : reasons) EXPECT_GT(count, 200u);
  EXPECT_GT(convolutions, 200u);
  EXPECT_GT(split, 200u);
}

// A number of any length up to these bits.
uint64_t AnyLength(search::Random* random, uint32_t bits) {
  return (random->Next() >> (64 - bits) >> random->Below(bits)) | 1;
}

using Wide = absl::uint128;

// The operands are too large to walk, but not for 128 bits.
Wide WideBytes(const Contraction& c, const TilingHardware& h, Wide rows, Wide n, Wide k) {
  return (rows * k * c.lhs_bits + 7) / 8 + (k * n * c.weight_bits + 7) / 8 +
         (rows * n * c.out_bits + 7) / 8 + h.code_bytes;
}

// Of a cut of rows * n * k: whether a tile fits, and what the smallest one has of n and k.
struct WideCut {
  bool Fits(Wide rows, Wide n, Wide k) const { return WideBytes(c, h, rows, n, k) <= budget; }

  const Contraction& c;
  const TilingHardware& h;
  uint64_t budget;
  uint64_t rows = c.batch * c.m;
  uint64_t least_n = c.n < h.granule ? c.n : h.granule;
  uint64_t least_k = c.k < h.granule ? c.k : h.granule;
};

// A granule more, or the whole where that is less.
Wide Next(uint64_t part, uint64_t whole, uint64_t granule) {
  return part + Wide(granule) < whole ? part + Wide(granule) : Wide(whole);
}

// What makes a tile the right one, beside its neighbours: it fits, and the next larger does not.
void CheckMost(const WideCut& cut, const ContractionTile& t) {
  const Wide next_n = Next(t.n, cut.c.n, cut.h.granule);
  const Wide next_k = Next(t.k, cut.c.k, cut.h.granule);
  const bool most_n = t.n == cut.c.n || !cut.Fits(t.rows, next_n, t.k);
  const bool rows_fit_lram =
      WideBytes(cut.c, cut.h, cut.rows, cut.least_n, cut.c.k) <= cut.h.usable_bytes;
  const bool row_fits = cut.Fits(1, cut.least_n, cut.c.k);
  if (cut.Fits(cut.rows, cut.least_n, cut.c.k)) {
    EXPECT_TRUE(t.rows == cut.rows && t.k == cut.c.k && most_n);
  } else if (rows_fit_lram && row_fits) {
    EXPECT_TRUE(t.k == cut.c.k && most_n);
    EXPECT_EQ(t.rows, (cut.rows - 1) / t.row_tiles + 1);
    EXPECT_FALSE(cut.Fits((cut.rows - 1) / (t.row_tiles - 1) + 1, cut.least_n, cut.c.k));
  } else if (cut.Fits(cut.rows, cut.least_n, cut.least_k)) {
    EXPECT_TRUE(t.rows == cut.rows && t.n == cut.least_n && t.k < cut.c.k);
    EXPECT_FALSE(cut.Fits(t.rows, t.n, next_k));
  } else {
    EXPECT_TRUE(t.n == cut.least_n && t.k == cut.least_k);
    EXPECT_TRUE(t.fits || t.rows == 1);
    EXPECT_FALSE(cut.Fits(t.rows + Wide(1), t.n, t.k));
  }
}

// Cycles lie between what programs or transfers take alone and what they take by turns, each of up
// to five a trip rounded up.
void CheckCycles(const WideCut& cut, const ContractionTile& t) {
  const Contraction& c = cut.c;
  const TilingHardware& h = cut.h;
  const uint64_t rate = c.lhs_bits <= 8 ? h.int8_macs_per_cycle : h.bf16_macs_per_cycle;
  const Wide programs = Wide(cut.rows) * c.n * c.k / rate;
  const Wide bytes = Wide(t.loaded_bytes) + Wide(cut.rows) * c.n * c.out_bits / 8;
  const Wide transfers = bytes * h.dma_cycles / h.dma_bytes;
  const Wide most = programs + transfers + Wide(t.trips) * (h.least_program_cycles + 6);
  const Wide saturated = ~uint64_t{0};
  EXPECT_TRUE(Wide(t.cycles) >= (programs < saturated ? programs : saturated));
  EXPECT_TRUE(Wide(t.cycles) >= (transfers < saturated ? transfers : saturated));
  EXPECT_TRUE(Wide(t.cycles) <= most);
}

// The numbers of a tile by its sizes, where every element takes whole bytes.
void CheckNumbers(const WideCut& cut, const ContractionTile& t) {
  const Contraction& c = cut.c;
  EXPECT_EQ(WideBytes(c, cut.h, t.rows, t.n, t.k), t.bytes);
  EXPECT_EQ(cut.Fits(t.rows, t.n, t.k), t.fits);
  EXPECT_TRUE(t.n == c.n || t.n % cut.h.granule == 0);
  EXPECT_TRUE(t.k == c.k || t.k % cut.h.granule == 0);
  EXPECT_EQ(Wide(t.row_tiles) * t.n_tiles * t.k_tiles, Wide(t.trips));
  EXPECT_EQ(t.n_tiles, (c.n - 1) / t.n + 1);
  EXPECT_EQ(t.k_tiles, (c.k - 1) / t.k + 1);
  EXPECT_EQ(t.row_tiles, (cut.rows - 1) / t.rows + 1);
  CheckCycles(cut, t);
  if (c.lhs_bits == 4 || c.weight_bits == 4) return;
  const Wide lhs = Wide(cut.rows) * c.k * (c.lhs_bits / 8);
  const Wide weight = Wide(c.k) * c.n * (c.weight_bits / 8);
  EXPECT_EQ(
      lhs * (t.k < c.k ? t.n_tiles : 1) + weight * t.row_tiles + Wide(cut.h.code_bytes) * t.trips,
      Wide(t.loaded_bytes));
}

TEST(TilingRandomTest, LargeNumbersAreExact) {
  uint64_t cut = 0;
  uint64_t refused = 0;
  for (uint64_t seed = 0; seed < kCases; ++seed) {
    search::Random random(seed ^ 0xb16);
    Contraction c = RandomContraction(&random);
    c.batch = AnyLength(&random, 20);
    c.m = AnyLength(&random, 20);
    c.n = AnyLength(&random, 31);
    c.k = AnyLength(&random, 31);
    TilingHardware h;
    h.usable_bytes = AnyLength(&random, 64);
    h.granule = AnyLength(&random, 12);
    h.code_bytes = AnyLength(&random, 14);
    SCOPED_TRACE(absl::StrCat("seed ", seed, ": ", Text(c, h)));
    const uint64_t budget =
        random.OneIn(2) ? h.usable_bytes : h.usable_bytes - random.Next() % h.usable_bytes / 2;
    const absl::StatusOr<ContractionTile> tile = CutContraction(c, h, budget);
    if (tile.ok()) {
      CheckMost({c, h, budget}, *tile);
      CheckNumbers({c, h, budget}, *tile);
      ++cut;
    } else {
      ++refused;
    }
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(cut, 10000u);
  EXPECT_GT(refused, 100u);
}

}  // namespace
}  // namespace torqsched
