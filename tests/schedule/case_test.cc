// The cases with exact answers: order, slices, times, peaks, placements and attempts, to the cycle.
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/reference/case_io.h"
#include "tests/schedule/implementation.h"

namespace torqsched {
namespace {

using reference::ScheduleCase;

constexpr char kCases[] = "testdata/cases/schedule.jsonl";

std::vector<ScheduleCase> Cases() {
  absl::StatusOr<std::vector<ScheduleCase>> cases = reference::LoadScheduleCases(kCases);
  EXPECT_TRUE(cases.ok()) << cases.status();
  return cases.ok() ? *std::move(cases) : std::vector<ScheduleCase>();
}

TEST(Cases, GiveExactlyWhatTheyMustGive) {
  const std::vector<ScheduleCase> cases = Cases();
  EXPECT_EQ(cases.size(), 17u);
  for (const ScheduleCase& c : cases) {
    SCOPED_TRACE(c.name);
    const LibraryUnderTest library(c.stream, c.hardware, c.options);
    ASSERT_TRUE(library.status().ok()) << library.status();
    EXPECT_EQ(reference::MismatchesWithCase(c, library.Pieces()), "");
  }
}

TEST(Cases, EveryScheduleAndPlacementPassesTheChecker) {
  for (const ScheduleCase& c : Cases()) {
    SCOPED_TRACE(c.name);
    const LibraryUnderTest library(c.stream, c.hardware, c.options);
    ASSERT_TRUE(library.status().ok()) << library.status();
    EXPECT_EQ(Violations(c.stream, c.hardware, library.Choose()), "");
    for (const uint64_t cap : c.caps) {
      const Schedule schedule = library.List(cap);
      for (const bool swaps_allowed : {false, true}) {
        const Placement placement =
            library.Sequential(schedule.order, schedule.slice, swaps_allowed);
        EXPECT_EQ(Violations(c.stream, c.hardware, schedule, &placement), "");
      }
    }
  }
}

}  // namespace
}  // namespace torqsched
