// The small change of every report: numbers, percentages, names and tables as people read them.
//
// Everything is integer arithmetic, so a report's bytes are the same on every machine. Output is
// the caller's text and ASCII; widths are counted in code points.
#ifndef TORQSCHED_SRC_REPORT_TEXT_H_
#define TORQSCHED_SRC_REPORT_TEXT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "src/stream/stream.h"

namespace torqsched {
namespace report {

constexpr size_t kColumns = 100;  // no line of a table is wider, unless a name makes it so

// 1,234,567
std::string Grouped(uint64_t value);

// "1 buffer", "1,234 buffers".
std::string Counted(uint64_t count, absl::string_view noun);

// A line of a summary's head: what it is about, then the text.
void AppendFact(absl::string_view what, absl::string_view text, std::string* out);

// part / whole with this many decimals, rounded half up: "0.75"; "-" where whole is 0.
std::string Ratio(uint64_t part, uint64_t whole, int decimals);

// "27.8 %" of whole.
std::string Percent(uint64_t part, uint64_t whole);

// How far after is from before: "-27.8 %", "+0.0 %".
std::string Change(uint64_t before, uint64_t after);

// "4,952.6 us".
std::string Microseconds(uint64_t cycles, uint64_t clock_hz);

// The name, at most width code points of it (then ".."), control characters and bytes that are no
// UTF-8 as '?'.
std::string Shown(absl::string_view name, size_t width);

// Words in lines of at most so many code points; a longer word is a line of its own.
std::string Wrapped(absl::string_view text, size_t width);

// The op's name, or "load 12" where it has none.
std::string OpLabel(const Stream& stream, OpIndex op, size_t width);

// The same without a leading "load ", "store ", "start " or "wait ": for pictures, where the lane
// says that.
std::string ShortLabel(const Stream& stream, OpIndex op, size_t width);

// How many code points a text has.
size_t Width(absl::string_view text);

// 1, 2, 5, 10, 20, ..: the least step that is taken at most so often (at least once) from 0 to
// whole.
uint64_t DecimalStep(uint64_t whole, uint64_t most);

// Text as XML's: entities, and '?' for U+FFFE and U+FFFF, which it does not have.
std::string Escaped(absl::string_view text);

// A table with aligned columns, two spaces between them.
class TextTable {
 public:
  void AddLeft(absl::string_view header) { AddColumn(header, false); }
  void AddRight(absl::string_view header) { AddColumn(header, true); }
  // One cell a column; a cell may have several lines, which stand below its first.
  void AddRow(std::vector<std::string> cells) { rows_.push_back({std::move(cells), ""}); }
  // A line of its own below the last row, as it is.
  void AddNote(std::string note) { rows_.push_back({{}, std::move(note)}); }

  std::string ToString() const;

 private:
  struct Column {
    std::string header;
    bool right;
  };
  struct Row {
    std::vector<std::string> cells;  // empty: a note
    std::string note;
  };
  void AddColumn(absl::string_view header, bool right) {
    columns_.push_back({std::string(header), right});
  }
  void AppendLines(const std::vector<std::string>& cells, const std::vector<size_t>& widths,
                   std::string* out) const;

  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

}  // namespace report
}  // namespace torqsched

#endif  // TORQSCHED_SRC_REPORT_TEXT_H_
