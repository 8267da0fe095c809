// Bytes that nobody meant: random, cut short, flipped. Nothing crashes, every answer is readable.
#include <iterator>
#include <string>

#include "gtest/gtest.h"
#include "tests/capi/calls.h"
#include "tests/capi/hostile.h"
#include "tests/capi/lower_requests.h"
#include "tests/capi/residency_requests.h"
#include "tests/capi/streams.h"
#include "tests/capi/warm_requests.h"

namespace torqsched {
namespace testing {
namespace {

std::string VerifyBytes(const v1::ScheduleRequest& request) {
  return ToVerify(request, ScheduleAndVerify(request)).SerializeAsString();
}

TEST(HostileBytes, Random) {
  Random random(1);
  for (int i = 0; i < 5000; ++i) {
    std::string bytes(random.Below(200), '\0');
    for (char& byte : bytes) byte = static_cast<char>(random.Next());
    for (const Call& call : kCalls) ExpectReadable(call, bytes);
  }
}

// Small, so that no choice of numbers takes long.
v1::PlanWarmRequest SomeWarm(int i) {
  v1::PlanWarmRequest request = RandomWarm(static_cast<uint64_t>(i % 32), 4);
  request.mutable_options()->set_exact_combinations(8);
  request.mutable_options()->set_search_stages(200);
  return request;
}

TEST(HostileBytes, EveryPrefix) {
  const v1::ScheduleRequest request = WorkedExample();
  const std::string bytes[] = {request.SerializeAsString(),
                               ToSimulate(request).SerializeAsString(),
                               VerifyBytes(request),
                               RandomAllocation(2, 12).SerializeAsString(),
                               NetworkWithStream().SerializeAsString(),
                               SomeWarm(1).SerializeAsString(),
                               RandomJudgement(1, 20).SerializeAsString(),
                               RandomTiles(1, 4).SerializeAsString(),
                               OneOfEach().SerializeAsString()};
  static_assert(std::size(bytes) == std::size(kCalls));
  for (size_t i = 0; i < std::size(bytes); ++i) {
    for (size_t size = 0; size <= bytes[i].size(); ++size) {
      const torqsched_code code = ExpectReadable(kCalls[i], bytes[i].substr(0, size));
      if (size == bytes[i].size()) {
        EXPECT_EQ(code, TORQSCHED_OK);
      }
    }
  }
}

// Flips bytes of requests that are right. Whatever is then still a request gets an answer, and an
// order that the checker agrees with.
TEST(HostileBytes, FlippedScheduleRequests) {
  Random random(2);
  int answered = 0;
  for (int i = 0; i < 6000; ++i) {
    std::string bytes = i % 2 == 0 ? WorkedExample().SerializeAsString()
                                   : RandomRequest(i % 16, 6).SerializeAsString();
    for (uint64_t flips = 1 + random.Below(4); flips > 0; --flips) {
      bytes[random.Below(bytes.size())] = static_cast<char>(random.Next());
    }
    if (ExpectReadable(kSchedule, bytes) != TORQSCHED_OK) continue;
    ++answered;
    SCOPED_TRACE(i);
    ScheduleAndVerify(Parse<v1::ScheduleRequest>(bytes));
    if (HasFailure()) break;
  }
  EXPECT_GT(answered, 100);
}

TEST(HostileBytes, FlippedSimulateAndVerifyRequests) {
  Random random(3);
  const std::string simulate = ToSimulate(WorkedExample()).SerializeAsString();
  const std::string verify = VerifyBytes(RandomRequest(5, 8));
  for (int i = 0; i < 10000; ++i) {
    const Call& call = i % 2 == 0 ? kSimulate : kVerify;
    std::string bytes = i % 2 == 0 ? simulate : verify;
    for (uint64_t flips = 1 + random.Below(4); flips > 0; --flips) {
      bytes[random.Below(bytes.size())] = static_cast<char>(random.Next());
    }
    ExpectReadable(call, bytes);
  }
}

TEST(HostileBytes, FlippedAllocateRequests) {
  Random random(5);
  int answered = 0;
  for (int i = 0; i < 6000; ++i) {
    std::string bytes = RandomAllocation(i % 16, 8).SerializeAsString();
    for (uint64_t flips = 1 + random.Below(4); flips > 0; --flips) {
      bytes[random.Below(bytes.size())] = static_cast<char>(random.Next());
    }
    if (ExpectReadable(kAllocate, bytes) != TORQSCHED_OK) continue;
    ++answered;
    SCOPED_TRACE(i);
    AllocateAndVerify(Parse<v1::AllocateRequest>(bytes));
    if (HasFailure()) break;
  }
  EXPECT_GT(answered, 100);
}

TEST(HostileBytes, FlippedAllocationsToVerify) {
  Random random(6);
  for (int i = 0; i < 6000; ++i) {
    const v1::AllocateRequest request = RandomAllocation(i % 16, 8);
    std::string bytes =
        ToVerify(request, Parse<v1::AllocateResponse>(Ask(kAllocate, request).bytes))
            .SerializeAsString();
    for (uint64_t flips = 1 + random.Below(4); flips > 0; --flips) {
      bytes[random.Below(bytes.size())] = static_cast<char>(random.Next());
    }
    ExpectReadable(kVerify, bytes);
  }
}

// Networks with streams, and programs with everything, in turn.
v1::PlanResidencyRequest SomeResidency(int i) {
  if (i % 3 == 0) return NetworkWithStream();
  v1::PlanResidencyRequest request = RandomResidency(i % 16, 8);
  if (i % 3 == 1) request.mutable_options()->set_strategy(v1::RESIDENCY_STRATEGY_OPTIMAL);
  request.mutable_options()->set_node_limit(500);
  return request;
}

TEST(HostileBytes, FlippedResidencyRequests) {
  Random random(8);
  int answered = 0;
  for (int i = 0; i < 6000; ++i) {
    std::string bytes = SomeResidency(i).SerializeAsString();
    for (uint64_t flips = 1 + random.Below(4); flips > 0; --flips) {
      bytes[random.Below(bytes.size())] = static_cast<char>(random.Next());
    }
    if (ExpectReadable(kPlanResidency, bytes) != TORQSCHED_OK) continue;
    ++answered;
    SCOPED_TRACE(i);
    const auto request = Parse<v1::PlanResidencyRequest>(bytes);
    const auto response = Parse<v1::PlanResidencyResponse>(Ask(kPlanResidency, bytes).bytes);
    EXPECT_EQ(WrongAtAGlance(request, response), "");
    if (HasFailure()) break;
  }
  EXPECT_GT(answered, 200);
}

TEST(HostileBytes, FlippedWarmRequests) {
  Random random(10);
  int answered = 0;
  for (int i = 0; i < 6000; ++i) {
    std::string bytes = SomeWarm(i).SerializeAsString();
    for (uint64_t flips = 1 + random.Below(4); flips > 0; --flips) {
      bytes[random.Below(bytes.size())] = static_cast<char>(random.Next());
    }
    v1::PlanWarmRequest request;
    if (request.ParseFromString(bytes)) bytes = request.SerializeAsString();
    if (ExpectReadable(kPlanWarm, bytes) != TORQSCHED_OK) continue;
    ++answered;
    SCOPED_TRACE(i);
    const auto response = Parse<v1::PlanWarmResponse>(Ask(kPlanWarm, bytes).bytes);
    EXPECT_EQ(WrongAtAGlance(request, response), "");
    if (HasFailure()) break;
  }
  EXPECT_GT(answered, 200);
}

TEST(HostileBytes, FlippedJudgeRequests) {
  Random random(11);
  int answered = 0;
  for (int i = 0; i < 6000; ++i) {
    std::string bytes = RandomJudgement(static_cast<uint64_t>(i % 32), 30).SerializeAsString();
    for (uint64_t flips = 1 + random.Below(4); flips > 0; --flips) {
      bytes[random.Below(bytes.size())] = static_cast<char>(random.Next());
    }
    if (ExpectReadable(kJudgeWarm, bytes) != TORQSCHED_OK) continue;
    ++answered;
    SCOPED_TRACE(i);
    const auto response = Parse<v1::JudgeWarmResponse>(Ask(kJudgeWarm, bytes).bytes);
    EXPECT_EQ(WrongAtAGlance(Parse<v1::JudgeWarmRequest>(bytes), response), "");
    if (HasFailure()) break;
  }
  EXPECT_GT(answered, 200);
}

TEST(HostileBytes, EdgeNumbersOfAllocations) {
  Random random(7);
  const auto edge = [&] { return kEdges[random.Below(std::size(kEdges))]; };
  const auto small_edge = [&] { return static_cast<uint32_t>(edge()); };
  for (int i = 0; i < 6000; ++i) {
    v1::AllocateRequest request = RandomAllocation(i % 16, 8);
    for (uint64_t changes = 1 + random.Below(3); changes > 0; --changes) {
      v1::AllocationBuffer* const buffer =
          request.mutable_buffers(static_cast<int>(random.Below(8)));
      switch (random.Below(14)) {
        case 0:
          buffer->set_lower(edge());
          break;
        case 1:
          buffer->set_upper(edge());
          break;
        case 2:
          buffer->set_size(edge());
          break;
        case 3:
          buffer->set_alignment(edge());
          break;
        case 4:
          buffer->set_fixed_offset(edge());
          break;
        case 5:
          buffer->set_hint(edge());
          break;
        case 6:
          buffer->set_upper(UINT64_MAX);
          buffer->add_gaps()->set_upper(edge());
          break;
        case 7:
          request.set_capacity(edge());
          break;
        case 8:
          request.set_alignment(edge());
          break;
        case 9:
          request.add_reserved()->set_end(edge());
          break;
        case 10:
          request.add_boundaries(edge());
          break;
        case 11: {
          v1::AllocationAlias* const alias = request.add_aliases();
          alias->set_buffer(small_edge());
          alias->set_of(small_edge());
          alias->set_offset(edge());
          break;
        }
        case 12:
          request.add_same_offset()->set_second(small_edge());
          break;
        default:
          request.add_separate()->set_second(small_edge());
          break;
      }
    }
    SCOPED_TRACE(i);
    if (ExpectReadable(kAllocate, request.SerializeAsString()) == TORQSCHED_OK) {
      AllocateAndVerify(request);
    }
    if (HasFailure()) break;
  }
}

// One number of a program becomes an edge.
void SetEdge(uint64_t which, uint64_t edge, Random* random, v1::ResidencyProgram* program) {
  const uint32_t small = static_cast<uint32_t>(edge);
  v1::ResidencyTensor* const tensor = program->mutable_tensors(static_cast<int>(random->Below(8)));
  v1::TensorAccess* const access = program->mutable_accesses(static_cast<int>(random->Below(16)));
  switch (which) {
    case 0:
      return program->set_instances(edge);
    case 1:
      return program->mutable_buffers(0)->set_chip(small);
    case 2:
      return program->mutable_buffers(0)->set_offset(edge);
    case 3:
      return program->add_buffers()->set_bytes(edge);
    case 4:
      return tensor->set_bytes(edge);
    case 5:
      return tensor->set_moved_bytes(edge);
    case 6:
      return access->set_tensor(small);
    case 7:
      return access->set_chip(small);
    case 8:
      return access->set_phase(edge);
    case 9:
      return program->add_tile_accesses()->set_tensor(small);
    case 10:
      return program->add_tile_accesses()->add_trip_counts(edge);
    default:
      return tensor->set_role(static_cast<v1::TensorRole>(small));
  }
}

TEST(HostileBytes, EdgeNumbersOfResidency) {
  Random random(9);
  const auto edge = [&] { return kEdges[random.Below(std::size(kEdges))]; };
  int answered = 0;
  for (int i = 0; i < 6000; ++i) {
    v1::PlanResidencyRequest request = SomeResidency(3 * i + 1 + i % 2);
    for (uint64_t changes = 1 + random.Below(3); changes > 0; --changes) {
      v1::TierBandwidths* const bandwidths = request.mutable_options()->mutable_bandwidths();
      switch (const uint64_t which = random.Below(18)) {
        case 12:
          request.mutable_target()->set_sram_bytes(edge());
          break;
        case 13:
          request.mutable_target()->set_hbm_bytes(edge());
          break;
        case 14:
          bandwidths->mutable_sram()->set_bytes(edge());
          break;
        case 15:
          bandwidths->mutable_dram()->set_time(edge());
          break;
        case 16:
          bandwidths->mutable_hbm()->set_time(edge());
          break;
        case 17:
          request.mutable_options()->set_split_instances(true);
          break;
        default:
          SetEdge(which, edge(), &random, request.mutable_programs(0));
          break;
      }
      if (random.Below(4) != 0) request.mutable_options()->clear_bandwidths();
    }
    SCOPED_TRACE(i);
    const std::string bytes = request.SerializeAsString();
    if (ExpectReadable(kPlanResidency, bytes) == TORQSCHED_OK) {
      ++answered;
      const auto response = Parse<v1::PlanResidencyResponse>(Ask(kPlanResidency, bytes).bytes);
      EXPECT_EQ(WrongAtAGlance(request, response), "") << request.DebugString();
    }
    if (HasFailure()) break;
  }
  EXPECT_GT(answered, 1000);
}

TEST(HostileBytes, EdgeNumbersOfWarms) {
  Random random(12);
  int answered = 0;
  for (int i = 0; i < 8000; ++i) {
    v1::PlanWarmRequest request = SomeWarm(i);
    for (uint64_t changes = 1 + random.Below(3); changes > 0; --changes) {
      SetSomeEdge(&random, &request);
    }
    SCOPED_TRACE(i);
    const std::string bytes = request.SerializeAsString();
    if (ExpectReadable(kPlanWarm, bytes) == TORQSCHED_OK) {
      ++answered;
      const auto response = Parse<v1::PlanWarmResponse>(Ask(kPlanWarm, bytes).bytes);
      EXPECT_EQ(WrongAtAGlance(request, response), "") << request.DebugString();
    }
    if (HasFailure()) break;
  }
  EXPECT_GT(answered, 1000);
}

TEST(HostileBytes, EdgeNumbersOfJudgements) {
  Random random(13);
  int answered = 0;
  for (int i = 0; i < 8000; ++i) {
    v1::JudgeWarmRequest request = RandomJudgement(static_cast<uint64_t>(i % 64), 30);
    for (uint64_t changes = 1 + random.Below(3); changes > 0; --changes) {
      SetSomeEdge(&random, &request);
    }
    SCOPED_TRACE(i);
    const std::string bytes = request.SerializeAsString();
    if (ExpectReadable(kJudgeWarm, bytes) == TORQSCHED_OK) {
      ++answered;
      const auto response = Parse<v1::JudgeWarmResponse>(Ask(kJudgeWarm, bytes).bytes);
      EXPECT_EQ(WrongAtAGlance(request, response), "") << request.DebugString();
    }
    if (HasFailure()) break;
  }
  EXPECT_GT(answered, 1000);
}

// Numbers at their edges, in messages that parse.
TEST(HostileBytes, EdgeNumbers) {
  Random random(4);
  const auto edge = [&] { return kEdges[random.Below(std::size(kEdges))]; };
  for (int i = 0; i < 5000; ++i) {
    v1::ScheduleRequest request = i % 2 == 0 ? WorkedExample() : RandomRequest(i % 16, 6);
    v1::Stream* stream = request.mutable_stream();
    v1::Op* op = stream->mutable_ops(static_cast<int>(random.Below(stream->ops_size())));
    v1::Buffer* buffer =
        stream->mutable_buffers(static_cast<int>(random.Below(stream->buffers_size())));
    v1::Hardware* hardware = request.mutable_hardware();
    v1::ScheduleOptions* options = request.mutable_options();
    switch (random.Below(16)) {
      case 0:
        op->set_cycles(edge());
        break;
      case 1:
        op->set_slice(static_cast<uint32_t>(edge()));
        break;
      case 2:
        op->add_operands(static_cast<uint32_t>(edge()));
        break;
      case 3:
        buffer->set_size(edge());
        break;
      case 4:
        buffer->set_alignment(edge());
        break;
      case 5:
        buffer->set_fixed_offset(edge());
        break;
      case 6:
        hardware->set_lram_bytes(edge());
        break;
      case 7:
        hardware->set_alignment(edge());
        break;
      case 8:
        hardware->set_slices(static_cast<uint32_t>(edge()));
        break;
      case 9:
        hardware->set_start_cycles(edge());
        break;
      case 10:
        hardware->set_dma_bytes(edge());
        hardware->set_dma_cycles(edge());
        break;
      case 11:
        hardware->set_block_ops(edge());
        hardware->set_block_bytes(edge());
        break;
      case 12:
        hardware->set_small_buffer_bytes(edge());
        break;
      case 13:
        options->set_cap_percent(edge());
        break;
      case 14:
        options->set_urgent_starts(edge());
        break;
      default:
        options->set_candidates(edge());
        break;
    }
    options->set_explain(random.Below(2) == 0);
    options->set_timeline(random.Below(2) == 0);
    SCOPED_TRACE(i);
    if (ExpectReadable(kSchedule, request.SerializeAsString()) == TORQSCHED_OK) {
      ScheduleAndVerify(request);
    }
    ExpectReadable(kSimulate, ToSimulate(request).SerializeAsString());
    if (HasFailure()) break;
  }
}

}  // namespace
}  // namespace testing
}  // namespace torqsched
