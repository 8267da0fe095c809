// The graph stays near-linear where a comparison of all pairs would not: nodes and edges are
// counted.
#include <cmath>
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "src/graph/dependence_graph.h"
#include "tests/reference/random_streams.h"
#include "tests/stream/stream_maker.h"

namespace torqsched {
namespace {

DependenceGraph Graph(StreamMaker* maker) {
  absl::StatusOr<DependenceGraph> graph = DependenceGraph::Build(maker->Build());
  EXPECT_TRUE(graph.ok()) << graph.status();
  return graph.ok() ? *std::move(graph) : DependenceGraph();
}

double TimesLog(double n) { return n * std::log2(n); }

// Write, 1,024 programs that read, write, ...: each program has an edge from the write, one to its
// wait, and one to the next write.
TEST(GraphSize, ManyReadersBetweenTwoWrites) {
  constexpr int kRounds = 8;
  constexpr int kPrograms = 1024;
  StreamMaker maker;
  maker.Lram(4096);
  for (int round = 0; round < kRounds; ++round) {
    maker.Load(1, {Writes(0)});
    for (int i = 0; i < kPrograms; ++i) maker.Program(1, {Reads(0)});
  }
  const DependenceGraph graph = Graph(&maker);
  // The programs of the last round have no next write; a write needs no edge from the one before.
  EXPECT_EQ(graph.edge_count(), size_t{3 * kRounds - 1} * kPrograms);
  EXPECT_EQ(graph.node_count(), size_t{kRounds} * (2 * kPrograms + 1));  // no helpers
}

// Where m readers of all of it follow n writers of its parts, pairs are n * m.
TEST(GraphSize, ManyPartialWritersThenManyWholeReaders) {
  constexpr int kRounds = 6;
  constexpr int kWriters = 500;
  constexpr int kReaders = 700;
  StreamMaker maker;
  maker.Lram(4 * kWriters);
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < kWriters; ++i) maker.Load(1, {Writes(0, 4 * i, 4)});
    for (int i = 0; i < kReaders; ++i) maker.Store(1, {Reads(0)});
  }
  const DependenceGraph graph = Graph(&maker);
  EXPECT_LE(graph.edge_count(), kRounds * TimesLog(kWriters + kReaders));
  EXPECT_LE(graph.node_count(), size_t{3} * kRounds * (kWriters + kReaders));
}

// The other way round: many whole readers, then many that each write a part.
TEST(GraphSize, ManyWholeReadersThenManyPartialWritersInAnyOrder) {
  constexpr int kWriters = 1024;
  constexpr int kReaders = 900;
  reference::SplitMix64 random(3);
  StreamMaker maker;
  maker.Lram(4 * kWriters);
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < kReaders; ++i) maker.Store(1, {Reads(0)});
    for (int i = 0; i < kWriters; ++i) maker.Load(1, {Writes(0, 4 * random.Below(kWriters), 4)});
  }
  EXPECT_LE(Graph(&maker).edge_count(), 3 * TimesLog(kWriters + kReaders));
}

TEST(GraphSize, AnOpThatListsTheSameRangeAThousandTimes) {
  constexpr int kReaders = 1000;
  StreamMaker maker;
  maker.Lram(64);
  for (int i = 0; i < kReaders; ++i) maker.Store(1, {Reads(0)});
  maker.Load(1, std::vector<AccessSpec>(1000, Writes(0)));
  maker.Store(1, std::vector<AccessSpec>(1000, Reads(0)));
  EXPECT_EQ(Graph(&maker).edge_count(), size_t{kReaders + 1});
}

TEST(GraphSize, AnOpThatListsOverlappingRanges) {
  constexpr int kReaders = 1000;
  StreamMaker maker;
  maker.Lram(2000);
  for (int i = 0; i < kReaders; ++i) maker.Store(1, {Reads(0)});
  std::vector<AccessSpec> staircase;
  for (int i = 0; i < 1000; ++i) staircase.push_back(Writes(0, i, 1000));
  maker.Load(1, staircase);
  EXPECT_LE(Graph(&maker).edge_count(), TimesLog(kReaders));  // not a million
}

TEST(GraphSize, RandomOverlappingRanges) {
  constexpr int kAccesses = 20000;
  for (const uint64_t write_percent : {5, 30, 70}) {
    reference::SplitMix64 random(write_percent);
    StreamMaker maker;
    maker.Lram(1 << 20);
    for (int i = 0; i < kAccesses; ++i) {
      const uint64_t begin = random.Below(1 << 20);
      const uint64_t longest = (1 << 20) - begin;
      const uint64_t size = 1 + random.Below(random.Percent(50) ? longest : 1 + longest / 100);
      if (random.Percent(write_percent)) {
        maker.Load(1, {Writes(0, begin, size)});
      } else {
        maker.Store(1, {Reads(0, begin, size)});
      }
    }
    const DependenceGraph graph = Graph(&maker);
    // An access is at home in 2 log2(cuts) tree nodes at most: 32. Here it costs about 20 edges.
    EXPECT_LE(graph.edge_count(), 2.5 * TimesLog(kAccesses)) << write_percent << " % writes";
    EXPECT_LE(graph.node_count(), TimesLog(kAccesses)) << write_percent << " % writes";
  }
}

TEST(GraphSize, BarriersCostALinearNumberOfEdges) {
  constexpr int kOps = 3000;
  StreamMaker maker;
  maker.Lram(4);
  for (int i = 0; i < kOps; ++i) {
    maker.Store(1, {Reads(0)});
    maker.Barrier(0);
  }
  EXPECT_LE(Graph(&maker).edge_count(), size_t{3 * kOps});
}

TEST(GraphSize, BuffersThatNobodyWritesOrderNothing) {
  StreamMaker maker;
  maker.Lram(4);
  for (int i = 0; i < 100; ++i) maker.Store(1, {Reads(0)});
  EXPECT_EQ(Graph(&maker).edge_count(), 0u);
}

}  // namespace
}  // namespace torqsched
