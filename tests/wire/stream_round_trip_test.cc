// What StreamToProto writes, and that the same stream comes back from it.
//
// A message that was read and written again says the same in fewer ways. It differs from what was
// read only so:
//   - location is gone: a Stream does not keep it
//   - a space that was unset is SPACE_XRAM, a kind that was unset or not known OP_KIND_BARRIER
//   - a start's slice and an access's size are said; an alignment of 1 or 0 is not
//   - what an op of its kind ignores is gone: cycles of pure ops and waits; slice and
//     dma_share_percent of all but starts, start of all but waits
//   - a start that no wait names has no dma_share_percent
#include <cstdint>
#include <set>
#include <string>

#include "absl/status/statusor.h"
#include "bench/streams.h"
#include "google/protobuf/util/message_differencer.h"
#include "gtest/gtest.h"
#include "src/stream/stream.h"
#include "src/wire/stream_wire.h"
#include "tests/reference/random_streams.h"
#include "tests/wire/text.h"

namespace torqsched {
namespace {

// Read and written again.
v1::Stream Again(const v1::Stream& message) {
  v1::Stream again;
  const absl::StatusOr<Stream> stream = StreamFromProto(message);
  EXPECT_TRUE(stream.ok()) << stream.status();
  if (stream.ok()) StreamToProto(*stream, &again);
  return again;
}

// The differences above, done to a message. Its ops' operands and buffers are as they were.
v1::Stream Canonical(v1::Stream message) {
  std::set<uint32_t> waited_for;
  for (const v1::Op& op : message.ops()) {
    if (op.kind() == v1::OP_KIND_WAIT) waited_for.insert(op.start());
  }
  for (v1::Buffer& buffer : *message.mutable_buffers()) {
    if (buffer.space() == v1::SPACE_UNSPECIFIED) buffer.set_space(v1::SPACE_XRAM);
    if (buffer.alignment() == 1) buffer.clear_alignment();
  }
  for (int i = 0; i < message.ops_size(); ++i) {
    v1::Op& op = *message.mutable_ops(i);
    op.clear_location();
    if (op.kind() == v1::OP_KIND_UNSPECIFIED || !v1::OpKind_IsValid(op.kind())) {
      op.set_kind(v1::OP_KIND_BARRIER);
    }
    const bool start = op.kind() == v1::OP_KIND_START;
    if (op.kind() == v1::OP_KIND_PURE || op.kind() == v1::OP_KIND_WAIT) op.clear_cycles();
    if (op.kind() != v1::OP_KIND_WAIT) op.clear_start();
    if (!start || waited_for.count(static_cast<uint32_t>(i)) == 0) op.clear_dma_share_percent();
    start ? op.set_slice(op.slice()) : op.clear_slice();
    for (v1::Access& access : *op.mutable_accesses()) {
      if (access.has_size()) continue;
      const v1::Buffer& buffer = message.buffers(static_cast<int>(access.buffer()));
      access.set_size(buffer.size() - access.offset());
    }
  }
  return message;
}

testing::AssertionResult Same(const v1::Stream& expected, const v1::Stream& message) {
  google::protobuf::util::MessageDifferencer differencer;
  std::string difference;
  differencer.ReportDifferencesToString(&difference);
  if (differencer.Compare(expected, message)) return testing::AssertionSuccess();
  constexpr size_t kShown = 2000;  // a real stream may differ in every op
  return testing::AssertionFailure() << difference.substr(0, kShown);
}

// ---- By hand ----

// Every field of every message, each with a value of its own where its kind allows one.
constexpr char kEveryField[] = R"pb(
  name: "every field"
  buffers { name: "w" space: SPACE_XRAM size: 100 live_in: true constant: true }
  buffers { name: "l" space: SPACE_LRAM size: 90 alignment: 16 fixed_offset: 0 }
  buffers { name: "\303\251" space: SPACE_LRAM size: 80 fixed_offset: 18446744073709551615 }
  buffers { space: SPACE_XRAM size: 18446744073709551615 live_out: true }
  ops { name: "alloc" kind: OP_KIND_PURE alloc: 1 }
  ops {
    name: "load"
    kind: OP_KIND_LOAD
    cycles: 30
    operands: 0
    accesses { buffer: 0 offset: 10 size: 20 mode: ACCESS_MODE_READ }
    accesses { buffer: 1 offset: 0 size: 20 mode: ACCESS_MODE_WRITE }
  }
  ops {
    name: "start"
    kind: OP_KIND_START
    cycles: 18446744073709551615
    slice: 4294967295
    operands: [ 1, 0, 1 ]
    accesses { buffer: 2 offset: 80 size: 0 mode: ACCESS_MODE_READ_WRITE }
    dma_share_percent: 99
  }
  ops { kind: OP_KIND_START cycles: 5 slice: 0 }
  ops { name: "wait" kind: OP_KIND_WAIT start: 2 }
  ops {
    kind: OP_KIND_STORE
    cycles: 40
    accesses { buffer: 1 size: 90 mode: ACCESS_MODE_READ }
    accesses { buffer: 3 offset: 1 size: 18446744073709551614 mode: ACCESS_MODE_WRITE }
  }
  ops { kind: OP_KIND_BARRIER cycles: 8000 operands: 5 }
  ops { kind: OP_KIND_PURE operands: 4 }
)pb";

TEST(StreamToProto, EveryFieldComesBackAsItWas) {
  EXPECT_TRUE(IsText(Again(FromText<v1::Stream>(kEveryField)), kEveryField));
}

TEST(StreamToProto, NothingIsAnEmptyMessage) { EXPECT_TRUE(IsText(Again(v1::Stream()), "")); }

TEST(StreamToProto, WhatWasUnsetIsSaid) {
  EXPECT_TRUE(IsText(Again(FromText<v1::Stream>(R"pb(
                       buffers { size: 9 }
                       buffers { space: SPACE_LRAM size: 8 alignment: 1 }
                       ops { cycles: 3 }
                       ops { kind: 77 cycles: 4 }
                       ops {
                         kind: OP_KIND_START
                         accesses { offset: 2 mode: ACCESS_MODE_READ }
                         accesses { buffer: 1 mode: ACCESS_MODE_WRITE }
                       }
                       ops { kind: OP_KIND_WAIT start: 2 })pb")),
                     R"pb(
                       buffers { space: SPACE_XRAM size: 9 }
                       buffers { space: SPACE_LRAM size: 8 }
                       ops { kind: OP_KIND_BARRIER cycles: 3 }
                       ops { kind: OP_KIND_BARRIER cycles: 4 }
                       ops {
                         kind: OP_KIND_START
                         slice: 0
                         accesses { buffer: 0 offset: 2 size: 7 mode: ACCESS_MODE_READ }
                         accesses { buffer: 1 offset: 0 size: 8 mode: ACCESS_MODE_WRITE }
                       }
                       ops { kind: OP_KIND_WAIT start: 2 })pb"));
}

TEST(StreamToProto, WhatAnOpsKindIgnoresIsGone) {
  EXPECT_TRUE(IsText(
      Again(FromText<v1::Stream>(R"pb(
        buffers { space: SPACE_LRAM size: 8 }
        ops { kind: OP_KIND_PURE cycles: 1 slice: 2 start: 9 dma_share_percent: 4 }
        ops {
          kind: OP_KIND_LOAD
          cycles: 1
          slice: 2
          start: 9
          dma_share_percent: 100
          location: "a.mlir:3"
          accesses { size: 8 mode: ACCESS_MODE_WRITE }
        }
        ops { kind: OP_KIND_START cycles: 1 slice: 2 start: 9 dma_share_percent: 4 }
        ops { kind: OP_KIND_WAIT cycles: 1 slice: 2 start: 2 dma_share_percent: 4 }
        ops { kind: OP_KIND_BARRIER cycles: 1 slice: 2 start: 9 dma_share_percent: 4 })pb")),
      R"pb(
        buffers { space: SPACE_LRAM size: 8 }
        ops { kind: OP_KIND_PURE }
        ops {
          kind: OP_KIND_LOAD
          cycles: 1
          accesses { size: 8 mode: ACCESS_MODE_WRITE }
        }
        ops { kind: OP_KIND_START cycles: 1 slice: 2 dma_share_percent: 4 }
        ops { kind: OP_KIND_WAIT start: 2 }
        ops { kind: OP_KIND_BARRIER cycles: 1 })pb"));
}

// A barrier inside, a start outside: its slice is checked like any other.
TEST(StreamToProto, StartThatNoWaitNamesIsAStartWithoutAShare) {
  EXPECT_TRUE(IsText(Again(FromText<v1::Stream>(
                         "ops { kind: OP_KIND_START cycles: 7 slice: 3 dma_share_percent: 50 }")),
                     "ops { kind: OP_KIND_START cycles: 7 slice: 3 }"));
}

// ---- Streams of all sorts ----

class RealStream : public testing::TestWithParam<const char*> {};

TEST_P(RealStream, ComesBackAsItsCanonicalForm) {
  const v1::Stream message = bench::LoadRequest(GetParam()).stream();
  ASSERT_GT(message.ops_size(), 0);
  const v1::Stream again = Again(message);
  EXPECT_TRUE(Same(Canonical(message), again));
  EXPECT_EQ(Again(again).SerializeAsString(), again.SerializeAsString());
}

// All of testdata/streams but for the largest, and for what differs in cycles alone.
INSTANTIATE_TEST_SUITE_P(
    Files, RealStream,
    testing::Values("worked-example-1.txtpb", "worked-example-2.txtpb",
                    "gemma3-1b-decode-int4.block.txtpb", "gemma3-1b-decode-int4.lm-head.binpb",
                    "mobilenet-v2-int8.whole.txtpb", "resnet50-int8.first20.binpb",
                    "resnet50-int8.first20-over50.binpb", "whisper-tiny-encoder-int8.block.binpb",
                    "matmul-1x128x768x3072-bf16.txtpb"),
    [](const auto& info) { return "File" + std::to_string(info.index); });

void ExpectSameBuffers(const Stream& expected, const Stream& stream) {
  ASSERT_EQ(stream.buffer_count(), expected.buffer_count());
  for (size_t i = 0; i < expected.buffer_count(); ++i) {
    const Buffer& a = expected.buffer(BufferIndex(i));
    const Buffer& b = stream.buffer(BufferIndex(i));
    EXPECT_EQ(stream.buffer_name(BufferIndex(i)), expected.buffer_name(BufferIndex(i)));
    EXPECT_EQ(b.space, a.space) << i;
    EXPECT_EQ(b.live_in, a.live_in) << i;
    EXPECT_EQ(b.live_out, a.live_out) << i;
    EXPECT_EQ(b.constant, a.constant) << i;
    EXPECT_EQ(b.has_fixed_offset, a.has_fixed_offset) << i;
    EXPECT_EQ(b.size, a.size) << i;
    EXPECT_EQ(b.alignment, a.alignment) << i;
    EXPECT_EQ(b.fixed_offset, a.fixed_offset) << i;
  }
}

void ExpectSameLists(const Stream& expected, const Stream& stream, OpIndex i) {
  const Run<OpIndex> operands = expected.operands(i);
  ASSERT_EQ(stream.operands(i).size(), operands.size());
  for (size_t k = 0; k < operands.size(); ++k) EXPECT_EQ(stream.operands(i)[k], operands[k]);
  ASSERT_EQ(stream.accesses(i).size(), expected.accesses(i).size());
  for (size_t k = 0; k < expected.accesses(i).size(); ++k) {
    const Access& a = expected.accesses(i)[k];
    const Access& b = stream.accesses(i)[k];
    EXPECT_EQ(b.buffer, a.buffer);
    EXPECT_EQ(b.reads, a.reads);
    EXPECT_EQ(b.writes, a.writes);
    EXPECT_EQ(b.begin, a.begin);
    EXPECT_EQ(b.end, a.end);
  }
}

void ExpectSameOps(const Stream& expected, const Stream& stream) {
  ASSERT_EQ(stream.op_count(), expected.op_count());
  for (size_t i = 0; i < expected.op_count(); ++i) {
    const Op& a = expected.op(OpIndex(i));
    const Op& b = stream.op(OpIndex(i));
    EXPECT_EQ(stream.op_name(OpIndex(i)), expected.op_name(OpIndex(i)));
    EXPECT_EQ(b.kind, a.kind) << i;
    EXPECT_EQ(b.start_without_wait, a.start_without_wait) << i;
    EXPECT_EQ(b.dma_share, a.dma_share) << i;
    EXPECT_EQ(b.slice, a.slice) << i;
    EXPECT_EQ(b.partner, a.partner) << i;
    EXPECT_EQ(b.alloc, a.alloc) << i;
    EXPECT_EQ(b.cycles, a.cycles) << i;
    ExpectSameLists(expected, stream, OpIndex(i));
  }
}

// Swaps, fixed offsets, live buffers, starts without waits, shares: whatever a stream may hold.
TEST(StreamToProto, RandomStreamsComeBackTheSame) {
  reference::Shape shape;
  shape.dma = true;
  size_t ops = 0;
  for (uint64_t seed = 0; seed < 500 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const reference::RandomStream random = reference::MakeRandomStream(seed, shape);
    v1::Stream message;
    StreamToProto(random.stream, &message);
    const absl::StatusOr<Stream> stream = StreamFromProto(message);
    ASSERT_TRUE(stream.ok()) << stream.status();
    EXPECT_EQ(stream->name(), random.stream.name());
    EXPECT_EQ(stream->has_dma_shares(), random.stream.has_dma_shares());
    ExpectSameBuffers(random.stream, *stream);
    ExpectSameOps(random.stream, *stream);
    ops += stream->op_count();
  }
  EXPECT_GT(ops, 5000u);
}

}  // namespace
}  // namespace torqsched
