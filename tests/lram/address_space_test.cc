// The address space against two naive models on long random sequences: one that keeps a flag for
// each byte, and one that lists what is taken and computes in 128 bits, for huge spaces.
#include "src/lram/address_space.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/numeric/int128.h"
#include "gtest/gtest.h"
#include "tests/reference/random_streams.h"

namespace torqsched {
namespace {

using reference::SplitMix64;

constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();

struct Taken {
  uint64_t offset;
  uint64_t size;
};

// The lowest place that is free is the lower end of the lowest range that holds the buffer; the
// highest place that is free is the upper end of the highest such range.
class ByteModel {
 public:
  ByteModel(uint64_t capacity, uint64_t alignment, std::vector<uint64_t> boundaries)
      : alignment_(alignment), boundaries_(std::move(boundaries)), taken_(capacity) {}

  std::optional<uint64_t> Lowest(uint64_t size, uint64_t alignment) const {
    alignment = std::max(alignment, alignment_);
    for (uint64_t at = 0; at + size <= taken_.size(); at += alignment) {
      if (IsFree(at, size)) return at;
    }
    return std::nullopt;
  }
  std::optional<uint64_t> Highest(uint64_t size, uint64_t alignment) const {
    alignment = std::max(alignment, alignment_);
    std::optional<uint64_t> highest;
    for (uint64_t at = 0; at + size <= taken_.size(); at += alignment) {
      if (IsFree(at, size)) highest = at;
    }
    return highest;
  }
  bool IsFree(uint64_t at, uint64_t size) const {
    for (const uint64_t b : boundaries_) {
      if (at < b && b < at + size) return false;
    }
    return at <= taken_.size() && size <= taken_.size() - at &&
           std::find(taken_.begin() + at, taken_.begin() + at + size, true) ==
               taken_.begin() + at + size;
  }
  void Set(uint64_t at, uint64_t size, bool taken) {
    std::fill(taken_.begin() + at, taken_.begin() + at + size, taken);
  }
  uint64_t free_bytes() const { return std::count(taken_.begin(), taken_.end(), false); }
  uint64_t LargestRange() const {
    uint64_t largest = 0;
    uint64_t run = 0;
    for (size_t at = 0; at < taken_.size(); ++at) {
      if (std::count(boundaries_.begin(), boundaries_.end(), at) != 0) run = 0;
      run = taken_[at] ? 0 : run + 1;
      largest = std::max(largest, run);
    }
    return largest;
  }

 private:
  const uint64_t alignment_;
  const std::vector<uint64_t> boundaries_;
  std::vector<bool> taken_;
};

// Gaps between what is taken, made anew for each question.
class GapModel {
 public:
  GapModel(uint64_t capacity, uint64_t alignment, std::vector<uint64_t> boundaries)
      : capacity_(capacity), alignment_(alignment), boundaries_(std::move(boundaries)) {}

  std::optional<uint64_t> Lowest(uint64_t size, uint64_t alignment) const {
    alignment = std::max(alignment, alignment_);
    for (const Gap& gap : Gaps()) {
      const absl::uint128 at = (gap.begin + alignment - 1) / alignment * alignment;
      if (at + size <= gap.end) return absl::Uint128Low64(at);
    }
    return std::nullopt;
  }
  std::optional<uint64_t> Highest(uint64_t size, uint64_t alignment) const {
    alignment = std::max(alignment, alignment_);
    std::optional<uint64_t> highest;
    for (const Gap& gap : Gaps()) {
      if (gap.end < size) continue;
      const absl::uint128 at = (gap.end - size) / alignment * alignment;
      if (at >= gap.begin) highest = absl::Uint128Low64(at);
    }
    return highest;
  }
  bool IsFree(uint64_t at, uint64_t size) const {
    for (const Gap& gap : Gaps()) {
      if (gap.begin <= at && absl::uint128(at) + size <= gap.end) return true;
    }
    return false;
  }
  void Set(uint64_t at, uint64_t size, bool taken) {
    if (taken) {
      taken_.push_back({at, size});
    } else {
      taken_.erase(std::find_if(taken_.begin(), taken_.end(),
                                [at](const Taken& t) { return t.offset == at; }));
    }
  }
  uint64_t free_bytes() const {
    absl::uint128 total = 0;
    for (const Gap& gap : Gaps()) total += gap.end - gap.begin;
    return absl::Uint128Low64(total);
  }
  uint64_t LargestRange() const {
    absl::uint128 largest = 0;
    for (const Gap& gap : Gaps()) largest = std::max(largest, gap.end - gap.begin);
    return absl::Uint128Low64(largest);
  }

 private:
  struct Gap {
    absl::uint128 begin;
    absl::uint128 end;
  };

  std::vector<Gap> Gaps() const {
    std::vector<Taken> sorted = taken_;
    std::sort(sorted.begin(), sorted.end(),
              [](const Taken& a, const Taken& b) { return a.offset < b.offset; });
    std::vector<Gap> gaps;
    const auto add = [&](absl::uint128 begin, absl::uint128 end) {
      for (const uint64_t b : boundaries_) {
        if (b <= begin || b >= end) continue;
        gaps.push_back({begin, b});
        begin = b;
      }
      if (begin < end) gaps.push_back({begin, end});
    };
    absl::uint128 at = 0;
    for (const Taken& t : sorted) {
      add(at, t.offset);
      at = absl::uint128(t.offset) + t.size;
    }
    add(at, capacity_);
    return gaps;
  }

  const uint64_t capacity_;
  const uint64_t alignment_;
  const std::vector<uint64_t> boundaries_;
  std::vector<Taken> taken_;
};

struct Sequence {
  uint64_t capacity;
  uint64_t alignment;  // the hardware's
  uint64_t largest;    // of buffers
  std::vector<uint64_t> own_alignments;
  int steps;
  std::vector<uint64_t> boundaries = {};
};

template <typename Model>
void Compare(const Sequence& sequence, uint64_t seed) {
  SplitMix64 random(seed);
  AddressSpace space(sequence.capacity, sequence.alignment, sequence.boundaries);
  Model model(sequence.capacity, sequence.alignment, sequence.boundaries);
  const uint64_t largest_at_first = model.LargestRange();
  std::vector<Taken> held;
  uint64_t free_percent = 45;
  for (int step = 0; step < sequence.steps; ++step) {
    if (step % 100 == 0) free_percent = random.Between(20, 70);  // fills up, and empties
    const uint64_t size = random.Between(1, sequence.largest);
    ASSERT_EQ(space.MayHold(size), model.Lowest(size, 1).has_value()) << "step " << step;
    if (!held.empty() && random.Percent(free_percent)) {
      const size_t which = random.Below(held.size());
      space.Free(held[which].offset, held[which].size);
      model.Set(held[which].offset, held[which].size, false);
      held.erase(held.begin() + which);
    } else if (random.Percent(20)) {
      const uint64_t at = random.Below(sequence.capacity);
      const bool expected = model.IsFree(at, size);
      ASSERT_EQ(space.TakeAt(at, size), expected) << "step " << step;
      if (expected) held.push_back({at, size});
      if (expected) model.Set(at, size, true);
    } else {
      const uint64_t own = sequence.own_alignments[random.Below(sequence.own_alignments.size())];
      const bool lowest = random.Percent(50);
      const std::optional<uint64_t> expected =
          lowest ? model.Lowest(size, own) : model.Highest(size, own);
      const std::optional<uint64_t> actual =
          lowest ? space.TakeLowest(size, own) : space.TakeHighest(size, own);
      ASSERT_EQ(actual, expected) << "step " << step;
      if (expected.has_value()) held.push_back({*expected, size});
      if (expected.has_value()) model.Set(*expected, size, true);
    }
    ASSERT_EQ(space.free_bytes(), model.free_bytes()) << "step " << step;
    ASSERT_EQ(space.LargestRange(), model.LargestRange()) << "step " << step;
  }
  while (!held.empty()) {
    space.Free(held.back().offset, held.back().size);
    held.pop_back();
  }
  EXPECT_EQ(space.free_bytes(), sequence.capacity);
  EXPECT_EQ(space.LargestRange(), largest_at_first);
}

TEST(AddressSpace, TakesWhatAFlagForEachByteTakes) {
  for (const uint64_t alignment : {1, 2, 3, 8, 12, 64}) {
    for (uint64_t seed = 0; seed < 6; ++seed) {
      SCOPED_TRACE(testing::Message() << "alignment " << alignment << ", seed " << seed);
      Compare<ByteModel>({257 + 10 * seed, alignment, 40, {1, 2, 3, 5, 8, 16, 24, 48}, 2000}, seed);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

// Hundreds of free ranges at once.
TEST(AddressSpace, KeepsManyRangesApart) {
  for (const uint64_t alignment : {1, 3, 4}) {
    SCOPED_TRACE(alignment);
    Compare<ByteModel>({4000, alignment, 7, {1, 1, 4, 6}, 8000}, alignment);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(AddressSpace, TakesWhatTheGapsGiveNear2To64) {
  for (const uint64_t alignment :
       {uint64_t{1}, uint64_t{8}, uint64_t{3} << 40, uint64_t{1} << 60}) {
    for (const uint64_t capacity : {kMost, kMost - 1, kMost - 4095, uint64_t{1} << 63}) {
      SCOPED_TRACE(testing::Message() << "alignment " << alignment << ", capacity " << capacity);
      const std::vector<uint64_t> own = {1, 4096, uint64_t{5} << 59, uint64_t{1} << 62};
      Compare<GapModel>({capacity, alignment, capacity / 6, own, 2500}, alignment ^ capacity);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(AddressSpace, NothingGoesOnBeyondABoundary) {
  for (const uint64_t alignment : {1, 3, 8}) {
    for (uint64_t seed = 0; seed < 12; ++seed) {
      SCOPED_TRACE(testing::Message() << "alignment " << alignment << ", seed " << seed);
      SplitMix64 random(seed);
      std::set<uint64_t> boundaries;
      for (int i = 0; i < 5; ++i) boundaries.insert(random.Between(1, 299));
      boundaries.insert({150, 151, 300, 400});  // a region of one byte; two that mean nothing
      const std::vector<uint64_t> list(boundaries.begin(), boundaries.end());
      Compare<ByteModel>({300, alignment, 60, {1, 2, 3, 8, 24}, 2000, list}, seed);
      Compare<GapModel>({300, alignment, 60, {1, 2, 3, 8, 24}, 2000, list}, seed + 100);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(AddressSpace, ABoundaryOutlivesWhatLayOnBothSides) {
  AddressSpace space(100, 1, {40});
  EXPECT_EQ(space.LargestRange(), 60u);
  EXPECT_EQ(space.TakeLowest(41, 1), 40u);  // [0, 40) is too short
  EXPECT_TRUE(space.TakeAt(0, 40));
  space.Free(40, 41);
  space.Free(0, 40);
  EXPECT_EQ(space.free_bytes(), 100u);
  EXPECT_EQ(space.LargestRange(), 60u);
  EXPECT_FALSE(space.MayHold(61));
  EXPECT_FALSE(space.TakeAt(39, 2));
  EXPECT_EQ(space.TakeHighest(40, 1), 60u);
  EXPECT_EQ(space.TakeHighest(40, 1), 0u);
}

TEST(AddressSpace, OfNoBytesHoldsNothing) {
  AddressSpace space(0, 8);
  EXPECT_FALSE(space.MayHold(1));
  EXPECT_EQ(space.TakeLowest(1, 1), std::nullopt);
  EXPECT_EQ(space.TakeHighest(1, 1), std::nullopt);
  EXPECT_FALSE(space.TakeAt(0, 1));
  EXPECT_EQ(space.LargestRange(), 0u);
}

TEST(AddressSpace, AllOf2To64IsOneRange) {
  AddressSpace space(kMost, 1);
  EXPECT_EQ(space.TakeHighest(uint64_t{1} << 63, 1), (uint64_t{1} << 63) - 1);
  EXPECT_EQ(space.TakeLowest(uint64_t{1} << 63, 1), std::nullopt);
  EXPECT_EQ(space.TakeLowest((uint64_t{1} << 63) - 1, 1), 0u);
  EXPECT_EQ(space.free_bytes(), 0u);
  space.Free((uint64_t{1} << 63) - 1, uint64_t{1} << 63);
  space.Free(0, (uint64_t{1} << 63) - 1);
  EXPECT_EQ(space.TakeLowest(kMost, 1), 0u);
}

TEST(AddressSpace, ARangeWhoseAlignedBeginWouldWrapHoldsNothing) {
  AddressSpace space(kMost, 8);
  EXPECT_TRUE(space.TakeAt(0, kMost - 3));  // 2^64 - 4 up to 2^64 - 2 are left
  EXPECT_FALSE(space.MayHold(1));
  EXPECT_EQ(space.TakeLowest(1, 1), std::nullopt);
  EXPECT_EQ(space.TakeHighest(1, 1), std::nullopt);
  EXPECT_TRUE(space.TakeAt(kMost - 1, 1));  // a fixed range needs no alignment
}

TEST(AddressSpace, AFixedRangeTakesAllOrNothing) {
  AddressSpace space(100, 8);
  EXPECT_TRUE(space.TakeAt(40, 20));
  EXPECT_FALSE(space.TakeAt(59, 2));
  EXPECT_FALSE(space.TakeAt(39, 2));
  EXPECT_FALSE(space.TakeAt(30, 40));
  EXPECT_FALSE(space.TakeAt(99, 2));
  EXPECT_FALSE(space.TakeAt(99, kMost));
  EXPECT_FALSE(space.TakeAt(kMost, 1));
  EXPECT_EQ(space.free_bytes(), 80u);
  EXPECT_TRUE(space.TakeAt(60, 40));
  EXPECT_TRUE(space.TakeAt(0, 40));
}

TEST(AddressSpace, ABufferOfLargerAlignmentLooksBeyondTheFirstLongRange) {
  AddressSpace space(200, 1);
  EXPECT_TRUE(space.TakeAt(0, 1));
  EXPECT_TRUE(space.TakeAt(60, 4));
  // [1, 60) is long enough for 32 bytes, but not at a multiple of 48; so is [64, 200) from above.
  EXPECT_EQ(space.TakeLowest(32, 48), 96u);
  EXPECT_EQ(space.TakeHighest(32, 48), 144u);
  EXPECT_EQ(space.TakeLowest(32, 48), std::nullopt);
  EXPECT_EQ(space.TakeLowest(32, 1), 1u);
}

}  // namespace
}  // namespace torqsched
