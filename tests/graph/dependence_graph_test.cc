// The graph orders exactly what must be ordered: its reachability is the reference's, op by op.
#include "src/graph/dependence_graph.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/reference/random_streams.h"
#include "tests/reference/reference.h"
#include "tests/stream/stream_maker.h"

namespace torqsched {
namespace {

using reference::RandomStream;
using reference::Shape;

DependenceGraph Graph(const Stream& stream) {
  absl::StatusOr<DependenceGraph> graph = DependenceGraph::Build(stream);
  EXPECT_TRUE(graph.ok()) << graph.status();
  return graph.ok() ? *std::move(graph) : DependenceGraph();
}

bool IsAction(const Stream& stream, uint32_t node) {
  return node < stream.op_count() && stream.op(OpIndex(node)).kind != OpKind::kPure;
}

// For each node, whether it can be reached from `from`.
std::vector<bool> ReachedFrom(const DependenceGraph& graph, uint32_t from) {
  std::vector<bool> reached(graph.node_count(), false);
  std::vector<uint32_t> open = {from};
  while (!open.empty()) {
    const uint32_t node = open.back();
    open.pop_back();
    for (const uint32_t next : graph.successors(node)) {
      if (!reached[next]) open.push_back(next);
      reached[next] = true;
    }
  }
  return reached;
}

// The actions that an action must follow, as the graph says.
std::vector<OpIndex> NeededBy(const Stream& stream, const DependenceGraph& graph, uint32_t op) {
  std::vector<OpIndex> needed;
  for (uint32_t from = 0; from < stream.op_count(); ++from) {
    if (IsAction(stream, from) && ReachedFrom(graph, from)[op]) needed.push_back(OpIndex(from));
  }
  return needed;
}

std::string WrongReachability(const Stream& stream, const DependenceGraph& graph) {
  const std::vector<std::vector<bool>> needs = reference::ReferenceNeeds(stream);
  std::string wrong;
  for (uint32_t a = 0; a < stream.op_count(); ++a) {
    if (!IsAction(stream, a)) continue;
    const std::vector<bool> reached = ReachedFrom(graph, a);
    for (uint32_t b = 0; b < stream.op_count(); ++b) {
      if (!IsAction(stream, b) || reached[b] == needs[b][a]) continue;
      wrong += std::to_string(b) + (needs[b][a] ? " must follow " : " need not follow ") +
               std::to_string(a) + "\n";
    }
  }
  return wrong;
}

// What the scheduler relies on beside reachability.
std::string WrongShape(const Stream& stream, const DependenceGraph& graph) {
  std::string wrong;
  std::vector<uint32_t> counts(graph.node_count(), 0);
  size_t edges = 0;
  for (uint32_t node = 0; node < graph.node_count(); ++node) {
    for (const uint32_t next : graph.successors(node)) {
      ++counts[next];
      ++edges;
    }
  }
  if (counts != graph.predecessor_counts()) wrong += "predecessors are miscounted\n";
  if (edges != graph.edge_count()) wrong += "edges are miscounted\n";
  // A node whose predecessors are all out counts as out at once unless it is an action, so a helper
  // or a pure op that nothing leads to would hold back for ever what it leads to.
  for (uint32_t node = 0; node < graph.node_count(); ++node) {
    if (counts[node] == 0 && !IsAction(stream, node) && !graph.successors(node).empty()) {
      wrong += "nothing ever lets node " + std::to_string(node) + " pass\n";
    }
  }
  return wrong;
}

void CompareSeeds(uint64_t first, uint64_t last, const Shape& shape) {
  int failures = 0;
  for (uint64_t seed = first; seed < last && failures < 3; ++seed) {
    const RandomStream random = reference::MakeRandomStream(seed, shape);
    const absl::StatusOr<DependenceGraph> graph = DependenceGraph::Build(random.stream);
    std::string wrong = graph.ok() ? "" : graph.status().ToString();
    if (graph.ok()) {
      wrong = WrongReachability(random.stream, *graph) + WrongShape(random.stream, *graph);
    }
    if (wrong.empty()) continue;
    ++failures;
    ADD_FAILURE() << "seed " << seed << "\n" << wrong << reference::DumpStream(seed, random);
  }
}

TEST(DependenceGraph, OfMixedStreamsReachesWhatTheReferenceNeeds) {
  Shape shape;
  shape.style = Shape::Style::kMixed;
  CompareSeeds(100000, 102500, shape);
}

// Few buffers and many ops: ranges are split, and read and written again and again.
TEST(DependenceGraph, OfCrowdedBuffersReachesWhatTheReferenceNeeds) {
  Shape shape;
  shape.style = Shape::Style::kMixed;
  shape.most_ops = 60;
  shape.most_buffers = 2;
  CompareSeeds(200000, 201500, shape);
}

TEST(DependenceGraph, OfTiledStreamsReachesWhatTheReferenceNeeds) {
  Shape shape;
  shape.style = Shape::Style::kRealistic;
  shape.most_ops = 60;
  CompareSeeds(300000, 300500, shape);
}

// One buffer, every access a random range of it: the sweep alone.
TEST(DependenceGraph, OfRandomRangesReachesWhatTheReferenceNeeds) {
  for (uint64_t seed = 0; seed < 600; ++seed) {
    reference::SplitMix64 random(seed);
    StreamMaker maker;
    const uint64_t bytes = random.Between(1, 40);
    maker.Lram(bytes);
    const uint64_t ops = random.Between(2, 45);
    const uint64_t write_percent = random.Between(5, 95);
    for (uint64_t i = 0; i < ops; ++i) {
      std::vector<AccessSpec> accesses;
      const bool load = random.Percent(write_percent);
      const uint64_t count = random.Percent(70) ? 1 : random.Between(2, 4);
      for (uint64_t k = 0; k < count; ++k) {
        const uint64_t begin = random.Below(bytes + 1);
        const uint64_t size = random.Below(bytes - begin + 1);
        const bool writes = k == 0 ? load : random.Percent(write_percent);
        accesses.push_back({0, !writes || random.Percent(20), writes, begin, size});
      }
      if (load) {
        maker.Load(1, accesses);
      } else {
        maker.Store(1, accesses);
      }
    }
    const Stream stream = maker.Build();
    const DependenceGraph graph = Graph(stream);
    ASSERT_EQ(WrongReachability(stream, graph) + WrongShape(stream, graph), "") << "seed " << seed;
  }
}

TEST(DependenceGraph, AProgramHoldsItsBytesUntilItsWait) {
  StreamMaker maker;
  const uint32_t o = maker.Lram(8);
  const uint32_t start = maker.Start(10, {Writes(o)});
  const uint32_t wait = maker.Wait(start);
  const uint32_t store = maker.Store(1, {Reads(o)});
  const Stream stream = maker.Build();
  EXPECT_EQ(NeededBy(stream, Graph(stream), store), Ops({start, wait}));
}

TEST(DependenceGraph, ReadersDoNotOrderEachOtherAndEmptyAccessesNothing) {
  StreamMaker maker;
  const uint32_t b = maker.Lram(8);
  maker.Store(1, {Reads(b)});
  const uint32_t reader = maker.Store(1, {Reads(b)});
  maker.Load(1, {Writes(b, 4, 0)});
  const uint32_t writer = maker.Load(1, {Writes(b, 4, 4)});
  const uint32_t apart = maker.Load(1, {Writes(b, 0, 4)});
  const Stream stream = maker.Build();
  const DependenceGraph graph = Graph(stream);
  EXPECT_EQ(NeededBy(stream, graph, reader), Ops({}));
  EXPECT_EQ(NeededBy(stream, graph, writer), Ops({0, 1}));
  EXPECT_EQ(NeededBy(stream, graph, apart), Ops({0, 1}));
}

TEST(DependenceGraph, XramOrdersAsLramDoes) {
  StreamMaker maker;
  const uint32_t a = maker.Lram(8);
  const uint32_t b = maker.Lram(8);
  const uint32_t x = maker.Xram(8);
  const uint32_t store = maker.Store(1, {Reads(a), Writes(x)});
  const uint32_t load = maker.Load(1, {Reads(x), Writes(b)});
  const Stream stream = maker.Build();
  EXPECT_EQ(NeededBy(stream, Graph(stream), load), Ops({store}));
}

TEST(DependenceGraph, BarriersKeepTheirPlaceAndOrderNoPureOps) {
  StreamMaker maker;
  const uint32_t b = maker.Lram(8);
  maker.Load(1, {Writes(b)});
  maker.View({});
  const uint32_t barrier = maker.Barrier(1);
  const uint32_t next = maker.Barrier(1);
  const uint32_t start = maker.Start(1, {}, {1});
  maker.Wait(start);
  const Stream stream = maker.Build();
  const DependenceGraph graph = Graph(stream);
  EXPECT_EQ(NeededBy(stream, graph, barrier), Ops({0}));
  EXPECT_EQ(NeededBy(stream, graph, next), Ops({0, barrier}));
  EXPECT_EQ(NeededBy(stream, graph, start), Ops({0, barrier, next}));
  EXPECT_FALSE(ReachedFrom(graph, barrier)[1]);
}

TEST(DependenceGraph, NeedsPassThroughPureOps) {
  StreamMaker maker;
  const uint32_t b = maker.Lram(8);
  const uint32_t load = maker.Load(1, {Writes(b)});
  const uint32_t view = maker.View({load});
  const uint32_t view_of_view = maker.View({view, maker.View({})});
  const uint32_t start = maker.Start(1, {}, {view_of_view});
  maker.Wait(start);
  const Stream stream = maker.Build();
  const DependenceGraph graph = Graph(stream);
  EXPECT_EQ(NeededBy(stream, graph, start), Ops({load}));
}

TEST(DependenceGraph, OfNoOpsIsEmpty) {
  StreamMaker maker;
  const DependenceGraph graph = Graph(maker.Build());
  EXPECT_EQ(graph.node_count(), 0u);
  EXPECT_EQ(graph.edge_count(), 0u);
}

// Nothing may recurse along the stream.
TEST(DependenceGraph, OfAChainOf200000OpsBuilds) {
  constexpr uint32_t kOps = 200000;
  StreamMaker maker;
  maker.Lram(8);
  for (uint32_t i = 0; i < kOps; ++i) {
    maker.Load(1, {Updates(0)}, i == 0 ? StreamMaker::Operands() : StreamMaker::Operands{i - 1});
  }
  const Stream stream = maker.Build();
  const DependenceGraph graph = Graph(stream);
  ASSERT_EQ(graph.node_count(), kOps);
  const std::vector<bool> reached = ReachedFrom(graph, 0);
  EXPECT_EQ(std::count(reached.begin(), reached.end(), true), kOps - 1);
}

TEST(DependenceGraph, OfAChainOf200000PureOpsBuilds) {
  constexpr uint32_t kOps = 200000;
  StreamMaker maker;
  maker.Lram(8);
  maker.Load(1, {Writes(0)});
  for (uint32_t i = 1; i < kOps; ++i) maker.View({i - 1});
  const uint32_t last = maker.Barrier(0, {}, {kOps - 1});
  const Stream stream = maker.Build();
  EXPECT_TRUE(ReachedFrom(Graph(stream), 0)[last]);
}

}  // namespace
}  // namespace torqsched
