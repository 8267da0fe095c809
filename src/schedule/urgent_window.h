// Which buffers the next few programs touch: the first `size` programs, in input order, that have
// not started. A load into such a buffer is urgent. Each program enters the window once and leaves
// it once.
#ifndef TORQSCHED_SRC_SCHEDULE_URGENT_WINDOW_H_
#define TORQSCHED_SRC_SCHEDULE_URGENT_WINDOW_H_

#include <cstdint>
#include <vector>

#include "src/graph/lifetimes.h"

namespace torqsched {

class UrgentWindow {
 public:
  UrgentWindow(const Lifetimes& lifetimes, size_t buffer_count, uint64_t size)
      : lifetimes_(lifetimes),
        touching_(buffer_count, 0),
        started_(lifetimes.programs().size(), false) {
    for (uint64_t i = 0; i < size && end_ < started_.size(); ++i) TakeNext();
  }

  // Whether a program in the window touches it.
  bool Touches(BufferIndex buffer) const { return touching_[buffer] != 0; }
  // All programs below this ordinal have started.
  size_t first_not_started() const { return first_not_started_; }

  void Started(size_t ordinal) {
    started_[ordinal] = true;
    while (first_not_started_ < started_.size() && started_[first_not_started_]) {
      ++first_not_started_;
    }
    if (ordinal >= end_) return;
    for (const BufferIndex b : Uses(ordinal)) --touching_[b];
    TakeNext();
  }

 private:
  Run<BufferIndex> Uses(size_t ordinal) const {
    return lifetimes_.uses(lifetimes_.programs()[ordinal]);
  }

  void TakeNext() {
    while (end_ < started_.size() && started_[end_]) ++end_;
    if (end_ == started_.size()) return;
    for (const BufferIndex b : Uses(end_)) ++touching_[b];
    ++end_;
  }

  const Lifetimes& lifetimes_;
  IndexVector<BufferIndex, uint32_t> touching_;
  std::vector<bool> started_;  // by ordinal
  size_t first_not_started_ = 0;
  size_t end_ = 0;  // the window is what has not started of ordinals below end_
};

}  // namespace torqsched

#endif  // TORQSCHED_SRC_SCHEDULE_URGENT_WINDOW_H_
