// The stream as one machine: Jackson's preemptive schedule.
//
// Every job takes the stream for its stream cycles, not before its head and followed by its tail,
// and one job at a time. With preemption allowed, the best such schedule is found by always working
// at the released job of largest tail; what it takes is a bound for all that may not interrupt a
// job, hence for every order. Block transfers are one more job, without head or tail.
//
// Cost: O(n log n). Source: Jackson (1955); Carlier (1982).
#ifndef TORQSCHED_SRC_BOUNDS_JACKSON_H_
#define TORQSCHED_SRC_BOUNDS_JACKSON_H_

#include <cstdint>

#include "src/bounds/heads_tails.h"
#include "src/bounds/part.h"

namespace torqsched::bounds {

uint64_t JacksonBound(const Part& part, const HeadsAndTails& times);

}  // namespace torqsched::bounds

#endif  // TORQSCHED_SRC_BOUNDS_JACKSON_H_
