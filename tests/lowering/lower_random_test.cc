// Thousands of small random tables: each stream does what its table says, and can be scheduled.
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "gtest/gtest.h"
#include "src/lowering/check_lowering.h"
#include "src/lowering/lower.h"
#include "src/schedule/schedule_stream.h"
#include "tests/lowering/plain_lowering_check.h"
#include "tests/lowering/random_tables.h"
#include "tests/schedule/implementation.h"

namespace torqsched {
namespace {

constexpr uint64_t kTables = 2500;

TEST(RandomTables, EachIsLoweredAsItSaysOrDoesNotFit) {
  uint64_t lowered_count = 0, placed = 0, cut = 0, sums = 0, chunks = 0, resident = 0;
  for (uint64_t seed = 1; seed <= kTables; ++seed) {
    const RandomTable table = MakeRandomTable(seed);
    const absl::StatusOr<LoweredNetwork> lowered =
        LowerNetwork(table.network, table.hardware, table.numbers, table.options);
    if (!lowered.ok()) {
      // Only for want of room.
      EXPECT_TRUE(absl::StrContains(lowered.status().message(), "its smallest tile takes"))
          << "seed " << seed << ": " << lowered.status() << "\n"
          << Describe(table);
      continue;
    }
    ++lowered_count;
    EXPECT_EQ(CheckLowering(table.network, *lowered), absl::OkStatus()) << "seed " << seed << "\n"
                                                                        << Describe(table);
    EXPECT_EQ(LoweringFaults(table.network, table.hardware, table.numbers, table.options, *lowered),
              "")
        << "seed " << seed << "\n"
        << Describe(table);
    for (const LoweredLayer& layer : lowered->layers) {
      cut += layer.row_tiles * layer.n_tiles > 1;
      sums += layer.k_tiles > 1;
      chunks += layer.chunks > 1;
      resident += layer.output_resident;
    }
    const absl::StatusOr<ScheduleAnswer> answer =
        ScheduleStream(lowered->stream, table.hardware, ScheduleOptions(), {});
    ASSERT_TRUE(answer.ok()) << "seed " << seed << ": " << answer.status() << "\n"
                             << Describe(table);
    EXPECT_EQ(Violations(lowered->stream, table.hardware, *answer), "") << "seed " << seed;
    placed += answer->placement.placed;
    if (::testing::Test::HasFailure()) return;
  }
  // All that there is came up often.
  RecordProperty("lowered", static_cast<int>(lowered_count));
  EXPECT_GT(lowered_count, kTables * 8 / 10);
  EXPECT_GT(placed, lowered_count * 9 / 10);
  EXPECT_GT(cut, kTables / 2);
  EXPECT_GT(sums, kTables / 50);
  EXPECT_GT(chunks, kTables / 100);
  EXPECT_GT(resident, kTables / 2);
}

}  // namespace
}  // namespace torqsched
