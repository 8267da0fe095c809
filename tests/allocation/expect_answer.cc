#include "tests/allocation/expect_answer.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "src/verify/allocation.h"
#include "tests/reference/allocation.h"

namespace torqsched {
namespace {

const char* NameOf(AllocationVerdict verdict) {
  if (verdict == AllocationVerdict::kPlaced) return "placed";
  return verdict == AllocationVerdict::kInfeasible ? "infeasible" : "undecided";
}

// What is said about a placement that the answer has.
void CheckPlacement(const AllocationProblem& problem, const AllocationAnswer& answer,
                    std::string* faults) {
  AllocationProblem unlimited = problem;
  if (answer.verdict == AllocationVerdict::kUndecided) unlimited.capacity.reset();
  absl::StrAppend(faults, reference::CheckOffsets(unlimited, answer.offsets));
  if (answer.offsets.size() != problem.buffers.size()) return;
  const uint64_t height = reference::HighestEnd(problem, answer.offsets);
  if (height != answer.height) {
    absl::StrAppend(faults, "height ", answer.height, "; the highest ends at ", height, "\n");
  }
}

// What is said about a conflict, without a search.
void CheckConflict(const AllocationProblem& problem, const AllocationAnswer& answer,
                   std::string* faults) {
  const std::vector<uint32_t>& conflict = answer.conflict;
  const bool ascending =
      std::adjacent_find(conflict.begin(), conflict.end(),
                         [](uint32_t a, uint32_t b) { return a >= b; }) == conflict.end();
  if (!ascending) absl::StrAppend(faults, "conflict not ascending\n");
  if (!conflict.empty() &&
      *std::max_element(conflict.begin(), conflict.end()) >= problem.buffers.size()) {
    absl::StrAppend(faults, "conflict: no such buffer\n");
  }
}

}  // namespace

std::string AnswerFaults(const AllocationProblem& problem, const AllocationAnswer& answer) {
  std::string faults;
  const auto expect = [&faults](bool good, const char* what) {
    if (!good) absl::StrAppend(&faults, what, "\n");
  };
  const bool placed = answer.verdict == AllocationVerdict::kPlaced;
  const bool infeasible = answer.verdict == AllocationVerdict::kInfeasible;
  if (placed || !answer.offsets.empty()) CheckPlacement(problem, answer, &faults);
  expect(!infeasible || answer.offsets.empty(), "infeasible, but has offsets");
  expect(!answer.offsets.empty() || answer.height == 0, "a height without offsets");
  expect(infeasible == !answer.conflict.empty(),
         "conflict: for infeasible problems, and only then");
  expect(infeasible || !answer.conflict_minimal, "conflict_minimal without a conflict");
  expect(!answer.proven_least || placed, "proven_least, but not placed");
  expect(!placed || answer.lower_bound <= answer.height, "ends below the lower bound");
  expect(!answer.proven_least || answer.lower_bound <= answer.height, "bound above the least");
  if (answer.verdict == AllocationVerdict::kUndecided) {
    expect(problem.capacity.has_value() || answer.offsets.empty(), "undecided without a capacity");
    expect(answer.offsets.empty() || answer.height > problem.capacity.value_or(0),
           "undecided, but within the capacity");
    expect(answer.limit_hit || answer.cancelled, "undecided, but no limit was hit");
  }
  expect(!answer.time_limit_hit || answer.limit_hit, "time limit hit, but no limit");
  CheckConflict(problem, answer, &faults);
  for (const Violation& violation : VerifyAllocation(problem, answer).violations) {
    absl::StrAppend(&faults, "verify: ", violation.message, "\n");
  }
  return faults;
}

std::string AnswerFaultsInDepth(const AllocationProblem& problem, const AllocationAnswer& answer) {
  std::string faults = AnswerFaults(problem, answer);
  if (!faults.empty() || answer.conflict.empty()) return faults;
  const std::string names = absl::StrJoin(answer.conflict, ", ");
  if (reference::LeastHeight(reference::Alone(problem, answer.conflict)).has_value()) {
    absl::StrAppend(&faults, "conflict {", names, "} can be placed alone\n");
  }
  if (!answer.conflict_minimal) return faults;
  for (const uint32_t left_out : answer.conflict) {
    std::vector<uint32_t> others = answer.conflict;
    others.erase(std::find(others.begin(), others.end(), left_out));
    if (!reference::LeastHeight(reference::Alone(problem, others)).has_value()) {
      absl::StrAppend(&faults, "conflict {", names, "} is not minimal: not without ", left_out,
                      " either\n");
    }
  }
  return faults;
}

namespace {

// One question. `least` is the least height there is, whatever the capacity.
std::string Difference(const AllocationProblem& problem, Objective objective,
                       std::optional<uint64_t> least, const SearchRules& rules) {
  AllocationOptions options;
  options.objective = objective;
  const auto answer = Allocate(problem, options, {}, rules);
  if (!answer.ok()) {
    return absl::StrCat(answer.status().ToString(), "\n", reference::Describe(problem));
  }
  std::string faults = AnswerFaultsInDepth(problem, *answer);
  const bool fits = least.has_value() && *least <= problem.capacity.value_or(*least);
  const auto verdict = fits ? AllocationVerdict::kPlaced : AllocationVerdict::kInfeasible;
  const auto fault = [&faults](const std::string& text) { absl::StrAppend(&faults, text, "\n"); };
  if (answer->verdict != verdict) {
    fault(absl::StrCat(NameOf(answer->verdict), "; expected ", NameOf(verdict)));
  }
  if (least.has_value() && answer->lower_bound > *least) {
    fault(absl::StrCat("lower bound ", answer->lower_bound));
  }
  if (fits && (objective == Objective::kLeast || answer->proven_least) &&
      answer->height != *least) {
    fault(absl::StrCat("height ", answer->height));
  }
  if (fits && objective == Objective::kLeast && !answer->proven_least) fault("not proven");
  if (faults.empty()) return "";
  return absl::StrCat(objective == Objective::kFit ? "fit" : "least", ", the reference says ",
                      least.has_value() ? absl::StrCat(*least) : "none", ":\n", faults,
                      reference::Describe(problem));
}

}  // namespace

std::string DifferencesFromReference(AllocationProblem problem, std::optional<uint64_t> least,
                                     const SearchRules& rules, uint64_t extra) {
  problem.capacity.reset();
  std::string differences = Difference(problem, Objective::kLeast, least, rules);
  if (!least.has_value()) {
    return differences + Difference(problem, Objective::kFit, least, rules);
  }
  problem.capacity = *least;
  differences += Difference(problem, Objective::kFit, least, rules);
  if (*least > 0) {
    problem.capacity = *least - 1;
    differences += Difference(problem, Objective::kFit, least, rules);
  }
  if (extra > 0) {
    problem.capacity = *least + extra;
    differences += Difference(problem, Objective::kFit, least, rules);
    differences += Difference(problem, Objective::kLeast, least, rules);
  }
  return differences;
}

}  // namespace torqsched
