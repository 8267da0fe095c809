// torqsched simulate: what one order takes, before allocation.
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "src/report/summary.h"
#include "src/report/timeline.h"
#include "src/schedule/schedule_stream.h"
#include "src/stream/error.h"
#include "src/wire/simulate_wire.h"
#include "tools/commands.h"
#include "tools/inputs.h"
#include "torqsched/v1/simulate.pb.h"

namespace torqsched {
namespace tools {
namespace {

constexpr size_t kTimelineCells = 88;

// The order and slices of a response, if there is one.
Failure ReadOrder(const Arguments& arguments, v1::SimulateRequest* request) {
  if (arguments.operands().size() < 2) return {};
  v1::ScheduleResponse response;
  const Failure failure = ReadMessage(arguments, arguments.operands()[1], &response);
  if (failure.failed()) return failure;
  request->mutable_order()->Swap(response.mutable_order());
  request->mutable_starts()->Swap(response.mutable_starts());
  request->mutable_slices()->Swap(response.mutable_slices());
  return {};
}

// Which of the two files is at fault: errors about the order have its fields' names.
Failure OrderFailure(const Arguments& arguments, const StreamInput& input,
                     const absl::Status& status) {
  const std::string field = PlaceOf(status).field;
  const bool order = absl::StartsWith(field, "order") || absl::StartsWith(field, "starts") ||
                     absl::StartsWith(field, "slices");
  const bool response = order && arguments.operands().size() > 1;
  return FailureFromStatus(status, response ? ShownPath(arguments.operands()[1]) : input.file);
}

}  // namespace

CommandSpec SimulateSpec() {
  return {"simulate",
          "STREAM [RESPONSE]",
          "\nPrices an order without placing anything in LRAM: the input order, or that of a\n"
          "ScheduleResponse. Prints a summary, and the response with -o or --format (the\n"
          "summary then goes to standard error).\n",
          1,
          2,
          {HardwareOption(), TimelineOption(), SvgOption(), OutputOption(), FormatOption(),
           InputFormatOption(), MessageOption()}};
}

Failure RunSimulate(const Arguments& arguments) {
  std::optional<Format> format;
  StreamInput input;
  v1::SimulateRequest request;
  Failure failure = OutputFormat(arguments, &format);
  if (!failure.failed()) failure = ReadStream(arguments, arguments.operands()[0], &input);
  if (!failure.failed()) failure = ReadOrder(arguments, &request);
  if (failure.failed()) return failure;

  const absl::StatusOr<OrderToPrice> order =
      OrderToPriceFromProto(request, input.stream, input.hardware);
  if (!order.ok()) return OrderFailure(arguments, input, order.status());
  const bool timeline = arguments.Has("timeline") || arguments.Has("svg");
  absl::StatusOr<Simulation> price =
      SimulateStream(input.stream, input.hardware, order->order, order->slices, timeline);
  if (!price.ok()) return OrderFailure(arguments, input, price.status());

  std::string text = report::PriceSummary(
      input.stream, input.hardware, {price->makespan, price->peak_live_bytes, price->lower_bound},
      price->statistics);
  const std::vector<report::TimelinePanel> panels = {
      {order->order.empty() ? "input order" : "order", &price->timeline, price->makespan}};
  if (arguments.Has("timeline")) {
    absl::StrAppend(&text, "\n",
                    report::TimelineText(input.stream, input.hardware, panels, kTimelineCells));
  }
  if (arguments.Has("svg")) {
    failure = WriteFile(arguments.Value("svg"),
                        report::TimelineSvg(input.stream, input.hardware, panels));
    if (failure.failed()) return failure;
  }
  if (!arguments.Has("timeline")) price->timeline.clear();  // for the picture only
  if (format.has_value()) {
    v1::SimulateResponse response;
    SimulationToProto(*price, &response);
    failure = WriteMessage(arguments, response, *format);
    if (failure.failed()) return failure;
  }
  return WriteReport(text, format.has_value());
}

}  // namespace tools
}  // namespace torqsched
