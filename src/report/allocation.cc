#include "src/report/allocation.h"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "absl/strings/str_cat.h"
#include "src/report/text.h"

namespace torqsched {
namespace report {
namespace {

constexpr size_t kMostListed = 20;  // buffers of a conflict in a summary
constexpr size_t kMostInLine = 4;   // and in a line

std::string Capacity(const AllocationProblem& problem) {
  return problem.capacity.has_value() ? Counted(*problem.capacity, "byte") : "any memory";
}

// What ended the work.
std::string Limit(const AllocationCase& c) {
  if (c.answer->cancelled) return "before it was cancelled";
  if (c.answer->time_limit_hit && c.options->time_limit_ms.has_value()) {
    return absl::StrCat("within ", Grouped(*c.options->time_limit_ms), " ms");
  }
  if (c.answer->statistics.nodes < c.options->node_limit) return "by greedy placements alone";
  return absl::StrCat("within ", Counted(c.options->node_limit, "node"));
}

// A buffer of a conflict: its name, and its bytes.
std::string Member(const AllocationCase& c, uint32_t b) {
  const auto& buffers = c.problem->buffers;
  if (b >= buffers.size()) return c.describe(b);
  return absl::StrCat(c.describe(b), " (", Counted(buffers[b].size, "byte"), ")");
}

std::string Bound(const AllocationAnswer& answer) {
  if (answer.lower_bound == std::numeric_limits<uint64_t>::max()) return "none: at no height";
  std::string text = Counted(answer.lower_bound, "byte");
  if (answer.offsets.empty() || answer.height <= answer.lower_bound) return text;
  return absl::StrCat(text, "   gap ",
                      answer.lower_bound == 0
                          ? "-"
                          : Percent(answer.height - answer.lower_bound, answer.lower_bound));
}

void AppendConflict(const AllocationCase& c, std::string* out) {
  const std::vector<uint32_t>& conflict = c.answer->conflict;
  AppendFact("conflict",
             absl::StrCat(Counted(conflict.size(), "buffer"),
                          conflict.size() == 1 ? " does not fit even without the others"
                                               : " do not fit even without the others",
                          c.answer->conflict_minimal && conflict.size() > 1
                              ? "; without any one of them they do"
                              : ""),
             out);
  for (size_t i = 0; i < std::min(conflict.size(), kMostListed); ++i) {
    AppendFact("", Member(c, conflict[i]), out);
  }
  if (conflict.size() > kMostListed) {
    AppendFact("", absl::StrCat("and ", Grouped(conflict.size() - kMostListed), " more"), out);
  }
}

void AppendVerdict(const AllocationCase& c, std::string* out) {
  const AllocationAnswer& answer = *c.answer;
  switch (answer.verdict) {
    case AllocationVerdict::kPlaced:
      AppendFact("height",
                 absl::StrCat(Counted(answer.height, "byte"),
                              c.problem->capacity.has_value()
                                  ? absl::StrCat(" of ", Grouped(*c.problem->capacity))
                                  : "",
                              "   ", answer.proven_least ? "proven least" : "not proven least"),
                 out);
      break;
    case AllocationVerdict::kInfeasible:
      AppendFact("does not fit", absl::StrCat(Capacity(*c.problem), ": proven"), out);
      break;
    case AllocationVerdict::kUndecided:
      AppendFact("not decided", absl::StrCat(Limit(c), "; capacity ", Capacity(*c.problem)), out);
      if (!answer.offsets.empty()) {
        AppendFact("best height", Counted(answer.height, "byte"), out);
      }
      break;
  }
}

}  // namespace

std::string AllocationSummary(absl::string_view title, const AllocationCase& allocation) {
  const AllocationAnswer& answer = *allocation.answer;
  std::string out =
      absl::StrCat(title, ": ", Counted(allocation.problem->buffers.size(), "buffer"), "\n\n");
  AppendVerdict(allocation, &out);
  AppendFact("lower bound", Bound(answer), &out);
  if (answer.verdict == AllocationVerdict::kInfeasible) AppendConflict(allocation, &out);
  const AllocationStatistics& work = answer.statistics;
  AppendFact(
      "work",
      absl::StrCat(Counted(work.decodes, "greedy placement"), ", ", Counted(work.nodes, "node"),
                   " in ", Grouped(work.searches), work.searches == 1 ? " search" : " searches",
                   answer.limit_hit ? "; a limit ended it" : ""),
      &out);
  return out;
}

std::string WhyNotPlaced(const AllocationCase& allocation) {
  const AllocationAnswer& answer = *allocation.answer;
  if (answer.verdict == AllocationVerdict::kUndecided) {
    return absl::StrCat("not decided ", Limit(allocation), " whether it fits ",
                        Capacity(*allocation.problem),
                        answer.offsets.empty()
                            ? ""
                            : absl::StrCat("; the best placement takes ", Grouped(answer.height)));
  }
  std::string line = absl::StrCat("does not fit ", Capacity(*allocation.problem), ":");
  const size_t shown = std::min(answer.conflict.size(), kMostInLine);
  for (size_t i = 0; i < shown; ++i) {
    absl::StrAppend(&line, i == 0 ? " " : ", ", Member(allocation, answer.conflict[i]));
  }
  const size_t rest = answer.conflict.size() - shown;
  if (rest != 0) absl::StrAppend(&line, " and ", Counted(rest, "other"));
  return absl::StrCat(
      line, answer.conflict.size() == 1 ? " alone cannot be placed" : " cannot be placed together");
}

}  // namespace report
}  // namespace torqsched
