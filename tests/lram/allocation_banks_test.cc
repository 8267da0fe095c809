// An allocation of a stream's buffers on a chip with banks: what moves, what must not, and random
// streams through the checker.
#include "src/lram/allocation_banks.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "src/allocation/allocate.h"
#include "src/lram/lram_problem.h"
#include "src/verify/allocation.h"
#include "src/verify/stream_allocation.h"
#include "tests/reference/random_streams.h"
#include "tests/stream/stream_maker.h"

namespace torqsched {
namespace {

std::vector<OpIndex> InputOrder(const Stream& stream) {
  std::vector<OpIndex> order;
  for (size_t i = 0; i < stream.op_count(); ++i) order.emplace_back(i);
  return order;
}

// Two buffers of 20 bytes that one program reads, and the offsets that an allocator may have given:
// both in bank 0 of 50 bytes.
class TwoReads : public testing::Test {
 protected:
  TwoReads() {
    hardware_.lram_bytes = 100;
    hardware_.bank_bytes = 50;
    maker_.Lram(20);
    maker_.Lram(20);
    maker_.Load(1, {Writes(0), Writes(1)});
    maker_.Program(1, {Reads(0), Reads(1)});
    stream_ = maker_.Build();
    const absl::StatusOr<AllocationProblem> problem =
        MakeLramProblem(stream_, hardware_, InputOrder(stream_));
    EXPECT_TRUE(problem.ok()) << problem.status();
    if (problem.ok()) problem_ = *problem;
    answer_.verdict = AllocationVerdict::kPlaced;
    answer_.offsets = {0, 20};
    answer_.height = 40;
    answer_.lower_bound = 39;  // so that height proves nothing
  }

  std::vector<uint64_t> Offsets() {
    AllocationAnswer answer = answer_;
    PreferBanks(problem_, options_, BankReadsOf(stream_, hardware_), &answer);
    height_ = answer.height;
    return answer.offsets;
  }

  using Offset = std::vector<uint64_t>;
  StreamMaker maker_;
  Stream stream_;
  Hardware hardware_;
  AllocationProblem problem_;
  AllocationOptions options_;
  AllocationAnswer answer_;
  uint64_t height_ = 0;
};

TEST_F(TwoReads, GoToDifferentBanks) {
  EXPECT_EQ(Offsets(), (Offset{50, 20}));
  EXPECT_EQ(height_, 70u);
}

TEST_F(TwoReads, StayWhereNoBanksAre) {
  hardware_.bank_bytes = 0;
  EXPECT_EQ(Offsets(), (Offset{0, 20}));
}

TEST_F(TwoReads, AddNoHeightWhereTheLeastIsWanted) {
  options_.objective = Objective::kLeast;
  EXPECT_EQ(Offsets(), (Offset{0, 20}));
  options_.objective = Objective::kFit;
  answer_.proven_least = true;
  EXPECT_EQ(Offsets(), (Offset{0, 20}));
}

TEST_F(TwoReads, KeepToTheCapacityReservedBytesAndBoundaries) {
  problem_.capacity = 70;
  EXPECT_EQ(Offsets(), (Offset{50, 20}));
  problem_.capacity = 69;
  EXPECT_EQ(Offsets(), (Offset{0, 20}));
  problem_.capacity = 100;
  problem_.reserved = {{50, 61}, {62, 62}};
  EXPECT_EQ(Offsets(), (Offset{61, 20}));
  problem_.boundaries = {90, 75};
  EXPECT_EQ(Offsets(), (Offset{0, 20}));  // [61, 75), [75, 90) and [90, 100) are too short
}

TEST_F(TwoReads, StayWhereBuffersAreTied) {
  problem_.separate = {{0, 1}};
  EXPECT_EQ(Offsets(), (Offset{0, 20}));
  problem_.separate.clear();
  problem_.same_offset = {{0, 1}};
  EXPECT_EQ(Offsets(), (Offset{0, 20}));
  problem_.same_offset.clear();
  problem_.aliases = {{1, 0, 0}};
  EXPECT_EQ(Offsets(), (Offset{0, 20}));
}

TEST_F(TwoReads, StayWhereNothingIsPlaced) {
  answer_.verdict = AllocationVerdict::kUndecided;
  EXPECT_EQ(Offsets(), (Offset{0, 20}));
}

TEST_F(TwoReads, AFixedOneStays) {
  problem_.buffers[0].fixed_offset = 0;
  EXPECT_EQ(Offsets(), (Offset{0, 50}));
}

uint64_t Conflicts(const BankReads& reads, const std::vector<uint64_t>& offsets) {
  uint64_t conflicts = 0;
  for (size_t row = 0; row < reads.buffers.row_count(); ++row) {
    const Run<uint32_t> buffers = reads.buffers[row];
    for (size_t a = 0; a < buffers.size(); ++a) {
      for (size_t b = a + 1; b < buffers.size(); ++b) {
        conflicts += (reads.first_byte + offsets[buffers[a]]) / reads.bank_bytes ==
                     (reads.first_byte + offsets[buffers[b]]) / reads.bank_bytes;
      }
    }
  }
  return conflicts;
}

TEST(PreferBanks, OfRandomStreamsKeepsAllThatHolds) {
  uint64_t placed = 0;
  uint64_t before = 0;
  uint64_t after = 0;
  for (uint64_t seed = 0; seed < 1500; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    reference::Shape shape;
    shape.regions = seed % 3 != 0;
    shape.banks = true;
    const reference::RandomStream random = reference::MakeRandomStream(seed, shape);
    const std::vector<OpIndex> order = InputOrder(random.stream);
    const auto problem = MakeLramProblem(random.stream, random.hardware, order);
    const auto check = AllocationToVerify(random.stream, random.hardware, order);
    ASSERT_TRUE(problem.ok() && check.ok());
    AllocationOptions options;
    options.objective = seed % 2 == 0 ? Objective::kFit : Objective::kLeast;
    options.node_limit = 2000;
    absl::StatusOr<AllocationAnswer> answer = Allocate(*problem, options);
    ASSERT_TRUE(answer.ok()) << answer.status();
    if (answer->verdict != AllocationVerdict::kPlaced) continue;
    ++placed;
    const BankReads reads = BankReadsOf(random.stream, random.hardware);
    const uint64_t conflicts = Conflicts(reads, answer->offsets);
    const uint64_t height = answer->height;
    PreferBanks(*problem, options, reads, &*answer);
    ASSERT_LE(Conflicts(reads, answer->offsets), conflicts);
    if (options.objective == Objective::kLeast) {
      ASSERT_LE(answer->height, height);
    }
    before += conflicts;
    after += Conflicts(reads, answer->offsets);
    std::string wrong;
    for (const Violation& v : VerifyAllocation(*check, *answer).violations) wrong += v.message;
    ASSERT_EQ(wrong, "");
  }
  EXPECT_GT(placed, 500u);
  EXPECT_LT(after * 4, before * 3);
}

}  // namespace
}  // namespace torqsched
