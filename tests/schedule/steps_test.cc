// The list scheduler step by step: the two worked examples by hand, and random streams against the
// reference.
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/reference/random_streams.h"
#include "tests/reference/reference.h"
#include "tests/schedule/cases.h"
#include "tests/schedule/implementation.h"

namespace torqsched {
namespace {

using reference::RandomStream;
using reference::ScheduleCase;

const char* NameOf(Skip skip) {
  switch (skip) {
    case Skip::kNotReached:
      return "-";
    case Skip::kApplied:
      return "applied";
    case Skip::kNoneReady:
      return "none ready";
    case Skip::kNoSliceFree:
      return "no slice";
    case Skip::kNoneFits:
      return "none fits";
    case Skip::kProgramSooner:
      return "program sooner";
    case Skip::kNoneRunning:
      return "none running";
    case Skip::kNoWaitReady:
      return "no wait ready";
  }
  return "?";
}

std::vector<Step> Steps(const Stream& stream, const Hardware& hardware, ScheduleOptions options,
                        uint64_t cap) {
  options.explain = true;
  const LibraryUnderTest library(stream, hardware, options);
  EXPECT_TRUE(library.status().ok()) << library.status();
  return library.status().ok() ? library.List(cap).steps : std::vector<Step>();
}

// "62-92 free 0: L3 by rule 3; none ready, no slice"
std::string Line(const Stream& stream, const Step& step) {
  std::string line = absl::StrCat(step.t_before, "-", step.t_after, " free ", step.free_slices,
                                  ": ", stream.op_name(step.op));
  if (stream.op(step.op).kind == OpKind::kStart) {
    absl::StrAppend(&line, " on ", step.slice, " until ", step.program_end);
  }
  absl::StrAppend(&line, " by rule ", step.rule, ";");
  for (int rule = 1; rule < step.rule; ++rule) {
    absl::StrAppend(&line, rule == 1 ? " " : ", ", NameOf(step.skip[rule - 1]));
  }
  return line;
}

// free: bit s stands for slice s.
TEST(WorkedExample1, TenSteps) {
  const ScheduleCase c = CaseNamed("worked-example-1");
  const std::vector<Step> steps = Steps(c.stream, c.hardware, c.options, 1000);
  std::vector<std::string> lines;
  for (const Step& step : steps) lines.push_back(Line(c.stream, step));
  const std::vector<std::string> expected = {
      "0-30 free 3: L1 by rule 3; none ready, none ready",
      "30-31 free 3: start P1 on 0 until 130 by rule 2; none ready",
      "31-61 free 2: L2 by rule 3; none ready, none ready",
      "61-62 free 2: start P2 on 1 until 161 by rule 2; none ready",
      "62-92 free 0: L3 by rule 3; none ready, no slice",
      "92-130 free 0: wait P1 by rule 4; none ready, no slice, none ready",
      "130-131 free 1: start P3 on 0 until 230 by rule 2; none ready",
      "131-161 free 0: wait P2 by rule 4; none ready, no slice, none ready",
      "161-230 free 2: wait P3 by rule 4; none ready, none ready, none ready",
      "230-250 free 3: S3 by rule 3; none ready, none ready",
  };
  EXPECT_EQ(lines, expected);
}

TEST(WorkedExample1, WhatEachStepRecordsBesideItsTimes) {
  const ScheduleCase c = CaseNamed("worked-example-1");
  const std::vector<Step> steps = Steps(c.stream, c.hardware, c.options, 1000);
  ASSERT_EQ(steps.size(), 10u);
  std::vector<uint64_t> live;
  for (const Step& step : steps) {
    live.push_back(step.live_after);
    EXPECT_TRUE(step.fits);
    EXPECT_EQ(step.urgent, c.stream.op(step.op).kind == OpKind::kLoad);
    EXPECT_EQ(step.skip[step.rule - 1], Skip::kApplied);
    for (int rule = step.rule; rule < 5; ++rule) EXPECT_EQ(step.skip[rule], Skip::kNotReached);
  }
  // w1; o1; w2; o2; w3; P1 is done: w1 goes; o3; w2, o2; w3, o1; o3.
  EXPECT_EQ(live, (std::vector<uint64_t>{100, 200, 300, 400, 500, 400, 500, 300, 100, 0}));
}

TEST(WorkedExample1, NothingIsRecordedUnlessAskedFor) {
  const ScheduleCase c = CaseNamed("worked-example-1");
  const LibraryUnderTest library(c.stream, c.hardware, c.options);
  EXPECT_TRUE(library.List(1000).steps.empty());
}

TEST(WorkedExample2, L2IsUrgentAndGoesAndL3WaitsForP1) {
  const ScheduleCase c = CaseNamed("worked-example-2");
  const std::vector<Step> steps = Steps(c.stream, c.hardware, c.options, 100000);
  ASSERT_EQ(steps.size(), 15u);
  std::vector<std::string> lines;
  for (int i = 0; i < 6; ++i) lines.push_back(Line(c.stream, steps[i]));
  const std::vector<std::string> expected = {
      "0-30 free 3: L1 by rule 3; none ready, none ready",
      "30-31 free 3: start P1 on 0 until 130 by rule 2; none ready",
      "31-61 free 2: L2 by rule 3; none ready, none ready",                   // 30 + 30 + 0 <= 100
      "61-130 free 2: wait P1 by rule 4; none ready, none ready, none fits",  // 60 + 30 + 30 > 40
      "130-131 free 3: start P2 on 0 until 230 by rule 2; none ready",
      "131-161 free 2: L3 by rule 3; none ready, none ready",
  };
  EXPECT_EQ(lines, expected);
  EXPECT_TRUE(steps[2].urgent);
  EXPECT_EQ(steps[2].live_after, 60000u);
  EXPECT_EQ(steps[3].live_after, 30000u);
  EXPECT_TRUE(steps[5].urgent);
  EXPECT_EQ(steps[5].live_after, 90000u);
}

// Whether this load is emitted before P1 is waited for.
bool GoesBeforeWaitP1(const std::string& load, const ScheduleOptions& options, uint64_t cap) {
  const ScheduleCase c = CaseNamed("worked-example-2");
  Hardware hardware = c.hardware;
  hardware.lram_bytes = 1000000;
  for (const Step& step : Steps(c.stream, hardware, options, cap)) {
    if (c.stream.op_name(step.op) == load) return true;
    if (c.stream.op_name(step.op) == "wait P1") return false;
  }
  ADD_FAILURE() << "neither " << load << " nor wait P1";
  return false;
}

TEST(WorkedExample2, TheUrgentLoadNeedsSixtyOfTheCap) {
  ScheduleOptions options;
  options.urgent_starts = 1;
  EXPECT_TRUE(GoesBeforeWaitP1("L2", options, 60000));
  EXPECT_FALSE(GoesBeforeWaitP1("L2", options, 59999));
}

TEST(WorkedExample2, TheFarLoadNeedsHundredAndTwentyOfThePrefetchCap) {
  ScheduleOptions options;
  options.urgent_starts = 1;
  options.prefetch_percent = 40;
  EXPECT_TRUE(GoesBeforeWaitP1("L3", options, 300000));
  EXPECT_FALSE(GoesBeforeWaitP1("L3", options, 299999));
  options.prefetch_percent = 100;
  EXPECT_TRUE(GoesBeforeWaitP1("L3", options, 120000));
  EXPECT_FALSE(GoesBeforeWaitP1("L3", options, 119999));
}

TEST(WorkedExample2, AnUrgentLoadLeavesItsReserveToo) {
  ScheduleOptions options;
  options.urgent_starts = 2;
  options.prefetch_percent = 0;
  EXPECT_TRUE(GoesBeforeWaitP1("L3", options, 120000));
  EXPECT_FALSE(GoesBeforeWaitP1("L3", options, 119999));
}

// For each step whether its action creates a buffer that takes room.
std::vector<bool> BringsSomethingNew(const Stream& stream, const std::vector<Step>& steps) {
  std::set<BufferIndex> born;
  for (uint32_t b = 0; b < stream.buffer_count(); ++b) {
    if (stream.buffer(BufferIndex(b)).live_in) born.insert(BufferIndex(b));
  }
  std::vector<bool> brings;
  for (const Step& step : steps) {
    bool something = false;
    for (const BufferIndex b : reference::ReferenceUses(stream, step.op)) {
      something |= born.insert(b).second && stream.buffer(b).size != 0;
    }
    brings.push_back(something);
  }
  return brings;
}

// The scheduler asks the clock before it looks at the transfers: where both forbid rule 3, it may
// name either.
bool SameSkip(Skip expected, Skip actual) {
  return expected == actual || (expected == Skip::kNoneFits && actual == Skip::kProgramSooner);
}

// The reference says of every step of an LRAM that is too full that it does not fit; the scheduler
// only where the step brings something new.
std::string WrongStep(const Step& expected, bool brings, const Step& actual) {
  std::string wrong;
  const auto compare = [&wrong](const char* what, uint64_t e, uint64_t a) {
    if (e != a) absl::StrAppend(&wrong, " ", what, " ", e, ", not ", a, ";");
  };
  compare("op", expected.op.value(), actual.op.value());
  compare("rule", expected.rule, actual.rule);
  compare("t before", expected.t_before, actual.t_before);
  compare("t after", expected.t_after, actual.t_after);
  compare("free slices", expected.free_slices, actual.free_slices);
  compare("slice", expected.slice, actual.slice);
  compare("program end", expected.program_end, actual.program_end);
  compare("fits", expected.fits || !brings, actual.fits);
  compare("urgent", expected.urgent, actual.urgent);
  compare("live", expected.live_after, actual.live_after);
  for (int rule = 0; rule < 5; ++rule) {
    if (SameSkip(expected.skip[rule], actual.skip[rule])) continue;
    absl::StrAppend(&wrong, " rule ", rule + 1, " ", NameOf(expected.skip[rule]), ", not ",
                    NameOf(actual.skip[rule]), ";");
  }
  return wrong;
}

TEST(Steps, OfRandomStreamsAreTheReferences) {
  int failures = 0;
  for (uint64_t seed = 700000; seed < 703000 && failures < 3; ++seed) {
    RandomStream random = reference::MakeRandomStream(seed, reference::Shape());
    random.options.explain = true;
    const uint64_t cap = reference::ReferenceCaps(random.hardware, random.options)[seed % 3];
    const std::vector<Step> expected =
        reference::ReferenceListSchedule(random.stream, random.hardware, random.options, cap).steps;
    const std::vector<Step> actual = Steps(random.stream, random.hardware, random.options, cap);
    const std::vector<bool> brings = BringsSomethingNew(random.stream, expected);
    std::string wrong;
    if (expected.size() != actual.size()) wrong = "another number of steps";
    for (size_t i = 0; i < expected.size() && wrong.empty(); ++i) {
      const std::string step = WrongStep(expected[i], brings[i], actual[i]);
      if (!step.empty()) wrong = absl::StrCat("step ", i, ":", step);
    }
    if (wrong.empty()) continue;
    ++failures;
    ADD_FAILURE() << "seed " << seed << ", cap " << cap << "\n"
                  << wrong << "\n"
                  << reference::DumpStream(seed, random);
  }
}

}  // namespace
}  // namespace torqsched
