// The exact search against an enumeration of all orders that shares no code with it; and its
// answers as orders, priced by the reference.
#include "src/search/exact.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "gtest/gtest.h"
#include "src/graph/problem.h"
#include "tests/reference/exhaustive.h"
#include "tests/reference/random_streams.h"
#include "tests/reference/reference.h"
#include "tests/search/blocks.h"
#include "tests/search/exact_order.h"
#include "tests/stream/stream_maker.h"

namespace torqsched {
namespace {

struct Counts {
  size_t compared = 0;
  size_t without_order = 0;
  size_t given_up = 0;  // by the enumeration
};

class Solved {
 public:
  Solved(const Stream& stream, const Hardware& hardware, const ExactOptions& options)
      : stream_(stream),
        hardware_(hardware),
        problem_(*ScheduleProblem::Make(stream, hardware)),
        graph_(*problem_),
        answer_(SolveExactly(*problem_, graph_, options)) {}

  const ExactAnswer& answer() const { return answer_; }
  size_t actions() const { return graph_.size(); }

  void ExpectOrderIsWorthIt() const {
    if (!answer_.makespan.has_value()) return;
    const ExactOrder made = OrderOf(stream_, graph_, answer_.entries);
    const reference::Priced priced =
        reference::ReferenceSimulate(stream_, hardware_, made.order, made.slices);
    EXPECT_EQ(priced.makespan, *answer_.makespan);
    EXPECT_LE(priced.peak, hardware_.usable_bytes());
  }

 private:
  const Stream& stream_;
  const Hardware& hardware_;
  const std::unique_ptr<const ScheduleProblem> problem_;
  const ActionGraph graph_;
  const ExactAnswer answer_;
};

void Compare(const Stream& stream, const Hardware& hardware, size_t most_states, Counts* counts) {
  const reference::ExhaustiveAnswer least =
      reference::ExhaustiveOptimum(stream, hardware, most_states);
  if (!least.complete) {
    ++counts->given_up;
    return;
  }
  ++counts->compared;
  if (!least.makespan.has_value()) ++counts->without_order;
  ExactOptions options;
  const Solved solved(stream, hardware, options);
  EXPECT_TRUE(solved.answer().complete);
  EXPECT_EQ(solved.answer().makespan, least.makespan);
  solved.ExpectOrderIsWorthIt();
  if (!least.makespan.has_value()) return;
  // Nothing is below, and it is found again from just above.
  options.upper_bound = *least.makespan;
  const Solved below(stream, hardware, options);
  EXPECT_TRUE(below.answer().complete);
  EXPECT_FALSE(below.answer().makespan.has_value());
  options.upper_bound = *least.makespan + 1;
  EXPECT_EQ(Solved(stream, hardware, options).answer().makespan, least.makespan);
}

TEST(ExactTest, BlocksAreAsGoodAsAnyOrder) {
  Counts counts;
  const uint64_t start_cycles[] = {0, 1, 20};
  for (int shape = 0; shape < kBlockShapes; ++shape) {
    for (int lram = 0; lram < kBlockLrams; ++lram) {
      for (uint64_t seed = 0; seed < 18; ++seed) {
        SCOPED_TRACE(testing::Message() << NameOf(static_cast<BlockShape>(shape)) << ", LRAM "
                                        << NameOf(static_cast<BlockLram>(lram)) << ", " << seed);
        Block block = MakeBlock(static_cast<BlockShape>(shape), static_cast<BlockLram>(lram),
                                1000 + seed, 14);
        block.hardware.slices = static_cast<uint32_t>(1 + seed % 3);
        block.hardware.start_cycles = start_cycles[seed / 3 % 3];
        Compare(block.stream, block.hardware, 300000, &counts);
      }
    }
  }
  EXPECT_GE(counts.compared, 600u);
  EXPECT_EQ(counts.without_order, 0u);
}

// With views, barriers, joints, live-in and live-out buffers, block transfers, waits that need
// other ops; some have no order that fits.
TEST(ExactTest, RandomStreamsAreAsGoodAsAnyOrder) {
  Counts counts;
  reference::Shape shape;
  shape.most_ops = 16;
  shape.most_buffers = 6;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const reference::RandomStream random = reference::MakeRandomStream(seed, shape);
    if (random.hardware.slices > 4) continue;
    Compare(random.stream, random.hardware, 100000, &counts);
  }
  EXPECT_GE(counts.compared, 1500u);
  EXPECT_GE(counts.without_order, 20u);
}

TEST(ExactTest, ALimitLeavesAnOrderThatIsWorthWhatItSays) {
  const Block block = MakeBlock(BlockShape::kTiles, BlockLram::kTight, 6, 32);
  ExactOptions options;
  options.node_limit = 20000;
  const Solved solved(block.stream, block.hardware, options);
  EXPECT_FALSE(solved.answer().complete);
  EXPECT_TRUE(solved.answer().makespan.has_value());
  EXPECT_LE(solved.answer().nodes, options.node_limit + 64);
  solved.ExpectOrderIsWorthIt();
}

TEST(ExactTest, NoActions) {
  StreamMaker maker;
  const Stream stream = maker.Build();
  const Hardware hardware = *ProfileNamed("sl2610");
  const Solved solved(stream, hardware, ExactOptions());
  EXPECT_TRUE(solved.answer().complete);
  EXPECT_EQ(solved.answer().makespan, std::optional<uint64_t>(0));
}

TEST(ExactTest, MoreActionsThanBitsAreNotSearched) {
  StreamMaker maker;
  const uint32_t buffer = maker.Lram(8);
  for (size_t i = 0; i <= kMostExactActions; ++i) maker.Load(1, {Writes(buffer)});
  const Stream stream = maker.Build();
  const Hardware hardware = *ProfileNamed("sl2610");
  const Solved solved(stream, hardware, ExactOptions());
  EXPECT_FALSE(solved.answer().complete);
  EXPECT_FALSE(solved.answer().makespan.has_value());
}

TEST(ExactTest, ChipsWithSeveralEnginesAreNotSearched) {
  const Block block = MakeBlock(BlockShape::kChain, BlockLram::kAmple, 1, 14);
  Hardware hardware = block.hardware;
  hardware.dma_engines = 2;
  EXPECT_FALSE(Solved(block.stream, hardware, ExactOptions()).answer().complete);
}

}  // namespace
}  // namespace torqsched
