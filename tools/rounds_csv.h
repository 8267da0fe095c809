// Measured rounds as CSV, in either of two forms, and the durations of a warm's issues:
//
//   [card,]arm,time_us          a round a line; arm: with, warm or 1, and without, cold or 0
//   [card,]without_us,with_us   a round of each arm a line; the shorter arm ends with empty cells
//   duration_us                 an issue a line
//
// Rounds of a card and an arm are in the order of their lines. Without a column, the card is 0. The
// ending of a name is its unit: _ns, _us, _ms or _s; a name without one is of the unit that the
// caller gives. A time is digits, with or without a point and more digits; it becomes nanoseconds
// without floating point, so that 34423.7 us are 34,423,700 ns. What is finer is rounded, half up:
// that is what is left of a time that a program kept as floating point. Lines and cells: csv.h.
#ifndef TORQSCHED_TOOLS_ROUNDS_CSV_H_
#define TORQSCHED_TOOLS_ROUNDS_CSV_H_

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "torqsched/v1/judge.pb.h"

namespace torqsched {
namespace tools {

struct TimeUnit {
  absl::string_view name;
  int decimals;  // of one, down to nanoseconds
};

constexpr char kTimeUnits[] = "ns, us, ms or s";
// Null where there is none of this name.
const TimeUnit* TimeUnitNamed(absl::string_view name);

struct ScaledNumber {
  uint64_t value = 0;
  bool exact = true;  // else rounded, half up
};

// text * 10^decimals (at most 19), where text is digits, with or without a point and more digits;
// absent where it is not, or where the result is above 64 bits.
std::optional<ScaledNumber> ScaledDecimal(absl::string_view text, int decimals);

// What unit a file's times had.
struct UnitOfFile {
  const TimeUnit* unit = nullptr;
  bool named = false;  // by the file
};

// Adds the file's series to the request, by card, the arm without the warm first. given: the unit
// of columns that name none; may be null. The error's text begins with "LINE: " and names the
// column. n log n in the cards, else linear.
absl::Status ParseRoundsCsv(absl::string_view text, const TimeUnit* given,
                            v1::JudgeWarmRequest* request, UnitOfFile* unit);

// Replaces the request's warm_durations; likewise. Linear.
absl::Status ParseIssuesCsv(absl::string_view text, const TimeUnit* given,
                            v1::JudgeWarmRequest* request, UnitOfFile* unit);

}  // namespace tools
}  // namespace torqsched

#endif  // TORQSCHED_TOOLS_ROUNDS_CSV_H_
