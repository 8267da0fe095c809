// Malformed input is told with the loop and the field.
#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "src/stream/error.h"
#include "src/tiling/contraction_tile.h"
#include "src/tiling/plan_tiles.h"

namespace torqsched {
namespace {

constexpr uint64_t kMost = ~uint64_t{0};

// Loop 3 is a contraction with a shape, the others are loops without anything.
TilingRequest GoodRequest() {
  TilingRequest request;
  request.constant_bytes = 1 << 30;
  request.loops.resize(5);
  request.loops[3].name = "head";
  request.loops[3].contraction = true;
  request.loops[3].shape = Contraction();
  return request;
}

void ExpectError(const absl::Status& status, const std::string& field, const std::string& message) {
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << field;
  EXPECT_EQ(PlaceOf(status).field, field) << status;
  EXPECT_EQ(status.message(), message);
}

void ExpectInvalid(const std::function<void(TilingRequest*)>& spoil, const std::string& field,
                   const std::string& message) {
  TilingRequest request = GoodRequest();
  spoil(&request);
  ExpectError(PlanTiles(request).status(), field, message);
}

void ExpectInvalidShape(const std::function<void(Contraction*)>& spoil, const std::string& field,
                        const std::string& message) {
  ExpectInvalid([&](TilingRequest* r) { spoil(&*r->loops[3].shape); },
                absl::StrCat("loops[3].", field), absl::StrCat("loop 3 'head': ", message));
}

TEST(TilingCheckTest, GoodRequestPasses) {
  const absl::Status status = PlanTiles(GoodRequest()).status();
  EXPECT_TRUE(status.ok()) << status;
}

TEST(TilingCheckTest, Hardware) {
  ExpectInvalid([](TilingRequest* r) { r->hardware.usable_bytes = 0; }, "hardware.usable_bytes",
                "hardware.usable_bytes: 0; expected at least 1");
  ExpectInvalid([](TilingRequest* r) { r->hardware.granule = 0; }, "hardware.granule",
                "hardware.granule: 0; expected at least 1");
  ExpectInvalid([](TilingRequest* r) { r->hardware.dma_bytes = 0; }, "hardware.dma_bytes",
                "hardware.dma_bytes: 0; expected at least 1");
  ExpectInvalid([](TilingRequest* r) { r->hardware.int8_macs_per_cycle = 0; },
                "hardware.int8_macs_per_cycle",
                "hardware.int8_macs_per_cycle: 0; expected at least 1");
  ExpectInvalid([](TilingRequest* r) { r->hardware.bf16_macs_per_cycle = 0; },
                "hardware.bf16_macs_per_cycle",
                "hardware.bf16_macs_per_cycle: 0; expected at least 1");
  TilingRequest free = GoodRequest();
  free.hardware.code_bytes = free.hardware.dma_cycles = free.hardware.least_program_cycles = 0;
  EXPECT_TRUE(PlanTiles(free).ok());
}

TEST(TilingCheckTest, Percents) {
  for (const uint32_t percent : {0u, 101u, ~0u}) {
    const std::string tail = absl::StrCat(": ", percent, "; expected 1 to 100");
    ExpectInvalid([&](TilingRequest* r) { r->loop_percent = percent; }, "loop_percent",
                  "loop_percent" + tail);
    ExpectInvalid([&](TilingRequest* r) { r->contraction_percent = percent; },
                  "contraction_percent", "contraction_percent" + tail);
  }
  // Whatever the strategy.
  ExpectInvalid(
      [](TilingRequest* r) {
        r->strategy = TilingStrategy::kNone;
        r->loop_percent = 0;
      },
      "loop_percent", "loop_percent: 0; expected 1 to 100");
  for (const uint32_t percent : {1u, 100u}) {
    TilingRequest request = GoodRequest();
    request.loop_percent = request.contraction_percent = percent;
    EXPECT_TRUE(PlanTiles(request).ok()) << percent;
  }
}

TEST(TilingCheckTest, OnlyContractionsHaveAShape) {
  ExpectInvalid([](TilingRequest* r) { r->loops[2].whole_row_bytes = 5; },
                "loops[2].whole_row_bytes",
                "loop 2: whole_row_bytes of a loop that is no contraction; expected none, or "
                "contraction set");
  ExpectInvalid(
      [](TilingRequest* r) { r->loops[2].shape = Contraction(); }, "loops[2].shape",
      "loop 2: shape of a loop that is no contraction; expected none, or contraction set");
  ExpectInvalid(
      [](TilingRequest* r) { r->loops[3].contraction = false; }, "loops[3].shape",
      "loop 3 'head': shape of a loop that is no contraction; expected none, or contraction set");
  ExpectInvalid([](TilingRequest* r) { r->loops[3].whole_row_bytes = 0; },
                "loops[3].whole_row_bytes",
                "loop 3 'head': whole_row_bytes 0; expected at least 1");
}

TEST(TilingCheckTest, Dimensions) {
  ExpectInvalidShape([](Contraction* c) { c->batch = 0; }, "shape.batch",
                     "batch 0; expected at least 1");
  ExpectInvalidShape([](Contraction* c) { c->m = 0; }, "shape.m", "m 0; expected at least 1");
  ExpectInvalidShape([](Contraction* c) { c->n = 0; }, "shape.n", "n 0; expected at least 1");
  ExpectInvalidShape([](Contraction* c) { c->k = 0; }, "shape.k", "k 0; expected at least 1");
}

TEST(TilingCheckTest, Widths) {
  for (const uint32_t bits : {0u, 1u, 2u, 12u, 24u, 33u, 64u, ~0u}) {
    const std::string tail = absl::StrCat(" ", bits, "; expected 4, 8, 16 or 32");
    ExpectInvalidShape([&](Contraction* c) { c->lhs_bits = bits; }, "shape.lhs_bits",
                       "lhs_bits" + tail);
    ExpectInvalidShape([&](Contraction* c) { c->weight_bits = bits; }, "shape.weight_bits",
                       "weight_bits" + tail);
    ExpectInvalidShape([&](Contraction* c) { c->out_bits = bits; }, "shape.out_bits",
                       "out_bits" + tail);
  }
}

TEST(TilingCheckTest, OperandsOfMoreThan64Bits) {
  const uint64_t half = uint64_t{1} << 32;
  ExpectInvalidShape([&](Contraction* c) { c->batch = c->m = half; }, "shape",
                     "batch * m, 4294967296 * 4294967296, does not fit 64 bits");
  ExpectInvalidShape([&](Contraction* c) { c->m = c->k = half; }, "shape",
                     "bytes of lhs, 4294967296 * 4294967296 * 8 bits, do not fit 64 bits");
  ExpectInvalidShape([&](Contraction* c) { c->n = c->k = half; }, "shape",
                     "bytes of weight, 4294967296 * 4294967296 * 8 bits, do not fit 64 bits");
  ExpectInvalidShape(
      [&](Contraction* c) {
        c->m = half;
        c->n = half / 2;
        c->out_bits = 16;
      },
      "shape", "bytes of out, 4294967296 * 2147483648 * 16 bits, do not fit 64 bits");
  ExpectInvalidShape(
      [&](Contraction* c) {
        c->m = c->n = c->k = kMost;
        c->lhs_bits = c->weight_bits = c->out_bits = 32;
      },
      "shape",
      "bytes of lhs, 18446744073709551615 * 18446744073709551615 * 32 bits, do not fit 64 bits");
  // 2^123 elements of 2^5 bits: 2^128, which would wrap to none at all.
  ExpectInvalidShape(
      [&](Contraction* c) {
        c->m = uint64_t{1} << 61;
        c->k = uint64_t{1} << 62;
        c->lhs_bits = 32;
      },
      "shape",
      "bytes of lhs, 2305843009213693952 * 4611686018427387904 * 32 bits, do not fit 64 bits");
}

TEST(TilingCheckTest, SumsOfMoreThan64Bits) {
  // lhs, weight and out take 3 bytes, code all but 2 of what 64 bits hold.
  ExpectInvalid([](TilingRequest* r) { r->hardware.code_bytes = kMost - 2; }, "loops[3].shape",
                "loop 3 'head': bytes of the smallest tile of whole rows do not fit 64 bits");
  ExpectInvalid(
      [](TilingRequest* r) {
        r->hardware.code_bytes = kMost - 2;
        r->strategy = TilingStrategy::kNone;
      },
      "loops[3].shape", "loop 3 'head': bytes of its smallest tile do not fit 64 bits");
  TilingRequest fits = GoodRequest();
  fits.hardware.code_bytes = kMost - 3;
  const absl::StatusOr<TilePlan> plan = PlanTiles(fits);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->loops[3].whole_row_bytes, kMost);
  EXPECT_EQ(plan->loops[3].tile->bytes, kMost);
  EXPECT_FALSE(plan->loops[3].tile->fits);
  EXPECT_EQ(plan->loops[3].tile->loaded_bytes, kMost - 1);
}

TEST(TilingCheckTest, LoadsOfMoreThan64Bits) {
  // 2^30 tiles of n, of a byte each: code alone is 2^64.
  Contraction many;
  many.n = uint64_t{1} << 30;
  const TilingHardware hardware = {(uint64_t{1} << 34) + 3, 1, uint64_t{1} << 34};
  ExpectError(CutContraction(many, hardware, hardware.usable_bytes).status(), "shape",
              "trips, or bytes that all loads move, do not fit 64 bits");
  // A tile less: lhs 1, weight 2^30 - 1.
  many.n -= 1;
  const absl::StatusOr<ContractionTile> tile =
      CutContraction(many, hardware, hardware.usable_bytes);
  ASSERT_TRUE(tile.ok()) << tile.status();
  EXPECT_EQ(tile->trips, (uint64_t{1} << 30) - 1);
  EXPECT_EQ(tile->loaded_bytes, kMost - (uint64_t{1} << 34) + 1 + (uint64_t{1} << 30));
}

TEST(TilingCheckTest, TheFirstBadLoopIsNamed) {
  ExpectInvalid(
      [](TilingRequest* r) {
        r->loops[1].contraction = r->loops[4].contraction = true;
        r->loops[1].shape = r->loops[4].shape = Contraction{0, 0, 0, 0};
      },
      "loops[1].shape.batch", "loop 1: batch 0; expected at least 1");
}

TEST(TilingCheckTest, Probes) {
  const TilingHardware good;
  const Contraction shape;
  const Contraction bad = {1, 1, 1, 0};
  ExpectError(WholeRowBytes(bad, good).status(), "shape.k", "k 0; expected at least 1");
  ExpectError(CutContraction(bad, good, 1).status(), "shape.k", "k 0; expected at least 1");
  ExpectError(NextDoubleBuffering(bad, good, ContractionTile()).status(), "shape.k",
              "k 0; expected at least 1");
  ExpectError(WholeRowBytes(shape, {1, 0, 0}).status(), "hardware.granule",
              "hardware.granule: 0; expected at least 1");
  ExpectError(CutContraction(shape, good, 523009).status(), "budget",
              "budget: 523009; expected at most 523008");
  ContractionTile tile;
  tile.rows = 2;
  ExpectError(NextDoubleBuffering(shape, good, tile).status(), "tile.rows",
              "tile.rows: 2; expected 1 to 1");
  tile = ContractionTile();
  tile.n = 0;
  ExpectError(NextDoubleBuffering(shape, good, tile).status(), "tile.n",
              "tile.n: 0; expected 1 to 1");
  tile = ContractionTile();
  tile.k = 7;
  ExpectError(NextDoubleBuffering(shape, good, tile).status(), "tile.k",
              "tile.k: 7; expected 1 to 1");
}

}  // namespace
}  // namespace torqsched
