#include "src/report/text.h"

#include <cstdint>

#include "gtest/gtest.h"

namespace torqsched {
namespace report {
namespace {

TEST(Grouped, SeparatesThousands) {
  EXPECT_EQ(Grouped(0), "0");
  EXPECT_EQ(Grouped(999), "999");
  EXPECT_EQ(Grouped(1000), "1,000");
  EXPECT_EQ(Grouped(120306721), "120,306,721");
  EXPECT_EQ(Grouped(UINT64_MAX), "18,446,744,073,709,551,615");
}

TEST(Percent, RoundsHalfUpAtOneDecimal) {
  EXPECT_EQ(Percent(1, 3), "33.3 %");
  EXPECT_EQ(Percent(2, 3), "66.7 %");
  EXPECT_EQ(Percent(1, 2000), "0.1 %");
  EXPECT_EQ(Percent(0, 7), "0.0 %");
  EXPECT_EQ(Percent(UINT64_MAX, UINT64_MAX), "100.0 %");
  EXPECT_EQ(Percent(UINT64_MAX, 1), "1,844,674,407,370,955,161,500.0 %");
  EXPECT_EQ(Percent(1, 0), "-");
}

TEST(Change, HasASign) {
  EXPECT_EQ(Change(410, 250), "-39.0 %");
  EXPECT_EQ(Change(250, 410), "+64.0 %");
  EXPECT_EQ(Change(5, 5), "+0.0 %");
  EXPECT_EQ(Change(0, 5), "-");
}

TEST(Ratio, HasAsManyDecimalsAsAsked) {
  EXPECT_EQ(Ratio(410, 250, 2), "1.64");
  EXPECT_EQ(Ratio(1, 1, 2), "1.00");
  EXPECT_EQ(Ratio(1, 16, 2), "0.06");
  EXPECT_EQ(Ratio(7, 2, 0), "4");
}

TEST(Microseconds, OfTheClock) {
  EXPECT_EQ(Microseconds(3962086, 800000000), "4,952.6 us");
  EXPECT_EQ(Microseconds(1, 800000000), "0.0 us");
  EXPECT_EQ(Microseconds(UINT64_MAX, 1), "18,446,744,073,709,551,615,000,000.0 us");
  EXPECT_EQ(Microseconds(5, 0), "-");
}

TEST(Shown, CutsAtCodePoints) {
  EXPECT_EQ(Shown("load w1", 7), "load w1");
  EXPECT_EQ(Shown("load w12", 7), "load ..");
  EXPECT_EQ(Shown("\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f", 4), "\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f");
  EXPECT_EQ(Shown("\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f", 3), "\xc3\xa4..");
  EXPECT_EQ(Shown("abc", 1), "");
  EXPECT_EQ(Shown("", 1), "");
}

TEST(Shown, LetsNothingDisturbATerminal) {
  EXPECT_EQ(Shown("a\x1b[31mb\nc\x7f", 20), "a?[31mb?c?");
  EXPECT_EQ(Shown("\xff\xc3", 20), "??");            // no UTF-8
  EXPECT_EQ(Shown("\xed\xa0\x80", 20), "???");       // a surrogate
  EXPECT_EQ(Shown("\xf4\x90\x80\x80", 20), "????");  // past the last plane
  EXPECT_EQ(Shown("\xc2\x9b"
                  "31m",
                  20),
            "??31m");  // a C1 control character
}

TEST(TextTable, AlignsColumns) {
  TextTable table;
  table.AddLeft("name");
  table.AddRight("cycles");
  table.AddRow({"L1", "1,000"});
  table.AddRow({"start P1\non s0", "7"});
  table.AddNote("  a note");
  EXPECT_EQ(table.ToString(),
            "name      cycles\n"
            "L1         1,000\n"
            "start P1       7\n"
            "on s0\n"
            "  a note\n");
}

}  // namespace
}  // namespace report
}  // namespace torqsched
