#include "src/report/explain.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "src/report/text.h"

namespace torqsched {
namespace report {
namespace {

constexpr size_t kLongestName = 40;     // of an op in the table, code points
constexpr size_t kLongestEmitted = 26;  // of a start with its slice on one line
constexpr size_t kLeastRule = 34;       // columns that the rule gets however wide the rest is

// The programs in flight, as the steps tell them.
class Running {
 public:
  explicit Running(size_t ops) : program_(ops) {}

  void Start(OpIndex start, uint64_t end, uint32_t slice) {
    program_[start] = {end, slice};
    ends_.emplace(end, start.value());
  }
  void Wait(OpIndex start) { ends_.erase({program_[start].end, start.value()}); }

  bool none() const { return ends_.empty(); }
  uint64_t earliest_end() const { return ends_.begin()->first; }
  uint64_t end(OpIndex start) const { return program_[start].end; }
  uint32_t slice(OpIndex start) const { return program_[start].slice; }

 private:
  struct Program {
    uint64_t end = 0;
    uint32_t slice = 0;
  };
  IndexVector<OpIndex, Program> program_;
  std::set<std::pair<uint64_t, uint32_t>> ends_;  // end, start
};

std::string FreeSlices(uint64_t mask, uint32_t slices) {
  std::vector<std::string> names;
  for (uint32_t s = 0; s < slices; ++s) {
    if (mask >> s & 1) names.push_back(absl::StrCat("s", s));
  }
  if (names.empty()) return "none";
  if (names.size() > 4) return absl::StrCat(names.size(), " of ", slices);
  return absl::StrJoin(names, " ");
}

std::string SkipClause(int rule, Skip skip) {
  switch (skip) {
    case Skip::kNoneReady:
      return absl::StrCat(rule, ": none ready");
    case Skip::kNoSliceFree:
      return absl::StrCat(rule, ": none free");
    case Skip::kNoneFits:
      return absl::StrCat(rule, ": none fits");
    case Skip::kProgramSooner:
      return absl::StrCat(rule, ": a program ends first");
    case Skip::kNoneRunning:
      return absl::StrCat(rule, ": nothing runs");
    case Skip::kNoWaitReady:
      return absl::StrCat(rule, ": no wait ready");
    case Skip::kNotReached:
    case Skip::kApplied:
      break;
  }
  return absl::StrCat(rule, ": -");
}

std::string AppliedClause(const Stream& stream, const Running& running, const Step& step) {
  const OpKind kind = stream.op(step.op).kind;
  switch (step.rule) {
    case 1:
      return "1: barrier ready";
    case 2:
      return step.fits ? "2: ready, fits" : "2: none fits, nothing runs: forced";
    case 3: {
      const absl::string_view what = kind == OpKind::kStore ? "store"
                                     : step.urgent          ? "urgent, fits"
                                                            : "prefetch, fits";
      if (running.none()) return absl::StrCat("3: ", what, ", nothing runs");
      return absl::StrCat("3: ", what, ", t <= ", Grouped(running.earliest_end()));
    }
    case 4:
      return absl::StrCat("4: s", running.slice(stream.op(step.op).partner), " ends first");
    default: {
      const bool transfer = kind == OpKind::kLoad || kind == OpKind::kStore;
      return absl::StrCat("5: oldest ready ", transfer ? "transfer" : "action",
                          step.fits ? "" : ", does not fit");
    }
  }
}

std::vector<std::string> Clauses(const Stream& stream, const Running& running, const Step& step) {
  std::vector<std::string> clauses;
  for (int rule = 2; rule < step.rule; ++rule) {
    clauses.push_back(SkipClause(rule, step.skip[rule - 1]));
  }
  clauses.push_back(AppliedClause(stream, running, step));
  return clauses;
}

// The op, and of a start its slice and end: on a line of their own where one would be long.
std::string Emitted(const Stream& stream, const Step& step) {
  std::string label = OpLabel(stream, step.op, kLongestName);
  if (stream.op(step.op).kind != OpKind::kStart) return label;
  const std::string where = absl::StrCat("-> s", step.slice, " (", Grouped(step.program_end), ")");
  const bool one_line = Width(label) + 1 + where.size() <= kLongestEmitted;
  return absl::StrCat(label, one_line ? " " : "\n", where);
}

size_t LongestLine(absl::string_view cell) {
  size_t longest = 0;
  for (absl::string_view line : absl::StrSplit(cell, '\n')) {
    longest = std::max(longest, Width(line));
  }
  return longest;
}

struct Row {
  std::string number, before, free, emits, after;
  std::vector<std::string> clauses;
};

// The clauses on one line where that fits, else a line each.
std::string RuleCell(const std::vector<std::string>& clauses, size_t room) {
  const std::string line = absl::StrJoin(clauses, ". ");
  return line.size() <= room ? line : absl::StrJoin(clauses, "\n");
}

}  // namespace

std::string ExplainTable(const Stream& stream, const Hardware& hardware, const Schedule& schedule) {
  if (schedule.steps.empty()) return "No steps were recorded for this order.\n";
  Running running(stream.op_count());
  std::vector<Row> rows;
  rows.reserve(schedule.steps.size());
  size_t others[5] = {4, 8, 4, 5, 7};  // widths of the columns beside the rule
  for (const Step& step : schedule.steps) {
    Row row{absl::StrCat(rows.size() + 1),
            Grouped(step.t_before),
            FreeSlices(step.free_slices, hardware.slices),
            Emitted(stream, step),
            Grouped(step.t_after),
            Clauses(stream, running, step)};
    const std::string* cells[5] = {&row.number, &row.before, &row.free, &row.emits, &row.after};
    for (int c = 0; c < 5; ++c) others[c] = std::max(others[c], LongestLine(*cells[c]));
    rows.push_back(std::move(row));
    const Op& op = stream.op(step.op);
    if (op.kind == OpKind::kStart) running.Start(step.op, step.program_end, step.slice);
    if (op.kind == OpKind::kWait) running.Wait(op.partner);
  }
  size_t taken = 2 * 5;  // the gaps
  for (size_t width : others) taken += width;
  const size_t room = kColumns > taken + kLeastRule ? kColumns - taken : kLeastRule;

  TextTable table;
  table.AddRight("step");
  table.AddRight("t before");
  table.AddLeft("free");
  table.AddLeft("rule");
  table.AddLeft("emits");
  table.AddRight("t after");
  for (Row& row : rows) {
    table.AddRow({std::move(row.number), std::move(row.before), std::move(row.free),
                  RuleCell(row.clauses, room), std::move(row.emits), std::move(row.after)});
  }
  return absl::StrCat(
      table.ToString(),
      "rules: 1 a ready barrier; 2 a ready start that fits, on a free slice (until when); 3 a "
      "ready "
      "load\n"
      "or store that fits and begins no later than (t <=) the first program ends; 4 the wait of "
      "that\n"
      "program; 5 whatever is oldest. Pure ops come out, at no cost, just before the action that "
      "needs\n"
      "them.\n");
}

}  // namespace report
}  // namespace torqsched
