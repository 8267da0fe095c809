// Timeline spans, statistics and lower bounds to their messages: shared by the calls that price an
// order.
#ifndef TORQSCHED_SRC_WIRE_TIMELINE_WIRE_H_
#define TORQSCHED_SRC_WIRE_TIMELINE_WIRE_H_

#include <vector>

#include "google/protobuf/repeated_ptr_field.h"
#include "src/schedule/answer.h"
#include "torqsched/v1/timeline.pb.h"

namespace torqsched {

// Appends the spans to the list.
void TimelineToProto(const std::vector<Span>& timeline,
                     google::protobuf::RepeatedPtrField<v1::Span>* list);

void LowerBoundToProto(const LowerBound& bound, v1::LowerBound* message);

void BoundToProto(const Bound& bound, v1::Bound* message);

void StatisticsToProto(const Statistics& statistics, v1::Statistics* message);

}  // namespace torqsched

#endif  // TORQSCHED_SRC_WIRE_TIMELINE_WIRE_H_
