// Where transfers do not block the stream: until when an op has to wait for those that are under
// way.
//
// An op waits for the transfers that it needs (the dependence graph, seen through pure ops and
// helpers), and, if a buffer is born with it, for those that still hold bytes of buffers that have
// died: it may lie there. A buffer's bytes are held until the last of the transfers that use it has
// ended, however early its last user was out.
//
// No row of transfers is made for an op; that would be as many as all pairs. Instead each node of
// the graph has a time, the latest end of a transfer behind it, which goes forward along its edges
// once, when the op is out, or the pure op's or helper's last predecessor. An op that is no
// transfer hands on nothing: it was issued when what it waited for had ended, and so will be what
// comes after it.
//
// Cost: O(nodes + edges + uses) for all ops of an order together; O(1) for a question.
//
// Source: docs/semantics.md, section 3.
#ifndef TORQSCHED_SRC_GRAPH_TRANSFERS_IN_FLIGHT_H_
#define TORQSCHED_SRC_GRAPH_TRANSFERS_IN_FLIGHT_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "src/graph/problem.h"
#include "src/stream/stream.h"

namespace torqsched {

class TransfersInFlight {
 public:
  explicit TransfersInFlight(const ScheduleProblem& problem);

  // When all that the action has to wait for has ended; 0: it waits for nothing.
  uint64_t ReadyAt(OpIndex action) const {
    const uint64_t needed = latest_end_[action.value()];
    return unborn_[action] == 0 ? needed : std::max(needed, bytes_free_);
  }

  // Whether all actions that the action needs are out. False only in an order that breaks a
  // dependence, in which ReadyAt means nothing.
  bool NeedsAreOut(OpIndex action) const { return waiting_for_[action.value()] == 0; }

  // The action comes next. end: of a transfer; of any other action 0. Pure ops are left out.
  void Out(OpIndex action, uint64_t end);

 private:
  bool TakesRoom(BufferIndex b) const { return problem_.stream.buffer(b).size != 0; }
  void BeBorn(BufferIndex b);
  void EndUses(OpIndex user);
  void HandOn(OpIndex action, uint64_t end);

  struct BufferState {
    uint32_t users_left = 0;
    bool born = false;
    uint64_t held_until = 0;  // by transfers that use it
  };

  const ScheduleProblem& problem_;
  std::vector<uint64_t> latest_end_;       // by graph node
  std::vector<uint32_t> waiting_for_;      // predecessors that are not out, by graph node
  IndexVector<OpIndex, uint32_t> unborn_;  // buffers that would be born with it
  IndexVector<BufferIndex, BufferState> state_;
  uint64_t bytes_free_ = 0;      // when no transfer holds bytes of a buffer that has died
  std::vector<uint32_t> nodes_;  // that are out, and have not handed on
};

}  // namespace torqsched

#endif  // TORQSCHED_SRC_GRAPH_TRANSFERS_IN_FLIGHT_H_
