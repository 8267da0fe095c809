// The exact search with swaps: against an enumeration of all orders and all swaps on tiny streams,
// and against what the oracles make of orders, which it must never exceed.
#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>

#include "gtest/gtest.h"
#include "src/graph/problem.h"
#include "src/lram/offline.h"
#include "src/lram/sequential.h"
#include "src/search/exact.h"
#include "tests/reference/exhaustive.h"
#include "tests/reference/random_streams.h"
#include "tests/reference/reference.h"
#include "tests/search/blocks.h"
#include "tests/search/exact_order.h"

namespace torqsched {
namespace {

class Swapped {
 public:
  Swapped(const Stream& stream, const Hardware& hardware)
      : stream_(stream),
        hardware_(hardware),
        problem_(*ScheduleProblem::Make(stream, hardware)),
        graph_(*problem_) {
    ExactOptions options;
    options.node_limit = 100000;
    without_ = SolveExactly(*problem_, graph_, options);
    options.swaps = true;
    with_ = SolveExactly(*problem_, graph_, options);
  }

  const ExactAnswer& without() const { return without_; }
  const ExactAnswer& with() const { return with_; }

  void ExpectNoWorse() const {
    EXPECT_TRUE(with_.complete);
    if (!without_.makespan.has_value()) return;
    ASSERT_TRUE(with_.makespan.has_value());
    EXPECT_LE(*with_.makespan, *without_.makespan);
  }

  // What OFFLINE makes of this order; 0: it is not placed. It must not be less than the optimum.
  uint64_t Offline(const std::vector<OpIndex>& order,
                   const IndexVector<OpIndex, uint8_t>& slices) const {
    const OfflinePlacement placed = PlaceOffline(*problem_, order, slices, true);
    for (const Placement* placement : {&placed.placement, &placed.sequential}) {
      if (!placement->placed) continue;
      EXPECT_TRUE(with_.makespan.has_value());
      EXPECT_LE(with_.makespan.value_or(0), placement->makespan);
    }
    return placed.placement.placed ? placed.placement.makespan : 0;
  }

  ExactOrder Order(const ExactAnswer& answer) const {
    return OrderOf(stream_, graph_, answer.entries);
  }

 private:
  const Stream& stream_;
  const Hardware& hardware_;
  const std::unique_ptr<const ScheduleProblem> problem_;
  const ActionGraph graph_;
  ExactAnswer without_, with_;
};

// The most bytes that one op uses, and an eighth.
uint64_t Need(const Stream& stream) {
  uint64_t need = 0;
  for (uint32_t i = 0; i < stream.op_count(); ++i) {
    uint64_t bytes = 0;
    for (const BufferIndex b : reference::ReferenceUses(stream, OpIndex(i))) {
      bytes += stream.buffer(b).size;
    }
    need = std::max(need, bytes);
  }
  return need + need / 8;
}

TEST(ExactSwapsTest, TinyStreamsAreAsGoodAsAnyOrderWithAnySwaps) {
  reference::Shape shape;
  shape.most_ops = 13;
  shape.most_buffers = 5;
  size_t compared = 0, equal = 0, better = 0, only_with = 0;
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const reference::RandomStream random = reference::MakeRandomStream(seed, shape);
    Hardware hardware = random.hardware;
    if (hardware.slices > 3 || hardware.block_ops != 0) continue;
    // Every other one has hardly more LRAM than one op needs.
    if (seed % 2 == 1) hardware.lram_bytes = hardware.lram_reserved_bytes + Need(random.stream);
    if (!ScheduleProblem::Make(random.stream, hardware).ok()) continue;
    const reference::ExhaustiveAnswer least =
        reference::ExhaustiveOptimum(random.stream, hardware, 10000, 5);
    if (!least.complete) continue;
    ++compared;
    const Swapped swapped(random.stream, hardware);
    swapped.ExpectNoWorse();
    // Buffers that come back empty, to be viewed only, and leave again lose nothing; the
    // enumeration has them lose their contents. So it may take longer.
    EXPECT_LE(swapped.with().makespan.value_or(UINT64_MAX), least.makespan.value_or(UINT64_MAX));
    equal += swapped.with().makespan == least.makespan;
    if (!swapped.without().makespan.has_value()) {
      only_with += least.makespan.has_value() ? 1 : 0;
    } else if (*swapped.with().makespan < *swapped.without().makespan) {
      ++better;
    }
  }
  std::cout << compared << " compared, " << equal << " equal, " << better << " better and "
            << only_with << " possible only with swaps\n";
  EXPECT_GE(compared, 1000u);
  EXPECT_GE(equal, compared - compared / 100);
  EXPECT_GE(better, 3u);
  EXPECT_GE(only_with, 15u);
}

TEST(ExactSwapsTest, NoOracleDoesBetterOnRandomStreams) {
  reference::Shape shape;
  shape.most_ops = 16;
  shape.most_buffers = 6;
  size_t placed = 0, solved = 0;
  for (uint64_t seed = 0; seed < 1200; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const reference::RandomStream random = reference::MakeRandomStream(seed, shape);
    if (random.hardware.slices > 4 || random.hardware.block_ops != 0) continue;
    const Swapped swapped(random.stream, random.hardware);
    if (!swapped.with().complete) continue;
    ++solved;
    swapped.ExpectNoWorse();
    const uint64_t makespan = swapped.Offline(reference::InputOrder(random.stream),
                                              reference::InputSlices(random.stream));
    placed += makespan != 0 ? 1 : 0;
    if (!swapped.with().makespan.has_value()) continue;
    const ExactOrder best = swapped.Order(swapped.with());
    swapped.Offline(best.order, best.slices);
  }
  EXPECT_GE(solved, 800u);
  EXPECT_GE(placed, 700u);
}

// On most blocks nothing is gained; on branches that end together there is, and OFFLINE does it.
TEST(ExactSwapsTest, Blocks) {
  size_t equal = 0, less = 0, less_for_real = 0;
  for (int shape = 0; shape < kBlockShapes; ++shape) {
    for (int lram = 0; lram < kBlockLrams; ++lram) {
      for (uint64_t seed = 0; seed < 12; ++seed) {
        const BlockShape s = static_cast<BlockShape>(shape);
        const BlockLram l = static_cast<BlockLram>(lram);
        SCOPED_TRACE(testing::Message() << NameOf(s) << ", LRAM " << NameOf(l) << ", " << seed);
        const Block block = MakeBlock(s, l, seed, 14);
        const Swapped swapped(block.stream, block.hardware);
        swapped.ExpectNoWorse();
        if (swapped.with().makespan == swapped.without().makespan) {
          ++equal;
          continue;
        }
        ++less;
        const ExactOrder best = swapped.Order(swapped.with());
        const uint64_t makespan = swapped.Offline(best.order, best.slices);
        if (makespan != 0 && makespan < *swapped.without().makespan) ++less_for_real;
      }
    }
  }
  std::cout << equal << " blocks gain nothing by swaps, " << less << " may, " << less_for_real
            << " do\n";
  EXPECT_GE(equal, 400u);
  EXPECT_GE(less_for_real, 1u);
}

}  // namespace
}  // namespace torqsched
