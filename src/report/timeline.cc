// The timeline as text.
#include "src/report/timeline.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "src/report/text.h"
#include "src/report/timeline_lanes.h"

namespace torqsched {
namespace report {
namespace {

constexpr uint64_t kLeastBox = 3;  // cells

bool IsAscii(absl::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > 0; });
}

void DrawBox(const Stream& stream, const Span& span, uint64_t first, uint64_t last,
             std::string* row) {
  const bool swap = !span.op.present();
  const size_t room = last - first - 2;
  std::string label = SpanLabel(stream, span, room);
  if (!IsAscii(label)) label.clear();  // a cell is a byte here
  const size_t left = (room - label.size()) / 2;
  row->replace(first, last - first,
               absl::StrCat(swap ? "{" : "[", std::string(left, '-'), label,
                            std::string(room - label.size() - left, '-'), swap ? "}" : "]"));
}

std::string DrawLane(const Stream& stream, const LaneSpans& lane, uint64_t scale, size_t width) {
  std::vector<const Span*> boxes;
  std::vector<const Span*> small;
  for (const Span* span : lane.spans) {
    const bool box =
        CellOf(span->end, scale, width) >= CellOf(span->begin, scale, width) + kLeastBox;
    (box ? boxes : small).push_back(span);
  }
  std::string row(width, ' ');
  const std::vector<uint64_t> busy = BusyCells(small, scale, width);
  for (size_t c = 0; c < width; ++c) {
    const uint64_t cycles = CycleOf(c + 1, scale, width) - CycleOf(c, scale, width);
    if (busy[c] == 0) continue;
    row[c] = busy[c] >= cycles ? '#' : busy[c] < cycles - busy[c] ? '.' : ':';
  }
  for (const Span* span : boxes) {
    DrawBox(stream, *span, CellOf(span->begin, scale, width), CellOf(span->end, scale, width),
            &row);
  }
  row.erase(row.find_last_not_of(' ') + 1);
  return row;
}

}  // namespace

std::string TimelineText(const Stream& stream, const Hardware& hardware,
                         const std::vector<TimelinePanel>& panels, size_t width) {
  std::string out;
  const uint64_t scale = ScaleOf(panels);
  const bool with_stream = HasStreamLane(stream, panels);
  for (const TimelinePanel& panel : panels) {
    absl::StrAppend(&out, PanelTitle(panel, panels, hardware), "\n");
    const std::vector<LaneSpans> lanes = LanesOf(stream, hardware, panel, with_stream);
    size_t left = 5;
    for (const LaneSpans& lane : lanes) left = std::max(left, lane.label.size() + 1);
    for (const LaneSpans& lane : lanes) {
      std::string line = lane.label;
      line.resize(left, ' ');
      absl::StrAppend(&line, DrawLane(stream, lane, scale, width));
      line.erase(line.find_last_not_of(' ') + 1);
      absl::StrAppend(&out, line, "\n");
    }
  }
  return out;
}

}  // namespace report
}  // namespace torqsched
