// The actions of a stream and what each needs: the dependence graph with pure ops and helpers taken
// out, and a start and its wait made one.
//
// An *action* is a load, a store, a program (its start and its wait), a barrier, or a *joint*. It
// has a begin and, a program, an end that comes later: the wait. A need names an action and which
// of the two must be out. Actions are numbered in input order, so needs point backwards only.
//
// Pure ops and helpers are contracted: who needs one needs what stands behind it. Where that would
// multiply (many that stand behind it, many that need it), the node stays as a joint: an action
// that takes no time and is no op. So there are at most some constant times as many needs as edges.
//
// This is what bounds and searches look at. The list scheduler, which must not cost more than one
// walk over the edges, uses the dependence graph itself.
//
// Cost: near-linear in ops, edges and uses.
#ifndef TORQSCHED_SRC_GRAPH_ACTION_GRAPH_H_
#define TORQSCHED_SRC_GRAPH_ACTION_GRAPH_H_

#include <cstdint>
#include <vector>

#include "src/graph/problem.h"
#include "src/stream/stream.h"

namespace torqsched {

using ActionIndex = Index<struct ActionTag>;

enum class ActionKind : uint8_t { kLoad, kStore, kProgram, kBarrier, kJoint };

struct Action {
  ActionKind kind = ActionKind::kJoint;
  OpIndex op;           // a program's start; absent: a joint
  uint64_t cycles = 0;  // of a transfer, a barrier; a program's compute
};

// What must be out before an action begins, or before a program's wait.
class Need {
 public:
  Need(ActionIndex action, bool end) : code_(action.value() << 1 | (end ? 1 : 0)) {}

  ActionIndex action() const { return ActionIndex(code_ >> 1); }
  // Of a program: its wait must be out; else its start, or the action itself.
  bool end() const { return (code_ & 1) != 0; }

  friend bool operator<(Need a, Need b) { return a.code_ < b.code_; }
  friend bool operator==(Need a, Need b) { return a.code_ == b.code_; }

 private:
  uint32_t code_;
};

class ActionGraph {
 public:
  explicit ActionGraph(const ScheduleProblem& problem);

  size_t size() const { return actions_.size(); }
  const Action& action(ActionIndex a) const { return actions_[a]; }
  // What its begin needs. Each action is named once, by its end where both are needed.
  Run<Need> needs(ActionIndex a) const { return needs_[a.value()]; }
  // What a program's wait needs apart from its own start; empty on any usual stream.
  Run<Need> wait_needs(ActionIndex a) const { return wait_needs_[a.value()]; }
  // The actions that need it for their begin or their wait, ascending.
  Run<ActionIndex> successors(ActionIndex a) const { return successors_[a.value()]; }

  // The LRAM buffers with bytes that it uses, a program's wait included, in the order in which an
  // allocator places new ones: those whose allocs it needs, by alloc op, then the others, by index.
  Run<BufferIndex> uses(ActionIndex a) const { return uses_[a.value()]; }
  // How many of them are such whose allocs it needs. (Where allocs are hundreds of pure ops away,
  // some are not seen.)
  uint32_t alloc_count(ActionIndex a) const { return alloc_counts_[a]; }
  // The actions that use this buffer, ascending. Empty for buffers that are not in LRAM.
  Run<ActionIndex> users(BufferIndex b) const { return users_[b.value()]; }

 private:
  class Maker;

  IndexVector<ActionIndex, Action> actions_;
  Rows<Need> needs_;
  Rows<Need> wait_needs_;
  Rows<ActionIndex> successors_;
  Rows<BufferIndex> uses_;
  IndexVector<ActionIndex, uint32_t> alloc_counts_;
  Rows<ActionIndex> users_;
};

}  // namespace torqsched

#endif  // TORQSCHED_SRC_GRAPH_ACTION_GRAPH_H_
