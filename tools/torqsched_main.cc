// The command line: every call of the library over files.
//
//   torqsched schedule stream.txtpb --hardware sl2610
//
// Results go to standard output, everything else to standard error. Exit status: 0; 1 the input is
// at fault, with one line "FILE: op 12 'load w3': ..."; 2 usage; 3 anything else. A schedule whose
// buffers could not be placed is an answer, and ends with 0.
#include <cstdio>
#include <exception>
#include <new>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/stubs/logging.h"
#include "tools/arguments.h"
#include "tools/commands.h"
#include "tools/failure.h"
#include "tools/files.h"
#include "torqsched/torqsched.h"

namespace torqsched {
namespace tools {
namespace {

struct Command {
  CommandSpec (*spec)();
  Failure (*run)(const Arguments& arguments);
};

constexpr Command kCommands[] = {
    {ScheduleSpec, RunSchedule}, {SimulateSpec, RunSimulate},   {VerifySpec, RunVerify},
    {AllocateSpec, RunAllocate}, {ResidencySpec, RunResidency}, {WarmSpec, RunWarm},
    {JudgeSpec, RunJudge},       {TilesSpec, RunTiles},         {LowerSpec, RunLower},
    {SweepSpec, RunSweep},       {ConvertSpec, RunConvert},
};

constexpr char kHelp[] =
    "Usage: torqsched COMMAND FILE... [OPTION]...\n"
    "\n"
    "Reorders the control stream of an accelerator so that transfers and programs\n"
    "overlap, and says where each buffer lies in LRAM and which tensors stay on chip.\n"
    "\n"
    "  schedule STREAM              find a better order\n"
    "  simulate STREAM [RESPONSE]   price an order\n"
    "  verify STREAM RESPONSE       check an answer independently\n"
    "  allocate INPUT               place buffers whose live ranges are known\n"
    "  residency INPUT              which tensors stay in SRAM, and why\n"
    "  warm INPUT                   which weights to pull into L2 early, and why\n"
    "  judge INPUT                  did a warm pay off? by measured rounds\n"
    "  tiles [INPUT]                how much of LRAM each loop's tiles may use\n"
    "  lower TABLE                  a layer table as a control stream\n"
    "  sweep TABLE...               lower and schedule in many ways, as one table\n"
    "  convert FILE                 text, JSON and binary, one to another\n"
    "\n"
    "Files are messages of torqsched.v1, '-' is standard input. Their format is told\n"
    "by the name: .txtpb .textproto .pbtxt text; .json JSON; .binpb .pb .bin binary.\n"
    "\n"
    "Exit status: 0; 1 the input is at fault; 2 usage; 3 anything else. 'schedule'\n"
    "ends with 0 also if nothing can be placed: see the response's placement.placed.\n"
    "torqsched COMMAND --help tells the options, torqsched --version the version.\n";

int End(const std::string& command, const Failure& failure) {
  if (!failure.failed()) return kSuccess;
  // What is wrong with a file begins with the file's name.
  const std::string prefix =
      failure.status == kInputAtFault
          ? ""
          : absl::StrCat("torqsched", command.empty() ? "" : " ", command, ": ");
  const std::string hint =
      failure.status == kUsage
          ? absl::StrCat("\nTry: torqsched", command.empty() ? "" : " ", command, " --help")
          : "";
  std::fprintf(stderr, "%s%s%s\n", prefix.c_str(), failure.line.c_str(), hint.c_str());
  return failure.status;
}

int Print(const std::string& text) { return End("", WriteFile("-", text)); }

int Run(int argc, const char* const* argv) {
  google::protobuf::SetLogHandler(nullptr);  // its remarks are no part of our output
  if (argc < 2) return End("", UsageFailure("expected a command"));
  const absl::string_view name = argv[1];
  if (name == "--help" || name == "-h" || name == "help") return Print(kHelp);
  if (name == "--version") return Print(absl::StrCat("torqsched ", TORQSCHED_VERSION, "\n"));
  for (const Command& command : kCommands) {
    const CommandSpec spec = command.spec();
    if (name != spec.name) continue;
    Arguments arguments;
    const Failure failure = arguments.Parse(spec, argc - 2, argv + 2);
    if (failure.failed()) return End(spec.name, failure);
    if (arguments.Has("help")) return Print(HelpText(spec));
    return End(spec.name, command.run(arguments));
  }
  return End("", UsageFailure(absl::StrCat("no command '", name,
                                           "'; expected schedule, simulate, verify, "
                                           "allocate, residency, warm, judge, tiles, lower, sweep "
                                           "or convert")));
}

}  // namespace
}  // namespace tools
}  // namespace torqsched

int main(int argc, char** argv) {
  try {
    return torqsched::tools::Run(argc, argv);
  } catch (const std::bad_alloc&) {
    std::fputs("torqsched: out of memory\n", stderr);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "torqsched: %s\n", error.what());
  }
  return torqsched::tools::kOurs;
}
