// Bandwidths as weights: exact, least terms, and what is refused.
#include "src/residency/transfer_time.h"

#include <cstdint>

#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "src/stream/error.h"

namespace torqsched {
namespace {

TEST(TransferTimeTest, WeightsAreInLeastTerms) {
  // 100 TB/s, 1 TB/s and 50 GB/s, time in ns.
  const uint64_t second = 1000000000;
  const absl::StatusOr<TierWeights> weights = WeightsOf(
      {{100000 * second, second}, {1000 * second, second}, {50 * second, second}}, 1 << 30);
  ASSERT_TRUE(weights.ok()) << weights.status();
  EXPECT_EQ(weights->sram, 1u);
  EXPECT_EQ(weights->hbm, 100u);
  EXPECT_EQ(weights->dram, 2000u);
  EXPECT_EQ(TimeOf(PartsOf({0, 0, 50}, *weights), *weights), 1u);
  EXPECT_EQ(TimeOf(PartsOf({0, 0, 51}, *weights), *weights), 2u);
  EXPECT_EQ(TimeOf(PartsOf({100000, 1000, 50}, *weights), *weights), 3u);
}

TEST(TransferTimeTest, RoundsUpExactly) {
  const absl::StatusOr<TierWeights> weights = WeightsOf({{7, 0}, {832, 175}, {9, 2}}, 1000000);
  ASSERT_TRUE(weights.ok()) << weights.status();
  EXPECT_EQ(TimeOf(PartsOf({1000, 0, 0}, *weights), *weights), 0u);
  EXPECT_EQ(TimeOf(PartsOf({0, 832, 0}, *weights), *weights), 175u);
  EXPECT_EQ(TimeOf(PartsOf({0, 833, 0}, *weights), *weights), 176u);
  EXPECT_EQ(TimeOf(PartsOf({0, 0, 10}, *weights), *weights), 3u);
}

void ExpectRefused(const TierBandwidths& bandwidths, uint64_t moved, const char* field) {
  const absl::StatusOr<TierWeights> weights = WeightsOf(bandwidths, moved);
  ASSERT_FALSE(weights.ok());
  EXPECT_EQ(PlaceOf(weights.status()).field, field);
}

TEST(TransferTimeTest, Refused) {
  ExpectRefused({{0, 1}, {1, 1}, {1, 1}}, 1, "options.bandwidths.sram");
  ExpectRefused({{1, 1}, {2, 1}, {1, 1}}, 1, "options.bandwidths.hbm");
  ExpectRefused({{4, 1}, {2, 1}, {3, 1}}, 1, "options.bandwidths.dram");
  ExpectRefused({{4, 1}, {2, 1}, {1, 1}}, UINT64_MAX / 4, "options.bandwidths");
  ExpectRefused({{UINT64_MAX, 1}, {UINT64_MAX - 1, 1}, {1, 1}}, 1, "options.bandwidths");
}

}  // namespace
}  // namespace torqsched
