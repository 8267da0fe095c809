// A stream's actions as bit masks: what the exact search looks at.
//
// Sets of actions are 64-bit masks; programs and LRAM buffers with bytes are numbered by
// themselves. Tails are lower bounds too: what must follow an action takes the stream, and the
// slices, so long.
#ifndef TORQSCHED_SRC_SEARCH_EXACT_MODEL_H_
#define TORQSCHED_SRC_SEARCH_EXACT_MODEL_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "src/graph/action_graph.h"
#include "src/graph/problem.h"

namespace torqsched {

using ActionMask = uint64_t;

inline ActionMask MaskOf(size_t action) { return ActionMask{1} << action; }
// Calls visit(index) for each bit, ascending.
template <typename Visit>
void ForEachBit(uint64_t mask, const Visit& visit) {
  for (; mask != 0; mask &= mask - 1) visit(static_cast<uint32_t>(__builtin_ctzll(mask)));
}

struct ExactAction {
  ActionKind kind = ActionKind::kJoint;
  uint64_t stream_cycles = 0;  // of the stream: a transfer, a barrier, the start of a program
  uint64_t compute = 0;        // of a program
  uint32_t program = 0;        // its number among the programs
  ActionMask needs = 0;        // are out before it begins
  ActionMask needs_end = 0;    // of them programs that have been waited for
  ActionMask wait_needs = 0;   // the same of a program's wait
  ActionMask wait_needs_end = 0;
  std::vector<uint32_t> uses;       // buffers
  std::vector<uint32_t> wait_uses;  // of a program's wait, beyond those of its start
  std::vector<uint32_t> enters;     // of its uses, those that it may bring in, without swaps

  // Derived from the needs.
  ActionMask ancestors = 0;      // whatever has to be out before it begins
  ActionMask end_ancestors = 0;  // of them those that must have ended (programs: waited for)
  uint64_t tail = 0;      // least time from when the stream is done with it to the end of all
  uint64_t end_tail = 0;  // of a program: from its end
};

// A load from constants only, which could load a buffer again.
struct ExactRefill {
  uint32_t load = 0;
  ActionMask overwrites = 0;  // writers of the buffer; by their bytes, whoever comes first
};

struct ExactBuffer {
  uint64_t bytes = 0;
  ActionMask users = 0;  // actions
  ActionMask holds = 0;  // programs that use it until their wait
  ActionMask waits = 0;  // of them those that use it at their wait only
  bool live_in = false;
  bool live_out = false;

  // For swaps.
  bool may_leave = false;        // LRAM, while nobody uses it
  uint64_t transfer_cycles = 0;  // of the whole buffer
  ActionMask readers = 0;        // read bytes of it
  ActionMask writers = 0;        // write bytes of it
  ActionMask covers = 0;         // of them those that overwrite it wholly and read none of it
  std::vector<ExactRefill> refills;
  // Of the refills those that might as well come when the buffer would come back: they overwrite it
  // wholly, load nothing else, for no more than a return, and all that needs them accesses it.
  ActionMask late_loads = 0;

  // Some users only view it: it has to be in LRAM for them, its contents need not be.
  ActionMask accessors() const { return readers | writers; }
  // Whether somebody will use it. waited: programs that have been waited for, where waits branch.
  bool IsUsedAfter(ActionMask out, ActionMask waited) const {
    return ((users & ~out) | (waits & ~waited)) != 0;
  }
};

// Loads that are alike (exact_spares.h), and the program that each is for.
struct ExactSpares {
  struct Pair {
    uint32_t load;
    uint32_t program;
  };

  // How many are loaded and not taken by a program.
  uint32_t Loaded(ActionMask out) const {
    return static_cast<uint32_t>(__builtin_popcountll(loads & out) -
                                 __builtin_popcountll(programs & out));
  }
  // How many more these actions take than are loaded.
  uint32_t Missing(ActionMask actions, ActionMask out) const {
    const int taken = __builtin_popcountll(programs & actions & ~out);
    return static_cast<uint32_t>(std::max(taken - static_cast<int>(Loaded(out)), 0));
  }

  ActionMask loads = 0;
  ActionMask programs = 0;
  uint64_t cycles = 0;
  uint64_t bytes = 0;
  std::vector<Pair> pairs;  // the longest tail first
};

struct ExactModel {
  std::vector<ExactAction> actions;  // numbered as in the graph
  std::vector<uint32_t> programs;    // their actions
  std::vector<ExactBuffer> buffers;
  uint64_t capacity = 0;      // bytes, of them those that are always live taken away
  bool fits_at_first = true;  // what is live before the first op
  uint32_t slices = 1;        // no more than there are programs; at least 1
  uint64_t block_ops = 0;
  uint64_t block_cycles = 0;
  bool swaps_apply = true;  // false: returns of a buffer take so long that sums might not fit
  // Waits are branched over like actions: where a wait may cost something by itself, because it
  // counts for block transfers, needs other actions or brings buffers in.
  bool waits_branch = false;
  std::vector<uint32_t> by_tail;           // actions, longest tail first
  std::vector<uint32_t> programs_by_tail;  // the programs' actions, longest end tail first
  std::vector<ExactSpares> spares;
  ActionMask all_spares = 0;  // loads

  ActionMask all() const {
    return actions.size() == 64 ? ~ActionMask{0} : MaskOf(actions.size()) - 1;
  }

  // What it needs is out; of a spare it is enough that one of those that are alike is.
  bool NeedsAreOut(uint32_t action, ActionMask out) const;
  // It is a spare, and another one is to be loaded before.
  bool IsOtherSpare(uint32_t action, ActionMask out) const;
  // The set when the action is out as well.
  ActionMask With(uint32_t action, ActionMask out) const;
};

// Absent where the search does not apply: too many actions, cycles above 2^56 or bytes above 2^62
// together, or a chip whose DMA is more than one engine that blocks the stream.
std::optional<ExactModel> MakeExactModel(const ScheduleProblem& problem, const ActionGraph& graph);

// Sums over subsets, a table lookup for each eight actions.
class MaskSum {
 public:
  MaskSum() = default;
  explicit MaskSum(const std::vector<uint64_t>& values);
  uint64_t operator()(uint64_t mask) const {
    uint64_t sum = 0;
    for (size_t i = 0; i < tables_.size(); ++i, mask >>= 8) sum += tables_[i][mask & 255];
    return sum;
  }

 private:
  std::vector<std::array<uint64_t, 256>> tables_;
};

}  // namespace torqsched

#endif  // TORQSCHED_SRC_SEARCH_EXACT_MODEL_H_
