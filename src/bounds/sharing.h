// Which jobs may be at work at the same time.
//
// Of two jobs at work at once neither has ended before the other begins, and LRAM holds at that
// time what either must find there. A job *holds* the buffers that it uses; without swaps also
// every buffer that is born before it in every order (live in, or a user of it has begun before the
// job) and that is not dead after it in any (live out, or a user of it begins after the job's end).
// With swaps that is so for buffers that stay only; others may be out between their uses.
//
// The op at which the jobs meet is one at which each of them is in flight, so what each holds is in
// LRAM together: no more bytes than it has, or they do not meet.
//
// What all jobs hold is taken off the capacity once, and held by none.
//
// Cost: for each buffer the jobs between its first and last user, times its users; what exceeds the
// work is left out, which only makes jobs hold less. A question who meets costs what the jobs hold
// where that decides.
#ifndef TORQSCHED_SRC_BOUNDS_SHARING_H_
#define TORQSCHED_SRC_BOUNDS_SHARING_H_

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "src/bounds/part.h"
#include "src/bounds/precedence.h"
#include "src/bounds/work.h"
#include "src/stream/checked.h"

namespace torqsched::bounds {

class Sharing {
 public:
  Sharing(const Part& part, const Precedence& precedence, Work* work);

  // Whether both may be at work at once; true as well where the work does not allow to find out.
  bool Meet(uint32_t a, uint32_t b, Work* work) const {
    if (!work->Take(1)) return true;
    return Unordered(a, b) && (SumFits(bytes_[a], bytes_[b], capacity_) || Fit({a, b}, work));
  }
  // Whether three of which any two meet may be at work at once; likewise.
  bool Meet(uint32_t a, uint32_t b, uint32_t c, Work* work) const {
    if (!work->Take(1)) return true;
    const bool any = SumFits(bytes_[a], bytes_[b], capacity_) &&
                     SumFits(bytes_[a] + bytes_[b], bytes_[c], capacity_);
    return any || Fit({a, b, c}, work);
  }
  // Bytes of LRAM beside what all jobs hold.
  uint64_t capacity() const { return capacity_; }
  // Whether all jobs hold the buffer. It does not count to what one of them holds.
  bool everywhere(uint32_t buffer) const { return everywhere_[buffer] != 0; }
  // Buffers that the job holds, ascending, and their bytes.
  Run<uint32_t> held(uint32_t job) const { return held_[job]; }
  uint64_t bytes(uint32_t job) const { return bytes_[job]; }

 private:
  bool Unordered(uint32_t a, uint32_t b) const {
    return a != b && !precedence_.Ended(a, b) && !precedence_.Ended(b, a);
  }
  bool Fit(std::initializer_list<uint32_t> jobs, Work* work) const;
  bool Holds(uint32_t job, uint32_t buffer) const;
  void FillHeld(const Rows<uint32_t>& between);

  const Part& part_;
  const Precedence& precedence_;
  uint64_t capacity_ = 0;
  std::vector<uint8_t> everywhere_;  // by buffer
  Rows<uint32_t> held_;
  std::vector<uint64_t> bytes_;
};

}  // namespace torqsched::bounds

#endif  // TORQSCHED_SRC_BOUNDS_SHARING_H_
