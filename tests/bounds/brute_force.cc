#include "tests/bounds/brute_force.h"

#include <algorithm>
#include <set>

#include "tests/reference/reference.h"

namespace torqsched {
namespace {

struct State {
  uint64_t now = 0;
  std::vector<uint64_t> slice_end;
  std::vector<uint64_t> program_end;  // by op
  uint64_t ops = 0;
  std::vector<bool> out;       // by op: emitted
  std::vector<bool> resident;  // by buffer
  std::vector<bool> swapped;   // by buffer: its contents are in XRAM
};

class Enumeration {
 public:
  Enumeration(const Stream& stream, const Hardware& hardware, bool swaps_allowed, uint64_t most)
      : stream_(stream),
        hardware_(hardware),
        swaps_allowed_(swaps_allowed),
        most_(most),
        needs_(reference::ReferenceNeeds(stream)),
        uses_(stream.op_count()) {
    for (uint32_t i = 0; i < stream.op_count(); ++i) {
      if (stream.op(OpIndex(i)).kind == OpKind::kPure) continue;
      ops_.push_back(i);
      for (const BufferIndex b : reference::ReferenceUses(stream, OpIndex(i))) {
        uses_[i].insert(b.value());
      }
    }
    users_.resize(stream.buffer_count());
    for (const uint32_t i : ops_) {
      for (const uint32_t b : uses_[i]) {
        users_[b].push_back(i);
        const OpIndex wait = stream.op(OpIndex(i)).partner;
        if (stream.op(OpIndex(i)).kind == OpKind::kStart) users_[b].push_back(wait.value());
      }
    }
  }

  Shortest Run() {
    State state;
    state.slice_end.assign(hardware_.slices, 0);
    state.program_end.assign(stream_.op_count(), 0);
    state.out.assign(stream_.op_count(), false);
    state.resident.assign(stream_.buffer_count(), false);
    state.swapped.assign(stream_.buffer_count(), false);
    for (uint32_t b = 0; b < stream_.buffer_count(); ++b) {
      const Buffer& buffer = stream_.buffer(BufferIndex(b));
      if (buffer.space != Space::kLram || !buffer.live_in) continue;
      state.resident[b] = !users_[b].empty() || buffer.live_out;
    }
    if (ResidentBytes(state) <= hardware_.usable_bytes()) Continue(state);
    found_.finished = found_.steps <= most_;
    return found_;
  }

 private:
  void Continue(const State& state) {
    if (++found_.steps > most_) return;
    if (found_.makespan.has_value() && LeastEnd(state) >= *found_.makespan) return;
    if (order_.size() == ops_.size()) {
      found_.makespan = state.now;
      found_.order = order_;
      return;
    }
    for (const uint32_t i : ops_) {
      if (!state.out[i] && Ready(state, i)) MakeRoom(state, i);
    }
  }

  // What is left for the stream comes one after the other; programs that run will end.
  uint64_t LeastEnd(const State& state) const {
    uint64_t end = state.now;
    for (const uint32_t i : ops_) {
      const Op& op = stream_.op(OpIndex(i));
      if (state.out[i]) continue;
      end += op.kind == OpKind::kStart ? hardware_.start_cycles : op.cycles;
    }
    for (const uint64_t slice_end : state.slice_end) end = std::max(end, slice_end);
    return end;
  }

  bool Ready(const State& state, uint32_t i) const {
    for (const uint32_t other : ops_) {
      if (needs_[i][other] && !state.out[other]) return false;
    }
    return true;
  }

  // Emits the op in every way in which what it uses can be in LRAM.
  void MakeRoom(const State& state, uint32_t i) {
    State next = state;
    for (const uint32_t b : uses_[i]) next.resident[b] = true;
    Evict(state, next, i, 0);
  }

  void Evict(const State& before, const State& with, uint32_t i, uint32_t from) {
    if (ResidentBytes(with) <= hardware_.usable_bytes()) {
      State next = with;
      for (const uint32_t b : uses_[i]) {
        if (!next.swapped[b]) continue;
        Transfer(&next, TransferCycles(hardware_, Size(b)));
        next.swapped[b] = false;
      }
      Emit(next, i);
      return;
    }
    if (!swaps_allowed_) return;
    for (uint32_t b = from; b < stream_.buffer_count(); ++b) {
      const Buffer& buffer = stream_.buffer(BufferIndex(b));
      if (!before.resident[b] || buffer.live_in || buffer.live_out || buffer.has_fixed_offset) {
        continue;
      }
      if (uses_[i].count(b) != 0 || InFlight(before, b)) continue;
      State next = with;
      next.resident[b] = false;
      next.swapped[b] = true;
      Transfer(&next, TransferCycles(hardware_, Size(b)));
      Evict(before, next, i, b + 1);
    }
  }

  bool InFlight(const State& state, uint32_t b) const {
    for (const uint32_t i : ops_) {
      if (!state.out[i] || uses_[i].count(b) == 0) continue;
      const Op& op = stream_.op(OpIndex(i));
      if (op.kind == OpKind::kStart && !state.out[op.partner.value()]) return true;
    }
    return false;
  }

  void Emit(const State& state, uint32_t i) {
    const Op& op = stream_.op(OpIndex(i));
    order_.push_back(OpIndex(i));
    if (op.kind == OpKind::kStart) {
      std::set<uint64_t> tried;  // slices that end together are the same
      for (uint32_t s = 0; s < hardware_.slices; ++s) {
        if (!tried.insert(std::max(state.slice_end[s], state.now)).second) continue;
        State next = state;
        Count(&next);
        uint64_t& end = next.slice_end[s];
        end = std::max(end, next.now) + op.cycles;
        next.program_end[i] = end;
        next.now += hardware_.start_cycles;
        Finish(&next, i);
      }
    } else {
      State next = state;
      if (op.kind == OpKind::kWait) {
        Count(&next);
        next.now = std::max(next.now, next.program_end[op.partner.value()]);
      } else {
        Transfer(&next, op.cycles);
      }
      Finish(&next, i);
    }
    order_.pop_back();
  }

  void Finish(State* state, uint32_t i) {
    state->out[i] = true;
    for (uint32_t b = 0; b < stream_.buffer_count(); ++b) {
      if (stream_.buffer(BufferIndex(b)).live_out) continue;
      bool dead = true;
      for (const uint32_t user : users_[b]) dead = dead && state->out[user];
      if (dead) state->resident[b] = false;
    }
    Continue(*state);
  }

  void Count(State* state) const {
    if (hardware_.block_ops == 0 || ++state->ops % hardware_.block_ops != 0) return;
    state->now += TransferCycles(hardware_, hardware_.block_bytes);
  }
  void Transfer(State* state, uint64_t cycles) const {
    Count(state);
    state->now += cycles;
  }

  uint64_t Size(uint32_t b) const { return stream_.buffer(BufferIndex(b)).size; }
  uint64_t ResidentBytes(const State& state) const {
    uint64_t bytes = 0;
    for (uint32_t b = 0; b < stream_.buffer_count(); ++b) {
      if (state.resident[b]) bytes += Size(b);
    }
    return bytes;
  }

  const Stream& stream_;
  const Hardware& hardware_;
  const bool swaps_allowed_;
  const uint64_t most_;
  const std::vector<std::vector<bool>> needs_;
  std::vector<uint32_t> ops_;                 // that are not pure
  std::vector<std::set<uint32_t>> uses_;      // by op
  std::vector<std::vector<uint32_t>> users_;  // by buffer, a program's start and wait
  std::vector<OpIndex> order_;
  Shortest found_;
};

}  // namespace

Shortest ShortestOrder(const Stream& stream, const Hardware& hardware, bool swaps_allowed,
                       uint64_t most_steps) {
  return Enumeration(stream, hardware, swaps_allowed, most_steps).Run();
}

}  // namespace torqsched
