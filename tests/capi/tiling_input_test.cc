// What torqsched_plan_tiles is asked that is wrong, each with its code, its field and its message;
// and what looks odd and is answered.
#include <cstdint>
#include <string>

#include "gtest/gtest.h"
#include "tests/capi/bad_requests.h"
#include "tests/capi/calls.h"
#include "tests/capi/lower_requests.h"

namespace torqsched {
namespace testing {
namespace {

// ---- Wrong ----

// Loop 0 is right; the loop at fault is the second, so that positions tell them apart.
#define LOOP(loop) "loops {} loops { name: 'head' " loop " }"
#define SHAPE(shape) LOOP("contraction: true shape { " shape " }")
#define MAX "18446744073709551615"

const Bad kBad[] = {
    // Loops.
    {"NoRows", SHAPE("n: 1 k: 1"), "loops[1].shape.m", "loop 1 'head': m 0; expected at least 1"},
    {"NoColumns", SHAPE("m: 1 k: 1"), "loops[1].shape.n",
     "loop 1 'head': n 0; expected at least 1"},
    {"NoSums", SHAPE("m: 1 n: 1"), "loops[1].shape.k", "loop 1 'head': k 0; expected at least 1"},
    {"NoBatch", SHAPE("batch: 0 m: 1 n: 1 k: 1"), "loops[1].shape.batch",
     "loop 1 'head': batch 0; expected at least 1"},
    {"EmptyShape", "loops { contraction: true shape {} }", "loops[0].shape.m",
     "loop 0: m 0; expected at least 1"},
    {"ElementsOfNoBits", SHAPE("m: 1 n: 1 k: 1 lhs_bits: 0"), "loops[1].shape.lhs_bits",
     "loop 1 'head': lhs_bits 0; expected 4, 8, 16 or 32"},
    {"WeightsOfAnUnknownWidth", SHAPE("m: 1 n: 1 k: 1 weight_bits: 64"),
     "loops[1].shape.weight_bits", "loop 1 'head': weight_bits 64; expected 4, 8, 16 or 32"},
    {"OutputsOfTheWidestWidth", SHAPE("m: 1 n: 1 k: 1 out_bits: 4294967295"),
     "loops[1].shape.out_bits", "loop 1 'head': out_bits 4294967295; expected 4, 8, 16 or 32"},
    {"ShapeOfNoContraction", LOOP("shape { m: 1 n: 1 k: 1 }"), "loops[1].shape",
     "loop 1 'head': shape of a loop that is no contraction; expected none, or contraction set"},
    {"RowBytesOfNoContraction", LOOP("convolution: true whole_row_bytes: 5"),
     "loops[1].whole_row_bytes",
     "loop 1 'head': whole_row_bytes of a loop that is no contraction; expected none, or "
     "contraction set"},
    {"RowsOfNoBytes", LOOP("contraction: true whole_row_bytes: 0"), "loops[1].whole_row_bytes",
     "loop 1 'head': whole_row_bytes 0; expected at least 1"},
    // Sums and products beyond 64 bits.
    {"BatchTimesRows", SHAPE("batch: 2 m: " MAX " n: 1 k: 1"), "loops[1].shape",
     "loop 1 'head': batch * m, 2 * " MAX ", does not fit 64 bits"},
    {"BytesOfLhs", SHAPE("m: 4294967296 n: 1 k: 4294967296"), "loops[1].shape",
     "loop 1 'head': bytes of lhs, 4294967296 * 4294967296 * 8 bits, do not fit 64 bits"},
    {"BytesOfWeight", SHAPE("m: 1 n: " MAX " k: 1 weight_bits: 16"), "loops[1].shape",
     "loop 1 'head': bytes of weight, 1 * " MAX " * 16 bits, do not fit 64 bits"},
    {"BytesOfOut", SHAPE("m: 4294967296 n: 1073741824 k: 1 out_bits: 32"), "loops[1].shape",
     "loop 1 'head': bytes of out, 4294967296 * 1073741824 * 32 bits, do not fit 64 bits"},
    {"BytesThatAreLoaded", SHAPE("m: 1 n: " MAX " k: 1"), "loops[1].shape",
     "loop 1 'head': trips, or bytes that all loads move, do not fit 64 bits"},
    {"BytesOfWholeRows", "constant_bytes: " MAX " " SHAPE("m: " MAX " n: 1 k: 1"), "loops[1].shape",
     "loop 1 'head': bytes of the smallest tile of whole rows do not fit 64 bits"},
    // Options.
    {"UnknownStrategy", "options { strategy: 9 }", "options.strategy",
     "options.strategy: 9 is not known; expected none, stream schedule or optimize"},
    {"NegativeStrategy", "options { strategy: -1 }", "options.strategy",
     "options.strategy: -1 is not known; expected none, stream schedule or optimize"},
    {"LoopsGetNothing", "options { loop_percent: 0 }", "options.loop_percent",
     "options.loop_percent: 0; expected 1 to 100"},
    {"LoopsGetMoreThanAll", "options { loop_percent: 101 }", "options.loop_percent",
     "options.loop_percent: 101; expected 1 to 100"},
    {"ContractionsGetNothing", "options { contraction_percent: 0 }", "options.contraction_percent",
     "options.contraction_percent: 0; expected 1 to 100"},
    {"ContractionsGetTheLargestNumber", "options { contraction_percent: 4294967295 }",
     "options.contraction_percent", "options.contraction_percent: 4294967295; expected 1 to 100"},
    // Hardware.
    {"NoGranule", "hardware { granule: 0 }", "hardware.granule",
     "hardware.granule: 0; expected 1 to 1099511627776"},
    {"GranuleOfTheLargestNumber", "hardware { granule: " MAX " }", "hardware.granule",
     "hardware.granule: " MAX "; expected 1 to 1099511627776"},
    {"CodeOfTheLargestNumber", "hardware { code_buffer_bytes: " MAX " }",
     "hardware.code_buffer_bytes",
     "hardware.code_buffer_bytes: " MAX "; expected 0 to 1099511627776"},
    {"AllOfLramReserved", "hardware { lram_bytes: 1280 lram_reserved_bytes: 1280 }",
     "hardware.lram_reserved_bytes",
     "hardware.lram_reserved_bytes: 1280, all of LRAM; expected fewer than its 1280 bytes"},
    {"MoreReservedThanThereIs", "hardware { lram_bytes: 10 }", "hardware.lram_reserved_bytes",
     "hardware.lram_reserved_bytes: 1280 reserved of 10 bytes of LRAM; expected no more than there "
     "are"},
};

class BadTilingRequest : public ::testing::TestWithParam<Bad> {};

TEST_P(BadTilingRequest, IsRefusedWithItsPlace) {
  ExpectRefused<v1::PlanTilesRequest>(kPlanTiles, GetParam());
}

INSTANTIATE_TEST_SUITE_P(Scenes, BadTilingRequest, ::testing::ValuesIn(kBad),
                         [](const auto& info) { return std::string(info.param.scene); });

TEST(BadTiling, AnUnknownProfileIsNotFound) {
  const Answer answer =
      Ask(kPlanTiles, FromText<v1::PlanTilesRequest>("hardware { profile: 'none such' }"));
  EXPECT_EQ(answer.code, TORQSCHED_NOT_FOUND);
  const auto error = Parse<v1::Error>(answer.bytes);
  EXPECT_EQ(error.field(), "hardware.profile");
  EXPECT_EQ(error.message(), "hardware.profile: no profile 'none such'; known: sl2610");
}

TEST(BadTiling, BytesThatAreNoRequestAreRefused) {
  std::string bytes = FromText<v1::PlanTilesRequest>("loops { name: 'nameX' }").SerializeAsString();
  ASSERT_EQ(Ask(kPlanTiles, bytes).code, TORQSCHED_OK);
  ExpectNoMessage(kPlanTiles, "torqsched.v1.PlanTilesRequest", bytes.substr(0, bytes.size() - 1));
  bytes[bytes.find('X')] = '\xff';
  ExpectNoMessage(kPlanTiles, "torqsched.v1.PlanTilesRequest", bytes);
}

// ---- Odd, and answered ----

v1::PlanTilesResponse Plan(const std::string& text) {
  const auto request = FromText<v1::PlanTilesRequest>(text);
  const Answer answer = Ask(kPlanTiles, request);
  EXPECT_EQ(answer.code, TORQSCHED_OK) << Parse<v1::Error>(answer.bytes).ShortDebugString();
  const auto response = Parse<v1::PlanTilesResponse>(answer.bytes);
  if (answer.code == TORQSCHED_OK) {
    EXPECT_EQ(WrongAtAGlance(request, response), "");
  }
  return response;
}

TEST(OddTiling, LoopsMayShareANameOrHaveNone) {
  EXPECT_EQ(Plan("loops { name: 'a' } loops { name: 'a' } loops {} loops {}").loops_size(), 4);
}

TEST(OddTiling, LargestNumbersAreAnswered) {
  const v1::PlanTilesResponse response =
      Plan("hardware { lram_bytes: " MAX
           " lram_reserved_bytes: 0 granule: 1099511627776 "
           "code_buffer_bytes: 1099511627776 int8_macs_per_cycle: 1099511627776 } "
           "constant_bytes: " MAX " loops { contraction: true whole_row_bytes: " MAX
           " } "
           "loops { contraction: true shape { batch: 4294967295 m: 4294967296 n: 1 k: 1 "
           "lhs_bits: 4 out_bits: 4 } } options { loop_percent: 100 contraction_percent: 99 }");
  EXPECT_EQ(response.loops(0).reason(), v1::BUDGET_REASON_CONSTANTS_FIT);  // just
  EXPECT_TRUE(response.loops(1).tile().fits());
}

// A byte of LRAM holds no tile: the smallest there is is said not to fit.
TEST(OddTiling, ATileThatFitsNowhereSaysSo) {
  const v1::PlanTilesResponse response =
      Plan("hardware { lram_bytes: 1281 } loops { contraction: true shape { m: 7 n: 7 k: 7 } }");
  EXPECT_EQ(response.loops(0).bytes(), 1u);
  EXPECT_FALSE(response.loops(0).tile().fits());
  EXPECT_EQ(response.loops(0).tile().rows(), 1u);
}

// ---- A session's limit ----

TEST(TilingMemoryLimit, IsHeldAgainstTheEstimateInTheHeader) {
  for (const uint32_t loops : {0u, 1u, 100u}) {
    ExpectLimitAt(kPlanTiles, RandomTiles(3, loops), 1024 * (loops + 2));
  }
}

}  // namespace
}  // namespace testing
}  // namespace torqsched
