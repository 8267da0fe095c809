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
// Cost: for each buffer the jobs between its first and last user, times its users; what exceeds the
// work is left out, which only makes jobs hold less.
#ifndef TORQSCHED_SRC_BOUNDS_SHARING_H_
#define TORQSCHED_SRC_BOUNDS_SHARING_H_

#include <cstdint>
#include <vector>

#include "src/bounds/part.h"
#include "src/bounds/precedence.h"
#include "src/stream/checked.h"

namespace torqsched::bounds {

class Sharing {
 public:
  Sharing(const Part& part, const Precedence& precedence, uint64_t work);

  // Whether both, or all three, may be at work at once.
  bool Meet(uint32_t a, uint32_t b) const {
    return Unordered(a, b) && (SumFits(bytes_[a], bytes_[b], part_.capacity) || Fit({a, b, b}));
  }
  bool Meet(uint32_t a, uint32_t b, uint32_t c) const {
    return Meet(a, b) && Meet(a, c) && Meet(b, c) && Fit({a, b, c});
  }
  // Buffers that the job holds, ascending, and their bytes.
  Run<uint32_t> held(uint32_t job) const { return held_[job]; }
  uint64_t bytes(uint32_t job) const { return bytes_[job]; }

 private:
  struct Three {
    uint32_t jobs[3];
  };

  bool Unordered(uint32_t a, uint32_t b) const {
    return a != b && !precedence_.Ended(a, b) && !precedence_.Ended(b, a);
  }
  bool Fit(Three three) const;
  bool Holds(uint32_t job, uint32_t buffer) const;

  const Part& part_;
  const Precedence& precedence_;
  Rows<uint32_t> held_;
  std::vector<uint64_t> bytes_;
};

}  // namespace torqsched::bounds

#endif  // TORQSCHED_SRC_BOUNDS_SHARING_H_
