// Schedules a stream with an allocator of its own, cancels a call, and is told of bad bytes.
//
//   c++ -std=c++17 main.cc -ltorqsched -lstdc++ -lm -lpthread
//   ./a.out share/torqsched/streams/worked-example-1.binpb
//
// The file is a serialized torqsched.v1.ScheduleRequest. Here fields are written and read by
// number; with generated protobuf classes it is torqsched::Schedule<ScheduleResponse>(request).
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <torqsched/torqsched.hpp>
#include <utility>

namespace wire = torqsched::wire;
using torqsched::Buffer;
using torqsched::Result;
using torqsched::Session;
using torqsched::SessionOptions;

namespace {

constexpr uint64_t kOracleHost = 2;

// An oracle: OracleRequest to OracleResponse. Places whatever fits in LRAM by its sum of bytes, as
// if there were no gaps; a real one would ask the compiler's own allocator.
std::optional<std::string> Place(std::string_view request) {
  // Fields 1 to 5 (stream, hardware, order, starts, slices) are those of a SimulateRequest too. Its
  // field 6 asks for a timeline: no.
  std::string order(request);
  wire::AddNumber(&order, 6, 0);
  const Result<Buffer> price = torqsched::Simulate(order);
  if (!price.ok()) return std::nullopt;  // gives the call up
  const std::string_view hardware = wire::Bytes(request, 2);
  const uint64_t room = wire::Number(hardware, 2) - wire::Number(hardware, 3);
  std::string response;
  if (wire::Number(price->view(), 2) <= room) {                     // peak_live_bytes
    wire::AddNumber(&response, 1, 1);                               // placed
    wire::AddNumber(&response, 3, wire::Number(price->view(), 1));  // makespan
  }
  return response;
}

int Run(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string request((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (request.empty()) {
    std::cerr << path << ": cannot be read, or is empty\n";
    return EXIT_FAILURE;
  }
  // Messages that stand one after the other are merged: this sets options.oracle.
  std::string options;
  wire::AddNumber(&options, 2, kOracleHost);
  wire::AddBytes(&request, 3, options);

  int asked = 0;
  int told = 0;
  SessionOptions settings;
  settings.progress = [&told](const torqsched::Progress&) { return ++told < 0; };  // goes on
  settings.oracle = [&asked](std::string_view order) {
    ++asked;
    return Place(order);
  };
  const Session session = Session::New(std::move(settings)).value();  // throws where it fails
  const Result<Buffer> response = session.Schedule(request);
  if (!response.ok()) {
    std::cerr << response.error().ToString() << "\n";
    return EXIT_FAILURE;
  }
  const std::string_view answer = response->view();
  std::cout << wire::Bytes(wire::Bytes(request, 1), 1) << ": " << wire::Number(answer, 9)
            << " cycles in the input order, " << wire::Number(answer, 8)
            << " as scheduled, lower bound " << wire::Number(wire::Bytes(answer, 15), 1) << "\n"
            << "oracle asked " << asked << " times, progress told " << told << " times\n";

  SessionOptions impatient;
  impatient.progress = [](const torqsched::Progress&) { return true; };
  impatient.oracle = Place;
  const Result<Buffer> cancelled = Session::New(impatient).value().Schedule(request);
  if (!cancelled.ok()) std::cout << "cancelled: " << cancelled.error().ToString() << "\n";

  const Result<Buffer> bad = torqsched::Schedule("no ScheduleRequest");
  if (!bad.ok()) std::cout << "bad bytes: " << bad.error().ToString() << "\n";
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) { return Run(argc > 1 ? argv[1] : ""); }
