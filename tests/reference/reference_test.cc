// The reference reproduces every field of every case, and does what the semantics say where no case
// looks.
#include "tests/reference/reference.h"

#include <gtest/gtest.h>

#include <cctype>
#include <fstream>
#include <string>
#include <vector>

#include "tests/reference/case_io.h"

namespace torqsched::reference {
namespace {

constexpr char kCases[] = "testdata/cases/schedule.jsonl";

Implementation ReferenceOf(const ScheduleCase& c) {
  Implementation implementation;
  implementation.simulate = [&c](const std::vector<OpIndex>& order,
                                 const IndexVector<OpIndex, uint8_t>& slices) {
    return ReferenceSimulate(c.stream, c.hardware, order, slices).makespan;
  };
  implementation.list_schedule = [&c](uint64_t cap) {
    return ReferenceListSchedule(c.stream, c.hardware, c.options, cap);
  };
  implementation.sequential = [&c](const std::vector<OpIndex>& order,
                                   const IndexVector<OpIndex, uint8_t>& slices, bool swaps) {
    return ReferenceSequential(c.stream, c.hardware, order, slices, swaps);
  };
  implementation.schedule_stream = [&c] {
    return ReferenceScheduleStream(c.stream, c.hardware, c.options);
  };
  return implementation;
}

TEST(Cases, AreAllReproduced) {
  const absl::StatusOr<std::vector<ScheduleCase>> cases = LoadScheduleCases(kCases);
  ASSERT_TRUE(cases.ok()) << cases.status();
  EXPECT_EQ(cases->size(), 17u);
  for (const ScheduleCase& c : *cases) {
    EXPECT_TRUE(c.has_expectations) << c.name;
    EXPECT_EQ(c.caps, ReferenceCaps(c.hardware, c.options)) << c.name;
    EXPECT_EQ(c.schedules.size(), 3u) << c.name;
    EXPECT_EQ(MismatchesWithCase(c, ReferenceOf(c)), "");
    for (size_t k = 0; k < c.schedules.size(); ++k) {
      const Schedule& s = c.schedules[k];
      EXPECT_EQ(ReferenceSimulate(c.stream, c.hardware, s.order, s.slice).peak, s.peak) << c.name;
    }
    EXPECT_TRUE(ReferenceInvalid(c.stream, c.hardware, c.options).empty()) << c.name;
  }
}

// Every number that a case expects is compared: one more or less, and it does not match.
TEST(Cases, ComparisonSeesEveryNumber) {
  std::ifstream file(kCases);
  std::string line;
  size_t numbers = 0;
  while (std::getline(file, line)) {
    if (line.find("\"alloc-in-place\"") == std::string::npos &&
        line.find("\"forced-start\"") == std::string::npos &&
        line.find("\"smaller-cap\"") == std::string::npos) {
      continue;
    }
    for (size_t i = line.find("\"expect\""); i < line.size(); ++i) {
      if (!isdigit(line[i]) || isdigit(line[i - 1])) continue;
      size_t end = i;
      while (isdigit(line[end])) ++end;
      const std::string changed = line.substr(0, i) +
                                  std::to_string(std::stoull(line.substr(i, end - i)) + 1) +
                                  line.substr(end);
      const absl::StatusOr<ScheduleCase> parsed = ParseScheduleCase(changed);
      ++numbers;
      if (!parsed.ok()) continue;  // refused: noticed as well
      const bool caps_differ = parsed->caps != ReferenceCaps(parsed->hardware, parsed->options);
      EXPECT_TRUE(caps_differ || MismatchesWithCase(*parsed, ReferenceOf(*parsed)) != "")
          << parsed->name << ": number at byte " << i << " is not compared";
    }
  }
  EXPECT_GT(numbers, 500u);
}

// A stream in the cases' format, without quotes around names and texts.
ScheduleCase Parse(std::string json) {
  std::string quoted;
  for (size_t i = 0; i < json.size(); ++i) {
    const bool word = isalpha(json[i]) || json[i] == '_';
    const bool before = i > 0 && (isalpha(json[i - 1]) || json[i - 1] == '_');
    if (word != before) quoted += '"';
    quoted += json[i];
  }
  size_t at;
  while ((at = quoted.find("\"true\"")) != std::string::npos) quoted.replace(at, 6, "true");
  absl::StatusOr<ScheduleCase> parsed =
      ParseScheduleCase("{\"name\": \"t\", \"stream\": " + quoted + "}");
  EXPECT_TRUE(parsed.ok()) << parsed.status() << "\n" << quoted;
  return parsed.ok() ? *std::move(parsed) : ScheduleCase();
}

std::vector<InvalidKind> InvalidKinds(const ScheduleCase& c) {
  std::vector<InvalidKind> kinds;
  for (const Invalid& invalid : ReferenceInvalid(c.stream, c.hardware, c.options)) {
    kinds.push_back(invalid.kind);
  }
  return kinds;
}

TEST(Simulate, PaysABlockTransferBeforeEveryNthOpThatIsNotPure) {
  ScheduleCase c = Parse(
      "{hardware: {lram_bytes: 100, dma_bytes: 1, dma_cycles: 1, block_ops: 2, block_bytes: 7},"
      " buffers: [{space: lram, size: 8}, {space: xram, size: 8}],"
      " ops: [{kind: load, cycles: 10, accesses: [{b: 0, mode: w}]}, {kind: pure},"
      "       {kind: start, cycles: 30, accesses: [{b: 0, mode: r}]}, {kind: barrier, cycles: 5},"
      "       {kind: wait, start: 2}, {kind: store, cycles: 3, accesses: [{b: 0, mode: r}]}]}");
  // load 10; block 17, start 18 (ends 47); barrier 23; block 30, wait 47; store 50.
  EXPECT_EQ(
      ReferenceSimulate(c.stream, c.hardware, InputOrder(c.stream), InputSlices(c.stream)).makespan,
      50u);
  c.hardware.block_ops = 1;
  // 7 + 10; 24 start 25 (ends 54); 32 + 5; 44 wait 54; 61 + 3.
  EXPECT_EQ(
      ReferenceSimulate(c.stream, c.hardware, InputOrder(c.stream), InputSlices(c.stream)).makespan,
      64u);
}

TEST(Simulate, ProgramsQueueOnTheirSlice) {
  const ScheduleCase c = Parse(
      "{hardware: {lram_bytes: 100}, buffers: [{space: lram, size: 8}],"
      " ops: [{kind: start, cycles: 30, slice: 1}, {kind: start, cycles: 20, slice: 1},"
      "       {kind: wait, start: 1}, {kind: wait, start: 0}]}");
  EXPECT_EQ(
      ReferenceSimulate(c.stream, c.hardware, InputOrder(c.stream), InputSlices(c.stream)).makespan,
      50u);
}

TEST(Sequential, ZeroSizedBuffersTakeNoPart) {
  const ScheduleCase c = Parse(
      "{hardware: {lram_bytes: 8}, buffers: [{space: lram, size: 0, live_in: true}, "
      "{space: lram, size: 8}],"
      " ops: [{kind: load, accesses: [{b: 0, mode: w}, {b: 1, mode: w}]},"
      "       {kind: store, accesses: [{b: 0, mode: r}, {b: 1, mode: r}]}]}");
  const ScheduleAnswer answer = ReferenceScheduleStream(c.stream, c.hardware, c.options);
  EXPECT_TRUE(answer.placement.placed);
  EXPECT_EQ(answer.placement.moves.size(), 1u);
  EXPECT_EQ(answer.input_peak, 8u);
}

TEST(Sequential, LiveInsThatDoNotFitNameNoOp) {
  ScheduleCase c = Parse(
      "{hardware: {lram_bytes: 20, align: 8}, buffers: [{space: lram, size: 9, live_in: true}, "
      "{space: lram, size: 9, live_in: true}],"
      " ops: [{kind: store, accesses: [{b: 0, mode: r}, {b: 1, mode: r}]}]}");
  Placement placement = ReferenceSequential(c.stream, c.hardware, InputOrder(c.stream),
                                            InputSlices(c.stream), /*swaps_allowed=*/true);
  EXPECT_FALSE(placement.placed);
  EXPECT_FALSE(placement.failure.op.present());
  EXPECT_EQ(placement.failure.reason, FailureReason::kCapacity);
  EXPECT_EQ(placement.failure.buffers.size(), 2u);
  EXPECT_EQ(placement.failure.free_bytes, 20u);
  c.hardware.lram_bytes = 32;
  placement = ReferenceSequential(c.stream, c.hardware, InputOrder(c.stream), InputSlices(c.stream),
                                  /*swaps_allowed=*/true);
  EXPECT_TRUE(placement.placed);
}

// Buffer 0 is written and read, then only viewed by op 6: it comes back without a load, and went
// without a store.
TEST(Sequential, OnlyAccessesNeedContents) {
  const ScheduleCase c = Parse(
      "{hardware: {lram_bytes: 10, dma_bytes: 1, dma_cycles: 1},"
      " buffers: [{space: lram, size: 6}, {space: lram, size: 8}],"
      " ops: [{kind: pure, alloc: 0}, {kind: load, cycles: 1, accesses: [{b: 0, mode: w}]},"
      "       {kind: store, cycles: 1, accesses: [{b: 0, mode: r}]},"
      "       {kind: load, cycles: 1, accesses: [{b: 1, mode: w}]},"
      "       {kind: store, cycles: 1, accesses: [{b: 1, mode: r}]},"
      "       {kind: pure, operands: [0]}, {kind: barrier, operands: [5]}]}");
  const Placement placement = ReferenceSequential(c.stream, c.hardware, InputOrder(c.stream),
                                                  InputSlices(c.stream), /*swaps_allowed=*/true);
  EXPECT_TRUE(placement.placed);
  EXPECT_EQ(placement.swaps, 1u);
  EXPECT_EQ(placement.stores, 0u);
  EXPECT_EQ(placement.loads, 0u);
  EXPECT_EQ(placement.moves.size(), 4u);
  EXPECT_EQ(placement.makespan, 4u);
}

TEST(Choice, NoneIsTheInputOrderWithoutAttempts) {
  const absl::StatusOr<std::vector<ScheduleCase>> cases = LoadScheduleCases(kCases);
  ASSERT_TRUE(cases.ok()) << cases.status();
  for (const ScheduleCase& c : *cases) {
    ScheduleOptions options = c.options;
    options.strategy = Strategy::kNone;
    const ScheduleAnswer answer = ReferenceScheduleStream(c.stream, c.hardware, options);
    EXPECT_EQ(answer.source, Source::kInput);
    EXPECT_TRUE(answer.attempts.empty());
    EXPECT_EQ(answer.schedule.order, InputOrder(c.stream));
    EXPECT_EQ(Differences("placement", c.input_oracle.swaps, answer.placement), "");
  }
}

TEST(Invalid, RacesAreConflictsInFlight) {
  const ScheduleCase c = Parse(
      "{hardware: {lram_bytes: 100}, buffers: [{space: lram, size: 8}, {space: xram, size: 8}],"
      " ops: [{kind: start, accesses: [{b: 0, mode: r, size: 4}]},"
      "       {kind: store, accesses: [{b: 0, mode: r}, {b: 1, mode: w}]},"
      "       {kind: load, accesses: [{b: 0, mode: w, off: 4}]},"
      "       {kind: load, accesses: [{b: 0, mode: w, off: 3}]},"
      "       {kind: wait, start: 0}, {kind: load, accesses: [{b: 0, mode: w}]}]}");
  const std::vector<Race> races = ReferenceRaces(c.stream);
  ASSERT_EQ(races.size(), 1u);
  EXPECT_EQ(races[0].start, OpIndex(0));
  EXPECT_EQ(races[0].other, OpIndex(3));
  EXPECT_EQ(races[0].buffer, BufferIndex(0));
  EXPECT_EQ(InvalidKinds(c), std::vector<InvalidKind>{InvalidKind::kRace});
}

TEST(Invalid, EachKindIsFound) {
  const ScheduleCase valid = Parse(
      "{hardware: {lram_bytes: 8, slices: 2}, buffers: [{space: lram, size: 9}, "
      "{space: lram, size: 4, fixed: 5}, {space: lram, size: 4, fixed: 4}],"
      " ops: [{kind: barrier, accesses: [{b: 2, mode: w}]}]}");
  EXPECT_TRUE(InvalidKinds(valid).empty());  // 0 and 1 are not used
  const ScheduleCase c = Parse(
      "{hardware: {lram_bytes: 8, slices: 2}, buffers: [{space: lram, size: 9}, "
      "{space: lram, size: 4, fixed: 5}], options: {candidates: 0},"
      " ops: [{kind: start, slice: 2}, {kind: pure, alloc: 0},"
      "       {kind: barrier, operands: [1], accesses: [{b: 1, mode: w}]}]}");
  EXPECT_EQ(InvalidKinds(c),
            (std::vector<InvalidKind>{InvalidKind::kSlice, InvalidKind::kTooLarge,
                                      InvalidKind::kFixedBeyond, InvalidKind::kOption}));
}

TEST(Graph, EdgesAndNeeds) {
  const ScheduleCase c = Parse(
      "{hardware: {lram_bytes: 100}, buffers: [{space: lram, size: 8}],"
      " ops: [{kind: start, accesses: [{b: 0, mode: w}]}, {kind: wait, start: 0},"
      "       {kind: pure, operands: [1]}, {kind: barrier}, {kind: barrier},"
      "       {kind: store, operands: [2], accesses: [{b: 0, mode: r}]}]}");
  const auto edge = [](uint32_t a, uint32_t b) { return std::make_pair(OpIndex(a), OpIndex(b)); };
  EXPECT_EQ(ReferenceEdges(c.stream), (std::set<std::pair<OpIndex, OpIndex>>{
                                          edge(0, 1), edge(0, 3), edge(1, 2), edge(1, 3),
                                          edge(1, 5), edge(2, 5), edge(3, 4), edge(4, 5)}));
  const std::vector<std::vector<bool>> needs = ReferenceNeeds(c.stream);
  EXPECT_TRUE(needs[5][0]);
  EXPECT_TRUE(needs[2][0]);
  EXPECT_FALSE(needs[3][2]);  // pure ops have operand edges only
}

}  // namespace
}  // namespace torqsched::reference
