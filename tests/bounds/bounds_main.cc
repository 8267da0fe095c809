// All bounds of a stream file, and what each took: for development.
//
//   bounds_main FILE [--no-swaps] [--work N]
//
// FILE is a schedule request, binary or (.txtpb) in text format.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string>

#include "google/protobuf/text_format.h"
#include "src/bounds/bounds.h"
#include "src/graph/action_graph.h"
#include "src/graph/problem.h"
#include "src/wire/hardware_wire.h"
#include "src/wire/stream_wire.h"
#include "torqsched/v1/schedule.pb.h"

namespace torqsched {
namespace {

constexpr const char* kNames[] = {"stream", "slices",  "path",     "jackson",
                                  "cover",  "reloads", "barriers", "exact"};

bool ReadRequest(const std::string& path, v1::ScheduleRequest* request) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  const bool text = path.size() > 6 && path.compare(path.size() - 6, 6, ".txtpb") == 0;
  return file && (text ? google::protobuf::TextFormat::ParseFromString(bytes, request)
                       : request->ParseFromString(bytes));
}

int PrintBounds(const std::string& path, bool swaps_allowed, const bounds::BoundLimits& limits) {
  v1::ScheduleRequest request;
  if (!ReadRequest(path, &request)) {
    std::fprintf(stderr, "cannot read %s\n", path.c_str());
    return 1;
  }
  const auto stream = StreamFromProto(request.stream());
  const auto hardware = HardwareFromProto(request.hardware());
  if (!stream.ok() || !hardware.ok()) {
    std::fprintf(stderr, "%s\n%s\n", stream.status().ToString().c_str(),
                 hardware.status().ToString().c_str());
    return 1;
  }
  const auto problem = ScheduleProblem::Make(*stream, *hardware);
  if (!problem.ok()) {
    std::fprintf(stderr, "%s\n", problem.status().ToString().c_str());
    return 1;
  }
  const ActionGraph graph(**problem);
  const std::clock_t begin = std::clock();
  const bounds::Bounds bounds = bounds::ComputeBounds(**problem, graph, swaps_allowed, limits);
  const double milliseconds = 1000.0 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  std::printf("%-45s %7zu actions %6.1f ms |", path.substr(path.rfind('/') + 1).c_str(),
              graph.size(), milliseconds);
  for (const Bound& bound : bounds.all) {
    std::printf(" %s %llu", kNames[static_cast<int>(bound.kind)],
                static_cast<unsigned long long>(bound.cycles));
  }
  std::printf(" | best %llu (%s) | %llu of %llu steps\n",
              static_cast<unsigned long long>(bounds.best.cycles),
              kNames[static_cast<int>(bounds.best.kind)],
              static_cast<unsigned long long>(bounds.work),
              static_cast<unsigned long long>(limits.work));
  return 0;
}

}  // namespace
}  // namespace torqsched

int main(int argc, char** argv) {
  bool swaps_allowed = true;
  torqsched::bounds::BoundLimits limits;
  int status = 0;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--no-swaps") == 0) {
      swaps_allowed = false;
    } else if (std::strcmp(argv[i], "--work") == 0 && i + 1 < argc) {
      limits.work = std::strtoull(argv[++i], nullptr, 10);
    } else {
      status |= torqsched::PrintBounds(argv[i], swaps_allowed, limits);
    }
  }
  return status;
}
