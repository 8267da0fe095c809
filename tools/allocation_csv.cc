#include "tools/allocation_csv.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "tools/csv.h"

namespace torqsched {
namespace tools {
namespace {

enum Column { kId, kLower, kUpper, kSize, kAlignment, kGaps, kOffset, kHint, kColumns };

constexpr CsvColumnName kNames[] = {
    {"id", kId},       {"buffer", kId},           {"buffer_id", kId}, {"lower", kLower},
    {"begin", kLower}, {"start", kLower},         {"upper", kUpper},  {"end", kUpper},
    {"size", kSize},   {"alignment", kAlignment}, {"gaps", kGaps},    {"offset", kOffset},
    {"hint", kHint},
};
constexpr char kExpectedColumns[] = "id,lower,upper,size[,alignment,gaps,offset,hint]";

class BufferReader {
 public:
  BufferReader(v1::AllocateRequest* request, AllocationTable* table)
      : request_(request),
        table_(table),
        header_({std::begin(kNames), std::end(kNames)}, kColumns, kExpectedColumns) {}

  absl::Status Read(absl::string_view text) {
    return ReadCsv(
        text, &header_, [this] { return HeaderRead(); },
        [this](size_t line, std::vector<absl::string_view> cells) {
          line_ = line;
          return ReadRow(std::move(cells));
        });
  }

 private:
  absl::Status FailIn(Column column, absl::string_view what) const {
    return CsvError(line_, absl::StrCat(header_.NameOf(column), ": ", what));
  }

  absl::Status HeaderRead() {
    for (const Column column : {kId, kLower, kUpper, kSize}) {
      if (absl::Status status = header_.Require(column); !status.ok()) return status;
    }
    table_->header = header_.cells();
    after_last_ = header_.NameOf(kUpper) == "end" ? 1 : 0;
    return absl::OkStatus();
  }

  // Fills *value where the cell says something.
  absl::Status ReadCell(const std::vector<absl::string_view>& cells, Column column, bool required,
                        absl::string_view unit, std::optional<uint64_t>* value) const {
    if (!header_.Has(column)) return absl::OkStatus();
    const absl::string_view cell = header_.CellOf(cells, column);
    if (cell.empty() && !required) return absl::OkStatus();
    *value = NumberInCell(cell);
    if (value->has_value()) return absl::OkStatus();
    return FailIn(column, absl::StrCat(ShownCell(cell), " is not a number of ", unit,
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
      return FailIn(kGaps, absl::StrCat(ShownCell(text),
                                        " has a window, during which a part of the "
                                        "buffer stays live: not supported; expected LOWER-UPPER"));
    }
    const std::vector<absl::string_view> ends = absl::StrSplit(text, '-');
    const std::optional<uint64_t> lower = NumberInCell(ends[0]);
    std::optional<uint64_t> upper = ends.size() == 2 ? NumberInCell(ends[1]) : std::nullopt;
    if (!lower.has_value() || !upper.has_value() || !AfterLast(&*upper)) {
      return FailIn(kGaps, absl::StrCat(ShownCell(text),
                                        " is no gap; expected LOWER-UPPER, several "
                                        "separated by blanks"));
    }
    if (*upper < *lower || *lower < buffer->lower() || buffer->upper() < *upper) {
      return FailIn(kGaps, absl::StrCat(ShownCell(text),
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
    if (!header_.Has(kGaps)) return absl::OkStatus();
    const absl::string_view gaps = header_.CellOf(cells, kGaps);
    for (const absl::string_view gap : absl::StrSplit(gaps, ' ', absl::SkipEmpty())) {
      if (absl::Status status = ReadGap(gap, buffer); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  absl::Status ReadRow(std::vector<absl::string_view> cells) {
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
      return FailIn(
          kUpper, absl::StrCat(header_.CellOf(cells, kUpper), " is before ", header_.NameOf(kLower),
                               " ", *lower, "; expected at least ", *lower));
    }
    if (alignment == uint64_t{0}) return FailIn(kAlignment, "0; expected at least 1 byte");

    v1::AllocationBuffer* const buffer = request_->add_buffers();
    const absl::string_view id = header_.CellOf(cells, kId);
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
  CsvHeader header_;
  size_t line_ = 1;
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
  return BufferReader(request, table).Read(text);
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
