// What sessions do that the C host does not try: callbacks that throw or leave their thread,
// limits, answers of the host's oracle.
#include <pthread.h>

#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/capi/calls.h"
#include "tests/capi/lower_requests.h"
#include "tests/capi/streams.h"
#include "tests/capi/warm_requests.h"
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

TEST(Session, ProgressRisesAndEndsWithAnAnswer) {
  torqsched_session_options options = TORQSCHED_SESSION_OPTIONS_INIT;
  std::vector<torqsched_progress> seen;
  options.user = &seen;
  options.progress = [](void* user, const torqsched_progress* progress) {
    static_cast<std::vector<torqsched_progress>*>(user)->push_back(*progress);
    return 0;
  };
  const SessionPtr session = MakeSession(options);
  const v1::ScheduleResponse response = ScheduleAndVerify(WorkedExample(), session.get());
  ASSERT_FALSE(seen.empty());
  EXPECT_EQ(seen.front().has_best, 0);
  EXPECT_EQ(seen.back().has_best, 1);
  for (size_t i = 0; i < seen.size(); ++i) {
    EXPECT_GE(seen[i].fraction, i == 0 ? 0 : seen[i - 1].fraction);
    EXPECT_LE(seen[i].fraction, 1);
    if (i > 0 && seen[i - 1].has_best) {
      EXPECT_EQ(seen[i].has_best, 1);
      EXPECT_LE(seen[i].best_makespan, seen[i - 1].best_makespan);
    }
  }
  EXPECT_GE(seen.back().best_makespan, response.allocated_makespan());
}

// Cancelled at every call of progress that there is.
TEST(Session, CancelledAnywhere) {
  struct State {
    int left;
    torqsched_progress last = {};
  };
  for (int at = 0;; ++at) {
    SCOPED_TRACE(at);
    State state = {at, {}};
    torqsched_session_options options = TORQSCHED_SESSION_OPTIONS_INIT;
    options.user = &state;
    options.progress = [](void* user, const torqsched_progress* progress) {
      State* state = static_cast<State*>(user);
      state->last = *progress;
      return state->left-- > 0 ? 0 : 1;
    };
    const SessionPtr session = MakeSession(options);
    const Answer answer = Ask(kSchedule, WorkedExample(), session.get());
    if (state.left >= 0) {
      EXPECT_EQ(answer.code, TORQSCHED_OK);
      EXPECT_GT(at, 1);
      break;
    }
    EXPECT_EQ(state.left, -1) << "progress is told nothing after a cancel";
    ASSERT_EQ(answer.code, state.last.has_best ? TORQSCHED_OK : TORQSCHED_CANCELLED);
    EXPECT_EQ(at == 0, answer.code == TORQSCHED_CANCELLED);
    if (answer.code != TORQSCHED_OK) continue;
    const auto response = Parse<v1::ScheduleResponse>(answer.bytes);
    EXPECT_EQ(response.cancelled(), state.last.fraction < 1);
    const Answer checked = Ask(kVerify, ToVerify(WorkedExample(), response));
    EXPECT_EQ(Parse<v1::VerifyResponse>(checked.bytes).violations_size(), 0);
  }
}

TEST(Session, CallbackThatThrows) {
  torqsched_session_options options = TORQSCHED_SESSION_OPTIONS_INIT;
  options.progress = [](void*, const torqsched_progress*) -> int {
    throw std::runtime_error("thrown by the host");
  };
  const Answer answer = Ask(kSchedule, WorkedExample(), MakeSession(options).get());
  EXPECT_EQ(answer.code, TORQSCHED_INTERNAL);
  EXPECT_NE(Parse<v1::Error>(answer.bytes).message().find("thrown by the host"), std::string::npos);
}

TEST(Session, CallbackThatThrowsANumber) {
  torqsched_session_options options = TORQSCHED_SESSION_OPTIONS_INIT;
  options.progress = [](void*, const torqsched_progress*) -> int { throw 42; };
  EXPECT_EQ(Ask(kSchedule, WorkedExample(), MakeSession(options).get()).code, TORQSCHED_INTERNAL);
}

TEST(Session, SessionStaysUsableAfterACallbackThrew) {
  bool thrown = false;
  torqsched_session_options options = TORQSCHED_SESSION_OPTIONS_INIT;
  options.user = &thrown;
  options.reuse_arenas = 1;
  options.progress = [](void* user, const torqsched_progress*) -> int {
    if (!*static_cast<bool*>(user)) {
      *static_cast<bool*>(user) = true;
      throw std::bad_alloc();
    }
    return 0;
  };
  const SessionPtr session = MakeSession(options);
  EXPECT_EQ(Ask(kSchedule, WorkedExample(), session.get()).code, TORQSCHED_RESOURCE_EXHAUSTED);
  EXPECT_EQ(Ask(kSchedule, WorkedExample(), session.get()).code, TORQSCHED_OK);
}

// Cancelled at every call of progress that an allocation makes.
TEST(Session, AllocationCancelledAnywhere) {
  struct State {
    int left;
    double last = -1;
    int after_cancel = 0;
  };
  const v1::AllocateRequest request = RandomAllocation(1, 60);
  int cancelled_with_an_answer = 0;
  for (int at = 0;; ++at) {
    SCOPED_TRACE(at);
    State state = {at};
    torqsched_session_options options = TORQSCHED_SESSION_OPTIONS_INIT;
    options.user = &state;
    options.progress = [](void* user, const torqsched_progress* progress) {
      State* state = static_cast<State*>(user);
      EXPECT_EQ(progress->has_best, 0);
      EXPECT_GE(progress->fraction, state->last);
      state->last = progress->fraction;
      if (state->left < 0) ++state->after_cancel;
      return state->left-- > 0 ? 0 : 1;
    };
    const Answer answer = Ask(kAllocate, request, MakeSession(options).get());
    EXPECT_EQ(state.after_cancel, 0) << "progress is told nothing after a cancel";
    if (state.last == 1 || state.left >= 0) {
      EXPECT_EQ(answer.code, TORQSCHED_OK);
      EXPECT_FALSE(Parse<v1::AllocateResponse>(answer.bytes).cancelled());
      EXPECT_EQ(state.last, 1);
      EXPECT_GT(at, 0);
      break;
    }
    if (at == 0) {
      EXPECT_EQ(answer.code, TORQSCHED_CANCELLED);
    }
    if (answer.code == TORQSCHED_CANCELLED) continue;
    ++cancelled_with_an_answer;
    ASSERT_EQ(answer.code, TORQSCHED_OK);
    const auto response = Parse<v1::AllocateResponse>(answer.bytes);
    EXPECT_TRUE(response.cancelled());
    const Answer checked = Ask(kVerify, ToVerify(request, response));
    EXPECT_EQ(Parse<v1::VerifyResponse>(checked.bytes).violations_size(), 0);
    if (at > 200) at *= 2;
  }
  std::printf("%d cancelled with an answer\n", cancelled_with_an_answer);
}

TEST(Session, CallbackThatThrowsInAnAllocation) {
  torqsched_session_options options = TORQSCHED_SESSION_OPTIONS_INIT;
  int calls = 0;
  options.user = &calls;
  options.progress = [](void* user, const torqsched_progress*) -> int {
    if (++*static_cast<int*>(user) > 1) throw std::runtime_error("thrown by the host");
    return 0;
  };
  const Answer answer = Ask(kAllocate, RandomAllocation(1, 60), MakeSession(options).get());
  EXPECT_EQ(answer.code, TORQSCHED_INTERNAL);
}

// pthread_exit unwinds through the call; caught, it would abort the process.
TEST(Session, CallbackThatEndsItsThread) {
  torqsched_session_options options = TORQSCHED_SESSION_OPTIONS_INIT;
  options.progress = [](void*, const torqsched_progress*) -> int { pthread_exit(nullptr); };
  const SessionPtr session = MakeSession(options);
  pthread_t thread;
  const auto run = [](void* session) -> void* {
    const std::string request = WorkedExample().SerializeAsString();
    torqsched_buffer out;
    const torqsched_code code = torqsched_schedule(static_cast<torqsched_session*>(session),
                                                   request.data(), request.size(), &out);
    ADD_FAILURE() << "came back with " << code;
    torqsched_buffer_free(&out);
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, nullptr, run, session.get()), 0);
  ASSERT_EQ(pthread_join(thread, nullptr), 0);
  options.progress = nullptr;
  EXPECT_EQ(Ask(kSchedule, WorkedExample(), MakeSession(options).get()).code, TORQSCHED_OK);
}

// A callback may call another session, whose callback may then not call the first.
TEST(Session, ReentryThroughAnotherSession) {
  struct Chain {
    torqsched_session* first = nullptr;
    torqsched_session* second = nullptr;
    torqsched_code inner = TORQSCHED_OK;
    torqsched_code innermost = TORQSCHED_OK;
  };
  Chain chain;
  torqsched_session_options options = TORQSCHED_SESSION_OPTIONS_INIT;
  options.user = &chain;
  options.progress = [](void* user, const torqsched_progress*) {
    Chain* chain = static_cast<Chain*>(user);
    chain->innermost = Ask(kSchedule, WorkedExample(), chain->first).code;
    return 0;
  };
  const SessionPtr second = MakeSession(options);
  options.progress = [](void* user, const torqsched_progress*) {
    Chain* chain = static_cast<Chain*>(user);
    chain->inner = Ask(kSchedule, WorkedExample(), chain->second).code;
    return 0;
  };
  const SessionPtr first = MakeSession(options);
  chain.first = first.get();
  chain.second = second.get();
  EXPECT_EQ(Ask(kSchedule, WorkedExample(), first.get()).code, TORQSCHED_OK);
  EXPECT_EQ(chain.inner, TORQSCHED_OK);
  EXPECT_EQ(chain.innermost, TORQSCHED_FAILED_PRECONDITION);
}

// ---- The host's oracle
// ---------------------------------------------------------------------------

struct OracleState {
  std::string answer;  // in text format
  std::vector<v1::OracleRequest> requests;
};

Answer AskWithOracle(OracleState* state) {
  torqsched_session_options options = TORQSCHED_SESSION_OPTIONS_INIT;
  options.user = state;
  options.oracle = [](void* user, const void* request, size_t size, torqsched_buffer* response) {
    OracleState* state = static_cast<OracleState*>(user);
    v1::OracleRequest message;
    EXPECT_TRUE(message.ParseFromArray(request, static_cast<int>(size)));
    state->requests.push_back(message);
    const std::string bytes = FromText<v1::OracleResponse>(state->answer).SerializeAsString();
    return static_cast<int>(torqsched_buffer_assign(response, bytes.data(), bytes.size()));
  };
  v1::ScheduleRequest request = WorkedExample();
  request.mutable_options()->set_oracle(v1::ORACLE_HOST);
  return Ask(kSchedule, request, MakeSession(options).get());
}

TEST(HostOracle, IsNotAskedUnlessTheRequestSaysSo) {
  torqsched_session_options options = TORQSCHED_SESSION_OPTIONS_INIT;
  options.oracle = [](void*, const void*, size_t, torqsched_buffer*) { return 1; };
  EXPECT_EQ(Ask(kSchedule, WorkedExample(), MakeSession(options).get()).code, TORQSCHED_OK);
}

TEST(HostOracle, IsAskedAboutWholeOrders) {
  OracleState state = {"placed: true makespan: 250", {}};
  EXPECT_EQ(AskWithOracle(&state).code, TORQSCHED_OK);
  ASSERT_GE(state.requests.size(), 1u);
  for (const v1::OracleRequest& request : state.requests) {
    EXPECT_EQ(request.stream().SerializeAsString(), WorkedExample().stream().SerializeAsString());
    EXPECT_EQ(request.hardware().lram_bytes(), 1000u);
    EXPECT_EQ(request.order_size(), 10);
    EXPECT_EQ(request.starts_size(), 3);
    EXPECT_EQ(request.slices_size(), 3);
  }
}

TEST(HostOracle, AnswersThatContradictThemselves) {
  for (const char* answer : {
           "placed: true",                                            // no makespan
           "placed: true makespan: 410 swaps: 3",                     // swaps were not allowed
           "placed: true makespan: 250 placement { placed: false }",  // says both
           "placed: true makespan: 250 placement { placed: true moves { buffer: 99 } }",
       }) {
    SCOPED_TRACE(answer);
    OracleState state = {answer, {}};
    const Answer got = AskWithOracle(&state);
    EXPECT_EQ(got.code, TORQSCHED_INTERNAL);
    const auto error = Parse<v1::Error>(got.bytes);
    EXPECT_EQ(error.field().rfind("oracle_response", 0), 0u) << error.ShortDebugString();
  }
}

// Nothing that a host answers makes an answer that is not a permutation, or a crash.
TEST(HostOracle, LiesAreTheHostsOwn) {
  for (const char* answer :
       {"placed: true makespan: 0", "placed: true makespan: 18446744073709551615",
        "placed: false swaps: 7 message: 'no'"}) {
    SCOPED_TRACE(answer);
    OracleState state = {answer, {}};
    const Answer got = AskWithOracle(&state);
    if (got.code != TORQSCHED_OK) continue;
    const auto response = Parse<v1::ScheduleResponse>(got.bytes);
    EXPECT_EQ(response.order_size(), 10);
  }
}

// ---- Limits
// --------------------------------------------------------------------------------------

TEST(MemoryLimit, RefusesBeforeAndWhileParsing) {
  torqsched_session_options options = TORQSCHED_SESSION_OPTIONS_INIT;
  options.memory_limit_bytes = 1 << 20;
  const SessionPtr session = MakeSession(options);
  EXPECT_EQ(Ask(kSchedule, WorkedExample(), session.get()).code, TORQSCHED_OK);
  // A million ops of two bytes each: far more than a megabyte once parsed.
  std::string ops;
  for (int i = 0; i < 1000000; ++i) ops.append("\x1a\x00", 2);
  v1::ScheduleRequest request;
  ASSERT_TRUE(request.mutable_stream()->ParseFromString(ops));
  v1::PlanResidencyRequest plan;
  for (int i = 0; i < 100000; ++i) {
    if (i % 1000 == 0) plan.add_programs();
    plan.mutable_programs(i / 1000)->add_tensors();
  }
  v1::PlanWarmRequest warm;
  for (int i = 0; i < 100000; ++i) {
    if (i % 1000 == 0) warm.mutable_timeline()->add_kinds();
    warm.mutable_timeline()->mutable_kinds(i / 1000)->add_stages();
  }
  v1::JudgeWarmRequest judgement;
  for (int i = 0; i < 100000; ++i) judgement.add_series()->set_card(static_cast<uint32_t>(i / 2));
  v1::PlanTilesRequest tiles;
  for (int i = 0; i < 100000; ++i) tiles.add_loops();
  v1::LowerRequest table;
  for (int i = 0; i < 100000; ++i) table.mutable_network()->add_layers();
  for (const Answer& answer :
       {Ask(kSchedule, request, session.get()), Ask(kSimulate, request, session.get()),
        Ask(kVerify, request, session.get()), Ask(kAllocate, request, session.get()),
        Ask(kPlanResidency, plan, session.get()), Ask(kPlanWarm, warm, session.get()),
        Ask(kJudgeWarm, judgement, session.get()), Ask(kPlanTiles, tiles, session.get()),
        Ask(kLower, table, session.get())}) {
    EXPECT_EQ(answer.code, TORQSCHED_RESOURCE_EXHAUSTED);
    EXPECT_NE(Parse<v1::Error>(answer.bytes).message().find("once it is parsed"),
              std::string::npos);
  }
  v1::AllocateRequest allocation;
  for (int i = 0; i < 1000; ++i) allocation.add_buffers();
  EXPECT_EQ(Ask(kAllocate, allocation, session.get()).code, TORQSCHED_OK);
  for (int i = 0; i < 1000; ++i) allocation.add_buffers();
  for (const Answer& answer :
       {Ask(kAllocate, allocation, session.get()),
        Ask(kVerify, ToVerify(allocation, v1::AllocateResponse()), session.get())}) {
    EXPECT_EQ(answer.code, TORQSCHED_RESOURCE_EXHAUSTED);
    EXPECT_NE(Parse<v1::Error>(answer.bytes).message().find("estimated"), std::string::npos);
  }

  EXPECT_EQ(Ask(kPlanWarm, RandomWarm(1, 3), session.get()).code, TORQSCHED_OK);
  warm.mutable_timeline()->mutable_kinds()->DeleteSubrange(0, 99);
  EXPECT_EQ(Ask(kJudgeWarm, RandomJudgement(1, 100), session.get()).code, TORQSCHED_OK);
  judgement = RandomJudgement(1, 100);
  judgement.mutable_options()->set_resamples(100000);
  EXPECT_EQ(Ask(kPlanTiles, RandomTiles(1, 100), session.get()).code, TORQSCHED_OK);
  EXPECT_EQ(Ask(kLower, Products(30, 1, 16), session.get()).code, TORQSCHED_OK);
  for (const Answer& answer :
       {Ask(kPlanWarm, warm, session.get()), Ask(kJudgeWarm, judgement, session.get()),
        Ask(kPlanTiles, RandomTiles(1, 1000), session.get()),
        Ask(kLower, Products(130, 1, 16), session.get())}) {
    EXPECT_EQ(answer.code, TORQSCHED_RESOURCE_EXHAUSTED);
    EXPECT_NE(Parse<v1::Error>(answer.bytes).message().find("estimated"), std::string::npos);
  }

  request.mutable_stream()->mutable_ops()->DeleteSubrange(0, 1000000 - 4000);
  const Answer answer = Ask(kSchedule, request, session.get());
  EXPECT_EQ(answer.code, TORQSCHED_RESOURCE_EXHAUSTED);
  EXPECT_NE(Parse<v1::Error>(answer.bytes).message().find("estimated"), std::string::npos);
}

}  // namespace
}  // namespace testing
}  // namespace torqsched
