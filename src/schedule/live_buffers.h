// LRAM as the list scheduler sees it: which buffers are born, how many bytes are live, where they
// lie, and how many bytes each action would still create.
//
// `Sum` holds sums of buffer sizes: 64 bits where all sizes together fit in a quarter of them
// (always, on a real chip), 128 bits else, so that no comparison is ever made with a sum that
// wrapped.
//
// Invariants: live() is the sum of the sizes of born, not yet dead buffers; space_ holds the ranges
// of those of them that got one; unborn_bytes(op) is the sum over the buffers that op uses and that
// are not born.
#ifndef TORQSCHED_SRC_SCHEDULE_LIVE_BUFFERS_H_
#define TORQSCHED_SRC_SCHEDULE_LIVE_BUFFERS_H_

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "src/graph/problem.h"
#include "src/lram/address_space.h"
#include "src/schedule/maximum_tree.h"

namespace torqsched {

template <typename Sum>
class LiveBuffers {
 public:
  LiveBuffers(const ScheduleProblem& problem, uint64_t cap)
      : problem_(problem),
        space_(cap, problem.hardware.alignment, LramRegions(problem.hardware).boundaries()),
        state_(problem.stream.buffer_count()),
        unborn_bytes_(problem.stream.op_count(), Sum(0)),
        program_unborn_(problem.lifetimes.programs().size()) {
    const Lifetimes& lifetimes = problem.lifetimes;
    for (uint32_t i = 0; i < problem.stream.buffer_count(); ++i) {
      const BufferIndex b(i);
      state_[b].users_left = static_cast<uint32_t>(lifetimes.users(b).size());
      for (const OpIndex user : lifetimes.users(b)) {
        unborn_bytes_[user] += problem.stream.buffer(b).size;
      }
    }
    const std::vector<OpIndex>& programs = lifetimes.programs();
    for (size_t p = 0; p < programs.size(); ++p) {
      program_unborn_.Set(p, unborn_bytes_[programs[p]]);
    }
    for (const BufferIndex b : lifetimes.live_in()) BeBorn(b, Take(b));
  }

  Sum live() const { return live_; }
  uint64_t peak() const {
    return peak_ > Sum(UINT64_MAX) ? UINT64_MAX : static_cast<uint64_t>(peak_);
  }
  Sum unborn_bytes(OpIndex op) const { return unborn_bytes_[op]; }
  bool born(BufferIndex b) const { return state_[b].born; }

  // The largest unborn_bytes of a program that has not started, of ordinals [first, last).
  Sum LargestUnborn(size_t first, size_t last) const {
    return program_unborn_.Largest(first, last);
  }
  Sum UnbornOfProgram(size_t ordinal) const { return program_unborn_.Get(ordinal); }
  void ProgramStarted(size_t ordinal) { program_unborn_.Set(ordinal, Sum(0)); }

  // If every buffer that the action creates gets a range, all together: they are born there, true.
  // Else nothing changes.
  bool CreateIfRoom(OpIndex op) {
    taken_.clear();
    for (const BufferIndex b : problem_.lifetimes.uses(op)) {
      if (!Creates(b)) continue;
      const std::optional<uint64_t> offset = Take(b);
      if (!offset.has_value()) {
        while (!taken_.empty()) {
          space_.Free(taken_.back().offset, problem_.stream.buffer(taken_.back().buffer).size);
          taken_.pop_back();
        }
        return false;
      }
      taken_.push_back({b, *offset});
    }
    for (const Taken& t : taken_) BeBorn(t.buffer, t.offset);
    return true;
  }

  // The buffers that the action creates are born, each at a range if there is one; false if one got
  // none.
  bool CreateAnyway(OpIndex op) {
    bool all = true;
    for (const BufferIndex b : problem_.lifetimes.uses(op)) {
      if (!Creates(b)) continue;
      const std::optional<uint64_t> offset = Take(b);
      all &= offset.has_value();
      BeBorn(b, offset);
    }
    return all;
  }

  // One user of each of these buffers is done with it; who has no more dies.
  void EndUses(Run<BufferIndex> buffers) {
    for (const BufferIndex b : buffers) {
      State& state = state_[b];
      const Buffer& buffer = problem_.stream.buffer(b);
      if (--state.users_left != 0 || buffer.live_out) continue;
      live_ -= buffer.size;
      if (state.has_range) space_.Free(state.offset, buffer.size);
    }
  }

 private:
  struct State {
    uint32_t users_left = 0;
    bool born = false;
    bool has_range = false;
    uint64_t offset = 0;
  };
  struct Taken {
    BufferIndex buffer;
    uint64_t offset;
  };

  // A buffer of no bytes takes no room, so its birth changes nothing.
  bool Creates(BufferIndex b) const {
    return !state_[b].born && problem_.stream.buffer(b).size != 0;
  }

  std::optional<uint64_t> Take(BufferIndex b) {
    const Buffer& buffer = problem_.stream.buffer(b);
    return TakePlace(&space_, buffer, buffer.size, problem_.hardware.small_buffer_bytes);
  }

  void BeBorn(BufferIndex b, std::optional<uint64_t> offset) {
    State& state = state_[b];
    const uint64_t size = problem_.stream.buffer(b).size;
    state.born = true;
    state.has_range = offset.has_value();
    state.offset = offset.value_or(0);
    live_ += size;
    peak_ = std::max(peak_, live_);
    for (const OpIndex user : problem_.lifetimes.users(b)) {
      unborn_bytes_[user] -= size;
      const uint32_t ordinal = problem_.consumers.ordinal(user);
      // A program that has started counts no more; its buffers are born with it.
      if (ordinal != LoadConsumers::kNone && program_unborn_.Get(ordinal) != 0) {
        program_unborn_.Set(ordinal, unborn_bytes_[user]);
      }
    }
  }

  const ScheduleProblem& problem_;
  AddressSpace space_;
  IndexVector<BufferIndex, State> state_;
  IndexVector<OpIndex, Sum> unborn_bytes_;  // by action
  MaximumTree<Sum> program_unborn_;         // by ordinal; 0 once started
  std::vector<Taken> taken_;
  Sum live_ = 0;
  Sum peak_ = 0;
};

}  // namespace torqsched

#endif  // TORQSCHED_SRC_SCHEDULE_LIVE_BUFFERS_H_
