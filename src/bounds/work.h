// What bounds may cost, counted in steps.
//
// A step is a look at a pair of jobs, at a buffer that a job holds, at a need, or at a word of
// bits: some nanoseconds at most. Walks over a part that every stream pays for once (its jobs,
// needs and uses, also sorted) are free; whatever may be more than that is taken from here before
// it is done, and left out where it is not to be had.
#ifndef TORQSCHED_SRC_BOUNDS_WORK_H_
#define TORQSCHED_SRC_BOUNDS_WORK_H_

#include <algorithm>
#include <cstdint>

namespace torqsched::bounds {

class Work {
 public:
  explicit Work(uint64_t limit) : limit_(limit) {}
  // A share of `whole`, which must outlive it; shares must not be more than the whole together.
  Work(uint64_t limit, Work* whole) : limit_(limit), whole_(whole) {}

  // False: so many steps are not left, and none are taken.
  bool Take(uint64_t steps) {
    if (steps > left()) return false;
    Spend(steps);
    return true;
  }
  // For what is known only once it has been done. False: that was the end of it.
  bool Charge(uint64_t steps) {
    Spend(std::min(steps, left()));
    return left() != 0;
  }

  uint64_t limit() const { return limit_; }
  uint64_t spent() const { return spent_; }
  uint64_t left() const { return limit_ - spent_; }

 private:
  void Spend(uint64_t steps) {
    spent_ += steps;
    if (whole_ != nullptr) whole_->Spend(steps);
  }

  const uint64_t limit_;
  uint64_t spent_ = 0;
  Work* const whole_ = nullptr;
};

}  // namespace torqsched::bounds

#endif  // TORQSCHED_SRC_BOUNDS_WORK_H_
