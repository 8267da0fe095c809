// A compiler that has everything the archive has inside, of its own: protobuf's full runtime with
// the same .proto files compiled in, and an Abseil. Both runtimes work in turn, so a symbol of one
// that took the place of the other's would be seen: the host parses, prints and reflects over its
// own messages before, between and after calls of the library.
//
//   foreign_host STREAM [SHARED_LIBRARY]   serialized ScheduleRequest; the library loaded at run
//   time
//                                          (RTLD_LOCAL) must answer the same bytes as the archive
#include <dlfcn.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "google/protobuf/text_format.h"
#include "torqsched/torqsched.h"
#include "torqsched/v1/error.pb.h"
#include "torqsched/v1/schedule.pb.h"

namespace {

using torqsched::v1::ScheduleRequest;
using torqsched::v1::ScheduleResponse;

[[noreturn]] void Fail(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::exit(1);
}

// Through text and back: descriptors, reflection and the generated pool of the host's protobuf.
template <typename Message>
void CheckOwnProtobuf(const Message& message) {
  std::string text;
  Message copy;
  if (!google::protobuf::TextFormat::PrintToString(message, &text) ||
      !google::protobuf::TextFormat::ParseFromString(text, &copy) ||
      copy.SerializeAsString() != message.SerializeAsString()) {
    Fail(
        absl::StrCat("the host's protobuf lost something of ", Message::descriptor()->full_name()));
  }
}

// The host's hash map, strings and clock; counts the ops of each kind.
std::string CountKinds(const ScheduleRequest& request) {
  absl::flat_hash_map<int, int> counts;
  for (const auto& op : request.stream().ops()) ++counts[op.kind()];
  std::vector<std::string> parts;
  for (int kind = 0; kind < 16; ++kind) {
    const auto found = counts.find(kind);
    if (found != counts.end()) parts.push_back(absl::StrCat(kind, ":", found->second));
  }
  if (absl::Now() < absl::UnixEpoch()) Fail("the host's clock is wrong");
  return absl::StrJoin(parts, " ");
}

using ScheduleCall = decltype(&torqsched_schedule);
using FreeCall = decltype(&torqsched_buffer_free);

std::string Schedule(ScheduleCall call, FreeCall release, const std::string& request) {
  torqsched_buffer out;
  const torqsched_code code = call(nullptr, request.data(), request.size(), &out);
  std::string bytes(static_cast<const char*>(out.data), out.size);
  release(&out);
  if (code == TORQSCHED_OK) return bytes;
  torqsched::v1::Error error;
  error.ParseFromString(bytes);
  Fail(absl::StrCat("schedule: ", code, " ", error.message()));
}

void CheckError() {
  torqsched_buffer out;
  const torqsched_code code = torqsched_schedule(nullptr, "\xff\xff", 2, &out);
  torqsched::v1::Error error;
  if (code != TORQSCHED_INVALID_ARGUMENT ||
      !error.ParseFromArray(out.data, static_cast<int>(out.size)) || error.message().empty()) {
    Fail("bad bytes did not come back as an error");
  }
  torqsched_buffer_free(&out);
}

void CheckSharedLibrary(const char* path, const std::string& request, const std::string& expected) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) Fail(dlerror());
  const auto call = reinterpret_cast<ScheduleCall>(dlsym(library, "torqsched_schedule"));
  const auto release = reinterpret_cast<FreeCall>(dlsym(library, "torqsched_buffer_free"));
  if (call == nullptr || release == nullptr)
    Fail("the shared library exports no torqsched_schedule");
  if (call == &torqsched_schedule) Fail("the shared library is not another copy");
  if (Schedule(call, release, request) != expected) Fail("the shared library answers otherwise");
  dlclose(library);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) Fail("usage: foreign_host STREAM [SHARED_LIBRARY]");
  std::ifstream file(argv[1], std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  ScheduleRequest request;
  if (bytes.empty() || !request.ParseFromString(bytes)) Fail("the stream cannot be read");
  CheckOwnProtobuf(request);
  const std::string kinds = CountKinds(request);

  const std::string first = Schedule(&torqsched_schedule, &torqsched_buffer_free, bytes);
  ScheduleResponse response;
  if (!response.ParseFromString(first)) Fail("the response cannot be read");
  CheckOwnProtobuf(response);
  CheckError();

  std::vector<std::string> answers(4);
  std::vector<std::thread> threads;
  for (std::string& answer : answers) {
    threads.emplace_back([&answer, &bytes, &request] {
      answer = Schedule(&torqsched_schedule, &torqsched_buffer_free, bytes);
      CheckOwnProtobuf(request);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& answer : answers) {
    if (answer != first) Fail("another thread got other bytes");
  }
  if (argc > 2) CheckSharedLibrary(argv[2], bytes, first);
  std::printf("ops by kind %s; makespan %llu -> %llu\n", kinds.c_str(),
              static_cast<unsigned long long>(response.input_makespan()),
              static_cast<unsigned long long>(response.allocated_makespan()));
  return 0;
}
