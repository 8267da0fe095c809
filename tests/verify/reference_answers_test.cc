// Answers of the slow second implementation, to random streams: all of them hold, with their swaps,
// prices and peaks; with any one move taken away they do not.
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tests/reference/random_streams.h"
#include "tests/reference/reference.h"
#include "tests/verify/scene.h"

namespace torqsched {
namespace {

Claim ClaimOf(const Stream& stream, const Schedule& schedule, const Placement& placement) {
  Claim claim;
  claim.order = schedule.order;
  for (size_t i = 0; i < stream.op_count(); ++i) {
    const OpIndex op(i);
    if (stream.op(op).kind == OpKind::kStart) claim.slices.push_back({op, schedule.slice[op]});
  }
  claim.placement = &placement;
  claim.predicted_makespan = schedule.makespan;
  claim.peak_live_bytes = schedule.peak;
  if (placement.placed) claim.allocated_makespan = placement.makespan;
  return claim;
}

TEST(ReferenceAnswers, HoldAndDoNotWithoutOneOfTheirMoves) {
  int placed = 0;
  int swapped = 0;
  for (uint64_t seed = 0; seed < 1500; ++seed) {
    reference::Shape shape;
    shape.dma = seed % 3 == 2;
    const reference::RandomStream random = reference::MakeRandomStream(seed, shape);
    const Stream& stream = random.stream;
    const Hardware& hardware = random.hardware;
    if (!reference::ReferenceInvalid(stream, hardware, random.options).empty()) continue;

    std::vector<Schedule> schedules(1);
    schedules[0].order = reference::InputOrder(stream);
    schedules[0].slice = reference::InputSlices(stream);
    const reference::Priced priced =
        reference::ReferenceSimulate(stream, hardware, schedules[0].order, schedules[0].slice);
    schedules[0].makespan = priced.makespan;
    schedules[0].peak = priced.peak;
    for (const uint64_t cap : reference::ReferenceCaps(hardware, random.options)) {
      schedules.push_back(reference::ReferenceListSchedule(stream, hardware, random.options, cap));
    }
    for (const Schedule& schedule : schedules) {
      Placement placement =
          reference::ReferenceSequential(stream, hardware, schedule.order, schedule.slice, true);
      const Verification verification =
          Verify(stream, hardware, ClaimOf(stream, schedule, placement));
      ASSERT_TRUE(verification.violations.empty()) << "seed " << seed << Listed(verification);
      if (!placement.placed) continue;
      ++placed;
      swapped += placement.swaps > 0 ? 1 : 0;
      if (placement.moves.empty()) continue;
      const size_t gone = seed % placement.moves.size();
      if (stream.buffer(placement.moves[gone].buffer).size == 0) continue;
      placement.moves.erase(placement.moves.begin() + gone);
      EXPECT_FALSE(
          Verify(stream, hardware, ClaimOf(stream, schedule, placement)).violations.empty())
          << "seed " << seed << ", move " << gone;
    }
  }
  EXPECT_GT(placed, 1000);
  EXPECT_GT(swapped, 100);
}

}  // namespace
}  // namespace torqsched
