#include "src/wire/timeline_wire.h"

#include <cstdint>

namespace torqsched {
namespace {

v1::Lane LaneToProto(Lane lane) {
  switch (lane) {
    case Lane::kStream:
      return v1::LANE_STREAM;
    case Lane::kDma:
      return v1::LANE_DMA;
    case Lane::kSlice:
      return v1::LANE_SLICE;
  }
  return v1::LANE_UNSPECIFIED;
}

v1::Resource ResourceToProto(Resource resource) {
  switch (resource) {
    case Resource::kStream:
      return v1::RESOURCE_STREAM;
    case Resource::kSlices:
      return v1::RESOURCE_SLICES;
    case Resource::kNeither:
      return v1::RESOURCE_UNSPECIFIED;
  }
  return v1::RESOURCE_UNSPECIFIED;
}

v1::BoundKind KindToProto(BoundKind kind) {
  switch (kind) {
    case BoundKind::kStream:
      return v1::BOUND_KIND_STREAM;
    case BoundKind::kSlices:
      return v1::BOUND_KIND_SLICES;
    case BoundKind::kPath:
      return v1::BOUND_KIND_PATH;
    case BoundKind::kJackson:
      return v1::BOUND_KIND_JACKSON;
    case BoundKind::kCover:
      return v1::BOUND_KIND_COVER;
    case BoundKind::kReloads:
      return v1::BOUND_KIND_RELOADS;
    case BoundKind::kBarriers:
      return v1::BOUND_KIND_BARRIERS;
    case BoundKind::kExact:
      return v1::BOUND_KIND_EXACT;
  }
  return v1::BOUND_KIND_UNSPECIFIED;
}

}  // namespace

void TimelineToProto(const std::vector<Span>& timeline,
                     google::protobuf::RepeatedPtrField<v1::Span>* list) {
  list->Reserve(list->size() + static_cast<int>(timeline.size()));
  for (const Span& span : timeline) {
    v1::Span* const added = list->Add();
    added->set_lane(LaneToProto(span.lane));
    added->set_slice(span.slice);
    added->set_begin(span.begin);
    added->set_end(span.end);
    if (span.op.present()) added->set_op(span.op.value());
    if (span.buffer.present()) added->set_buffer(span.buffer.value());
    added->set_store(span.is_store);
    added->set_engine(span.engine);
  }
}

void LowerBoundToProto(const LowerBound& bound, v1::LowerBound* message) {
  message->set_cycles(bound.cycles);
  message->set_resource(ResourceToProto(bound.resource));
  message->set_kind(KindToProto(bound.kind));
}

void BoundToProto(const Bound& bound, v1::Bound* message) {
  message->set_kind(KindToProto(bound.kind));
  message->set_cycles(bound.cycles);
}

void StatisticsToProto(const Statistics& statistics, v1::Statistics* message) {
  message->set_dma_cycles(statistics.dma_cycles);
  message->set_compute_cycles(statistics.compute_cycles);
  message->set_overlap_cycles(statistics.overlap_cycles);
  message->set_idle_cycles(statistics.idle_cycles);
  for (const uint64_t cycles : statistics.slice_cycles) message->add_slice_cycles(cycles);
  message->set_oracle_runs(statistics.oracle_runs);
  message->set_list_schedules(statistics.list_schedules);
  message->set_scheduler_steps(statistics.scheduler_steps);
  message->set_search_nodes(statistics.search_nodes);
  message->set_search_moves(statistics.search_moves);
  message->set_search_improvements(statistics.search_improvements);
}

}  // namespace torqsched
