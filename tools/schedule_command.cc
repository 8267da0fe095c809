// torqsched schedule: a better order, and what it gains.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "google/protobuf/descriptor.h"
#include "src/report/explain.h"
#include "src/report/summary.h"
#include "src/report/timeline.h"
#include "src/schedule/schedule_stream.h"
#include "src/stream/error.h"
#include "src/wire/schedule_wire.h"
#include "tools/commands.h"
#include "tools/inputs.h"
#include "tools/progress_bar.h"

namespace torqsched {
namespace tools {
namespace {

constexpr size_t kTimelineCells = 88;
constexpr size_t kManyOps = 50000;  // take longer than one likes to wait
constexpr uint64_t kMostPercent = 100;

// The enum value that an option names: "stream-schedule" for STRATEGY_STREAM_SCHEDULE. The zero
// value has no name here.
Failure EnumOption(const Arguments& arguments, const std::string& option,
                   const google::protobuf::EnumDescriptor& type, int* number) {
  if (!arguments.Has(option)) return {};
  const std::string prefix = absl::AsciiStrToUpper(option) + "_";
  std::string known;
  for (int i = 0; i < type.value_count(); ++i) {
    const google::protobuf::EnumValueDescriptor& value = *type.value(i);
    // A command line has no host whose oracle could be asked.
    if (value.number() == 0 ||
        (value.number() == v1::ORACLE_HOST && &type == v1::Oracle_descriptor()))
      continue;
    std::string name = absl::AsciiStrToLower(absl::StripPrefix(value.name(), prefix));
    name = absl::StrReplaceAll(name, {{"_", "-"}});
    if (name == arguments.Value(option)) {
      *number = value.number();
      return {};
    }
    absl::StrAppend(&known, known.empty() ? "" : ", ", name);
  }
  return UsageFailure(absl::StrCat("--", option, ": '", arguments.Value(option),
                                   "' is not known; expected ", known));
}

// The options that the command line sets, and no others.
Failure ReadOptions(const Arguments& arguments, v1::ScheduleOptions* options) {
  int strategy = 0;
  int oracle = 0;
  std::optional<uint64_t> cap, prefetch, urgent, candidates, work_limit, time_limit_ms;
  Failure failure = EnumOption(arguments, "strategy", *v1::Strategy_descriptor(), &strategy);
  if (!failure.failed()) {
    failure = EnumOption(arguments, "oracle", *v1::Oracle_descriptor(), &oracle);
  }
  if (!failure.failed()) failure = arguments.Number("cap-percent", &cap, kMostPercent);
  if (!failure.failed()) {
    failure = arguments.Number("prefetch-percent", &prefetch, kMostPercent);
  }
  if (!failure.failed()) failure = arguments.Number("urgent-starts", &urgent);
  if (!failure.failed()) failure = arguments.Number("candidates", &candidates);
  if (!failure.failed()) failure = arguments.Number("work-limit", &work_limit);
  if (!failure.failed()) failure = arguments.Number("time-limit-ms", &time_limit_ms);
  if (failure.failed()) return failure;
  options->set_strategy(static_cast<v1::Strategy>(strategy));
  options->set_oracle(static_cast<v1::Oracle>(oracle));
  if (cap.has_value()) options->set_cap_percent(*cap);
  if (prefetch.has_value()) options->set_prefetch_percent(*prefetch);
  if (urgent.has_value()) options->set_urgent_starts(*urgent);
  if (candidates.has_value()) options->set_candidates(*candidates);
  options->set_explain(arguments.Has("explain"));
  options->set_timeline(arguments.Has("timeline"));
  if (work_limit.has_value()) options->set_work_limit(*work_limit);
  if (time_limit_ms.has_value()) options->set_time_limit_ms(*time_limit_ms);
  options->set_swaps_forbidden(arguments.Has("no-swaps"));
  options->set_sensitivity(arguments.Has("sensitivity"));
  options->set_robust(arguments.Has("robust"));
  absl::StatusOr<ScheduleOptions> read = OptionsFromProto(*options);
  if (!read.ok()) return FailureFromStatus(read.status(), "");
  if (!arguments.Has("strategy")) read->robust = false;  // the file may name the one that it needs
  const absl::Status status = CheckOptions(*read, /*has_host_oracle=*/false);
  return status.ok() ? Failure() : FailureFromStatus(status, "");
}

// Limits of a search that does not take place: whoever gives them expects one. (The library does
// not look at them then: a request may keep them while its strategy changes.)
Failure CheckSearchOptions(const Arguments& arguments, const ScheduleOptions& options) {
  if (options.strategy == Strategy::kOptimize) return {};
  for (const char* option : {"work-limit", "time-limit-ms"}) {
    if (!arguments.Has(option)) continue;
    return UsageFailure(
        absl::StrCat("--", option, " needs --strategy optimize; no other strategy searches"));
  }
  return {};
}

// Both together. What only goes wrong together is the line's fault where it is about its option.
Failure MergeOptions(const Arguments& arguments, const v1::ScheduleOptions& from_line,
                     StreamInput* input, ScheduleOptions* options) {
  v1::ScheduleOptions* const merged = input->request.mutable_options();
  merged->MergeFrom(from_line);
  const absl::StatusOr<ScheduleOptions> read = OptionsFromProto(*merged);
  if (!read.ok()) return FailureFromStatus(read.status(), input->file);
  *options = *read;
  const absl::Status status = CheckOptions(*options, /*has_host_oracle=*/false);
  if (status.ok()) return CheckSearchOptions(arguments, *options);
  const bool of_line = arguments.Has("robust") && PlaceOf(status).field == "options.robust";
  return FailureFromStatus(status, of_line ? "" : input->file);
}

uint64_t MakespanOf(const ScheduleAnswer& answer) {
  return answer.placement.placed ? answer.placement.makespan : answer.schedule.makespan;
}

// The input order as a schedule of its own, with its timeline.
absl::StatusOr<ScheduleAnswer> InputOrder(const StreamInput& input, ScheduleOptions options) {
  options.strategy = Strategy::kNone;
  options.explain = options.sensitivity = options.robust = false;
  options.timeline = true;
  return ScheduleStream(input.stream, input.hardware, options, {});
}

// The pictures that were asked for: text into *text, SVG into its file.
Failure Draw(const Arguments& arguments, const StreamInput& input, const ScheduleOptions& options,
             const ScheduleAnswer& answer, std::string* text) {
  if (!arguments.Has("timeline") && !arguments.Has("svg")) return {};
  const absl::StatusOr<ScheduleAnswer> before = InputOrder(input, options);
  if (!before.ok()) return FailureFromStatus(before.status(), input.file);
  std::vector<report::TimelinePanel> panels = {
      {"input order", &before->timeline, MakespanOf(*before)}};
  if (answer.source != Source::kInput) {
    panels.push_back({"scheduled", &answer.timeline, MakespanOf(answer)});
  }
  if (arguments.Has("timeline")) {
    absl::StrAppend(text, "\n",
                    report::TimelineText(input.stream, input.hardware, panels, kTimelineCells));
  }
  if (!arguments.Has("svg")) return {};
  return WriteFile(arguments.Value("svg"),
                   report::TimelineSvg(input.stream, input.hardware, panels));
}

absl::StatusOr<ScheduleAnswer> ScheduleWithBar(const StreamInput& input,
                                               const ScheduleOptions& options) {
  ProgressBar bar(input.stream.op_count() >= kManyOps);
  CallEnvironment environment;
  environment.progress = [&bar](uint32_t permille, std::optional<uint64_t> best) {
    bar.Show(permille, best);
    return false;
  };
  return ScheduleStream(input.stream, input.hardware, options, environment);
}

}  // namespace

CommandSpec ScheduleSpec() {
  return {"schedule",
          "STREAM",
          "Finds an order that takes fewer cycles. Prints a summary, and the response with\n"
          "-o or --format (the summary then goes to standard error). Exit status 0 also if\n"
          "no order can be placed in LRAM: the response's placement.placed is then unset.\n",
          1,
          1,
          {HardwareOption(),
           {"strategy", "NAME", "none, stream-schedule (default) or optimize"},
           {"oracle", "NAME", "sequential (default) or offline: places buffers in LRAM"},
           {"cap-percent", "N", "the largest cap, of usable LRAM (100)"},
           {"prefetch-percent", "N", "of a cap, for loads of far programs (40)"},
           {"urgent-starts", "N", "how many programs to come are near (4)"},
           {"candidates", "N", "ready ops that a rule looks at (32)"},
           {"work-limit", "N", "of optimize: nodes that the search may visit (8000000)"},
           {"time-limit-ms", "N", "of optimize: answers may then differ from run to run"},
           {"robust", "", "of optimize: best if transfers or programs are slower"},
           {"no-swaps", "", "an order that needs swaps is not placed"},
           {"sensitivity", "", "price the answer with transfers or programs 20 % off"},
           {"explain", "", "print each step, and why it was taken"},
           TimelineOption(),
           SvgOption(),
           OutputOption(),
           FormatOption(),
           InputFormatOption(),
           MessageOption()}};
}

Failure RunSchedule(const Arguments& arguments) {
  std::optional<Format> format;
  v1::ScheduleOptions from_line;
  StreamInput input;
  Failure failure = OutputFormat(arguments, &format);
  if (!failure.failed()) failure = ReadOptions(arguments, &from_line);
  if (!failure.failed()) failure = ReadStream(arguments, arguments.operands()[0], &input);
  if (failure.failed()) return failure;

  ScheduleOptions options;
  failure = MergeOptions(arguments, from_line, &input, &options);
  if (failure.failed()) return failure;
  options.timeline |= arguments.Has("svg");
  absl::StatusOr<ScheduleAnswer> answer = ScheduleWithBar(input, options);
  if (!answer.ok()) return FailureFromStatus(answer.status(), input.file);

  std::string text = report::Summary(input.stream, input.hardware, options, *answer);
  if (arguments.Has("explain")) {
    absl::StrAppend(&text, "\n",
                    report::ExplainTable(input.stream, input.hardware, answer->schedule));
  }
  failure = Draw(arguments, input, options, *answer, &text);
  if (failure.failed()) return failure;
  if (!input.request.options().timeline()) answer->timeline.clear();  // for the picture only
  if (format.has_value()) {
    v1::ScheduleResponse response;
    ScheduleAnswerToProto(input.stream, *answer, &response);
    failure = WriteMessage(arguments, response, *format);
    if (failure.failed()) return failure;
  }
  return WriteReport(text, format.has_value());
}

}  // namespace tools
}  // namespace torqsched
