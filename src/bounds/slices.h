// The slices as equal machines: compute spread evenly, with the least heads and tails.
//
// Take programs whose heads are at least r and whose end tails at least q, at least as many as
// there are slices. On each slice nothing of them runs before the head of the first and after the
// end tail of the last, so slices * makespan >= their compute + the sum of the smallest heads, one
// a slice, + the sum of the smallest end tails. (A slice without any of them may be given one of
// another's, at the same time, so every slice has a first and a last.)
//
// Cost: programs * slices for each q; as many q as the work allows, at least one.
#ifndef TORQSCHED_SRC_BOUNDS_SLICES_H_
#define TORQSCHED_SRC_BOUNDS_SLICES_H_

#include <cstdint>

#include "src/bounds/heads_tails.h"
#include "src/bounds/part.h"
#include "src/bounds/work.h"

namespace torqsched::bounds {

uint64_t SlicesBound(const Part& part, const HeadsAndTails& times, Work* work);

}  // namespace torqsched::bounds

#endif  // TORQSCHED_SRC_BOUNDS_SLICES_H_
