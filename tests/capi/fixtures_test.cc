// The streams of testdata/streams through the C interface: the checker agrees with every answer,
// and an answer is the same bytes on repeated runs and from 1, 2 and 8 threads at once.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "tests/capi/calls.h"

namespace torqsched {
namespace testing {
namespace {

struct Fixture {
  std::string name;
  std::string request;
  Answer answer;
};

std::vector<Fixture> ReadFixtures() {
  std::vector<Fixture> fixtures;
  for (const auto& entry : std::filesystem::directory_iterator("testdata/streams")) {
    const std::string extension = entry.path().extension();
    if (extension != ".txtpb" && extension != ".binpb") continue;
    std::ifstream file(entry.path(), std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(file)), {});
    if (extension == ".txtpb") bytes = FromText<v1::ScheduleRequest>(bytes).SerializeAsString();
    fixtures.push_back({entry.path().filename(), bytes, {}});
  }
  std::sort(fixtures.begin(), fixtures.end(),
            [](const Fixture& a, const Fixture& b) { return a.name < b.name; });
  return fixtures;
}

void ExpectSameBytes(const std::vector<Fixture>& fixtures, const torqsched_session* session,
                     size_t first) {
  for (size_t i = 0; i < fixtures.size(); ++i) {
    const Fixture& fixture = fixtures[(first + i) % fixtures.size()];
    const Answer answer = Ask(kSchedule, fixture.request, session);
    EXPECT_EQ(answer.code, TORQSCHED_OK) << fixture.name;
    EXPECT_TRUE(answer.bytes == fixture.answer.bytes) << fixture.name;
  }
}

TEST(Fixtures, VerifiedAndTheSameBytesFromThreads) {
  std::vector<Fixture> fixtures = ReadFixtures();
  ASSERT_GE(fixtures.size(), 2u);
  for (Fixture& fixture : fixtures) {
    SCOPED_TRACE(fixture.name);
    ScheduleAndVerify(Parse<v1::ScheduleRequest>(fixture.request));
    fixture.answer = Ask(kSchedule, fixture.request);
  }
  torqsched_session_options options = TORQSCHED_SESSION_OPTIONS_INIT;
  options.reuse_arenas = 1;
  options.worker_threads = 2;
  torqsched_session* session = nullptr;
  ASSERT_EQ(torqsched_session_new(&options, &session, nullptr), TORQSCHED_OK);
  for (const size_t count : {1, 2, 8}) {
    std::vector<std::thread> threads;
    for (size_t i = 0; i < count; ++i) {
      threads.emplace_back([&, i] { ExpectSameBytes(fixtures, i % 2 ? session : nullptr, i); });
    }
    for (std::thread& thread : threads) thread.join();
  }
  torqsched_session_free(session);
}

}  // namespace
}  // namespace testing
}  // namespace torqsched
