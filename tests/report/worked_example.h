// worked example 1 (docs/semantics.md, section 9) as plain data: the stream, and what the list
// scheduler makes of it, written down by hand.
#ifndef TORQSCHED_TESTS_REPORT_WORKED_EXAMPLE_H_
#define TORQSCHED_TESTS_REPORT_WORKED_EXAMPLE_H_

#include <vector>

#include "src/hardware/hardware.h"
#include "src/schedule/answer.h"
#include "src/stream/stream.h"

namespace torqsched {

// L1 P1 wait L2 P2 wait L3 P3 wait S3.
Stream WorkedExample();

// Two slices, 1,000 bytes of LRAM, no clock.
Hardware WorkedExampleHardware();

// 410 -> 250 cycles: order, slices, the ten steps, placement, timeline, statistics.
ScheduleAnswer WorkedExampleAnswer();

// When everything runs in the input order.
std::vector<Span> WorkedExampleInputTimeline();

}  // namespace torqsched

#endif  // TORQSCHED_TESTS_REPORT_WORKED_EXAMPLE_H_
