// Offline allocation: the public problems that are known to be hard, each and together; a refusal;
// 500 variants of them; generated sets of up to 100,000 buffers; growth.
//
// Every answer is checked while nothing is timed: a row whose answer is wrong, or not what the row
// is about, reports an error instead of a time.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "bench/heap_meter.h"
#include "benchmark/benchmark.h"
#include "src/allocation/allocate.h"
#include "tests/allocation/csv.h"
#include "tests/allocation/generators.h"
#include "tests/allocation/plain_check.h"

namespace torqsched::bench {
namespace {

constexpr uint64_t kMegabyte = 1048576;
constexpr const char* kChallenges = "ABCDEFGHIJK";
constexpr uint64_t kRectangleHeight = (uint64_t{3} << 40) + 12345;
constexpr uint64_t kRectangleLength = 1000000;

double Seconds(const std::function<void()>& run) {
  const auto begin = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

AllocationProblem Load(const std::string& path) {
  auto problem = ReadAllocationCsv("testdata/allocation/" + path);
  if (!problem.ok()) {
    std::fprintf(stderr, "%s\n", problem.status().ToString().c_str());
    std::exit(1);
  }
  return *std::move(problem);
}

AllocationProblem LoadChallenge(char name) {
  AllocationProblem problem = Load(std::string("minimalloc/") + name + ".1048576.csv");
  problem.capacity = kMegabyte;
  return problem;
}

AllocationAnswer Call(const AllocationProblem& problem) {
  AllocationOptions options;
  options.objective = problem.capacity.has_value() ? Objective::kFit : Objective::kLeast;
  auto answer = Allocate(problem, options);
  if (!answer.ok()) {
    std::fprintf(stderr, "%s\n", answer.status().ToString().c_str());
    std::exit(1);
  }
  return *std::move(answer);
}

bool IsPlaced(const AllocationProblem& problem, const AllocationAnswer& answer) {
  return answer.verdict == AllocationVerdict::kPlaced &&
         PlainFault(problem, answer.offsets).empty() &&
         HeightOf(problem, answer.offsets) == answer.height;
}

// A row about one problem: how far above the largest live sum it ends, and what it took.
void Report(benchmark::State& state, const AllocationProblem& problem,
            const AllocationAnswer& answer) {
  const uint64_t bound = LargestLiveSum(problem);
  const double over = static_cast<double>(answer.height) - static_cast<double>(bound);
  state.counters["buffers"] = static_cast<double>(problem.buffers.size());
  state.counters["over_ppm"] = over * 1e6 / static_cast<double>(bound);
  state.counters["proven"] = answer.proven_least ? 1 : 0;
  state.counters["nodes"] = static_cast<double>(answer.statistics.nodes);
}

void Place(benchmark::State& state, const AllocationProblem& problem) {
  AllocationAnswer answer;
  for (auto _ : state) answer = Call(problem);
  if (!IsPlaced(problem, answer)) return state.SkipWithError("not placed");
  Report(state, problem, answer);
}

void AllEleven(benchmark::State& state) {
  std::vector<AllocationProblem> problems;
  for (const char* name = kChallenges; *name != '\0'; ++name) {
    problems.push_back(LoadChallenge(*name));
    if (!IsPlaced(problems.back(), Call(problems.back()))) state.SkipWithError("not placed");
  }
  for (auto _ : state) {
    for (const AllocationProblem& problem : problems) benchmark::DoNotOptimize(Call(problem));
  }
}

// One byte less than the largest live sum, with the proof: all of those whose sum is the megabyte.
void Refuse(benchmark::State& state) {
  std::vector<AllocationProblem> problems;
  for (const char* name = kChallenges; *name != '\0'; ++name) {
    AllocationProblem problem = LoadChallenge(*name);
    problem.capacity = kMegabyte - 1;
    if (LargestLiveSum(problem) == kMegabyte) problems.push_back(std::move(problem));
  }
  for (auto _ : state) {
    for (const AllocationProblem& problem : problems) {
      const AllocationAnswer answer = Call(problem);
      if (answer.verdict != AllocationVerdict::kInfeasible || answer.conflict.empty()) {
        return state.SkipWithError("not refused");
      }
    }
  }
  state.counters["problems"] = static_cast<double>(problems.size());
}

// Variants of the eleven, in turn: see Variant. Each is feasible by construction.
void Variants(benchmark::State& state) {
  const auto count = static_cast<uint64_t>(state.range(0));
  std::vector<double> milliseconds;
  uint64_t solved = 0;
  uint64_t quick = 0;
  for (auto _ : state) {
    for (uint64_t seed = 1; seed <= count; ++seed) {
      const PlantedProblem base{LoadChallenge(kChallenges[(seed - 1) % 11]), {}};
      const AllocationProblem problem = Variant(base, seed).problem;
      AllocationAnswer answer;
      milliseconds.push_back(1000 * Seconds([&] { answer = Call(problem); }));
      if (!IsPlaced(problem, answer)) continue;
      ++solved;
      if (milliseconds.back() < 500) ++quick;
    }
  }
  std::sort(milliseconds.begin(), milliseconds.end());
  state.counters["solved"] = static_cast<double>(solved);
  state.counters["under_500ms_percent"] =
      100 * static_cast<double>(quick) / static_cast<double>(count);
  state.counters["median_ms"] = milliseconds[milliseconds.size() / 2];
  state.counters["p99_ms"] = milliseconds[milliseconds.size() * 99 / 100];
  state.counters["worst_ms"] = milliseconds.back();
}

// Filled rectangles whose live sum is the height at every time, so many buffers at once.
template <uint64_t kLive>
AllocationProblem Rectangle(size_t buffers, uint64_t seed) {
  return CutRectangle(buffers, kRectangleHeight, kRectangleLength, seed, kLive).problem;
}

void Generated(benchmark::State& state, AllocationProblem (*generate)(size_t, uint64_t)) {
  const AllocationProblem problem = generate(static_cast<size_t>(state.range(0)), 1);
  std::vector<double> seconds;
  AllocationAnswer answer;
  for (auto _ : state) seconds.push_back(Seconds([&] { answer = Call(problem); }));
  if (!IsPlaced(problem, answer)) return state.SkipWithError("not placed");
  Report(state, problem, answer);
  const double buffers = static_cast<double>(problem.buffers.size());
  std::nth_element(seconds.begin(), seconds.begin() + seconds.size() / 2, seconds.end());
  state.counters["s_per_60000"] = seconds[seconds.size() / 2] * 60000 / buffers;
  state.counters["bytes_per_buffer"] =
      static_cast<double>(PeakHeapBytes([&] { Call(problem); })) / buffers;
}

// How much longer ten times the buffers take: ten calls with n and one with 10 n in turn, so that
// the machine's changes of pace fall on both. The median over the turns.
void Growth(benchmark::State& state, AllocationProblem (*generate)(size_t, uint64_t)) {
  const auto buffers = static_cast<size_t>(state.range(0));
  std::vector<AllocationProblem> small;
  for (uint64_t seed = 1; seed <= 10; ++seed) small.push_back(generate(buffers, seed));
  const AllocationProblem large = generate(buffers * 10, 1);
  std::vector<double> growth;
  for (auto _ : state) {
    const double tens = Seconds([&] {
      for (const AllocationProblem& problem : small) benchmark::DoNotOptimize(Call(problem));
    });
    growth.push_back(Seconds([&] { benchmark::DoNotOptimize(Call(large)); }) / (tens / 10));
  }
  std::nth_element(growth.begin(), growth.begin() + growth.size() / 2, growth.end());
  state.counters["buffers_growth"] = 10;
  state.counters["time_growth"] = growth[growth.size() / 2];
}

const std::pair<const char*, AllocationProblem (*)(size_t, uint64_t)> kGenerators[] = {
    {"rectangle", Rectangle<0>},
    {"rectangle_live_64", Rectangle<64>},
    {"rectangle_live_16", Rectangle<16>},
    {"network", NetworkLike},
    {"uniform", UniformRandom},
    {"power_law", PowerLaw},
    {"nested", Nested}};

void RegisterPublicProblems() {
  for (const char* name = kChallenges; *name != '\0'; ++name) {
    benchmark::RegisterBenchmark(
        (std::string("minimalloc/") + *name).c_str(),
        [c = *name](benchmark::State& state) { Place(state, LoadChallenge(c)); })
        ->Unit(benchmark::kMillisecond);
  }
  benchmark::RegisterBenchmark("minimalloc/all", AllEleven)->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark("minimalloc/refused", Refuse)->Unit(benchmark::kMillisecond);
  for (const char* name : {"resnet50", "G_1"}) {
    const std::string path = std::string("idealloc/") + name;
    benchmark::RegisterBenchmark(path.c_str(), [path](benchmark::State& state) {
      Place(state, Load(path + ".csv"));
    })->Unit(benchmark::kMillisecond);
  }
  benchmark::RegisterBenchmark("variants", Variants)
      ->ArgName("count")
      ->Arg(500)
      ->Unit(benchmark::kMillisecond)
      ->Iterations(1);
}

void RegisterGenerated() {
  for (const auto& [name, generate] : kGenerators) {
    for (const int64_t buffers : {20000, 60000, 100000}) {
      benchmark::RegisterBenchmark(
          (std::string("generated/") + name).c_str(),
          [generate = generate](benchmark::State& state) { Generated(state, generate); })
          ->ArgName("buffers")
          ->Arg(buffers)
          ->Unit(benchmark::kMillisecond)
          ->Iterations(3);
    }
    for (const int64_t buffers : {600, 6000}) {
      benchmark::RegisterBenchmark(
          (std::string("growth/") + name).c_str(),
          [generate = generate](benchmark::State& state) { Growth(state, generate); })
          ->ArgName("buffers")
          ->Arg(buffers)
          ->Unit(benchmark::kMillisecond)
          ->Iterations(3);
    }
  }
}

}  // namespace
}  // namespace torqsched::bench

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  torqsched::bench::RegisterPublicProblems();
  torqsched::bench::RegisterGenerated();
  benchmark::RunSpecifiedBenchmarks();
}
