// What a person wants to know first about an answer: what it gained, how far that is from the best
// there can be and why, where the cycles go, what LRAM holds, what the order takes on a chip that
// is slightly off, and why the other orders were not taken.
#ifndef TORQSCHED_SRC_REPORT_SUMMARY_H_
#define TORQSCHED_SRC_REPORT_SUMMARY_H_

#include <cstdint>
#include <string>

#include "src/hardware/hardware.h"
#include "src/schedule/answer.h"
#include "src/stream/stream.h"

namespace torqsched {
namespace report {

// About twenty lines, three more with robust, five more with sensitivity; at most 100 columns wide.
// options are those that the answer was made with.
std::string Summary(const Stream& stream, const Hardware& hardware, const ScheduleOptions& options,
                    const ScheduleAnswer& answer);

// What one order takes before allocation.
struct Price {
  uint64_t makespan = 0;
  uint64_t peak_live_bytes = 0;
  LowerBound lower_bound;
};

// The same for an order that was only priced.
std::string PriceSummary(const Stream& stream, const Hardware& hardware, const Price& price,
                         const Statistics& statistics);

}  // namespace report
}  // namespace torqsched

#endif  // TORQSCHED_SRC_REPORT_SUMMARY_H_
