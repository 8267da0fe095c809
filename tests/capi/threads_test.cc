// Same request, same bytes: on repeated runs, from several threads at once, with and without a
// session, and for any number of worker threads.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "tests/capi/calls.h"
#include "tests/capi/lower_requests.h"
#include "tests/capi/residency_requests.h"
#include "tests/capi/streams.h"
#include "tests/capi/warm_requests.h"

namespace torqsched {
namespace testing {
namespace {

class Threads : public ::testing::Test {
 protected:
  Threads() {
    requests_.push_back(WorkedExample());
    for (uint64_t seed = 0; seed < 12; ++seed) {
      requests_.push_back(RandomRequest(seed, static_cast<uint32_t>(4 + 6 * seed)));
      requests_.back().mutable_options()->set_explain(seed % 2 == 0);
      requests_.back().mutable_options()->set_timeline(seed % 3 == 0);
    }
    for (const v1::ScheduleRequest& request : requests_) {
      expected_.push_back(Ask(kSchedule, request));
      EXPECT_EQ(expected_.back().code, TORQSCHED_OK);
    }
    for (uint32_t seed = 0; seed < 6; ++seed) {
      allocations_.push_back(RandomAllocation(seed, 5 + 20 * seed));
      expected_allocations_.push_back(Ask(kAllocate, allocations_.back()));
      EXPECT_EQ(expected_allocations_.back().code, TORQSCHED_OK);
    }
    plans_.push_back(NetworkWithStream());
    for (uint32_t seed = 0; seed < 6; ++seed) plans_.push_back(RandomResidency(seed, 5 + 8 * seed));
    for (const v1::PlanResidencyRequest& plan : plans_) {
      expected_plans_.push_back(Ask(kPlanResidency, plan));
      EXPECT_EQ(expected_plans_.back().code, TORQSCHED_OK);
    }
    for (uint32_t seed = 0; seed < 6; ++seed) {
      warms_.push_back(RandomWarm(seed, 4 + 2 * seed));
      expected_warms_.push_back(Ask(kPlanWarm, warms_.back()));
      EXPECT_EQ(expected_warms_.back().code, TORQSCHED_OK);
      judgements_.push_back(RandomJudgement(seed, 20 + 40 * seed));
      expected_judgements_.push_back(Ask(kJudgeWarm, judgements_.back()));
      EXPECT_EQ(expected_judgements_.back().code, TORQSCHED_OK);
    }
    for (uint32_t seed = 0; seed < 6; ++seed) {
      tilings_.push_back(RandomTiles(seed, 4 + 10 * seed));
      expected_tilings_.push_back(Ask(kPlanTiles, tilings_.back()));
      EXPECT_EQ(expected_tilings_.back().code, TORQSCHED_OK);
      lowerings_.push_back(RandomLowering(seed, 3 + 2 * seed));
      if (seed % 3 == 0) {
        lowerings_.back().mutable_options()->mutable_tuning()->set_most_trials(6);
      }
      expected_lowerings_.push_back(Ask(kLower, lowerings_.back()));
      EXPECT_EQ(expected_lowerings_.back().code, TORQSCHED_OK);
    }
  }

  // All requests, in an order that differs from thread to thread.
  void RunFrom(const torqsched_session* session, int thread) const {
    RunEach(kSchedule, requests_, expected_, session, thread);
    RunEach(kAllocate, allocations_, expected_allocations_, session, thread);
    RunEach(kPlanResidency, plans_, expected_plans_, session, thread);
    RunEach(kPlanWarm, warms_, expected_warms_, session, thread);
    RunEach(kJudgeWarm, judgements_, expected_judgements_, session, thread);
    RunEach(kPlanTiles, tilings_, expected_tilings_, session, thread);
    RunEach(kLower, lowerings_, expected_lowerings_, session, thread);
  }

  template <typename Request>
  static void RunEach(const Call& call, const std::vector<Request>& requests,
                      const std::vector<Answer>& expected, const torqsched_session* session,
                      int thread) {
    for (size_t i = 0; i < requests.size(); ++i) {
      const size_t which = (i + static_cast<size_t>(thread)) % requests.size();
      const Answer answer = Ask(call, requests[which], session);
      EXPECT_EQ(answer.code, expected[which].code);
      EXPECT_TRUE(answer.bytes == expected[which].bytes) << call.name << " " << which;
    }
  }

  void RunOn(const torqsched_session* session, int count) const {
    std::vector<std::thread> threads;
    for (int i = 0; i < count; ++i) threads.emplace_back([=] { RunFrom(session, i); });
    for (std::thread& thread : threads) thread.join();
  }

  std::vector<v1::ScheduleRequest> requests_;
  std::vector<Answer> expected_;
  std::vector<v1::AllocateRequest> allocations_;
  std::vector<Answer> expected_allocations_;
  std::vector<v1::PlanResidencyRequest> plans_;
  std::vector<Answer> expected_plans_;
  std::vector<v1::PlanWarmRequest> warms_;
  std::vector<Answer> expected_warms_;
  std::vector<v1::JudgeWarmRequest> judgements_;
  std::vector<Answer> expected_judgements_;
  std::vector<v1::PlanTilesRequest> tilings_;
  std::vector<Answer> expected_tilings_;
  std::vector<v1::LowerRequest> lowerings_;
  std::vector<Answer> expected_lowerings_;
};

TEST_F(Threads, SameBytesWithoutASession) {
  for (const int count : {1, 2, 8}) RunOn(nullptr, count);
}

TEST_F(Threads, SameBytesFromOneSession) {
  for (const uint32_t workers : {0u, 1u, 2u, 8u}) {
    torqsched_session_options options = TORQSCHED_SESSION_OPTIONS_INIT;
    options.worker_threads = workers;
    options.reuse_arenas = workers % 2;
    torqsched_session* session = nullptr;
    ASSERT_EQ(torqsched_session_new(&options, &session, nullptr), TORQSCHED_OK);
    RunOn(session, 8);
    RunOn(session, 1);
    torqsched_session_free(session);
  }
}

TEST_F(Threads, SameBytesFromASessionThatKeepsArenas) {
  torqsched_session_options options = TORQSCHED_SESSION_OPTIONS_INIT;
  options.reuse_arenas = 1;
  torqsched_session* session = nullptr;
  ASSERT_EQ(torqsched_session_new(&options, &session, nullptr), TORQSCHED_OK);
  for (int repeat = 0; repeat < 3; ++repeat) RunOn(session, 8);
  torqsched_session_free(session);
}

// ThreadSanitizer has no threads after a fork, and says so by ending the child.
#if !defined(__SANITIZE_THREAD__)
// A host that forks while its threads are in calls: the child has their session, and no lock that
// one of them held may stop it there.
TEST_F(Threads, AForkedChildMakesCallsOnTheSameSession) {
  torqsched_session_options options = TORQSCHED_SESSION_OPTIONS_INIT;
  options.reuse_arenas = 1;
  torqsched_session* session = nullptr;
  ASSERT_EQ(torqsched_session_new(&options, &session, nullptr), TORQSCHED_OK);
  std::string request;
  ASSERT_TRUE(v1::ScheduleRequest(requests_[0]).SerializeToString(&request));

  std::atomic<bool> done{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      while (!done) {
        torqsched_buffer out;
        EXPECT_EQ(torqsched_simulate(session, "\x0a\x00", 2, &out), TORQSCHED_OK);
        torqsched_buffer_free(&out);
      }
    });
  }
  int failed = 0;
  for (int i = 0; i < 200 && failed == 0; ++i) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      alarm(20);  // a child that hangs ends by a signal
      torqsched_buffer out;
      const bool right =
          torqsched_schedule(session, request.data(), request.size(), &out) == TORQSCHED_OK &&
          std::string(static_cast<const char*>(out.data), out.size) == expected_[0].bytes;
      _exit(right ? 0 : 1);
    }
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    if (status != 0) ++failed;
  }
  done = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failed, 0);
  torqsched_session_free(session);
}
#endif

}  // namespace
}  // namespace testing
}  // namespace torqsched
