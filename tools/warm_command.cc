// torqsched warm: which weights to pull into L2 before they are read, and what that is to gain.
#include <optional>
#include <string>

#include "absl/numeric/int128.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "src/report/warm.h"
#include "src/warm/planner.h"
#include "src/wire/warm_wire.h"
#include "tools/commands.h"
#include "tools/inputs.h"
#include "torqsched/v1/warm.pb.h"

namespace torqsched {
namespace tools {
namespace {

constexpr size_t kMostRows = 200;  // of a table, a kind
constexpr size_t kMostWeighed = 20;
constexpr size_t kCells = 84;
constexpr uint64_t kNsPerSecond = 1000000000;

// The engine with one stream; with more it is as much slower or faster as before.
void SetEngine(uint64_t bytes_per_second, WarmHardware* hardware) {
  const WarmBandwidth one = hardware->engine[0];
  constexpr uint64_t kMost = uint64_t{1} << 44;  // beyond, the planner refuses it
  if (one.bytes == 0 || one.bytes > kMost || one.ns > kMost) return;
  for (WarmBandwidth& of : hardware->engine) {
    if (of.bytes > kMost || of.ns == 0) continue;
    const absl::uint128 bytes = absl::uint128(bytes_per_second) * of.bytes / one.bytes;
    const absl::uint128 scaled = bytes * one.ns / of.ns;
    of = {scaled > UINT64_MAX ? UINT64_MAX : absl::Uint128Low64(scaled), kNsPerSecond};
  }
}

// What the command line sets, in place of what the file says. Numbers that are out of range are
// told by the planner.
Failure ReadOptions(const Arguments& arguments, ParsedWarm* parsed) {
  std::optional<uint64_t> l2, memory, engine;
  Failure failure = arguments.Bytes("l2", &l2);
  if (!failure.failed()) failure = arguments.Bytes("memory", &memory);
  if (!failure.failed()) failure = arguments.Bytes("engine", &engine);
  if (failure.failed()) return failure;
  WarmHardware& hardware = parsed->hardware;
  if (l2.has_value()) hardware.l2_bytes = *l2;
  if (memory.has_value()) hardware.memory = {*memory, kNsPerSecond};
  if (engine.has_value()) SetEngine(*engine, &hardware);
  if (arguments.Has("full-landing")) hardware.landing = WarmLanding::kFull;
  // What is drawn or listed has to be there.
  if (arguments.Has("flips")) parsed->options.flips = true;
  if (arguments.Has("timeline") || arguments.Has("svg")) parsed->options.traces = true;
  if (arguments.Has("alternatives") && !parsed->options.alternatives) {
    parsed->options.alternatives = true;
    parsed->options.most_alternatives = kMostWeighed;
  }
  return {};
}

std::string Tables(const Arguments& arguments, const report::WarmCase& warm) {
  std::string text;
  if (arguments.Has("explain")) {
    absl::StrAppend(&text, "\n", report::WarmVerdicts(warm, kMostRows));
  }
  if (arguments.Has("alternatives")) {
    absl::StrAppend(&text, "\n", report::WarmAlternatives(warm, kMostWeighed));
  }
  if (arguments.Has("flips")) absl::StrAppend(&text, "\n", report::WarmFlips(warm));
  if (arguments.Has("timeline")) {
    absl::StrAppend(&text, "\n", report::WarmTimelineText(warm, kCells));
  }
  return text;
}

Failure WriteFiles(const Arguments& arguments, const report::WarmCase& warm) {
  Failure failure;
  if (arguments.Has("svg")) {
    failure = WriteFile(arguments.Value("svg"), report::WarmTimelineSvg(warm));
  }
  if (failure.failed() || !arguments.Has("code")) return failure;
  return WriteFile(arguments.Value("code"), report::WarmCode(warm));
}

}  // namespace

CommandSpec WarmSpec() {
  OptionSpec timeline = TimelineOption();
  timeline.help = "draw a layer of each kind without and with its warms, as text";
  OptionSpec svg = SvgOption();
  svg.help = "the same as SVG";
  return {"warm",
          "INPUT",
          "\nSays which regions of memory to pull into L2 before they are read, after which\n"
          "stage, and what that is predicted to gain. INPUT is a PlanWarmRequest. Prints a\n"
          "summary, and the response with -o or --format (the summary then goes to\n"
          "standard error).\n"
          "\n"
          "BYTES are a number, or a number and KiB, MiB, GiB, kB, MB or GB.\n",
          1,
          1,
          {{"l2", "BYTES", "that L2 holds, instead of the file's"},
           {"memory", "BYTES", "a second from memory, instead of the file's"},
           {"engine", "BYTES", "a second of one stream; those of more scale with it"},
           {"full-landing", "", "what has not landed wholly when it is read saves nothing"},
           {"explain", "", "a row a region: whether to warm it, and why"},
           {"alternatives", "", "what was weighed, the best first"},
           {"flips", "", "which assumption, changed by how much, changes the choice"},
           timeline,
           svg,
           {"code", "FILE", "write the warms as code of the kernels' language"},
           OutputOption(),
           FormatOption(),
           InputFormatOption()}};
}

Failure RunWarm(const Arguments& arguments) {
  std::optional<Format> format;
  v1::PlanWarmRequest request;
  const std::string path = arguments.operands()[0];
  Failure failure = OutputFormat(arguments, &format);
  if (!failure.failed()) failure = ReadMessage(arguments, path, &request);
  if (failure.failed()) return failure;
  const std::string file = ShownPath(path);
  absl::StatusOr<ParsedWarm> parsed = WarmFromProto(request);
  if (!parsed.ok()) return FailureFromStatus(parsed.status(), file);
  failure = ReadOptions(arguments, &*parsed);
  if (failure.failed()) return failure;
  const absl::StatusOr<WarmPlan> plan =
      PlanWarm(parsed->hardware, parsed->timeline, parsed->options);
  if (!plan.ok()) return FailureFromStatus(plan.status(), file);

  const report::WarmCase warm = {&parsed->timeline, &parsed->hardware, &parsed->options, &*plan};
  const std::string& name = request.timeline().name();
  const std::string text =
      report::WarmSummary(name.empty() ? file : name, warm) + Tables(arguments, warm);
  failure = WriteFiles(arguments, warm);
  if (!failure.failed() && format.has_value()) {
    v1::PlanWarmResponse response;
    WarmPlanToProto(*plan, &response);
    failure = WriteMessage(arguments, response, *format);
  }
  return failure.failed() ? failure : WriteReport(text, format.has_value());
}

}  // namespace tools
}  // namespace torqsched
