// Failed allocations, and how much memory calls take.
//
// Each call is repeated with its 1st, 2nd, 3rd ... allocation failing until it gets through. It
// must answer RESOURCE_EXHAUSTED each time, crash never, and give everything back.
#include <cstddef>
#include <cstdint>
#include <string>

#include "gtest/gtest.h"
#include "tests/capi/calls.h"
#include "tests/capi/counting_heap.h"
#include "tests/capi/lower_requests.h"
#include "tests/capi/residency_requests.h"
#include "tests/capi/streams.h"
#include "tests/capi/warm_requests.h"

namespace torqsched {
namespace testing {
namespace {

// One call whose nth allocation fails (and, if so asked, all after it). No gtest inside: it
// allocates too.
torqsched_code CallWithFailure(EntryPoint entry, const torqsched_session* session,
                               const std::string& request, int64_t nth, bool keeps_failing,
                               bool* got_through) {
  torqsched_buffer out;
  heap.fail_in = nth;
  heap.keeps_failing = keeps_failing;
  heap.failed = false;
  const torqsched_code code = entry(session, request.data(), request.size(), &out);
  *got_through = !heap.failed;
  heap.fail_in = 0;
  torqsched_buffer_free(&out);
  return code;
}

// Returns how many allocations the call makes.
int64_t FailEach(const Call& call, const torqsched_session* session, const std::string& request,
                 torqsched_code expected, bool keeps_failing, int64_t may_leak = 0) {
  bool got_through;
  // Once without failure: what is made once in a process is made now.
  EXPECT_EQ(CallWithFailure(call.entry, session, request, 0, false, &got_through), expected);
  for (int64_t nth = 1;; ++nth) {
    const int64_t live = heap.live;
    const int64_t live_bytes = heap.live_bytes;
    const torqsched_code code =
        CallWithFailure(call.entry, session, request, nth, keeps_failing, &got_through);
    const int64_t leaked = heap.live - live;
    const int64_t leaked_bytes = heap.live_bytes - live_bytes;
    if (got_through) {
      EXPECT_EQ(code, expected);
      return nth - 1;
    }
    // An allocation that a call can do without may fail unnoticed (the arenas a session keeps; an
    // error's details).
    EXPECT_TRUE(code == TORQSCHED_RESOURCE_EXHAUSTED || code == expected)
        << call.name << ", allocation " << nth << ": " << torqsched_code_name(code);
    if (session == nullptr) {
      EXPECT_LE(leaked, may_leak) << call.name << ", allocation " << nth << ": " << leaked_bytes;
    }
    if (::testing::Test::HasFailure()) return nth;
  }
}

std::string VerifyBytes(const v1::ScheduleRequest& request) {
  return ToVerify(request, ScheduleAndVerify(request)).SerializeAsString();
}

v1::ScheduleRequest Everything(v1::ScheduleRequest request) {
  request.mutable_options()->set_explain(true);
  request.mutable_options()->set_timeline(true);
  return request;
}

class FailedAllocation : public ::testing::TestWithParam<bool> {};

TEST_P(FailedAllocation, Schedule) {
  const v1::ScheduleRequest requests[] = {Everything(WorkedExample()),
                                          Everything(RandomRequest(3, 12))};
  for (const v1::ScheduleRequest& request : requests) {
    EXPECT_GT(FailEach(kSchedule, nullptr, request.SerializeAsString(), TORQSCHED_OK, GetParam()),
              20);
  }
}

TEST_P(FailedAllocation, Simulate) {
  v1::SimulateRequest request = ToSimulate(RandomRequest(3, 12));
  request.set_timeline(true);
  EXPECT_GT(FailEach(kSimulate, nullptr, request.SerializeAsString(), TORQSCHED_OK, GetParam()), 5);
}

TEST_P(FailedAllocation, Verify) {
  EXPECT_GT(FailEach(kVerify, nullptr, VerifyBytes(RandomRequest(3, 12)), TORQSCHED_OK, GetParam()),
            5);
}

TEST_P(FailedAllocation, Allocate) {
  for (uint64_t seed = 0; seed < 3; ++seed) {
    const v1::AllocateRequest request = RandomAllocation(seed, 12);
    EXPECT_GT(FailEach(kAllocate, nullptr, request.SerializeAsString(), TORQSCHED_OK, GetParam()),
              20);
  }
}

TEST_P(FailedAllocation, AllocateAStream) {
  v1::AllocateRequest request;
  ASSERT_TRUE(request.ParseFromString(RandomRequest(3, 12).SerializeAsString()));
  EXPECT_GT(FailEach(kAllocate, nullptr, request.SerializeAsString(), TORQSCHED_OK, GetParam()),
            20);
}

TEST_P(FailedAllocation, AllocateWithAnError) {
  v1::AllocateRequest request = RandomAllocation(0, 12);
  request.mutable_buffers(7)->set_lower(9);
  request.mutable_buffers(7)->set_upper(8);
  EXPECT_GT(FailEach(kAllocate, nullptr, request.SerializeAsString(), TORQSCHED_INVALID_ARGUMENT,
                     GetParam()),
            5);
}

TEST_P(FailedAllocation, PlanResidency) {
  for (uint64_t seed = 0; seed < 6; ++seed) {  // both strategies, with and without explanations
    const std::string bytes = RandomResidency(seed, 6).SerializeAsString();
    EXPECT_GT(FailEach(kPlanResidency, nullptr, bytes, TORQSCHED_OK, GetParam()), 50);
  }
  EXPECT_GT(FailEach(kPlanResidency, nullptr, NetworkWithStream().SerializeAsString(), TORQSCHED_OK,
                     GetParam()),
            50);
}

TEST_P(FailedAllocation, PlanResidencyWithAnError) {
  v1::PlanResidencyRequest program = RandomResidency(0, 6);
  program.mutable_programs(1)->mutable_tensors(5)->set_name("t0");
  v1::PlanResidencyRequest layer = NetworkWithStream();
  layer.mutable_network()->mutable_layers(2)->set_inputs(0, 2);
  v1::PlanResidencyRequest binding = NetworkWithStream();
  binding.mutable_streams(0)->mutable_bindings(0)->set_buffer(0);
  for (const v1::PlanResidencyRequest& request : {program, layer, binding}) {
    EXPECT_GT(FailEach(kPlanResidency, nullptr, request.SerializeAsString(),
                       TORQSCHED_INVALID_ARGUMENT, GetParam()),
              10);
  }
}

TEST_P(FailedAllocation, PlanWarm) {
  for (const uint64_t seed : {4, 6, 10, 15, 20}) {  // exact or not, with flips and traces
    v1::PlanWarmRequest request = RandomWarm(seed, 5);
    request.mutable_options()->set_exact_combinations(seed % 5 == 0 ? 1 : 8);
    request.mutable_options()->set_search_stages(100);  // thousands of calls
    EXPECT_GT(FailEach(kPlanWarm, nullptr, request.SerializeAsString(), TORQSCHED_OK, GetParam()),
              50);
  }
}

TEST_P(FailedAllocation, PlanWarmWithAnError) {
  v1::PlanWarmRequest name = RandomWarm(1, 5);
  name.mutable_timeline()->add_regions()->CopyFrom(name.timeline().regions(0));
  v1::PlanWarmRequest read = RandomWarm(1, 5);
  read.mutable_timeline()->mutable_kinds(0)->mutable_stages(0)->add_reads()->set_region(99);
  v1::PlanWarmRequest startup = RandomWarm(1, 5);
  startup.mutable_hardware()->set_startup(static_cast<v1::WarmStartup>(9));
  for (const v1::PlanWarmRequest& request : {name, read, startup}) {
    EXPECT_GT(FailEach(kPlanWarm, nullptr, request.SerializeAsString(), TORQSCHED_INVALID_ARGUMENT,
                       GetParam()),
              5);
  }
}

TEST_P(FailedAllocation, JudgeWarm) {
  for (uint64_t seed = 0; seed < 6; ++seed) {
    EXPECT_GT(FailEach(kJudgeWarm, nullptr, RandomJudgement(seed, 100).SerializeAsString(),
                       TORQSCHED_OK, GetParam()),
              50);
  }
  v1::JudgeWarmRequest wrong = RandomJudgement(0, 100);
  wrong.mutable_series(1)->set_times(0, 0);
  EXPECT_GT(FailEach(kJudgeWarm, nullptr, wrong.SerializeAsString(), TORQSCHED_INVALID_ARGUMENT,
                     GetParam()),
            5);
}

TEST_P(FailedAllocation, PlanTiles) {
  for (uint64_t seed = 0; seed < 3; ++seed) {
    const std::string bytes = RandomTiles(seed, 8).SerializeAsString();
    EXPECT_GT(FailEach(kPlanTiles, nullptr, bytes, TORQSCHED_OK, GetParam()), 5);
  }
  v1::PlanTilesRequest wrong = RandomTiles(0, 8);
  wrong.mutable_loops(7)->set_contraction(true);
  wrong.mutable_loops(7)->set_whole_row_bytes(0);
  EXPECT_GT(FailEach(kPlanTiles, nullptr, wrong.SerializeAsString(), TORQSCHED_INVALID_ARGUMENT,
                     GetParam()),
            5);
}

TEST_P(FailedAllocation, Lower) {
  for (const v1::LowerRequest& request : {OneOfEach(), RandomLowering(3, 4)}) {
    EXPECT_GT(FailEach(kLower, nullptr, request.SerializeAsString(), TORQSCHED_OK, GetParam()),
              100);
  }
}

// A trial that memory is short for is no trial that was worse: the call says so.
TEST_P(FailedAllocation, LowerWithTuning) {
  v1::LowerRequest request = Products(1, 2, 16);
  request.mutable_options()->mutable_tuning()->set_most_trials(2);
  EXPECT_GT(FailEach(kLower, nullptr, request.SerializeAsString(), TORQSCHED_OK, GetParam()), 300);
}

TEST_P(FailedAllocation, LowerWithAnError) {
  v1::LowerRequest edge = OneOfEach();
  edge.mutable_network()->mutable_layers(7)->set_inputs(0, 7);
  v1::LowerRequest op = OneOfEach();
  op.mutable_network()->mutable_layers(7)->set_op("none such");
  v1::LowerRequest programs = OneOfEach();
  programs.mutable_options()->set_most_programs(3);
  v1::LowerRequest oracle = OneOfEach();
  oracle.mutable_options()->mutable_tuning()->mutable_schedule()->set_candidates(0);
  for (const v1::LowerRequest& request : {edge, op, programs, oracle}) {
    EXPECT_GT(FailEach(kLower, nullptr, request.SerializeAsString(), TORQSCHED_INVALID_ARGUMENT,
                       GetParam()),
              10);
  }
}

TEST_P(FailedAllocation, VerifyAnAllocationWithViolations) {
  const v1::AllocateRequest request = RandomAllocation(0, 12);
  v1::AllocateResponse response = AllocateAndVerify(request);
  for (int i = 0; i < response.offsets_size(); ++i) response.set_offsets(i, 1);
  EXPECT_GT(FailEach(kVerify, nullptr, ToVerify(request, response).SerializeAsString(),
                     TORQSCHED_OK, GetParam()),
            5);
}

TEST_P(FailedAllocation, VerifyWithViolations) {
  v1::VerifyRequest request;
  ASSERT_TRUE(request.ParseFromString(VerifyBytes(WorkedExample())));
  request.mutable_schedule()->mutable_order()->SwapElements(0, 9);
  request.mutable_schedule()->mutable_order()->SwapElements(3, 5);
  EXPECT_GT(FailEach(kVerify, nullptr, request.SerializeAsString(), TORQSCHED_OK, GetParam()), 5);
}

TEST_P(FailedAllocation, RequestWithAnError) {
  v1::ScheduleRequest request = WorkedExample();
  request.mutable_stream()->mutable_ops(3)->add_operands(9);
  EXPECT_GT(FailEach(kSchedule, nullptr, request.SerializeAsString(), TORQSCHED_INVALID_ARGUMENT,
                     GetParam()),
            5);
}

// Protobuf 3.21 loses the string of an unknown field (32 bytes) where the list that it goes into
// cannot grow: the one leak that is not ours to mend. One allocation in many, never more than one
// string.
TEST_P(FailedAllocation, UnknownFields) {
  std::string bytes = WorkedExample().SerializeAsString();
  for (int i = 0; i < 40; ++i) bytes += std::string("\xca\x3e\x02hi\xc0\x3e\x2a", 8);
  EXPECT_GT(FailEach(kSchedule, nullptr, bytes, TORQSCHED_OK, GetParam(), /*may_leak=*/1), 5);
}

TEST_P(FailedAllocation, SessionWithEverything) {
  torqsched_session_options options = TORQSCHED_SESSION_OPTIONS_INIT;
  options.reuse_arenas = 1;
  options.log = [](void*, int32_t, const char*) {};
  options.progress = [](void*, const torqsched_progress*) { return 0; };
  options.oracle = [](void*, const void*, size_t, torqsched_buffer* response) {
    // OracleResponse{placed: true, makespan: 250}
    return static_cast<int>(torqsched_buffer_assign(response, "\x08\x01\x18\xfa\x01", 5));
  };
  const std::string bytes = WorkedExample().SerializeAsString();
  bool got_through = false;
  for (int64_t nth = 0; !got_through || nth == 1; ++nth) {
    const int64_t live = heap.live;
    torqsched_session* session = nullptr;
    ASSERT_EQ(torqsched_session_new(&options, &session, nullptr), TORQSCHED_OK);
    const torqsched_code code =
        CallWithFailure(&torqsched_schedule, session, bytes, nth, GetParam(), &got_through);
    // The session stays usable.
    bool unused;
    const torqsched_code again =
        CallWithFailure(&torqsched_schedule, session, bytes, 0, false, &unused);
    torqsched_session_free(session);
    const int64_t leaked = heap.live - live;
    // The callback's own failure is the host's: the call was given up.
    EXPECT_TRUE(code == TORQSCHED_OK || code == TORQSCHED_RESOURCE_EXHAUSTED ||
                code == TORQSCHED_ABORTED)
        << nth << ": " << torqsched_code_name(code);
    EXPECT_EQ(again, TORQSCHED_OK) << nth;
    if (nth > 0) {
      EXPECT_EQ(leaked, 0) << nth;
    }
    if (HasFailure()) break;
  }
}

TEST_P(FailedAllocation, NewSession) {
  for (int64_t nth = 1;; ++nth) {
    torqsched_session* session = nullptr;
    torqsched_buffer error;
    const int64_t live = heap.live;
    heap.fail_in = nth;
    heap.keeps_failing = GetParam();
    heap.failed = false;
    const torqsched_code code = torqsched_session_new(nullptr, &session, &error);
    const bool got_through = !heap.failed;
    heap.fail_in = 0;
    torqsched_buffer_free(&error);
    torqsched_session_free(session);
    EXPECT_EQ(heap.live, live);
    EXPECT_EQ(code, got_through ? TORQSCHED_OK : TORQSCHED_RESOURCE_EXHAUSTED);
    if (got_through) break;
  }
}

INSTANTIATE_TEST_SUITE_P(Once, FailedAllocation, ::testing::Values(false));
INSTANTIATE_TEST_SUITE_P(FromThenOn, FailedAllocation, ::testing::Values(true));

// ---- The estimate of torqsched.h against what calls take
// ------------------------------------------

uint64_t Estimate(const v1::Stream& stream, bool in_detail, size_t request_size) {
  uint64_t operands = 0;
  uint64_t accesses = 0;
  for (const v1::Op& op : stream.ops()) {
    operands += static_cast<uint64_t>(op.operands_size());
    accesses += static_cast<uint64_t>(op.accesses_size());
  }
  return 4 * request_size + (in_detail ? 1024u : 512u) * static_cast<uint64_t>(stream.ops_size()) +
         320 * static_cast<uint64_t>(stream.buffers_size()) + 96 * operands + 512 * accesses;
}

void ExpectWithinEstimateAsItIs(const std::string& scene, const v1::ScheduleRequest& request) {
  const std::string simulate = ToSimulate(request).SerializeAsString();
  const std::string verify = VerifyBytes(request);
  v1::ScheduleRequest optimize = request;
  optimize.mutable_options()->set_strategy(v1::STRATEGY_OPTIMIZE);
  optimize.mutable_options()->set_oracle(v1::ORACLE_OFFLINE);
  optimize.mutable_options()->set_work_limit(100000);
  const struct {
    const char* name;
    Call call;
    std::string bytes;
    bool in_detail;
    uint64_t more = 0;
  } kinds[] = {{"optimize", kSchedule, optimize.SerializeAsString(), false,
                1024 * static_cast<uint64_t>(request.stream().ops_size()) + 16 * 100000 + 67108864},
               {"schedule", kSchedule, request.SerializeAsString(), false},
               {"schedule in detail", kSchedule, Everything(request).SerializeAsString(), true},
               {"simulate", kSimulate, simulate, false},
               {"verify", kVerify, verify, false}};
  for (const auto& kind : kinds) {
    const uint64_t estimate =
        Estimate(request.stream(), kind.in_detail, kind.bytes.size()) + kind.more;
    const uint64_t peak = Peak(kind.call, kind.bytes);
    std::printf("%s, %s: %llu bytes of an estimated %llu\n", scene.c_str(), kind.name,
                static_cast<unsigned long long>(peak), static_cast<unsigned long long>(estimate));
    EXPECT_LE(peak, estimate) << scene << " " << kind.name;
  }
}

// Also where the price of an order takes the most to count.
void ExpectWithinEstimate(const std::string& scene, v1::ScheduleRequest request) {
  ExpectWithinEstimateAsItIs(scene, request);
  request.mutable_hardware()->set_non_blocking_transfers(true);
  for (v1::Op& op : *request.mutable_stream()->mutable_ops()) op.set_dma_share_percent(10);
  ExpectWithinEstimateAsItIs(scene + " and non-blocking transfers", request);
}

TEST(MemoryEstimate, Programs) { ExpectWithinEstimate("programs", RandomRequest(1, 10000)); }

TEST(MemoryEstimate, Barriers) {
  v1::ScheduleRequest request;
  for (int i = 0; i < 50000; ++i) request.mutable_stream()->add_ops();
  ExpectWithinEstimate("barriers", request);
}

TEST(MemoryEstimate, PureOpsWithOperands) {
  v1::ScheduleRequest request;
  for (uint32_t i = 0; i < 10000; ++i) {
    AddOp(request.mutable_stream(), "", v1::OP_KIND_PURE, 0);
    for (uint32_t k = 1; k <= 10 && k <= i; ++k) {
      request.mutable_stream()->mutable_ops(static_cast<int>(i))->add_operands(i - k);
    }
  }
  ExpectWithinEstimate("operands", request);
}

TEST(MemoryEstimate, LoadsWithAccesses) {
  v1::ScheduleRequest request;
  v1::Stream* stream = request.mutable_stream();
  for (int i = 0; i < 200; ++i) AddBuffer(stream, "", v1::SPACE_LRAM, 64);
  Random random(9);
  for (int i = 0; i < 2000; ++i) {
    AddOp(stream, "", v1::OP_KIND_LOAD, 1);
    for (int k = 0; k < 20; ++k) {
      AddAccess(stream, static_cast<uint32_t>(random.Below(200)),
                k == 0 ? v1::ACCESS_MODE_WRITE : v1::ACCESS_MODE_READ);
      v1::Access* access = stream->mutable_ops(i)->mutable_accesses(k);
      access->set_offset(random.Below(32));
      access->set_size(random.Below(32));
    }
  }
  ExpectWithinEstimate("accesses", request);
}

// What torqsched.h says for an allocation.
uint64_t Estimate(const v1::AllocateRequest& request, size_t request_size) {
  uint64_t constraints = 0;
  for (const v1::AllocationBuffer& buffer : request.buffers()) {
    constraints += static_cast<uint64_t>(buffer.gaps_size());
  }
  constraints += static_cast<uint64_t>(request.reserved_size() + request.boundaries_size() +
                                       request.aliases_size() + request.same_offset_size() +
                                       request.separate_size());
  return 4 * request_size + 1024 * static_cast<uint64_t>(request.buffers_size()) +
         256 * constraints;
}

void ExpectWithinEstimate(const char* scene, const v1::AllocateRequest& request) {
  const std::string allocate = request.SerializeAsString();
  const std::string verify =
      ToVerify(request, Parse<v1::AllocateResponse>(Ask(kAllocate, request).bytes))
          .SerializeAsString();
  const struct {
    const char* name;
    Call call;
    const std::string& bytes;
  } kinds[] = {{"allocate", kAllocate, allocate}, {"verify", kVerify, verify}};
  for (const auto& kind : kinds) {
    const uint64_t estimate = Estimate(request, kind.bytes.size());
    const uint64_t peak = Peak(kind.call, kind.bytes);
    std::printf("%s, %s: %llu bytes of an estimated %llu\n", scene, kind.name,
                static_cast<unsigned long long>(peak), static_cast<unsigned long long>(estimate));
    EXPECT_LE(peak, estimate) << scene << " " << kind.name;
  }
}

TEST(MemoryEstimate, Allocations) {
  ExpectWithinEstimate("many buffers", RandomAllocation(0, 10000));
  ExpectWithinEstimate("few buffers, searched", RandomAllocation(1, 500));
  v1::AllocateRequest request;
  for (int i = 0; i < 1000; ++i) {
    v1::AllocationBuffer* const buffer = request.add_buffers();
    buffer->set_upper(1000);
    buffer->set_size(1);
    for (uint64_t k = 0; k < 50; ++k) {
      v1::TimeRange* const gap = buffer->add_gaps();
      gap->set_lower(20 * k);
      gap->set_upper(20 * k + 1);
    }
  }
  ExpectWithinEstimate("gaps", request);
}

TEST(MemoryEstimate, Buffers) {
  v1::ScheduleRequest request;
  for (int i = 0; i < 50000; ++i) AddBuffer(request.mutable_stream(), "", v1::SPACE_LRAM, 64);
  ExpectWithinEstimate("buffers", request);
}

}  // namespace
}  // namespace testing
}  // namespace torqsched
