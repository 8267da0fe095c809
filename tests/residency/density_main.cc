// How long PlanByDensity takes, by size: milliseconds of processor time, the best of some runs,
// parsing left out.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>

#include "absl/status/statusor.h"
#include "src/residency/density.h"
#include "tests/residency/random_deployments.h"

namespace torqsched {
namespace {

// Of this thread, so that a busy machine counts for less.
double ProcessorMilliseconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

void Measure(uint32_t tensors, uint64_t sram_per_tensor) {
  const RandomDeployment random = MakeLargeDeployment(tensors, sram_per_tensor, 1);
  double best = 1e9;
  size_t spilled = 0, classes = 0;
  for (int run = 0; run < 5; ++run) {
    const double begin = ProcessorMilliseconds();
    const absl::StatusOr<ResidencyPlan> plan = PlanByDensity(random.deployment);
    best = std::min(best, ProcessorMilliseconds() - begin);
    if (!plan.ok()) std::printf("%s\n", plan.status().ToString().c_str());
    if (!plan.ok()) return;
    classes = plan->classes.size();
    spilled = 0;
    for (const PlannedProgram& program : plan->programs) {
      for (const PlannedActivation& a : program.activations) spilled += a.spilled;
    }
  }
  std::printf("%8u tensors, SRAM %6lu a tensor: %9.2f ms (%zu spilled, %zu classes)\n", tensors,
              static_cast<unsigned long>(sram_per_tensor), best, spilled, classes);
}

}  // namespace
}  // namespace torqsched

int main() {
  for (const uint32_t tensors : {10000u, 100000u, 1000000u}) {
    for (const uint64_t sram : {200u, 9000u}) torqsched::Measure(tensors, sram);
  }
}
