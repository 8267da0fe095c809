#include "src/stream/order.h"

#include <cstddef>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "src/stream/error.h"

namespace torqsched {
namespace {}  // namespace

absl::Status CheckOrder(const Stream& stream, const std::vector<OpIndex>& order) {
  if (order.size() != stream.op_count()) {
    return FieldError("order", absl::StrCat(order.size(), " entries; expected each of the ",
                                            stream.op_count(), " ops once"));
  }
  std::vector<bool> out(stream.op_count(), false);
  for (size_t i = 0; i < order.size(); ++i) {
    const auto field = [i] { return absl::StrCat("order[", i, "]"); };
    const OpIndex op = order[i];
    if (op.value() >= stream.op_count()) {
      return FieldError(field(), absl::StrCat("op ", op.value(), ", but the stream has ",
                                              stream.op_count(), " ops"));
    }
    if (out[op.value()]) {
      return FieldError(field(), absl::StrCat(stream.Describe(op), " comes a second time"));
    }
    if (stream.op(op).kind == OpKind::kWait && !out[stream.op(op).partner.value()]) {
      return FieldError(field(), absl::StrCat(stream.Describe(op), " comes before its start, ",
                                              stream.Describe(stream.op(op).partner)));
    }
    out[op.value()] = true;
  }
  return absl::OkStatus();
}

}  // namespace torqsched
