// What the host oracle is asked, and what its answers mean.
#include "src/wire/oracle_wire.h"

#include <string>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "src/stream/error.h"
#include "src/wire/hardware_wire.h"
#include "src/wire/stream_wire.h"
#include "tests/wire/text.h"

namespace torqsched {
namespace {

constexpr char kStream[] = R"pb(
  name: "s"
  buffers { name: "w" space: SPACE_LRAM size: 8 }
  ops {
    kind: OP_KIND_START
    location: "here"
    accesses { mode: ACCESS_MODE_READ }
  }
  ops { kind: OP_KIND_WAIT start: 0 }
  ops { name: "call" }
)pb";

class HostOracle : public testing::Test {
 protected:
  HostOracle() : message_(FromText<v1::Stream>(kStream)) {
    absl::StatusOr<Stream> stream = StreamFromProto(message_);
    EXPECT_TRUE(stream.ok()) << stream.status();
    stream_ = *std::move(stream);
    hardware_ = *HardwareFromProto(FromText<v1::Hardware>("slices: 3"));
    candidate_.order = {OpIndex(0), OpIndex(1), OpIndex(2)};
    candidate_.slice.assign(3, 0);
    candidate_.slice[OpIndex(0)] = 2;
  }

  absl::StatusOr<Placement> Read(const std::string& text, bool swaps_allowed) const {
    return PlacementFromOracleResponse(FromText<v1::OracleResponse>(text), stream_, swaps_allowed);
  }

  void ExpectInvalid(const std::string& text, bool swaps_allowed, const std::string& field) const {
    const absl::Status status = Read(text, swaps_allowed).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text << ": " << status;
    EXPECT_EQ(PlaceOf(status).field, field) << text << ": " << status;
  }

  v1::Stream message_;
  Stream stream_;
  Hardware hardware_;
  Schedule candidate_;
};

constexpr bool kSwaps = true;
constexpr bool kNoSwaps = false;

TEST_F(HostOracle, IsAskedWithTheWholeStreamTheWholeChipAndTheOrder) {
  OracleRequestWriter writer(message_, stream_, hardware_);
  const absl::StatusOr<absl::string_view> bytes = writer.Write(candidate_, kSwaps);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  v1::OracleRequest expected = FromText<v1::OracleRequest>(
      "order: 0 order: 1 order: 2 starts: 0 slices: 2 swaps_allowed: true");
  *expected.mutable_stream() = message_;
  HardwareToProto(hardware_, expected.mutable_hardware());
  v1::OracleRequest request;
  ASSERT_TRUE(request.ParseFromArray(bytes->data(), static_cast<int>(bytes->size())));
  EXPECT_EQ(request.DebugString(), expected.DebugString());
}

TEST_F(HostOracle, NextRequestHasNothingOfTheLastCandidate) {
  OracleRequestWriter writer(message_, stream_, hardware_);
  ASSERT_TRUE(writer.Write(candidate_, kSwaps).ok());
  Schedule shorter;
  shorter.order = {OpIndex(2)};
  shorter.slice.assign(3, 0);
  const absl::StatusOr<absl::string_view> bytes = writer.Write(shorter, kNoSwaps);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  v1::OracleRequest request;
  ASSERT_TRUE(request.ParseFromArray(bytes->data(), static_cast<int>(bytes->size())));
  EXPECT_EQ(request.stream().DebugString(), message_.DebugString());
  EXPECT_EQ(request.hardware().slices(), 3u);
  ASSERT_EQ(request.order_size(), 1);
  EXPECT_EQ(request.order(0), 2u);
  ASSERT_EQ(request.slices_size(), 1);
  EXPECT_EQ(request.slices(0), 0u);
  EXPECT_FALSE(request.swaps_allowed());
}

TEST_F(HostOracle, SameCandidateGivesTheSameBytes) {
  OracleRequestWriter writer(message_, stream_, hardware_);
  const std::string first(*writer.Write(candidate_, kSwaps));
  EXPECT_NE(std::string(*writer.Write(candidate_, kNoSwaps)), first);
  EXPECT_EQ(std::string(*writer.Write(candidate_, kSwaps)), first);
}

TEST_F(HostOracle, EmptyStreamIsStillPresentInTheRequest) {
  const v1::Stream message;
  const absl::StatusOr<Stream> stream = StreamFromProto(message);
  ASSERT_TRUE(stream.ok());
  OracleRequestWriter writer(message, *stream, hardware_);
  const absl::StatusOr<absl::string_view> bytes = writer.Write(Schedule(), kSwaps);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  v1::OracleRequest request;
  ASSERT_TRUE(request.ParseFromArray(bytes->data(), static_cast<int>(bytes->size())));
  EXPECT_TRUE(request.has_stream());
}

TEST_F(HostOracle, AnswerWithoutAPlacementHasNoDetail) {
  const absl::StatusOr<Placement> placement = Read("placed: true swaps: 2 makespan: 90", kSwaps);
  ASSERT_TRUE(placement.ok()) << placement.status();
  EXPECT_TRUE(placement->placed);
  EXPECT_FALSE(placement->has_detail);
  EXPECT_EQ(placement->swaps, 2u);
  EXPECT_EQ(placement->makespan, 90u);
}

TEST_F(HostOracle, AnswerWithAPlacementHasItsDetail) {
  const absl::StatusOr<Placement> placement = Read(
      "placed: true makespan: 0 placement { placed: true peak_bytes: 8 "
      "moves { buffer: 0 offset: 16 } }",
      kNoSwaps);
  ASSERT_TRUE(placement.ok()) << placement.status();
  EXPECT_TRUE(placement->has_detail);
  EXPECT_EQ(placement->peak, 8u);
  ASSERT_EQ(placement->moves.size(), 1u);
  EXPECT_TRUE(placement->moves[0].in);
  EXPECT_EQ(placement->moves[0].offset, 16u);
}

TEST_F(HostOracle, EmptyAnswerIsARefusalOfTheHosts) {
  const absl::StatusOr<Placement> placement = Read("", kNoSwaps);
  ASSERT_TRUE(placement.ok()) << placement.status();
  EXPECT_FALSE(placement->placed);
  EXPECT_EQ(placement->failure.reason, FailureReason::kHost);
}

TEST_F(HostOracle, RefusalKeepsTheReasonThatTheHostTold) {
  const absl::StatusOr<Placement> placement = Read(
      "swaps: 3 placement { failure { reason: FAILURE_REASON_FRAGMENTATION op: 2 buffers: 0 "
      "free_bytes: 5 } }",
      kNoSwaps);
  ASSERT_TRUE(placement.ok()) << placement.status();
  EXPECT_FALSE(placement->placed);
  EXPECT_EQ(placement->swaps, 0u);
  EXPECT_EQ(placement->failure.reason, FailureReason::kFragmentation);
  EXPECT_EQ(placement->failure.op, OpIndex(2));
  EXPECT_EQ(placement->failure.buffers, std::vector<BufferIndex>({BufferIndex(0)}));
  EXPECT_EQ(placement->failure.free_bytes, 5u);
}

TEST_F(HostOracle, PlacedWithoutAMakespanIsNoAnswer) {
  ExpectInvalid("placed: true", kSwaps, "oracle_response.makespan");
  EXPECT_TRUE(Read("placed: true makespan: 0", kSwaps).ok());
}

TEST_F(HostOracle, SwapsWhereNoneAreAllowedAreNoAnswer) {
  ExpectInvalid("placed: true swaps: 1 makespan: 5", kNoSwaps, "oracle_response.swaps");
}

TEST_F(HostOracle, PlacementThatContradictsItsAnswerIsRefused) {
  ExpectInvalid("placed: true makespan: 5 placement { }", kSwaps,
                "oracle_response.placement.placed");
  ExpectInvalid("placement { placed: true }", kSwaps, "oracle_response.placement.placed");
  ExpectInvalid("placed: true swaps: 1 makespan: 5 placement { placed: true swaps: 2 }", kSwaps,
                "oracle_response.placement.swaps");
}

TEST_F(HostOracle, PositionsThatNameNothingAreRefused) {
  ExpectInvalid("placed: true makespan: 5 placement { placed: true moves { } moves { buffer: 1 } }",
                kSwaps, "oracle_response.placement.moves[1].buffer");
  ExpectInvalid("placed: true makespan: 5 placement { placed: true swap_transfers { buffer: 1 } }",
                kSwaps, "oracle_response.placement.swap_transfers[0].buffer");
  ExpectInvalid("placement { failure { buffers: 0 buffers: 1 } }", kSwaps,
                "oracle_response.placement.failure.buffers[1]");
  ExpectInvalid("placement { failure { op: 3 } }", kSwaps, "oracle_response.placement.failure.op");
}

}  // namespace
}  // namespace torqsched
