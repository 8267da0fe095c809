// How long strategy OPTIMIZE takes for small blocks, at most 32 actions, until they are proven
// optimal or the default work limit is reached: 504 blocks without swaps (offsets by OFFLINE), as
// in tests/schedule/optimize_blocks_test. Prints how many are proven, the sum, the median, the
// slowest ones, and how many took more than a second. Times are of this machine and this run.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "src/schedule/schedule_stream.h"
#include "tests/search/blocks.h"

namespace torqsched {
namespace {

constexpr uint64_t kSeeds = 14;
constexpr size_t kMostActions[] = {14, 20, 26, 32};
constexpr size_t kSlowest = 5;

int Main() {
  ScheduleOptions options;
  options.strategy = Strategy::kOptimize;
  options.oracle = OracleKind::kOffline;
  options.swaps_forbidden = true;
  std::vector<std::pair<double, std::string>> times;
  size_t proven = 0;
  double sum = 0;
  for (int shape = 0; shape < kBlockShapes; ++shape) {
    for (int lram = 0; lram < kBlockLrams; ++lram) {
      for (uint64_t seed = 0; seed < kSeeds; ++seed) {
        const BlockShape of_shape = static_cast<BlockShape>(shape);
        const BlockLram of_lram = static_cast<BlockLram>(lram);
        const Block block = MakeBlock(of_shape, of_lram, seed, kMostActions[seed % 4]);
        const auto begin = std::chrono::steady_clock::now();
        const absl::StatusOr<ScheduleAnswer> answer =
            ScheduleStream(block.stream, block.hardware, options, {});
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
        if (!answer.ok()) {
          std::fprintf(stderr, "%s\n", answer.status().ToString().c_str());
          return 1;
        }
        if (answer->MeetsBound()) ++proven;
        sum += took.count();
        times.emplace_back(took.count(), std::string(NameOf(of_shape)) + ", LRAM " +
                                             NameOf(of_lram) + ", seed " + std::to_string(seed));
      }
    }
  }
  std::sort(times.begin(), times.end());
  const auto over =
      std::count_if(times.begin(), times.end(), [](const auto& time) { return time.first >= 1.0; });
  std::printf("%zu blocks, %zu proven optimal, %.2f s together, median %.1f ms, %td over 1 s\n",
              times.size(), proven, sum, times[times.size() / 2].first * 1e3, over);
  for (size_t i = 0; i < kSlowest; ++i) {
    const auto& time = times[times.size() - 1 - i];
    std::printf("%8.1f ms  %s\n", time.first * 1e3, time.second.c_str());
  }
  return 0;
}

}  // namespace
}  // namespace torqsched

int main() { return torqsched::Main(); }
