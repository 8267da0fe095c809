#include "src/search/program_groups.h"

#include <utility>

namespace torqsched::search {
namespace {

// Of the programs that need the load, or that the store needs; absent unless there is just one.
ActionIndex OnlyProgram(const Model& model, ActionIndex transfer) {
  const bool store = model.action(transfer).kind == ActionKind::kStore;
  ActionIndex only;
  for (const ActionIndex other :
       store ? model.predecessors(transfer) : model.successors(transfer)) {
    if (model.action(other).kind != ActionKind::kProgram || other == only) continue;
    if (only.present()) return ActionIndex();
    only = other;
  }
  return only;
}

}  // namespace

ProgramGroups::ProgramGroups(const Model& model) : program_of_(model.size()) {
  std::vector<uint32_t> begins(model.size() + 1, 0);
  for (uint32_t i = 0; i < model.size(); ++i) {
    const ActionIndex a(i);
    const ActionKind kind = model.action(a).kind;
    if (kind == ActionKind::kBarrier) continue;
    program_of_[a] = kind == ActionKind::kProgram ? a : OnlyProgram(model, a);
    if (program_of_[a].present()) ++begins[program_of_[a].value() + 1];
  }
  for (size_t i = 1; i < begins.size(); ++i) begins[i] += begins[i - 1];
  std::vector<ActionIndex> items(begins.back());
  std::vector<uint32_t> next(begins.begin(), begins.end() - 1);
  for (uint32_t i = 0; i < model.size(); ++i) {
    const ActionIndex program = program_of_[ActionIndex(i)];
    if (program.present()) items[next[program.value()]++] = ActionIndex(i);
  }
  members_.Adopt(std::move(begins), std::move(items));
}

}  // namespace torqsched::search
