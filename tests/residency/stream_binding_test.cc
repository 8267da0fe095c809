// A plan's on-chip tensors in streams: which buffers become live in and out, which transfers go.
// Random streams are run byte by byte, before and after: every op must read the same.
#include "src/residency/stream_binding.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "src/residency/density.h"
#include "src/residency/facts.h"
#include "src/stream/error.h"
#include "tests/reference/random_streams.h"

namespace torqsched {
namespace {

using reference::SplitMix64;

struct TestOp {
  OpKind kind = OpKind::kBarrier;
  std::vector<AccessSpec> accesses;
};

constexpr bool kRead = true;

AccessSpec Reads(uint32_t buffer, uint64_t offset, uint64_t size) {
  return {buffer, kRead, !kRead, offset, size};
}
AccessSpec Writes(uint32_t buffer, uint64_t offset, uint64_t size) {
  return {buffer, !kRead, kRead, offset, size};
}
TestOp Load(AccessSpec from, AccessSpec to) { return {OpKind::kLoad, {from, to}}; }
TestOp Store(AccessSpec from, AccessSpec to) { return {OpKind::kStore, {from, to}}; }
TestOp Compute(std::vector<AccessSpec> accesses) { return {OpKind::kBarrier, std::move(accesses)}; }

// Buffers of 16 bytes: the first so many in XRAM, the others in LRAM.
Stream MakeStream(uint32_t xram, uint32_t lram, const std::vector<TestOp>& ops) {
  StreamBuilder builder("s");
  for (uint32_t b = 0; b < xram + lram; ++b) {
    Buffer buffer;
    buffer.space = b < xram ? Space::kXram : Space::kLram;
    buffer.size = 16;
    builder.AddBuffer(buffer, "b");
  }
  for (const TestOp& op : ops) {
    OpSpec spec;
    spec.kind = op.kind;
    spec.cycles = 10;
    builder.BeginOp(spec);
    for (const AccessSpec& access : op.accesses) builder.AddAccess(access);
    builder.EndOp();
  }
  absl::StatusOr<Stream> stream = std::move(builder).Build();
  EXPECT_TRUE(stream.ok()) << stream.status();
  return stream.ok() ? *std::move(stream) : Stream();
}

// A program with three tensors of 32 bytes on chip 0: a carried state, an activation, a weight; and
// a carried state on chip 7.
Deployment MakeDeployment(uint64_t sram_bytes) {
  Deployment deployment;
  deployment.target = {sram_bytes, 0, true};
  DeployedProgram& program = deployment.programs.emplace_back();
  program.name = "p";
  program.tensors = {{"kv", TensorRole::kState, 32, 64},
                     {"y", TensorRole::kActivation, 32, 64},
                     {"w", TensorRole::kWeight, 32, 32},
                     {"far", TensorRole::kState, 32, 64}};
  program.accesses = {
      {0, 0, 0, false}, {1, 0, 0, true}, {1, 0, 1, false}, {2, 0, 0, false}, {3, 7, 0, false}};
  return deployment;
}

enum Tensor : uint32_t { kKv, kY, kW, kFar };

absl::StatusOr<std::vector<BoundStream>> BindAll(const Deployment& deployment,
                                                 const std::vector<StreamOfProgram>& streams) {
  const absl::StatusOr<std::vector<ProgramFacts>> facts = FindFacts(deployment);
  const absl::StatusOr<ResidencyPlan> plan = PlanByDensity(deployment);
  EXPECT_TRUE(facts.ok() && plan.ok());
  return BindStreams(deployment, *facts, *plan, streams);
}

StreamOfProgram OfProgram(Stream stream, std::vector<TensorBuffer> bindings, uint32_t chip = 0) {
  StreamOfProgram bound;
  bound.chip = chip;
  bound.stream = std::move(stream);
  bound.bindings = std::move(bindings);
  return bound;
}

absl::StatusOr<BoundStream> Bind(const Deployment& deployment, Stream stream,
                                 std::vector<TensorBuffer> bindings, uint32_t chip = 0) {
  std::vector<StreamOfProgram> streams;
  streams.push_back(OfProgram(std::move(stream), std::move(bindings), chip));
  const absl::StatusOr<std::vector<BoundStream>> bound = BindAll(deployment, streams);
  if (!bound.ok()) return bound.status();
  return bound->front();
}

template <typename Index>
std::vector<uint32_t> Numbers(const std::vector<Index>& list) {
  std::vector<uint32_t> numbers;
  for (const Index i : list) numbers.push_back(i.value());
  return numbers;
}

using List = std::vector<uint32_t>;

// Load the state, update it in place, store it: buffers 0 (XRAM) and 1 (LRAM).
std::vector<TestOp> UpdateInPlace() {
  return {Load(Reads(0, 0, 16), Writes(1, 0, 16)), Compute({{1, true, true, 4, 4}}),
          Store(Reads(1, 4, 4), Writes(0, 4, 4))};
}

TEST(BindStreams, CarriedStateOnChipStaysAndMovesNoMore) {
  const auto bound = Bind(MakeDeployment(1000), MakeStream(1, 1, UpdateInPlace()), {{1, kKv}});
  ASSERT_TRUE(bound.ok()) << bound.status();
  EXPECT_EQ(Numbers(bound->live_in), List{1});
  EXPECT_EQ(Numbers(bound->live_out), List{1});
  EXPECT_EQ(Numbers(bound->dropped), (List{0, 2}));
  EXPECT_EQ(bound->kept.size(), 0u);
  EXPECT_EQ(bound->reserved_bytes, 16u);  // 32 are held on chip 0; 16 of them in this buffer
}

TEST(BindStreams, TensorOffChipChangesNothing) {
  const auto bound = Bind(MakeDeployment(0), MakeStream(1, 1, UpdateInPlace()), {{1, kKv}});
  ASSERT_TRUE(bound.ok()) << bound.status();
  EXPECT_EQ(Numbers(bound->live_in), List{});
  EXPECT_EQ(Numbers(bound->dropped), List{});
  EXPECT_EQ(bound->kept.size(), 0u);
  EXPECT_EQ(bound->reserved_bytes, 0u);
}

TEST(BindStreams, WeightNeverChangesAnything) {
  const auto bound = Bind(MakeDeployment(1000), MakeStream(1, 1, UpdateInPlace()), {{1, kW}});
  ASSERT_TRUE(bound.ok()) << bound.status();
  EXPECT_EQ(Numbers(bound->dropped), List{});
}

TEST(BindStreams, StateOnAnotherChipIsStillTransferred) {
  const Deployment deployment = MakeDeployment(1000);
  const auto here = Bind(deployment, MakeStream(1, 1, UpdateInPlace()), {{1, kFar}}, 0);
  const auto there = Bind(deployment, MakeStream(1, 1, UpdateInPlace()), {{1, kFar}}, 7);
  ASSERT_TRUE(here.ok() && there.ok());
  EXPECT_EQ(Numbers(here->dropped), List{});
  EXPECT_EQ(here->reserved_bytes, 32u);  // kv
  EXPECT_EQ(Numbers(there->dropped), (List{0, 2}));
  EXPECT_EQ(there->reserved_bytes, 16u);  // the rest of far
}

TEST(BindStreams, ActivationThatIsOnlyLoadedIsLiveInAndDies) {
  const auto bound =
      Bind(MakeDeployment(1000),
           MakeStream(1, 1, {Load(Reads(0, 0, 16), Writes(1, 0, 16)), Compute({Reads(1, 0, 16)})}),
           {{1, kY}});
  ASSERT_TRUE(bound.ok()) << bound.status();
  EXPECT_EQ(Numbers(bound->live_in), List{1});
  EXPECT_EQ(Numbers(bound->live_out), List{});
  EXPECT_EQ(Numbers(bound->dropped), List{0});
}

TEST(BindStreams, ActivationThatIsOnlyStoredIsBornAndLiveOut) {
  const auto bound = Bind(
      MakeDeployment(1000),
      MakeStream(1, 1, {Compute({Writes(1, 0, 16)}), Store(Reads(1, 0, 16), Writes(0, 0, 16))}),
      {{1, kY}});
  ASSERT_TRUE(bound.ok()) << bound.status();
  EXPECT_EQ(Numbers(bound->live_in), List{});
  EXPECT_EQ(Numbers(bound->live_out), List{1});
  EXPECT_EQ(Numbers(bound->dropped), List{1});
}

TEST(BindStreams, LoadOfWhatWasOverwrittenStays) {
  // The program scribbles over the buffer, and the old bytes are loaded again.
  const auto bound =
      Bind(MakeDeployment(1000),
           MakeStream(1, 1,
                      {Load(Reads(0, 0, 16), Writes(1, 0, 16)), Compute({Writes(1, 0, 16)}),
                       Load(Reads(0, 0, 16), Writes(1, 0, 16)), Compute({Reads(1, 0, 16)})}),
           {{1, kKv}});
  ASSERT_TRUE(bound.ok()) << bound.status();
  EXPECT_EQ(Numbers(bound->dropped), List{});
  EXPECT_EQ(bound->kept.size(), 2u);
}

TEST(BindStreams, SecondBufferOfTheSameBytesKeepsTheTransfers) {
  // Written through one buffer, read through another: without the transfers nothing comes across.
  const auto bound =
      Bind(MakeDeployment(1000),
           MakeStream(1, 2,
                      {Compute({Writes(1, 0, 16)}), Store(Reads(1, 0, 16), Writes(0, 0, 16)),
                       Load(Reads(0, 0, 16), Writes(2, 0, 16)), Compute({Reads(2, 0, 16)})}),
           {{1, kY}, {2, kY}});
  ASSERT_TRUE(bound.ok()) << bound.status();
  EXPECT_EQ(Numbers(bound->dropped), List{});
  EXPECT_EQ(bound->kept.size(), 2u);
}

TEST(BindStreams, ReloadOfTheSameBytesGoes) {
  const auto bound =
      Bind(MakeDeployment(1000),
           MakeStream(1, 1,
                      {Load(Reads(0, 0, 16), Writes(1, 0, 16)), Compute({Reads(1, 0, 16)}),
                       Load(Reads(0, 0, 16), Writes(1, 0, 16)), Compute({Reads(1, 0, 16)})}),
           {{1, kKv}});
  ASSERT_TRUE(bound.ok()) << bound.status();
  EXPECT_EQ(Numbers(bound->dropped), (List{0, 2}));
}

TEST(BindStreams, XramThatTheHostTouchesKeepsItsTransfers) {
  const auto bound =
      Bind(MakeDeployment(1000),
           MakeStream(1, 1,
                      {Compute({Writes(0, 3, 1)}), Load(Reads(0, 0, 16), Writes(1, 0, 16)),
                       Compute({Reads(1, 0, 16)})}),
           {{1, kKv}});
  ASSERT_TRUE(bound.ok()) << bound.status();
  EXPECT_EQ(Numbers(bound->dropped), List{});
  EXPECT_EQ(bound->kept.size(), 1u);
}

void ExpectRefused(std::vector<TensorBuffer> bindings, const std::string& field,
                   const std::string& words) {
  const auto bound = Bind(MakeDeployment(1000), MakeStream(1, 3, {}), std::move(bindings));
  ASSERT_FALSE(bound.ok()) << field;
  EXPECT_EQ(bound.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(PlaceOf(bound.status()).field, absl::StrCat("streams[0].", field));
  EXPECT_NE(bound.status().message().find(words), std::string::npos) << bound.status();
}

TEST(BindStreams, BindingsThatNameNothingAreRefused) {
  ExpectRefused({{4, kKv}}, "bindings[0].buffer", "there is no buffer 4; there are 4");
  ExpectRefused({{1, 4}}, "bindings[0].tensor", "there is no tensor 4; there are 4");
  ExpectRefused({{1, kKv}, {0, kKv}}, "bindings[1].buffer", "buffer 0 'b' is in XRAM");
  ExpectRefused({{1, kKv}, {1, kKv}}, "bindings[1].buffer", "bound already, to tensor 0");
}

TEST(BindStreams, BuffersLargerThanTheirTensorAreRefused) {
  ExpectRefused({{1, kKv}, {2, kKv}, {3, kKv}}, "bindings[2].buffer",
                "the buffers of tensor 0 'kv' are larger than its 32 bytes");
}

TEST(BindStreams, ProgramThatIsNotThereIsRefused) {
  std::vector<StreamOfProgram> streams(2);
  streams[1].program = 1;
  const auto refused = BindAll(MakeDeployment(1000), streams);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(PlaceOf(refused.status()).field, "streams[1].program");
}

TEST(BindStreams, StateThatAnotherChipAccessesTooIsTransferred) {
  Deployment deployment = MakeDeployment(1000);
  deployment.programs[0].accesses.push_back({kKv, 7, 1, false});
  const auto bound = Bind(deployment, MakeStream(1, 1, UpdateInPlace()), {{1, kKv}});
  ASSERT_TRUE(bound.ok()) << bound.status();
  EXPECT_EQ(Numbers(bound->dropped), List{});
  EXPECT_EQ(Numbers(bound->live_in), List{});
}

TEST(BindStreams, OneStreamThatNeedsATransferKeepsThoseOfAllStreams) {
  // The second loads the bytes that the first stores, into a buffer that it then overwrites and
  // does not store: what it loads the next time must be what the first has stored.
  std::vector<StreamOfProgram> streams;
  streams.push_back(OfProgram(MakeStream(1, 1, UpdateInPlace()), {{1, kKv}}));
  streams.push_back(OfProgram(
      MakeStream(1, 1, {Load(Reads(0, 0, 16), Writes(1, 0, 16)), Compute({Writes(1, 0, 16)})}),
      {{1, kKv}}));
  const auto bound = BindAll(MakeDeployment(1000), streams);
  ASSERT_TRUE(bound.ok()) << bound.status();
  EXPECT_EQ(Numbers((*bound)[0].dropped), List{});
  EXPECT_EQ(Numbers((*bound)[0].live_in), List{});
  EXPECT_EQ((*bound)[0].kept.size(), 2u);
  EXPECT_EQ(Numbers((*bound)[1].dropped), List{});
  ASSERT_EQ((*bound)[1].kept.size(), 1u);
  EXPECT_EQ((*bound)[0].kept[0].reason, KeptReason::kAnotherStays);
  EXPECT_EQ((*bound)[1].kept[0].reason, KeptReason::kNotStoredBack);
  // Of another tensor they say nothing.
  streams[1].bindings[0].tensor = kY;
  const auto apart = BindAll(MakeDeployment(1000), streams);
  ASSERT_TRUE(apart.ok()) << apart.status();
  EXPECT_EQ(Numbers((*apart)[0].dropped), (List{0, 2}));
  EXPECT_EQ((*apart)[1].kept.size(), 1u);
}

TEST(BindStreams, TableThatIsScribbledOverIsLoadedAgain) {
  Deployment deployment = MakeDeployment(1000);
  deployment.programs[0].carried = std::vector<absl::string_view>();
  const std::vector<TestOp> reads = {Load(Reads(0, 0, 16), Writes(1, 0, 16)),
                                     Compute({Reads(1, 0, 16)})};
  const auto clean = Bind(deployment, MakeStream(1, 1, reads), {{1, kKv}});
  ASSERT_TRUE(clean.ok()) << clean.status();
  EXPECT_EQ(Numbers(clean->dropped), List{0});
  EXPECT_EQ(clean->reserved_bytes, 0u);  // tables are in the reserve already
  // Not even where it is stored back: the other instances share it.
  const auto written = Bind(deployment, MakeStream(1, 1, UpdateInPlace()), {{1, kKv}});
  ASSERT_TRUE(written.ok()) << written.status();
  EXPECT_EQ(Numbers(written->dropped), List{});
}

TEST(BindStreams, WriteWithoutAnyTransferKeepsTheLoadsOfOthers) {
  // The first only scribbles; what the second loads must not be that.
  std::vector<StreamOfProgram> streams;
  streams.push_back(OfProgram(MakeStream(1, 1, {Compute({Writes(1, 0, 16)})}), {{1, kKv}}));
  streams.push_back(OfProgram(
      MakeStream(1, 1, {Load(Reads(0, 0, 16), Writes(1, 0, 16)), Compute({Reads(1, 0, 16)})}),
      {{1, kKv}}));
  for (const uint32_t tensor : {kKv, kY}) {
    streams[0].bindings[0].tensor = streams[1].bindings[0].tensor = tensor;
    const auto bound = BindAll(MakeDeployment(1000), streams);
    ASSERT_TRUE(bound.ok()) << bound.status();
    EXPECT_EQ(Numbers((*bound)[1].dropped), List{});
    EXPECT_EQ(Numbers((*bound)[0].live_in), List{});
    ASSERT_EQ((*bound)[1].kept.size(), 1u);
    EXPECT_EQ((*bound)[1].kept[0].reason, KeptReason::kAnotherStays);
  }
}

TEST(BindStreams, StreamOnAnotherChipThatIsBoundKeepsTheTransfers) {
  std::vector<StreamOfProgram> streams;
  streams.push_back(OfProgram(MakeStream(1, 1, UpdateInPlace()), {{1, kKv}}));
  streams.push_back(OfProgram(
      MakeStream(1, 1, {Load(Reads(0, 0, 16), Writes(1, 0, 16)), Compute({Reads(1, 0, 16)})}),
      {{1, kKv}}, /*chip=*/1));
  const auto bound = BindAll(MakeDeployment(1000), streams);
  ASSERT_TRUE(bound.ok()) << bound.status();
  EXPECT_EQ(Numbers((*bound)[0].dropped), List{});
  EXPECT_EQ(Numbers((*bound)[1].dropped), List{});
}

TEST(BindStreams, TableBesideAnotherProgramIsLoadedInEveryRun) {
  // The reserve holds the larger of the two: while the other runs, the table is gone.
  Deployment deployment = MakeDeployment(1000);
  deployment.programs[0].carried = std::vector<absl::string_view>();
  const std::vector<TestOp> reads = {Load(Reads(0, 0, 16), Writes(1, 0, 16)),
                                     Compute({Reads(1, 0, 16)})};
  deployment.programs.emplace_back().name = "other";
  const auto idle = Bind(deployment, MakeStream(1, 1, reads), {{1, kKv}});
  ASSERT_TRUE(idle.ok()) << idle.status();
  EXPECT_EQ(Numbers(idle->dropped), List{0});
  deployment.programs[1].buffers = {{0, 0, 0, 900, false}};
  const auto busy = Bind(deployment, MakeStream(1, 1, reads), {{1, kKv}});
  ASSERT_TRUE(busy.ok()) << busy.status();
  EXPECT_EQ(Numbers(busy->dropped), List{});
  EXPECT_EQ(Numbers(busy->live_in), List{});
}

TEST(BindStreams, KeptTransfersSayWhy) {
  const auto why = [](const std::vector<TestOp>& ops) {
    const auto bound = Bind(MakeDeployment(1000), MakeStream(2, 2, ops), {{2, kKv}, {3, kKv}});
    EXPECT_TRUE(bound.ok()) << bound.status();
    return bound.ok() && !bound->kept.empty() ? bound->kept[0].reason : KeptReason::kNone;
  };
  const TestOp load = Load(Reads(0, 0, 16), Writes(2, 0, 16));
  EXPECT_EQ(why({load}), KeptReason::kNone);
  EXPECT_EQ(why({load, Compute({Writes(0, 0, 1)})}), KeptReason::kUsedOutside);
  EXPECT_EQ(why({load, Load(Reads(0, 0, 16), Writes(3, 0, 16))}), KeptReason::kNotOneToOne);
  EXPECT_EQ(why({Compute({Reads(2, 0, 16)}), load}), KeptReason::kReload);
  EXPECT_EQ(why({load, Compute({Writes(2, 0, 1)})}), KeptReason::kNotStoredBack);
}

TEST(BindStreams, TransfersOfOtherShapesAreCountedAsKept) {
  // Two buffers with one load: no copy.
  TestOp both = Load(Reads(0, 0, 16), Writes(1, 0, 16));
  both.accesses.push_back(Writes(2, 0, 16));
  const auto bound = Bind(MakeDeployment(1000), MakeStream(1, 2, {both}), {{1, kKv}});
  ASSERT_TRUE(bound.ok()) << bound.status();
  EXPECT_EQ(bound->kept.size(), 1u);
}

// ---- Byte by byte ----

using Memory = std::vector<std::vector<uint64_t>>;  // by buffer, by byte: what is there

uint64_t Mix(uint64_t a, uint64_t b) {
  SplitMix64 mixer(a * 0x9e3779b97f4a7c15u + b);
  return mixer.Next();
}

struct Played {
  std::vector<uint64_t> seen;  // by op that is no copy: what it read
  bool undefined = false;      // it read bytes of LRAM that nothing had written
};

// Runs the stream but for the ops that are dropped. Transfers with one access a side copy byte by
// byte; all else reads what it reads, and writes something made of that. defined: by byte, what
// holds something.
Played Play(const Stream& stream, const std::vector<OpIndex>& dropped, uint64_t run, Memory* memory,
            std::vector<std::vector<char>> defined) {
  Played played;
  const auto read = [&](const Access& access, uint64_t byte) {
    const uint32_t b = access.buffer.value();
    if (!defined[b][byte]) played.undefined = true;
    return (*memory)[b][byte];
  };
  const auto write = [&](const Access& access, uint64_t byte, uint64_t value) {
    (*memory)[access.buffer.value()][byte] = value;
    defined[access.buffer.value()][byte] = 1;
  };
  for (size_t i = 0; i < stream.op_count(); ++i) {
    const OpIndex o(i);
    if (std::binary_search(dropped.begin(), dropped.end(), o)) continue;
    const Run<Access> accesses = stream.accesses(o);
    if (stream.op(o).kind != OpKind::kBarrier && accesses.size() == 2) {
      const Access& from = accesses[accesses[0].reads ? 0 : 1];
      const Access& to = accesses[accesses[0].reads ? 1 : 0];
      for (uint64_t byte = 0; byte < to.end - to.begin; ++byte) {
        write(to, to.begin + byte, read(from, from.begin + byte));
      }
      continue;
    }
    uint64_t mixed = Mix(run, i);
    for (const Access& access : accesses) {
      for (uint64_t byte = access.begin; access.reads && byte < access.end; ++byte) {
        mixed = Mix(mixed, read(access, byte));
      }
    }
    for (const Access& access : accesses) {
      for (uint64_t byte = access.begin; access.writes && byte < access.end; ++byte) {
        write(access, byte, Mix(mixed, byte));
      }
    }
    played.seen.push_back(mixed);
  }
  return played;
}

// Two XRAM buffers (0, 1) and three LRAM buffers (2, 3, 4): transfers that often go together, and
// programs.
std::vector<TestOp> RandomOps(SplitMix64* random) {
  std::vector<TestOp> ops;
  const auto number = [random](uint64_t below) { return random->Next() % below; };
  const size_t count = 2 + number(7);
  for (size_t i = 0; i < count; ++i) {
    const uint64_t sizes[] = {16, 16, 8, 4};
    const uint64_t size = sizes[number(4)];
    const uint64_t offset = number(4) != 0 ? 0 : number(17 - size);
    const uint64_t outside = number(4) != 0 ? offset : number(17 - size);
    const uint32_t xram = static_cast<uint32_t>(number(2));
    const uint32_t lram = static_cast<uint32_t>(2 + (number(3) != 0 ? xram : number(3)));
    switch (number(5)) {
      case 0:
      case 1:
        ops.push_back(Load(Reads(xram, outside, size), Writes(lram, offset, size)));
        break;
      case 2:
        ops.push_back(Store(Reads(lram, offset, size), Writes(xram, outside, size)));
        break;
      default: {
        const bool reads = number(3) != 0;
        ops.push_back(Compute({{lram, reads, !reads || number(2) == 0, offset, size}}));
        if (number(12) == 0) ops.back().accesses.push_back(Reads(xram, outside, size));
        break;
      }
    }
  }
  return ops;
}

constexpr uint32_t kXram = 2;
constexpr uint32_t kBuffers = 5;

Memory MakeMemory() {
  Memory memory(kBuffers, std::vector<uint64_t>(16));
  for (uint64_t b = 0; b < kBuffers; ++b) {
    for (uint64_t byte = 0; byte < 16; ++byte) memory[b][byte] = Mix(b, byte);
  }
  return memory;
}

// What is loaded by transfers that go is there from the start.
void Preload(const Stream& stream, const std::vector<OpIndex>& dropped, Memory* memory,
             std::vector<std::vector<char>>* defined) {
  for (const OpIndex o : dropped) {
    if (stream.op(o).kind != OpKind::kLoad) continue;
    const Access& from = stream.accesses(o)[0];
    const Access& to = stream.accesses(o)[1];
    for (uint64_t byte = 0; byte < to.end - to.begin; ++byte) {
      (*memory)[to.buffer.value()][to.begin + byte] =
          (*memory)[from.buffer.value()][from.begin + byte];
      (*defined)[to.buffer.value()][to.begin + byte] = 1;
    }
  }
}

bool Contains(const std::vector<BufferIndex>& list, uint32_t buffer) {
  return std::find(list.begin(), list.end(), BufferIndex(buffer)) != list.end();
}

// Without the transfers that go, buffers that are live in and out keep their bytes from run to run;
// all other LRAM is forgotten.
TEST(BindStreams, RandomStreamsReadTheSameWithoutTheTransfersRunAfterRun) {
  uint64_t dropped = 0, kept = 0, compared = 0;
  for (uint64_t seed = 1; seed <= 30000 && !HasFailure(); ++seed) {
    SplitMix64 random(seed);
    std::vector<TensorBuffer> bindings;
    for (uint32_t b = kXram; b < kBuffers; ++b) {
      if (random.Next() % 4 != 0) bindings.push_back({b, b == kBuffers - 1 ? kY : kKv});
    }
    std::vector<StreamOfProgram> streams;
    streams.push_back(OfProgram(MakeStream(kXram, 3, RandomOps(&random)), bindings));
    const auto bound = BindAll(MakeDeployment(1000), streams);
    ASSERT_TRUE(bound.ok()) << bound.status();
    const BoundStream& result = bound->front();
    dropped += result.dropped.size();
    kept += result.kept.size();

    const Stream& stream = streams[0].stream;
    std::vector<std::vector<char>> forgotten(kBuffers, std::vector<char>(16, 0));
    for (uint32_t b = 0; b < kXram; ++b) forgotten[b].assign(16, 1);
    std::vector<std::vector<char>> present = forgotten;
    Memory before = MakeMemory(), after = MakeMemory();
    Preload(stream, result.dropped, &after, &present);
    for (uint64_t run = 0; run < 3; ++run) {
      const Played expected = Play(stream, {}, run, &before, forgotten);
      if (expected.undefined) break;  // no stream that means anything
      const Played actual = Play(stream, result.dropped, run, &after, present);
      ++compared;
      EXPECT_FALSE(actual.undefined) << "seed " << seed << " run " << run;
      EXPECT_EQ(expected.seen, actual.seen) << "seed " << seed << " run " << run;
      for (uint32_t b = kXram; b < kBuffers; ++b) {
        if (Contains(result.live_in, b)) continue;
        after[b].assign(16, Mix(seed, run));  // whatever others left there
      }
    }
  }
  EXPECT_GT(compared, 2000u);
  EXPECT_GT(dropped, 2000u);
  EXPECT_GT(kept, 2000u);
}

}  // namespace
}  // namespace torqsched
