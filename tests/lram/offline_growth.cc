// By hand: what OFFLINE makes of real streams whose LRAM is too small, and how its time grows.
//
//     bazel run -c opt //tests/lram:offline_growth -- STREAM [PERCENT_OF_PEAK [OPS...]]
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>

#include "bench/streams.h"
#include "src/graph/problem.h"
#include "src/lram/offline.h"
#include "src/lram/sequential.h"
#include "src/schedule/list_scheduler.h"
#include "src/wire/hardware_wire.h"
#include "src/wire/stream_wire.h"

namespace torqsched {
namespace {

int RunOne(const std::string& file, uint64_t percent, size_t ops) {
  const v1::ScheduleRequest request = bench::Repeat(bench::LoadRequest(file), ops);
  const absl::StatusOr<Stream> stream = StreamFromProto(request.stream());
  absl::StatusOr<Hardware> hardware = HardwareFromProto(request.hardware());
  if (!stream.ok() || !hardware.ok()) return 1;
  const uint64_t usable = hardware->usable_bytes();
  hardware->lram_bytes = uint64_t{1} << 40;
  auto problem = ScheduleProblem::Make(*stream, *hardware);
  if (!problem.ok()) return 1;
  // Far ahead, as for the LRAM that the file asks for, then placed in less.
  ListParameters parameters;
  parameters.cap = usable;
  parameters.prefetch_percent = 40;
  parameters.urgent_starts = 4;
  parameters.candidates = 32;
  ListWork work;
  const Schedule input = ListSchedule(**problem, parameters, &work);
  const auto ample = PlaceSequentially(**problem, input.order, input.slice, false);
  hardware->lram_bytes = hardware->lram_reserved_bytes + ample->peak * percent / 100;
  problem = ScheduleProblem::Make(*stream, *hardware);
  if (!problem.ok()) return 1;
  const auto begin = std::chrono::steady_clock::now();
  const OfflinePlacement answer =
      PlaceOffline(**problem, input.order, input.slice, /*swaps_allowed=*/true);
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
  std::cout << stream->op_count() << " ops, " << percent << " % of " << ample->peak
            << " bytes: " << took.count() << " ms; without swaps " << ample->makespan << " cycles";
  for (const Placement* p : {&answer.sequential, &answer.placement}) {
    std::cout << (p == &answer.placement ? "; OFFLINE " : "; SEQUENTIAL ");
    if (!p->placed)
      std::cout << "not placed";
    else
      std::cout << p->swaps << " swaps, " << p->swap_bytes << " bytes, +"
                << static_cast<int64_t>(p->makespan - ample->makespan) << " cycles";
  }
  std::cout << "\n";
  return 0;
}

}  // namespace
}  // namespace torqsched

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const uint64_t percent = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 80;
  if (argc <= 3) return torqsched::RunOne(argv[1], percent, 0);
  for (int i = 3; i < argc; ++i) {
    if (torqsched::RunOne(argv[1], percent, std::strtoull(argv[i], nullptr, 10)) != 0) return 1;
  }
  return 0;
}
