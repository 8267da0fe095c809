// Why the list scheduler did what it did: its steps as a table, one row a step.
//
//   step  t before  free   rule                                         emits           t after
//      1         0  s0 s1  2: none ready. 3: urgent, fits, nothing runs  load w1              30
//
// The rule column names each rule that was asked and why it did not apply, up to the one that did;
// rule 1 (barriers) only where it did. A start's slice and end stand with it: "start P1 -> s0
// (130)".
#ifndef TORQSCHED_SRC_REPORT_EXPLAIN_H_
#define TORQSCHED_SRC_REPORT_EXPLAIN_H_

#include <string>

#include "src/hardware/hardware.h"
#include "src/schedule/answer.h"
#include "src/stream/stream.h"

namespace torqsched {
namespace report {

// The table for a schedule of this stream that has its steps recorded. A line of text instead where
// there are none. Cost: linear in the steps, times a logarithm of the programs in flight.
std::string ExplainTable(const Stream& stream, const Hardware& hardware, const Schedule& schedule);

}  // namespace report
}  // namespace torqsched

#endif  // TORQSCHED_SRC_REPORT_EXPLAIN_H_
