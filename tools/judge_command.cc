// torqsched judge: what measured rounds with and without a warm show, and whether to ship it.
//
// Whatever the verdict is, it is an answer, and the exit status is 0.
#include <algorithm>
#include <limits>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "src/report/judgement.h"
#include "src/stream/error.h"
#include "src/warm/judge.h"
#include "src/wire/judge_wire.h"
#include "tools/commands.h"
#include "tools/csv.h"
#include "tools/inputs.h"
#include "tools/rounds_csv.h"
#include "torqsched/v1/judge.pb.h"

namespace torqsched {
namespace tools {
namespace {

struct JudgeInput {
  std::string file;  // as messages show it
  bool is_csv = false;
  UnitOfFile rounds_unit;  // of CSV
  v1::JudgeWarmRequest request;
};

using CsvParser = absl::Status (*)(absl::string_view, const TimeUnit*, v1::JudgeWarmRequest*,
                                   UnitOfFile*);

Failure ReadCsvFile(const std::string& path, CsvParser parse, const TimeUnit* given,
                    v1::JudgeWarmRequest* request, UnitOfFile* unit) {
  std::string text;
  Failure failure = ReadFile(path, &text);
  if (failure.failed()) return failure;
  const absl::Status status = parse(text, given, request, unit);
  if (status.ok()) return {};
  return InputFailure(absl::StrCat(ShownPath(path), ":", status.message()));
}

// The rounds, and the issues that --issues names.
Failure ReadCsvInput(const Arguments& arguments, JudgeInput* input) {
  const TimeUnit* given = nullptr;
  if (arguments.Has("unit")) {
    const std::string name = arguments.Value("unit");
    given = TimeUnitNamed(name);
    if (given == nullptr) {
      return UsageFailure(absl::StrCat("--unit: '", name, "' is not known; expected ", kTimeUnits));
    }
  }
  const std::string path = arguments.operands()[0];
  const std::string issues = arguments.Value("issues");
  if (path == "-" && issues == "-") {
    return UsageFailure("standard input can be one of the files only");
  }
  Failure failure = ReadCsvFile(path, ParseRoundsCsv, given, &input->request, &input->rounds_unit);
  if (failure.failed()) return failure;
  bool unit_used = !input->rounds_unit.named;
  if (arguments.Has("issues")) {
    UnitOfFile unit;
    failure = ReadCsvFile(issues, ParseIssuesCsv, given, &input->request, &unit);
    if (failure.failed()) return failure;
    unit_used = unit_used || !unit.named;
  }
  if (unit_used || given == nullptr) return {};
  return UsageFailure(
      "--unit: the columns of times tell their unit; expected a column 'time', "
      "'without' or 'duration'");
}

// A request. A table of rounds without a name that says so is the first mistake that one makes.
Failure ReadRequest(const Arguments& arguments, JudgeInput* input) {
  for (const char* option : {"unit", "issues"}) {
    if (!arguments.Has(option)) continue;
    return UsageFailure(absl::StrCat("--", option, " goes with rounds in CSV; INPUT is a request"));
  }
  LoadedFile file;
  Failure failure = LoadFile(arguments, arguments.operands()[0], &file);
  if (!failure.failed()) failure = CheckDeclared(file, input->request);
  if (failure.failed()) return failure;
  failure = ParseFile(file, &input->request);
  v1::JudgeWarmRequest from_csv;
  UnitOfFile unit;
  if (failure.failed() && ParseRoundsCsv(file.bytes, TimeUnitNamed("ns"), &from_csv, &unit).ok()) {
    return InputFailure(absl::StrCat(file.path, ": looks like CSV; use --input-format csv"));
  }
  return failure;
}

// A number of a field of 32 bits; of smaller ones the library is the judge.
Failure SmallNumber(const Arguments& arguments, const std::string& name,
                    std::optional<uint32_t>* number) {
  constexpr uint64_t kMost = std::numeric_limits<uint32_t>::max();
  std::optional<uint64_t> value;
  Failure failure = arguments.Number(name, &value, kMost);
  if (failure.failed() || !value.has_value()) return failure;
  if (*value > kMost) {
    return UsageFailure(absl::StrCat("--", name, ": ", *value,
                                     " is too large; the largest value accepted is ", kMost));
  }
  *number = static_cast<uint32_t>(*value);
  return {};
}

// A percentage, as parts in a million.
Failure ReadLeastGain(const Arguments& arguments, v1::JudgeOptions* options) {
  if (!arguments.Has("least-gain")) return {};
  constexpr uint64_t kMillion = 1000000;
  const std::string text = arguments.Value("least-gain");
  const std::optional<ScaledNumber> ppm = ScaledDecimal(text, 4);
  if (!ppm.has_value() || !ppm->exact || ppm->value > kMillion) {
    return UsageFailure(absl::StrCat("--least-gain: '", text,
                                     "'; expected a percentage from 0 to 100 with at most 4 "
                                     "decimals, such as 0.5"));
  }
  options->set_least_gain_ppm(static_cast<uint32_t>(ppm->value));
  return {};
}

// "63.5us"; without a unit in that of the rounds.
Failure ReadStandaloneBound(const Arguments& arguments, JudgeInput* input) {
  if (!arguments.Has("standalone-bound")) return {};
  constexpr uint64_t kNanoseconds = 1000000000;
  v1::JudgeWarmRequest& request = input->request;
  const std::string text = arguments.Value("standalone-bound");
  const size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
  const absl::string_view ending = absl::string_view(text).substr(digits);
  int decimals = input->is_csv ? input->rounds_unit.unit->decimals : 0;
  bool known = true;
  if (!ending.empty()) {
    const TimeUnit* const unit = TimeUnitNamed(ending);
    known = unit != nullptr && (!request.options().has_units_per_second() ||
                                request.options().units_per_second() == kNanoseconds);
    if (known) decimals = unit->decimals;
  }
  const std::optional<ScaledNumber> bound =
      ScaledDecimal(absl::string_view(text).substr(0, digits), decimals);
  if (!known || !bound.has_value()) {
    return UsageFailure(absl::StrCat("--standalone-bound: '", text,
                                     "'; expected a number in the unit of the rounds, or of "
                                     "nanoseconds such as 63500ns or 63.5us"));
  }
  request.set_standalone_bound(bound->value);
  return {};
}

// What the command line sets, in place of what the file says.
Failure ReadOptions(const Arguments& arguments, JudgeInput* input) {
  v1::JudgeWarmRequest& request = input->request;
  v1::JudgeOptions* const options = request.mutable_options();
  std::optional<uint64_t> warm_bytes, bandwidth, issues_per_round, seed;
  std::optional<uint32_t> confidence, resamples, least_rounds;
  Failure failure = arguments.Bytes("warm-bytes", &warm_bytes);
  if (!failure.failed()) failure = arguments.Bytes("memory-bandwidth", &bandwidth);
  if (!failure.failed()) failure = arguments.Number("issues-per-round", &issues_per_round);
  if (!failure.failed()) failure = arguments.Number("seed", &seed);
  if (!failure.failed()) failure = SmallNumber(arguments, "confidence", &confidence);
  if (!failure.failed()) failure = SmallNumber(arguments, "resamples", &resamples);
  if (!failure.failed()) failure = SmallNumber(arguments, "least-rounds", &least_rounds);
  if (!failure.failed()) failure = ReadLeastGain(arguments, options);
  if (!failure.failed()) failure = ReadStandaloneBound(arguments, input);
  if (failure.failed()) return failure;
  if (warm_bytes.has_value()) request.set_warm_bytes(*warm_bytes);
  if (bandwidth.has_value()) options->set_memory_bandwidth(*bandwidth);
  if (issues_per_round.has_value()) request.set_issues_per_round(*issues_per_round);
  if (seed.has_value()) options->set_seed(*seed);
  if (confidence.has_value()) options->set_confidence_percent(*confidence);
  if (resamples.has_value()) options->set_resamples(*resamples);
  if (least_rounds.has_value()) options->set_least_rounds(*least_rounds);
  if (arguments.Has("interleaved")) options->set_interleaved(true);
  return {};
}

// A table has cards where the library's message would speak of the request's series. Series of CSV
// stand in pairs.
Failure CheckInterleaved(const JudgeInput& input) {
  if (!input.is_csv || !input.request.options().interleaved()) return {};
  for (int i = 0; i + 1 < input.request.series_size(); i += 2) {
    const v1::RoundSeries& without = input.request.series(i);
    const v1::RoundSeries& with = input.request.series(i + 1);
    if (without.times_size() == with.times_size()) continue;
    return InputFailure(absl::StrCat(input.file, ": card ", without.card(), ": ",
                                     without.times_size(), " rounds without the warm, ",
                                     with.times_size(), " with it; --interleaved expects as many"));
  }
  return {};
}

// What the library refuses: what the command line gave, or what the file has.
Failure JudgeFailure(const Arguments& arguments, const std::string& file,
                     const absl::Status& status) {
  static constexpr struct {
    const char* option;
    absl::string_view field;
  } kOptions[] = {{"confidence", "options.confidence_percent"},
                  {"resamples", "options.resamples"},
                  {"least-rounds", "options.least_rounds"}};
  const std::string field = PlaceOf(status).field;
  for (const auto& entry : kOptions) {
    if (entry.field != field || !arguments.Has(entry.option)) continue;
    return UsageFailure(
        absl::StrCat("--", entry.option, absl::StripPrefix(status.message(), field)));
  }
  return FailureFromStatus(status, file);
}

}  // namespace

CommandSpec JudgeSpec() {
  OptionSpec svg = SvgOption();
  svg.help = "draw the rounds of each card, as SVG";
  return {"judge",
          "INPUT",
          "\nSays what measured rounds with and without a warm show: ship, do not ship, or\n"
          "measure more. INPUT is a JudgeWarmRequest or CSV, [card,]arm,time_us (arm: with\n"
          "or without; time_ns, _ms, _s) or [card,]without_us,with_us. Prints why; and the\n"
          "response with -o or --format (the summary then goes to standard error).\n",
          1,
          1,
          {{"unit", "UNIT", "of CSV columns that tell none: ns, us, ms or s"},
           {"issues", "FILE", "CSV: how long each issue took; column duration_us"},
           {"warm-bytes", "BYTES", "that one issue pulls"},
           {"memory-bandwidth", "BYTES", "a second, what the memory can do at best"},
           {"issues-per-round", "N", "of the durations, so many belong to a round"},
           {"standalone-bound", "TIME", "the most a warm can recover of a round"},
           {"least-gain", "PERCENT", "the least that is worth shipping (0.5)"},
           {"confidence", "N", "of every interval, percent (95)"},
           {"resamples", "N", "of each series, for intervals (2000)"},
           {"seed", "N", "where random numbers begin (1)"},
           {"least-rounds", "N", "of each arm, after its start-up (50)"},
           {"interleaved", "", "round i of both arms ran next to each other"},
           svg,
           OutputOption(),
           FormatOption(),
           {"input-format", "FORMAT", "of INPUT: text, json, binary or csv"}}};
}

Failure RunJudge(const Arguments& arguments) {
  std::optional<Format> format;
  JudgeInput input;
  const std::string path = arguments.operands()[0];
  input.file = ShownPath(path);
  input.is_csv = IsCsvInput(arguments, path);
  Failure failure = OutputFormat(arguments, &format);
  if (!failure.failed()) {
    failure = input.is_csv ? ReadCsvInput(arguments, &input) : ReadRequest(arguments, &input);
  }
  if (!failure.failed()) failure = ReadOptions(arguments, &input);
  if (!failure.failed()) failure = CheckInterleaved(input);
  if (failure.failed()) return failure;

  const WarmMeasurement measurement = MeasurementFromProto(input.request);
  const JudgeOptions options = JudgeOptionsFromProto(input.request.options());
  const absl::StatusOr<WarmJudgement> judgement = JudgeWarm(measurement, options);
  if (!judgement.ok()) return JudgeFailure(arguments, input.file, judgement.status());

  const report::JudgementCase judged = {&measurement, &options, &*judgement};
  if (arguments.Has("svg")) {
    failure = WriteFile(arguments.Value("svg"), report::JudgementSvg(input.file, judged));
  }
  if (!failure.failed() && format.has_value()) {
    v1::JudgeWarmResponse response;
    JudgementToProto(*judgement, &response);
    failure = WriteMessage(arguments, response, *format);
  }
  if (failure.failed()) return failure;
  return WriteReport(report::JudgementSummary(input.file, judged), format.has_value());
}

}  // namespace tools
}  // namespace torqsched
