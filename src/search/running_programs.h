// The programs that were started and have not been waited for, the one that ends first in front.
//
// An order may start any number of programs before it waits for the first, so nothing here looks at
// all of them but where it says so.
//
// Invariants: sorted by end, then by program; what is before `front_` has been waited for.
#ifndef TORQSCHED_SRC_SEARCH_RUNNING_PROGRAMS_H_
#define TORQSCHED_SRC_SEARCH_RUNNING_PROGRAMS_H_

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "src/graph/action_graph.h"
#include "src/search/random.h"

namespace torqsched::search {

struct RunningProgram {
  ActionIndex program;
  int64_t end = 0;

  bool operator<(const RunningProgram& other) const {
    return end != other.end ? end < other.end : program < other.program;
  }
};

class RunningPrograms {
 public:
  using Iterator = std::vector<RunningProgram>::const_iterator;

  // actions: how many there are.
  explicit RunningPrograms(size_t actions) : stamp_(actions, 0), end_of_(actions, 0) {}

  // Linear only once in 2^32 calls.
  void Clear() {
    running_.clear();
    front_ = 0;
    names_ = 0;
    multipliers_ = 0;
    weighted_ends_ = 0;
    if (++epoch_ != 0) return;
    stamp_.assign(stamp_.size(), 0);
    epoch_ = 1;
  }

  Iterator begin() const { return running_.begin() + front_; }
  Iterator end() const { return running_.end(); }
  size_t size() const { return running_.size() - front_; }
  bool Contains(ActionIndex program) const { return stamp_[program] == epoch_; }
  int64_t end_of(ActionIndex program) const { return end_of_[program]; }

  // Returns how many end later, and were moved.
  size_t Insert(ActionIndex program, int64_t end) {
    const RunningProgram running{program, end};
    const Iterator at = std::upper_bound(begin(), this->end(), running);
    const size_t moved = static_cast<size_t>(this->end() - at);
    running_.insert(at, running);
    stamp_[program] = epoch_;
    end_of_[program] = end;
    const uint64_t multiplier = Mix(program.value());
    names_ += NameOf(program);
    multipliers_ += multiplier;
    weighted_ends_ += static_cast<uint64_t>(end) * multiplier;
    return moved;
  }

  // Returns how many were moved: those that end later, none if it is the first.
  size_t Erase(ActionIndex program) {
    const int64_t end = end_of_[program];
    const Iterator at = std::lower_bound(begin(), this->end(), RunningProgram{program, end});
    size_t moved = 0;
    if (at == begin()) {
      ++front_;
    } else {
      moved = static_cast<size_t>(this->end() - at);
      running_.erase(at);
    }
    stamp_[program] = epoch_ - 1;
    const uint64_t multiplier = Mix(program.value());
    names_ -= NameOf(program);
    multipliers_ -= multiplier;
    weighted_ends_ -= static_cast<uint64_t>(end) * multiplier;
    return moved;
  }

  // Equal where the same programs end as long after now, and, but for a chance of 2^-64, only
  // there.
  uint64_t HashAt(int64_t now) const {
    return names_ + weighted_ends_ - static_cast<uint64_t>(now) * multipliers_;
  }

 private:
  // Tells one that ends just now from one that is not here.
  static uint64_t NameOf(ActionIndex program) { return Mix(~uint64_t{program.value()}); }

  std::vector<RunningProgram> running_;
  size_t front_ = 0;
  // Running, if the stamp is the epoch's.
  uint32_t epoch_ = 1;
  IndexVector<ActionIndex, uint32_t> stamp_;
  IndexVector<ActionIndex, int64_t> end_of_;
  uint64_t names_ = 0;          // the sum of NameOf(program)
  uint64_t multipliers_ = 0;    // the sum of Mix(program)
  uint64_t weighted_ends_ = 0;  // the sum of end * Mix(program)
};

}  // namespace torqsched::search

#endif  // TORQSCHED_SRC_SEARCH_RUNNING_PROGRAMS_H_
