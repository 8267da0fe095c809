// The exact search against an enumeration of all orders that shares no code with it; and its
// answers as orders, priced by the reference.
#include "src/search/exact.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "gtest/gtest.h"
#include "src/graph/problem.h"
#include "src/search/exact_model.h"
#include "src/search/exact_room.h"
#include "src/search/exact_work.h"
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

TEST(ExactTest, StopsWhenItIsTold) {
  const Block block = MakeBlock(BlockShape::kTiles, BlockLram::kTight, 6, 32);
  ExactOptions options;
  std::vector<uint64_t> asked;
  options.stop = [&](uint64_t nodes) {
    asked.push_back(nodes);
    return asked.size() == 3;
  };
  const Solved solved(block.stream, block.hardware, options);
  EXPECT_EQ(asked, (std::vector<uint64_t>{2048, 4096, 6144}));
  EXPECT_FALSE(solved.answer().complete);
  EXPECT_TRUE(solved.answer().makespan.has_value());
  EXPECT_LE(solved.answer().nodes, 6144u + 64);
  solved.ExpectOrderIsWorthIt();
}

TEST(ExactTest, WorkHasALimitWhateverIsAllowed) {
  ExactOptions options;
  options.node_limit = UINT64_MAX;
  ExactWork work(options);
  for (uint64_t i = 1; i < ExactWork::kMostNodes; ++i) work.Add();
  EXPECT_FALSE(work.done());
  work.Add();
  EXPECT_TRUE(work.done());
}

// Pairs of buffers, each written by a program and the second one read by the last program: nearly
// all sets of them fit, the last one hardly does. It takes millions of sets to see that a set is
// lost.
TEST(ExactTest, SetsWhoseRoomIsLookedAtAreNodes) {
  StreamMaker maker;
  std::vector<uint32_t> buffers;
  reference::SplitMix64 random(1);
  uint64_t last_bytes = 0;
  for (int i = 0; i < 40; ++i) {
    const uint64_t size = random.Between(100, 200);
    buffers.push_back(maker.Lram(size));
    if (i % 2 == 1) last_bytes += size;
  }
  const uint32_t xram = maker.Xram(1000);
  std::vector<AccessSpec> last;
  for (size_t i = 0; i < buffers.size(); i += 2) {
    maker.Load(10, {Reads(xram), Writes(buffers[i])});
    maker.Program(50, {Reads(buffers[i]), Writes(buffers[i + 1])});
    last.push_back(Reads(buffers[i + 1]));
  }
  maker.Program(50, last);
  const Stream stream = maker.Build();
  Hardware hardware = *ProfileNamed("sl2610");
  hardware.alignment = 1;
  hardware.lram_bytes = hardware.lram_reserved_bytes + last_bytes + 10;
  const auto problem = ScheduleProblem::Make(stream, hardware);
  ASSERT_TRUE(problem.ok());
  const std::optional<ExactModel> model = MakeExactModel(**problem, ActionGraph(**problem));
  ASSERT_TRUE(model.has_value());
  for (const bool stops : {false, true}) {
    ExactOptions options;
    options.node_limit = stops ? 1000000 : 3000;
    options.stop = [&](uint64_t nodes) { return stops && nodes >= 2048; };
    ExactWork work(options);
    ExactRoom room(*model, &work);
    for (uint32_t i = 0; i < model->actions.size(); ++i) room.IsLost(MaskOf(i));
    EXPECT_TRUE(work.done());
    EXPECT_GE(work.nodes(), 2048u);
    EXPECT_LE(work.nodes(), 3000u);
  }
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
