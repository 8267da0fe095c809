// From a Stream message to a Stream: what each field becomes, and what each error names.
#include "src/wire/stream_wire.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "src/stream/error.h"
#include "tests/wire/text.h"

namespace torqsched {
namespace {

// One program: its weights come in, it runs on slice 1, its output goes out.
constexpr char kOneProgram[] = R"pb(
  name: "one program"
  buffers { name: "weights" size: 100 constant: true live_in: true }
  buffers { name: "w" space: SPACE_LRAM size: 100 alignment: 16 }
  buffers { name: "o" space: SPACE_LRAM size: 40 fixed_offset: 0 live_out: true }
  buffers { name: "out" space: SPACE_XRAM size: 40 }
  ops { name: "alloc w" kind: OP_KIND_PURE alloc: 1 }
  ops {
    name: "load w"
    kind: OP_KIND_LOAD
    cycles: 30
    operands: 0
    accesses { buffer: 0 mode: ACCESS_MODE_READ }
    accesses { buffer: 1 mode: ACCESS_MODE_WRITE }
    location: "layer.mlir:7"
  }
  ops {
    name: "start P"
    kind: OP_KIND_START
    cycles: 100
    slice: 1
    operands: 1
    operands: 0
    accesses { buffer: 1 offset: 10 size: 20 mode: ACCESS_MODE_READ }
    accesses { buffer: 2 offset: 8 mode: ACCESS_MODE_READ_WRITE }
  }
  ops { name: "wait P" kind: OP_KIND_WAIT start: 2 }
  ops {
    name: "store o"
    kind: OP_KIND_STORE
    cycles: 20
    accesses { buffer: 2 mode: ACCESS_MODE_READ }
    accesses { buffer: 3 mode: ACCESS_MODE_WRITE }
  }
  ops { name: "call" kind: OP_KIND_BARRIER cycles: 8000 }
)pb";

absl::Status ErrorOf(const std::string& text) {
  return StreamFromProto(FromText<v1::Stream>(text)).status();
}

void ExpectInvalid(const absl::Status& status, const std::string& field, OpIndex op,
                   BufferIndex buffer) {
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  const ErrorPlace place = PlaceOf(status);
  EXPECT_EQ(place.field, field) << status;
  EXPECT_EQ(place.op.value(), op.value()) << status;
  EXPECT_EQ(place.buffer.value(), buffer.value()) << status;
}

std::vector<uint32_t> OperandsOf(const Stream& stream, size_t op) {
  std::vector<uint32_t> operands;
  for (const OpIndex operand : stream.operands(OpIndex(op))) operands.push_back(operand.value());
  return operands;
}

class OneProgram : public testing::Test {
 protected:
  void SetUp() override {
    message_ = FromText<v1::Stream>(kOneProgram);
    absl::StatusOr<Stream> stream = StreamFromProto(message_);
    ASSERT_TRUE(stream.ok()) << stream.status();
    stream_ = *std::move(stream);
  }

  const Op& op(size_t i) { return stream_.op(OpIndex(i)); }
  const Buffer& buffer(size_t i) { return stream_.buffer(BufferIndex(i)); }

  v1::Stream message_;
  Stream stream_;
};

TEST_F(OneProgram, HasAsManyBuffersAndOpsAsTheMessage) {
  EXPECT_EQ(stream_.buffer_count(), 4u);
  EXPECT_EQ(stream_.op_count(), 6u);
  EXPECT_EQ(stream_.operand_count(), 3u);
  EXPECT_EQ(stream_.access_count(), 6u);
}

TEST_F(OneProgram, NamesAreViewsIntoTheMessage) {
  EXPECT_EQ(stream_.name(), "one program");
  EXPECT_EQ(stream_.buffer_name(BufferIndex(1)), "w");
  EXPECT_EQ(stream_.op_name(OpIndex(2)), "start P");
  EXPECT_EQ(stream_.op_name(OpIndex(2)).data(), message_.ops(2).name().data());
}

TEST_F(OneProgram, BufferWithoutASpaceIsInXram) {
  EXPECT_EQ(buffer(0).space, Space::kXram);
  EXPECT_EQ(buffer(3).space, Space::kXram);
  EXPECT_EQ(buffer(1).space, Space::kLram);
}

TEST_F(OneProgram, BufferNumbersAndFlagsArriveEachInItsPlace) {
  EXPECT_TRUE(buffer(0).constant);
  EXPECT_TRUE(buffer(0).live_in);
  EXPECT_FALSE(buffer(0).live_out);
  EXPECT_EQ(buffer(1).size, 100u);
  EXPECT_EQ(buffer(1).alignment, 16u);
  EXPECT_FALSE(buffer(1).constant);
  EXPECT_FALSE(buffer(1).live_in);
  EXPECT_TRUE(buffer(2).live_out);
  EXPECT_EQ(buffer(2).size, 40u);
}

TEST_F(OneProgram, AlignmentThatIsUnsetIsOne) { EXPECT_EQ(buffer(2).alignment, 1u); }

TEST_F(OneProgram, FixedOffsetZeroIsNotTheSameAsNone) {
  EXPECT_FALSE(buffer(1).has_fixed_offset);
  EXPECT_TRUE(buffer(2).has_fixed_offset);
  EXPECT_EQ(buffer(2).fixed_offset, 0u);
}

TEST_F(OneProgram, EveryKindArrives) {
  EXPECT_EQ(op(0).kind, OpKind::kPure);
  EXPECT_EQ(op(1).kind, OpKind::kLoad);
  EXPECT_EQ(op(2).kind, OpKind::kStart);
  EXPECT_EQ(op(3).kind, OpKind::kWait);
  EXPECT_EQ(op(4).kind, OpKind::kStore);
  EXPECT_EQ(op(5).kind, OpKind::kBarrier);
}

TEST_F(OneProgram, CyclesOfTransfersProgramsAndBarriersArrive) {
  EXPECT_EQ(op(1).cycles, 30u);
  EXPECT_EQ(op(2).cycles, 100u);
  EXPECT_EQ(op(4).cycles, 20u);
  EXPECT_EQ(op(5).cycles, 8000u);
}

TEST_F(OneProgram, StartAndWaitKnowEachOther) {
  EXPECT_EQ(op(2).slice, 1u);
  EXPECT_EQ(op(2).partner, OpIndex(3));
  EXPECT_EQ(op(3).partner, OpIndex(2));
}

TEST_F(OneProgram, AllocAndOperandsArrive) {
  EXPECT_EQ(op(0).alloc, BufferIndex(1));
  EXPECT_FALSE(op(1).alloc.present());
  EXPECT_EQ(OperandsOf(stream_, 1), std::vector<uint32_t>({0}));
  EXPECT_EQ(OperandsOf(stream_, 2), std::vector<uint32_t>({1, 0}));
  EXPECT_EQ(OperandsOf(stream_, 3), std::vector<uint32_t>());
}

TEST_F(OneProgram, AccessModesArrive) {
  const torqsched::Run<Access> load = stream_.accesses(OpIndex(1));
  ASSERT_EQ(load.size(), 2u);
  EXPECT_TRUE(load[0].reads);
  EXPECT_FALSE(load[0].writes);
  EXPECT_FALSE(load[1].reads);
  EXPECT_TRUE(load[1].writes);
  EXPECT_EQ(load[1].buffer, BufferIndex(1));
  const torqsched::Run<Access> start = stream_.accesses(OpIndex(2));
  ASSERT_EQ(start.size(), 2u);
  EXPECT_TRUE(start[1].reads);
  EXPECT_TRUE(start[1].writes);
}

TEST_F(OneProgram, AccessWithASizeEndsThereAndOneWithoutAtTheEndOfItsBuffer) {
  const torqsched::Run<Access> start = stream_.accesses(OpIndex(2));
  ASSERT_EQ(start.size(), 2u);
  EXPECT_EQ(start[0].begin, 10u);
  EXPECT_EQ(start[0].end, 30u);
  EXPECT_EQ(start[1].begin, 8u);
  EXPECT_EQ(start[1].end, 40u);
}

TEST(StreamFromProto, EmptyMessageIsAnEmptyStream) {
  const v1::Stream message;
  const absl::StatusOr<Stream> stream = StreamFromProto(message);
  ASSERT_TRUE(stream.ok()) << stream.status();
  EXPECT_EQ(stream->op_count(), 0u);
  EXPECT_EQ(stream->buffer_count(), 0u);
}

TEST(StreamFromProto, KindThatIsUnsetOrNotKnownIsABarrier) {
  v1::Stream message = FromText<v1::Stream>("ops { cycles: 5 } ops { cycles: 6 }");
  message.mutable_ops(1)->set_kind(static_cast<v1::OpKind>(99));
  const absl::StatusOr<Stream> stream = StreamFromProto(message);
  ASSERT_TRUE(stream.ok()) << stream.status();
  EXPECT_EQ(stream->op(OpIndex(0)).kind, OpKind::kBarrier);
  EXPECT_EQ(stream->op(OpIndex(0)).cycles, 5u);
  EXPECT_EQ(stream->op(OpIndex(1)).kind, OpKind::kBarrier);
  EXPECT_EQ(stream->op(OpIndex(1)).cycles, 6u);
}

TEST(StreamFromProto, StartWithoutASliceRunsOnSliceZero) {
  const v1::Stream message =
      FromText<v1::Stream>("ops { kind: OP_KIND_START } ops { kind: OP_KIND_WAIT start: 0 }");
  const absl::StatusOr<Stream> stream = StreamFromProto(message);
  ASSERT_TRUE(stream.ok()) << stream.status();
  EXPECT_EQ(stream->op(OpIndex(0)).slice, 0u);
  EXPECT_EQ(stream->op(OpIndex(0)).kind, OpKind::kStart);
}

TEST(StreamFromProto, StartThatNothingWaitsForIsABarrierWithItsCycles) {
  const v1::Stream message =
      FromText<v1::Stream>("ops { kind: OP_KIND_START cycles: 70 slice: 1 }");
  const absl::StatusOr<Stream> stream = StreamFromProto(message);
  ASSERT_TRUE(stream.ok()) << stream.status();
  EXPECT_EQ(stream->op(OpIndex(0)).kind, OpKind::kBarrier);
  EXPECT_TRUE(stream->op(OpIndex(0)).start_without_wait);
  EXPECT_EQ(stream->op(OpIndex(0)).cycles, 70u);
}

TEST(StreamFromProto, ShareOfDmaBandwidthIsAProgramsOnly) {
  const v1::Stream message = FromText<v1::Stream>(
      "ops { kind: OP_KIND_START dma_share_percent: 99 } ops { kind: OP_KIND_WAIT start: 0 } "
      "ops { kind: OP_KIND_BARRIER dma_share_percent: 1000 } "
      "ops { kind: OP_KIND_START dma_share_percent: 50 }");
  const absl::StatusOr<Stream> stream = StreamFromProto(message);
  ASSERT_TRUE(stream.ok()) << stream.status();
  EXPECT_EQ(stream->op(OpIndex(0)).dma_share, 99);
  EXPECT_EQ(stream->op(OpIndex(2)).dma_share, 0);
  EXPECT_EQ(stream->op(OpIndex(3)).dma_share, 0);  // nothing waits for it
  EXPECT_TRUE(stream->has_dma_shares());
}

TEST(StreamFromProto, AccessOfSizeZeroIsNotOneToTheEnd) {
  const v1::Stream message = FromText<v1::Stream>(
      "buffers { size: 9 } ops { accesses { buffer: 0 size: 0 mode: ACCESS_MODE_READ } }");
  const absl::StatusOr<Stream> stream = StreamFromProto(message);
  ASSERT_TRUE(stream.ok()) << stream.status();
  EXPECT_EQ(stream->accesses(OpIndex(0))[0].end, 0u);
}

TEST(StreamErrors, AccessWithoutAModeNamesModeOpAndBuffer) {
  ExpectInvalid(ErrorOf("buffers { } buffers { } ops { } ops { accesses { buffer: 1 } }"),
                "stream.ops[1].accesses[0].mode", OpIndex(1), BufferIndex(1));
}

TEST(StreamErrors, AccessWithAModeThatIsNotKnownIsRefusedToo) {
  v1::Stream message = FromText<v1::Stream>("buffers { } ops { accesses { } }");
  message.mutable_ops(0)->mutable_accesses(0)->set_mode(static_cast<v1::AccessMode>(4));
  ExpectInvalid(StreamFromProto(message).status(), "stream.ops[0].accesses[0].mode", OpIndex(0),
                BufferIndex(0));
}

TEST(StreamErrors, AccessToABufferThatDoesNotExistNamesTheOpOnly) {
  ExpectInvalid(ErrorOf("buffers { } ops { accesses { buffer: 1 mode: ACCESS_MODE_READ } }"),
                "stream.ops[0].accesses[0].buffer", OpIndex(0), BufferIndex());
}

TEST(StreamErrors, AccessThatBeginsBehindItsBufferNamesOffset) {
  ExpectInvalid(
      ErrorOf("buffers { size: 8 } ops { accesses { offset: 9 mode: ACCESS_MODE_READ } }"),
      "stream.ops[0].accesses[0].offset", OpIndex(0), BufferIndex(0));
}

TEST(StreamErrors, AccessThatEndsBehindItsBufferNamesSize) {
  ExpectInvalid(ErrorOf("buffers { size: 8 } ops { accesses { mode: ACCESS_MODE_READ } accesses { "
                        "offset: 4 size: 5 mode: ACCESS_MODE_READ } }"),
                "stream.ops[0].accesses[1].size", OpIndex(0), BufferIndex(0));
}

TEST(StreamErrors, AccessWhoseEndDoesNotFit64BitsNamesSize) {
  ExpectInvalid(ErrorOf("buffers { size: 8 } ops { accesses { offset: 4 size: "
                        "18446744073709551615 mode: ACCESS_MODE_READ } }"),
                "stream.ops[0].accesses[0].size", OpIndex(0), BufferIndex(0));
}

TEST(StreamErrors, OperandThatIsNotOlderNamesItsPositionInTheList) {
  ExpectInvalid(ErrorOf("ops { } ops { operands: 0 operands: 1 }"), "stream.ops[1].operands[1]",
                OpIndex(1), BufferIndex());
}

TEST(StreamErrors, WaitWithoutAStartNamesStart) {
  ExpectInvalid(ErrorOf("ops { kind: OP_KIND_WAIT }"), "stream.ops[0].start", OpIndex(0),
                BufferIndex());
}

TEST(StreamErrors, WaitForOpZeroIsNotAWaitWithoutAStart) {
  ExpectInvalid(ErrorOf("ops { } ops { kind: OP_KIND_WAIT start: 0 }"), "stream.ops[1].start",
                OpIndex(1), BufferIndex());
  EXPECT_TRUE(ErrorOf("ops { kind: OP_KIND_START } ops { kind: OP_KIND_WAIT start: 0 }").ok());
}

TEST(StreamErrors, ShareOfAllTheBandwidthNamesTheShare) {
  ExpectInvalid(ErrorOf("ops { } ops { kind: OP_KIND_START dma_share_percent: 100 }"),
                "stream.ops[1].dma_share_percent", OpIndex(1), BufferIndex());
  ExpectInvalid(ErrorOf("ops { kind: OP_KIND_START dma_share_percent: 4294967295 }"),
                "stream.ops[0].dma_share_percent", OpIndex(0), BufferIndex());
}

TEST(StreamErrors, AllocOfAnOpThatIsNotPureNamesAllocOpAndBuffer) {
  ExpectInvalid(ErrorOf("buffers { } ops { alloc: 0 }"), "stream.ops[0].alloc", OpIndex(0),
                BufferIndex(0));
}

TEST(StreamErrors, LoadThatWritesNoLramNamesItsAccesses) {
  ExpectInvalid(
      ErrorOf("buffers { } ops { kind: OP_KIND_LOAD accesses { mode: ACCESS_MODE_WRITE } }"),
      "stream.ops[0].accesses", OpIndex(0), BufferIndex(0));
}

TEST(StreamErrors, ConstantBufferInLramNamesTheBufferOnly) {
  ExpectInvalid(ErrorOf("buffers { } buffers { space: SPACE_LRAM constant: true }"),
                "stream.buffers[1].constant", OpIndex(), BufferIndex(1));
}

TEST(StreamErrors, SpaceThatIsNotKnownIsRefused) {
  v1::Stream message = FromText<v1::Stream>("buffers { } buffers { }");
  message.mutable_buffers(1)->set_space(static_cast<v1::Space>(3));
  ExpectInvalid(StreamFromProto(message).status(), "stream.buffers[1].space", OpIndex(),
                BufferIndex(1));
}

TEST(StreamErrors, TheFirstOfTwoIsTold) {
  v1::Stream message = FromText<v1::Stream>(
      "buffers { space: SPACE_LRAM constant: true } buffers { } ops { operands: 7 }");
  message.mutable_buffers(1)->set_space(static_cast<v1::Space>(3));
  ExpectInvalid(StreamFromProto(message).status(), "stream.buffers[0].constant", OpIndex(),
                BufferIndex(0));
}

TEST(StreamErrors, MessageNamesTheOpInWords) {
  EXPECT_EQ(ErrorOf(R"(ops { name: "load w3" operands: 3 })").message(),
            "op 0 'load w3': operand op 3 is not older; operands must be older than their op");
}

}  // namespace
}  // namespace torqsched
