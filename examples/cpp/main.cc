// Schedules a stream with an allocator of its own, cancels a call, and is told of bad bytes.
//
//   c++ -std=c++17 -Isdk/include examples/cpp/main.cc -Lsdk/lib -ltorqsched -lpthread -o sdk/host
//   sdk/host sdk/share/torqsched/streams/worked-example-1.binpb
//
// With the distribution in sdk; the file is a torqsched.v1.ScheduleRequest. Here fields go by
// number; with generated protobuf classes it is torqsched::Schedule<ScheduleResponse>(request).
#include <cstdint>
#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>
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

// "410 cycles in the input order, 250 as scheduled", of a ScheduleResponse.
std::string Cycles(std::string_view response) {
  const std::optional<uint64_t> bar = wire::FindNumber(response, 14);
  const std::optional<uint64_t> makespan = wire::FindNumber(response, 8);  // with its swaps
  // Where the input order cannot be placed there is no bar, but an input_makespan without swaps.
  return std::to_string(bar.value_or(wire::Number(response, 9))) + " cycles in the input order" +
         (bar ? ", " : " (not placed), ") +
         (makespan ? std::to_string(*makespan) + " as scheduled" : "not placed");
}

int Run(std::string request) {
  // Messages that stand one after the other are merged: this sets options.oracle to HOST.
  std::string options;
  wire::AddNumber(&options, 2, 2);
  wire::AddBytes(&request, 3, options);

  int asked = 0, told = 0;
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
    return 1;
  }
  const std::string_view answer = response->view();
  std::cout << wire::Bytes(wire::Bytes(request, 1), 1) << ": " << Cycles(answer) << ", lower bound "
            << wire::Number(wire::Bytes(answer, 15), 1) << "\n"
            << "oracle asked " << asked << " times, progress told " << told << " times\n";

  SessionOptions impatient;
  impatient.progress = [](const torqsched::Progress&) { return true; };
  impatient.oracle = Place;
  const Result<Buffer> cancelled = Session::New(impatient).value().Schedule(request);
  if (!cancelled.ok()) std::cout << "cancelled: " << cancelled.error().ToString() << "\n";

  const Result<Buffer> bad = torqsched::Schedule("no ScheduleRequest");
  if (!bad.ok()) std::cout << "bad bytes: " << bad.error().ToString() << "\n";
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::ostringstream request;
  if (argc == 2 && request << std::ifstream(argv[1], std::ios::binary).rdbuf())
    return Run(request.str());
  if (argc == 2) std::cerr << argv[1] << ": cannot be read, or is empty; ";
  std::cerr << "usage: " << argv[0] << " REQUEST.binpb\n";
  return 2;
}
