// OFFLINE beside SEQUENTIAL on random streams whose LRAM is too small: never more swap bytes, never
// longer, and every placement passes the checker.
//
// Set OFFLINE_SEED to run one stream alone.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "src/graph/problem.h"
#include "src/lram/offline.h"
#include "src/lram/sequential.h"
#include "src/schedule/input_schedule.h"
#include "src/schedule/schedule_stream.h"
#include "tests/lram/violations.h"
#include "tests/reference/random_streams.h"
#include "tests/stream/stream_maker.h"

namespace torqsched {
namespace {

using reference::MakeRandomStream;
using reference::RandomStream;
using reference::Shape;
using reference::SplitMix64;

constexpr uint64_t kOversubscribed = 1000;  // streams that SEQUENTIAL places with swaps

struct Totals {
  uint64_t streams = 0;
  uint64_t without_swaps = 0;     // OFFLINE takes none
  uint64_t fewer_bytes = 0;       // streams
  uint64_t faster = 0;            // streams
  uint64_t sequential_bytes = 0;  // swapped, of all streams together
  uint64_t offline_bytes = 0;
  uint64_t sequential_added = 0;  // cycles beyond those of the order without swaps
  uint64_t offline_added = 0;
  uint64_t only_offline = 0;  // SEQUENTIAL cannot place it
  double byte_ratios = 0;     // sums of a stream's own ratios, for the report only
  double makespan_ratios = 0;
};

// LRAM for a part of what the input order needs: all of it down to a tenth.
void Oversubscribe(uint64_t seed, uint64_t peak, Hardware* hardware) {
  SplitMix64 random(seed ^ 0x0ff1e5eed);
  const uint64_t usable = std::max<uint64_t>(peak * random.Between(10, 99) / 100, 1);
  hardware->lram_bytes = hardware->lram_reserved_bytes + usable;
}

class OfflineRandom : public testing::Test {
 protected:
  // Places the seed's stream by both; counts it if SEQUENTIAL places it with swaps.
  void Compare(uint64_t seed, const Shape& shape) {
    RandomStream random = MakeRandomStream(seed, shape);
    Hardware hardware = random.hardware;
    hardware.lram_bytes = hardware.lram_reserved_bytes + (uint64_t{1} << 40);
    auto problem = ScheduleProblem::Make(random.stream, hardware);
    if (!problem.ok()) return;
    const Schedule input = InputSchedule(random.stream);
    const absl::StatusOr<Placement> ample =
        PlaceSequentially(**problem, input.order, input.slice, false);
    if (!ample.ok() || !ample->placed) return;
    Oversubscribe(seed, ample->peak, &hardware);
    problem = ScheduleProblem::Make(random.stream, hardware);
    if (!problem.ok()) return;  // a buffer larger than LRAM
    for (const bool swaps_allowed : {false, true}) {
      const OfflinePlacement answer =
          PlaceOffline(**problem, input.order, input.slice, swaps_allowed);
      ASSERT_EQ(Violations(random.stream, hardware, input, answer.placement), "");
      if (seed % 16 == 0) {
        ExpectSame(answer.placement,
                   PlaceOffline(**problem, input.order, input.slice, swaps_allowed).placement);
      }
      ExpectNoWorse(answer, ample->makespan, swaps_allowed);
    }
  }

  static Shape ShapeOf(uint64_t seed) {
    Shape shape;
    shape.most_ops = 20 + static_cast<uint32_t>(seed % 7) * 40;
    shape.most_buffers = 6 + static_cast<uint32_t>(seed % 5) * 8;
    return shape;
  }

  void ExpectNoWorse(const OfflinePlacement& answer, uint64_t without, bool swaps_allowed) {
    const Placement& offline = answer.placement;
    const Placement& sequential = answer.sequential;
    if (!offline.placed) {
      EXPECT_FALSE(sequential.placed);
      EXPECT_NE(offline.failure.reason, FailureReason::kNone);
      return;
    }
    if (!swaps_allowed) {
      EXPECT_EQ(offline.swaps, 0u);
      return;
    }
    if (!sequential.placed) {
      ++totals_.only_offline;
      return;
    }
    EXPECT_LE(offline.swap_bytes, sequential.swap_bytes);
    EXPECT_LE(offline.makespan, sequential.makespan);
    if (sequential.swaps == 0) return;
    ++totals_.streams;
    totals_.without_swaps += offline.swaps == 0;
    totals_.fewer_bytes += offline.swap_bytes < sequential.swap_bytes;
    totals_.faster += offline.makespan < sequential.makespan;
    totals_.sequential_bytes += sequential.swap_bytes;
    totals_.offline_bytes += offline.swap_bytes;
    totals_.sequential_added += sequential.makespan - std::min(without, sequential.makespan);
    totals_.offline_added += offline.makespan - std::min(without, offline.makespan);
    totals_.byte_ratios +=
        sequential.swap_bytes == 0
            ? 1.0
            : static_cast<double>(offline.swap_bytes) / static_cast<double>(sequential.swap_bytes);
    totals_.makespan_ratios +=
        sequential.makespan == 0
            ? 1.0
            : static_cast<double>(offline.makespan) / static_cast<double>(sequential.makespan);
  }

  static void ExpectSame(const Placement& a, const Placement& b) {
    ASSERT_EQ(a.moves.size(), b.moves.size());
    for (size_t m = 0; m < a.moves.size(); ++m) {
      EXPECT_EQ(a.moves[m].entry, b.moves[m].entry);
      EXPECT_EQ(a.moves[m].buffer, b.moves[m].buffer);
      EXPECT_EQ(a.moves[m].offset, b.moves[m].offset);
    }
    EXPECT_EQ(a.makespan, b.makespan);
    EXPECT_EQ(a.swap_bytes, b.swap_bytes);
  }

  void Report() const {
    const double n = static_cast<double>(totals_.streams);
    const auto saved = [](uint64_t part, uint64_t whole) {
      return whole == 0 ? 0.0
                        : 100.0 - 100.0 * static_cast<double>(part) / static_cast<double>(whole);
    };
    std::cout << totals_.streams << " oversubscribed streams; OFFLINE takes no swap at all in "
              << totals_.without_swaps << ", moves fewer bytes in " << totals_.fewer_bytes
              << ", is faster in " << totals_.faster << "\n"
              << "swap bytes: " << totals_.sequential_bytes << " -> " << totals_.offline_bytes
              << " (" << saved(totals_.offline_bytes, totals_.sequential_bytes)
              << " % saved; mean of each stream's saving "
              << 100.0 - 100.0 * totals_.byte_ratios / n << " %)\n"
              << "cycles that swaps add: " << totals_.sequential_added << " -> "
              << totals_.offline_added << " ("
              << saved(totals_.offline_added, totals_.sequential_added)
              << " % saved); makespan: mean saving " << 100.0 - 100.0 * totals_.makespan_ratios / n
              << " %\n"
              << "beside them " << totals_.only_offline << " that only OFFLINE places\n";
  }

  Totals totals_;
};

TEST_F(OfflineRandom, MovesNoMoreBytesAndTakesNoLongerThanSequential) {
  if (const char* const alone = std::getenv("OFFLINE_SEED")) {
    const uint64_t seed = std::strtoull(alone, nullptr, 10);
    Compare(seed, ShapeOf(seed));
    return Report();
  }
  for (uint64_t seed = 1; totals_.streams < kOversubscribed; ++seed) {
    SCOPED_TRACE(testing::Message() << "OFFLINE_SEED=" << seed);
    Compare(seed, ShapeOf(seed));
    ASSERT_FALSE(HasFailure());
  }
  Report();
}

// Transfers that do not block, engines, programs that take bandwidth: dearer swaps, and evictions
// that cost time though they transfer nothing.
TEST_F(OfflineRandom, HoldsOnOtherDmaAsWell) {
  for (uint64_t seed = 100001; totals_.streams < kOversubscribed / 2; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Shape shape = ShapeOf(seed);
    shape.dma = true;
    Compare(seed, shape);
    ASSERT_FALSE(HasFailure());
  }
  Report();
}

// Orders of which no search sees the whole: pieces and windows of time are placed apart.
TEST_F(OfflineRandom, LongStreamsHoldAsWell) {
  Shape shape;
  shape.most_ops = 4000;
  shape.most_buffers = 400;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Compare(seed, shape);
    ASSERT_FALSE(HasFailure());
  }
  Report();
}

// The choice among orders, with OFFLINE as its oracle.
TEST(OfflineChoice, IsNeverSlowerThanTheInputByItsOwnMeasureAndPassesTheChecker) {
  uint64_t swapped = 0;
  for (uint64_t seed = 1; seed <= 1500; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const RandomStream random = MakeRandomStream(seed, Shape());
    ScheduleOptions options = random.options;
    options.oracle = OracleKind::kOffline;
    const absl::StatusOr<ScheduleAnswer> answer =
        ScheduleStream(random.stream, random.hardware, options, {});
    ASSERT_TRUE(answer.ok()) << answer.status();
    ASSERT_EQ(Violations(random.stream, random.hardware, answer->schedule, answer->placement), "");
    if (answer->bar.has_value()) {
      ASSERT_TRUE(answer->placement.placed);
      ASSERT_LE(answer->placement.makespan, *answer->bar);
    }
    ASSERT_TRUE(answer->input_sequential.has_value());
    if (answer->input_sequential->placed) {
      ASSERT_LE(*answer->input_allocated_makespan, answer->input_sequential->makespan);
    }
    swapped += answer->placement.swaps != 0;
  }
  EXPECT_GT(swapped, 50u);  // else it is about nothing
}

}  // namespace
}  // namespace torqsched
