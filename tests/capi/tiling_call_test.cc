// torqsched_plan_tiles: budgets and cuts by hand (docs/tiling.md), random loops, and that each
// answers for itself.
#include <cstdint>
#include <string>

#include "gtest/gtest.h"
#include "tests/capi/calls.h"
#include "tests/capi/lower_requests.h"

namespace torqsched {
namespace testing {
namespace {

v1::PlanTilesResponse PlanWell(const v1::PlanTilesRequest& request,
                               const torqsched_session* session = nullptr) {
  const Answer answer = Ask(kPlanTiles, request, session);
  EXPECT_EQ(answer.code, TORQSCHED_OK) << Parse<v1::Error>(answer.bytes).ShortDebugString();
  if (answer.code != TORQSCHED_OK) return v1::PlanTilesResponse();
  const auto response = Parse<v1::PlanTilesResponse>(answer.bytes);
  EXPECT_EQ(WrongAtAGlance(request, response), "") << request.DebugString();
  return response;
}

// 128 x 768 by 768 x 3072 of bf16 in a function whose constants are more than LRAM: the product of
// the worked example. Rows take 196,608 bytes, 16 columns of weights 24,576, their outputs 4,096.
v1::PlanTilesRequest Product() {
  return FromText<v1::PlanTilesRequest>(R"pb(
    constant_bytes: 4718592
    loops {
      name: "head"
      contraction: true
      shape { m: 128 n: 3072 k: 768 lhs_bits: 16 weight_bits: 16 out_bits: 16 }
    })pb");
}

TEST(PlanTiles, RowsStayWholeWhereTheirShareWouldSplitThem) {
  const v1::PlanTilesResponse response = PlanWell(Product());
  ASSERT_EQ(response.loops_size(), 1);
  const v1::LoopBudget& loop = response.loops(0);
  EXPECT_EQ(loop.reason(), v1::BUDGET_REASON_ROWS_STAY_WHOLE);
  EXPECT_EQ(loop.bytes(), 523008u);
  EXPECT_EQ(loop.whole_row_bytes(), 196608u + 24576 + 4096 + 5120);
  // (523,008 - 5,120 - 196,608) / (1,536 + 256) is 179 columns, 11 granules.
  EXPECT_EQ(loop.tile().rows(), 128u);
  EXPECT_EQ(loop.tile().n(), 176u);
  EXPECT_EQ(loop.tile().trips(), 18u);
  EXPECT_EQ(loop.tile().loaded_bytes(), 196608u + 3072 * 768 * 2 + 18 * 5120);
  // 40 % are 209,203 bytes: two runs of 64 rows, with 98,304 bytes of them and 1,664 a column.
  ASSERT_TRUE(loop.has_split_tile());
  EXPECT_EQ(loop.split_tile().rows(), 64u);
  EXPECT_EQ(loop.split_tile().n(), 48u);
  EXPECT_EQ(loop.split_tile().trips(), 2u * 64);
  // Twice the columns' weights: (517,888 - 196,608) / (2 * 1,536 + 256) is 96 columns.
  ASSERT_TRUE(loop.has_double_buffering_tile());
  EXPECT_EQ(loop.double_buffering_tile().n(), 96u);
  // By turns, against loads of weights while programs run; tests/tiling/loop_cycles_test.cc has
  // both by hand.
  EXPECT_EQ(loop.tile().cycles(), 3577954u);
  EXPECT_EQ(loop.double_buffering_tile().cycles(), 2631570u);
  EXPECT_FALSE(response.convolution_warning());
}

TEST(PlanTiles, EachReasonByWhatTheRequestSays) {
  const auto reason = [](const v1::PlanTilesRequest& request) {
    return PlanWell(request).loops(0).reason();
  };
  v1::PlanTilesRequest request = Product();
  request.mutable_options()->set_strategy(v1::STRATEGY_NONE);
  EXPECT_EQ(reason(request), v1::BUDGET_REASON_NO_SCHEDULER);
  request = Product();
  request.set_constant_bytes(523008);  // just so many
  EXPECT_EQ(reason(request), v1::BUDGET_REASON_CONSTANTS_FIT);
  request.set_constant_bytes(523009);
  EXPECT_EQ(reason(request), v1::BUDGET_REASON_ROWS_STAY_WHOLE);
  request.mutable_options()->set_contraction_percent(45);  // 235,353 of 230,400 bytes
  EXPECT_EQ(reason(request), v1::BUDGET_REASON_CONTRACTION_PERCENT);
  request.mutable_options()->set_contraction_percent(44);
  EXPECT_EQ(reason(request), v1::BUDGET_REASON_ROWS_STAY_WHOLE);
  request.mutable_loops(0)->set_folded_convert(true);
  EXPECT_EQ(reason(request), v1::BUDGET_REASON_LOOP_PERCENT);
}

TEST(PlanTiles, ConvolutionsWithLessThanAllOfLramAreWarnedOf) {
  auto request = FromText<v1::PlanTilesRequest>("loops { convolution: true }");
  EXPECT_FALSE(PlanWell(request).convolution_warning());
  request.set_constant_bytes(523009);
  EXPECT_TRUE(PlanWell(request).convolution_warning());
  request.mutable_options()->set_loop_percent(100);
  EXPECT_FALSE(PlanWell(request).convolution_warning());
}

// The chip's numbers arrive: 10 rows of 10 sums and 10 columns, int8, in one program. 100 bytes
// each of lhs, weight and out, 50 of code, at 3 cycles for 2 bytes; 1,000 macs at 4 a cycle.
TEST(PlanTiles, CyclesAreByTheRequestsChip) {
  auto request = FromText<v1::PlanTilesRequest>(R"pb(
    hardware {
      dma_bytes: 2
      dma_cycles: 3
      int8_macs_per_cycle: 4
      bf16_macs_per_cycle: 8
      least_program_cycles: 0
      code_buffer_bytes: 50
    }
    loops {
      contraction: true
      shape { m: 10 n: 10 k: 10 }
    })pb");
  EXPECT_EQ(PlanWell(request).loops(0).tile().cycles(), 3u * 150 + 75 + 250);
  request.mutable_hardware()->set_least_program_cycles(251);
  EXPECT_EQ(PlanWell(request).loops(0).tile().cycles(), 3u * 150 + 75 + 251);
  // Twice the bytes of lhs, at 8 macs a cycle.
  request.mutable_loops(0)->mutable_shape()->set_lhs_bits(16);
  request.mutable_hardware()->set_least_program_cycles(0);
  EXPECT_EQ(PlanWell(request).loops(0).tile().cycles(), 4u * 150 + 75 + 125);
}

TEST(PlanTiles, NoBytesAreNoLoops) {
  const Answer answer = Ask(kPlanTiles, std::string());
  EXPECT_EQ(answer.code, TORQSCHED_OK);
  EXPECT_EQ(answer.bytes, "");
}

TEST(PlanTiles, RandomLoopsHoldAtAGlance) {
  int reasons[6] = {}, misfits = 0, split_sums = 0, doubles = 0, doubles_by_sums = 0;
  for (uint64_t seed = 0; seed < 2000 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const v1::PlanTilesResponse response = PlanWell(RandomTiles(seed, 4));
    for (const v1::LoopBudget& loop : response.loops()) {
      ++reasons[loop.reason()];
      misfits += loop.has_tile() && !loop.tile().fits();
      split_sums += loop.tile().k_tiles() > 1;
      doubles += loop.has_double_buffering_tile();
      doubles_by_sums +=
          loop.double_buffering_tile().k() < loop.tile().k() && loop.has_double_buffering_tile();
    }
  }
  for (int reason = 1; reason < 6; ++reason) EXPECT_GT(reasons[reason], 100) << reason;
  EXPECT_GT(misfits, 50);
  EXPECT_GT(split_sums, 50);
  EXPECT_GT(doubles, 50);
  EXPECT_GT(doubles_by_sums, 20);
}

// A loop's budget does not depend on the others'.
TEST(PlanTiles, LoopsAloneAndTogetherHaveTheSameBudgets) {
  for (uint64_t seed = 0; seed < 50 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const v1::PlanTilesRequest request = RandomTiles(seed, 6);
    const v1::PlanTilesResponse together = PlanWell(request);
    for (int i = 0; i < 6; ++i) {
      v1::PlanTilesRequest alone = request;
      alone.clear_loops();
      *alone.add_loops() = request.loops(i);
      EXPECT_EQ(PlanWell(alone).loops(0).SerializeAsString(),
                together.loops(i).SerializeAsString());
    }
  }
}

// Neither a session's threads and arenas nor what was asked before shows in an answer.
TEST(PlanTiles, SameBytesInASession) {
  torqsched_session_options options = TORQSCHED_SESSION_OPTIONS_INIT;
  options.worker_threads = 8;
  options.reuse_arenas = 1;
  options.memory_limit_bytes = 1 << 20;
  options.progress = [](void*, const torqsched_progress*) -> int {
    ADD_FAILURE() << "a call that reports no progress";
    return 1;
  };
  torqsched_session* session = nullptr;
  ASSERT_EQ(torqsched_session_new(&options, &session, nullptr), TORQSCHED_OK);
  for (int repeat = 0; repeat < 2; ++repeat) {
    for (uint64_t seed = 0; seed < 50; ++seed) {
      const v1::PlanTilesRequest request = RandomTiles(seed, 1 + seed % 20);
      EXPECT_EQ(Ask(kPlanTiles, request, session).bytes, Ask(kPlanTiles, request).bytes) << seed;
    }
  }
  torqsched_session_free(session);
}

}  // namespace
}  // namespace testing
}  // namespace torqsched
