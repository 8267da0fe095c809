// What a search reads about a stream, flat and in signed numbers: actions, what they need and use,
// the chip, and sizes as an allocator takes them.
//
// The first actions are those of ActionGraph, in input order. Barriers keep their places: every
// order has the same number of actions between two barriers, so also the same positions; a
// *segment* is such a run.
//
// Swaps are made part of the model: a *split* says that a buffer is out of LRAM between some of its
// users and the others. The others then use a new *part*, which may lie elsewhere, and there are
// actions for the store and the load that this takes (or a joint where it takes none), between the
// users of both. To a search they are actions like all others, so it finds by itself where a swap
// costs least.
//
// Cost: linear in the action graph and in the users of split buffers.
#ifndef TORQSCHED_SRC_SEARCH_MODEL_H_
#define TORQSCHED_SRC_SEARCH_MODEL_H_

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "src/graph/action_graph.h"
#include "src/graph/problem.h"

namespace torqsched::search {

using Position = uint32_t;
using PartIndex = Index<struct PartTag>;  // the first parts are the stream's buffers

struct ModelAction {
  ActionKind kind = ActionKind::kJoint;
  bool ends_blocked = false;  // a program whose wait needs more than its start
  int64_t cycles = 0;
  Position segment_begin = 0;  // the first position that it may have
  Position segment_end = 0;    // the position after the last that it may have
  OpIndex op;                  // absent: a joint, or a swap
  PartIndex swapped;           // of a swap's store or load: the part
};

// Some bytes that are in LRAM from their first user to their last.
struct Part {
  BufferIndex buffer;
  int64_t size = 0;       // bytes, rounded up to the hardware's alignment; 0: not in LRAM
  int64_t alignment = 1;  // of its offset
  int64_t fixed = -1;     // its offset; -1: not fixed
  uint32_t user_count = 0;
  bool low_end = false;  // the two-ended rule puts it at the lowest free range
  bool live_in = false;
  bool live_out = false;
  bool last = true;  // of its buffer's parts
};

// What an action does to the contents of a part that it uses.
struct UseMode {
  bool accesses = false;  // it does not only view it; perhaps no bytes of it
  bool reads = false;
  bool writes = false;
  bool overwrites = false;  // all of it, and reads none
};

// How much longer all transfers, and all programs, are taken to be than the stream says, percent.
struct Estimate {
  int64_t dma_percent = 0;  // above -100, as is the other
  int64_t compute_percent = 0;

  bool AsItIs() const { return dma_percent == 0 && compute_percent == 0; }
};

// A part leaves LRAM, and comes back for some of its users.
struct Split {
  PartIndex part;
  std::vector<ActionIndex> later;  // its users from then on; not all of them
  bool store = false;              // it has to be stored first
  bool load = false;               // it has to be loaded for them
  // How many barriers come before the store, and before the load, or what stands for them.
  uint32_t barriers_before_store = 0;
  uint32_t barriers_before_load = 0;
};

class Model {
 public:
  // Splits are made one after the other; each makes the next part. Absent where numbers are so
  // large (sums of cycles or bytes beyond 2^59) that a search does not work with them.
  static std::unique_ptr<const Model> Make(const ScheduleProblem& problem, const ActionGraph& graph,
                                           const std::vector<Split>& splits = {},
                                           const Estimate& estimate = {});

  const ScheduleProblem& problem() const { return problem_; }
  const ActionGraph& graph() const { return graph_; }
  size_t size() const { return actions_.size(); }
  size_t part_count() const { return parts_.size(); }
  const ModelAction& action(ActionIndex a) const { return actions_[a]; }
  const Part& part(PartIndex p) const { return parts_[p]; }
  // In the order in which an allocator places new ones.
  Run<PartIndex> uses(ActionIndex a) const { return uses_[a.value()]; }
  // How many of them its allocs bring in, one by one, before it.
  uint32_t alloc_count(ActionIndex a) const {
    return a.value() < graph_.size() ? graph_.alloc_count(a) : 0;
  }
  // Of the parts that uses(a) names, in the same order. All false for swaps.
  Run<UseMode> use_modes(ActionIndex a) const { return use_modes_[a.value()]; }
  Run<ActionIndex> users(PartIndex p) const { return users_[p.value()]; }
  const std::vector<PartIndex>& live_in() const { return live_in_; }

  // Whether a store and a load of each part at each of its users take at most 2^59 cycles together,
  // so that a decoder can swap.
  bool swaps_countable() const { return swaps_countable_; }
  // A store or a load of the whole part.
  int64_t swap_cycles(PartIndex p) const {
    return Estimated(ActionKind::kLoad, TransferCycles(problem_.hardware, bytes(p)));
  }

  // The programs whose waits its begin needs.
  Run<ActionIndex> waits_for(ActionIndex a) const { return waits_for_[a.value()]; }
  // The actions that must stand before it in every order, and those that must stand after it;
  // where barriers keep them in order anyway they are left out.
  Run<ActionIndex> predecessors(ActionIndex a) const { return predecessors_[a.value()]; }
  Run<ActionIndex> successors(ActionIndex a) const { return successors_[a.value()]; }

  uint32_t slices() const { return slices_; }
  int64_t start_cycles() const { return start_cycles_; }
  uint64_t block_ops() const { return block_ops_; }
  int64_t block_cycles() const { return block_cycles_; }
  int64_t capacity() const { return capacity_; }
  // Where regions of LRAM meet.
  const std::vector<int64_t>& boundaries() const { return boundaries_; }
  // All offsets that first fit meets are multiples of all alignments, so none need be rounded.
  bool aligned() const { return aligned_; }
  // The longest program, cycles.
  int64_t longest_program() const { return longest_program_; }

 private:
  struct Needed {
    ActionIndex action;  // who needs
    Need need;
  };

  Model(const ScheduleProblem& problem, const ActionGraph& graph, const Estimate& estimate)
      : problem_(problem), graph_(graph), estimate_(estimate) {}
  int64_t Estimated(ActionKind kind, uint64_t cycles) const;
  bool FillActions();
  bool FillParts();
  void FillUses();
  uint64_t bytes(PartIndex p) const { return problem_.stream.buffer(parts_[p].buffer).size; }
  void MakeSplit(const Split& split);
  ActionIndex AddSwap(ActionKind kind, PartIndex part, uint32_t segment);
  void FillSegments();
  void FillUsers();
  UseMode ModeOf(ActionIndex a, PartIndex p) const;
  void FillOrderRelations();

  const ScheduleProblem& problem_;
  const ActionGraph& graph_;
  const Estimate estimate_;
  IndexVector<ActionIndex, ModelAction> actions_;
  IndexVector<PartIndex, Part> parts_;
  std::vector<PartIndex> live_in_;
  Rows<PartIndex> uses_;
  Rows<UseMode> use_modes_;
  Rows<ActionIndex> users_;
  Rows<ActionIndex> waits_for_;
  Rows<ActionIndex> predecessors_;
  Rows<ActionIndex> successors_;
  uint32_t slices_ = 1;
  int64_t start_cycles_ = 0;
  uint64_t block_ops_ = 0;
  int64_t block_cycles_ = 0;
  int64_t capacity_ = 0;
  std::vector<int64_t> boundaries_;
  bool aligned_ = true;
  bool swaps_countable_ = true;
  int64_t longest_program_ = 0;

  // While the model is made.
  IndexVector<ActionIndex, uint32_t> segment_;                // how many barriers stand before it
  IndexVector<ActionIndex, std::vector<PartIndex>> uses_of_;  // where splits changed them
  std::vector<Needed> added_needs_;
};

}  // namespace torqsched::search

#endif  // TORQSCHED_SRC_SEARCH_MODEL_H_
