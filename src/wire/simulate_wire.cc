#include "src/wire/simulate_wire.h"

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "src/stream/error.h"
#include "src/wire/order_wire.h"
#include "src/wire/timeline_wire.h"

namespace torqsched {
namespace {

absl::Status ListError(absl::string_view list, int i, OpIndex op, absl::string_view message) {
  const std::string field = absl::StrCat(list, "[", i, "]");
  return ErrorAt(absl::StatusCode::kInvalidArgument, absl::StrCat(field, ": ", message),
                 {field, op, BufferIndex()});
}

// Replaces the input's slices by those that the request gives.
absl::Status SlicesFromProto(const v1::SimulateRequest& message, const Stream& stream,
                             const Hardware& hardware, IndexVector<OpIndex, uint8_t>* slices) {
  std::vector<bool> named(stream.op_count(), false);
  for (int i = 0; i < message.starts_size(); ++i) {
    const uint32_t start = message.starts(i);
    if (start >= stream.op_count()) {
      return ListError(
          "starts", i, OpIndex(),
          absl::StrCat("op ", start, ", but the stream has ", stream.op_count(), " ops"));
    }
    const OpIndex op(start);
    if (stream.op(op).kind != OpKind::kStart) {
      return ListError("starts", i, op,
                       absl::StrCat(stream.Describe(op), " is no start that has a wait"));
    }
    if (named[start]) {
      return ListError("starts", i, op, absl::StrCat(stream.Describe(op), " is named twice"));
    }
    if (message.slices(i) >= hardware.slices) {
      return ListError(
          "slices", i, op,
          absl::StrCat("slice ", message.slices(i), " for ", stream.Describe(op),
                       ", but the hardware has ", hardware.slices, " (counted from 0)"));
    }
    named[start] = true;
    (*slices)[op] = static_cast<uint8_t>(message.slices(i));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<OrderToPrice> OrderToPriceFromProto(const v1::SimulateRequest& message,
                                                   const Stream& stream, const Hardware& hardware) {
  OrderToPrice result;
  result.order = OrderFromProto(message.order());
  if (message.starts_size() != message.slices_size()) {
    return ErrorAt(absl::StatusCode::kInvalidArgument,
                   absl::StrCat("slices: ", message.slices_size(), " for ", message.starts_size(),
                                " starts; expected one for each"),
                   {"slices", OpIndex(), BufferIndex()});
  }
  if (message.starts_size() == 0) return result;
  result.slices.assign(stream.op_count(), 0);
  for (size_t i = 0; i < stream.op_count(); ++i) {
    const Op& op = stream.op(OpIndex(i));
    // A slice that does not fit here is one that the chip does not have, which pricing refuses.
    if (op.kind == OpKind::kStart) result.slices[OpIndex(i)] = static_cast<uint8_t>(op.slice);
  }
  absl::Status status = SlicesFromProto(message, stream, hardware, &result.slices);
  if (!status.ok()) return status;
  return result;
}

void SimulationToProto(const Simulation& simulation, v1::SimulateResponse* message) {
  message->set_makespan(simulation.makespan);
  message->set_peak_live_bytes(simulation.peak_live_bytes);
  LowerBoundToProto(simulation.lower_bound, message->mutable_lower_bound());
  StatisticsToProto(simulation.statistics, message->mutable_statistics());
  TimelineToProto(simulation.timeline, message->mutable_timeline());
}

}  // namespace torqsched
