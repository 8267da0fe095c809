// Rounds as CSV: both forms, units, exact decimals, and what is said of files that are wrong.
#include "tools/rounds_csv.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace torqsched {
namespace tools {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Read {
  absl::Status status;
  v1::JudgeWarmRequest request;
  UnitOfFile unit;

  std::vector<uint64_t> Times(int series) const {
    const auto& times = request.series(series).times();
    return {times.begin(), times.end()};
  }
};

Read Rounds(absl::string_view text, const char* unit = "") {
  Read read;
  read.status = ParseRoundsCsv(text, TimeUnitNamed(unit), &read.request, &read.unit);
  return read;
}

// The durations, or what is said.
Read Issues(absl::string_view text, const char* unit = "") {
  Read read;
  read.request.add_warm_durations(7);
  read.status = ParseIssuesCsv(text, TimeUnitNamed(unit), &read.request, &read.unit);
  return read;
}

std::string Refusal(absl::string_view text, const char* unit = "") {
  const Read read = Rounds(text, unit);
  EXPECT_EQ(read.status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(read.request.series_size(), 0);
  return std::string(read.status.message());
}

uint64_t Scaled(absl::string_view text, int decimals) {
  const std::optional<ScaledNumber> number = ScaledDecimal(text, decimals);
  EXPECT_TRUE(number.has_value()) << text;
  EXPECT_TRUE(number.has_value() && number->exact) << text;
  return number.has_value() ? number->value : 0;
}

TEST(ScaledDecimal, IsExact) {
  EXPECT_EQ(Scaled("34423.7", 3), 34423700u);
  EXPECT_EQ(Scaled("34423.701", 3), 34423701u);
  EXPECT_EQ(Scaled("0.5", 4), 5000u);
  EXPECT_EQ(Scaled("0.0001", 4), 1u);
  EXPECT_EQ(Scaled("7", 0), 7u);
  EXPECT_EQ(Scaled("007.00", 3), 7000u);
  EXPECT_EQ(Scaled("7.000", 0), 7u);
  // Beyond the 53 bits of a double: 2^53 + 1 and its neighbours.
  EXPECT_EQ(Scaled("9007199254740993", 0), 9007199254740993u);
  EXPECT_EQ(Scaled("9007199254.740993", 6), 9007199254740993u);
  EXPECT_EQ(Scaled("18446744073709551.615", 3), UINT64_MAX);
  EXPECT_EQ(Scaled("1.8446744073709551615", 19), UINT64_MAX);
}

TEST(ScaledDecimal, RoundsHalfUpAndSaysSo) {
  const struct {
    const char* text;
    uint64_t value;
  } kRounded[] = {{"1.4999999999", 1},
                  {"1.5", 2},
                  {"0.49", 0},
                  {"0.5", 1},
                  {"1.50000001", 2},
                  {"9.9", 10},
                  {"0.0000000000000000000000000001", 0}};
  for (const auto& rounded : kRounded) {
    const std::optional<ScaledNumber> number = ScaledDecimal(rounded.text, 0);
    ASSERT_TRUE(number.has_value()) << rounded.text;
    EXPECT_EQ(number->value, rounded.value) << rounded.text;
    EXPECT_FALSE(number->exact) << rounded.text;
  }
  EXPECT_EQ(ScaledDecimal("34423.700000000004", 3)->value, 34423700u);
}

TEST(ScaledDecimal, RefusesWhatIsNoNumber) {
  for (const char* text : {"", ".", ".5", "5.", "1.2.3", "-1", "+1", " 1", "1 ", "1e3", "0x10",
                           "1,5", "1.5e3", "1.-5", "nan", "inf", "\xd9\xa1"}) {
    EXPECT_FALSE(ScaledDecimal(text, 3).has_value()) << text;
  }
  EXPECT_FALSE(ScaledDecimal("18446744073709551616", 0).has_value());
  EXPECT_FALSE(ScaledDecimal("18446744073709551.616", 3).has_value());
  EXPECT_FALSE(ScaledDecimal("18446744073709551615", 19).has_value());
  EXPECT_FALSE(ScaledDecimal("18446744073709551615.5", 0).has_value());
}

TEST(RoundsCsv, HasARoundALine) {
  const Read read = Rounds(
      "arm,time_us\nwithout,34423.7\nwith,33424.2\nwith,33424.3\nwithout,34423.8\nwithout,7\n");
  ASSERT_TRUE(read.status.ok()) << read.status;
  ASSERT_EQ(read.request.series_size(), 2);
  EXPECT_FALSE(read.request.series(0).warmed());
  EXPECT_THAT(read.Times(0), ElementsAre(34423700, 34423800, 7000));
  EXPECT_TRUE(read.request.series(1).warmed());
  EXPECT_THAT(read.Times(1), ElementsAre(33424200, 33424300));
  EXPECT_EQ(read.unit.unit->name, "us");
  EXPECT_TRUE(read.unit.named);
}

TEST(RoundsCsv, HasSeveralNamesOfAnArm) {
  const Read read = Rounds("time_ns,arm\n1,with\n2,warm\n3,1\n4,without\n5,cold\n6,0\n");
  ASSERT_TRUE(read.status.ok()) << read.status;
  EXPECT_THAT(read.Times(0), ElementsAre(4, 5, 6));
  EXPECT_THAT(read.Times(1), ElementsAre(1, 2, 3));
}

// By card, whatever the order of the lines.
TEST(RoundsCsv, HasCards) {
  const Read read = Rounds(
      "arm,card,time_ms\nwith,4294967295,1\nwith,0,2.5\nwithout,4294967295,3\nwithout,0,4\n");
  ASSERT_TRUE(read.status.ok()) << read.status;
  ASSERT_EQ(read.request.series_size(), 4);
  const std::vector<std::pair<uint32_t, uint64_t>> expected = {
      {0, 4000000}, {0, 2500000}, {4294967295, 3000000}, {4294967295, 1000000}};
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(read.request.series(i).card(), expected[i].first) << i;
    EXPECT_EQ(read.request.series(i).warmed(), i % 2 == 1) << i;
    EXPECT_THAT(read.Times(i), ElementsAre(expected[i].second)) << i;
  }
}

TEST(RoundsCsv, HasBothArmsInALine) {
  const Read read = Rounds("with_s,without_s\n0.5,1\n,2\n,0.000000003\n");
  ASSERT_TRUE(read.status.ok()) << read.status;
  EXPECT_THAT(read.Times(0), ElementsAre(1000000000, 2000000000, 3));
  EXPECT_THAT(read.Times(1), ElementsAre(500000000));
  const Read cards = Rounds("card,without_ns,with_ns\n1,10,20\n0,30,\n0,31,40\n");
  EXPECT_EQ(cards.status.message(),
            "4: with_ns: a round below an empty cell; expected empty cells at the end of the "
            "shorter arm only");
  // The end of a card is not that of another.
  const Read other = Rounds("card,without_ns,with_ns\n1,10,20\n1,11,\n0,31,40\n");
  ASSERT_TRUE(other.status.ok()) << other.status;
  EXPECT_THAT(other.Times(2), ElementsAre(10, 11));
}

TEST(RoundsCsv, TakesTheUnitFromTheNameElseFromTheCaller) {
  const struct {
    const char* unit;
    uint64_t ns;
  } kOf2[] = {{"ns", 2}, {"us", 2000}, {"ms", 2000000}, {"s", 2000000000}};
  for (const auto& unit : kOf2) {
    for (const char* names : {"time", "time_"}) {
      const std::string name = absl::StrCat(names, names[4] == '_' ? unit.unit : "");
      const Read read = Rounds(absl::StrCat("arm,", name, "\n1,2\n0,2\n"), unit.unit);
      ASSERT_TRUE(read.status.ok()) << read.status;
      EXPECT_THAT(read.Times(0), ElementsAre(unit.ns));
      EXPECT_EQ(read.unit.named, names[4] == '_');
      EXPECT_EQ(read.unit.unit->name, unit.unit);
    }
  }
  EXPECT_THAT(Rounds("arm,time_us\n1,2\n0,2\n", "s").Times(0), ElementsAre(2000));
  EXPECT_THAT(Rounds("without,with\n3,2\n", "us").Times(1), ElementsAre(2000));
}

TEST(RoundsCsv, TakesWhatEditorsWrite) {
  const Read read = Rounds(
      "\xef\xbb\xbf"
      " arm , time_us \r\n with , 1 \r\nwithout,\t2\r\n\r\n  \n\n");
  ASSERT_TRUE(read.status.ok()) << read.status;
  EXPECT_THAT(read.Times(0), ElementsAre(2000));
  EXPECT_THAT(Rounds("arm,time_us\nwith,1\nwithout,2").Times(1), ElementsAre(1000));
}

TEST(RoundsCsv, SaysWhatIsWrongWithTheHeader) {
  const std::string expected =
      "expected [card,]arm,time_us or [card,]without_us,with_us (or _ns, _ms, _s)";
  EXPECT_EQ(Refusal(""),
            absl::StrCat("1: no header line; expected the columns ", expected.substr(9)));
  EXPECT_EQ(Refusal("\n\n"), Refusal(""));
  EXPECT_EQ(Refusal("arm,time_min\n"),
            absl::StrCat("1: column 'time_min' is not known; ", expected));
  EXPECT_EQ(Refusal("round,arm,time_us\n"),
            absl::StrCat("1: column 'round' is not known; ", expected));
  EXPECT_EQ(Refusal("with,34423.7\n"),
            absl::StrCat("1: column '34423.7' is not known; ", expected));
  EXPECT_EQ(Refusal("time_us\n"), absl::StrCat("1: no column 'arm'; ", expected));
  EXPECT_EQ(Refusal("card,arm\n"), absl::StrCat("1: no column 'time_us'; ", expected));
  EXPECT_EQ(Refusal("with_us\n"), absl::StrCat("1: no column 'without_us'; ", expected));
  EXPECT_EQ(Refusal("without_us\n"), absl::StrCat("1: no column 'with_us'; ", expected));
  EXPECT_EQ(Refusal("arm,without_us,with_us\n"),
            absl::StrCat("1: columns of two forms; ", expected));
  EXPECT_EQ(Refusal("arm,time_us,time_ns\n"),
            "1: column 'time_ns' says what column 'time_us' does; expected one of them");
  EXPECT_EQ(Refusal("without_us,with_ms\n"),
            "1: without_us and with_ms differ in their unit; expected one");
  EXPECT_EQ(Refusal("without,with_us\n", "us"),
            "1: without and with_us differ in their unit; expected one");
  EXPECT_EQ(Refusal("arm,time\n"),
            "1: column 'time' does not tell its unit; expected time_us, or --unit");
  EXPECT_EQ(Refusal("without,with\n"),
            "1: column 'with' does not tell its unit; expected with_us, or --unit");
  EXPECT_EQ(Refusal("arm,time_us\n"), "1: no rounds; expected some below the header");
}

TEST(RoundsCsv, SaysWhatIsWrongWithALine) {
  EXPECT_EQ(Refusal("arm,time_us\nwith,1\nWith,2\n"),
            "3: arm: 'With' is no arm; expected with, warm or 1, or without, cold or 0");
  EXPECT_EQ(Refusal("arm,time_us\nwith,1\n,2\n"),
            "3: arm: '' is no arm; expected with, warm or 1, or without, cold or 0");
  EXPECT_EQ(Refusal("arm,time_us\nwith,abc\n"),
            "2: time_us: 'abc' is no time in us; expected a number such as 34423.7, 1 to 2^60 - 1 "
            "ns");
  EXPECT_EQ(Refusal("card,arm,time_us\nx,with,1\n"),
            "2: card: 'x' is no card; expected digits, at most 4294967295");
  EXPECT_THAT(Refusal("card,arm,time_us\n4294967296,with,1\n"),
              StartsWith("2: card: '4294967296'"));
  EXPECT_THAT(Refusal("card,arm,time_us\n,with,1\n"), StartsWith("2: card: '' is no card"));
  EXPECT_EQ(Refusal("arm,time_us\nwith,1,2\n"), "2: 3 cells; expected 2: arm,time_us");
  EXPECT_EQ(Refusal("arm,time_us\n\nwith,1\n"), "2: 1 cell; expected 2: arm,time_us");
  EXPECT_THAT(Refusal("without_us,with_us\n1,1\n1,x\n"), StartsWith("3: with_us: 'x' is no time"));
  EXPECT_THAT(Refusal(absl::StrCat("arm,time_us\nwith,", std::string(1000000, '\x01'))),
              StartsWith(absl::StrCat("2: time_us: '", std::string(40, '?'), "...' is no time")));
}

// 1 ns to 2^60 - 1.
TEST(RoundsCsv, TakesTheTimesThatTheJudgeTakes) {
  for (const char* time : {"0", "0.0004", "1152921504606846.976", "99999999999999999999", ""}) {
    EXPECT_THAT(Refusal(absl::StrCat("arm,time_us\nwith,", time, "\n")),
                StartsWith(absl::StrCat("2: time_us: '", time, "' is no time in us")));
  }
  const Read read = Rounds("arm,time_us\nwith,0.0005\nwithout,1152921504606846.975\n");
  ASSERT_TRUE(read.status.ok()) << read.status;
  EXPECT_THAT(read.Times(0), ElementsAre((uint64_t{1} << 60) - 1));
  EXPECT_THAT(read.Times(1), ElementsAre(1));
}

TEST(RoundsCsv, SaysWhereACardWithOneArmBegins) {
  EXPECT_EQ(Refusal("card,arm,time_us\n0,with,1\n3,with,1\n0,without,1\n3,with,2\n"),
            "3: card 3 has no round without the warm; expected both arms");
  EXPECT_EQ(Refusal("arm,time_us\nwithout,1\nwithout,2\n"),
            "2: card 0 has no round with the warm; expected both arms");
  EXPECT_EQ(Refusal("card,without_us,with_us\n7,1,\n"),
            "2: card 7 has no round with the warm; expected both arms");
}

TEST(IssuesCsv, HasAnIssueALine) {
  const Read read = Issues("duration_us\n352.5\n347.3\r\n\n");
  ASSERT_TRUE(read.status.ok()) << read.status;
  EXPECT_THAT(read.request.warm_durations(), ElementsAre(352500, 347300));
  EXPECT_TRUE(read.unit.named);
  EXPECT_THAT(Issues("duration\n5\n", "ms").request.warm_durations(), ElementsAre(5000000));
  EXPECT_THAT(Issues("duration_us\n").request.warm_durations(), ElementsAre());
}

TEST(IssuesCsv, SaysWhatIsWrong) {
  const auto refusal = [](absl::string_view text) {
    return std::string(Issues(text).status.message());
  };
  EXPECT_EQ(refusal("time_us\n5\n"),
            "1: column 'time_us' is not known; expected duration_us (or _ns, _ms, _s)");
  EXPECT_EQ(refusal("duration\n5\n"),
            "1: column 'duration' does not tell its unit; expected duration_us, or --unit");
  EXPECT_THAT(refusal("duration_us\n5\n\n6\n"), StartsWith("3: duration_us: '' is no time in us"));
  EXPECT_THAT(refusal("duration_us\n0\n"), StartsWith("2: duration_us: '0' is no time"));
  EXPECT_EQ(refusal("duration_us\n5,6\n"), "2: 2 cells; expected 1: duration_us");
}

// Linear: each line a card of its own.
TEST(RoundsCsv, ReadsManyCards) {
  std::string text = "card,without_ns,with_ns\n";
  for (uint32_t card = 300000; card > 0; --card) absl::StrAppend(&text, card, ",5,4\n");
  const Read read = Rounds(text);
  ASSERT_TRUE(read.status.ok()) << read.status;
  EXPECT_EQ(read.request.series_size(), 600000);
  EXPECT_EQ(read.request.series(599999).card(), 300000u);
}

}  // namespace
}  // namespace tools
}  // namespace torqsched
