#include "tools/rounds_csv.h"

#include <cstddef>
#include <iterator>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "tools/csv.h"

namespace torqsched {
namespace tools {
namespace {

constexpr TimeUnit kUnits[] = {{"ns", 0}, {"us", 3}, {"ms", 6}, {"s", 9}};
constexpr uint64_t kLongestTime = (uint64_t{1} << 60) - 1;  // of the judge

enum Column { kCard, kArm, kTime, kWithout, kWith, kColumns };

constexpr CsvColumnName kRoundsNames[] = {
    {"card", kCard},          {"arm", kArm},
    {"time_us", kTime},       {"time_ns", kTime},
    {"time_ms", kTime},       {"time_s", kTime},
    {"time", kTime},          {"without_us", kWithout},
    {"without_ns", kWithout}, {"without_ms", kWithout},
    {"without_s", kWithout},  {"without", kWithout},
    {"with_us", kWith},       {"with_ns", kWith},
    {"with_ms", kWith},       {"with_s", kWith},
    {"with", kWith},
};
constexpr char kExpectedRounds[] =
    "[card,]arm,time_us or [card,]without_us,with_us (or _ns, _ms, _s)";

constexpr CsvColumnName kIssuesNames[] = {
    {"duration_us", 0}, {"duration_ns", 0}, {"duration_ms", 0}, {"duration_s", 0}, {"duration", 0},
};
constexpr char kExpectedIssues[] = "duration_us (or _ns, _ms, _s)";

// What ends the column's name, else what the caller gives.
absl::Status FindUnit(absl::string_view column, const TimeUnit* given, UnitOfFile* unit) {
  const size_t ending = column.find('_');
  unit->named = ending != absl::string_view::npos;
  unit->unit = unit->named ? TimeUnitNamed(column.substr(ending + 1)) : given;
  if (unit->unit != nullptr) return absl::OkStatus();
  return CsvError(1, absl::StrCat("column '", column, "' does not tell its unit; expected ", column,
                                  "_us, or --unit"));
}

// In nanoseconds.
absl::Status ReadTime(size_t line, absl::string_view column, absl::string_view cell,
                      const TimeUnit& unit, uint64_t* ns) {
  const std::optional<ScaledNumber> scaled = ScaledDecimal(cell, unit.decimals);
  if (scaled.has_value() && scaled->value >= 1 && scaled->value <= kLongestTime) {
    *ns = scaled->value;
    return absl::OkStatus();
  }
  return CsvError(line, absl::StrCat(column, ": ", ShownCell(cell), " is no time in ", unit.name,
                                     "; expected a number such as 34423.7, 1 to 2^60 - 1 ns"));
}

absl::Status ReadArm(size_t line, absl::string_view cell, bool* warmed) {
  *warmed = cell == "with" || cell == "warm" || cell == "1";
  if (*warmed || cell == "without" || cell == "cold" || cell == "0") return absl::OkStatus();
  return CsvError(line, absl::StrCat("arm: ", ShownCell(cell),
                                     " is no arm; expected with, warm or 1, or without, cold or "
                                     "0"));
}

class RoundsReader {
 public:
  RoundsReader(const TimeUnit* given, UnitOfFile* unit)
      : given_(given),
        unit_(unit),
        header_({std::begin(kRoundsNames), std::end(kRoundsNames)}, kColumns, kExpectedRounds) {}

  absl::Status Read(absl::string_view text) {
    return ReadCsv(
        text, &header_, [this] { return HeaderRead(); },
        [this](size_t line, const std::vector<absl::string_view>& cells) {
          return ReadRow(line, cells);
        });
  }

  // Fills the request, unless a card has one arm only: an error at the card's first line.
  absl::Status Finish(v1::JudgeWarmRequest* request) const {
    if (cards_.empty()) return CsvError(1, "no rounds; expected some below the header");
    for (const auto& [number, card] : cards_) {
      if (!card.arms[0].times.empty() && !card.arms[1].times.empty()) continue;
      return CsvError(card.line, absl::StrCat("card ", number, " has no round ",
                                              card.arms[0].times.empty() ? "without" : "with",
                                              " the warm; expected both arms"));
    }
    for (const auto& [number, card] : cards_) {
      for (const bool warmed : {false, true}) {
        const std::vector<uint64_t>& times = card.arms[warmed].times;
        v1::RoundSeries* const series = request->add_series();
        series->set_card(number);
        series->set_warmed(warmed);
        series->mutable_times()->Add(times.begin(), times.end());
      }
    }
    return absl::OkStatus();
  }

 private:
  struct Arm {
    std::vector<uint64_t> times;
    bool ended = false;  // by an empty cell
  };
  struct Card {
    size_t line = 0;  // its first
    Arm arms[2];      // without the warm, with it
  };

  absl::Status HeaderRead() {
    in_pairs_ = header_.Has(kWithout) || header_.Has(kWith);
    if (in_pairs_ && (header_.Has(kArm) || header_.Has(kTime))) {
      return CsvError(1, absl::StrCat("columns of two forms; expected ", kExpectedRounds));
    }
    absl::Status status = header_.Require(in_pairs_ ? kWithout : kArm);
    if (status.ok()) status = header_.Require(in_pairs_ ? kWith : kTime);
    if (status.ok()) status = FindUnit(header_.NameOf(in_pairs_ ? kWith : kTime), given_, unit_);
    if (!status.ok() || !in_pairs_) return status;
    UnitOfFile other;
    status = FindUnit(header_.NameOf(kWithout), given_, &other);
    if (!status.ok() || (other.unit == unit_->unit && other.named == unit_->named)) return status;
    return CsvError(1, absl::StrCat(header_.NameOf(kWithout), " and ", header_.NameOf(kWith),
                                    " differ in their unit; expected one"));
  }

  absl::Status ReadRow(size_t line, const std::vector<absl::string_view>& cells) {
    uint32_t number = 0;
    if (header_.Has(kCard)) {
      const absl::string_view cell = header_.CellOf(cells, kCard);
      const std::optional<uint64_t> read = NumberInCell(cell);
      if (!read.has_value() || *read > std::numeric_limits<uint32_t>::max()) {
        return CsvError(line, absl::StrCat("card: ", ShownCell(cell),
                                           " is no card; expected digits, at most 4294967295"));
      }
      number = static_cast<uint32_t>(*read);
    }
    Card& card = cards_[number];
    if (card.line == 0) card.line = line;
    if (in_pairs_) {
      absl::Status status = ReadOfPair(line, cells, kWithout, &card.arms[0]);
      return status.ok() ? ReadOfPair(line, cells, kWith, &card.arms[1]) : status;
    }
    bool warmed;
    absl::Status status = ReadArm(line, header_.CellOf(cells, kArm), &warmed);
    return status.ok() ? AddTime(line, cells, kTime, &card.arms[warmed]) : status;
  }

  // An empty cell ends the arm. Not a round that is missing: which of the others belong together
  // would not be known.
  absl::Status ReadOfPair(size_t line, const std::vector<absl::string_view>& cells, Column column,
                          Arm* arm) {
    const bool empty = header_.CellOf(cells, column).empty();
    if (!empty && arm->ended) {
      return CsvError(line, absl::StrCat(header_.NameOf(column),
                                         ": a round below an empty cell; expected empty cells at "
                                         "the end of the shorter arm only"));
    }
    arm->ended = empty;
    return empty ? absl::OkStatus() : AddTime(line, cells, column, arm);
  }

  absl::Status AddTime(size_t line, const std::vector<absl::string_view>& cells, Column column,
                       Arm* arm) {
    uint64_t ns;
    absl::Status status =
        ReadTime(line, header_.NameOf(column), header_.CellOf(cells, column), *unit_->unit, &ns);
    if (status.ok()) arm->times.push_back(ns);
    return status;
  }

  const TimeUnit* const given_;
  UnitOfFile* const unit_;
  CsvHeader header_;
  bool in_pairs_ = false;
  std::map<uint32_t, Card> cards_;
};

}  // namespace

const TimeUnit* TimeUnitNamed(absl::string_view name) {
  for (const TimeUnit& unit : kUnits) {
    if (unit.name == name) return &unit;
  }
  return nullptr;
}

std::optional<ScaledNumber> ScaledDecimal(absl::string_view text, int decimals) {
  const size_t point = text.find('.');
  const bool has_point = point != absl::string_view::npos;
  const absl::string_view whole = text.substr(0, point);
  absl::string_view fraction = has_point ? text.substr(point + 1) : "";
  if (has_point && fraction.empty()) return std::nullopt;
  for (const char c : fraction) {
    if (!absl::ascii_isdigit(c)) return std::nullopt;
  }
  const std::optional<uint64_t> number = NumberInCell(whole);
  if (!number.has_value()) return std::nullopt;
  absl::uint128 value = *number;
  for (int i = 0; i < decimals; ++i) {
    value *= 10;
    if (fraction.empty()) continue;
    value += static_cast<uint64_t>(fraction[0] - '0');
    fraction.remove_prefix(1);
  }
  // The next digit alone says to which side the rest lies.
  if (!fraction.empty() && fraction[0] >= '5') value += 1;
  if (absl::Uint128High64(value) != 0) return std::nullopt;
  return ScaledNumber{absl::Uint128Low64(value),
                      fraction.find_first_not_of('0') == absl::string_view::npos};
}

absl::Status ParseRoundsCsv(absl::string_view text, const TimeUnit* given,
                            v1::JudgeWarmRequest* request, UnitOfFile* unit) {
  RoundsReader reader(given, unit);
  absl::Status status = reader.Read(text);
  return status.ok() ? reader.Finish(request) : status;
}

absl::Status ParseIssuesCsv(absl::string_view text, const TimeUnit* given,
                            v1::JudgeWarmRequest* request, UnitOfFile* unit) {
  CsvHeader header({std::begin(kIssuesNames), std::end(kIssuesNames)}, 1, kExpectedIssues);
  request->clear_warm_durations();
  return ReadCsv(
      text, &header,
      [&] {
        absl::Status status = header.Require(0);
        return status.ok() ? FindUnit(header.NameOf(0), given, unit) : status;
      },
      [&](size_t line, const std::vector<absl::string_view>& cells) {
        uint64_t ns;
        absl::Status status = ReadTime(line, header.NameOf(0), cells[0], *unit->unit, &ns);
        if (status.ok()) request->add_warm_durations(ns);
        return status;
      });
}

}  // namespace tools
}  // namespace torqsched
