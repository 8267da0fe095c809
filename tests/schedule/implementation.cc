#include "tests/schedule/implementation.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "src/lram/sequential.h"
#include "src/schedule/list_scheduler.h"
#include "src/schedule/schedule_stream.h"
#include "src/schedule/timeline.h"
#include "src/verify/verify.h"

namespace torqsched {

LibraryUnderTest::LibraryUnderTest(const Stream& stream, const Hardware& hardware,
                                   const ScheduleOptions& options)
    : stream_(stream), hardware_(hardware), options_(options) {
  absl::StatusOr<std::unique_ptr<const ScheduleProblem>> problem =
      ScheduleProblem::Make(stream, hardware);
  status_ = problem.status();
  if (problem.ok()) problem_ = *std::move(problem);
}

uint64_t LibraryUnderTest::Simulate(const std::vector<OpIndex>& order,
                                    const IndexVector<OpIndex, uint8_t>& slices) const {
  const absl::StatusOr<Simulation> simulation =
      SimulateStream(stream_, hardware_, order, slices, /*timeline=*/false);
  EXPECT_TRUE(simulation.ok()) << simulation.status();
  return simulation.ok() ? simulation->makespan : 0;
}

Schedule LibraryUnderTest::List(uint64_t cap) const {
  ListParameters parameters;
  parameters.cap = cap;
  parameters.prefetch_percent = options_.prefetch_percent;
  parameters.urgent_starts = options_.urgent_starts;
  parameters.candidates = options_.candidates;
  parameters.explain = options_.explain;
  ListWork work;
  return ListSchedule(*problem_, parameters, &work);
}

Placement LibraryUnderTest::Sequential(const std::vector<OpIndex>& order,
                                       const IndexVector<OpIndex, uint8_t>& slices,
                                       bool swaps_allowed) const {
  absl::StatusOr<Placement> placement = PlaceSequentially(*problem_, order, slices, swaps_allowed);
  EXPECT_TRUE(placement.ok()) << placement.status();
  return placement.ok() ? *std::move(placement) : Placement();
}

ScheduleAnswer LibraryUnderTest::Choose() const {
  absl::StatusOr<ScheduleAnswer> answer = ScheduleStream(stream_, hardware_, options_, {});
  EXPECT_TRUE(answer.ok()) << answer.status();
  return answer.ok() ? *std::move(answer) : ScheduleAnswer();
}

reference::Implementation LibraryUnderTest::Pieces() const {
  reference::Implementation pieces;
  pieces.simulate = [this](const auto& order, const auto& slices) {
    return Simulate(order, slices);
  };
  pieces.list_schedule = [this](uint64_t cap) { return List(cap); };
  pieces.sequential = [this](const auto& order, const auto& slices, bool swaps_allowed) {
    return Sequential(order, slices, swaps_allowed);
  };
  pieces.schedule_stream = [this] { return Choose(); };
  return pieces;
}

std::string Violations(const Stream& stream, const Hardware& hardware, const Schedule& schedule,
                       const Placement* placement) {
  Claim claim;
  claim.order = schedule.order;
  for (uint32_t i = 0; i < stream.op_count(); ++i) {
    if (stream.op(OpIndex(i)).kind == OpKind::kStart) {
      claim.slices.push_back({OpIndex(i), schedule.slice[OpIndex(i)]});
    }
  }
  claim.predicted_makespan = schedule.makespan;
  claim.peak_live_bytes = schedule.peak;
  if (placement != nullptr && placement->placed) {
    claim.placement = placement;
    claim.allocated_makespan = placement->makespan;
  }
  std::string text;
  for (const Violation& violation : Verify(stream, hardware, claim).violations) {
    absl::StrAppend(&text, violation.message, "\n");
  }
  return text;
}

std::string Violations(const Stream& stream, const Hardware& hardware,
                       const ScheduleAnswer& answer) {
  return Violations(stream, hardware, answer.schedule, &answer.placement);
}

}  // namespace torqsched
