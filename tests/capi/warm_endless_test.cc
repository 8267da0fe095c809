// Small requests in which the model once went on in ever smaller steps, or divided by zero: each is
// answered, and with what can be seen at a glance right.
#include <string>

#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "tests/capi/calls.h"
#include "tests/capi/warm_requests.h"
#include "torqsched/v1/warm.pb.h"

namespace torqsched {
namespace testing {
namespace {

void ExpectAnswered(const std::string& text) {
  v1::PlanWarmRequest request;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &request));
  const Answer answer = Ask(kPlanWarm, request.SerializeAsString());
  ASSERT_EQ(answer.code, TORQSCHED_OK);
  v1::PlanWarmResponse response;
  ASSERT_TRUE(response.ParseFromString(answer.bytes));
  EXPECT_EQ(WrongAtAGlance(request, response), "");
}

// The one that follows catches up with the one before it byte by byte.
TEST(WarmEndless, TwoStagesAtOnceReadOneRegion) {
  ExpectAnswered(
      R"(timeline { regions { name: "w" bytes: 100000000 } kinds { stages { duration_ns: 100000 resident_ns: 50000 reads {} } stages { duration_ns: 1000 after {} } stages { duration_ns: 100000 resident_ns: 50000 reads {} after { stages: 1 } } } parallel_stages: 2 } hardware { l2_bytes: 50000000 })");
}

TEST(WarmEndless, WhatIsInL2PassesMoreSlowlyThanItsReaderReads) {
  ExpectAnswered(
      R"(timeline { regions { bytes: 10000000 } kinds { input: "x" stages { duration_ns: 60000 reads { } other_bytes: 10000000 } } } hardware { l2_bytes: 15000000 engine { bytes: 15000 } engine_hits { bytes: 40 } })");
}

// Ages of bytes slide along the edge of L2.
TEST(WarmEndless, BytesLeaveL2JustBeforeTheyAreRead) {
  ExpectAnswered(
      R"(timeline { regions { bytes: 5346680 } regions { name: "r2" bytes: 9176754 } regions { name: "r3" bytes: 9580843 } kinds { stages { duration_ns: 34433 reads {} reads { region: 1 beside_previous: true } reads { region: 2 } } stages { duration_ns: 4294967295 reads {} } } } hardware { l2_bytes: 16956525 })");
}

TEST(WarmEndless, AnEngineIsABitAheadOfItsReaderAndMovesNothing) {
  ExpectAnswered(
      R"(timeline { regions { bytes: 11236304 } regions { name: "r2" bytes: 10915689 } regions { name: "r3" bytes: 5323209 } regions { name: "r4" bytes: 8448756 } regions { name: "r5" bytes: 6720413 } regions { name: "r6" bytes: 8942045 } regions { name: "r7" bytes: 7237288 } kinds { stages { reads { region: 1 } writes: "t0" } stages { duration_ns: 49947 } stages { duration_ns: 93919 reads { region: 1 } reads { region: 3 beside_previous: true } reads { region: 6 bytes: 3927249 } } } } hardware { l2_bytes: 16159989 memory { bytes: 1028 } issue_ns: 11801 } options { flips: true })");
}

}  // namespace
}  // namespace testing
}  // namespace torqsched
