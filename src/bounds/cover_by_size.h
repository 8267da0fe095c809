// The least stall (cover.h) without a look at all pairs: who meets whom is judged by size alone.
//
// Two jobs that hold no buffer in common meet only if the bytes of both fit. So of the programs
// that hold at least B bytes the smallest decides which transfers may be beside any of them, and
// whether two of them may run at once; jobs that hold a buffer in common are looked at pair by
// pair.
//
// Among the programs of at least B bytes call those that meet no other *loners*. Whenever a loner
// runs it runs alone, and of the others at most m, the slices, run at once. So a loner's compute
// cycles, the m-th part of the others', and the cycles of all transfers that meet none of them, lie
// apart from each other: their sum is a bound, for every B.
//
// Cost: a walk for each B that the work allows; where too many jobs hold a buffer in common they
// are taken to meet.
#ifndef TORQSCHED_SRC_BOUNDS_COVER_BY_SIZE_H_
#define TORQSCHED_SRC_BOUNDS_COVER_BY_SIZE_H_

#include <cstdint>

#include "src/bounds/part.h"
#include "src/bounds/sharing.h"
#include "src/bounds/work.h"

namespace torqsched::bounds {

// 0: no program holds more than half of LRAM.
uint64_t CoverBySizeBound(const Part& part, const Sharing& sharing, Work* work);

}  // namespace torqsched::bounds

#endif  // TORQSCHED_SRC_BOUNDS_COVER_BY_SIZE_H_
