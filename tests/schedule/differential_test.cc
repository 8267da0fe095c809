// Random streams: the library against the slow, literal reference, and every answer through the
// checker. A failure prints the seed and the stream as a case.
#include <cstdint>
#include <string>

#include "gtest/gtest.h"
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

void CompareSeeds(uint64_t first, uint64_t last, const Shape& shape) {
  int failures = 0;
  for (uint64_t seed = first; seed < last && failures < 3; ++seed) {
    const RandomStream random = reference::MakeRandomStream(seed, shape);
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

}  // namespace
}  // namespace torqsched
