// Peak memory of the whole scheduling call, against the size of its messages.
//
//   memory_bench [STREAM [OPS ...]]     (default: a decoder block, 1000000)
//
// The peak is the process's own high-water mark (Linux, /proc/self), reset before the call. "Beyond
// parsed form" leaves out what protobuf needs to hold the parsed request, which the call cannot
// avoid.
#include <malloc.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "bench/streams.h"
#include "google/protobuf/arena.h"
#include "torqsched/torqsched.h"

namespace torqsched::bench {
namespace {

// A figure of /proc/self/status, bytes.
uint64_t StatusBytes(const std::string& key) {
  std::ifstream status("/proc/self/status");
  std::string word;
  uint64_t kilobytes = 0;
  while (status >> word) {
    if (word == key && status >> kilobytes) return kilobytes * 1024;
  }
  return 0;
}

void ResetPeak() { std::ofstream("/proc/self/clear_refs") << "5"; }

uint64_t ParsedBytes(const std::string& bytes) {
  google::protobuf::Arena arena;
  malloc_trim(0);
  const uint64_t before = StatusBytes("VmRSS:");
  auto* request = google::protobuf::Arena::CreateMessage<v1::ScheduleRequest>(&arena);
  if (!request->ParseFromString(bytes)) std::abort();
  return StatusBytes("VmRSS:") - before;
}

void Report(const std::string& stream, size_t ops) {
  std::string bytes;
  {
    const v1::ScheduleRequest request = Repeat(LoadRequest(stream), ops);
    ops = static_cast<size_t>(request.stream().ops_size());
    bytes = request.SerializeAsString();
  }
  const uint64_t parsed = ParsedBytes(bytes);
  malloc_trim(0);
  ResetPeak();
  const uint64_t before = StatusBytes("VmRSS:");
  torqsched_buffer out = {nullptr, 0};
  if (torqsched_schedule(nullptr, bytes.data(), bytes.size(), &out) != 0) std::abort();
  const uint64_t peak = StatusBytes("VmHWM:") - before;
  const uint64_t messages = bytes.size() + out.size;
  const uint64_t beyond = peak > parsed ? peak - parsed : 0;
  std::printf(
      "%zu ops: request %zu, response %zu, parsed form %llu, peak of the call %llu bytes;\n"
      "  beyond the parsed form %llu bytes, %llu.%02llu times request and response together\n",
      ops, bytes.size(), out.size, static_cast<unsigned long long>(parsed),
      static_cast<unsigned long long>(peak), static_cast<unsigned long long>(beyond),
      static_cast<unsigned long long>(beyond / messages),
      static_cast<unsigned long long>(beyond * 100 / messages % 100));
  torqsched_buffer_free(&out);
}

}  // namespace
}  // namespace torqsched::bench

int main(int argc, char** argv) {
  const std::string stream = argc > 1 ? argv[1] : "gemma3-1b-decode-int4.block-mac11.txtpb";
  if (argc < 3) torqsched::bench::Report(stream, 1000000);
  for (int i = 2; i < argc; ++i) {
    torqsched::bench::Report(stream, std::strtoull(argv[i], nullptr, 10));
  }
}
