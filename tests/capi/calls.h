// The C interface as C++ tests like it: messages in, code and message out, nothing to free.
#ifndef TORQSCHED_TESTS_CAPI_CALLS_H_
#define TORQSCHED_TESTS_CAPI_CALLS_H_

#include <string>

#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "torqsched/torqsched.h"
#include "torqsched/v1/allocate.pb.h"
#include "torqsched/v1/error.pb.h"
#include "torqsched/v1/residency.pb.h"
#include "torqsched/v1/schedule.pb.h"
#include "torqsched/v1/simulate.pb.h"
#include "torqsched/v1/verify.pb.h"

namespace torqsched {
namespace testing {

// The entry point of a call, and its name.
using EntryPoint = torqsched_code (*)(const torqsched_session*, const void*, size_t,
                                      torqsched_buffer*);

struct Call {
  const char* name;
  EntryPoint entry;
};

constexpr Call kSchedule = {"schedule", &torqsched_schedule};
constexpr Call kSimulate = {"simulate", &torqsched_simulate};
constexpr Call kVerify = {"verify", &torqsched_verify};
constexpr Call kAllocate = {"allocate", &torqsched_allocate};
constexpr Call kPlanResidency = {"plan_residency", &torqsched_plan_residency};
constexpr Call kPlanWarm = {"plan_warm", &torqsched_plan_warm};
constexpr Call kJudgeWarm = {"judge_warm", &torqsched_judge_warm};
constexpr Call kPlanTiles = {"plan_tiles", &torqsched_plan_tiles};
constexpr Call kLower = {"lower", &torqsched_lower};
constexpr Call kCalls[] = {kSchedule, kSimulate,  kVerify,    kAllocate, kPlanResidency,
                           kPlanWarm, kJudgeWarm, kPlanTiles, kLower};

struct Answer {
  torqsched_code code = TORQSCHED_OK;
  std::string bytes;
};

// Makes the call, takes the bytes over, and frees the buffer, twice.
inline Answer Ask(const Call& call, const std::string& request,
                  const torqsched_session* session = nullptr) {
  Answer answer;
  torqsched_buffer out;
  answer.code = call.entry(session, request.data(), request.size(), &out);
  EXPECT_EQ(out.data == nullptr, out.size == 0);
  if (out.size != 0) answer.bytes.assign(static_cast<const char*>(out.data), out.size);
  torqsched_buffer_free(&out);
  EXPECT_EQ(out.data, nullptr);
  EXPECT_EQ(out.size, 0u);
  torqsched_buffer_free(&out);
  return answer;
}

template <typename Message>
Answer Ask(const Call& call, const Message& request, const torqsched_session* session = nullptr) {
  return Ask(call, request.SerializeAsString(), session);
}

template <typename Message>
Message Parse(const std::string& bytes) {
  Message message;
  EXPECT_TRUE(message.ParseFromString(bytes)) << message.GetTypeName();
  return message;
}

template <typename Message>
Message FromText(const std::string& text) {
  Message message;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &message)) << text;
  return message;
}

// The request of a simulate or verify call about the same stream and chip.
inline v1::SimulateRequest ToSimulate(const v1::ScheduleRequest& request) {
  v1::SimulateRequest simulate;
  *simulate.mutable_stream() = request.stream();
  if (request.has_hardware()) *simulate.mutable_hardware() = request.hardware();
  return simulate;
}

inline v1::VerifyRequest ToVerify(const v1::ScheduleRequest& request,
                                  const v1::ScheduleResponse& response) {
  v1::VerifyRequest verify;
  *verify.mutable_stream() = request.stream();
  if (request.has_hardware()) *verify.mutable_hardware() = request.hardware();
  *verify.mutable_schedule() = response;
  return verify;
}

// Schedules, and has the answer verified; the response of the first call.
inline v1::ScheduleResponse ScheduleAndVerify(const v1::ScheduleRequest& request,
                                              const torqsched_session* session = nullptr) {
  const Answer answer = Ask(kSchedule, request, session);
  EXPECT_EQ(answer.code, TORQSCHED_OK) << Parse<v1::Error>(answer.bytes).ShortDebugString();
  if (answer.code != TORQSCHED_OK) return v1::ScheduleResponse();
  const auto response = Parse<v1::ScheduleResponse>(answer.bytes);
  const Answer checked = Ask(kVerify, ToVerify(request, response));
  EXPECT_EQ(checked.code, TORQSCHED_OK) << Parse<v1::Error>(checked.bytes).ShortDebugString();
  const auto verification = Parse<v1::VerifyResponse>(checked.bytes);
  EXPECT_EQ(verification.violations_size(), 0) << verification.DebugString();
  return response;
}

inline v1::VerifyRequest ToVerify(const v1::AllocateRequest& request,
                                  const v1::AllocateResponse& response) {
  v1::VerifyRequest verify;
  *verify.mutable_allocate_request() = request;
  *verify.mutable_allocate_response() = response;
  return verify;
}

// Allocates, and has the answer verified; the response of the first call.
inline v1::AllocateResponse AllocateAndVerify(const v1::AllocateRequest& request,
                                              const torqsched_session* session = nullptr) {
  const Answer answer = Ask(kAllocate, request, session);
  EXPECT_EQ(answer.code, TORQSCHED_OK) << Parse<v1::Error>(answer.bytes).ShortDebugString();
  if (answer.code != TORQSCHED_OK) return v1::AllocateResponse();
  const auto response = Parse<v1::AllocateResponse>(answer.bytes);
  const Answer checked = Ask(kVerify, ToVerify(request, response));
  EXPECT_EQ(checked.code, TORQSCHED_OK) << Parse<v1::Error>(checked.bytes).ShortDebugString();
  const auto verification = Parse<v1::VerifyResponse>(checked.bytes);
  EXPECT_EQ(verification.violations_size(), 0) << verification.DebugString();
  return response;
}

}  // namespace testing
}  // namespace torqsched

#endif  // TORQSCHED_TESTS_CAPI_CALLS_H_
