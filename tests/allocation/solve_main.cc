// Solves problems and prints a line for each: time, nodes, height over bound.
//
//   solve_main [OPTION]... PROBLEM...
//
//   --fit CAPACITY | --least    what to ask for the problems that follow; default: the capacity in
//   a
//                               file's name (A.1048576.csv), else --least
//   --nodes N  --ms N           limits
//   --rule NAME                 switches off a search rule: section_bound, propagate, place_free,
//                               decompose, identical_once, restart
//   --live N                    how many buffers of a --rectangle are live at once
//   --slow N                    of variants, prints only the N slowest
//
//   FILE.csv                    MiniMalloc's format
//   --variants N SEED DIR       N variants of the problems in DIR whose name has a capacity
//   --variant FILE.csv SEED     one of them, by the seed printed
//   --rectangle N SEED  --network N SEED  --uniform N SEED  --power N SEED  --nested N SEED
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "src/allocation/allocate.h"
#include "tests/allocation/csv.h"
#include "tests/allocation/generators.h"
#include "tests/allocation/plain_check.h"

namespace torqsched {
namespace {

struct Settings {
  AllocationOptions options;
  SearchRules rules;
  std::optional<uint64_t> capacity;
  bool least = false;
  uint64_t slow = 0;
  uint64_t live = 0;
};

struct Solved {
  double ms = 0;
  bool good = false;
  std::string line;
};

const char* NameOf(AllocationVerdict verdict) {
  if (verdict == AllocationVerdict::kPlaced) return "placed";
  return verdict == AllocationVerdict::kInfeasible ? "infeasible" : "undecided";
}

Solved Solve(const std::string& name, AllocationProblem problem, Settings settings) {
  if (settings.capacity.has_value()) problem.capacity = settings.capacity;
  if (settings.least) problem.capacity.reset();
  settings.options.objective = problem.capacity.has_value() ? Objective::kFit : Objective::kLeast;
  const auto begin = std::chrono::steady_clock::now();
  const auto answer = Allocate(problem, settings.options, {}, settings.rules);
  const auto end = std::chrono::steady_clock::now();
  Solved solved;
  solved.ms = std::chrono::duration<double, std::milli>(end - begin).count();
  if (!answer.ok()) {
    solved.line = absl::StrCat(name, ": ", answer.status().ToString());
    return solved;
  }
  const uint64_t bound = LargestLiveSum(problem);
  std::string fault;
  if (answer->verdict == AllocationVerdict::kPlaced) {
    fault = PlainFault(problem, answer->offsets);
    if (fault.empty() && HeightOf(problem, answer->offsets) != answer->height) fault = "height";
  }
  solved.good = answer->verdict == AllocationVerdict::kPlaced && fault.empty();
  char line[400];
  std::snprintf(line, sizeof(line),
                "%-22s %6zu buffers  %-10s %10.2f ms  %9llu nodes %5llu searches %4llu decodes  "
                "height %llu live sum %llu (%.5f)%s%s conflict %zu%s%s %s",
                name.c_str(), problem.buffers.size(), NameOf(answer->verdict), solved.ms,
                static_cast<unsigned long long>(answer->statistics.nodes),
                static_cast<unsigned long long>(answer->statistics.searches),
                static_cast<unsigned long long>(answer->statistics.decodes),
                static_cast<unsigned long long>(answer->height),
                static_cast<unsigned long long>(bound),
                static_cast<double>(answer->height) / static_cast<double>(bound),
                answer->proven_least ? " least" : "", answer->limit_hit ? " limit" : "",
                answer->conflict.size(), answer->conflict_minimal ? " minimal" : "",
                fault.empty() ? "" : " WRONG:", fault.c_str());
  solved.line = line;
  return solved;
}

void Print(const std::string& name, AllocationProblem problem, const Settings& settings) {
  std::printf("%s\n", Solve(name, std::move(problem), settings).line.c_str());
  std::fflush(stdout);
}

// 1048576 of "A.1048576.csv".
std::optional<uint64_t> CapacityOf(const std::string& path) {
  uint64_t capacity = 0;
  std::string extension = std::filesystem::path(path).stem().extension().string();
  if (extension.empty() || !absl::SimpleAtoi(extension.substr(1), &capacity)) return std::nullopt;
  return capacity;
}

AllocationProblem Load(const std::string& path) {
  auto problem = ReadAllocationCsv(path);
  if (!problem.ok()) {
    std::fprintf(stderr, "%s\n", problem.status().ToString().c_str());
    std::exit(2);
  }
  problem->capacity = CapacityOf(path);
  return *std::move(problem);
}

void SolveVariants(uint64_t count, uint64_t seed, const std::string& directory,
                   const Settings& settings) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (CapacityOf(entry.path().string()) > 1000) paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<Solved> all;
  for (uint64_t i = 0; i < count; ++i) {
    const std::string& path = paths[i % paths.size()];
    const std::string name =
        absl::StrCat(std::filesystem::path(path).stem().stem().string(), " variant ", seed + i);
    all.push_back(Solve(name, Variant({Load(path), {}}, seed + i).problem, settings));
    if (settings.slow == 0) std::printf("%s\n", all.back().line.c_str());
  }
  std::sort(all.begin(), all.end(), [](const Solved& a, const Solved& b) { return a.ms < b.ms; });
  if (all.empty()) return;
  for (size_t i = 0; i < std::min<size_t>(settings.slow, count); ++i) {
    std::printf("%s\n", all[count - 1 - i].line.c_str());
  }
  const auto count_if = [&](auto is) { return std::count_if(all.begin(), all.end(), is); };
  std::printf(
      "%zu variants: %td solved, %td under 500 ms; median %.2f, 90 %% %.2f, 99 %% %.2f, "
      "worst %.2f ms\n",
      all.size(), count_if([](const Solved& s) { return s.good; }),
      count_if([](const Solved& s) { return s.good && s.ms < 500; }), all[count / 2].ms,
      all[count * 90 / 100].ms, all[count * 99 / 100].ms, all.back().ms);
}

using Arguments = std::vector<std::string>;

uint64_t Number(const Arguments& arguments, size_t* at) {
  uint64_t number = 0;
  if (++*at >= arguments.size() || !absl::SimpleAtoi(arguments[*at], &number)) {
    std::fprintf(stderr, "expected a number\n");
    std::exit(2);
  }
  return number;
}

std::string Text(const Arguments& arguments, size_t* at) {
  return ++*at < arguments.size() ? arguments[*at] : std::string();
}

// An option that changes the settings; false: it is none.
bool Set(const Arguments& arguments, size_t* at, Settings* settings) {
  const std::string& option = arguments[*at];
  const std::map<std::string, bool*> rules = {{"section_bound", &settings->rules.section_bound},
                                              {"propagate", &settings->rules.propagate},
                                              {"place_free", &settings->rules.place_free},
                                              {"decompose", &settings->rules.decompose},
                                              {"identical_once", &settings->rules.identical_once},
                                              {"restart", &settings->rules.restart}};
  if (option == "--fit") {
    settings->capacity = Number(arguments, at);
    settings->least = false;
  } else if (option == "--least") {
    settings->least = true;
    settings->capacity.reset();
  } else if (option == "--nodes") {
    settings->options.node_limit = Number(arguments, at);
  } else if (option == "--ms") {
    settings->options.time_limit_ms = Number(arguments, at);
  } else if (option == "--slow") {
    settings->slow = Number(arguments, at);
  } else if (option == "--live") {
    settings->live = Number(arguments, at);
  } else if (option == "--rule") {
    const auto rule = rules.find(Text(arguments, at));
    if (rule == rules.end()) std::exit(2);
    *rule->second = false;
  } else {
    return false;
  }
  return true;
}

void Run(const Arguments& arguments) {
  Settings settings;
  const std::map<std::string, std::function<AllocationProblem(size_t, uint64_t)>> generators = {
      {"--rectangle",
       [&settings](size_t n, uint64_t seed) {
         const uint64_t height = (uint64_t{3} << 40) + 12345;
         return CutRectangle(n, height, 1000000, seed, settings.live).problem;
       }},
      {"--network", NetworkLike},
      {"--uniform", UniformRandom},
      {"--power", PowerLaw},
      {"--nested", Nested}};
  for (size_t at = 0; at < arguments.size(); ++at) {
    if (Set(arguments, &at, &settings)) continue;
    const std::string& word = arguments[at];
    if (const auto generator = generators.find(word); generator != generators.end()) {
      const uint64_t count = Number(arguments, &at);
      const uint64_t seed = Number(arguments, &at);
      Print(absl::StrCat(word, " ", seed), generator->second(count, seed), settings);
    } else if (word == "--variants") {
      const uint64_t count = Number(arguments, &at);
      const uint64_t seed = Number(arguments, &at);
      SolveVariants(count, seed, Text(arguments, &at), settings);
    } else if (word == "--variant") {
      const std::string path = Text(arguments, &at);
      const uint64_t seed = Number(arguments, &at);
      Print(absl::StrCat("variant ", seed), Variant({Load(path), {}}, seed).problem, settings);
    } else {
      Print(std::filesystem::path(word).stem().stem().string(), Load(word), settings);
    }
  }
}

}  // namespace
}  // namespace torqsched

int main(int argc, char** argv) { torqsched::Run({argv + 1, argv + argc}); }
