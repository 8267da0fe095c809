// Strategy OPTIMIZE through the C interface: the same bytes whatever the session, limits, progress
// and cancelling, and the host's oracle. Every answer goes through the checker.
#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/capi/calls.h"
#include "tests/capi/streams.h"
#include "torqsched/v1/oracle.pb.h"

namespace torqsched {
namespace testing {
namespace {

struct SessionDeleter {
  void operator()(torqsched_session* session) const { torqsched_session_free(session); }
};
using SessionPtr = std::unique_ptr<torqsched_session, SessionDeleter>;

SessionPtr MakeSession(const torqsched_session_options& options) {
  torqsched_session* session = nullptr;
  EXPECT_EQ(torqsched_session_new(&options, &session, nullptr), TORQSCHED_OK);
  return SessionPtr(session);
}

// A stream of testdata/streams, to be optimized.
v1::ScheduleRequest Optimized(const std::string& file, uint64_t work_limit) {
  std::ifstream in("testdata/streams/" + file, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), {});
  EXPECT_FALSE(bytes.empty()) << file;
  const bool text = file.size() > 6 && file.compare(file.size() - 6, 6, ".txtpb") == 0;
  v1::ScheduleRequest request =
      text ? FromText<v1::ScheduleRequest>(bytes) : Parse<v1::ScheduleRequest>(bytes);
  request.mutable_options()->set_strategy(v1::STRATEGY_OPTIMIZE);
  request.mutable_options()->set_work_limit(work_limit);
  return request;
}

v1::ScheduleRequest Listed(v1::ScheduleRequest request) {
  request.mutable_options()->set_strategy(v1::STRATEGY_STREAM_SCHEDULE);
  return request;
}

constexpr char kMobilenet[] = "mobilenet-v2-int8.whole-over100.txtpb";
constexpr char kGemma[] = "gemma3-1b-decode-int4.block-mac11.txtpb";
constexpr char kWhisper[] = "whisper-tiny-encoder-int8.block.binpb";

// ---- the same bytes -----------------------------------------------------------------------------

class SameBytes : public ::testing::TestWithParam<const char*> {
 protected:
  static void FromAnySession(v1::Oracle oracle) {
    v1::ScheduleRequest request = Optimized(GetParam(), 100000);
    request.mutable_options()->set_oracle(oracle);
    request.mutable_options()->set_sensitivity(true);
    const v1::ScheduleResponse response = ScheduleAndVerify(request);
    EXPECT_FALSE(response.time_limit_reached());
    EXPECT_EQ(response.work_limit_reached(), response.statistics().search_nodes() >= 100000u);
    EXPECT_TRUE(response.work_limit_reached() || response.proven_optimal());
    const v1::ScheduleResponse listed = ScheduleAndVerify(Listed(request));
    EXPECT_LT(response.allocated_makespan(), listed.allocated_makespan());
    const Answer expected = Ask(kSchedule, request);
    EXPECT_EQ(expected.code, TORQSCHED_OK);
    for (const uint32_t workers : {1u, 2u, 8u}) {
      torqsched_session_options options = TORQSCHED_SESSION_OPTIONS_INIT;
      options.worker_threads = workers;
      options.reuse_arenas = workers % 2;
      const SessionPtr session = MakeSession(options);
      for (int repeat = 0; repeat < 2; ++repeat) {
        const Answer answer = Ask(kSchedule, request, session.get());
        EXPECT_EQ(answer.code, TORQSCHED_OK);
        EXPECT_TRUE(answer.bytes == expected.bytes) << workers << " workers";
      }
    }
  }
};

TEST_P(SameBytes, FromAnySessionWithSequential) { FromAnySession(v1::ORACLE_SEQUENTIAL); }
TEST_P(SameBytes, FromAnySessionWithOffline) { FromAnySession(v1::ORACLE_OFFLINE); }

INSTANTIATE_TEST_SUITE_P(RealStreams, SameBytes, ::testing::Values(kMobilenet, kGemma));

// ---- limits -------------------------------------------------------------------------------------

TEST(Limits, NoWorkIsStreamSchedulesAnswerAndOneNodeIsNoWorse) {
  for (const char* file : {kMobilenet, kGemma}) {
    SCOPED_TRACE(file);
    const v1::ScheduleResponse listed = ScheduleAndVerify(Listed(Optimized(file, 0)));
    const v1::ScheduleResponse none = ScheduleAndVerify(Optimized(file, 0));
    EXPECT_EQ(none.statistics().search_nodes(), 0u);
    EXPECT_TRUE(std::equal(none.order().begin(), none.order().end(), listed.order().begin(),
                           listed.order().end()));
    EXPECT_EQ(none.allocated_makespan(), listed.allocated_makespan());
    const v1::ScheduleResponse one = ScheduleAndVerify(Optimized(file, 1));
    EXPECT_TRUE(one.work_limit_reached());
    EXPECT_LE(one.allocated_makespan(), listed.allocated_makespan());
  }
}

TEST(Limits, AMillisecondIsReachedAndToldAndTheAnswerHolds) {
  v1::ScheduleRequest request = Optimized(kWhisper, uint64_t{1} << 60);
  const v1::ScheduleResponse listed = ScheduleAndVerify(Listed(request));
  for (const v1::Oracle oracle : {v1::ORACLE_SEQUENTIAL, v1::ORACLE_OFFLINE}) {
    request.mutable_options()->set_oracle(oracle);
    request.mutable_options()->set_time_limit_ms(1);
    const v1::ScheduleResponse response = ScheduleAndVerify(request);
    EXPECT_TRUE(response.time_limit_reached());
    EXPECT_FALSE(response.work_limit_reached());
    EXPECT_FALSE(response.cancelled());
    EXPECT_TRUE(response.has_allocated_makespan());
    EXPECT_LE(response.allocated_makespan(), listed.allocated_makespan());
  }
}

// ---- progress -----------------------------------------------------------------------------------

// Remembers what it is told, and cancels at the call of this number, from 1, among those from
// `fraction` on. 0: never.
struct Listener {
  int cancel_at = 0;
  double from = 0;
  std::vector<torqsched_progress> seen;

  torqsched_session_options Options() {
    torqsched_session_options options = TORQSCHED_SESSION_OPTIONS_INIT;
    options.user = this;
    options.progress = [](void* user, const torqsched_progress* progress) {
      Listener* listener = static_cast<Listener*>(user);
      listener->seen.push_back(*progress);
      if (progress->fraction < listener->from || listener->cancel_at == 0) return 0;
      return --listener->cancel_at == 0 ? 1 : 0;
    };
    return options;
  }
};

// The list schedules are the first tenth of the work.
constexpr double kSearch = 0.1;

void ExpectRises(const std::vector<torqsched_progress>& seen) {
  for (size_t i = 0; i < seen.size(); ++i) {
    EXPECT_LE(seen[i].fraction, 1);
    if (i == 0) continue;
    EXPECT_GE(seen[i].fraction, seen[i - 1].fraction);
    if (!seen[i - 1].has_best) continue;
    EXPECT_EQ(seen[i].has_best, 1);
    EXPECT_LE(seen[i].best_makespan, seen[i - 1].best_makespan);
  }
}

TEST(Progress, RisesToOneAndTheBestMakespanNeverGrows) {
  for (const char* file : {kMobilenet, kGemma}) {
    for (const v1::Oracle oracle : {v1::ORACLE_SEQUENTIAL, v1::ORACLE_OFFLINE}) {
      SCOPED_TRACE(::testing::Message() << file << ", oracle " << oracle);
      v1::ScheduleRequest request = Optimized(file, 1000000);
      request.mutable_options()->set_oracle(oracle);
      Listener listener;
      const v1::ScheduleResponse response =
          ScheduleAndVerify(request, MakeSession(listener.Options()).get());
      ExpectRises(listener.seen);
      ASSERT_GT(listener.seen.size(), 20u);
      EXPECT_EQ(listener.seen.front().fraction, 0);
      EXPECT_EQ(listener.seen.front().has_best, 0);
      EXPECT_EQ(listener.seen.back().fraction, 1);
      EXPECT_EQ(listener.seen.back().best_makespan, response.allocated_makespan());
      // Not at the ends only, unless there is nothing left to find.
      if (response.proven_optimal()) continue;
      EXPECT_GT(std::count_if(listener.seen.begin(), listener.seen.end(),
                              [](const torqsched_progress& progress) {
                                return progress.fraction > 0.3 && progress.fraction < 0.7;
                              }),
                4);
    }
  }
}

// Whatever the chip, the oracle, and what it is asked for: no makespan is told that is not placed.
TEST(Progress, EndsWithTheAnswersMakespanOnRandomStreams) {
  for (uint64_t seed = 0; seed < 120; ++seed) {
    SCOPED_TRACE(seed);
    v1::ScheduleRequest request = RandomRequest(seed, 8 + static_cast<uint32_t>(seed % 5) * 8);
    v1::ScheduleOptions& options = *request.mutable_options();
    options.set_strategy(v1::STRATEGY_OPTIMIZE);
    options.set_oracle(seed % 2 == 0 ? v1::ORACLE_SEQUENTIAL : v1::ORACLE_OFFLINE);
    options.set_work_limit(60000);
    options.set_swaps_forbidden(seed % 3 == 0);
    options.set_robust(seed % 7 == 0);
    request.mutable_hardware()->set_non_blocking_transfers(seed % 11 == 0);
    if (seed % 4 == 1) request.mutable_hardware()->set_block_ops(5);
    if (seed % 5 == 2) request.mutable_hardware()->set_alignment(100);
    Listener listener;
    const v1::ScheduleResponse response =
        ScheduleAndVerify(request, MakeSession(listener.Options()).get());
    if (!options.robust()) ExpectRises(listener.seen);
    EXPECT_EQ(listener.seen.back().fraction, 1);
    EXPECT_EQ(listener.seen.back().has_best, response.has_allocated_makespan());
    EXPECT_EQ(listener.seen.back().best_makespan, response.allocated_makespan());
  }
}

TEST(Progress, CancelledBeforeAnythingIsPricedThereIsNoAnswer) {
  Listener listener;
  listener.cancel_at = 1;
  EXPECT_EQ(Ask(kSchedule, Optimized(kGemma, 1000000), MakeSession(listener.Options()).get()).code,
            TORQSCHED_CANCELLED);
  EXPECT_EQ(listener.seen.size(), 1u);
}

TEST(Progress, CancelledAmongTheListSchedulesTheAnswerHolds) {
  Listener listener;
  listener.cancel_at = 2;
  const v1::ScheduleResponse response =
      ScheduleAndVerify(Optimized(kGemma, 1000000), MakeSession(listener.Options()).get());
  EXPECT_TRUE(response.cancelled());
  EXPECT_EQ(response.statistics().search_nodes(), 0u);
  EXPECT_EQ(listener.seen.size(), 2u);
}

TEST(Progress, CancelledInTheSearchTheAnswerIsNoWorseThanStreamSchedules) {
  for (const char* file : {kMobilenet, kGemma}) {
    for (const v1::Oracle oracle : {v1::ORACLE_SEQUENTIAL, v1::ORACLE_OFFLINE}) {
      v1::ScheduleRequest request = Optimized(file, 2000000);
      request.mutable_options()->set_oracle(oracle);
      const v1::ScheduleResponse listed = ScheduleAndVerify(Listed(request));
      for (const int at : {1, 5, 50}) {
        if (file == std::string(kGemma) && at > 5) continue;  // it is proven optimal before that
        SCOPED_TRACE(::testing::Message() << file << ", oracle " << oracle << ", call " << at);
        Listener listener;
        listener.cancel_at = at;
        listener.from = kSearch;
        const v1::ScheduleResponse response =
            ScheduleAndVerify(request, MakeSession(listener.Options()).get());
        EXPECT_EQ(listener.cancel_at, 0);  // and it is told nothing after that
        EXPECT_TRUE(response.cancelled());
        EXPECT_FALSE(response.time_limit_reached());
        EXPECT_LE(response.allocated_makespan(), listed.allocated_makespan());
        EXPECT_LE(response.allocated_makespan(), listener.seen.back().best_makespan);
        EXPECT_LT(response.statistics().search_nodes(), 2000000u);
        ExpectRises(listener.seen);
      }
    }
  }
}

// ---- the host's oracle --------------------------------------------------------------------------

// The stream with its ops in that order, and on those slices.
v1::Stream Permuted(const v1::OracleRequest& request) {
  const v1::Stream& stream = request.stream();
  std::vector<uint32_t> position(static_cast<size_t>(stream.ops_size()));
  for (int i = 0; i < request.order_size(); ++i) {
    position[request.order(i)] = static_cast<uint32_t>(i);
  }
  v1::Stream permuted = stream;
  permuted.clear_ops();
  for (const uint32_t op : request.order()) {
    v1::Op* to = permuted.add_ops();
    *to = stream.ops(static_cast<int>(op));
    for (uint32_t& operand : *to->mutable_operands()) operand = position[operand];
    if (to->has_start()) to->set_start(position[to->start()]);
  }
  for (int i = 0; i < request.starts_size(); ++i) {
    permuted.mutable_ops(static_cast<int>(position[request.starts(i)]))
        ->set_slice(request.slices(i));
  }
  return permuted;
}

// What SEQUENTIAL says about it, by a call of its own.
v1::OracleResponse AsSequentialSays(const v1::OracleRequest& request) {
  v1::ScheduleRequest call;
  *call.mutable_stream() = Permuted(request);
  *call.mutable_hardware() = request.hardware();
  call.mutable_options()->set_strategy(v1::STRATEGY_NONE);
  call.mutable_options()->set_swaps_forbidden(!request.swaps_allowed());
  const Answer answer = Ask(kSchedule, call);
  EXPECT_EQ(answer.code, TORQSCHED_OK) << Parse<v1::Error>(answer.bytes).ShortDebugString();
  v1::OracleResponse said;
  if (answer.code != TORQSCHED_OK) return said;
  const auto response = Parse<v1::ScheduleResponse>(answer.bytes);
  said.set_placed(response.placement().placed());
  if (!said.placed()) return said;
  said.set_swaps(response.placement().swaps());
  said.set_makespan(response.allocated_makespan());
  *said.mutable_placement() = response.placement();
  return said;
}

v1::OracleResponse Refused(const v1::OracleRequest&) { return v1::OracleResponse(); }

// Nothing but the input order, on the slices of the input.
v1::OracleResponse OnlyTheInput(const v1::OracleRequest& request) {
  bool is_input = true;
  for (int i = 0; i < request.order_size(); ++i) {
    is_input = is_input && request.order(i) == static_cast<uint32_t>(i);
  }
  for (int i = 0; i < request.starts_size(); ++i) {
    const v1::Op& start = request.stream().ops(static_cast<int>(request.starts(i)));
    is_input = is_input && request.slices(i) == start.slice();
  }
  return is_input ? AsSequentialSays(request) : Refused(request);
}

using HostFunction = v1::OracleResponse (*)(const v1::OracleRequest&);

class Host : public ::testing::Test {
 protected:
  static constexpr uint64_t kWorkLimit = 200000;

  // Answers with that host; calls_ is how often it was asked.
  v1::ScheduleResponse With(HostFunction host, const v1::ScheduleRequest& request) {
    host_ = host;
    calls_ = 0;
    seen_.clear();
    torqsched_session_options options = TORQSCHED_SESSION_OPTIONS_INIT;
    options.user = this;
    options.progress = [](void* user, const torqsched_progress* progress) {
      static_cast<Host*>(user)->seen_.push_back(*progress);
      return 0;
    };
    options.oracle = [](void* user, const void* bytes, size_t size, torqsched_buffer* response) {
      Host* self = static_cast<Host*>(user);
      ++self->calls_;
      v1::OracleRequest message;
      EXPECT_TRUE(message.ParseFromArray(bytes, static_cast<int>(size)));
      const std::string said = self->host_(message).SerializeAsString();
      return static_cast<int>(torqsched_buffer_assign(response, said.data(), said.size()));
    };
    return ScheduleAndVerify(request, MakeSession(options).get());
  }

  static v1::ScheduleRequest Request(uint64_t seed) {
    v1::ScheduleRequest request = RandomRequest(seed, 20);
    request.mutable_options()->set_strategy(v1::STRATEGY_OPTIMIZE);
    request.mutable_options()->set_oracle(v1::ORACLE_HOST);
    request.mutable_options()->set_work_limit(kWorkLimit);
    return request;
  }

  // A call of the host counts as 64 nodes for each op of an order; beside those of the search that
  // it prices there are a few.
  void ExpectFewCalls(const v1::ScheduleRequest& request) const {
    uint64_t ops = 0;
    for (const v1::Op& op : request.stream().ops()) ops += op.kind() != v1::OP_KIND_PURE;
    EXPECT_LE(calls_, 20 + (kWorkLimit + 20000) / (64 * ops));
  }

  HostFunction host_ = nullptr;
  uint64_t calls_ = 0;
  std::vector<torqsched_progress> seen_;  // of the last answer
};

TEST_F(Host, ThatIsSequentialGetsAnAnswerThatIsNeverWorse) {
  uint64_t better = 0;
  for (uint64_t seed = 0; seed < 6; ++seed) {
    SCOPED_TRACE(seed);
    const v1::ScheduleRequest request = Request(seed);
    const v1::ScheduleResponse listed = With(&AsSequentialSays, Listed(request));
    EXPECT_LE(calls_, 7u);
    v1::ScheduleRequest ours = Listed(request);
    ours.mutable_options()->set_oracle(v1::ORACLE_SEQUENTIAL);
    const v1::ScheduleResponse sequential = ScheduleAndVerify(ours);
    EXPECT_EQ(listed.allocated_makespan(), sequential.allocated_makespan());
    const v1::ScheduleResponse response = With(&AsSequentialSays, request);
    ExpectFewCalls(request);
    EXPECT_EQ(response.has_allocated_makespan(), listed.has_allocated_makespan());
    EXPECT_LE(response.allocated_makespan(), listed.allocated_makespan());
    EXPECT_EQ(response.statistics().oracle_runs(), calls_);
    better += response.allocated_makespan() < listed.allocated_makespan();
    ExpectRises(seen_);
    EXPECT_EQ(seen_.back().best_makespan, response.allocated_makespan());
  }
  EXPECT_GE(better, 3u);
}

TEST_F(Host, ThatRefusesEverythingIsAskedABoundedNumberOfTimes) {
  for (uint64_t seed = 0; seed < 6; ++seed) {
    SCOPED_TRACE(seed);
    const v1::ScheduleRequest request = Request(seed);
    const v1::ScheduleResponse response = With(&Refused, request);
    ExpectFewCalls(request);
    EXPECT_GT(calls_, 7u);
    EXPECT_EQ(response.source(), v1::SOURCE_INPUT);
    EXPECT_FALSE(response.has_allocated_makespan());
    EXPECT_FALSE(response.placement().placed());
    EXPECT_EQ(response.predicted_makespan(), response.input_makespan());
    EXPECT_TRUE(std::none_of(seen_.begin(), seen_.end(),
                             [](const torqsched_progress& progress) { return progress.has_best; }));
    ExpectRises(seen_);
  }
}

TEST_F(Host, ThatRefusesAllButTheInputOrderGetsIt) {
  for (uint64_t seed = 0; seed < 6; ++seed) {
    SCOPED_TRACE(seed);
    const v1::ScheduleRequest request = Request(seed);
    const v1::ScheduleResponse response = With(&OnlyTheInput, request);
    ExpectFewCalls(request);
    EXPECT_EQ(response.source(), v1::SOURCE_INPUT);
    EXPECT_TRUE(response.placement().placed());
    EXPECT_EQ(response.allocated_makespan(), response.input_allocated_makespan());
    EXPECT_TRUE(std::all_of(seen_.begin(), seen_.end(), [&](const torqsched_progress& progress) {
      return !progress.has_best || progress.best_makespan == response.allocated_makespan();
    }));
    ExpectRises(seen_);
  }
}

}  // namespace
}  // namespace testing
}  // namespace torqsched
