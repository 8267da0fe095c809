// Names to positions: found, not found, repeated.
#include "src/residency/name_table.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace torqsched {
namespace {

TEST(NameTableTest, FindsEach) {
  for (const uint32_t n : {0u, 1u, 2u, 3u, 100u, 5000u}) {
    std::vector<std::string> names;
    for (uint32_t i = 0; i < n; ++i) names.push_back(absl::StrCat("name ", i * 7919 % 10007));
    const NameTable table(std::vector<absl::string_view>(names.begin(), names.end()));
    for (uint32_t i = 0; i < n; ++i) EXPECT_EQ(table.Find(names[i]), i);
    EXPECT_EQ(table.Find("name"), std::nullopt);
    EXPECT_EQ(table.Find(""), std::nullopt);
    EXPECT_EQ(table.FirstRepeated(), std::nullopt);
  }
}

TEST(NameTableTest, NamesTheLowestRepeated) {
  const NameTable table({"a", "b", "c", "b", "a", "c", ""});
  EXPECT_EQ(table.FirstRepeated(), 3u);
  EXPECT_EQ(table.Find("a"), 0u);
  EXPECT_EQ(table.Find("b"), 1u);
  EXPECT_EQ(NameTable({"x", "", "y", ""}).FirstRepeated(), 3u);
}

// Bytes that a shorter name would be padded with make another name.
TEST(NameTableTest, ZeroBytesCount) {
  const std::string longer("a\0", 2);
  const NameTable table({"a", longer});
  EXPECT_EQ(table.FirstRepeated(), std::nullopt);
  EXPECT_EQ(table.Find(longer), 1u);
}

}  // namespace
}  // namespace torqsched
