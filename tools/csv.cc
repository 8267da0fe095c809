#include "tools/csv.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace torqsched {
namespace tools {
namespace {

constexpr size_t kLongestCell = 40;  // of a cell in a message, bytes

std::vector<absl::string_view> CellsOf(absl::string_view line) {
  std::vector<absl::string_view> cells = absl::StrSplit(line, ',');
  for (absl::string_view& cell : cells) cell = absl::StripAsciiWhitespace(cell);  // CR, too
  return cells;
}

}  // namespace

bool IsCsvInput(const Arguments& arguments, const std::string& path) {
  if (arguments.Has("input-format")) return arguments.Value("input-format") == "csv";
  return absl::EndsWith(path, ".csv");
}

std::string ShownCell(absl::string_view cell) {
  std::string shown(cell.substr(0, kLongestCell));
  for (char& c : shown) {
    if (absl::ascii_iscntrl(c) || !absl::ascii_isascii(c)) c = '?';
  }
  return absl::StrCat("'", shown, cell.size() > kLongestCell ? "..." : "", "'");
}

// SimpleAtoi takes blanks and signs as well.
std::optional<uint64_t> NumberInCell(absl::string_view cell) {
  uint64_t value;
  if (cell.empty() || !std::all_of(cell.begin(), cell.end(), absl::ascii_isdigit) ||
      !absl::SimpleAtoi(cell, &value)) {
    return std::nullopt;
  }
  return value;
}

absl::Status CsvError(size_t line, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(line, ": ", what));
}

absl::Status CsvHeader::Read(std::vector<absl::string_view> cells) {
  cells_ = std::move(cells);
  std::fill(at_.begin(), at_.end(), kAbsent);
  for (size_t i = 0; i < cells_.size(); ++i) {
    const absl::string_view name = cells_[i];
    const auto known = std::find_if(names_.begin(), names_.end(),
                                    [name](const CsvColumnName& n) { return n.name == name; });
    if (known == names_.end()) {
      return CsvError(
          1, absl::StrCat("column ", ShownCell(name), " is not known; expected ", expected_));
    }
    if (at_[known->column] != kAbsent) {
      return CsvError(
          1, absl::StrCat("column ", ShownCell(name), " says what column ",
                          ShownCell(NameOf(known->column)), " does; expected one of them"));
    }
    at_[known->column] = i;
  }
  return absl::OkStatus();
}

absl::Status CsvHeader::Require(size_t column) const {
  if (Has(column)) return absl::OkStatus();
  const auto name = std::find_if(names_.begin(), names_.end(),
                                 [column](const CsvColumnName& n) { return n.column == column; });
  return CsvError(1, absl::StrCat("no column '", name->name, "'; expected ", expected_));
}

absl::Status ReadCsv(
    absl::string_view text, CsvHeader* header, const std::function<absl::Status()>& header_read,
    const std::function<absl::Status(size_t line, std::vector<absl::string_view> cells)>& row) {
  text = absl::StripPrefix(text, "\xef\xbb\xbf");  // a byte order mark
  // Empty lines may end the file; elsewhere they are rows of one cell.
  text = absl::StripTrailingAsciiWhitespace(text);
  if (text.empty()) {
    return CsvError(1, absl::StrCat("no header line; expected the columns ", header->expected()));
  }
  size_t line = 0;
  for (const absl::string_view of_line : absl::StrSplit(text, '\n')) {
    std::vector<absl::string_view> cells = CellsOf(of_line);
    ++line;
    absl::Status status;
    if (line == 1) {
      status = header->Read(std::move(cells));
      if (status.ok()) status = header_read();
    } else if (cells.size() != header->cells().size()) {
      status = CsvError(
          line, absl::StrCat(cells.size(), cells.size() == 1 ? " cell" : " cells", "; expected ",
                             header->cells().size(), ": ", absl::StrJoin(header->cells(), ",")));
    } else {
      status = row(line, std::move(cells));
    }
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace tools
}  // namespace torqsched
