#include "src/wire/placement_wire.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "src/stream/error.h"

namespace torqsched {
namespace {

v1::FailureReason ReasonToProto(FailureReason reason) {
  switch (reason) {
    case FailureReason::kNone:
      return v1::FAILURE_REASON_UNSPECIFIED;
    case FailureReason::kCapacity:
      return v1::FAILURE_REASON_CAPACITY;
    case FailureReason::kFragmentation:
      return v1::FAILURE_REASON_FRAGMENTATION;
    case FailureReason::kHost:
      return v1::FAILURE_REASON_HOST;
    case FailureReason::kOverflow:
      return v1::FAILURE_REASON_OVERFLOW;
  }
  return v1::FAILURE_REASON_UNSPECIFIED;
}

FailureReason ReasonFromProto(v1::FailureReason reason) {
  switch (reason) {
    case v1::FAILURE_REASON_CAPACITY:
      return FailureReason::kCapacity;
    case v1::FAILURE_REASON_FRAGMENTATION:
      return FailureReason::kFragmentation;
    case v1::FAILURE_REASON_HOST:
      return FailureReason::kHost;
    case v1::FAILURE_REASON_OVERFLOW:
      return FailureReason::kOverflow;
    default:  // not told, or newer than this version
      return FailureReason::kNone;
  }
}

absl::Status NoSuchBuffer(const std::string& field, BufferIndex buffer, const Stream& stream) {
  return ErrorAt(absl::StatusCode::kInvalidArgument,
                 absl::StrCat(field, ": buffer ", buffer.value(), ", but the stream has ",
                              stream.buffer_count(), " buffers"),
                 {field, OpIndex(), BufferIndex()});
}

PlacementFailure FailureFromProto(const v1::PlacementFailure& message) {
  PlacementFailure failure;
  failure.reason = ReasonFromProto(message.reason());
  if (message.has_op()) failure.op = OpIndex(message.op());
  failure.buffers.reserve(message.buffers_size());
  for (const uint32_t buffer : message.buffers()) failure.buffers.emplace_back(buffer);
  failure.pinned_bytes = message.pinned_bytes();
  failure.free_bytes = message.free_bytes();
  failure.largest_range = message.largest_range_bytes();
  return failure;
}

void DetailFromProto(const v1::Placement& message, Placement* placement) {
  placement->stores = message.stores();
  placement->loads = message.loads();
  placement->swap_bytes = message.swap_bytes();
  placement->peak = message.peak_bytes();
  if (message.has_bank_conflicts()) placement->bank_conflicts = message.bank_conflicts();
  placement->swap_transfers.reserve(message.swap_transfers_size());
  for (const v1::SwapTransfer& swap : message.swap_transfers()) {
    placement->swap_transfers.push_back(
        {swap.entry(), swap.store(), BufferIndex(swap.buffer()), swap.offset()});
  }
  placement->moves.reserve(message.moves_size());
  for (const v1::Move& move : message.moves()) {
    placement->moves.push_back(
        {move.entry(), !move.evicted(), BufferIndex(move.buffer()), move.offset()});
  }
}

}  // namespace

void PlacementFailureToProto(const PlacementFailure& failure, v1::PlacementFailure* message) {
  message->set_reason(ReasonToProto(failure.reason));
  if (failure.op.present()) message->set_op(failure.op.value());
  message->mutable_buffers()->Reserve(static_cast<int>(failure.buffers.size()));
  for (const BufferIndex buffer : failure.buffers) message->add_buffers(buffer.value());
  message->set_pinned_bytes(failure.pinned_bytes);
  message->set_free_bytes(failure.free_bytes);
  message->set_largest_range_bytes(failure.largest_range);
}

void PlacementToProto(const Placement& placement, v1::Placement* message) {
  message->set_placed(placement.placed);
  if (!placement.placed) {
    PlacementFailureToProto(placement.failure, message->mutable_failure());
    return;
  }
  message->set_swaps(placement.swaps);
  message->set_offsets_unknown(!placement.has_detail);
  if (!placement.has_detail) return;
  message->set_stores(placement.stores);
  message->set_loads(placement.loads);
  message->set_swap_bytes(placement.swap_bytes);
  message->set_peak_bytes(placement.peak);
  if (placement.bank_conflicts.has_value()) message->set_bank_conflicts(*placement.bank_conflicts);
  message->mutable_swap_transfers()->Reserve(static_cast<int>(placement.swap_transfers.size()));
  for (const SwapTransfer& swap : placement.swap_transfers) {
    v1::SwapTransfer* const added = message->add_swap_transfers();
    added->set_entry(swap.entry);
    added->set_store(swap.is_store);
    added->set_buffer(swap.buffer.value());
    added->set_offset(swap.offset);
  }
  message->mutable_moves()->Reserve(static_cast<int>(placement.moves.size()));
  for (const Move& move : placement.moves) {
    v1::Move* const added = message->add_moves();
    added->set_entry(move.entry);
    added->set_evicted(!move.in);
    added->set_buffer(move.buffer.value());
    added->set_offset(move.offset);
  }
}

Placement PlacementFromProto(const v1::Placement& message) {
  Placement placement;
  placement.placed = message.placed();
  if (!placement.placed) {
    placement.has_detail = false;
    placement.failure = FailureFromProto(message.failure());
    return placement;
  }
  placement.swaps = message.swaps();
  placement.has_detail = !message.offsets_unknown();
  if (placement.has_detail) DetailFromProto(message, &placement);
  return placement;
}

absl::Status CheckPlacementIndices(const Placement& placement, const Stream& stream,
                                   absl::string_view field) {
  const auto exists = [&stream](BufferIndex buffer) {
    return buffer.value() < stream.buffer_count();
  };
  for (size_t i = 0; i < placement.swap_transfers.size(); ++i) {
    const BufferIndex buffer = placement.swap_transfers[i].buffer;
    if (exists(buffer)) continue;
    return NoSuchBuffer(absl::StrCat(field, ".swap_transfers[", i, "].buffer"), buffer, stream);
  }
  for (size_t i = 0; i < placement.moves.size(); ++i) {
    const BufferIndex buffer = placement.moves[i].buffer;
    if (exists(buffer)) continue;
    return NoSuchBuffer(absl::StrCat(field, ".moves[", i, "].buffer"), buffer, stream);
  }
  const PlacementFailure& failure = placement.failure;
  for (size_t i = 0; i < failure.buffers.size(); ++i) {
    if (exists(failure.buffers[i])) continue;
    return NoSuchBuffer(absl::StrCat(field, ".failure.buffers[", i, "]"), failure.buffers[i],
                        stream);
  }
  if (failure.op.present() && failure.op.value() >= stream.op_count()) {
    const std::string path = absl::StrCat(field, ".failure.op");
    return ErrorAt(absl::StatusCode::kInvalidArgument,
                   absl::StrCat(path, ": op ", failure.op.value(), ", but the stream has ",
                                stream.op_count(), " ops"),
                   {path, OpIndex(), BufferIndex()});
  }
  return absl::OkStatus();
}

}  // namespace torqsched
