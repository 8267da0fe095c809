// torqsched lower: a layer table becomes a control stream, ready to be scheduled.
#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "src/lowering/check_lowering.h"
#include "src/lowering/lower.h"
#include "src/report/lowering.h"
#include "src/tuning/tune_budgets.h"
#include "src/wire/lower_wire.h"
#include "src/wire/stream_wire.h"
#include "tools/commands.h"
#include "tools/inputs.h"
#include "tools/messages.h"
#include "tools/progress_bar.h"
#include "torqsched/v1/lower.pb.h"

namespace torqsched {
namespace tools {
namespace {

constexpr size_t kMostRows = 2000;

Failure ReadOptions(const Arguments& arguments, v1::LowerRequest* request) {
  v1::LowerOptions* const options = request->mutable_options();
  std::optional<uint64_t> loop, contraction, resident, trials;
  uint32_t first = options->first_layer(), count = options->layer_count();
  Failure failure = ReadLayers(arguments, &first, &count);
  if (!failure.failed()) failure = arguments.Number("loop-percent", &loop, 100);
  if (!failure.failed()) failure = arguments.Number("contraction-percent", &contraction, 100);
  if (!failure.failed()) failure = arguments.Number("resident-percent", &resident, 100);
  if (!failure.failed()) failure = arguments.Number("trials", &trials);
  if (failure.failed()) return failure;
  for (const auto& [name, percent] :
       {std::pair("loop-percent", loop), std::pair("contraction-percent", contraction)}) {
    if (percent == 0u) return UsageFailure(absl::StrCat("--", name, ": 0; expected 1 to 100"));
  }
  options->set_first_layer(first);
  options->set_layer_count(count);
  v1::TilingOptions* const tiling = options->mutable_tiling();
  if (loop.has_value()) tiling->set_loop_percent(static_cast<uint32_t>(*loop));
  if (contraction.has_value()) {
    tiling->set_contraction_percent(static_cast<uint32_t>(*contraction));
  }
  if (resident.has_value()) options->set_resident_percent(static_cast<uint32_t>(*resident));
  if (arguments.Has("no-scheduler")) tiling->set_strategy(v1::STRATEGY_NONE);
  if (arguments.Has("tune")) options->mutable_tuning();
  if (trials.has_value()) {
    if (!options->has_tuning()) return UsageFailure("--trials needs --tune");
    options->mutable_tuning()->set_most_trials(*trials);
  }
  if (!arguments.Has("hardware")) return {};
  std::string hardware_file;
  return ReadHardware(arguments, request->mutable_hardware(), &hardware_file);
}

// A table, or a whole request, where --message or a text's header line says so.
Failure ReadInput(const Arguments& arguments, const std::string& path, v1::LowerRequest* request) {
  LoadedFile file;
  Failure failure = LoadFile(arguments, path, &file);
  if (failure.failed()) return failure;
  if (arguments.Has("message")) {
    const google::protobuf::Message* const named = MessageNamed(arguments.Value("message"));
    file.declared = named == nullptr ? "" : std::string(named->GetDescriptor()->full_name());
    if (file.declared != "torqsched.v1.LowerRequest" && file.declared != "torqsched.v1.Network") {
      return UsageFailure(absl::StrCat("--message: '", arguments.Value("message"),
                                       "'; expected Network or LowerRequest"));
    }
  }
  if (file.declared == "torqsched.v1.LowerRequest") return ParseFile(file, request);
  return ParseTable(file, request->mutable_network());
}

// The request that lowers the same again without looking for budgets.
Failure WriteBudgets(const Arguments& arguments, v1::LowerRequest request,
                     const LoweringOptions& options) {
  if (!arguments.Has("budgets")) return {};
  const std::string path = arguments.Value("budgets");
  request.clear_options();
  LoweringOptionsToProto(options, request.mutable_options());
  const absl::StatusOr<std::string> bytes =
      PrintMessage(request, FormatOfFile(path).value_or(Format::kText));
  if (!bytes.ok()) return OurFailure(std::string(bytes.status().message()));
  return WriteFile(path, *bytes);
}

// Finds budgets where it was asked to; the options that lower what it found.
Failure Tune(const ParsedLowering& parsed, const std::string& file, LoweringOptions* options,
             std::optional<report::TuningFacts>* facts) {
  if (!parsed.tuning.has_value()) return {};
  TuningOptions tuning = *parsed.tuning;
  tuning.lowering = *options;
  ProgressBar bar(/*is_long=*/false);
  CallEnvironment environment;
  environment.progress = [&bar](uint32_t permille, std::optional<uint64_t> best) {
    bar.Show(permille, best);
    return false;
  };
  const absl::StatusOr<TunedBudgets> tuned =
      TuneBudgets(parsed.network, parsed.hardware, parsed.numbers, tuning, environment);
  if (!tuned.ok()) return FailureFromStatus(tuned.status(), file);
  *options = tuned->best.lowering;
  *facts = report::TuningFacts{tuned->first.makespan, tuned->best.makespan, tuned->trials,
                               tuned->groups, tuned->limit_reached};
  return {};
}

}  // namespace

CommandSpec LowerSpec() {
  OptionSpec output = OutputOption();
  output.help = "write the stream here";
  return {"lower",
          "TABLE",
          "\nMakes a control stream of a layer table: tile by tile, as a plain compiler\n"
          "writes it. Prints a summary; with -o or --format also the stream, as a\n"
          "ScheduleRequest for 'torqsched schedule'.\n",
          1,
          1,
          {{"layers", "FIRST:COUNT", "lower these only"},
           {"loop-percent", "N", "of usable LRAM for tiles (50)"},
           {"contraction-percent", "N", "for tiles of matrix products (40)"},
           {"resident-percent", "N", "for activations that stay in LRAM (40)"},
           {"no-scheduler", "", "tiles as large as LRAM: nothing is to be loaded early"},
           {"tune", "", "find budgets by what they earn: lower, schedule, price"},
           {"trials", "N", "of --tune, at most (1000)"},
           {"explain", "", "a row a layer: how it is cut, and what that moves"},
           {"budgets", "FILE", "write the table with the budgets here, a LowerRequest"},
           {"message", "NAME", "what TABLE holds: Network (default) or LowerRequest"},
           HardwareOption(),
           output,
           FormatOption(),
           InputFormatOption()}};
}

Failure RunLower(const Arguments& arguments) {
  std::optional<Format> format;
  v1::LowerRequest request;
  const std::string path = arguments.operands()[0];
  const std::string file = ShownPath(path);
  Failure failure = OutputFormat(arguments, &format);
  if (!failure.failed()) failure = ReadInput(arguments, path, &request);
  if (!failure.failed()) failure = ReadOptions(arguments, &request);
  if (failure.failed()) return failure;
  const absl::StatusOr<ParsedLowering> parsed = LoweringFromProto(request);
  if (!parsed.ok()) return FailureFromStatus(parsed.status(), file);
  LoweringOptions options = parsed->options;
  std::optional<report::TuningFacts> facts;
  failure = Tune(*parsed, file, &options, &facts);
  if (failure.failed()) return failure;
  const absl::StatusOr<LoweredNetwork> lowered =
      LowerNetwork(parsed->network, parsed->hardware, parsed->numbers, options);
  if (!lowered.ok()) return FailureFromStatus(lowered.status(), file);
  if (absl::Status status = CheckLowering(parsed->network, *lowered); !status.ok()) {
    return FailureFromStatus(status, file);
  }
  const absl::string_view name = parsed->network.name;
  std::string text =
      report::LoweringSummary(name.empty() ? absl::string_view(file) : name, *lowered, facts);
  if (arguments.Has("explain")) {
    absl::StrAppend(&text, "\n", report::LoweringTable(parsed->network, *lowered, kMostRows));
  }
  failure = WriteBudgets(arguments, request, options);
  if (failure.failed()) return failure;
  if (format.has_value()) {
    v1::ScheduleRequest schedule;
    StreamToProto(lowered->stream, schedule.mutable_stream());
    *schedule.mutable_hardware() = request.hardware();
    failure = WriteMessage(arguments, schedule, *format);
    if (failure.failed()) return failure;
  }
  return WriteReport(text, format.has_value());
}

}  // namespace tools
}  // namespace torqsched
