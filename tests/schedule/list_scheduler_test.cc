// The list scheduler's work is counted, not timed; and sizes whose sums leave 64 bits are scheduled
// and placed as the reference does.
#include "src/schedule/list_scheduler.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "src/graph/problem.h"
#include "tests/reference/case_io.h"
#include "tests/reference/random_streams.h"
#include "tests/reference/reference.h"
#include "tests/schedule/implementation.h"
#include "tests/stream/stream_maker.h"

namespace torqsched {
namespace {

using reference::Differences;
using reference::RandomStream;

constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();
constexpr uint64_t kHalf = uint64_t{1} << 63;

// ---- work -------------------------------------------------------------------------------------

// Tiles that follow each other: alloc, load weights, program, store its output.
Stream RepeatedTiles(uint32_t tiles, StreamMaker* maker) {
  for (uint32_t i = 0; i < 2 * tiles; ++i) maker->Lram(40);
  for (uint32_t i = 0; i < tiles; ++i) {
    const uint32_t alloc = maker->Alloc(2 * i + 1);
    maker->Load(30, {Writes(2 * i)});
    maker->Program(100, {Reads(2 * i), Writes(2 * i + 1)}, {alloc});
    maker->Store(20, {Reads(2 * i + 1)});
  }
  return maker->Build();
}

ListWork WorkOf(const Stream& stream, const Hardware& hardware, const ListParameters& parameters) {
  const auto problem = ScheduleProblem::Make(stream, hardware);
  EXPECT_TRUE(problem.ok()) << problem.status();
  ListWork work;
  if (problem.ok()) ListSchedule(**problem, parameters, &work);
  return work;
}

TEST(ListWork, OfARepeatedStreamStaysWithinItsCandidates) {
  constexpr uint32_t kTiles = 3000;
  StreamMaker maker;
  const Stream stream = RepeatedTiles(kTiles, &maker);
  Hardware hardware;
  hardware.lram_bytes = 1000;
  hardware.slices = 2;
  for (const uint64_t candidates : {1, 4, 32, 1000}) {
    SCOPED_TRACE(candidates);
    ListParameters parameters;
    parameters.cap = 1000;
    parameters.prefetch_percent = 40;
    parameters.urgent_starts = 4;
    parameters.candidates = candidates;
    const ListWork work = WorkOf(stream, hardware, parameters);
    EXPECT_EQ(work.steps, 4u * kTiles);  // allocs are no actions
    EXPECT_LE(work.fit_tests, 2 * candidates * work.steps);
    EXPECT_GE(work.fit_tests, 3u * kTiles);  // each start, load and store was looked at
  }
}

// All loads are ready at once and none fits beside the first two: each step looks at `candidates`.
TEST(ListWork, IsBoundedWhereThousandsAreReadyAndNothingFits) {
  constexpr uint32_t kLoads = 5000;
  StreamMaker maker;
  for (uint32_t i = 0; i < kLoads; ++i) maker.Lram(400);
  for (uint32_t i = 0; i < kLoads; ++i) {
    maker.Load(10, {Writes(i)});
    maker.Program(1000, {Reads(i)});
  }
  const Stream stream = maker.Build();
  Hardware hardware;
  hardware.lram_bytes = 1000;
  ListParameters parameters;
  parameters.cap = 1000;
  parameters.candidates = 32;
  parameters.urgent_starts = kLoads;
  const ListWork work = WorkOf(stream, hardware, parameters);
  EXPECT_EQ(work.steps, 3u * kLoads);
  EXPECT_LE(work.fit_tests, 2 * 32 * work.steps);
  EXPECT_GE(work.fit_tests, 32u * (kLoads - 40));  // one such look for each wait
}

// Every load writes, and every program uses, the same buffer: without bytes there is nothing to
// leave out of a reserve; with bytes it is born with the first load.
TEST(ListWork, OfTheReserveDoesNotGrowWithTheProgramsThatShareADestination) {
  for (const uint64_t shared : {0, 4}) {
    SCOPED_TRACE(shared);
    StreamMaker maker;
    maker.Lram(shared);
    for (uint32_t i = 1; i <= 2000; ++i) {
      maker.Lram(8);
      maker.Load(10, {Writes(i), Writes(0, 0, 0)});
      maker.Program(10, {Reads(i), Reads(0, 0, 0)});
    }
    Hardware hardware;
    hardware.lram_bytes = 100;
    ListParameters parameters;
    parameters.cap = 100;
    parameters.prefetch_percent = 40;
    parameters.candidates = 32;
    EXPECT_LE(WorkOf(maker.Build(), hardware, parameters).reserve_programs, 5000u);
  }
}

TEST(ListWork, StepsAreTheOpsThatAreNotPure) {
  for (uint64_t seed = 800000; seed < 800300; ++seed) {
    const RandomStream random = reference::MakeRandomStream(seed, reference::Shape());
    uint64_t actions = 0;
    for (uint32_t i = 0; i < random.stream.op_count(); ++i) {
      actions += random.stream.op(OpIndex(i)).kind != OpKind::kPure;
    }
    ListParameters parameters;
    parameters.cap = random.hardware.usable_bytes();
    parameters.candidates = kMost;
    EXPECT_EQ(WorkOf(random.stream, random.hardware, parameters).steps, actions) << seed;
  }
}

// ---- sums beyond 64 bits ----------------------------------------------------------------------

std::string DifferencesFromReference(const Stream& stream, const Hardware& hardware,
                                     const ScheduleOptions& options) {
  const LibraryUnderTest library(stream, hardware, options);
  if (!library.status().ok()) return library.status().ToString();
  std::string wrong = Differences(
      "answer", reference::ReferenceScheduleStream(stream, hardware, options), library.Choose());
  for (const uint64_t cap : reference::ReferenceCaps(hardware, options)) {
    const Schedule schedule = library.List(cap);
    wrong += Differences(
        "schedule", reference::ReferenceListSchedule(stream, hardware, options, cap), schedule);
    for (const bool swaps_allowed : {false, true}) {
      wrong += Differences("placement",
                           reference::ReferenceSequential(stream, hardware, schedule.order,
                                                          schedule.slice, swaps_allowed),
                           library.Sequential(schedule.order, schedule.slice, swaps_allowed));
    }
  }
  return wrong;
}

// 2^64 - 1 bytes of LRAM; 2^63 bytes take 8 cycles.
class HugeSizes : public testing::Test {
 protected:
  HugeSizes() {
    hardware_.lram_bytes = kMost;
    hardware_.slices = 2;
    hardware_.start_cycles = 1;
    hardware_.dma_bytes = uint64_t{1} << 60;
    options_.prefetch_percent = 100;
  }

  Schedule ListAll(const Stream& stream) {
    const LibraryUnderTest library(stream, hardware_, options_);
    EXPECT_TRUE(library.status().ok()) << library.status();
    EXPECT_EQ(DifferencesFromReference(stream, hardware_, options_), "");
    return library.status().ok() ? library.List(kMost) : Schedule();
  }

  StreamMaker maker_;
  Hardware hardware_;
  ScheduleOptions options_;
};

// In 64 bits 2^63 + 2^63 would be 0, and fit anywhere.
TEST_F(HugeSizes, TwoHalvesDoNotFitTogether) {
  for (int i = 0; i < 3; ++i) maker_.Lram(kHalf);
  for (uint32_t i = 0; i < 3; ++i) {
    maker_.Load(10, {Writes(i)});
    maker_.Program(100, {Reads(i)});
  }
  const Stream stream = maker_.Build();
  const Schedule schedule = ListAll(stream);
  EXPECT_EQ(schedule.order, Ops({0, 1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(schedule.peak, kHalf);
  EXPECT_EQ(schedule.makespan, 330u);
}

TEST_F(HugeSizes, HalfAndAByteLessFitExactly) {
  maker_.Lram(kHalf);
  maker_.Lram(kHalf - 1);
  for (uint32_t i = 0; i < 2; ++i) {
    maker_.Load(10, {Writes(i)});
    maker_.Program(100, {Reads(i)});
  }
  const Stream stream = maker_.Build();
  const Schedule schedule = ListAll(stream);
  EXPECT_EQ(schedule.order, Ops({0, 1, 3, 4, 2, 5}));
  EXPECT_EQ(schedule.peak, kMost);
  EXPECT_EQ(schedule.makespan, 121u);  // 10, start 11, load 21, start until 121
}

// The older load is for the second program: it leaves room for the first one's weights and output.
TEST_F(HugeSizes, TheReserveIsPartOfTheSum) {
  for (const uint64_t output : {kHalf - 100, kHalf - 99}) {
    maker_ = StreamMaker();
    maker_.Lram(40);
    maker_.Lram(output);
    maker_.Lram(kHalf + 59);
    const uint32_t far = maker_.Load(10, {Writes(2)});
    const uint32_t near = maker_.Load(10, {Writes(0)});
    maker_.Program(100, {Reads(0), Writes(1)});
    maker_.Program(100, {Reads(2)});
    maker_.Store(10, {Reads(1)});
    const Stream stream = maker_.Build();
    // (2^63 + 59) + 40 + (2^63 - 100) = 2^64 - 1
    EXPECT_EQ(ListAll(stream).order[0], OpIndex(output == kHalf - 100 ? far : near)) << output;
  }
}

TEST_F(HugeSizes, AStartThatIsForcedCountsBeyond64Bits) {
  for (int i = 0; i < 3; ++i) maker_.Lram(kHalf);
  maker_.Program(100, {Writes(0), Writes(1), Writes(2)});
  maker_.Store(10, {Reads(2)});
  const Stream stream = maker_.Build();
  EXPECT_EQ(ListAll(stream).peak, kMost);  // 3 * 2^63, told as the largest number
}

TEST_F(HugeSizes, SwapBytesStopAtTheLargestNumber) {
  maker_.Lram(kHalf);
  maker_.Lram(kHalf);
  maker_.Load(10, {Writes(0)});
  maker_.Load(10, {Writes(1)});
  maker_.Store(10, {Reads(0)});
  maker_.Store(10, {Reads(1)});
  const Stream stream = maker_.Build();
  ListAll(stream);
  options_.strategy = Strategy::kNone;
  const LibraryUnderTest library(stream, hardware_, options_);
  const Placement placement = library.Choose().placement;
  EXPECT_TRUE(placement.placed);
  EXPECT_EQ(placement.swap_bytes, kMost);
  EXPECT_EQ(placement.makespan, 72u);  // 4 ops of 10, 4 swaps of 8
}

// The stream with every LRAM size, offset and alignment times `factor`.
Stream Scaled(const Stream& stream, uint64_t factor, std::deque<std::string>* names) {
  StreamBuilder builder("scaled");
  for (uint32_t i = 0; i < stream.buffer_count(); ++i) {
    Buffer buffer = stream.buffer(BufferIndex(i));
    if (buffer.space == Space::kLram) {
      buffer.size *= factor;
      buffer.alignment *= factor;
      buffer.fixed_offset *= factor;
    }
    builder.AddBuffer(buffer, "");
  }
  for (uint32_t i = 0; i < stream.op_count(); ++i) {
    const Op& op = stream.op(OpIndex(i));
    OpSpec spec;
    names->push_back("op" + std::to_string(i));
    spec.name = names->back();
    spec.kind = op.start_without_wait ? OpKind::kStart : op.kind;
    spec.cycles = op.cycles;
    if (spec.kind == OpKind::kStart) spec.slice = op.slice;
    if (op.kind == OpKind::kWait) spec.start = op.partner.value();
    if (op.alloc.present()) spec.alloc = op.alloc.value();
    builder.BeginOp(spec);
    for (const OpIndex operand : stream.operands(OpIndex(i))) builder.AddOperand(operand.value());
    for (const Access& a : stream.accesses(OpIndex(i))) {
      const uint64_t f = stream.buffer(a.buffer).space == Space::kLram ? factor : 1;
      builder.AddAccess({a.buffer.value(), a.reads, a.writes, a.begin * f, (a.end - a.begin) * f});
    }
    builder.EndOp();
  }
  absl::StatusOr<Stream> scaled = std::move(builder).Build();
  EXPECT_TRUE(scaled.ok()) << scaled.status();
  return scaled.ok() ? *std::move(scaled) : Stream();
}

uint64_t LargestNumber(const Stream& stream, const Hardware& hardware) {
  uint64_t largest = std::max({hardware.lram_bytes, hardware.alignment, hardware.block_bytes,
                               hardware.small_buffer_bytes, hardware.dma_bytes});
  for (uint32_t i = 0; i < stream.buffer_count(); ++i) {
    const Buffer& buffer = stream.buffer(BufferIndex(i));
    if (buffer.space != Space::kLram) continue;
    largest = std::max({largest, buffer.size, buffer.alignment, buffer.fixed_offset});
  }
  return largest;
}

// Where every number grows alike, nothing changes but the numbers.
TEST(RandomStreams, ScaledUpTo2To64KeepTheirOrdersAndAgreeWithTheReference) {
  int failures = 0;
  for (uint64_t seed = 900000; seed < 901200 && failures < 3; ++seed) {
    RandomStream random = reference::MakeRandomStream(seed, reference::Shape());
    Hardware& hardware = random.hardware;
    hardware.small_buffer_bytes = std::min<uint64_t>(hardware.small_buffer_bytes, 100);
    const uint64_t factor = kMost / LargestNumber(random.stream, hardware);
    Hardware huge = hardware;
    for (uint64_t* number : {&huge.lram_bytes, &huge.lram_reserved_bytes, &huge.alignment,
                             &huge.small_buffer_bytes, &huge.dma_bytes, &huge.block_bytes}) {
      *number *= factor;
    }
    std::deque<std::string> names;
    const Stream stream = Scaled(random.stream, factor, &names);
    std::string wrong = DifferencesFromReference(stream, huge, random.options);
    const LibraryUnderTest small_library(random.stream, hardware, random.options);
    const LibraryUnderTest huge_library(stream, huge, random.options);
    if (small_library.status().ok() && huge_library.status().ok()) {
      const uint64_t cap = hardware.usable_bytes();
      const Schedule small = small_library.List(cap);
      if (huge_library.List(cap * factor).order != small.order) wrong += "another order\n";
    }
    if (wrong.empty()) continue;
    ++failures;
    ADD_FAILURE() << "seed " << seed << "\n" << wrong << reference::DumpStream(seed, random);
  }
}

}  // namespace
}  // namespace torqsched
