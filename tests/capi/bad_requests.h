// What tests of bad requests share: a scene of one, and what must hold of its error; sessions with
// a memory limit, and what must hold of that.
#ifndef TORQSCHED_TESTS_CAPI_BAD_REQUESTS_H_
#define TORQSCHED_TESTS_CAPI_BAD_REQUESTS_H_

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>

#include "absl/strings/string_view.h"
#include "google/protobuf/message.h"
#include "gtest/gtest.h"
#include "tests/capi/calls.h"

namespace torqsched {
namespace testing {

// Whether the request has such a place: "timeline.kinds[1].stages[0].writes". Fields may be unset,
// but whatever is counted must be there.
bool HasPlace(const google::protobuf::Message& request, absl::string_view path);

struct Bad {
  const char* scene;
  const char* request;  // in text format
  const char* field;
  const char* message;
};

void PrintTo(const Bad& bad, std::ostream* out);

// INVALID_ARGUMENT at a field that the request has, with the whole message.
void ExpectRefused(const Call& call, const Bad& bad, const google::protobuf::Message& request);

template <typename Request>
void ExpectRefused(const Call& call, const Bad& bad) {
  ExpectRefused(call, bad, FromText<Request>(bad.request));
}

// Bytes that are no message of the call's: type is "torqsched.v1.PlanWarmRequest".
void ExpectNoMessage(const Call& call, absl::string_view type, const std::string& bytes);

struct FreeSession {
  void operator()(torqsched_session* session) const { torqsched_session_free(session); }
};
using SessionPtr = std::unique_ptr<torqsched_session, FreeSession>;

SessionPtr MakeSession(const torqsched_session_options& options);

// One whose calls may take so many bytes.
SessionPtr Limited(uint64_t bytes);

// Within the estimate of torqsched.h, and one byte short of it.
void ExpectLimitAt(const Call& call, const google::protobuf::Message& request,
                   uint64_t beside_bytes);

}  // namespace testing
}  // namespace torqsched

#endif  // TORQSCHED_TESTS_CAPI_BAD_REQUESTS_H_
