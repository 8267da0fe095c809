#include "src/residency/keep_wide.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "src/stream/checked.h"

namespace torqsched {
namespace {

constexpr uint64_t kMostChoices = 4096;
constexpr uint64_t kMostWork = 1 << 26;  // choices times uses
constexpr size_t kFewestRows = 3;        // of a problem that is worth it
constexpr uint64_t kUsesPerNode = 64;

// How many pieces of each wide item are kept, and what that is worth at most with the rest.
struct Choice {
  std::vector<uint64_t> pieces;  // by position in the wide items
  uint64_t value = 0;
  uint64_t bound = 0;
};

class ByWideItems {
 public:
  ByWideItems(const KeepProblem& problem, const std::vector<uint64_t>& start, uint64_t node_limit,
              KeepSolver solve)
      : problem_(problem), start_(start), node_limit_(node_limit), solve_(solve) {
    const size_t rows = problem.capacities.size();
    for (uint32_t i = 0; i < problem.items.size(); ++i) {
      (2 * problem.uses[i].size() >= rows ? wide_ : rest_).push_back(i);
    }
  }

  std::optional<KeepAnswer> Run() {
    if (problem_.capacities.size() < kFewestRows || wide_.empty() || rest_.empty()) return {};
    if (!FewEnough()) return std::nullopt;
    MakeRest();
    ListChoices();
    return TryChoices();
  }

 private:
  bool FewEnough() {
    uint64_t choices = 1;
    for (const uint32_t item : wide_) {
      most_.push_back(MostThatFit(problem_, item, problem_.capacities));
      choices = SaturatingMultiply(choices, SaturatingAdd(most_.back(), 1));
    }
    cost_ = 1 + problem_.uses.item_count() / kUsesPerNode;
    return choices <= kMostChoices &&
           SaturatingMultiply(choices, problem_.uses.item_count()) <= kMostWork &&
           SaturatingMultiply(choices, cost_) <= node_limit_ / 2;
  }

  void MakeRest() {
    for (const uint32_t item : rest_) {
      residual_.items.push_back(problem_.items[item]);
      for (const KeepUse& use : problem_.uses[item]) residual_.uses.Add(use);
      residual_.uses.EndRow();
    }
  }

  // The rows beside what a choice takes; false: they do not hold it.
  bool SetCapacities(const std::vector<uint64_t>& pieces) {
    residual_.capacities = problem_.capacities;
    for (size_t w = 0; w < wide_.size(); ++w) {
      for (const KeepUse& use : problem_.uses[wide_[w]]) {
        const uint64_t bytes = SaturatingMultiply(use.bytes, pieces[w]);
        if (bytes > residual_.capacities[use.row]) return false;
        residual_.capacities[use.row] -= bytes;
      }
    }
    return true;
  }

  void ListChoices() {
    Choice choice;
    choice.pieces.assign(wide_.size(), 0);
    while (true) {
      if (SetCapacities(choice.pieces)) {
        choice.value = 0;
        for (size_t w = 0; w < wide_.size(); ++w) {
          choice.value += problem_.items[wide_[w]].value * choice.pieces[w];
        }
        const std::vector<uint64_t> none(rest_.size(), 0);
        choice.bound = choice.value + solve_(residual_, none, /*node_limit=*/0).bound;
        choices_.push_back(choice);
      }
      size_t w = 0;  // the next, like a counter
      while (w < wide_.size() && choice.pieces[w] == most_[w]) choice.pieces[w++] = 0;
      if (w == wide_.size()) break;
      ++choice.pieces[w];
    }
    nodes_ = cost_ * choices_.size();
    std::stable_sort(choices_.begin(), choices_.end(),
                     [](const Choice& a, const Choice& b) { return a.bound > b.bound; });
  }

  KeepAnswer TryChoices() {
    KeepAnswer best;
    best.kept = start_;
    best.value = ValueOf(problem_, start_);
    uint64_t bound = 0;
    for (const Choice& choice : choices_) {
      if (choice.bound <= best.value) break;  // nor is any after it better
      SetCapacities(choice.pieces);
      const std::vector<uint64_t> none(rest_.size(), 0);
      const KeepAnswer answer = solve_(residual_, none, node_limit_ - nodes_);
      nodes_ += answer.nodes;
      bound = std::max(bound, choice.value + answer.bound);
      if (choice.value + answer.value <= best.value) continue;
      best.value = choice.value + answer.value;
      for (size_t w = 0; w < wide_.size(); ++w) best.kept[wide_[w]] = choice.pieces[w];
      for (size_t r = 0; r < rest_.size(); ++r) best.kept[rest_[r]] = answer.kept[r];
    }
    best.bound = std::max(bound, best.value);
    best.proven = best.bound == best.value;
    best.nodes = nodes_;
    return best;
  }

  const KeepProblem& problem_;
  const std::vector<uint64_t>& start_;
  const uint64_t node_limit_;
  const KeepSolver solve_;
  std::vector<uint32_t> wide_, rest_;
  std::vector<uint64_t> most_;  // by position in the wide items: pieces that fit
  KeepProblem residual_;        // the rest, with what a choice leaves of the rows
  std::vector<Choice> choices_;
  uint64_t cost_ = 0;
  uint64_t nodes_ = 0;
};

}  // namespace

std::optional<KeepAnswer> KeepMostByWideItems(const KeepProblem& problem,
                                              const std::vector<uint64_t>& start,
                                              uint64_t node_limit, KeepSolver solve) {
  return ByWideItems(problem, start, node_limit, solve).Run();
}

}  // namespace torqsched
