#include "src/report/sweep.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "src/report/sram_phases.h"
#include "src/report/text.h"

namespace torqsched {
namespace report {
namespace {

constexpr size_t kTextWidth = 400;  // code points of a cell

// One column: its name, and the member that it is. One of the members is set.
struct Column {
  const char* name;
  std::string SweepPoint::*text = nullptr;
  std::optional<uint64_t> SweepPoint::*number = nullptr;
  std::optional<bool> SweepPoint::*truth = nullptr;
};

constexpr Column Text(const char* name, std::string SweepPoint::*member) {
  return {name, member, nullptr, nullptr};
}
constexpr Column Number(const char* name, std::optional<uint64_t> SweepPoint::*member) {
  return {name, nullptr, member, nullptr};
}
constexpr Column Truth(const char* name, std::optional<bool> SweepPoint::*member) {
  return {name, nullptr, nullptr, member};
}

constexpr Column kTableColumns[] = {
    Text("table", &SweepPoint::table),
    Text("hardware", &SweepPoint::hardware),
    Text("layers", &SweepPoint::layers),
    Text("budgets", &SweepPoint::budgets),
    Text("strategy", &SweepPoint::strategy),
    Text("oracle", &SweepPoint::oracle),
    Number("lram_bytes", &SweepPoint::lram_bytes),
    Number("work_limit", &SweepPoint::work_limit),
    Number("trials", &SweepPoint::trials),
    Number("loop_percent", &SweepPoint::loop_percent),
    Number("contraction_percent", &SweepPoint::contraction_percent),
    Number("resident_percent", &SweepPoint::resident_percent),
    Number("own_budgets", &SweepPoint::own_budgets),
    Number("ops", &SweepPoint::ops),
    Number("programs", &SweepPoint::programs),
    Number("loaded_bytes", &SweepPoint::loaded_bytes),
    Number("stored_bytes", &SweepPoint::stored_bytes),
    Number("again_bytes", &SweepPoint::again_bytes),
    Number("input_makespan", &SweepPoint::input_makespan),
    Number("makespan", &SweepPoint::makespan),
    Truth("placed", &SweepPoint::placed),
    Number("swaps", &SweepPoint::swaps),
    Number("lower_bound", &SweepPoint::lower_bound),
    Number("gap_cycles", &SweepPoint::gap_cycles),
    Number("gap_permille", &SweepPoint::gap_permille),
    Text("error", &SweepPoint::error),
    Text("point", &SweepPoint::digest),
};

std::string CsvCell(const SweepPoint& point, const Column& column) {
  if (column.number != nullptr) {
    const std::optional<uint64_t>& number = point.*column.number;
    return number.has_value() ? absl::StrCat(*number) : "";
  }
  if (column.truth != nullptr) {
    const std::optional<bool>& truth = point.*column.truth;
    return !truth.has_value() ? "" : *truth ? "true" : "false";
  }
  const std::string text = Shown(point.*column.text, kTextWidth);
  if (text.find_first_of(",\"") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + "\"";
}

std::string JsonValue(const SweepPoint& point, const Column& column) {
  if (column.text == nullptr) {
    const std::string cell = CsvCell(point, column);
    return cell.empty() ? "null" : cell;
  }
  std::string quoted = "\"";
  for (const char c : Shown(point.*column.text, kTextWidth)) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

// All columns, with these between them.
std::string JsonObject(const SweepPoint& point, absl::string_view separator) {
  std::string out;
  for (const Column& column : kTableColumns) {
    absl::StrAppend(&out, out.empty() ? "" : separator, "\"", column.name,
                    "\": ", JsonValue(point, column));
  }
  return out;
}

// Takes a quoted text from the front; false where there is none.
bool TakeQuoted(absl::string_view* json, std::string* text) {
  if (!absl::ConsumePrefix(json, "\"")) return false;
  while (!json->empty() && json->front() != '"') {
    if (json->front() == '\\') json->remove_prefix(1);
    if (json->empty()) return false;
    text->push_back(json->front());
    json->remove_prefix(1);
  }
  return absl::ConsumePrefix(json, "\"");
}

// Takes a value up to the end of its line; false where it is none of the column's.
bool TakeValue(absl::string_view* json, const Column& column, SweepPoint* point) {
  if (column.text != nullptr) return TakeQuoted(json, &(point->*column.text));
  const absl::string_view value = json->substr(0, json->find_first_of(",\n"));
  json->remove_prefix(value.size());
  if (value == "null") return true;
  if (column.truth != nullptr) {
    point->*column.truth = value == "true";
    return true;
  }
  return absl::SimpleAtoi(value, &(point->*column.number).emplace());
}

std::string OrDash(const std::optional<uint64_t>& number) {
  return number.has_value() ? Grouped(*number) : "-";
}

}  // namespace

std::string SweepCsv(const std::vector<SweepPoint>& points) {
  std::string out;
  for (const Column& column : kTableColumns) {
    absl::StrAppend(&out, out.empty() ? "" : ",", column.name);
  }
  out += "\n";
  for (const SweepPoint& point : points) {
    std::string line;
    for (const Column& column : kTableColumns) {
      absl::StrAppend(&line, &column == kTableColumns ? "" : ",", CsvCell(point, column));
    }
    absl::StrAppend(&out, line, "\n");
  }
  return out;
}

std::string SweepJson(const std::vector<SweepPoint>& points) {
  std::string out = "{\"points\": [";
  for (const SweepPoint& point : points) {
    absl::StrAppend(&out, &point == points.data() ? "\n{" : ",\n{", JsonObject(point, ", "), "}");
  }
  return out + "\n]}\n";
}

std::string SweepPointJson(const SweepPoint& point) {
  return absl::StrCat("{\n  ", JsonObject(point, ",\n  "), "\n}\n");
}

std::optional<SweepPoint> ParseSweepPoint(absl::string_view json) {
  SweepPoint point;
  absl::string_view rest = json;
  for (const Column& column : kTableColumns) {
    const bool first = &column == kTableColumns;
    if (!absl::ConsumePrefix(&rest, first ? "{\n  " : ",\n  ") ||
        !absl::ConsumePrefix(&rest, absl::StrCat("\"", column.name, "\": ")) ||
        !TakeValue(&rest, column, &point)) {
      return std::nullopt;
    }
  }
  // What was read leniently is not what is written: only whole files of ours are points.
  if (SweepPointJson(point) != json) return std::nullopt;
  return point;
}

std::string SweepTable(const std::vector<SweepPoint>& points, size_t most_rows) {
  TextTable table;
  table.AddLeft("network");
  table.AddLeft("budgets");
  table.AddLeft("strategy");
  table.AddLeft("oracle");
  table.AddRight("LRAM");
  table.AddRight("input order");
  table.AddRight("makespan");
  table.AddRight("swaps");
  table.AddRight("gap");
  const size_t rows = std::min(points.size(), most_rows);
  for (size_t i = 0; i < rows; ++i) {
    const SweepPoint& point = points[i];
    const bool gap = point.lower_bound.has_value() && point.gap_cycles.has_value();
    table.AddRow({Shown(point.table, 28), Shown(point.budgets, 12), point.strategy, point.oracle,
                  SizeText(point.lram_bytes.value_or(0)), OrDash(point.input_makespan),
                  OrDash(point.makespan), OrDash(point.swaps),
                  gap ? Percent(*point.gap_cycles, *point.lower_bound) : "-"});
    if (!point.error.empty()) {
      table.AddNote(absl::StrCat("  ", Shown(point.error, kColumns - 2)));
    }
  }
  if (rows < points.size()) {
    table.AddNote(absl::StrCat("and ", Grouped(points.size() - rows), " more"));
  }
  return table.ToString();
}

}  // namespace report
}  // namespace torqsched
