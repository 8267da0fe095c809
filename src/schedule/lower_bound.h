// What no order of the stream's ops can beat.
//
// Two resources, each at work without a pause: the stream itself, which every transfer, start and
// barrier occupies, and the slices, which share the programs evenly at best. Neither knows
// dependences nor room; swaps only add to the first. Linear.
#ifndef TORQSCHED_SRC_SCHEDULE_LOWER_BOUND_H_
#define TORQSCHED_SRC_SCHEDULE_LOWER_BOUND_H_

#include <cstdint>

#include "src/hardware/hardware.h"
#include "src/schedule/answer.h"
#include "src/stream/stream.h"

namespace torqsched {

LowerBound SimpleLowerBound(const Stream& stream, const Hardware& hardware);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_SCHEDULE_LOWER_BOUND_H_
