// Local search over orders and offsets together: one order, changed a little at a time.
//
// A move takes an action forward with what it needs, puts one off with what needs it, exchanges two
// programs with their transfers, or wants another offset for a buffer. The decoder plays the
// changed part, from the checkpoint before it until the state is what it was at the same position
// before, so a move costs some dozens of actions, however long the stream is. Most moves aim at a
// place where the stream stalls: they fill the stall with a later action, put off what stalls, or
// start earlier what it waits for. While the memory is broken, most aim at what lies there: they
// end its use earlier, or begin it later.
//
// A move that makes violations more is never taken; one that makes the order longer is, if the
// difference is below a random threshold whose mean falls while the work goes on (annealing in
// integers). The best order met is kept.
//
// Cost: counted in nodes. A node is an action played, or as many steps of the decoder (decoder.h)
// and of looking for a move as an action takes at most in most streams, whichever is more. Memory:
// a state for every 16 positions, for fewer where states are large at first. Deterministic: the
// random numbers are a function of the seed and of what was done before.
//
// Source: docs/search.md.
#ifndef TORQSCHED_SRC_SEARCH_LOCAL_SEARCH_H_
#define TORQSCHED_SRC_SEARCH_LOCAL_SEARCH_H_

#include <array>
#include <cstdint>
#include <vector>

#include "src/search/decoder.h"
#include "src/search/model.h"
#include "src/search/program_groups.h"
#include "src/search/random.h"

namespace torqsched::search {

// An order with what it costs.
struct Solution {
  std::vector<ActionIndex> order;
  IndexVector<PartIndex, int64_t> offsets;  // that buffers get; -1: none yet
  uint64_t violations = 0;
  int64_t makespan = 0;

  bool BetterThan(const Solution& other) const {
    return violations != other.violations ? violations < other.violations
                                          : makespan < other.makespan;
  }
};

// Plays the order; offsets are first those wanted (empty: none), then those got.
// Unless null, entries becomes what the order is with its waits, and births where parts come in.
// Returns the nodes that this took.
uint64_t Evaluate(const Model& model, Placing placing, Solution* solution,
                  std::vector<Entry>* entries = nullptr,
                  std::vector<Decoder::Birth>* births = nullptr);

struct SearchWork {
  uint64_t nodes = 0;
  uint64_t moves = 0;
  uint64_t improvements = 0;  // of the best
};

// How far moves go. Near ones cost less, and more of them find an improvement; where much can be
// exchanged over long distances only far ones find it.
enum class Reach : uint8_t { kNear, kFar };

class LocalSearch {
 public:
  // start: evaluated.
  LocalSearch(const Model& model, Placing placing, Reach reach, const Solution& start,
              uint64_t seed);

  // Tries moves until so many nodes have been played; warm: the mean threshold in cycles.
  void Improve(uint64_t nodes, int64_t warm);
  // The same, but tries only what may mend the memory, and ends as soon as nothing breaks it.
  void Mend(uint64_t nodes, int64_t warm);

  const Solution& best();
  // Whether the best is better than that.
  bool BestIsBelow(const Solution& other) const {
    const uint64_t violations = best_is_current_ ? violations_ : best_.violations;
    const int64_t makespan = best_is_current_ ? makespan_ : best_.makespan;
    return violations != other.violations ? violations < other.violations
                                          : makespan < other.makespan;
  }
  int64_t makespan() const { return makespan_; }
  uint64_t violations() const { return violations_; }
  const SearchWork& work() const { return work_; }

 private:
  // An action at its position.
  struct Slot {
    int64_t cycles = 0;
    int64_t stall = 0;
    uint32_t violations = 0;
    uint64_t hash = 0;  // of the state before it
  };
  // What comes before the program of a group, the program, and what comes after it.
  struct Role {
    std::vector<ActionIndex> actions;
    size_t taken = 0;
  };
  using Roles = std::array<Role, 3>;

  void PlayAll();
  void Checkpoint(Position p);
  void TryMove();
  void BeginMove();
  void Charge(uint64_t actions);
  bool ProposeAtStall();
  bool ProposeAtViolation();
  bool ProposeAnywhere();
  bool ProposeOffset();
  bool ProposeExchange();
  Position FindStall(Position from) const;
  Position FindViolation();
  bool PullForward(Position from, Position to);
  bool PullUsers(PartIndex part, Position to);
  void MarkNeeded(Position from, Position to);
  bool PutOff(Position from, Position to);
  bool Reorder(Position low, Position high, bool marked_first);
  ActionIndex NextProgram(Position from, uint32_t how_manieth) const;
  void CollectRoles(ActionIndex program, Roles* roles);
  size_t RoleOf(ActionIndex member) const;
  void EmitOther(ActionIndex member, bool of_first);
  bool Permute(Position low, Position high);
  bool NoteChange(Position low, Position high);
  uint32_t RandomDistance();
  void Judge();
  bool PlayChange(int64_t threshold);
  void Accept();
  void Reject();
  void KeepBest();

  const Model& model_;
  const Placing placing_;
  const Reach reach_;
  const ProgramGroups groups_;
  Random random_;
  Decoder decoder_;
  SearchWork work_;
  uint64_t steps_ = 0;          // of looking for moves
  uint64_t charged_steps_ = 0;  // these and the decoder's, as far as they are in work_.nodes
  int64_t warm_ = 0;

  std::vector<ActionIndex> order_;
  IndexVector<ActionIndex, Position> position_;
  IndexVector<PartIndex, int64_t> wanted_;
  std::vector<Slot> slots_;                // one more than there are actions: the end
  std::vector<DecoderState> checkpoints_;  // before positions 0, stride_, ...
  Position stride_ = 16;
  uint64_t checkpoint_entries_ = 0;  // in all of them, when they were made
  int64_t makespan_ = 0;
  uint64_t violations_ = 0;

  Position last_violation_ = 0;  // where one was found

  // The move that is being tried.
  Position low_ = 0;                // first changed position
  Position high_ = 0;               // last
  std::vector<ActionIndex> saved_;  // what stood there
  PartIndex changed_buffer_;        // absent: no offset changed
  int64_t saved_offset_ = 0;
  Position first_ = 0;  // played from here
  Position after_ = 0;  // up to before here
  std::vector<Slot> new_slots_;
  std::vector<DecoderState> new_checkpoints_;
  size_t new_checkpoint_count_ = 0;
  int64_t change_ = 0;  // of the makespan
  uint64_t new_violations_ = 0;
  IndexVector<ActionIndex, uint32_t> mark_;
  uint32_t mark_epoch_ = 0;
  std::vector<ActionIndex> scratch_;
  std::array<Roles, 2> roles_;
  std::vector<ActionIndex> stack_;

  Solution best_;
  bool best_is_current_ = true;  // the current order is better than best_, or is it
};

}  // namespace torqsched::search

#endif  // TORQSCHED_SRC_SEARCH_LOCAL_SEARCH_H_
