#include "src/graph/transfers_in_flight.h"

namespace torqsched {

TransfersInFlight::TransfersInFlight(const ScheduleProblem& problem)
    : problem_(problem),
      latest_end_(problem.graph.node_count(), 0),
      waiting_for_(problem.graph.predecessor_counts()),
      unborn_(problem.stream.op_count(), 0),
      state_(problem.stream.buffer_count()) {
  for (uint32_t i = 0; i < problem.stream.buffer_count(); ++i) {
    const BufferIndex b(i);
    const Run<OpIndex> users = problem.lifetimes.users(b);
    state_[b].users_left = static_cast<uint32_t>(users.size());
    if (!TakesRoom(b)) continue;
    for (const OpIndex user : users) ++unborn_[user];
  }
  for (const BufferIndex b : problem.lifetimes.live_in()) BeBorn(b);
}

void TransfersInFlight::Out(OpIndex action, uint64_t end) {
  for (const BufferIndex b : problem_.lifetimes.uses(action)) {
    if (!TakesRoom(b)) continue;
    if (!state_[b].born) BeBorn(b);
    state_[b].held_until = std::max(state_[b].held_until, end);
  }
  const Op& op = problem_.stream.op(action);
  if (op.kind == OpKind::kWait) EndUses(op.partner);
  if (op.kind != OpKind::kStart) EndUses(action);
  HandOn(action, end);
}

void TransfersInFlight::BeBorn(BufferIndex b) {
  state_[b].born = true;
  for (const OpIndex user : problem_.lifetimes.users(b)) --unborn_[user];
}

void TransfersInFlight::EndUses(OpIndex user) {
  for (const BufferIndex b : problem_.lifetimes.uses(user)) {
    if (--state_[b].users_left != 0 || problem_.stream.buffer(b).live_out) continue;
    bytes_free_ = std::max(bytes_free_, state_[b].held_until);
  }
}

void TransfersInFlight::HandOn(OpIndex action, uint64_t end) {
  latest_end_[action.value()] = end;  // what it waited for is over, for whoever comes after it
  nodes_.push_back(action.value());
  while (!nodes_.empty()) {
    const uint32_t node = nodes_.back();
    nodes_.pop_back();
    for (const uint32_t next : problem_.graph.successors(node)) {
      latest_end_[next] = std::max(latest_end_[next], latest_end_[node]);
      if (--waiting_for_[next] != 0) continue;
      const bool is_op = next < problem_.stream.op_count();
      if (!is_op || problem_.stream.op(OpIndex(next)).kind == OpKind::kPure) nodes_.push_back(next);
    }
  }
}

}  // namespace torqsched
