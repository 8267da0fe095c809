// The layers of the exact search: all partial answers with k actions out, then those with k + 1.
//
// A *state* (exact_states.h) is expanded by each action that may come next, at the earliest time at
// which what it needs is out and its buffers fit beside what is live. Waits follow from that: all
// programs that have ended by then have been waited for, since a wait that costs nothing frees
// buffers and harms nobody. A store or load that brings no buffer in and is done before another
// action could begin goes first (with swaps only if no copy of what it writes may become stale); so
// does a joint whose turn is now.
//
// Where waits branch (ExactModel::waits_branch) they are actions of the layers like all others.
//
// Swaps (exact_swaps.cc) are further steps between two layers: a buffer leaves LRAM, or comes back.
// They stay in the layer, so a state may make others of the same one.
//
// Loads that are alike are not told apart (exact_spares.h); an answer's are given out at the end.
//
// Passes: the first keeps a few states of each layer, those with the lowest bounds; each pass keeps
// more, many more where the last one found nothing better, until one has dropped none.
#ifndef TORQSCHED_SRC_SEARCH_EXACT_SEARCH_H_
#define TORQSCHED_SRC_SEARCH_EXACT_SEARCH_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/search/exact.h"
#include "src/search/exact_bound.h"
#include "src/search/exact_model.h"
#include "src/search/exact_room.h"
#include "src/search/exact_states.h"
#include "src/search/exact_work.h"

namespace torqsched {

enum class ExactStepKind : uint8_t { kAction, kWait, kLetGo, kBringBack };

// One step of an answer.
struct ExactStep {
  ExactStepKind kind = ExactStepKind::kAction;
  uint8_t index = 0;       // an action (of a wait: its program), or a buffer
  uint8_t slice_rank = 0;  // of a start: how many slices are free before the one that it takes
  uint32_t parent = 0;     // the step before, by number
  uint64_t time = 0;       // what has ended by then has been waited for
};

// What can be had from a state by waiting: the programs that run, by their ends, and what is live
// when the first k of them have been waited for.
class ExactReleases {
 public:
  struct Turn {
    uint64_t time = 0;
    uint64_t live = 0;       // bytes
    ActionMask running = 0;  // programs that have not been waited for
  };

  explicit ExactReleases(const ExactModel& model) : model_(model) {}

  void Fill(const uint64_t* state);
  // The first turn at which the action can begin; null: none.
  const Turn* TurnFor(const ExactAction& action) const;
  // Of these buffers, those that are not in LRAM then.
  uint64_t BytesBroughtIn(const std::vector<uint32_t>& uses, const Turn& turn) const;
  bool HasRoomFor(const std::vector<uint32_t>& uses, const Turn& turn) const {
    return turn.live + BytesBroughtIn(uses, turn) <= model_.capacity;
  }
  // The first turn from this one on that has; null: none.
  const Turn* RoomFor(const std::vector<uint32_t>& uses, const Turn* from) const;
  // The first turn at which none of these programs runs; null: none.
  const Turn* TurnWithout(ActionMask programs) const;
  const Turn& now() const { return turns_[0]; }

 private:
  uint64_t LiveBytes(ActionMask running) const;
  bool IsOut(uint32_t buffer, ActionMask running) const;

  const ExactModel& model_;
  ActionMask out_ = 0;
  ActionMask waited_ = 0;  // where waits branch
  uint64_t gone_ = 0;      // buffers
  std::vector<Turn> turns_;
  std::vector<uint32_t> by_end_;
};

class ExactSearch {
 public:
  // Both must outlive it.
  ExactSearch(const ExactModel& model, const ExactOptions& options);

  // Whether everything was searched.
  bool Run();
  bool found() const { return found_; }
  uint64_t best() const { return enough_; }  // if found
  uint64_t nodes() const { return work_.nodes(); }
  const std::vector<ExactStep>& steps() const { return best_steps_; }

 private:
  enum class Pass : uint8_t { kComplete, kCut, kLimit };

  Pass RunPass(size_t width);
  bool KeepBest(size_t width);
  bool MustStop() const;
  void Expand(uint32_t index);
  void ExpandWaits(const uint64_t* state);
  bool MayBegin(uint32_t action, const uint64_t* state) const;
  void ExpandSwaps(const uint64_t* state);
  void LetGo(uint32_t buffer, const uint64_t* state, bool waiting);
  void BringBack(uint32_t buffer, const uint64_t* state);
  void AddSwap(uint64_t clock, ExactStep step);
  bool MissesContents(uint32_t action, const uint64_t* state) const;
  void Touch(uint32_t action);
  void ForgetDead(const std::vector<uint32_t>& buffers);
  void ExpandAction(uint32_t action, const ExactReleases::Turn& turn, const uint64_t* state);
  void Begin(uint32_t action, uint64_t time, const uint64_t* state, uint32_t slice_rank);
  uint64_t AfterBlock(uint64_t time, const uint64_t* state) const;
  void SetClock(uint64_t clock);
  uint64_t BoundChild();
  uint64_t CyclesToComeBack() const;
  void AddChild(uint64_t clock, ExactStep step);
  void AddToLayer(ExactStep step, ExactStates* layer);
  void Finish(ExactStep step);
  void GiveOutSpares();

  const ExactModel& model_;
  ExactWork work_;
  const bool swaps_;
  ExactBound bound_;
  ExactReleases releases_;
  ExactRoom room_;
  uint64_t enough_;  // makespans below are looked for
  bool found_ = false;
  std::vector<ExactStep> best_steps_;

  ActionMask program_mask_ = 0;
  ActionMask real_ = 0;         // all but joints
  ActionMask makes_stale_ = 0;  // with swaps: writes buffers that may leave
  ExactStates layer_, next_layer_;
  std::vector<ExactStep> history_;  // the last step of each state of this pass, by number
  std::vector<uint64_t> expanded_, child_;
  size_t width_ = 0;                               // states that a layer keeps
  bool cut_ = false;                               // some were left out
  std::vector<const ExactReleases::Turn*> turns_;  // by action
};

}  // namespace torqsched

#endif  // TORQSCHED_SRC_SEARCH_EXACT_SEARCH_H_
