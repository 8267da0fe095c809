// The input order, as a schedule.
#ifndef TORQSCHED_SRC_SCHEDULE_INPUT_SCHEDULE_H_
#define TORQSCHED_SRC_SCHEDULE_INPUT_SCHEDULE_H_

#include "src/schedule/answer.h"
#include "src/stream/stream.h"

namespace torqsched {

// The input order with the input's slices; not priced.
Schedule InputSchedule(const Stream& stream);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_SCHEDULE_INPUT_SCHEDULE_H_
