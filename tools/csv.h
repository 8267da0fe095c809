// What readers of CSV share: lines, cells, the header that says which cell is which, and how
// messages show a cell.
//
// A header line, then a line a row, as many cells in each. Columns stand in any order and may have
// several names. Lines may end in CR LF, empty lines may end the file, a byte order mark may begin
// it. Cells are not quoted; blanks around them are no part of them.
//
// Errors begin with "LINE: ", counted from 1.
#ifndef TORQSCHED_TOOLS_CSV_H_
#define TORQSCHED_TOOLS_CSV_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "tools/arguments.h"

namespace torqsched {
namespace tools {

// Whether the file is CSV: --input-format says so, or nothing and the name does.
bool IsCsvInput(const Arguments& arguments, const std::string& path);

// The cell between quotes; of a long one the beginning, and '?' for what would not print.
std::string ShownCell(absl::string_view cell);

// Digits only, absent also beyond 64 bits.
std::optional<uint64_t> NumberInCell(absl::string_view cell);

absl::Status CsvError(size_t line, absl::string_view what);

// One name of a column; columns are numbered from 0.
struct CsvColumnName {
  absl::string_view name;
  size_t column;
};

// Which cell of a line each column is. The header is the first line: its errors begin with "1: ".
class CsvHeader {
 public:
  // names: of columns 0 to columns - 1; of each the first is the one that messages offer. expected:
  // how a header should read, for messages.
  CsvHeader(std::vector<CsvColumnName> names, size_t columns, absl::string_view expected)
      : names_(std::move(names)), expected_(expected), at_(columns, kAbsent) {}

  // An error where a cell is no column's name, or two are of one column.
  absl::Status Read(std::vector<absl::string_view> cells);
  // An error where the file does not have this column.
  absl::Status Require(size_t column) const;

  absl::string_view expected() const { return expected_; }
  const std::vector<absl::string_view>& cells() const { return cells_; }
  bool Has(size_t column) const { return at_[column] != kAbsent; }
  // What the file calls a column that it has, and this column's cell of a row.
  absl::string_view NameOf(size_t column) const { return cells_[at_[column]]; }
  absl::string_view CellOf(const std::vector<absl::string_view>& row, size_t column) const {
    return row[at_[column]];
  }

 private:
  static constexpr size_t kAbsent = static_cast<size_t>(-1);

  std::vector<CsvColumnName> names_;
  absl::string_view expected_;
  std::vector<absl::string_view> cells_;
  std::vector<size_t> at_;  // by column
};

// Reads the header, calls header_read, then row with each line's number and its cells, as many as
// the header has. Stops at the first error. Cells are views of the text. Linear.
absl::Status ReadCsv(
    absl::string_view text, CsvHeader* header, const std::function<absl::Status()>& header_read,
    const std::function<absl::Status(size_t line, std::vector<absl::string_view> cells)>& row);

}  // namespace tools
}  // namespace torqsched

#endif  // TORQSCHED_TOOLS_CSV_H_
