// Bounds against what orders take: the shortest of all orders on tiny streams, and placed orders on
// larger ones.
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "src/bounds/bounds.h"
#include "src/graph/action_graph.h"
#include "src/graph/problem.h"
#include "src/lram/offline.h"
#include "tests/bounds/brute_force.h"
#include "tests/bounds/random_orders.h"
#include "tests/bounds/tight_streams.h"
#include "tests/reference/random_streams.h"
#include "tests/reference/reference.h"

namespace torqsched {
namespace {

using reference::MakeRandomStream;
using reference::RandomStream;
using reference::Shape;
using reference::SplitMix64;

constexpr uint64_t kTinyStreams = 4000;
constexpr uint64_t kMostSteps = 20'000;
constexpr uint64_t kTightStreams = 600;
constexpr uint64_t kPlacedStreams = 1500;
constexpr uint64_t kOrdersEach = 6;

constexpr bounds::BoundLimits kLimits[] = {{bounds::BoundLimits().work}, {24000}, {600}, {0}};

// What the streams, and how often each bound is the optimum, come to.
struct Totals {
  uint64_t compared = 0;
  uint64_t tight = 0;
  uint64_t kind_tight[kBoundKinds] = {};
  uint64_t kind_best[kBoundKinds] = {};
  double ratios = 0;
};

void Print(const char* what, const Totals& totals) {
  std::cout << what << ": " << totals.compared << " compared, the best bound is the optimum of "
            << totals.tight << ", mean " << totals.ratios / static_cast<double>(totals.compared)
            << "; by kind, best and tight:";
  for (int k = 0; k < kBoundKinds; ++k) {
    std::cout << " " << totals.kind_best[k] << "/" << totals.kind_tight[k];
  }
  std::cout << "\n";
}

// Every bound, at every limit of work, is at most `makespan`.
void ExpectBelow(const ScheduleProblem& problem, const ActionGraph& graph, bool swaps_allowed,
                 uint64_t makespan, Totals* totals) {
  for (const bounds::BoundLimits& limits : kLimits) {
    const bounds::Bounds found = bounds::ComputeBounds(problem, graph, swaps_allowed, limits);
    EXPECT_LE(found.work, limits.work);
    for (const Bound& bound : found.all) {
      EXPECT_LE(bound.cycles, makespan) << "kind " << static_cast<int>(bound.kind) << ", work "
                                        << limits.work << ", swaps " << swaps_allowed;
    }
    if (limits.work != kLimits[0].work) continue;
    ++totals->compared;
    totals->tight += found.best.cycles == makespan;
    totals->ratios +=
        makespan == 0 ? 1 : static_cast<double>(found.best.cycles) / static_cast<double>(makespan);
    for (const Bound& bound : found.all) {
      totals->kind_tight[static_cast<int>(bound.kind)] += bound.cycles == makespan;
    }
    ++totals->kind_best[static_cast<int>(found.best.kind)];
  }
}

// LRAM of so many percent of what the stream was made with, as far as it is valid.
Hardware Shrunk(const Hardware& hardware, uint64_t percent) {
  Hardware shrunk = hardware;
  shrunk.region_bytes.clear();
  shrunk.lram_bytes =
      hardware.lram_reserved_bytes + std::max<uint64_t>(hardware.usable_bytes() * percent / 100, 1);
  return shrunk;
}

TEST(BoundsRandom, NoBoundOfATinyStreamIsAboveTheShortestOrder) {
  Totals without;
  Totals with;
  Totals unfinished;
  for (uint64_t seed = 1; seed <= kTinyStreams; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Shape shape;
    shape.most_ops = 4 + static_cast<uint32_t>(seed % 9);
    shape.most_buffers = 5;
    const RandomStream random = MakeRandomStream(seed, shape);
    SplitMix64 numbers(seed);
    const Hardware hardware =
        seed % 3 == 0 ? Shrunk(random.hardware, numbers.Between(50, 200)) : random.hardware;
    const auto problem = ScheduleProblem::Make(random.stream, hardware);
    if (!problem.ok()) continue;
    const ActionGraph graph(**problem);
    for (const bool swaps : {false, true}) {
      const Shortest shortest = ShortestOrder(random.stream, hardware, swaps, kMostSteps);
      if (!shortest.makespan.has_value()) continue;
      // Even where not all orders were tried, the shortest of them is an order.
      ExpectBelow(**problem, graph, swaps, *shortest.makespan,
                  !shortest.finished ? &unfinished
                  : swaps            ? &with
                                     : &without);
    }
    ASSERT_FALSE(testing::Test::HasFailure()) << DumpStream(seed, random);
  }
  Print("without swaps", without);
  Print("with swaps", with);
  EXPECT_GT(without.compared, kTinyStreams / 2);
}

TEST(BoundsRandom, NoBoundOfATightStreamIsAboveTheShortestOrder) {
  Totals without;
  Totals with;
  Totals unfinished;
  for (uint64_t seed = 1; seed <= kTightStreams; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const TightStream tight = TightStreams(seed, 2 + static_cast<uint32_t>(seed % 4)).Make();
    const auto problem = ScheduleProblem::Make(tight.stream, tight.hardware);
    ASSERT_TRUE(problem.ok()) << problem.status();
    const ActionGraph graph(**problem);
    for (const bool swaps : {false, true}) {
      const Shortest shortest = ShortestOrder(tight.stream, tight.hardware, swaps, kMostSteps);
      if (!shortest.makespan.has_value()) continue;
      ExpectBelow(**problem, graph, swaps, *shortest.makespan,
                  !shortest.finished ? &unfinished
                  : swaps            ? &with
                                     : &without);
    }
    ASSERT_FALSE(testing::Test::HasFailure());
  }
  Print("tight, without swaps", without);
  Print("tight, with swaps", with);
  Print("tight, not all orders", unfinished);
  EXPECT_GT(without.compared, kTightStreams / 4);
}

TEST(BoundsRandom, NoBoundIsAboveWhatAPlacedOrderTakes) {
  Totals totals;
  uint64_t swapped = 0;
  for (uint64_t seed = 1; seed <= kPlacedStreams; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Shape shape;
    shape.most_ops = 8 + static_cast<uint32_t>(seed % 50);
    const RandomStream random = MakeRandomStream(seed, shape);
    SplitMix64 numbers(seed);
    const Hardware hardware =
        seed % 2 == 0 ? Shrunk(random.hardware, numbers.Between(40, 120)) : random.hardware;
    const auto problem = ScheduleProblem::Make(random.stream, hardware);
    if (!problem.ok()) continue;
    const ActionGraph graph(**problem);
    uint64_t least[2] = {UINT64_MAX, UINT64_MAX};
    for (uint64_t i = 0; i < kOrdersEach; ++i) {
      const Schedule order = RandomOrder(**problem, numbers.Next());
      for (const bool swaps : {false, true}) {
        const OfflinePlacement placed = PlaceOffline(**problem, order.order, order.slice, swaps);
        for (const Placement* p : {&placed.placement, &placed.sequential}) {
          if (p->placed) least[swaps] = std::min(least[swaps], p->makespan);
        }
        swapped += swaps && placed.placement.placed && placed.placement.swap_bytes != 0;
      }
    }
    for (const bool swaps : {false, true}) {
      if (least[swaps] != UINT64_MAX) ExpectBelow(**problem, graph, swaps, least[swaps], &totals);
    }
    ASSERT_FALSE(testing::Test::HasFailure()) << DumpStream(seed, random);
  }
  Print("placed", totals);
  std::cout << swapped << " placements with swaps\n";
  EXPECT_GT(swapped, kPlacedStreams / 4);
}

// Engines, transfers that do not block, and programs that take bandwidth; LRAM is ample.
TEST(BoundsRandom, NoBoundIsAboveAnOrderWhereTransfersGoOnBesideTheStream) {
  Totals totals;
  for (uint64_t seed = 1; seed <= kPlacedStreams; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Shape shape;
    shape.most_ops = 4 + static_cast<uint32_t>(seed % 30);
    shape.dma = true;
    const RandomStream random = MakeRandomStream(seed, shape);
    Hardware hardware = random.hardware;
    hardware.region_bytes.clear();
    hardware.lram_bytes = uint64_t{1} << 40;
    const auto problem = ScheduleProblem::Make(random.stream, hardware);
    if (!problem.ok()) continue;
    const ActionGraph graph(**problem);
    SplitMix64 numbers(seed);
    uint64_t least = UINT64_MAX;
    for (uint64_t i = 0; i < kOrdersEach; ++i) {
      const Schedule order = RandomOrder(**problem, numbers.Next());
      const reference::Priced priced =
          reference::ReferenceSimulate(random.stream, hardware, order.order, order.slice);
      least = std::min(least, priced.makespan);
    }
    ExpectBelow(**problem, graph, false, least, &totals);
    ASSERT_FALSE(testing::Test::HasFailure()) << DumpStream(seed, random);
  }
  Print("engines", totals);
  EXPECT_GT(totals.compared, kPlacedStreams / 2);
}

}  // namespace
}  // namespace torqsched
