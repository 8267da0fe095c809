// What the search predicts of an order against what others say of it, on random streams: the
// SEQUENTIAL oracle about the same order, the independent checker about placements, and the search
// itself when it plays an order from its first action instead of from a checkpoint.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "gtest/gtest.h"
#include "src/graph/action_graph.h"
#include "src/graph/problem.h"
#include "src/lram/sequential.h"
#include "src/schedule/input_schedule.h"
#include "src/search/action_order.h"
#include "src/search/local_search.h"
#include "src/search/placed_order.h"
#include "tests/lram/violations.h"
#include "tests/reference/random_streams.h"

namespace torqsched::search {
namespace {

using reference::MakeRandomStream;
using reference::RandomStream;
using reference::Shape;
using reference::SplitMix64;

class DecoderRandom : public testing::TestWithParam<Placing> {
 protected:
  // Finds some order by a short search from the input order.
  void Prepare(uint64_t seed) {
    Shape shape;
    shape.most_ops = 16 + static_cast<uint32_t>(seed % 5) * 20;
    shape.most_buffers = 5 + static_cast<uint32_t>(seed % 4) * 5;
    shape.regions = seed % 7 == 0;
    random_ = MakeRandomStream(seed, shape);
    SplitMix64 numbers(seed);
    auto problem = ScheduleProblem::Make(random_.stream, random_.hardware);
    ASSERT_TRUE(problem.ok()) << "seed " << seed;
    problem_ = *std::move(problem);
    graph_ = std::make_unique<ActionGraph>(*problem_);
    model_ = Model::Make(*problem_, *graph_);
    ASSERT_NE(model_, nullptr);
    solution_ = Solution();
    solution_.order = ActionOrder(*problem_, *graph_, InputSchedule(random_.stream).order);
    ASSERT_EQ(solution_.order.size(), model_->size());
    Evaluate(*model_, GetParam(), &solution_);
    LocalSearch search(*model_, GetParam(), seed % 2 == 0 ? Reach::kNear : Reach::kFar, solution_,
                       seed);
    search.Improve(numbers.Below(600), static_cast<int64_t>(numbers.Below(50)));
    solution_ = search.best();
  }

  Schedule ScheduleOf(const PlacedOrder& placed) const {
    Schedule schedule;
    schedule.order = placed.order;
    schedule.slice = placed.slices;
    return schedule;
  }

  // The search lets these have their place from the start on, the oracle from the wait on.
  bool WaitsUseBuffers() const {
    for (uint32_t i = 0; i < random_.stream.op_count(); ++i) {
      const bool wait = random_.stream.op(OpIndex(i)).kind == OpKind::kWait;
      if (wait && !problem_->lifetimes.uses(OpIndex(i)).empty()) return true;
    }
    return false;
  }

  RandomStream random_;
  std::unique_ptr<const ScheduleProblem> problem_;
  std::unique_ptr<const ActionGraph> graph_;
  std::unique_ptr<const Model> model_;
  Solution solution_;
};

TEST_P(DecoderRandom, WhatIsPlayedFromCheckpointsIsWhatIsPlayedFromTheBeginning) {
  for (uint64_t seed = 1; seed <= 2000; ++seed) {
    SCOPED_TRACE(seed);
    ASSERT_NO_FATAL_FAILURE(Prepare(seed));
    Solution again = solution_;
    Evaluate(*model_, GetParam(), &again);
    EXPECT_EQ(again.makespan, solution_.makespan);
    EXPECT_EQ(again.violations, solution_.violations);
  }
}

TEST_P(DecoderRandom, WhatIsPlacedHoldsByTheIndependentChecker) {
  uint64_t placed_count = 0;
  for (uint64_t seed = 1; seed <= 2000; ++seed) {
    SCOPED_TRACE(seed);
    ASSERT_NO_FATAL_FAILURE(Prepare(seed));
    const PlacedOrder placed = PlaceSolution(*model_, GetParam(), solution_);
    EXPECT_EQ(placed.placement.placed, solution_.violations == 0);
    if (GetParam() == Placing::kSequential) continue;  // its swaps are the oracle's to tell
    if (placed.placement.placed) ++placed_count;
    ASSERT_EQ(Violations(random_.stream, random_.hardware, ScheduleOf(placed), placed.placement),
              "");
  }
  if (GetParam() != Placing::kSequential) {
    EXPECT_GT(placed_count, 500u);
  }
}

TEST_P(DecoderRandom, SequentialSaysTheSameAboutTheOrder) {
  if (GetParam() == Placing::kWanted) return;  // places as no oracle does
  const bool swaps = GetParam() == Placing::kSequential;
  uint64_t placed_count = 0;
  uint64_t swapped_count = 0;
  for (uint64_t seed = 1; seed <= 2000; ++seed) {
    SCOPED_TRACE(seed);
    ASSERT_NO_FATAL_FAILURE(Prepare(seed));
    if (solution_.violations != 0 || WaitsUseBuffers()) continue;
    const PlacedOrder found = PlaceSolution(*model_, GetParam(), solution_);
    const absl::StatusOr<Placement> said =
        PlaceSequentially(*problem_, found.order, found.slices, swaps);
    ASSERT_TRUE(said.ok()) << said.status();
    ASSERT_TRUE(said->placed);
    EXPECT_EQ(said->makespan, static_cast<uint64_t>(solution_.makespan));
    ++placed_count;
    swapped_count += said->swaps != 0;
  }
  EXPECT_GT(placed_count, 500u);
  if (swaps) {
    EXPECT_GT(swapped_count, 100u);
  }
}

INSTANTIATE_TEST_SUITE_P(All, DecoderRandom,
                         testing::Values(Placing::kWanted, Placing::kTwoEnded,
                                         Placing::kSequential),
                         [](const testing::TestParamInfo<Placing>& info) {
                           return info.param == Placing::kWanted     ? "Wanted"
                                  : info.param == Placing::kTwoEnded ? "TwoEnded"
                                                                     : "Sequential";
                         });

}  // namespace
}  // namespace torqsched::search
