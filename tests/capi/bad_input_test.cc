// Bad requests through the C interface: each has its code, and its error says where.
#include <cstdint>
#include <optional>
#include <string>

#include "gtest/gtest.h"
#include "tests/capi/calls.h"
#include "tests/capi/streams.h"

namespace torqsched {
namespace testing {
namespace {

struct BadInput {
  const char* scene;
  const char* request;  // a ScheduleRequest in text format
  torqsched_code code;
  const char* message;  // a part of it
  const char* field;
  std::optional<uint32_t> op;
  std::optional<uint32_t> buffer;
};

void PrintTo(const BadInput& input, std::ostream* out) { *out << input.scene; }

// Wrong for all calls: what is checked before the work begins.
const BadInput
    kWrongForAll[] =
        {
            {"OperandIsItself", R"pb(stream { ops { name: "a" operands: 0 } })pb",
             TORQSCHED_INVALID_ARGUMENT, "op 0 'a': operand op 0 is not older",
             "stream.ops[0].operands[0]", 0, std::nullopt},
            {"OperandIsYounger", R"pb(stream {
                                        ops { operands: 1 }
                                        ops {}
                                      })pb",
             TORQSCHED_INVALID_ARGUMENT, "not older", "stream.ops[0].operands[0]", 0, std::nullopt},
            {"OperandIsNoOp", R"pb(stream {
                                     ops {}
                                     ops { operands: 4294967295 }
                                   })pb",
             TORQSCHED_INVALID_ARGUMENT, "4294967295", "stream.ops[1].operands[0]", 1,
             std::nullopt},
            {"WaitsTwice",
             R"pb(stream {
                    ops { kind: OP_KIND_START name: "p" }
                    ops { kind: OP_KIND_WAIT start: 0 }
                    ops { kind: OP_KIND_WAIT start: 0 name: "again" }
                  })pb",
             TORQSCHED_INVALID_ARGUMENT, "op 2 'again': waits for op 0 'p'", "stream.ops[2].start",
             2, std::nullopt},
            {"WaitWithoutStart", R"pb(stream { ops { kind: OP_KIND_WAIT name: "w" } })pb",
             TORQSCHED_INVALID_ARGUMENT, "op 0 'w': a wait without a start", "stream.ops[0].start",
             0, std::nullopt},
            {"WaitsForABarrier",
             R"pb(stream {
                    ops { kind: OP_KIND_BARRIER }
                    ops { kind: OP_KIND_WAIT start: 0 }
                  })pb",
             TORQSCHED_INVALID_ARGUMENT, "no start", "stream.ops[1].start", 1, std::nullopt},
            {"WaitsForItself", R"pb(stream { ops { kind: OP_KIND_WAIT start: 0 } })pb",
             TORQSCHED_INVALID_ARGUMENT, "not older", "stream.ops[0].start", 0, std::nullopt},
            {"AccessPastTheEnd",
             R"pb(stream {
                    buffers { name: "b" size: 100 }
                    ops { accesses { offset: 60 size: 41 mode: ACCESS_MODE_READ } }
                  })pb",
             TORQSCHED_INVALID_ARGUMENT, "buffer 0 'b', which has 100 bytes",
             "stream.ops[0].accesses[0].size", 0, 0},
            {"AccessBeginsPastTheEnd",
             R"pb(stream {
                    buffers { size: 100 }
                    ops { accesses { offset: 101 mode: ACCESS_MODE_READ } }
                  })pb",
             TORQSCHED_INVALID_ARGUMENT, "offset 101", "stream.ops[0].accesses[0].offset", 0, 0},
            {"OffsetAndSizeBeyond64Bits",
             R"pb(stream {
                    buffers { size: 100 }
                    ops {
                      accesses { offset: 50 size: 18446744073709551600 mode: ACCESS_MODE_READ }
                    }
                  })pb",
             TORQSCHED_INVALID_ARGUMENT, "18446744073709551600", "stream.ops[0].accesses[0].size",
             0, 0},
            {"AccessToNoBuffer",
             R"pb(stream { ops { accesses { buffer: 3 mode: ACCESS_MODE_READ } } })pb",
             TORQSCHED_INVALID_ARGUMENT, "buffer 3", "stream.ops[0].accesses[0].buffer", 0,
             std::nullopt},
            {"AccessWithoutMode", R"pb(stream {
                                         buffers { size: 1 }
                                         ops { accesses {} }
                                       })pb",
             TORQSCHED_INVALID_ARGUMENT, "mode", "stream.ops[0].accesses[0].mode", 0, 0},
            {"LoadWritesNoLram",
             R"pb(stream {
                    buffers { size: 1 }
                    ops {
                      kind: OP_KIND_LOAD
                      accesses { mode: ACCESS_MODE_WRITE }
                    }
                  })pb",
             TORQSCHED_INVALID_ARGUMENT, "writes no LRAM buffer", "stream.ops[0].accesses", 0, 0},
            {"StoreReadsNoLram", R"pb(stream { ops { kind: OP_KIND_STORE } })pb",
             TORQSCHED_INVALID_ARGUMENT, "reads no LRAM buffer", "stream.ops[0].accesses", 0,
             std::nullopt},
            {"WritesAConstant",
             R"pb(stream {
                    buffers { size: 1 constant: true }
                    ops { accesses { mode: ACCESS_MODE_WRITE } }
                  })pb",
             TORQSCHED_INVALID_ARGUMENT, "constant", "stream.ops[0].accesses[0].mode", 0, 0},
            {"WaitWithAccesses",
             R"pb(stream {
                    buffers { size: 1 }
                    ops { kind: OP_KIND_START }
                    ops {
                      kind: OP_KIND_WAIT
                      start: 0
                      accesses { mode: ACCESS_MODE_READ }
                    }
                  })pb",
             TORQSCHED_INVALID_ARGUMENT, "wait", "stream.ops[1].accesses", 1, 0},
            {"AllocOfNoBuffer", R"pb(stream { ops { kind: OP_KIND_PURE alloc: 9 } })pb",
             TORQSCHED_INVALID_ARGUMENT, "buffer 9", "stream.ops[0].alloc", 0, std::nullopt},
            {"SliceSevenOfTwo",
             R"pb(stream {
                    ops { kind: OP_KIND_START slice: 7 name: "p" }
                    ops { kind: OP_KIND_WAIT start: 0 }
                  })pb",
             TORQSCHED_INVALID_ARGUMENT, "op 0 'p': slice 7", "stream.ops[0].slice", 0,
             std::nullopt},
            {"SliceSevenOfTwoWithoutWait", R"pb(stream { ops { kind: OP_KIND_START slice: 7 } })pb",
             TORQSCHED_INVALID_ARGUMENT, "slice 7", "stream.ops[0].slice", 0, std::nullopt},
            {"CyclesBeyond64Bits",
             R"pb(stream {
                    ops { cycles: 9223372036854775808 }
                    ops { cycles: 9223372036854775808 name: "last straw" }
                  })pb",
             TORQSCHED_INVALID_ARGUMENT, "op 1 'last straw'", "stream.ops[1].cycles", 1,
             std::nullopt},
            {"UnknownProfile", R"pb(stream {}
                                    hardware { profile: "abacus" })pb",
             TORQSCHED_NOT_FOUND, "sl2610", "hardware.profile", std::nullopt, std::nullopt},
            {"TooManySlices", R"pb(stream {}
                                   hardware { slices: 65 })pb",
             TORQSCHED_INVALID_ARGUMENT, "65", "hardware.slices", std::nullopt, std::nullopt},
            {"NoSlices", R"pb(stream {}
                              hardware { slices: 0 })pb",
             TORQSCHED_INVALID_ARGUMENT, "expected 1 to 64", "hardware.slices", std::nullopt,
             std::nullopt},
            {"NoDmaEngines", R"pb(stream {}
                                  hardware { dma_engines: 0 })pb",
             TORQSCHED_INVALID_ARGUMENT, "expected 1 to 64", "hardware.dma_engines", std::nullopt,
             std::nullopt},
            {"TooManyDmaEngines", R"pb(stream {}
                                       hardware { dma_engines: 65 })pb",
             TORQSCHED_INVALID_ARGUMENT, "65", "hardware.dma_engines", std::nullopt, std::nullopt},
            {"TooManyStoreEngines", R"pb(stream {}
                                         hardware { store_engines: 65 })pb",
             TORQSCHED_INVALID_ARGUMENT, "expected at most 64", "hardware.store_engines",
             std::nullopt, std::nullopt},
            {"ShareOfAllTheBandwidth",
             R"pb(stream {
                    ops { kind: OP_KIND_START name: "p" dma_share_percent: 100 }
                    ops { kind: OP_KIND_WAIT start: 0 }
                  })pb",
             TORQSCHED_INVALID_ARGUMENT,
             "op 0 'p': takes 100 percent of DMA bandwidth; expected at most 99",
             "stream.ops[0].dma_share_percent", 0, std::nullopt},
            {"ShareOfAllTheBandwidthWithoutAWait",
             R"pb(stream { ops { kind: OP_KIND_START dma_share_percent: 100 } })pb",
             TORQSCHED_INVALID_ARGUMENT, "100 percent", "stream.ops[0].dma_share_percent", 0,
             std::nullopt},
            {"IssuesBeyond64Bits",
             R"pb(stream {
                    buffers { size: 1 space: SPACE_LRAM }
                    ops {
                      kind: OP_KIND_LOAD
                      cycles: 1
                      accesses { mode: ACCESS_MODE_WRITE }
                    }
                  }
                  hardware {
                    non_blocking_transfers: true
                    transfer_issue_cycles: 18446744073709551615
                  })pb",
             TORQSCHED_INVALID_ARGUMENT, "do not fit 64 bits", "stream.ops[0].cycles", 0,
             std::nullopt},
            {"SlowedDownBeyond64Bits",
             R"pb(stream {
                    buffers { size: 1 space: SPACE_LRAM }
                    ops {
                      kind: OP_KIND_LOAD
                      cycles: 184467440737095517
                      accesses { mode: ACCESS_MODE_WRITE }
                    }
                    ops { kind: OP_KIND_START dma_share_percent: 1 }
                    ops { kind: OP_KIND_WAIT start: 1 }
                  })pb",
             TORQSCHED_INVALID_ARGUMENT, "do not fit 64 bits", "stream.ops[0].cycles", 0,
             std::nullopt},
            {"MoreReservedThanThereIs",
             R"pb(stream {}
                  hardware { lram_bytes: 10 lram_reserved_bytes: 11 })pb",
             TORQSCHED_INVALID_ARGUMENT, "11 reserved of 10", "hardware.lram_reserved_bytes",
             std::nullopt, std::nullopt},
            {"RegionsThatAreNotAllOfLram", R"pb(stream {}
                                                hardware {
                                                  lram_bytes: 10
                                                  lram_reserved_bytes: 0
                                                  region_bytes: [ 4, 5 ]
                                                })pb",
             TORQSCHED_INVALID_ARGUMENT, "have 9 bytes; expected all 10", "hardware.region_bytes",
             std::nullopt, std::nullopt},
            {"RegionOfNoBytes", R"pb(stream {}
                                     hardware {
                                       lram_bytes: 10
                                       lram_reserved_bytes: 0
                                       region_bytes: [ 10, 0 ]
                                     })pb",
             TORQSCHED_INVALID_ARGUMENT, "expected at least 1", "hardware.region_bytes[1]",
             std::nullopt, std::nullopt},
            {"NoStream", R"pb(hardware { profile: "sl2610" })pb", TORQSCHED_INVALID_ARGUMENT,
             "no stream", "stream", std::nullopt, std::nullopt},
};

// Wrong for torqsched_schedule.
const BadInput kWrongToSchedule[] = {
    {"BufferLargerThanLram",
     R"pb(stream {
            buffers { name: "x" size: 1 }
            buffers { name: "big" space: SPACE_LRAM size: 1001 }
            ops {
              kind: OP_KIND_LOAD
              name: "load big"
              accesses { buffer: 1 mode: ACCESS_MODE_WRITE }
            }
          }
          hardware { lram_bytes: 1000 lram_reserved_bytes: 0 alignment: 1 })pb",
     TORQSCHED_INVALID_ARGUMENT, "buffer 1 'big'", "stream.buffers[1].size", 0, 1},
    {"FixedRangePastTheEnd",
     R"pb(stream {
            buffers { name: "b" space: SPACE_LRAM size: 2 fixed_offset: 18446744073709551615 }
            ops {
              kind: OP_KIND_LOAD
              accesses { mode: ACCESS_MODE_WRITE }
            }
          })pb",
     TORQSCHED_INVALID_ARGUMENT, "buffer 0 'b'", "stream.buffers[0].fixed_offset", 0, 0},
    {"LargerThanEveryRegion",
     R"pb(stream {
            buffers { size: 6 space: SPACE_LRAM name: "w" }
            ops {
              kind: OP_KIND_LOAD
              accesses { mode: ACCESS_MODE_WRITE }
            }
          }
          hardware {
            lram_bytes: 10
            lram_reserved_bytes: 0
            region_bytes: [ 5, 5 ]
          })pb",
     TORQSCHED_INVALID_ARGUMENT, "'w' of 6 bytes, but the largest region", "stream.buffers[0].size",
     0, 0},
    {"FixedInTwoRegions",
     R"pb(stream {
            buffers { size: 2 space: SPACE_LRAM fixed_offset: 4 }
            ops {
              kind: OP_KIND_LOAD
              accesses { mode: ACCESS_MODE_WRITE }
            }
          }
          hardware {
            lram_bytes: 10
            lram_reserved_bytes: 0
            region_bytes: [ 5, 5 ]
          })pb",
     TORQSCHED_INVALID_ARGUMENT, "lies in two regions", "stream.buffers[0].fixed_offset", 0, 0},
    {"TwoAccessesInFlightConflict",
     R"pb(stream {
            buffers { name: "b" space: SPACE_LRAM size: 100 }
            ops {
              kind: OP_KIND_START
              name: "p"
              accesses { offset: 0 size: 50 mode: ACCESS_MODE_READ }
            }
            ops {
              kind: OP_KIND_LOAD
              name: "l"
              accesses { offset: 49 mode: ACCESS_MODE_WRITE }
            }
            ops { kind: OP_KIND_WAIT start: 0 }
          })pb",
     TORQSCHED_INVALID_ARGUMENT, "op 1 'l'", "stream.ops[1].accesses", 1, 0},
    {"BillionPercent", R"pb(stream {}
                            options { cap_percent: 1000000000 })pb",
     TORQSCHED_INVALID_ARGUMENT, "1000000000", "options.cap_percent", std::nullopt, std::nullopt},
    {"BillionPercentPrefetch", R"pb(stream {}
                                    options { prefetch_percent: 1000000000 })pb",
     TORQSCHED_INVALID_ARGUMENT, "1000000000", "options.prefetch_percent", std::nullopt,
     std::nullopt},
    {"NoCandidates", R"pb(stream {}
                          options { candidates: 0 })pb",
     TORQSCHED_INVALID_ARGUMENT, "candidates", "options.candidates", std::nullopt, std::nullopt},
    {"UnknownStrategy", R"pb(stream {}
                             options { strategy: 99 })pb",
     TORQSCHED_INVALID_ARGUMENT, "99", "options.strategy", std::nullopt, std::nullopt},
    {"RobustWithoutASearch", R"pb(stream {}
                                  options { robust: true })pb",
     TORQSCHED_INVALID_ARGUMENT, "OPTIMIZE", "options.robust", std::nullopt, std::nullopt},
    {"HostOracleWithoutCallback", R"pb(stream {}
                                       options { oracle: ORACLE_HOST })pb",
     TORQSCHED_FAILED_PRECONDITION, "callback", "options.oracle", std::nullopt, std::nullopt},
};

void Expect(const BadInput& input, const Answer& answer) {
  EXPECT_EQ(answer.code, input.code);
  if (answer.code == TORQSCHED_OK) return;
  const auto error = Parse<v1::Error>(answer.bytes);
  SCOPED_TRACE(error.ShortDebugString());
  EXPECT_EQ(static_cast<int>(error.code()), input.code);
  EXPECT_NE(error.message().find(input.message), std::string::npos) << input.message;
  EXPECT_EQ(error.field(), input.field);
  EXPECT_EQ(error.has_op(), input.op.has_value());
  EXPECT_EQ(error.op(), input.op.value_or(0));
  EXPECT_EQ(error.has_buffer(), input.buffer.has_value());
  EXPECT_EQ(error.buffer(), input.buffer.value_or(0));
}

class WrongForAll : public ::testing::TestWithParam<BadInput> {};

TEST_P(WrongForAll, Schedule) {
  Expect(GetParam(), Ask(kSchedule, FromText<v1::ScheduleRequest>(GetParam().request)));
}

TEST_P(WrongForAll, Simulate) {
  const auto request = FromText<v1::ScheduleRequest>(GetParam().request);
  v1::SimulateRequest simulate = ToSimulate(request);
  if (!request.has_stream()) simulate.clear_stream();
  Expect(GetParam(), Ask(kSimulate, simulate));
}

TEST_P(WrongForAll, Verify) {
  const auto request = FromText<v1::ScheduleRequest>(GetParam().request);
  v1::VerifyRequest verify = ToVerify(request, v1::ScheduleResponse());
  if (!request.has_stream()) verify.clear_stream();
  Expect(GetParam(), Ask(kVerify, verify));
}

const auto kSceneName = [](const auto& info) { return std::string(info.param.scene); };

INSTANTIATE_TEST_SUITE_P(Scenes, WrongForAll, ::testing::ValuesIn(kWrongForAll), kSceneName);

class WrongToSchedule : public ::testing::TestWithParam<BadInput> {};

TEST_P(WrongToSchedule, Schedule) {
  Expect(GetParam(), Ask(kSchedule, FromText<v1::ScheduleRequest>(GetParam().request)));
}

INSTANTIATE_TEST_SUITE_P(Scenes, WrongToSchedule, ::testing::ValuesIn(kWrongToSchedule),
                         kSceneName);

// The stream of an allocation is checked as every other.
TEST_P(WrongForAll, Allocate) {
  const auto request = FromText<v1::ScheduleRequest>(GetParam().request);
  if (!request.has_stream()) return;  // then its buffers are listed
  v1::AllocateRequest allocate;
  *allocate.mutable_stream() = request.stream();
  if (request.has_hardware()) *allocate.mutable_hardware() = request.hardware();
  Expect(GetParam(), Ask(kAllocate, allocate));
}

// Wrong for torqsched_allocate, and for torqsched_verify with an allocation.
const BadInput kWrongToAllocate[] = {
    {"StreamAndBuffers", R"pb(stream {}
                              buffers {})pb",
     TORQSCHED_INVALID_ARGUMENT, "beside a stream", "buffers", std::nullopt, std::nullopt},
    {"OrderWithoutAStream", R"pb(order: 0)pb", TORQSCHED_INVALID_ARGUMENT, "no stream", "order",
     std::nullopt, std::nullopt},
    {"OrderThatRepeats", R"pb(stream {
                                ops {}
                                ops {}
                              }
                              order: [ 1, 1 ])pb",
     TORQSCHED_INVALID_ARGUMENT, "op 1 comes a second time", "order[1]", std::nullopt,
     std::nullopt},
    {"EndsBeforeItBegins", R"pb(buffers {}
                                buffers { name: "w" lower: 5 upper: 4 })pb",
     TORQSCHED_INVALID_ARGUMENT, "buffer 1 'w': upper 4 is below lower 5", "buffers[1].upper",
     std::nullopt, 1},
    {"GapOutsideOfItsLiveRange",
     R"pb(buffers {
            lower: 2
            upper: 9
            gaps { lower: 1 upper: 3 }
          })pb",
     TORQSCHED_INVALID_ARGUMENT, "outside of its live range", "buffers[0].gaps[0]", std::nullopt,
     0},
    {"SizeThatWrapsWhenItIsRoundedUp",
     R"pb(buffers { name: "huge" upper: 1 size: 18446744073709551615 }
          alignment: 2)pb",
     TORQSCHED_INVALID_ARGUMENT, "buffer 0 'huge'", "buffers[0].size", std::nullopt, 0},
    {"FixedRangePastTheEnd", R"pb(buffers { size: 2 fixed_offset: 18446744073709551615 })pb",
     TORQSCHED_INVALID_ARGUMENT, "does not fit 64 bits", "buffers[0].fixed_offset", std::nullopt,
     0},
    {"AliasOfNoBuffer", R"pb(buffers {}
                             aliases { of: 4294967295 })pb",
     TORQSCHED_INVALID_ARGUMENT, "4294967295", "aliases[0].of", std::nullopt, std::nullopt},
    {"PartOfItself",
     R"pb(buffers { name: "a" }
          buffers {}
          aliases { buffer: 0 of: 1 }
          aliases { buffer: 1 of: 0 })pb",
     TORQSCHED_INVALID_ARGUMENT, "buffer 0 'a' is a part of itself", "aliases[0].of", std::nullopt,
     0},
    {"PartOutsideOfItsWhole",
     R"pb(buffers { size: 10 }
          buffers { name: "p" size: 4 }
          aliases { buffer: 1 of: 0 offset: 7 })pb",
     TORQSCHED_INVALID_ARGUMENT, "buffer 1 'p'", "aliases[0].offset", std::nullopt, 1},
    {"PairWithABufferOfXram",
     R"pb(stream {
            buffers { name: "x" }
            buffers { space: SPACE_LRAM }
          }
          same_offset { first: 1 second: 0 })pb",
     TORQSCHED_INVALID_ARGUMENT, "buffer 0 'x' is not in LRAM", "same_offset[0].second",
     std::nullopt, 0},
    {"UnknownObjective", R"pb(options { objective: 99 })pb", TORQSCHED_INVALID_ARGUMENT, "99",
     "options.objective", std::nullopt, std::nullopt},
};

class WrongToAllocate : public ::testing::TestWithParam<BadInput> {};

TEST_P(WrongToAllocate, Allocate) {
  Expect(GetParam(), Ask(kAllocate, FromText<v1::AllocateRequest>(GetParam().request)));
}

TEST_P(WrongToAllocate, Verify) {
  v1::AllocateResponse response;
  response.set_verdict(v1::ALLOCATION_VERDICT_PLACED);
  BadInput expected = GetParam();
  const std::string field = std::string("allocate_request.") + expected.field;
  expected.field = field.c_str();
  Expect(expected,
         Ask(kVerify, ToVerify(FromText<v1::AllocateRequest>(GetParam().request), response)));
}

INSTANTIATE_TEST_SUITE_P(Scenes, WrongToAllocate, ::testing::ValuesIn(kWrongToAllocate),
                         kSceneName);

TEST(BadInput, AllocationToVerifyStandsAloneAndHasItsAnswer) {
  const struct {
    const char* request;
    const char* field;
  } scenes[] = {
      {"allocate_request {}", "allocate_response"},
      {"allocate_response {}", "allocate_request"},
      {"allocate_request {} allocate_response {}", "allocate_response.verdict"},
      {"stream {} allocate_request {} allocate_response {}", "stream"},
      {"hardware {} allocate_request {} allocate_response {}", "hardware"},
      {"schedule {} allocate_request {} allocate_response {}", "schedule"},
  };
  for (const auto& scene : scenes) {
    const Answer answer = Ask(kVerify, FromText<v1::VerifyRequest>(scene.request));
    EXPECT_EQ(answer.code, TORQSCHED_INVALID_ARGUMENT) << scene.request;
    EXPECT_EQ(Parse<v1::Error>(answer.bytes).field(), scene.field) << scene.request;
  }
}

TEST(BadInput, NoBytes) {
  for (const Call& call : {kSchedule, kSimulate, kVerify}) {
    SCOPED_TRACE(call.name);
    const Answer answer = Ask(call, std::string());
    EXPECT_EQ(answer.code, TORQSCHED_INVALID_ARGUMENT);
    EXPECT_EQ(Parse<v1::Error>(answer.bytes).field(), "stream");
  }
}

TEST(BadInput, NamesThatAreLongOrDoNotPrintStayReadable) {
  v1::ScheduleRequest request;
  v1::Op* op = request.mutable_stream()->add_ops();
  // The cut falls into the middle of a character.
  for (int i = 0; i < 200; ++i) op->mutable_name()->append("\xe2\x82\xac");
  op->add_operands(0);
  for (const char* prefix : {"", "a", "ab", "\n\r\t\x01"}) {
    v1::ScheduleRequest copy = request;
    copy.mutable_stream()->mutable_ops(0)->mutable_name()->insert(0, prefix);
    const Answer answer = Ask(kSchedule, copy);
    EXPECT_EQ(answer.code, TORQSCHED_INVALID_ARGUMENT);
    const auto error = Parse<v1::Error>(answer.bytes);
    EXPECT_LT(error.message().size(), 400u);
    EXPECT_EQ(error.message().find('\n'), std::string::npos);
  }
}

TEST(BadInput, TextThatIsNotUtf8) {
  // Stream{name: "\xff"} in the request's first field.
  const Answer answer = Ask(kSchedule, std::string("\x0a\x03\x0a\x01\xff", 5));
  EXPECT_EQ(answer.code, TORQSCHED_INVALID_ARGUMENT);
  EXPECT_NE(Parse<v1::Error>(answer.bytes).message().find("torqsched.v1.ScheduleRequest"),
            std::string::npos);
}

TEST(BadInput, UnknownFieldsAreIgnored) {
  const std::string known = WorkedExample().SerializeAsString();
  // Field 1000: a varint; field 1001: bytes.
  const std::string unknown = std::string("\xc0\x3e\x2a", 3) + std::string("\xca\x3e\x02hi", 5);
  EXPECT_EQ(Ask(kSchedule, known).bytes, Ask(kSchedule, known + unknown).bytes);
}

}  // namespace
}  // namespace testing
}  // namespace torqsched
