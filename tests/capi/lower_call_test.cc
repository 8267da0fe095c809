// torqsched_lower: real tables and random ones, from the table to a schedule that the checker
// agrees with; tuning, its limits, its progress and what it must never do.
#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "google/protobuf/util/json_util.h"
#include "gtest/gtest.h"
#include "tests/capi/calls.h"
#include "tests/capi/lower_requests.h"

namespace torqsched {
namespace testing {
namespace {

struct FreeSession {
  void operator()(torqsched_session* session) const { torqsched_session_free(session); }
};
using SessionPtr = std::unique_ptr<torqsched_session, FreeSession>;

SessionPtr MakeSession(const torqsched_session_options& options) {
  torqsched_session* session = nullptr;
  EXPECT_EQ(torqsched_session_new(&options, &session, nullptr), TORQSCHED_OK);
  return SessionPtr(session);
}

v1::LowerResponse LowerWell(const v1::LowerRequest& request,
                            const torqsched_session* session = nullptr) {
  const Answer answer = Ask(kLower, request, session);
  EXPECT_EQ(answer.code, TORQSCHED_OK) << Parse<v1::Error>(answer.bytes).ShortDebugString();
  if (answer.code != TORQSCHED_OK) return v1::LowerResponse();
  const auto response = Parse<v1::LowerResponse>(answer.bytes);
  EXPECT_EQ(WrongAtAGlance(request, response), "");
  return response;
}

v1::ScheduleRequest ToSchedule(const v1::LowerRequest& request, const v1::LowerResponse& response) {
  v1::ScheduleRequest schedule;
  *schedule.mutable_stream() = response.stream();
  if (request.has_hardware()) *schedule.mutable_hardware() = request.hardware();
  return schedule;
}

// ---- Tables ----

v1::Network ReadTable(const std::string& name) {
  std::ifstream file("testdata/networks/" + name + ".json");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;  // notes, totals
  v1::Network network;
  EXPECT_TRUE(google::protobuf::util::JsonStringToMessage(text, &network, options).ok()) << name;
  return network;
}

constexpr const char* kNames[] = {"deepseek_v4_flash_decode_csa",
                                  "gemma3_1b_decode_ctx1024_wint4_abf16",
                                  "gemma3_1b_prefill128_wint8_aint8",
                                  "gemma3_270m_decode_ctx1024_wbf16_abf16",
                                  "mobilenet_v2_int8",
                                  "resnet50_int8",
                                  "whisper_tiny_decoder_step_wint8_aint8",
                                  "whisper_tiny_encoder_wint8_aint8"};

class RealTable : public ::testing::TestWithParam<const char*> {};

// What each table states in "totals" besides: layers are counted, macs and weights summed up there.
struct Totals {
  uint64_t layers = 0;
  uint64_t macs = 0;
  uint64_t weights = 0;
};

uint64_t NumberAfter(const std::string& text, const std::string& key) {
  const size_t at = text.find("\"" + key + "\":");
  EXPECT_NE(at, std::string::npos) << key;
  return at == std::string::npos ? 0 : std::stoull(text.substr(at + key.size() + 3));
}

Totals ReadTotals(const std::string& name) {
  std::ifstream file("testdata/networks/" + name + ".json");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  const std::string totals = text.substr(text.find("\"totals\""));
  return {NumberAfter(totals, "layers"), NumberAfter(totals, "macs"),
          NumberAfter(totals, "unique_weight_bytes")};
}

TEST_P(RealTable, IsLoweredToAStreamThatSchedulesAndVerifies) {
  v1::LowerRequest request;
  *request.mutable_network() = ReadTable(GetParam());
  const v1::LowerResponse response = LowerWell(request);
  const Totals totals = ReadTotals(GetParam());
  EXPECT_EQ(static_cast<uint64_t>(response.layers_size()), totals.layers);
  uint64_t macs = 0, programs = 0;
  for (const v1::LoweredLayer& layer : response.layers()) {
    macs += layer.macs();
    programs += layer.programs();
  }
  EXPECT_EQ(macs, totals.macs);
  uint64_t scales = 0;  // which the totals leave out
  for (const v1::NetworkLayer& layer : request.network().layers()) scales += layer.scale_bytes();
  EXPECT_EQ(response.constant_bytes(), totals.weights + scales);
  // A whole table may be too long to be scheduled here; its first programs are not.
  request.mutable_options()->set_layer_count(
      std::min<uint32_t>(12, static_cast<uint32_t>(totals.layers)));
  const v1::LowerResponse part = LowerWell(request);
  const v1::ScheduleResponse schedule = ScheduleAndVerify(ToSchedule(request, part));
  EXPECT_EQ(schedule.order_size(), part.stream().ops_size());
  EXPECT_TRUE(schedule.has_allocated_makespan());
  EXPECT_GE(programs, totals.layers / 2);
}

INSTANTIATE_TEST_SUITE_P(All, RealTable, ::testing::ValuesIn(kNames),
                         [](const auto& info) { return std::string(info.param); });

// A product of 4 x 8 by 8 x 6 in int8 in one tile: its code, its weights, its input, a start of 192
// macs that is at least 64 cycles, a wait, a store.
TEST(Lower, AProductThatFitsIsOneProgram) {
  v1::LowerRequest request;
  *request.mutable_network()->add_layers() = MakeProduct("p", -1, 4, 6, 8);
  const v1::LowerResponse response = LowerWell(request);
  ASSERT_EQ(response.layers_size(), 1);
  const v1::LoweredLayer& layer = response.layers(0);
  EXPECT_EQ(layer.programs(), 1u);
  EXPECT_EQ(layer.macs(), 192u);
  EXPECT_EQ(layer.weight_bytes(), 48u);
  EXPECT_EQ(layer.input_bytes(), 32u);
  EXPECT_EQ(layer.stored_bytes(), 24u);
  EXPECT_EQ(layer.program_cycles(), 64u);
  EXPECT_EQ(layer.tile_bytes(), 5120u + 48 + 32 + 24);
  EXPECT_EQ(layer.reason(), v1::BUDGET_REASON_CONSTANTS_FIT);
  EXPECT_EQ(response.constant_bytes(), 48u);
  int kinds[8] = {};
  for (const v1::Op& op : response.stream().ops()) ++kinds[op.kind()];
  EXPECT_EQ(kinds[v1::OP_KIND_LOAD], 3);
  EXPECT_EQ(kinds[v1::OP_KIND_START], 1);
  EXPECT_EQ(kinds[v1::OP_KIND_WAIT], 1);
  EXPECT_EQ(kinds[v1::OP_KIND_STORE], 1);
  EXPECT_EQ(kinds[v1::OP_KIND_PURE], 4);
}

TEST(Lower, EveryOpOfATable) {
  const v1::LowerRequest request = OneOfEach();
  const v1::LowerResponse response = LowerWell(request);
  EXPECT_EQ(response.layers_size(), 8);
  EXPECT_EQ(response.constant_bytes(), 64000u + 64 * 64 + 16 * 32 * 9);  // the head's are shared
  ScheduleAndVerify(ToSchedule(request, response));
}

TEST(Lower, RandomTablesScheduleAndVerify) {
  int own = 0, resident = 0, tiles = 0, parts = 0;
  for (uint64_t seed = 0; seed < 300 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const v1::LowerRequest request = RandomLowering(seed, 4 + seed % 8);
    const v1::LowerResponse response = LowerWell(request);
    const v1::ScheduleResponse schedule = ScheduleAndVerify(ToSchedule(request, response));
    EXPECT_LE(schedule.predicted_makespan(), schedule.input_makespan());
    for (const v1::LoweredLayer& layer : response.layers()) {
      own += layer.reason() == v1::BUDGET_REASON_UNSPECIFIED;
      resident += layer.output_resident();
      tiles += layer.programs() > 1;
    }
    parts += response.layers_size() < request.network().layers_size();
  }
  EXPECT_GT(own, 100);
  EXPECT_GT(resident, 100);
  EXPECT_GT(tiles, 50);
  EXPECT_GT(parts, 30);
}

// ---- Tuning ----

// LRAM that holds all of one product, but not the next one's weights beside it: smaller tiles pay.
v1::LowerRequest Tunable(uint64_t trials) {
  v1::LowerRequest request = Products(4, 8, 256);
  request.mutable_hardware()->set_lram_bytes(1280 + 90000);
  request.mutable_hardware()->set_code_buffer_bytes(64);
  request.mutable_options()->mutable_tiling()->set_strategy(v1::STRATEGY_NONE);
  request.mutable_options()->mutable_tuning()->set_most_trials(trials);
  return request;
}

// What the scheduler says of a stream by itself.
uint64_t MakespanOf(const v1::LowerRequest& request, const v1::LowerResponse& response) {
  return ScheduleAndVerify(ToSchedule(request, response)).allocated_makespan();
}

TEST(Tuning, IsNeverSlowerThanTheRulesAndItsNumbersAreTheSchedulers) {
  int better = 0;
  for (uint64_t seed = 0; seed < 60 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    v1::LowerRequest request = seed == 0 ? Tunable(60) : RandomLowering(seed, 4);
    const v1::LowerResponse plain = [&] {
      v1::LowerRequest by_rule = request;
      by_rule.mutable_options()->clear_tuning();
      return LowerWell(by_rule);
    }();
    request.mutable_options()->mutable_tuning()->set_most_trials(60);
    const v1::LowerResponse response = LowerWell(request);
    const v1::BudgetTuningResult& tuned = response.tuning();
    ASSERT_TRUE(tuned.has_default_makespan());
    EXPECT_LE(tuned.makespan(), tuned.default_makespan());
    EXPECT_EQ(tuned.default_makespan(), MakespanOf(request, plain));
    EXPECT_EQ(tuned.makespan(), MakespanOf(request, response));
    better += tuned.makespan() < tuned.default_makespan();
    // Asked without tuning for what was found, it gives the same.
    v1::LowerRequest again = request;
    *again.mutable_options() = tuned.options();
    v1::LowerResponse expected = response;
    expected.clear_tuning();
    EXPECT_EQ(LowerWell(again).SerializeAsString(), expected.SerializeAsString());
  }
  EXPECT_GE(better, 5);
}

TEST(Tuning, SmallerTilesWinWhereTheNextWeightsLoadWhileOneComputes) {
  const v1::LowerResponse response = LowerWell(Tunable(600));
  EXPECT_LT(response.tuning().makespan(), response.tuning().default_makespan());
  EXPECT_EQ(response.tuning().groups(), 1u);
  EXPECT_FALSE(response.tuning().limit_reached());
  EXPECT_FALSE(response.tuning().cancelled());
}

TEST(Tuning, EndsAtItsLimitsAndSaysSo) {
  for (const uint64_t trials : {0, 1, 2, 7}) {
    const v1::LowerResponse response = LowerWell(Tunable(trials));
    EXPECT_LE(response.tuning().trials(), std::max<uint64_t>(trials, 1));
    EXPECT_TRUE(response.tuning().limit_reached());
  }
  v1::LowerRequest request = Tunable(600);
  request.mutable_options()->mutable_tuning()->set_most_ops(0);
  EXPECT_EQ(LowerWell(request).tuning().trials(), 1u);
  EXPECT_TRUE(LowerWell(request).tuning().limit_reached());
}

struct Seen {
  std::vector<torqsched_progress> all;
  size_t stop_at = SIZE_MAX;  // the call that says stop
};

torqsched_session_options Watching(Seen* seen) {
  torqsched_session_options options = TORQSCHED_SESSION_OPTIONS_INIT;
  options.user = seen;
  options.progress = [](void* user, const torqsched_progress* progress) -> int {
    Seen* const seen = static_cast<Seen*>(user);
    seen->all.push_back(*progress);
    return seen->all.size() > seen->stop_at ? 1 : 0;
  };
  return options;
}

TEST(Tuning, ProgressRisesTo999PermilleWithABestThatNeverGetsWorse) {
  Seen seen;
  const v1::LowerResponse response = LowerWell(Tunable(7), MakeSession(Watching(&seen)).get());
  ASSERT_TRUE(response.tuning().limit_reached());
  // From the second trial on, and of budgets that make the same stream again, too.
  ASSERT_GE(seen.all.size(), response.tuning().trials() - 1);
  uint64_t best = response.tuning().default_makespan();
  double fraction = 0;
  for (const torqsched_progress& progress : seen.all) {
    EXPECT_EQ(progress.struct_size, sizeof(torqsched_progress));
    EXPECT_EQ(progress.has_best, 1);
    EXPECT_LE(progress.best_makespan, best);
    EXPECT_GE(progress.best_makespan, response.tuning().makespan());
    EXPECT_GE(progress.fraction, fraction);
    EXPECT_LE(progress.fraction, 0.999);
    best = progress.best_makespan;
    fraction = progress.fraction;
  }
  EXPECT_EQ(fraction, 0.999);  // its limit ended it
}

TEST(Tuning, ToldToStopItGivesTheBestSoFar) {
  for (const size_t at : {0, 1, 5, 20}) {
    SCOPED_TRACE(at);
    Seen seen;
    seen.stop_at = at;
    const v1::LowerRequest request = Tunable(600);
    const v1::LowerResponse response = LowerWell(request, MakeSession(Watching(&seen)).get());
    EXPECT_EQ(seen.all.size(), at + 1) << "it is not asked again";
    EXPECT_TRUE(response.tuning().cancelled());
    EXPECT_FALSE(response.tuning().limit_reached());
    EXPECT_LE(response.tuning().trials(), at + 2);
    EXPECT_LE(response.tuning().makespan(), seen.all.back().best_makespan);
    EXPECT_EQ(response.tuning().makespan(), MakespanOf(request, response));
  }
}

TEST(Tuning, ALoweringByRuleReportsNoProgress) {
  Seen seen;
  v1::LowerRequest request = Tunable(10);
  request.mutable_options()->clear_tuning();
  LowerWell(request, MakeSession(Watching(&seen)).get());
  EXPECT_TRUE(seen.all.empty());
}

TEST(Tuning, ACallbackThatCallsItsSessionIsRefusedAndTheCallGoesOn) {
  struct Host {
    torqsched_session* session = nullptr;
    torqsched_code code = TORQSCHED_OK;
  } host;
  torqsched_session_options options = TORQSCHED_SESSION_OPTIONS_INIT;
  options.user = &host;
  options.progress = [](void* user, const torqsched_progress*) -> int {
    Host* const host = static_cast<Host*>(user);
    host->code = Ask(kLower, Tunable(2), host->session).code;
    return 0;
  };
  const SessionPtr session = MakeSession(options);
  host.session = session.get();
  EXPECT_EQ(Ask(kLower, Tunable(5), session.get()).code, TORQSCHED_OK);
  EXPECT_EQ(host.code, TORQSCHED_FAILED_PRECONDITION);
}

TEST(Tuning, ACallbackThatThrowsEndsTheCall) {
  torqsched_session_options options = TORQSCHED_SESSION_OPTIONS_INIT;
  options.progress = [](void*, const torqsched_progress*) -> int {
    throw std::runtime_error("thrown by the host");
  };
  const Answer answer = Ask(kLower, Tunable(5), MakeSession(options).get());
  EXPECT_EQ(answer.code, TORQSCHED_INTERNAL);
  EXPECT_NE(Parse<v1::Error>(answer.bytes).message().find("thrown by the host"), std::string::npos);
}

// ---- Same request, same bytes ----

TEST(Lower, SameBytesInASessionAndFromThreads) {
  std::vector<v1::LowerRequest> requests = {OneOfEach(), Tunable(20)};
  for (uint64_t seed = 0; seed < 20; ++seed) requests.push_back(RandomLowering(seed, 6));
  std::vector<Answer> expected;
  for (const v1::LowerRequest& request : requests) expected.push_back(Ask(kLower, request));
  torqsched_session_options options = TORQSCHED_SESSION_OPTIONS_INIT;
  options.worker_threads = 8;
  options.reuse_arenas = 1;
  options.progress = [](void*, const torqsched_progress*) { return 0; };
  const SessionPtr session = MakeSession(options);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (size_t i = 0; i < 2 * requests.size(); ++i) {
        const size_t which = (i + 5 * t) % requests.size();
        const Answer answer = Ask(kLower, requests[which], session.get());
        EXPECT_EQ(answer.code, TORQSCHED_OK);
        EXPECT_TRUE(answer.bytes == expected[which].bytes) << which;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace testing
}  // namespace torqsched
