// Requests that look odd and are legal, and requests that are large.
#include <pthread.h>

#include <cstdint>
#include <string>

#include "gtest/gtest.h"
#include "tests/capi/calls.h"
#include "tests/capi/streams.h"

namespace torqsched {
namespace testing {
namespace {

TEST(LegalInput, WorkedExample) {
  const v1::ScheduleResponse response = ScheduleAndVerify(WorkedExample());
  EXPECT_EQ(response.input_makespan(), 410u);
  EXPECT_EQ(response.predicted_makespan(), 250u);
  EXPECT_EQ(response.allocated_makespan(), 250u);
  EXPECT_FALSE(response.cancelled());
}

TEST(LegalInput, EmptyStream) {
  v1::ScheduleRequest request;
  request.mutable_stream();
  const v1::ScheduleResponse response = ScheduleAndVerify(request);
  EXPECT_EQ(response.order_size(), 0);
  EXPECT_EQ(response.input_makespan(), 0u);
  EXPECT_EQ(Ask(kSimulate, ToSimulate(request)).code, TORQSCHED_OK);
}

TEST(LegalInput, BarriersOnly) {
  v1::ScheduleRequest request;
  for (int i = 0; i < 10; ++i) AddOp(request.mutable_stream(), "host call", v1::OP_KIND_BARRIER, 7);
  const v1::ScheduleResponse response = ScheduleAndVerify(request);
  ASSERT_EQ(response.order_size(), 10);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(response.order(i), static_cast<uint32_t>(i));
  EXPECT_EQ(response.predicted_makespan(), 70u);
}

TEST(LegalInput, UnknownKindIsABarrier) {
  v1::ScheduleRequest request;
  request.mutable_stream()->add_ops()->set_kind(static_cast<v1::OpKind>(1234567));
  request.mutable_stream()->mutable_ops(0)->set_cycles(3);
  EXPECT_EQ(ScheduleAndVerify(request).predicted_makespan(), 3u);
}

TEST(LegalInput, PureOpsOnly) {
  v1::ScheduleRequest request;
  for (uint32_t i = 0; i < 10; ++i) {
    AddOp(request.mutable_stream(), "view", v1::OP_KIND_PURE, 0);
    if (i > 0) request.mutable_stream()->mutable_ops(i)->add_operands(i - 1);
  }
  EXPECT_EQ(ScheduleAndVerify(request).order_size(), 10);
}

TEST(LegalInput, ZeroSizedBuffers) {
  v1::ScheduleRequest request = WorkedExample();
  for (v1::Buffer& buffer : *request.mutable_stream()->mutable_buffers()) buffer.set_size(0);
  EXPECT_EQ(ScheduleAndVerify(request).order_size(), 10);
  request.mutable_hardware()->set_lram_bytes(0);
  EXPECT_EQ(ScheduleAndVerify(request).order_size(), 10);
}

TEST(LegalInput, UnusedBufferLargerThanLram) {
  v1::ScheduleRequest request = WorkedExample();
  AddBuffer(request.mutable_stream(), "unused", v1::SPACE_LRAM, UINT64_MAX);
  EXPECT_EQ(ScheduleAndVerify(request).predicted_makespan(), 250u);
}

TEST(LegalInput, SizesAndCyclesAtTheEdge) {
  v1::ScheduleRequest request;
  v1::Stream* stream = request.mutable_stream();
  const uint32_t huge = AddBuffer(stream, "huge", v1::SPACE_XRAM, UINT64_MAX);
  AddOp(stream, "all of it", v1::OP_KIND_BARRIER, UINT64_MAX - 1);
  AddAccess(stream, huge, v1::ACCESS_MODE_READ_WRITE);
  EXPECT_EQ(ScheduleAndVerify(request).predicted_makespan(), UINT64_MAX - 1);
}

TEST(LegalInput, OneBufferReadBy1024Programs) {
  v1::ScheduleRequest request;
  v1::Stream* stream = request.mutable_stream();
  const uint32_t shared = AddBuffer(stream, "shared", v1::SPACE_LRAM, 4096);
  AddOp(stream, "load", v1::OP_KIND_LOAD, 100);
  AddAccess(stream, shared, v1::ACCESS_MODE_WRITE);
  for (int i = 0; i < 1024; ++i) {
    const uint32_t start = AddOp(stream, "program", v1::OP_KIND_START, 10);
    AddAccess(stream, shared, v1::ACCESS_MODE_READ);
    AddOp(stream, "wait", v1::OP_KIND_WAIT, 0);
    stream->mutable_ops(stream->ops_size() - 1)->set_start(start);
  }
  EXPECT_EQ(ScheduleAndVerify(request).starts_size(), 1024);
}

TEST(LegalInput, AllocationOfNothing) {
  const v1::AllocateResponse response = AllocateAndVerify(v1::AllocateRequest());
  EXPECT_EQ(response.verdict(), v1::ALLOCATION_VERDICT_PLACED);
  EXPECT_EQ(response.height(), 0u);
  EXPECT_TRUE(response.proven_least());
}

TEST(LegalInput, AllocationOfTwoBuffersThatAreNeverLiveTogether) {
  const auto request = FromText<v1::AllocateRequest>(
      "buffers { upper: 5 size: 100 } buffers { lower: 5 upper: 6 size: 80 } capacity: 100");
  const v1::AllocateResponse response = AllocateAndVerify(request);
  EXPECT_EQ(response.verdict(), v1::ALLOCATION_VERDICT_PLACED);
  ASSERT_EQ(response.offsets_size(), 2);
  EXPECT_EQ(response.height(), 100u);
  EXPECT_EQ(response.lower_bound(), 100u);
  EXPECT_TRUE(response.proven_least());
}

TEST(LegalInput, AllocationThatDoesNotFitIsAnAnswer) {
  const auto request = FromText<v1::AllocateRequest>(
      "buffers { upper: 5 size: 100 } buffers { upper: 9 size: 3 } "
      "buffers { lower: 4 upper: 6 size: 80 } capacity: 179");
  const v1::AllocateResponse response = AllocateAndVerify(request);
  EXPECT_EQ(response.verdict(), v1::ALLOCATION_VERDICT_INFEASIBLE);
  EXPECT_EQ(response.offsets_size(), 0);
  ASSERT_EQ(response.conflict_size(), 2);
  EXPECT_EQ(response.conflict(0), 0u);
  EXPECT_EQ(response.conflict(1), 2u);
  EXPECT_EQ(response.lower_bound(), 183u);
}

// x, w and o of three programs: at most w1, o1 and another pair are live at once.
TEST(LegalInput, AllocationOfAStreamInTwoOrders) {
  v1::AllocateRequest request;
  ASSERT_TRUE(request.ParseFromString(WorkedExample().SerializeAsString()));
  const v1::AllocateResponse response = AllocateAndVerify(request);
  EXPECT_EQ(response.verdict(), v1::ALLOCATION_VERDICT_PLACED);
  EXPECT_EQ(response.offsets_size(), 10);
  EXPECT_EQ(response.height(), 300u);
  const v1::ScheduleResponse schedule = ScheduleAndVerify(WorkedExample());
  *request.mutable_order() = schedule.order();
  EXPECT_GE(AllocateAndVerify(request).height(), schedule.peak_live_bytes());
}

TEST(LegalInput, RandomAllocationsHold) {
  int verdicts[4] = {};
  for (uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    ++verdicts[AllocateAndVerify(RandomAllocation(seed, 3 + seed % 40)).verdict()];
  }
  EXPECT_GT(verdicts[v1::ALLOCATION_VERDICT_PLACED], 50);
  EXPECT_GT(verdicts[v1::ALLOCATION_VERDICT_INFEASIBLE], 50);
}

// Runs on a thread whose stack is a quarter of what Rust gives its own: no recursion may be as deep
// as the input.
void OnASmallStack(void (*body)()) {
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, 512 << 10), 0);
  pthread_t thread;
  const auto run = [](void* argument) -> void* {
    reinterpret_cast<void (*)()>(argument)();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, run, reinterpret_cast<void*>(body)), 0);
  ASSERT_EQ(pthread_join(thread, nullptr), 0);
  pthread_attr_destroy(&attributes);
}

constexpr int kLongChain = 200000;

TEST(LegalInput, LongChainOfLoads) {
  OnASmallStack([] {
    v1::ScheduleRequest request;
    v1::Stream* stream = request.mutable_stream();
    const uint32_t buffer = AddBuffer(stream, "b", v1::SPACE_LRAM, 8);
    for (int i = 0; i < kLongChain; ++i) {
      AddOp(stream, "", v1::OP_KIND_LOAD, 1);
      AddAccess(stream, buffer, v1::ACCESS_MODE_WRITE);
      if (i > 0) stream->mutable_ops(i)->add_operands(static_cast<uint32_t>(i - 1));
    }
    EXPECT_EQ(ScheduleAndVerify(request).predicted_makespan(), static_cast<uint64_t>(kLongChain));
  });
}

TEST(LegalInput, LongChainOfPureOps) {
  OnASmallStack([] {
    v1::ScheduleRequest request;
    v1::Stream* stream = request.mutable_stream();
    for (int i = 0; i < kLongChain; ++i) {
      AddOp(stream, "", v1::OP_KIND_PURE, 0);
      if (i > 0) stream->mutable_ops(i)->add_operands(static_cast<uint32_t>(i - 1));
    }
    AddOp(stream, "needs them all", v1::OP_KIND_STORE, 5);
    stream->mutable_ops(kLongChain)->add_operands(kLongChain - 1);
    AddAccess(stream, AddBuffer(stream, "b", v1::SPACE_LRAM, 8), v1::ACCESS_MODE_READ);
    EXPECT_EQ(ScheduleAndVerify(request).predicted_makespan(), 5u);
  });
}

TEST(LegalInput, LongChainOfPartsOfBuffers) {
  OnASmallStack([] {
    v1::AllocateRequest request;
    for (uint32_t i = 0; i < static_cast<uint32_t>(kLongChain); ++i) {
      v1::AllocationBuffer* const buffer = request.add_buffers();
      buffer->set_lower(i);
      buffer->set_upper(i + 1);
      buffer->set_size(8);
      if (i == 0) continue;
      v1::AllocationAlias* const alias = request.add_aliases();
      alias->set_buffer(i);
      alias->set_of(i - 1);
    }
    EXPECT_EQ(AllocateAndVerify(request).height(), 8u);
  });
}

// A message may nest no deeper than protobuf's limit; deeper bytes are an error and no recursion.
TEST(LegalInput, NestingOfUnknownGroups) {
  OnASmallStack([] {
    const std::string open(300000, '\x7b');   // start of group 15
    const std::string close(300000, '\x7c');  // its end
    for (const Call& call : kCalls) {
      EXPECT_EQ(Ask(call, open + close).code, TORQSCHED_INVALID_ARGUMENT);
    }
  });
}

}  // namespace
}  // namespace testing
}  // namespace torqsched
