#include "src/wire/verify_wire.h"

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "src/stream/error.h"
#include "src/wire/order_wire.h"
#include "src/wire/placement_wire.h"
#include "src/wire/utf8.h"

namespace torqsched {
namespace {

v1::ViolationKind KindToProto(ViolationKind kind) {
  switch (kind) {
    case ViolationKind::kNotAPermutation:
      return v1::VIOLATION_KIND_NOT_A_PERMUTATION;
    case ViolationKind::kDependence:
      return v1::VIOLATION_KIND_DEPENDENCE;
    case ViolationKind::kSlice:
      return v1::VIOLATION_KIND_SLICE;
    case ViolationKind::kPlacement:
      return v1::VIOLATION_KIND_PLACEMENT;
    case ViolationKind::kOverlap:
      return v1::VIOLATION_KIND_OVERLAP;
    case ViolationKind::kSwap:
      return v1::VIOLATION_KIND_SWAP;
    case ViolationKind::kContents:
      return v1::VIOLATION_KIND_CONTENTS;
    case ViolationKind::kPeak:
      return v1::VIOLATION_KIND_PEAK;
    case ViolationKind::kPrice:
      return v1::VIOLATION_KIND_PRICE;
    case ViolationKind::kAlias:
      return v1::VIOLATION_KIND_ALIAS;
    case ViolationKind::kHeight:
      return v1::VIOLATION_KIND_HEIGHT;
    case ViolationKind::kLowerBound:
      return v1::VIOLATION_KIND_LOWER_BOUND;
    case ViolationKind::kConflict:
      return v1::VIOLATION_KIND_CONFLICT;
    case ViolationKind::kVerdict:
      return v1::VIOLATION_KIND_VERDICT;
    case ViolationKind::kBanks:
      return v1::VIOLATION_KIND_BANKS;
  }
  return v1::VIOLATION_KIND_UNSPECIFIED;
}

absl::Status Missing(absl::string_view field) {
  return ErrorAt(absl::StatusCode::kInvalidArgument,
                 absl::StrCat(field, ": not set; expected an allocation and the answer to it"),
                 {std::string(field), OpIndex(), BufferIndex()});
}

}  // namespace

absl::StatusOr<ParsedClaim> ClaimFromProto(const v1::ScheduleResponse& message) {
  if (message.starts_size() != message.slices_size()) {
    return ErrorAt(absl::StatusCode::kInvalidArgument,
                   absl::StrCat("schedule.slices: ", message.slices_size(), " for ",
                                message.starts_size(), " starts; expected one for each"),
                   {"schedule.slices", OpIndex(), BufferIndex()});
  }
  ParsedClaim parsed;
  Claim& claim = parsed.claim;
  claim.order = OrderFromProto(message.order());
  claim.slices.reserve(message.starts_size());
  for (int i = 0; i < message.starts_size(); ++i) {
    claim.slices.emplace_back(OpIndex(message.starts(i)), message.slices(i));
  }
  claim.predicted_makespan = message.predicted_makespan();
  claim.peak_live_bytes = message.peak_live_bytes();
  if (!message.has_placement()) return parsed;

  Placement placement = PlacementFromProto(message.placement());
  placement.makespan = message.allocated_makespan();
  parsed.placement = std::make_unique<const Placement>(std::move(placement));
  claim.placement = parsed.placement.get();
  if (message.has_allocated_makespan()) claim.allocated_makespan = message.allocated_makespan();
  return parsed;
}

absl::StatusOr<ParsedAllocationClaim> AllocationClaimFromProto(const v1::VerifyRequest& message,
                                                               const ProblemOfStream& of_stream) {
  if (!message.has_allocate_request()) return Missing("allocate_request");
  if (!message.has_allocate_response()) return Missing("allocate_response");
  absl::StatusOr<ParsedAllocation> parsed =
      AllocationFromProto(message.allocate_request(), of_stream);
  if (!parsed.ok()) return WithFieldPrefix(parsed.status(), "allocate_request.");
  absl::StatusOr<AllocationAnswer> answer = AllocationAnswerFromProto(message.allocate_response());
  if (!answer.ok()) return WithFieldPrefix(answer.status(), "allocate_response.");
  return ParsedAllocationClaim{std::move(parsed->problem), *std::move(answer)};
}

void VerificationToProto(const Verification& verification, v1::VerifyResponse* message) {
  for (const Violation& violation : verification.violations) {
    v1::Violation* const added = message->add_violations();
    added->set_kind(KindToProto(violation.kind));
    if (violation.op.present()) added->set_op(violation.op.value());
    if (violation.buffer.present()) added->set_buffer(violation.buffer.value());
    added->set_message(ValidUtf8(violation.message));
  }
  message->set_predicted_makespan(verification.predicted_makespan);
  message->set_allocated_makespan(verification.allocated_makespan);
  message->set_peak_live_bytes(verification.peak_live_bytes);
  message->set_height(verification.height);
}

}  // namespace torqsched
