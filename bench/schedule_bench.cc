// The whole scheduling call and its stages, per op, on real streams repeated to 1e3 ... 1e6 ops: a
// decoder block, which the first list schedule settles, and a convolution network that does not fit
// LRAM, where every cap is tried in both passes and the oracle swaps all the time.
//
// Every row also measures, in the same process and on the same messages, what protobuf alone takes
// to parse the request and serialize the response, and reports itself as a multiple of that
// (x_wire).
#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/streams.h"
#include "benchmark/benchmark.h"
#include "google/protobuf/arena.h"
#include "src/graph/problem.h"
#include "src/lram/sequential.h"
#include "src/schedule/list_scheduler.h"
#include "src/schedule/schedule_stream.h"
#include "src/schedule/timeline.h"
#include "src/wire/hardware_wire.h"
#include "src/wire/schedule_wire.h"
#include "src/wire/stream_wire.h"
#include "torqsched/torqsched.h"

namespace torqsched::bench {
namespace {

constexpr const char* kStreams[] = {"gemma3-1b-decode-int4.block-mac11.txtpb",
                                    "resnet50-int8.first20-over50.binpb"};

double Seconds(const std::function<void()>& run) {
  const auto begin = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void Parse(const std::string& bytes, const std::function<void(const v1::ScheduleRequest&)>& use) {
  google::protobuf::Arena arena;
  auto* request = google::protobuf::Arena::CreateMessage<v1::ScheduleRequest>(&arena);
  if (!request->ParseFromString(bytes)) std::abort();
  use(*request);
}

// Everything that the stages need, made once for each size.
struct Setting {
  std::string request_bytes;
  std::string response_bytes;
  v1::ScheduleRequest request;
  v1::ScheduleResponse response;
  Stream stream;
  Hardware hardware;
  ScheduleOptions options;
  std::unique_ptr<const ScheduleProblem> problem;
  ScheduleAnswer answer;
  double wire_seconds = 0;  // parse the request, serialize the response; the median of 5

  ListParameters parameters() const {
    ListParameters p;
    p.cap = hardware.usable_bytes();
    p.prefetch_percent = options.prefetch_percent;
    p.urgent_starts = options.urgent_starts;
    p.candidates = options.candidates;
    return p;
  }
};

const Setting& SettingFor(int64_t stream, int64_t ops) {
  static std::unique_ptr<Setting> setting;  // one at a time: they are large
  static std::pair<int64_t, int64_t> is_for;
  if (setting != nullptr && is_for == std::make_pair(stream, ops)) return *setting;
  setting.reset();
  is_for = {stream, ops};
  auto s = std::make_unique<Setting>();
  s->request = Repeat(LoadRequest(kStreams[stream]), static_cast<size_t>(ops));
  s->request_bytes = s->request.SerializeAsString();
  s->stream = *StreamFromProto(s->request.stream());
  s->hardware = *HardwareFromProto(s->request.hardware());
  s->problem = *ScheduleProblem::Make(s->stream, s->hardware);
  s->answer = *ScheduleStream(s->stream, s->hardware, s->options, {});
  ScheduleAnswerToProto(s->stream, s->answer, &s->response);
  s->response_bytes = s->response.SerializeAsString();
  std::vector<double> wire;
  for (int i = 0; i < 5; ++i) {
    wire.push_back(Seconds([&] {
      Parse(s->request_bytes, [](const v1::ScheduleRequest& r) { benchmark::DoNotOptimize(&r); });
      benchmark::DoNotOptimize(s->response.SerializeAsString().size());
    }));
  }
  std::nth_element(wire.begin(), wire.begin() + 2, wire.end());
  s->wire_seconds = wire[2];
  setting = std::move(s);
  return *setting;
}

void Measure(benchmark::State& state, const std::function<void(const Setting&)>& run) {
  const Setting& setting = SettingFor(state.range(0), state.range(1));
  std::vector<double> seconds;
  for (auto _ : state) seconds.push_back(Seconds([&] { run(setting); }));
  std::nth_element(seconds.begin(), seconds.begin() + seconds.size() / 2, seconds.end());
  const double median = seconds[seconds.size() / 2];
  const double ops = static_cast<double>(setting.stream.op_count());
  state.counters["ops"] = ops;
  state.counters["ns_per_op"] = median * 1e9 / ops;
  state.counters["x_wire"] = median / setting.wire_seconds;
}

void Call(const std::string& request) {
  torqsched_buffer out = {nullptr, 0};
  if (torqsched_schedule(nullptr, request.data(), request.size(), &out) != 0) std::abort();
  torqsched_buffer_free(&out);
}

void WholeCall(benchmark::State& state) {
  Measure(state, [](const Setting& s) { Call(s.request_bytes); });
}

void ParseRequest(benchmark::State& state) {
  Measure(state, [](const Setting& s) {
    Parse(s.request_bytes, [](const v1::ScheduleRequest& r) { benchmark::DoNotOptimize(&r); });
  });
}

void CheckStream(benchmark::State& state) {
  Measure(state, [](const Setting& s) {
    benchmark::DoNotOptimize(StreamFromProto(s.request.stream())->op_count());
  });
}

void Graph(benchmark::State& state) {
  Measure(state, [](const Setting& s) {
    benchmark::DoNotOptimize((*ScheduleProblem::Make(s.stream, s.hardware))->graph.edge_count());
  });
}

void OneListSchedule(benchmark::State& state) {
  Measure(state, [](const Setting& s) {
    ListWork work;
    benchmark::DoNotOptimize(ListSchedule(*s.problem, s.parameters(), &work).makespan);
  });
}

void OneOracleRun(benchmark::State& state) {
  Measure(state, [](const Setting& s) {
    benchmark::DoNotOptimize(PlaceSequentially(*s.problem, s.answer.schedule.order,
                                               s.answer.schedule.slice,
                                               /*swaps_allowed=*/true)
                                 ->makespan);
  });
}

void OneSimulation(benchmark::State& state) {
  Measure(state, [](const Setting& s) {
    Statistics statistics;
    benchmark::DoNotOptimize(
        PlayTimeline(*s.problem, s.answer.schedule, Placement(), &statistics, nullptr));
  });
}

void AnswerToMessage(benchmark::State& state) {
  Measure(state, [](const Setting& s) {
    google::protobuf::Arena arena;
    auto* response = google::protobuf::Arena::CreateMessage<v1::ScheduleResponse>(&arena);
    ScheduleAnswerToProto(s.stream, s.answer, response);
    benchmark::DoNotOptimize(response);
  });
}

void SerializeResponse(benchmark::State& state) {
  Measure(state, [](const Setting& s) {
    benchmark::DoNotOptimize(s.response.SerializeAsString().size());
  });
}

// How much longer ten times the ops take: ten calls with n ops and one with 10 n in turn, so that
// the machine's changes of pace fall on both. The median over the turns.
void Growth(benchmark::State& state) {
  const v1::ScheduleRequest once = LoadRequest(kStreams[state.range(0)]);
  const v1::ScheduleRequest small = Repeat(once, static_cast<size_t>(state.range(1)));
  const v1::ScheduleRequest large = Repeat(once, static_cast<size_t>(state.range(1)) * 10);
  const double ops = static_cast<double>(large.stream().ops_size()) /
                     static_cast<double>(small.stream().ops_size());
  const std::string small_bytes = small.SerializeAsString();
  const std::string large_bytes = large.SerializeAsString();
  std::vector<double> growth;
  for (auto _ : state) {
    const double tens = Seconds([&] {
      for (int i = 0; i < 10; ++i) Call(small_bytes);
    });
    growth.push_back(Seconds([&] { Call(large_bytes); }) / (tens / 10));
  }
  std::nth_element(growth.begin(), growth.begin() + growth.size() / 2, growth.end());
  state.counters["ops_growth"] = ops;
  state.counters["time_growth"] = growth[growth.size() / 2];
}

void RegisterAll() {
  const std::pair<const char*, void (*)(benchmark::State&)> stages[] = {
      {"whole_call", WholeCall},
      {"parse_request", ParseRequest},
      {"check_stream", CheckStream},
      {"graph", Graph},
      {"one_list_schedule", OneListSchedule},
      {"one_oracle_run", OneOracleRun},
      {"one_simulation", OneSimulation},
      {"answer_to_message", AnswerToMessage},
      {"serialize_response", SerializeResponse}};
  for (const int64_t stream : {0, 1}) {
    for (const int64_t ops : {1000, 10000, 100000}) {
      benchmark::RegisterBenchmark("growth", Growth)
          ->ArgNames({"stream", "ops"})
          ->Args({stream, ops})
          ->Unit(benchmark::kMillisecond)
          ->Iterations(ops == 100000 ? 5 : 21);
    }
  }
  for (const int64_t stream : {0, 1}) {
    for (const int64_t ops : {1000, 10000, 100000, 1000000}) {
      for (const auto& stage : stages) {
        benchmark::RegisterBenchmark(stage.first, stage.second)
            ->ArgNames({"stream", "ops"})
            ->Args({stream, ops})
            ->Unit(benchmark::kMillisecond)
            ->MinTime(0.5);
      }
    }
  }
}

}  // namespace
}  // namespace torqsched::bench

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  torqsched::bench::RegisterAll();
  benchmark::RunSpecifiedBenchmarks();
}
