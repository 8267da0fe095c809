#include "src/wire/allocate_wire.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "src/stream/error.h"
#include "src/wire/allocate_check.h"
#include "src/wire/hardware_wire.h"
#include "src/wire/order_wire.h"
#include "src/wire/stream_wire.h"

namespace torqsched {
namespace {

TimeRange RangeFromProto(const v1::TimeRange& message) {
  return {message.lower(), message.upper()};
}

AllocationBuffer BufferFromProto(const v1::AllocationBuffer& message) {
  AllocationBuffer buffer;
  buffer.size = message.size();
  buffer.alignment = std::max<uint64_t>(message.alignment(), 1);
  buffer.live = {message.lower(), message.upper()};
  buffer.gaps.reserve(message.gaps_size());
  for (const v1::TimeRange& gap : message.gaps()) buffer.gaps.push_back(RangeFromProto(gap));
  if (message.has_fixed_offset()) buffer.fixed_offset = message.fixed_offset();
  if (message.has_hint()) buffer.hint = message.hint();
  return buffer;
}

// The buffers, and what the chip says about the memory.
absl::StatusOr<AllocationProblem> FromStream(const v1::AllocateRequest& message,
                                             const ProblemOfStream& of_stream) {
  if (message.buffers_size() != 0) {
    return FieldError("buffers", "beside a stream; expected one of the two");
  }
  const absl::StatusOr<Stream> stream = StreamFromProto(message.stream());
  if (!stream.ok()) return stream.status();
  const absl::StatusOr<Hardware> hardware = HardwareFromProto(message.hardware());
  if (!hardware.ok()) return hardware.status();
  if (absl::Status fits = CheckStreamFits(*stream, *hardware); !fits.ok()) return fits;
  std::vector<OpIndex> order = OrderFromProto(message.order());
  if (order.empty()) {
    order.reserve(stream->op_count());
    for (size_t i = 0; i < stream->op_count(); ++i) order.emplace_back(i);
  }
  return of_stream(*stream, *hardware, order);
}

absl::StatusOr<AllocationProblem> FromBuffers(const v1::AllocateRequest& message) {
  if (message.order_size() != 0) {
    return FieldError("order", "an order of ops, but the request has no stream");
  }
  AllocationProblem problem;
  if (message.has_hardware()) {
    const absl::StatusOr<Hardware> hardware = HardwareFromProto(message.hardware());
    if (!hardware.ok()) return hardware.status();
    problem.capacity = hardware->usable_bytes();
    problem.alignment = hardware->alignment;
    problem.boundaries = LramRegions(*hardware).boundaries();
  }
  problem.buffers.reserve(message.buffers_size());
  for (const v1::AllocationBuffer& buffer : message.buffers()) {
    problem.buffers.push_back(BufferFromProto(buffer));
  }
  return problem;
}

std::vector<BufferPair> PairsFromProto(
    const google::protobuf::RepeatedPtrField<v1::BufferPair>& list) {
  std::vector<BufferPair> pairs;
  pairs.reserve(list.size());
  for (const v1::BufferPair& pair : list) pairs.push_back({pair.first(), pair.second()});
  return pairs;
}

// What both kinds of request may say besides their buffers.
void AddConstraints(const v1::AllocateRequest& message, AllocationProblem* problem) {
  if (message.has_capacity()) problem->capacity = message.capacity();
  problem->alignment = std::max(problem->alignment, message.alignment());
  problem->reserved.reserve(message.reserved_size());
  for (const v1::ByteRange& range : message.reserved()) {
    problem->reserved.push_back({range.begin(), range.end()});
  }
  problem->boundaries.insert(problem->boundaries.end(), message.boundaries().begin(),
                             message.boundaries().end());
  problem->aliases.reserve(message.aliases_size());
  for (const v1::AllocationAlias& alias : message.aliases()) {
    problem->aliases.push_back({alias.buffer(), alias.of(), alias.offset()});
  }
  problem->same_offset = PairsFromProto(message.same_offset());
  problem->separate = PairsFromProto(message.separate());
}

absl::StatusOr<AllocationOptions> OptionsFromProto(const v1::AllocateOptions& message,
                                                   bool has_capacity) {
  AllocationOptions options;
  switch (message.objective()) {
    case v1::OBJECTIVE_UNSPECIFIED:
      options.objective = has_capacity ? Objective::kFit : Objective::kLeast;
      break;
    case v1::OBJECTIVE_FIT:
      options.objective = Objective::kFit;
      break;
    case v1::OBJECTIVE_LEAST:
      options.objective = Objective::kLeast;
      break;
    default:
      return FieldError("options.objective",
                        absl::StrCat(static_cast<int>(message.objective()),
                                     " is not known; expected OBJECTIVE_FIT or OBJECTIVE_LEAST"));
  }
  if (message.has_node_limit()) options.node_limit = message.node_limit();
  if (message.has_time_limit_ms()) options.time_limit_ms = message.time_limit_ms();
  return options;
}

v1::AllocationVerdict VerdictToProto(AllocationVerdict verdict) {
  switch (verdict) {
    case AllocationVerdict::kPlaced:
      return v1::ALLOCATION_VERDICT_PLACED;
    case AllocationVerdict::kInfeasible:
      return v1::ALLOCATION_VERDICT_INFEASIBLE;
    case AllocationVerdict::kUndecided:
      return v1::ALLOCATION_VERDICT_UNDECIDED;
  }
  return v1::ALLOCATION_VERDICT_UNSPECIFIED;
}

}  // namespace

absl::StatusOr<ParsedAllocation> AllocationFromProto(const v1::AllocateRequest& message,
                                                     const ProblemOfStream& of_stream) {
  absl::StatusOr<AllocationProblem> problem =
      message.has_stream() ? FromStream(message, of_stream) : FromBuffers(message);
  if (!problem.ok()) return problem.status();
  AddConstraints(message, &*problem);
  if (absl::Status status = CheckAllocationProblem(*problem, message); !status.ok()) return status;
  const absl::StatusOr<AllocationOptions> options =
      OptionsFromProto(message.options(), problem->capacity.has_value());
  if (!options.ok()) return options.status();
  return ParsedAllocation{*std::move(problem), *options};
}

absl::string_view AllocationBufferName(const v1::AllocateRequest& message, uint32_t buffer) {
  const int count = message.has_stream() ? message.stream().buffers_size() : message.buffers_size();
  if (buffer >= static_cast<uint32_t>(count)) return "";
  const int i = static_cast<int>(buffer);
  return message.has_stream() ? message.stream().buffers(i).name() : message.buffers(i).name();
}

std::string DescribeAllocationBuffer(const v1::AllocateRequest& message, uint32_t buffer) {
  return DescribeItem("buffer", buffer, AllocationBufferName(message, buffer));
}

void AllocationAnswerToProto(const AllocationAnswer& answer, v1::AllocateResponse* message) {
  message->set_verdict(VerdictToProto(answer.verdict));
  message->mutable_offsets()->Add(answer.offsets.begin(), answer.offsets.end());
  message->set_height(answer.height);
  message->set_lower_bound(answer.lower_bound);
  message->set_proven_least(answer.proven_least);
  message->mutable_conflict()->Add(answer.conflict.begin(), answer.conflict.end());
  message->set_conflict_minimal(answer.conflict_minimal);
  message->set_limit_hit(answer.limit_hit);
  message->set_time_limit_hit(answer.time_limit_hit);
  message->set_cancelled(answer.cancelled);
  v1::AllocationStatistics* const statistics = message->mutable_statistics();
  statistics->set_decodes(answer.statistics.decodes);
  statistics->set_nodes(answer.statistics.nodes);
  statistics->set_searches(answer.statistics.searches);
}

absl::StatusOr<AllocationAnswer> AllocationAnswerFromProto(const v1::AllocateResponse& message) {
  AllocationAnswer answer;
  switch (message.verdict()) {
    case v1::ALLOCATION_VERDICT_PLACED:
      answer.verdict = AllocationVerdict::kPlaced;
      break;
    case v1::ALLOCATION_VERDICT_INFEASIBLE:
      answer.verdict = AllocationVerdict::kInfeasible;
      break;
    case v1::ALLOCATION_VERDICT_UNDECIDED:
      answer.verdict = AllocationVerdict::kUndecided;
      break;
    default:
      return FieldError("verdict", absl::StrCat(static_cast<int>(message.verdict()),
                                                " is not known; expected placed, infeasible or "
                                                "undecided"));
  }
  answer.offsets.assign(message.offsets().begin(), message.offsets().end());
  answer.height = message.height();
  answer.lower_bound = message.lower_bound();
  answer.proven_least = message.proven_least();
  answer.conflict.assign(message.conflict().begin(), message.conflict().end());
  answer.conflict_minimal = message.conflict_minimal();
  answer.limit_hit = message.limit_hit();
  answer.time_limit_hit = message.time_limit_hit();
  answer.cancelled = message.cancelled();
  answer.statistics = {message.statistics().decodes(), message.statistics().nodes(),
                       message.statistics().searches()};
  return answer;
}

}  // namespace torqsched
