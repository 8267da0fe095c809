// torqsched residency: which tensors stay on chip, what the others cost, and why they are off it.
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "src/network/network_deployment.h"
#include "src/report/residency.h"
#include "src/residency/plan_residency.h"
#include "src/wire/residency_wire.h"
#include "tools/commands.h"
#include "tools/inputs.h"
#include "torqsched/v1/residency.pb.h"

namespace torqsched {
namespace tools {
namespace {

constexpr size_t kMostRows = 1000;  // of the table
constexpr size_t kMostKept = 20;    // transfers of a stream that are listed
constexpr size_t kPhaseCells = 88;

// A request. A layer table instead is the first mistake that one makes.
Failure ReadRequest(const Arguments& arguments, const std::string& path,
                    v1::PlanResidencyRequest* request) {
  LoadedFile file;
  Failure failure = LoadFile(arguments, path, &file);
  if (!failure.failed()) failure = CheckDeclared(file, *request);
  if (failure.failed()) return failure;
  failure = ParseFile(file, request);
  v1::Network table;
  if (failure.failed() && !ParseFile(file, &table).failed() && table.layers_size() != 0) {
    return InputFailure(absl::StrCat(file.path, ": looks like a layer table; use --network"));
  }
  return failure;
}

// A request, or the request about a network that --network names.
Failure ReadInput(const Arguments& arguments, std::string* file,
                  v1::PlanResidencyRequest* request) {
  const bool network = arguments.Has("network");
  if (network == !arguments.operands().empty()) {
    return UsageFailure(network ? "INPUT beside --network; expected one of the two"
                                : "expected INPUT or --network FILE");
  }
  if (network && !arguments.Has("sram")) return UsageFailure("--network needs --sram BYTES");
  const std::string path = network ? arguments.Value("network") : arguments.operands()[0];
  *file = ShownPath(path);
  if (!network) return ReadRequest(arguments, path, request);
  request->mutable_target()->set_crossbar(true);
  LoadedFile table;
  const Failure failure = LoadFile(arguments, path, &table);
  return failure.failed() ? failure : ParseTable(table, request->mutable_network());
}

// "1000:400:50", of SRAM, HBM and DRAM; without HBM "1000:50": bytes in a unit of time.
Failure ReadBandwidths(const Arguments& arguments, v1::ResidencyOptions* options) {
  if (!arguments.Has("bandwidths")) return {};
  const std::string text = arguments.Value("bandwidths");
  const std::vector<absl::string_view> parts = absl::StrSplit(text, ':');
  std::vector<uint64_t> values(parts.size());
  bool numbers = true;
  for (size_t i = 0; i < parts.size(); ++i) {
    numbers &= parts[i].find_first_not_of("0123456789") == absl::string_view::npos &&
               absl::SimpleAtoi(parts[i], &values[i]);
  }
  if (!numbers || parts.size() < 2 || parts.size() > 3) {
    return UsageFailure(
        absl::StrCat("--bandwidths: '", text, "'; expected numbers SRAM:HBM:DRAM, or SRAM:DRAM"));
  }
  v1::TierBandwidths* const bandwidths = options->mutable_bandwidths();
  bandwidths->Clear();
  bandwidths->mutable_sram()->set_bytes(values.front());
  if (parts.size() == 3) bandwidths->mutable_hbm()->set_bytes(values[1]);
  bandwidths->mutable_dram()->set_bytes(values.back());
  return {};
}

// What the command line sets, in place of what the file says.
Failure ReadOptions(const Arguments& arguments, v1::PlanResidencyRequest* request) {
  std::optional<uint64_t> sram, hbm, nodes;
  Failure failure = arguments.Bytes("sram", &sram);
  if (!failure.failed()) failure = arguments.Bytes("hbm", &hbm);
  if (!failure.failed()) failure = arguments.Number("nodes", &nodes);
  if (failure.failed()) return failure;
  v1::ResidencyOptions* const options = request->mutable_options();
  if (sram.has_value()) request->mutable_target()->set_sram_bytes(*sram);
  if (hbm.has_value()) request->mutable_target()->set_hbm_bytes(*hbm);
  if (nodes.has_value()) options->set_node_limit(*nodes);
  if (arguments.Has("strategy")) {
    const std::string name = arguments.Value("strategy");
    if (name != "density" && name != "optimal") {
      return UsageFailure(
          absl::StrCat("--strategy: '", name, "' is not known; expected density or optimal"));
    }
    options->set_strategy(name == "optimal" ? v1::RESIDENCY_STRATEGY_OPTIMAL
                                            : v1::RESIDENCY_STRATEGY_DENSITY);
  }
  if (arguments.Has("split")) options->set_split_instances(true);
  if (arguments.Has("explain")) options->set_explain(true);
  failure = ReadBandwidths(arguments, options);
  if (failure.failed() || options->strategy() == v1::RESIDENCY_STRATEGY_OPTIMAL) return failure;
  // Whoever gives these on the line expects a search.
  for (const char* option : {"split", "nodes", "bandwidths"}) {
    if (!arguments.Has(option)) continue;
    return UsageFailure(
        absl::StrCat("--", option, " needs --strategy optimal; density does not search"));
  }
  return {};
}

// The pictures and tables that were asked for: text into *text, SVG into its file.
Failure Draw(const Arguments& arguments, const report::ResidencyCase& residency,
             std::string* text) {
  if (arguments.Has("explain")) {
    absl::StrAppend(text, "\n", report::ResidencyTable(residency, kMostRows));
  }
  if (arguments.Has("phases")) {
    absl::StrAppend(text, "\n", report::SramPhasesText(residency, kPhaseCells));
  }
  if (!arguments.Has("svg")) return {};
  return WriteFile(arguments.Value("svg"), report::SramPhasesSvg(residency));
}

}  // namespace

CommandSpec ResidencySpec() {
  OptionSpec svg = SvgOption();
  svg.help = "draw SRAM over the phases, as SVG";
  return {"residency",
          "[INPUT]",
          "\nSays which tensors stay in SRAM, and which of the others go to HBM. INPUT is a\n"
          "PlanResidencyRequest. Or --network names a layer table (JSON or a Network): what\n"
          "of that model stays on chip? Prints a summary, and the response with -o or\n"
          "--format (the summary then goes to standard error).\n"
          "\n"
          "BYTES are a number, or a number and KiB, MiB, GiB, kB, MB or GB.\n",
          0,
          1,
          {{"network", "FILE", "plan for this layer table, with a crossbar"},
           {"sram", "BYTES", "on chip, instead of the file's"},
           {"hbm", "BYTES", "of HBM, instead of the file's (none)"},
           {"strategy", "NAME", "density (default) or optimal: fewest bytes off chip"},
           {"split", "", "of optimal: a state may be on chip in some instances only"},
           {"bandwidths", "S[:H]:D", "of optimal: minimise time; bytes a unit of time, by tier"},
           {"nodes", "N", "of optimal: how many each search may visit (2000000)"},
           {"explain", "", "a row a tensor: where it is, and why"},
           {"phases", "", "draw SRAM over the phases, as text"},
           svg,
           OutputOption(),
           FormatOption(),
           InputFormatOption()}};
}

Failure RunResidency(const Arguments& arguments) {
  std::optional<Format> format;
  std::string file;
  v1::PlanResidencyRequest request;
  Failure failure = OutputFormat(arguments, &format);
  if (!failure.failed()) failure = ReadInput(arguments, &file, &request);
  if (!failure.failed()) failure = ReadOptions(arguments, &request);
  if (failure.failed()) return failure;

  const absl::StatusOr<ParsedResidency> parsed = ResidencyFromProto(request, &DeployNetwork);
  if (!parsed.ok()) return FailureFromStatus(parsed.status(), file);
  ResidencyOptions options = parsed->options;
  options.explain = true;  // for the table; the response has it only where it was asked for
  absl::StatusOr<ResidencyAnswer> answer =
      PlanResidency(parsed->deployment, options, parsed->streams);
  if (!answer.ok()) return FailureFromStatus(answer.status(), file);

  report::ResidencyCase residency;
  residency.deployment = &parsed->deployment;
  residency.plan = &answer->plan;
  residency.optimal = answer->optimal.has_value() ? &*answer->optimal : nullptr;
  residency.off_chip = &*answer->off_chip;
  residency.moved_bytes = &answer->moved_bytes;
  std::string text = report::ResidencySummary(file, residency) +
                     report::BoundStreamFacts(parsed->streams, answer->streams);
  if (arguments.Has("explain")) {
    text += report::KeptTransfersText(parsed->streams, answer->streams, kMostKept);
  }
  failure = Draw(arguments, residency, &text);
  if (failure.failed()) return failure;
  if (format.has_value()) {
    if (!parsed->options.explain) answer->off_chip.reset();
    v1::PlanResidencyResponse response;
    ResidencyAnswerToProto(request, *parsed, *answer, &response);
    failure = WriteMessage(arguments, response, *format);
    if (failure.failed()) return failure;
  }
  return WriteReport(text, format.has_value());
}

}  // namespace tools
}  // namespace torqsched
