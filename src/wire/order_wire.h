// Orders and slices as the messages carry them: an order is a list of positions, and slices are two
// lists of one length, starts[i] running on slices[i].
#ifndef TORQSCHED_SRC_WIRE_ORDER_WIRE_H_
#define TORQSCHED_SRC_WIRE_ORDER_WIRE_H_

#include <cstdint>
#include <vector>

#include "google/protobuf/repeated_field.h"
#include "src/schedule/answer.h"
#include "src/stream/index.h"
#include "src/stream/stream.h"

namespace torqsched {

using UintList = google::protobuf::RepeatedField<uint32_t>;

// Positions as they stand; whether they name ops is for the reader to check.
std::vector<OpIndex> OrderFromProto(const UintList& list);

// Appends the schedule's order, the starts that have a wait, in input order, and their slices.
void ScheduleToProto(const Stream& stream, const Schedule& schedule, UintList* order,
                     UintList* starts, UintList* slices);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_WIRE_ORDER_WIRE_H_
