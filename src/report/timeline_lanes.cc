#include "src/report/timeline_lanes.h"

#include <algorithm>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "src/report/text.h"

namespace torqsched {
namespace report {
namespace {

// The stream's own lane has waits as well: those show on the slices.
bool IsBarrier(const Stream& stream, const Span& span) {
  return span.lane == Lane::kStream && span.op.present() &&
         stream.op(span.op).kind == OpKind::kBarrier;
}

std::vector<LaneSpans> EngineLanes(const Hardware& hardware) {
  std::vector<LaneSpans> lanes(hardware.dma_engines + hardware.store_engines);
  const bool apart = hardware.store_engines != 0;
  for (uint32_t e = 0; e < lanes.size(); ++e) {
    if (apart && e >= hardware.dma_engines) {
      lanes[e].label = absl::StrCat("store", e - hardware.dma_engines);
    } else {
      lanes[e].label = absl::StrCat(apart ? "load" : "DMA", e);
    }
  }
  if (lanes.size() == 1) lanes[0].label = "DMA";
  return lanes;
}

}  // namespace

std::vector<LaneSpans> LanesOf(const Stream& stream, const Hardware& hardware,
                               const TimelinePanel& panel, bool with_stream) {
  std::vector<LaneSpans> lanes = EngineLanes(hardware);
  const size_t engines = lanes.size();
  lanes.resize(engines + hardware.slices + (with_stream ? 1 : 0));
  for (uint32_t s = 0; s < hardware.slices; ++s) lanes[engines + s].label = absl::StrCat("s", s);
  if (with_stream) lanes.back().label = "stream";
  for (const Span& span : *panel.spans) {
    if (span.begin >= span.end) continue;
    if (span.lane == Lane::kDma && span.engine < engines) {
      lanes[span.engine].spans.push_back(&span);
    } else if (span.lane == Lane::kSlice && span.slice < hardware.slices) {
      lanes[engines + span.slice].spans.push_back(&span);
    } else if (with_stream && IsBarrier(stream, span)) {
      lanes.back().spans.push_back(&span);
    }
  }
  return lanes;
}

std::string PanelTitle(const TimelinePanel& panel, const std::vector<TimelinePanel>& panels,
                       const Hardware& hardware) {
  std::string title = absl::StrCat(panel.title, ": ", Grouped(panel.makespan), " cycles");
  if (&panel != &panels.front()) {
    absl::StrAppend(&title, " (", Change(panels.front().makespan, panel.makespan), ")");
  }
  if (hardware.clock_hz != 0) {
    absl::StrAppend(&title, ", ", Microseconds(panel.makespan, hardware.clock_hz));
  }
  return title;
}

bool HasStreamLane(const Stream& stream, const std::vector<TimelinePanel>& panels) {
  for (const TimelinePanel& panel : panels) {
    for (const Span& span : *panel.spans) {
      if (IsBarrier(stream, span) && span.begin < span.end) return true;
    }
  }
  return false;
}

uint64_t ScaleOf(const std::vector<TimelinePanel>& panels) {
  uint64_t scale = 1;
  for (const TimelinePanel& panel : panels) scale = std::max(scale, panel.makespan);
  return scale;
}

uint64_t CellOf(uint64_t at, uint64_t scale, uint64_t cells) {
  return absl::Uint128Low64(absl::uint128(std::min(at, scale)) * cells / scale);
}

uint64_t CycleOf(uint64_t cell, uint64_t scale, uint64_t cells) {
  return absl::Uint128Low64((absl::uint128(cell) * scale + cells - 1) / cells);
}

std::vector<uint64_t> BusyCells(const std::vector<const Span*>& spans, uint64_t scale,
                                uint64_t cells) {
  std::vector<uint64_t> busy(cells, 0);
  for (const Span* span : spans) {
    const uint64_t end = std::min(span->end, scale);
    for (uint64_t c = CellOf(span->begin, scale, cells); c < cells; ++c) {
      const uint64_t from = std::max(span->begin, CycleOf(c, scale, cells));
      const uint64_t to = std::min(end, CycleOf(c + 1, scale, cells));
      if (from < to) busy[c] += to - from;
      if (to >= end) break;
    }
  }
  return busy;
}

std::string SpanLabel(const Stream& stream, const Span& span, size_t width) {
  if (span.op.present()) return ShortLabel(stream, span.op, width);
  if (!span.buffer.present()) return Shown("block", width);
  const absl::string_view name = stream.buffer_name(span.buffer);
  return Shown(name.empty() ? stream.Describe(span.buffer) : std::string(name), width);
}

}  // namespace report
}  // namespace torqsched
