// From a Hardware message to Hardware and back: what stands in for what is unset.
#include "src/wire/hardware_wire.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "src/stream/error.h"
#include "tests/wire/text.h"

namespace torqsched {
namespace {

absl::StatusOr<Hardware> Chip(const std::string& text) {
  return HardwareFromProto(FromText<v1::Hardware>(text));
}

void ExpectError(const std::string& text, absl::StatusCode code, const std::string& field) {
  const absl::Status status = Chip(text).status();
  EXPECT_EQ(status.code(), code) << text << ": " << status;
  EXPECT_EQ(PlaceOf(status).field, field) << text << ": " << status;
}

std::string Text(const Hardware& hardware) {
  v1::Hardware message;
  HardwareToProto(hardware, &message);
  return message.ShortDebugString();
}

constexpr char kSl2610[] = R"pb(
  lram_bytes: 524288
  lram_reserved_bytes: 1280
  alignment: 8
  slices: 2
  small_buffer_bytes: 8192
  start_cycles: 1
  dma_bytes: 832
  dma_cycles: 175
  dma_engines: 1
  block_ops: 0
  block_bytes: 640
  clock_hz: 800000000
  bank_bytes: 0
  store_engines: 0
  non_blocking_transfers: false
  transfer_issue_cycles: 0
)pb";

// Every number another than sl2610's.
constexpr char kCustom[] = R"pb(
  lram_bytes: 1000
  lram_reserved_bytes: 24
  alignment: 4
  slices: 64
  small_buffer_bytes: 100
  start_cycles: 3
  dma_bytes: 16
  dma_cycles: 7
  dma_engines: 3
  block_ops: 5
  block_bytes: 64
  clock_hz: 1000
  region_bytes: 500
  region_bytes: 400
  region_bytes: 76
  bank_bytes: 100
  store_engines: 2
  non_blocking_transfers: true
  transfer_issue_cycles: 9
)pb";

TEST(HardwareFromProto, EmptyMessageIsTheChipOfProfileSl2610) {
  const absl::StatusOr<Hardware> hardware = Chip("");
  ASSERT_TRUE(hardware.ok()) << hardware.status();
  v1::Hardware message;
  HardwareToProto(*hardware, &message);
  EXPECT_TRUE(IsText(message, kSl2610));
}

TEST(HardwareFromProto, NamedProfileIsThatChip) {
  const absl::StatusOr<Hardware> hardware = Chip(R"(profile: "sl2610")");
  ASSERT_TRUE(hardware.ok()) << hardware.status();
  v1::Hardware message;
  HardwareToProto(*hardware, &message);
  EXPECT_TRUE(IsText(message, kSl2610));
}

TEST(HardwareFromProto, EveryNumberThatIsSetReplacesTheProfiles) {
  const absl::StatusOr<Hardware> hardware = Chip(kCustom);
  ASSERT_TRUE(hardware.ok()) << hardware.status();
  EXPECT_EQ(hardware->lram_bytes, 1000u);
  EXPECT_EQ(hardware->lram_reserved_bytes, 24u);
  EXPECT_EQ(hardware->alignment, 4u);
  EXPECT_EQ(hardware->slices, 64u);
  EXPECT_EQ(hardware->small_buffer_bytes, 100u);
  EXPECT_EQ(hardware->start_cycles, 3u);
  EXPECT_EQ(hardware->dma_bytes, 16u);
  EXPECT_EQ(hardware->dma_cycles, 7u);
  EXPECT_EQ(hardware->block_ops, 5u);
  EXPECT_EQ(hardware->block_bytes, 64u);
  EXPECT_EQ(hardware->clock_hz, 1000u);
  EXPECT_EQ(hardware->region_bytes, (std::vector<uint64_t>{500, 400, 76}));
  EXPECT_EQ(hardware->bank_bytes, 100u);
  EXPECT_EQ(hardware->dma_engines, 3u);
  EXPECT_EQ(hardware->store_engines, 2u);
  EXPECT_TRUE(hardware->non_blocking_transfers);
  EXPECT_EQ(hardware->transfer_issue_cycles, 9u);
}

TEST(HardwareFromProto, WhatToProtoWritesComesBackAsTheSameChip) {
  const absl::StatusOr<Hardware> hardware = Chip(kCustom);
  ASSERT_TRUE(hardware.ok()) << hardware.status();
  v1::Hardware message;
  HardwareToProto(*hardware, &message);
  EXPECT_TRUE(IsText(message, kCustom));
  const absl::StatusOr<Hardware> again = HardwareFromProto(message);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(Text(*again), Text(*hardware));
}

TEST(HardwareFromProto, ZeroIsANumberAndNotUnset) {
  const absl::StatusOr<Hardware> hardware =
      Chip("lram_reserved_bytes: 0 start_cycles: 0 small_buffer_bytes: 0 clock_hz: 0");
  ASSERT_TRUE(hardware.ok()) << hardware.status();
  EXPECT_EQ(hardware->lram_reserved_bytes, 0u);
  EXPECT_EQ(hardware->start_cycles, 0u);
  EXPECT_EQ(hardware->small_buffer_bytes, 0u);
  EXPECT_EQ(hardware->clock_hz, 0u);
  EXPECT_EQ(hardware->lram_bytes, 524288u);
}

TEST(HardwareFromProto, FieldsForLoweringChangeNothing) {
  const absl::StatusOr<Hardware> hardware = Chip(
      "granule: 32 int8_macs_per_cycle: 1 bf16_macs_per_cycle: 1 code_buffer_bytes: 0 "
      "elementwise_bytes_per_cycle: 1 least_program_cycles: 0");
  ASSERT_TRUE(hardware.ok()) << hardware.status();
  EXPECT_EQ(Text(*hardware), Text(*Chip("")));
}

TEST(HardwareErrors, ProfileThatDoesNotExistIsNotFound) {
  ExpectError(R"(profile: "sl9999")", absl::StatusCode::kNotFound, "hardware.profile");
}

TEST(HardwareErrors, HalfOfTheDmaRatioNamesTheOtherHalf) {
  ExpectError("dma_bytes: 8", absl::StatusCode::kInvalidArgument, "hardware.dma_cycles");
  ExpectError("dma_cycles: 1", absl::StatusCode::kInvalidArgument, "hardware.dma_bytes");
}

TEST(HardwareErrors, NumbersOutOfRangeNameTheirField) {
  const absl::StatusCode invalid = absl::StatusCode::kInvalidArgument;
  ExpectError("alignment: 0", invalid, "hardware.alignment");
  ExpectError("slices: 0", invalid, "hardware.slices");
  ExpectError("slices: 65", invalid, "hardware.slices");
  ExpectError("dma_bytes: 0 dma_cycles: 1", invalid, "hardware.dma_bytes");
  ExpectError("dma_engines: 0", invalid, "hardware.dma_engines");
  ExpectError("dma_engines: 65", invalid, "hardware.dma_engines");
  EXPECT_TRUE(Chip("dma_engines: 64 store_engines: 64").ok());
  ExpectError("store_engines: 65", invalid, "hardware.store_engines");
  ExpectError("lram_bytes: 1279", invalid, "hardware.lram_reserved_bytes");
  ExpectError("region_bytes: [ 523000, 7 ]", invalid, "hardware.region_bytes");
  ExpectError("region_bytes: [ 523008, 0 ]", invalid, "hardware.region_bytes[1]");
}

}  // namespace
}  // namespace torqsched
