// A host in C++ that uses all of torqsched.hpp: with and without exceptions, without protobuf.
//
//   cpp_host REQUEST [CALLS]    REQUEST: worked example 1; CALLS: of each of 8 threads, 10,000
//   unset
#include <pthread.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <thread>
#include <torqsched/torqsched.hpp>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using torqsched::Buffer;
using torqsched::Code;
using torqsched::Error;
using torqsched::Progress;
using torqsched::Result;
using torqsched::Session;
using torqsched::SessionOptions;
namespace wire = torqsched::wire;

std::atomic<int> failures{0};

#define CHECK(condition)                                                     \
  do {                                                                       \
    if (!(condition)) {                                                      \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, (#condition)); \
      ++failures;                                                            \
    }                                                                        \
  } while (0)

std::string example;  // worked example 1
std::string with_host_oracle;
std::string endless;  // a search that ends when it is stopped, and not before

Session Make(SessionOptions options = SessionOptions()) {
  return Session::New(std::move(options)).value();
}

bool Has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

bool Answers250(const Result<Buffer>& response) {
  return response.ok() && wire::Number(response->view(), 9) == 410 &&
         wire::Number(response->view(), 8) == 250;
}

// A PlanResidencyRequest: crossbar, so much SRAM, and a program with tensors of these names, each
// an activation of 450 bytes that moves 900, written in phase 0 and read in phase 1.
std::string Residency(uint64_t sram_bytes, const std::vector<std::string>& names) {
  std::string target, program, request;
  wire::AddNumber(&target, 1, sram_bytes);
  wire::AddNumber(&target, 3, 1);
  for (size_t i = 0; i < names.size(); ++i) {
    std::string tensor, write, read;
    wire::AddBytes(&tensor, 1, names[i]);
    wire::AddNumber(&tensor, 2, 1);
    wire::AddNumber(&tensor, 3, 450);
    wire::AddNumber(&tensor, 4, 900);
    wire::AddBytes(&program, 4, tensor);
    wire::AddNumber(&write, 1, i);
    wire::AddNumber(&write, 4, 1);
    wire::AddBytes(&program, 5, write);
    wire::AddNumber(&read, 1, i);
    wire::AddNumber(&read, 3, 1);
    wire::AddBytes(&program, 5, read);
  }
  wire::AddBytes(&request, 1, target);
  wire::AddBytes(&request, 2, program);
  return request;
}

// That a plan has one program, with one tensor, in this tier, and all that moves moves there.
bool IsIn(uint64_t tier, std::string_view plan) {
  const std::string_view tiers = wire::Bytes(wire::Bytes(plan, 1), 1);  // packed
  const auto field = static_cast<uint32_t>(tier);  // of the traffic, which has one for each tier
  return tiers.size() == 1 && static_cast<uint64_t>(tiers[0]) == tier &&
         wire::Number(wire::Bytes(plan, 4), field) == 900;
}

// A PlanWarmRequest: testdata/warm/two-weights, but for its names.
std::string Warm() {
  std::string timeline, kind, request;
  const auto add_region = [&](const char* name, uint64_t bytes) {
    std::string region;
    wire::AddBytes(&region, 1, name);
    wire::AddNumber(&region, 2, bytes);
    wire::AddBytes(&timeline, 2, region);
  };
  add_region("a", 67108864);
  add_region("b", 33554432);
  // field: of a stage, the one besides its duration.
  const auto add_stage = [&](uint64_t ns, uint32_t field, uint64_t value) {
    std::string stage;
    wire::AddNumber(&stage, 2, ns);
    wire::AddNumber(&stage, field, value);
    wire::AddBytes(&kind, 3, stage);
  };
  const auto add_reader = [&](uint64_t ns, uint64_t region) {
    std::string stage, read;
    wire::AddNumber(&stage, 2, ns);
    wire::AddNumber(&read, 1, region);
    wire::AddBytes(&stage, 4, read);
    wire::AddBytes(&kind, 3, stage);
  };
  add_stage(98000, 8, 1);  // it has a task id
  add_stage(400000, 5, 0);
  add_reader(52000, 0);
  add_reader(30000, 1);
  add_stage(470000, 5, 427819008);  // other bytes
  wire::AddBytes(&timeline, 3, kind);
  wire::AddBytes(&request, 1, timeline);
  return request;
}

// That a plan is the one that testdata/warm/README.md makes by hand.
bool WarmsBoth(std::string_view plan) {
  const std::string_view kind = wire::Bytes(plan, 1);
  const std::string_view scope = wire::Bytes(kind, 3);
  const std::string_view last = wire::Bytes(scope, 4);  // of its regions: b
  return wire::Number(kind, 6) == 1050000 && wire::Number(kind, 7) == 1050000 - 17112 &&
         wire::FindNumber(scope, 1) == 0u && wire::Number(last, 1) == 1 &&
         wire::Number(last, 3) == 357470 + 117735;
}

// A JudgeWarmRequest: of one card 60 rounds without the warm, and 60 with it.
std::string Rounds(uint64_t without, uint64_t with) {
  std::string request;
  for (const bool warmed : {false, true}) {
    std::string series;
    wire::AddNumber(&series, 2, warmed ? 1 : 0);
    for (int i = 0; i < 60; ++i) wire::AddNumber(&series, 3, warmed ? with : without);
    wire::AddBytes(&request, 1, series);
  }
  return request;
}

// That a judgement is this verdict, for the median changed by so much.
bool Judges(uint64_t verdict, int64_t change, std::string_view judgement) {
  const std::string_view median = wire::Bytes(wire::Bytes(judgement, 6), 4);
  return wire::Number(judgement, 1) == verdict &&
         static_cast<int64_t>(wire::Number(median, 1)) == change;
}

// A PlanTilesRequest: one contraction, m x 768 by 768 x 3072, of 16 bits each, whose weight is all
// the constants there are.
std::string Tiles(uint64_t m) {
  std::string shape, loop, request;
  wire::AddNumber(&shape, 2, m);
  wire::AddNumber(&shape, 3, 3072);
  wire::AddNumber(&shape, 4, 768);
  for (const uint32_t bits : {5u, 6u, 7u}) wire::AddNumber(&shape, bits, 16);
  wire::AddNumber(&loop, 2, 1);
  wire::AddBytes(&loop, 6, shape);
  wire::AddNumber(&request, 2, 3072 * 768 * 2);
  wire::AddBytes(&request, 3, loop);
  return request;
}

// That a plan gives its loop all of LRAM, so that rows stay whole.
bool KeepsRowsWhole(std::string_view plan) {
  const std::string_view loop = wire::Bytes(plan, 1);
  return wire::Number(loop, 1) == 523008 && wire::Number(loop, 2) == 5;
}

// A LowerRequest: one elementwise layer, which makes 128 bytes of 128 that the network is given.
std::string Table(bool tuned = false) {
  std::string layer, network, request, options;
  wire::AddBytes(&layer, 2, "elementwise");
  wire::AddNumber(&layer, 4, 1);  // -1, as a sint32
  wire::AddNumber(&layer, 5, 128);
  wire::AddNumber(&layer, 6, 128);
  wire::AddBytes(&network, 2, layer);
  wire::AddBytes(&request, 1, network);
  if (!tuned) return request;
  wire::AddBytes(&options, 7, std::string_view());
  wire::AddBytes(&request, 3, options);
  return request;
}

// That a lowering is a stream with ops, of one program that reads and writes those bytes.
bool IsOneProgram(std::string_view lowered) {
  const std::string_view layer = wire::Bytes(lowered, 2);
  return wire::FindBytes(wire::Bytes(lowered, 1), 3) && wire::Number(layer, 11) == 1 &&
         wire::Number(layer, 14) == 128 && wire::Number(layer, 17) == 128;
}

// Places everything, for the price that simulate finds.
std::optional<std::string> Place(std::string_view request) {
  const Result<Buffer> price = torqsched::Simulate(request);
  if (!price) return std::nullopt;
  std::string response;
  wire::AddNumber(&response, 1, 1);
  wire::AddNumber(&response, 3, wire::Number(price->view(), 1));
  return response;
}

void TestWire() {
  std::string message;
  wire::AddNumber(&message, 1, UINT64_MAX);
  wire::AddNumber(&message, 1, 300);
  wire::AddBytes(&message, 536870911, "abc");
  wire::AddBytes(&message, 3, std::string_view());
  message += std::string("\x25\x01\x02\x00\x80\x29\x01\x00\x00\x00\x00\x00\x00\x80", 14);
  CHECK(wire::Number(message, 1) == 300);
  CHECK(wire::Bytes(message, 536870911) == "abc");
  CHECK(wire::FindBytes(message, 3) && wire::FindBytes(message, 3)->empty());
  CHECK(wire::Number(message, 4) == 0x80000201 && wire::Number(message, 5) == 0x8000000000000001);
  CHECK(!wire::FindNumber(message, 2) && wire::Number(message, 2) == 0);
  CHECK(!wire::FindBytes(message, 1) && !wire::FindNumber(message, 3));  // of another wire type
  for (const char* bad : {"\x08", "\x08\x80", "\x12\x05x", "\x0d", "\x0b", "\x02\x01"}) {
    CHECK(!wire::FindNumber(bad, 1) && !wire::FindBytes(bad, 2));
  }
  std::mt19937 dice(1);
  for (int i = 0; i < 20000; ++i) {
    std::string bytes(dice() % 30, '\0');
    for (char& byte : bytes) byte = static_cast<char>(dice());
    (void)wire::FindNumber(bytes, 1);
    (void)wire::FindBytes(bytes, 2);
  }
}

void TestBuffers() {
  static_assert(!std::is_copy_constructible_v<Buffer> && !std::is_copy_assignable_v<Buffer>);
  static_assert(std::is_nothrow_move_constructible_v<Buffer> &&
                std::is_nothrow_move_assignable_v<Buffer>);
  Buffer buffer;
  CHECK(buffer.empty() && buffer.data() == nullptr && buffer.view().empty());
  CHECK(torqsched_buffer_assign(buffer.Out(), "hello", 5) == TORQSCHED_OK);
  Buffer moved = std::move(buffer);
  CHECK(moved.view() == "hello" && moved.size() == 5);
  Buffer& itself = moved;
  moved = std::move(itself);
  CHECK(moved.view() == "hello");
  moved = Buffer();
  CHECK(moved.empty());
  CHECK(torqsched_buffer_assign(moved.Out(), "again", 5) == TORQSCHED_OK);
  Buffer taken(moved.Release());
  CHECK(moved.empty() && taken.view() == "again");
  taken.Out();
  CHECK(taken.empty());
}

void TestResults() {
  static_assert(!std::is_copy_constructible_v<Result<Buffer>>);
  Result<std::string> good(std::in_place, 3u, 'x');
  CHECK(good && good.ok() && *good == "xxx" && good->size() == 3 && good.value() == "xxx");
  CHECK(good.code() == Code::kOk);
  const std::string taken = std::move(good).value();
  CHECK(taken == "xxx");
  const Result<std::string> bad(Error{Code::kAborted, "no", "field", 3, std::nullopt});
  CHECK(!bad && bad.code() == Code::kAborted && bad.error().op == 3u);
  CHECK(bad.error().ToString() == "ABORTED: no");
  CHECK(Error{}.ToString() == "UNKNOWN");
  CHECK(Error::FromBytes(99, "\xff\xff").code == Code::kUnknown);
  CHECK(Error::FromBytes(-1, "").code == Code::kUnknown);
#if TORQSCHED_HPP_EXCEPTIONS
  bool thrown = false;
  try {
    (void)bad.value();
  } catch (const torqsched::Exception& exception) {
    const torqsched::Exception copy = exception;
    thrown = copy.error().field == "field" && std::string(copy.what()) == "ABORTED: no";
  }
  CHECK(thrown);
#endif
}

template <typename Calls>
void CheckCalls(const Calls& schedule, const Calls& simulate, const Calls& allocate,
                const Calls& plan_residency, const Calls& plan_warm, const Calls& judge_warm,
                const Calls& plan_tiles, const Calls& lower, const Calls& verify) {
  const Result<Buffer> response = schedule(example);
  CHECK(Answers250(response));
  std::string checked = example;
  wire::AddBytes(&checked, 3, response->view());
  const Result<Buffer> violations = verify(checked);
  CHECK(violations && !wire::FindBytes(violations->view(), 1));
  CHECK(wire::Number(violations->view(), 2) == 250);
  CHECK(wire::Number(simulate(example).value().view(), 1) == 410);
  CHECK(wire::Number(allocate(example).value().view(), 3) == 300);
  const Result<Buffer> nothing = allocate(std::string_view());
  CHECK(nothing.ok());
  CHECK(IsIn(1, plan_residency(Residency(1000, {"y"})).value().view()));  // SRAM
  CHECK(IsIn(1, plan_residency(Residency(450, {"y"})).value().view()));
  CHECK(IsIn(3, plan_residency(Residency(449, {"y"})).value().view()));  // DRAM
  const Result<Buffer> twice = plan_residency(Residency(1000, {"y", "y"}));
  CHECK(twice.code() == Code::kInvalidArgument);
  CHECK(!twice.ok() && twice.error().field == "programs[0].tensors[1].name");
  CHECK(plan_residency(std::string_view()).ok());  // no programs
  CHECK(WarmsBoth(plan_warm(Warm()).value().view()));
  const Result<Buffer> no_timeline = plan_warm(std::string_view());
  CHECK(no_timeline.code() == Code::kInvalidArgument);
  CHECK(!no_timeline.ok() && no_timeline.error().field == "timeline");
  CHECK(Judges(2, -20000, judge_warm(Rounds(1000000, 980000)).value().view()));  // SHIP
  CHECK(Judges(3, 0, judge_warm(Rounds(1000000, 1000000)).value().view()));      // DO_NOT_SHIP
  const Result<Buffer> no_series = judge_warm(std::string_view());
  CHECK(no_series.code() == Code::kInvalidArgument);
  CHECK(!no_series.ok() && no_series.error().field == "series");
  CHECK(KeepsRowsWhole(plan_tiles(Tiles(128)).value().view()));
  const Result<Buffer> no_rows = plan_tiles(Tiles(0));
  CHECK(no_rows.code() == Code::kInvalidArgument);
  CHECK(!no_rows.ok() && no_rows.error().field == "loops[0].shape.m");
  CHECK(plan_tiles(std::string_view()).ok());  // no loops
  CHECK(IsOneProgram(lower(Table()).value().view()));
  const Result<Buffer> tuned = lower(Table(true));
  CHECK(IsOneProgram(tuned.value().view()));
  CHECK(wire::Number(wire::Bytes(tuned->view(), 5), 3) >= 1);  // trials
  const Result<Buffer> no_network = lower(std::string_view());
  CHECK(no_network.code() == Code::kInvalidArgument);
  CHECK(!no_network.ok() && no_network.error().field == "network");
  CHECK(schedule(std::string_view()).code() == Code::kInvalidArgument);
}

void TestCalls() {
  CHECK(torqsched::HeaderMatchesLibrary() && torqsched::Version() == TORQSCHED_VERSION);
  using Call = std::function<Result<Buffer>(std::string_view)>;
  CheckCalls<Call>([](auto bytes) { return torqsched::Schedule(bytes); },
                   [](auto bytes) { return torqsched::Simulate(bytes); },
                   [](auto bytes) { return torqsched::Allocate(bytes); },
                   [](auto bytes) { return torqsched::PlanResidency(bytes); },
                   [](auto bytes) { return torqsched::PlanWarm(bytes); },
                   [](auto bytes) { return torqsched::JudgeWarm(bytes); },
                   [](auto bytes) { return torqsched::PlanTiles(bytes); },
                   [](auto bytes) { return torqsched::Lower(bytes); },
                   [](auto bytes) { return torqsched::Verify(bytes); });
  Session first = Make();
  const Session session = std::move(first);
  CheckCalls<Call>([&](auto bytes) { return session.Schedule(bytes); },
                   [&](auto bytes) { return session.Simulate(bytes); },
                   [&](auto bytes) { return session.Allocate(bytes); },
                   [&](auto bytes) { return session.PlanResidency(bytes); },
                   [&](auto bytes) { return session.PlanWarm(bytes); },
                   [&](auto bytes) { return session.JudgeWarm(bytes); },
                   [&](auto bytes) { return session.PlanTiles(bytes); },
                   [&](auto bytes) { return session.Lower(bytes); },
                   [&](auto bytes) { return session.Verify(bytes); });
  CHECK(Answers250(Make().Schedule(example)));  // of a session that is gone after it
}

void TestErrors() {
  for (size_t size = 0; size < example.size(); ++size) {
    const Result<Buffer> response = torqsched::Schedule(example.substr(0, size));
    CHECK(response || response.code() == Code::kInvalidArgument);
  }
  std::string access;
  wire::AddNumber(&access, 1, 7);
  std::string op;
  wire::AddBytes(&op, 8, access);
  std::string stream;
  wire::AddBytes(&stream, 3, std::string_view());
  wire::AddBytes(&stream, 3, op);
  std::string request;
  wire::AddBytes(&request, 1, stream);
  const Result<Buffer> response = torqsched::Schedule(request);
  CHECK(response.code() == Code::kInvalidArgument);
  CHECK(response.error().op == 1u);
  CHECK(Has(response.error().field, "stream.ops[1].accesses[0]"));
  CHECK(!response.error().message.empty());

  SessionOptions options;
  options.worker_threads = 100000;
  CHECK(Session::New(options).code() == Code::kInvalidArgument);
  options.worker_threads = 2;
  options.memory_limit_bytes = 1000;
  options.reuse_arenas = true;
  CHECK(Make(options).Schedule(example).code() == Code::kResourceExhausted);
}

// What a generated class has, of a message that only knows its bytes.
struct Message {
  bool SerializeToString(std::string* out) const {
    *out = bytes;
    return good;
  }
  bool ParseFromArray(const void* data, int size) {
    if (data == nullptr) std::abort();
    bytes.assign(static_cast<const char*>(data), static_cast<size_t>(size));
    return true;
  }
  std::string bytes;
  bool good = true;
};
struct Unreadable : Message {
  bool ParseFromArray(const void*, int) { return false; }
};

void TestMessages() {
  const Message request{example, true};
  const Session session = Make();
  CHECK(wire::Number(torqsched::Schedule<Message>(request)->bytes, 8) == 250);
  CHECK(wire::Number(session.Schedule<Message>(request)->bytes, 8) == 250);
  CHECK(wire::Number(torqsched::Simulate<Message>(request)->bytes, 1) == 410);
  CHECK(wire::Number(session.Simulate<Message>(request)->bytes, 1) == 410);
  CHECK(wire::Number(torqsched::Allocate<Message>(request)->bytes, 3) == 300);
  CHECK(wire::Number(session.Allocate<Message>(request)->bytes, 3) == 300);
  const Message plan{Residency(1000, {"y"}), true};
  CHECK(IsIn(1, torqsched::PlanResidency<Message>(plan)->bytes));
  CHECK(IsIn(1, session.PlanResidency<Message>(plan)->bytes));
  const Message warm{Warm(), true};
  CHECK(WarmsBoth(torqsched::PlanWarm<Message>(warm)->bytes));
  CHECK(WarmsBoth(session.PlanWarm<Message>(warm)->bytes));
  const Message rounds{Rounds(1000000, 980000), true};
  CHECK(Judges(2, -20000, torqsched::JudgeWarm<Message>(rounds)->bytes));
  CHECK(Judges(2, -20000, session.JudgeWarm<Message>(rounds)->bytes));
  const Message tiles{Tiles(128), true};
  CHECK(KeepsRowsWhole(torqsched::PlanTiles<Message>(tiles)->bytes));
  CHECK(KeepsRowsWhole(session.PlanTiles<Message>(tiles)->bytes));
  const Message table{Table(), true};
  CHECK(IsOneProgram(torqsched::Lower<Message>(table)->bytes));
  CHECK(IsOneProgram(session.Lower<Message>(table)->bytes));
  const Message empty{std::string("\x0a\x00\x1a\x00", 4), true};  // an answer of no bytes
  CHECK(torqsched::Verify<Message>(empty)->bytes.empty());
  CHECK(session.Verify<Message>(empty)->bytes.empty());
  CHECK(torqsched::Schedule<Message>(Message{"bad", true}).code() == Code::kInvalidArgument);
  CHECK(torqsched::Schedule<Message>(Message{example, false}).code() == Code::kInvalidArgument);
  CHECK(torqsched::Schedule<Unreadable>(request).code() == Code::kInternal);
}

void TestCallbacks() {
  int told = 0, remarked = 0, asked = 0;
  double fraction = 0;
  SessionOptions options;
  options.log = [&](torqsched::LogLevel level, std::string_view message) {
    ++remarked;
    CHECK(level == torqsched::LogLevel::kInfo && !message.empty());
  };
  options.progress = [&](const Progress& progress) {
    ++told;
    CHECK(progress.fraction >= fraction && progress.fraction <= 1);
    fraction = progress.fraction;
    return false;
  };
  options.oracle = [&](std::string_view request) {
    ++asked;
    return Place(request);
  };
  CHECK(Answers250(Make(options).Schedule(with_host_oracle)));
  CHECK(told > 1 && asked >= 2 && fraction == 1);
  fraction = 0;
  CHECK(Answers250(Make(options).Schedule(example)));

  options.progress = [](const Progress&) { return true; };
  CHECK(Make(options).Schedule(example).code() == Code::kCancelled);
  const Result<Buffer> lowered = Make(options).Lower(Table(true));  // before it is asked
  CHECK(IsOneProgram(lowered.value().view()));
  CHECK(wire::Number(wire::Bytes(lowered->view(), 5), 7) == 1);  // cancelled
  CHECK(!wire::FindBytes(Make(options).Lower(Table()).value().view(), 5));
  options.progress = [](const Progress& progress) { return progress.best_makespan.has_value(); };
  CHECK(wire::Number(Make(options).Schedule(example).value().view(), 23) == 1);

  options = SessionOptions();
  options.oracle = [](std::string_view) { return std::nullopt; };
  CHECK(Make(options).Schedule(with_host_oracle).code() == Code::kAborted);
  options.oracle = [](std::string_view) { return std::string("\x07garbage"); };
  const Result<Buffer> response = Make(options).Schedule(with_host_oracle);
  CHECK(response.code() == Code::kInternal && response.error().field == "oracle_response");
  options.oracle = [](std::string_view) { return std::string(); };
  CHECK(!wire::FindNumber(Make(options).Schedule(with_host_oracle).value().view(), 8));
  CHECK(torqsched::Schedule(with_host_oracle).code() == Code::kFailedPrecondition);

  // A callback that calls its own session, and another.
  const Session other = Make();
  const Session* own = nullptr;
  int refused = 0;
  options.oracle = [&](std::string_view request) {
    if (own->Schedule(example).code() == Code::kFailedPrecondition) ++refused;
    if (own->Verify(example).code() == Code::kFailedPrecondition) ++refused;
    CHECK(Answers250(other.Schedule(example)));
    return Place(request);
  };
  const Session session = Make(options);
  own = &session;
  CHECK(Answers250(session.Schedule(with_host_oracle)));
  CHECK(refused >= 4 && refused % 2 == 0);
}

void TestThreads(int calls) {
  SessionOptions options;
  std::atomic<uint64_t> told{0};
  options.reuse_arenas = true;
  options.progress = [&](const Progress&) {
    told.fetch_add(1, std::memory_order_relaxed);
    return false;
  };
  const Session session = Make(options);
  const std::string expected(torqsched::Schedule(example).value().view());
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      int wrong = 0;
      for (int call = 0; call < calls; ++call) {
        const Result<Buffer> response = session.Schedule(example);
        if (!response || response->view() != expected) ++wrong;
        if (call % 100 == 0 && session.Schedule("bad").ok()) ++wrong;
      }
      CHECK(wrong == 0);
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(told >= 8 * static_cast<uint64_t>(calls));
}

#if TORQSCHED_HPP_EXCEPTIONS
struct Mine {
  int value;
};

// The value of the Mine that a call throws; -1 where it throws none.
int Thrown(const Session& session, std::string_view request) {
  try {
    (void)session.Schedule(request);
  } catch (const Mine& mine) {
    return mine.value;
  }
  return -1;
}

void TestExceptions() {
  int calls = 0;
  SessionOptions logs, progresses, asks;
  logs.log = [&](torqsched::LogLevel, std::string_view) -> void { throw Mine{1}; };
  progresses.progress = [&](const Progress&) -> bool {
    ++calls;
    throw Mine{2};
  };
  asks.oracle = [&](std::string_view) -> std::optional<std::string> { throw Mine{3}; };
  for (int i = 0; i < 2; ++i) {
    CHECK(Thrown(Make(logs), example) == 1);
    CHECK(Thrown(Make(progresses), example) == 2);
    CHECK(Thrown(Make(asks), with_host_oracle) == 3);
  }
  CHECK(calls == 2);

  // What only the log callback throws ends a long search all the same.
  CHECK(Thrown(Make(logs), endless) == 1);

  // A session can go on, and what its last call threw is forgotten.
  bool throws = true;
  SessionOptions sometimes;
  sometimes.progress = [&](const Progress&) { return throws ? throw Mine{4} : false; };
  const Session session = Make(sometimes);
  CHECK(Thrown(session, example) == 4);
  throws = false;
  CHECK(Answers250(session.Schedule(example)));

  // Through a call within a callback.
  SessionOptions nested;
  nested.oracle = [&](std::string_view request) {
    throws = true;
    (void)session.Schedule(example);
    return Place(request);
  };
  CHECK(Thrown(Make(nested), with_host_oracle) == 4);
  // And where the callback handles it.
  nested.oracle = [&](std::string_view request) {
    CHECK(Thrown(session, example) == 4);
    return Place(request);
  };
  CHECK(Answers250(Make(nested).Schedule(with_host_oracle)));

  // Without this header's call around it, the library has the exception; so has it within a
  // callback of a call that has.
  const auto call_by_header_of_c = [&] {
    throws = true;
    Buffer out;
    return torqsched_schedule(session.get(), example.data(), example.size(), out.Out());
  };
  CHECK(call_by_header_of_c() == TORQSCHED_INTERNAL);
  nested.oracle = [&](std::string_view request) {
    CHECK(call_by_header_of_c() == TORQSCHED_INTERNAL);
    return Place(request);
  };
  CHECK(Answers250(Make(nested).Schedule(with_host_oracle)));

  // After an exception no callback of that call is called again.
  int after = 0;
  bool done = false;
  SessionOptions all;
  all.log = [&](torqsched::LogLevel, std::string_view) {
    after += done;
    done = true;
    throw Mine{5};
  };
  all.progress = [&](const Progress&) {
    after += done;
    return false;
  };
  all.oracle = [&](std::string_view request) {
    after += done;
    return Place(request);
  };
  CHECK(Thrown(Make(all), with_host_oracle) == 5 && done && after == 0);

  // Each thread has its own.
  SessionOptions own;
  own.progress = [](const Progress&) -> bool {
    throw Mine{static_cast<int>(std::hash<std::thread::id>()(std::this_thread::get_id()) & 0xffff)};
  };
  const Session shared = Make(own);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      const size_t id = std::hash<std::thread::id>()(std::this_thread::get_id()) & 0xffff;
      for (int call = 0; call < 500; ++call) {
        CHECK(Thrown(shared, example) == static_cast<int>(id));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();

  // A thread that ends in a callback unwinds through all of it.
  SessionOptions ends;
  ends.progress = [](const Progress&) -> bool { pthread_exit(nullptr); };
  const Session ending = Make(ends);
  std::thread([&] {
    (void)ending.Schedule(example);
    CHECK(example.empty());  // not reached
  }).join();
  ends.progress = [](const Progress&) {
    pthread_cancel(pthread_self());
    pthread_testcancel();
    return false;
  };
  const Session cancelled = Make(ends);
  std::thread([&] {
    (void)cancelled.Schedule(example);
    CHECK(example.empty());  // not reached
  }).join();
}
#endif

}  // namespace

int main(int argc, char** argv) {
  std::ifstream file(argc > 1 ? argv[1] : "", std::ios::binary);
  example.assign(std::istreambuf_iterator<char>(file), {});
  if (example.empty()) return std::fprintf(stderr, "usage: cpp_host REQUEST [CALLS]\n"), 2;
  std::string options;
  wire::AddNumber(&options, 2, 2);  // oracle: HOST
  with_host_oracle = example;
  wire::AddBytes(&with_host_oracle, 3, options);
  const std::string directory(argv[1], std::string_view(argv[1]).rfind('/') + 1);
  std::ifstream network(directory + "resnet50-int8.first20-over50.binpb", std::ios::binary);
  endless.assign(std::istreambuf_iterator<char>(network), {});
  if (endless.empty()) return std::fprintf(stderr, "no network beside the request\n"), 2;
  options.clear();
  wire::AddNumber(&options, 1, 3);                  // strategy: OPTIMIZE
  wire::AddNumber(&options, 9, uint64_t{1} << 60);  // work_limit
  wire::AddBytes(&endless, 3, options);

  TestWire();
  TestBuffers();
  TestResults();
  TestCalls();
  TestErrors();
  TestMessages();
  TestCallbacks();
#if TORQSCHED_HPP_EXCEPTIONS
  TestExceptions();
#endif
  TestThreads(argc > 2 ? std::atoi(argv[2]) : 10000);
  if (failures != 0) return std::fprintf(stderr, "%d checks failed\n", failures.load()), 1;
  std::puts("cpp host: ok");
  return 0;
}
