// The shipped streams of real networks: what the input costs, and what the scheduler makes of it.
//
// The input's figures are those that the lowering that made the streams counted itself; the
// makespans after scheduling marked `known` come from an independent implementation of the same
// semantics.
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "bench/streams.h"
#include "gtest/gtest.h"
#include "src/graph/problem.h"
#include "src/lram/sequential.h"
#include "src/schedule/input_schedule.h"
#include "src/schedule/schedule_stream.h"
#include "src/wire/hardware_wire.h"
#include "src/wire/stream_wire.h"
#include "tests/schedule/implementation.h"

namespace torqsched {
namespace {

struct RealStream {
  const char* file;
  size_t ops;
  size_t buffers;
  uint64_t bytes_loaded;
  uint64_t bytes_stored;
  uint64_t peak;  // in input order, sizes rounded up to 8
  uint64_t input_makespan;
  uint64_t dma_cycles;
  uint64_t compute_cycles;
  uint64_t lower_bound;
  uint64_t known;  // makespan after allocation; 0: not known from elsewhere
};

std::ostream& operator<<(std::ostream& out, const RealStream& s) { return out << s.file; }

constexpr RealStream kStreams[] = {
    {"gemma3-1b-decode-int4.block.txtpb", 572, 219, 14431488, 3328, 221696, 3260493, 3036237,
     224256, 3036330, 0},
    {"gemma3-1b-decode-int4.block-mac11.txtpb", 572, 219, 14431488, 3328, 221696, 5577722, 3036237,
     2541485, 3036330, 3762038},
    {"gemma3-1b-decode-int4.lm-head.binpb", 6250, 2348, 154995968, 524288, 201632, 35071699,
     32712403, 2359296, 32713184, 0},
    {"gemma3-1b-decode-int4.lm-head-mac11.binpb", 6250, 2348, 154995968, 524288, 201632, 60166526,
     32712403, 27454123, 32713184, 0},
    {"gemma3-1b-decode-int4.whole.binpb", 21104, 7959, 532303680, 550912, 221696, 120306721,
     112081341, 8225380, 112084550, 0},
    {"mobilenet-v2-int8.whole.txtpb", 897, 414, 8772768, 4265960, 261504, 3962086, 2742610, 1219476,
     2742738, 3507309},
    {"resnet50-int8.first20.binpb", 1747, 679, 12779296, 8931328, 260864, 9689569, 4566689, 5122880,
     4566919, 5578072},
    {"whisper-tiny-encoder-int8.block.binpb", 7242, 2660, 28728832, 10368000, 258120, 27678701,
     8224127, 19454574, 9727287, 12786600},
    {"matmul-1x128x768x3072-bf16.txtpb", 146, 59, 5007360, 786432, 517120, 3577954, 1218658,
     2359296, 1218676, 0},
    {"matmul-1x128x768x3072-bf16.budget60.txtpb", 514, 197, 5242880, 786432, 287744, 3627530,
     1268234, 2359296, 1268298, 1317743},
    {"resnet50-int8.first20-over50.binpb", 1836, 712, 12230432, 8028160, 644352, 9384125, 4261245,
     5122880, 4261484, 6884522},
    {"resnet50-int8.first20-over100.txtpb", 666, 286, 10829024, 8028160, 714112, 9082168, 3966456,
     5115712, 3966536, 0},
    {"mobilenet-v2-int8.whole-over100.txtpb", 568, 295, 7828576, 3663848, 541904, 3636804, 2417330,
     1219474, 2417410, 0},
};

class RealStreams : public ::testing::TestWithParam<RealStream> {
 protected:
  void SetUp() override {
    request_ = bench::LoadRequest(GetParam().file);
    absl::StatusOr<Stream> stream = StreamFromProto(request_.stream());
    ASSERT_TRUE(stream.ok()) << stream.status();
    stream_ = *std::move(stream);
    absl::StatusOr<Hardware> hardware = HardwareFromProto(request_.hardware());
    ASSERT_TRUE(hardware.ok()) << hardware.status();
    hardware_ = *hardware;
  }

  ScheduleAnswer Answer(Strategy strategy = Strategy::kStreamSchedule,
                        OracleKind oracle = OracleKind::kSequential) {
    ScheduleOptions options;
    options.strategy = strategy;
    options.oracle = oracle;
    absl::StatusOr<ScheduleAnswer> answer = ScheduleStream(stream_, hardware_, options, {});
    EXPECT_TRUE(answer.ok()) << answer.status();
    return answer.ok() ? *std::move(answer) : ScheduleAnswer();
  }

  // Bytes that transfers of this kind move: of each, the accesses on the LRAM side.
  uint64_t TransferredBytes(OpKind kind) const {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < stream_.op_count(); ++i) {
      if (stream_.op(OpIndex(i)).kind != kind) continue;
      for (const Access& a : stream_.accesses(OpIndex(i))) {
        if (stream_.buffer(a.buffer).space == Space::kLram) bytes += a.end - a.begin;
      }
    }
    return bytes;
  }

  // The most bytes live at once in input order, sizes rounded up to 8: like the peak of the order,
  // on a chip whose LRAM holds everything.
  uint64_t RoundedPeak() {
    Hardware ample = hardware_;
    ample.lram_bytes = uint64_t{1} << 40;
    const absl::StatusOr<std::unique_ptr<const ScheduleProblem>> problem =
        ScheduleProblem::Make(stream_, ample);
    EXPECT_TRUE(problem.ok()) << problem.status();
    const Schedule input = InputSchedule(stream_);
    return PlaceSequentially(**problem, input.order, input.slice,
                             /*swaps_allowed=*/false)
        ->peak;
  }

  v1::ScheduleRequest request_;
  Stream stream_;
  Hardware hardware_;
};

TEST_P(RealStreams, InputCostsWhatTheLoweringCounted) {
  const RealStream& expected = GetParam();
  EXPECT_EQ(stream_.op_count(), expected.ops);
  EXPECT_EQ(stream_.buffer_count(), expected.buffers);
  EXPECT_EQ(TransferredBytes(OpKind::kLoad), expected.bytes_loaded);
  EXPECT_EQ(TransferredBytes(OpKind::kStore), expected.bytes_stored);
  EXPECT_EQ(RoundedPeak(), expected.peak);
  const absl::StatusOr<Simulation> simulation =
      SimulateStream(stream_, hardware_, {}, {}, /*timeline=*/false);
  ASSERT_TRUE(simulation.ok()) << simulation.status();
  EXPECT_EQ(simulation->makespan, expected.input_makespan);
  EXPECT_EQ(simulation->statistics.dma_cycles, expected.dma_cycles);
  EXPECT_EQ(simulation->statistics.compute_cycles, expected.compute_cycles);
  EXPECT_EQ(simulation->lower_bound.cycles, expected.lower_bound);
}

class KnownStreams : public RealStreams {};

TEST_P(KnownStreams, ScheduledMakespanIsTheIndependentlyKnownOne) {
  const ScheduleAnswer answer = Answer();
  EXPECT_TRUE(answer.placement.placed);
  EXPECT_EQ(answer.placement.makespan, GetParam().known);
}

TEST_P(RealStreams, AnswerPassesTheCheckerAndNeverLosesToTheInput) {
  const ScheduleAnswer answer = Answer();
  EXPECT_EQ(Violations(stream_, hardware_, answer), "");
  if (answer.placement.placed) {
    EXPECT_GE(answer.placement.makespan, answer.lower_bound.cycles);
    if (answer.bar.has_value()) {
      EXPECT_LE(answer.placement.makespan, *answer.bar);
    }
  }
  RecordProperty("scheduled", std::to_string(answer.placement.makespan));
  RecordProperty("swaps", std::to_string(answer.placement.swaps));
}

TEST_P(RealStreams, InputOrderKeptPassesTheChecker) {
  const ScheduleAnswer answer = Answer(Strategy::kNone);
  EXPECT_TRUE(answer.attempts.empty());
  EXPECT_EQ(answer.input_makespan, GetParam().input_makespan);
  EXPECT_EQ(Violations(stream_, hardware_, answer), "");
}

TEST_P(RealStreams, OfflineAnswerPassesTheCheckerAndIsNoWorseOnAnyOrder) {
  const ScheduleAnswer answer = Answer(Strategy::kStreamSchedule, OracleKind::kOffline);
  EXPECT_EQ(Violations(stream_, hardware_, answer), "");
  if (answer.placement.placed && answer.bar.has_value()) {
    EXPECT_LE(answer.placement.makespan, *answer.bar);
  }
  ASSERT_TRUE(answer.input_sequential.has_value());
  if (answer.input_sequential->placed) {
    ASSERT_TRUE(answer.input_allocated_makespan.has_value());
    EXPECT_LE(*answer.input_allocated_makespan, answer.input_sequential->makespan);
  }
  for (const Attempt& attempt : answer.attempts) {
    EXPECT_EQ(attempt.sequential.has_value(), attempt.placed.has_value());
    if (!attempt.sequential.has_value() || !attempt.sequential->placed) continue;
    EXPECT_TRUE(*attempt.placed);
    EXPECT_LE(*attempt.makespan, attempt.sequential->makespan);
  }
}

// What SEQUENTIAL does not place of them, OFFLINE does.
TEST(OfflineStreams, ResnetWithoutHalvesIsPlaced) {
  const v1::ScheduleRequest request = bench::LoadRequest("resnet50-int8.first20-over100.txtpb");
  const absl::StatusOr<Stream> stream = StreamFromProto(request.stream());
  const absl::StatusOr<Hardware> hardware = HardwareFromProto(request.hardware());
  ASSERT_TRUE(stream.ok() && hardware.ok());
  for (const OracleKind oracle : {OracleKind::kSequential, OracleKind::kOffline}) {
    ScheduleOptions options;
    options.oracle = oracle;
    const absl::StatusOr<ScheduleAnswer> answer = ScheduleStream(*stream, *hardware, options, {});
    ASSERT_TRUE(answer.ok()) << answer.status();
    EXPECT_EQ(answer->placement.placed, oracle == OracleKind::kOffline);
  }
}

std::string NameOf(const ::testing::TestParamInfo<RealStream>& info) {
  std::string name = info.param.file;
  for (char& c : name) {
    if (!isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  return name;
}

std::vector<RealStream> WithKnownMakespan() {
  std::vector<RealStream> streams;
  for (const RealStream& stream : kStreams) {
    if (stream.known != 0) streams.push_back(stream);
  }
  return streams;
}

INSTANTIATE_TEST_SUITE_P(All, RealStreams, ::testing::ValuesIn(kStreams), NameOf);
INSTANTIATE_TEST_SUITE_P(All, KnownStreams, ::testing::ValuesIn(WithKnownMakespan()), NameOf);

}  // namespace
}  // namespace torqsched
