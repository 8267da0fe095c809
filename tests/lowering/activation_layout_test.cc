// The arithmetic of layouts against a map of every byte.
#include "src/lowering/activation_layout.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "tests/reference/random_streams.h"

namespace torqsched::lowering {
namespace {

using reference::SplitMix64;

// Logical byte -> where it lies, one by one.
std::vector<uint64_t> Places(uint64_t pixels, const std::vector<uint64_t>& blocks) {
  std::vector<uint64_t> places(pixels * blocks.back());
  uint64_t next = 0;
  for (size_t b = 0; b + 1 < blocks.size(); ++b) {
    for (uint64_t pixel = 0; pixel < pixels; ++pixel) {
      for (uint64_t column = blocks[b]; column < blocks[b + 1]; ++column) {
        places[pixel * blocks.back() + column] = next++;
      }
    }
  }
  return places;
}

size_t RunsOf(const std::set<uint64_t>& bytes) {
  size_t runs = 0;
  for (const uint64_t byte : bytes) runs += byte == 0 || bytes.count(byte - 1) == 0;
  return runs;
}

std::string Text(const Ranges& ranges) {
  std::string text = absl::StrCat(ranges.exact ? "exact, " : "", ranges.bytes, " bytes:");
  for (const ByteRange& r : ranges.ranges) absl::StrAppend(&text, " [", r.begin, ", ", r.end, ")");
  return text;
}

// What is wrong with ranges that should be these bytes; empty: nothing.
std::string Fault(const Ranges& ranges, const std::set<uint64_t>& expected, uint64_t end) {
  if (ranges.bytes != expected.size()) return "another number of bytes";
  if (ranges.ranges.size() > kMostRanges) return "too many ranges";
  std::set<uint64_t> bytes;
  uint64_t last = 0;
  for (const ByteRange& range : ranges.ranges) {
    if (range.begin >= range.end || range.begin < last || range.end > end) return "a bad range";
    last = range.end;
    for (uint64_t byte = range.begin; byte < range.end; ++byte) bytes.insert(byte);
  }
  if (ranges.exact) return bytes == expected ? "" : "exact, but other bytes";
  for (const uint64_t byte : expected) {
    if (bytes.count(byte) == 0) return absl::StrCat("byte ", byte, " is missing");
  }
  return "";
}

struct RandomLayout {
  uint64_t pixels = 1;
  std::vector<uint64_t> blocks = {0};
};

RandomLayout MakeLayout(SplitMix64* random) {
  RandomLayout layout;
  layout.pixels = random->Percent(20) ? 1 : random->Between(1, 30);
  const uint64_t count = random->Percent(30) ? 1 : random->Between(1, 20);
  for (uint64_t b = 0; b < count; ++b) {
    layout.blocks.push_back(layout.blocks.back() + random->Between(1, 5));
  }
  return layout;
}

TEST(ActivationLayout, AWindowIsExactlyItsBytesWhereverItBeginsAndEnds) {
  for (uint64_t seed = 1; seed <= 4000; ++seed) {
    SplitMix64 random(seed);
    const RandomLayout layout = MakeLayout(&random);
    const std::vector<uint64_t> places = Places(layout.pixels, layout.blocks);
    const uint64_t begin = random.Below(places.size());
    const uint64_t end = random.Between(begin, places.size());
    const std::set<uint64_t> expected(places.begin() + begin, places.begin() + end);
    const Ranges ranges = ActivationLayout(layout.pixels, layout.blocks).Window({begin, end});
    EXPECT_EQ(Fault(ranges, expected, places.size()), "")
        << "seed " << seed << ": " << layout.pixels << " pixels of "
        << absl::StrJoin(layout.blocks, ",") << ", [" << begin << ", " << end
        << "): " << Text(ranges);
    EXPECT_EQ(ranges.exact, RunsOf(expected) <= kMostRanges)
        << "seed " << seed << ": " << Text(ranges);
  }
}

TEST(ActivationLayout, AColumnSliceHasItsBytesOfEachUnit) {
  uint64_t exact = 0, rounded = 0;
  for (uint64_t seed = 1; seed <= 8000; ++seed) {
    SplitMix64 random(seed);
    const RandomLayout layout = MakeLayout(&random);
    const std::vector<uint64_t> places = Places(layout.pixels, layout.blocks);
    const uint64_t pixel_bytes = layout.blocks.back();
    // The layout's pixels, or units of another length.
    uint64_t unit = pixel_bytes;
    if (random.Percent(40)) unit = random.Between(1, places.size());
    const uint64_t units = places.size() / unit;
    const uint64_t first_unit = random.Below(units);
    const uint64_t end_unit = random.Between(first_unit + 1, units);
    const uint64_t columns = random.Between(1, 2 * unit);
    const uint64_t first = random.Below(columns), end = random.Between(first + 1, columns);
    std::set<uint64_t> expected;
    for (uint64_t u = first_unit; u < end_unit; ++u) {
      for (uint64_t c = 0; c < unit; ++c) {
        // Byte c is a part of a column in [first, end).
        if ((c + 1) * columns > first * unit && c * columns < end * unit) {
          expected.insert(places[u * unit + c]);
        }
      }
    }
    const Ranges ranges =
        ActivationLayout(layout.pixels, layout.blocks)
            .Window({first_unit * unit, end_unit * unit}, unit, first, end, columns);
    EXPECT_EQ(Fault(ranges, expected, places.size()), "")
        << "seed " << seed << ": " << layout.pixels << " pixels of "
        << absl::StrJoin(layout.blocks, ",") << ", units " << first_unit << ".." << end_unit
        << " of " << unit << ", columns " << first << ".." << end << " of " << columns << ": "
        << Text(ranges);
    const bool linear = layout.pixels == 1 || layout.blocks.size() == 2;
    if ((unit == pixel_bytes || linear) && end_unit - first_unit <= kMostRanges &&
        RunsOf(expected) <= kMostRanges) {
      EXPECT_TRUE(ranges.exact) << "seed " << seed << ": " << Text(ranges);
    }
    ++(ranges.exact ? exact : rounded);
  }
  EXPECT_GT(exact, 2000u);
  EXPECT_GT(rounded, 1000u);
}

TEST(ActivationLayout, ATileOfABlockIsOneRunOfItsPixels) {
  for (uint64_t seed = 1; seed <= 2000; ++seed) {
    SplitMix64 random(seed);
    const RandomLayout layout = MakeLayout(&random);
    const std::vector<uint64_t> places = Places(layout.pixels, layout.blocks);
    const size_t block = random.Below(layout.blocks.size() - 1);
    const uint64_t first = random.Below(layout.pixels);
    const uint64_t end = random.Between(first + 1, layout.pixels);
    std::set<uint64_t> expected;
    for (uint64_t pixel = first; pixel < end; ++pixel) {
      for (uint64_t c = layout.blocks[block]; c < layout.blocks[block + 1]; ++c) {
        expected.insert(places[pixel * layout.blocks.back() + c]);
      }
    }
    const ByteRange tile = ActivationLayout(layout.pixels, layout.blocks).Tile(first, end, block);
    EXPECT_EQ(tile.begin, *expected.begin()) << "seed " << seed;
    EXPECT_EQ(tile.end, *expected.rbegin() + 1) << "seed " << seed;
    EXPECT_EQ(tile.size(), expected.size()) << "seed " << seed;
  }
}

TEST(ActivationLayout, FourPixelsInTwoBlocksByHand) {
  // Columns 0 to 2 of all pixels, then columns 3 and 4.
  const ActivationLayout layout(4, {0, 3, 5});
  EXPECT_EQ(Text(layout.Window({5, 15})), "exact, 10 bytes: [3, 9) [14, 18)");
  EXPECT_EQ(Text(layout.Window({6, 14})), "exact, 8 bytes: [4, 9) [14, 17)");
  EXPECT_EQ(Text(layout.Window({5, 15}, 5, 3, 5, 5)), "exact, 4 bytes: [14, 18)");
  EXPECT_EQ(Text(layout.Window({5, 15}, 5, 2, 4, 5)),
            "exact, 4 bytes: [5, 6) [8, 9) [14, 15) [16, 17)");
  EXPECT_EQ(Text(layout.Window({7, 7})), "exact, 0 bytes:");
}

}  // namespace
}  // namespace torqsched::lowering
