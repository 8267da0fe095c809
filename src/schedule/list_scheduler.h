// The list scheduler: plays the stream out on a simulated clock, and at each step emits one ready
// action.
//
// Five rules in a fixed order decide which: a ready barrier; the oldest ready start that fits,
// where a slice is free; the oldest ready transfer that fits and can begin before the first running
// program ends; the wait of the program that ends first; and, so that it always goes on, the oldest
// of what is left. "Fits" means bytes under a limit and a real free range for every buffer that the
// action creates.
//
// What it leaves out: it knows no critical path and no swaps, and never takes a step back. What it
// predicts, an oracle has to confirm.
//
// Cost: at each step at most `candidates` starts and `candidates` transfers are looked at, a look
// costs O(1) where bytes already tell, else O(k log n) for k created buffers and O(log n) for the
// reserve. Where older programs use a load's own destination, its reserve is worked out program by
// program, but only when neither its last value nor the program that made it decides. Emitting
// costs the op's edges and O(log n) for each buffer born or dead and each program that uses it.
//
// Source: docs/semantics.md, section 4.
#ifndef TORQSCHED_SRC_SCHEDULE_LIST_SCHEDULER_H_
#define TORQSCHED_SRC_SCHEDULE_LIST_SCHEDULER_H_

#include <cstdint>

#include "src/graph/problem.h"
#include "src/hardware/hardware.h"
#include "src/schedule/answer.h"

namespace torqsched {

struct ListParameters {
  uint64_t cap = 0;               // bytes of LRAM that may be live at once
  uint64_t prefetch_percent = 0;  // of cap, for loads of far programs
  uint64_t urgent_starts = 0;     // programs to come that count as near
  uint64_t candidates = 1;        // looked at a rule and step
  bool explain = false;           // record the steps
};

// As the options say, for a cap of so many percent of the largest that they allow.
ListParameters ParametersFor(const Hardware& hardware, const ScheduleOptions& options,
                             uint64_t percent);

// How much work a list schedule was; tests guard the cost with it.
struct ListWork {
  uint64_t steps = 0;
  uint64_t fit_tests = 0;         // candidates that were looked at
  uint64_t reserve_programs = 0;  // programs that were looked at one by one for a reserve
};

Schedule ListSchedule(const ScheduleProblem& problem, const ListParameters& parameters,
                      ListWork* work);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_SCHEDULE_LIST_SCHEDULER_H_
