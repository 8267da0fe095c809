// The layer tables of real networks, under many options: each stream does what its table says, can
// be scheduled, and the answer passes the checker.
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "src/hardware/hardware.h"
#include "src/lowering/check_lowering.h"
#include "src/lowering/lower.h"
#include "src/schedule/schedule_stream.h"
#include "tests/lowering/plain_lowering_check.h"
#include "tests/network/network_json.h"
#include "tests/schedule/implementation.h"

namespace torqsched {
namespace {

struct Case {
  const char* network;
  uint32_t first_layer = 0;
  uint32_t layer_count = 0;  // 0: all
  uint64_t lram_kib = 512;
  uint32_t loop_percent = 50;
  uint32_t contraction_percent = 40;
  uint32_t resident_percent = 40;
  TilingStrategy strategy = TilingStrategy::kStreamSchedule;
};

constexpr char kDeepseek[] = "deepseek_v4_flash_decode_csa";
constexpr char kDecode[] = "gemma3_1b_decode_ctx1024_wint4_abf16";
constexpr char kPrefill[] = "gemma3_1b_prefill128_wint8_aint8";
constexpr char kSmallDecode[] = "gemma3_270m_decode_ctx1024_wbf16_abf16";
constexpr char kMobilenet[] = "mobilenet_v2_int8";
constexpr char kResnet[] = "resnet50_int8";
constexpr char kDecoder[] = "whisper_tiny_decoder_step_wint8_aint8";
constexpr char kEncoder[] = "whisper_tiny_encoder_wint8_aint8";

const Case kCases[] = {
    {kDeepseek},
    {kDecode},
    {kPrefill},
    {kSmallDecode},
    {kMobilenet},
    {kResnet},
    {kDecoder},
    {kEncoder},
    // Shares, small and whole; nothing resident, and all that may be.
    {kDeepseek, 0, 0, 512, 10, 10, 0},
    {kDeepseek, 0, 0, 512, 100, 100, 100},
    {kDecode, 0, 100, 512, 10, 10, 0},
    {kDecode, 0, 100, 512, 100, 100, 100},
    {kPrefill, 0, 42, 512, 10, 25, 10},
    {kPrefill, 0, 42, 512, 75, 60, 80},
    {kSmallDecode, 20, 60, 512, 30, 20, 60},
    {kMobilenet, 0, 0, 512, 10, 10, 0},
    {kMobilenet, 0, 0, 512, 25, 40, 60},
    {kMobilenet, 0, 0, 512, 100, 100, 100},
    {kMobilenet, 0, 0, 512, 50, 40, 40, TilingStrategy::kNone},
    {kResnet, 0, 0, 512, 10, 40, 40},
    {kResnet, 0, 0, 512, 100, 40, 0},
    {kResnet, 0, 0, 512, 60, 40, 100},
    {kDecoder, 0, 0, 512, 15, 15, 0},
    {kDecoder, 0, 0, 512, 100, 100, 100},
    {kEncoder, 0, 30, 512, 15, 15, 20},
    {kEncoder, 0, 0, 512, 100, 100, 100},
    // Ranges: what comes from before is in XRAM, what is read after leaves.
    {kResnet, 0, 20},
    {kResnet, 5, 1},
    {kResnet, 17, 40},
    {kMobilenet, 30, 20},
    {kDecode, 1, 20},
    {kDecode, 522, 1},
    {kPrefill, 520, 2},
    {kEncoder, 5, 12},
    {kDeepseek, 12, 3},
    {kDecoder, 70, 6},
    // Less LRAM, and more.
    {kMobilenet, 0, 0, 128},
    {kResnet, 0, 0, 128},
    {kDecoder, 0, 0, 128},
    {kEncoder, 0, 20, 128},
    {kDecode, 0, 60, 128},
    {kMobilenet, 0, 0, 2048},
    {kResnet, 0, 0, 2048},
    {kEncoder, 0, 0, 2048},
    {kDeepseek, 0, 0, 2048},
    {kPrefill, 0, 42, 2048},
};

std::string NameOf(const Case& c) {
  return absl::StrCat(c.network, "_", c.first_layer, "_", c.layer_count, "_", c.lram_kib, "KiB_",
                      c.loop_percent, "_", c.contraction_percent, "_", c.resident_percent,
                      c.strategy == TilingStrategy::kNone ? "_none" : "");
}

class RealTables : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    absl::StatusOr<NetworkTable> table =
        LoadNetwork(absl::StrCat("testdata/networks/", GetParam().network, ".json"));
    ASSERT_TRUE(table.ok()) << table.status();
    table_ = *std::move(table);
    hardware_ = *ProfileNamed("sl2610");
    hardware_.lram_bytes = GetParam().lram_kib * 1024;
    options_.strategy = GetParam().strategy;
    options_.loop_percent = GetParam().loop_percent;
    options_.contraction_percent = GetParam().contraction_percent;
    options_.resident_percent = GetParam().resident_percent;
    options_.first_layer = GetParam().first_layer;
    options_.layer_count = GetParam().layer_count;
  }

  NetworkTable table_;
  Hardware hardware_;
  LoweringOptions options_;
};

TEST_P(RealTables, TheStreamDoesWhatTheTableSaysAndIsScheduled) {
  const absl::StatusOr<LoweredNetwork> lowered =
      LowerNetwork(table_.network, hardware_, LoweringNumbers(), options_);
  ASSERT_TRUE(lowered.ok()) << lowered.status();
  EXPECT_EQ(CheckLowering(table_.network, *lowered), absl::OkStatus());
  EXPECT_EQ(LoweringFaults(table_.network, hardware_, LoweringNumbers(), options_, *lowered), "");
  const absl::StatusOr<ScheduleAnswer> answer =
      ScheduleStream(lowered->stream, hardware_, ScheduleOptions(), {});
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(Violations(lowered->stream, hardware_, *answer), "");
  EXPECT_LE(answer->input_peak, hardware_.usable_bytes());
  EXPECT_TRUE(answer->placement.placed);
}

TEST_P(RealTables, TwiceTheSame) {
  const auto first = LowerNetwork(table_.network, hardware_, LoweringNumbers(), options_);
  const auto again = LowerNetwork(table_.network, hardware_, LoweringNumbers(), options_);
  ASSERT_TRUE(first.ok() && again.ok());
  ASSERT_EQ(first->stream.op_count(), again->stream.op_count());
  for (uint32_t o = 0; o < first->stream.op_count(); ++o) {
    ASSERT_EQ(first->stream.op_name(OpIndex(o)), again->stream.op_name(OpIndex(o)));
    ASSERT_EQ(first->stream.op(OpIndex(o)).cycles, again->stream.op(OpIndex(o)).cycles);
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, RealTables, ::testing::ValuesIn(kCases),
                         [](const auto& info) { return NameOf(info.param); });

}  // namespace
}  // namespace torqsched
