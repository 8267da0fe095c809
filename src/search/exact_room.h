// Whether a partial answer can still be finished in the LRAM there is, without swaps.
//
// A state whose buffers fit may be lost: parts of several programs' inputs are there and no program
// can run. Time plays no part in that: all that runs may be waited for, so what counts is the set
// of actions that are out, and each set is looked at once. Actions that bring nothing in come
// first; then something has to die next, and until it does all that is brought in stays: where what
// no buffer's remaining users need fits beside what is live, the set is lost. Else each action that
// fits is tried.
//
// A set that is looked at is a node of the search, and there are about as many of them as states;
// beyond that nothing is called lost that has not been found so. Cost: O(buffers) where all that is
// left fits at once, else O(buffers^2) a set.
#ifndef TORQSCHED_SRC_SEARCH_EXACT_ROOM_H_
#define TORQSCHED_SRC_SEARCH_EXACT_ROOM_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/search/exact_model.h"
#include "src/search/exact_work.h"

namespace torqsched {

class ExactRoom {
 public:
  // Both must outlive it.
  ExactRoom(const ExactModel& model, ExactWork* work);

  // out: the actions that are out.
  bool IsLost(ActionMask out);

 private:
  enum class Known : uint8_t { kNothing, kLost, kNotLost };
  struct Entry {
    ActionMask out = 0;
    Known known = Known::kNothing;
  };

  bool MayGoOn() const;
  bool NothingCanDie(ActionMask out, uint64_t live) const;
  bool AllWaysAreLost(ActionMask out, uint64_t live);
  Entry* Find(ActionMask out);
  void Remember(ActionMask out, bool lost);
  ActionMask WithFreeActions(ActionMask out) const;
  uint64_t BytesOf(const ExactAction& action, ActionMask out) const;
  uint64_t LiveBytes(ActionMask out) const;
  // By actions with all that they need.
  uint64_t BytesBroughtIn(ActionMask actions, ActionMask out) const;
  bool IsBorn(const ExactBuffer& buffer, ActionMask out) const {
    return buffer.live_in || (buffer.users & out) != 0;
  }

  const ExactModel& model_;
  ExactWork& work_;
  std::vector<ActionMask> to_die_;  // of each buffer: its users, and all that they need
  std::vector<Entry> table_;        // a power of two, at most half full
  size_t known_ = 0;                // sets in it
  uint64_t sets_ = 0;               // sets that were looked at
};

}  // namespace torqsched

#endif  // TORQSCHED_SRC_SEARCH_EXACT_ROOM_H_
