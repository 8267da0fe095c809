// A schedule's answer as a claim, and what the checker found as a message.
#include "src/wire/verify_wire.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "src/stream/error.h"
#include "src/wire/schedule_wire.h"
#include "src/wire/stream_wire.h"
#include "tests/wire/text.h"

namespace torqsched {
namespace {

using Slices = std::vector<std::pair<OpIndex, uint32_t>>;

absl::StatusOr<ParsedClaim> Read(const std::string& text) {
  return ClaimFromProto(FromText<v1::ScheduleResponse>(text));
}

TEST(ClaimFromProto, AnswerThatWasWrittenComesBackAsItsOwnClaim) {
  const v1::Stream message = FromText<v1::Stream>(
      "ops { kind: OP_KIND_START } ops { kind: OP_KIND_WAIT start: 0 } ops { }");
  const absl::StatusOr<Stream> stream = StreamFromProto(message);
  ASSERT_TRUE(stream.ok()) << stream.status();
  ScheduleAnswer answer;
  answer.schedule.order = {OpIndex(0), OpIndex(1), OpIndex(2)};
  answer.schedule.slice.assign(3, 0);
  answer.schedule.slice[OpIndex(0)] = 1;
  answer.schedule.makespan = 10;
  answer.schedule.peak = 20;
  answer.placement.placed = true;
  answer.placement.makespan = 30;
  answer.placement.swaps = 1;
  answer.placement.stores = 2;
  answer.placement.loads = 3;
  answer.placement.swap_bytes = 4;
  answer.placement.peak = 5;
  answer.placement.bank_conflicts = 0;  // none is another thing than not told
  answer.placement.swap_transfers = {{6, true, BufferIndex(0), 7}};
  answer.placement.moves = {{8, true, BufferIndex(1), 9}, {10, false, BufferIndex(2), 11}};
  v1::ScheduleResponse response;
  ScheduleAnswerToProto(*stream, answer, &response);

  const absl::StatusOr<ParsedClaim> parsed = ClaimFromProto(response);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(parsed->claim.order, answer.schedule.order);
  EXPECT_EQ(parsed->claim.slices, Slices({{OpIndex(0), 1}}));
  EXPECT_EQ(parsed->claim.predicted_makespan, 10u);
  EXPECT_EQ(parsed->claim.peak_live_bytes, 20u);
  EXPECT_EQ(parsed->claim.allocated_makespan, 30u);
  ASSERT_NE(parsed->claim.placement, nullptr);
  const Placement& placement = *parsed->claim.placement;
  EXPECT_TRUE(placement.placed);
  EXPECT_TRUE(placement.has_detail);
  EXPECT_EQ(placement.swaps, 1u);
  EXPECT_EQ(placement.stores, 2u);
  EXPECT_EQ(placement.loads, 3u);
  EXPECT_EQ(placement.swap_bytes, 4u);
  EXPECT_EQ(placement.peak, 5u);
  EXPECT_EQ(placement.bank_conflicts, 0u);
  EXPECT_EQ(placement.makespan, 30u);
  ASSERT_EQ(placement.swap_transfers.size(), 1u);
  EXPECT_EQ(placement.swap_transfers[0].entry, 6u);
  EXPECT_TRUE(placement.swap_transfers[0].is_store);
  EXPECT_EQ(placement.swap_transfers[0].buffer, BufferIndex(0));
  EXPECT_EQ(placement.swap_transfers[0].offset, 7u);
  ASSERT_EQ(placement.moves.size(), 2u);
  EXPECT_EQ(placement.moves[0].entry, 8u);
  EXPECT_TRUE(placement.moves[0].in);
  EXPECT_EQ(placement.moves[0].buffer, BufferIndex(1));
  EXPECT_EQ(placement.moves[0].offset, 9u);
  EXPECT_FALSE(placement.moves[1].in);
}

TEST(ClaimFromProto, PlacementMovesAlongWithItsClaim) {
  absl::StatusOr<ParsedClaim> parsed = Read("placement { placed: true swaps: 4 }");
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  const ParsedClaim moved = *std::move(parsed);
  ASSERT_NE(moved.claim.placement, nullptr);
  EXPECT_EQ(moved.claim.placement, moved.placement.get());
  EXPECT_EQ(moved.claim.placement->swaps, 4u);
  EXPECT_FALSE(moved.claim.placement->bank_conflicts.has_value());  // not told
}

TEST(ClaimFromProto, AnswerWithoutAPlacementClaimsNone) {
  const absl::StatusOr<ParsedClaim> parsed = Read("order: 0 allocated_makespan: 5");
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(parsed->claim.placement, nullptr);
  EXPECT_FALSE(parsed->claim.allocated_makespan.has_value());
}

TEST(ClaimFromProto, OrderThatIsNotPlacedClaimsNoMakespanAfterAllocation) {
  const absl::StatusOr<ParsedClaim> parsed =
      Read("placement { failure { reason: FAILURE_REASON_CAPACITY buffers: 3 } }");
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  ASSERT_NE(parsed->claim.placement, nullptr);
  EXPECT_FALSE(parsed->claim.placement->placed);
  EXPECT_EQ(parsed->claim.placement->failure.reason, FailureReason::kCapacity);
  EXPECT_FALSE(parsed->claim.allocated_makespan.has_value());
}

TEST(ClaimFromProto, PlacementWithoutOffsetsHasNoDetail) {
  const absl::StatusOr<ParsedClaim> parsed =
      Read("placement { placed: true offsets_unknown: true }");
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_FALSE(parsed->claim.placement->has_detail);
}

TEST(ClaimFromProto, PositionsThatNameNothingAreLeftToTheChecker) {
  const absl::StatusOr<ParsedClaim> parsed = Read(
      "order: 4294967295 order: 7 starts: 9 slices: 300 "
      "placement { placed: true moves { buffer: 99 } }");
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(parsed->claim.order, std::vector<OpIndex>({OpIndex(), OpIndex(7)}));
  EXPECT_EQ(parsed->claim.slices, Slices({{OpIndex(9), 300}}));
  EXPECT_EQ(parsed->claim.placement->moves[0].buffer, BufferIndex(99));
}

TEST(ClaimFromProto, SlicesWithoutAsManyStartsAreRefused) {
  const absl::Status status = Read("starts: 0 starts: 2 slices: 1").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  EXPECT_EQ(PlaceOf(status).field, "schedule.slices") << status;
}

absl::StatusOr<ParsedAllocationClaim> ReadAllocation(const std::string& text) {
  const ProblemOfStream no_stream = [](const Stream&, const Hardware&,
                                       const std::vector<OpIndex>&) {
    return absl::InvalidArgumentError("a stream");
  };
  return AllocationClaimFromProto(FromText<v1::VerifyRequest>(text), no_stream);
}

TEST(AllocationClaimFromProto, HasTheProblemAndItsAnswerAsTheyStand) {
  const absl::StatusOr<ParsedAllocationClaim> parsed = ReadAllocation(
      "allocate_request { buffers { size: 5 } capacity: 7 } "
      "allocate_response { verdict: ALLOCATION_VERDICT_PLACED offsets: [9, 8] }");
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(parsed->problem.capacity, 7u);
  EXPECT_EQ(parsed->problem.buffers[0].size, 5u);
  EXPECT_EQ(parsed->answer.offsets, std::vector<uint64_t>({9, 8}));
}

TEST(AllocationClaimFromProto, FaultsNameTheirPlaceInTheRequest) {
  const std::vector<std::pair<std::string, std::string>> scenes = {
      {"allocate_request {}", "allocate_response"},
      {"allocate_response {}", "allocate_request"},
      {"allocate_request { buffers { lower: 1 } } allocate_response {}",
       "allocate_request.buffers[0].upper"},
      {"allocate_request { hardware { slices: 0 } } allocate_response {}",
       "allocate_request.hardware.slices"},
      {"allocate_request {} allocate_response {}", "allocate_response.verdict"}};
  for (const auto& [text, field] : scenes) {
    const absl::Status status = ReadAllocation(text).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_EQ(PlaceOf(status).field, field) << status;
  }
}

TEST(VerificationToProto, ViolationsNameTheirPlaceWhereTheyHaveOne) {
  Verification verification;
  verification.violations = {{ViolationKind::kOverlap, OpIndex(0), BufferIndex(2), "o over w"},
                             {ViolationKind::kPrice, OpIndex(), BufferIndex(), "off by one"}};
  verification.predicted_makespan = 1;
  verification.allocated_makespan = 2;
  verification.peak_live_bytes = 3;
  verification.height = 4;
  v1::VerifyResponse response;
  VerificationToProto(verification, &response);
  EXPECT_TRUE(IsText(response, R"pb(
    violations { kind: VIOLATION_KIND_OVERLAP op: 0 buffer: 2 message: "o over w" }
    violations { kind: VIOLATION_KIND_PRICE message: "off by one" }
    predicted_makespan: 1
    allocated_makespan: 2
    peak_live_bytes: 3
    height: 4
  )pb"));
}

TEST(VerificationToProto, EveryKindHasItsOwnName) {
  const std::vector<std::pair<ViolationKind, v1::ViolationKind>> kinds = {
      {ViolationKind::kNotAPermutation, v1::VIOLATION_KIND_NOT_A_PERMUTATION},
      {ViolationKind::kDependence, v1::VIOLATION_KIND_DEPENDENCE},
      {ViolationKind::kSlice, v1::VIOLATION_KIND_SLICE},
      {ViolationKind::kPlacement, v1::VIOLATION_KIND_PLACEMENT},
      {ViolationKind::kOverlap, v1::VIOLATION_KIND_OVERLAP},
      {ViolationKind::kSwap, v1::VIOLATION_KIND_SWAP},
      {ViolationKind::kContents, v1::VIOLATION_KIND_CONTENTS},
      {ViolationKind::kPeak, v1::VIOLATION_KIND_PEAK},
      {ViolationKind::kPrice, v1::VIOLATION_KIND_PRICE},
      {ViolationKind::kAlias, v1::VIOLATION_KIND_ALIAS},
      {ViolationKind::kHeight, v1::VIOLATION_KIND_HEIGHT},
      {ViolationKind::kLowerBound, v1::VIOLATION_KIND_LOWER_BOUND},
      {ViolationKind::kConflict, v1::VIOLATION_KIND_CONFLICT},
      {ViolationKind::kVerdict, v1::VIOLATION_KIND_VERDICT},
      {ViolationKind::kBanks, v1::VIOLATION_KIND_BANKS}};
  for (const auto& [plain, expected] : kinds) {
    Verification verification;
    verification.violations = {{plain, OpIndex(), BufferIndex(), ""}};
    v1::VerifyResponse response;
    VerificationToProto(verification, &response);
    EXPECT_EQ(response.violations(0).kind(), expected);
  }
}

}  // namespace
}  // namespace torqsched
