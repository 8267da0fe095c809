// Live ranges of a stream's LRAM buffers, worked out by hand; on random streams and orders against
// the peak of live bytes and against what the checker finds in its own way.
#include "src/lram/lram_problem.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "src/schedule/timeline.h"
#include "src/stream/error.h"
#include "src/verify/stream_allocation.h"
#include "tests/reference/random_streams.h"
#include "tests/stream/stream_maker.h"

namespace torqsched {
namespace {

Hardware Chip() {
  Hardware hardware;
  hardware.lram_bytes = 1000;
  hardware.lram_reserved_bytes = 100;
  hardware.alignment = 8;
  hardware.slices = 2;
  return hardware;
}

std::vector<OpIndex> InputOrder(const Stream& stream) {
  std::vector<OpIndex> order;
  for (size_t i = 0; i < stream.op_count(); ++i) order.emplace_back(i);
  return order;
}

AllocationProblem Problem(const Stream& stream, const std::vector<OpIndex>& order) {
  absl::StatusOr<AllocationProblem> problem = MakeLramProblem(stream, Chip(), order);
  EXPECT_TRUE(problem.ok()) << problem.status();
  return problem.ok() ? *std::move(problem) : AllocationProblem();
}

void ExpectLive(const AllocationProblem& problem, uint32_t buffer, uint64_t lower, uint64_t upper) {
  ASSERT_LT(buffer, problem.buffers.size());
  EXPECT_EQ(problem.buffers[buffer].live.lower, lower) << "buffer " << buffer;
  EXPECT_EQ(problem.buffers[buffer].live.upper, upper) << "buffer " << buffer;
}

TEST(LramProblem, HasTheHardwaresRegions) {
  StreamMaker maker;
  const uint32_t used = maker.Lram(500);
  // Neither is used, so that they could not lie in a region is no reason to refuse the stream.
  const uint32_t large = maker.Lram(501);
  const uint32_t fixed = maker.Add(FixedAt(399, LramBuffer(2)));
  const uint32_t whole = maker.Add(FixedAt(400, LramBuffer(500)));  // this one could
  maker.Load(1, {Writes(used)});
  const Stream stream = maker.Build();
  Hardware hardware = Chip();
  hardware.region_bytes = {400, 500};
  const std::vector<OpIndex> order = InputOrder(stream);
  for (const auto& problem :
       {MakeLramProblem(stream, hardware, order), AllocationToVerify(stream, hardware, order)}) {
    ASSERT_TRUE(problem.ok()) << problem.status();
    EXPECT_EQ(problem->boundaries, std::vector<uint64_t>{400});
    EXPECT_EQ(problem->capacity, 900u);
    EXPECT_EQ(problem->buffers[used].size, 500u);
    EXPECT_EQ(problem->buffers[large].size, 0u);
    EXPECT_FALSE(problem->buffers[fixed].fixed_offset.has_value());
    EXPECT_EQ(problem->buffers[whole].fixed_offset, 400u);
  }
}

TEST(LramProblem, BufferLivesFromItsFirstUserToItsLastInclusive) {
  StreamMaker maker;
  const uint32_t a = maker.Lram(8);
  const uint32_t b = maker.Lram(8);
  maker.Barrier(1);
  maker.Load(1, {Writes(a)});
  maker.Barrier(1);
  maker.Store(1, {Reads(a)});
  maker.Load(1, {Writes(b)});
  const Stream stream = maker.Build();
  const AllocationProblem problem = Problem(stream, InputOrder(stream));
  ExpectLive(problem, a, 1, 4);
  ExpectLive(problem, b, 4, 5);
}

TEST(LramProblem, ProgramUsesUntilItsWait) {
  StreamMaker maker;
  const uint32_t a = maker.Lram(8);
  const uint32_t start = maker.Start(1, {Reads(a)});
  maker.Barrier(1);
  maker.Wait(start);
  maker.Barrier(1);
  const Stream stream = maker.Build();
  ExpectLive(Problem(stream, InputOrder(stream)), a, 0, 3);
}

TEST(LramProblem, TwoUsersAtOneOpAreLiveTogetherAndDieTogether) {
  StreamMaker maker;
  const uint32_t a = maker.Lram(8);
  const uint32_t b = maker.Lram(8);
  maker.Load(1, {Writes(a)});
  maker.Barrier(1, {Reads(a), Writes(b)});
  const Stream stream = maker.Build();
  const AllocationProblem problem = Problem(stream, InputOrder(stream));
  ExpectLive(problem, a, 0, 2);
  ExpectLive(problem, b, 1, 2);
}

TEST(LramProblem, LiveInBeginsAtTheFirstOpAndLiveOutEndsAtTheLast) {
  StreamMaker maker;
  const uint32_t in = maker.Add(LiveIn(LramBuffer(8)));
  const uint32_t out = maker.Add(LiveOut(LramBuffer(8)));
  const uint32_t both = maker.Add(LiveIn(LiveOut(LramBuffer(8))));
  const uint32_t unused_in = maker.Add(LiveIn(LramBuffer(8)));
  const uint32_t unused_out = maker.Add(LiveOut(LramBuffer(8)));
  maker.Barrier(1);
  maker.Barrier(1, {Reads(in)});
  maker.Barrier(1, {Writes(out)});
  maker.Barrier(1);
  const Stream stream = maker.Build();
  const AllocationProblem problem = Problem(stream, InputOrder(stream));
  ExpectLive(problem, in, 0, 2);
  ExpectLive(problem, out, 2, 4);
  ExpectLive(problem, both, 0, 4);
  ExpectLive(problem, unused_in, 0, 0);
  ExpectLive(problem, unused_out, 0, 0);
}

TEST(LramProblem, StreamWithoutOpsStillHasOnePointInTime) {
  StreamMaker maker;
  const uint32_t a = maker.Add(LiveIn(LiveOut(LramBuffer(600))));
  const uint32_t b = maker.Add(LiveIn(LiveOut(LramBuffer(600))));
  const Stream stream = maker.Build();
  const AllocationProblem problem = Problem(stream, {});
  ExpectLive(problem, a, 0, 1);
  ExpectLive(problem, b, 0, 1);
}

TEST(LramProblem, BuffersKeepTheirPositionsAndNumbers) {
  StreamMaker maker;
  const uint32_t x = maker.Xram(std::numeric_limits<uint64_t>::max());
  Buffer aligned = FixedAt(64, LramBuffer(24));
  aligned.alignment = 32;
  const uint32_t a = maker.Add(aligned);
  const uint32_t unused = maker.Lram(40);
  maker.Load(1, {Writes(a)});
  const Stream stream = maker.Build();
  const AllocationProblem problem = Problem(stream, InputOrder(stream));
  ASSERT_EQ(problem.buffers.size(), 3u);
  EXPECT_EQ(problem.buffers[x].size, 0u);
  ExpectLive(problem, x, 0, 0);
  EXPECT_EQ(problem.buffers[a].size, 24u);
  EXPECT_EQ(problem.buffers[a].alignment, 32u);
  EXPECT_EQ(problem.buffers[a].fixed_offset, 64u);
  EXPECT_EQ(problem.buffers[unused].size, 40u);
  ExpectLive(problem, unused, 0, 0);
  EXPECT_EQ(problem.capacity, 900u);
  EXPECT_EQ(problem.alignment, 8u);
}

TEST(LramProblem, UnusedBufferThatCouldNotLieInLramIsNoReasonToRefuse) {
  StreamMaker maker;
  const uint32_t huge = maker.Lram(std::numeric_limits<uint64_t>::max());
  const uint32_t beyond = maker.Add(FixedAt(std::numeric_limits<uint64_t>::max(), LramBuffer(8)));
  const Stream stream = maker.Build();
  const AllocationProblem problem = Problem(stream, {});
  EXPECT_EQ(problem.buffers[huge].size, 0u);
  EXPECT_FALSE(problem.buffers[beyond].fixed_offset.has_value());
}

TEST(LramProblem, OrderThatIsNoneIsRefused) {
  StreamMaker maker;
  const uint32_t start = maker.Start(1, {});
  maker.Wait(start);
  const Stream stream = maker.Build();
  const std::vector<std::pair<std::vector<OpIndex>, std::string>> orders = {
      {{}, "order"},
      {{OpIndex(0)}, "order"},
      {{OpIndex(0), OpIndex(0)}, "order[1]"},
      {{OpIndex(0), OpIndex(7)}, "order[1]"},
      {{OpIndex(1), OpIndex(0)}, "order[0]"}};
  for (const auto& [order, field] : orders) {
    const absl::Status status = MakeLramProblem(stream, Chip(), order).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    EXPECT_EQ(PlaceOf(status).field, field) << status;
    EXPECT_EQ(PlaceOf(AllocationToVerify(stream, Chip(), order).status()).field, field);
  }
}

// The largest sum of sizes over the times.
uint64_t LargestSum(const AllocationProblem& problem) {
  std::map<uint64_t, int64_t> change;
  for (const AllocationBuffer& buffer : problem.buffers) {
    if (buffer.live.lower == buffer.live.upper) continue;
    change[buffer.live.lower] += static_cast<int64_t>(buffer.size);
    change[buffer.live.upper] -= static_cast<int64_t>(buffer.size);
  }
  int64_t sum = 0;
  int64_t largest = 0;
  for (const auto& [time, by] : change) largest = std::max(largest, sum += by);
  return static_cast<uint64_t>(largest);
}

// An order that keeps waits behind their starts, and nothing else.
std::vector<OpIndex> AnyOrder(const Stream& stream, uint64_t seed) {
  reference::SplitMix64 random(seed);
  std::vector<OpIndex> order = InputOrder(stream);
  for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.Below(i)]);
  IndexVector<OpIndex, size_t> position(order.size(), 0);
  for (size_t i = 0; i < order.size(); ++i) position[order[i]] = i;
  for (size_t i = 0; i < order.size(); ++i) {
    const OpIndex op(i);
    if (stream.op(op).kind != OpKind::kWait) continue;
    const OpIndex start = stream.op(op).partner;
    if (position[op] > position[start]) continue;
    std::swap(order[position[op]], order[position[start]]);
    std::swap(position[op], position[start]);
  }
  return order;
}

TEST(LramProblem, RandomOrdersAgreeWithThePeakAndWithTheChecker) {
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE(seed);
    const reference::RandomStream random = reference::MakeRandomStream(seed, reference::Shape());
    const Stream& stream = random.stream;
    const absl::StatusOr<Lifetimes> lifetimes = Lifetimes::Build(stream, random.hardware);
    ASSERT_TRUE(lifetimes.ok()) << lifetimes.status();
    const std::vector<OpIndex> order = seed % 2 == 0 ? InputOrder(stream) : AnyOrder(stream, seed);
    const AllocationProblem problem = LramProblem(stream, random.hardware, *lifetimes, order);
    ASSERT_EQ(LargestSum(problem), PeakLiveBytes(stream, *lifetimes, order));
    const absl::StatusOr<AllocationProblem> other =
        AllocationToVerify(stream, random.hardware, order);
    ASSERT_TRUE(other.ok()) << other.status();
    ASSERT_EQ(problem.buffers.size(), other->buffers.size());
    EXPECT_EQ(problem.capacity, other->capacity);
    EXPECT_EQ(problem.alignment, other->alignment);
    for (size_t b = 0; b < problem.buffers.size(); ++b) {
      const AllocationBuffer& ours = problem.buffers[b];
      const AllocationBuffer& theirs = other->buffers[b];
      EXPECT_EQ(ours.size, theirs.size) << b;
      EXPECT_EQ(ours.alignment, theirs.alignment) << b;
      EXPECT_EQ(ours.fixed_offset, theirs.fixed_offset) << b;
      if (ours.size == 0) continue;  // of which the checker has no live range
      EXPECT_EQ(ours.live.lower, theirs.live.lower) << b;
      EXPECT_EQ(ours.live.upper, theirs.live.upper) << b;
    }
    if (HasFailure()) break;
  }
}

}  // namespace
}  // namespace torqsched
