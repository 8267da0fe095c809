#include "src/search/exact.h"

#include <algorithm>
#include <utility>

#include "src/search/exact_model.h"
#include "src/search/exact_search.h"
#include "src/search/exact_spares.h"

namespace torqsched {
namespace {

// The entries of an answer: its steps, and the waits that they imply.
class Replay {
 public:
  explicit Replay(const ExactModel& model)
      : model_(model), slice_end_(model.slices, 0), program_end_(model.actions.size(), 0) {}

  std::vector<ExactEntry> Play(const std::vector<ExactStep>& steps) {
    for (const ExactStep& step : steps) {
      if (!model_.waits_branch) WaitUntil(step.time);
      if (step.kind == ExactStepKind::kWait) WaitFor(step.index);
      if (step.kind == ExactStepKind::kAction) Begin(step);
    }
    WaitUntil(~uint64_t{0});
    return std::move(entries_);
  }

 private:
  void Begin(const ExactStep& step) {
    const ExactAction& action = model_.actions[step.index];
    ExactEntry entry;
    entry.action = ActionIndex(step.index);
    if (action.kind == ActionKind::kProgram) {
      entry.slice = SliceOf(step.slice_rank, step.time);
      uint64_t& end = slice_end_[entry.slice];
      end = std::max(end, step.time) + action.compute;
      program_end_[step.index] = end;
      running_ |= MaskOf(step.index);
    }
    if (action.kind != ActionKind::kJoint) entries_.push_back(entry);
  }

  // The slice with so many others free before it.
  uint8_t SliceOf(uint32_t rank, uint64_t time) const {
    std::vector<std::pair<uint64_t, uint8_t>> free;
    for (uint32_t s = 0; s < model_.slices; ++s) {
      free.push_back({std::max(slice_end_[s], time), static_cast<uint8_t>(s)});
    }
    std::sort(free.begin(), free.end());
    return free[rank].second;
  }

  // Waits for all programs that have ended by then, in this order.
  void WaitUntil(uint64_t time) {
    std::vector<std::pair<uint64_t, uint32_t>> ended;
    ForEachBit(running_, [&](uint32_t program) {
      if (program_end_[program] <= time) ended.push_back({program_end_[program], program});
    });
    std::sort(ended.begin(), ended.end());
    for (const auto& [end, program] : ended) WaitFor(program);
  }

  void WaitFor(uint32_t program) {
    running_ &= ~MaskOf(program);
    entries_.push_back({ActionIndex(program), true, 0});
  }

  const ExactModel& model_;
  std::vector<uint64_t> slice_end_;
  std::vector<uint64_t> program_end_;  // by action
  ActionMask running_ = 0;
  std::vector<ExactEntry> entries_;
};

}  // namespace

ExactAnswer SolveExactly(const ScheduleProblem& problem, const ActionGraph& graph,
                         const ExactOptions& options) {
  ExactAnswer answer;
  std::optional<ExactModel> model = MakeExactModel(problem, graph);
  if (!model.has_value()) return answer;
  // Buffers that leave are a mask, and swaps are not counted for block transfers.
  const bool swaps_apply =
      model->swaps_apply && model->buffers.size() <= 64 && model->block_ops == 0;
  if (options.swaps && !swaps_apply) return answer;
  if (options.swaps) FindSpares(true, &*model);
  ExactSearch search(*model, options);
  answer.complete = search.Run();
  answer.nodes = search.nodes();
  if (!search.found()) return answer;
  answer.makespan = search.best();
  answer.entries = Replay(*model).Play(search.steps());
  return answer;
}

}  // namespace torqsched
