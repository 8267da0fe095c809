// Strategy OPTIMIZE on random streams, with both oracles: never slower than the input order or
// STREAM_SCHEDULE after allocation, never below a bound, and every answer through the checker.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "gtest/gtest.h"
#include "src/schedule/schedule_stream.h"
#include "tests/reference/case_io.h"
#include "tests/reference/random_streams.h"
#include "tests/schedule/implementation.h"

namespace torqsched {
namespace {

using reference::MakeRandomStream;
using reference::RandomStream;
using reference::Shape;

struct Totals {
  uint64_t faster = 0;
  uint64_t proven = 0;
  uint64_t placed = 0;
};

std::string Compare(const std::string& what, const ScheduleAnswer& best,
                    std::optional<uint64_t> other) {
  if (!other.has_value()) return "";
  if (!best.placement.placed) return "not placed, but " + what + " is\n";
  return best.placement.makespan > *other ? "slower than " + what + "\n" : "";
}

// Everything that is wrong with the answer.
std::string WhatIsWrong(const RandomStream& random, const ScheduleOptions& options,
                        Totals* totals) {
  ScheduleOptions plain = options;
  plain.strategy = Strategy::kStreamSchedule;
  plain.robust = false;
  const absl::StatusOr<ScheduleAnswer> list =
      ScheduleStream(random.stream, random.hardware, plain, {});
  const absl::StatusOr<ScheduleAnswer> best =
      ScheduleStream(random.stream, random.hardware, options, {});
  if (!list.ok() || !best.ok()) return best.status().ToString();
  std::string wrong = Violations(random.stream, random.hardware, *best);
  wrong += Compare("the input order", *best, best->input_allocated_makespan);
  if (list->placement.placed) {
    wrong += Compare("STREAM_SCHEDULE", *best, list->placement.makespan);
  }
  for (const ScheduleAnswer* answer : {&*best, &*list}) {
    if (answer->placement.placed && answer->placement.makespan < best->lower_bound.cycles) {
      wrong += "a schedule is shorter than the lower bound\n";
    }
  }
  if (options.swaps_forbidden && best->placement.swaps != 0) wrong += "swaps\n";
  totals->placed += best->placement.placed;
  totals->proven += best->placement.placed && best->placement.makespan == best->lower_bound.cycles;
  totals->faster += best->placement.placed && (!list->placement.placed ||
                                               best->placement.makespan < list->placement.makespan);
  return wrong;
}

Totals CompareSeeds(uint64_t first, uint64_t last, OracleKind oracle, bool dma = false) {
  Totals totals;
  int failures = 0;
  for (uint64_t seed = first; seed < last && failures < 3; ++seed) {
    Shape shape;
    shape.most_ops = 10 + static_cast<uint32_t>(seed % 6) * 12;
    shape.most_buffers = 4 + static_cast<uint32_t>(seed % 5) * 4;
    shape.regions = seed % 11 == 0;
    shape.banks = seed % 13 == 0;
    shape.dma = dma;
    RandomStream random = MakeRandomStream(seed, shape);
    random.options.strategy = Strategy::kOptimize;
    random.options.oracle = oracle;
    random.options.work_limit = 4000 + seed % 3 * 4000;
    random.options.swaps_forbidden = seed % 5 == 0;
    const std::string wrong = WhatIsWrong(random, random.options, &totals);
    if (wrong.empty()) continue;
    ++failures;
    ADD_FAILURE() << "seed " << seed << "\n" << wrong << reference::DumpStream(seed, random);
  }
  return totals;
}

TEST(OptimizeRandom, SequentialNeverWorseThanInputOrStreamSchedule) {
  const Totals totals = CompareSeeds(0, 10000, OracleKind::kSequential);
  EXPECT_GT(totals.faster, 3000u);
  EXPECT_GT(totals.proven, 500u);
}

TEST(OptimizeRandom, OfflineNeverWorseThanInputOrStreamSchedule) {
  const Totals totals = CompareSeeds(0, 10000, OracleKind::kOffline);
  EXPECT_GT(totals.faster, 3000u);
  EXPECT_GT(totals.proven, 500u);
}

TEST(OptimizeRandom, OtherDmaEnginesNeverWorseThanInputOrStreamSchedule) {
  EXPECT_GT(CompareSeeds(20000, 21000, OracleKind::kSequential, /*dma=*/true).faster, 100u);
  EXPECT_GT(CompareSeeds(20000, 21000, OracleKind::kOffline, /*dma=*/true).faster, 100u);
}

// The largest of the prices that `sensitivity` tells, and of the makespan.
uint64_t WorstOf(const ScheduleAnswer& answer) {
  uint64_t worst = answer.placement.makespan;
  for (const Sensitivity& price : answer.sensitivity) worst = std::max(worst, price.makespan);
  return worst;
}

// How many of the streams have a robust answer that is better in its worst price than
// STREAM_SCHEDULE's; it is never worse.
uint64_t BetterInTheWorst(uint64_t first, uint64_t last, bool dma) {
  uint64_t better = 0;
  for (uint64_t seed = first; seed < last; ++seed) {
    SCOPED_TRACE(seed);
    Shape shape;
    shape.most_ops = 10 + static_cast<uint32_t>(seed % 5) * 10;
    shape.dma = dma;
    RandomStream random = MakeRandomStream(seed, shape);
    ScheduleOptions options = random.options;
    options.oracle = seed % 2 == 0 ? OracleKind::kSequential : OracleKind::kOffline;
    options.swaps_forbidden = seed % 5 == 0;
    options.sensitivity = true;
    options.strategy = Strategy::kStreamSchedule;
    const absl::StatusOr<ScheduleAnswer> list =
        ScheduleStream(random.stream, random.hardware, options, {});
    options.strategy = Strategy::kOptimize;
    options.robust = true;
    options.work_limit = 6000;
    const absl::StatusOr<ScheduleAnswer> best =
        ScheduleStream(random.stream, random.hardware, options, {});
    EXPECT_TRUE(list.ok() && best.ok()) << best.status();
    if (!list.ok() || !best.ok()) break;
    EXPECT_EQ(Violations(random.stream, random.hardware, *best), "");
    if (!list->placement.placed) continue;
    EXPECT_TRUE(best->placement.placed);
    EXPECT_LE(WorstOf(*best), WorstOf(*list));
    better += WorstOf(*best) < WorstOf(*list);
    if (testing::Test::HasFailure()) break;
  }
  return better;
}

TEST(OptimizeRandom, RobustIsNeverWorseInTheWorstPriceThanStreamSchedule) {
  EXPECT_GT(BetterInTheWorst(30000, 31000, /*dma=*/false), 300u);
  EXPECT_GT(BetterInTheWorst(31000, 33000, /*dma=*/true), 500u);
}

}  // namespace
}  // namespace torqsched
