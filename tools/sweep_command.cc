// torqsched sweep: a grid of points, each lowered and scheduled, as one table and one picture.
//
// A point that is done is a file of its own, written beside its name and then renamed: a sweep that
// was stopped in whatever way finds whole points when it is run again, and goes on from there. The
// table is made of the points in the grid's order, whoever computed them, and when.
#include <unistd.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "src/report/sweep.h"
#include "src/report/text.h"
#include "tools/commands.h"
#include "tools/inputs.h"
#include "tools/progress_bar.h"
#include "tools/sweep_grid.h"
#include "tools/sweep_point.h"
#include "tools/sweep_workers.h"

namespace torqsched {
namespace tools {
namespace {

constexpr size_t kMostRows = 200;
constexpr size_t kMostOperands = 1000000;
constexpr uint64_t kMostJobs = 1024;

std::string PointPath(const std::string& directory, const report::SweepPoint& point) {
  return absl::StrCat(directory, "/points/", point.digest, ".json");
}

// The file is there as a whole or not at all, whatever happens. What is no file, such as a device
// or a pipe, is written to as it is; of a link, what it leads to.
Failure WriteWhole(const std::string& named, absl::string_view bytes) {
  std::error_code error;
  const std::filesystem::file_status there = std::filesystem::status(named, error);
  const bool exists = std::filesystem::exists(there);
  if (exists && !std::filesystem::is_regular_file(there)) return WriteFile(named, bytes);
  const std::string path = exists ? std::filesystem::canonical(named, error).string() : named;
  if (exists && error) return OurFailure(absl::StrCat(named, ": ", error.message()));
  const std::string beside = absl::StrCat(path, ".", getpid(), ".tmp");
  const Failure failure = WriteFile(beside, bytes);
  if (!failure.failed()) {
    std::filesystem::rename(beside, path, error);
    if (!error) return {};
  }
  std::error_code ignored;
  std::filesystem::remove(beside, ignored);
  return failure.failed() ? failure : OurFailure(absl::StrCat(path, ": ", error.message()));
}

Failure MakeDirectory(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  return error ? OurFailure(absl::StrCat(path, ": ", error.message())) : Failure();
}

Failure WriteTables(const std::string& directory, const std::vector<report::SweepPoint>& points) {
  Failure failure = WriteWhole(directory + "/sweep.csv", report::SweepCsv(points));
  if (!failure.failed()) {
    failure = WriteWhole(directory + "/sweep.json", report::SweepJson(points));
  }
  if (failure.failed()) return failure;
  return WriteWhole(directory + "/sweep.svg", report::SweepSvg(points));
}

bool SameInputs(const report::SweepPoint& a, const report::SweepPoint& b) {
  return a.digest == b.digest && a.table == b.table && a.hardware == b.hardware &&
         a.layers == b.layers && a.budgets == b.budgets && a.strategy == b.strategy &&
         a.oracle == b.oracle && a.lram_bytes == b.lram_bytes && a.work_limit == b.work_limit &&
         a.trials == b.trials;
}

// Takes the point's results from its file; false where there are none.
bool Resume(const std::string& path, report::SweepPoint* point) {
  std::string bytes;
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;  // a pipe would never end
  if (ReadFile(path, &bytes).failed()) return false;
  std::optional<report::SweepPoint> read = report::ParseSweepPoint(bytes);
  if (!read.has_value() || !SameInputs(*read, *point)) return false;
  *point = *std::move(read);
  return true;
}

Failure ReadJobs(const Arguments& arguments, size_t* jobs) {
  std::optional<uint64_t> given;
  const Failure failure = arguments.Number("jobs", &given, kMostJobs);
  if (failure.failed()) return failure;
  if (given.has_value() && (*given == 0 || *given > kMostJobs)) {
    return UsageFailure(absl::StrCat("--jobs: ", *given, "; expected 1 to ", kMostJobs));
  }
  *jobs = given.value_or(std::thread::hardware_concurrency());
  return {};
}

// What goes to standard output, unless --quiet.
Failure Tell(const Arguments& arguments, absl::string_view facts,
             const std::vector<report::SweepPoint>& points) {
  if (arguments.Has("quiet")) return {};
  size_t errors = 0;
  for (const report::SweepPoint& point : points) errors += point.error.empty() ? 0 : 1;
  std::string text(facts);
  report::AppendFact("errors", report::Counted(errors, "point"), &text);
  report::AppendFact("written", absl::StrCat(arguments.Value("out"), "/sweep.csv, .json, .svg"),
                     &text);
  absl::StrAppend(&text, "\n", report::SweepTable(points, kMostRows));
  return WriteReport(text, false);
}

// Computes those of the points that are missing, each into its file.
Failure ComputeMissing(const Arguments& arguments, const SweepGrid& grid, size_t jobs,
                       const std::vector<SweepCell>& cells, const std::vector<size_t>& missing,
                       std::vector<report::SweepPoint>* points) {
  const std::string directory = arguments.Value("out");
  const Interrupts interrupts;
  SweepWorkers workers([&](size_t job, const std::function<bool()>& stop) -> Failure {
    report::SweepPoint& point = (*points)[missing[job]];
    const Failure failure = ComputePoint(grid, cells[missing[job]], stop, &point);
    if (failure.failed() || stop()) return failure;
    return WriteWhole(PointPath(directory, point), report::SweepPointJson(point));
  });
  std::optional<ProgressBar> bar;
  if (!arguments.Has("quiet")) bar.emplace(/*is_long=*/true);
  const size_t there = points->size() - missing.size();
  const Failure failure = workers.Run(missing.size(), jobs, [&](size_t done) {
    if (!bar.has_value()) return;
    bar->Show(static_cast<uint32_t>((there + done) * 1000 / points->size()), std::nullopt);
  });
  bar.reset();
  if (failure.failed() || !Interrupts::Any()) return failure;
  std::fputs("torqsched sweep: interrupted; the same command goes on from here\n", stderr);
  Interrupts::Obey();
  return OurFailure("interrupted");
}

Failure RunGrid(const Arguments& arguments, const SweepGrid& grid) {
  size_t jobs = 1;
  Failure failure = ReadJobs(arguments, &jobs);
  if (failure.failed()) return failure;
  const std::string directory = arguments.Value("out");
  failure = MakeDirectory(directory + "/points");
  if (failure.failed()) return failure;
  const std::vector<SweepCell> cells = CellsOf(grid);
  std::vector<report::SweepPoint> points;
  std::vector<size_t> missing;
  for (const SweepCell& cell : cells) {
    points.push_back(Described(grid, cell));
    if (!Resume(PointPath(directory, points.back()), &points.back())) {
      missing.push_back(points.size() - 1);
    }
  }
  if (!missing.empty()) {
    failure = ComputeMissing(arguments, grid, jobs, cells, missing, &points);
  }
  if (!failure.failed()) failure = WriteTables(directory, points);
  if (failure.failed()) return failure;
  std::string facts;
  report::AppendFact("points",
                     absl::StrCat(report::Grouped(points.size() - missing.size()), " of ",
                                  report::Grouped(points.size()), " points were there, ",
                                  report::Grouped(missing.size()), " computed"),
                     &facts);
  return Tell(arguments, facts, points);
}

// One point into one file: what a build system runs as an action of its own.
Failure RunOne(const Arguments& arguments, const SweepGrid& grid) {
  const std::vector<SweepCell> cells = CellsOf(grid);
  if (cells.size() != 1) {
    return UsageFailure(absl::StrCat("--point: the options span ", cells.size(),
                                     " points; expected one: one TABLE and one of each list"));
  }
  report::SweepPoint point = Described(grid, cells[0]);
  const Failure failure = ComputePoint(
      grid, cells[0], [] { return false; }, &point);
  if (failure.failed()) return failure;
  return WriteWhole(arguments.Value("point"), report::SweepPointJson(point));
}

// Points that --point or a sweep wrote, in the order in which they are named.
Failure Merge(const Arguments& arguments) {
  for (const OptionSpec& option : SweepGridOptions()) {
    if (!arguments.Has(option.name)) continue;
    return UsageFailure(absl::StrCat("--", option.name, ": points that are merged have theirs"));
  }
  std::vector<report::SweepPoint> points;
  std::map<std::string, std::string> files;  // by digest
  for (const std::string& path : arguments.operands()) {
    std::string bytes;
    Failure failure = ReadFile(path, &bytes);
    if (failure.failed()) return failure;
    std::optional<report::SweepPoint> point = report::ParseSweepPoint(bytes);
    if (!point.has_value()) {
      return InputFailure(absl::StrCat(
          ShownPath(path), ": not a point of a sweep; expected a file that 'torqsched sweep' of ",
          "this version wrote"));
    }
    const auto [found, added] = files.emplace(point->digest, path);
    if (!added) {
      return InputFailure(
          absl::StrCat(ShownPath(path), ": point: the same as in ", ShownPath(found->second)));
    }
    points.push_back(*std::move(point));
  }
  Failure failure = MakeDirectory(arguments.Value("out"));
  if (!failure.failed()) failure = WriteTables(arguments.Value("out"), points);
  if (failure.failed()) return failure;
  std::string facts;
  report::AppendFact("points", absl::StrCat(report::Grouped(points.size()), " merged"), &facts);
  return Tell(arguments, facts, points);
}

}  // namespace

CommandSpec SweepSpec() {
  CommandSpec spec{
      "sweep",
      "TABLE...",
      "Lowers and schedules layer tables in many ways: tables x budgets x strategies x\n"
      "oracles x sizes of LRAM. Writes sweep.csv, sweep.json and sweep.svg (makespan\n"
      "against LRAM), and a file for each point, which another run does not compute\n"
      "again. A point that cannot be lowered or placed is a row that says why.\n",
      1,
      kMostOperands,
      {{"out", "DIR", "where all of it goes; a run goes on where one ended"}}};
  for (OptionSpec& option : SweepGridOptions()) spec.options.push_back(std::move(option));
  spec.options.push_back({"jobs", "N", "points at a time (as many as there are cores)"});
  spec.options.push_back({"quiet", "", "no bar, and nothing on standard output"});
  spec.options.push_back({"point", "FILE", "instead of --out: the grid's only point, here"});
  spec.options.push_back({"merge", "", "TABLE... are points: only write what they make"});
  return spec;
}

Failure RunSweep(const Arguments& arguments) {
  const bool one = arguments.Has("point");
  if (one && (arguments.Has("out") || arguments.Has("merge"))) {
    return UsageFailure("--point beside --out or --merge; expected one of them");
  }
  if (!one && arguments.Value("out").empty()) return UsageFailure("expected --out DIR");
  if (arguments.Has("merge")) return Merge(arguments);
  SweepGrid grid;
  const Failure failure = ReadSweepGrid(arguments, &grid);
  if (failure.failed()) return failure;
  return one ? RunOne(arguments, grid) : RunGrid(arguments, grid);
}

}  // namespace tools
}  // namespace torqsched
