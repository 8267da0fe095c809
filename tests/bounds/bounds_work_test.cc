// What bounds cost on streams that are made to be expensive: never more steps than they may.
#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "src/bounds/bounds.h"
#include "src/graph/action_graph.h"
#include "src/graph/problem.h"
#include "tests/stream/stream_maker.h"

namespace torqsched {
namespace {

struct Hostile {
  std::string name;
  StreamMaker maker;
  Hardware hardware;
};

void SetChip(uint64_t lram_bytes, uint32_t slices, Hostile* hostile) {
  hostile->hardware.lram_bytes = lram_bytes;
  hostile->hardware.slices = slices;
  hostile->hardware.alignment = 1;
}

// One buffer that all loads fill, a byte each, beside programs of their own.
void Arena(Hostile* hostile) {
  constexpr uint32_t kLoads = 3000, kPrograms = 100;
  StreamMaker& maker = hostile->maker;
  const uint32_t arena = maker.Lram(kLoads);
  for (uint32_t i = 0; i < kPrograms; ++i) maker.Lram(100);
  for (uint32_t i = 0; i < kLoads; ++i) {
    maker.Load(10, {Writes(arena, i, 1)});
    if (i % (kLoads / kPrograms) == 0) maker.Program(100, {Writes(1 + i / (kLoads / kPrograms))});
  }
  SetChip(8000, 2, hostile);
}

// Every job holds a thousand buffers, as one of them does not need it.
void Held(Hostile* hostile) {
  constexpr uint32_t kHeld = 1000, kTiles = 200;
  StreamMaker& maker = hostile->maker;
  for (uint32_t i = 0; i < kHeld; ++i) maker.Add(LiveIn(LiveOut(LramBuffer(1))));
  for (uint32_t i = 0; i < 2 * kTiles; ++i) maker.Lram(100);
  std::vector<AccessSpec> all;
  for (uint32_t i = 0; i < kHeld; ++i) all.push_back(Reads(i));
  maker.Program(1, all);
  for (uint32_t i = 0; i < kTiles; ++i) {
    maker.Load(10, {Writes(kHeld + 2 * i)});
    maker.Program(10, {Reads(kHeld + 2 * i), Writes(kHeld + 2 * i + 1)});
  }
  SetChip(1250, 3, hostile);
}

// The same, but each buffer is born in a program and read by the last one, so not all jobs hold it.
void HeldByMost(Hostile* hostile) {
  constexpr uint32_t kHeld = 400, kTiles = 150;
  StreamMaker& maker = hostile->maker;
  for (uint32_t i = 0; i < kHeld; ++i) maker.Add(LiveOut(LramBuffer(1)));
  for (uint32_t i = 0; i < 2 * kTiles; ++i) maker.Lram(100);
  std::vector<AccessSpec> all;
  for (uint32_t i = 0; i < kHeld; ++i) all.push_back(Writes(i));
  const uint32_t first = maker.Program(1, all);
  for (uint32_t i = 0; i < kTiles; ++i) {
    maker.Load(10, {Writes(kHeld + 2 * i)}, {first + 1});
    maker.Program(10, {Reads(kHeld + 2 * i), Writes(kHeld + 2 * i + 1)});
  }
  SetChip(650, 4, hostile);
}

// A wait that needs many loads, and many programs that need the wait.
void WideWait(Hostile* hostile) {
  constexpr uint32_t kEach = 1500;
  StreamMaker& maker = hostile->maker;
  for (uint32_t i = 0; i < kEach; ++i) maker.Lram(1);
  const uint32_t start = maker.Start(10, {});
  std::vector<uint32_t> loads;
  for (uint32_t i = 0; i < kEach; ++i) loads.push_back(maker.Load(10, {Writes(i)}));
  const uint32_t wait = maker.Wait(start, loads);
  for (uint32_t i = 0; i < kEach; ++i) maker.Program(3, {}, {wait});
  SetChip(2 * kEach, 2, hostile);
}

// One program reads what many loads bring, and many read what it makes.
void Fan(Hostile* hostile) {
  constexpr uint32_t kEach = 1500;
  StreamMaker& maker = hostile->maker;
  for (uint32_t i = 0; i < kEach; ++i) maker.Lram(1);
  const uint32_t made = maker.Lram(100);
  std::vector<AccessSpec> all = {Writes(made)};
  for (uint32_t i = 0; i < kEach; ++i) {
    maker.Load(10, {Writes(i)});
    all.push_back(Reads(i));
  }
  maker.Program(50, all);
  for (uint32_t i = 0; i < kEach; ++i) maker.Program(10, {Reads(made)});
  SetChip(2 * kEach, 4, hostile);
}

void Chain(Hostile* hostile) {
  StreamMaker& maker = hostile->maker;
  uint32_t last = maker.Program(10, {});
  for (uint32_t i = 0; i < 3000; ++i) last = maker.Program(10, {}, {last + 1});
  SetChip(100, 2, hostile);
}

void Barriers(Hostile* hostile) {
  for (uint32_t i = 0; i < 10000; ++i) hostile->maker.Barrier(1);
  SetChip(100, 2, hostile);
}

void PartsBetweenBarriers(Hostile* hostile) {
  constexpr uint32_t kParts = 1500;
  StreamMaker& maker = hostile->maker;
  for (uint32_t i = 0; i < kParts; ++i) maker.Lram(10);
  for (uint32_t i = 0; i < kParts; ++i) {
    maker.Load(10, {Writes(i)});
    maker.Program(10, {Reads(i)});
    maker.Barrier(1);
  }
  SetChip(30, 2, hostile);
}

using MakeHostile = void (*)(Hostile*);
struct Named {
  const char* name;
  MakeHostile make;
};
void PrintTo(const Named& named, std::ostream* out) { *out << named.name; }

class BoundsWork : public testing::TestWithParam<Named> {};

// More work makes no bound smaller, as each kind has a share of its own.
TEST_P(BoundsWork, StaysWithinItsLimit) {
  Hostile hostile;
  GetParam().make(&hostile);
  const Stream stream = hostile.maker.Build();
  const auto problem = ScheduleProblem::Make(stream, hostile.hardware);
  ASSERT_TRUE(problem.ok()) << problem.status();
  const ActionGraph graph(**problem);
  for (const bool swaps : {false, true}) {
    uint64_t least = 0;
    for (const uint64_t limit : {0, 1000, 100'000, 3'000'000, 12'000'000}) {
      SCOPED_TRACE(testing::Message() << "limit " << limit << ", swaps " << swaps);
      const bounds::Bounds found = bounds::ComputeBounds(**problem, graph, swaps, {limit});
      EXPECT_LE(found.work, limit);
      EXPECT_GE(found.best.cycles, least);
      least = found.best.cycles;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Hostile, BoundsWork,
                         testing::Values(Named{"Arena", &Arena}, Named{"Held", &Held},
                                         Named{"HeldByMost", &HeldByMost},
                                         Named{"WideWait", &WideWait}, Named{"Fan", &Fan},
                                         Named{"Chain", &Chain}, Named{"Barriers", &Barriers},
                                         Named{"PartsBetweenBarriers", &PartsBetweenBarriers}),
                         [](const auto& info) { return std::string(info.param.name); });

// Twice the users of one buffer are not much more than twice the work of the cuts: 64 of them at
// most, each a walk over the jobs.
uint64_t WorkOfArena(uint32_t loads) {
  StreamMaker maker;
  const uint32_t arena = maker.Lram(loads);
  for (uint32_t i = 0; i < loads; ++i) {
    maker.Load(10, {Writes(arena, i, 1)});
    if (i % (loads / 100) == 0) maker.Program(100, {});
  }
  const Stream stream = maker.Build();
  Hardware hardware;
  hardware.lram_bytes = 100'000;
  const auto problem = ScheduleProblem::Make(stream, hardware);
  EXPECT_TRUE(problem.ok()) << problem.status();
  if (!problem.ok()) return 0;
  const uint64_t limit = uint64_t{loads} * 100'000;
  return bounds::ComputeBounds(**problem, ActionGraph(**problem), false, {limit}).work;
}

TEST(BoundsWorkGrowth, OfASharedBufferIsAsTheStream) {
  const uint64_t once = WorkOfArena(4000);
  EXPECT_GT(once, 0u);
  EXPECT_LT(WorkOfArena(8000), 4 * once);
}

}  // namespace
}  // namespace torqsched
