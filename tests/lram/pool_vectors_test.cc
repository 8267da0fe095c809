// Public facts of the Torq compiler's allocator: sequences of allocations and frees, and the
// offsets that it gives. Offsets here include the reserved 1,280 bytes; sizes are rounded up to 8;
// a buffer under 8,192 bytes is small.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "src/hardware/hardware.h"
#include "src/lram/address_space.h"
#include "src/stream/checked.h"

namespace torqsched {
namespace {

constexpr uint64_t kReserved = 1280;

class Pool {
 public:
  // The offset as the compiler counts it, or absent.
  std::optional<uint64_t> Alloc(const std::string& name, uint64_t size) {
    Buffer buffer;
    buffer.space = Space::kLram;
    buffer.size = size;
    uint64_t rounded = 0;
    EXPECT_TRUE(CheckedAlignUp(size, 8, &rounded));
    const std::optional<uint64_t> offset = TakePlace(&space_, buffer, rounded, 8192);
    if (!offset.has_value()) return std::nullopt;
    held_[name] = {*offset, rounded};
    return *offset + kReserved;
  }
  void Free(const std::string& name) {
    space_.Free(held_.at(name).first, held_.at(name).second);
    held_.erase(name);
  }

 private:
  AddressSpace space_{524288 - kReserved, 8};
  std::map<std::string, std::pair<uint64_t, uint64_t>> held_;
};

TEST(PoolVectors, SmallFromBelowLargeFromAbove) {
  Pool pool;
  EXPECT_EQ(pool.Alloc("a", 100), 1280u);
  EXPECT_EQ(pool.Alloc("b", 16384), 507904u);
  EXPECT_EQ(pool.Alloc("c", 8191), 1384u);
  EXPECT_EQ(pool.Alloc("d", 8192), 499712u);
}

TEST(PoolVectors, AHoleIsFilledFromItsUpperEnd) {
  Pool pool;
  EXPECT_EQ(pool.Alloc("a", 200000), 324288u);
  EXPECT_EQ(pool.Alloc("b", 200000), 124288u);
  EXPECT_EQ(pool.Alloc("c", 122000), 2288u);
  pool.Free("b");
  EXPECT_EQ(pool.Alloc("d", 150000), 174288u);
  EXPECT_EQ(pool.Alloc("e", 60000), std::nullopt);
}

TEST(PoolVectors, TheHighestHoleFirst) {
  Pool pool;
  EXPECT_EQ(pool.Alloc("w1", 30720), 493568u);
  EXPECT_EQ(pool.Alloc("o1", 30720), 462848u);
  EXPECT_EQ(pool.Alloc("w2", 30720), 432128u);
  pool.Free("w1");
  EXPECT_EQ(pool.Alloc("o2", 30720), 493568u);
  EXPECT_EQ(pool.Alloc("x", 4096), 1280u);
}

TEST(PoolVectors, AllOfIt) {
  Pool pool;
  EXPECT_EQ(pool.Alloc("a", 523008), 1280u);
  EXPECT_EQ(pool.Alloc("b", 1), std::nullopt);
}

TEST(PoolVectors, OneByteTooMany) { EXPECT_EQ(Pool().Alloc("a", 523009), std::nullopt); }

TEST(PoolVectors, TheLowestHoleThatHoldsIt) {
  Pool pool;
  EXPECT_EQ(pool.Alloc("s0", 4096), 1280u);
  EXPECT_EQ(pool.Alloc("s1", 4096), 5376u);
  EXPECT_EQ(pool.Alloc("s2", 4096), 9472u);
  EXPECT_EQ(pool.Alloc("s3", 4096), 13568u);
  EXPECT_EQ(pool.Alloc("big", 500000), 24288u);
  pool.Free("s1");
  EXPECT_EQ(pool.Alloc("t", 4097), 17664u);
  EXPECT_EQ(pool.Alloc("u", 4096), 5376u);
}

TEST(PoolVectors, BytesWouldDoButNoHoleIsWideEnough) {
  Pool pool;
  const uint64_t offsets[] = {458752, 393216, 327680, 262144, 196608, 131072, 65536};
  for (int i = 0; i < 7; ++i) EXPECT_EQ(pool.Alloc("b" + std::to_string(i), 65536), offsets[i]);
  for (const char* name : {"b1", "b3", "b5"}) pool.Free(name);
  EXPECT_EQ(pool.Alloc("wide", 131072), std::nullopt);
  EXPECT_EQ(pool.Alloc("fit", 65536), 393216u);
}

TEST(TakePlace, AFixedBufferTakesItsRangeOrNone) {
  AddressSpace space(100, 8);
  Buffer fixed;
  fixed.has_fixed_offset = true;
  fixed.fixed_offset = 13;  // no multiple of the alignment
  fixed.size = 10;
  EXPECT_EQ(TakePlace(&space, fixed, 16, 64), 13u);
  fixed.fixed_offset = 28;
  EXPECT_EQ(TakePlace(&space, fixed, 16, 64), std::nullopt);
  fixed.fixed_offset = 29;
  EXPECT_EQ(TakePlace(&space, fixed, 16, 64), 29u);
}

TEST(TakePlace, TheBuffersOwnSizeTellsWhichEnd) {
  AddressSpace space(100, 8);
  Buffer buffer;
  buffer.size = 15;  // under 16, though it takes 16
  EXPECT_EQ(TakePlace(&space, buffer, 16, 16), 0u);
  buffer.size = 16;
  EXPECT_EQ(TakePlace(&space, buffer, 16, 16), 80u);
  buffer.alignment = 32;
  EXPECT_EQ(TakePlace(&space, buffer, 16, 16), 64u);
  EXPECT_EQ(TakePlace(&space, buffer, 16, 17), 32u);
}

}  // namespace
}  // namespace torqsched
