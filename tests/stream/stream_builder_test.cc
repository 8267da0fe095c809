// A stream that is wrong is refused with the message, the field, the op and the buffer; a stream
// that is right is kept as it was said.
#include <cstdint>
#include <limits>
#include <string>

#include "gtest/gtest.h"
#include "src/stream/stream.h"
#include "tests/stream/expect_error.h"
#include "tests/stream/stream_maker.h"

namespace torqsched {
namespace {

constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();

// Buffers 0 'w' (LRAM, 100 bytes) and 1 'x' (XRAM, 50 bytes); op 0 loads w; op 1 starts a program;
// op 2 is what the test adds.
class StreamBuilderErrors : public testing::Test {
 protected:
  StreamBuilderErrors() {
    maker_.Lram(100, "w");
    maker_.Xram(50, "x");
    OpSpec load;
    load.kind = OpKind::kLoad;
    load.name = "load w";
    maker_.Add(load, {Reads(1), Writes(0)}, {});
    OpSpec start;
    start.kind = OpKind::kStart;
    start.name = "P";
    maker_.Add(start, {Reads(0)}, {});
  }

  static OpSpec Named(OpKind kind, const char* name = "bad") {
    OpSpec spec;
    spec.kind = kind;
    spec.name = name;
    return spec;
  }

  // Op 2 is the error, in this field of it.
  void ExpectRefused(const std::string& message, const std::string& field,
                     BufferIndex buffer = BufferIndex()) {
    ExpectInvalid(maker_.TryBuild().status(), "op 2 'bad': " + message,
                  {"stream.ops[2]." + field, OpIndex(2), buffer});
  }
  void ExpectAccessRefused(const AccessSpec& access, const std::string& message,
                           const std::string& field, BufferIndex buffer = BufferIndex()) {
    maker_.Add(Named(OpKind::kBarrier), {Reads(0), access}, {});
    ExpectRefused(message, "accesses[1]." + field, buffer);
  }

  StreamMaker maker_;
};

TEST_F(StreamBuilderErrors, OperandIsTheOpItself) {
  maker_.Add(Named(OpKind::kBarrier), {}, {0, 2});
  ExpectRefused("operand op 2 is not older; operands must be older than their op", "operands[1]");
}

TEST_F(StreamBuilderErrors, OperandThatDoesNotExist) {
  maker_.Add(Named(OpKind::kPure), {}, {4294967295});
  ExpectRefused("operand op 4294967295 is not older; operands must be older than their op",
                "operands[0]");
}

TEST_F(StreamBuilderErrors, WaitWithoutStart) {
  maker_.Add(Named(OpKind::kWait), {}, {});
  ExpectRefused("a wait without a start; expected the start that it ends", "start");
}

TEST_F(StreamBuilderErrors, WaitForAnOpThatDoesNotExist) {
  OpSpec wait = Named(OpKind::kWait);
  wait.start = 4294967295;
  maker_.Add(wait, {}, {});
  ExpectRefused("waits for op 4294967295, which is not older", "start");
}

TEST_F(StreamBuilderErrors, WaitForANewerStart) {
  OpSpec wait = Named(OpKind::kWait);
  wait.start = 3;
  maker_.Add(wait, {}, {});
  maker_.Start(10, {});
  ExpectRefused("waits for op 3, which is not older", "start");
}

TEST_F(StreamBuilderErrors, WaitForWhatIsNoStart) {
  OpSpec wait = Named(OpKind::kWait);
  wait.start = 0;
  maker_.Add(wait, {}, {});
  ExpectRefused("waits for op 0 'load w', which is no start", "start");
}

TEST_F(StreamBuilderErrors, SecondWaitForOneStart) {
  maker_.Wait(1);
  OpSpec wait = Named(OpKind::kWait, "again");
  wait.start = 1;
  maker_.Add(wait, {}, {});
  ExpectInvalid(maker_.TryBuild().status(),
                "op 3 'again': waits for op 1 'P', which op 2 has waited for already",
                {"stream.ops[3].start", OpIndex(3), BufferIndex()});
}

TEST_F(StreamBuilderErrors, WaitWithAccesses) {
  OpSpec wait = Named(OpKind::kWait);
  wait.start = 1;
  maker_.Add(wait, {Reads(1)}, {});
  ExpectRefused("a wait that accesses a buffer; expected a program's accesses on its start",
                "accesses", BufferIndex(1));
}

TEST_F(StreamBuilderErrors, PureOpWithAccesses) {
  maker_.Add(Named(OpKind::kPure), {Reads(0)}, {});
  ExpectRefused("a pure op that accesses a buffer; expected no accesses", "accesses",
                BufferIndex(0));
}

TEST_F(StreamBuilderErrors, AllocOnAnOpThatIsNotPure) {
  OpSpec load = Named(OpKind::kLoad);
  load.alloc = 0;
  maker_.Add(load, {Writes(0)}, {});
  ExpectRefused("allocates a buffer; expected only pure ops to", "alloc", BufferIndex(0));
}

TEST_F(StreamBuilderErrors, AllocOfAnUnknownBuffer) {
  OpSpec alloc = Named(OpKind::kPure);
  alloc.alloc = 2;
  maker_.Add(alloc, {}, {});
  ExpectRefused("allocates buffer 2, but the stream has 2 buffers", "alloc");
}

TEST_F(StreamBuilderErrors, AllocOfAnUnknownBufferOnAnOpThatIsNotPureNamesNoBuffer) {
  OpSpec barrier = Named(OpKind::kBarrier);
  barrier.alloc = 4294967295;
  maker_.Add(barrier, {}, {});
  ExpectRefused("allocates buffer 4294967295, but the stream has 2 buffers", "alloc");
}

TEST_F(StreamBuilderErrors, AccessToAnUnknownBuffer) {
  ExpectAccessRefused(Reads(2), "accesses buffer 2, but the stream has 2 buffers", "buffer");
}

TEST_F(StreamBuilderErrors, AccessWithoutMode) {
  ExpectAccessRefused({0, false, false, 0, std::nullopt},
                      "access to buffer 0 'w' has no mode; expected read, write or both", "mode",
                      BufferIndex(0));
}

TEST_F(StreamBuilderErrors, AccessThatBeginsPastTheEnd) {
  ExpectAccessRefused(Reads(1, 51), "access at offset 51 of buffer 1 'x', which has 50 bytes",
                      "offset", BufferIndex(1));
}

TEST_F(StreamBuilderErrors, AccessThatEndsPastTheEnd) {
  ExpectAccessRefused(Writes(0, 60, 41),
                      "access of 41 bytes at offset 60 of buffer 0 'w', which has 100 bytes",
                      "size", BufferIndex(0));
}

TEST_F(StreamBuilderErrors, AccessWhoseEndDoesNotFit64Bits) {
  ExpectAccessRefused(Reads(0, 8, kMost),
                      "access of 18446744073709551615 bytes at offset 8 of buffer 0 'w', which has "
                      "100 bytes",
                      "size", BufferIndex(0));
}

TEST_F(StreamBuilderErrors, LoadThatWritesNoLram) {
  maker_.Add(Named(OpKind::kLoad), {Reads(0), Writes(1)}, {});
  ExpectRefused("a load that writes no LRAM buffer", "accesses", BufferIndex(0));
}

TEST_F(StreamBuilderErrors, LoadWithoutAccessesNamesNoBuffer) {
  maker_.Add(Named(OpKind::kLoad), {}, {});
  ExpectRefused("a load that writes no LRAM buffer", "accesses");
}

TEST_F(StreamBuilderErrors, StoreThatReadsNoLram) {
  maker_.Add(Named(OpKind::kStore), {Reads(1), Writes(0)}, {});
  ExpectRefused("a store that reads no LRAM buffer", "accesses", BufferIndex(1));
}

TEST(StreamBuilder, WriteToAConstantBufferIsRefused) {
  StreamMaker maker;
  Buffer constant = XramBuffer(8);
  constant.constant = true;
  maker.Lram(8);
  maker.Add(constant, "c");
  maker.Store(1, {Reads(0), Updates(1, 0, 4)});
  ExpectInvalid(maker.TryBuild().status(), "op 0: writes buffer 1 'c', which is constant",
                {"stream.ops[0].accesses[1].mode", OpIndex(0), BufferIndex(1)});
}

TEST(StreamBuilder, ConstantBufferInLramIsRefused) {
  StreamMaker maker;
  Buffer constant = LramBuffer(8);
  constant.constant = true;
  maker.Add(constant, "c");
  ExpectInvalid(maker.TryBuild().status(),
                "buffer 0 'c': constant, but in LRAM; expected a constant buffer in XRAM",
                {"stream.buffers[0].constant", OpIndex(), BufferIndex(0)});
}

TEST(StreamBuilder, FixedOffsetInXramMeansNothingAndIsLegal) {
  StreamMaker maker;
  maker.Xram(8);
  maker.Add(FixedAt(0, XramBuffer(8)));
  EXPECT_TRUE(maker.TryBuild().ok());
}

TEST(StreamBuilder, TheFirstErrorInInputOrderIsTold) {
  StreamMaker maker;
  maker.Lram(8);
  maker.View({0});               // op 0: not older
  maker.Barrier(1, {Reads(9)});  // op 1: unknown buffer
  maker.Load(1, {});             // op 2
  ExpectInvalid(maker.TryBuild().status(),
                "op 0: operand op 0 is not older; operands must be older than their op",
                {"stream.ops[0].operands[0]", OpIndex(0), BufferIndex()});
}

TEST(StreamBuilder, WithinAnOpTheFirstWrongAccessIsTold) {
  StreamMaker maker;
  maker.Lram(8);
  maker.Load(1, {Reads(0, 9), Reads(7), {0, false, false, 0, std::nullopt}});
  ExpectInvalid(maker.TryBuild().status(),
                "op 0: access at offset 9 of buffer 0, which has 8 bytes",
                {"stream.ops[0].accesses[0].offset", OpIndex(0), BufferIndex(0)});
}

TEST(StreamBuilder, AWrongBufferComesBeforeAWrongOp) {
  StreamMaker maker;
  Buffer constant = LramBuffer(8);
  constant.constant = true;
  maker.Add(constant);
  maker.View({0});
  EXPECT_EQ(PlaceOf(maker.TryBuild().status()).field, "stream.buffers[0].constant");
}

TEST(StreamBuilder, StartWithoutWaitIsABarrierThatKeepsItsSlice) {
  StreamMaker maker;
  OpSpec start;
  start.kind = OpKind::kStart;
  start.cycles = 60;
  start.slice = 3;
  maker.Add(start, {}, {});
  maker.Program(10, {});
  const Stream stream = maker.Build();
  const Op& lonely = stream.op(OpIndex(0));
  EXPECT_EQ(lonely.kind, OpKind::kBarrier);
  EXPECT_TRUE(lonely.start_without_wait);
  EXPECT_EQ(lonely.slice, 3u);
  EXPECT_EQ(lonely.cycles, 60u);
  EXPECT_EQ(stream.op(OpIndex(1)).kind, OpKind::kStart);
  EXPECT_FALSE(stream.op(OpIndex(1)).start_without_wait);
}

TEST(StreamBuilder, StartAndWaitKnowEachOther) {
  StreamMaker maker;
  const uint32_t a = maker.Start(10, {});
  const uint32_t b = maker.Start(20, {});
  const uint32_t wait_b = maker.Wait(b);
  const uint32_t wait_a = maker.Wait(a);
  const Stream stream = maker.Build();
  EXPECT_EQ(stream.op(OpIndex(a)).partner, OpIndex(wait_a));
  EXPECT_EQ(stream.op(OpIndex(b)).partner, OpIndex(wait_b));
  EXPECT_EQ(stream.op(OpIndex(wait_a)).partner, OpIndex(a));
  EXPECT_EQ(stream.op(OpIndex(wait_b)).partner, OpIndex(b));
}

TEST(StreamBuilder, AccessesEndWhereTheyMay) {
  StreamMaker maker;
  maker.Lram(100);
  maker.Lram(kMost);
  maker.Lram(0);
  maker.Barrier(0, {Reads(0), Reads(0, 30), Writes(0, 30, 70), Reads(0, 100), Reads(0, 100, 0),
                    Reads(1, kMost - 1, 1), Writes(2)});
  const Stream stream = maker.Build();
  std::vector<std::pair<uint64_t, uint64_t>> ranges;
  for (const Access& a : stream.accesses(OpIndex(0))) ranges.emplace_back(a.begin, a.end);
  const std::vector<std::pair<uint64_t, uint64_t>> expected = {
      {0, 100}, {30, 100}, {30, 100}, {100, 100}, {100, 100}, {kMost - 1, kMost}, {0, 0}};
  EXPECT_EQ(ranges, expected);
}

TEST(StreamBuilder, WhatDoesNotApplyToAKindIsDropped) {
  StreamMaker maker;
  maker.Lram(8);
  OpSpec spec;
  spec.cycles = 7;
  spec.slice = 5;
  for (const OpKind kind : {OpKind::kPure, OpKind::kBarrier, OpKind::kStart}) {
    spec.kind = kind;
    maker.Add(spec, {}, {});
  }
  spec.kind = OpKind::kWait;
  spec.start = 2;
  maker.Add(spec, {}, {});
  const Stream stream = maker.Build();
  EXPECT_EQ(stream.op(OpIndex(0)).cycles, 0u);
  EXPECT_EQ(stream.op(OpIndex(1)).cycles, 7u);
  EXPECT_EQ(stream.op(OpIndex(1)).slice, 0u);
  EXPECT_EQ(stream.op(OpIndex(2)).slice, 5u);
  EXPECT_EQ(stream.op(OpIndex(3)).cycles, 0u);
}

TEST(StreamBuilder, AlignmentZeroMeansOne) {
  StreamMaker maker;
  Buffer buffer = LramBuffer(8);
  buffer.alignment = 0;
  maker.Add(buffer);
  buffer.alignment = 24;
  maker.Add(buffer);
  const Stream stream = maker.Build();
  EXPECT_EQ(stream.buffer(BufferIndex(0)).alignment, 1u);
  EXPECT_EQ(stream.buffer(BufferIndex(1)).alignment, 24u);
}

TEST(StreamBuilder, OperandsAreKeptInTheirOrder) {
  StreamMaker maker;
  for (int i = 0; i < 3; ++i) maker.View({});
  maker.View({2, 0, 2});
  maker.View({3});
  const Stream stream = maker.Build();
  EXPECT_EQ(ToVector(stream.operands(OpIndex(3))), Ops({2, 0, 2}));
  EXPECT_EQ(ToVector(stream.operands(OpIndex(4))), Ops({3}));
  EXPECT_TRUE(stream.operands(OpIndex(0)).empty());
  EXPECT_EQ(stream.operand_count(), 4u);
}

}  // namespace
}  // namespace torqsched
