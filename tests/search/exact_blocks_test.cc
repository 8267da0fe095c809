// How much work the exact search is on blocks of up to 32 actions: a guard, in nodes.
#include <algorithm>
#include <iostream>
#include <memory>
#include <vector>

#include "gtest/gtest.h"
#include "src/graph/problem.h"
#include "src/search/exact.h"
#include "tests/reference/reference.h"
#include "tests/search/blocks.h"
#include "tests/search/exact_order.h"

namespace torqsched {
namespace {

constexpr uint64_t kSeeds = 14;
constexpr uint64_t kNodeLimit = 100000;

struct Work {
  std::vector<uint64_t> nodes;
  size_t complete = 0;
};

void Solve(BlockShape shape, BlockLram lram, uint64_t seed, Work* work) {
  SCOPED_TRACE(testing::Message() << NameOf(shape) << ", LRAM " << NameOf(lram) << ", " << seed);
  const Block block = MakeBlock(shape, lram, seed, 32);
  ASSERT_LE(block.actions, 32u);
  const std::unique_ptr<const ScheduleProblem> problem =
      *ScheduleProblem::Make(block.stream, block.hardware);
  const ActionGraph graph(*problem);
  ExactOptions options;
  options.node_limit = kNodeLimit;
  const ExactAnswer answer = SolveExactly(*problem, graph, options);
  work->nodes.push_back(answer.nodes);
  if (answer.complete) ++work->complete;
  // The input order fits, so there is an answer, and it is no worse.
  ASSERT_TRUE(answer.makespan.has_value());
  const reference::Priced input = reference::ReferenceSimulate(
      block.stream, block.hardware, reference::InputOrder(block.stream),
      reference::InputSlices(block.stream));
  EXPECT_LE(*answer.makespan, input.makespan);
  const ExactOrder made = OrderOf(block.stream, graph, answer.entries);
  const reference::Priced priced =
      reference::ReferenceSimulate(block.stream, block.hardware, made.order, made.slices);
  EXPECT_EQ(priced.makespan, *answer.makespan);
  EXPECT_LE(priced.peak, block.hardware.usable_bytes());
}

TEST(ExactBlocksTest, NearlyAllAreProvenWithinAHundredThousandNodes) {
  size_t blocks = 0, complete = 0;
  for (int shape = 0; shape < kBlockShapes; ++shape) {
    Work work;
    for (int lram = 0; lram < kBlockLrams; ++lram) {
      for (uint64_t seed = 0; seed < kSeeds; ++seed) {
        Solve(static_cast<BlockShape>(shape), static_cast<BlockLram>(lram), seed, &work);
      }
    }
    std::sort(work.nodes.begin(), work.nodes.end());
    const size_t n = work.nodes.size();
    std::cout << NameOf(static_cast<BlockShape>(shape)) << ": " << work.complete << " of " << n
              << " proven; nodes: median " << work.nodes[n / 2] << ", nine in ten "
              << work.nodes[n * 9 / 10] << "\n";
    EXPECT_LE(work.nodes[n / 2], 5000u);
    blocks += n;
    complete += work.complete;
  }
  EXPECT_EQ(blocks, 504u);
  EXPECT_GE(complete, 488u);
}

}  // namespace
}  // namespace torqsched
