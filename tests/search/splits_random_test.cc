// Swaps as parts of the model, on random streams that do not fit: a placement with swaps becomes a
// model with splits, which is searched, and becomes a placement again.
#include <cstdint>
#include <memory>
#include <vector>

#include "gtest/gtest.h"
#include "src/graph/action_graph.h"
#include "src/graph/problem.h"
#include "src/lram/offline.h"
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

TEST(SplitsRandom, AnOrderWithTheOraclesSwapsStaysPlacedWhileItIsSearched) {
  uint64_t swapped = 0;
  uint64_t shorter = 0;
  for (uint64_t seed = 1; seed <= 6000; ++seed) {
    SCOPED_TRACE(seed);
    Shape shape;
    shape.most_ops = 30 + static_cast<uint32_t>(seed % 3) * 40;
    shape.most_buffers = 6 + static_cast<uint32_t>(seed % 4) * 6;
    const RandomStream random = MakeRandomStream(seed, shape);
    const auto problem = ScheduleProblem::Make(random.stream, random.hardware);
    ASSERT_TRUE(problem.ok());
    const Schedule input = InputSchedule(random.stream);
    const OfflinePlacement both = PlaceOffline(**problem, input.order, input.slice, true);
    const ActionGraph graph(**problem);
    for (const Placement* placement : {&both.placement, &both.sequential}) {
      if (!placement->placed || placement->swaps == 0) continue;
      ++swapped;
      const SplitOrder split = OrderWithSplits(**problem, graph, input.order, *placement);
      const auto model = Model::Make(**problem, graph, split.splits);
      ASSERT_NE(model, nullptr);
      ASSERT_EQ(split.order.size(), model->size());
      Solution solution;
      solution.order = split.order;
      Evaluate(*model, Placing::kWanted, &solution);
      LocalSearch search(*model, Placing::kWanted, Reach::kFar, solution, seed);
      search.Improve(1000, 10);
      EXPECT_FALSE(solution.BetterThan(search.best()));
      const PlacedOrder placed = PlaceSolution(*model, Placing::kWanted, search.best());
      Schedule schedule;
      schedule.order = placed.order;
      schedule.slice = placed.slices;
      ASSERT_EQ(Violations(random.stream, random.hardware, schedule, placed.placement), "");
      shorter += placed.placement.placed && placed.placement.makespan < placement->makespan;
    }
  }
  EXPECT_GT(swapped, 1000u);
  EXPECT_GT(shorter, swapped / 4);
}

}  // namespace
}  // namespace torqsched::search
