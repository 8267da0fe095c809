// What the two timeline pictures share: which lanes there are, and where a moment lies on one.
#ifndef TORQSCHED_SRC_REPORT_TIMELINE_LANES_H_
#define TORQSCHED_SRC_REPORT_TIMELINE_LANES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "src/hardware/hardware.h"
#include "src/report/timeline.h"
#include "src/schedule/answer.h"
#include "src/stream/stream.h"

namespace torqsched {
namespace report {

struct LaneSpans {
  std::string label;
  std::vector<const Span*> spans;  // by begin
};

// The spans of a panel, lane by lane: DMA, s0, s1, ..., and if with_stream the stream's barriers.
// Of several engines each has a lane: DMA0, DMA1, ..., or where stores have their own load0, ...,
// store0, ...
std::vector<LaneSpans> LanesOf(const Stream& stream, const Hardware& hardware,
                               const TimelinePanel& panel, bool with_stream);

// "after: 250 cycles (-39.0 %), 0.3 us": the change is from the first panel, the time is there
// where the clock is known.
std::string PanelTitle(const TimelinePanel& panel, const std::vector<TimelinePanel>& panels,
                       const Hardware& hardware);

// Whether a barrier takes time in one of the panels.
bool HasStreamLane(const Stream& stream, const std::vector<TimelinePanel>& panels);

// The longest makespan, at least 1: what the whole width stands for.
uint64_t ScaleOf(const std::vector<TimelinePanel>& panels);

// at * cells / scale, rounded down. at <= scale.
uint64_t CellOf(uint64_t at, uint64_t scale, uint64_t cells);

// The first cycle of a cell.
uint64_t CycleOf(uint64_t cell, uint64_t scale, uint64_t cells);

// How many cycles of each of `cells` cells a lane's spans cover, spans in [first, last).
std::vector<uint64_t> BusyCells(const std::vector<const Span*>& spans, uint64_t scale,
                                uint64_t cells);

// "w3 swapped out", or the op's name without its kind.
std::string SpanLabel(const Stream& stream, const Span& span, size_t width);

}  // namespace report
}  // namespace torqsched

#endif  // TORQSCHED_SRC_REPORT_TIMELINE_LANES_H_
