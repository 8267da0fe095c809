// Who uses which buffer: against the reference on random streams, and scenes of views, of room and
// of views that multiply.
#include "src/graph/lifetimes.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/reference/random_streams.h"
#include "tests/reference/reference.h"
#include "tests/stream/expect_error.h"
#include "tests/stream/stream_maker.h"

namespace torqsched {
namespace {

constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();

Hardware Lram(uint64_t bytes) {
  Hardware hardware;
  hardware.lram_bytes = bytes;
  return hardware;
}

Lifetimes Of(const Stream& stream, const Hardware& hardware = Lram(1000)) {
  absl::StatusOr<Lifetimes> lifetimes = Lifetimes::Build(stream, hardware);
  EXPECT_TRUE(lifetimes.ok()) << lifetimes.status();
  return lifetimes.ok() ? *std::move(lifetimes) : Lifetimes();
}

std::string Wrong(const Stream& stream, const Lifetimes& lifetimes) {
  std::string wrong;
  std::vector<std::vector<OpIndex>> users(stream.buffer_count());
  std::vector<OpIndex> programs;
  size_t count = 0;
  for (uint32_t i = 0; i < stream.op_count(); ++i) {
    const OpIndex op(i);
    const std::set<BufferIndex> uses = reference::ReferenceUses(stream, op);
    if (ToVector(lifetimes.uses(op)) != std::vector<BufferIndex>(uses.begin(), uses.end())) {
      wrong += "uses of " + stream.Describe(op) + "\n";
    }
    for (const BufferIndex b : uses) users[b.value()].push_back(op);
    count += uses.size();
    if (stream.op(op).kind == OpKind::kStart) programs.push_back(op);
  }
  std::vector<BufferIndex> live_in;
  for (uint32_t i = 0; i < stream.buffer_count(); ++i) {
    const BufferIndex b(i);
    const Buffer& buffer = stream.buffer(b);
    if (ToVector(lifetimes.users(b)) != users[i]) wrong += "users of " + stream.Describe(b) + "\n";
    const bool born = !users[i].empty() || buffer.live_out;
    if (buffer.space == Space::kLram && buffer.live_in && born && buffer.size != 0) {
      live_in.push_back(b);
    }
  }
  if (lifetimes.programs() != programs) wrong += "programs\n";
  if (lifetimes.live_in() != live_in) wrong += "live in\n";
  if (lifetimes.use_count() != count) wrong += "count\n";
  return wrong;
}

TEST(Lifetimes, OfRandomStreamsAreTheReferences) {
  int failures = 0;
  for (uint64_t seed = 400000; seed < 404000 && failures < 3; ++seed) {
    const reference::RandomStream random = reference::MakeRandomStream(seed, reference::Shape());
    const absl::StatusOr<Lifetimes> lifetimes = Lifetimes::Build(random.stream, random.hardware);
    const std::string wrong =
        lifetimes.ok() ? Wrong(random.stream, *lifetimes) : lifetimes.status().ToString();
    if (wrong.empty()) continue;
    ++failures;
    ADD_FAILURE() << "seed " << seed << "\n" << wrong << reference::DumpStream(seed, random);
  }
}

TEST(Lifetimes, AViewOfSeveralAllocsUsesThemAll) {
  StreamMaker maker;
  for (int i = 0; i < 4; ++i) maker.Lram(8);
  const uint32_t c = maker.Alloc(2);
  const uint32_t a = maker.Alloc(0);
  const uint32_t both = maker.View({c, a});
  const uint32_t own = maker.Alloc(1, {both});  // allocates, and is a view of the others
  const uint32_t twice = maker.View({own, both, own});
  const uint32_t start = maker.Start(1, {Reads(3)}, {twice});
  maker.Wait(start);
  const uint32_t barrier = maker.Barrier(0, {}, {both});
  const Stream stream = maker.Build();
  const Lifetimes lifetimes = Of(stream);
  EXPECT_EQ(ToVector(lifetimes.uses(OpIndex(start))), Buffers({0, 1, 2, 3}));
  EXPECT_EQ(ToVector(lifetimes.uses(OpIndex(barrier))), Buffers({0, 2}));
  EXPECT_EQ(ToVector(lifetimes.users(BufferIndex(1))), Ops({start}));
  EXPECT_EQ(ToVector(lifetimes.users(BufferIndex(2))), Ops({start, barrier}));
  EXPECT_TRUE(lifetimes.uses(OpIndex(twice)).empty());  // pure ops use nothing
}

TEST(Lifetimes, ViewsEndAtAnAction) {
  StreamMaker maker;
  maker.Lram(8);
  maker.Lram(8);
  const uint32_t alloc = maker.Alloc(0);
  const uint32_t load = maker.Load(1, {Writes(1)}, {alloc});
  const uint32_t view = maker.View({load});
  const uint32_t barrier = maker.Barrier(0, {}, {view});
  const Stream stream = maker.Build();
  EXPECT_EQ(ToVector(Of(stream).uses(OpIndex(load))), Buffers({0, 1}));
  EXPECT_TRUE(Of(stream).uses(OpIndex(barrier)).empty());
}

TEST(Lifetimes, AViewThroughALongChain) {
  StreamMaker maker;
  maker.Lram(8);
  uint32_t view = maker.Alloc(0);
  for (int i = 0; i < 200000; ++i) view = maker.View({view, view});
  const uint32_t user = maker.Barrier(0, {}, {view});
  const Stream stream = maker.Build();
  EXPECT_EQ(ToVector(Of(stream).users(BufferIndex(0))), Ops({user}));
}

// 1,000 views that each stand on one view of 20,000 allocs, in one op: it would have to look at
// 2 * 10^7 buffers. There may be 2^24 + 16 * (21,002 ops + 22,000 operands) = 17,465,248.
TEST(Lifetimes, ViewsThatMultiplyAreRefused) {
  constexpr uint32_t kAllocs = 20000;
  constexpr uint32_t kViews = 1000;
  StreamMaker maker;
  for (uint32_t i = 0; i < kAllocs + kViews; ++i) maker.Lram(1);
  std::vector<uint32_t> allocs;
  for (uint32_t i = 0; i < kAllocs; ++i) allocs.push_back(maker.Alloc(i));
  const uint32_t view = maker.View(allocs);
  std::vector<uint32_t> views;
  for (uint32_t i = 0; i < kViews; ++i) views.push_back(maker.Alloc(kAllocs + i, {view}));
  const OpIndex refused(maker.Barrier(0, {}, views));
  const std::string name = std::to_string(refused.value());
  ExpectError(Lifetimes::Build(maker.Build(), Lram(1000)).status(),
              absl::StatusCode::kResourceExhausted,
              "op " + name +
                  ": up to here views name more than 16777216 pairs of op and buffer beyond 16 for "
                  "each op, operand and access",
              {"stream.ops[" + name + "].operands", refused, BufferIndex()});
}

// Many operands, few buffers: what an op reaches through them must not be taken for what one of
// them reaches.
TEST(Lifetimes, ManyViewsOfTheSameFewAllocs) {
  StreamMaker maker;
  for (int i = 0; i < 3; ++i) maker.Lram(8);
  const uint32_t a = maker.Alloc(0);
  const uint32_t b = maker.Alloc(1);
  const uint32_t c = maker.Alloc(2);
  const uint32_t ab = maker.View({a, b});
  std::vector<uint32_t> again;
  for (int i = 0; i < 50; ++i) again.insert(again.end(), {ab, b});
  const uint32_t still_ab = maker.View(again);
  const uint32_t abc = maker.View({still_ab, c});
  const uint32_t user = maker.Barrier(0, {}, {abc});
  const Stream stream = maker.Build();
  EXPECT_EQ(ToVector(Of(stream).uses(OpIndex(user))), Buffers({0, 1, 2}));
}

// Views of views, with few operands and with hundreds of them.
TEST(Lifetimes, OfRandomViewsAreTheReferences) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    reference::SplitMix64 random(seed);
    StreamMaker maker;
    const uint64_t buffers = random.Between(1, random.Percent(30) ? 200 : 6);
    for (uint64_t i = 0; i < buffers; ++i) maker.Lram(1);
    const uint32_t ops = static_cast<uint32_t>(random.Between(5, 120));
    std::vector<uint32_t> all;
    for (uint32_t i = 0; i < ops; ++i) {
      std::vector<uint32_t> operands;
      uint64_t count = random.Below(4);
      if (random.Percent(10)) count = random.Below(150);
      for (; count > 0 && i > 0; --count) {
        const uint64_t back = random.Percent(60) ? std::min<uint64_t>(i, 3) : i;
        operands.push_back(static_cast<uint32_t>(i - 1 - random.Below(back)));
      }
      if (random.Percent(15)) {
        maker.Barrier(0, {}, operands);  // views end there
      } else if (random.Percent(50)) {
        maker.Alloc(static_cast<uint32_t>(random.Below(buffers)), operands);
      } else {
        maker.View(operands);
      }
      all.push_back(i);
    }
    maker.Barrier(0, {}, all);
    const Stream stream = maker.Build();
    ASSERT_EQ(Wrong(stream, Of(stream)), "") << "seed " << seed;
  }
}

// One op that lists one view again and again: 5,000 times 4,200 allocs have to be looked at.
TEST(Lifetimes, AViewThatIsListedThousandsOfTimesIsRefused) {
  StreamMaker maker;
  std::vector<uint32_t> allocs;
  for (uint32_t i = 0; i < 4200; ++i) maker.Lram(1);
  for (uint32_t i = 0; i < 4200; ++i) allocs.push_back(maker.Alloc(i));
  const uint32_t view = maker.View(allocs);
  const uint32_t user = maker.Barrier(0, {}, std::vector<uint32_t>(5000, view));
  const absl::Status status = Lifetimes::Build(maker.Build(), Lram(1000)).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(PlaceOf(status).op, OpIndex(user));
}

TEST(Lifetimes, ABufferLargerThanLramNamesItsFirstUser) {
  StreamMaker maker;
  maker.Lram(1000);
  maker.Lram(1001, "big");
  maker.Load(1, {Writes(0)});
  OpSpec alloc;
  alloc.kind = OpKind::kPure;
  alloc.alloc = 1;
  maker.Add(alloc, {}, {});
  maker.Barrier(0, {}, {1});
  maker.Load(1, {Writes(1)});
  ExpectInvalid(Lifetimes::Build(maker.Build(), Lram(1000)).status(),
                "op 2: uses buffer 1 'big' of 1001 bytes, but 1000 bytes of LRAM are usable",
                {"stream.buffers[1].size", OpIndex(2), BufferIndex(1)});
}

TEST(Lifetimes, ABufferThatNoRegionHoldsNamesItsFirstUser) {
  StreamMaker maker;
  maker.Lram(60);
  maker.Lram(61, "big");
  maker.Load(1, {Writes(0)});
  maker.Load(1, {Writes(1)});
  const Stream stream = maker.Build();
  Hardware hardware = Lram(100);
  hardware.region_bytes = {40, 60};
  ExpectInvalid(Lifetimes::Build(stream, hardware).status(),
                "op 1: uses buffer 1 'big' of 61 bytes, but the largest region of LRAM has 60",
                {"stream.buffers[1].size", OpIndex(1), BufferIndex(1)});
  hardware.region_bytes = {39, 61};
  EXPECT_TRUE(Lifetimes::Build(stream, hardware).ok());
}

TEST(Lifetimes, AFixedRangeLiesInOneRegion) {
  StreamMaker maker;
  maker.Add(FixedAt(30, LramBuffer(20)));
  maker.Load(1, {Writes(0)});
  const Stream stream = maker.Build();
  Hardware hardware = Lram(100);
  for (const uint64_t cut : {30, 50}) {
    hardware.region_bytes = {cut, 100 - cut};
    EXPECT_TRUE(Lifetimes::Build(stream, hardware).ok()) << cut;
  }
  for (const uint64_t cut : {31, 49}) {
    hardware.region_bytes = {cut, 100 - cut};
    ExpectInvalid(
        Lifetimes::Build(stream, hardware).status(),
        "op 0: uses buffer 0 of 20 bytes at fixed offset 30, but that lies in two regions "
        "of LRAM",
        {"stream.buffers[0].fixed_offset", OpIndex(0), BufferIndex(0)});
  }
}

TEST(Lifetimes, ReservedBytesAreNotUsable) {
  StreamMaker maker;
  maker.Lram(900);
  maker.Load(1, {Writes(0)});
  const Stream stream = maker.Build();
  Hardware hardware = Lram(1000);
  hardware.lram_reserved_bytes = 100;
  EXPECT_TRUE(Lifetimes::Build(stream, hardware).ok());
  hardware.lram_reserved_bytes = 101;
  ExpectInvalid(Lifetimes::Build(stream, hardware).status(),
                "op 0: uses buffer 0 of 900 bytes, but 899 bytes of LRAM are usable",
                {"stream.buffers[0].size", OpIndex(0), BufferIndex(0)});
}

TEST(Lifetimes, AFixedRangeBeyondLramNamesItsFirstUser) {
  StreamMaker maker;
  maker.Add(FixedAt(992, LramBuffer(8)));
  maker.Add(FixedAt(993, LramBuffer(8)), "f");
  maker.Load(1, {Writes(0)});
  maker.Store(1, {Reads(1)});
  ExpectInvalid(
      Lifetimes::Build(maker.Build(), Lram(1000)).status(),
      "op 1: uses buffer 1 'f' of 8 bytes at fixed offset 993, but 1000 bytes of LRAM are usable",
      {"stream.buffers[1].fixed_offset", OpIndex(1), BufferIndex(1)});
}

TEST(Lifetimes, AFixedRangeWhoseEndDoesNotFit64BitsIsRefused) {
  StreamMaker maker;
  maker.Add(FixedAt(kMost, LramBuffer(8)));
  maker.Load(1, {Writes(0)});
  const absl::Status status = Lifetimes::Build(maker.Build(), Lram(kMost)).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(PlaceOf(status).field, "stream.buffers[0].fixed_offset");
}

TEST(Lifetimes, WhatNobodyUsesMayBeTooLarge) {
  StreamMaker maker;
  maker.Lram(kMost);
  maker.Add(LiveIn(LramBuffer(kMost)));
  maker.Add(LiveOut(LramBuffer(kMost)));
  maker.Add(FixedAt(kMost, LramBuffer(kMost)));
  maker.Xram(kMost);
  maker.Lram(8);
  maker.Alloc(0);
  maker.Load(1, {Reads(4), Writes(5)});
  const Stream stream = maker.Build();
  EXPECT_TRUE(Of(stream, Lram(8)).live_in().empty());
}

TEST(Lifetimes, LiveThroughoutWithoutUsersCountsAsUsed) {
  StreamMaker maker;
  maker.Add(LiveIn(LramBuffer(8)));
  maker.Add(LiveIn(LiveOut(LramBuffer(8))));
  maker.Add(LiveOut(LramBuffer(8)));
  maker.Add(LiveIn(LiveOut(LramBuffer(0))));
  maker.Add(LiveIn(LramBuffer(8)));
  maker.Add(LiveIn(LiveOut(XramBuffer(8))));
  maker.Store(1, {Reads(4), Writes(5)});
  const Stream stream = maker.Build();
  EXPECT_EQ(Of(stream).live_in(), Buffers({1, 4}));

  StreamMaker large;
  large.Add(LiveIn(LiveOut(LramBuffer(9))), "kv");
  ExpectInvalid(Lifetimes::Build(large.Build(), Lram(8)).status(),
                "buffer 0 'kv' of 9 bytes, but 8 bytes of LRAM are usable",
                {"stream.buffers[0].size", OpIndex(), BufferIndex(0)});
}

// Lists of more than 64 buffers are kept as what they add to another: chains, joins and repeats of
// them.
TEST(Lifetimes, OfViewsThatReachManyBuffersAreTheReferences) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    reference::SplitMix64 random(seed);
    StreamMaker maker;
    std::vector<uint32_t> pure;
    for (uint32_t b = 0; b < 150; ++b) {
      maker.Lram(random.Below(3));
      // Some allocs stand on older pure ops: chains that grow by one buffer an op.
      std::vector<uint32_t> operands;
      if (!pure.empty() && random.Percent(60)) operands.push_back(pure.back());
      if (!pure.empty() && random.Percent(10)) operands.push_back(pure[random.Below(pure.size())]);
      pure.push_back(maker.Alloc(b, operands));
      if (random.Percent(30)) {
        pure.push_back(maker.View({pure[random.Below(pure.size())], pure.back()}));
      }
      if (random.Percent(20)) pure.push_back(maker.Alloc(b, {pure[random.Below(pure.size())]}));
    }
    for (int i = 0; i < 12; ++i) {
      maker.Barrier(1, {}, {pure[random.Below(pure.size())], pure[random.Below(pure.size())]});
    }
    const Stream stream = maker.Build();
    EXPECT_EQ(Wrong(stream, Of(stream)), "");
  }
}

TEST(Lifetimes, AChainOfAllocsCostsItsLengthAndIsNoMultiplication) {
  constexpr uint32_t kAllocs = 100000;
  StreamMaker maker;
  for (uint32_t b = 0; b < kAllocs; ++b) {
    maker.Lram(1);
    maker.Alloc(b, b == 0 ? std::vector<uint32_t>() : std::vector<uint32_t>{b - 1});
  }
  maker.Barrier(1, {}, {kAllocs - 1});
  const Stream stream = maker.Build();
  EXPECT_EQ(Of(stream, Lram(kAllocs)).use_count(), kAllocs);
}

}  // namespace
}  // namespace torqsched
