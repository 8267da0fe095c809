#include "tools/allocation_csv.h"

#include <algorithm>
#include <limits>
#include <optional>

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

enum Column { kId, kLower, kUpper, kSize, kAlignment, kGaps, kOffset, kHint, kColumns };

struct ColumnName {
  absl::string_view name;
  Column column;
};
constexpr ColumnName kNames[] = {
    {"id", kId},       {"buffer", kId},           {"buffer_id", kId}, {"lower", kLower},
    {"begin", kLower}, {"start", kLower},         {"upper", kUpper},  {"end", kUpper},
    {"size", kSize},   {"alignment", kAlignment}, {"gaps", kGaps},    {"offset", kOffset},
    {"hint", kHint},
};
constexpr char kExpectedColumns[] = "id,lower,upper,size[,alignment,gaps,offset,hint]";
constexpr size_t kAbsent = std::numeric_limits<size_t>::max();
constexpr size_t kLongestCell = 40;  // of a cell in a message, bytes

// The cell between quotes, as messages show it.
std::string Shown(absl::string_view cell) {
  std::string shown(cell.substr(0, kLongestCell));
  for (char& c : shown) {
    if (absl::ascii_iscntrl(c) || !absl::ascii_isascii(c)) c = '?';
  }
  return absl::StrCat("'", shown, cell.size() > kLongestCell ? "..." : "", "'");
}

// Digits only: SimpleAtoi takes blanks and signs as well.
std::optional<uint64_t> ReadNumber(absl::string_view cell) {
  uint64_t value;
  if (cell.empty() || !std::all_of(cell.begin(), cell.end(), absl::ascii_isdigit) ||
      !absl::SimpleAtoi(cell, &value)) {
    return std::nullopt;
  }
  return value;
}

class CsvReader {
 public:
  CsvReader(v1::AllocateRequest* request, AllocationTable* table)
      : request_(request), table_(table) {}

  absl::Status Read(absl::string_view text) {
    text = absl::StripPrefix(text, "\xef\xbb\xbf");  // a byte order mark
    // Empty lines may end the file; elsewhere they are rows of one cell, which is too few.
    text = absl::StripTrailingAsciiWhitespace(text);
    if (text.empty()) {
      return Fail(absl::StrCat("no header line; expected the columns ", kExpectedColumns));
    }
    for (const absl::string_view line : absl::StrSplit(text, '\n')) {
      const absl::Status status = line_ == 1 ? ReadHeader(line) : ReadRow(line);
      if (!status.ok()) return status;
      ++line_;
    }
    return absl::OkStatus();
  }

 private:
  absl::Status Fail(absl::string_view what) const {
    return absl::InvalidArgumentError(absl::StrCat(line_, ": ", what));
  }
  absl::Status FailIn(Column column, absl::string_view what) const {
    return Fail(absl::StrCat(NameOf(column), ": ", what));
  }

  static std::vector<absl::string_view> Cells(absl::string_view line) {
    std::vector<absl::string_view> cells = absl::StrSplit(line, ',');
    for (absl::string_view& cell : cells) cell = absl::StripAsciiWhitespace(cell);  // CR, too
    return cells;
  }

  // As the file calls it.
  absl::string_view NameOf(Column column) const { return table_->header[at_[column]]; }

  absl::Status ReadHeader(absl::string_view line) {
    table_->header = Cells(line);
    std::fill(std::begin(at_), std::end(at_), kAbsent);
    for (size_t i = 0; i < table_->header.size(); ++i) {
      const absl::string_view name = table_->header[i];
      const auto known = std::find_if(std::begin(kNames), std::end(kNames),
                                      [name](const ColumnName& n) { return n.name == name; });
      if (known == std::end(kNames)) {
        return Fail(
            absl::StrCat("column ", Shown(name), " is not known; expected ", kExpectedColumns));
      }
      if (at_[known->column] != kAbsent) {
        return Fail(absl::StrCat("column ", Shown(name), " says what column ",
                                 Shown(NameOf(known->column)), " does; expected one of them"));
      }
      at_[known->column] = i;
    }
    for (const Column column : {kId, kLower, kUpper, kSize}) {
      if (at_[column] != kAbsent) continue;
      const auto* name = std::find_if(std::begin(kNames), std::end(kNames),
                                      [column](const ColumnName& n) { return n.column == column; });
      return Fail(absl::StrCat("no column '", name->name, "'; expected ", kExpectedColumns));
    }
    after_last_ = NameOf(kUpper) == "end" ? 1 : 0;
    return absl::OkStatus();
  }

  // Fills *value where the cell says something.
  absl::Status ReadCell(const std::vector<absl::string_view>& cells, Column column, bool required,
                        absl::string_view unit, std::optional<uint64_t>* value) const {
    if (at_[column] == kAbsent) return absl::OkStatus();
    const absl::string_view cell = cells[at_[column]];
    if (cell.empty() && !required) return absl::OkStatus();
    *value = ReadNumber(cell);
    if (value->has_value()) return absl::OkStatus();
    return FailIn(column, absl::StrCat(Shown(cell), " is not a number of ", unit,
                                       "; expected digits, at most 18446744073709551615"));
  }

  // The first time after this one, which is the last where the column is called "end".
  bool AfterLast(uint64_t* time) const {
    if (after_last_ != 0 && *time == std::numeric_limits<uint64_t>::max()) return false;
    *time += after_last_;
    return true;
  }

  absl::Status ReadGap(absl::string_view text, v1::AllocationBuffer* buffer) const {
    if (absl::StrContains(text, '@')) {
      return FailIn(kGaps, absl::StrCat(Shown(text),
                                        " has a window, during which a part of the "
                                        "buffer stays live: not supported; expected LOWER-UPPER"));
    }
    const std::vector<absl::string_view> ends = absl::StrSplit(text, '-');
    const std::optional<uint64_t> lower = ReadNumber(ends[0]);
    std::optional<uint64_t> upper = ends.size() == 2 ? ReadNumber(ends[1]) : std::nullopt;
    if (!lower.has_value() || !upper.has_value() || !AfterLast(&*upper)) {
      return FailIn(kGaps, absl::StrCat(Shown(text),
                                        " is no gap; expected LOWER-UPPER, several "
                                        "separated by blanks"));
    }
    if (*upper < *lower || *lower < buffer->lower() || buffer->upper() < *upper) {
      return FailIn(kGaps, absl::StrCat(Shown(text),
                                        " is no part of the buffer's live range; "
                                        "expected times from ",
                                        buffer->lower(), " to ", buffer->upper() - after_last_));
    }
    v1::TimeRange* const gap = buffer->add_gaps();
    gap->set_lower(*lower);
    gap->set_upper(*upper);
    return absl::OkStatus();
  }

  absl::Status ReadGaps(const std::vector<absl::string_view>& cells,
                        v1::AllocationBuffer* buffer) const {
    if (at_[kGaps] == kAbsent) return absl::OkStatus();
    for (const absl::string_view gap : absl::StrSplit(cells[at_[kGaps]], ' ', absl::SkipEmpty())) {
      if (absl::Status status = ReadGap(gap, buffer); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  absl::Status ReadRow(absl::string_view line) {
    std::vector<absl::string_view> cells = Cells(line);
    if (cells.size() != table_->header.size()) {
      return Fail(absl::StrCat(cells.size(), cells.size() == 1 ? " cell" : " cells", "; expected ",
                               table_->header.size(), ": ", absl::StrJoin(table_->header, ",")));
    }
    std::optional<uint64_t> lower, upper, size, alignment, offset, hint;
    absl::Status status = ReadCell(cells, kLower, true, "time", &lower);
    if (status.ok()) status = ReadCell(cells, kUpper, true, "time", &upper);
    if (status.ok()) status = ReadCell(cells, kSize, true, "bytes", &size);
    if (status.ok()) status = ReadCell(cells, kAlignment, false, "bytes", &alignment);
    if (status.ok()) status = ReadCell(cells, kOffset, false, "bytes", &offset);
    if (status.ok()) status = ReadCell(cells, kHint, false, "bytes", &hint);
    if (!status.ok()) return status;
    if (!AfterLast(&*upper)) {
      return FailIn(kUpper, absl::StrCat(*upper, " is too large; expected a last time of at most ",
                                         *upper - 1));
    }
    if (*upper < *lower) {
      return FailIn(kUpper, absl::StrCat(cells[at_[kUpper]], " is before ", NameOf(kLower), " ",
                                         *lower, "; expected at least ", *lower));
    }
    if (alignment == uint64_t{0}) return FailIn(kAlignment, "0; expected at least 1 byte");

    v1::AllocationBuffer* const buffer = request_->add_buffers();
    const absl::string_view id = cells[at_[kId]];
    buffer->set_name(id.data(), id.size());
    buffer->set_lower(*lower);
    buffer->set_upper(*upper);
    buffer->set_size(*size);
    if (alignment.has_value()) buffer->set_alignment(*alignment);
    if (offset.has_value()) buffer->set_fixed_offset(*offset);
    if (hint.has_value()) buffer->set_hint(*hint);
    status = ReadGaps(cells, buffer);
    if (!status.ok()) return status;
    table_->rows.push_back(std::move(cells));
    table_->lines.push_back(line_);
    return absl::OkStatus();
  }

  v1::AllocateRequest* const request_;
  AllocationTable* const table_;
  size_t line_ = 1;
  size_t at_[kColumns] = {};
  uint64_t after_last_ = 0;
};

std::string CellOf(absl::string_view name, uint32_t buffer) {
  if (name.empty()) return absl::StrCat(buffer);
  std::string cell(name);
  for (char& c : cell) {
    if (c == ',' || absl::ascii_iscntrl(c)) c = '_';
  }
  return cell;
}

std::string GapsCell(const std::vector<TimeRange>& gaps) {
  return absl::StrJoin(gaps, " ", [](std::string* out, const TimeRange& gap) {
    absl::StrAppend(out, gap.lower, "-", gap.upper);
  });
}

}  // namespace

absl::Status ParseAllocationCsv(absl::string_view text, v1::AllocateRequest* request,
                                AllocationTable* table) {
  return CsvReader(request, table).Read(text);
}

std::string PrintAllocationCsv(const AllocationTable& table, const std::vector<uint64_t>& offsets) {
  const size_t column = static_cast<size_t>(
      std::find(table.header.begin(), table.header.end(), "offset") - table.header.begin());
  const bool add = column == table.header.size();
  std::string out = absl::StrCat(absl::StrJoin(table.header, ","), add ? ",offset" : "", "\n");
  for (size_t row = 0; row < table.rows.size(); ++row) {
    const std::vector<absl::string_view>& cells = table.rows[row];
    for (size_t i = 0; i < cells.size(); ++i) {
      absl::StrAppend(&out, i == 0 ? "" : ",");
      if (i == column) {
        absl::StrAppend(&out, offsets[row]);
      } else {
        absl::StrAppend(&out, cells[i]);
      }
    }
    if (add) absl::StrAppend(&out, ",", offsets[row]);
    out += "\n";
  }
  return out;
}

std::string PrintAllocationCsv(const AllocationProblem& problem,
                               const std::function<absl::string_view(uint32_t buffer)>& name,
                               const std::vector<uint64_t>& offsets) {
  const auto any = [&problem](auto says) {
    return std::any_of(problem.buffers.begin(), problem.buffers.end(), says);
  };
  const bool alignment = any([](const AllocationBuffer& b) { return b.alignment != 1; });
  const bool gaps = any([](const AllocationBuffer& b) { return !b.gaps.empty(); });
  std::string out = absl::StrCat("id,lower,upper,size", alignment ? ",alignment" : "",
                                 gaps ? ",gaps" : "", ",offset\n");
  for (uint32_t i = 0; i < problem.buffers.size(); ++i) {
    const AllocationBuffer& buffer = problem.buffers[i];
    absl::StrAppend(&out, CellOf(name(i), i), ",", buffer.live.lower, ",", buffer.live.upper, ",",
                    buffer.size);
    if (alignment) absl::StrAppend(&out, ",", buffer.alignment);
    if (gaps) absl::StrAppend(&out, ",", GapsCell(buffer.gaps));
    absl::StrAppend(&out, ",", offsets[i], "\n");
  }
  return out;
}

}  // namespace tools
}  // namespace torqsched
