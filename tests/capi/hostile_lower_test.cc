// Bytes and numbers that nobody meant in requests of torqsched_plan_tiles and torqsched_lower:
// nothing crashes, every answer is readable, and holds at a glance.
#include <cstdint>
#include <string>

#include "gtest/gtest.h"
#include "tests/capi/calls.h"
#include "tests/capi/hostile.h"
#include "tests/capi/lower_requests.h"
#include "tests/capi/streams.h"

namespace torqsched {
namespace testing {
namespace {

// Few tiles, whatever becomes of its numbers, and few trials.
v1::LowerRequest SomeLowering(int i) {
  v1::LowerRequest request =
      i % 4 == 0 ? OneOfEach() : RandomLowering(static_cast<uint64_t>(i % 32), 5);
  request.mutable_options()->set_most_programs(200);
  if (i % 8 != 5) return request;
  request.mutable_options()->mutable_tuning()->set_most_trials(2);
  request.mutable_options()->mutable_tuning()->mutable_schedule()->set_work_limit(1000);
  return request;
}

TEST(HostileLowering, FlippedTilings) {
  Random random(14);
  int answered = 0;
  for (int i = 0; i < 6000; ++i) {
    std::string bytes = RandomTiles(static_cast<uint64_t>(i % 32), 4).SerializeAsString();
    FlipBytes(&random, &bytes);
    if (ExpectReadable(kPlanTiles, bytes) != TORQSCHED_OK) continue;
    ++answered;
    SCOPED_TRACE(i);
    const auto response = Parse<v1::PlanTilesResponse>(Ask(kPlanTiles, bytes).bytes);
    EXPECT_EQ(WrongAtAGlance(Parse<v1::PlanTilesRequest>(bytes), response), "");
    if (HasFailure()) break;
  }
  EXPECT_GT(answered, 200);
}

// What becomes of a table that is one still is a stream that can be scheduled.
void ExpectLowered(const v1::LowerRequest& request) {
  const auto response = Parse<v1::LowerResponse>(Ask(kLower, request).bytes);
  EXPECT_EQ(WrongAtAGlance(request, response), "") << request.DebugString();
  v1::ScheduleRequest schedule;
  *schedule.mutable_stream() = response.stream();
  *schedule.mutable_hardware() = request.hardware();
  // Sums of cycles may not fit then.
  if (ExpectReadable(kSchedule, schedule.SerializeAsString()) != TORQSCHED_OK) return;
  ScheduleAndVerify(schedule);
}

// Whether the numbers still bound the work that a request asks for.
bool IsSmall(const v1::LowerRequest& request) {
  const v1::LowerOptions& options = request.options();
  const v1::ScheduleOptions& schedule = options.tuning().schedule();
  return options.has_most_programs() && options.most_programs() <= 200 &&
         (!options.has_tuning() ||
          (options.tuning().has_most_trials() && options.tuning().most_trials() <= 10 &&
           schedule.has_work_limit() && schedule.work_limit() <= 10000));
}

TEST(HostileLowering, FlippedLowerings) {
  Random random(15);
  int answered = 0;
  for (int i = 0; i < 6000; ++i) {
    std::string bytes = SomeLowering(i).SerializeAsString();
    FlipBytes(&random, &bytes);
    v1::LowerRequest request;
    if (request.ParseFromString(bytes) && !IsSmall(request)) continue;
    if (ExpectReadable(kLower, bytes) != TORQSCHED_OK) continue;
    ++answered;
    SCOPED_TRACE(i);
    ExpectLowered(Parse<v1::LowerRequest>(bytes));
    if (HasFailure()) break;
  }
  EXPECT_GT(answered, 200);
}

TEST(HostileLowering, EdgeNumbersOfTilings) {
  Random random(16);
  int answered = 0;
  for (int i = 0; i < 20000; ++i) {
    v1::PlanTilesRequest request = RandomTiles(static_cast<uint64_t>(i % 64), 4);
    for (uint64_t changes = 1 + random.Below(3); changes > 0; --changes) {
      SetSomeEdge(&random, &request);
    }
    SCOPED_TRACE(i);
    if (ExpectReadable(kPlanTiles, request.SerializeAsString()) == TORQSCHED_OK) {
      ++answered;
      const auto response = Parse<v1::PlanTilesResponse>(Ask(kPlanTiles, request).bytes);
      EXPECT_EQ(WrongAtAGlance(request, response), "") << request.DebugString();
    }
    if (HasFailure()) break;
  }
  EXPECT_GT(answered, 1000);
}

TEST(HostileLowering, EdgeNumbersOfLowerings) {
  Random random(17);
  int answered = 0;
  for (int i = 0; i < 10000; ++i) {
    v1::LowerRequest request = SomeLowering(i);
    for (uint64_t changes = 1 + random.Below(3); changes > 0; --changes) {
      SetSomeEdge(&random, &request);
    }
    if (!IsSmall(request)) continue;
    SCOPED_TRACE(i);
    if (ExpectReadable(kLower, request.SerializeAsString()) == TORQSCHED_OK) {
      ++answered;
      ExpectLowered(request);
    }
    if (HasFailure()) break;
  }
  EXPECT_GT(answered, 1000);
}

}  // namespace
}  // namespace testing
}  // namespace torqsched
