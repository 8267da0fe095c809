// What no order of the stream's ops can beat.
//
// Two resources, each at work without a pause: the stream itself, which every transfer, start and
// barrier occupies, and the slices, which share the programs evenly at best. Where transfers do not
// block the stream, the first is the larger of what is left of it and of what the DMA engines of a
// class take, which share their transfers evenly at best. Neither knows dependences, room, or
// programs that slow transfers down; swaps only add to the first. Linear.
#ifndef TORQSCHED_SRC_SCHEDULE_LOWER_BOUND_H_
#define TORQSCHED_SRC_SCHEDULE_LOWER_BOUND_H_

#include "src/hardware/hardware.h"
#include "src/schedule/answer.h"
#include "src/stream/stream.h"

namespace torqsched {

LowerBound SimpleLowerBound(const Stream& stream, const Hardware& hardware);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_SCHEDULE_LOWER_BOUND_H_
