// The decoder: plays an order of actions on the clock and in LRAM, one action after the other, and
// puts the waits in.
//
// An order names actions only. Before an action comes out the decoder waits for the programs that
// it needs, and, where its new buffers find no room, for further programs, the one that ends first
// first. It waits at once for what has ended. A start takes the slice that is free first.
//
// A new buffer goes to the offset that the search wants for it, if that is free, else to the end of
// a gap where it is in the way of the next ones least; or always where the two-ended first-fit rule
// puts it (kTwoEnded, kSequential), as the allocator of a compiler does that will place the order
// again on its own. Where nothing is left to wait for, kSequential swaps; else the action breaks
// the memory: its buffers hold no range, and it counts as a violation.
//
// The state is relative to the clock: what follows from equal states is equal, later by a constant.
// So a changed order is played from a checkpoint just before the change until the state equals what
// it was before (state_hash).
//
// Invariants: the LRAM map holds the ranges of the live buffers that have one; `running` are the
// programs started and not waited for.
//
// Cost: an action costs its needs and uses, and for each new buffer a walk over the ranges; a state
// what is live and running. steps() counts it.
#ifndef TORQSCHED_SRC_SEARCH_DECODER_H_
#define TORQSCHED_SRC_SEARCH_DECODER_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "src/search/lram_map.h"
#include "src/search/model.h"
#include "src/search/running_programs.h"

namespace torqsched::search {

enum class Placing : uint8_t {
  kWanted,      // at wanted offsets where those are free
  kTwoEnded,    // always by the two-ended first-fit rule
  kSequential,  // likewise; and where there is no room, it swaps as the SEQUENTIAL oracle does
};

// Everything that decides what the rest of an order does, relative to the clock.
struct DecoderState {
  struct Live {
    PartIndex buffer;
    uint32_t users_left = 0;
    int64_t offset = 0;       // kNoRange: it broke the memory
    bool copy_valid = false;  // what it holds is in XRAM, too, where an eviction stored it
  };
  static constexpr int64_t kNoRange = -1;

  std::vector<RunningProgram> running;  // in the order of their ends
  std::vector<int64_t> slice_ends;      // at least 0
  std::vector<Live> live;               // kSequential: in the order in which they came in
  std::vector<Live> evicted;            // kSequential
  uint64_t ops_since_block = 0;
};

// What one action did.
struct Played {
  int64_t cycles = 0;  // by which the clock moved
  int64_t stall = 0;   // of them spent waiting for programs
  uint32_t violations = 0;
};

// What an order is made of, waits included.
struct Entry {
  ActionIndex action;
  bool wait = false;  // of the program; else the action itself
  uint8_t slice = 0;  // of a program's start
};

class Decoder {
 public:
  Decoder(const Model& model, Placing placing);

  // By buffer; -1: none. Only read.
  void set_wanted(const IndexVector<PartIndex, int64_t>* wanted) { wanted_ = wanted; }
  // The order that is played, to look ahead in; and where each action stands in it, asked about
  // actions that a program's wait needs. Only read.
  void set_order(const std::vector<ActionIndex>* order,
                 const IndexVector<ActionIndex, Position>* positions) {
    order_ = order;
    positions_ = positions;
  }
  // Records entries, unless null.
  void set_record(std::vector<Entry>* entries) { entries_ = entries; }

  // The state before the first action. Returns the violations of the live-in buffers.
  uint32_t Reset();
  // The state before the action at this position.
  void Load(const DecoderState& state, Position position);
  void Save(DecoderState* state) const;

  Played Play(ActionIndex action);
  // Waits for all that runs.
  Played Finish();

  // Equal for equal states, and, but for a chance of 2^-64, for those only. Meant for states after
  // the same set of actions.
  uint64_t StateHash() const;

  int64_t now() const { return now_; }
  // Since the decoder was made: what was looked at in LRAM, in lists and in needs. An action takes
  // some dozens; where much is live, or an action uses much, far more.
  uint64_t steps() const { return steps_; }
  // Buffers that came in since births were last cleared, in order, and where.
  struct Birth {
    PartIndex part;
    int64_t offset;
  };
  const std::vector<Birth>& births() const { return births_; }

 private:
  struct BufferState {
    uint32_t users_left = 0;
    int64_t offset = 0;
    bool copy_valid = false;
  };

  bool IsLive(PartIndex b) const { return stamp_[b] == epoch_; }
  bool IsRunning(ActionIndex program) const { return running_.Contains(program); }
  void NextEpoch();
  void CountOp();
  bool MayWait(ActionIndex program) const;
  void WaitFor(ActionIndex program);
  void EndProgram(ActionIndex program);
  void WaitForEnded();
  bool WaitForFirst();
  bool PlaceNew(ActionIndex action);
  int64_t OffsetFor(PartIndex b);
  int64_t LeastInTheWay(PartIndex b);
  void TakeBack(size_t first_birth);
  uint32_t BreakMemory(Run<PartIndex> uses);
  void ComeIn(PartIndex b, int64_t offset);
  void EndUses(Run<PartIndex> uses);
  void Leave(PartIndex b);
  // decoder_swaps.cc
  bool IsEvicted(PartIndex b) const { return evicted_stamp_[b] == epoch_; }
  bool PlaceNewInTurn(ActionIndex action);
  bool PlaceSwapping(ActionIndex action);
  bool PlaceAllSwapping(const std::vector<PartIndex>& parts, Run<PartIndex> pinned);
  bool EvictOne(Run<PartIndex> pinned);
  bool UsedByRunning(PartIndex b) const;
  void CollectToPlace(ActionIndex action);
  void Bring(PartIndex b, int64_t offset);
  void ComeBack(PartIndex b, int64_t offset);
  void NoteWrites(ActionIndex action);
  bool NextNeedsContents(PartIndex b);
  bool ContentsMatter(PartIndex b);
  void CollectLaterUses(PartIndex b);
  void SwapTransfer(PartIndex b);
  void Start(ActionIndex program);

  const Model& model_;
  const Placing placing_;
  const IndexVector<PartIndex, int64_t>* wanted_ = nullptr;
  const std::vector<ActionIndex>* order_ = nullptr;
  const IndexVector<ActionIndex, Position>* positions_ = nullptr;
  std::vector<Entry>* entries_ = nullptr;

  LramMap map_;
  int64_t now_ = 0;
  mutable uint64_t steps_ = 0;
  RunningPrograms running_;
  std::vector<int64_t> slice_ends_;
  uint64_t ops_since_block_ = 0;
  std::vector<PartIndex> rangeless_;  // live buffers without a range
  uint64_t rangeless_hash_ = 0;
  Position at_ = 0;  // of the next action
  IndexVector<PartIndex, BufferState> buffer_;
  // Live if the stamp is the epoch's.
  uint32_t epoch_ = 0;
  IndexVector<PartIndex, uint32_t> stamp_;
  std::vector<Birth> births_;
  std::vector<ActionIndex> to_wait_;
  struct Wish {
    int64_t begin;
    int64_t end;
  };
  std::vector<Wish> wishes_;

  // kSequential.
  std::vector<PartIndex> arrivals_;  // the live parts in the order in which they came in
  std::vector<PartIndex> evicted_;
  IndexVector<PartIndex, uint32_t> evicted_stamp_;
  std::vector<PartIndex> allocated_;  // what the action's allocs bring in
  std::vector<PartIndex> to_place_;   // what it brings in itself
  struct LaterUse {
    Position position;
    UseMode mode;
  };
  std::vector<LaterUse> later_uses_;
  std::vector<Birth> tried_;
};

}  // namespace torqsched::search

#endif  // TORQSCHED_SRC_SEARCH_DECODER_H_
