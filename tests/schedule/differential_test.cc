// Random streams: the library against the slow, literal reference, and every answer through the
// checker. A failure prints the seed and the stream as a case.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "src/schedule/schedule_stream.h"
#include "tests/reference/case_io.h"
#include "tests/reference/random_streams.h"
#include "tests/reference/reference.h"
#include "tests/schedule/implementation.h"

namespace torqsched {
namespace {

using reference::Differences;
using reference::RandomStream;
using reference::Shape;

// Everything that is wrong with the library's answers for one stream.
std::string WhatIsWrong(const RandomStream& random) {
  const Stream& stream = random.stream;
  const Hardware& hardware = random.hardware;
  const LibraryUnderTest library(stream, hardware, random.options);
  if (!library.status().ok()) return std::string(library.status().message());

  std::string wrong;
  const ScheduleAnswer answer = library.Choose();
  wrong += Differences(
      "answer", reference::ReferenceScheduleStream(stream, hardware, random.options), answer);
  wrong += Violations(stream, hardware, answer);
  if (answer.bar.has_value() &&
      (!answer.placement.placed || answer.placement.makespan > *answer.bar)) {
    wrong += "slower than the input order by its own measure\n";
  }
  if (answer.placement.placed && answer.placement.makespan < answer.lower_bound.cycles) {
    wrong += "shorter than the lower bound\n";
  }
  for (const uint64_t cap : reference::ReferenceCaps(hardware, random.options)) {
    const Schedule schedule = library.List(cap);
    wrong += Differences("schedule",
                         reference::ReferenceListSchedule(stream, hardware, random.options, cap),
                         schedule);
    for (const bool swaps_allowed : {false, true}) {
      const Placement placement = library.Sequential(schedule.order, schedule.slice, swaps_allowed);
      wrong += Differences("placement",
                           reference::ReferenceSequential(stream, hardware, schedule.order,
                                                          schedule.slice, swaps_allowed),
                           placement);
      wrong += Violations(stream, hardware, schedule, &placement);
    }
  }
  return wrong;
}

void CompareSeeds(uint64_t first, uint64_t last, const Shape& shape, bool swaps_forbidden = false) {
  int failures = 0;
  for (uint64_t seed = first; seed < last && failures < 3; ++seed) {
    RandomStream random = reference::MakeRandomStream(seed, shape);
    random.options.swaps_forbidden = swaps_forbidden;
    const std::string wrong = WhatIsWrong(random);
    if (wrong.empty()) continue;
    ++failures;
    ADD_FAILURE() << "seed " << seed << "\n" << wrong << reference::DumpStream(seed, random);
  }
}

TEST(RandomStreams, TinyOnesAgreeWithTheReference) {
  Shape shape;
  shape.most_ops = 12;
  shape.most_buffers = 5;
  CompareSeeds(0, 4000, shape);
}

TEST(RandomStreams, MixedOnesAgreeWithTheReference) {
  Shape shape;
  shape.style = Shape::Style::kMixed;
  CompareSeeds(10000, 13500, shape);
}

TEST(RandomStreams, TiledOnesAgreeWithTheReference) {
  Shape shape;
  shape.style = Shape::Style::kRealistic;
  shape.most_ops = 60;
  CompareSeeds(20000, 22500, shape);
}

TEST(RandomStreams, ThoseInLramOfRegionsAndBanksAgreeWithTheReference) {
  Shape shape;
  shape.regions = true;
  shape.banks = true;
  CompareSeeds(30000, 32500, shape);
  shape.most_ops = 12;
  shape.most_buffers = 5;
  CompareSeeds(40000, 42000, shape);
}

TEST(RandomStreams, WithoutSwapsTheyAgreeWithTheReference) {
  Shape shape;
  CompareSeeds(70000, 71000, shape, /*swaps_forbidden=*/true);
}

// Any order that keeps the dependences; pure ops come as they please, but before who lists them.
std::vector<OpIndex> RandomOrder(const Stream& stream, reference::SplitMix64* random) {
  const std::vector<std::vector<bool>> needs = reference::ReferenceNeeds(stream);
  std::vector<OpIndex> order;
  std::vector<bool> out(stream.op_count(), false);
  while (order.size() < stream.op_count()) {
    std::vector<OpIndex> ready;
    for (uint32_t i = 0; i < stream.op_count(); ++i) {
      bool waits = out[i];
      for (uint32_t j = 0; j < stream.op_count(); ++j) waits |= needs[i][j] && !out[j];
      if (!waits) ready.push_back(OpIndex(i));
    }
    order.push_back(ready[random->Below(ready.size())]);
    out[order.back().value()] = true;
  }
  return order;
}

// Whether an op that is not pure stands before one that it needs.
bool BreaksADependence(const Stream& stream, const std::vector<OpIndex>& order) {
  const std::vector<std::vector<bool>> needs = reference::ReferenceNeeds(stream);
  for (size_t p = 0; p < order.size(); ++p) {
    if (stream.op(order[p]).kind == OpKind::kPure) continue;
    for (size_t later = p + 1; later < order.size(); ++later) {
      const bool pure = stream.op(order[later]).kind == OpKind::kPure;
      if (!pure && needs[order[p].value()][order[later].value()]) return true;
    }
  }
  return false;
}

std::string WhatIsWrongWithOrders(const RandomStream& random, uint64_t seed) {
  const Stream& stream = random.stream;
  reference::SplitMix64 numbers(seed);
  IndexVector<OpIndex, uint8_t> slices(stream.op_count(), 0);
  for (uint8_t& slice : slices) slice = static_cast<uint8_t>(numbers.Below(random.hardware.slices));
  Schedule schedule;
  schedule.slice = slices;
  std::string wrong;
  for (int i = 0; i < 4; ++i) {
    schedule.order = RandomOrder(stream, &numbers);
    const reference::Priced priced =
        reference::ReferenceSimulate(stream, random.hardware, schedule.order, slices);
    const absl::StatusOr<Simulation> simulation =
        SimulateStream(stream, random.hardware, schedule.order, slices, false);
    if (!simulation.ok()) return std::string(simulation.status().message());
    if (simulation->makespan != priced.makespan) wrong += "another price than the reference's\n";
    if (simulation->makespan < simulation->lower_bound.cycles) wrong += "below the bound\n";
    schedule.makespan = priced.makespan;
    schedule.peak = priced.peak;
    wrong += Violations(stream, random.hardware, schedule, nullptr);
    if (stream.op_count() < 2) continue;
    std::vector<OpIndex> other = schedule.order;
    std::swap(other[numbers.Below(other.size())], other[numbers.Below(other.size())]);
    const bool refused = !SimulateStream(stream, random.hardware, other, slices, false).ok();
    const bool broken = BreaksADependence(stream, other);
    if (random.hardware.non_blocking_transfers && refused != broken) {
      wrong += broken ? "a broken order has a price\n" : "a good order has none\n";
    }
  }
  return wrong;
}

TEST(RandomOrders, HaveOnePriceOnOtherDmaOrNone) {
  Shape shape;
  shape.dma = true;
  shape.most_ops = 25;
  int failures = 0;
  for (uint64_t seed = 70000; seed < 71500 && failures < 3; ++seed) {
    const RandomStream random = reference::MakeRandomStream(seed, shape);
    const std::string wrong = WhatIsWrongWithOrders(random, seed);
    if (wrong.empty()) continue;
    ++failures;
    ADD_FAILURE() << "seed " << seed << "\n" << wrong << reference::DumpStream(seed, random);
  }
}

TEST(RandomStreams, ThoseWithOtherDmaAgreeWithTheReference) {
  Shape shape;
  shape.dma = true;
  CompareSeeds(50000, 53500, shape);
  shape.most_ops = 12;
  shape.most_buffers = 5;
  CompareSeeds(60000, 64000, shape);
}

}  // namespace
}  // namespace torqsched
